"""What processes own of a distribution, described without its overlap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, Sequence, Tuple

import numpy as np

from .errors import UnsupportedError

if TYPE_CHECKING:
    import numpy.typing as npt

    from .array import Array
    from .distribution import Distribution

DimData = Tuple[Dict[str, Any], ...]
Box = Sequence[Tuple[int, int]]


def owned_part(array: Array) -> tuple[npt.NDArray[Any], DimData]:
    """The memory of the owned elements, and their dimensions: also of overlap that the protocol cannot say. Local.

    Raises
    ------
    UnsupportedError
        Overlap lies between blocks, or the boxes of the processes form no grid.
    """
    dist = array.distribution
    grid, coords, copies = _place(dist)
    if copies[1] > 1 and not dist.ndim:
        raise UnsupportedError("several processes hold an array without dimensions, which has no grid")
    dims = tuple(_dim(array, number, grid[number], coords[number], copies) for number in range(dist.ndim))
    owned: Tuple[Any, ...] = (*dist.owned, ...)
    return array.local[owned], dims


def _dim(array: Array, number: int, parts: int, at: int, copies: tuple[int, int]) -> Dict[str, Any]:
    dist = array.distribution
    rule = dist.partition[number]
    common = {"size": dist.shape[number], "proc_grid_size": parts, "proc_grid_rank": at}
    is_copied = number == 0 and copies[1] > 1
    if rule.kind == "cyclic" and rule.phase == 0 and not is_copied:
        size = {"block_size": rule.block} if rule.block > 1 else {}
        return {"dist_type": "c", **common, "start": at * rule.block, **size}
    if rule.kind in ("cyclic", "indices", "runs") or is_copied:
        indices = dist.indices(number)[dist.owned[number]]
        if is_copied:
            common.update(proc_grid_size=parts * copies[1], proc_grid_rank=at + parts * copies[0])
        return {"dist_type": "u", **common, "indices": indices}
    _, first, end, _ = dist.handle().tuples(dist.group.ranks[dist.group.position or 0])[number]
    made = {"dist_type": "b", **common, "start": first, "stop": end}
    left, right = array.boundary[number] if array.boundary else (0, 0)
    padding = (left if at == 0 else 0, right if at == parts - 1 else 0)
    if any(padding):
        made["padding"] = padding
    if array.periodic and array.periodic[number]:
        made["periodic"] = True
    return made


def _place(dist: Distribution) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, int]]:
    """The grid, the place of this process in it, and which copy of the array it has of how many."""
    position = dist.group.position or 0
    if not any(rule.kind == "exact" for rule in dist.partition):
        whole = math.prod(dist.grid)
        return dist.grid, dist.coords(), (position // whole, len(dist.group) // whole)
    boxes = [[one[1:3] for one in dist.handle().tuples(rank)] for rank in dist.group]
    grid = _grid_of(boxes, dist.shape)
    if grid is None:
        raise UnsupportedError(f"the exact pieces of {len(boxes)} processes form no grid in row-major order")
    return grid, tuple(int(one) for one in np.unravel_index(position, grid)), (0, 1)


def _grid_of(boxes: Sequence[Box], shape: Sequence[int], found: Tuple[int, ...] = ()) -> tuple[int, ...] | None:
    """The grid of which the boxes are the parts, row by row, searched from the last dimension on. Parts may be empty.

    found: the parts along the last dimensions.
    """
    dim, stride = len(shape) - len(found) - 1, math.prod(found)
    if dim < 0:
        return found if stride == len(boxes) and _is_grid(boxes, found) else None
    end, most = 0, len(boxes) // stride
    for parts in range(1, most + 1):
        first, stop = boxes[(parts - 1) * stride][dim]
        if first != end:
            return None
        end = stop
        if end == shape[dim] and most % parts == 0:
            grid = _grid_of(boxes, shape, (parts, *found))
            if grid is not None:
                return grid
    return None


def _is_grid(boxes: Sequence[Box], grid: Tuple[int, ...]) -> bool:
    """Whether each box lies along each dimension as the one at its coordinate does."""
    strides = [math.prod(grid[dim + 1 :]) for dim in range(len(grid))]
    return all(
        box[dim] == boxes[at * strides[dim]][dim]
        for box, place in zip(boxes, np.ndindex(*grid))
        for dim, at in enumerate(place)
    )
