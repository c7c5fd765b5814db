"""Expression graphs as graphs of nodes and calls."""

from __future__ import annotations

from typing import Dict, Iterator, List, Mapping, Set, Tuple, Union

from ..errors import ArgumentError
from ..group import Group
from .builder import Graph, GraphNode, SendNode
from .nodes import (
    Called,
    Computed,
    DataWrapper,
    DictOfNamedArrays,
    DistributedRecv,
    DistributedSend,
    DistributedSendRefHolder,
    ImplStored,
    Node,
    Output,
    Placeholder,
)
from .tags import text_of

Made = Union[GraphNode, SendNode]


class Lowered:
    """The graph of what the outputs reach. Each node becomes one node, however many read it. Local.

    ``links`` are nodes for which placeholders with their names stand.
    """

    def __init__(self, group: Group, outputs: DictOfNamedArrays, links: Mapping[str, Node] | None = None) -> None:
        self.graph = Graph(group)
        self.outputs: Dict[str, Output] = dict(outputs.items())
        self.recvs: Dict[Tuple[int, str], DistributedRecv] = {}
        """By the rank of the world and the tag's text."""
        self.sends: Dict[Tuple[int, str], DistributedSend] = {}
        self._links = links or {}
        self._inputs: Dict[str, Tuple[Placeholder, GraphNode]] = {}
        self._made: Dict[Output, Made] = {}
        for name, one in self.outputs.items():
            self.graph.output(name, self._reach(one))

    @property
    def inputs(self) -> Set[str]:
        """The names of the inputs that the outputs reach. Local."""
        return set(self._inputs)

    def made(self) -> Iterator[Tuple[Node, GraphNode]]:
        """The arrays that the outputs reach, each with its node of the graph. Local."""
        for node, made in self._made.items():
            if isinstance(node, Node) and not isinstance(node, DistributedSendRefHolder):
                assert isinstance(made, GraphNode)
                yield node, made

    def find(self, node: Output) -> Made | None:
        """The node of the graph that stands for this one, if an output reaches it. Local."""
        return self._made.get(node)

    def _reach(self, output: Output) -> Made:
        """Make everything that an output is made of, without recursion: chains may be long."""
        waiting: List[Tuple[Output, bool]] = [(output, False)]
        open_nodes = set()
        while waiting:
            node, needs_are_made = waiting.pop()
            if node in self._made:
                continue
            if needs_are_made:
                self._made[node] = self._make(node)
                open_nodes.discard(node)
                continue
            if node in open_nodes:
                raise ArgumentError(f"the node {node!r} is made of itself")
            open_nodes.add(node)
            waiting.append((node, True))
            waiting.extend((need, False) for need in reversed(self._needs(node)) if need not in self._made)
        return self._made[output]

    def _needs(self, node: Output) -> Tuple[Output, ...]:
        link = self._link(node)
        return node.needs() if link is None else (link,)

    def _link(self, node: Output) -> Node | None:
        """The node for which this one stands."""
        found = self._links.get(node.name) if isinstance(node, Placeholder) else None
        return None if found is node else found

    def _make(self, node: Output) -> Made:
        if isinstance(node, DistributedSend):
            return self._send(node)
        link = self._link(node)
        if link is not None:
            if (link.shape, link.dtype) != (node.shape, node.dtype):
                raise ArgumentError(f"{node!r} stands for {link!r}")
            return self._made[link]
        made = self._array(node)
        if ImplStored() in node.tags:
            self.graph.store(made)
        return made

    def _array(self, node: Node) -> GraphNode:
        if isinstance(node, Placeholder):
            return self._input(node)
        if isinstance(node, DataWrapper):
            return self.graph.data(node.data)
        if isinstance(node, DistributedRecv):
            src = self._rank(node.src_rank)
            self.recvs[src, text_of(node.comm_tag)] = node
            return self.graph.recv(src, node.comm_tag, node.shape, node.dtype)
        if isinstance(node, DistributedSendRefHolder):
            send = self._made[node.send]
            assert isinstance(send, SendNode)
            return self.graph.staple(send, self._value_of(node.passthrough_data))
        if isinstance(node, Computed):
            return self._computed(node)
        if isinstance(node, Called):
            out = self.graph.value(node.shape, node.dtype)
            name = getattr(node.function, "__name__", type(node.function).__name__)
            arguments = [*range(len(node.inputs)), -1]
            inputs = [self._value_of(one) for one in node.inputs]
            self.graph.add_call(name, node.function, arguments, ("out",), [out], inputs)
            return out
        raise TypeError(f"{node!r} is none of the nodes of dri.graph")

    def _input(self, node: Placeholder) -> GraphNode:
        if node.name in self._inputs:
            first, made = self._inputs[node.name]
            if (first.shape, first.dtype) != (node.shape, node.dtype):
                raise ArgumentError(f"the input {node.name!r} is {first!r} and {node!r}")
            return made
        made = self.graph.input(node.name, node.shape, node.dtype)
        self._inputs[node.name] = node, made
        return made

    def _computed(self, node: Computed) -> GraphNode:
        out = self.graph.value(node.shape, node.dtype)
        inputs: List[GraphNode] = []
        arguments: List[object] = []
        for one in node.inputs:
            if isinstance(one, Node):
                arguments.append(len(inputs))
                inputs.append(self._value_of(one))
            else:
                arguments.append((one,))
        # Arrays without dimensions would follow numpy's rules for scalars, which depend on their values.
        scalars = node.ufunc.signature is not None
        self.graph.add_call(node.ufunc.__name__, node.ufunc, [*arguments, -1], ("out",), [out], inputs, scalars)
        return out

    def _send(self, node: DistributedSend) -> SendNode:
        dest = self._rank(node.dest_rank)
        self.sends[dest, text_of(node.comm_tag)] = node
        return self.graph.send(self._value_of(node.data), dest, node.comm_tag)

    def _value_of(self, node: Node) -> GraphNode:
        made = self._made[node]
        assert isinstance(made, GraphNode)
        return made

    def _rank(self, rank: int) -> int:
        group = self.graph.group
        if not 0 <= rank < len(group):
            raise ArgumentError(f"rank {rank} is not in the group of {len(group)} processes")
        return group.ranks[rank]
