#!/usr/bin/env python3
"""Tests of stream_bench.

usage: stream_bench.py CASE PROGRAM MPIRUN

CASE is table or bad_input.
"""

import json
import os
import subprocess
import sys
import tempfile

from mpi_job import expect_refused, run_job

SHORT = ["--rows", "70", "--columns", "50", "--min-time", "0.002", "--repetitions", "1"]


def table(program, mpirun):
    """The table and the file have a row for each way, number of buffers and thread. Ratios follow from the times."""
    for processes in (1, 2, 3):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "rows.json")
            codes, output, errors = run_job(mpirun, processes, program, "--buffers", "1,2", "--json", file, *SHORT)
            assert codes == [0] * processes and not errors, errors
            with open(file) as stream:
                told = json.load(stream)
        assert told["processes"] == processes, told
        keys = [(way, n, thread) for way in ("direct", "message") for n in (1, 2) for thread in (False, True)]
        rows = told["rows"]
        assert [(r["way"], r["buffers"], r["thread"]) for r in rows] == keys, rows
        cells = [[c.strip() for c in line.strip("|\n").split("|")] for line in output.splitlines()[4:]]
        assert len(cells) == len(rows), output
        for text, r in zip(cells, rows):
            times = [r["compute_ms"], r["transfer_ms"], r["both_ms"]]
            ratio = (times[0] + times[1] - times[2]) / min(times[:2])
            assert min(times) > 0 and abs(r["overlap"] - ratio) < 1e-9, r
            assert text == [r["way"], str(r["buffers"]), "yes" if r["thread"] else "no",
                            *(f"{t:.3f}" for t in times), f"{ratio:.2f}"], (text, r)


def bad_input(program, mpirun):
    for options, word in [
        (["--buffers", "0"], "--buffers"),
        (["--ratio", "0"], "--ratio"),
        (["surplus"], "surplus"),
        (["--json", "no/such/folder/file"], "--json: cannot write no/such/folder/file"),
    ]:
        expect_refused(mpirun, 2, program, 2, [word], *options)
    command = [mpirun, "-n", "1", program, "--buffers", "1", "--json", "/dev/full", *SHORT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode != 0 and "cannot write /dev/full" in done.stderr, done


if __name__ == "__main__":
    {"table": table, "bad_input": bad_input}[sys.argv[1]](sys.argv[2], sys.argv[3])
