"""Transfers: named reorganisations from one distribution to one or more others."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Dict, Iterable, List, NoReturn, Sequence, Tuple, Union

from . import _dri, env
from ._live import LiveEnds
from ._signals import Deferred
from ._text import percent_text, size_text
from .agreement import agreed
from .distribution import Distribution
from .elements import refuse_other_record
from .endpoint import Endpoint, Guard, destroy, not_committed
from .ends import Buffers, EndSpec, Sink, Source, buffer_list
from .errors import ArgumentError, ClosedError, Error, StateError
from .group import Group, Processes
from .info import Memory
from .sink import SinkEnd
from .source import SourceEnd
from .user_buffers import UserBuffers, check_buffers

_IN_PLACE = {False: 0, True: 1, "compact": 2}


class Transfer:
    """A named reorganisation: what leaves at a source arrives at the sinks, frame after frame. Local until its commit.

    It is a context manager: ``with transfer:`` is ``with dri.commit(transfer):``.

    Parameters
    ----------
    name
        1 to 127 bytes, the same on all processes.
    source, *sinks
        Ends. A Distribution stands for ``Source(dist)`` or ``Sink(dist)``. A program that knows one side leaves the
        other out, and gives a scope to the commit.
    in_place
        Source and sink share their buffers. ``"compact"`` takes less memory and more time.
    buffers
        The shared buffers: a number, or arrays of the shape of the source's part.

    Raises
    ------
    ArgumentError
        The name is empty or too long, or ``in_place`` does not fit the ends.

    Examples
    --------
    >>> with dri.Transfer("turn", rows, dri.Sink(columns, layout="F")) as turn:
    ...     turn.source.array[...] = 1
    ...     x = turn.do()
    """

    def __init__(
        self, name: str, source: Source | Distribution | None = None, *sinks: Sink | Distribution,
        in_place: bool | str = False, buffers: Buffers | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(name, str) or not 1 <= len(name.encode()) <= 127 or "\0" in name:
            raise ArgumentError(f"the name of a transfer has 1 to 127 bytes, and {name!r} has not")
        self._source_spec = Source(source) if isinstance(source, Distribution) else source
        self._sink_specs = tuple(Sink(one) if isinstance(one, Distribution) else one for one in sinks)
        _check_roles(self._source_spec, self._sink_specs)
        if in_place not in _IN_PLACE:
            raise ArgumentError(f"in_place is True, False or 'compact', not {in_place!r}")
        self._in_place = _IN_PLACE[in_place]
        self._shared: List[Any] = self._shared_buffers(buffers)
        self._name = name
        self._live: LiveEnds | None = None
        self._guard = Guard(name)
        spec = self._source_spec
        self._source = SourceEnd(name, spec, self._guard) if spec is not None and spec.dist.here else None
        self._sinks = tuple(
            SinkEnd(name, one, self._guard) if one.dist.here else None for one in self._sink_specs
        )

    @property
    def name(self) -> str:
        """The name. Local."""
        return self._name

    @property
    def source(self) -> SourceEnd:
        """The source's end on this process. Outside its group it is None, which the annotation leaves out. Local."""
        return self._source  # type: ignore[return-value]

    @property
    def sinks(self) -> tuple[SinkEnd | None, ...]:
        """The sinks' ends on this process, None for each that is elsewhere. Local."""
        return self._sinks

    @property
    def sink(self) -> SinkEnd:
        """The first sink's end that is on this process. Elsewhere it is None, as for ``source``. Local."""
        here = [one for one in self._sinks if one is not None]
        return here[0] if here else None  # type: ignore[return-value]

    @property
    def group(self) -> Group:
        """The processes of all ends. Local."""
        specs = [*([self._source_spec] if self._source_spec else []), *self._sink_specs]
        return Group(sorted({rank for spec in specs for rank in spec.dist.group}))

    def do(self) -> Any:
        """Execute one frame of all ends here. Collective over the ends involved.

        Returns
        -------
        The array of the sink here, a tuple for several sinks, None without a sink.

        Raises
        ------
        TimeoutError
            ``timeout`` of an end has passed. The same call may be repeated.
        EndOfStream, StateError, DeadlockError, PeerError
            As DRI_do in C.
        """
        return self._open_calls().run()

    def start(self) -> None:
        """Begin a frame: the first half of ``do``. Local."""
        self._open_calls().start()

    def test(self) -> bool:
        """Complete a frame that was started if no wait is needed, and return whether it is done. Local."""
        return self._open_calls().test()

    def wait(self) -> Any:
        """Complete a frame that was started: the second half of ``do``. Collective over the ends involved."""
        return self._open_calls().wait()

    def close(self) -> None:
        """End the stream, then destroy sinks and source. Local. Waits at most for DRI_SETUP_TIMEOUT.

        Views of the buffers stay valid, with the last contents. Closing twice does nothing.

        Raises
        ------
        TimeoutError
            A process has not taken a frame of the source; the call may be repeated.
        """
        _leave([self], None)

    def destroy(self) -> None:
        """Destroy sinks and source without an end of the stream. Local. Peers that want a frame get an error."""
        if self._live is not None:
            self._live.destroy()

    def declare(self) -> list[tuple[Endpoint, _dri.End]]:
        """Declare the ends of this process. Local."""
        if self._live is not None:
            self._open_calls()
            raise StateError(f"the transfer {self._name!r} is committed already")
        shared = self._check_shared()
        for sink in self._sinks:
            if self._source is not None and sink is not None:
                refuse_other_record(self._source.dist.dtype, sink.dist.dtype)
        made: list[tuple[Endpoint, _dri.End]] = []
        try:
            for endpoint in (self._source, *self._sinks):
                if endpoint is not None:
                    made.append((endpoint, endpoint.declare(self._in_place, shared.get(type(endpoint)))))
        except BaseException:
            withdraw(end for _, end in made)
            raise
        return made

    def attach(self, pairs: Sequence[tuple[Endpoint, _dri.End]]) -> None:
        """The commit has succeeded. Local."""
        live = self._live = self._guard.live = LiveEnds(pairs)
        env.remember(live)
        for endpoint, end in pairs:
            endpoint.attach(end, self._shared or endpoint._spec.buffers)
        live.calls = _dri.Calls(self._name, [end for _, end in pairs], self._in_place > 0)

    def _shared_buffers(self, buffers: Buffers | None) -> list[Any]:
        if not self._in_place:
            if buffers is not None:
                raise ArgumentError("buffers of a transfer are for in_place=True; otherwise the ends have theirs")
            return []
        specs = [self._source_spec, *self._sink_specs]
        if len(specs) != 2 or specs[0] is None:
            raise ArgumentError(f"in place there are a source and one sink, not {len(self._sink_specs)} sinks")
        if buffers is None:
            given = [spec.buffers for spec in specs if spec is not None]
            if len(given[0]) != len(given[1]) or any(one is not None for one in given[1]):
                raise ArgumentError("in place both ends have the same buffers; give them as buffers of the transfer")
            return given[0]
        return buffer_list(buffers)

    def _check_shared(self) -> Dict[type, UserBuffers]:
        """How the two ends that share buffers are declared; nothing for other transfers."""
        if not self._in_place or self._source is None or self._source_spec is None:
            return {}
        source, sink = self._source_spec, self._sink_specs[0]
        found = check_buffers(source.dist, source.layout, self._shared, True)
        empty = [0] * len(self._shared)
        is_user = any(found.addresses) and sink.dist.here and sink.dist.local_shape == source.dist.local_shape
        return {SourceEnd: found, SinkEnd: UserBuffers(found.layout if is_user else sink.layout, empty, 0)}

    def _open_calls(self) -> _dri.Calls:
        if self._live is None:
            raise not_committed(self._name)
        if self._live.calls is None:
            raise ClosedError(f"the transfer {self._name!r} is closed")
        return self._live.calls

    def __enter__(self) -> Transfer:
        commit(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _leave([self], error)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Transfer cannot be pickled or copied; send dist.spec and make a transfer of it")

    def _repr_html_(self) -> str:
        from ._html import html

        ends = [("source", self._source), *((f"sink {i}", one) for i, one in enumerate(self._sinks))]
        rows = [(role, _end_text(end) if self._is_open and env.can_ask() else repr(end.dist)) for role, end in ends if end is not None]
        specs = [self._source_spec, *self._sink_specs]
        return html(repr(self), rows, next((one.dist for one in specs if one is not None), None))

    @property
    def _is_open(self) -> bool:
        return self._live is not None and self._live.calls is not None

    def __repr__(self) -> str:
        if self._live is None:
            return f"<Transfer {self._name!r}: not committed>"
        if self._live.calls is None:
            return f"<Transfer {self._name!r}: closed>"
        if not env.can_ask():
            return f"<Transfer {self._name!r}: of the parent process>"
        ends = "; ".join(_end_text(one) for one in (self._source, *self._sinks) if one is not None)
        frames = max((one.info.frames for one in (self._source, *self._sinks) if one is not None), default=0)
        return f"<Transfer {self._name!r}: committed, frame {frames}{'; ' if ends else ''}{ends}>"


class Commitment:
    """Transfers that are committed: a context manager that closes them."""

    def __init__(self, transfers: Tuple[Transfer, ...]) -> None:
        self.transfers = transfers

    def __enter__(self) -> Tuple[Transfer, ...]:
        return self.transfers

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _leave(self.transfers, error)


def commit(*transfers: Transfer, scope: Processes | None = None) -> Commitment:
    """Match the ends of these transfers on all processes, plan and reserve. Collective over scope.

    Processes outside the scope do nothing. After an error the transfers are as before and may be committed again.

    Parameters
    ----------
    scope
        A communicator or group with all processes of the transfers. By default the processes of their ends.

    Returns
    -------
    A context manager that closes the transfers.

    Raises
    ------
    ArgumentError, DtypeError, MismatchError, UnmatchedError, GapError, OverlapError, UnsupportedError, LimitError
        On all processes of the scope.
    TimeoutError
        A process has not called within DRI_SETUP_TIMEOUT.

    Examples
    --------
    >>> with dri.commit(turn, halo):
    ...     turn.do()
    """
    group = _scope(transfers, scope)
    if _dri.world_rank() in group:
        with Deferred() as ctrl_c:
            declared = agreed(group, lambda: _declare(transfers), _undeclare)
            ends = [end for pairs in declared for _, end in pairs]
            try:
                _dri.commit(group.handle(), ends)
            except BaseException:
                withdraw(ends)
                raise
            for transfer, pairs in zip(transfers, declared):
                transfer.attach(pairs)
        try:
            ctrl_c.raise_noted()
        except BaseException as error:  # the others have ends of the commit, and would wait for those of this process
            _leave(transfers, error)
            raise
    return Commitment(transfers)


def query(*transfers: Transfer, scope: Processes | None = None) -> dict[tuple[str, str, int], Memory]:
    """The memory that ends of this process will use, before a commit reserves it. Collective over scope.

    Returns
    -------
    Memory by (name, ``"source"`` or ``"sink"``, place among the sinks).
    """
    group = _scope(transfers, scope)
    if _dri.world_rank() not in group:
        return {}
    with Deferred() as ctrl_c:
        declared = agreed(group, lambda: _declare(transfers), _undeclare)
        ends = [end for pairs in declared for _, end in pairs]
        try:
            found = iter(_dri.query(group.handle(), ends))
        finally:
            withdraw(ends)
    ctrl_c.raise_noted()
    made: dict[tuple[str, str, int], Memory] = {}
    for transfer, pairs in zip(transfers, declared):
        for endpoint, _ in pairs:
            role = ("source", 0) if endpoint is transfer.source else ("sink", transfer.sinks.index(endpoint))
            made[(transfer.name, *role)] = Memory(*next(found))
    return made


def withdraw(ends: Iterable[_dri.End]) -> None:
    """Take back ends that nobody uses. Local."""
    for end in ends:
        destroy(end, waits=False)


def _declare(transfers: Iterable[Transfer]) -> list[list[tuple[Endpoint, _dri.End]]]:
    made: list[list[tuple[Endpoint, _dri.End]]] = []
    try:
        for transfer in transfers:
            made.append(transfer.declare())
    except BaseException:
        _undeclare(made)
        raise
    return made


def _undeclare(declared: Iterable[Sequence[tuple[Endpoint, _dri.End]]]) -> None:
    withdraw(end for pairs in declared for _, end in pairs)


def _scope(transfers: Sequence[Transfer], scope: Processes | None) -> Group:
    if scope is not None:
        return scope if isinstance(scope, Group) else Group(scope)
    ranks = {rank for transfer in transfers for rank in transfer.group}
    if not ranks:
        raise ArgumentError("without transfers a commit needs a scope")
    return Group(sorted(ranks))


def _leave(transfers: Sequence[Transfer], error: BaseException | None) -> None:
    """Close in order. After an exception peers see no false end of the stream, and are not waited for."""
    if error is not None and not isinstance(error, GeneratorExit):  # a generator that is closed ends well
        for transfer in transfers:
            if transfer._live is not None:
                transfer._live.abandon()
        return
    faults: list[Error] = []
    for step in (_end_stream, Transfer.destroy):
        for transfer in transfers:
            try:
                step(transfer)
            except Error as fault:
                faults.append(fault)
    if faults and error is None:
        raise faults[0]


def _end_stream(transfer: Transfer) -> None:
    if transfer._live is not None:
        transfer._live.end_streams()


def _check_roles(source: EndSpec | None, sinks: Sequence[EndSpec]) -> None:
    if source is not None and not isinstance(source, Source):
        raise TypeError(f"the source of a transfer is a Source or a Distribution, not {type(source).__name__}")
    for i, one in enumerate(sinks):
        if not isinstance(one, Sink):
            raise TypeError(f"sink {i} of a transfer is a Sink or a Distribution, not {type(one).__name__}")


def _end_text(end: Union[SourceEnd, SinkEnd]) -> str:
    """Such as ``source 32 MiB here: self 25 %, direct 75 %``."""
    peers, role = end.peers(), "source" if isinstance(end, SourceEnd) else "sink"
    total = int(peers["bytes"].sum())
    ways = {1: "self", 4: "direct", 2: "message"}
    shares = [(name, int(peers["bytes"][peers["way"] == way].sum())) for way, name in ways.items()]
    text = ", ".join(f"{name} {percent_text(part, total)}" for name, part in shares if part)
    return f"{role} {size_text(end.info.buffer_bytes)} here: {text or 'nothing moves'}"
