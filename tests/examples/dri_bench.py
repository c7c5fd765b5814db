#!/usr/bin/env python3
"""Tests of the benchmark dri_bench.

usage: dri_bench.py CASE PROGRAM MPIRUN

CASE is table, goals, cases or bad_input.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

from mpi_job import run_job, side_by_side

PLOT = Path(__file__).resolve().parents[2] / "scripts/bench_plot.py"
LIMIT = "non-temporal copy (limit)"
ROWS = [
    "memcpy",
    LIMIT,
    "DRI",
    "pack + Isend/Irecv + unpack",
    "pack + Alltoallv + unpack",
    "Alltoallw, subarray types",
    "FFTW-MPI transpose, MEASURE",
]
# Rows of peer libraries that may be missing.
EXTRA_ROWS = ["PETSc PetscSFBcast", "ScaLAPACK gemr2d or tran"]
BOXES_ONLY, TRANSPOSES_ONLY = set(ROWS[3:]), {ROWS[6]}

# Case lines for any number of processes, and the rows that must decline them.
CASES = [
    ("8B [16,24] block,* 01 -> *,block 10", set()),
    ("4B [31,60] block(0,ceil),* 01 -> *,block(0,ceil) 10", set()),
    ("12B [24,36] *,block 10 -> block,* 01", set()),
    ("16B [33,17] block(0,ceil),* 01 -> *,block 01", TRANSPOSES_ONLY),
    ("1B [40,30] block(0,prop),* 01 -> *,block(0,last) 10", TRANSPOSES_ONLY),
    ("8B [50,70] cyclic(0,3),* 01 -> *,block 10", BOXES_ONLY),
    ("6B [19,23] cyclic(0,2),cyclic(0,5) 01 -> block,block 10", BOXES_ONLY),
    ("8B [6,10,14] block,block,* 012 -> *,block,block 201", TRANSPOSES_ONLY),
    ("2B [5,4,3,2] *,block,*,* 0123 -> *,*,block,* 3120", TRANSPOSES_ONLY),
    ("3B [40] sizes(40) 0 -> block 0", TRANSPOSES_ONLY),
    ("8B [0,7] block,* 01 -> *,block 10", TRANSPOSES_ONLY),
    ("24B [] - - -> - -", TRANSPOSES_ONLY),
]


def measure(program, mpirun, processes, *arguments):
    """Runs the program, which must succeed. Returns its table and its JSON."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "bench.json")
        codes, output, errors = run_job(
            mpirun, processes, program, "--min-time", "0.0001", "--json", file, *arguments
        )
        assert codes == [0] * processes and not errors, (codes, output, errors)
        with open(file) as stream:
            return output, json.load(stream)


def median_ratio(dividends, divisors):
    assert len(dividends) == len(divisors) > 0, (dividends, divisors)
    return statistics.median(a / b for a, b in zip(dividends, divisors))


def check_row(case, row):
    """A row of 8 rounds. The limit and the library also run in the rounds of all other rows."""
    others = sum(1 for r in case["rows"] if r["row"] not in (LIMIT, "DRI"))
    rounds = 8 * (others if row["row"] in (LIMIT, "DRI") else 1)
    assert len(row["times_ms"]) == rounds and min(row["times_ms"]) > 0 and row["iterations"] >= 1, row
    near = lambda a, b: abs(a - b) <= 1e-9 * abs(b)
    assert near(row["median_ms"], statistics.median(row["times_ms"])), row
    assert near(row["gb_per_s"], case["bytes"] / row["median_ms"] * 1e-6), row
    assert near(row["of_limit"], median_ratio(row["limit_ms"], row["times_ms"])), row
    assert near(row["dri_speedup"], median_ratio(row["times_ms"], row["dri_ms"])), row
    assert row["row"] != LIMIT or row["limit_ms"] == row["times_ms"], row
    assert row["row"] != "DRI" or row["dri_ms"] == row["times_ms"], row


def test_table(program, mpirun):
    line = CASES[0][0]
    output, result = measure(program, mpirun, 2, "--case", line, "--repetitions", 8)
    assert result["processes"] == 2 and result["dri_threads"] == 1 and result["repetitions"] == 8, result
    machine = result["machine"]
    assert machine["cpu"] and machine["cores"] >= 1 and machine["caches"] and machine["mpi"] and machine["dri"], machine
    (case,) = result["cases"]
    assert case["case"] == line and case["bytes"] == 16 * 24 * 8 and case["flag_round_trip_ns"] > 0, case
    assert case["empty_frame_us"] > 0 and case["rebind_us"] > 0, case
    assert f"barriers by {result['barriers']}" in output and "empty frame" in output, output
    rows = [row["row"] for row in case["rows"]]
    assert rows[: len(ROWS)] == ROWS and set(rows[len(ROWS) :]) <= set(EXTRA_ROWS), case
    for row in case["rows"]:
        assert row["right"] is True and "unfit" not in row, row
        check_row(case, row)
        assert any(text.strip().startswith(row["row"]) for text in output.splitlines()), output
    assert line in output and machine["cpu"] in output and "flag round trip" in output, output

    _, result = measure(program, mpirun, 2, "--case", line, "--filter", "^(dri|fftw)")
    assert [row["row"] for row in result["cases"][0]["rows"]] == [ROWS[2], ROWS[6]], result
    assert result["cases"][0]["rows"][0]["of_limit"] is None, result

    large = "8B [300,400] *,* 01 -> *,* 10"
    output, result = measure(program, mpirun, 1, "--case", large, "--threads", 2)
    assert result["dri_threads"] == 2 and "DRI with 2 threads" in output, (output, result)
    assert all(row["right"] is not False for row in result["cases"][0]["rows"]), result


def test_goals(program, mpirun):
    line = CASES[0][0]
    goals = ["limit 1e-6/1e-6", "pitch 1e-6", "malloc 1e-6", "alloc 1e-6", "memcpy 1e-6", "hand 1e5", "peers 1e-6/1e5"]
    plots = []
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.md")
        output, result = measure(program, mpirun, 2, "--case", f"{line} ; {', '.join(goals)}", "--report", report)
        with open(report) as stream:
            text = stream.read()
        drawn, json_file = report + ".svg", os.path.join(folder, "result.json")
        with open(json_file, "w") as stream:
            json.dump(result, stream)
        for _ in range(2):
            subprocess.run([PLOT, json_file, drawn], check=True, timeout=60)
            with open(drawn) as stream:
                plots.append(stream.read())
        assert plots[0] == plots[1], "the same values give different bytes"
        plot = xml.etree.ElementTree.fromstring(plots[0])
    (case,) = result["cases"]
    rows = {row["row"]: row for row in case["rows"] if row["right"]}
    near = case["flag_round_trip_ns"] < 250
    gains = {name: row["dri_speedup"] for name, row in rows.items()}
    memcpy = [a + 1e-6 * 1e-3 for a in rows["memcpy"]["times_ms"]]
    reached = [
        rows["DRI"]["of_limit"],
        rows["DRI, pitch of its choice"]["of_limit"],
        rows["DRI, buffers from malloc"]["of_limit"],
        1 / gains["DRI, buffers in DRI_alloc memory"],
        median_ratio(memcpy, rows["memcpy"]["dri_ms"]),
        min(gains[row] for row in ROWS[3:5]),
        min(gains[row] for row in ROWS[3:] + EXTRA_ROWS if row in gains),
    ]
    assert case["case"] == line and len(case["goals"]) == len(goals), case
    for goal, value, holds in zip(case["goals"], reached, [True, True, True, True, True, False, near]):
        assert abs(goal["reached"] - value) <= 1e-9 * value and goal["holds"] is holds, (goal, value)
        assert f"goal: {goal['goal']}: " in output and f"Goal {goal['goal']}: " in text, (goal, output, text)
    assert len(rows["DRI"]["times_ms"]) == 7 * (len(rows) - 2), rows["DRI"]
    assert output.count(", missed") == text.count("**missed**") == (1 if near else 2), (output, text)
    words = "".join(plot.itertext())
    assert line in words and all(row in text and row in words for row in ROWS), (text, words)

    output, result = measure(program, mpirun, 2, "--case", line + ";hand 2", "--filter", "^dri")
    assert result["cases"][0]["goals"][0]["reached"] is None, result
    assert result["cases"][0]["goals"][0]["holds"] is None, result
    assert "best by hand: -, not measured" in output and "missed" not in output, output


def test_cases(program, mpirun):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "cases.txt")
        with open(file, "w") as stream:
            stream.write("# rules of all kinds\n\n" + "".join(f"  {line}\r\n" for line, _ in CASES))
        for processes in (1, 4):
            _, result = measure(program, mpirun, processes, "--file", file, "--repetitions", 7)
            assert [case["case"] for case in result["cases"]] == [line for line, _ in CASES], result
            for case, (line, unfit) in zip(result["cases"], CASES):
                for row in case["rows"]:
                    # With few processes all parts may happen to be boxes, and all blocks of one size.
                    if row["row"] in EXTRA_ROWS:
                        assert row["right"] is not False, (processes, line, row)
                    elif row["row"] in unfit and processes == 4:
                        assert row["unfit"] and "median_ms" not in row and row["right"] is None, (line, row)
                    elif row["row"] not in unfit:
                        assert row["right"] is True and row["median_ms"] > 0, (processes, line, row)


def test_bad_input(program, mpirun):
    good = CASES[0][0]

    def expect_refusal(arguments, word):
        codes, output, errors = run_job(mpirun, 3, program, *arguments)
        assert codes == [2, 2, 2] and not output, (arguments, codes, output, errors)
        assert word in errors and len(errors.splitlines()) <= 2, (arguments, errors)

    side_by_side(expect_refusal, [
        (["--case", "8B [97,64] blok,* 01 -> *,block 10"], 'column 12, found "blok'),
        (["--case", "8B [97,64] block 01 -> *,block 10"], '","'),
        (["--case", "8B [97,64] block,* 00 -> *,block 10"], "order in memory"),
        (["--case", "8B [97,64] block,* 01"], '"->"'),
        (["--case", good, "--case", "8B [8] block(4) 0 -> * 0"], "more parts than there are processes (3)"),
        (["--case", "8B [8,8] block(2),block 01 -> *,* 01"], "3 processes are not a multiple of the 2 parts that the source specifies"),
        (["--case", "8B [8] sizes(3:4) 0 -> * 0"], "add up to 8"),
        (["--file", "no/such/file"], "no/such/file"),
        (["--case", good, "--json", "no/such/folder/file"], "no/such/folder/file"),
        (["--case", good, "--report", "no/such/folder/file"], "no/such/folder/file"),
        (["--case", good + "; limt 0.9"], '"limt 0.9"'),
        (["--case", good + "; limit"], '"limit"'),
        (["--case", good + "; limit 0.9, peers 1/x"], '"x" is not a ratio'),
        (["--case", good + "; limit 0"], '"0" is not a ratio'),
        (["--case", good, "--repetitions", "6"], "--repetitions"),
        (["--case", good, "--threads", "0"], "--threads"),
        (["--case", good, "--filter", "("], "--filter"),
        (["--case", good, "--filter", "zzz"], 'no row name matches "zzz"'),
        (["--file", "/dev/null"], "/dev/null has no case line"),
        (["--case", good, "--file", "/dev/null"], "/dev/null has no case line"),
        (["--case", good, "--min-time", "nan"], "nan is not a finite number"),
    ])

    # One process lacks memory. The others, which hold little or no data, must be informed.
    huge = "8B [1048576,134217728] sizes(1048576),* 01 -> sizes(1048576),* 10"

    def expect_lack_of_memory(row):
        codes, _, errors = run_job(mpirun, 3, program, "--case", huge, "--filter", f"^{re.escape(row)}$")
        assert codes == [1, 1, 1] and len(errors.splitlines()) == 1, (row, codes, errors)
        assert errors.startswith(f"dri_bench: case {huge}, row {row}: process 0: ") and "memory" in errors, errors

    side_by_side(expect_lack_of_memory, [(row,) for row in ROWS[:5]])
    turn = "4B [2097152,134217728] block(0,ceil),* 01 -> *,block(0,ceil) 10"
    codes, _, errors = run_job(mpirun, 3, program, "--case", turn, "--filter", "FFTW")
    assert codes == [1, 1, 1] and len(errors.splitlines()) == 1 and "no memory for" in errors, (codes, errors)


if __name__ == "__main__":
    globals()["test_" + sys.argv[1]](*sys.argv[2:])
