"""Arrays: a distribution and this process's numpy array. Arithmetic is numpy's, on ``local``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn, Sequence, Tuple

import numpy as np

from . import _dri
from .distribution import Distribution
from .elements import Dtype
from .errors import ArgumentError, DtypeError, StateError
from .layout import LayoutLike, layout_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._dap_arrays import Described
    from .section import Section


SHARED = 4096  # bytes


class Array:
    """A distributed array: a distribution, and the part of it that this process has in memory. Local.

    Parameters
    ----------
    dist
        Which process holds what. Outside its group the array exists with ``here`` False.
    local
        This process's part, overlap included: an array of the distribution's dtype and ``local_shape``. It is not
        copied. None makes one whose contents are arbitrary. Other processes of the node read it where it lies, and a
        child that is forked shares it.
    layout
        How an array that is made here lies in memory.
    boundary, periodic
        What a description of the array says beside the distribution, per dimension: boundary padding (left, right), and
        whether the dimension is periodic. See :mod:`dri.dap`.

    Raises
    ------
    ArgumentError, DtypeError
        ``local`` does not fit the distribution.

    Examples
    --------
    >>> x = dri.Array(rows, mine)
    >>> y = x.redistribute((None, "block"))
    """

    def __init__(
        self, dist: Distribution, local: npt.NDArray[Any] | None = None, *, layout: LayoutLike = "C",
        boundary: Sequence[Tuple[int, int]] | None = None, periodic: Sequence[bool] | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(dist, Distribution):
            raise TypeError(f"an Array has a dri.Distribution, not {type(dist).__name__}")
        self._dist = dist
        self._local: npt.NDArray[Any] | None = None
        self._described: Described | None = None
        for name, given in (("boundary", boundary), ("periodic", periodic)):
            if given is not None and len(given) != dist.ndim:
                raise ArgumentError(f"{name} has {len(given)} entries, but the array has {dist.ndim} dimensions")
        self._boundary = None if boundary is None else tuple((int(a), int(b)) for a, b in boundary)
        self._periodic = None if periodic is None else tuple(bool(one) for one in periodic)
        if not dist.here:
            if local is not None:
                raise ArgumentError("this process is not in the group of the distribution, so it has no part")
        elif local is None:
            self._local = allocate(dist, layout)
        else:
            check_local(dist, local)
            self._local = local

    @property
    def distribution(self) -> Distribution:
        """Which process holds what. Local."""
        return self._dist

    @property
    def local(self) -> npt.NDArray[Any]:
        """This process's part, overlap included. Local."""
        if self._local is None:
            raise StateError(f"this process is not in the group {self._dist.group} of the array")
        return self._local

    @property
    def here(self) -> bool:
        """Whether this process is in the group. Local."""
        return self._local is not None

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension, over all processes. Local."""
        return self._dist.shape

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self._dist.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions. Local."""
        return self._dist.ndim

    @property
    def boundary(self) -> tuple[tuple[int, int], ...] | None:
        """Boundary padding per dimension, as a description has it. Local."""
        return self._boundary

    @property
    def periodic(self) -> tuple[bool, ...] | None:
        """Whether a dimension is periodic, as a description has it. Local."""
        return self._periodic

    @property
    def owned(self) -> Section:
        """The array without its overlap, on the same memory. Local."""
        return self[...]

    def __getitem__(self, index: Any) -> Section:
        """A part of the whole array by global indices, on the same memory. Local. A number takes its dimension away."""
        from .section import Section

        return Section(self, index)

    def redistribute(self, to: Any, **options: Any) -> Array:
        """Move the array to another distribution. Collective over both groups. See :func:`dri.redistribute`."""
        from .redistribute import redistribute

        return redistribute(self, to, **options)

    def update_overlap(self) -> None:
        """Fill the overlap with the elements of the neighbours, in place. Collective over the group."""
        from .redistribute import update_overlap

        update_overlap(self if self._described is None else self._described.for_update())

    def __distarray__(self) -> dict[str, Any]:
        """The array in the Distributed Array Protocol: version, buffer and dim_data. Local.

        Raises
        ------
        UnsupportedError
            The protocol cannot say the overlap or the partition; ``x.owned`` has no overlap.
        """
        from ._dap_arrays import describe

        return describe(self, self._described)

    def gather(self, root: int = 0) -> npt.NDArray[Any] | None:
        """The whole array on one process. Collective over the group.

        Parameters
        ----------
        root
            The position in the group of the process that gets it; the others get None.
        """
        from .redistribute import gather

        return gather(self, root)

    def __array__(self, dtype: npt.DTypeLike = None) -> NoReturn:
        raise TypeError("a distributed array is no numpy array; take .local, this process's part")

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Array cannot be pickled or copied; send .local and .distribution.spec")

    def _repr_html_(self) -> str:
        from ._html import distribution_rows, html

        return html("Array", distribution_rows(self._dist), self._dist)

    def __repr__(self) -> str:
        return repr(self._dist).replace("<Distribution", "<Array", 1)


def empty(dist: Distribution, *, layout: LayoutLike = "C") -> Array:
    """An array whose contents are arbitrary. Local."""
    return Array(dist, layout=layout)


def zeros(dist: Distribution, *, layout: LayoutLike = "C") -> Array:
    """An array of zeros. Local."""
    made = Array(dist, layout=layout)
    if made.here:
        made.local[...] = np.zeros((), made.dtype)
    return made


def allocate(dist: Distribution, layout: LayoutLike, is_shared: bool = True) -> npt.NDArray[Any]:
    """Memory for this process's part in a layout. Local. If it is shared, others of the node read it where it lies."""
    lies = layout_of(layout)
    if lies.split:
        raise ArgumentError("an Array has complex numbers in pairs; ends of transfers can have split layouts")
    shape = dist.local_shape
    if lies.order == "C" and not lies.pitch and lies.strides is None:
        return _memory(math.prod(shape), dist.dtype, is_shared).reshape(shape)
    steps = _dri.layout_strides(lies.encoded(dist.ndim), dist.handle(), _dri.world_rank())
    size = dist.dtype.itemsize
    reach = sum((extent - 1) * step for extent, step in zip(shape, steps)) + 1 if all(shape) else 0
    memory = _memory(reach, dist.dtype, is_shared)
    return np.lib.stride_tricks.as_strided(memory, shape, [step * size for step in steps])


def _memory(count: int, dtype: Dtype, is_shared: bool) -> npt.NDArray[Any]:
    """Pieces below SHARED bytes are numpy's, because each piece of the library's takes pages of its own."""
    if is_shared and count * dtype.itemsize >= SHARED:
        try:
            return _dri.allocate(count * dtype.itemsize).view(dtype)
        except MemoryError:
            pass
    return np.empty(count, dtype)


def array_on(dist: Distribution, local: npt.NDArray[Any] | None) -> Array:
    """An array on memory that is known to fit. Local."""
    made = object.__new__(Array)
    made._dist, made._local, made._described, made._boundary, made._periodic = dist, local, None, None, None
    return made


def check_local(dist: Distribution, local: Any) -> None:
    """Refuse what is not this process's part. Local."""
    if not isinstance(local, np.ndarray):
        raise ArgumentError(f"the local part is a numpy array, not {type(local).__name__}")
    if local.dtype != dist.dtype:
        raise DtypeError(f"the local part has dtype {local.dtype}, but the distribution has {dist.dtype}")
    if local.shape != dist.local_shape:
        raise ArgumentError(f"the local part has shape {local.shape}, but the distribution has {dist.local_shape} here")
