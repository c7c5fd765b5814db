"""Reads the measurements of growth.py. A damaged file raises Damaged with the file name and the fault."""

import json
import math
import re

KINDS = ("source_us", "sink_us", "together_us")  # the times in a row of overhead_bench


class Damaged(Exception):
    pass


def turn(n):
    return f"8B [{n},{n}] block,* 01 -> *,block 10"


def size_of(line):
    """The n of a case turn(n), or None for any other case."""
    found = re.search(r"\[(\d+),", line)
    return int(found[1]) if found and line == turn(int(found[1])) else None


def load(folder, name):
    """The rounds measured so far: by the number in the file name for sizes and ranks, otherwise by None."""
    number_in_name = r"_(\d+)" if name in ("sizes", "ranks") else "()"
    runs = {}
    for path in sorted(folder.glob(f"{name}*.json")):
        found = re.fullmatch(rf"{name}{number_in_name}\.\d+\.json", path.name)
        if found:
            number = int(found[1]) if found[1] else None
            runs.setdefault(number, []).append(read(path, name, number))
    return dict(sorted(runs.items()))


def read(path, name, number):
    try:
        found = json.loads(path.read_text())
        if number is None:
            check_overhead(found)
        else:
            check_cases(found, number if name == "sizes" else None)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path} is damaged: {error}; repeat the measurement or remove the file") from error
    return found


def is_positive(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf


def is_count(value):
    return isinstance(value, int) and is_positive(value)


def is_text(value):
    return isinstance(value, str)


def field(record, key, fits):
    if not isinstance(record, dict) or key not in record:
        raise ValueError(f'"{key}" is missing')
    if not fits(record[key]):
        raise ValueError(f'"{key}" cannot be {json.dumps(record[key])[:80]}')
    return record[key]


def entries(record, key):
    return field(record, key, lambda value: isinstance(value, list) and value)


def check_cases(found, only):
    """only: the size that the single case must have; None allows any number of corner turns."""
    cases = entries(found, "cases")
    if only is not None and len(cases) != 1:
        raise ValueError(f"it must hold one case, not {len(cases)}")
    for case in cases:
        size = size_of(field(case, "case", lambda line: is_text(line) and size_of(line)))
        if only is not None and size != only:
            raise ValueError(f"it holds the case of {size}, not {only}")
        field(case, "bytes", is_count)
        field(case, "flag_round_trip_ns", lambda ns: ns is None or is_positive(ns))
        for row in entries(case, "rows"):
            field(row, "row", is_text)
            if field(row, "right", lambda right: right in (True, False, None)) and "median_ms" in row:
                field(row, "median_ms", is_positive)


def check_overhead(found):
    for row in entries(found, "rows"):
        for key in ("processes", "peers"):
            field(row, key, is_count)
        field(row, "way", is_text)
        for key in KINDS if "failure" not in row else ():
            field(row, key, is_positive)
