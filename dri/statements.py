"""Statements: expressions that are evaluated as one loop over all processes."""

from __future__ import annotations

from typing import Any, Callable, List, Sequence

import numpy as np

from . import _dri
from .array import Array
from .creation import result_like
from .elements import element_of
from .errors import ArgumentError, DtypeError, StateError
from .lazy import Lazy, base_of, require_forwards
from .programs import program_of
from .section import Section

SUM, MIN, MAX = 1, 8, 9  # of DRI_Op


def store(target: Array, value: Any) -> None:
    """Evaluate an expression, or spread an array, into an array or a slice. Collective over the group."""
    if isinstance(value, Lazy):
        value.require_current()
    group = target.group
    if value.group != group:
        raise ArgumentError("the target of a statement and its arrays are over different processes")
    _require_shape(target, value)
    require_forwards(target)
    require_forwards(value)
    if target.here:
        program, reads = program_of(value)
        loop_of(target, reads).run(program.run, target.seconds)
    base_of(target).version += 1


def result_of(value: Lazy) -> Array:
    """An expression as a new array. Collective over the group."""
    value.require_current()
    if not value.here:
        raise StateError(f"this process is not in the group {value.group} of the expression")
    program, reads = program_of(value)
    made = result_like(value, [one for one in reads if isinstance(one, Array)])
    loop_of(made, reads).run(program.run, made.seconds)
    return made


def loop_of(target: Array | None, reads: Sequence[Any]) -> _dri.Loop:
    """The loop of a program. Collective over the group, the first time."""
    ndim = max(one.ndim for one in reads) if target is None else target.ndim
    operands = [operand(one) if isinstance(one, Array) else memory(one, ndim) for one in reads]
    return _dri.Loop(None if target is None else operand(target), operands)


def operand(array: Array, reach: Any = None) -> _dri.Operand:
    """A read or the target of a loop. Collective over the group, the first time for its array."""
    if isinstance(array, Section):
        if array.is_narrowed:
            return _dri.array_operand(array.handle(), _whole(array), reach, array.dtype)
        return _dri.array_operand(array.base.handle(), array.members(), reach, array.dtype)
    return _dri.array_operand(array.handle(), array.members(), reach, array.dtype)


def _whole(section: Section) -> Any:
    kept = tuple(one for one, chosen in zip(section.members(), section.chosen) if isinstance(chosen, range))
    return kept or section.members()[-1:]


def memory(given: Any, ndim: int) -> _dri.Operand:
    """Memory of numpy's in a loop. Local."""
    return _dri.memory_operand(given.reshape((1,) * (max(ndim, 1) - given.ndim) + given.shape))


def _require_shape(target: Array, value: Any) -> None:
    shape = value.shape
    if shape == target.shape:
        return
    while len(shape) > target.ndim and shape[0] == 1:
        shape = shape[1:]
    behind = zip(reversed(shape), reversed(target.shape))
    if len(shape) != len(value.shape) or len(shape) > target.ndim or any(n not in (1, wanted) for n, wanted in behind):
        raise ArgumentError(f"shapes differ: the target has {target.shape}, the value {value.shape}")


def reduce(value: Any, name: str) -> Any:
    """A reduction of all elements, the same bits on all processes. Collective over the group."""
    if isinstance(value, Lazy):
        value.require_current()
    if not value.here:
        raise StateError(f"this process is not in the group {value.group}")
    if value.size == 0:
        return _of_nothing(value, name)
    program, reads = program_of(value)
    if not any(one.shape == value.shape for one in reads if isinstance(one, Array)):
        program, reads = program_of(result_of(value))  # no operand leads the loop
    dtype, kind, op, combine, finish = _reduction(name, value.dtype)
    kernel = program.reduced(combine, finish)
    loop = loop_of(None, reads)
    found = loop.reduce(kernel, element_of(dtype), dtype, 1, op, value.seconds)[0]
    if name == "mean":
        found = found / value.size
    return np.dtype(kind).type(found)


def _of_nothing(value: Any, name: str) -> Any:
    return getattr(np, name)(np.empty(0, value.dtype))


def _reduction(name: str, dtype: Any) -> tuple[Any, Any, int, Callable[[Any], Any], Callable[[List[Any]], Any]]:
    """The dtype of partial results, that of the result, the operation, and how a tile and tiles are reduced."""
    if name in ("sum", "mean"):
        kind = getattr(np, name)(np.empty(1, dtype) * 0).dtype if dtype.kind in "biufc" else None
        if kind is None:
            raise DtypeError(f"{name} of {dtype}: numbers alone are added")
        wide = {"c": "c16", "f": "f8", "i": "i8", "u": "u8", "b": "i8"}[dtype.kind if name == "sum" or dtype.kind in "fc" else "f"]
        made = np.dtype(wide)
        return made, kind, SUM, lambda tile: np.add.reduce(tile, axis=None, dtype=made), lambda all: np.add.reduce(all, dtype=made)
    if name in ("any", "all"):
        one = np.any if name == "any" else np.all
        return np.dtype("u1"), np.dtype(bool), MAX if name == "any" else MIN, one, one
    function: Any = np.minimum if name == "min" else np.maximum
    op = MIN if name == "min" else MAX
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise DtypeError(f"{name} of {dtype}: real numbers alone have an order")
    made = np.dtype("u1") if dtype.kind == "b" else np.dtype("f4") if dtype == np.float16 else dtype
    return made, dtype, op, lambda tile: function.reduce(tile, axis=None), lambda all: function.reduce(all)
