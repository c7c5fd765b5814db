#!/usr/bin/python3
"""Draws what dri_bench measured: for each case, the fraction of the copy limit that each row reaches.

usage: bench_plot.py REPORT.json PLOT.svg
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from charts import bar_chart

COLOURS = [  # by the start of a row's name
    ("DRI, pitch", "#4fa58a"), ("DRI, buffers", "#8fc4b2"), ("DRI", "#0b6e4f"), ("non-temporal copy", "#333333"),
    ("memcpy", "#8a8a8a"), ("pack + ", "#c77d2e"), ("", "#7d9bc1"),
]


def bar(row):
    colour = next(colour for start, colour in COLOURS if row["row"].startswith(start))
    return row["row"], row["of_limit"], f"{row['of_limit']:.2f}, {row['median_ms']:.3g} ms", colour


def draw(report):
    groups = [(case["case"], [bar(row) for row in case["rows"] if row.get("of_limit")]) for case in report["cases"]]
    machine = report["machine"]
    return bar_chart(
        "Speed as a fraction of the limit (each process copies its own part past the cache)",
        f"{machine['cpu']}, {report['processes']} processes, {machine['mpi']}",
        "fraction of the limit", [group for group in groups if group[1]],
    )


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    try:
        Path(sys.argv[2]).write_text(draw(json.loads(Path(sys.argv[1]).read_text())))
    except (OSError, ValueError, LookupError, TypeError) as error:
        sys.exit(f"bench_plot.py: {sys.argv[1]}: {error!r}")


if __name__ == "__main__":
    main()
