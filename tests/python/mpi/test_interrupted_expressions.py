"""Ctrl-C while an expression is evaluated, or stored: all processes know the same of it, and the same call can be repeated."""

import functools
import os
import signal

import numpy as np
import pytest
from test_interrupts import interrupt, tell, wait_for, wait_until_sent

import dri
from dri._signals import deferred


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
@pytest.mark.parametrize("name", [name for name in USES if name != "sum"])
def test_of_one_that_is_written_anew(world, rank, name):
    """It takes what the processes have computed together: computed anew it would read what others have written since."""
    n = 4 * len(world)
    a, target, shift = dri.arange(n), dri.zeros(n - 1), np.arange(n - 1)
    use = USES[name] or functools.partial(applied, target=target)

    def line():
        return use(a[1:] - 2 * a[:-1] + shift)

    wanted = line()
    if rank == 0:
        interrupt(line)
    else:
        wait_until_sent()
    assert np.array_equal(line(), wanted)
    a[...] = a[::1] + 1  # another one is computed
    assert np.array_equal(line(), wanted if wanted is None else wanted - 1)


@pytest.mark.procs(2)
def test_a_loop_that_repeats_its_step(world, rank):
    """Each step reads what the last one has made: a process that computed one alone would be a step behind for ever."""
    u, whole = dri.arange(4 * len(world)), np.arange(4 * len(world))
    for step in range(6):
        if step == 3 and rank == 0:
            interrupt(lambda: (u[1:] + 2 * u[:-1]).evaluate())
        elif step == 3:
            wait_until_sent()
        u, whole = (u[1:] + 2 * u[:-1]).evaluate(), whole[1:] + 2 * whole[:-1]
    assert np.array_equal(u.gather(-1), whole)


def made_and_lost(expression):
    """The result of an expression that Ctrl-C takes from its caller, here on all processes."""
    made = []

    @deferred
    def evaluated():
        made.append(expression.evaluate())
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        evaluated()
    return made[0].local


def test_a_lost_result_goes_to_the_same_expression_alone(world):
    n = 4 * len(world)
    a, b, shift = dri.arange(n), dri.arange(n), np.arange(n)
    lost = made_and_lost(a + shift)
    assert (a + shift).evaluate().local is lost
    assert (a + shift).evaluate().local is not lost
    whole = np.arange(n)
    others = {
        "operation": (lambda: a - shift, 0 * whole), "array": (lambda: b + shift, 2 * whole), "slice": (lambda: a[1:] + shift[1:], 2 * whole[1:]),
        "memory": (lambda: a + shift[::-1], whole + whole[::-1]), "dtype": (lambda: a + shift.astype("f4"), 2.0 * whole),
    }  # fmt: skip
    for other, wanted in others.values():
        lost = made_and_lost(a + shift)
        made = other().evaluate()
        assert made.local is not lost and np.array_equal(made.gather(-1), wanted)


BETWEEN = {
    "sum": lambda a, b: a.sum(), "gather": lambda a, b: a.gather(-1), "permute": lambda a, b: a.T,
    "redistribute": lambda a, b: b.redistribute("cyclic"), "statement": lambda a, b: b.__setitem__(..., a + 0),
    "assign": lambda a, b: dri.assign(b, a), "expression": lambda a, b: (b + 1).evaluate(),
}  # fmt: skip


@pytest.mark.parametrize("name", BETWEEN)
def test_another_call_gives_a_lost_result_up(world, name):
    n = 4 * len(world)
    a, b = dri.arange(n), dri.arange(n)
    BETWEEN[name](a, b)
    lost = made_and_lost(a + 1)
    BETWEEN[name](a, b)
    again = (a + 1).evaluate()
    assert again.local is not lost and np.array_equal(again.gather(-1), np.arange(n) + 1)


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
