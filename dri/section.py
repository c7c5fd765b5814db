"""Sections: slices of distributed arrays, which are arrays on the same memory."""

from __future__ import annotations

from operator import index as place_of
from typing import TYPE_CHECKING, Any, Iterator, List, NamedTuple, Tuple

import numpy as np

from . import _dri
from .array import Array
from .distribution import Distribution
from .domain import Domain
from .elements import Dtype
from .errors import OutOfRange, StateError, UnsupportedError
from .forms import Form
from .group import Group
from .partition import exact, indices
from .ranges import Ranges

if TYPE_CHECKING:
    import numpy.typing as npt

_new = object.__new__
_CONTIGUOUS = ("whole", "block", "sizes", "weights", "exact")


class Cut(NamedTuple):
    """What of a dimension this process has: its indices in the section, and their places in the local array."""

    is_number: bool
    size: int
    indices: npt.NDArray[np.int64]
    places: slice | int


class StepError(OutOfRange, UnsupportedError):
    """A step of a slice is negative: the elements of a section lie in the array's direction."""


class KindError(IndexError, TypeError):
    """An index is none of slices, ranges and numbers."""


class Section(Array):
    """A slice of a distributed array, without overlap: an array on the same memory. Local. ``x[3:7, 4]`` makes it.

    Raises
    ------
    OutOfRange
        An index is outside the array, or a step is negative.
    IndexError
        An index is no slice, range or number; it is a TypeError, too.
    UnsupportedError
        The elements do not lie evenly spaced in memory, or numbers along all dimensions leave one element of an array
        that is cut.
    """

    def __init__(self, array: Array, index: Any, *, one_element: bool = False) -> None:
        base: Array = array
        chosen = chosen_indices(index, array.shape, array.domain.ranges if array._domain is not None else None)
        if isinstance(array, Section):
            base, chosen = array._base, array._composed(chosen)
        self._base: Array = base
        domain = base._domain
        self._form = base.form.section(chosen, None if domain is None else domain.ranges)
        if chosen and not self._form.shape:
            if not one_element and not _is_whole(base):
                raise UnsupportedError("one element is no section of an array that is cut; at() reads it where it is owned")
        elif base is array:
            base.form.indexed.add(index, self._form)

    _base: Array
    _form: Form
    _alias_of: _dri.Array | None = None
    _local = None
    _cuts: List[Cut] | None = None

    @property
    def form(self) -> Form:
        """What statements need to know of it. Local. A domain that is set gives its arrays another one."""
        form, base = self._form, self._base
        if base._domain is not None and form.token is not base.form.token:
            form = self._form = base.form.section(list(self.chosen), base._domain.ranges)
        return form

    @property
    def base(self) -> Array:
        """The array whose memory it is. Local."""
        return self._base

    @property
    def group(self) -> Group:
        """The processes that hold the array. Local."""
        return self._base.group

    @property
    def distribution(self) -> Distribution:
        """A slice has none. ``distribute`` makes an array with one. Local."""
        raise StateError("a slice has no distribution of its own; distribute() makes an array on the same memory")

    @property
    def domain(self) -> Domain:
        """The indices of the slice, over the map of the array; a number is a range of one member. Local."""
        whole = self._base.domain
        return Domain(whole.map, self.members())

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension, over all processes. Local."""
        return self._form.shape

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self._form.dtype

    @property
    def seconds(self) -> float:
        """How long a call of the array waits for others. Local."""
        return self._base.seconds

    @property
    def chosen(self) -> tuple[range | int, ...]:
        """What it has of each dimension of the array, by places from 0. Local."""
        assert self._form.chosen is not None
        return self._form.chosen

    def members(self) -> Ranges:
        """The same as ranges of the array's domain. Local."""
        return self.form.members

    def distribute(self) -> Array:
        """The section as an array over a distribution, on the same memory. Collective over the array's group."""
        if self._base._domain is not None:
            raise UnsupportedError("a slice of an array over a domain has no distribution; assign it to an array that has one")
        dist = self._base.distribution
        if not dist.here:
            return Array(Distribution(self._form.shape, dist.dtype, exact(*((0, 0) for _ in self._form.shape)), dist.group))
        return Array(Distribution(self._form.shape, dist.dtype, self._partition(dist), dist.group), self.local)

    def update_overlap(self) -> None:
        """A slice has no overlap. Collective over the group. UnsupportedError."""
        raise UnsupportedError("a slice has no overlap of its own; update that of its array")

    def handle(self) -> _dri.Array:
        """The array of the C interface: an alias. Collective over the group, the first time for its array."""
        whole = self._base.handle()
        if self._made is None or self._alias_of is not whole:
            dropped = sum(1 << dim for dim, one in enumerate(self.chosen) if not isinstance(one, range))
            if dropped == (1 << len(self.chosen)) - 1:
                dropped >>= 1  # one dimension stays
            self._made, self._alias_of = whole.slice(self.members(), dropped), whole
        return self._made

    def pieces(self) -> Iterator[tuple[tuple[Any, ...], npt.NDArray[Any]]]:
        """What this process has of it: places in the slice per dimension, and their memory. Local."""
        if not self._base.here:
            return
        if self._base._domain is None:
            places = tuple(cut.indices for cut in self.cuts if not cut.is_number)
            if self.local.size:
                yield np.ix_(*places) if places else (), self.local
            return
        made = self.handle()
        whole = tuple(one for one, cut in zip(self.members(), self.chosen) if isinstance(cut, range))
        keeps = self._base.local
        for box in range(made.boxes()):
            memory, members, _ = made.view(box, self.dtype, keeps)
            if not whole:
                yield (), memory.reshape(())
            else:
                dense = (_dri.densify(one, along) for one, along in zip(members, whole))
                yield np.ix_(*(np.arange(one.start, one.stop, one.step) for one in dense)), memory

    def _composed(self, chosen: List[range | int]) -> List[range | int]:
        left = iter(chosen)
        made: List[range | int] = []
        for one in self.chosen:
            if not isinstance(one, range):
                made.append(one)
                continue
            sub = next(left)
            made.append(one[sub] if isinstance(sub, int) else _part(one, sub))
        return made

    @property
    def cuts(self) -> List[Cut]:
        """What this process has of each dimension of an array over a distribution. Local."""
        if self._cuts is None:
            dist = self._base.distribution
            self._cuts = [_cut(dist, dim, one) for dim, one in enumerate(self.chosen)]
        return self._cuts

    def _view(self) -> npt.NDArray[Any]:
        if self._base._domain is None:
            local = self._base.local
            if any(cut.is_number and not len(cut.indices) for cut in self.cuts):  # nothing of the section is here
                return np.empty((0,) * len(self._form.shape), local.dtype)
            return local[(*(cut.places for cut in self.cuts), ...)]  # a view, even of one element
        found = [memory for _, memory in self.pieces()]
        if len(found) > 1:
            raise UnsupportedError(f"the slice lies in {len(found)} boxes of this process; pieces() has each")
        return found[0] if found else np.empty((0,) * len(self._form.shape), self.dtype)

    @property
    def local(self) -> npt.NDArray[Any]:
        """This process's elements: a view of the array's memory. Local."""
        if not self._base.here:
            raise StateError("this process is not in the group of the array")
        if self._local is None:
            self._local = self._view()
        return self._local

    @property
    def here(self) -> bool:
        """Whether this process is in the group. Local."""
        return self._base.here

    def _partition(self, dist: Distribution) -> Any:
        kept = [cut for cut in self.cuts if not cut.is_number]
        if all(rule.kind in _CONTIGUOUS for rule in dist.partition):
            if self.local.size == 0 or self._is_replica(dist):
                self._local = self.local[tuple(slice(0, 0) for _ in kept)]
                return exact(*((0, 0) for _ in kept))
            return exact(*((int(cut.indices[0]), int(cut.indices[-1]) + 1) for cut in kept))
        for dim, cut in enumerate(self.cuts):
            if cut.is_number and dist.grid[dim] > 1:
                raise UnsupportedError(f"dimension {dim} is cut, so an index along it leaves no distribution")
        parts = [dist.grid[dim] for dim, cut in enumerate(self.cuts) if not cut.is_number]
        return tuple(indices(cut.indices, parts=n) for cut, n in zip(kept, parts))

    def _is_replica(self, dist: Distribution) -> bool:
        if any(rule.kind == "exact" for rule in dist.partition):
            return False
        position = dist.group.position
        return position is not None and position >= int(np.prod(dist.grid, dtype=np.int64))

    def __distarray__(self) -> dict[str, Any]:
        """The section in the Distributed Array Protocol. Local."""
        from ._dap_owned import owned_part
        from .dap import Section as Description
        from .dap import view

        index = tuple(_plain(one) for one in self.chosen)
        try:
            whole = self._base.__distarray__()
        except UnsupportedError:
            if self._base._domain is not None or not any(rule.overlap for rule in self._base.distribution.partition):
                raise
            return view(Description(*owned_part(self._base)), index).__distarray__()
        return view(whole, index).__distarray__()

    def _repr_html_(self) -> str:
        from ._html import html

        rows = [("shape", self._form.shape), ("dtype", self.dtype), ("of", self._base.shape)]
        return html("Section", rows, self._base.distribution)

    def __repr__(self) -> str:
        return f"<Section {self._form.shape} of {self._base!r}>"


def section_of(array: Array, index: Any, one_element: bool = False) -> Section:
    """What ``array[index]`` is, by the form that the index had before. Local."""
    form = None if type(array) is Section else array.form.indexed.find(index)
    if form is None:
        return Section(array, index, one_element=one_element)
    made = _new(Section)
    made._base, made._form = array, form
    return made


def _is_whole(array: Array) -> bool:
    return array._domain is None and all(rule.kind == "whole" for rule in array.distribution.partition)


def _part(whole: range, sub: range) -> range:
    """The members of ``whole`` at places. Local."""
    if not len(sub):
        return whole[:0]
    return range(whole[sub[0]], whole[sub[0]] + whole.step * sub.step * len(sub), whole.step * sub.step)


def _plain(one: range | int) -> slice | int:
    return slice(one.start, max(one.stop, 0), one.step) if isinstance(one, range) else one


def chosen_indices(index: Any, shape: Tuple[int, ...], members: Ranges | None = None) -> List[range | int]:
    """The places of each dimension, or one number. Local.

    ``members``: the ranges of a domain, whose members a range in ``index`` has; None: they are the places.
    """
    if isinstance(index, Domain):
        index = index.ranges
    entries: List[Any] = list(index) if isinstance(index, tuple) else [index]
    if any(one is Ellipsis for one in entries):
        at = next(i for i, one in enumerate(entries) if one is Ellipsis)
        entries[at : at + 1] = [slice(None)] * (len(shape) - len(entries) + 1)
    entries += [slice(None)] * (len(shape) - len(entries))
    if len(entries) > len(shape):
        raise OutOfRange(f"{len(entries)} indices of an array of {len(shape)} dimensions")
    made: List[range | int] = []
    for dim, (one, size) in enumerate(zip(entries, shape)):
        if isinstance(one, slice):
            found = range(*one.indices(size))
            if found.step < 0:
                raise StepError(f"dimension {dim}: the step {found.step} is negative")
            made.append(found)
        elif isinstance(one, range):
            made.append(_dri.densify(one, range(size) if members is None else members[dim]))
        else:
            place = _place(one, dim)
            if not -size <= place < size:
                raise OutOfRange(f"dimension {dim}: index {one} of {size} elements")
            made.append(place % size)
    return made


def _place(one: Any, dim: int) -> int:
    try:
        if not isinstance(one, (bool, np.bool_)):
            return place_of(one)
    except TypeError:  # lists, and arrays of more than one element
        pass
    raise KindError(f"dimension {dim}: a section consists of slices, ranges and numbers, not {one!r}")


def _cut(dist: Distribution, dim: int, chosen: range | int) -> Cut:
    held, blocks = dist.indices(dim), dist.blocks(dim)
    places = np.concatenate([np.arange(b["local"], b["local"] + b["size"]) for b in blocks] or [np.empty(0, np.int64)])
    owned = held[places]
    if isinstance(chosen, int):
        found = np.flatnonzero(owned == chosen)
        return Cut(True, 1, np.zeros(len(found), np.int64), int(places[found[0]]) if len(found) else slice(0, 0))
    if chosen.step < 0:
        forwards = _cut(dist, dim, chosen[::-1])
        assert isinstance(forwards.places, slice)
        return Cut(False, len(chosen), len(chosen) - 1 - forwards.indices[::-1], _reversed(forwards.places))
    inside = (owned >= chosen.start) & (owned < chosen.stop) & ((owned - chosen.start) % chosen.step == 0)
    mine, at = (owned[inside] - chosen.start) // chosen.step, places[inside]
    return Cut(False, len(chosen), mine, even_slice(dim, at))


def _reversed(places: slice) -> slice:
    found = range(places.start, places.stop, places.step or 1)[::-1]
    return slice(found.start, found.stop if found.stop >= 0 else None, found.step) if len(found) else slice(0, 0)


def even_slice(dim: int, places: npt.NDArray[np.int64]) -> slice:
    """Places at equal distances as a slice. Local."""
    if not len(places):
        return slice(0, 0)
    steps = np.diff(places)
    step = int(steps[0]) if len(steps) else 1
    if step < 1 or (steps != step).any():
        raise UnsupportedError(f"dimension {dim}: the elements of the section do not lie evenly spaced in memory")
    return slice(int(places[0]), int(places[-1]) + 1, step)
