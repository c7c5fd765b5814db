"""Partitions that are made by hand: what they name is what runs."""

import dataclasses

import numpy as np
import pytest
from mpi4py import MPI

import dri
from dri import graph


def part_of(pid, needed=(), user=(), inputs=(), outputs=(), recvs=(), sends=()):
    return graph.DistributedGraphPart(
        pid, frozenset(needed), frozenset(user), frozenset(inputs), frozenset(outputs), dict(recvs), dict(sends)
    )


def two_messages(world, first_tag, second_tag, staple=False):
    """Process 0 sends 1 and 10 under two tags; process 1 returns their difference."""
    if world.position == 0:
        one, ten = (graph.make_data_wrapper(np.full(2, value)) for value in (1.0, 10.0))
        sends = {"a": [graph.make_distributed_send(one, 1, first_tag)], "b": [graph.make_distributed_send(ten, 1, second_tag)]}
        outputs = {"a": one, "b": ten}
        if staple:
            outputs["b"] = graph.staple_distributed_send(ten, 1, second_tag, stapled_to=ten)
            sends["b"] = [outputs["b"].send]
        part = part_of("send", outputs={"a", "b"}, sends=sends)
        return graph.DistributedGraphPartition({"send": part}, outputs, ["b"])
    if world.position == 1:
        first, second = (graph.make_distributed_recv(0, tag, 2, "f8") for tag in (first_tag, second_tag))
        part = part_of("recv", inputs={"ra", "rb"}, outputs={"out"}, recvs={"ra": first, "rb": second})
        return graph.DistributedGraphPartition({"recv": part}, {"out": first - second}, ["out"])
    return graph.DistributedGraphPartition({}, {}, [])


@pytest.mark.procs(2)
@pytest.mark.parametrize("staple", [False, True])
@pytest.mark.parametrize("tags", [(1, 0), (0, 1), ("x", "y")])
def test_numbers_for_tags_leave_the_messages_where_they_are(world, tags, staple):
    made = two_messages(world, *tags, staple)
    numbered, after = graph.number_distributed_tags(world, made, 0)
    assert after == 2
    again = graph.number_distributed_tags(world, numbered, 5)[0]
    for one in (numbered, again):
        got = graph.execute_distributed_partition(one, mpi_communicator=MPI.COMM_WORLD)
        if world.position == 1:
            assert got["out"].tolist() == [-9.0, -9.0]
        one.plan.close()


def test_what_is_replaced_in_a_partition_is_what_runs(world):
    x = graph.make_placeholder("x", 2, "f8")
    found = graph.find_distributed_partition(world, {"y": 2 * x})
    changed = dataclasses.replace(found, name_to_output={"y": 3 * x})
    assert changed.plan is None
    for one, factor in ((found, 2), (changed, 3)):
        got = graph.execute_distributed_partition(one, mpi_communicator=world, input_args={"x": np.ones(2)})
        assert got["y"].tolist() == [factor, factor]
        one.plan.close()


def test_a_part_that_one_process_cannot_describe_fails_on_all(world):
    last = world.position == len(world) - 1
    part = part_of("p", outputs={"y"})
    with pytest.raises(graph.DuplicateOutputError):
        graph.verify_distributed_partition(world, graph.DistributedGraphPartition({"p": part, "q": part}, {}, []))
    deep = graph.make_distributed_recv((world.position + 1) % len(world), "t", (1,) * 9, "f8")
    for wrong in (part_of("p", inputs={"r"}, recvs={"r": deep}), part_of("p", outputs={7})):
        made = graph.DistributedGraphPartition({"p": wrong if last else part_of("p")}, {}, [])
        with pytest.raises(Exception) as raised:
            graph.verify_distributed_partition(world, made)
        assert not isinstance(raised.value, graph.GraphError)
        assert last or f"process {len(world) - 1}" in str(raised.value)


@pytest.mark.procs(2)
def test_a_receive_that_nothing_reads_still_takes_what_is_sent(world):
    one = graph.make_data_wrapper(np.ones(2))
    made = graph.DistributedGraphPartition({}, {}, [])
    if world.position == 0:
        send = graph.make_distributed_send(one, 1, "t")
        made = graph.DistributedGraphPartition({0: part_of(0, outputs={"a"}, sends={"a": [send]})}, {"a": one}, ["a"])
    elif world.position == 1:
        recv = graph.make_distributed_recv(0, "t", 2, "f8")
        part = part_of(0, inputs={"r"}, outputs={"b"}, recvs={"r": recv})
        made = graph.DistributedGraphPartition({0: part}, {"b": 2 * one}, ["b"])
    graph.verify_distributed_partition(world, made)
    for _ in range(3):
        got = graph.execute_distributed_partition(made, mpi_communicator=MPI.COMM_WORLD)
        assert {name: value.tolist() for name, value in got.items()} == [{"a": [1, 1]}, {"b": [2, 2]}, {}, {}][world.position]
    made.plan.close()


def test_a_name_is_an_input_of_the_users_or_what_a_part_gives(world):
    x = graph.make_placeholder("x", 2, "f8")
    first = part_of("first", user={"x"}, outputs={"x"})
    second = part_of("second", {"first"}, inputs={"x"}, outputs={"y"})
    made = graph.DistributedGraphPartition({"first": first, "second": second}, {"x": 2 * x, "y": x + 1}, ["y"])
    with pytest.raises(dri.ArgumentError, match="'x'"):
        graph.execute_distributed_partition(made, mpi_communicator=world, input_args={"x": np.ones(2)})
    # An output that no part reads may have the name of an input, and a part may hand on an input.
    for outputs, wanted in (({"x": 2 * x}, 2), ({"x": x}, 1)):
        made = graph.DistributedGraphPartition({"first": first}, outputs, ["x"])
        got = graph.execute_distributed_partition(made, mpi_communicator=world, input_args={"x": np.ones(2)})
        assert got["x"].tolist() == [wanted, wanted]
        made.plan.close()


@pytest.mark.procs(2)
def test_part_of_gives_the_parts_that_were_given(world):
    before, behind = ((world.position + step) % len(world) for step in (-1, 1))
    x, d, r = (graph.make_placeholder(name, 3, "f8") for name in "xdr")
    send, recv = graph.make_distributed_send(d, behind, "t"), graph.make_distributed_recv(before, "t", 3, "f8")
    parts = {
        "make": part_of("make", user={"x"}, outputs={"d"}, sends={"d": [send]}),
        "use": part_of("use", {"make"}, inputs={"d", "r"}, outputs={"sum"}, recvs={"r": recv}),
    }
    triple, total = 3 * x, d + r
    made = graph.DistributedGraphPartition(parts, {"d": triple, "sum": total}, ["sum"])
    numbered = graph.number_distributed_tags(world, made, 4)[0]
    wanted = {triple: "make", send: "make", recv: "use", total: "use", x: None}
    for one in (made, numbered):
        assert all(one.part_of(node) == pid for node, pid in wanted.items())
        graph.execute_distributed_partition(one, mpi_communicator=MPI.COMM_WORLD, input_args={"x": np.ones(3)})
        assert all(one.part_of(node) == pid for node, pid in wanted.items())
        one.plan.close()
