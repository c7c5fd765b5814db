"""Random programs with sends between random nodes: the result is that of numpy with all communication left out."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dri
from dri import graph

pytestmark = pytest.mark.procs(2)
DTYPES = ("i4", "i8", "f4", "f8", "c8")


@st.composite
def programs(draw, processes):
    """Steps in one order of all processes: ("data", rank, array), ("op", rank, name, a, b) or ("move", rank, a, to)."""
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    random = np.random.default_rng(draw(st.integers(0, 1 << 16)))
    nodes, steps = {rank: [] for rank in range(processes)}, []
    for rank in range(processes):
        dtype = np.dtype(draw(st.sampled_from(DTYPES)))
        steps.append(("data", rank, (8 * random.random(shape)).astype(dtype)))
        nodes[rank].append(len(steps) - 1)
    for _ in range(draw(st.integers(1, 14))):
        rank = draw(st.integers(0, processes - 1))
        a, b = draw(st.sampled_from(nodes[rank])), draw(st.sampled_from(nodes[rank]))
        if draw(st.booleans()):
            steps.append(("op", rank, draw(st.sampled_from(("add", "multiply", "subtract", "store"))), a, b))
            nodes[rank].append(len(steps) - 1)
        else:
            to = draw(st.integers(0, processes - 2))
            to += to >= rank
            steps.append(("move", rank, a, to))
            nodes[to].append(len(steps) - 1)
    return steps


def oracle(steps, processes):
    """What each process has at last, by numpy alone."""
    values, last = [], {}
    for step in steps:
        if step[0] == "data":
            values.append(step[2])
        elif step[0] == "move":
            values.append(values[step[2]])
        else:
            a, b = values[step[3]], values[step[4]]
            values.append(getattr(np, step[2])(a, b) if step[2] != "store" else a - b)
        last[step[3] if step[0] == "move" else step[1]] = len(values) - 1
    return values, last


def distributed(steps, me):
    """The nodes of this process, and its sends."""
    values, _ = oracle(steps, 0)
    nodes, sends = {}, []
    for at, step in enumerate(steps):
        if step[0] == "data" and step[1] == me:
            nodes[at] = graph.make_data_wrapper(step[2])
        elif step[0] == "op" and step[1] == me:
            a, b = nodes[step[3]], nodes[step[4]]
            nodes[at] = getattr(np, step[2])(a, b) if step[2] != "store" else (a - b).tagged(graph.ImplStored())
        elif step[0] == "move" and step[1] == me:
            sends.append(graph.make_distributed_send(nodes[step[2]], step[3], ("step", at)))
        elif step[0] == "move" and step[3] == me:
            nodes[at] = graph.make_distributed_recv(step[1], ("step", at), values[at].shape, values[at].dtype)
    return nodes, sends


@given(data=st.data())
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_random_programs_equal_numpy(world, data):
    processes = len(world)
    steps = data.draw(programs(processes))
    values, last = oracle(steps, processes)
    nodes, sends = distributed(steps, world.position)
    outputs = {f"send {i}": one for i, one in enumerate(sends)}
    mine = [at for at in nodes if at == last.get(world.position) or at % 3 == 0 or steps[at][0] == "move"]
    outputs.update({f"node {at}": nodes[at] for at in mine})
    found = graph.find_distributed_partition(world, outputs)
    graph.verify_distributed_partition(world, found)
    for _ in range(2):
        got = graph.execute_distributed_partition(found)
        for at in mine:
            assert got[f"node {at}"].dtype == values[at].dtype
            np.testing.assert_array_equal(got[f"node {at}"], values[at])
    found.plan.close()
