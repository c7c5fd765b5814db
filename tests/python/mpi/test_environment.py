"""Start, groups and errors."""

import pickle

import pytest
from mpi4py import MPI

import dri


def test_init_again(world):
    assert dri.init() == world == dri.init(MPI.COMM_WORLD)
    assert world.ranks == tuple(range(MPI.COMM_WORLD.size)) and world.position == MPI.COMM_WORLD.rank


@pytest.mark.procs(2)
def test_init_on_other_processes(world):
    half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
    with pytest.raises(dri.StateError, match="other processes"):
        dri.init(half)
    assert dri.Group(half).ranks == tuple(r for r in world if r % 2 == MPI.COMM_WORLD.rank % 2)
    half.Free()


def test_groups_are_values(world, rank):
    assert dri.Group([2, 0, 1])[1:] == dri.Group([0, 1]) and dri.Group([2, 0])[0] == 2
    assert dri.Group([1, 0]) | dri.Group([2, 1]) == dri.Group([1, 0, 2])
    assert 2 in dri.Group([2]) and len(dri.Group(range(3))) == 3
    assert pickle.loads(pickle.dumps(world)) == world and hash(world) == hash(dri.Group(world))
    assert str(dri.Group([0, 1, 2, 5])) == "0-2,5"
    assert dri.Group([len(world) - 1]).position == (0 if rank == len(world) - 1 else None)
    for wrong in ([], [0, 0], [-1], ["a"]):
        with pytest.raises(dri.ArgumentError):
            dri.Group(wrong)


def test_a_communicator_of_a_group(world, rank):
    backwards = dri.Group(reversed(world))
    comm = backwards.Create_comm()
    assert comm.size == len(world) and comm.rank == len(world) - 1 - rank
    assert dri.Group(comm) == backwards
    comm.Free()


def test_errors_are_built_ins_too():
    pairs = [
        (dri.ArgumentError, ValueError, "DRI_ERR_ARG"), (dri.StateError, RuntimeError, "DRI_ERR_STATE"),
        (dri.LimitError, MemoryError, "DRI_ERR_LIMIT"), (dri.SizeError, OverflowError, "DRI_ERR_OVERFLOW"),
        (dri.PeerError, ConnectionError, "DRI_ERR_PEER"), (dri.UnsupportedError, NotImplementedError, "DRI_ERR_UNSUPPORTED"),
        (dri.TimeoutError, TimeoutError, "DRI_ERR_TIMEOUT"), (dri.EndOfStream, EOFError, "DRI_END_OF_STREAM"),
        (dri.DtypeError, TypeError, "DRI_ERR_ARG"), (dri.OutOfRange, IndexError, "DRI_ERR_ARG"),
    ]  # fmt: skip
    for error, built_in, name in pairs:
        assert issubclass(error, built_in) and issubclass(error, dri.Error) and error("x").name == name


def test_versions():
    assert dri.__version__ == ".".join(map(str, dri.version()))
