#!/usr/bin/env python3
"""Tests of scripts/growth.py, which measures how frames grow.

usage: growth.py CASE DRI_BENCH MPIRUN SCRIPT

CASE is report, bad_input, bad_files or help. overhead_bench lies beside DRI_BENCH.
"""

import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

NAMES = ("sizes", "ranks", "overhead")
STEPS = (["sizes", 32, 16], ["sizes", "--round", 2, 16], ["--rank-sizes", "8,16,24", "ranks", 1, 2], ["overhead", 2, 4])


def run(script, program, folder, *arguments):
    command = [script, "--bin", os.path.dirname(program), "--out", folder]
    command += ["--min-time", "0.001", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=200)


def rows_of(page, name):
    """The cells of the table between its markers."""
    part = page.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def three_digits(value):
    if value < 1:
        return f"{value:.3g}"
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def middle(cases, row):
    return statistics.median(r["median_ms"] for case in cases for r in case["rows"] if r["row"] == row)


def report(program, script):
    """The tables between the markers hold the measured values, and the plots have a line for each."""
    page = "# A\n" + "".join(f"<!-- {name} -->\nold\n<!-- /{name} -->\nand\n" for name in NAMES)
    with tempfile.TemporaryDirectory() as folder:
        out, docs = Path(folder, "out"), Path(folder, "docs.md")
        docs.write_text(page)
        for step in (*STEPS, ["--docs", docs, "report"]):
            done = run(script, program, out, *step)
            assert done.returncode == 0, (step, done.stdout, done.stderr)
        files = {path.name: json.loads(path.read_text()) for path in out.glob("*.json")}
        plots = [xml.etree.ElementTree.parse(Path(folder, f"growth_{name}.svg")) for name in NAMES]
        page = docs.read_text()
        assert "old" not in page and page.count("and\n") == 3, page
    rounds = {16: ["sizes_16.1.json", "sizes_16.2.json"], 32: ["sizes_32.1.json"]}
    for cells, (n, names) in zip(rows_of(page, "sizes"), rounds.items(), strict=True):
        cases = [files[name]["cases"][0] for name in names]
        dri, limit = (middle(cases, row) for row in ("DRI", "non-temporal copy (limit)"))
        wanted = [str(n), *map(three_digits, (limit, dri, limit / dri))]
        assert [cells[i] for i in (0, 2, 4, 8)] == wanted, (cells, wanted)
    found = rows_of(page, "ranks")
    assert [cells[1] for cells in found] == ["1", "2"] * 3, found
    wanted = [three_digits(middle([case], "DRI")) for case in files["ranks_2.1.json"]["cases"]]
    assert [cells[4] for cells in found[1::2]] == wanted, (found, wanted)
    found = rows_of(page, "overhead")
    assert [cells[:2] for cells in found] == [["2", "1"], ["4", "3"], ["4", "1"], ["4", "3"]], found
    assert found[0][2] == three_digits(files["overhead.1.json"]["rows"][0]["source_us"]), (found, files)
    assert "for each peer" in page, page
    for plot, words in zip(plots, (("time (ms)", "DRI", "memcpy"), ("processes", "DRI, 24 squared"), ("peers", "direct, alone"))):
        written = [element.text for element in plot.iter() if element.tag.endswith("text")]
        assert set(words) <= set(written), (words, written)
        lines = {element.get("id") for element in plot.iter() if re.match("line2d_", element.get("id", ""))}
        assert len(lines) > len(words), lines


def bad_input(program, script):
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder, "docs.md")
        docs.write_text("# no marks\n")
        for arguments, word in [
            (["sizes", "many"], "many"),
            (["sizes", "-1"], "positive"),
            (["sizes", "0"], "positive"),
            (["--round", "0", "sizes", "16"], "positive"),
            (["--rank-sizes", "8,many", "ranks", "2"], "'8,many'"),
            (["growth"], "growth"),
            ([], "required: STEP\n"),
            (["report", "64"], "takes no numbers"),
            (["report"], "nothing has been measured"),
        ]:
            done = run(script, program, Path(folder, "out"), *arguments)
            assert done.returncode != 0 and word in done.stderr and "Traceback" not in done.stderr, (arguments, done)
        Path(folder, "out/overhead.1.json").write_text('{"rows": [{"processes": 2, "peers": 1, "way": "direct", '
                                                     '"source_us": 1, "sink_us": 2, "together_us": 3}]}')
        done = run(script, program, Path(folder, "out"), "--docs", docs, "report")
        assert done.returncode != 0 and "no markers for overhead" in done.stderr, done
        docs.write_bytes(b"\xff\xfe\x00")
        done = run(script, program, Path(folder, "out"), "--docs", docs, "report")
        assert done.returncode != 0 and f"{docs} is not a text file" in done.stderr, done


def a_case(n, **changes):
    rows = [{"row": "DRI", "right": True, "median_ms": 2.0}, {"row": "memcpy", "right": None}]
    line = f"8B [{n},{n}] block,* 01 -> *,block 10"
    return {"case": line, "bytes": 8 * n * n, "flag_round_trip_ns": None, "rows": rows, **changes}


def a_row(**changes):
    times = {"source_us": 1, "sink_us": 2, "together_us": 3}
    return {"processes": 2, "peers": 1, "way": "direct", **times, **changes}


def bad_files(program, script):
    """A damaged file is named with its fault. Other files do not change that, and rows may lack times."""
    row = {"row": "DRI", "right": True, "median_ms": 2.0}
    whole = {"sizes_16.2.json": {"cases": [a_case(16)]}, "ranks_2.1.json": {"cases": [a_case(8), a_case(16)]},
             "ranks_1.1.json": {"cases": [a_case(8, rows=[{"row": "DRI", "right": False, "median_ms": 2.0}])]},
             "overhead.1.json": {"rows": [a_row(), a_row(way="message", failure="no memory", sink_us=None)]},
             "overhead.2.json": {"rows": [a_row(peers=3), a_row()]}, "sizes.1.json": {}, "overhead_2.1.json": {}}
    damaged = [
        ("sizes_16.1.json", b"", "Expecting value"),
        ("sizes_16.1.json", b'{"cases": [', "Expecting value"),
        ("sizes_16.1.json", b"\xff\xfe{}", "decode"),
        ("sizes_16.1.json", b"[" * 100000, "damaged"),
        ("sizes_16.1.json", [], '"cases" is missing'),
        ("sizes_16.1.json", {"cases": []}, '"cases" cannot be []'),
        ("sizes_16.1.json", {"cases": [a_case(16), a_case(16)]}, "not 2"),
        ("sizes_16.1.json", {"cases": [a_case(32)]}, "of 32, not 16"),
        ("sizes_16.1.json", {"cases": [a_case(16, case="8B [16,16] *,* 01 -> *,* 10")]}, '"case" cannot be'),
        ("sizes_16.1.json", {"cases": [a_case(16, bytes=0)]}, '"bytes" cannot be 0'),
        ("sizes_16.1.json", {"cases": [a_case(16, flag_round_trip_ns="1")]}, '"flag_round_trip_ns"'),
        ("ranks_4.1.json", {"cases": []}, '"cases" cannot be []'),
        ("ranks_4.1.json", {"cases": [None]}, '"case" is missing'),
        ("ranks_4.1.json", {"cases": [a_case(8, rows=[{"right": True}])]}, '"row" is missing'),
        ("ranks_4.1.json", {"cases": [a_case(8, rows=[{**row, "right": "yes"}])]}, '"right" cannot be "yes"'),
        ("ranks_4.1.json", {"cases": [a_case(8, rows=[{**row, "median_ms": 0}])]}, '"median_ms" cannot be 0'),
        ("ranks_4.1.json", {"cases": [a_case(8, rows=[{**row, "median_ms": math.nan}])]}, '"median_ms" cannot be NaN'),
        ("overhead.3.json", {"rows": []}, '"rows" cannot be []'),
        ("overhead.3.json", {"rows": [a_row(peers=True)]}, '"peers" cannot be true'),
        ("overhead.3.json", {"rows": [a_row(way=1)]}, '"way" cannot be 1'),
        ("overhead_of_most.1.json", {"rows": [a_row(together_us=-1)]}, '"together_us" cannot be -1'),
    ]
    for name, content, word in [(None, None, None), *damaged]:
        with tempfile.TemporaryDirectory() as folder:
            for path, good in whole.items():
                Path(folder, path).write_text(json.dumps(good))
            if name:
                Path(folder, name).write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
            done = run(script, program, folder, "report")
            if not name:
                assert done.returncode == 0, done.stderr
                continue
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, (name, content, done)
        assert f"{name} is damaged" in done.stderr and word in done.stderr, (word, done.stderr)


def help_text(_, script):
    """The help explains each step, option and file."""
    wide = {**os.environ, "COLUMNS": "100"}
    command = [script, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=wide)
    assert done.returncode == 0 and not done.stderr, done
    lines = done.stdout.splitlines()
    for step, file in zip((*NAMES, "report"), ("sizes_N", "ranks_P", "overhead.R", "growth.md")):
        assert any(line.startswith(f"  {step} ") for line in lines) and file in done.stdout, done.stdout
    options = re.findall(r"^  (-\S+)(?:, --help)?(?: [A-Z,.]+)?  +(\S.*)$", done.stdout, re.MULTILINE)
    names = ["-h", "--bin", "--out", "--docs", "--round", "--rank-sizes", "--min-time"]
    assert [name for name, _ in options] == names, (options, done.stdout)
    for word in ("How the time of a frame grows", "build/growth", "256,1024,4096", "0.05", "rounds"):
        assert word in done.stdout, word


if __name__ == "__main__":
    cases = {"report": report, "bad_input": bad_input, "bad_files": bad_files, "help": help_text}
    cases[sys.argv[1]](sys.argv[2], sys.argv[4])
