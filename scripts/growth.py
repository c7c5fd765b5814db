#!/usr/bin/python3
"""How the time of a frame grows: measures it, and writes tables and plots.

Each step writes files into the folder --out. It replaces existing files.
  sizes     Corner turns of complex float on 2 processes: the library, the copy limit and other programs.
            Numbers: rows and columns, default 64 to 16384. Files: sizes_N.R.json
  ranks     Corner turns of --rank-sizes on a growing number of processes.
            Numbers: processes, default 1 2 3 4 6 8. Files: ranks_P.R.json
  overhead  Frames of 8 bytes per pair, against the number of peers.
            Numbers: processes of a group, default 2 to 256. Files: overhead.R.json, overhead_of_most.R.json
  report    Tables and plots of everything measured so far.
            No numbers. Files: growth.md, growth_*.svg

The speed of a virtual machine varies from minute to minute. Measure in several rounds, R = 1, 2, 3. The report uses
their medians. The machine must be idle.
"""

import argparse
import re
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from growth_files import KINDS, Damaged, load, size_of, turn

ROOT = Path(__file__).resolve().parent.parent
SIZES = [64 << i for i in range(9)]
RANKS = [1, 2, 3, 4, 6, 8]
GROUPS = [2 << i for i in range(8)]
MAX_DIRECT = 240  # processes in one program that can all be direct peers; each pair is a mapping, Linux allows 65,530
LARGEST_WITH_PEERS = 8192  # for larger arrays, not all contenders fit into memory

LIMIT, MEMCPY, DRI, HAND = "non-temporal copy (limit)", "memcpy", "DRI", "pack + Isend/Irecv + unpack"
PEERS = ["pack + Alltoallv + unpack", "Alltoallw, subarray types", "FFTW-MPI transpose, MEASURE"]


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
    jobs = groups or sorted([*GROUPS, MAX_DIRECT])  # jobs whose processes are all peers
    groups = groups or GROUPS
    for name, sizes, job in (("overhead", jobs, []), ("overhead_of_most", groups, ["--processes", max(groups)])):
        command = [args.bin / "overhead_bench", "--groups", ",".join(map(str, sizes)), *job, *output(args, name)]
        subprocess.run([*map(str, command)], check=True)


def cases_of(rounds):
    """For each case: bytes, the median flag round trip in ns, and the median time in ms of each row."""
    cases = {}
    for case in (case for one in rounds for case in one["cases"]):
        times = cases.setdefault(case["case"], {"bytes": case["bytes"], "flag": []})
        times["flag"] += [ns] if (ns := case["flag_round_trip_ns"]) is not None else []
        for row in case["rows"]:
            if row["right"] and "median_ms" in row:
                times.setdefault(row["row"], []).append(row["median_ms"])
    middle = lambda v: statistics.median(v) if isinstance(v, list) and v else v or None
    return {line: {key: middle(v) for key, v in times.items()} for line, times in cases.items()}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def text(value):
    """The value with three digits."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.{1 if value >= 10 else 2}f}" if value >= 1 else f"{value:.3g}"


def ratio(a, b):
    return None if a is None or b is None else a / b


def report_sizes(args):
    runs = load(args.out, "sizes")
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
    head = ["n", "MB", "limit, ms", "memcpy, ms", "DRI, ms", "by hand, ms", "best other, ms", "DRI, GB/s"]
    head += ["limit / DRI", "hand / DRI", "other / DRI", "flag, ns"]
    lines = {name: line for name, line in lines.items() if line}
    return table(head, rows), ("Corner turn of n x n complex float, 2 processes", "n", "time (ms)", lines, [*runs])


def report_ranks(args):
    runs = load(args.out, "ranks")
    rows, lines = [], {}
    by_size = {}  # size -> processes -> times
    for processes, rounds in runs.items():
        for line, times in cases_of(rounds).items():
            by_size.setdefault(size_of(line), {})[processes] = times
    for n, by_ranks in by_size.items():
        for processes, times in by_ranks.items():
            dri, limit, hand = (times.get(row) for row in (DRI, LIMIT, HAND))
            of_two = ratio(dri, by_ranks.get(2, {}).get(DRI))
            rows.append([f"{n:,}", str(processes), *map(text, (limit, times.get(MEMCPY), dri, hand))])
            rows[-1] += [text(ratio(limit, dri)), text(ratio(hand, dri)), text(of_two)]
            for name, value in ((f"DRI, {n:,} squared", dri), (f"limit, {n:,} squared*", limit)):
                if value is not None:
                    lines.setdefault(name, []).append((processes, value))
    head = ["n", "processes", "limit, ms", "memcpy, ms", "DRI, ms", "by hand, ms", "limit / DRI", "hand / DRI"]
    head.append("DRI / DRI on 2")
    return table(head, rows), ("Corner turns on more and more processes", "processes", "time (ms)", lines, [*runs])


def fit(points):
    """a and b of y = a + b x with least squares of the relative errors; neither is negative."""
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
    """Medians of rows with the same job, peers and way, without rows that could not be measured."""
    rows = {}
    for row in (row for one in rounds for row in one["rows"] if "failure" not in row):
        rows.setdefault((row["processes"], row["peers"], row["way"]), []).append(row)
    return [{**same[0], **{k: statistics.median(r[k] for r in same) for k in KINDS}} for same in rows.values()]


def report_overhead(args):
    rows, lines, laws = [], {}, []
    for name in ("overhead", "overhead_of_most"):
        measured = middle_rows(load(args.out, name).get(None, []))
        by_job = {}  # (processes, peers) -> way -> row
        for row in measured:
            by_job.setdefault((row["processes"], row["peers"]), {})[row["way"]] = row
        for (processes, peers), ways in by_job.items():
            cells = [ways.get(way, {}).get(time) for way in ("direct", "message") for time in KINDS]
            rows.append([str(processes), str(peers), *map(text, cells)])
        where = "all processes are peers" if name == "overhead" else "groups in one job"
        for way in ("direct", "message"):
            done = [row for row in measured if row["way"] == way]
            alone = [(row["peers"], row["source_us"] + row["sink_us"]) for row in done]
            together = [(row["peers"], row["together_us"]) for row in done]
            has_slope = len({row["peers"] for row in done}) > 1
            for kind, line in (("alone", alone), ("together", together)) if has_slope else ():
                laws.append(f"- {where}, {way}, {kind}: {law(fit(line))}")
            if name == "overhead" and done:
                lines[f"{way}, alone"], lines[f"{way}, together*"] = alone, together
    head = ["processes", "peers", "direct: source", "sink", "together", "message: source", "sink", "together"]
    chart = "A frame without its bytes, for each process", "peers", "time of a core (us)", lines
    return table(head, rows) + "\n" + "\n".join(laws) + "\n", chart


def law(coefficients):
    return f"{coefficients[0]:.2g} us + {coefficients[1]:.2g} us for each peer"


def draw(charts, folders):
    try:
        from charts import line_chart  # it takes a second to load, which measurements need not wait for
    except ImportError as error:
        sys.exit(f"growth.py: the plots need matplotlib (scripts/setup.sh installs it): {error}")
    for name, chart in charts.items():
        drawn = line_chart(*chart)
        for folder in folders:
            (folder / f"growth_{name}.svg").write_text(drawn)


def write_report(args, _):
    parts, charts = {}, {}
    for name, report in (("sizes", report_sizes), ("ranks", report_ranks), ("overhead", report_overhead)):
        if load(args.out, name):
            parts[name], charts[name] = report(args)
    if not parts:
        sys.exit(f"growth.py: nothing has been measured in {args.out}")
    draw(charts, {args.out, args.docs.parent if args.docs else args.out})
    (args.out / "growth.md").write_text("\n".join(f"## {n}\n\n![{n}](growth_{n}.svg)\n\n{t}" for n, t in parts.items()))
    if args.docs:
        try:
            page = args.docs.read_text()
        except UnicodeDecodeError:
            sys.exit(f"growth.py: {args.docs} is not a text file")
        for name, content in parts.items():
            place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
            page, count = place.subn(lambda marks: marks[1] + content + marks[2], page)
            if count != 1:
                sys.exit(f"growth.py: {args.docs} has no markers for {name}")
        args.docs.write_text(page)


STEPS = {"sizes": measure_sizes, "ranks": measure_ranks, "overhead": measure_overhead, "report": write_report}


def sizes_in(words):
    try:
        return [int(word) for word in words.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{words}' is not a list of numbers separated by commas") from None


def parser():
    about, rest = __doc__.split("\n\n", 1)
    form = argparse.RawDescriptionHelpFormatter
    asked = argparse.ArgumentParser(prog="growth.py", description=about, epilog=rest, formatter_class=form)
    asked.add_argument("step", metavar="STEP", choices=STEPS, help="one of " + ", ".join(STEPS) + "; see below")
    asked.add_argument("numbers", metavar="NUMBER", type=int, nargs="*", default=[], help="numbers of the step, see below")
    asked.add_argument("--bin", metavar="FOLDER", type=Path, default=ROOT / "build/release/bin",
                       help="folder of dri_bench and overhead_bench (default: build/release/bin of the project)")
    asked.add_argument("--out", metavar="FOLDER", type=Path, default=ROOT / "build/growth",
                       help="folder for measurements and the report (default: build/growth of the project)")
    asked.add_argument("--docs", metavar="FILE", type=Path,
                       help="report: also replace the tables of FILE, between <!-- NAME --> and <!-- /NAME -->,"
                       " and write the plots to its folder")
    asked.add_argument("--round", metavar="R", type=int, default=1, help="number of the round (default: 1)")
    asked.add_argument("--rank-sizes", metavar="N,N...", type=sizes_in, default=[256, 1024, 4096],
                       help="rows and columns in the step ranks (default: 256,1024,4096)")
    asked.add_argument("--min-time", metavar="S", type=float, default=0.05,
                       help="seconds of each repetition; a result is the median of 7 (default: 0.05)")
    return asked


def main():
    asked = parser()
    args = asked.parse_intermixed_args()
    if any(n < 1 for n in [*args.numbers, *args.rank_sizes, args.round]):
        asked.error("numbers must be positive")
    if args.step == "report" and args.numbers:
        asked.error("the step report takes no numbers")
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        STEPS[args.step](args, args.numbers)
    except (OSError, Damaged, subprocess.CalledProcessError) as error:
        sys.exit(f"growth.py: {error}")


if __name__ == "__main__":
    main()
