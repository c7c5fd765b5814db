"""Halos in place beside packed edges by Isend and Irecv."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

import dri
from peers import HaloByHand
from rounds import Result, comm, microseconds, seconds_of, times_as_fast


def halos(n: int) -> Iterator[Result]:
    """Blocks of rows, blocks of columns, and where there are four processes a square."""
    grids = [(comm.size, 1), (1, comm.size), *([(2, 2)] if comm.size == 4 else [])]
    for grid in grids:
        blocks = dri.Distribution((n, n), "float64", ("block", "block"), grid=grid, overlap=1, edge="wrap")
        halo = dri.Transfer("halo", blocks, blocks, in_place=True)
        messages: dict[str, Any] = {"ways": ("self", "message")}  # why a row is slow: what the direct way costs
        sent = dri.Transfer("sent", dri.Source(blocks, **messages), dri.Sink(blocks, **messages), in_place=True)
        with dri.commit(halo, sent) as (transfer, by_messages):
            u = transfer.source.array
            i, j = blocks.ogrid()
            u[...] = np.nan
            u[blocks.owned] = (1000 * i + j)[blocks.owned]
            by_hand = HaloByHand(u.copy(), grid)
            transfer.do()
            by_hand()
            assert (u == 1000 * i + j).all() and (by_hand.u == u).all()
            by_messages.source.array[...] = u
            found = seconds_of({"do() in place": transfer.do, "by hand": by_hand, "by messages": by_messages.do}, 20)
        text = f"halo of {n} squared float64, {grid[0]} x {grid[1]} blocks: beside mpi4py's Isend and Irecv of packed edges"
        ratio = times_as_fast(found, "do() in place", "by hand")
        yield Result(text, ratio, 1.0, " times", microseconds(found, *found), True)
