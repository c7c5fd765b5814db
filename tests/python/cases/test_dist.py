"""The conformance cases of distributed arrays that are statements and moves, one function per kind.

Every case runs on the first processes of the world, for each team that it names. Kinds about targets, views of
pieces and operations on them are those of C.
"""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import dri

FOLDER = Path(os.environ.get("DRI_CASES_FOLDER", Path(__file__).resolve().parents[4] / "shared" / "cases"))
FILE = FOLDER / "dist.json"
CASES = json.loads(FILE.read_text())["cases"] if FILE.exists() else []


def teams(case, world):
    """The groups of this process that a case is for."""
    for n in case["input"].get("teams", [len(world)]):
        if n <= len(world) and world.position < n:
            yield world[:n]


def spread(values, group, owned=None):
    """An array with these elements; owned: the rows of each process."""
    whole = np.asarray(values)
    if owned is None:
        return dri.array(whole, comm=group)
    sizes = [end - start for start, end in owned]
    x = dri.empty(dri.Distribution(whole.shape, whole.dtype, (dri.sizes(sizes), *([None] * (whole.ndim - 1))), group))
    x[...] = whole
    return x


def ewbin_chain(case, world):
    for group in teams(case, world):
        a = spread(case["input"]["a"], group)
        a[3:13] = 2 * a[0:10] + a[1:11] + a[2:12] + 1 * a[3:13]
        assert a.gather(-1).tolist() == case["expect"]["a"]


def ewbin(case, world):
    given, expect = case["input"], case["expect"]
    if "scalar" in given:
        for group in teams(case, world):
            x = spread(given["x"], group)
            assert (x + given["scalar"]).gather(-1).tolist() == expect["sum"]
            assert (x + np.array(given["scalar"])).gather(-1).tolist() == expect["sum"]
        return
    n = len(given["x_owned"])
    if n > len(world):
        pytest.skip(f"needs {n} processes")
    if world.position < n:
        x, y = (spread(given[name], world[:n], given[f"{name}_owned"]) for name in "xy")
        total = dri.zeros(x.shape, x.dtype, comm=world[:n])  # in the default partition
        total[...] = x + y
        assert total.gather(-1).tolist() == (x + y).gather(-1).tolist() == expect["sum"]


def stencil(case, world):
    given = case["input"]
    n, r = given["n"], given["radius"]
    for group in teams(case, world):
        a = dri.fromfunction(lambda i, j: 1.0 * i * n + j, (n, n), comm=group)
        b = dri.zeros((n, n), comm=group)
        inner = (slice(r, -r),) * 2

        def shifted(i, j):
            return a[tuple(slice(r + d, n - r + d) for d in (i, j))]

        b[inner] = a[inner] + sum(
            shifted(d, 0) + shifted(-d, 0) + shifted(0, d) + shifted(0, -d) for d in range(1, r + 1)
        )  # fmt: skip
        assert b.gather(-1).tolist() == case["expect"]["B"]


def slices_of(text):
    return tuple(slice(*(int(n) for n in one.split(":"))) for one in text.split(","))


def insert_slice(case, world):
    to, from_ = re.search(r"a\[(.*?)\] = b\[(.*?)\]", case["title"]).groups()
    for group in teams(case, world):
        a = dri.ones((16, 16), comm=group)
        b = dri.fromfunction(lambda i, j: 10.0 * i + j, (16, 16), comm=group)
        a[slices_of(to)] = b[slices_of(from_)]
        made = a.gather(-1)
        assert made.sum(axis=1).tolist() == case["expect"]["row_sums"]
        assert all(made[int(row)].tolist() == wanted for row, wanted in case["expect"]["rows"].items())


def moved(case, world, move):
    given = case["input"]
    n = given["nprocs"]
    if n > len(world):
        pytest.skip(f"needs {n} processes")
    if world.position >= n:
        return
    rows = given.get("source_rows")
    bounds = np.cumsum([0, *rows]) if rows else None
    values = np.arange(np.prod(given["shape"])).reshape(given["shape"])
    x = spread(values, world[:n], list(zip(bounds, bounds[1:])) if rows else None)
    y = move(x)
    (wanted,) = (row for row in case["expect"]["rows"] if row["member"] == world.position)
    assert [one.start for one in y.distribution.part().slices] == wanted["loffs"]
    assert list(y.local.shape) == wanted["shape"] and y.local.ravel().tolist() == wanted["buffer"]


def copy_reshape(case, world):
    moved(case, world, lambda x: x.reshape(case["input"]["new_shape"]))


def copy_permute(case, world):
    moved(case, world, lambda x: x.permute(case["input"]["axes"]))


def locals_(case, world):
    for group in teams(case, world):
        a = dri.ones(tuple(case["input"]["shape"]), comm=group)
        a.parts[1][0, 0] = 0
        assert a.sum() == case["expect"]["sum"][case["input"]["teams"].index(len(group))]


def gather(case, world):
    given, expect = case["input"], case["expect"]
    a = spread(np.arange(np.prod(given["shape"])).reshape(given["shape"]), world)
    assert a.gather(-1).sum() == a.sum() == expect["sum"]
    (text,) = re.findall(r"\[(\d[^\]]*)\]", case["title"])
    some = a[slices_of(text)]
    assert some.gather(-1).tolist() == expect["slice"] and some.sum() == expect["slice_sum"]


def pieces(case, world):
    """The array of a case, the target of this process and its number; None where the case has too few processes."""
    given = case["input"]
    n = len(given["owned"])
    if n > len(world):
        pytest.skip(f"needs {n} processes")
    if world.position >= n:
        return None
    shape = given["global_shape"]
    x = spread(np.arange(np.prod(shape)).reshape(shape), world[:n], given["owned"])
    first, rows = given["target"][world.position]
    return x, np.s_[first : first + rows], world.position


def repartition(case, world):
    found = pieces(case, world)
    if found is None:
        return
    x, target, member = found
    piece = x.repartition(target)
    (wanted,) = (row for row in case["expect"]["rows"] if row["member"] == member)
    assert list(piece.loffs) == wanted["loffs"] and [len(part) for part in piece.parts] == wanted["part_rows"]
    for part, name in zip(piece.parts, ("left_halo", "owned", "right_halo")):
        assert part.ravel().tolist() == wanted[name]


def no_copy(case, world):
    found = pieces(case, world)
    if found is None:
        return
    x, target, member = found
    before = x.local.copy()
    own = x.repartition(target).parts[1]
    at = (own.ctypes.data - x.local.ctypes.data) // x.dtype.itemsize
    assert at == case["expect"]["owned_view_offset"][member] and len(own) == case["expect"]["owned_view_size"][member]
    assert (x.local == before).all()


def collective(case, world):
    found = pieces(case, world)
    if found is not None:
        with pytest.raises(dri.ArgumentError):
            found[0].repartition(found[1])


def persist(case, world):
    found = pieces(case, world)
    if found is None:
        return
    x, target, member = found
    for turn in range(case["input"]["rounds"]):
        left, _, right = x.repartition(target).parts
        assert left.tolist() == case["expect"]["left_halo"][turn][member]
        assert right.tolist() == case["expect"]["right_halo"][turn][member]
        x += 100


def env_text(case, world):
    for text, wanted in zip(case["input"]["rows"], case["expect"]["rows"]):
        env = dri.DistEnv.parse(text)
        assert {"team": env.team, "loffs": list(env.loffs), "lparts": [list(one) for one in env.lparts]} == wanted
        assert str(env) == text


KINDS = {name.rstrip("_"): one for name, one in globals().items() if callable(one)}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, world):
    if case["kind"] not in KINDS:
        pytest.skip(f"kind {case['kind']} is tested in C and C++")
    KINDS[case["kind"]](case, world)


def test_there_are_cases():
    if not CASES:
        pytest.skip(f"there are no cases in {FOLDER}")
