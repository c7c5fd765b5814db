"""Distributions that the library has made itself: strips, and those of described arrays."""

from __future__ import annotations

from typing import Any

from . import _dri
from .distribution import Distribution
from .elements import Dtype
from .group import Group
from .partition import EDGES, KINDS, REMAINDERS, Exact, Rule


def adopt_strip(first: Distribution, dist: _dri.Distribution) -> Distribution:
    """A strip as a distribution, from the one of the first strip. Local."""
    box = tuple(slice(start, start + size) for start, size in zip(dist.offset(), dist.shape()))
    spec: dict[str, Any] = {**first.spec, "subset": box}
    if not isinstance(first.partition, Exact):
        spec["grid"] = dist.grid()
    return _made(dist, first.dtype, first.group, first.partition, spec)


def adopt(dist: _dri.Distribution, dtype: Dtype) -> Distribution:
    """A distribution that is no subset, from its own answers. Local."""
    tuples = dist.tuples(_dri.world_rank())
    rules = tuple(_rule(dist.rule(dim), tuples[dim][1:3]) for dim in range(len(tuples)))
    if rules and rules[0].kind == "exact":
        rules = Exact(rules)
    group = Group(dist.group())
    spec = dict(
        shape=dist.shape(), dtype=dtype, partition=rules, comm=group.ranks, grid=None, overlap=None, edge=None, subset=None
    )
    return _made(dist, dtype, group, rules, spec)


def _made(
    dist: _dri.Distribution, dtype: Dtype, group: Group, rules: tuple[Rule, ...], spec: dict[str, Any]
) -> Distribution:
    made = object.__new__(Distribution)
    made._dist, made._group, made._rank = dist, group, _dri.world_rank()
    made._dtype, made._rules, made._shape, made._offset = dtype, rules, dist.shape(), dist.offset()
    made._spec = spec
    return made


def _rule(fields: tuple[Any, ...], box: tuple[int, ...]) -> Rule:
    kind, parts, remainder, block, values, least, most, multiple, left, right, left_edge, right_edge, phase = fields
    edge = (EDGES[left_edge], EDGES[right_edge])
    return Rule(
        KINDS[kind], parts, REMAINDERS[remainder], block, tuple(box) if KINDS[kind] == "exact" else values,
        least, most, multiple, (left, right) if left or right else None, edge if any(fields[10:12]) else None, phase,
    )  # fmt: skip
