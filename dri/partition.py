"""Partitions: how each dimension of an array is cut, as values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Iterable, List, Sequence, Tuple, Union

import numpy as np

from .errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing as npt

# n elements at both sides, or (left, right).
Width = Union[int, Tuple[int, int]]
Edge = Union[str, Tuple[str, str]]

KINDS = ("whole", "block", "cyclic", "sizes", "weights", "indices", "runs", "exact")
REMAINDERS = ("balanced", "balanced_last", "ceil", "proportional")
EDGES = ("truncate", "wrap", "zero", "replicate")
_CLOSED = ("truncate", "truncate")


@dataclass(frozen=True)
class Rule:
    """How one dimension is cut. The makers such as :func:`block` make it. Local."""

    kind: str = "whole"
    parts: int = 0
    remainder: str = "balanced"
    block: int = 0
    values: Tuple[Any, ...] | None = None
    min: int = 0
    max: int = 0
    multiple: int = 0
    overlap: Tuple[int, int] | None = None
    edge: Tuple[str, str] | None = None
    phase: int = 0

    def encoded(self) -> tuple[Any, ...]:
        """The fields as the extension reads them. Local."""
        left, right = self.overlap or (0, 0)
        left_edge, right_edge = (EDGES.index(edge) for edge in self.edge or _CLOSED)
        if self.kind == "exact":
            first, end = self.values or (0, 0)
            return left, first, end, right, left_edge, right_edge
        values = np.array(self.values, np.int64) if self.kind == "indices" else self.values
        return (
            KINDS.index(self.kind), self.parts, REMAINDERS.index(self.remainder), self.block, values,
            self.min, self.max, self.multiple, left, right, left_edge, right_edge, self.phase,
        )  # fmt: skip

    def __str__(self) -> str:
        if self.kind == "exact":
            first, end = self.values or (0, 0)
            return f"{first}:{end}{self._overlap_text()}"
        return f"{self.kind}({self._inside()})".replace("()", "") + self._overlap_text()

    def _inside(self) -> str:
        """What stands between the parentheses."""
        count = str(self.parts) if self.parts else ""
        if self.kind == "block":
            return count
        if self.kind == "cyclic":
            return f"{self.block}" + (f", {count}" if count else "")
        values = self.values or ()
        if self.kind in ("sizes", "weights"):
            return ", ".join(map(str, values[:8])) + (", ..." if len(values) > 8 else "")
        n = len(values) if self.kind == "indices" else sum(run[1] * run[2] for run in values)
        return f"{n} here" if self.kind in ("indices", "runs") else ""

    def _overlap_text(self) -> str:
        left, right = self.overlap or (0, 0)
        if not left and not right:
            return ""
        edges = [edge[0] if edge != "truncate" else "" for edge in self.edge or _CLOSED]
        return f"<{left}{edges[0]}:{right}{edges[1]}>"


Entry = Union[None, str, Rule]
Partition = Union[Entry, Sequence[Entry]]


def whole(*, overlap: Width = 0, edge: Edge | None = None) -> Rule:
    """A dimension that is not cut. Local.

    Parameters
    ----------
    overlap
        Elements before and behind the array: n, or (left, right).
    edge
        What they are: ``"truncate"`` (none), ``"wrap"``, ``"zero"`` or ``"replicate"``; one, or (left, right).
    """
    return Rule(overlap=_width(overlap), edge=_edge(edge))


def block(
    parts: int = 0, remainder: str = "balanced", *, overlap: Width = 0, edge: Edge | None = None,
    min: int = 0, max: int = 0, multiple: int = 0,
) -> Rule:  # fmt: skip
    """One contiguous block per part. Local.

    Parameters
    ----------
    parts
        Number of parts; 0 lets the library choose.
    remainder
        Where the elements go that are left over: ``"balanced"``, ``"balanced_last"``, ``"ceil"``, ``"proportional"``.
    overlap, edge
        As in :func:`whole`.
    min, max, multiple
        Limits for the elements of each part; 0 is none.

    Examples
    --------
    >>> dri.Distribution((1000, 64), "float32", (dri.block(overlap=1), None))
    """
    if remainder not in REMAINDERS:
        raise ArgumentError(f"remainder {remainder!r} is none of {', '.join(REMAINDERS)}")
    return Rule(
        "block", _count("parts", parts), remainder, overlap=_width(overlap), edge=_edge(edge), **_limits(min, max, multiple)
    )


def cyclic(
    block: int = 1, parts: int = 0, *, phase: int = 0, overlap: Width = 0, edge: Edge | None = None,
    min: int = 0, max: int = 0, multiple: int = 0,
) -> Rule:  # fmt: skip
    """Blocks of ``block`` elements, dealt to the parts round-robin. Part ``phase`` has the first. Local."""
    return Rule(
        "cyclic", _count("parts", parts), block=_count("block", block), phase=_count("phase", phase),
        overlap=_width(overlap), edge=_edge(edge), **_limits(min, max, multiple),
    )  # fmt: skip


def sizes(
    values: Iterable[int], *, overlap: Width = 0, edge: Edge | None = None, min: int = 0, max: int = 0, multiple: int = 0
) -> Rule:
    """One contiguous block per part, of these sizes. Local."""
    listed = tuple(_count(f"size {i}", one) for i, one in enumerate(values))
    return Rule(
        "sizes", len(listed), values=listed, overlap=_width(overlap), edge=_edge(edge), **_limits(min, max, multiple)
    )


def weights(
    values: Iterable[float], *, overlap: Width = 0, edge: Edge | None = None, min: int = 0, max: int = 0, multiple: int = 0
) -> Rule:
    """One contiguous block per part, its size in proportion to its weight. Local."""
    listed = tuple(float(one) for one in values)
    return Rule(
        "weights", len(listed), values=listed, overlap=_width(overlap), edge=_edge(edge), **_limits(min, max, multiple)
    )


def indices(values: npt.ArrayLike, *, parts: int = 0, overlap: Width = 0, edge: Edge | None = None) -> Rule:
    """This process's part is the global indices in ``values``, in that order. Local. Processes pass lists of their own."""
    listed = np.asarray(values)
    if listed.size == 0:
        listed = listed.astype(np.int64)
    if listed.ndim != 1 or listed.dtype.kind not in "iu":
        raise ArgumentError(f"indices are a list of integers, not {listed.dtype} of shape {listed.shape}")
    return Rule(
        "indices", _count("parts", parts), values=tuple(listed.tolist()), overlap=_width(overlap), edge=_edge(edge)
    )


def runs(
    values: Iterable[Tuple[int, int, int, int]], *, parts: int = 0, overlap: Width = 0, edge: Edge | None = None
) -> Rule:
    """The same as :func:`indices`, written short: runs of (first, size, count, step). Local."""
    listed = tuple(tuple(int(number) for number in run) for run in values)
    for i, run in enumerate(listed):
        if len(run) != 4:
            raise ArgumentError(f"run {i} is (first, size, count, step), not {run}")
    return Rule("runs", _count("parts", parts), values=listed, overlap=_width(overlap), edge=_edge(edge))


class Exact(Tuple[Rule, ...]):
    """The box of the calling process, one rule per dimension. :func:`exact` makes it. Local."""

    def __str__(self) -> str:
        return f"exact({', '.join(map(str, self))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Exact, (tuple(self),)


def exact(*box: slice | Tuple[int, int], overlap: Any = 0, edge: Any = None) -> Exact:
    """This process's own box: (first, end) or a slice per dimension. Local. Boxes need not form a grid.

    Parameters
    ----------
    overlap, edge
        As in :class:`Distribution`: for all dimensions, or a list with an entry per dimension.

    Examples
    --------
    >>> mine = dri.exact((0, 50), slice(10, 20))
    """
    made = []
    for dim, (given, width, beyond) in enumerate(
        zip(box, per_dimension(overlap, len(box), "overlap"), per_dimension(edge, len(box), "edge"))
    ):
        if isinstance(given, slice):
            if given.step not in (None, 1) or given.start is None or given.stop is None:
                raise ArgumentError(f"dimension {dim}: an exact box is (first, end), not {given}")
            given = (given.start, given.stop)
        first, end = (_count(f"dimension {dim}", one) for one in given)
        if end < first:
            raise ArgumentError(f"dimension {dim}: the box ends at {end}, before its start {first}")
        made.append(Rule("exact", values=(first, end), overlap=_width(width or 0), edge=_edge(beyond)))
    return Exact(made)


def rules_of(partition: Partition, ndims: int, grid: Any, overlap: Any, edge: Any) -> tuple[Rule, ...]:
    """One rule per dimension, with what is given for all of them. Local."""
    entries = (partition,) if ndims == 1 and (partition is None or isinstance(partition, (str, Rule))) else partition
    if not isinstance(entries, (tuple, list)):
        raise ArgumentError(f"a partition has an entry per dimension, and {partition!r} is none of {ndims}")
    if len(entries) != ndims:
        raise ArgumentError(f"the partition has {len(entries)} entries, but the array has {ndims} dimensions")
    widths, edges = per_dimension(overlap, ndims, "overlap"), per_dimension(edge, ndims, "edge")
    counts = per_dimension(grid, ndims, "grid")
    made = []
    for dim, entry in enumerate(entries):
        rule = _rule(dim, entry)
        try:
            if rule.overlap is None and widths[dim] is not None:
                rule = replace(rule, overlap=_width(widths[dim]))
            if rule.edge is None and edges[dim] is not None:
                rule = replace(rule, edge=_edge(edges[dim]))
            if counts[dim] is not None and rule.kind not in ("whole", "exact"):
                rule = replace(rule, parts=rule.parts or _count("grid", counts[dim]))
        except ArgumentError as error:
            raise ArgumentError(f"dimension {dim}: {error}") from None
        made.append(rule)
    return Exact(made) if isinstance(entries, Exact) else tuple(made)


def per_dimension(given: Any, ndims: int, name: str) -> List[Any]:
    """A value for each dimension: a list has one per dimension, and so has a tuple that is no (left, right)."""
    is_pair = isinstance(given, tuple) and len(given) == 2 and all(isinstance(one, (int, str)) for one in given)
    if not isinstance(given, (list, tuple)) or (is_pair and name != "grid"):
        return [given] * ndims
    if len(given) != ndims:
        raise ArgumentError(f"{name} has {len(given)} entries, but the array has {ndims} dimensions")
    return list(given)


def _rule(dim: int, entry: Entry) -> Rule:
    if entry is None or entry == "whole":
        return Rule()
    if isinstance(entry, Rule):
        return entry
    if entry == "block":
        return Rule("block")
    if entry == "cyclic":
        return Rule("cyclic", block=1)
    raise ArgumentError(f"dimension {dim}: {entry!r} is no partition; take None, 'block', 'cyclic' or a maker's result")


def _count(name: str, value: Any) -> int:
    try:
        number = int(value.__index__())
    except AttributeError:
        raise ArgumentError(f"{name} is a whole number, not {value!r}") from None
    if number < 0:
        raise ArgumentError(f"{name} is {number}, which is negative")
    return number


def _limits(min: int, max: int, multiple: int) -> dict[str, Any]:
    return {"min": _count("min", min), "max": _count("max", max), "multiple": _count("multiple", multiple)}


def _width(given: Any) -> Tuple[int, int] | None:
    pair = given if isinstance(given, (tuple, list)) else (given, given)
    if len(pair) != 2:
        raise ArgumentError(f"overlap is n or (left, right), not {given!r}")
    made = (_count("overlap", pair[0]), _count("overlap", pair[1]))
    return made if any(made) else None


def _edge(given: Any) -> Tuple[str, str] | None:
    if given is None:
        return None
    pair = given if isinstance(given, (tuple, list)) else (given, given)
    for one in pair:
        if one not in EDGES:
            raise ArgumentError(f"edge {one!r} is none of {', '.join(EDGES)}")
    if len(pair) != 2:
        raise ArgumentError(f"edge is a word or (left, right), not {given!r}")
    return (pair[0], pair[1])
