"""Plans: graphs of all processes that fit, cut into parts; after the commit they run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Dict, FrozenSet, Hashable, List, NamedTuple, Tuple

import numpy as np

from .. import _dri, env
from .._signals import Deferred, deferred
from ..agreement import agreed
from ..ends import seconds_of, slice_ms
from ..errors import ArgumentError, ClosedError, DtypeError, Error, UnsupportedError
from ..group import Group
from ..info import Spread
from .tags import tag_of

_MOST_VIEWS = 1024
"""Of an output: at least the frames in flight."""
_KIND_ORDER = {"b": 0, "i": 0, "u": 0, "f": 1, "c": 2}
"""An input takes numbers of its own kind and of lower ones."""


class Lies(NamedTuple):
    """How an array lies in memory; strides in bytes."""

    dtype: np.dtype[Any]
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]

    @classmethod
    def packed(cls, shape: Tuple[int, ...], dtype: np.dtype[Any]) -> Lies:
        """In C order without gaps. Local."""
        strides, step = [], dtype.itemsize
        for extent in reversed(shape):
            strides.append(step)
            step *= max(extent, 1)
        return cls(dtype, shape, tuple(reversed(strides)))


class Operation(NamedTuple):
    """One communication: source, destination and tag, or a transfer's name with processes -1."""

    src: int
    dest: int
    tag: Hashable
    name: str | None
    """In a part: the name of the node that is sent or received."""


class GraphPart(NamedTuple):
    """What this process computes between two batches of operations."""

    pid: int
    needed: Tuple[int, ...]
    recvs: Tuple[Operation, ...]
    sends: Tuple[Operation, ...]
    inputs: Tuple[str, ...]
    part_inputs: Tuple[str, ...]
    outputs: Tuple[str, ...]


class PartTimes(NamedTuple):
    """Where the time of a part went: seconds per frame, and their sums over all frames."""

    frames: int
    call_seconds: Spread
    wait_seconds: Spread
    copy_seconds: Spread
    total_call: float
    total_wait: float
    total_copy: float
    longest: Operation | None
    """What the part waited for longest in one frame."""
    longest_seconds: float


class Plan:
    """The partition of the graphs of all processes. ``Graph.partition`` makes it. Queries are local."""

    def __init__(self, plan: _dri.Plan, group: Group, inputs: Dict[str, Lies], outputs: Dict[str, Lies]) -> None:
        self._plan: _dri.Plan | None = plan
        self.group = group
        self._inputs = inputs
        self._input_names = frozenset(name for part in self.parts for name in part.inputs)
        self._outputs = outputs
        self._views: Dict[Tuple[str, int], Any] = {}
        self._given: Dict[str, Any] = {}  # inputs that wait for the commit
        self._is_committed = False
        self._run: Callable[[], None] | None = None  # one frame, after the commit
        self._dot = ""

    def commit(
        self, *, frames: int = 1, stream: bool = False, timeout: float | None = None, progress_thread: bool = False
    ) -> None:
        """Reserve all memory and commit all transfers. Collective over the graph's group.

        Parameters
        ----------
        frames
            Frames in flight.
        stream
            Calls without inputs may end the stream; time and data travel with each frame.
        timeout
            Seconds of each wait; None is no limit.
        progress_thread
            Frames move while a function computes.
        """
        plan, seconds = self._open(), seconds_of(timeout)
        with Deferred() as ctrl_c:
            plan.commit(frames, bool(stream), seconds, slice_ms(seconds), bool(progress_thread))
        self._is_committed = True
        self._run = plan.runner()
        env.remember(self)
        for name, array in self._given.items():
            plan.set_input(name, array)
        self._given.clear()
        ctrl_c.raise_noted()

    def run(self) -> None:
        """Run one frame; the first one commits. Collective over the processes that exchange data with this one.

        An exception of a function leaves this call as it was raised. The plan is broken then, as on all processes that
        wait for this one.
        """
        if self._run is None:
            self._open()
            self.commit()
        assert self._run
        self._run()

    def stream(self, most: int = -1, *, frames: int = 1) -> None:
        """Run frames until the input ends, or ``most`` of them. Collective over the processes that exchange data.

        The first call commits, with ``frames`` in flight.
        """
        if not self._is_committed:
            self.commit(frames=frames, stream=True)
        self._open().stream(most)

    def set_input(self, name: str, data: Any) -> None:
        """Give an input its data, until other ones are given. Local.

        A packed array of the input's dtype in C order is not copied. Others are converted as numpy does, but no complex
        number becomes a real one, and no fraction an integer.
        """
        if name not in self._inputs:
            raise ArgumentError(f"there is no input {name!r}; there are {sorted(self._inputs)}")
        lies = self._inputs[name]
        if lies.dtype.kind in _KIND_ORDER:
            given = np.asarray(data)
            if given.size and _KIND_ORDER.get(given.dtype.kind, 0) > _KIND_ORDER[lies.dtype.kind]:
                raise DtypeError(f"the input {name!r} has the dtype {lies.dtype}, but the data have {given.dtype}")
        array = np.asarray(data, dtype=lies.dtype, order="C")
        if array.shape != lies.shape:
            raise ArgumentError(f"the input {name!r} has the shape {lies.shape}, but the data have {array.shape}")
        plan = self._open()
        if self._is_committed:
            plan.set_input(name, array)
        else:
            self._given[name] = array

    def output(self, name: str) -> Any:
        """An output of the last frame, as an array to read. Local. It is valid until the next frame; copy it to keep it."""
        address = self._open().output(name)
        found = self._views.get((name, address))
        if found is None:
            found = _dri.view(address, *self._outputs[name], self._plan)
            found.flags.writeable = False
            if len(self._views) >= _MOST_VIEWS * len(self._outputs):  # an output may be an input, which moves
                self._views.pop(next(iter(self._views)))
            self._views[name, address] = found
        return found

    @property
    def input_names(self) -> FrozenSet[str]:
        """The names of the inputs that the outputs need. Local."""
        return self._input_names

    @property
    def is_committed(self) -> bool:
        """Whether the plan can run. Local."""
        return self._is_committed

    @property
    def parts(self) -> List[GraphPart]:
        """The parts of this process. Local."""
        return [
            GraphPart(pid, needed, operations_of(recvs), operations_of(sends), *names)
            for pid, needed, recvs, sends, *names in self._open().parts()
        ]

    @property
    def batches(self) -> List[Tuple[Operation, ...]]:
        """The batches of operations of all processes: those of one batch need none of it. Local."""
        found: List[Tuple[Operation, ...]] = []
        while batch := self._open().batch(len(found)):
            found.append(operations_of(batch))
        return found

    def needs(self, src: int, dest: int, tag: Hashable) -> Tuple[Operation, ...]:
        """The operations that must be complete before this one can start. Local."""
        from .tags import text_of

        text = str(tag) if src == dest == -1 else text_of(tag)
        return operations_of(self._open().needs(src, dest, text))

    def part_of(self, node: Any) -> int:
        """The part in which a stored node of the graph is computed; -1: it is not stored. Local."""
        return self._open().part_of(node.node)

    def name_of(self, node: Any) -> str | None:
        """The name that a node of the graph has in the parts of this process; None if they do not name it. Local."""
        return self._open().name_of(node.node)

    def describe(self) -> str:
        """The plan in words. Equal graphs have equal texts. Local."""
        return self._open().describe()

    def times(self, pid: int | None = None) -> PartTimes | List[PartTimes]:
        """The times of a part of this process, or of all its parts. Local."""
        if pid is None:
            return [_times_of(self._open().times(one.pid)) for one in self.parts]
        return _times_of(self._open().times(pid))

    @deferred
    def draw(self, file: str | Path | None = None) -> str:
        """The picture of all processes as DOT text. Collective over the graph's group.

        The first process writes it to ``file``: as text if its name ends in ``.dot``, else as the picture that
        Graphviz's program ``dot`` makes of it, such as ``.svg`` or ``.png``.
        """
        self._dot = self._open().draw()
        agreed(self.group, lambda: self._write(file) if file is not None and self.group.position == 0 else None)
        return self._dot

    def close(self) -> None:
        """Destroy the plan with its memory and transfers. Local. Arrays of outputs become invalid."""
        plan, self._plan, self._run = self._plan, None, None
        self._views.clear()
        if plan is not None and env.is_running() and not env.is_child():
            env.dismiss(self)
            plan.destroy()

    def forget(self) -> None:
        """Note that the library has ended. Local."""
        self._plan = self._run = None
        self._views.clear()

    def abandon(self) -> None:
        """Destroy the plan after a failure. Local. Nothing is raised."""
        try:
            self.close()
        except Error:
            pass

    def __enter__(self) -> Plan:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close() if kind is None else self.abandon()

    def _repr_svg_(self) -> str | None:
        """The picture that was drawn last, in notebooks where Graphviz is there."""
        if not self._dot and len(self.group) == 1:
            self.draw()
        return _picture(self._dot, "svg").decode() if self._dot and shutil.which("dot") else None

    def __repr__(self) -> str:
        if self._plan is None:
            return "<Plan: closed>"
        state = "committed" if self._is_committed else "not committed"
        return f"<Plan of {len(self.group)} processes: {state}; {len(self.parts)} parts here>"

    def _write(self, file: str | Path) -> None:
        kind = Path(file).suffix[1:]
        Path(file).write_bytes(self._dot.encode() if kind in ("dot", "") else _picture(self._dot, kind))

    def _open(self) -> _dri.Plan:
        if self._plan is None:
            raise ClosedError("the plan is closed")
        return self._plan


def operations_of(found: Tuple[Any, ...]) -> Tuple[Operation, ...]:
    """Operations from what the extension gives. Local."""
    return tuple(
        Operation(src, dest, tag if src == dest == -1 else tag_of(tag), name) for src, dest, tag, name in found
    )


def _times_of(found: Tuple[Any, ...]) -> PartTimes:
    frames, calls, waits, copies, call, wait, copy, longest, seconds = found
    operation = None if longest is None else operations_of((longest,))[0]
    return PartTimes(frames, Spread(*calls), Spread(*waits), Spread(*copies), call, wait, copy, operation, seconds)


def _picture(dot: str, kind: str) -> bytes:
    if shutil.which("dot") is None:
        raise UnsupportedError("pictures need Graphviz's program dot; a file that ends in .dot needs nothing")
    made = subprocess.run(["dot", f"-T{kind}"], input=dot.encode(), capture_output=True)
    if made.returncode:
        raise ArgumentError(f"dot: {made.stderr.decode().strip()}")
    return made.stdout
