"""Arrays over domains and their assignments, against plain numpy that walks every index."""

import numpy as np
import pytest
from domains_for_tests import MAPS, fill, gathered
from hypothesis import given, settings
from hypothesis import strategies as st

import dri

BOUNDED = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.mark.parametrize("name", MAPS)
def test_arrays(world, rank, name):
    ranges = (range(1, 9), range(20, 2, -3))
    domain = dri.Domain(MAPS[name](ranges), ranges)
    a = dri.Array(domain, dtype="f4")
    assert a.shape == (8, 6) and a.dtype == np.float32 and a.here and a.domain is domain and a.group == world
    assert a.local.size == domain.count()[1] and not a.local.any()
    whole = fill(a)
    assert (gathered(a) == whole).all()
    a[2:4] = 7
    a[range(1, 2), range(5, 12, 3)] = -1  # indices of the domain
    a[0, 0] = 5
    whole[2:4] = 7
    whole[0, [list(ranges[1]).index(i) for i in (5, 8, 11)]] = -1
    whole[0, 0] = 5
    assert (gathered(a) == whole).all()
    for root in range(len(world)):
        found = a.gather(root)
        assert (found == whole).all() if rank == root else found is None
    a[::2, 1] = np.arange(4)
    whole[::2, 1] = np.arange(4)
    assert (gathered(a) == whole).all()
    view = a[1:5]
    view[1:3, ::2] = [[1, 2, 3]]
    whole[2:4, ::2] = [[1, 2, 3]]
    assert (gathered(a) == whole).all() and view[1:, 0].shape == (3,)
    assert (a.local if name != "user" else a.local.ravel()).size == domain.count()[0]


def test_elements(world, rank):
    a = dri.Array(dri.Domain(range(1, 9)), dtype="i4")
    for index in a.domain:
        if a.domain.owner(index) == rank:
            a.at(index)[...] = 11 * index
            assert a.at(index) == 11 * index and np.shares_memory(a.at(index), a.local)
        else:
            with pytest.raises(IndexError, match=f"belongs to process {a.domain.owner(index)}"):
                a.at(index)
    with pytest.raises(IndexError, match="is no member of"):
        a.at(9)
    x = dri.zeros(dri.Distribution((5,), "f8", ("cyclic",)))
    mine = [i for i in range(5) if x.distribution.owner((i,)) == rank]
    for i in mine:
        x.at(i)[...] = i
    assert x.local.tolist() == mine


RANGES = st.builds(
    lambda first, step, n: range(first, first + step * n, step),
    st.integers(-3, 3), st.sampled_from([1, 2, 3, -1, -2]), st.integers(4, 9),
)  # fmt: skip


def slices_of(draw, ranges, sizes):
    """Members of ranges, as many as asked for."""
    made = []
    for whole, n in zip(ranges, sizes):
        step = draw(st.sampled_from([1, -1] + [2, -2] * (2 * n - 1 <= len(whole))))
        span = (n - 1) * abs(step) + 1
        low = draw(st.integers(0, len(whole) - span))
        places = range(low, low + span, abs(step))
        made.append(dri.undensify(places if step > 0 else places[::-1], whole))
    return tuple(made)


@BOUNDED
@given(st.data())
def test_random_assignments(world, data):
    ndim = data.draw(st.integers(1, 2))
    to_ranges, from_ranges = (tuple(data.draw(RANGES) for _ in range(ndim)) for _ in range(2))
    names = st.sampled_from(sorted(MAPS))
    a = dri.Array(dri.Domain(MAPS[data.draw(names)](to_ranges), to_ranges))
    b = dri.Array(dri.Domain(MAPS[data.draw(names)](from_ranges), from_ranges), dtype=data.draw(st.sampled_from(["f8", "i4"])))
    whole = fill(b)
    sizes = [data.draw(st.integers(1, 4)) for _ in range(ndim)]
    to, from_ = slices_of(data.draw, to_ranges, sizes), slices_of(data.draw, from_ranges, sizes)
    wanted = np.zeros(a.shape)
    at = np.ix_(*([r.index(i) for i in s] for s, r in zip(to, to_ranges)))
    wanted[at] = whole[np.ix_(*([r.index(i) for i in s] for s, r in zip(from_, from_ranges)))]
    for planned in (True, False):
        info = dri.assign(a[to], b[from_])
        assert info.planned == planned and info.path in ("known", "any", "element")
    assert (gathered(a) == wanted).all()


def test_assignments(world, rank):
    rows = dri.zeros(dri.Distribution((6, 8), "f8", ("block", None)))
    columns = dri.zeros(dri.Distribution((8, 6), "f8", (None, "block")))
    whole = fill(rows)
    assert dri.assign(columns[:, 1], rows[2]).path in ("known", "any")
    wanted = np.zeros((8, 6))
    wanted[:, 1] = whole[2]
    assert (gathered(columns) == wanted).all()
    columns[1:7, 2:5] = rows[:, 1:4]
    wanted[1:7, 2:5] = whole[:, 1:4]
    assert (gathered(columns) == wanted).all()
    rows[1:] = rows[:-1]  # as if the right side were read first
    whole[1:] = whole[:-1].copy()
    assert (gathered(rows) == whole).all()
    rows[range(5, -1, -1)] = rows
    whole = whole[::-1]
    assert (gathered(rows) == whole).all()
    bulk = dri.assign(columns[0:6, 0], rows[:, 0])
    columns.configure(bulk=False, plans=4, threads=1, timeout=20)
    alone = dri.assign(columns[0:6, 0], rows[:, 0])
    assert bulk.path in ("known", "any") and alone.path == "element" and alone.tried == ()
    for wrong in (lambda: dri.assign(columns, rows), lambda: columns.__setitem__(0, rows)):
        with pytest.raises(dri.ArgumentError):
            wrong()
    with pytest.raises(TypeError):
        dri.assign(rows, whole)
    with pytest.raises(ValueError):
        rows[0] = np.zeros(3)
    with pytest.raises(dri.UnsupportedError, match="row-major"):
        dri.assign(dri.zeros(rows.distribution, layout="F"), rows)


def test_views_share_and_stay(world, rank):
    n = len(world)
    domain = dri.Domain(range(4 * n))
    a = dri.Array(domain)
    a[...] = np.arange(4 * n)
    before = a.local
    domain.set(range(2, 6 * n))
    assert a.shape == (6 * n - 2,) and (before == np.arange(4 * rank, 4 * rank + 4)).all()
    wanted = np.arange(2.0, 6 * n)
    wanted[wanted >= 4 * n] = 0
    assert (gathered(a) == wanted).all()
    before[...] = -1  # memory of its own by now
    assert (gathered(a) == wanted).all()
    kept = a.local
    del a, domain
    kept[...] = 3
    assert (kept == 3).all()


def test_set_takes_another_map(world):
    domain = dri.Domain(range(12))
    a, b = dri.Array(domain), dri.Array(domain, dtype="i2")
    alias = a[2:5]
    a[...], b[...] = np.arange(12), np.arange(12) + 50
    alias.local
    domain.set(range(12), dri.cyclic_map(1))
    assert domain.map == dri.cyclic_map(1) and all(domain.owner(i) == (i - 1) % len(world) for i in domain)
    assert (gathered(a) == np.arange(12)).all() and (gathered(b) == np.arange(12) + 50).all()
    with pytest.raises(dri.StateError):
        dri.assign(alias, alias)
    memory = dri.Array(domain, np.ones(domain.count()[1]))
    with pytest.raises(dri.StateError, match="caller's memory"):
        domain.set(range(13))
    assert (gathered(a) == np.arange(12)).all() and (gathered(memory) == 1).all()


@pytest.mark.parametrize("edge", ["truncate", "wrap"])
def test_overlap(world, edge):
    box = (range(1, 11), range(1, 8))
    a = dri.Array(dri.Domain(dri.stencil_map(box, (1, 2), edge), box))
    whole = fill(a)
    a.update_overlap()
    a.update_overlap_start()
    a.update_overlap_wait()
    (mine,) = a.domain.boxes() or [None]
    if mine is None:
        return
    for i, row in enumerate(range(mine[0].start - 1, mine[0].stop + 1)):
        for j, column in enumerate(range(mine[1].start - 2, mine[1].stop + 2)):
            inside = row in box[0] and column in box[1]
            expect = whole[(row - 1) % 10, (column - 1) % 7] if inside or edge == "wrap" else 0
            assert a.local[i, j] == expect, (row, column)
    assert a.owned.local.shape == tuple(map(len, mine))


def test_text(world, rank, capsys):
    import io

    a = dri.Array(dri.Domain((range(2), range(3))), dtype="i4")
    a[...] = [[1, 2, 3], [4, 5, 6]]
    out = io.StringIO()
    a.write(out)
    assert out.getvalue() == ("1 2 3\n4 5 6\n" if rank == 0 else "")
    with pytest.raises(dri.UnsupportedError):
        dri.Array(dri.Domain(range(3)), dtype="S3").write(out)


def test_the_callers_memory(world):
    domain = dri.Domain(range(10))
    memory = np.zeros(domain.count()[1], "f4")
    a = dri.Array(domain, memory)
    fill(a)
    assert a.dtype == np.float32 and np.shares_memory(a.local, memory) and memory.tolist() == [i for b in domain.boxes() for i in b[0]]
    with pytest.raises(ValueError, match="elements"):
        dri.Array(domain, np.zeros(0))
    with pytest.raises(TypeError):
        dri.Array(domain, memory, dtype="f8")


def test_redistributions_of_arrays_over_domains(world):
    domain = dri.Domain(dri.cyclic_map(0), range(3, 17))
    a = dri.Array(domain)
    whole = fill(a)
    rows = a.redistribute(("block",))
    assert rows.local.tolist() == whole[rows.distribution.part().slices].tolist()
    a[...] = 0
    assert rows.redistribute(a) is a and (gathered(a) == whole).all()


@pytest.mark.procs(2)
def test_groups(world, rank):
    pair = dri.Domain(dri.block_map(range(6), world[:2]), range(6))
    back = dri.Domain(dri.block_map(range(6), dri.Group([1, 0])), range(6))
    a, b = dri.Array(pair), dri.Array(back)
    assert a.here == (rank < 2)
    if a.here:
        fill(a)
    else:
        with pytest.raises(dri.StateError):
            a.local
    info = dri.assign(b, a)
    assert (info.path != "none") == (rank < 2)
    if rank < 2:
        assert b.local.tolist() == [i for box in back.boxes() for i in box[0]]
