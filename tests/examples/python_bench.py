#!/usr/bin/env python3
"""Runs bench/python/bench.py for a moment: each part has its rows, and the rows check what they deliver.

usage: python_bench.py MPIRUN PYTHON SCRIPT LIB
"""

import re
import subprocess
import sys

ROWS = {  # of each part, words of its rows
    "frames": ["turn.do()` beyond", "for frame in sink", "turn.do()` over", "frames leave behind"],
    "calls": ["beyond `do()`", "first call"],
    "turns": ["order kept: redistribute beside mpi4py, Alltoallv", "contiguous: redistribute beside mpi4py, Alltoallv"],
    "halos": ["2 x 1 blocks", "1 x 2 blocks"],
    "statements": ["Jacobi iteration", "star stencil"],
    "graphs": ["1 x 8 B", "100 x 64 B", "four rounds"],
    "descriptions": ["`__distarray__`", "dap.validate", "dap.read", "known", "`, new", "copies"],
    "memory": ["peak memory"],
    "import": ["import dri"],
}


def main():
    mpirun, python, script, lib = sys.argv[1:]
    command = [mpirun, "-n", "2", python, script, "--quick", "--lib", lib]
    done = subprocess.run([*command, *ROWS], capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done
    lines = done.stdout.splitlines()
    for words in (word for words in ROWS.values() for word in words):
        (line,) = [line for line in lines if words in line.split("|")[min(1, line.count("|"))]]
        assert re.fullmatch(r"\| .* \| at (most|least) [\d.]+.* \| [\d.e+-]+.* \| (yes|\*\*no\*\*) \|.*\|", line), line

    done = subprocess.run([*command, "bogus"], capture_output=True, text=True, timeout=150)
    assert done.returncode == 2 and "bogus" in done.stderr, done


if __name__ == "__main__":
    main()
