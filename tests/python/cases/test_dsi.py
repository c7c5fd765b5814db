"""The conformance cases of domain maps, one function per kind.

Every process runs every case: queries have the same answers everywhere. Cases with arrays run on the first processes of
the world; those that need more than there are, and kinds that are C's or C++'s, are skipped by id.
"""

import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest
from dsi_objects import as_domain, as_map, as_range, as_ranges, count_of, first, members, mine, named_map

import dri

FOLDER = Path(os.environ.get("DRI_CASES_FOLDER", Path(__file__).resolve().parents[4] / "shared" / "cases"))
FILE = FOLDER / "dsi.json"
CASES = json.loads(FILE.read_text())["cases"] if FILE.exists() else []


def densify(case, world):
    given, expect = case["input"], case["expect"]
    if "pairs" not in given:
        dense = dri.densify(as_ranges(given["sub"]), as_ranges(given["whole"]))
        assert [list(one) for one in dense] == expect["dense"]
        assert dri.undensify(dense, as_ranges(given["whole"])) == as_ranges(given["sub"])
        return
    for i, pair in enumerate(given["pairs"]):
        whole, sub = as_range(pair["whole"]), as_range(pair["sub"])
        if "error" in expect and expect["error"][i]:
            with pytest.raises(ValueError):
                dri.densify(sub, whole)
        else:
            dense = dri.densify(sub, whole)
            assert list(dense) == expect["dense"][i] and dri.undensify(dense, whole) == sub


def property(case, world):
    given, expect = case["input"], case["expect"]
    if "maps" in given:
        leaders(given, world)
        return
    pairs = 0
    steps = range(given["abs_stride"][0], given["abs_stride"][1] + 1)
    for sign, stride, n in itertools.product(given["signs"], steps, range(given["len"][0], given["len"][1] + 1)):
        low = given["low"]
        whole = range(low, low + n * stride, stride)[::sign]
        for start, end, way in itertools.product(range(n), range(n), (1, -1, 2, -2)):
            sub = whole[start : end + 1][::way]
            if start <= end:
                pairs += 1
                dense = dri.densify(sub, whole)
                assert [whole.index(i) for i in sub] == list(dense) and [whole[k] for k in dense] == list(sub)
    assert pairs >= expect["pairs"]


def leaders(given, world):
    names = {"block": 0, "cyclic": 1, "block_cyclic(2)": 2}
    for name, bounds, n, tasks in itertools.product(
        given["maps"], given["domains"], given["locales"], given["tasks_per_locale"]
    ):
        if n > len(world):
            continue
        ranges = as_ranges(bounds)
        block = names[name]
        dims = [dri.MapDim.cyclic(one[0], block) if block else dri.MapDim.blocks(one) for one in ranges]
        domain = dri.Domain(dri.Map(dims, world[:n]), ranges)
        seen = []
        for rank in range(n):
            for chunk in domain.chunks(tasks, rank):
                found = list(domain.follow(chunk))
                assert found and 0 <= chunk.task < tasks and all(domain.owner(index) == rank for index in found)
                seen += found
        assert len(seen) == len(set(seen)) == domain.size


def owner(case, world):
    domain = as_domain(case["input"], world)
    found = np.array([domain.owner(index) for index in domain]).reshape(domain.shape)
    assert found.tolist() == case["expect"]["owner"]


def local_indices(case, world):
    domain = as_domain(case["input"], world)
    found = [members(domain.boxes(rank)) for rank in domain.group]
    flat = [[index[0] for index in one] for one in found] if domain.ndim == 1 else found
    wanted = case["expect"]["local"]
    if domain.ndim > 1 and wanted and wanted[0] and len(wanted[0]) == domain.ndim and isinstance(wanted[0][0], list):
        per_dim = [[sorted({index[d] for index in one}) for d in range(domain.ndim)] for one in found]
        assert per_dim == wanted or flat == wanted
    else:
        assert flat == wanted
    for rank in domain.group:
        assert all(domain.owner(index) == rank for box in domain.boxes(rank) for index in itertools.product(*box))


def queries(case, world):
    given, expect = case["input"], case["expect"]
    rows = [(given["domain"], expect)] if "domain" in given else [([a], b) for a, b in zip(given["domains"], expect["answers"])]
    for ranges, wanted in rows:
        domain = dri.Domain(dri.Map([None] * len(ranges), world[:1]), as_ranges(ranges))
        assert domain.size == wanted["num_indices"]
        if "dim" in wanted:
            (one,) = domain.ranges
            assert list(one) == wanted["dim"] and (not len(one) or one.step == wanted["stride"])
            assert (min(one, default=None), max(one, default=None)) == (wanted["low"], wanted["high"])
        else:
            assert [list(one) for one in domain.ranges] == wanted["dims"]
        for probe, member, place in zip(given["probe"], wanted["member"], wanted["index_order"]):
            index = tuple(probe) if isinstance(probe, list) else probe
            assert (index in domain, domain.order(index)) == (member, place)


def set_indices(case, world):
    given, expect = case["input"], case["expect"]
    group = first(world, count_of(given))
    if group.position is None:
        return
    domain = dri.Domain(as_map(given, group), as_range(given["from_domain"]))
    arrays = [dri.Array(domain) for _ in range(3 if "arrays" in given else 1)]
    for a in arrays:
        if "values" in given:
            a[...] = [given["values"][str(i)] for i in domain]
    domain.set(as_range(given["to_domain"]))
    if "local_after" in expect:
        assert [[i for box in domain.boxes(rank) for i in box[0]] for rank in group] == expect["local_after"]
    if "indices" in expect:
        assert list(domain) == expect["indices"]
    if "owner" in expect:
        assert [domain.owner(i) for i in domain] == expect["owner"]
    for a in arrays:
        if "values" in expect:
            assert [a.at(i) for i in mine(domain)] == [expect["values"][domain.order(i)] for i in mine(domain)]


reprivatize = set_indices


def leader(case, world):
    domain = as_domain(case["input"], world)
    tasks = case["input"]["tasks_per_locale"]
    found = [
        {"locale": rank, "dense": [k[0] if len(k) == 1 else list(k) for k in itertools.product(*chunk.dense)]}
        for rank in domain.group for chunk in domain.chunks(tasks, rank)
    ]  # fmt: skip
    assert found == [{"locale": one["locale"], "dense": one["dense"]} for one in case["expect"]["chunks"]]


def follower(case, world):
    domain = dri.Domain(as_ranges(case["input"]["whole"]))
    found = [list(index) if isinstance(index, tuple) else [index] for index in domain.follow(case["input"]["follow"])]
    assert found == case["expect"]["yields"]


def zip_(case, world):
    a, b = (as_domain(case["input"][name], world) for name in "AB")
    chunks = [chunk for rank in a.group for chunk in a.chunks(1, rank)]
    per_chunk = [[list(pair) for pair in zip(a.follow(chunk), b.follow(chunk))] for chunk in chunks]
    expect = case["expect"]
    if expect.get("error"):
        pytest.skip("loops over several domains are C++'s")
    assert [pair for one in per_chunk for pair in one] == expect["pairs"]
    assert "per_chunk" not in expect or per_chunk == expect["per_chunk"]


def serial(case, world):
    for ranges, wanted in zip(case["input"]["domains"], case["expect"]["yields"]):
        domain = dri.Domain(dri.cyclic_map((0,) * len(ranges)), as_ranges(ranges))
        assert [list(index) if isinstance(index, tuple) else index for index in domain] == wanted


def standalone(case, world):
    given = case["input"]
    group = first(world, given["locales"])
    for name in given["maps"]:
        ranges = as_ranges(given["domain"])
        dims = [dri.MapDim.blocks(one) if name == "block" else dri.MapDim.cyclic(one[0]) for one in ranges]
        domain = dri.Domain(dri.Map(dims, group), ranges)
        followed = [index for rank in group for chunk in domain.chunks(1, rank) for index in domain.follow(chunk)]
        assert sorted(followed) == sorted(domain)


def equality(case, world):
    for (left, right), equal in zip(case["input"]["pairs"], case["expect"]["equal"]):
        if left == "x":
            x = dri.Domain(range(8))
            assert (x.clone() == x and x.clone().map == x.map) == equal
            continue
        a, b = (named_map(one, world) for one in (left, right))
        assert (a == b) == equal


def clone(case, world):
    domain = dri.Domain(range(8))
    other = domain.clone()
    domain.set(range(3))
    assert other.size == 8 and domain.size == 3
    del domain
    assert other.owner(7) == len(world) - 1


def display(case, world):
    given = case["input"]
    map = as_map(given, first(world, count_of(given)))
    assert all(word in map.describe() for word in case["expect"]["contains"])


def accessors(case, world):
    domain = dri.Domain(range(1, 11))
    a = dri.Array(domain, dtype="f4")
    assert a.domain is domain and a.domain.map == dri.block_map(range(1, 11)) and a.ndim == 1 and a.dtype == np.float32


def access(case, world):
    given = case["input"]
    domain = dri.Domain(as_map(given, first(world, count_of(given))), as_ranges(given["bounding_box"]))
    if not domain.here:
        return
    a = dri.Array(domain)
    for key, value in given["write"].items():
        if domain.owner(int(key)) == world.position:
            a.at(int(key))[...] = value
    for index, wanted in zip(given["read"], case["expect"]["read"]):
        if wanted == "error" or domain.owner(index) != world.position:
            with pytest.raises(IndexError, match="is no member of" if wanted == "error" else "belongs to process"):
                a.at(index)
        else:
            assert a.at(index) == wanted


def user_map(case, world):
    given, expect = case["input"], case["expect"]
    group = first(world, given["locales"])
    if group.position is None:
        return

    class EvenOdd(dri.Map):
        def owner(self, i):
            return i % 2

    ranges = as_ranges(given["domain"])
    odd = dri.Domain(EvenOdd(comm=group), ranges)
    blocks = dri.Domain(dri.block_map(ranges, group), ranges)
    assert [[i for box in odd.boxes(rank) for i in box[0]] for rank in group] == expect["local"]
    a, b = dri.Array(odd, dtype="i8"), dri.Array(blocks, dtype="i8")
    a[...] = list(odd)
    b[...] = a
    assert b.local.tolist() == expect["copy_to_block"][group.position]
    a[...] = 0
    a[...] = b
    assert a.local.ravel().tolist() == expect["local"][group.position]
    assert [pair for chunk in blocks.chunks() for pair in zip(blocks.follow(chunk), odd.follow(chunk))] == [
        (i, i) for i in expect["copy_to_block"][group.position]
    ]


def bulk(case, world, is_bulk=True):
    given, expect = case["input"], case["expect"]
    if expect.get("error"):
        to, from_ = (dri.Array(dri.Domain(as_ranges(given[name]))) for name in ("dest_domain", "src_domain"))
        to[...] = 7
        with pytest.raises((dri.Error, IndexError)):
            ranges = as_ranges(given["my_dom"])
            if len(ranges) != to.ndim:
                raise_for_rank(to, ranges, from_[as_ranges(given["other_dom"])])
            dri.assign(to[ranges], from_[as_ranges(given["other_dom"])])
        assert (to.local == 7).all()
        return
    b_values = np.array(given["A"] if isinstance(given["A"], list) and "B" not in given else given["B"], "f8")
    shape = b_values.shape
    if isinstance(given["A"], str):
        shape = tuple(int(n) for n in given["A"].split()[1].split("x"))
    ranges = tuple(range(1, n + 1) for n in shape)
    makers = [dri.block_map, lambda box: dri.cyclic_map((1,) * len(box)), lambda box: dri.block_cyclic_map((1,) * len(box), (2,) * len(box))]
    for make in makers:
        a = dri.Array(dri.Domain(make(ranges), ranges))
        others = tuple(range(1, n + 1) for n in b_values.shape)
        b = a if "B" not in given else dri.Array(dri.Domain(others))
        b[...] = b_values
        for one in {a, b}:
            one.configure(bulk=is_bulk)
        info = dri.assign(a[as_ranges(given["my_dom"])], b[as_ranges(given["other_dom"])])
        assert (info.path == "element") == (not is_bulk)
        for index in mine(a.domain):
            at = tuple(i - 1 for i in np.atleast_1d(index))
            assert a.at(index) == np.array(expect["A"])[at]


def raise_for_rank(to, ranges, from_):
    """A tuple that is too short means whole dimensions in numpy, so shapes differ."""
    dri.assign(to[ranges], from_)


def switch(case, world):
    for one in CASES:
        if one["id"] in case["input"]["cases"]:
            bulk(one, world, is_bulk=False)


def halo(case, world):
    given, expect = case["input"], case["expect"]
    group = first(world, count_of(given))
    if group.position is None:
        return
    box = as_ranges(given["box"])
    dims = [dri.MapDim.blocks(one, n, overlap=w) for one, n, w in zip(box, given["locales"], given["fluff"])]
    a = dri.Array(dri.Domain(dri.Map(dims, group), box))
    values = np.add.outer(10 * np.array(box[0]), np.array(box[1]))
    a[...] = values
    for _ in range(2):
        a.update_overlap()
    held = as_ranges(expect["local_with_fluff"][group.position])
    assert a.local.shape == tuple(map(len, held))
    for place in np.ndindex(a.local.shape):
        i, j = (one[k] for one, k in zip(held, place))
        inside = i in box[0] and j in box[1]
        assert a.local[place] == (10 * i + j if inside else 0)


def constructor(case, world):
    for n, grid in zip(case["input"]["nprocs"], case["expect"]["grids"]):
        if n <= len(world):
            box = (range(8),) * case["input"]["rank"]
            assert list(dri.block_map(box, world[:n]).grid) == grid


def no_communication(case, world):
    domain = dri.Domain(dri.cyclic_map((3, 0)), (range(37, 0, -3), range(3)))
    if world.position == 0:  # alone: a call that waited for others would not return
        for index in domain:
            rank = domain.owner(index)
            assert domain.global_index(domain.local_index(index, rank), rank) == index


KINDS = {name.rstrip("_"): one for name, one in globals().items() if callable(one)}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, world):
    if case["kind"] not in KINDS:
        pytest.skip(f"kind {case['kind']} is tested in C and C++")
    KINDS[case["kind"]](case, world)


def test_there_are_cases():
    if not CASES:
        pytest.skip(f"there are no cases in {FOLDER}")
