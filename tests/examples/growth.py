#!/usr/bin/env python3
"""Tests of scripts/growth.py, which measures how frames grow.

usage: growth.py CASE DRI_BENCH MPIRUN SCRIPT

CASE is report or bad_input. overhead_bench lies beside DRI_BENCH.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

NAMES = ("sizes", "ranks", "overhead")
STEPS = (["sizes", 32, 16], ["--round", 2, "sizes", 16], ["--rank-sizes", "8,16,24", "ranks", 1, 2], ["overhead", 2, 4])


def run(script, program, folder, *arguments):
    command = [sys.executable, "-B", script, "--bin", os.path.dirname(program), "--out", folder]
    command += ["--min-time", "0.001", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=200)


def rows_of(page, name):
    """The cells of a table between its marks."""
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
    """The tables hold what the programs measured, in the place for them, and the plots have a line for each."""
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
    for plot in plots:
        assert any(element.tag.endswith("circle") for element in plot.iter()), plot


def bad_input(program, script):
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder, "docs.md")
        docs.write_text("# no marks\n")
        for arguments, word in [
            (["sizes", "many"], "many"),
            (["sizes", "-1"], "positive"),
            (["sizes", "0"], "positive"),
            (["growth"], "growth"),
            ([], "step"),
            (["report"], "nothing has been measured"),
        ]:
            done = run(script, program, Path(folder, "out"), *arguments)
            assert done.returncode != 0 and word in done.stderr and "Traceback" not in done.stderr, (arguments, done)
        Path(folder, "out/overhead.1.json").write_text('{"rows": [{"processes": 2, "peers": 1, "way": "direct", '
                                                     '"source_us": 1, "sink_us": 2, "together_us": 3}]}')
        done = run(script, program, Path(folder, "out"), "--docs", docs, "report")
        assert done.returncode != 0 and "no place for overhead" in done.stderr, done


if __name__ == "__main__":
    {"report": report, "bad_input": bad_input}[sys.argv[1]](sys.argv[2], sys.argv[4])
