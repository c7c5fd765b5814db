"""Ctrl-C in calls of dri.graph: behind the last step of those that have several, and in the wait for a frame."""

import time

import numpy as np
import pytest
from test_interrupts import interrupt, tell, wait_for, wait_until_sent

import dri
from dri.graph import (
    DistributedGraphPartition,
    Graph,
    execute_distributed_partition,
    find_distributed_partition,
    make_dict_of_named_arrays,
    make_distributed_recv,
    make_placeholder,
    number_distributed_tags,
    staple_distributed_send,
    verify_distributed_partition,
)


def ring(world):
    """Each process gives its input to the next one."""
    at, n = world.position, len(world)
    x = make_placeholder("x", (4,), "f8")
    taken = make_distributed_recv((at - 1) % n, "ring", (4,), "f8")
    return make_dict_of_named_arrays({"y": staple_distributed_send(x, (at + 1) % n, "ring", taken)})


def by_hand(found):
    return DistributedGraphPartition(found.parts, found.name_to_output, found.overall_output_names)


def run(world, partition):
    out = execute_distributed_partition(partition, mpi_communicator=None, input_args={"x": np.full(4, float(world.position))})
    assert (out["y"] == (world.position - 1) % len(world)).all()


CALLS = {
    "find": lambda found: find_distributed_partition(None, ring(found.plan.group)),
    "verify": lambda found: verify_distributed_partition(None, found),
    "number": lambda found: number_distributed_tags(None, found, 7),
    "draw": lambda found: found.plan.draw(),
}


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", CALLS)
def test_in_a_call_of_several_steps(world, rank, name):
    """No step waits for its deadline, and after it the processes agree."""
    found = find_distributed_partition(None, ring(world))
    start = time.monotonic()
    if rank == 0:
        interrupt(lambda: CALLS[name](found))
    else:
        wait_until_sent()
        CALLS[name](found)
    run(world, found)
    assert time.monotonic() - start < 10  # the deadline is 20 s


@pytest.mark.procs(2)
def test_in_the_first_execution_of_parts_made_by_hand(world, rank):
    found = find_distributed_partition(None, ring(world))
    parts = DistributedGraphPartition(found.parts, found.name_to_output, found.overall_output_names)
    start = time.monotonic()
    if rank == 0:
        interrupt(lambda: run(world, parts))
        assert parts.plan is not None
    else:
        wait_until_sent()
    run(world, parts)
    assert time.monotonic() - start < 10


@pytest.mark.procs(2)
@pytest.mark.parametrize("is_stream", [False, True])
def test_in_the_wait_for_a_frame(world, rank, is_stream):
    """It is heard while the other process is late, and the same call goes on."""
    g, seen = Graph(), []
    source, sink = g.transfer("heard", *(dri.Distribution(4, "i8", (None,), world[i : i + 1]) for i in (1, 0)))

    @g.call(source)
    def fill(call, out):
        out[...] = 7 + call.frame

    @g.call(None, sink)
    def take(call, x):
        seen.append(x.tolist())

    plan = g.partition()
    plan.commit(stream=is_stream)
    go = (lambda: plan.stream(1)) if is_stream else plan.run
    if rank == 0:
        interrupt(go)
        tell([1])
    elif rank == 1:
        wait_for([0])
    go()
    go()
    assert seen == ([[7] * 4, [8] * 4] if rank == 0 else [])
    plan.close()
