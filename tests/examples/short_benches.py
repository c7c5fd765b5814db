#!/usr/bin/env python3
"""A short run of each benchmark that has no other test: its rows are there, and what it moves is right.

usage: short_benches.py CASE PROGRAM MPIRUN

CASE is halo, view, graph, plan or compile_time. The programs check their own results and fail if these are wrong.
"""

import subprocess
import sys


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def cells_of(text):
    """The rows of the tables without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if row[-1][0].isdigit()]


def positive(row, first):
    assert all(float(cell) > 0 for cell in row[first:]), row


def halo(program, mpirun):
    """Three exchanges of each length and of each square."""
    short = ["--bytes", "512,4096", "--sides", "8", "--min-time", "0.001", "--repetitions", "3"]
    for processes in ("2", "4"):
        rows = cells_of(run(mpirun, "-n", processes, program, *short))
        assert [row[0] for row in rows] == [size for size in ("512", "4096", "square, 64") for _ in range(3)], rows
        assert [row[1] for row in rows[1:3]] == ["all ways", "messages"], rows
        for row in rows:
            positive(row[:4], 2)
        by_hand = rows[::3]
        assert all(float(row[3]) == 1 and float(row[4]) >= 4 for row in by_hand), by_hand


def view(program, _mpirun):
    """Six loops in one, two and three dimensions."""
    rows = cells_of(run(program, "0.001", "1"))
    assert len({tuple(row[:2]) for row in rows}) == len(rows) == 18, rows
    for row in rows:
        positive(row, 3)


def graph(program, mpirun):
    out = run(mpirun, "-n", "2", program, "--repetitions", "1", "--min-time", "0.01")
    rows = cells_of(out)
    assert [row[0] for row in rows] == [
        "1 edges of 8 bytes",
        "1 edges of 4096 bytes",
        "1 edges of 1048576 bytes",
        "100 edges of 64 bytes",
    ], out
    for row in rows:
        positive(row[:3], 1)
    for words in ("partition of 10000 operations", "levels of a chain", "a chain of 1000 calls", "a round trip"):
        assert out.count(words) == 1, (words, out)


def plan(program, _mpirun):
    """Some jobs for both numbers of processes. A process of the larger job has as many messages, or more."""
    rows = cells_of(run(program, "--processes", "16,64", "--repetitions", "1", "--only", "3-D"))
    assert rows and [row[1] for row in rows] == ["16", "64"] * (len(rows) // 2), rows
    for few, many in zip(rows[::2], rows[1::2]):
        assert few[0] == many[0] and 0 < int(few[2]) <= int(many[2]), (few, many)
        assert int(few[3]) >= int(few[2]) and float(few[4]) > 0, few


def compile_time(program, _mpirun):
    """A row of each compiler."""
    rows = cells_of(run(sys.executable, "-B", program, "--repetitions", "1"))
    assert rows and all(row[0] in ("g++", "clang++") for row in rows), rows
    for row in rows:
        positive(row, 1)


if __name__ == "__main__":
    {"halo": halo, "view": view, "graph": graph, "plan": plan, "compile_time": compile_time}[sys.argv[1]](*sys.argv[2:])
