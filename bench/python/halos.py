"""Halos in place beside packed edges by Isend and Irecv."""

from __future__ import annotations

from typing import Iterator

import numpy as np

import dri
from peers import HaloByHand
from rounds import Result, comm, microseconds, seconds_of, times_as_fast


def halos(n: int) -> Iterator[Result]:
    """Blocks of rows, blocks of columns, and where there are four processes a square."""
    grids = [(comm.size, 1), (1, comm.size), *([(2, 2)] if comm.size == 4 else [])]
    for grid in grids:
        blocks = dri.Distribution((n, n), "float64", ("block", "block"), grid=grid, overlap=1, edge="wrap")
        with dri.Transfer("halo", blocks, blocks, in_place=True) as transfer:
            u = transfer.source.array
            i, j = blocks.ogrid()
            u[...] = np.nan
            u[blocks.owned] = (1000 * i + j)[blocks.owned]
            by_hand = HaloByHand(u.copy(), grid)
            transfer.do()
            by_hand()
            assert (u == 1000 * i + j).all() and (by_hand.u == u).all()
            found = seconds_of({"do() in place": transfer.do, "by hand": by_hand}, 20)
        text = f"halo of {n} squared float64, {grid[0]} x {grid[1]} blocks: beside mpi4py's Isend and Irecv of packed edges"
        ratio = times_as_fast(found, "do() in place", "by hand")
        yield Result(text, ratio, 1.0, " times", microseconds(found, "do() in place", "by hand"), True)
