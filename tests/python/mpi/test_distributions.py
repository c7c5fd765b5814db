"""Distributions against the oracle, and their wrong arguments."""

import copy
import pickle

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dri

BOUNDED = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def part_of(dist, rank):
    """The coordinates of the part of a process: parts are dealt row-major, replicas follow."""
    grid = oracle.positions(dist.grid)
    return grid[dist.group.ranks.index(rank) % len(grid)]


@st.composite
def cuts(draw, n, parts):
    """A rule with so many parts, and the owner of each index."""
    kind = draw(st.sampled_from(["block", "cyclic", "sizes", "whole"]))
    if kind == "whole" and parts == 1:
        return dri.whole, {}, np.zeros(n, int), 0
    if kind == "cyclic":
        size, phase = draw(st.integers(1, 3)), draw(st.integers(0, parts - 1))
        owners = oracle.cyclic(n, parts, size, phase)
        return dri.cyclic, {"block": size, "parts": parts, "phase": phase}, owners, size
    if kind == "sizes":
        ends = sorted(draw(st.lists(st.integers(0, n), min_size=parts - 1, max_size=parts - 1)))
        lengths = np.diff([0, *ends, n])
        return dri.sizes, {"values": lengths.tolist()}, np.repeat(np.arange(parts), lengths), 0
    remainder = draw(st.sampled_from(["balanced", "balanced_last", "ceil", "proportional"]))
    return dri.block, {"parts": parts, "remainder": remainder}, oracle.blocks(n, parts, remainder), 0


@BOUNDED
@given(st.data())
def test_every_index_is_where_the_oracle_has_it(world, data):
    size = len(world)
    first = data.draw(st.sampled_from([p for p in range(1, size + 1) if size % p == 0]))
    shape = (data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9)))
    rules, held = [], []
    for n, parts in zip(shape, (first, size // first)):
        maker, arguments, owners, block = data.draw(cuts(n, parts))
        left, right = data.draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
        edge = data.draw(st.sampled_from(["truncate", "wrap", "zero", "replicate"]))
        rules.append(maker(**arguments, overlap=(left, right), edge=edge))
        held.append(
            lambda part, o=owners, n=n, w=(left, right), e=edge, b=block: oracle.held(n, o, part, *w, e, b)
        )
        rules[-1] = (rules[-1], owners)
    dist = dri.Distribution(shape, "float64", tuple(rule for rule, _ in rules))
    for rank in world:
        coords = part_of(dist, rank)
        assert dist.coords(rank) == coords
        for dim in range(2):
            wanted = held[dim](coords[dim])
            if (rules[dim][1] == coords[dim]).any():
                assert dist.indices(dim, rank).tolist() == wanted.tolist()
            assert dist.extents(rank)[dim] == len(dist.indices(dim, rank))
    everywhere = np.array([(i, j) for i in range(shape[0]) for j in range(shape[1])])
    owners = dist.owner(everywhere)
    for index, owner in zip(everywhere, owners):
        wanted = tuple(rules[dim][1][index[dim]] for dim in range(2))
        assert part_of(dist, owner) == wanted and dist.owner(tuple(index)) == owner
        assert dist.replicas(tuple(index)) == (owner,)
        local = dist.local_index(tuple(index), owner)
        assert dist.global_index(local, owner) == tuple(index)
    assert dist == dri.Distribution(**dist.spec) and hash(dist) == hash(dri.Distribution(**dist.spec))


def test_spec_is_plain_and_makes_the_same(world):
    dist = dri.Distribution((12, 7), dri.cint16, (dri.block(overlap=1, edge="zero"), None), subset=np.s_[1:9, 2:7])
    assert dist.shape == (8, 5) and dist.offset == (1, 2) and dist.dtype == dri.cint16
    again = dri.Distribution(**pickle.loads(pickle.dumps(dist.spec)))
    assert again == dist and again.partition == dist.partition
    assert dist.like(dtype="f4") != dist
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="spec"):
            attempt(dist)


def test_parts_as_slices(world, rank):
    dist = dri.Distribution((13, 4), "f4", ("cyclic", None))
    whole = oracle.numbered((13, 4), "f4")
    assert (whole[dist.part().slices] == whole[rank :: len(world)]).all()
    assert dist.owned == (slice(0, dist.local_shape[0]), slice(0, 4))
    blocks = dri.Distribution((13, 4), "f4", (dri.block(overlap=1), None))
    tuples = blocks.part().tuples[0]
    assert blocks.part().overlap[0] == (tuples[0], tuples[3])
    assert (whole[blocks.part().slices] == whole[blocks.indices(0)][blocks.owned]).all()
    uneven = dri.Distribution((40,), "f4", (dri.cyclic(3),))
    if len(uneven.blocks(0)) > 1 and len(world) > 1:
        with pytest.raises(dri.UnsupportedError, match="dimension 0"):
            uneven.part()


def test_lists_weights_and_boxes(world, rank):
    size = len(world)
    mine = np.arange(12)[::-1][rank::size]
    lists = dri.Distribution((12, 3), "i4", (dri.indices(mine), None))
    assert lists.indices(0).tolist() == mine.tolist()
    assert lists.owner((11, 0)) == 0
    short = dri.Distribution((12 * size,), "i4", dri.runs([(rank, 1, 12, size)]))
    assert short.indices(0).tolist() == list(range(rank, 12 * size, size))
    heavy = dri.Distribution((10 * size,), "i4", dri.weights([1.0] * size))
    assert heavy.count() == (10, 10)
    boxes = dri.Distribution((4, 2 * size), "i4", dri.exact((0, 4), slice(2 * rank, 2 * rank + 2), overlap=[0, (1, 1)]))
    assert boxes.part().slices == (slice(0, 4), slice(2 * rank, 2 * rank + 2))
    with pytest.raises(dri.UnsupportedError):
        boxes.grid


def test_replicas_and_no_dimensions(world):
    k = dri.Distribution((5,), "f8", None)
    assert k.replicas((3,)) == tuple(world)
    scalar = dri.Distribution((), "f8", ())
    assert scalar.shape == () and scalar.owner(()) == 0 and scalar.ogrid() == ()


@pytest.mark.procs(2)
def test_outside_the_group(world, rank):
    dist = dri.Distribution((6, 6), "f4", ("block", None), world[:1])
    assert dist.here == (rank == 0) and dist.shape == (6, 6)
    if rank:
        with pytest.raises(dri.StateError, match="not in the group"):
            dist.local_shape
        assert "not here" in repr(dist)


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        (dict(shape=(4, -1)), dri.ArgumentError, "dimension 1.*-1"),
        (dict(shape=(4, 2.5)), dri.ArgumentError, "dimension 1.*2.5"),
        (dict(partition=("block",)), dri.ArgumentError, "1 entries.*2 dimensions"),
        (dict(partition=("blok", None)), dri.ArgumentError, "dimension 0.*blok"),
        (dict(dtype="O"), dri.DtypeError, "objects"),
        (dict(dtype="S0"), dri.DtypeError, "without bytes"),
        (dict(dtype=("f4", (3,))), dri.DtypeError, "array"),
        (dict(dtype="nonsense"), dri.DtypeError, "nonsense"),
        (dict(overlap=-1), dri.ArgumentError, "overlap is -1"),
        (dict(edge="wrong"), dri.ArgumentError, "wrong"),
        (dict(subset=np.s_[0:5, :]), dri.ArgumentError, "dimension 0.*0:5.*4"),
        (dict(partition=(dri.sizes([1, 1]), None)), dri.Error, "dimension 0|parts"),
        (dict(partition=(dri.block(min=100), "block")), dri.ConstraintError, "dimension 0"),
        (dict(shape=(2**62, 2**62)), dri.SizeError, ""),
        (dict(shape=(2**70, 2)), dri.SizeError, str(2**70)),
    ],
)
def test_wrong_arguments(world, wrong, error, text):
    good = dict(shape=(4, 6), dtype="f4", partition=("block", None))
    with pytest.raises(error, match=text):
        dri.Distribution(**{**good, **wrong})


@pytest.mark.procs(2)
def test_a_fault_of_one_process_fails_on_all(world, rank):
    with pytest.raises(dri.ArgumentError, match="dimension 0.*-3" if rank == 1 else "process 1: dimension 0.*-3"):
        dri.Distribution((-3 if rank == 1 else 3, 4), "f4", ("block", None))
    with pytest.raises(dri.DtypeError, match="objects"):
        dri.Distribution((3, 4), "O" if rank == 0 else "f4", ("block", None))
    with pytest.raises(dri.MismatchError):
        dri.Distribution((3 + rank, 4), "f4", ("block", None))


def test_indices_out_of_range(world):
    dist = dri.Distribution((4, 6), "f4", ("block", None))
    for wrong in ((4, 0), (0, -1)):
        with pytest.raises(dri.OutOfRange):
            dist.owner(wrong)
    with pytest.raises(IndexError):
        dist.blocks(2)
    with pytest.raises(dri.ArgumentError, match="2 numbers"):
        dist.owner((1, 2, 3))
    with pytest.raises(dri.ArgumentError, match="rank|process|group"):
        dist.extents(len(world))


def test_repr_names_what_is_here(world):
    text = repr(dri.Distribution((64, 4), "complex64", ("block", None)))
    assert text.startswith(f"<Distribution complex64 (64, 4): block({len(world)}), whole over 0") and "here [" in text
    assert "block" in str(dri.Distribution((64, 4), "complex64", ("block", None)))


def test_every_partition_is_written(world, rank):
    """repr of each kind, without communication."""
    n = len(world)
    lists = dri.indices(np.arange(3) + 3 * rank), dri.runs([(3 * rank, 3, 1, 3)])
    for rule, text in (
        (dri.whole(), "whole"), (dri.block(), f"block({n})"), (dri.cyclic(2), f"cyclic(2, {n})"),
        (dri.sizes([3] * n), "sizes(3"), (dri.weights([1] * n), "weights(1.0"), (lists[0], "indices(3 here)"),
        (lists[1], "runs(3 here)"), (dri.exact((3 * rank, 3 * rank + 3), overlap=[(1, 0)]), f"exact({3 * rank}:{3 * rank + 3}<1:0>)"),
        (dri.block(overlap=1, edge="wrap"), f"block({n})<1w:1w>"),
    ):  # fmt: skip
        dist = dri.Distribution((3 * n,), "f4", rule)
        assert text in repr(dist) and text in repr(dri.empty(dist)), (text, repr(dist))
    assert str(dri.sizes(range(9))) == "sizes(0, 1, 2, 3, 4, 5, 6, 7, ...)"


def test_numbers_for_one_dimension(world):
    dist = dri.Distribution((2 * len(world),), "f8", "block")
    for k in range(2 * len(world)):
        assert dist.owner(k) == dist.owner((k,)) == k // 2 and dist.replicas(k) == (k // 2,)
        assert dist.local_index(k, k // 2) == (k % 2,) and dist.global_index(k % 2, k // 2) == (k,)
    with pytest.raises(dri.OutOfRange):
        dist.owner(2 * len(world))


def test_numbers_of_numpy(world):
    dist = dri.Distribution((4,), "f8", "block", grid=np.int64(0), overlap=np.int32(1))
    assert len(dri.Source(dist, buffers=np.int64(2)).buffers) == 2
    assert dri.Layout("F", pitch=np.int64(4)).pitch == 4
    for wrong in (1.5, "4", 0, -2):
        with pytest.raises(dri.ArgumentError, match="pitch"):
            dri.Layout("F", pitch=wrong)


def test_numbers_of_parts_have_32_bits(world):
    for parts in (2**32, 2**32 + 2):
        with pytest.raises(dri.ArgumentError, match="32 bits"):
            dri.Distribution((8,), "f8", (dri.block(parts=parts),))
