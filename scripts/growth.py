#!/usr/bin/env python3
"""How the time of a frame grows: measures, and writes tables and plots.

usage: growth.py [--bin FOLDER] [--out FOLDER] [--docs FILE] [--round R] [--rank-sizes N,N...] [--min-time S]
                 STEP [NUMBER...]

Steps, each with what it leaves in the out folder (default build/growth); what is there already is replaced:
  sizes     corner turns of complex float on 2 processes, the library beside its limit and its peers; numbers: of rows
            and columns, default 64 to 16384                                          sizes_N.R.json
  ranks     corner turns of --rank-sizes, default 256,1024,4096, on more and more processes; numbers: processes,
            default 1 2 3 4 6 8                                                       ranks_P.R.json
  overhead  frames without bytes to speak of, against the number of peers; numbers: processes of a group, default 2 to
            256                                                   overhead.R.json, overhead_of_most.R.json
  report    tables and plots of whatever has been measured            growth.md, growth_*.svg
A virtual machine has good and bad minutes: measure in several rounds, R = 1, 2, 3; the report takes their medians.
With --docs the report also replaces the tables of FILE, between <!-- NAME --> and <!-- /NAME -->, and puts the plots
beside it. --bin: the folder of the programs, default build/release/bin. --min-time: seconds of each repetition, of
which the median of 7 is shown, default 0.05. The machine must be idle.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from line_plot import line_plot

ROOT = Path(__file__).resolve().parent.parent
SIZES = [64 << i for i in range(9)]
RANKS = [1, 2, 3, 4, 6, 8]
GROUPS = [2 << i for i in range(8)]
MOST_DIRECT = 240  # processes in one program that can all be direct peers: each pair is a mapping, Linux allows 65,530
LARGEST_WITH_PEERS = 8192  # of larger ones not all contenders fit into memory

LIMIT, MEMCPY, DRI, HAND = "non-temporal copy (limit)", "memcpy", "DRI", "pack + Isend/Irecv + unpack"
PEERS = ["pack + Alltoallv + unpack", "Alltoallw, subarray types", "FFTW-MPI transpose, MEASURE"]


def turn(n):
    return f"8B [{n},{n}] block,* 01 -> *,block 10"


def output(args, name):
    return ["--min-time", args.min_time, "--json", args.out / f"{name}.{args.round}.json"]


def run_bench(args, processes, cases, rows, name):
    cores = ["--bind-to", "core"] if processes <= 2 else ["--bind-to", "none"]
    names = "|".join(re.escape(row) for row in rows)
    lines = [word for case in cases for word in ("--case", case)]
    command = [ROOT / "scripts/mpirun.sh", "-n", processes, *cores, args.bin / "dri_bench"]
    command += ["--filter", f"^({names})$", *output(args, name), *lines]
    subprocess.run(list(map(str, command)), check=True)


def measure_sizes(args, sizes):
    for n in sizes or SIZES:
        rows = [MEMCPY, LIMIT, DRI] + ([HAND, *PEERS] if n <= LARGEST_WITH_PEERS else [])
        run_bench(args, 2, [turn(n)], rows, f"sizes_{n}")


def measure_ranks(args, ranks):
    for processes in ranks or RANKS:
        cases = [turn(n) for n in args.rank_sizes]
        run_bench(args, processes, cases, [MEMCPY, LIMIT, DRI, HAND], f"ranks_{processes}")


def measure_overhead(args, groups):
    alike = groups or sorted([*GROUPS, MOST_DIRECT])
    groups = groups or GROUPS
    for name, sizes, job in (("overhead", alike, []), ("overhead_of_most", groups, ["--processes", max(groups)])):
        command = [args.bin / "overhead_bench", "--groups", ",".join(map(str, sizes)), *job, *output(args, name)]
        subprocess.run([*map(str, command)], check=True)


def load(args, name):
    """What has been measured: the rounds, by the number in the file's name, None where there is none."""
    runs = {}
    for path in args.out.glob(f"{name}*.json"):
        found = re.fullmatch(rf"{name}(?:_(\d+))?\.\d+\.json", path.name)
        if found:
            number = int(found[1]) if found[1] else None
            runs.setdefault(number, []).append(json.loads(path.read_text()))
    return dict(sorted(runs.items()))


def cases_of(rounds):
    """Bytes, medians of flag round trips in ns, and medians in ms by row, of each case."""
    cases = {}
    for case in (case for one in rounds for case in one["cases"]):
        times = cases.setdefault(case["case"], {"bytes": case["bytes"], "flag": []})
        times["flag"] += [ns] if (ns := case["flag_round_trip_ns"]) is not None else []
        for row in case["rows"]:
            if row["right"]:
                times.setdefault(row["row"], []).append(row["median_ms"])
    middle = lambda v: statistics.median(v) if isinstance(v, list) and v else v or None
    return {line: {key: middle(v) for key, v in times.items()} for line, times in cases.items()}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def text(value):
    """Three digits."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.{1 if value >= 10 else 2}f}" if value >= 1 else f"{value:.3g}"


def ratio(a, b):
    return None if a is None or b is None else a / b


def report_sizes(args):
    runs = load(args, "sizes")
    rows, lines = [], {name: [] for name in ("limit*", "memcpy*", "DRI", "best by hand", "best library or MPI")}
    for n, rounds in runs.items():
        (times,) = cases_of(rounds).values()
        peer = min((times[row] for row in PEERS if row in times), default=None)
        limit, memcpy, dri, hand = (times.get(row) for row in (LIMIT, MEMCPY, DRI, HAND))
        for line, value in zip(lines.values(), (limit, memcpy, dri, hand, peer)):
            line += [(n, value)] if value is not None else []
        rate = None if dri is None else times["bytes"] / dri * 1e-6
        rows.append([f"{n:,}", text(times["bytes"] * 1e-6), *map(text, (limit, memcpy, dri, hand, peer, rate))])
        rows[-1] += [text(ratio(limit, dri)), text(ratio(hand, dri)), text(ratio(peer, dri))]
        rows[-1].append(text(times["flag"]))
    head = ["n", "MB", "limit, ms", "memcpy, ms", "DRI, ms", "by hand, ms", "best peer, ms", "DRI, GB/s"]
    head += ["limit / DRI", "hand / DRI", "peer / DRI", "flag, ns"]
    lines = {name: line for name, line in lines.items() if line}
    plot = line_plot("Corner turn of n x n complex float, 2 processes", "n", "ms", lines, [*runs])
    return table(head, rows), plot


def report_ranks(args):
    runs = load(args, "ranks")
    rows, lines = [], {}
    by_size = {}  # size -> processes -> times
    for processes, rounds in runs.items():
        for line, times in cases_of(rounds).items():
            by_size.setdefault(int(re.search(r"\[(\d+),", line)[1]), {})[processes] = times
    for n, by_ranks in by_size.items():
        for processes, times in by_ranks.items():
            dri, limit, hand = (times.get(row) for row in (DRI, LIMIT, HAND))
            of_two = ratio(dri, by_ranks.get(2, {}).get(DRI))
            rows.append([f"{n:,}", str(processes), *map(text, (limit, times.get(MEMCPY), dri, hand))])
            rows[-1] += [text(ratio(limit, dri)), text(ratio(hand, dri)), text(of_two)]
            lines.setdefault(f"DRI, {n:,} squared", []).append((processes, dri))
            lines.setdefault(f"limit, {n:,} squared*", []).append((processes, limit))
    head = ["n", "processes", "limit, ms", "memcpy, ms", "DRI, ms", "by hand, ms", "limit / DRI", "hand / DRI"]
    head.append("DRI / DRI on 2")
    plot = line_plot("Corner turns on more and more processes", "processes", "ms", lines, [*runs])
    return table(head, rows), plot


def fit(points):
    """a and b of y = a + b x, neither negative, least squares of the relative errors."""
    weight = [1 / y**2 for _, y in points]
    total = sum(weight)
    mx = sum(w * x for w, (x, _) in zip(weight, points)) / total
    my = sum(w * y for w, (_, y) in zip(weight, points)) / total
    b = sum(w * (x - mx) * (y - my) for w, (x, y) in zip(weight, points))
    b /= sum(w * (x - mx) ** 2 for w, (x, _) in zip(weight, points))
    if b * mx <= my:
        return my - b * mx, b
    return 0, sum(w * x * y for w, (x, y) in zip(weight, points)) / sum(w * x * x for w, (x, _) in zip(weight, points))


def middle_rows(rounds):
    """The medians of rows of the same job, peers and way; those that could not be measured are left out."""
    rows = {}
    for row in (row for one in rounds for row in one["rows"] if "failure" not in row):
        rows.setdefault((row["processes"], row["peers"], row["way"]), []).append(row)
    return [{**same[0], **{k: statistics.median(r[k] for r in same) for k in KINDS}} for same in rows.values()]


def report_overhead(args):
    rows, lines, laws = [], {}, []
    for name in ("overhead", "overhead_of_most"):
        measured = middle_rows(load(args, name).get(None, []))
        by_job = {}  # (processes, peers) -> way -> row
        for row in measured:
            by_job.setdefault((row["processes"], row["peers"]), {})[row["way"]] = row
        for (processes, peers), ways in by_job.items():
            cells = [ways.get(way, {}).get(time) for way in ("direct", "message") for time in KINDS]
            rows.append([str(processes), str(peers), *map(text, cells)])
        where = "all are peers" if name == "overhead" else "one job"
        for way in ("direct", "message"):
            done = [row for row in measured if row["way"] == way]
            alone = [(row["peers"], row["source_us"] + row["sink_us"]) for row in done]
            together = [(row["peers"], row["together_us"]) for row in done]
            for kind, line in (("alone", alone), ("together", together)) if len(done) > 1 else ():
                laws.append(f"- {where}, {way}, {kind}: {law(fit(line))}")
            if name == "overhead" and done:
                lines[f"{way}, alone"], lines[f"{way}, together*"] = alone, together
    head = ["processes", "peers", "direct: source", "sink", "together", "message: source", "sink", "together"]
    plot = line_plot("A frame beside its bytes, for each process", "peers", "us of a core", lines)
    return table(head, rows) + "\n" + "\n".join(laws) + "\n", plot


KINDS = ("source_us", "sink_us", "together_us")


def law(coefficients):
    return f"{coefficients[0]:.2g} us + {coefficients[1]:.2g} us for each peer"


def write_report(args, _):
    parts = {}
    for name, report in (("sizes", report_sizes), ("ranks", report_ranks), ("overhead", report_overhead)):
        if load(args, name):
            parts[name], plot = report(args)
            for folder in {args.out, args.docs.parent if args.docs else args.out}:
                (folder / f"growth_{name}.svg").write_text(plot)
    if not parts:
        sys.exit(f"growth.py: nothing has been measured in {args.out}")
    (args.out / "growth.md").write_text("\n".join(f"## {n}\n\n![{n}](growth_{n}.svg)\n\n{t}" for n, t in parts.items()))
    if args.docs:
        page = args.docs.read_text()
        for name, content in parts.items():
            place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
            page, count = place.subn(lambda marks: marks[1] + content + marks[2], page)
            if count != 1:
                sys.exit(f"growth.py: {args.docs} has no place for {name}")
        args.docs.write_text(page)


STEPS = {"sizes": measure_sizes, "ranks": measure_ranks, "overhead": measure_overhead, "report": write_report}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build/release/bin")
    parser.add_argument("--out", type=Path, default=ROOT / "build/growth")
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--round", type=int, default=1)
    parser.add_argument("--min-time", type=float, default=0.05)
    sizes = lambda words: [int(word) for word in words.split(",")]
    parser.add_argument("--rank-sizes", type=sizes, default=[256, 1024, 4096])
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("numbers", type=int, nargs="*")
    args = parser.parse_args()
    if any(n < 1 for n in [*args.numbers, *args.rank_sizes]):
        parser.error("numbers must be positive")
    args.out.mkdir(parents=True, exist_ok=True)
    try:
        STEPS[args.step](args, args.numbers)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"growth.py: {error}")


if __name__ == "__main__":
    main()
