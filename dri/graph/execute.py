"""Execution of partitions, with the calls of programs that were written for pytato."""

from __future__ import annotations

from typing import Any, Dict, Hashable, Mapping, NamedTuple

from ..errors import ArgumentError
from .hand_made import plan_of
from .partition import DistributedGraphPart, DistributedGraphPartition


class PartProgram(NamedTuple):
    """Stands for the program of a part. The functions of a graph are compiled already, so it has none of its own."""

    pid: Hashable
    part: DistributedGraphPart


def generate_code_for_partition(partition: DistributedGraphPartition) -> Dict[Hashable, PartProgram]:
    """What stands for the program of each part. Local. ``execute_distributed_partition`` does not need it."""
    return {pid: PartProgram(pid, part) for pid, part in partition.parts.items()}


def execute_distributed_partition(
    partition: DistributedGraphPartition, prg_per_partition: Any = None, queue: Any = None, mpi_communicator: Any = None,
    *, allocator: Any = None, input_args: Mapping[str, Any] | None = None,
) -> Dict[str, Any]:  # fmt: skip
    """Compute the outputs. Collective over the processes of the partition; the first call commits.

    Parameters
    ----------
    partition
        What ``find_distributed_partition`` has returned, or one that is made by hand. It may be executed any number of
        times.
    mpi_communicator
        Of a partition that is made by hand: its processes, which verify it in the first execution. Otherwise not used.
    prg_per_partition, queue, allocator
        Not used: programs that were written for pytato run as they are.
    input_args
        An array for each input. A packed array in C order is read where it lies; others are copied.

    Returns
    -------
    The outputs by name: arrays of the caller's.

    Raises
    ------
    ArgumentError
        An input is missing or has another shape. Others then wait for this process; execute again with good ones.
    dri.graph.errors.GraphError
        A partition that is made by hand is wrong on some process: the same exception on all.

    Examples
    --------
    >>> out = execute_distributed_partition(partition, input_args={"x": np.ones(4)})["out"]
    """
    plan = plan_of(mpi_communicator, partition)
    if not plan.is_committed:
        plan.commit()
    given = input_args or {}
    needed = plan.input_names
    missing = sorted(needed - given.keys())
    if missing:
        raise ArgumentError(f"no values are given for the inputs {', '.join(missing)}")
    for name in sorted(needed):
        plan.set_input(name, given[name])
    plan.run()
    return {name: plan.output(name).copy() for name in partition.overall_output_names}
