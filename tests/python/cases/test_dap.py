"""The conformance cases of the Distributed Array Protocol, one function per kind.

Every case runs on the first processes of the world; cases that need more than there are, and kinds that are C's, are
skipped by id.
"""

import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest

import dri

FOLDER = Path(os.environ.get("DRI_CASES_FOLDER", Path(__file__).resolve().parents[4] / "shared" / "cases"))
FILE = FOLDER / "dap.json"
CASES = json.loads(FILE.read_text())["cases"] if FILE.exists() else []


def as_dim(dim):
    made = dict(dim)
    if "padding" in made:
        made["padding"] = tuple(made["padding"])
    if "indices" in made:
        made["indices"] = np.array(made["indices"], np.int64)
    return made


def as_dims(dims):
    return tuple(as_dim(dim) for dim in dims)


def plain(dims):
    """Dimensions to compare: what a key's absence says is written out."""
    made = []
    for dim in dims:
        one = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in dim.items()}
        one["padding"] = tuple(one.get("padding", (0, 0)))
        made.append({"periodic": False, "block_size": 1, "one_to_one": False, **one})
    return made


def described(buffer, dims, version="0.10.0"):
    return {"__version__": version, "buffer": buffer, "dim_data": as_dims(dims)}


def owned_count(case, world):
    dim, wanted = as_dim(case["input"]["dim_dict"]), case["expect"]
    assert dri.dap.num_owned_indices(dim) == wanted["owned"]
    if "owned_indices" in wanted:
        assert dri.dap.owned_indices(dim).tolist() == wanted["owned_indices"]


def owned_sum(case, world):
    for dims in case["input"]["dims"]:
        assert sum(dri.dap.num_owned_indices(as_dim(dim)) for dim in dims) == dims[0]["size"]


def index_map(case, world):
    dim, wanted = as_dim(case["input"]["dim_dict"]), case["expect"]
    assert [dri.dap.local_index(dim, i) for i in case["input"]["global_indices"]] == wanted["local_indices"]
    assert [dri.dap.global_index(dim, i) for i in wanted["local_indices"]] == wanted["global_from_local"]
    for ask, indices in (("local_index", "local_from_global_errors"), ("global_index", "global_from_local_errors")):
        for index in wanted[indices]:
            with pytest.raises(dri.OutOfRange):
                getattr(dri.dap, ask)(dim, index)


def cyclic_slice(case, world):
    size, grid = case["input"]["size"], case["input"]["grid"]
    all_of_it = dri.dap.from_global_dim_data([{"dist_type": "c", "size": size, "proc_grid_size": grid}])
    assert [dri.dap.owned_indices(dim).tolist() for (dim,) in all_of_it] == case["expect"]["owned"]


def equivalence(case, world):
    given, wanted = case["input"], case["expect"]
    cyclic = {"dist_type": "c", "size": given["size"], "proc_grid_size": given["grid"], "block_size": given["block_size"]}
    blocks = {"dist_type": "b", "bounds": wanted["block_bounds"]}
    for dims in (cyclic, blocks):
        found = [dri.dap.owned_indices(dim).tolist() for (dim,) in dri.dap.from_global_dim_data([dims])]
        assert found == wanted["cyclic"]


def owner_table(case, world):
    given = case["input"]
    bounds = given.get("bounds", [None] * len(given["shape"]))
    dims = [
        {"dist_type": "b", "bounds": bound} if kind == "b" else {"dist_type": "c", "size": n, "proc_grid_size": parts}
        for kind, n, parts, bound in zip(given["dist"], given["shape"], given["grid"], bounds)
    ]
    all_of_it = dri.dap.from_global_dim_data(dims)
    found = np.array([dri.dap.owner(all_of_it, index) for index in np.ndindex(*given["shape"])]).reshape(given["shape"])
    assert found.tolist() == case["expect"]["owner"]


def validate(case, world):
    given, expect = case["input"], case["expect"]
    if "indices_as" in given:
        for form, valid, rule in zip(given["indices_as"], expect["valid"], expect["rule"]):
            x = described(np.zeros(given["buffer_shape"]), given["dim_data"])
            if form == "list":
                x["dim_data"][0]["indices"] = x["dim_data"][0]["indices"].tolist()
            fault = dri.dap.fault(x)
            assert (fault is None, fault.rule if fault else None) == (valid, rule)
        return
    kinds = {"array": lambda: np.zeros(given["buffer_shape"]), "list": lambda: np.zeros(given["buffer_shape"]).tolist()}
    made = kinds.get(given.get("buffer", "array"), lambda: pytest.skip(f"a buffer of {given['buffer']}"))()
    x = described(made, given["dim_data"], given["version"])
    for key in given.get("missing_keys", []):
        del x[key]
    for key in given.get("extra_keys", []):
        x[key] = 1
    fault = dri.dap.fault(x)
    assert (fault.rule if fault else None) == case["expect"]["rule"]
    assert dri.dap.validate(x) == (case["expect"]["valid"], fault.message if fault else "")


def validate_group(case, world):
    all_of_it = [as_dims(dims) for dims in case["input"]["dim_data_per_rank"]]
    rule = case["expect"]["rule"]

    def verdict(check):
        try:
            check()
        except dri.dap.DapError as error:
            return error.fault.rule
        return None

    assert verdict(lambda: dri.dap.check_all(all_of_it)) == rule
    group = first(world, len(all_of_it))
    if group.position is not None:
        dims = all_of_it[group.position]
        assert verdict(lambda: dri.dap.check(described(np.zeros(extents(dims)), dims), group)) == rule


def alias(case, world):
    shape = case["input"]["buffer_shape"]
    read = dri.dap.read(described(np.zeros(shape), case["input"]["dim_data"]))
    assert plain(read.dim_data) == plain(case["expect"]["normalised"])
    assert list(read.shape) == case["expect"].get("global_shape", list(read.shape))


def extents(dims):
    """The shape of the buffer, padding included."""
    made = []
    for dim in dims:
        is_block = dim["dist_type"] == "b"
        made.append(dim["stop"] - dim["start"] if is_block else dri.dap.num_owned_indices(dim))
    return made


def first(world, n):
    if n > len(world):
        pytest.skip(f"needs {n} processes")
    return world[:n]


def export(case, world):
    per_rank = case["expect"]["per_rank"]
    group = first(world, len(per_rank))
    if group.position is None:
        return
    mine = per_rank[group.position]
    buffer = np.array(mine["buffer"], np.float64).reshape(mine["local_shape"])
    theirs = dri.from_distarray(described(buffer, mine["dim_data"]), group)
    assert plain(theirs.__distarray__()["dim_data"]) == plain(as_dims(mine["dim_data"]))
    ends = [per_rank[0]["dim_data"], per_rank[-1]["dim_data"]]
    blocks = [dim["dist_type"] == "b" for dim in ends[0]]
    boundary = [(a.get("padding", (0, 0))[0], b.get("padding", (0, 0))[1]) for a, b in zip(*ends)]
    periodic = [dim.get("periodic", False) for dim in ends[0]]
    notes = dict(boundary=boundary, periodic=periodic) if any(map(any, boundary)) or any(periodic) else {}
    assert not notes or any(blocks)
    ours = dri.Array(theirs.distribution, buffer, **notes).__distarray__()
    assert ours["buffer"] is buffer and ours["__version__"] == "0.10.0"
    assert plain(ours["dim_data"]) == plain(as_dims(mine["dim_data"]))


def halo_update(case, world):
    given, wanted = case["input"], case["expect"]["after"]
    group = first(world, len(wanted))
    if group.position is None:
        return
    buffer = np.array(given["before"][group.position], np.float64)
    dri.from_distarray(described(buffer, given["dim_data_per_rank"][group.position]), group).update_overlap()
    assert buffer.tolist() == wanted[group.position]


def redistribute(case, world):
    given, wanted = case["input"], case["expect"]
    group = first(world, len(given["source"]))
    if group.position is None:
        return
    at = group.position
    source_dims, target_dims = as_dims(given["source"][at]), as_dims(given["target"][at])
    source = np.array(wanted["source_buffers"][at], np.int64).reshape(extents(source_dims))
    store = np.full([n + 2 for n in extents(target_dims)], -7, np.int64)
    target = store[tuple(slice(1, -1) for _ in target_dims)]
    dri.redistribute(described(source, source_dims), described(target, target_dims), comm=group)
    assert target.tolist() == np.array(wanted["target_buffers"][at]).reshape(target.shape).tolist()
    target[...] = -7
    assert (store == -7).all()


def redist_plan(case, world):
    sides = []
    for side in ("source", "target"):
        given = case["input"][side]
        dims = [{"dist_type": "b", "bounds": bounds} for bounds in given["bounds"]]
        sides.append(dict(zip(given["ranks"], dri.dap.from_global_dim_data(dims))))
    found = [(one.source_rank, one.dest_rank, [list(span) for span in one.box]) for one in dri.dap.plan(*sides)]
    wanted = [(one["source_rank"], one["dest_rank"], one["box"]) for one in case["expect"]["messages"]]
    assert sorted(found) == sorted(wanted)


def grid_choice(case, world):
    rows = case["input"]["rows"]
    assert [list(dri.dap.grid_shape(**row)) for row in rows] == case["expect"]["grids"]


def constants(case, world):
    x = dri.zeros(dri.Distribution((4,), "f8", ("block",))).__distarray__()
    assert dri.dap.VERSION == x["__version__"] == case["expect"]["version"] and sorted(x) == sorted(case["expect"]["keys"])
    assert isinstance(x["dim_data"], tuple) and all(isinstance(dim, dict) for dim in x["dim_data"])


def message(case, world):
    for name, words in zip(case["input"]["of"], case["expect"]["contains"]):
        found = next((one for one in CASES if one["id"] == name), None)
        if found is not None:
            given = found["input"]
            text = dri.dap.fault(described(np.zeros(given["buffer_shape"]), given["dim_data"])).message
            assert all(word in text for word in words) and "dimension" in text


def buffer(case, world):
    wanted = case["expect"]
    for i, given in enumerate(case["input"]["arrays"]):
        made = np.zeros(given["shape"], given["type"], order=given.get("order", "C"))
        made = made[:, ::2] if "slice" in given else made
        group = world[:1]
        if group.position is None:
            return
        x = dri.Array(dri.Distribution(made.shape, made.dtype, (None, None), group), made).__distarray__()
        view = memoryview(x["buffer"])
        assert [list(view.strides), view.format, view.itemsize, list(view.shape), view.readonly] == [
            wanted["strides"][i], wanted["format"][i], wanted["itemsize"][i], wanted["shape"][i], wanted["readonly"]
        ]  # fmt: skip


def partition_of(kinds, grid, shape, rule):
    makers = {"b": lambda n: dri.block(n, rule), "c": lambda n: dri.cyclic(1, n)}
    return tuple(makers[kind](parts) for kind, parts in zip(kinds, grid))


def round_trip(case, world):
    given = case["input"]
    arrays = given.get("arrays") or [dict(shape=given["shape"], dist=["b"] * len(given["shape"]), grid=given["grid"])]
    for array, dtype in itertools.product(arrays, given.get("types", ["float64"])):
        n = int(np.prod(array["grid"]))
        if n > len(world):
            continue
        group = world[:n]
        if group.position is None:
            continue
        rule = array.get("block_rule", "balanced")
        dist = dri.Distribution(array["shape"], dtype, partition_of(array["dist"], array["grid"], array["shape"], rule), group)
        x = dri.zeros(dist)
        y = dri.from_distarray(x.__distarray__(), group)
        assert plain(y.__distarray__()["dim_data"]) == plain(x.__distarray__()["dim_data"])
        assert y.local.ctypes.data == x.local.ctypes.data and y.dtype == x.dtype and y.distribution == dist
        y.local.reshape(-1)[:1] = 99
        assert (x.local.reshape(-1)[:1] == 99).all()
        if "local_shape" in case["expect"]:
            assert list(x.local.shape) == case["expect"]["local_shape"]


def no_communication(case, world):
    x = dri.zeros(dri.Distribution((8, 3), "f8", ("block", None)))
    if world.position == 0:  # alone: a call that waited for others would not return
        given = x.__distarray__()
        assert dri.dap.validate(given) == (True, "") and dri.dap.read(given).shape == (8, 3)


KINDS = {name: one for name, one in globals().items() if callable(one) and name in {case["kind"] for case in CASES}}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, world):
    if case["kind"] not in KINDS:
        pytest.skip(f"kind {case['kind']} is tested in C")
    KINDS[case["kind"]](case, world)


def test_there_are_cases():
    if not CASES:
        pytest.skip(f"there are no cases in {FOLDER}")
