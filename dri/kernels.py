"""Kernels of the user's own, on numpy's views of boxes."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Tuple, Union

import numpy as np

from . import _dri
from .array import Array
from .forms import clock
from .errors import ArgumentError
from .lazy import require_forwards
from .statements import memory, operand

Widths = Union[int, Tuple[int, ...]]


class Reach(NamedTuple):
    """A read that looks around each position. :func:`reach` makes it."""

    array: Array
    left: Tuple[int, ...]
    right: Tuple[int, ...]


def reach(array: Array, left: Widths, right: Widths | None = None) -> Reach:
    """A read of :func:`apply` that looks around each position. Local.

    Parameters
    ----------
    array
        An array or a slice.
    left, right
        Positions before and behind, for all dimensions or per dimension; ``right`` is ``left`` where it is left out.
        The elements there lie in the array, or in its overlap.
    """
    if not isinstance(array, Array):
        raise TypeError(f"reach takes an array or a slice, not {type(array).__name__}")
    before = _widths(left, array.ndim)
    return Reach(array, before, before if right is None else _widths(right, array.ndim))


def apply(kernel: Callable[..., Any], target: Array, *reads: Any) -> None:
    """Compute an array or a slice by a kernel, as one loop. Collective over the group.

    Parameters
    ----------
    kernel
        Called as ``kernel(out, read, ...)`` for each box: ``out[...]`` is to be filled from the reads. A box has a
        position of the target at each place. A read with a reach is larger by it on both sides. It must not call the
        library.
    target
        What is filled.
    reads
        Arrays, slices, what :func:`reach` returns, expressions, which are evaluated first, or arrays of numpy's, which
        are equal on all processes.

    Examples
    --------
    >>> def smooth(out, p):
    ...     out[...] = (p[:-2] + p[1:-1] + p[2:]) / 3
    >>> dri.apply(smooth, b[1:-1], dri.reach(a[1:-1], 1))
    """
    if not callable(kernel):
        raise TypeError(f"a kernel is a function, not {type(kernel).__name__}")
    require_forwards(target)
    operands = [_operand(one, target) for one in reads]
    try:  # a run that fails, or that Ctrl-C interrupts, may have written a part
        if target.here:
            _dri.Loop(operand(target), operands).run(kernel, target.seconds)
    finally:
        clock.written(target)


def _operand(read: Any, target: Array) -> Any:
    found = read if isinstance(read, Reach) else Reach(read, (), ()) if isinstance(read, Array) else None
    if found is None:
        return memory(np.asarray(read), target.ndim)
    array = found.array.evaluate()
    require_forwards(array)
    if array.group != target.group:
        raise ArgumentError("the target of a statement and its arrays are over different processes")
    if not target.here:
        return None
    return operand(array, (found.left, found.right) if found.left else None)


def _widths(given: Widths, ndim: int) -> Tuple[int, ...]:
    made = tuple(given) if isinstance(given, (tuple, list)) else (given,) * ndim
    if len(made) != ndim:
        raise ArgumentError(f"a reach has {len(made)} entries, but the array has {ndim} dimensions")
    return made
