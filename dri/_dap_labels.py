"""Labels beyond their array: a redistribution between two descriptions numbers them first."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from . import _dri, dap, env
from ._accord import accords
from ._signals import Deferred
from .group import Processes

# What processes without labels agree on, beside the dimensions that are lists on both sides.
_PLAIN = 1 << 40


def numbered(x: Any, to: Any, comm: Processes | None) -> tuple[Any, Any]:
    """Both descriptions, read, with positions where a label of either lies beyond its array. Collective over comm."""
    group = env.group_of(comm)
    fault: Exception | None = None
    lists = labels = 0
    try:
        x, to = dap.read_movable(x), dap.read_movable(to)
        for number, pair in enumerate(zip(x.dim_data, to.dim_data)):
            if all(dim["dist_type"] == "u" for dim in pair):
                lists |= 1 << number
                labels |= any(_is_beyond(dim) for dim in pair) << number
    except Exception as error:
        fault = error
    with Deferred() as ctrl_c:
        if not accords.agree(group, 0 if labels else _PLAIN + lists, fault)[1]:
            words = _dri.gather(group.handle(), labels.to_bytes(8, "little"))
            labels = reduce(or_, (int.from_bytes(word, "little") for word in words))
            for number in range(labels.bit_length()):
                if labels >> number & 1:
                    sides = x, to
                    x, to = dap.relabelled(group, lambda: sides, number)
    ctrl_c.raise_noted()
    return x, to


def _is_beyond(dim: dict[str, Any]) -> bool:
    indices = np.asarray(dim["indices"])
    return len(indices) > 0 and not 0 <= indices.min() <= indices.max() < dim["size"]
