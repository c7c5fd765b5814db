#!/usr/bin/env python3
"""Tests of domain_bench.

usage: domain_bench.py CASE PROGRAM MPIRUN

CASE is table or bad_input.
"""

import json
import os
import sys
import tempfile

from mpi_job import expect_refused, run_job

SHORT = ["--min-time", "0.001", "--rounds", "1"]


def table(program, mpirun):
    """Every row is checked by the program itself. The table and the file have the same rows."""
    for processes, only, rows in ((1, "overlap", 0), (1, "team", 1), (2, "again", 1), (3, "256^3", 2), (3, "owner", 3)):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "rows.json")
            codes, output, errors = run_job(mpirun, processes, program, "--only", only, "--json", file, *SHORT)
            assert codes == [0] * processes and not errors, errors
            with open(file) as stream:
                told = json.load(stream)
        assert told["processes"] == processes and len(told["rows"]) == rows, told
        cells = [[c.strip() for c in line.strip("|\n").split("|")] for line in output.splitlines()[4:]]
        assert [c[0] for c in cells] == [r["row"] for r in told["rows"]], output
        for text, row in zip(cells, told["rows"]):
            assert only in row["row"] and row["us"] > 0 and row["ratio"] > 0, row
            assert text[-1] == ("yes" if row["met"] else "no"), (text, row)


def bad_input(program, mpirun):
    for options, word in [(["--rounds", "0"], "--rounds"), (["--min-time", "long"], "--min-time"), (["surplus"], "surplus")]:
        expect_refused(mpirun, 2, program, 2, [word], *options)


if __name__ == "__main__":
    {"table": table, "bad_input": bad_input}[sys.argv[1]](*sys.argv[2:])
