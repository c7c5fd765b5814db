"""Memory of arrays on this process: made in a layout, or the user's, which is checked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dri
from .distribution import Distribution
from .domain import Domain
from .elements import Dtype
from .errors import ArgumentError, DtypeError, UnsupportedError
from .layout import Layout, LayoutLike, layout_of

if TYPE_CHECKING:
    import numpy.typing as npt

SHARED = 4096  # bytes


def array_layout(given: LayoutLike, ndims: int) -> Layout:
    """A layout from what stands for one. Refuses what the parts of arrays cannot have. Local."""
    lies = layout_of(given)
    if lies.split:
        raise ArgumentError("an Array has complex numbers in pairs; ends of transfers can have split layouts")
    lies.encoded(ndims)  # refuses another number of dimensions
    return lies


def allocate(dist: Distribution, layout: LayoutLike, is_shared: bool = True) -> npt.NDArray[Any]:
    """Memory for this process's part in a layout. Local. If it is shared, others of the node read it where it lies."""
    lies = array_layout(layout, dist.ndim)
    shape = dist.local_shape
    if lies.is_default:
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


def check_local(dist: Distribution, local: Any) -> None:
    """Refuse what is not this process's part. Local."""
    if not isinstance(local, np.ndarray):
        raise ArgumentError(f"the local part is a numpy array, not {type(local).__name__}")
    if local.dtype != dist.dtype:
        raise DtypeError(f"the local part has dtype {local.dtype}, but the distribution has {dist.dtype}")
    if local.shape != dist.local_shape:
        raise ArgumentError(f"the local part has shape {local.shape}, but the distribution has {dist.local_shape} here")


def shaped(
    memory: npt.NDArray[Any], dist: Distribution, rims: tuple[tuple[int, int], ...]
) -> tuple[npt.NDArray[Any], tuple[slice, ...]]:
    """The memory in dimensions, and what of it the distribution has, which knows no places beyond the array. Local."""
    shape, inside = [], []
    for dim, (held, (left, right)) in enumerate(zip(dist.local_shape, rims)):
        blocks = dist.blocks(dim)
        owned = int(blocks["size"].sum())
        first = left - (int(blocks["local"][0]) if len(blocks) == 1 else 0)
        shape.append(left + owned + right)
        inside.append(slice(first, first + held))
    return memory.reshape(shape), tuple(inside)


def check_memory(domain: Domain, dtype: Dtype, local: Any) -> None:
    """Refuse what cannot be this process's memory of an array over a domain. Local."""
    if not isinstance(local, np.ndarray):
        raise ArgumentError(f"the local part is a numpy array, not {type(local).__name__}")
    if local.dtype != dtype:
        raise DtypeError(f"the local part has dtype {local.dtype}, not {dtype}")
    held = domain.count()[1]
    if local.size < held or not local.flags.c_contiguous or not local.flags.writeable:
        raise ArgumentError(f"the local part has {local.size} elements; {held} are held, row-major and writeable")


def row_major(domain: Domain, local: npt.NDArray[Any]) -> int:
    """The address of a part, which is to lie as the C interface has it. Local."""
    if not (local.flags.c_contiguous and local.flags.aligned and local.flags.writeable):
        raise UnsupportedError("assignments and statements need arrays that lie row-major; redistribute takes any")
    if domain.count()[1] != local.size:
        raise UnsupportedError("assignments and statements need overlap of one block at most, without pads")
    return local.ctypes.data
