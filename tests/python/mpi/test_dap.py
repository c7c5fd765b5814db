"""Described arrays of random kinds between processes, against an oracle that walks all indices."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dri
from dri import dap

BOUNDED = settings(max_examples=25, deadline=None, derandomize=True, database=None)


def described(whole, dims):
    """The description of the part of whole that these dimensions own, in memory of its own."""
    local = whole[np.ix_(*(dap.owned_indices(dim) for dim in dims))]
    return {"__version__": "0.10.0", "buffer": np.array(local), "dim_data": dims}


@st.composite
def axis(draw, n, parts):
    kind = draw(st.sampled_from("bcu"))
    if kind == "b":
        cuts = sorted(draw(st.lists(st.integers(0, n), min_size=parts - 1, max_size=parts - 1)))
        return {"dist_type": "b", "bounds": [0, *cuts, n]}
    if kind == "c":
        return {"dist_type": "c", "size": n, "proc_grid_size": parts, "block_size": draw(st.integers(1, 3))}
    order = draw(st.permutations(range(n)))
    return {"dist_type": "u", "size": n, "indices": [order[p::parts] for p in range(parts)]}


@st.composite
def descriptions(draw, shape, size):
    grid = draw(st.sampled_from([(p, size // p) for p in range(1, size + 1) if size % p == 0]))
    return dap.from_global_dim_data([draw(axis(n, parts)) for n, parts in zip(shape, grid)])


@BOUNDED
@given(st.data())
def test_every_pair_of_descriptions(world, data):
    shape = data.draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    whole = oracle.numbered(shape, "i8")
    from_, to = (data.draw(descriptions(shape, len(world)))[world.position] for _ in range(2))
    source, target = described(whole, from_), described(np.zeros_like(whole), to)
    wanted = described(whole, to)["buffer"]
    result = dri.redistribute(source, target)
    assert (target["buffer"] == wanted).all() and np.shares_memory(result.local, target["buffer"]) == (wanted.size > 0)
    x = dri.from_distarray(source)
    assert (x.gather(0) == whole).all() if world.position == 0 else x.gather(0) is None
    again = x.__distarray__()
    assert again["buffer"] is source["buffer"] and str(again["dim_data"]) == str(source["dim_data"])
    exported = dri.Array(x.distribution, x.local).__distarray__()
    for dim, (mine, theirs) in enumerate(zip(exported["dim_data"], from_)):
        assert dap.owned_indices(mine).tolist() == dap.owned_indices(theirs).tolist(), dim


def test_equal_descriptions_share_their_distribution(world):
    whole = oracle.numbered((9, 4), "f8")
    dims = dap.from_global_dim_data([{"dist_type": "c", "size": 9, "proc_grid_size": len(world)}, {"dist_type": "n", "size": 4}])
    x, y = (dri.from_distarray(described(whole, dims[world.position])) for _ in range(2))
    assert x.distribution is y.distribution
    assert dri.Distribution(**x.distribution.spec) == x.distribution
    with pytest.raises(TypeError):
        dri.redistribute(x, x.owned)


def test_our_overlap_is_their_padding(world):
    dist = dri.Distribution((6 * len(world), 3), "f8", ("block", None), overlap=[1, 0])
    whole = oracle.numbered(dist.shape, "f8")
    x = dri.zeros(dist)
    x.local[dist.owned] = whole[dist.part().slices]
    given_ = x.__distarray__()
    assert given_["buffer"] is x.local
    left, right = world.position > 0, world.position < len(world) - 1
    assert given_["dim_data"][0].get("padding", (0, 0)) == (int(left), int(right))
    dri.from_distarray(given_).update_overlap()
    assert (x.local == whole[dist.indices(0)]).all()
    wrapped = dri.zeros(dist.like(edge="wrap"))
    whole = oracle.numbered(wrapped.shape, "f8")
    wrapped.local[...] = -1
    wrapped.local[wrapped.distribution.owned] = whole[wrapped.distribution.part().slices]
    with pytest.raises(dri.UnsupportedError, match="x.owned has no overlap"):
        wrapped.__distarray__()
    assert (dri.redistribute(dap.read(wrapped.owned), (None, "block")).gather(-1) == whole).all()
    section = dap.read(dri.zeros(dist).owned) if len(world) > 1 else dap.read(x)
    assert section.buffer.shape == tuple(s.stop - s.start for s in dist.owned) and section.shape == dist.shape


def pieces(world):
    """Bands of rows, each process's own box, with overlap beyond the array."""
    cuts = [3 * k for k in range(len(world) + 1)]
    at = world.position
    return dri.Distribution((cuts[-1], 4), "f8", dri.exact((cuts[at], cuts[at + 1]), (0, 4), overlap=[1, 0], edge="zero"))


def pieces_with_empty_ones(world):
    """All rows on the first process; the pieces of all others are empty and equal."""
    mine = (4 if world.position else 0, 4)
    return dri.Distribution((4, 4), "f8", dri.exact(mine, (0, 4), overlap=[1, 0], edge="wrap"))


def rows_of_pieces(world):
    """Two columns of pieces for an even number of processes, with no row in the last pieces."""
    columns = 2 if len(world) % 2 == 0 else 1
    row, column = divmod(world.position, columns)
    rows = max(1, len(world) // columns - 1)
    width = 4 // columns
    mine = (min(row, rows) * 2, min(row + 1, rows) * 2)
    box = (mine, (column * width, (column + 1) * width))
    return dri.Distribution((2 * rows, 4), "f8", dri.exact(*box, overlap=[1, 0], edge="wrap"))


OWNED = {
    "blocks": lambda world: dri.Distribution((3 * len(world), 4), "f8", ("block", None), overlap=[(2, 1), 1], edge="replicate"),
    "beside cyclic": lambda world: dri.Distribution((5 * len(world), 4), "f8", (dri.cyclic(2), dri.whole(overlap=1, edge="zero"))),
    "beside a list": lambda world: dri.Distribution(
        (2 * len(world), 4), "f8", (dri.indices(np.arange(2)[::-1] + 2 * world.position), dri.whole(overlap=1, edge="wrap"))
    ),
    "pieces": lambda world: pieces(world),
    "empty pieces": lambda world: pieces_with_empty_ones(world),
    "rows of pieces": lambda world: rows_of_pieces(world),
    "copies": lambda world: dri.Distribution((6, 4), "f8", (dri.block(1, overlap=1, edge="wrap"), None)),
}


@pytest.mark.parametrize("kind", OWNED)
def test_what_is_owned_has_no_overlap(world, kind):
    """Also where the protocol cannot say the overlap: the owned part of each process, on the same memory."""
    dist = OWNED[kind](world)
    whole = oracle.numbered(dist.shape, "f8")
    x = dri.zeros(dist)
    x.local[dist.owned] = whole[np.ix_(*(dist.indices(dim)[dist.owned[dim]] for dim in range(2)))]
    with pytest.raises(dri.UnsupportedError, match="x.owned"):
        x.__distarray__()
    section = dap.read(x.owned)
    dap.check(section)
    assert section.shape == dist.shape and np.shares_memory(section.buffer, x.local) == (section.buffer.size > 0)
    places = np.ix_(*(dap.owned_indices(dim) for dim in section.dim_data))
    assert (section.buffer == whole[places]).all()
    assert section.buffer.size == dist.count()[0]


def test_many_dimensions_are_refused_by_all(world, rank):
    nine = {"__version__": "0.10.0", "buffer": np.zeros((1,) * 9), "dim_data": ({},) * 9}
    mine = dri.zeros(dri.Distribution((len(world), 2), "f8", ("block", None))).__distarray__()
    for call in (dri.from_distarray, dap.check, lambda x: dri.redistribute(x, (None, "block"))):
        with pytest.raises(dri.UnsupportedError, match="9 dimensions"):
            call(nine if rank == len(world) - 1 else mine)


@pytest.mark.procs(2)
def test_faults_of_one_process_and_of_the_group(world, rank):
    whole = oracle.numbered((4 * len(world),), "f8")
    good = dap.from_global_dim_data([{"dist_type": "b", "bounds": [4 * k for k in range(len(world) + 1)]}])[rank]
    wrong = ({**good[0], "stop": 1000},) if rank == 1 else good
    for call in (lambda x: dri.from_distarray(x), lambda x: dri.redistribute(x, ("block",)), dap.check):
        with pytest.raises(dri.ArgumentError, match="stop is 1000"):
            call({**described(whole, good), "dim_data": wrong})
    shifted = ({**good[0], "size": good[0]["size"] + rank},)
    for call in (lambda x: dri.from_distarray(x), dap.check):
        with pytest.raises(dri.Error, match="size"):
            call({**described(whole, good), "dim_data": shifted})
    overlapping = {"dist_type": "u", "size": 4, "proc_grid_size": len(world), "proc_grid_rank": rank, "indices": np.arange(4)}
    twice = dri.from_distarray({**described(whole, (overlapping,)), "buffer": np.zeros(4)})
    with pytest.raises(dri.OverlapError):
        twice.redistribute(("block",))


def test_sections_made_by_hand_are_read(world, rank):
    """All processes raise, although the fault is in a tuple of one of them that ``read`` has not made."""
    size = len(world)
    dims = dap.from_global_dim_data([{"dist_type": "b", "bounds": [3 * k for k in range(size + 1)]}])[rank]
    good = dap.Section(np.zeros(3), dims)
    calls = {
        "check": dap.check, "from": dri.from_distarray, "relabel": lambda x: dap.relabel(x, good),
        "to rules": lambda x: dri.redistribute(x, ("block",)), "source": lambda x: dri.redistribute(x, good),
        "sink": lambda x: dri.redistribute(good, x),
    }  # fmt: skip
    faults = {"tuple of dictionaries": (None,), "stop is 1000": ({**dims[0], "stop": 1000},), "dist_type": ({"size": 3},)}
    for words, wrong in faults.items():
        for name, call in calls.items():
            with pytest.raises(dap.DapError, match=words):
                call(dap.Section(np.zeros(3), wrong) if rank == size - 1 else good)
    a, b = np.arange(3.0) + rank, np.zeros(3)
    dri.redistribute(dap.Section(a, ({},)), dap.Section(b, ({},)), comm=world[rank : rank + 1])
    assert (a == b).all()
    dap.check(good)


def test_read_only_memory_is_a_source_and_no_sink(world):
    whole = oracle.numbered((4 * len(world),), "f8")
    dims = dap.from_global_dim_data([{"dist_type": "b", "bounds": [4 * k for k in range(len(world) + 1)]}])[world.position]
    fixed = described(whole, dims)
    fixed["buffer"].flags.writeable = False
    y = dri.redistribute(fixed, ("cyclic",))
    assert (y.local == whole[world.position :: len(world)]).all()
    with pytest.raises(dri.ArgumentError, match="read-only|readonly"):
        dri.redistribute(y, fixed)


def label_of(index):
    """A label beyond any array, in the order of the indices."""
    return 1_000_003 * (np.asarray(index, np.int64) - 3)


def labelled(given, dim):
    """The same description, with labels as indices."""
    dims = list(given["dim_data"])
    dims[dim] = {**dims[dim], "indices": label_of(dims[dim]["indices"]), "size": 1}
    return {**given, "dim_data": tuple(dims)}


@st.composite
def mesh(draw, n, parts):
    """The nodes of each process."""
    order = draw(st.permutations(range(n)))
    cuts = [0, *sorted(draw(st.lists(st.integers(0, n), min_size=parts - 1, max_size=parts - 1))), n]
    return [np.array(order[a:b], np.int64) for a, b in zip(cuts, cuts[1:])]


@BOUNDED
@given(st.data())
def test_labels_are_numbered_before_they_move(world, data):
    n, size, rank = data.draw(st.integers(1, 20)), len(world), world.position
    whole = oracle.numbered((n, 3), "i8")
    sides = []
    for lists in (data.draw(mesh(n, size)), data.draw(mesh(n, size))):
        axes = [{"dist_type": "u", "size": n, "indices": lists}, {"dist_type": "n", "size": 3}]
        sides.append(described(whole, dap.from_global_dim_data(axes)[rank]))
    source, target = sides
    wanted = target["buffer"].copy()
    for result in (
        lambda: dri.redistribute(labelled(source, 0), labelled(target, 0)),
        lambda: dri.redistribute(*dap.relabel(labelled(source, 0), labelled(target, 0))),
    ):
        target["buffer"][...] = -1
        x = result()
        assert (target["buffer"] == wanted).all() and np.shares_memory(x.local, target["buffer"]) == (wanted.size > 0)
    before, after = dap.relabel(labelled(source, 0), labelled(target, 0), dim=0)
    for made, given_ in ((before, source), (after, target)):
        assert made.buffer is given_["buffer"] and made.shape == (n, 3)
        assert made.dim_data[0]["indices"].tolist() == given_["dim_data"][0]["indices"].tolist()
        assert made.dim_data[1] == given_["dim_data"][1]


def test_labels_of_one_process_to_all_others(world, rank):
    """Each process has a part of one of the arrays or of both; all take part."""
    size = len(world)
    common = {"dist_type": "u", "size": 1, "proc_grid_size": size, "proc_grid_rank": rank}
    source = {"__version__": "0.10.0", "buffer": np.array([5.0 * rank]), "dim_data": ({**common, "indices": np.array([-7 * rank])},)}
    asked = np.unique([-7 * (size - 1), 0])
    target = None if rank else {**source, "buffer": np.zeros(len(asked)), "dim_data": ({**common, "indices": asked},)}
    before, after = dap.relabel(source, target)
    assert before.dim_data[0]["size"] == size and before.dim_data[0]["indices"].tolist() == [size - 1 - rank]
    assert after is None if rank else after.dim_data[0]["indices"].tolist() == np.unique([0, size - 1]).tolist()


def test_labels_that_do_not_fit_are_refused_by_all(world, rank):
    size = len(world)
    common = {"dist_type": "u", "size": size, "proc_grid_size": size, "proc_grid_rank": rank}

    def part(label):
        return {"__version__": "0.10.0", "buffer": np.zeros(1), "dim_data": ({**common, "indices": np.array([label])},)}

    missing = 10_000 if rank == size - 1 else 100 + rank
    for call in (dri.redistribute, dap.relabel):
        with pytest.raises(dri.MismatchError, match=f"process {size - 1}: the sink has label 10000"):
            call(part(100 + rank), part(missing))
    bounds = dap.from_global_dim_data([{"dist_type": "b", "bounds": [*range(size + 1)]}])
    block = {"__version__": "0.10.0", "buffer": np.zeros(1), "dim_data": bounds[rank]}
    for x, to in ((part(100 + rank), block), (block, part(100 + rank)), (part(100 + rank), ("block",))):
        with pytest.raises(dri.MismatchError, match="size is"):
            dri.redistribute(x, to)
    with pytest.raises(dri.MismatchError, match="unstructured"):
        dap.relabel(part(100 + rank), block)
    for dim, kind in ((1, dri.ArgumentError), (-1, dri.ArgumentError), ("0", TypeError)):
        with pytest.raises(kind):
            dap.relabel(part(rank), part(rank), dim=dim if rank == size - 1 else 0)
    faulty = part(rank)
    if rank == size - 1:
        del faulty["buffer"]
    for call in (dri.redistribute, dap.relabel):
        with pytest.raises(dap.DapError, match="buffer"):
            call(faulty, part(rank))
    assert dri.redistribute(part(100 + rank), part(100 + rank)).shape == (size,)
