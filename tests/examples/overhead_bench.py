#!/usr/bin/env python3
"""Tests of overhead_bench.

usage: overhead_bench.py CASE PROGRAM MPIRUN

CASE is table, face or bad_input.
"""

import json
import os
import subprocess
import sys
import tempfile


def run(program, *options):
    return subprocess.run([program, *options], capture_output=True, text=True, timeout=120)


def table(program):
    """The table and the file have a row for each way, group and window. A frame with more peers costs more."""
    short = ["--min-time", "0.002", "--repetitions", "3"]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "rows.json")
        done = run(program, "--groups", "2,32", "--json", file, *short)
        assert done.returncode == 0 and not done.stderr, done.stderr
        with open(file) as stream:
            rows = json.load(stream)["rows"]
    cells = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in done.stdout.splitlines()[2:]]
    keys = [("2", "1", "direct"), ("32", "31", "direct"), ("2", "1", "message"), ("32", "31", "message")]
    assert [tuple(c[:3]) for c in cells] == keys, done.stdout
    assert [(str(r["processes"]), str(r["peers"]), r["way"]) for r in rows] == keys, rows
    for text, row in zip(cells, rows):
        times = [row["source_us"], row["sink_us"], row["together_us"]]
        assert min(times) > 0 and text[3:] == [f"{t:.2f}" for t in times], (text, row)
    for few, many in (rows[:2], rows[2:]):
        assert many["source_us"] + many["sink_us"] > few["source_us"] + few["sink_us"], rows

    done = run(program, "--groups", "3", "--slide", *short)
    assert done.returncode == 0 and not done.stderr, done.stderr
    windows = ["", ", source slides", ", sink slides"]
    ways = [line.split(" | ")[2] for line in done.stdout.splitlines()[2:]]
    assert ways == [way + window for way in ("direct", "message") for window in windows], done.stdout

    done = run(program, "--processes", "12", "--groups", "3,4", *short)
    assert done.returncode == 0, done.stderr
    assert [line.split("|")[1:3] for line in done.stdout.splitlines()[2:]] == 2 * [[" 12 ", " 2 "], [" 12 ", " 3 "]]


def face(program):
    """The C++ interface is measured beside the C interface."""
    short = ["--min-time", "0.001", "--repetitions", "3"]
    done = run(sys.argv[3], "-n", "2", program, "--face", *short)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|")[1:5] for line in done.stdout.splitlines()[2:]]
    assert [row[0].split("`")[1] for row in rows] == ["run", "next"], done.stdout
    for _, of_c, of_cpp, ratio in rows:
        assert float(of_c) > 0 and float(of_cpp) > 0 and float(ratio) > 0, done.stdout


def bad_input(program):
    for options, word in [
        (["--groups", "1"], "--groups"),
        (["--groups", "many"], "--groups"),
        (["--processes", "12", "--groups", "5"], "12 is not a multiple of the group size 5"),
        (["--repetitions", "0"], "--repetitions"),
        (["surplus"], "surplus"),
        (["--json", "no/such/folder/file"], "--json: cannot write no/such/folder/file"),
    ]:
        done = run(program, *options)
        assert done.returncode not in (0, 1) and not done.stdout and word in done.stderr, (options, done)
    done = run(program, "--groups", "2", "--min-time", "0", "--repetitions", "1", "--json", "/dev/full")
    assert done.returncode == 1 and "cannot write /dev/full" in done.stderr, done


if __name__ == "__main__":
    {"table": table, "face": face, "bad_input": bad_input}[sys.argv[1]](sys.argv[2])
