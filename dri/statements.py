"""Statements: expressions that are evaluated as one loop over all processes."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Sequence, Tuple

import numpy as np

from . import _dri
from ._signals import deferred
from .array import Array
from .forms import clock
from .creation import result_like
from .elements import element_of
from .errors import ArgumentError, DtypeError, StateError
from .lazy import KEPT, MOST, Lazy, Node, base_of, require_forwards, stale
from .programs import program_of
from .section import Section

SUM, MIN, MAX = 1, 8, 9  # of DRI_Op


class _Reduction(NamedTuple):
    """How all elements are reduced, and the statement that does it."""

    statement: Any
    element: Any
    dtype: Any  # of partial results
    kind: Any  # of the result
    op: int


_arrays = _dri.ExpressionArrays(Node, Section, Array, np.ndarray, stale)
_known: dict[Any, Any] = {}  # statements and reductions, by their forms and by which arrays of theirs are one


def store(target: Array, value: Any) -> None:
    """Evaluate an expression, or spread an array, into an array or a slice. Collective over the group."""
    node = value.node if type(value) is Lazy else value
    bases = [base_of(target)]
    pattern = _pattern(node, bases)
    key = (target.form, node.form, pattern)
    known = None if pattern is None else _known.get(key)
    if known is None:
        known = _checked(target, node, pattern)
        if known is not None:
            _keep(key, known)
    try:  # a run that fails, or that Ctrl-C interrupts, may have written a part
        if known is not None:
            known.run(_handles(bases), target.seconds)
        elif target.here:
            program, reads = program_of(node)
            loop_of(target, reads).run(program.run, target.seconds)
    finally:
        clock.written(target)


def _pattern(node: Any, bases: List[Array]) -> Tuple[int, ...] | None:
    """Which of some bases each array of an expression has; new ones are appended. Local. None: it is not kept."""
    if type(node) is Node and node.form.leaves > MOST:
        return None
    return _arrays.pattern(node, bases)


def _handles(bases: List[Array]) -> List[_dri.Array]:
    start = _dri.starts()
    return [one._made if one._made is not None and one._start == start else one.handle() for one in bases]


def _keep(key: Any, made: Any) -> None:
    if len(_known) >= KEPT:
        _known.clear()
    _known[key] = made


def _checked(target: Array, node: Any, pattern: Tuple[int, ...] | None) -> _dri.Statement | None:
    """The statement, after its forms have been checked. Collective over the group. None: it is not kept."""
    group = target.group
    if node.form.group != group:
        raise ArgumentError("the target of a statement and its arrays are over different processes")
    _require_shape(target, node.form)
    require_forwards(target)
    if isinstance(node, Array):
        require_forwards(node)
    if pattern is None or not target.here:
        return None
    return _statement(target, node, pattern, 0, lambda program: program.kernel(target.dtype))


def _statement(
    target: Array | None, node: Any, pattern: Tuple[int, ...], first: int, kernel_of: Callable[[Any], Any]
) -> _dri.Statement | None:  # fmt: skip
    leaves: List[Any] = []
    if isinstance(node, Node):
        node.collect(leaves)
    else:
        leaves.append(node)
    if any(one.form.is_narrowed for one in (*leaves, *([] if target is None else [target]))):
        return None  # an alias takes part, and not the base
    program, reads = program_of(node)
    if target is None and not any(one.shape == node.form.shape for one in reads):
        return None  # no operand leads the loop
    places = [next(at for at, leaf in zip(pattern, leaves) if leaf is one) for one in reads]
    operands = [None if target is None else operand(target), *(operand(one) for one in reads)]
    return _dri.Statement(operands, [first, *places], kernel_of(program))


@deferred
def result_of(value: Lazy) -> Array:
    """An expression as a new array. Collective over the group."""
    if not value.here:
        raise StateError(f"this process is not in the group {value.group} of the expression")
    _, reads = program_of(value)
    made = result_like(value, [one for one in reads if isinstance(one, Array)])
    store(made, value)
    return made


def loop_of(target: Array | None, reads: Sequence[Any]) -> _dri.Loop:
    """The loop of a program. Collective over the group, the first time."""
    ndim = max(one.ndim for one in reads) if target is None else target.ndim
    operands = [operand(one) if isinstance(one, Array) else memory(one, ndim) for one in reads]
    return _dri.Loop(None if target is None else operand(target), operands)


def operand(array: Array, reach: Any = None) -> _dri.Operand:
    """A read or the target of a loop. Collective over the group, the first time for its array."""
    if isinstance(array, Section):
        if array.form.is_narrowed:
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
    node = value.node if type(value) is Lazy else value
    bases: List[Array] = []
    pattern = _pattern(node, bases)
    key = (name, node.form, pattern)
    known = None if pattern is None else _known.get(key)
    if known is None:
        if not value.here:
            raise StateError(f"this process is not in the group {value.group}")
        if value.size == 0:
            return _of_nothing(value, name)
        dtype, kind, op, combine, finish = _reduction(name, value.dtype)
        made = None
        if pattern is not None:
            made = _statement(None, node, pattern, 0, lambda program: program.reduced(combine, finish))
        if made is None:
            program, reads = program_of(node)
            if not any(one.shape == value.shape for one in reads if isinstance(one, Array)):
                return reduce(value.evaluate(), name)  # no operand leads the loop
            kernel = program.reduced(combine, finish)
            found = loop_of(None, reads).reduce(kernel, element_of(dtype), dtype, 1, op, value.seconds)[0]
            return _typed(found, value.size if name == "mean" else 1, kind)
        known = _Reduction(made, element_of(dtype), dtype, np.dtype(kind), op)
        _keep(key, known)
    seconds = bases[0].seconds
    found = known.statement.reduce(_handles(bases), known.element, known.dtype, known.op, seconds)[0]
    return _typed(found, value.size if name == "mean" else 1, known.kind)


def _typed(found: Any, count: int, kind: Any) -> Any:
    return np.dtype(kind).type(found if count == 1 else found / count)


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
