"""One call that moves an array to another distribution, straight between the user's arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _plans, env
from ._accord import accords
from ._dap_arrays import SINK, SOURCE, as_array, is_described
from ._dap_labels import numbered
from ._signals import deferred
from .agreement import share
from .array import Array
from .forms import clock
from .distribution import Distribution
from .elements import dtype_of
from .errors import ArgumentError
from .group import Group, Processes
from .layout import LayoutLike
from .moves import gathered
from .partition import Partition
from .section import Section

if TYPE_CHECKING:
    import numpy.typing as npt


class CacheInfo(NamedTuple):
    """What the cache of plans has done and holds: bytes are those of its workspace."""

    hits: int
    misses: int
    entries: int
    bytes: int
    max_entries: int
    max_bytes: int


class Redistribute:
    """Move an array to another distribution. Collective over both groups.

    Data go straight from x to the result; beside both there is only the workspace that ``cache_info`` tells. Plans are
    kept, so that a repeated call costs little more than a frame of a transfer.

    Parameters
    ----------
    x
        An Array, a Section of one, or an object with ``__distarray__`` (over comm). Where ``to`` is such an object, too,
        indices of a list may be any integers on both sides, as in ``dri.dap.relabel``.
    to
        A Distribution, a partition (over the group of x), or an Array, which is filled and returned. Another package's
        array, with ``__distarray__``, is filled, too; the result is an Array on its memory.
    out
        This process's part of the result, which is filled. It shares no memory with x.
    layout
        How the result lies in memory if it is made here.
    dtype
        Numbers are converted to it if it is not that of x.
    scale
        Numbers are multiplied by it on their way.
    comm
        The processes of other packages' arrays; None is the world.

    Raises
    ------
    ArgumentError, DtypeError, MismatchError, OverlapError, GapError
        On all processes of both groups. The array that was to be filled is as before.
    StateError, PeerError
        Another process has left, or Ctrl-C has ended its call. The array that was to be filled may have a part of the
        elements, as after Ctrl-C here; expressions that read it are stale.

    Examples
    --------
    >>> y = dri.redistribute(x, (None, "block"), layout="F")
    """

    def __call__(
        self, x: Any, to: Any, *, out: npt.NDArray[Any] | None = None, layout: LayoutLike = "C",
        dtype: npt.DTypeLike = None, scale: float = 1.0, comm: Processes | None = None,
    ) -> Array:  # fmt: skip
        if type(x) is not Array or type(to) not in _PLAIN or x._domain is not None or is_over_domain(to):
            x, plain = _arrays(x, to, comm)
            try:
                made = _plans.store.run(_plans.Request(x, plain, out, layout, dtype, scale))
            except BaseException:
                if isinstance(to, Array) and plain.version > to.version:
                    clock.written(to)
                raise
            made = to if isinstance(to, Array) else made
        else:
            made = _plans.store.run(_plans.Request(x, to, out, layout, dtype, scale))
        clock.written(made)
        return made

    def cache_info(self) -> CacheInfo:
        """What the cache of plans has done and holds on this process. Local."""
        store = _plans.store
        return CacheInfo(store.hits, store.misses, len(store.plans), store.bytes, store.max_entries, store.max_bytes)

    def cache_clear(self) -> None:
        """Drop all plans of this process. Local. The next calls plan anew, also where others still have theirs."""
        bounds = _plans.store.max_entries, _plans.store.max_bytes
        _plans.store.limit(0, 0)
        _plans.store.limit(*bounds)

    def cache_limit(self, entries: int = _plans.MAX_ENTRIES, bytes: int = _plans.MAX_BYTES) -> None:
        """Set how many plans, and how many bytes of workspace, are kept. Local. The least recently used goes first."""
        if entries < 0 or bytes < 0:
            raise ArgumentError(f"the limits are {entries} entries and {bytes} bytes; neither is negative")
        _plans.store.limit(entries, bytes)


redistribute = Redistribute()
_PLAIN = (Distribution, Array, tuple)  # what is no description


def _arrays(x: Any, to: Any, comm: Processes | None) -> tuple[Array, Any]:
    """Both sides, with an array for each description. Collective over comm where there is one."""
    fault: Exception | None = None
    if not isinstance(x, Array) and not is_described(x):
        kind = type(x).__name__
        fault = TypeError(f"redistribute takes an Array, a Section or an object with __distarray__, not {kind}")
    elif isinstance(to, Section):
        fault = TypeError("redistribute fills an Array, not a Section of one")
    if fault is not None:  # of the others only the processes of this side are known
        known = next((one for one in (x, to) if isinstance(one, (Array, Distribution))), None)
        side = known.distribution if isinstance(known, Array) else known
        accords.agree(env.group_of(comm) if side is None else side.group, 0, fault)
    are_read = not isinstance(x, Array) and not isinstance(to, Array) and is_described(to)
    if are_read:
        x, to = numbered(x, to, comm)
    x = x.evaluate().distribute() if isinstance(x, Array) else as_array(x, comm, SOURCE, are_read)
    if isinstance(to, Array):
        return x, to.distribute()
    return x, as_array(to, comm, SINK, are_read) if is_described(to) else to


def update_overlap(array: Array) -> None:
    """Fill the overlap of an array, or the padding of its description, in place. Collective over its group."""
    if array._domain is not None:
        array.handle().update_overlap(array.seconds)
        return
    described = array._described
    padded = array if described is None else described.for_update()
    try:
        if padded.here:
            _plans.store.update(padded)
    finally:
        if described is not None:  # padding at the edges is of the array itself
            clock.written(array)


def gather(array: Array, root: int) -> npt.NDArray[Any] | None:
    """The whole array on one process of its group. Collective over the group."""
    array = array.evaluate()
    if root == -1 or array._domain is not None or isinstance(array, Section):
        return gathered(array, root)
    dist = array.distribution
    whole = Distribution(dist.shape, dist.dtype, (None,) * dist.ndim, _one(dist.group, root))
    made = redistribute(array, whole)
    return made.local if made.here else None


def is_over_domain(to: Any) -> bool:
    """Whether it is an array that was made over a domain. Local."""
    return type(to) is Array and to._domain is not None


@deferred
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
    group = env.group_of(comm)
    one = _one(group, root)
    if group.position is None:
        raise ArgumentError(f"process is not in the group {group}")
    shape, dtype = share(group, group.position == root, lambda: _described(a))
    source = Array(Distribution(shape, dtype, (None,) * len(shape), one), a if group.position == root else None)
    return redistribute(source, Distribution(shape, dtype, partition, group))


def _described(a: Any) -> tuple[tuple[int, ...], Any]:
    if not isinstance(a, np.ndarray):
        raise ArgumentError(f"scatter cuts up a numpy array, but the root passes {a if a is None else type(a).__name__}")
    return a.shape, dtype_of(a.dtype)


def _one(group: Group, position: int) -> Group:
    if not hasattr(position, "__index__") or not 0 <= position < len(group):
        raise ArgumentError(f"root is position {position!r} of a group of {len(group)} processes")
    return group[position : position + 1]


