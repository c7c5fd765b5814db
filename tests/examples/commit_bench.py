#!/usr/bin/env python3
"""Tests of commit_bench.

usage: commit_bench.py CASE PROGRAM MPIRUN

CASE is table or bad_input.
"""

import subprocess
import sys


def run(program, *options):
    return subprocess.run([program, *options], capture_output=True, text=True, timeout=120)


def table(program):
    """Rows for each number of processes and names. Processes without an endpoint do not increase the mean."""
    done = run(program, "--processes", "16,64", "--names", "1,20")
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in done.stdout.splitlines()[2:]]
    assert [(r[0], r[1], r[2]) for r in rows] == [
        (where, p, n) for where in ("on all", "on 8 + 8") for p in ("16", "64") for n in ("1", "20")
    ], done.stdout
    received = {(r[0], int(r[1]), int(r[2])): (int(r[4]), int(r[5])) for r in rows}
    for mean, most in received.values():
        assert 0 < mean <= most, done.stdout
    for names in (1, 20):
        assert received["on 8 + 8", 64, names][0] < received["on 8 + 8", 16, names][0], done.stdout
        assert received["on all", 64, names][0] < 1.5 * received["on all", 16, names][0], done.stdout


def bad_input(program):
    for options in (["--processes", "3"], ["--names", "0"], ["--processes", "many"], ["surplus"]):
        done = run(program, *options)
        assert done.returncode != 0 and not done.stdout.startswith("|"), (options, done.stdout)


if __name__ == "__main__":
    {"table": table, "bad_input": bad_input}[sys.argv[1]](sys.argv[2])
