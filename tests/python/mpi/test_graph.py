"""Graphs of expressions: nodes, tags, partitions and their execution, and what is wrong with them."""

import dataclasses
import enum
import fractions
import types
import typing

import numpy as np
import pytest
from mpi4py import MPI

import dri
from dri import graph
from dri.graph.tags import tag_of, text_of


class Stage:
    """A tag."""


class Colour(enum.IntEnum):
    RED = 1


class Pair(typing.NamedTuple):
    first: int
    second: int


class Few(frozenset):
    pass


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    at: object
    note: str = dataclasses.field(default="", compare=False)


@dataclasses.dataclass(frozen=True)
class Odd:
    """Equal by an __eq__ of its own, so its compared fields do not say what is equal."""

    number: int = dataclasses.field(compare=False)

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return self.number


def around(world):
    """The ranks before and behind."""
    return (world.position - 1) % len(world), (world.position + 1) % len(world)


def run(world, outputs, **given):
    found = graph.find_distributed_partition(MPI.COMM_WORLD, graph.make_dict_of_named_arrays(outputs))
    got = graph.execute_distributed_partition(found, {}, None, MPI.COMM_WORLD, input_args=given)
    found.plan.close()
    return got


@pytest.mark.parametrize("tag", [42, -1, "a", "it's", b"\x00a", (1, ("b", None)), None, 1.5, frozenset({1, 2})])
def test_tags_have_a_text_that_can_be_read_back(tag):
    assert text_of(tag) == text_of(tag) and (tag_of(text_of(tag)) == tag or isinstance(tag, frozenset))


def test_equal_tags_have_one_text():
    for same in (
        (1, True, 1.0, np.int8(1), np.True_, Colour.RED, 1 + 0j, fractions.Fraction(1)),
        ((1, 2), (True, 2.0), Pair(1, 2), Pair(np.True_, 2)),
        ("a", np.str_("a")),
        (frozenset({1, "b"}), Few({"b", True})),
        (Step("a", (1, 2), "here"), Step(np.str_("a"), Pair(True, 2.0), "there")),
    ):
        assert len(set(same)) == 1 and len({text_of(one) for one in same}) == 1
    assert text_of(0.5) == text_of(fractions.Fraction(1, 2))
    others = (
        1, "1", b"1", (1,), ((1,),), None, "None", Stage, "Stage", 1.5, "a" * 300, "a" * 301, fractions.Fraction(1, 3), 2**70,
        Step, Step("a", 1), Step("a", 2), ("a", 1), Odd(1), Odd(2), frozenset({1}), frozenset({2}),
    )  # fmt: skip
    assert len({text_of(one) for one in others}) == len(others)
    assert max(len(text_of(one).encode()) for one in (*others, "ä" * 200, ("ä" * 300,))) <= 127
    with pytest.raises(TypeError):
        text_of([1])


def test_nodes_follow_numpys_rules():
    x = graph.make_placeholder("x", (3, 1), "f4")
    y = graph.make_data_wrapper(np.arange(4, dtype="i2"))
    for made, wanted in (
        (x + y, np.ones((3, 1), "f4") + np.ones(4, "i2")),
        (2 * y, 2 * np.ones(4, "i2")),
        (y / 2, np.ones(4, "i2") / 2),
        (y * 2.5j, np.ones(4, "i2") * 2.5j),
        (-x, -np.ones((3, 1), "f4")),
        (np.sin(y), np.sin(np.ones(4, "i2"))),
        (x < y, np.ones((3, 1)) < np.ones(4)),
        (np.arange(3)[:, None] ** y, np.arange(3)[:, None] ** np.ones(4, "i2")),
        (graph.make_placeholder("a", (2, 3, 4), "f4") @ graph.make_placeholder("b", (4, 5), "f8"), np.ones((2, 3, 5))),
        (graph.make_placeholder("a", 4, "f4") @ graph.make_placeholder("b", 4, "f4"), np.float32(1)),
    ):
        assert (made.shape, made.dtype) == (wanted.shape, wanted.dtype)
    assert x == x and x != y and len({x, y, x}) == 2
    assert graph.ImplStored() in x.tagged(graph.ImplStored()).tags and not x.tags


def test_nodes_refuse_what_has_no_meaning():
    x = graph.make_placeholder("x", (3,), "f4")
    send = graph.make_distributed_send(x, 0, "t")
    for wrong in (
        lambda: bool(x), lambda: np.asarray(x), lambda: np.add.reduce(x), lambda: np.modf(x), lambda: np.add(x, 1, out=np.ones(3)),
        lambda: graph.make_distributed_send(x, 0, []), lambda: x + send, lambda: graph.call(3, x, shape=1, dtype=int),
        lambda: graph.DistributedSendRefHolder(x, x), lambda: x + np.array([None] * 3),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            wrong()
    for wrong in (lambda: x + graph.make_placeholder("y", (2,), "f4"), lambda: graph.make_placeholder("y", (-1,), "f4")):
        with pytest.raises(ValueError):
            wrong()


def test_a_ring_runs_with_inputs_and_functions(world):
    before, behind = around(world)
    x = graph.make_placeholder("x", (4, 3), "c16")
    spectrum = graph.call(lambda a, out: np.copyto(out, np.fft.fft(a)), x, shape=x.shape, dtype=x.dtype)
    outputs = {"spectrum": spectrum, "half": spectrum / 2}
    if len(world) > 1:
        outputs["sent"] = graph.make_distributed_send(spectrum, behind, Stage)
        outputs["sum"] = spectrum + graph.make_distributed_recv(before, Stage, (4, 3), "c16")
    found = graph.find_distributed_partition(world, outputs)
    for frame in range(3):
        arrays = [np.random.default_rng((rank, frame)).random((4, 3)) + 1j for rank in range(len(world))]
        given = arrays[world.position]
        got = graph.execute_distributed_partition(found, input_args={"x": given[:, ::-1] if frame else given, "unused": 1})
        mine = np.fft.fft(given[:, ::-1] if frame else given)
        np.testing.assert_array_equal(got["half"], mine / 2)
        if len(world) > 1:
            theirs = np.fft.fft(arrays[before][:, ::-1] if frame else arrays[before])
            np.testing.assert_array_equal(got["sum"], mine + theirs)
            np.testing.assert_array_equal(got["sent"], mine)
        assert got["spectrum"].flags.owndata and got["spectrum"].flags.writeable
    with pytest.raises(dri.ArgumentError, match="x"):
        graph.execute_distributed_partition(found)
    with pytest.raises(dri.ArgumentError, match="shape"):
        graph.execute_distributed_partition(found, input_args={"x": np.ones(3)})
    found.plan.close()
    with pytest.raises(dri.ClosedError):
        graph.execute_distributed_partition(found, input_args={"x": given})


def test_arrays_without_dimensions_or_elements(world):
    zero, empty = graph.make_data_wrapper(np.int64(300)), graph.make_data_wrapper(np.ones((0, 3), "f4"))
    got = run(world, {"a": zero + graph.make_data_wrapper(np.full(2, 100, "i1")), "b": zero * zero, "c": empty + 1})
    assert got["a"].tolist() == [400, 400] and got["a"].dtype == "i8"
    assert got["b"].shape == () and got["b"] == 90000
    assert got["c"].shape == (0, 3) and got["c"].dtype == "f4"


def test_a_node_is_computed_once_a_frame_and_constants_are_not_copied(world):
    seen = []

    def count(x, out):
        seen.append(x.__array_interface__["data"][0])
        out[...] = x

    constant = np.arange(5.0)
    node = graph.call(count, graph.make_data_wrapper(constant), shape=5, dtype=float)
    found = graph.find_distributed_partition(world, {"a": node + node, "b": node * 2, "c": node})
    for _ in range(3):
        graph.execute_distributed_partition(found)
    assert seen == [constant.__array_interface__["data"][0]] * 3
    found.plan.close()


def test_arrays_of_functions_are_read_only_and_exceptions_come_out(world):
    def wrong(x, out):
        x[0] = 1

    node = graph.call(wrong, graph.make_data_wrapper(np.zeros(3)), shape=3, dtype=float)
    found = graph.find_distributed_partition(world, {"a": node})
    with pytest.raises(ValueError, match="read-only"):
        graph.execute_distributed_partition(found)
    with pytest.raises(dri.StateError):
        graph.execute_distributed_partition(found)
    found.plan.close()


def test_a_long_chain_needs_no_recursion(world):
    node = graph.make_data_wrapper(np.zeros(1))
    for _ in range(3000):
        node = node + 1
    assert run(world, {"out": node})["out"].tolist() == [3000]


def test_local_faults_are_told_on_all_processes(world):
    wrong = world.position == len(world) - 1
    outputs = {"x": graph.make_placeholder("x", (3,), float)}
    if wrong:
        outputs["y"] = graph.make_placeholder("x", (4,), float)
    with pytest.raises(dri.ArgumentError, match="" if wrong else f"process {len(world) - 1}"):
        graph.find_distributed_partition(world, outputs)


@pytest.mark.procs(2)
def test_faults_are_the_same_on_all_processes(world):
    before, behind = around(world)
    outputs = {"out": graph.make_distributed_recv(before, ("none", Stage), (4,), float)}
    with pytest.raises(graph.MissingSendError) as raised:
        graph.find_distributed_partition(MPI.COMM_WORLD, outputs)
    error = raised.value
    assert isinstance(error, (dri.UnmatchedError, ValueError)) and isinstance(error, graph.DistributedPartitionVerificationError)
    assert error.name == "DRI_ERR_UNMATCHED" and len(error.faults) == len(world)
    assert len(set(MPI.COMM_WORLD.allgather(error.faults))) == 1
    assert "none" in str(error)


@pytest.mark.procs(2)
def test_every_fault_has_its_class(world):
    before, behind = around(world)
    x = graph.make_data_wrapper(np.ones(3))
    back, ahead = (lambda tag: graph.make_distributed_recv(before, tag, 3, float)), (lambda node, tag: graph.make_distributed_send(node, behind, tag))
    for kind, builtin, outputs in (
        (graph.MissingRecvError, ValueError, lambda: {"s": ahead(x, 1)}),
        (graph.DuplicateSendError, ValueError, lambda: {"s": ahead(x, 1), "t": ahead(x, True), "r": back(1)}),
        (graph.DuplicateRecvError, ValueError, lambda: {"s": ahead(x, 1), "r": back(1), "q": back(1.0)}),
        (graph.CycleError, ValueError, lambda: {"s": ahead(back(1), 1)}),
        (graph.MismatchError, ValueError, lambda: {"s": ahead(2 * x, 1), "r": graph.make_distributed_recv(before, 1, 3, "f4")}),
        (graph.UnsupportedError, NotImplementedError, lambda: {"s": graph.make_distributed_send(x, world.position, 1)}),
    ):
        with pytest.raises(kind) as raised:
            graph.find_distributed_partition(world, outputs())
        assert isinstance(raised.value, builtin) and isinstance(raised.value, dri.Error) and raised.value.faults


def part_of(pid, needed=(), user=(), inputs=(), outputs=(), recvs=(), sends=()):
    return graph.DistributedGraphPart(pid, frozenset(needed), frozenset(user), frozenset(inputs), frozenset(outputs), dict(recvs), dict(sends))


def test_wrong_partitions_by_hand_are_not_executed(world):
    part = graph.DistributedGraphPart("p", frozenset(), frozenset({"x"}), frozenset(), frozenset({"y"}), {}, {})
    partition = graph.DistributedGraphPartition({"p": part}, {}, ["y"])
    graph.verify_distributed_partition(MPI.COMM_WORLD, partition)
    assert part.all_input_names() == {"x"}
    looped = graph.DistributedGraphPartition({"p": part_of("p", needed={"p"})}, {}, [])
    for check in (graph.verify_distributed_partition, lambda comm, one: graph.execute_distributed_partition(one, {}, None, comm)):
        with pytest.raises(graph.PartitionInducedCycleError) as raised:
            check(world, looped)
        assert isinstance(raised.value, AssertionError) and isinstance(raised.value, dri.Error)
    x, y, d = (graph.make_placeholder(name, 3, "f4") for name in "xyd")
    for outputs, word in (({}, "'y'"), ({"y": y + d}, "made of itself"), ({"y": x + d}, "inputs d")):
        with pytest.raises(dri.ArgumentError, match=word):
            graph.execute_distributed_partition(dataclasses.replace(partition, name_to_output={**outputs, "d": d + 1}))


@pytest.mark.procs(2)
def test_partitions_by_hand_are_executed(world):
    before, behind = around(world)
    x, d, r = (graph.make_placeholder(name, 3, "f8") for name in "xdr")
    # The names decide: placeholders stand for what another part gives, or a process.
    send, recv = graph.make_distributed_send(d, behind, "t"), graph.make_distributed_recv(before, "t", 3, "f8")
    parts = {
        "make": part_of("make", user={"x"}, outputs={"d"}, sends={"d": [send]}),
        "use": part_of("use", {"make"}, inputs={"d", "r"}, outputs={"sum"}, recvs={"r": recv}),
    }
    made = graph.DistributedGraphPartition(parts, {"d": 3 * x, "sum": d + r}, ["sum", "r"])
    for frame in range(3):
        mine, theirs = (np.arange(3.0) + rank + frame for rank in (world.position, before))
        got = graph.execute_distributed_partition(made, {}, None, MPI.COMM_WORLD, input_args={"x": mine})
        np.testing.assert_array_equal(got["sum"], 3 * mine + 3 * theirs)
        np.testing.assert_array_equal(got["r"], 3 * theirs)
        assert sorted(got) == ["r", "sum"]
    with pytest.raises(dri.ArgumentError, match="x"):
        graph.execute_distributed_partition(made)
    made.plan.close()


@pytest.mark.procs(2)
def test_every_name_of_a_part_is_a_node(world):
    before, behind = around(world)
    y = 2 * graph.make_placeholder("x", 3, "f8")
    stored = y.tagged(graph.ImplStored())
    outputs = {
        "sent": graph.make_distributed_send(stored + 1, behind, "t"),
        "out": stored + graph.make_distributed_recv(before, "t", 3, "f8"),
    }
    found = graph.find_distributed_partition(MPI.COMM_WORLD, outputs)
    names = {name for part in found.parts.values() for name in part.output_names | part.partition_input_names}
    assert names <= found.name_to_output.keys()
    (promoted,) = found.parts[0].output_names - {"sent"}
    assert found.name_to_output[promoted] is stored and promoted in found.parts[1].partition_input_names
    # Without what the library knows, its parts are ones that are made by hand.
    by_hand = dataclasses.replace(found)
    x = np.arange(3.0) + world.position
    first, second = (graph.execute_distributed_partition(one, input_args={"x": x}) for one in (found, by_hand))
    assert first.keys() == second.keys() and all((first[name] == second[name]).all() for name in first)
    found.plan.close()
    by_hand.plan.close()


@pytest.mark.procs(3)
def test_ranks_are_those_of_the_communicator(world):
    comm = MPI.COMM_WORLD.Split(0 if world.position else MPI.UNDEFINED, -world.position)
    if comm == MPI.COMM_NULL:
        return
    x = graph.make_data_wrapper(np.full(2, float(world.position)))
    other = (comm.rank + 1) % comm.size
    outputs = {"s": graph.make_distributed_send(x, other, "x"), "r": graph.make_distributed_recv((comm.rank - 1) % comm.size, "x", 2, float)}
    found = graph.find_distributed_partition(comm, outputs)
    got = graph.execute_distributed_partition(found, {}, None, comm)
    order = comm.allgather(world.position)
    assert got["r"].tolist() == [order[(comm.rank - 1) % comm.size]] * 2
    numbered, after = graph.number_distributed_tags(comm, found, 7)
    assert after == 8 and [one.comm_tag for part in numbered.parts.values() for one in part.name_to_recv_node.values()] == [7]
    assert graph.execute_distributed_partition(numbered)["r"].tolist() == got["r"].tolist()
    found.plan.close()
    comm.Free()


def test_tags_that_cannot_be_numbered_fail_on_all_processes(world):
    class Local:
        """pickle does not find it."""

    last = world.position == len(world) - 1
    x = graph.make_placeholder("x", 2, "f8")

    def parts_with(tag):
        recv = graph.make_distributed_recv(0, tag, 2, "f8") if tag == "t" else types.SimpleNamespace(comm_tag=tag)
        part = graph.DistributedGraphPart(0, frozenset(), frozenset(), frozenset(), frozenset(), {"r": recv}, {})
        return graph.DistributedGraphPartition({0: part}, {"x": x}, ("x",))

    for tag, base in ((Local() if last else "t", 0), ("t", 1.5 if last else 1), ("t", 2**31 if last else 1)):
        with pytest.raises(Exception) as raised:
            graph.number_distributed_tags(world, parts_with(tag), base)
        assert last or f"process {len(world) - 1}" in str(raised.value)
    assert graph.number_distributed_tags(world, parts_with("t"), np.int16(3))[1] == 4
