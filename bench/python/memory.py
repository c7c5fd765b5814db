"""The peak of memory of a redistribution beyond x and y."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import dri
from peers import by_dask
from rounds import Result, comm


def status(field: str) -> int:
    """Bytes of a line of /proc/self/status, such as VmRSS or VmHWM."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def resident() -> int:
    return status("VmRSS")


def peak_of(work: Callable[[], object]) -> int:
    """Bytes that were resident during the work beyond those before it."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = resident()
    work()
    return max(0, status("VmHWM") - before)


def peaks(n: int) -> Iterator[Result]:
    rows = dri.Distribution((n, n), "complex64", ("block", None))
    columns = rows.like(partition=(None, "block"))
    x, y = dri.zeros(rows), dri.zeros(columns)
    dri.redistribute.cache_clear()
    peak = comm.allreduce(peak_of(lambda: dri.redistribute(x, columns, out=y.local)))
    told = comm.allreduce(dri.redistribute.cache_info().bytes)
    small = 4 << 20  # what Python, MPI and the plan itself take
    detail = f"{peak / 2**20:.3g} MiB on {comm.size} processes, told {told / 2**20:.3g} MiB; x has {comm.allreduce(x.local.nbytes) >> 20} MiB"
    whole = x.gather()
    try:
        dask = by_dask(whole, n)
        theirs = comm.allreduce(peak_of(dask))
        detail += f"; Dask {theirs / 2**20:.3g} MiB beyond x, its result of {x.local.nbytes * comm.size >> 20} MiB included"
    except ImportError:
        pass
    yield Result(f"peak memory of `redistribute` beyond x and y, {n} squared", max(0, peak - told - small) / 2**20, 0, " MiB more than told", detail)
