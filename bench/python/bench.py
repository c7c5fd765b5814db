#!/usr/bin/env python3
"""The Python package beside C, mpi4py by hand, mpi4py-fft and Dask, in one run.

usage: scripts/mpirun.sh -n 2 --bind-to core python3 bench/python/bench.py [--lib FOLDER] [--quick] [PART ...]

PART: frames calls turns permutes halos statements graphs descriptions import memory dask; all of them by default.
FOLDER has libbench_python.so, build/release/lib by default. --quick only shows that all rows run: two rounds of small
arrays. Each row's output is checked before it is measured. Numbers are medians of rounds in which the rows run
alternately, each of the slowest process. A peer that is not installed leaves its rows out:
scripts/setup.sh --bench installs all.
"""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path
from typing import Callable, Dict, Iterator

from calls import frames, redistributions
from descriptions import descriptions, import_time
from graphs import graphs
from halos import halos
from jacobi import statements
from memory import peaks
from permutes import permutes
from rounds import Result, Settings, comm
from turns import beside_dask, turns

ROOT = Path(__file__).resolve().parent.parent.parent


def machine() -> str:
    """Processor, cores, and the versions of what is compared."""
    import mpi4py
    import numpy

    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    versions = [f"Python {platform.python_version()}", f"numpy {numpy.__version__}", f"mpi4py {mpi4py.__version__}"]
    for peer in ("mpi4py_fft", "dask"):
        try:
            versions.append(f"{peer.replace('_', '-')} {__import__(peer).__version__}")
        except ImportError:
            versions.append(f"no {peer.replace('_', '-')}")
    return f"{name}, {os.cpu_count()} cores, {comm.size} processes; {', '.join(versions)}"


def main() -> None:
    asked = argparse.ArgumentParser(description="Measures the Python package beside its peers.")
    asked.add_argument("--lib", type=Path, default=ROOT / "build" / "release" / "lib", help="where libbench_python.so is")
    asked.add_argument("--quick", action="store_true", help="two rounds of small arrays, whose numbers mean nothing")
    asked.add_argument("parts", nargs="*", metavar="PART")
    options = asked.parse_args()
    sizes, wide, widest, squares = (1024, 4096), 2048, 4096, (64, 1024)
    edges: tuple[tuple[int, ...], tuple[int, ...]] = (8, 4096, 1 << 20), (4096, 1 << 20)
    if options.quick:
        Settings.rounds, sizes, wide, widest, squares, edges = 2, (128,), 64, 256, (16,), ((8,), (64,))
    parts: Dict[str, Callable[[], Iterator[Result]]] = {
        "frames": lambda: frames(options.lib, widest),
        "calls": redistributions,
        "turns": lambda: (one for n in sizes for one in turns(n)),
        "permutes": lambda: (one for n in sizes for one in permutes(n)),
        "halos": lambda: halos(wide),
        "statements": lambda: statements(squares, wide),
        "graphs": lambda: graphs(*edges),
        "descriptions": descriptions,
        "import": import_time,
        "memory": lambda: peaks(widest),
        "dask": lambda: (one for n in sizes for one in beside_dask(n)),
    }
    unknown = set(options.parts) - set(parts)
    if unknown:
        asked.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    if comm.rank == 0:
        print(f"{machine()}\n\n| row | goal | found | met | |\n|---|---|---|---|---|", flush=True)
    for name in options.parts or parts:
        for result in parts[name]():
            if comm.rank == 0:
                print(result.line(), flush=True)


if __name__ == "__main__":
    main()
