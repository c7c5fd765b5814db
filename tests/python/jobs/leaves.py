"""One process leaves while the others wait for it. usage: leaves.py WAIT HOW, on 2 to 4 processes.

The last process leaves by an exception, or by sys.exit. Each of the others prints "told" and what it was told, and ends.
"""

import os
import sys
import time

import numpy as np
from mpi4py import MPI

import dri

wait, how = sys.argv[1:]
world = dri.init()
rank, last = world.position, len(world) - 1
rows = dri.Distribution((4 * len(world), 6), "f8", ("block", None))
columns = rows.like(partition=(None, "block"))
theirs = rows.like(comm=[last])


def leave():
    time.sleep(0.4)  # the others wait by then
    if how == "exit":
        sys.exit(3)
    raise RuntimeError("one fails")


def transfers():
    if wait == "mine":  # the last process's own memory, which others have not read
        mine = np.ones(theirs.local_shape) if theirs.here else None
        return dri.Transfer("left", dri.Source(theirs, buffers=[mine]) if theirs.here else dri.Source(theirs), rows)
    return dri.Transfer("left", dri.Source(theirs, stream=True, buffers=2), dri.Sink(rows, buffers=2))


def frames():
    moved = transfers()
    dri.commit(moved)
    if rank == last:
        if wait in ("kept", "mine"):  # a frame that nobody takes
            moved.source.array[...] = 1
            moved.source.insert()
            MPI.COMM_WORLD.Barrier()
        leave()
    if wait in ("kept", "mine"):
        MPI.COMM_WORLD.Barrier()
        time.sleep(1.0)
    if wait == "for":
        for frame in moved.sink:
            raise AssertionError
    for _ in range(2):
        moved.do()


def inside():
    with transfers() as moved:
        if rank == last:
            moved.source.put(1)
            leave()
        for _ in range(2):
            moved.sink.extract()
            moved.sink.release()


def arrays():
    x = dri.zeros(rows.like(overlap=[1, 0]) if wait == "overlap" else rows)
    call = x.update_overlap if wait == "overlap" else lambda: x.redistribute((None, "block"))
    for _ in range(3):
        call()
    if rank == last:
        leave()
    call()


def ends():
    if rank == last:
        leave()
    dri.finalize()


def set_up():
    if rank == last:
        leave()
    rows.like(dtype="f4")


KINDS = {"redistribute": arrays, "overlap": arrays, "inside": inside, "finalize": ends, "set up": set_up}
try:
    KINDS.get(wait, frames)()
except dri.Error as error:
    assert rank != last, error
    os.write(1, f"told {type(error).__name__}: {error}\n".encode())  # in one piece, beside the others
    raise
