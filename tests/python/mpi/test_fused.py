"""Expressions that the library's own operations compute: numpy's bits, and what np.errstate says."""

import numpy as np
import pytest

import dri
from dri import programs

TYPES = ("f4", "f8")
EXPRESSIONS = {
    "jacobi": lambda a, b: 0.25 * (a[:-2] + a[2:] + b[1:-1] + b[1:-1]),
    "one": lambda a, b: -a[1:-1],
    "all": lambda a, b: abs(a[2:] - 3 * b[1:-1]) / (a[:-2] + 0.5) - np.square(b[:-2]),
    "numbers": lambda a, b: (2 - a[1:-1]) * np.float32(1.5) + 1 / b[2:],
    "again": lambda a, b: (a[1:-1] * b[1:-1]) * (a[1:-1] * b[1:-1]) + (a[1:-1] * b[1:-1]),
    "deep": lambda a, b: a[:-2] - (a[1:-1] - (a[2:] - (b[:-2] - (b[1:-1] - (b[2:] - a[1:-1] * 3))))),
}


def whole(shape, dtype, seed):
    found = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    found.flat[::7] *= 1e30
    return found


@pytest.mark.parametrize("shape", [(9,), (700,), (9, 5), (31, 62), (7, 1300), (6, 4, 3), (8, 1, 1)])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_bits(world, name, dtype, shape):
    x, y = whole(shape, dtype, 1), whole(shape, dtype, 2)
    a, b, c = dri.array(x), dri.array(y), dri.zeros(shape, dtype)
    expression = EXPRESSIONS[name]
    with np.errstate(all="ignore"):
        wanted = expression(x, y)
        made = expression(a, b)
        assert programs.program_of(made)[0].kernel(np.dtype(dtype)) is programs.program_of(made)[0]._fused is not None
        c[1:-1] = made
        c[1:-1] += expression(a, b)
        assert c.gather(-1)[1:-1].tobytes() == (wanted + wanted).tobytes()


def test_broadcasts_and_strides(world):
    x = whole((40, 24), "f8", 3)
    a, b = dri.array(x), dri.zeros((40, 24))
    row = dri.array(x[3])
    b[1:39:2, 2:20:3] = a[0:38:2, 0:18:3] + a[2:40:2, 5:23:3] * row[0:18:3]
    wanted = np.zeros((40, 24))
    wanted[1:39:2, 2:20:3] = x[0:38:2, 0:18:3] + x[2:40:2, 5:23:3] * x[3, 0:18:3]
    assert b.gather(-1).tobytes() == wanted.tobytes()


def test_in_place(world):
    x = whole((30, 7), "f8", 4)
    a = dri.array(x)
    a[1:] = a[:-1] * 2 + a[1:]
    x[1:] = x[:-1] * 2 + x[1:]
    a *= a
    x *= x
    assert a.gather(-1).tobytes() == x.tobytes()


SHIFTS = {
    "next": (lambda x: x[1:], lambda x: x[:-1]), "before": (lambda x: x[:-1], lambda x: x[1:]),
    "same": (lambda x: x[:], lambda x: x[:]), "far": (lambda x: x[len(x) // 2 :], lambda x: x[: -(len(x) // 2)]),
}  # fmt: skip
SUMS = {
    "one": lambda a: a + 1, "two": lambda a: a * 2 + 1, "root": lambda a: np.sqrt(abs(a)) + 1,
}  # fmt: skip


@pytest.mark.parametrize("n", [12, 5000, 300000])
@pytest.mark.parametrize("expression", SUMS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_memory_of_another_array(world, shift, expression, n):
    """Each process has both arrays in one buffer: the result is as if all had been read before."""
    to, of = SHIFTS[shift]
    buffer = np.arange(n) % 7.0
    wanted = buffer.copy()
    to(wanted)[:] = SUMS[expression](of(wanted).copy())
    mine, theirs = to(buffer), of(buffer)
    dist = dri.Distribution((len(world) * len(mine),), "f8", ("block",), world)
    x, y = dri.Array(dist, mine), dri.Array(dist, theirs)
    x[...] = SUMS[expression](y)
    assert buffer.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("expression", SUMS)
def test_memory_of_a_slice(world, expression):
    x = dri.arange(5000.0 * len(world))
    y = x[:-1].distribute()  # its elements are those of x
    wanted = SUMS[expression](y.gather(-1))
    x[1:] = SUMS[expression](y)
    assert x.gather(-1)[1:].tobytes() == wanted.tobytes()


@pytest.mark.parametrize("what, first, second, operation", [
    ("divide by zero", 1.0, 0.0, lambda a, b: a / b + 1), ("overflow", 1e300, 1e300, lambda a, b: a * b + 1),
    ("invalid value", np.inf, np.inf, lambda a, b: a - b + 1), ("underflow", 1e-300, 1e-300, lambda a, b: a * b * 1),
])  # fmt: skip
def test_errstate(world, what, first, second, operation):
    n = 3 * len(world)
    a, b, c = dri.full(n, first), dri.full(n, second), dri.zeros(n)
    with np.errstate(all="ignore"):
        c[...] = operation(a, b)
    with np.errstate(all="warn"), pytest.warns(RuntimeWarning, match=what):
        c[...] = operation(a, b)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match=what):
        c[...] = operation(a, b)
    with np.errstate(all="raise"):
        c[...] = dri.full(n, 2.0) * 3 + 1
    assert (c.gather(-1) == 7).all()


def test_what_numpy_computes(world):
    """Other operations, and other types."""
    n = 4 * len(world)
    a, i = dri.arange(float(n)), dri.arange(n)
    for made in (np.sqrt(a) + 1, a**2, i + i, a + i, np.maximum(a, 1), a + 1j):
        assert programs.program_of(made)[0]._fused is None
    assert ((a + i).sum(), (a + 1j).sum()) == (n * (n - 1), n * (n - 1) / 2 + n * 1j)
    short = dri.zeros(n, "f4")
    short[...] = a + 0.1  # it is rounded once, behind the sum
    assert (short.gather(-1) == (np.arange(float(n)) + 0.1).astype("f4")).all()
