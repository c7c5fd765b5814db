"""One call that moves an array to another distribution, straight between the user's arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _plans
from .agreement import share
from .array import Array
from .distribution import Distribution
from .elements import dtype_of
from .errors import ArgumentError
from .group import Group, Processes
from .layout import LayoutLike, layout_of
from .partition import Partition
from .section import Section


class CacheInfo(NamedTuple):
    """What the cache of plans has done and holds: bytes are those of its workspace."""

    hits: int
    misses: int
    entries: int
    bytes: int
    max_entries: int
    max_bytes: int


def redistribute(
    x: Any, to: Any, *, out: npt.NDArray[Any] | None = None, layout: LayoutLike = "C", dtype: npt.DTypeLike = None,
    scale: float = 1.0,
) -> Array:  # fmt: skip
    """Move an array to another distribution. Collective over both groups.

    Data go straight from x to the result; beside both there is only the workspace that ``cache_info`` tells. Plans are
    kept, so that a repeated call costs little more than a frame of a transfer.

    Parameters
    ----------
    x
        An Array, or a Section of one.
    to
        A Distribution, a partition (over the group of x), or an Array, which is filled and returned.
    out
        This process's part of the result, which is filled. It shares no memory with x.
    layout
        How the result lies in memory if it is made here.
    dtype
        Numbers are converted to it if it is not that of x.
    scale
        Numbers are multiplied by it on their way.

    Raises
    ------
    ArgumentError, DtypeError, MismatchError, OverlapError, GapError
        On all processes of both groups.

    Examples
    --------
    >>> y = dri.redistribute(x, (None, "block"), layout="F")
    """
    array = x.distribute() if isinstance(x, Section) else x
    if not isinstance(array, Array):
        raise TypeError(f"redistribute takes an Array or a Section, not {type(x).__name__}")
    if isinstance(to, Array):
        if out is not None:
            raise ArgumentError("to is an Array, which is filled itself; out has no meaning then")
        if dtype is not None and dtype_of(dtype) != to.dtype:
            raise ArgumentError(f"dtype is {dtype}, but the Array that is filled has {to.dtype}")
    return _plans.store.run(_plans.Request(array, to, out, layout_of(layout), dtype, float(scale)))


def cache_info() -> CacheInfo:
    """What the cache of plans has done and holds on this process. Local."""
    store = _plans.store
    return CacheInfo(store.hits, store.misses, len(store.plans), store.bytes, store.max_entries, store.max_bytes)


def cache_clear() -> None:
    """Drop all plans of this process. Local. The next calls plan anew, also where others still have theirs."""
    _plans.store.limit(0, 0)
    _plans.store.limit(_plans.MAX_ENTRIES, _plans.MAX_BYTES)


def cache_limit(entries: int = 32, bytes: int = 256 << 20) -> None:
    """Set how many plans, and how many bytes of workspace, are kept. Local. The least recently used goes first."""
    if entries < 0 or bytes < 0:
        raise ArgumentError(f"the limits are {entries} entries and {bytes} bytes; neither is negative")
    _plans.store.limit(entries, bytes)


def update_overlap(array: Array) -> None:
    """Fill the overlap of an array in place. Collective over its group."""
    if array.distribution.group.position is not None:
        _plans.store.update(array)


def gather(array: Array, root: int) -> npt.NDArray[Any] | None:
    """The whole array on one process of its group. Collective over the group."""
    dist = array.distribution
    whole = Distribution(dist.shape, dist.dtype, (None,) * dist.ndim, _one(dist.group, root))
    made = redistribute(array, whole)
    return made.local if made.here else None


def scatter(a: npt.NDArray[Any] | None, partition: Partition, comm: Processes | None = None, *, root: int = 0) -> Array:
    """Cut up the numpy array of one process. Collective over comm.

    Parameters
    ----------
    a
        The array on the process ``root``; the others pass None.
    partition, comm
        As in Distribution.
    root
        Its position in the group.

    Examples
    --------
    >>> x = dri.scatter(a if rank == 0 else None, ("block", None))
    """
    from . import env

    group = env.init() if comm is None else comm if isinstance(comm, Group) else Group(comm)
    one = _one(group, root)
    if group.position is None:
        raise ArgumentError(f"process is not in the group {group}")
    shape, dtype = share(group, group.position == root, lambda: _described(a))
    source = Array(Distribution(shape, dtype, (None,) * len(shape), one), a if group.position == root else None)
    return redistribute(source, Distribution(shape, dtype, partition, group))


def _described(a: Any) -> tuple[tuple[int, ...], Any]:
    if not isinstance(a, np.ndarray):
        raise ArgumentError(f"scatter cuts up the numpy array of the root, not {type(a).__name__}")
    return a.shape, dtype_of(a.dtype)


def _one(group: Group, position: int) -> Group:
    if not 0 <= position < len(group):
        raise ArgumentError(f"root is position {position} of a group of {len(group)} processes")
    return group[position : position + 1]


