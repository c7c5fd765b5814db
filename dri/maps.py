"""Maps: which process of a group owns which index. A map has no sizes and no data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence, Tuple, Union

from . import _dri, env
from .errors import ArgumentError, StateError
from .group import Group, Processes
from .partition import EDGES, KINDS
from .ranges import Index, Ranges, RangesLike, index_of, ranges_of

if TYPE_CHECKING:
    from .assignment import Assignment
    from .distribution import Distribution

Owner = Callable[[Any], int]
Widths = Union[int, Tuple[int, int]]


@dataclass(frozen=True)
class MapDim:
    """How a map cuts one dimension. Local. Without arguments it stays whole.

    Parameters
    ----------
    kind
        ``"whole"``, ``"block"`` or ``"cyclic"``. :meth:`block` and :meth:`cyclic` make the last two.
    parts
        Number of parts; 0 lets the library choose.
    lo, hi
        The bounding box of blocks, ``hi`` not included. Indices outside belong to the nearest part.
    start, block
        Where cyclic blocks start, and how long they are.
    overlap
        Members of a domain before and behind each block, of which a process keeps copies.
    edge
        What overlap is beyond the domain: ``"truncate" "wrap" "zero" "replicate"``, or (left, right).
    """

    kind: str = "whole"
    parts: int = 0
    lo: int = 0
    hi: int = 0
    start: int = 0
    block: int = 0
    overlap: Widths = 0
    edge: str | Tuple[str, str] = "truncate"

    @staticmethod
    def blocks(box: range, parts: int = 0, *, overlap: Widths = 0, edge: str | Tuple[str, str] = "truncate") -> MapDim:
        """The range ``box`` in blocks. Local."""
        low, high = (min(box), max(box) + 1) if len(box) else (0, 0)
        return MapDim("block", parts, low, high, overlap=overlap, edge=edge)

    @staticmethod
    def cyclic(start: int = 0, block: int = 1, parts: int = 0) -> MapDim:
        """Blocks of indices, dealt to the parts round-robin from the one at ``start``. Local."""
        return MapDim("cyclic", parts, start=start, block=block)

    def encoded(self) -> tuple[int, ...]:
        """The rule as the extension takes it. Local."""
        left, right = self.overlap if isinstance(self.overlap, tuple) else (self.overlap, self.overlap)
        edges = self.edge if isinstance(self.edge, tuple) else (self.edge, self.edge)
        for one in edges:
            if one not in EDGES:
                raise ArgumentError(f"edge {one!r} is none of {', '.join(EDGES)}")
        if self.kind not in ("whole", "block", "cyclic"):
            raise ArgumentError(f"a dimension of a map is whole, block or cyclic, not {self.kind!r}")
        kind = KINDS.index(self.kind)
        return (kind, self.parts, self.lo, self.hi, self.start, self.block, left, right, *map(EDGES.index, edges))


class Map:
    """Which process of a group owns which index. Local.

    A map of your own is a class that inherits this one and has the method ``owner``, or is made from a function. It may
    have ``local``, too.
    Both are pure: they answer alike on every process and at any time. ``known`` and ``any`` may do assignments.

    Parameters
    ----------
    rule
        A function that returns the position in the group of the process that owns an index; or a :class:`MapDim` or
        None per dimension. Nothing for a class that has ``owner``.
    comm
        The processes: an mpi4py communicator, a Group, ranks of the world, or None, the world.

    Examples
    --------
    >>> class EvenOdd(dri.Map):
    ...     def owner(self, i):
    ...         return i % 2
    >>> numbers = dri.Domain(EvenOdd(comm=world[:2]), range(1, 10))
    >>> thirds = dri.Domain(dri.Map(lambda i: i // 3 % 2, world[:2]), range(1, 10))
    """

    _made: _dri.Map | None = None  # of a map of the library
    _group: Group | None = None

    def __init__(self, rule: Owner | Sequence[MapDim | None] | None = None, comm: Processes | None = None) -> None:
        if comm is not None:
            self._group = env.group_of(comm)
        if callable(rule):
            self._function = rule
        elif rule is not None:
            dims = (rule,) if isinstance(rule, MapDim) else tuple(rule) if isinstance(rule, (tuple, list)) else ()
            if not dims or not all(one is None or isinstance(one, MapDim) for one in dims):
                raise TypeError(
                    f"the rule of a map is a function, or a MapDim or None per dimension, not {rule!r:.60}; a class with "
                    "owner() inherits dri.Map"
                )
            encoded = tuple((one or MapDim()).encoded() for one in dims)
            self._made = _dri.make_map(encoded, self.group.handle())
        elif type(self).owner is Map.owner:
            raise TypeError("a map has a rule: a function, a MapDim per dimension, or a class of your own with owner()")

    @property
    def group(self) -> Group:
        """The processes. Local."""
        if self._group is None:
            self._group = env.init()
        return self._group

    @property
    def is_user(self) -> bool:
        """Whether the owners are those of a function or a class of the user's. Local."""
        return self._made is None

    def owner(self, index: Any) -> int:
        """The position in the group of the process that owns an index. Local. A map of your own has its own.

        Parameters
        ----------
        index
            A number in one dimension, a tuple in more.
        """
        if self._made is None:
            return self._function(index)
        rank = self._made.owner(index_of(index, self._made.ndims()))
        return self.group.ranks.index(rank)

    def local(self, position: int, whole: Ranges) -> Sequence[RangesLike]:
        """What a position owns of ranges, as disjoint boxes in the order of memory. Local.

        A map of your own may have it. Otherwise ``owner`` is asked for every index of a domain, once.
        """
        from .domain import Domain

        return Domain(self, whole).boxes(self.group[position])

    def known(self, assignment: Assignment) -> bool:
        """Do an assignment whose places are known in closed form, and say so, or decline it: False.

        A map of your own may have it, and is asked in each :func:`assign` to or from an array over it. It may call all
        of the library, and decides alike on all processes. Collective over the processes of both maps.
        """
        return False

    def any(self, assignment: Assignment) -> bool:
        """The same for assignments that nobody's ``known`` has done. Collective over the processes of both maps."""
        return False

    def ask(self, way: str, asked: _dri.Asked) -> bool:
        """Ask ``known`` or ``any``, for the library. Collective over the processes of both maps."""
        from .assignment import Assignment

        return bool(self.known(Assignment(asked)) if way == "known" else self.any(Assignment(asked)))

    @property
    def grid(self) -> tuple[int, ...]:
        """The number of parts per dimension. Local."""
        return self.handle(1).grid()

    def describe(self) -> str:
        """A line with the rule, and a line for each process. Local."""
        return self.handle(1).describe()

    def handle(self, ndim: int) -> _dri.Map:
        """The map of the C interface. Local. That of the user's own has as many dimensions as are asked for."""
        if self._made is not None:
            return self._made
        own = {name for name in ("local", "known", "any") if getattr(type(self), name) is not getattr(Map, name)}
        return _dri.make_user_map(ndim, self, type(self).__name__, own, self.group.handle())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Map) or self._made is None or other._made is None:
            return self is other
        return self._made.equals(other._made)

    def __hash__(self) -> int:
        return id(self) if self._made is None else hash(self.group)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._made is None:
            return super().__reduce_ex__(protocol)
        return _unpacked, (self._made.pack(),)

    def __repr__(self) -> str:
        if self._made is None:
            return f"<{type(self).__name__}: a map over {self.group}>"
        return f"<Map {self._made.describe().splitlines()[0]} over {self.group}>"


def _adopted(made: _dri.Map, group: Group) -> Map:
    map = object.__new__(Map)
    map._made, map._group = made, group
    return map


def _unpacked(packed: bytes) -> Map:
    if not env.is_running():
        raise StateError("a map is unpickled after dri.init()")
    made = _dri.unpack_map(packed)
    return _adopted(made, Group(made.ranks()))


def block_map(box: RangesLike, comm: Processes | None = None) -> Map:
    """Blocks of a bounding box, one for each process. Local. Indices outside belong to the nearest block."""
    return Map([MapDim.blocks(one) for one in ranges_of(box, "bounds of a box")], comm)


def stencil_map(
    box: RangesLike, overlap: Any = 1, edge: str | Tuple[str, str] = "truncate", comm: Processes | None = None
) -> Map:
    """The same with overlap, in which a process keeps copies of its neighbours' elements. Local.

    Parameters
    ----------
    overlap
        Members on both sides of each block: n, or a list or tuple with an entry per dimension.
    """
    ranges = ranges_of(box, "bounds of a box")
    widths = list(overlap) if isinstance(overlap, (tuple, list)) else [overlap] * len(ranges)
    if len(widths) != len(ranges):
        raise ArgumentError(f"overlap has {len(widths)} entries, but the box has {len(ranges)} dimensions")
    return Map([MapDim.blocks(one, overlap=width, edge=edge) for one, width in zip(ranges, widths)], comm)


def cyclic_map(start: Index, comm: Processes | None = None) -> Map:
    """Indices round-robin, from the one at ``start``. Local."""
    return Map([MapDim.cyclic(one) for one in _numbers(start)], comm)


def block_cyclic_map(start: Index, block: Index, comm: Processes | None = None) -> Map:
    """Blocks of indices round-robin, from the one at ``start``. Local."""
    starts, blocks = _numbers(start), _numbers(block)
    if len(starts) != len(blocks):
        raise ArgumentError(f"start has {len(starts)} entries, but block has {len(blocks)}")
    return Map([MapDim.cyclic(*one) for one in zip(starts, blocks)], comm)


def dist_map(dist: Distribution) -> Map:
    """The map of a distribution whose parts are together its array. Local.

    Raises
    ------
    GapError, OverlapError, UnsupportedError
        The parts leave elements out or share them; or they have overlap between several blocks.
    """
    return _adopted(_dri.make_dist_map(dist.handle()), dist.group)


def _numbers(given: Any) -> tuple[int, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)
