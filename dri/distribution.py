"""Distributions: which process holds which elements of an array."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, NoReturn, Tuple, Union

import numpy as np

from . import _dri, env
from ._signals import Deferred
from ._text import size_text
from .agreement import agreed
from .elements import Dtype, dtype_of, element_of
from .errors import ArgumentError, OutOfRange, StateError, UnsupportedError
from .group import Group, Processes
from .partition import Exact, Partition, Rule, rules_of

if TYPE_CHECKING:
    import numpy.typing as npt

Index = Union[Tuple[int, ...], "npt.NDArray[np.int64]"]
_BLOCK = np.dtype(
    [(name, np.int64) for name in ("global", "size", "local", "left_real", "right_real", "left_pad", "right_pad")]
)


class Part(NamedTuple):
    """The part of one process. Bounds are those of its blocks together."""

    slices: Tuple[slice, ...]
    """Global indices that it owns; they fit numpy and h5py."""
    overlap: Tuple[Tuple[int, int], ...]
    """Elements of overlap at its two edges, per dimension."""
    tuples: Tuple[Tuple[int, int, int, int], ...]
    """The 4-tuples of C, per dimension: left overlap, first index, end, right overlap."""


class Distribution:
    """An array, a partition and a group: which process holds which elements. Collective over comm.

    Outside its group it exists with ``here`` False, and queries raise StateError.

    Parameters
    ----------
    shape
        Elements per dimension, at most 8 dimensions.
    dtype
        A dtype of numpy without Python objects.
    partition
        An entry per dimension: None or ``"whole"``, ``"block"``, ``"cyclic"``, or what a maker such as ``dri.block``
        returns. Or ``dri.exact(...)``.
    comm
        An mpi4py intracommunicator, a Group, ranks of the world, or None, the world.
    grid
        Parts per dimension; 0 lets the library choose.
    overlap
        Elements around each part: n, or a tuple (left, right), for all dimensions; a list has an entry per dimension.
    edge
        What overlap is beyond the array: ``"truncate"``, ``"wrap"``, ``"zero"`` or ``"replicate"``, given as overlap.
    subset
        The array is this box of a larger one of ``shape``, such as ``np.s_[0:500, :]``.

    Raises
    ------
    ArgumentError, DtypeError, ConstraintError, MismatchError
        On all processes of the group, with the dimension and the values.
    StateError
        ``dri.init()`` is to be called before a distribution over less than the world.

    Examples
    --------
    >>> rows = dri.Distribution((4096, 4096), "complex64", ("block", None))
    """

    def __init__(
        self,
        shape: int | Tuple[int, ...],
        dtype: npt.DTypeLike,
        partition: Partition,
        comm: Processes | None = None,
        *,
        grid: Any = None,
        overlap: Any = None,
        edge: Any = None,
        subset: Any = None,
    ) -> None:
        self._group = env.group_of(comm)
        if not env.is_running():
            raise StateError("call dri.init() on all processes first")
        self._spec: Dict[str, Any] = dict(
            shape=shape, dtype=dtype, partition=partition, comm=self._group.ranks, grid=grid, overlap=overlap, edge=edge,
            subset=subset,
        )  # fmt: skip
        self._dist: _dri.Distribution | None = None
        self._rank = _dri.world_rank()
        if self._rank not in self._group:
            self._group.refuse_strangers()
            self._describe()
            return
        with Deferred() as ctrl_c:
            self._dist = _dri.make_distribution(self._group.handle(), agreed(self._group, self._describe))
        ctrl_c.raise_noted()

    def _describe(self) -> _dri.Described:
        """What this process alone can check. Local."""
        spec = self._spec
        self._dtype = spec["dtype"] = dtype_of(spec["dtype"])
        whole = spec["shape"] = sizes_of(spec["shape"])
        self._rules = rules_of(spec["partition"], len(whole), spec["grid"], spec["overlap"], spec["edge"])
        box = None if spec["subset"] is None else _box(spec["subset"], whole)
        self._shape = whole if box is None else box[1]
        self._offset = (0,) * len(whole) if box is None else box[0]
        is_exact = isinstance(self._rules, Exact)
        entries = tuple(rule.encoded() for rule in self._rules)
        return _dri.describe(whole, element_of(self._dtype), box, is_exact, entries)

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension, over all processes. Local."""
        return self._shape

    @property
    def dtype(self) -> Dtype:
        """The dtype of the elements. Local."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions. Local."""
        return len(self._shape)

    @property
    def partition(self) -> tuple[Rule, ...]:
        """The rule of each dimension. Local."""
        return self._rules

    @property
    def group(self) -> Group:
        """The processes that hold the array. Local."""
        return self._group

    @property
    def offset(self) -> tuple[int, ...]:
        """Where a subset starts in the larger array; zeros for others. Local."""
        return self._offset

    @property
    def spec(self) -> dict[str, Any]:
        """The arguments that make the same distribution: plain values that can be sent. Local."""
        return dict(self._spec)

    @property
    def here(self) -> bool:
        """Whether the calling process is in the group. Local."""
        return self._dist is not None

    @property
    def grid(self) -> tuple[int, ...]:
        """Parts per dimension. Local. Exact boxes form no grid: UnsupportedError."""
        return self.handle().grid()

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of this process's local array, overlap included. Local."""
        return self.extents()

    @property
    def owned(self) -> tuple[slice, ...]:
        """The local array without its overlap, as slices. Local.

        Raises
        ------
        UnsupportedError
            Overlap lies between blocks of a dimension.
        """
        return tuple(self._owned(dim, extent) for dim, extent in enumerate(self.extents()))

    def extents(self, rank: int | None = None) -> tuple[int, ...]:
        """The shape of a process's local array, overlap included. Local."""
        return self.handle().extents(self._of(rank))

    def coords(self, rank: int | None = None) -> tuple[int, ...]:
        """The place of a process's part in the grid. Local."""
        return self.handle().coords(self._of(rank))

    def count(self, rank: int | None = None) -> tuple[int, int]:
        """Elements that a process owns, and that its local array holds. Local."""
        return self.handle().counts(self._of(rank))

    def part(self, rank: int | None = None) -> Part:
        """The part of a process: slices, overlap, and the 4-tuples of C. Local.

        Raises
        ------
        UnsupportedError
            A dimension has several blocks that no slice describes; ``blocks`` has them.
        """
        tuples = self.handle().tuples(self._of(rank))
        slices = tuple(self._slice(dim, one, rank) for dim, one in enumerate(tuples))
        return Part(slices, tuple((one[0], one[3]) for one in tuples), tuples)

    def blocks(self, dim: int, rank: int | None = None) -> npt.NDArray[Any]:
        """The blocks of a process along a dimension, with their overlap: a structured array. Local.

        Fields are ``global`` (first index), ``size``, ``local`` (place of the first), and elements of overlap
        ``left_real``, ``right_real``, ``left_pad``, ``right_pad``.
        """
        return self.handle().blocks(self._of(rank), self._dim(dim)).view(_BLOCK).reshape(-1)

    def indices(self, dim: int, rank: int | None = None) -> npt.NDArray[np.int64]:
        """The global index of each local place along a dimension, -1 in a pad of zeros. Local."""
        return self.handle().indices(self._of(rank), self._dim(dim))

    def ogrid(self, rank: int | None = None) -> tuple[npt.NDArray[np.int64], ...]:
        """The global indices of a process's local array as an open mesh, one array per dimension. Local.

        Examples
        --------
        >>> i, j = rows.ogrid()
        >>> x = i + 1j * j
        """
        ndim = self.ndim
        return tuple(
            self.indices(dim, rank).reshape([-1 if dim == other else 1 for other in range(ndim)]) for dim in range(ndim)
        )

    def owner(self, index: Index) -> Any:
        """The process that owns an element, the first of several. Local.

        Parameters
        ----------
        index
            A tuple, in one dimension also a number; or an array of shape (n, ndim), which gives an array of n ranks.

        Raises
        ------
        OutOfRange
            The index is outside the array, or no process owns it.
        """
        rows, is_one = self._index(index)
        found = self.handle().owners(rows).reshape(-1)
        return int(found[0]) if is_one else found

    def replicas(self, index: Index) -> Any:
        """All processes that own an element, in the group's order: a tuple, or a list of them. Local."""
        rows, is_one = self._index(index)
        found = self.handle().replicas(rows)
        return found[0] if is_one else found

    def local_index(self, index: Index, rank: int | None = None) -> Any:
        """Where an element lies in a process's local array: a tuple, or an array of shape (n, ndim). Local.

        Raises
        ------
        OutOfRange
            The process does not hold the element.
        """
        rows, is_one = self._index(index)
        found = self.handle().local_indices(self._of(rank), rows)
        return tuple(found[0].tolist()) if is_one else found

    def global_index(self, local: Index, rank: int | None = None) -> Any:
        """Which element lies at a place of a process's local array: a tuple, or an array of shape (n, ndim). Local."""
        rows, is_one = self._index(local)
        found = self.handle().global_indices(self._of(rank), rows)
        return tuple(found[0].tolist()) if is_one else found

    def like(self, **changes: Any) -> Distribution:
        """Make a distribution of the same arguments, except these. Collective over its processes.

        Examples
        --------
        >>> columns = rows.like(partition=(None, "block"))
        """
        if "comm" in changes and changes["comm"] is None:
            changes["comm"] = env.world()
        return Distribution(**{**self._spec, **changes})

    def handle(self) -> _dri.Distribution:
        """The C interface's distribution. Local."""
        if self._dist is None:
            raise StateError(f"process {self._rank} is not in the group {self._group} of the distribution")
        return self._dist

    def _of(self, rank: int | None) -> int:
        return self._rank if rank is None else rank

    def _dim(self, dim: int) -> int:
        if not -self.ndim <= dim < self.ndim:
            raise OutOfRange(f"dimension {dim} of an array of {self.ndim}")
        return dim % self.ndim

    def _index(self, index: Index) -> tuple[npt.NDArray[np.int64], bool]:
        given = np.asarray(index)
        if given.ndim == 0 and self.ndim == 1:
            given = given.reshape(1)
        if given.size and given.dtype.kind not in "iu":
            raise ArgumentError(f"an index consists of whole numbers, not of {given.dtype}")
        if given.ndim not in (1, 2) or given.shape[-1] != self.ndim:
            raise ArgumentError(f"an index has {self.ndim} numbers; the shape of this one is {given.shape}")
        rows = np.ascontiguousarray(given, np.int64)
        return (rows.reshape(1, -1), True) if given.ndim == 1 else (rows, False)

    def _slice(self, dim: int, bounds: tuple[int, int, int, int], rank: int | None) -> slice:
        blocks = self.blocks(dim, rank)
        if len(blocks) < 2:
            return slice(bounds[1], bounds[2])
        first, steps = int(blocks["global"][0]), np.diff(blocks["global"])
        if (blocks["size"] == 1).all() and steps[0] > 0 and (steps == steps[0]).all():
            return slice(first, int(blocks["global"][-1]) + 1, int(steps[0]))
        raise UnsupportedError(f"dimension {dim} has {len(blocks)} blocks, which are no slice; blocks({dim}) has them")

    def _owned(self, dim: int, extent: int) -> slice:
        blocks = self.blocks(dim)
        if int(blocks["size"].sum()) == extent:
            return slice(0, extent)
        if len(blocks) == 1:
            first = int(blocks["local"][0])
            return slice(first, first + int(blocks["size"][0]))
        raise UnsupportedError(f"dimension {dim} has {len(blocks)} blocks with overlap between them")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution) or self._dtype != other._dtype:
            return False
        if self._dist is None or other._dist is None:
            alike = (self._shape, self._offset, self._rules, self._group)
            return self._dist is other._dist and alike == (other._shape, other._offset, other._rules, other._group)
        return self._dist.equals(other._dist)

    def __hash__(self) -> int:
        return hash((self._shape, self._offset, self._dtype))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Distribution cannot be pickled or copied; send its .spec, the arguments that make it")

    def __str__(self) -> str:
        """The line of text of the C interface."""
        return self.handle().describe() if self._dist else repr(self)

    def _repr_html_(self) -> str:
        from ._html import distribution_rows, html

        return html("Distribution", distribution_rows(self), self)

    def __repr__(self) -> str:
        cut = str(self._rules) if isinstance(self._rules, Exact) else ", ".join(map(str, self._rules)) or "one element"
        if self._dist is not None and env.can_ask() and not isinstance(self._rules, Exact):
            counted = (rule if rule.kind == "whole" else _counted(rule, n) for rule, n in zip(self._rules, self.grid))
            cut = ", ".join(map(str, counted)) or cut
        return f"<Distribution {self._dtype} {self._shape}: {cut} over {self._group}; {self._here_text()}>"

    def _here_text(self) -> str:
        if self._dist is None or not env.can_ask():
            return "not here" if self._dist is None else "in a forked child" if env.is_child() else "the library has ended"
        held = size_text(self.count()[1] * self._dtype.itemsize)
        try:
            slices = self.part().slices
        except UnsupportedError:
            return f"here {self.count()[0]} elements, {held}"
        texts = (f"{one.start}:{one.stop}" + (f":{one.step}" if one.step else "") for one in slices)
        return f"here [{', '.join(texts)}], {held}"


def _counted(rule: Rule, parts: int) -> Rule:
    return replace(rule, parts=parts)


def sizes_of(given: Any) -> tuple[int, ...]:
    """The sizes of a shape, or of one dimension. Local."""
    entries = tuple(given) if isinstance(given, (tuple, list, np.ndarray)) else (given,)
    made = []
    for dim, one in enumerate(entries):
        if isinstance(one, (bool, np.bool_)) or not hasattr(one, "__index__"):
            raise ArgumentError(f"dimension {dim}: the size is a whole number, not {one!r}")
        if one < 0:
            raise ArgumentError(f"dimension {dim}: the size is {one}, which is negative")
        made.append(int(one))
    return tuple(made)


def _box(given: Any, whole: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    entries = given if isinstance(given, tuple) else (given,)
    if len(entries) != len(whole):
        raise ArgumentError(f"the subset has {len(entries)} entries, but the array has {len(whole)} dimensions")
    offsets, lengths = [], []
    for dim, (one, size) in enumerate(zip(entries, whole)):
        if not isinstance(one, slice) or one.step not in (None, 1):
            raise ArgumentError(f"dimension {dim}: a subset is a slice without a step, not {one!r}")
        first, end = one.start or 0, size if one.stop is None else one.stop
        if not 0 <= first <= end <= size:
            raise ArgumentError(f"dimension {dim}: the subset {first}:{end} exceeds the size {size}")
        offsets.append(first)
        lengths.append(end - first)
    return tuple(offsets), tuple(lengths)
