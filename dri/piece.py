"""Pieces: what each process asks for of an array, copies of what others own included."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, List, NoReturn, Tuple

from . import _dri
from .elements import Dtype
from .errors import ArgumentError, StateError

if TYPE_CHECKING:
    import numpy.typing as npt

    from .array import Array


class Piece:
    """Some elements of an array on each process. :meth:`Array.repartition` makes it.

    A piece shares the memory of its array. It consists of three parts along dimension 0: the left halo, the elements
    that the process owns, and the right halo. Halos are copies of what other processes own.

    Examples
    --------
    >>> piece = x.repartition(np.s_[max(first - 1, 0) : min(end + 1, n)])
    >>> left, own, right = piece.parts
    """

    def __init__(self, made: _dri.Array, array: Array, shape: Tuple[int, ...]) -> None:
        self._made, self._array, self._shape = made, array, shape
        self._parts: Tuple[npt.NDArray[Any], ...] | None = None

    @property
    def array(self) -> Array:
        """The array that it is a piece of. Local."""
        return self._array

    @property
    def shape(self) -> Tuple[int, ...]:
        """Elements of what it is a piece of per dimension, over all processes. Local."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of dimensions. Local."""
        return len(self._shape)

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self._array.dtype

    @property
    def loffs(self) -> Tuple[int, ...]:
        """The position of the first element of the first part; that of the target where this process has none. Local."""
        found: Tuple[int, ...] = self._made.loffs(self.ndim)
        return found

    @property
    def parts(self) -> Tuple[npt.NDArray[Any], ...]:
        """Left halo, owned elements and right halo. Local. What is written to the owned part is written to the array."""
        if self._parts is None:
            self._parts = self._made.parts(self.dtype, self._made.keep())
        return self._parts

    def update_overlap(self) -> None:
        """Fetch the halos again. Collective over the array's group."""
        self._made.update_overlap(self._array.seconds)

    def update_overlap_start(self) -> None:
        """The first half of ``update_overlap``. Collective over the array's group. Until the second half nothing is written."""
        self._made.update_overlap_start(self._array.seconds)

    def update_overlap_wait(self) -> None:
        """The second half of ``update_overlap``. Collective over the array's group."""
        self._made.update_overlap_wait(self._array.seconds)

    def __getitem__(self, where: Any) -> Piece:
        """What this process holds of a slice, in the same memory. Local. Slices count positions of the piece."""
        from .section import chosen_indices

        chosen = chosen_indices(where, self._shape)
        if not all(isinstance(one, range) for one in chosen):
            raise ArgumentError("a piece keeps its dimensions; take slices")
        ranges: List[range] = [one for one in chosen if isinstance(one, range)]
        return Piece(self._made.subview(tuple(ranges)), self._array, tuple(map(len, ranges)))

    def handle(self) -> _dri.Array:
        """The piece of the C interface. Local."""
        return self._made

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Piece cannot be pickled or copied; send its parts")

    def __repr__(self) -> str:
        held = " + ".join(str(len(part)) for part in self.parts)
        return f"<Piece of {self._array!r}: {held} rows from {self.loffs}>"


def repartition(array: Array, target: Any) -> Piece:
    """What ``array.repartition`` does. Collective over the group."""
    array = array.evaluate()
    if not array.here:
        raise StateError(f"this process is not in the group {array.group} of the array")
    try:
        box, fault = _box_of(target, array.shape), None
    except (TypeError, ValueError) as refused:
        box, fault = (-1,) * 2 * array.ndim, refused  # none that any array has, so that all processes fail
    try:
        made = array.handle().repartition(box, array.seconds)
    except ArgumentError:
        if fault is not None:
            raise fault from None
        raise
    return Piece(made, array, array.shape)


def _box_of(target: Any, shape: Tuple[int, ...]) -> Tuple[int, ...] | None:
    """Offsets, then sizes. A slice that leaves the array stays as it is: all processes are to be told."""
    if target is None:
        return None
    entries = list(target) if isinstance(target, tuple) else [target]
    if Ellipsis in entries:
        at = entries.index(Ellipsis)
        entries[at : at + 1] = [slice(None)] * (len(shape) - len(entries) + 1)
    entries += [slice(None)] * (len(shape) - len(entries))
    if len(entries) > len(shape):
        raise ArgumentError(f"{len(entries)} slices of an array of {len(shape)} dimensions")
    offsets, sizes = [], []
    for dim, (one, size) in enumerate(zip(entries, shape)):
        if not isinstance(one, (slice, range)) or one.step not in (None, 1):
            raise TypeError(f"dimension {dim}: a target consists of slices with step 1, not {one!r}")
        first = 0 if one.start is None else index(one.start)
        end = size if one.stop is None else index(one.stop)
        if isinstance(one, slice):
            first, end = (at + size if at < 0 else at for at in (first, end))
        offsets.append(first)
        sizes.append(max(end - first, 0))
    return (*offsets, *sizes)
