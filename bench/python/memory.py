"""The peak of memory of a redistribution beyond x and y, beside that of its peers."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import dri
from peers import by_alltoallv, by_dask, by_mpi4py_fft
from rounds import Result, comm


def status(field: str, file: str = "status") -> int:
    """Bytes of a line of a file of /proc/self, such as VmRSS or VmHWM."""
    for line in Path(f"/proc/self/{file}").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def resident() -> int:
    return status("VmRSS")


def peak_of(work: Callable[[], object]) -> int:
    """Bytes of all processes that were resident during the work beyond those before it.

    A page that several processes have mapped counts once: each process has its share of it (Pss). What a process has
    freed before the end of its work is added.
    """
    comm.Barrier()
    before = comm.allreduce(status("Pss", "smaps_rollup"))
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    kept = work()
    freed = max(0, status("VmHWM") - resident())
    comm.Barrier()
    after = comm.allreduce(status("Pss", "smaps_rollup"))
    comm.Barrier()
    del kept
    return max(0, after - before + int(comm.allreduce(freed)))


def peaks(n: int) -> Iterator[Result]:
    rows = dri.Distribution((n, n), "complex64", ("block", None))
    columns = rows.like(partition=(None, "block"))
    x, y = dri.empty(rows), dri.empty(columns)
    for one in (x, y):
        one.local[...] = 1  # all pages are there
    dri.redistribute.cache_clear()
    peak = peak_of(lambda: dri.redistribute(x, columns, out=y.local))
    told = comm.allreduce(dri.redistribute.cache_info().bytes)
    small = 4 << 20  # what Python, MPI and the plan itself take
    size = comm.allreduce(x.local.nbytes) >> 20
    detail = f"{peak / 2**20:.3g} MiB on {comm.size} processes, told {told / 2**20:.3g} MiB; x has {size} MiB"
    for name, theirs in others(x, n):
        detail += f"; {name} {theirs / 2**20:.3g} MiB"
    text = f"peak memory of `redistribute` beyond x and y, {n} squared"
    yield Result(text, max(0, peak - told - small) / 2**20, 0, " MiB more than told", detail)


def others(x: dri.Array, n: int) -> Iterator[tuple[str, int]]:
    """Peaks of the peers beyond x, their results of x's size included."""
    yield "with its result: by hand", peak_of(by_alltoallv(x.local.copy(), n))
    try:
        own = x.local.copy()
        yield "mpi4py-fft", peak_of(lambda: _forward(own, n))
    except ImportError:
        pass
    whole = x.gather()
    try:
        yield "Dask", peak_of(by_dask(whole, n))
    except ImportError:
        pass


def _forward(x: object, n: int) -> object:
    forward, y = by_mpi4py_fft(x, n)
    forward()
    return y
