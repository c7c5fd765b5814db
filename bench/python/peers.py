"""How the same is done without DRI: by mpi4py, by mpi4py-fft, by Dask."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from mpi4py import MPI

from rounds import Row, comm

TYPES = {"complex64": MPI.C_FLOAT_COMPLEX, "float64": MPI.DOUBLE}


def by_alltoallv(x: Any, n: int) -> Row:
    """As DTensor does it: split along the other dimension, make contiguous, exchange, concatenate."""
    size, kind = comm.size, TYPES[x.dtype.name]
    wide, rest = divmod(n, size)
    lengths = [wide + (p < rest) for p in range(size)]
    ends = np.cumsum(lengths)
    mine = lengths[comm.rank]
    sent = [length * len(x) for length in lengths]
    received = [length * mine for length in lengths]

    def turn() -> Any:
        packed = np.concatenate([np.ascontiguousarray(part).ravel() for part in np.split(x, ends[:-1], axis=1)])
        got = np.empty(n * mine, x.dtype)
        comm.Alltoallv([packed, sent, kind], [got, received, kind])
        parts = np.split(got, np.cumsum(received)[:-1])
        return np.concatenate([part.reshape(-1, mine) for part in parts])

    return turn


def by_mpi4py_fft(x: Any, n: int) -> tuple[Row, Any]:
    """A Transfer of mpi4py-fft from rows to columns, and the array that it fills."""
    from mpi4py_fft.pencil import Pencil, Subcomm

    rows = Pencil(Subcomm(comm, [0, 1]), (n, n), axis=1)
    columns = rows.pencil(0)
    transfer = rows.transfer(columns, x.dtype)
    assert rows.subshape == x.shape
    y = np.empty(columns.subshape, x.dtype)
    return (lambda: transfer.forward(x, y)), y


def by_dask(whole: Any, n: int) -> Row:
    """Dask's rechunk with two threads, on the first process alone; the others sleep meanwhile.

    The process may be bound to a core; while Dask works it may use all of them.
    """
    import dask
    import dask.array

    dask.config.set(scheduler="threads", num_workers=2)
    own, every = os.sched_getaffinity(0), range(os.cpu_count() or 1)
    os.sched_setaffinity(0, every)  # threads have what the one that starts them has
    source = dask.array.from_array(whole, chunks=(n // 2, n)).persist() if comm.rank == 0 else None
    os.sched_setaffinity(0, own)

    def turn() -> Any:
        os.sched_setaffinity(0, every)
        start = time.perf_counter()
        made = None if source is None else source.rechunk((n, n // 2)).persist()
        seconds = time.perf_counter() - start
        os.sched_setaffinity(0, own)
        sleep_until_all_are_here()
        turn.made = made  # type: ignore[attr-defined]
        return seconds if comm.rank == 0 else 0.0

    return turn


def sleep_until_all_are_here() -> None:
    """A barrier that leaves the core to others."""
    request = comm.Ibarrier()
    while not request.Test():
        time.sleep(1e-4)


class HaloByHand:
    """A halo of one element around the block of a grid of processes, periodic: packed edges, Isend and Irecv."""

    def __init__(self, u: Any, grid: tuple[int, int]) -> None:
        self.u = u
        self.cart = comm.Create_cart(grid, periods=(True, True))
        rows, columns = u.shape
        self.sent = [np.empty(length) for length in (rows, rows, columns, columns)]
        self.received = [np.empty_like(one) for one in self.sent]
        self.neighbours = [self.cart.Shift(dim, 1) for dim in range(2)]

    def __call__(self) -> None:
        u = self.u
        # Columns first; rows then carry the corners along.
        self._exchange(1, 0, (u[:, 1], u[:, -2]), (u[:, -1], u[:, 0]))
        self._exchange(0, 2, (u[1], u[-2]), (u[-1], u[0]))

    def _exchange(self, dim: int, at: int, edges: Any, halos: Any) -> None:
        before, after = self.neighbours[dim]
        if before == self.cart.rank:
            halos[0][...], halos[1][...] = edges[0], edges[1]
            return
        sent, received = self.sent[at : at + 2], self.received[at : at + 2]
        wanted = [self.cart.Irecv(received[0], after, 0), self.cart.Irecv(received[1], before, 1)]
        for buffer, edge in zip(sent, edges):
            buffer[...] = edge
        wanted += [self.cart.Isend(sent[0], before, 0), self.cart.Isend(sent[1], after, 1)]
        MPI.Request.Waitall(wanted)
        for halo, buffer in zip(halos, received):
            halo[...] = buffer
