"""Domains: ranges over a map. A domain says who owns which members, in which order, and where they lie."""

from __future__ import annotations

import itertools
import math
import weakref
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Sequence

from . import _dri
from ._signals import Deferred
from .errors import ArgumentError, OutOfRange, StateError, UnsupportedError
from .group import Group
from .maps import Map, block_map, dist_map
from .ranges import Index, Ranges, RangesLike, densify, index_of, ranges_of, shown, undensify

if TYPE_CHECKING:
    import numpy.typing as npt

    from .array import Array
    from .distribution import Distribution


class Chunk(NamedTuple):
    """A piece of a process's members, as dense ranges, and its task. Any domain of the same shape can follow it."""

    dense: Ranges
    task: int


class Domain:
    """The members of ranges over a map. Local.

    Its order is row-major over the ranges as sequences. Queries communicate nothing; every process may ask about every
    process. Without a rank they are about the calling process.

    Parameters
    ----------
    map
        The owner of each index. It may be left out: then the ranges are in blocks over the world.
    ranges
        Python's ``range`` for one dimension, or a tuple with one per dimension.

    Raises
    ------
    ArgumentError
        The ranges are not as many as the map's dimensions, or leave its distribution.

    Examples
    --------
    >>> plate = (range(1000), range(1000))
    >>> all_of_it = dri.Domain(dri.stencil_map(plate, 1), plate)
    >>> inside = all_of_it[1:-1, 1:-1]
    """

    def __init__(self, map: Map | RangesLike, ranges: RangesLike | None = None) -> None:
        if ranges is None:
            if isinstance(map, Map):
                raise TypeError("a domain has ranges, over a map or over the world")
            ranges, map = map, block_map(map)
        if not isinstance(map, Map):
            raise TypeError(f"the map of a domain is a dri.Map, not {type(map).__name__}")
        self._map = map
        chosen = ranges_of(ranges)
        self._made = _dri.make_domain(map.handle(len(chosen)), chosen)
        self._ranges: Ranges = self._made.ranges()
        self._arrays: weakref.WeakSet[Array] = weakref.WeakSet()

    @property
    def map(self) -> Map:
        """The owner of each index. Local."""
        return self._map

    @property
    def group(self) -> Group:
        """The processes of the map. Local."""
        return self._map.group

    @property
    def ranges(self) -> Ranges:
        """One range per dimension. Local."""
        return self._ranges

    @property
    def ndim(self) -> int:
        """Number of dimensions. Local."""
        return len(self._ranges)

    @property
    def shape(self) -> tuple[int, ...]:
        """Members per dimension. Local."""
        return tuple(len(one) for one in self._ranges)

    @property
    def size(self) -> int:
        """Number of members. Local."""
        return math.prod(self.shape)

    @property
    def here(self) -> bool:
        """Whether the calling process is in the group. Local."""
        return self.group.position is not None

    def order(self, index: Any) -> int:
        """The place of an index in the domain's order, or -1 for an index that is no member. Local."""
        return self._made.order(index_of(index, self.ndim))

    def index(self, order: int) -> Index:
        """The member at a place of the order. Local."""
        return shown(self._made.index(order))

    def owner(self, index: Any) -> int:
        """The rank of the process that owns a member. Local."""
        return self._made.owner(index_of(index, self.ndim))

    def boxes(self, rank: int | None = None) -> list[Ranges]:
        """What a process owns, as disjoint boxes of members in the order of its memory. Local."""
        asked = self._rank(rank)
        return [] if asked is None else list(self._made.boxes(asked))

    def local(self, rank: int | None = None) -> Domain:
        """What a process owns, over the same map. Local.

        Raises
        ------
        UnsupportedError
            The process has several boxes, which ``boxes`` lists.
        """
        boxes = self.boxes(rank)
        if len(boxes) > 1:
            raise UnsupportedError(f"the process has {len(boxes)} boxes of the domain; boxes() lists them")
        return Domain(self._map, boxes[0] if boxes else tuple(one[:0] for one in self._ranges))

    def count(self, rank: int | None = None) -> tuple[int, int]:
        """Members that a process owns, and elements that its local array holds, overlap included. Local."""
        asked = self._rank(rank)
        return (0, 0) if asked is None else self._made.counts(asked)

    def local_index(self, index: Any, rank: int | None = None) -> int:
        """The place of a member in the local array of a process, row-major, overlap counted. Local."""
        return self._made.local_index(self._member(rank), index_of(index, self.ndim))

    def global_index(self, place: int, rank: int | None = None) -> Index:
        """The member at a place of the local array of a process. Local."""
        return shown(self._made.global_index(self._member(rank), place))

    def chunks(self, tasks: int = 1, rank: int | None = None) -> list[Chunk]:
        """The leader: what a process owns, cut for a number of tasks. Local."""
        asked = self._rank(rank)
        return [] if asked is None else [Chunk(*one) for one in self._made.chunks(asked, tasks)]

    def follow(self, chunk: Chunk | Sequence[Sequence[int]]) -> Iterator[Index]:
        """The members at dense indices, row-major. Local.

        Parameters
        ----------
        chunk
            A chunk of any domain of the same shape, or a sequence of dense indices per dimension.
        """
        dense = chunk.dense if isinstance(chunk, Chunk) else chunk
        if len(dense) != self.ndim:
            raise ArgumentError(f"there are {len(dense)} sequences, but the domain has {self.ndim} dimensions")
        along = [[_member_at(whole, at) for at in one] for one, whole in zip(dense, self._ranges)]
        return (shown(one) for one in itertools.product(*along))

    def distribution(self, dtype: npt.DTypeLike) -> Distribution:
        """The distribution of elements by their dense indices, for transfers. Collective over the group.

        It has one dimension, the order of the domain, where what the processes own is no product of lists.
        """
        from ._adopt import adopt
        from .elements import dtype_of, element_of

        kind = dtype_of(dtype)
        if not self.here:
            raise StateError("the calling process is not in the group of the domain")
        with Deferred() as ctrl_c:
            made = adopt(self._made.dist(element_of(kind)), kind)
        ctrl_c.raise_noted()
        return made

    def set(self, ranges: RangesLike, map: Map | None = None) -> None:
        """Give the domain other ranges, and another map. Collective over the processes of both maps.

        Arrays over the domain keep the element at each index that both have; other elements are 0. Slices of them are
        stale then. After a failure all is as before, on all processes.
        """
        chosen = ranges_of(ranges)
        other = None if map is None else map.handle(len(chosen))
        if len(chosen) != self.ndim:
            raise ArgumentError(f"there are {len(chosen)} ranges, but the domain has {self.ndim} dimensions")
        with Deferred() as ctrl_c:
            self._made.set(other, chosen)
            self._map = self._map if map is None else map
            self._ranges = self._made.ranges()
            for array in sorted(self._arrays, key=lambda one: one.number):
                array.follow()
        ctrl_c.raise_noted()

    def clone(self) -> Domain:
        """Another domain with the same map and ranges, which ``set`` does not change with this one. Local."""
        return Domain(self._map, self._ranges)

    def check(self) -> None:
        """Check the map on all members, for tests of maps. Local.

        Raises
        ------
        GapError, OverlapError, MismatchError, ArgumentError
            With the index and the positions.
        """
        self._made.check()

    def describe(self) -> str:
        """The ranges and the rule of the map in a line, then a line per process with its boxes. Local."""
        return self._made.describe()

    def handle(self) -> _dri.Domain:
        """The domain of the C interface. Local."""
        return self._made

    def add(self, array: Array) -> None:
        """Note an array that follows the domain. Local."""
        self._arrays.add(array)

    def _rank(self, rank: int | None) -> int | None:
        if rank is not None:
            return rank
        mine = _dri.world_rank()
        return mine if mine in self.group else None

    def _member(self, rank: int | None) -> int:
        asked = self._rank(rank)
        if asked is None:
            raise StateError("the calling process is not in the group of the domain")
        return asked

    def __getitem__(self, which: Any) -> Domain:
        """Some members, over the same map: slices count places as in numpy, ranges are members. Local."""
        return Domain(self._map, chosen_ranges(which, self._ranges))

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Index]:
        return (shown(one) for one in itertools.product(*self._ranges))

    def __contains__(self, index: object) -> bool:
        return self.order(index) >= 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self.ndim == other.ndim and self._made.equals(other._made)

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Domain, (self._map, self._ranges)

    def __str__(self) -> str:
        """The ranges as Chapel writes them, ends included: ``{1..2, 1..9 by 2}``."""
        return self._made.text()

    def __repr__(self) -> str:
        return f"<Domain {self} over {self._map!r}>"


def domain_of(dist: Distribution) -> Domain:
    """The indices of a distribution, from 0. Local. Made once for each distribution."""
    found: Domain | None = getattr(dist, "_domain", None)
    if found is None:
        found = Domain(dist_map(dist), tuple(range(n) for n in dist.shape))
        dist._domain = found  # type: ignore[attr-defined]
    return found


def chosen_ranges(which: Any, whole: Ranges) -> Ranges:
    """Ranges of members: slices count places in ``whole``, ranges and domains are members themselves. Local."""
    if isinstance(which, Domain):
        return which.ranges
    entries = list(which) if isinstance(which, tuple) else [which]
    if Ellipsis in entries:
        at = entries.index(Ellipsis)
        entries[at : at + 1] = [slice(None)] * (len(whole) - len(entries) + 1)
    entries += [slice(None)] * (len(whole) - len(entries))
    if len(entries) != len(whole):
        raise OutOfRange(f"{len(entries)} indices of {len(whole)} dimensions")
    made = []
    for dim, (one, members) in enumerate(zip(entries, whole)):
        if isinstance(one, slice):
            one = undensify(range(*one.indices(len(members))), members)
        elif not isinstance(one, range):
            raise TypeError(f"dimension {dim}: members are chosen by a slice or a range, not by {one!r}")
        else:
            densify(one, members)  # refused if it leaves them
        made.append(one)
    return tuple(made)


def _member_at(whole: range, at: int) -> int:
    if not 0 <= at < len(whole):
        raise OutOfRange(f"place {at} of {len(whole)} members")
    return whole[at]
