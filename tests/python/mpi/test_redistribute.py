"""Arrays, sections and redistribute against numpy, and the cache of plans."""

import gc
import weakref

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dri

cache_clear, cache_info, cache_limit = (getattr(dri.redistribute, name) for name in ("cache_clear", "cache_info", "cache_limit"))

BOUNDED = settings(max_examples=25, deadline=None, derandomize=True, database=None)


@pytest.fixture(autouse=True)
def _fresh():
    cache_clear()
    yield
    cache_limit()


def mine_of(whole, dist):
    return oracle.take(whole, [dist.indices(dim) for dim in range(dist.ndim)])


def array_of(whole, partition, group=None, **options):
    dist = dri.Distribution(whole.shape, whole.dtype, partition, group, **options)
    x = dri.zeros(dist)
    if x.here:
        x.local[...] = mine_of(whole, dist)
    return x


PARTITIONS = [("block", None), (None, "block"), ("cyclic", None), (None, dri.cyclic(2)), (None, None)]


@BOUNDED
@given(st.tuples(st.integers(1, 8), st.integers(1, 8)), st.sampled_from(PARTITIONS), st.sampled_from(PARTITIONS), st.sampled_from("CF"))
def test_pairs(world, shape, from_, to, layout):
    whole = oracle.numbered(shape, "f8")
    y = array_of(whole, from_).redistribute(to, layout=layout)
    assert (y.local == mine_of(whole, y.distribution)).all()
    assert y.local.flags.f_contiguous if layout == "F" else y.local.flags.c_contiguous


def test_out_is_always_filled(world):
    whole = oracle.numbered((6, 8), "f4")
    x = array_of(whole, ("block", None))
    for to in ((None, "block"), ("block", None)):
        dist = x.distribution.like(partition=to)
        out = np.full(dist.local_shape, -1, "f4")
        assert dri.redistribute(x, dist, out=out).local is out and (out == mine_of(whole, dist)).all()
        y = dri.empty(dist)
        assert x.redistribute(y) is y and (y.local == mine_of(whole, dist)).all()
    with pytest.raises(dri.ArgumentError, match="shares memory"):
        x.redistribute(x)


def test_strided_memory_and_canaries(world):
    whole = oracle.numbered((6, 8), "f4")
    x = array_of(whole, ("block", None))
    dist = x.distribution.like(partition=(None, "block"))
    store = np.full(tuple(n + 2 for n in dist.local_shape), -7, "f4")
    inner = store[1:-1, 1:-1]
    dri.redistribute(x, dist, out=inner)
    assert (inner == mine_of(whole, dist)).all()
    inner[...] = -7
    assert (store == -7).all()
    again = dri.redistribute(dri.Array(x.distribution, np.asfortranarray(x.local)), dist)
    assert (again.local == mine_of(whole, dist)).all()


def test_conversion_and_scale(world):
    whole = oracle.numbered((6, 8), "i4")
    y = array_of(whole, ("block", None)).redistribute((None, "block"), dtype="f8", scale=0.5)
    assert y.dtype == np.float64 and (y.local == mine_of(whole / 2, y.distribution)).all()
    with pytest.raises(dri.ArgumentError, match="float32"):
        dri.redistribute(y, y.distribution, dtype="f4")


def test_scatter_and_gather(world, rank):
    whole = oracle.numbered((7, 5), dri.cint16)
    root = len(world) - 1
    x = dri.scatter(whole if rank == root else None, ("cyclic", None), root=root)
    assert x.dtype == whole.dtype and (x.local == mine_of(whole, x.distribution)).all()
    back = x.gather(root)
    assert (back == whole).all() if rank == root else back is None
    with pytest.raises(dri.ArgumentError, match="list"):
        dri.scatter([1, 2] if rank == root else None, "block", root=root)
    with pytest.raises(dri.ArgumentError, match="position"):
        x.gather(len(world))


@pytest.mark.procs(2)
def test_groups_apart(world, rank):
    whole = oracle.numbered((6, 4), "f8")
    front, back = world[:1], world[1:]
    x = array_of(whole, ("block", None), front)
    y = x.redistribute(dri.Distribution((6, 4), "f8", (None, "block"), back))
    assert x.here == (rank == 0) and y.here == (rank != 0)
    if y.here:
        assert (y.local == mine_of(whole, y.distribution)).all()
    else:
        with pytest.raises(dri.StateError):
            y.local
    only = dri.Array(dri.Distribution((3,), "f8", None, front))  # others are in neither group
    assert only.redistribute((None,)).here == (rank == 0)


@pytest.mark.parametrize("edge", ["truncate", "wrap", "zero", "replicate"])
def test_overlap_is_filled_in_place(world, edge):
    whole = oracle.numbered((8, 9), "f8")
    dist = dri.Distribution(whole.shape, "f8", ("block", "block"), overlap=1, edge=edge)
    for layout in "CF":
        x = dri.zeros(dist, layout=layout)
        x.local[dist.owned] = whole[dist.part().slices]
        for _ in range(2):
            x.update_overlap()
            assert (x.local == mine_of(whole, dist)).all()
            x.local[dist.owned] = whole[dist.part().slices]


SECTIONS = [np.s_[1:6, :], np.s_[::2, 1:], np.s_[3, :], np.s_[:, 2], np.s_[-1, 1::3], np.s_[...], np.s_[4:4, :], np.s_[2]]


@pytest.mark.parametrize("index", SECTIONS, ids=str)
@pytest.mark.parametrize("partition", [("block", None), (None, "block"), ("cyclic", None), "exact", "overlap"], ids=str)
def test_sections(world, rank, index, partition):
    whole = oracle.numbered((8, 6), "f8")
    if partition == "exact":
        n = 8 * rank // len(world), 8 * (rank + 1) // len(world)
        partition = dri.exact(n, (0, 6))
    elif partition == "overlap":
        partition = (dri.block(overlap=1, edge="wrap"), None)
    x = array_of(whole, partition)
    wanted = whole[index]
    is_cyclic = partition == ("cyclic", None)
    number_first = isinstance(index, int) or (isinstance(index, tuple) and isinstance(index[0], int))
    section = x[index]
    assert section.shape == wanted.shape and np.shares_memory(section.local, x.local) == (section.local.size > 0)
    if is_cyclic and number_first and len(world) > 1:
        with pytest.raises(dri.UnsupportedError, match="dimension 0"):
            section.redistribute((None,) * wanted.ndim)
        return
    y = section.redistribute((None,) * wanted.ndim)
    assert (y.local == wanted).all()


def test_sections_out_of_range(world):
    x = array_of(oracle.numbered((8, 6), "f8"), ("block", None))
    for wrong, error in ((np.s_[8], IndexError), (np.s_[0, 0, 0], IndexError), (np.s_[::-1], dri.UnsupportedError), ("a", TypeError)):
        with pytest.raises(error):
            x[wrong]
    with pytest.raises(dri.UnsupportedError, match="one element"):
        x[3, 4]
    whole = array_of(oracle.numbered((8, 6), "f8"), (None, None))
    assert whole[3, 4].local.shape == () and np.shares_memory(whole[3, 4].local, whole.local)
    with pytest.raises(TypeError, match="local"):
        np.asarray(x)
    assert np.shares_memory(x.owned.local, x.local)


def test_the_cache_counts_and_keeps_no_arrays(world):
    whole = oracle.numbered((6, 8), "f8")
    x = array_of(whole, ("block", None))
    before = cache_info()
    for frame in range(4):
        x.local[...] = mine_of(whole, x.distribution) + frame
        y = x.redistribute((None, "block"))
        assert (y.local == mine_of(whole, y.distribution) + frame).all()
        x = dri.Array(x.distribution, x.local.copy())
    info = cache_info()
    assert (info.misses - before.misses, info.hits - before.hits, info.entries) == (1, 3, 1)
    gone = weakref.ref(y.local)
    del y
    gc.collect()
    assert gone() is None


def test_the_least_recently_used_goes(world):
    x = array_of(oracle.numbered((6, 8), "f8"), ("block", None))
    cache_limit(entries=2)
    misses = cache_info().misses
    for to in ((None, "block"), (None, None), (None, "block"), ("cyclic", None), (None, "block")):
        x.redistribute(to)
    assert cache_info().misses - misses == 3 and cache_info().entries == 2
    x.redistribute((None, None))
    assert cache_info().misses - misses == 4
    cache_limit(entries=0)
    x.redistribute((None, None))
    assert cache_info().entries == 1  # the plan in use
    with pytest.raises(dri.ArgumentError):
        cache_limit(entries=-1)


@pytest.mark.procs(2)
def test_caches_that_differ_cost_a_plan_and_never_a_wait(world, rank):
    whole = oracle.numbered((6, 8), "f8")
    x = array_of(whole, ("block", None))
    for lost in range(len(world)):
        for _ in range(2):
            y = x.redistribute((None, "block"))
            assert (y.local == mine_of(whole, y.distribution)).all()
        if rank == lost:
            cache_clear()
    if rank == 0:
        cache_limit(entries=1)
    for to in ((None, None), (None, "block"), (None, None)):
        y = x.redistribute(to)
        assert (y.local == mine_of(whole, y.distribution)).all()


@pytest.mark.procs(2)
def test_a_fault_of_one_process_fails_on_all(world, rank):
    x = array_of(oracle.numbered((6, 8), "f8"), ("block", None))
    dist = x.distribution.like(partition=(None, "block"))
    for _ in range(2):
        with pytest.raises(dri.ArgumentError, match="shape" if rank == 1 else "process 1: .*shape"):
            dri.redistribute(x, dist, out=np.zeros((1, 1)) if rank == 1 else np.zeros(dist.local_shape))
        dri.redistribute(x, dist, out=np.zeros(dist.local_shape))
    with pytest.raises(dri.ArgumentError, match="dtype"):
        x.redistribute(dist, dtype="f4" if rank == 1 else None)
    with pytest.raises(dri.ArgumentError, match="order 'Z'"):
        x.redistribute(dist, layout="Z" if rank == 1 else "C")
    with pytest.raises(dri.MismatchError):
        dri.redistribute(x, dri.Distribution((6, 9), "f8", ("block", None)))
    with pytest.raises(dri.ArgumentError):
        x.redistribute(("nonsense", None))


@pytest.mark.procs(2)
@pytest.mark.parametrize("last_has", ["partition", "distribution", "array"])
def test_a_partition_beside_a_distribution(world, rank, last_has):
    """It is refused with the processes, also where each of them knows its call, and the right call succeeds then."""
    whole, last = oracle.numbered((6, 8), "f8"), len(world) - 1
    x = array_of(whole, ("block", None))
    rule = ("cyclic", None)
    dist = x.distribution.like(partition=rule)
    to = {"partition": rule, "distribution": dist, "array": dri.zeros(dist)}
    other = "distribution" if last_has == "partition" else "partition"
    words = {"partition": "a partition", "distribution": "a Distribution or an Array", "array": "a Distribution or an Array"}
    for _ in range(2):
        with pytest.raises(dri.MismatchError, match=f"process 0 passes {words[other]}, but process {last} {words[last_has]}"):
            dri.redistribute(x, to[last_has if rank == last else other])
        for one in to.values():
            assert np.array_equal(dri.redistribute(x, one).local, array_of(whole, rule).local)


def test_wrong_arrays(world):
    dist = dri.Distribution((6, 8), "f8", ("block", None))
    with pytest.raises(dri.ArgumentError, match="shape"):
        dri.Array(dist, np.zeros((1, 1)))
    with pytest.raises(dri.DtypeError):
        dri.Array(dist, np.zeros(dist.local_shape, "f4"))
    with pytest.raises(TypeError):
        dri.redistribute(np.zeros(3), dist)
    with pytest.raises(TypeError):
        dri.Array((6, 8))


@pytest.mark.procs(2)
def test_a_plan_holds_for_aligned_memory_alone(world, rank):
    x = array_of(oracle.numbered((6, 8), "f8"), ("block", None))
    dist = x.distribution.like(partition=(None, "block"))
    for _ in range(2):
        dri.redistribute(x, dist, out=np.zeros(dist.local_shape))
    shifted = np.zeros(8 * int(np.prod(dist.local_shape)) + 4, "u1")[4:].view("f8").reshape(dist.local_shape)
    with pytest.raises(ValueError, match="aligned"):
        dri.redistribute(x, dist, out=shifted if rank == 1 else np.zeros(dist.local_shape))
    y = dri.redistribute(x, dist, out=np.zeros(dist.local_shape))
    assert (y.local == mine_of(oracle.numbered((6, 8), "f8"), dist)).all()


class Interrupted:
    """A mover that Ctrl-C interrupts when it has moved."""

    has_agreed = True

    def __init__(self, mover):
        self.mover = mover

    def run(self, *arguments):
        assert self.mover.run(*arguments) is True
        raise KeyboardInterrupt


@pytest.mark.parametrize("is_known", [False, True])
def test_an_interrupted_plan_is_dropped(world, monkeypatch, is_known):
    whole = oracle.numbered((6, 8), "f8")
    x = array_of(whole, ("block", None))
    x.redistribute((None, "block"))
    run = dri._plans.Plan.run

    def interrupted(plan, *arrays):
        run(plan, *arrays)
        raise KeyboardInterrupt

    known = dri._plans.store._known
    monkeypatch.setattr(dri._plans.Plan, "run", interrupted)
    for name in list(known):
        if is_known:
            known[name] = known[name]._replace(mover=Interrupted(known[name].mover))
        else:
            del known[name]
    with pytest.raises(KeyboardInterrupt):
        x.redistribute((None, "block"))
    monkeypatch.undo()
    assert cache_info().entries == 0
    y = x.redistribute((None, "block"))
    assert (y.local == mine_of(whole, y.distribution)).all()


def test_calls_by_the_same_names_with_other_arrays(world, rank):
    """What is known of a call holds for its objects alone: other strides, dtypes and arrays have other plans."""
    whole = oracle.numbered((6, 8), "f8")
    rows = dri.Distribution(whole.shape, "f8", ("block", None))
    columns = rows.like(partition=(None, "block"))
    arrays = [np.zeros(rows.local_shape), np.zeros(rows.local_shape, order="F"), np.zeros((*rows.local_shape, 2))[..., 1]]
    outs = [np.zeros(columns.local_shape, order=order) for order in "CF"] + [None]
    for _ in range(3):
        for i, local in enumerate(arrays):
            local[...] = mine_of(whole, rows) + i
            for out in outs:
                y = dri.redistribute(dri.Array(rows, local), columns, out=out)
                assert (y.local == mine_of(whole, columns) + i).all() and (out is None or y.local is out)
    for scale in (2, 0.5, 1):
        y = dri.redistribute(dri.Array(rows, arrays[0]), columns, scale=scale)
        assert (y.local == mine_of(whole, columns) * scale).all()
    halo = rows.like(overlap=[1, 0])
    for _ in range(3):
        x = dri.zeros(halo)  # often where the last one was
        x.local[halo.owned] = whole[halo.part().slices]
        for _ in range(2):
            x.update_overlap()
            assert (x.local == whole[halo.indices(0)]).all()
            x.local[halo.owned] = whole[halo.part().slices]


@pytest.mark.procs(2)
def test_orders_of_a_group_have_agreements_of_their_own(world, rank):
    whole = oracle.numbered((6, 8), "f8")
    forwards = array_of(whole, ("block", None))
    backwards = array_of(whole, ("block", None), dri.Group(reversed(world)))
    for _ in range(3):
        for x in (forwards, backwards):
            y = x.redistribute((None, "block"))
            assert (y.local == mine_of(whole, y.distribution)).all()
        both = forwards.redistribute(backwards.distribution)
        assert (both.local == backwards.local).all()
        if rank < 2:
            pair = array_of(whole, ("block", None), world[:2])
            y = pair.redistribute((None, "block"))
            assert (y.local == mine_of(whole, y.distribution)).all()


@pytest.mark.procs(2)
def test_an_agreement_that_one_process_gives_up_is_made_anew(world, rank):
    whole = oracle.numbered((6, 8), "f8")
    x = array_of(whole, ("block", None))
    for lost in (*range(len(world)), None):
        for to in ((None, "block"), (None, "block"), ("cyclic", None)):
            y = x.redistribute(to)
            assert (y.local == mine_of(whole, y.distribution)).all()
        if rank == lost:
            dri._plans.accords.drop(world)
    assert dri._plans.accords.of(world) is not None


def test_memory_of_arrays_is_freed(world):
    """Arrays of the package lie in shared memory, which kept plans name. It goes with its array nevertheless."""
    rows = dri.Distribution((64 * len(world), 64), "f8", ("block", None))
    columns, halo = rows.like(partition=(None, "block")), rows.like(overlap=[1, 0])
    whole = oracle.numbered(rows.shape, "f8")
    before = dri._dri.free_left()
    for _ in range(5):
        x, y, u = dri.zeros(rows), dri.empty(columns), dri.zeros(halo)
        for k in range(3):
            x.local[...] = whole[x.distribution.part().slices] + k
            assert x.redistribute(y) is y and (y.local == whole[columns.part().slices] + k).all()
            u.local[halo.owned] = whole[halo.part().slices] - k
            u.update_overlap()
            assert (u.local == whole[halo.indices(0)] - k).all()
        del x, y, u
        gc.collect()
        assert dri._dri.free_left() <= before + 1  # the one of the update in place, until the next plan
    view = dri.zeros(rows).local[3:5]
    gc.collect()
    view[...] = 7  # a view keeps the memory
    dri.zeros(rows).redistribute(columns)
    assert (view == 7).all()
