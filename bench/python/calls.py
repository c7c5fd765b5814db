"""What a call costs beside its bytes: frames over C's, redistribute over frames, the first call."""

from __future__ import annotations

import ctypes
import time
import tracemalloc
from itertools import repeat
from pathlib import Path
from typing import Any, Iterator

from mpi4py import MPI

import dri
from rounds import Result, Row, comm, median, microseconds, milliseconds, more_than, seconds_of, world

SMALL, FRAMES = 64, 500


def library(folder: Path) -> ctypes.CDLL:
    """The loops in C, bench/python/frames.c."""
    found = ctypes.CDLL(str(folder / "libbench_python.so"))
    for name in ("bench_do", "bench_open", "bench_sink", "bench_close"):
        getattr(found, name).restype = ctypes.c_double
    return found


def checked(seconds: float) -> float:
    if seconds < 0:
        raise RuntimeError(f"a frame of C failed: code {seconds:.0f}")
    return seconds


def turn_of(n: int, name: str, **buffers: Any) -> tuple[dri.Transfer, dri.Distribution, dri.Distribution]:
    rows = dri.Distribution((n, n), "complex64", ("block", None))
    columns = rows.like(partition=(None, "block"))
    return dri.Transfer(name, dri.Source(rows, **buffers), columns), rows, columns


def frames(folder: Path, large: int) -> Iterator[Result]:
    """do() and a sink's loop beside C."""
    loops = library(folder)
    transfer, _, _ = turn_of(SMALL, "small")
    with transfer:
        by_c = lambda: checked(loops.bench_do(b"small", FRAMES)) / FRAMES  # noqa: E731

        def by_python() -> float:
            do, start = transfer.do, time.perf_counter()
            for _ in range(FRAMES):
                do()
            return (time.perf_counter() - start) / FRAMES

        found = seconds_of({"do()": by_python, "DRI_do": by_c})
        yield Result(
            f"`turn.do()` beyond `DRI_do`, {SMALL} squared", more_than(found, "do()", "DRI_do"), 1.0, " us",
            microseconds(found, "do()", "DRI_do"),
        )  # fmt: skip
    yield sink_loop(loops)
    transfer, _, _ = turn_of(large, "large")
    with transfer:
        by_c_large = lambda: checked(loops.bench_do(b"large", 1))  # noqa: E731
        found = seconds_of({"do()": transfer.do, "DRI_do": by_c_large})
        yield Result(
            f"`turn.do()` over `DRI_do`, {large} squared", median(found["do()"] / found["DRI_do"]), 1.01, "",
            milliseconds(found, "do()", "DRI_do"),
        )  # fmt: skip
    yield allocations()


def sink_loop(loops: ctypes.CDLL) -> Result:
    """The sink's part of a stream from this process to itself: its frames are there, so that nothing waits."""
    alone = dri.Distribution((SMALL, SMALL), "complex64", ("block", None), world[world.position : world.position + 1])
    checked(loops.bench_open(SMALL))
    ends = dri.Source(alone, buffers=2), dri.Sink(alone, buffers=2)
    with dri.Transfer("python_stream", *ends) as transfer:
        source, sink = transfer.source, transfer.sink

        def by_python() -> float:
            frames, clock, seconds = iter(sink), time.perf_counter, 0.0
            for frame in range(-1, FRAMES):
                with source.frame():
                    pass
                start = clock()
                next(frames)
                seconds += clock() - start if frame >= 0 else 0
            frames.close()  # type: ignore[attr-defined]
            return seconds / FRAMES

        found = seconds_of({"frame": by_python, "C": lambda: checked(loops.bench_sink(FRAMES)) / FRAMES})
    checked(loops.bench_close())
    return Result(
        "`for frame in sink` beyond `DRI_release` and `DRI_extract`", more_than(found, "frame", "C"), 2.0, " us",
        microseconds(found, "frame", "C"),
    )  # fmt: skip


def allocations() -> Result:
    """Bytes that Python, and the heap of the process, hold more after many frames."""
    transfer, _, _ = turn_of(SMALL, "kept")
    with transfer:
        do, before = transfer.do, heap()
        for _ in repeat(None, FRAMES):
            do()
        before = heap()
        for _ in repeat(None, FRAMES):
            do()
        grown = heap() - before
        tracemalloc.start()
        for _ in repeat(None, FRAMES):  # a number of its own would count
            do()
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    held, peak, grown = (comm.allreduce(one, MPI.MAX) for one in (held, peak, grown))
    return Result(
        f"bytes that {FRAMES} frames leave behind: tracemalloc, and the heap", float(held + max(0, grown)), 0, " B",
        f"tracemalloc {held} B, at most {peak} B at a time; heap {grown} B",
    )  # fmt: skip


class Mallinfo(ctypes.Structure):
    """What mallinfo2 of glibc returns."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def heap() -> int:
    """Bytes in use on the heap of this process, by glibc."""
    return int(mallinfo2().uordblks)


mallinfo2 = ctypes.CDLL(None).mallinfo2
mallinfo2.restype = Mallinfo


def redistributions() -> Iterator[Result]:
    """One call beside a frame between the same arrays, and its first call."""
    _, rows, columns = turn_of(SMALL, "unused")
    x, y = dri.zeros(rows), dri.zeros(columns)
    given = dri.Transfer("given", dri.Source(rows, buffers=[x.local]), dri.Sink(columns, buffers=[y.local]))
    with given:
        found_rows: dict[str, Row] = {
            "redistribute": lambda: dri.redistribute(x, columns, out=y.local),
            "do()": given.do,
        }
        found = seconds_of(found_rows, 200)
    yield Result(
        f"`redistribute(x, d, out=y)` beyond `do()`, {SMALL} squared", more_than(found, "redistribute", "do()"), 15, " us",
        microseconds(found, *found),
    )  # fmt: skip

    def first() -> float:
        dri.redistribute.cache_clear()
        comm.Barrier()
        start = time.perf_counter()
        dri.redistribute(x, columns, out=y.local)
        return time.perf_counter() - start

    found = seconds_of({"first": first})
    yield Result(
        "`redistribute`, the first call", median(found["first"]) * 1e3, 3, " ms",
        f"worst of {len(found['first'])}: {found['first'].max() * 1e3:.3g} ms",
    )  # fmt: skip
