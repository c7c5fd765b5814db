"""The conformance cases of distributed graphs, one function per kind. Every case runs on the first processes."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

import dri
from dri import graph

FOLDER = Path(os.environ.get("DRI_CASES_FOLDER", Path(__file__).resolve().parents[4] / "shared" / "cases"))
FILE = FOLDER / "pytato.json"
CASES = json.loads(FILE.read_text())["cases"] if FILE.exists() else []
BY_ID = {case["id"]: case for case in CASES}
ERRORS = {
    "cycle": graph.CycleError,
    "missing_send": graph.MissingSendError,
    "missing_recv": graph.MissingRecvError,
    "duplicate_send": graph.DuplicateSendError,
    "duplicate_recv": graph.DuplicateRecvError,
    "partition_induced_cycle": graph.PartitionInducedCycleError,
    "undefined_input": graph.UndefinedInputError,
    "own_output": graph.OwnOutputError,
    "duplicate_output": graph.DuplicateOutputError,
    "mismatch": graph.MismatchError,
    "unsupported": graph.UnsupportedError,
    "self_send": graph.UnsupportedError,
}


def build(program, order=None):
    """The nodes of a program by id, and its outputs. `order` shuffles what does not depend on each other."""
    made, waiting = {}, list(program["nodes"])
    if order is not None:
        order.shuffle(waiting)
    while waiting:
        node = next(n for n in waiting if all(n[key] in made for key in ("of", "send", "to", "a", "b") if key in n))
        waiting.remove(node)
        one = make(node, made)
        made[node["id"]] = one.tagged(graph.ImplStored()) if node.get("stored") else one
    return made, {name: made[one] for name, one in program["outputs"].items()}


def make(node, made):
    op = node["op"]
    if op in ("data", "ones", "zeros"):
        value = node["value"] if op == "data" else np.full(node["n"], op == "ones")
        return graph.make_data_wrapper(np.array(value, float))
    if op == "input":
        return graph.make_placeholder(node.get("name", node["id"]), tuple(node["shape"]), float)
    if op == "recv":
        return graph.make_distributed_recv(node["src"], node["tag"], tuple(node["shape"]), float)
    if op == "send":
        return graph.make_distributed_send(made[node["of"]], node["dest"], node["tag"])
    if op == "staple":
        return graph.DistributedSendRefHolder(made[node["send"]], made[node["to"]])
    if op == "add":
        return made[node["a"]] + made[node["b"]]
    assert op == "scale", op
    return node["k"] * made[node["a"]]


def operation(one):
    return one.src, one.dest, one.tag


def ids(found):
    return sorted([tuple(one) for one in found], key=str)


def schedule(case, world):
    needs, wanted = case["input"]["needs"], case["expect"]
    tasks = [needs[str(i)] for i in range(len(needs))]
    if wanted["error"]:
        with pytest.raises(ERRORS[wanted["error"]]):
            graph.task_levels(tasks)
        return
    levels = graph.task_levels(tasks)
    assert [[i for i, at in enumerate(levels) if at == level] for level in range(max(levels, default=-1) + 1)] == wanted["batches"]


def complexity(case, world):
    for n, batches in zip(case["input"]["n"], case["expect"]["nbatches"]):
        assert max(graph.task_levels([(i - 1,) if i else () for i in range(n)])) + 1 == batches


def partition(case, world):
    programs, wanted = case["input"]["programs"], case["expect"]
    group = world[: len(programs)]
    if world.position >= len(programs):
        return
    made, outputs = build(programs[world.position])
    if "error" in wanted:
        with pytest.raises(ERRORS[wanted["error"]]) as raised:
            graph.find_distributed_partition(group, outputs)
        if "ids" in wanted:
            kinds = {fault.operation for fault in raised.value.faults if fault.kind == raised.value.faults[0].kind}
            assert ids(kinds) == ids(wanted["ids"])
        return
    found = graph.find_distributed_partition(group, outputs)
    check_plan(found, wanted)
    for pid, part in enumerate(wanted["parts"][world.position]):
        check_part(found.parts[pid], part, world.position)
    assert len(found.parts) == len(wanted["parts"][world.position])
    stored = {name: found.part_of(one) for name, one in made.items() if not isinstance(one, graph.DistributedSend)}
    stored = {n: pid for n, pid in stored.items() if not isinstance(made[n], graph.DistributedSendRefHolder)}
    assert {name: pid for name, pid in stored.items() if pid is not None} == wanted["stored_in_part"][world.position]
    graph.verify_distributed_partition(group, found)
    expect_outputs(found, wanted["outputs"][world.position])


def check_plan(found, wanted):
    assert [ids(map(operation, batch)) for batch in found.plan.batches] == [ids(batch) for batch in wanted["batches"]]
    for one in wanted["comm_graph"]:
        assert ids(map(operation, found.plan.needs(*one["id"]))) == ids(one["needs"])


def check_part(part, wanted, rank):
    assert ids((one.src_rank, rank, one.comm_tag) for one in part.name_to_recv_node.values()) == ids(wanted["recvs"])
    sends = [one for all_of_it in part.name_to_send_nodes.values() for one in all_of_it]
    assert ids((rank, one.dest_rank, one.comm_tag) for one in sends) == ids(wanted["sends"])
    assert sorted(part.needed_pids) == sorted(wanted["needs"])
    assert part.name_to_recv_node.keys() <= part.partition_input_names
    assert part.name_to_send_nodes.keys() <= part.output_names | part.partition_input_names


def expect_outputs(found, wanted, **given):
    programs = graph.generate_code_for_partition(found)
    assert programs.keys() == found.parts.keys()
    for _ in range(3):
        got = graph.execute_distributed_partition(found, programs, None, MPI.COMM_WORLD, input_args=given)
        assert {name: one.tolist() for name, one in got.items()} == wanted


def verify_partition(case, world):
    described, wanted = case["input"]["parts"], case["expect"]["error"]
    if world.position >= len(described):
        return
    found = by_hand(described[world.position])
    if wanted is None:
        graph.verify_distributed_partition(world[: len(described)], found)
    else:
        with pytest.raises(ERRORS[wanted]) as raised:
            graph.verify_distributed_partition(world[: len(described)], found)
        assert raised.value.faults and isinstance(raised.value, dri.Error)


def by_hand(parts):
    data = graph.make_data_wrapper(np.zeros(4))
    made = {}
    for part in parts:
        recvs = {f"_recv_{tag}_{i}": graph.make_distributed_recv(src, tag, (4,), float) for i, (src, _, tag) in enumerate(part["recvs"])}
        sends = {f"_send_{i}": [graph.make_distributed_send(data, dest, tag)] for i, (_, dest, tag) in enumerate(part["sends"])}
        made[part["pid"]] = graph.DistributedGraphPart(
            part["pid"], frozenset(part["needed"]), frozenset(), frozenset(part["partition_inputs"]),
            frozenset(part["outputs"]), recvs, sends,
        )  # fmt: skip
    return graph.DistributedGraphPartition(made, {}, [])


def number_tags(case, world):
    tags, wanted = case["input"]["tags_per_rank"], case["expect"]
    if world.position >= len(tags):
        return
    mine = tags[world.position]
    recvs = {f"r{i}": graph.make_distributed_recv(0, tag, 4, float) for i, tag in enumerate(mine)}
    part = graph.DistributedGraphPart(0, frozenset(), frozenset(), frozenset(), frozenset(), recvs, {})
    made, after = graph.number_distributed_tags(
        world[: len(tags)], graph.DistributedGraphPartition({0: part}, {}, []), case["input"]["base"]
    )
    assert [one.comm_tag for one in made.parts[0].name_to_recv_node.values()] == [wanted["map"][tag] for tag in mine]
    assert after == wanted["next"]


def determinism(case, world):
    order = np.random.default_rng(world.position)
    for name in case["input"]["programs_of"]:
        programs = BY_ID[name]["input"]["programs"] if name in BY_ID else []
        if world.position < len(programs):
            texts = set()
            for _ in range(case["input"]["runs"]):
                _, outputs = build(programs[world.position], order)
                shuffled = list(outputs.items())
                order.shuffle(shuffled)
                found = graph.find_distributed_partition(world[: len(programs)], dict(shuffled))
                texts.add(found.plan.describe())
            assert len(texts) == 1


def release(case, world):
    for name in case["input"]["programs_of"]:
        programs = BY_ID[name]["input"]["programs"] if name in BY_ID else []
        if world.position < len(programs):
            found = graph.find_distributed_partition(world[: len(programs)], build(programs[world.position])[1])
            got = graph.execute_distributed_partition(found)
            assert sorted(got) == sorted(case["expect"]["live_at_end"])
            found.plan.close()


def repeat(case, world):
    if world.position > 1:
        return
    x = graph.make_placeholder("x", (4,), float)
    other = 1 - world.position
    received = graph.make_distributed_recv(other, "x", (4,), float)
    out = x + graph.staple_distributed_send(x, other, "x", received)
    found = graph.find_distributed_partition(world[:2], graph.make_dict_of_named_arrays({"out": out}))
    for given, wanted in zip(case["input"]["inputs"], case["expect"]["out"]):
        got = graph.execute_distributed_partition(found, input_args={"x": given})
        assert got["out"].tolist() == wanted


def shapes(case, world):
    if world.position > 1:
        return
    ones = graph.make_data_wrapper(np.ones(case["input"]["send_shape"]))
    if world.position == 0:
        outputs = {"sent": graph.make_distributed_send(ones, 1, "x")}
    else:
        outputs = {"x": graph.make_distributed_recv(0, "x", tuple(case["input"]["recv_shape"]), float)}
    with pytest.raises(graph.MismatchError):
        graph.find_distributed_partition(world[:2], outputs)


def collective(case, world):
    if case["input"]["program"] in BY_ID:
        partition(BY_ID[case["input"]["program"]], world)


# Those of the executor's own order are tested in C; random programs are in mpi/test_graph_random.py.
KINDS = {
    kind.__name__: kind
    for kind in (schedule, complexity, partition, verify_partition, number_tags, determinism, release, repeat, shapes, collective)
}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, world):
    if case["kind"] not in KINDS:
        pytest.skip(f"{case['kind']} is tested elsewhere")
    KINDS[case["kind"]](case, world)


def test_there_are_cases():
    if not CASES:
        pytest.skip("there are no cases")
