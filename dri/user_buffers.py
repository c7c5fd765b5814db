"""The user's arrays as buffers: what is checked, and the layout that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _dri
from .distribution import Distribution
from .elements import component_of
from .errors import ArgumentError, DtypeError
from .layout import Layout

if TYPE_CHECKING:
    import numpy.typing as npt


class UserBuffers(NamedTuple):
    """Arrays with the same strides, as an end is declared with them."""

    layout: Layout
    addresses: list[int]
    bytes: int  # of each array, from its first byte to its last


def check_buffers(dist: Distribution, layout: Layout, arrays: Sequence[Any], writeable: bool) -> UserBuffers:
    """What the arrays of an end are, with None for those of the library. Local.

    Raises
    ------
    ArgumentError
        An array has another shape, or its strides are no layout, or differ from those of the others.
    DtypeError
        Its dtype is not that of the distribution.
    """
    if all(one is None for one in arrays):
        return UserBuffers(layout, [0] * len(arrays), 0)
    first: npt.NDArray[Any] | None = None
    for i, one in enumerate(arrays):
        if one is None:
            continue
        _check_array(f"buffer {i}", one, dist, layout, writeable)
        if first is None:
            first = one
        elif _steps(one) != _steps(first):
            raise ArgumentError(f"buffer {i} has strides {one.strides}, but an earlier one has {first.strides}")
    assert first is not None
    found = _layout_of(first, layout.split)
    if layout.split and dist.handle():
        _check_plane(first, found, dist)
    span = sum((extent - 1) * step for extent, step in zip(first.shape, first.strides)) + first.itemsize
    return UserBuffers(found, [0 if one is None else one.ctypes.data for one in arrays], span if first.size else 0)


def _check_array(name: str, array: Any, dist: Distribution, layout: Layout, writeable: bool) -> None:
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"{name} is a numpy array, not {type(array).__name__}")
    dtype = component_of(dist.dtype) if layout.split else dist.dtype
    shape = (2, *dist.local_shape) if layout.split else dist.local_shape
    if array.dtype != dtype:
        raise DtypeError(f"{name} has dtype {array.dtype}, but the distribution has {dtype}")
    if array.shape != shape:
        raise ArgumentError(f"{name} has shape {array.shape}, but the part of this process has {shape}")
    if not array.flags.aligned:
        raise ArgumentError(f"{name} is not aligned to {dtype.alignment} bytes; np.require(a, requirements='A') is")
    if writeable and not array.flags.writeable:
        raise ArgumentError(f"{name} is read-only; np.array(a) makes a copy that is not")
    for dim, (extent, step) in enumerate(zip(array.shape, array.strides)):
        if extent > 1 and array.size and (step <= 0 or step % array.itemsize):
            raise ArgumentError(
                f"{name}, dimension {dim}: the stride is {step} bytes, no positive multiple of {array.itemsize}; "
                "np.ascontiguousarray(a) has such strides"
            )
    reach = 0
    for step, extent, dim in sorted(_steps(array)):
        if step <= reach:
            raise ArgumentError(
                f"{name}, dimension {dim}: its stride of {step} elements lies inside the {reach + 1} elements of another "
                f"dimension (strides {array.strides}); np.ascontiguousarray(a) has strides that nest"
            )
        reach += (extent - 1) * step


def _steps(array: npt.NDArray[Any]) -> list[tuple[int, int, int]]:
    """Stride in elements, extent and dimension, of those that have a stride."""
    if not array.size:
        return []
    shape, strides = array.shape, array.strides
    return [(strides[dim] // array.itemsize, shape[dim], dim) for dim in range(array.ndim) if shape[dim] > 1]


def _layout_of(array: npt.NDArray[Any], split: bool) -> Layout:
    """Dimensions of one element, and arrays without elements, have the strides that fit best."""
    behind = 1 if split else 0
    shape = array.shape[behind:]
    if not array.size:
        return Layout("C", split=split)
    strides = [0] * len(shape)
    reach = 1
    for step, extent, dim in sorted(_steps(array)):
        if dim >= behind:
            strides[dim - behind] = step
            reach += (extent - 1) * step
    for dim in reversed(range(len(shape))):
        strides[dim] = strides[dim] or reach
    return Layout(strides=strides, split=split)


def _check_plane(array: npt.NDArray[Any], layout: Layout, dist: Distribution) -> None:
    plane = _dri.layout_plane(layout.encoded(dist.ndim), dist.handle(), _dri.world_rank())
    if array.size and array.strides[0] != plane * array.itemsize:
        raise ArgumentError(
            f"the imaginary parts start {array.strides[0]} bytes behind the real ones, but in a split layout with these "
            f"strides {plane * array.itemsize}"
        )
