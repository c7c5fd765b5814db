"""Transfers against numpy: what arrives is what the whole array has there."""

import tracemalloc

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dri

BOUNDED = settings(max_examples=25, deadline=None, derandomize=True, database=None)
RECORD = np.dtype([("a", "i2"), ("b", "f4")])
DTYPES = [
    "i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16", "?", "f2", "S5", "U3", "M8[s]", ">f4", "V6", "longdouble",
    dri.cint8, dri.cint16, RECORD, np.dtype(RECORD.descr, align=True),
]  # fmt: skip


def mine_of(whole, dist):
    return oracle.take(whole, [dist.indices(dim) for dim in range(dist.ndim)])


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and (np.ascontiguousarray(a).view("u1") == np.ascontiguousarray(b).view("u1")).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_turns(world, dtype):
    shape = (12, 9)
    whole = oracle.numbered(shape, dtype)
    rows = dri.Distribution(shape, dtype, ("block", None))
    columns = dri.Distribution(shape, dtype, (None, "cyclic"))
    with dri.Transfer("turn", rows, dri.Sink(columns, layout="F")) as turn:
        turn.source.array[...] = mine_of(whole, rows)
        x = turn.do()
        wanted = mine_of(whole, columns)
        assert x.dtype == wanted.dtype and x.shape == wanted.shape and (x == wanted).all()
        assert x.flags.f_contiguous and x is turn.sink.array


def test_records_have_the_same_fields(world):
    """The library tells records apart by their size; here a process holds both ends."""
    other = np.dtype([("b", "f4"), ("a", "i2")])
    one, two = (dri.Distribution((12,), dtype, "block") for dtype in (RECORD, other))
    for wrong in (lambda: dri.commit(dri.Transfer("records", one, two)), lambda: dri.redistribute(dri.zeros(one), two)):
        with pytest.raises(dri.DtypeError, match="no conversion between records"):
            wrong()
    with pytest.raises(dri.MismatchError):
        dri.commit(dri.Transfer("records", one, dri.Sink(one.like(dtype="f4"), convert=True)))


SIDES = [
    ("block", None), (None, "block"), ("cyclic", None), (None, dri.cyclic(2)), ("block", dri.whole(overlap=1, edge="wrap")),
    (dri.block(overlap=1, edge="zero"), None), (None, dri.block(overlap=(2, 1), edge="replicate")), (None, None),
]  # fmt: skip
LAYOUTS = ["C", "F", dri.Layout("C", pitch=4), dri.Layout("F", pitch="auto"), dri.Layout(split=True), (1, 0)]


@BOUNDED
@given(
    st.tuples(st.integers(1, 9), st.integers(1, 9)), st.sampled_from(SIDES), st.sampled_from(SIDES),
    st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS), st.integers(1, 3), st.integers(1, 3),
)  # fmt: skip
def test_pairs_of_partitions_and_layouts(world, shape, from_, to, from_layout, to_layout, n, m):
    source = dri.Distribution(shape, "c8", from_)
    sink = dri.Distribution(shape, "c8", to)
    ends = dri.Source(source, layout=from_layout, buffers=n), dri.Sink(sink, layout=to_layout, buffers=m)
    with dri.Transfer("pairs", *ends) as moved:
        for frame in range(3):
            whole = oracle.numbered(shape, "c8") + frame
            x = moved.source.array
            filled = mine_of(whole, source)
            if x.dtype == "f4":
                x[0], x[1] = filled.real, filled.imag
            else:
                x[...] = filled
            got = moved.do()
            got = got[0] + 1j * got[1] if got.dtype == "f4" else got
            assert (got == mine_of(whole, sink)).all()


def test_users_buffers_are_used_and_not_copied(world):
    rows = dri.Distribution((8, 6), "f8", ("block", None))
    columns = dri.Distribution((8, 6), "f8", (None, "block"))
    here = np.zeros(rows.local_shape)
    store = np.zeros(tuple(2 * n for n in reversed(columns.local_shape)))
    there = store[: columns.local_shape[1], : columns.local_shape[0]].T  # strided, column-major
    whole = oracle.numbered((8, 6), "f8")
    with dri.Transfer("mine", dri.Source(rows, buffers=[here]), dri.Sink(columns, buffers=[there])) as turn:
        assert turn.source.array is here
        here[...] = mine_of(whole, rows)
        assert turn.do() is there
    assert (there == mine_of(whole, columns)).all()
    store[: columns.local_shape[1], : columns.local_shape[0]] = 0
    assert not store.any()


def test_two_buffers_one_of_them_the_librarys(world):
    dist = dri.Distribution((8, 6), "f8", ("block", None))
    mine = np.zeros(dist.local_shape)
    with dri.Transfer("mixed", dri.Source(dist, buffers=[mine, None]), dri.Sink(dist, buffers=2)) as moved:
        for frame in range(4):
            assert (moved.source.array is mine) == (frame % 2 == 0)
            moved.source.array[...] = frame
            assert (moved.do() == frame).all()


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda s: np.zeros(tuple(n + 1 for n in s)), dri.ArgumentError, "shape"),
        (lambda s: np.zeros(s, "f4"), dri.DtypeError, "float32.*float64"),
        (lambda s: np.zeros(s, ">f8"), dri.DtypeError, ">f8"),
        (lambda s: np.zeros(s)[::-1], dri.ArgumentError, "dimension 0.*-.*ascontiguousarray"),
        (lambda s: np.broadcast_to(np.zeros(s[1]), s), dri.ArgumentError, "read-only"),
        (lambda s: np.zeros(s[0] * s[1] * 8 + 1, "u1")[1:].view("f8").reshape(s), dri.ArgumentError, "aligned"),
        (lambda s: np.lib.stride_tricks.as_strided(np.zeros(99), s, (24, 8)), dri.ArgumentError, "nest"),
        (lambda s: [0.0], dri.ArgumentError, "list"),
    ],
)
def test_wrong_buffers_fail_on_all(world, rank, make, error, text):
    dist = dri.Distribution((3 * len(world), 6), "f8", ("block", None))
    good = np.zeros(dist.local_shape)
    buffer = make(dist.local_shape) if rank == len(world) - 1 else good
    transfer = dri.Transfer("wrong", dist, dri.Sink(dist, buffers=[buffer]))
    with pytest.raises(error, match=text if rank == len(world) - 1 else f"process {len(world) - 1}: .*"):
        dri.commit(transfer)
    with pytest.raises(dri.StateError, match="not committed"):
        transfer.do()
    with dri.Transfer("wrong", dist, dri.Sink(dist, buffers=[good])) as moved:
        moved.source.array[...] = 2
        assert (moved.do() == 2).all()


def test_halo_in_place(world):
    shape = (7, 8)
    grid = dri.Distribution(shape, "f8", ("block", "block"), overlap=1, edge="wrap")
    for buffers in (1, 2, [np.zeros(grid.local_shape)]):
        with dri.Transfer("halo", grid, grid, in_place=True, buffers=buffers) as halo:
            for frame in range(3):
                whole = oracle.numbered(shape, "f8") * (frame + 1)
                halo.source.array[grid.owned] = whole[grid.part().slices]
                assert (halo.do() == mine_of(whole, grid)).all()


def test_corner_turn_in_place(world):
    n = 4 * len(world)
    rows = dri.Distribution((n, n), "f4", ("block", None))
    columns = dri.Distribution((n, n), "f4", (None, "block"))
    whole = oracle.numbered((n, n), "f4")
    for in_place in (True, "compact"):
        with dri.Transfer("turn", rows, dri.Sink(columns, layout="F"), in_place=in_place) as turn:
            turn.source.array[...] = mine_of(whole, rows)
            assert (turn.do() == mine_of(whole, columns)).all()
            assert np.shares_memory(turn.source.buffers[0], turn.sink.buffers[0])


def test_several_sinks_conversion_and_scale(world):
    rows = dri.Distribution((6, 5), "i2", ("block", None))
    floats = dri.Distribution((6, 5), "f4", (None, "block"))
    whole = oracle.numbered((6, 5), "i2")
    sinks = dri.Sink(floats, convert=True, scale=0.5), dri.Sink(rows.like(partition=("cyclic", None)))
    with dri.Transfer("many", rows, *sinks) as moved:
        moved.source.array[...] = mine_of(whole, rows)
        halves, same_numbers = moved.do()
        assert (halves == mine_of(whole.astype("f4") / 2, floats)).all()
        assert (same_numbers == mine_of(whole, moved.sinks[1].dist)).all()
    with pytest.raises(dri.MismatchError):
        dri.commit(dri.Transfer("many", rows, floats))


def test_start_test_wait(world):
    dist = dri.Distribution((6, 5), "f4", ("block", None))
    with dri.Transfer("split", dist, dist) as moved:
        moved.source.array[...] = 1
        moved.start()
        with pytest.raises(dri.StateError):
            moved.start()
        assert (moved.wait() == 1).all()
        moved.source.array[...] = 2
        moved.start()
        while not moved.test():
            pass
        assert (moved.sink.array == 2).all()


def test_strips_and_windows(world):
    n = len(world)
    shape = (10, 2 * n)
    whole = dri.Distribution(shape, "f4", (None, "block"))
    strip = dri.Distribution(shape, "f4", (None, "block"), subset=np.s_[0:4, :])
    data = oracle.numbered(shape, "f4")
    with dri.Transfer("strips", dri.Source(strip, strips=0), whole) as moved:
        for k, rows in enumerate((slice(0, 4), slice(4, 8), slice(8, 10))):
            part = moved.source.strip(k)
            assert part.shape[0] == rows.stop - rows.start and part.offset == (rows.start, 0)
            with moved.source.frame() as x:
                x[...] = data[rows][:, whole.part().slices[1]]
        assert (moved.sink.extract().array == mine_of(data, whole)).all()
    with dri.Transfer("strips", whole, dri.Sink(strip, strips=0)) as moved:
        moved.source.put(mine_of(data, whole))
        got = [frame.array.copy() for _, frame in zip(range(3), moved.sink)]
        assert (np.concatenate(got) == mine_of(data, whole)).all()
    window = dri.Distribution(shape, "f4", (None, "block"), subset=np.s_[0:3, :])
    with dri.Transfer("window", dri.Source(whole, slides=(0,)), window) as moved:
        moved.source.array[...] = mine_of(data, whole)
        for start in (0, 7, 2):
            moved.source.rebase(start)
            assert (moved.do() == mine_of(data, whole)[start : start + 3]).all()
        with pytest.raises(dri.ArgumentError, match="dimension 0"):
            moved.source.rebase(8)


def test_query_and_reports(world, rank):
    dist = dri.Distribution((64, 8), "f4", ("block", None))
    transfer = dri.Transfer("told", dist, dist.like(partition=(None, "block")))
    memory = dri.query(transfer)
    assert set(memory) == {("told", "source", 0), ("told", "sink", 0)}
    assert memory["told", "source", 0].buffer_bytes == dist.count()[1] * 4
    assert "not committed" in repr(transfer)
    with transfer:
        transfer.do()
        assert "frame 1; source" in repr(transfer)
        assert transfer.source.info.frames == 1 and transfer.sink.info.frame_seconds.p99 > 0
        peers = transfer.source.peers()
        assert peers["rank"].tolist() == sorted(peers["rank"]) and peers["bytes"].sum() == dist.count()[0] * 4
        assert transfer.sink.times()["frame"].tolist() == [0]
        assert "told" in transfer.sink.explain()
    assert "closed" in repr(transfer)


def test_limits_and_unmatched(world):
    dist = dri.Distribution((64, 8), "f4", ("block", None))
    with pytest.raises(dri.UnmatchedError, match="alone"):
        dri.commit(dri.Transfer("alone", dist))
    for wrong in (dict(ways="fast"), dict(plan="guess"), dict(buffers=0), dict(timeout=0), dict(colour=1)):
        with pytest.raises(dri.ArgumentError):
            dri.Source(dist, **wrong)
    for wrong in ("", "x" * 128, 7):
        with pytest.raises(dri.ArgumentError):
            dri.Transfer(wrong, dist, dist)
    with pytest.raises(dri.ArgumentError):
        dri.commit(dri.Transfer("threads", dri.Source(dist, threads=5000), dist))


def test_a_loop_of_frames_allocates_nothing(world):
    dist = dri.Distribution((64, 8), "f4", ("block", None))
    with dri.Transfer("steady", dist, dist.like(partition=(None, "block"))) as moved:
        moved.do()
        tracemalloc.start()
        try:
            moved.do()
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(200):
                moved.do()
            assert tracemalloc.get_traced_memory()[0] - before < 1000  # the loop's own variables
        finally:
            tracemalloc.stop()


def test_a_redistribution_makes_no_third_copy(world):
    rows = dri.Distribution((1024, 1024), "f8", ("block", None))
    x = dri.zeros(rows)
    columns = rows.like(partition=(None, "block"))
    out = np.empty(columns.local_shape)
    tracemalloc.start()
    try:
        dri.redistribute(x, columns, out=out)
        assert tracemalloc.get_traced_memory()[1] < x.local.nbytes // 4
    finally:
        tracemalloc.stop()
