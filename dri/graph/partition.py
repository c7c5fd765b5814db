"""Partitions of expression graphs: find one, verify one, number its tags. All are collective."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, FrozenSet, Hashable, List, Mapping, Sequence, Tuple

from .. import _dri, env
from .._signals import deferred
from ..agreement import agreed
from ..elements import element_of
from ..errors import ArgumentError, Error
from ..group import Group
from .errors import raise_faults
from .lower import Lowered
from .nodes import (
    DictOfNamedArrays,
    DistributedRecv,
    DistributedSend,
    Node,
    Output,
    Placeholder,
    make_dict_of_named_arrays,
    note_original,
    original_of,
)
from .plan import GraphPart, Plan
from .tags import text_of


@dataclass(frozen=True)
class DistributedGraphPart:
    """What a process computes between two batches of sends and receives.

    ``pid`` names the part; ``needed_pids`` are the parts that must run before. ``user_input_names`` are inputs of the
    graph, ``partition_input_names`` what it receives or reads of other parts, and ``output_names`` what it sends, what
    other parts read, and outputs of the graph. Names that begin with ``_dri_`` are the library's.
    """

    pid: Hashable
    needed_pids: FrozenSet[Hashable]
    user_input_names: FrozenSet[str]
    partition_input_names: FrozenSet[str]
    output_names: FrozenSet[str]
    name_to_recv_node: Mapping[str, DistributedRecv]
    name_to_send_nodes: Mapping[str, Sequence[DistributedSend]]

    def all_input_names(self) -> FrozenSet[str]:
        """The names of all inputs, of the user and of the partition. Local."""
        return self.user_input_names | self.partition_input_names


@dataclass(frozen=True)
class DistributedGraphPartition:
    """The parts of this process, the nodes that their outputs are, and the names of the graph's outputs.

    ``find_distributed_partition`` makes one. In one that is made by hand, a Placeholder in the nodes of
    ``name_to_output`` with the name of a part's input or output stands for that. It can be verified, and its first
    execution does so. One that ``dataclasses.replace`` makes of another one is made by hand.
    """

    parts: Mapping[Hashable, DistributedGraphPart]
    name_to_output: Mapping[str, Output]
    overall_output_names: Sequence[str]
    plan: Plan | None = field(default=None, init=False, repr=False, compare=False)
    """What runs it: batches and times. None if it is made by hand and not executed yet."""
    # What the library has found; None if it is made by hand.
    _lowered: Lowered | None = field(default=None, init=False, repr=False, compare=False)

    def part_of(self, node: Output) -> Hashable:
        """The part in which a node is stored; None if it is not stored or does not exist. Local.

        Of a partition that is made by hand, it is the part that gives, receives or sends the node.
        """
        if self.plan is None or self._lowered is None:
            return self._given_part_of(node)
        made = self._lowered.find(node)
        pid = -1 if made is None else self.plan.part_of(made)
        return None if pid < 0 else pid

    def _given_part_of(self, node: Output) -> Hashable:
        named = {name for name, one in self.name_to_output.items() if one is node}
        for pid, part in self.parts.items():
            recvs = part.name_to_recv_node.values()
            sends = [one for several in part.name_to_send_nodes.values() for one in several]
            if any(node in (one, original_of(one)) for one in recvs):
                return pid
            if any(node in (one, original_of(one)) for one in sends):
                return pid
        for pid, part in self.parts.items():
            is_handed_on = isinstance(node, Placeholder) and node.name in part.user_input_names
            if not named.isdisjoint(part.output_names) and not is_handed_on:
                return pid
        return None


@deferred
def find_distributed_partition(mpi_communicator: Any, outputs: Any) -> DistributedGraphPartition:
    """Match, check and partition the graphs of all processes. Collective over the communicator.

    Parameters
    ----------
    mpi_communicator
        An mpi4py intracommunicator, whose ranks sends and receives name; or a dri.Group, or None, the world.
    outputs
        What ``make_dict_of_named_arrays`` has made, or a dict. Nodes that no output reaches do not exist.

    Raises
    ------
    dri.graph.errors.GraphError
        Something is wrong on some process: the same exception on all, with all ``faults``.

    Examples
    --------
    >>> partition = find_distributed_partition(MPI.COMM_WORLD, make_dict_of_named_arrays({"out": y}))
    """
    group = env.group_of(mpi_communicator)
    return partitioned(group, lambda: Lowered(group, _named(outputs)))


@deferred
def partitioned(group: Group, lower: Callable[[], Lowered]) -> DistributedGraphPartition:
    """The partition of graphs that each process makes. Collective over the group."""
    lowered = agreed(group, lower)
    plan = lowered.graph.partition()
    parts: Dict[Hashable, DistributedGraphPart] = {}
    name_to_output: Dict[str, Output] = {}
    for part in plan.parts:
        parts[part.pid] = _part_of(part, lowered, name_to_output)
    _add_promoted(plan, lowered, name_to_output)
    name_to_output.update(lowered.outputs)
    return _running(DistributedGraphPartition(parts, name_to_output, tuple(lowered.outputs)), plan, lowered)


@deferred
def verify_distributed_partition(mpi_communicator: Any, partition: DistributedGraphPartition) -> None:
    """Check parts that somebody has made, of all processes together. Collective over the communicator.

    An order of all parts exists, each operation is sent once and received once, and all inputs are given.

    Raises
    ------
    dri.graph.errors.GraphError
        As find_distributed_partition does.
    """
    group = env.group_of(mpi_communicator)
    parts = agreed(group, lambda: _dri.Parts(_describe(group, partition)))
    try:
        _dri.graph_verify(group.handle(), parts)
    except Error as error:
        raise_faults(error)


@deferred
def number_distributed_tags(
    mpi_communicator: Any, partition: DistributedGraphPartition, base_tag: int
) -> Tuple[DistributedGraphPartition, int]:
    """Replace tags by numbers from ``base_tag`` on, and return the next one, too. Collective over the communicator.

    The order is that of the first appearance, process by process: receives of the parts, then sends. Nothing here
    needs numbers; programs do that give tags to MPI themselves.
    """
    group = env.group_of(mpi_communicator)

    def prepare() -> Tuple[List[str], int]:
        base = operator.index(base_tag)
        if not -(2**31) <= base < 2**31:
            raise ArgumentError(f"the number {base} is no int of C")
        found: List[str] = []
        for part in partition.parts.values():
            found += [text_of(one.comm_tag) for one in part.name_to_recv_node.values()]
            found += [text_of(one.comm_tag) for sends in part.name_to_send_nodes.values() for one in sends]
        return found, base

    texts, base = agreed(group, prepare)
    numbers, next_tag = _dri.number_tags(group.handle(), texts, base)
    number_of = dict(zip(texts, numbers))

    def numbered(part: DistributedGraphPart) -> DistributedGraphPart:
        recvs = {name: _recv(one, number_of[text_of(one.comm_tag)]) for name, one in part.name_to_recv_node.items()}
        sends = {
            name: [_send(one, number_of[text_of(one.comm_tag)]) for one in all_of_it]
            for name, all_of_it in part.name_to_send_nodes.items()
        }
        return replace(part, name_to_recv_node=recvs, name_to_send_nodes=sends)

    parts = {pid: numbered(part) for pid, part in partition.parts.items()}
    return _running(replace(partition, parts=parts), partition.plan, partition._lowered), next_tag


def _running(made: DistributedGraphPartition, plan: Plan | None, lowered: Lowered | None) -> DistributedGraphPartition:
    object.__setattr__(made, "plan", plan)
    object.__setattr__(made, "_lowered", lowered)
    return made


def _named(outputs: Any) -> DictOfNamedArrays:
    return outputs if isinstance(outputs, DictOfNamedArrays) else make_dict_of_named_arrays(outputs)


def _recv(node: DistributedRecv, tag: Hashable) -> DistributedRecv:
    made = DistributedRecv(node.shape, node.dtype, node.src_rank, tag, axes=node.axes, tags=node.tags)
    return note_original(made, node)


def _send(node: DistributedSend, tag: Hashable) -> DistributedSend:
    return note_original(node.copy(comm_tag=tag), node)


def _part_of(part: GraphPart, lowered: Lowered, name_to_output: Dict[str, Output]) -> DistributedGraphPart:
    recvs: Dict[str, DistributedRecv] = {}
    sends: Dict[str, List[DistributedSend]] = {}
    for one in part.recvs:
        recvs[one.name or ""] = recv = lowered.recvs[one.src, text_of(one.tag)]
        name_to_output.setdefault(one.name or "", recv)
    for one in part.sends:
        send = lowered.sends[one.dest, text_of(one.tag)]
        sends.setdefault(one.name or "", []).append(send)
        name_to_output.setdefault(one.name or "", send.data)
    return DistributedGraphPart(
        part.pid, frozenset(part.needed), frozenset(part.inputs), frozenset(part.part_inputs), frozenset(part.outputs),
        recvs, sends,
    )  # fmt: skip


def _add_promoted(plan: Plan, lowered: Lowered, name_to_output: Dict[str, Output]) -> None:
    """The nodes that only other parts read."""
    named = {name for part in plan.parts for name in (*part.part_inputs, *part.outputs)}
    if named <= name_to_output.keys() | lowered.outputs.keys():
        return
    for node, made in lowered.made():
        name = plan.name_of(made)
        if name is not None:
            name_to_output.setdefault(name, node)


def _describe(group: Group, partition: DistributedGraphPartition) -> List[Tuple[Any, ...]]:
    """The parts as the extension takes them."""
    number = {pid: i for i, pid in enumerate(partition.parts)}
    me = group.ranks[group.position or 0]

    def rank_of(rank: int) -> int:
        if not 0 <= rank < len(group):
            raise ArgumentError(f"rank {rank} is not in the group of {len(group)} processes")
        return group.ranks[rank]

    def operation(src: int, dest: int, tag: Hashable, name: str, node: Node) -> Tuple[Any, ...]:
        return src, dest, text_of(tag), name, node.shape, element_of(node.dtype)

    described: List[Tuple[Any, ...]] = []
    for pid, part in partition.parts.items():
        for one in part.needed_pids:
            if one not in number:
                raise ArgumentError(f"part {pid!r} needs the part {one!r}, which does not exist")
        recvs = [
            operation(rank_of(one.src_rank), me, one.comm_tag, name, one) for name, one in part.name_to_recv_node.items()
        ]
        sends = [
            operation(me, rank_of(one.dest_rank), one.comm_tag, name, one.data)
            for name, all_of_it in part.name_to_send_nodes.items()
            for one in all_of_it
        ]
        described.append(
            (
                number[pid], tuple(number[one] for one in part.needed_pids), recvs, sends, sorted(part.user_input_names),
                sorted(part.partition_input_names), sorted(part.output_names),
            )
        )  # fmt: skip
    return described
