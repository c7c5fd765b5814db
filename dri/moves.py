"""Moves of whole arrays: permuted dimensions, other shapes, and slices that one process gathers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence, Tuple

import numpy as np

from . import _dri
from .array import Array
from .assignment import assign
from .creation import adopted, default_distribution
from .distribution import Distribution
from .domain import Domain
from .errors import ArgumentError, StateError, TimeoutError, UnsupportedError
from .group import Group
from .lazy import base_of
from .maps import Map, MapDim

if TYPE_CHECKING:
    import numpy.typing as npt


def permute(given: Any, order: Sequence[int]) -> Array:
    """A new array whose dimension i is dimension ``order[i]``. Collective over the group."""
    array = _evaluated(given)
    chosen = tuple(one.__index__() for one in order)
    if sorted(one % array.ndim if -array.ndim <= one < array.ndim else -1 for one in chosen) != list(range(array.ndim)):
        raise ArgumentError(f"the order {chosen} does not name each of {array.ndim} dimensions once")
    chosen = tuple(one % array.ndim for one in chosen)
    shape = tuple(array.shape[one] for one in chosen)
    made = array.handle().permute(chosen, array.seconds)
    return _default(made, shape, array)


def transpose(given: Any, order: Tuple[Any, ...]) -> Array:
    """The same as numpy's transpose. Collective over the group."""
    named = order[0] if len(order) == 1 and (order[0] is None or isinstance(order[0], (tuple, list))) else order
    return permute(given, named or tuple(reversed(range(given.ndim))))


def reshape(given: Any, shape: Tuple[Any, ...]) -> Array:
    """A new array of another shape. Collective over the group."""
    array = _evaluated(given)
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    chosen = [one.__index__() for one in sizes]
    if chosen.count(-1) == 1:
        others = math.prod(one for one in chosen if one != -1)
        chosen[chosen.index(-1)] = array.size // others if others and array.size % others == 0 else -1
    if any(one < 0 for one in chosen) or math.prod(chosen) != array.size:
        raise ArgumentError(f"an array of {array.size} elements has no shape {tuple(sizes)}")
    made = array.handle().reshape(tuple(chosen), array.seconds)
    return _default(made, tuple(chosen), array)


def gathered(array: Array, root: int) -> npt.NDArray[Any] | None:
    """The elements on the process at position ``root``, or with -1 on all. Collective over the group."""
    if not array.here:
        return None
    group = array.group
    if not hasattr(root, "__index__") or not -1 <= root < len(group):
        raise ArgumentError(f"root is position {root!r} of a group of {len(group)} processes")
    receives = root == -1 or group.position == root
    # A call that was interrupted goes on with its own memory.
    pending: dict[Any, npt.NDArray[Any]] = base_of(array).__dict__.setdefault("_gathering", {})
    key = (getattr(array, "chosen", None), root)
    made = pending.pop(key, None)
    if made is None:
        made = np.empty(array.shape if receives else (0,), array.dtype)
    handle = array.handle()
    try:
        handle.gather(made, -1 if root == -1 else group[root], array.seconds)
    except (TimeoutError, KeyboardInterrupt):
        pending[key] = made
        raise
    except UnsupportedError:  # on all processes: there are several boxes on one
        if base_of(array)._domain is None:
            return _redistributed(array, group if root == -1 else group[root : root + 1])
        for position in range(len(group)) if root == -1 else (root,):
            found = _assigned(array, group[position : position + 1])
            made = made if found is None else found
    return made if receives else None


def _redistributed(array: Array, to: Group) -> npt.NDArray[Any] | None:
    """The elements on each process of a group, from an array over a distribution. Collective over the array's group."""
    from .redistribute import redistribute

    made = redistribute(array, Distribution(array.shape, array.dtype, (None,) * array.ndim, to))
    return made.local if made.here else None


def _assigned(array: Array, one: Group) -> npt.NDArray[Any] | None:
    """The elements on the one process of a group, from an array over any map. Collective over the array's group."""
    ranges = tuple(map(range, array.shape)) or (range(1),)
    whole = Array(Domain(Map([MapDim()] * len(ranges), one), ranges), dtype=array.dtype)
    assign(whole, array)
    return whole.local.reshape(array.shape) if whole.here else None


def _evaluated(given: Any) -> Array:
    array: Array = given.evaluate()
    if not array.here:
        raise StateError(f"this process is not in the group {array.group} of the array")
    return array


def _default(made: _dri.Array, shape: Tuple[int, ...], array: Array) -> Array:
    return adopted(made, default_distribution(shape, array.dtype, array.group))
