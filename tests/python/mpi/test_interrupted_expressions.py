"""Ctrl-C while an expression is evaluated, or stored: all processes know the same of it, and the same call can be repeated."""

import functools
import time

import numpy as np
import pytest
from test_interrupts import LATE, interrupt

import dri


def applied(y, target):
    dri.apply(lambda out, p: np.copyto(out, p), target, y)
    return target.gather(-1)


def column_and_row(n):
    """An expression whose sum has no operand that leads its loop."""
    return dri.arange(n).reshape(n, 1) + dri.arange(3).reshape(1, 3)


USES = {
    "gather": lambda y: y.gather(-1),
    "transpose": lambda y: y.T.gather(-1),
    "reshape": lambda y: y.reshape(y.size, 1).gather(-1),
    "redistribute": lambda y: dri.redistribute(y, "cyclic").gather(0),
    "apply": None,
    "sum": lambda y: y.sum(),
}


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", USES)
def test_of_one_that_is_kept(world, rank, name):
    n = 4 * len(world)
    a = dri.arange(n)
    target = dri.zeros(n - 1)
    use = USES[name] or functools.partial(applied, target=target)

    def made():
        return column_and_row(n) if name == "sum" else a[1:] - 2 * a[:-1]

    wanted = use(made())
    y = made()
    if rank == 0:
        interrupt(lambda: use(y))
        assert type(y) is dri.Array
    else:
        time.sleep(LATE)
    assert np.array_equal(use(y), wanted) and type(y) is dri.Array
    assert np.array_equal(use(y), wanted)
