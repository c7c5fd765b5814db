"""Pieces of arrays: what each process asks for, and their description as the Dist dialect writes it."""

import gc

import numpy as np
import pytest

import dri


def bounds(world, n):
    """The rows of this process in the default partition."""
    p, rank = len(world), world.position
    less, more = divmod(n, p)
    begin = rank * less + max(0, rank - (p - more))
    return begin, begin + less + (rank >= p - more)


def numbered(n):
    return dri.fromfunction(lambda i, j: 10.0 * i + j, (n, 3))


def test_halos(world):
    n = 4 * len(world) + 1
    x = numbered(n)
    whole = x.gather(-1)
    begin, end = bounds(world, n)
    first, last = max(begin - 1, 0), min(end + 2, n)
    piece = x.repartition(np.s_[first:last])
    left, own, right = piece.parts
    assert (left == whole[first:begin]).all() and (own == whole[begin:end]).all() and (right == whole[end:last]).all()
    assert np.shares_memory(own, x.local) and piece.loffs == (first, 0)
    assert piece.shape == x.shape and piece.dtype == x.dtype and piece.array is x and "Piece" in repr(piece)
    own += 1000
    piece.update_overlap()
    assert (right == whole[end:last] + 1000).all() and (left == whole[first:begin] + 1000).all()
    x += 1000
    piece.update_overlap_start()
    piece.update_overlap_wait()
    assert (np.concatenate(piece.parts) == whole[first:last] + 2000).all()
    some = piece[1 : n - 1, ::2]
    assert (np.concatenate(some.parts) == whole[max(first, 1) : min(last, n - 1), ::2] + 2000).all()
    assert some.shape == (n - 2, 2)
    assert x.parts[0].shape == (0, 3) and len(x.parts[2]) == 0


def test_any_target(world, rank):
    n = 3 * len(world)
    x = numbered(n)
    whole = x.gather(-1)
    begin, end = bounds(world, n)
    for target in (None, np.s_[:], ..., np.s_[n - 1 :, 1:2], np.s_[2:2], np.s_[rank : rank + 2, :-1], range(0, n), np.s_[-2:]):
        piece = x.repartition(target)
        wanted = whole[begin:end] if target is None else whole[target.start : target.stop] if isinstance(target, range) else whole[target]
        assert (np.concatenate(piece.parts) == wanted).all(), target
    view = x.repartition(np.s_[: n if rank == 0 else 1])
    assert sum(map(len, view.parts)) == (n if rank == 0 else 1)
    alias = x[1::2, 1]
    assert np.concatenate(alias.repartition(...).parts).tolist() == whole[1::2, 1].tolist()
    assert ((x + 1).repartition(...).parts[1] == whole[begin:end] + 1).all()


def test_targets_that_are_none(world, rank):
    x = numbered(4 * len(world))
    for wrong, error in ((np.s_[: x.shape[0] + 1], ValueError), (np.s_[::2], TypeError), (3, TypeError), (np.s_[1.5:2], TypeError), (np.s_[:, :, :], ValueError)):
        with pytest.raises(error if rank == 0 else dri.ArgumentError, match="process 0" if rank else None):
            x.repartition(wrong if rank == 0 else ...)
    with pytest.raises(dri.UnsupportedError):
        dri.zeros(dri.Distribution((8, 8), "f8", (None, "block"))).repartition(...) if len(world) > 1 else x[::-1]
    piece = x.repartition(...)
    assert (np.concatenate(piece.parts) == x.gather(-1)).all()
    with pytest.raises(dri.ArgumentError):
        piece[0]
    with pytest.raises(TypeError):
        piece.__reduce__()


def test_views_outlive_the_piece(world):
    n = 3 * len(world)
    parts = numbered(n).repartition(...).parts
    again = [numbered(n).repartition(...).parts for _ in range(3)]
    gc.collect()
    wanted = np.add.outer(10.0 * np.arange(n), np.arange(3))
    for one in (parts, *again):
        assert (np.concatenate(one) == wanted).all()


def test_environment(world):
    n = 4 * len(world)
    x = numbered(n)
    begin, end = bounds(world, n)
    first, last = max(begin - 1, 0), min(end + 1, n)
    env = dri.DistEnv.of(x.repartition(np.s_[first:last]), team=7)
    assert env.team == 7 and env.loffs == (first, 0)
    assert [part[0] for part in env.lparts] == [begin - first, end - begin, last - end]
    assert dri.DistEnv.parse(str(env)) == env == dri.DistEnv.parse(f"ndarray.ndarray<{n}x3xf64, #dist.dist_env<{env}>>")
    whole = dri.DistEnv.of(x)
    assert whole.loffs == (begin, 0) and whole.lparts[1] == (end - begin, 3)
    for text in ("team = 1", "team = 37416 loffs = ? lparts = ?,?,?", "team = 1 loffs = 22,0 lparts = 0x0,11x55,0x0"):
        assert str(dri.DistEnv.parse(text)) == text and hash(dri.DistEnv.parse(text)) == hash(dri.DistEnv.parse(f" {text} "))
    assert dri.DistEnv.parse("team=2  loffs=1 lparts=2,6,0").lparts == ((2,), (6,), (0,))
    for wrong in (
        "", "team = ?", "team = -1", "loffs = 1 lparts = 1,1,1", "team = 1 loffs = 22", "team = 1 loffs = 2 lparts = 1,2",
        "team = 1 loffs = 1,2 lparts = 1,2,3", "team = 1 loffs = x lparts = 1,2,3", "team = 1 loffs = 1 lparts = 1,2,3 more",
        "team = 1 loffs = -1 lparts = 1,2,3", "team = 1 loffs = 1 lparts = 1,,3", "team = 1 loffs = 1 lparts = 1,2,3,4",
        "team = 1 loffs = \u0661 lparts = 1,2,3",
    ):  # fmt: skip
        with pytest.raises(dri.ArgumentError):
            dri.DistEnv.parse(wrong)
    with pytest.raises(dri.ArgumentError):
        dri.DistEnv(1, (1,), ((1,), (2.5,), (3,)))
