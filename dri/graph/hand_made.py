"""Partitions that are made by hand: verified, and made one graph again, which the library partitions anew."""

from __future__ import annotations

from typing import Any, Dict

from .. import env
from .._signals import deferred
from ..errors import ArgumentError
from ..group import Group
from .lower import Lowered
from .nodes import DictOfNamedArrays, DistributedSend, Node, Output, Placeholder, original_of
from .partition import DistributedGraphPartition, partitioned, verify_distributed_partition
from .plan import Plan


def plan_of(mpi_communicator: Any, partition: DistributedGraphPartition) -> Plan:
    """What runs a partition; one that is made by hand is verified first. Collective over the communicator then."""
    if partition.plan is None:
        _make_plan(mpi_communicator, partition)
    assert partition.plan is not None
    return partition.plan


@deferred
def _make_plan(mpi_communicator: Any, partition: DistributedGraphPartition) -> None:
    """Apart from plan_of: to hold Ctrl-C costs as much as a short frame."""
    group = env.group_of(mpi_communicator)
    verify_distributed_partition(group, partition)
    made = partitioned(group, lambda: _linked(group, partition))
    object.__setattr__(partition, "plan", made.plan)


def _linked(group: Group, partition: DistributedGraphPartition) -> Lowered:
    """The graph that parts made by hand describe: names that parts give become the nodes that they name."""
    parts = list(partition.parts.values())
    user = {name for part in parts for name in part.user_input_names}
    inputs = {name for part in parts for name in part.partition_input_names}
    given: Dict[str, Output] = {
        name: original_of(recv) for part in parts for name, recv in part.name_to_recv_node.items()
    }

    def node_of(name: str) -> Node:
        found = given.get(name, partition.name_to_output.get(name))
        if found is None:
            raise ArgumentError(f"name_to_output has no {name!r}")
        return found.data if isinstance(found, DistributedSend) else found

    outputs: Dict[str, Output] = {name: node_of(name) for name in partition.overall_output_names}
    links = {name: node_of(name) for name in given.keys() | {name for part in parts for name in part.output_names}}
    sends = [original_of(send) for part in parts for several in part.name_to_send_nodes.values() for send in several]
    for number, send in enumerate(sends):
        outputs[f"_dri_send {number}"] = send
    for number, recv in enumerate(original_of(one) for part in parts for one in part.name_to_recv_node.values()):
        outputs[f"_dri_recv {number}"] = recv  # also one that nothing reads: it is sent
    links = {name: node for name, node in links.items() if name in inputs or name not in user}
    for name in sorted(links.keys() & user):
        node = links[name]
        if not (isinstance(node, Placeholder) and node.name == name):
            raise ArgumentError(f"{name!r} is an input of the user's, and what a part gives to another one")
    lowered = Lowered(group, DictOfNamedArrays(outputs), links)
    unknown = sorted(lowered.inputs - user)
    if unknown:
        raise ArgumentError(f"no part has the inputs {', '.join(unknown)}, which its nodes read")
    return lowered
