"""Bad input of every kind: the exception of the contract, with key, dimension and values, on all processes."""

import copy
import pickle

import numpy as np
import pytest
from mpi4py import MPI

import dri
from dri import dap

strided = np.lib.stride_tricks.as_strided


class Here:
    """What the wrong calls work on. Each is made anew, as a call may keep what it was given."""

    def __init__(self, world):
        self.rows = dri.Distribution((12, 8), "f8", ("block", None))
        self.columns = self.rows.like(partition=(None, "block"))
        self.x = dri.zeros(self.rows)
        self.at = self.rows.local_shape
        self.out = np.zeros(self.columns.local_shape)

    def committed(self, source=None, sink=None, **options):
        with dri.Transfer("wrong", source or self.rows, sink or self.columns, **options):
            pass

    def source(self, array):
        self.committed(dri.Source(self.rows, buffers=[array]))

    def sink(self, array):
        self.committed(sink=dri.Sink(self.columns, buffers=[array]))

    def moved(self, out):
        dri.redistribute(self.x, self.columns, out=out)

    def moved_by_two_elements(self):
        x, out = shifted(self.at, 2)
        dri.redistribute(dri.Array(self.rows, x), self.rows, out=out)


def read_only(array):
    array.flags.writeable = False
    return array


def unaligned(shape):
    return np.zeros(8 * int(np.prod(shape)) + 4, "u1")[4:].view("f8").reshape(shape)


def shifted(shape, by):
    """Two arrays of which the second begins so many elements behind the first."""
    size = int(np.prod(shape))
    memory = np.zeros(size + by)
    return memory[:size].reshape(shape), memory[by:].reshape(shape)


# What is wrong, a call with it, the same call with what is right, the exception, and words of its text.
ONE_WRONG = [
    ("dtype of a source", lambda h: h.source(np.zeros(h.at, "f4")), lambda h: h.source(np.zeros(h.at)), dri.DtypeError, ["buffer 0", "float32", "float64"]),
    ("byte order", lambda h: h.source(np.zeros(h.at, ">f8")), lambda h: h.source(np.zeros(h.at)), dri.DtypeError, ["buffer 0", ">f8"]),
    ("shape of a source", lambda h: h.source(np.zeros((3, 5))), lambda h: h.source(np.zeros(h.at)), dri.ArgumentError, ["buffer 0", "(3, 5)"]),
    ("dimensions", lambda h: h.source(np.zeros(5)), lambda h: h.source(np.zeros(h.at)), dri.ArgumentError, ["buffer 0", "(5,)"]),
    ("no array", lambda h: h.source([1.0]), lambda h: h.source(np.zeros(h.at)), dri.ArgumentError, ["buffer 0", "list"]),
    ("negative stride", lambda h: h.source(np.zeros(h.at)[:, ::-1]), lambda h: h.source(np.zeros(h.at)), dri.ArgumentError, ["buffer 0, dimension 1", "-8 bytes", "ascontiguousarray"]),
    ("stride of 0", lambda h: h.source(strided(np.zeros(8), h.at, (8, 0))), lambda h: h.source(np.zeros(h.at)), dri.ArgumentError, ["dimension 1", "0 bytes"]),
    ("strides that overlap", lambda h: h.source(strided(np.zeros(99), h.at, (16, 8))), lambda h: h.source(np.zeros(h.at)), dri.ArgumentError, ["dimension 0", "stride of 2 elements", "(16, 8)"]),
    ("unaligned", lambda h: h.source(unaligned(h.at)), lambda h: h.source(np.zeros(h.at)), dri.ArgumentError, ["buffer 0", "aligned to 8 bytes"]),
    ("read-only sink", lambda h: h.sink(read_only(h.out)), lambda h: h.sink(h.out), dri.ArgumentError, ["buffer 0", "read-only"]),
    ("read-only in place", lambda h: h.committed(sink=h.rows, in_place=True, buffers=[read_only(np.zeros(h.at))]), lambda h: h.committed(sink=h.rows, in_place=True, buffers=[np.zeros(h.at)]), dri.ArgumentError, ["buffer 0", "read-only"]),
    ("out of another dtype", lambda h: h.moved(h.out.astype("f4")), lambda h: h.moved(h.out), dri.DtypeError, ["float32", "float64"]),
    ("out of another shape", lambda h: h.moved(np.zeros((1, 1))), lambda h: h.moved(h.out), dri.ArgumentError, ["(1, 1)"]),
    ("out that is no array", lambda h: h.moved([1]), lambda h: h.moved(h.out), dri.ArgumentError, ["out", "list"]),
    ("read-only out", lambda h: h.moved(read_only(h.out)), lambda h: h.moved(h.out), dri.ArgumentError, ["read-only"]),
    ("strides of out", lambda h: h.moved(h.out[::-1]), lambda h: h.moved(h.out), dri.ArgumentError, ["dimension 0", "bytes"]),
    ("unaligned out", lambda h: h.moved(unaligned(h.out.shape)), lambda h: h.moved(h.out), dri.ArgumentError, ["aligned"]),
    ("out that is x", lambda h: dri.redistribute(h.x, h.rows, out=h.x.local), lambda h: dri.redistribute(h.x, h.rows, out=np.zeros(h.at)), dri.ArgumentError, ["shares memory"]),
    ("x that is no array", lambda h: dri.redistribute([1], h.columns), lambda h: dri.redistribute(h.x, h.columns), TypeError, ["list"]),
    ("scale", lambda h: dri.redistribute(h.x, h.columns, scale="big"), lambda h: dri.redistribute(h.x, h.columns), dri.ArgumentError, ["scale", "'big'"]),
    ("scale without end", lambda h: dri.redistribute(h.x, h.columns, scale=np.nan), lambda h: dri.redistribute(h.x, h.columns), dri.ArgumentError, ["scale is nan"]),
    ("layout", lambda h: dri.redistribute(h.x, h.columns, layout=(0, 1, 2)), lambda h: dri.redistribute(h.x, h.columns), dri.ArgumentError, ["3 entries", "2 dimensions"]),
    ("order of a layout", lambda h: dri.redistribute(h.x, h.columns, layout=(0, 0)), lambda h: dri.redistribute(h.x, h.columns), dri.ArgumentError, ["order[1] is 0"]),
    ("objects", lambda h: h.rows.like(dtype=object), lambda h: h.rows.like(dtype="f4"), dri.DtypeError, ["object"]),
    ("size", lambda h: h.rows.like(shape=(6, -8)), lambda h: h.rows.like(shape=(6, 8)), dri.ArgumentError, ["dimension 1", "-8"]),
    ("partition", lambda h: h.rows.like(partition=("block", "blok")), lambda h: h.rows.like(partition=("block", None)), dri.ArgumentError, ["dimension 1", "'blok'"]),
    ("edge", lambda h: h.rows.like(edge=["wrap", "round"]), lambda h: h.rows.like(edge="wrap"), dri.ArgumentError, ["dimension 1", "'round'"]),
    ("grid", lambda h: h.rows.like(grid=("a", 1)), lambda h: h.rows.like(), dri.ArgumentError, ["dimension 0", "'a'"]),
    ("array of a scatter", lambda h: dri.scatter([1], "block"), None, dri.ArgumentError, ["list"]),
    ("no array for a scatter", lambda h: dri.scatter(None, "block"), None, dri.ArgumentError, ["the root passes None"]),
]  # fmt: skip


@pytest.mark.parametrize("wrong, right, error, words", [row[1:] for row in ONE_WRONG], ids=[row[0] for row in ONE_WRONG])
def test_of_one_process(world, rank, wrong, right, error, words):
    """It is everybody's error, and the others learn whose it is. Then the right call succeeds."""
    here, last = Here(world), len(world) - 1 if right else 0
    with pytest.raises(error) as raised:
        (wrong if rank == last or right is None else right)(here)
    text = str(raised.value)
    assert all(word in text for word in words), text
    if rank != last:
        assert text.startswith(f"process {last}: "), text
    if right:
        right(Here(world))


# The same on all processes.
ALL_WRONG = [
    ("communicator", lambda h: dri.Distribution((4,), "f8", "block", 7), TypeError, ["int"]),
    ("null communicator", lambda h: dri.Distribution((4,), "f8", "block", MPI.COMM_NULL), dri.ArgumentError, ["MPI_COMM_NULL"]),
    ("ranks", lambda h: dri.Distribution((4,), "f8", "block", [0, 99]), dri.ArgumentError, ["99", "procs[1]|position 1"]),
    ("a rank twice", lambda h: dri.Group([1, 0, 1]), dri.ArgumentError, ["position 2", "rank 1", "position 0"]),
    ("a word for a communicator", lambda h: dri.Distribution((4,), "f8", "block", "world"), TypeError, ["communicator", "str"]),
    ("a name of a setting", lambda h: dri.Source(h.rows, bufers=2), dri.ArgumentError, ["'bufers'", "beside layout, buffers"]),
    ("an order", lambda h: h.x.permute((0, 0)), dri.ArgumentError, ["(0, 0)", "2 dimensions"]),
    ("one element", lambda h: h.x[3, 4], dri.UnsupportedError, ["at() reads it"]),
    ("no commit", lambda h: dri.Transfer("not yet", h.rows, h.columns).do(), dri.StateError, ["'not yet'", "dri.commit"]),
    ("communicator of init", lambda h: dri.init("world"), TypeError, ["str"]),
    ("the same buffer twice", lambda h: h.committed(dri.Source(h.rows, buffers=[h.x.local, h.x.local])), dri.ArgumentError, ["buffs[0]", "buffs[1]"]),
    ("buffers that overlap", lambda h: h.committed(dri.Source(h.rows, buffers=shifted(h.at, 1))), dri.ArgumentError, ["buffs[0]", "buffs[1]"]),
    ("ends that overlap", lambda h: h.committed(*(end(h.rows, buffers=[one]) for end, one in zip((dri.Source, dri.Sink), shifted(h.at, 1)))), dri.ArgumentError, ["buffer 0 of the source", "buffer 0 of the sink"]),
    ("out that overlaps x", lambda h: h.moved_by_two_elements(), dri.ArgumentError, ["shares memory"]),
    ("buffers of two strides", lambda h: h.committed(dri.Source(h.rows, buffers=[np.zeros(h.at), np.zeros(h.at, order="F")])), dri.ArgumentError, ["buffer 1", "strides"]),
    ("one array at both ends", lambda h: h.committed(dri.Source(h.rows, buffers=[h.x.local]), dri.Sink(h.rows, buffers=[h.x.local])), dri.ArgumentError, ["buffer 0 of the source", "buffer 0 of the sink"]),
    ("dtypes of the ends", lambda h: h.committed(sink=h.columns.like(dtype="f4")), dri.MismatchError, ["double", "float"]),
    ("no conversion", lambda h: dri.redistribute(h.x, (None, "block"), dtype="S5"), dri.MismatchError, ["conversion", "5 bytes"]),
    ("shapes of the ends", lambda h: dri.redistribute(h.x, h.columns.like(shape=(12, 9))), dri.MismatchError, ["8", "9"]),
    ("a gap", lambda h: h.committed(dri.Source(h.rows.like(partition=dri.exact((0, 5), (0, 8))))), dri.Error, ["process"]),
    ("settings", lambda h: dri.Source(h.rows, timeout="soon"), dri.ArgumentError, ["timeout", "'soon'"]),
    ("a setting", lambda h: dri.Source(h.rows, colour=1), dri.ArgumentError, ["'colour'"]),
    ("a window", lambda h: dri.Source(h.rows, slides=(5,)), dri.ArgumentError, ["dimension 5"]),
    ("root", lambda h: h.x.gather("a"), dri.ArgumentError, ["'a'"]),
    ("an index", lambda h: h.rows.local_index((99, 0)), dri.OutOfRange, ["dimension 0", "99"]),
    ("pickling a source", lambda h: pickle.dumps(dri.Source(h.rows)), TypeError, ["spec"]),
    ("pickling a sink", lambda h: pickle.dumps(dri.Sink(h.rows)), TypeError, ["spec"]),
    ("copying a sink", lambda h: copy.deepcopy(dri.Sink(h.rows)), TypeError, ["spec"]),
    ("pickling an array", lambda h: pickle.dumps(h.x), TypeError, ["spec"]),
    ("a word for a row", lambda h: h.x.__setitem__(0, "x"), ValueError, ["'x'"]),
    ("words for rows", lambda h: h.x.__setitem__(slice(0, 2), [["1"], ["x"]]), ValueError, ["'x'"]),
    ("a record for a row", lambda h: h.x.__setitem__(0, np.zeros((), "i4,f8")), TypeError, ["float64"]),
]  # fmt: skip


@pytest.mark.parametrize("wrong, error, words", [row[1:] for row in ALL_WRONG], ids=[row[0] for row in ALL_WRONG])
def test_of_all_processes(world, wrong, error, words):
    with pytest.raises(error) as raised:
        wrong(Here(world))
    assert all(any(one in str(raised.value) for one in word.split("|")) for word in words), str(raised.value)


@pytest.mark.procs(2)
def test_an_intercommunicator(world, rank):
    """It has two groups, so it is no world and no group, and the collective calls refuse it everywhere."""
    half = MPI.COMM_WORLD.Split(rank % 2, rank)
    inter = half.Create_intercomm(0, MPI.COMM_WORLD, 1 - rank % 2)
    for call in (dri.Group, lambda comm: dri.Distribution((4,), "f8", "block", comm), lambda comm: dri.scatter(np.ones(4), "block", comm)):
        with pytest.raises(dri.ArgumentError, match="intercommunicator"):
            call(inter)
    inter.Free()
    half.Free()
    for call in (dri.Group, lambda comm: dri.from_distarray(dri.zeros(4), comm)):
        with pytest.raises(dri.ArgumentError, match="MPI_COMM_NULL"):
            call(half)


BLOCK = {"dist_type": "b", "size": 9, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": 9}
CYCLIC = {"dist_type": "c", "size": 9, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0}
LISTED = {"dist_type": "u", "size": 9, "proc_grid_size": 1, "proc_grid_rank": 0, "indices": np.arange(9)}


def without(dim, key):
    return {name: value for name, value in dim.items() if name != key}


# The rule of the protocol, the second dimension that breaks it, the key, and words of the message.
RULES = [
    ("dist_type", {**BLOCK, "dist_type": "x"}, "dist_type", ["x"]),
    ("missing_key", without(BLOCK, "dist_type"), "dist_type", []),
    ("missing_key", without(BLOCK, "size"), "size", ["size"]),
    ("missing_key", without(BLOCK, "proc_grid_rank"), "proc_grid_rank", ["proc_grid_rank"]),
    ("missing_key", without(BLOCK, "stop"), "stop", ["stop"]),
    ("missing_key", without(LISTED, "indices"), "indices", ["indices"]),
    ("type", {**BLOCK, "size": "9"}, "size", ["size"]),
    ("type", {**BLOCK, "start": 0.5}, "start", ["start"]),
    ("size", {**BLOCK, "size": -1}, "size", ["-1"]),
    ("proc_grid_size", {**BLOCK, "proc_grid_size": 0}, "proc_grid_size", ["0"]),
    ("proc_grid_rank", {**BLOCK, "proc_grid_rank": 3}, "proc_grid_rank", ["3"]),
    ("start", {**BLOCK, "start": -2}, "start", ["-2"]),
    ("stop_lt_start", {**BLOCK, "proc_grid_size": 2, "proc_grid_rank": 1, "start": 5, "stop": 4}, "stop", ["4", "5"]),
    ("stop_gt_size", {**BLOCK, "stop": 12}, "stop", ["12", "9"]),
    ("start_rank0", {**BLOCK, "start": 1}, "start", ["1"]),
    ("start_cyclic", {**CYCLIC, "start": 4}, "start", ["4"]),
    ("padding", {**BLOCK, "padding": (-1, 0)}, "padding", ["-1"]),
    ("periodic", {**BLOCK, "periodic": 2}, "periodic", ["2"]),
    ("one_to_one", {**LISTED, "one_to_one": 7}, "one_to_one", ["7"]),
    ("block_size", {**CYCLIC, "block_size": 0}, "block_size", ["0"]),
    ("indices_buffer", {**LISTED, "indices": [1, 2]}, "indices", []),
    ("indices_not_unique", {**LISTED, "indices": np.array([1] * 9)}, "indices", ["1"]),
    ("shape", {**BLOCK, "size": 8, "stop": 8}, "", ["8", "9"]),
]  # fmt: skip


@pytest.mark.parametrize("rule, dim, key, words", RULES, ids=[f"{row[0]} {row[2]}" for row in RULES])
def test_of_a_description(world, rank, rule, dim, key, words):
    """The rule, the key and the dimension are told; in collective calls on all processes, and by whom."""
    last, whole = len(world) - 1, {**BLOCK, "proc_grid_size": 1}
    wrong = {"__version__": "0.10.0", "buffer": np.zeros((2, 9)), "dim_data": ({**whole, "size": 2, "stop": 2}, dim)}
    found = dap.fault(wrong)
    assert found.rule == rule and found.dim == 1 and (not key or found.key == key), found
    assert all(word in found.message for word in ["dimension 1", *words]), found
    mine = dri.zeros(dri.Distribution((2 * len(world), 9), "f8", ("block", None))).__distarray__()
    given = wrong if rank == last else mine
    target = dri.empty(dri.Distribution((2 * len(world), 9), "f8", ("cyclic", None)))
    for call in (dri.from_distarray, dap.check, lambda x: dri.redistribute(x, target), lambda x: dri.redistribute(target, x)):
        with pytest.raises(dri.ArgumentError) as raised:
            call(given)
        text = str(raised.value)
        assert found.message in text and (rank == last or text.startswith(f"process {last}: ")), text


def test_of_a_whole_description(world):
    good = dri.zeros(dri.Distribution((4, 3), "f8", (None, None))).__distarray__()
    for change, rule, word in [
        ({"__version__": "1.2.0"}, "version", "1.2.0"), ({"__version__": 10}, "version", "10"), ({"buffer": [1.0]}, "buffer", "list"),
        ({"more": 1}, "extra_key", "more"), ({"dim_data": 7}, "type", "dim_data"), ({"dim_data": ()}, "ndim", "0"),
    ]:  # fmt: skip
        with pytest.raises(dap.DapError, match=word) as raised:
            dri.from_distarray({**good, **change})
        assert raised.value.fault.rule == rule
    for key in good:
        with pytest.raises(dap.DapError, match=key):
            dri.from_distarray(without(good, key))
