"""Ctrl-C while an expression is evaluated, or stored: all processes know the same of it, and the same call can be repeated."""

import functools

import numpy as np
import pytest
from test_interrupts import interrupt, tell, wait_for, wait_until_sent

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
        wait_until_sent()
    assert np.array_equal(use(y), wanted) and type(y) is dri.Array
    assert np.array_equal(use(y), wanted)


@pytest.mark.procs(2)
def test_a_loop_that_repeats_its_step(world, rank):
    """Each step reads what the last one has made. An expression that is kept in a name is not computed a second time."""
    u, whole = dri.arange(4 * len(world)), np.arange(4 * len(world))
    for step in range(6):
        following = u[1:] + 2 * u[:-1]
        if step == 3 and rank == 0:
            interrupt(following.evaluate)
        elif step == 3:
            wait_until_sent()
        u, whole = following.evaluate(), whole[1:] + 2 * whole[:-1]
    assert np.array_equal(u.gather(-1), whole)


def failing(out, p):
    out[...] = -1
    raise ZeroDivisionError


STORES = {
    "statement": (lambda a, b: b.__setitem__(slice(-1), a[1:] + 1), KeyboardInterrupt),
    "long statement": (lambda a, b: b.__setitem__(slice(-1), sum([a[1:]] * 70)), KeyboardInterrupt),
    "apply": (lambda a, b: dri.apply(lambda out, p: np.add(p, 1, out), b[:-1], a[1:]), KeyboardInterrupt),
    "kernel that fails": (lambda a, b: dri.apply(failing, b[:-1], a[1:]), ZeroDivisionError),
}  # fmt: skip


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", STORES)
def test_an_expression_of_the_target_is_stale(world, rank, name):
    n = 4 * len(world)
    a, b = dri.arange(n), dri.zeros(n, dtype="i8")
    call, error = STORES[name]
    if error is KeyboardInterrupt:
        for _ in range(2):
            call(a, b)
    old = b + 1
    if error is KeyboardInterrupt and rank != 0:
        wait_for([0])
        call(a, b)
    elif error is KeyboardInterrupt:
        interrupt(lambda: call(a, b))
        tell(world[1:])
        with pytest.raises(dri.StaleError):
            old.node.collect([])  # what evaluate() does first
        call(a, b)
    else:
        with pytest.raises(error):
            call(a, b)
    with pytest.raises(dri.StaleError):
        old.evaluate()
