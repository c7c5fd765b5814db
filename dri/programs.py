"""Expressions as programs: a list of operations, which computes one box after the other with numpy or numexpr."""

from __future__ import annotations

import math
import threading
from typing import Any, Callable, List, NamedTuple, Tuple, Union

import numpy as np

from . import _dri
from ._fused import fused
from ._numexpr import Compiled, compiled
from .array import Array
from .elements import Dtype
from .lazy import KEPT, MOST, Lazy, Node, Operation, base_of

TILE = 1 << 18  # bytes of a temporary that stay in the cache
_kept: dict[Any, Program] = {}


class Constant(NamedTuple):
    """A number in an expression."""

    value: Any


class Step(NamedTuple):
    """An operation. Arguments are numbers of reads, or of earlier steps behind the reads, or constants."""

    operation: Operation
    arguments: Tuple[Union[int, Constant], ...]
    dtype: Dtype
    buffer: int
    """Where its result is kept; -1 for the last one."""


def program_of(value: Any) -> Tuple[Program, List[Any]]:
    """The program of an expression or an array, and what it reads. Local. Programs are kept."""
    node = value.node if isinstance(value, Lazy) else value
    leaves: List[Any] = []
    if isinstance(node, Node):
        is_short = node.form.leaves <= MOST
        node.collect(leaves, None if is_short else set())
        if is_short:
            return kept_program(node, leaves)
    made = Program(node)
    return made, made.reads


def kept_program(node: Node, leaves: List[Any]) -> Tuple[Program, List[Any]]:
    """The program of an expression with these arrays, and which of them it reads, each once. Local."""
    places: dict[Any, int] = {}
    reads: List[Any] = []
    pattern: List[int] = []
    for leaf in leaves:
        place = places.setdefault(_key(leaf), len(reads))
        if place == len(reads):
            reads.append(leaf)
        pattern.append(place)
    key = (node.form, tuple(pattern))
    program = _kept.get(key)
    if program is None:
        program = Program(node)
        program.reads = []  # it keeps no arrays
        if len(_kept) >= KEPT:
            _kept.clear()
        _kept[key] = program
    return program, reads


def _key(leaf: Any) -> Any:
    return (id(base_of(leaf)), leaf.form) if isinstance(leaf, Array) else id(leaf)


class _Buffers(threading.local):
    """Where a thread keeps the results of the steps of a program. Local."""

    def __init__(self) -> None:
        self.of_number: dict[int, Any] = {}
        self.of_shape: dict[Tuple[int, ...], Tuple[Any, ...]] = {}


class Program:
    """An expression, lowered: what it reads, and the steps that compute a box. Local."""

    def __init__(self, root: Any) -> None:
        self.reads: List[Any] = []  # arrays, their slices, and arrays of numpy's
        self.dtype: Dtype = root.dtype
        self._known: dict[Any, int] = {}
        self._steps: List[Tuple[Operation, Tuple[Any, ...], Dtype]] = []
        self._lower(root)
        self.steps = self._with_buffers()
        self._own = _Buffers()
        self._most = TILE // max((one.dtype.itemsize for one in self.steps), default=8)
        self._fused: _dri.Fused | None = fused(self.steps, [one.dtype for one in self.reads])
        self._fast: Compiled | None = compiled(self.steps, [one.dtype for one in self.reads])
        self._direct = self._as_function() if self.steps and self._fast is None else None
        self._known.clear()

    def kernel(self, dtype: Dtype) -> Any:
        """What computes boxes of a target with this dtype: the library's operations, or :meth:`run`. Local."""
        return self._fused if self._fused is not None and dtype == self.dtype else self.run

    def run(self, target: Any, *reads: Any) -> None:
        """Compute a box of the target. Local. The arrays have one shape."""
        if self._direct is not None and target.size <= self._most and target.dtype == self.dtype:
            self._direct(self._own.of_shape.get(target.shape) or self._buffers_of(target.shape), target, *reads)
            return
        for to, some in self._tiles(target, reads):
            self._into(to, some)

    def reduced(self, combine: Callable[[Any], Any], finish: Callable[[List[Any]], Any]) -> Callable[..., None]:
        """A kernel that reduces each box: ``combine`` a tile to a number, and ``finish`` the numbers. Local."""

        def kernel(result: Any, *reads: Any) -> None:
            first = reads[0]
            if self._direct is not None and first.size <= self._most:
                buffers = self._own.of_shape.get(first.shape) or self._buffers_of(first.shape)
                self._direct(buffers, buffers[-1], *reads)
                result[0] = combine(buffers[-1])
                return
            found = []
            for _, some in self._tiles(None, reads):
                if not self.steps:
                    found.append(combine(some[0]))
                else:
                    found.append(combine(self._into(None, some)))
            result[0] = finish(found)

        return kernel

    def _tiles(self, target: Any, reads: Tuple[Any, ...]) -> Any:
        """The box in pieces along its first dimension, whose temporaries stay in the cache. Local."""
        shape = reads[0].shape if target is None else target.shape
        width = max((one.dtype.itemsize for one in self.steps), default=8)
        count = max(1, TILE // max(1, width * math.prod(shape[1:])))
        if len(self.steps) < (1 if target is None else 2) or not shape or shape[0] <= count:
            yield target, reads
            return
        for first in range(0, shape[0], count):
            tile = slice(first, first + count)
            yield None if target is None else target[tile], tuple(one[tile] for one in reads)

    def _into(self, target: Any, reads: Tuple[Any, ...]) -> Any:
        if not self.steps:
            np.copyto(target, reads[0], casting="unsafe")
            return target
        shape = reads[0].shape
        if target is None:
            target = self._buffer(len(self.steps), self.dtype, shape)
        if self._fast is not None and target.dtype == self.dtype:
            return self._fast(target, reads)
        values: List[Any] = list(reads)
        for operation, arguments, dtype, buffer in self.steps:
            given = [one.value if type(one) is Constant else values[one] for one in arguments]  # type: ignore[index]
            if buffer >= 0:
                values.append(operation(*given, out=self._buffer(buffer, dtype, shape)))
            elif target.dtype == dtype:
                operation(*given, out=target)
            else:
                operation(*given, out=target, casting="unsafe")
        return target

    def _as_function(self) -> Any:
        """The steps as one function of buffers, target and reads, for boxes of one tile. Local."""
        names: dict[str, Any] = {}
        lines = []
        count = len(self.reads)
        for number, step in enumerate(self.steps):
            names[f"f{number}"] = step.operation
            given = []
            for place, one in enumerate(step.arguments):
                if isinstance(one, Constant):
                    names[f"c{number}_{place}"] = one.value
                    given.append(f"c{number}_{place}")
                else:
                    given.append(f"r{one}" if one < count else f"b[{self.steps[one - count].buffer}]")
            out = "out" if step.buffer < 0 else f"b[{step.buffer}]"
            lines.append(f"    f{number}({', '.join(given)}, {out})")
        reads = "".join(f", r{one}" for one in range(count))
        exec("\n".join([f"def run(b, out{reads}):", *lines]), names)
        return names["run"]

    def _buffers_of(self, shape: Tuple[int, ...]) -> Tuple[Any, ...]:
        """A buffer for each number of the steps, and one for the result. Local. Those of few shapes are kept."""
        dtypes = {step.buffer: step.dtype for step in self.steps if step.buffer >= 0}
        made = tuple(np.empty(shape, dtypes[number]) for number in range(len(dtypes))) + (np.empty(shape, self.dtype),)
        if len(self._own.of_shape) >= 3:
            self._own.of_shape.clear()
        self._own.of_shape[shape] = made
        return made

    def _buffer(self, number: int, dtype: Dtype, shape: Tuple[int, ...]) -> Any:
        made = self._own.of_number.get(number)
        if made is None or made.shape[1:] != shape[1:] or len(made) < shape[0] or made.dtype != dtype:
            made = self._own.of_number[number] = np.empty(shape, dtype)
        return made if made.shape == shape else made[: shape[0]]

    def _lower(self, one: Any) -> Union[int, Constant]:
        """The number of a read, or minus the number of a step. Equal operands are one."""
        if not isinstance(one, (Node, Array, np.ndarray)):
            return Constant(one)
        if isinstance(one, Node):
            key: Any = id(one)
            if key not in self._known:
                arguments = tuple(self._lower(given) for given in one.inputs)
                self._steps.append((one.operation, arguments, one.dtype))
                self._known[key] = -len(self._steps)
        else:
            key = _key(one)
            if key not in self._known:
                self._known[key] = len(self.reads)
                self.reads.append(one)
        return self._known[key]

    def _with_buffers(self) -> List[Step]:
        """Give each result but the last a buffer; an operation may write where its own argument lies."""
        last: dict[int, int] = {}
        for at, (_, arguments, _) in enumerate(self._steps):
            for one in arguments:
                if isinstance(one, int) and one < 0:
                    last[-one - 1] = at
        free: List[Tuple[int, Dtype]] = []
        made: List[Step] = []
        count = 0
        held: dict[int, Tuple[int, Dtype]] = {}
        for at, (operation, arguments, dtype) in enumerate(self._steps):
            for number in {-one - 1 for one in arguments if isinstance(one, int) and one < 0}:
                if last[number] == at:
                    free.append(held[number])
            buffer = -1
            if at < len(self._steps) - 1:
                fits = next((one for one in free if one[1] == dtype), None)
                if fits is not None:
                    free.remove(fits)
                    buffer = fits[0]
                else:
                    buffer, count = count, count + 1
                held[at] = (buffer, dtype)
            renamed = tuple(len(self.reads) - one - 1 if isinstance(one, int) and one < 0 else one for one in arguments)
            made.append(Step(operation, renamed, dtype, buffer))
        return made
