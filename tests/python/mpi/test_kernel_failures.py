"""What kernels raise while the others are late, and Ctrl-C beside kernels."""

import time

import numpy as np
import pytest
from mpi4py import MPI
from test_interrupts import send_soon, wait_until_sent

import dri


class Refused(Exception):
    """What a kernel raises."""


def refuse(out, p):
    raise Refused("not this box")


def divide(a, b):
    with np.errstate(all="raise"):
        b[:-1] = a[1:] / b[1:]


RAISED = {
    "apply": (lambda a, b: dri.apply(refuse, b[:-1], a[1:]), Refused),
    "statement": (divide, FloatingPointError),
}


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", RAISED)
def test_exceptions_of_kernels_outlast_slices(world, rank, name):
    """The others are late for more than a slice of the wait: the exception is the kernel's, and no timeout."""
    call, error = RAISED[name]
    n = 30000 * len(world)  # the core is large enough to be computed first
    a, b = dri.ones(n), dri.zeros(n)
    if rank != 0:
        time.sleep(0.6)
    with pytest.raises(error):
        call(a, b)
    b[...] = 1
    b[:-1] = a[1:] / b[1:]
    assert (b.gather(-1) == 1).all()


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", RAISED)
def test_exceptions_of_kernels_outlast_timeouts(world, rank, name):
    """A run that has timed out goes on, and then ends with the exception of its kernel."""
    call, error = RAISED[name]
    n = 30000 * len(world)
    a, b = dri.ones(n), dri.zeros(n)
    with pytest.raises(error):
        call(a, b)  # set-up has a deadline of its own
    for one in (a, b):
        one.configure(timeout=0.1)
    if rank == 0:
        with pytest.raises(dri.TimeoutError):
            call(a, b)
        MPI.COMM_WORLD.Barrier()
    else:
        MPI.COMM_WORLD.Barrier()
    for one in (a, b):
        one.configure(timeout=30)
    with pytest.raises(error):
        call(a, b)


def add(out, p):
    for _ in range(100):  # places where Python hears signals
        pass
    np.add(p, out, out)


@pytest.mark.procs(2)
@pytest.mark.parametrize("n", [12, 30000])
def test_not_in_a_kernel(world, rank, n):
    """Ctrl-C that comes while the library waits is raised behind the kernel, which is called for every box."""
    a, b = dri.arange(float(n * len(world))), dri.zeros(n * len(world))
    dri.apply(add, b[:-1], a[1:])  # in set-up it is heard before the run
    b[...] = 0
    MPI.COMM_WORLD.Barrier()
    if rank == 0:
        with pytest.raises(KeyboardInterrupt):
            send_soon()
            try:
                dri.apply(add, b[:-1], a[1:])
                time.sleep(5)
            finally:
                heard = time.monotonic()
        latest = max(MPI.COMM_WORLD.recv(source=other) for other in world[1:])
        if not np.array_equal(b.local, np.arange(1, n + 1)):
            assert heard < latest  # the machine is slow: it was heard in the wait, and the same call goes on
            dri.apply(add, b[:-1], a[1:])
    else:
        wait_until_sent()  # within a slice of the wait
        MPI.COMM_WORLD.send(time.monotonic(), 0)
        dri.apply(add, b[:-1], a[1:])
    assert (b.gather(-1)[:-1] == a.gather(-1)[1:]).all()  # it is whole, and not under way
    dri.apply(add, b[:-1], a[1:])
    assert (b.gather(-1)[:-1] == 2 * a.gather(-1)[1:]).all()
