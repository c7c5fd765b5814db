"""Graphs by nodes and calls: what this process computes from what, and what it exchanges."""

from __future__ import annotations

from typing import Any, Callable, Dict, Hashable, Iterable, List, Sequence, Tuple, TypeVar, Union

import numpy as np

from .. import _dri, env
from ..distribution import Distribution
from ..elements import dtype_of, element_of
from ..ends import EndSpec, Sink, Source
from ..errors import ArgumentError, Error, UnsupportedError
from ..group import Group, Processes
from .call import Call
from .errors import raise_faults
from .nodes import shape_of
from .plan import Lies, Plan
from .tags import text_of

Function = TypeVar("Function", bound=Callable[..., Any])
_LONGEST_NAME = 127


class GraphNode:
    """An array of this process in a graph. A Graph makes it. One without a value here is false.

    The first call that has a value or a source as an output writes it; calls behind it may read it.
    """

    def __init__(self, node: _dri.Node | None, lies: Lies) -> None:
        self.node = node
        self.lies = lies

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of the arrays that functions get. Local."""
        return self.lies.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype. Local."""
        return self.lies.dtype

    def __bool__(self) -> bool:
        return self.node is not None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.dtype} {self.shape}{'' if self else ', not here'}>"


class Port(GraphNode):
    """The source or a sink of a transfer on this process. It is false outside its distribution's group."""

    def __init__(self, node: _dri.Node | None, lies: Lies, dist: Distribution) -> None:
        super().__init__(node, lies)
        self.dist = dist

    @property
    def slices(self) -> Tuple[slice, ...]:
        """The process's part of the whole array; empty where the port is false. Local."""
        return self.dist.part().slices if self else (slice(0, 0),) * self.dist.ndim


class SendNode:
    """A send, which lives if it is stapled to a node, or is an output."""

    def __init__(self, node: _dri.Node, lies: Lies) -> None:
        self.node = node
        self.lies = lies


Nodes = Union[GraphNode, Sequence[GraphNode], None]


class Graph:
    """What one process computes and exchanges in a frame. Local.

    Every process of the group makes one and says what is its own. Nodes and calls exist where their distributions do,
    so one text serves all processes.

    Parameters
    ----------
    comm
        An mpi4py intracommunicator, a Group, ranks of the world, or None, the world.

    Examples
    --------
    >>> g = Graph()
    >>> lines, pulses = g.transfer("turn", by_line, dri.Sink(by_pulse, layout="F"))
    >>> @g.call(lines)
    ... def fill(call, out):
    ...     out[...] = call.frame
    >>> @g.call(None, pulses)
    ... def show(call, x):
    ...     print(x.sum())
    >>> plan = g.partition()
    >>> plan.run()
    """

    def __init__(self, comm: Processes | None = None) -> None:
        self.group: Group = env.group_of(comm)
        self._graph = _dri.Graph(self.group.handle())
        self._inputs: Dict[str, Lies] = {}
        self._outputs: Dict[str, Lies] = {}

    def transfer(
        self, name: str, source: Distribution | Source, *sinks: Distribution | Sink
    ) -> Tuple[Port, ...]:
        """The ports of a whole reorganisation: its source, which one call writes, and its sinks. Local."""
        if not sinks:
            raise ArgumentError(f"the transfer {name!r} has no sink")
        ends: List[EndSpec] = [source if isinstance(source, Source) else Source(_dist(source))]
        ends += [one if isinstance(one, Sink) else Sink(_dist(one)) for one in sinks]
        return tuple(self._port(name, end) for end in ends)

    def input(self, name: str, shape: Any, dtype: Any) -> GraphNode:
        """An array that ``plan.set_input`` gives. Local."""
        lies = Lies.packed(shape_of(shape), dtype_of(dtype))
        node = self._graph.input(name, lies.shape, element_of(lies.dtype))
        self._inputs[name] = lies
        return GraphNode(node, lies)

    def data(self, array: Any) -> GraphNode:
        """A constant. Local. A packed array in C order is read where it lies, others are copied once."""
        given = np.asarray(array, order="C")
        lies = Lies.packed(given.shape, dtype_of(given.dtype))
        return GraphNode(self._graph.data(given, lies.shape, element_of(lies.dtype)), lies)

    def value(self, shape: Any, dtype: Any) -> GraphNode:
        """An array that one call writes. Local."""
        lies = Lies.packed(shape_of(shape), dtype_of(dtype))
        return GraphNode(self._graph.value(lies.shape, element_of(lies.dtype)), lies)

    def recv(self, src: int, tag: Hashable, shape: Any, dtype: Any) -> GraphNode:
        """What the process ``src`` of the world sends under a tag. Local."""
        lies = Lies.packed(shape_of(shape), dtype_of(dtype))
        return GraphNode(self._graph.recv(src, text_of(tag), lies.shape, element_of(lies.dtype)), lies)

    def send(self, node: GraphNode, dest: int, tag: Hashable) -> SendNode:
        """A send to the process ``dest`` of the world. Local."""
        return SendNode(self._graph.send(_here(node), dest, text_of(tag)), node.lies)

    def staple(self, send: SendNode, to: GraphNode) -> GraphNode:
        """A node with the value of ``to``, which keeps the send. Local."""
        return GraphNode(self._graph.staple(send.node, _here(to)), to.lies)

    def store(self, node: GraphNode) -> None:
        """Keep the node's value, so that later parts read it. Local."""
        self._graph.store(_here(node))

    def output(self, name: str, node: GraphNode | SendNode) -> None:
        """Name an output, see ``plan.output``. Local. A send as an output is kept without a staple."""
        self._graph.output(name, _here(node))
        self._outputs[name] = node.lies

    def call(
        self, outputs: Nodes, *inputs: GraphNode, each: Iterable[Any] | None = None, name: str | None = None
    ) -> Callable[[Function], Function]:
        """Decorate a function of the graph: ``f(call, *outputs, *inputs)``, once a frame. Local.

        It fills the arrays of the outputs and reads those of the inputs, which it may not keep: they are the plan's.
        ``call`` is a Call: the frame's number, its time, and bytes that travel with it; ``call.end()`` ends the stream.
        The call exists where all its nodes do.

        each
            Of a call without inputs: ``f(call, *outputs, item)`` gets the next item for each frame, and the stream ends
            behind the last one. It is not asked for items where the call does not exist.
        name
            In messages and pictures; None is the function's own name. A lambda has none:
            ``g.call(None, pulses, name="show")(lambda call, x: print(x.sum()))``.
        """
        if each is not None and inputs:
            raise ArgumentError("a call with inputs has no items of its own for each frame")
        written = [] if outputs is None else [outputs] if isinstance(outputs, GraphNode) else list(outputs)

        def add(function: Function) -> Function:
            if not written and not inputs:
                raise ArgumentError("a call has at least one node")
            if all(written) and all(inputs):
                args = [None, *(-1 - i for i in range(len(written))), *range(len(inputs))]
                called: Callable[..., Any] = function
                if each is not None:
                    called = _with_items(function, each)
                self.add_call(name or _name_of(function), called, args, (), written, inputs)
            return function

        return add

    def feed(
        self, output: GraphNode, frames: Iterable[Any], function: Callable[[Any], Any] | None = None,
        *, name: str | None = None,
    ) -> None:  # fmt: skip
        """Make a frame of each of these, and end the stream behind the last one. Local.

        It is a call without inputs, and asks for no frame where it does not exist.

        Parameters
        ----------
        output
            A source, or a value.
        frames
            Arrays, or pairs of a str or bytes, which travel with the frame, and an array: for example a generator.
        function
            What it returns for an array is the frame, instead of the array.
        name
            In messages and pictures; None is the function's own name, or ``feed``.

        Examples
        --------
        >>> g.feed(lines, ((f"dwell {i}", np.full(lines.shape, i)) for i in range(4)), np.negative)
        """

        def feed(call: Call, out: Any, frame: Any) -> None:
            if isinstance(frame, tuple) and len(frame) == 2 and isinstance(frame[0], (str, bytes)):
                data, frame = frame
                if isinstance(data, str):
                    call.text = data
                else:
                    call.data = data
            out[...] = frame if function is None else function(frame)

        self.call(output, each=frames, name=name or _name_of(function or feed))(feed)

    def add_call(
        self, name: str, function: Callable[..., Any], arguments: Sequence[Any], keywords: Tuple[str, ...],
        outputs: Sequence[GraphNode], inputs: Sequence[GraphNode], scalars: bool = True,
    ) -> None:  # fmt: skip
        """Add a call whose arguments are inputs (0, 1, ..), outputs (-1, -2, ..) or (constant,). Local.

        Without scalars, arrays of no dimension are given to the function as arrays of one element.
        """

        def operand(one: GraphNode) -> Tuple[_dri.Node, Tuple[Any, ...]]:
            lies = one.lies if scalars or one.lies.shape else Lies.packed((1,), one.lies.dtype)
            return _here(one), tuple(lies)

        self._graph.call(
            name.encode()[:_LONGEST_NAME].decode(errors="ignore") or "call", function, list(arguments), keywords, [operand(one) for one in outputs],
            [operand(one) for one in inputs],
        )  # fmt: skip

    def partition(self) -> Plan:
        """Match, check and partition the graphs of all processes. Collective over the graph's group.

        Raises
        ------
        dri.graph.errors.GraphError
            Something is wrong on some process: the same exception on all, with ``faults``.
        """
        try:
            plan = self._graph.partition()
        except Error as error:
            raise_faults(error)
        return Plan(plan, self.group, dict(self._inputs), dict(self._outputs))

    def stream(self, *, frames: int = 1, timeout: float | None = None) -> None:
        """Partition the graph, run all frames until the stream ends, and close the plan. Collective over the group.

        For programs that run their graph once. ``frames`` and ``timeout`` are those of ``Plan.commit``.
        """
        with self.partition() as plan:
            plan.commit(frames=frames, stream=True, timeout=timeout)
            plan.stream()

    def _port(self, name: str, end: EndSpec) -> Port:
        dist = end.dist
        if not dist.here:
            return Port(None, Lies.packed((0,) * dist.ndim, dist.dtype), dist)
        if end.layout.split or end.strips is not None or any(one is not None for one in end.buffers):
            raise UnsupportedError(f"an end of {name!r} has a split layout, strips or buffers of the user")
        if len(end.buffers) != 1:
            raise UnsupportedError(f"an end of {name!r} has a number of buffers, which plan.commit(frames=) decides")
        layout = end.layout.encoded(dist.ndim)
        node = self._graph.port(name, isinstance(end, Source), dist.handle(), layout)
        for attribute, value in end.settings.items():
            self._graph.set_attribute(node, attribute, value)
        if getattr(end, "scale", 1.0) != 1.0:
            self._graph.set_scale(node, getattr(end, "scale"))
        steps = _dri.layout_strides(layout, dist.handle(), _dri.world_rank())
        strides = tuple(step * dist.dtype.itemsize for step in steps)
        return Port(node, Lies(dist.dtype, dist.local_shape, strides), dist)


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _with_items(function: Callable[..., Any], each: Iterable[Any]) -> Callable[..., Any]:
    items = iter(each)

    def with_item(call: Call, *outputs: Any) -> None:
        for item in items:
            function(call, *outputs, item)
            return
        call.end()

    return with_item


def _dist(given: Any) -> Distribution:
    if not isinstance(given, Distribution):
        raise TypeError(f"an end of a transfer is a Source, a Sink or a Distribution, not {type(given).__name__}")
    return given


def _here(node: GraphNode | SendNode) -> _dri.Node:
    if not isinstance(node, (GraphNode, SendNode)):
        raise TypeError(f"a node of a graph is needed, not {type(node).__name__}")
    if node.node is None:
        raise ArgumentError("the node is not on this process")
    return node.node
