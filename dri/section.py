"""Sections: parts of distributed arrays by global indices, on the same memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple, Tuple

import numpy as np

from .distribution import Distribution
from .elements import Dtype
from .errors import OutOfRange, StateError, UnsupportedError
from .partition import exact, indices

if TYPE_CHECKING:
    import numpy.typing as npt

    from .array import Array

_CONTIGUOUS = ("whole", "block", "sizes", "weights", "exact")


class Cut(NamedTuple):
    """What of a dimension this process has: its indices in the section, and their places in the local array."""

    is_number: bool
    size: int
    indices: npt.NDArray[np.int64]
    places: slice | int


class Section:
    """A part of a distributed array, without overlap, on the same memory. Local. ``x[3:7, 4]`` makes it.

    Raises
    ------
    OutOfRange
        An index is outside the array.
    UnsupportedError
        A step is negative, the elements do not lie evenly spaced in memory, or numbers along all dimensions leave one
        element of an array that is cut.
    """

    def __init__(self, array: Array, index: Any) -> None:
        dist = array.distribution
        self._array = array
        self._index = index
        chosen = chosen_indices(index, dist.shape)
        self._shape = tuple(len(one) for one in chosen if isinstance(one, range))
        if chosen and not self._shape and all(isinstance(one, int) for one in chosen) and not _is_whole(dist):
            raise UnsupportedError("one element is no section of an array that is cut; owner() and local_index() find it")
        self._local: npt.NDArray[Any] | None = None
        self._cuts: List[Cut] = []
        if array.here:
            self._cuts = [_cut(dist, dim, one) for dim, one in enumerate(chosen)]
            self._local = self._view(array.local)

    @property
    def local(self) -> npt.NDArray[Any]:
        """This process's elements: a view of the array's memory. Local."""
        if self._local is None:
            raise StateError("this process is not in the group of the array")
        return self._local

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension, over all processes. Local."""
        return self._shape

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self._array.dtype

    def distribute(self) -> Array:
        """The section as an array of its own, on the same memory. Collective over the array's group."""
        from .array import Array

        dist = self._array.distribution
        if not dist.here:
            return Array(Distribution(self._shape, dist.dtype, exact(*((0, 0) for _ in self._shape)), dist.group))
        return Array(Distribution(self._shape, dist.dtype, self._partition(dist), dist.group), self.local)

    def redistribute(self, to: Any, **options: Any) -> Array:
        """Move the section to a distribution of its shape. Collective over both groups. See :func:`dri.redistribute`."""
        from .redistribute import redistribute

        return redistribute(self, to, **options)

    def __distarray__(self) -> dict[str, Any]:
        """The section in the Distributed Array Protocol. Local."""
        from .dap import view

        return view(self._array, self._index).__distarray__()

    def _view(self, local: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if any(cut.is_number and not len(cut.indices) for cut in self._cuts):  # nothing of the section is here
            return np.empty((0,) * len(self._shape), local.dtype)
        return local[(*(cut.places for cut in self._cuts), ...)]  # a view, even of one element

    def _partition(self, dist: Distribution) -> Any:
        kept = [cut for cut in self._cuts if not cut.is_number]
        if all(rule.kind in _CONTIGUOUS for rule in dist.partition):
            if self.local.size == 0 or self._is_replica(dist):
                self._local = self.local[tuple(slice(0, 0) for _ in kept)]
                return exact(*((0, 0) for _ in kept))
            return exact(*((int(cut.indices[0]), int(cut.indices[-1]) + 1) for cut in kept))
        for dim, cut in enumerate(self._cuts):
            if cut.is_number and dist.grid[dim] > 1:
                raise UnsupportedError(f"dimension {dim} is cut, so an index along it leaves no distribution")
        parts = [dist.grid[dim] for dim, cut in enumerate(self._cuts) if not cut.is_number]
        return tuple(indices(cut.indices, parts=n) for cut, n in zip(kept, parts))

    def _is_replica(self, dist: Distribution) -> bool:
        if any(rule.kind == "exact" for rule in dist.partition):
            return False
        position = dist.group.position
        return position is not None and position >= int(np.prod(dist.grid, dtype=np.int64))

    def _repr_html_(self) -> str:
        from ._html import html

        rows = [("shape", self._shape), ("dtype", self.dtype), ("of", self._array.shape)]
        return html("Section", rows, self._array.distribution)

    def __repr__(self) -> str:
        return f"<Section {self._shape} of {self._array!r}>"


def _is_whole(dist: Distribution) -> bool:
    return all(rule.kind == "whole" for rule in dist.partition)


def chosen_indices(index: Any, shape: Tuple[int, ...]) -> List[range | int]:
    """The indices of each dimension, or one number. Local."""
    entries = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in entries:
        at = entries.index(Ellipsis)
        entries[at : at + 1] = [slice(None)] * (len(shape) - len(entries) + 1)
    entries += [slice(None)] * (len(shape) - len(entries))
    if len(entries) > len(shape):
        raise OutOfRange(f"{len(entries)} indices of an array of {len(shape)} dimensions")
    made: List[range | int] = []
    for dim, (one, size) in enumerate(zip(entries, shape)):
        if isinstance(one, slice):
            found = range(*one.indices(size))
            if found.step < 0:
                raise UnsupportedError(f"dimension {dim}: the step {found.step} is negative")
            made.append(found)
        elif hasattr(one, "__index__"):
            if not -size <= one < size:
                raise OutOfRange(f"dimension {dim}: index {one} of {size} elements")
            made.append(int(one) % size)
        else:
            raise TypeError(f"dimension {dim}: a section consists of slices and numbers, not {one!r}")
    return made


def _cut(dist: Distribution, dim: int, chosen: range | int) -> Cut:
    held, blocks = dist.indices(dim), dist.blocks(dim)
    places = np.concatenate([np.arange(b["local"], b["local"] + b["size"]) for b in blocks] or [np.empty(0, np.int64)])
    owned = held[places]
    if isinstance(chosen, int):
        found = np.flatnonzero(owned == chosen)
        return Cut(True, 1, np.zeros(len(found), np.int64), int(places[found[0]]) if len(found) else slice(0, 0))
    inside = (owned >= chosen.start) & (owned < chosen.stop) & ((owned - chosen.start) % chosen.step == 0)
    mine, at = (owned[inside] - chosen.start) // chosen.step, places[inside]
    return Cut(False, len(chosen), mine, even_slice(dim, at))


def even_slice(dim: int, places: npt.NDArray[np.int64]) -> slice:
    """Places at equal distances as a slice. Local."""
    if not len(places):
        return slice(0, 0)
    steps = np.diff(places)
    step = int(steps[0]) if len(steps) else 1
    if step < 1 or (steps != step).any():
        raise UnsupportedError(f"dimension {dim}: the elements of the section do not lie evenly spaced in memory")
    return slice(int(places[0]), int(places[-1]) + 1, step)
