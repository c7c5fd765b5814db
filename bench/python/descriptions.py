"""The Distributed Array Protocol: what descriptions cost, and that nothing is copied. Import time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any, Iterator

import numpy as np

import dri
from memory import resident
from peers import sleep_until_all_are_here
from rounds import Result, comm, median, seconds_of

LARGE = 2048
GOALS = {"__distarray__": 10, "dap.validate": 15, "dap.read": 20, "from_distarray, known": 60}


class Described:
    """Another package's array: rows of a block, with a description that nobody has seen before."""

    def __init__(self, n: int) -> None:
        self.data = np.ones((n, 8))
        self.n = n

    def __distarray__(self) -> dict[str, Any]:
        start = comm.rank * self.n
        rows = {
            "dist_type": "b", "size": comm.size * self.n, "proc_grid_size": comm.size, "proc_grid_rank": comm.rank,
            "start": start, "stop": start + self.n,
        }  # fmt: skip
        return {"__version__": "0.10.0", "buffer": self.data, "dim_data": (rows, {})}


def descriptions() -> Iterator[Result]:
    blocks = dri.Distribution((LARGE, LARGE), "float64", ("block", "block"))
    x = dri.zeros(blocks)
    given = x.__distarray__()
    rows = {
        "__distarray__": x.__distarray__,
        "dap.validate": lambda: dri.dap.validate(given),
        "dap.read": lambda: dri.dap.read(given),
        "from_distarray, known": lambda: dri.from_distarray(given),
    }
    found = seconds_of(rows, 100)
    for name, goal in GOALS.items():
        yield Result(f"`{name}`, 2-D blocks", median(found[name]) * 1e6, goal, " us", "")

    sizes = iter(range(1, 1000))

    def new() -> float:
        theirs = Described(next(sizes))
        comm.Barrier()
        start = time.perf_counter()
        dri.from_distarray(theirs)
        return time.perf_counter() - start

    found = seconds_of({"new": new})
    yield Result("`from_distarray`, new", median(found["new"]) * 1e3, 1, " ms", f"worst {found['new'].max() * 1e3:.3g} ms")

    before = resident()
    held = [dri.from_distarray(given) for _ in range(8)]
    grown = comm.allreduce(max(0, resident() - before))
    assert all(one.local.ctypes.data == given["buffer"].ctypes.data for one in held)
    size = given["buffer"].nbytes
    yield Result("bytes that `from_distarray` copies", 0.0, 0, " B", f"8 imports of {size >> 20} MiB: the same address; {grown >> 10} KiB more resident")


def import_time() -> Iterator[Result]:
    """`import dri` where numpy is there already, in a process of its own."""
    code = "import time, numpy; t = time.perf_counter(); import dri; print(time.perf_counter() - t)"
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_"))}
    found = []
    if comm.rank == 0:
        for _ in range(8):
            done = subprocess.run([sys.executable, "-c", code], env=own, check=True, capture_output=True, text=True)
            found.append(float(done.stdout))
    sleep_until_all_are_here()
    taken = comm.bcast(found[1:])
    yield Result("`import dri` beyond numpy", median(taken) * 1e3, 50, " ms", f"of {len(taken)}: worst {max(taken) * 1e3:.3g} ms")
