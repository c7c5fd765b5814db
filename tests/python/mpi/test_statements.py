"""Statements on distributed arrays, against numpy on the whole array."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statement_arrays import KINDS, found, spread, whole_of

import dri

BOUNDED = settings(max_examples=60, deadline=None, derandomize=True, database=None)
DTYPES = ["f8", "f4", "i8", "i2", "c16", "u1", "?"]


def test_jacobi(world):
    a = dri.zeros((9, 7))
    a[0] = 1
    b = dri.array(a)
    p = np.zeros((9, 7))
    p[0] = 1
    q = p.copy()
    for _ in range(4):
        b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        q[1:-1, 1:-1] = 0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])
        assert abs(b - a).max() == abs(q - p).max()
        a, b, p, q = b, a, q, p
    assert (found(a) == p).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_types_and_operations(world, kind, dtype):
    whole, other = whole_of((8, 6), dtype), whole_of((8, 6), dtype, 1)
    x, y = spread(whole, kind), spread(other, kind)
    operations = [lambda a, b: a + b, lambda a, b: a * 2, lambda a, b: a == b, lambda a, b: a[1:] * b[:-1]]
    if dtype != "?":
        operations += [lambda a, b: a - b, lambda a, b: a / b, lambda a, b: -a + 1.5, lambda a, b: a**2]
    if dtype not in ("?", "c16"):
        operations += [
            lambda a, b: a // b, lambda a, b: np.maximum(a, b) % 7, lambda a, b: np.where(a > b, a, b * 2),
            lambda a, b: (a < b) | (a == 3),
        ]  # fmt: skip
    if dtype in ("f8", "f4"):
        operations += [lambda a, b: np.sqrt(a) + np.exp(-b), lambda a, b: np.arctan2(a, b), lambda a, b: np.floor(a).astype("i4")]
    for operation in operations:
        wanted = operation(whole, other)
        lazy = operation(x, y)
        assert isinstance(lazy, dri.Array) and lazy.shape == wanted.shape and lazy.dtype == wanted.dtype
        made = found(lazy)
        assert np.array_equal(made.astype(wanted.dtype), wanted) or np.allclose(made, wanted, rtol=1e-6)


def draw_slices(draw, shape, wanted):
    """A slice of an array per dimension with as many elements as wanted."""
    made = []
    for n, size in zip(shape, wanted):
        step = draw(st.integers(1, max(1, (n - 1) // max(1, size - 1)))) if size > 1 else 1
        first = draw(st.integers(0, n - (size - 1) * step - 1))
        made.append(slice(first, first + (size - 1) * step + 1, step))
    return tuple(made)


def draw_tree(draw, depth):
    """An expression of reads by their numbers."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.one_of(st.integers(0, 4), st.sampled_from(["2.5", "-1"])))
    return (draw(st.sampled_from("+-*m")), draw_tree(draw, depth - 1), draw_tree(draw, depth - 1))


def computed(tree, reads):
    if isinstance(tree, int):
        return reads[tree % len(reads)]
    if isinstance(tree, str):
        return float(tree)
    left, right = computed(tree[1], reads), computed(tree[2], reads)
    if tree[0] == "m":
        return np.minimum(left, right)
    return left + right if tree[0] == "+" else left - right if tree[0] == "-" else left * right


@BOUNDED
@given(st.data())
def test_random_statements(world, data):
    draw = data.draw
    ndim = draw(st.integers(1, 3))
    shape = tuple(draw(st.integers(3, 8)) for _ in range(ndim))
    size = tuple(draw(st.integers(1, n)) for n in shape)
    dtype = draw(st.sampled_from(["f8", "f4", "i8"]))
    wholes = [whole_of(shape, dtype, seed) for seed in range(3)]
    arrays = [spread(one, draw(st.sampled_from(KINDS))) for one in wholes]
    to = draw_slices(draw, shape, size)
    reads, plain = [], []
    for _ in range(draw(st.integers(1, 5))):
        which = draw(st.integers(0, 3))
        broadcast = tuple(1 if draw(st.integers(0, 5)) == 0 else n for n in size)
        if which == 3:
            memory = whole_of(broadcast[draw(st.integers(0, ndim - 1)) :], dtype, 9)
            reads.append(memory)
            plain.append(memory)
        else:
            at = draw_slices(draw, shape, broadcast)
            reads.append(arrays[which][at])
            plain.append(wholes[which][at])
    tree = draw_tree(draw, 3)
    with np.errstate(all="ignore"):
        value, wanted = computed(tree, reads), computed(tree, plain)
        arrays[0][to] = value
        wholes[0][to] = np.array(wanted)  # numpy 1.24 writes before it has read a view of the same elements
    assert np.array_equal(found(arrays[0]), wholes[0].astype("f8"))
    with np.errstate(all="ignore"):
        if isinstance(value, dri.Array) and np.shape(value) == np.shape(wanted) and value.dtype.kind in "fi":
            fresh, again = computed(tree, reads), computed(tree, plain)
            for name in ("min", "max"):
                assert getattr(fresh, name)() == getattr(np.asarray(again), name)()
            assert np.isclose(float(fresh.sum()), float(np.sum(again, dtype="f8")), rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions(world, kind, dtype):
    whole = whole_of((7, 5), dtype)
    x = spread(whole, kind)
    assert x[1:5, 2].size == 4
    for name in ("sum", "min", "max", "mean", "any", "all"):
        if dtype == "c16" and name in ("min", "max"):
            with pytest.raises(TypeError):
                getattr(x, name)()
            continue
        wanted = getattr(whole, name)()
        for made in (getattr(x, name)(), getattr(np, name)(x)):
            assert type(made) is type(wanted) and np.isclose(made, wanted, rtol=1e-5)
        assert np.isclose(getattr(x[1:5, 2], name)(), getattr(whole[1:5, 2], name)(), rtol=1e-5)
    with pytest.raises(dri.UnsupportedError, match="axis"):
        x.sum(axis=0)
    nothing = x[3:3]
    assert nothing.sum() == 0 and not nothing.any() and nothing.all()
    with pytest.raises(ValueError):
        nothing.max()
    outer = x[:, :1] != x[:1]
    assert outer.sum() == (whole[:, :1] != whole[:1]).sum()


def test_nan(world):
    whole = whole_of((9,))
    whole[4] = np.nan
    x = spread(whole)
    assert np.isnan(x.max()) and np.isnan(x.min()) and np.isnan(x.sum())


def test_equal_programs(world):
    """Programs are kept by what they compute: numbers that compare equal are not the same."""
    x = spread(whole_of((6,)))
    for number in (0.0, -0.0, 0, False, 1, 1.0, True, np.float32(1), np.int8(1)):
        made, wanted = (x * number).evaluate(), found(x) * number
        assert made.dtype == (found(x) * number).dtype and (np.signbit(made.gather(-1)) == np.signbit(wanted)).all()
    y = spread(whole_of((6,), "f8", 1))
    for a, b in ((x, y), (x, x), (y, x)):
        assert (found(a[1:] * b[1:] + a[:-1]) == found(a)[1:] * found(b)[1:] + found(a)[:-1]).all()
    long = x
    for _ in range(100):
        long = long + y[0:1] / 64
    plain = found(x)
    for _ in range(100):
        plain = plain + found(y)[0] / 64
    assert (found(long) == plain).all()


def test_in_place_and_out(world):
    whole, other = whole_of((8, 5)), whole_of((8, 5), "f8", 1)
    x, y = spread(whole), spread(other, "columns")
    before = x
    x += y
    whole += other
    assert x is before and (found(x) == whole).all()
    x[2:5, ::2] *= 3
    whole[2:5, ::2] *= 3
    x[1:] = x[:-1] + x[1:]
    whole[1:] = whole[:-1] + whole[1:]
    x[:, 1] -= y[:, 0]
    whole[:, 1] -= other[:, 0]
    assert (found(x) == whole).all()
    assert np.add(x, y, out=y) is y
    other = whole + other
    np.multiply(x[1:3], 2, out=y[:2])
    other[:2] = whole[1:3] * 2
    assert (found(y) == other).all()
    counts = spread(whole_of((8, 5), "i4"))
    with pytest.raises(TypeError, match="cast"):
        counts += 1.5
    counts[...] = x + 0.7  # as numpy, cut off
    assert (found(counts) == (whole + 0.7).astype("i4")).all()
    with pytest.raises(TypeError, match="gather"):
        np.add(x, y, out=np.zeros((8, 5)))
    for wrong in (lambda: np.add(x, y, where=True), lambda: np.add.reduce(x), lambda: np.matmul(x, y), lambda: np.divmod(x, 2)):
        with pytest.raises(TypeError):
            wrong()
    x[0] = np.arange(5)
    whole[0] = np.arange(5)
    x[3:5] = y[:1]  # spread
    whole[3:5] = other[:1]
    x[:, 2:3] = np.arange(8)[:, None] * y[:, :1]
    whole[:, 2:3] = np.arange(8)[:, None] * other[:, :1]
    assert (found(x) == whole).all()


def test_what_is_not_evaluated(world):
    x = spread(whole_of((6,)))
    lazy = x + 1
    for ask in (lambda: lazy.local, lambda: lazy.parts, lambda: lazy.distribution, lambda: lazy[0:2], lambda: lazy.domain):
        with pytest.raises(dri.StateError, match="evaluate"):
            ask()
    assert "not evaluated" in repr(lazy) and lazy.here and lazy.group == world
    assert lazy.evaluate() is lazy and type(lazy) is dri.Array and lazy.local.tolist() == (x.local + 1).tolist()
    assert lazy.evaluate() is lazy
    for wrong in (lambda: np.asarray(x), lambda: iter(x), lambda: bool(x == 1), lambda: list(x + 1), lambda: np.sort(x)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="gather"):
        iter(x)
    left, own, right = x.parts
    assert len(left) == len(right) == 0 and np.shares_memory(own, x.local)


def test_stale_expressions(world):
    x, y = spread(whole_of((6,))), spread(whole_of((6,), "f8", 1))
    writes = [
        lambda: x.__setitem__(0, 1), lambda: x.__setitem__(..., y), lambda: x.__setitem__(..., y * 2),
        lambda: np.add(x, 1, out=x), lambda: y.redistribute(x), lambda: dri.assign(x[:3], y[3:]),
        lambda: dri.apply(lambda out: out.fill(3), x),
    ]  # fmt: skip
    for write in writes:
        old, deep = x[1:] + 1, 2 * (y - abs(x))
        write()
        for late in (lambda: old.evaluate(), lambda: deep.sum(), lambda: y.__setitem__(..., deep)):
            with pytest.raises(dri.StaleError, match="evaluate"):
                late()
    fresh = x + y
    y.local
    assert (found(fresh) == found(x) + found(y)).all()
    assert issubclass(dri.StaleError, dri.StateError)


def test_slices(world):
    whole = whole_of((9, 4))
    x = spread(whole)
    for wrong in (np.s_[::-1], np.s_[20], np.s_[1, 2, 3]):
        with pytest.raises(IndexError):
            x[wrong]
    with pytest.raises(IndexError, match="step"):
        x[range(8, -1, -1)] + 1
    for wrong in ([1, 2], x > 1, whole > 1, np.arange(2), None, 1.0, True):
        for kind in (IndexError, TypeError):
            with pytest.raises(kind, match="slices, ranges and numbers"):
                x[wrong]
    assert (x[np.int8(2)].gather(-1) == whole[2]).all()
    with pytest.raises(ValueError, match="shape|broadcast"):
        x + spread(whole_of((5, 4)))
    with pytest.raises(ValueError, match="shape|broadcast"):
        x[:3] = x[:4] + 1
    view = x[2:8:2][1:, 1:]
    view[...] = view * 10
    whole[2:8:2][1:, 1:] *= 10
    assert (found(x) == whole).all() and view.base is x


@pytest.mark.procs(2)
def test_groups(world, rank):
    pair = world[:2]
    if rank < 2:
        x = dri.ones(8, comm=pair)
        x[1:] = x[1:] + x[:-1]
        assert x.sum() == 15
        with pytest.raises(dri.ArgumentError, match="processes"):
            x + dri.ones(8, comm=world[:1] if rank == 0 else pair[1:])


@pytest.mark.parametrize("always", [False, True])
def test_numexpr_gives_the_same(world, monkeypatch, always):
    numexpr = pytest.importorskip("numexpr")
    from dri import _numexpr, programs

    compiled = _numexpr.compiled
    used = []

    def watched(steps, dtypes):
        made = compiled(steps, dtypes, always)
        used.append(made is not None)
        return made

    monkeypatch.setattr(programs, "compiled", watched)
    for dtype in ("f8", "f4"):
        whole, other = whole_of((9, 7), dtype), whole_of((9, 7), dtype, 1)
        x, y = spread(whole), spread(other)
        for operation in (
            lambda a, b: 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + b[1:-1, :-2]), lambda a, b: np.sqrt(a * b) - abs(b) / 3,
            lambda a, b: np.exp(-a) * np.sin(b) + np.square(b),
        ):  # fmt: skip
            made, wanted = operation(x, y), operation(whole, other)
            assert np.allclose(found(made), wanted, rtol=1e-6 if dtype == "f4" else 1e-14)
    assert numexpr and (not always or all(used))


def test_a_part_that_is_evaluated_later(world):
    """An expression keeps what its parts were, whatever becomes of them."""
    a, b = dri.ones(8), dri.ones(8)
    part = a + b
    whole = part * 2
    part.evaluate()
    assert whole.sum() == 32
    assert ((a + b) * 2).sum() == 32  # the same program
    part[...] = 5
    assert whole.sum() == 32  # from a and b
    assert (part * part).sum() == 200
