#!/usr/bin/env python3
"""Tests of array_bench.

usage: array_bench.py CASE PROGRAM MPIRUN

CASE is table or bad_input.
"""

import json
import os
import subprocess
import sys
import tempfile

from mpi_job import expect_refused, run_job

SHORT = ["--min-time", "0.001", "--repetitions", "2"]
ROWS = {"rows of": 5, "64 squared": 2, "1024 squared": 4, "sum": 1}


def table(program, mpirun):
    """The table and the file have the same rows. The program itself checks what both sides compute."""
    for word, count in ROWS.items():
        for processes in (1, 3):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "rows.json")
                codes, output, errors = run_job(mpirun, processes, program, "--row", word, "--json", file, *SHORT)
                assert codes == [0] * processes and not errors, errors
                with open(file) as stream:
                    told = json.load(stream)
            rows = told["rows"]
            assert told["processes"] == processes and len(rows) == count, told
            cells = [[c.strip() for c in line.strip("|\n").split("|")] for line in output.splitlines()[4:]]
            assert len(cells) == len(rows), output
            for text, r in zip(cells, rows):
                assert min(r["us"], r["peer_us"], r["ratio"]) > 0, r
                met = r["ratio"] <= r["goal"] if r["goal"] else r["more_us"] <= r["goal_us"]
                expected = [r["row"], r["peer"], *(f"{r[name]:.2f}" for name in ("us", "peer_us", "ratio"))]
                assert word in r["row"] and text[:5] == expected and text[6] == ("yes" if met else "no"), (text, r)


def bad_input(program, mpirun):
    for options, word in [(["--repetitions", "0"], "--repetitions"), (["surplus"], "surplus")]:
        expect_refused(mpirun, 2, program, 2, [word], *options)
    command = [mpirun, "-n", "1", program, "--row", "sum", "--json", "/dev/full", *SHORT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode != 0 and "cannot write /dev/full" in done.stderr, done


if __name__ == "__main__":
    {"table": table, "bad_input": bad_input}[sys.argv[1]](sys.argv[2], sys.argv[3])
