"""Kernels of the user's own, arrays that are made, and moves of whole arrays, against numpy."""

import numpy as np
import pytest
from statement_arrays import found, spread, whole_of

import dri


def test_kernels(world):
    whole = whole_of((12, 4, 3))
    power, noise = spread(whole), dri.zeros(whole.shape)
    guard, reach = 1, 3

    def average(out, p):
        n, total = len(out), 0
        for d in range(guard + 1, reach + 1):
            total = total + p[reach - d : reach - d + n] + p[reach + d : reach + d + n]
        out[...] = total / (2 * (reach - guard))

    dri.apply(average, noise[reach:-reach], dri.reach(power[reach:-reach], (reach, 0, 0)))
    wanted = np.zeros(whole.shape)
    average(wanted[reach:-reach], whole)
    assert (found(noise) == wanted).all()
    assert [power[:, b].mean() for b in range(4)] == pytest.approx([whole[:, b].mean() for b in range(4)])
    x = spread(whole_of((10,)))
    y = dri.zeros((10,))
    dri.apply(lambda out, p, w, e: np.copyto(out, p[:-1] * w + e), y[1:], dri.reach(x[1:], 1, 0), np.arange(9), x[:-1] + 1)
    plain = found(x)
    assert found(y)[1:].tolist() == (plain[:-1] * np.arange(9) + plain[:-1] + 1).tolist()

    class Fault(Exception):
        pass

    def fails(out, p):
        raise Fault("in the kernel")

    with pytest.raises(Fault, match="in the kernel"):
        dri.apply(fails, y, x)
    with pytest.raises(dri.ArgumentError):
        dri.apply(average, y, dri.reach(x, 3))
    for wrong in (lambda: dri.reach(np.zeros(3), 1), lambda: dri.apply(3, y, x)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(dri.ArgumentError, match="entries"):
        dri.reach(x, (1, 2))


def test_creation(world):
    for made, wanted in (
        (dri.ones((5, 2)), np.ones((5, 2))), (dri.full(4, 7), np.full(4, 7)), (dri.full((3,), 2, "f4"), np.full(3, 2, "f4")),
        (dri.arange(7), np.arange(7)), (dri.arange(2, 9, 3), np.arange(2, 9, 3)), (dri.arange(0, 1, 0.25), np.arange(0, 1, 0.25)),
        (dri.zeros(6, "i2"), np.zeros(6, "i2")), (dri.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]])),
        (dri.fromfunction(lambda i, j: 10 * i + j, (6, 3)), np.fromfunction(lambda i, j: 10 * i + j, (6, 3))),
        (dri.arange(5) * 2 + dri.ones(5), np.arange(5) * 2 + np.ones(5)),
    ):  # fmt: skip
        assert made.shape == wanted.shape and made.dtype == wanted.dtype and (found(made) == wanted).all()
    x = dri.fromfunction(lambda i: i * i, dri.Domain(range(3, 9)), "i8")
    assert found(x).tolist() == [i * i for i in range(3, 9)]
    y = dri.array(x)
    y[...] = 0
    assert found(x).tolist() == [i * i for i in range(3, 9)] and found(dri.array(x[2:4], "f4")).tolist() == [25, 36]
    dist = dri.Distribution((4, 4), "f4", (None, "block"))
    assert (found(dri.ones(dist)) == 1).all() and dri.ones(dist).dtype == np.float32
    numbers = np.arange(16.0).reshape(4, 4)
    for x in (numbers, dri.array(numbers), dri.array(numbers)[:], dri.array(numbers) * 1):
        made = dri.array(x, dist)
        assert made.distribution == dist and made.dtype == np.float32 and (found(made) == numbers).all()
        made = dri.array(x, dri.Domain((range(4), range(4))))
        assert made.dtype == np.float64 and (found(made) == numbers).all() and made is not x
    for wrong in (lambda: dri.array(numbers[:2], dist), lambda: dri.array(dri.ones(4), dist), lambda: dri.array(1, dist, comm=[0])):
        with pytest.raises(dri.ArgumentError):
            wrong()
    with pytest.raises(TypeError):
        dri.zeros(dist, "f8")
    counts = [len(dri.empty(10).local)]
    from mpi4py import MPI

    counts = MPI.COMM_WORLD.allgather(counts[0])
    assert sum(counts) == 10 and counts == sorted(counts) and max(counts) - min(counts) <= 1


def test_moves(world, rank):
    whole = whole_of((6, 5, 4))
    x = spread(whole)
    for made, wanted in (
        (x.T, whole.T), (x.permute((1, 2, 0)), whole.transpose(1, 2, 0)), (np.transpose(x, (2, 0, 1)), whole.transpose(2, 0, 1)),
        (x.reshape(30, 4), whole.reshape(30, 4)), (x.reshape((-1, 8)), whole.reshape(-1, 8)), (np.reshape(x, 120), whole.reshape(120)),
        ((x + 1).T, (whole + 1).T), (x.transpose(-1, 1, 0), whole.T),
    ):  # fmt: skip
        assert made.shape == wanted.shape and (found(made) == wanted).all()
        made += 1  # an array like others
        assert (found(made) == wanted + 1).all()
    for one, wanted in ((x, whole), (x[1:4, 2], whole[1:4, 2]), (x * 2, whole * 2), (x[:, ::2, 1:], whole[:, ::2, 1:])):
        for root in (0, len(world) - 1, -1):
            made = one.gather(root)
            assert (made == wanted).all() if root in (rank, -1) else made is None
    for wrong in (lambda: x.permute((0, 1)), lambda: x.permute((0, 0, 1)), lambda: x.reshape(7, 7), lambda: x[1:].gather(99)):
        with pytest.raises(dri.ArgumentError):
            wrong()
    with pytest.raises(dri.UnsupportedError):
        spread(whole, "columns").reshape(120) if len(world) > 1 else x[1:].reshape(100)


def test_arange_of_a_distribution(world):
    n = 5 * len(world) + 1
    dist = dri.Distribution(n, "i8", ("cyclic",))
    made = dri.arange(dist)
    assert made.dtype == np.int64 and made.distribution == dist
    assert (made.local == dist.indices(0)).all()


@pytest.mark.parametrize("edge", [None, "zero", "replicate", "wrap"])
def test_arange_fills_the_overlap(world, edge):
    """As an update does, which the test makes behind it, into memory that holds other numbers."""
    dist = dri.Distribution(5 * len(world) + 1, "i4", (dri.block(overlap=(1, 2), edge=edge),))
    made = dri.arange(dist)
    before = made.local.copy()
    owned = dri.empty(dist)
    owned.local[...] = -7
    owned.local[dist.owned] = np.arange(dist.shape[0])[dist.part().slices]
    owned.update_overlap()
    assert before.tolist() == owned.local.tolist()


def test_arange_of_a_distribution_takes_nothing_else(world):
    dist = dri.Distribution(4, "f8", ("block",))
    two = dri.Distribution((4, 2), "f8", ("block", None))
    for over, name in ((dist, "Distribution"), (dri.zeros(4).domain, "Domain")):
        for wrong, words in (
            (dict(stop=4), f"arange takes no stop beside a {name}, but stop is 4"),
            (dict(step=2), f"arange takes no step beside a {name}, but step is 2"),
            (dict(step=0.5), f"arange takes no step beside a {name}, but step is 0.5"),
            (dict(comm=world), f"arange takes no comm beside a {name}, which has its own processes"),
        ):
            with pytest.raises(dri.ArgumentError) as raised:
                dri.arange(over, **wrong)
            assert str(raised.value) == words
    with pytest.raises(dri.ArgumentError, match="arange takes a Distribution of 1 dimension, not of 2"):
        dri.arange(two)


@pytest.mark.parametrize("partition", ["cyclic", dri.cyclic(2), "block"], ids=str)
def test_gathered_by_all(world, partition):
    """Also where a process has several boxes; arrays and sections of them."""
    whole = np.arange(5.0 * len(world) + 1)
    x = dri.zeros(dri.Distribution(whole.shape, "f8", (partition,)))
    x.local[...] = x.distribution.indices(0)
    assert np.array_equal(x.gather(-1), whole)
    assert np.array_equal(x[2:-1].gather(-1), whole[2:-1])
    found = x[1:].gather(len(world) - 1)
    assert found is None if world.position < len(world) - 1 else np.array_equal(found, whole[1:])
