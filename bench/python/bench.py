#!/usr/bin/env python3
"""The Python package beside mpi4py by hand, in one run: medians of rounds in which the rows run alternately.

usage: scripts/mpirun.sh -n 2 --bind-to core python3 bench/python/bench.py [SIZE ...]     (1024 4096)

Each row's output is checked before it is measured. Ratios above 1 are in favour of the package.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable

import numpy as np
from mpi4py import MPI

import dri

ROUNDS = 31
world = dri.init()
comm = MPI.COMM_WORLD
Row = Callable[[], Any]


def medians(rows: dict[str, Row], repeats: int = 1) -> dict[str, float]:
    """Seconds of each row, the slowest process of each round."""
    taken: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, row in rows.items():
            comm.Barrier()
            start = time.perf_counter()
            for _ in range(repeats):
                row()
            taken[name].append(comm.allreduce(time.perf_counter() - start, MPI.MAX) / repeats)
    return {name: float(np.median(one)) for name, one in taken.items()}


def show(title: str, found: dict[str, float], against: str) -> None:
    """Rows as a table, with their ratio to one of them."""
    if world.position:
        return
    print(f"\n{title}\n\n| row | us | ratio |\n|---|---|---|")
    for name, seconds in found.items():
        print(f"| {name} | {seconds * 1e6:.1f} | {seconds / found[against]:.2f} |")


def by_alltoallv(x: Any, n: int, order: str) -> Row:
    """Rows to columns as it is written by hand: split, pack, exchange, concatenate."""
    size = len(world)
    bounds = [sum(divmod(n, size)[0] + (p < n % size) for p in range(q)) for q in range(size + 1)]
    mine = bounds[comm.rank + 1] - bounds[comm.rank]
    counts = [(bounds[p + 1] - bounds[p]) * len(x) for p in range(size)]
    heights = [bounds[p + 1] - bounds[p] for p in range(size)]

    def turn() -> Any:
        packed = np.concatenate([part.ravel() for part in np.split(x, bounds[1:-1], axis=1)])
        got = np.empty(n * mine, x.dtype)
        comm.Alltoallv([packed, counts, MPI.C_FLOAT_COMPLEX], [got, [h * mine for h in heights], MPI.C_FLOAT_COMPLEX])
        made = got.reshape(n, mine)
        return np.asfortranarray(made) if order == "F" else made

    return turn


def turns(n: int) -> None:
    """A corner turn: a transfer, one call, and by hand."""
    rows = dri.Distribution((n, n), "complex64", ("block", None))
    columns = rows.like(partition=(None, "block"))
    i, j = rows.ogrid()
    x = dri.Array(rows, (i + 1j * j).astype("complex64"))
    i, j = columns.ogrid()
    for order in "CF":
        with dri.Transfer("turn", rows, dri.Sink(columns, layout=order)) as turn:
            turn.source.array[...] = x.local
            y = dri.empty(columns, layout=order)
            hand = by_alltoallv(x.local, n, order)
            found: dict[str, Row] = {
                "Transfer.do": turn.do,
                "redistribute, out given": lambda: dri.redistribute(x, columns, out=y.local),
                "mpi4py, Alltoallv": hand,
            }
            for result in (turn.do(), dri.redistribute(x, columns, out=y.local).local, hand()):
                assert (result == i + 1j * j).all()
            show(f"rows to columns, {n} squared, order {order}", medians(found), "Transfer.do")


def halo(n: int) -> None:
    """A halo exchange along one dimension, in place, and by hand."""
    grid = dri.Distribution((n, n), "float64", ("block", None), overlap=[1, 0], edge="wrap")
    with dri.Transfer("halo", grid, grid, in_place=True) as transfer:
        u = transfer.source.array
        u[...] = comm.rank
        v = u.copy()
        before, after = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size

        def by_hand() -> None:
            wanted = [comm.Irecv(v[0], before, 0), comm.Irecv(v[-1], after, 1)]
            wanted += [comm.Isend(v[-2].copy(), after, 0), comm.Isend(v[1].copy(), before, 1)]
            MPI.Request.Waitall(wanted)

        transfer.do()
        by_hand()
        assert (u == v).all()
        found = {"Transfer.do in place": transfer.do, "mpi4py, Isend and Irecv": by_hand}
        show(f"halo of one row, {n} squared float64", medians(found), "Transfer.do in place")


def calls() -> None:
    """What calls cost beside their bytes."""
    rows = dri.Distribution((64, 64), "complex64", ("block", None))
    columns = rows.like(partition=(None, "block"))
    x, y = dri.zeros(rows), dri.zeros(columns)
    with dri.Transfer("small", rows, columns) as turn:
        found: dict[str, Row] = {
            "Transfer.do, 64 squared": turn.do,
            "redistribute, 64 squared": lambda: dri.redistribute(x, columns, out=y.local),
        }
        show("calls", medians(found, 200), "Transfer.do, 64 squared")
    given = x.__distarray__()
    local: dict[str, Row] = {
        "__distarray__": x.__distarray__,
        "dap.validate": lambda: dri.dap.validate(given),
        "dap.read": lambda: dri.dap.read(given),
        "from_distarray, known": lambda: dri.from_distarray(given),
    }
    show("descriptions", medians(local, 100), "__distarray__")


if __name__ == "__main__":
    calls()
    for size in [int(one) for one in sys.argv[1:]] or [1024, 4096]:
        turns(size)
        halo(size)
