"""Rows to columns: a call, a transfer, and the peers."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

import dri
from peers import by_alltoallv, by_dask, by_mpi4py_fft
from rounds import Result, Row, comm, milliseconds, seconds_of, times_as_fast

GOALS = {  # order: peer, goals of redistribute and of a transfer
    "C": ("mpi4py-fft", 1.5, 2.0),
    "F": ("mpi4py-fft, then ascontiguousarray(x.T)", 3.0, 4.0),
}


def turns(n: int) -> Iterator[Result]:
    rows = dri.Distribution((n, n), "complex64", ("block", None))
    columns = rows.like(partition=(None, "block"))
    i, j = rows.ogrid()
    x = dri.empty(rows)
    x.local[...] = i + 1j * j
    from_numpy = dri.Array(rows, x.local.copy())  # memory that other processes cannot read where it lies
    i, j = columns.ogrid()
    expected = (i + 1j * j).astype("complex64")
    for order, (peer, goal, transfer_goal) in GOALS.items():
        y = dri.empty(columns, layout=order)
        with dri.Transfer("turn", rows, dri.Sink(columns, layout=order)) as turn:
            turn.source.array[...] = x.local
            found_rows: dict[str, Row] = {
                "redistribute": lambda: dri.redistribute(x, columns, out=y.local).local,
                "x of numpy": lambda: dri.redistribute(from_numpy, columns, out=y.local).local,
                "Transfer": turn.do,
                "by hand": by_hand(by_alltoallv(x.local, n), order),
                **fft_rows(x.local, n, order),
            }
            for name, row in found_rows.items():
                assert (row() == expected).all(), f"{name} at {n} squared, order {order}"
            found = seconds_of(found_rows, max(1, 2048 // n))
        text = f"rows to columns, {n} squared, {'order kept' if order == 'C' else 'columns contiguous'}"
        if "mpi4py-fft" in found:
            detail = milliseconds(found, "redistribute", "x of numpy", "Transfer", "mpi4py-fft")
            for row, wanted in (("redistribute", goal), ("Transfer", transfer_goal)):
                ratio = times_as_fast(found, row, "mpi4py-fft")
                yield Result(f"{text}: {row} beside {peer}", ratio, wanted, " times", detail, True)
        ratio = times_as_fast(found, "redistribute", "by hand")
        detail = milliseconds(found, "redistribute", "by hand")
        yield Result(f"{text}: redistribute beside mpi4py, Alltoallv by hand", ratio, 3, " times", detail, True)


def by_hand(turn: Row, order: str) -> Row:
    return turn if order == "C" else lambda: np.asfortranarray(turn())


def fft_rows(x: Any, n: int, order: str) -> dict[str, Row]:
    """mpi4py-fft's transfer, where it is installed."""
    try:
        forward, y = by_mpi4py_fft(x, n)
    except ImportError:
        return {}

    def turn() -> Any:
        forward()
        return y if order == "C" else np.ascontiguousarray(y.T).T

    return {"mpi4py-fft": turn}


def beside_dask(n: int) -> Iterator[Result]:
    """The same array in one process with two threads; and a plain copy of as many bytes by both processes."""
    rows = dri.Distribution((n, n), "complex64", ("block", None))
    columns = rows.like(partition=(None, "block"))
    i, j = rows.ogrid()
    x, y = dri.empty(rows), dri.empty(columns)
    x.local[...] = i + 1j * j
    whole = x.gather()
    try:
        dask = by_dask(whole, n)
    except ImportError:
        return
    dask()
    if comm.rank == 0:
        assert (dask.made.compute() == whole).all()  # type: ignore[attr-defined]
    same_bytes, copied = np.ones_like(y.local), np.zeros_like(y.local)
    found = seconds_of(
        {
            "redistribute": lambda: dri.redistribute(x, columns, out=y.local), "dask": dask,
            "plain copy": lambda: np.copyto(copied, same_bytes),
        }
    )  # fmt: skip
    ratio = times_as_fast(found, "redistribute", "dask")
    detail = milliseconds(found, "redistribute", "dask", "plain copy")
    yield Result(f"rows to columns, {n} squared: redistribute beside Dask's rechunk, 2 threads", ratio, 5, " times", detail, True)
