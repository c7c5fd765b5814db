"""Ctrl-C in every wait: it is heard while the others are late, and the program goes on.

The others are late until they have word that it was heard. In set-up, where it is heard behind the call, they are until it
was sent.
"""

import atexit
import functools
import hashlib
import os
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import oracle
import pytest
from mpi4py import MPI

import dri

SOON = 0.1  # seconds until Ctrl-C
OWN = tempfile.mkdtemp() if MPI.COMM_WORLD.rank == 0 else None
SENT = Path(MPI.COMM_WORLD.bcast(OWN))  # has a file for each test in which Ctrl-C was sent
if OWN is not None:
    atexit.register(shutil.rmtree, OWN, ignore_errors=True)


def mark():
    """The file of the test that runs."""
    return SENT / hashlib.sha1(os.environ["PYTEST_CURRENT_TEST"].encode()).hexdigest()


def send_soon(seconds=SOON):
    """Ctrl-C for this process, after a while."""

    def send(mark):
        os.kill(os.getpid(), signal.SIGINT)
        mark.touch()

    threading.Timer(seconds, send, (mark(),)).start()


def wait_until_sent():
    """Is late until the first Ctrl-C of this test was sent, however late the machine is."""
    end = time.monotonic() + 15  # the deadline of set-up is 20 s
    while not mark().exists():
        assert time.monotonic() < end
        time.sleep(0.005)


def interrupt(call, error=KeyboardInterrupt):
    """Ctrl-C during a call, which waits for a process that is late."""
    send_soon()
    with pytest.raises(error):
        call()
        time.sleep(5)  # a signal behind the call


def tell(ranks):
    """Ctrl-C was heard; see wait_for()."""
    for rank in ranks:
        MPI.COMM_WORLD.send("heard", rank)


def wait_for(ranks):
    """Is late until these processes have heard Ctrl-C. If one does not, the watchdog ends the job."""
    for rank in ranks:
        while not MPI.COMM_WORLD.iprobe(rank):
            time.sleep(0.005)
        assert MPI.COMM_WORLD.recv(source=rank) == "heard"


def interrupt_update(x, world):
    """Ctrl-C on the first process in an update of overlap; the others may hear that it has left."""
    if world.position == 0:
        interrupt(x.update_overlap)
        tell(world[1:])
    else:
        wait_for([0])
        try:
            x.update_overlap()
        except dri.Error:
            pass


def pair(world, name="interrupted", **sink):
    """One process has all; the others wait for it."""
    one = dri.Distribution((4 * len(world), 3), "f8", ("block", None), world[:1])
    return dri.Transfer(name, dri.Source(one, stream=True, buffers=2), dri.Sink(one.like(comm=world), **sink))


WAITS = {
    "do": lambda moved: moved.do(),
    "wait": lambda moved: (moved.start(), moved.wait()),
    "extract": lambda moved: moved.sink.extract(),
    "for": lambda moved: list(moved.sink),
    "frames": lambda moved: list(moved.sink.frames(hold=1)),
}


@pytest.mark.procs(2)
@pytest.mark.parametrize("wait", WAITS)
def test_in_a_wait_for_a_frame(world, rank, wait):
    with pair(world) as moved:
        if rank == 0:
            wait_for(range(1, len(world)))
            moved.source.put(3)
            assert (moved.sink.extract().array == 3).all()
        else:
            interrupt(lambda: WAITS[wait](moved))
            tell([0])
            found = moved.wait() if wait == "wait" else moved.do() if wait == "do" else moved.sink.extract().array
            assert (found == 3).all()


@pytest.mark.procs(2)
def test_in_a_wait_for_a_buffer(world, rank):
    with pair(world) as moved:
        if rank == 0:
            for frame in range(2):
                moved.source.put(frame)
                moved.sink.extract()
                moved.sink.release()
            interrupt(moved.source.acquire)
            interrupt(lambda: moved.source.frame().__enter__())
            tell(range(1, len(world)))
            moved.source.put(2)
            moved.source.end()
            assert [frame.number for frame in moved.sink] == [2]
        else:
            wait_for([0])
            assert [int(frame.array[0, 0]) for frame in moved.sink if frame.array.size] == [0, 1, 2]


@pytest.mark.procs(2)
@pytest.mark.parametrize("is_known", [False, True])
def test_in_a_redistribution(world, rank, is_known):
    dri.redistribute.cache_clear()
    whole = oracle.numbered((6, 8), "f8")
    x = dri.zeros(dri.Distribution(whole.shape, "f8", ("block", None)))
    x.local[...] = whole[x.distribution.part().slices]
    other = dri.redistribute(x, ("cyclic", None))  # after it the processes agree by frames
    if is_known:
        x.redistribute((None, "block"))
    failed = False
    if rank == 0:
        interrupt(lambda: x.redistribute((None, "block")))
        if is_known:
            tell(range(1, len(world)))
    else:
        wait_for([0]) if is_known else wait_until_sent()
        try:
            x.redistribute((None, "block"))
        except dri.Error:
            failed = True
    assert rank == 0 or failed
    for to in ((None, "block"), ("cyclic", None), (None, "block")):
        y = x.redistribute(to)
        assert (y.local == oracle.take(whole, [y.distribution.indices(dim) for dim in range(2)])).all()
    assert other.here


@pytest.mark.procs(2)
def test_in_an_update_of_overlap(world, rank):
    dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None), overlap=[1, 0])
    x = dri.zeros(dist)
    x.local[dist.owned] = rank
    for _ in range(2):
        x.update_overlap()
    interrupt_update(x, world)
    x.update_overlap()
    assert x.local[:, 0].tolist() == [dist.owner((int(i), 0)) for i in dist.indices(0)]


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", ["assign", "statement"])
def test_in_a_statement(world, rank, name):
    """The same call goes on."""
    n = 4 * len(world)
    a, b = dri.arange(n), dri.zeros(n)
    calls = {
        "assign": lambda: b.__setitem__(range(n - 1, -1, -1), a), "statement": lambda: b.__setitem__(slice(-1), a[1:] + 1),
    }  # fmt: skip
    call = calls[name]  # the first process needs elements of others
    call()
    call()
    if rank == 0:
        interrupt(call)
        tell(world[1:])
    else:
        wait_for([0])
    call()
    assert a.sum() == n * (n - 1) / 2
    wanted = np.arange(n)[::-1] if name == "assign" else [*range(2, n + 1), 0]
    assert (b.gather(-1) == wanted).all()


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", ["sum", "change", "gather", "slice", "repartition", "permute", "reshape"])
def test_in_a_reduction_or_a_move(world, rank, name):
    """The same call goes on. Those that make an array hear Ctrl-C behind that the first time, as set-up does."""
    n = 4 * len(world)
    a = dri.arange(n * 3).reshape(n, 3)
    whole = np.arange(n * 3).reshape(n, 3)
    calls = {
        "sum": (lambda: a.sum(), whole.sum()), "change": (lambda: abs(a[1:] - 2 * a[:-1]).max(), abs(whole[1:] - 2 * whole[:-1]).max()),
        "gather": (lambda: a.gather(-1), whole), "slice": (lambda: a[1:, 1].gather(-1), whole[1:, 1]),
        "repartition": (lambda: np.concatenate(a.repartition(...).parts), whole),
        "permute": (lambda: a.T.gather(-1), whole.T),
        # The first process then has all rows. Behind a move without a wait, Ctrl-C would come in the set-up of the gather.
        "reshape": (lambda: a.reshape(1, 3 * n).gather(-1), whole.reshape(1, 3 * n)),
    }  # fmt: skip
    call, wanted = calls[name]
    for _ in range(2):
        assert (call() == wanted).all()
    if rank == 0:
        interrupt(call)
        tell(world[1:])
    else:
        wait_for([0])
    for _ in range(2):
        assert (call() == wanted).all()
    assert a.sum() == whole.sum()


@pytest.mark.procs(2)
@pytest.mark.parametrize("call", ["commit", "distribution", "query"])
def test_in_set_up(world, rank, call):
    """Set-up ends with the others, or by the deadline; Ctrl-C is raised behind it, and nothing is left."""
    dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None))
    moved = dri.Transfer("set up", dist, dist)
    made = {
        "commit": lambda: dri.commit(moved), "query": lambda: dri.query(moved),
        "distribution": lambda: dist.like(dtype="f4"),
    }[call]  # fmt: skip
    if rank == 0:
        interrupt(made)
    else:
        wait_until_sent()
        try:
            made()
        except dri.Error:
            pass
        moved.close()
    again = dri.Transfer("set up", dist, dist)
    while True:  # the others may still have to hear that the name is free
        try:
            with again:
                again.source.array[...] = 4
                assert (again.do() == 4).all()
            break
        except dri.StateError:
            time.sleep(0.05)


def described(world, rank, **change):
    """A table of nodes by labels, in lists."""
    dim = {"dist_type": "u", "size": 3 * len(world), "proc_grid_size": len(world), "proc_grid_rank": rank, **change}
    return {"__version__": "0.10.0", "buffer": np.arange(3.0), "dim_data": ({"indices": np.arange(3) + 3 * rank, **dim},)}


def padded(world):
    """Their rows with padding, as an array."""
    left, right = int(world.position > 0), int(world.position < len(world) - 1)
    at = world.position
    dim = {"dist_type": "b", "size": 3 * len(world), "proc_grid_size": len(world), "proc_grid_rank": at}
    dim.update(start=3 * at - left, stop=3 * at + 3 + right, padding=(left, right))
    return dri.from_distarray({"__version__": "0.10.0", "buffer": np.full(dim["stop"] - dim["start"], at), "dim_data": (dim,)})


STEPS = {
    "import for an update": lambda world, x: x._described.for_update(),  # the first update makes it
    "expression of another dtype": lambda world, x: (x > 0).evaluate(),
    "check": lambda world, x: dri.dap.check(x),
    "check of lists": lambda world, x: dri.dap.check(described(world, world.position, one_to_one=True)),
    "from_distarray": lambda world, x: dri.from_distarray(x),
    "relabel": lambda world, x: dri.dap.relabel(x, x),
    "scatter": lambda world, x: dri.scatter(np.arange(6.0) if world.position == 0 else None, "block"),
    "traffic": lambda world, x: dri.plot.traffic(x),
    "array": lambda world, x: dri.Array(dri.Domain(dri.block_map(range(9)), range(9)), dtype="f4"),
    "zeros": lambda world, x: dri.zeros(5 * len(world)) + 1,
}


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", STEPS)
def test_in_a_call_of_several_steps(world, rank, name):
    """Ctrl-C is raised behind the last step: for the others the call succeeds, and no step waits for its deadline."""
    x = described(world, rank)
    if name == "import for an update":
        x = padded(world)
    elif name == "expression of another dtype":
        x = dri.zeros(dri.Distribution((3 * len(world),), "f4", "block", overlap=1))
    elif name == "traffic":
        pytest.importorskip("matplotlib").use("agg")
        x = dri.Transfer("traffic", *(dri.Distribution((4, 4), "f8", cut) for cut in (("block", None), (None, "block"))))
        dri.commit(x)
    start = time.monotonic()
    if rank == 0:
        interrupt(lambda: STEPS[name](world, x))
    else:
        wait_until_sent()
        STEPS[name](world, x)
    STEPS[name](world, x)
    assert time.monotonic() - start < 10  # the deadline is 20 s
    if name == "traffic":
        x.close()


@pytest.mark.procs(2)
def test_in_close(world, rank):
    """A source whose memory others still read is closed when they have read it, and Ctrl-C is raised then."""
    dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None), world[:1])
    mine = [np.ones(dist.local_shape)] if dist.here else 1
    moved = dri.Transfer("closes", dri.Source(dist, buffers=mine), dist.like(comm=world))
    dri.commit(moved)
    if rank == 0:
        moved.source.insert()
        interrupt(moved.close)
        with pytest.raises(dri.ClosedError):
            moved.do()
        moved.close()
    else:
        wait_until_sent()
        assert (moved.sink.extract().array == 1).all()
        moved.close()


@pytest.mark.procs(2)
def test_the_second_ctrl_c(world, rank):
    with pair(world) as moved:
        if rank == 0:
            wait_for(range(1, len(world)))
            moved.source.put(1)
            assert (moved.sink.extract().array == 1).all()
        else:
            interrupt(moved.do)
            interrupt(moved.do)
            tell([0])
            assert np.all(moved.do() == 1)


def scaled(factor):
    """A kernel that is another object each time."""

    def kernel(out, p):
        out[...] = factor * p

    return kernel


class Scaled:
    """A kernel that cannot be compared."""

    def __call__(self, out, p):
        out[...] = 2 * p


OTHERS = {
    "statement": (lambda a, b, factor: b.__setitem__(slice(-1), factor * a[1:]), [3]),
    "memory": (lambda a, b, factor: b.__setitem__(slice(-1), np.array([2.0]) * a[1:] + (factor - 2)), [3]),
    "apply": (lambda a, b, factor: dri.apply(scaled(factor), b[:-1], a[1:]), [3, np.float64(2)]),
    "partial": (lambda a, b, factor: dri.apply(functools.partial(scaled(2.0), **{}), b[:-1], a[1:]), []),
    "object": (lambda a, b, factor: dri.apply(Scaled(), b[:-1], a[1:]), []),
    "long": (lambda a, b, factor: b.__setitem__(slice(-1), factor * sum([a[1:]] * 70) / 70), [3]),
}  # fmt: skip


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", OTHERS)
def test_another_statement_is_refused(world, rank, name):
    """It has the same operands, but other numbers. The same one goes on, though its kernel is made anew."""
    n = 4 * len(world)
    a, b = dri.array(np.arange(float(n))), dri.zeros(n)
    run, others = OTHERS[name]
    run(a, b, 2.0)
    if rank == 0:
        interrupt(lambda: run(a, b, 2.0))
        for other in others:
            with pytest.raises(dri.StateError, match="another"):
                run(a, b, other)
        interrupt(lambda: run(a, b, 2.0))
        tell(world[1:])
    else:
        wait_for([0])
    run(a, b, 2.0)
    assert (b.gather(-1) == [*(2.0 * np.arange(1, n)), 0]).all()
    run(a, b, 4.0)
