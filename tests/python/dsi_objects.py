"""Ranges, maps and domains of the cases of domain maps."""

import itertools
import json

import numpy as np
import pytest

import dri


def as_range(given):
    """A sequence, Chapel's text, or bounds that are both included."""
    if isinstance(given, str):
        words = given.split()
        low, high = (int(one) for one in words[0].split(".."))
        options = dict(zip(words[1::2], map(int, words[2::2])))
        step = options.get("by", 1)
        align = options.get("align", low if step > 0 else high)
        members = [i for i in range(low, high + 1) if (i - align) % abs(step) == 0]
        return of_sequence(members if step > 0 else members[::-1], step)
    if isinstance(given, list):
        return range(given[0], given[1] + 1)
    made = of_sequence(given["seq"], 1)
    assert "text" not in given or list(as_range(given["text"])) == given["seq"]
    return made


def of_sequence(members, step):
    if not members:
        return range(0)
    step = members[1] - members[0] if len(members) > 1 else step
    return range(members[0], members[-1] + (1 if step > 0 else -1), step)


def as_ranges(given):
    return tuple(as_range(one) for one in given)


def count_of(given):
    return int(np.prod(given["locales"]))


def first(world, n):
    if n > len(world):
        pytest.skip(f"needs {n} processes")
    return world[:n]


def as_map(given, group):
    parts = given["locales"] if isinstance(given["locales"], list) else [0] * 8
    if given["map"] == "block":
        boxes = as_ranges(given["bounding_box"])
        parts = parts if len(parts) >= len(boxes) else [0] * len(boxes)
        return dri.Map([dri.MapDim.blocks(box, n) for box, n in zip(boxes, parts)], group)
    blocks = given.get("block", [1] * len(given["start"]))
    parts = parts if len(parts) >= len(blocks) else [0] * len(blocks)
    return dri.Map([dri.MapDim.cyclic(*one) for one in zip(given["start"], blocks, parts)], group)


def as_domain(given, world, ranges="domain"):
    group = first(world, count_of(given))
    return dri.Domain(as_map(given, group), as_ranges(given[ranges]))


def members(boxes):
    return [list(index) for box in boxes for index in itertools.product(*box)]


def mine(domain):
    return [index if len(index) > 1 else index[0] for box in domain.boxes() for index in itertools.product(*box)]


def named_map(text, world):
    rule, ranks = text.split(" on ")
    group = dri.Group(json.loads(ranks))
    first(world, max(group) + 1)
    kind, inside = rule.rstrip(")").split("(")
    return dri.block_map(as_range(inside.strip("{}")), group) if kind == "block" else dri.cyclic_map(int(inside), group)
