"""Views of described arrays: dim_data and memory of a part by global indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Tuple

import numpy as np

from . import _dri
from .errors import UnsupportedError
from .section import chosen_indices, even_slice

if TYPE_CHECKING:
    import numpy.typing as npt

DimData = Tuple[Dict[str, Any], ...]


def view_of(buffer: npt.NDArray[Any], dim_data: DimData, index: Any) -> tuple[npt.NDArray[Any], DimData]:
    """The memory and the dimensions of a part. Local."""
    chosen = chosen_indices(index, tuple(int(dim["size"]) for dim in dim_data))
    places: List[slice | int] = []
    kept: List[Dict[str, Any]] = []
    for number, (dim, one) in enumerate(zip(dim_data, chosen)):
        owned = _dri.dap_owned_indices(dim)
        if isinstance(one, int):
            if dim["proc_grid_size"] > 1:
                raise UnsupportedError(f"dimension {number} is distributed over {dim['proc_grid_size']} processes")
            places.append(_dri.dap_local_index(dim, one))
            continue
        chosen_here = (owned >= one.start) & (owned < one.stop) & ((owned - one.start) % one.step == 0)
        if one == range(int(dim["size"])):
            chosen_here[:] = True  # also labels beyond the array
        inside = np.flatnonzero(chosen_here)
        places.append(even_slice(number, inside + _first(dim)))
        kept.append(_dim(dim, one, (owned[inside] - one.start) // one.step))
    return buffer[(*places, ...)], tuple(kept)  # a view, even of one element


def _first(dim: Dict[str, Any]) -> int:
    """The place in the buffer of the first index that is owned."""
    return int(dim.get("padding", (0, 0))[0]) if dim["dist_type"] == "b" and dim["proc_grid_rank"] else 0


def _dim(dim: Dict[str, Any], chosen: range, indices: npt.NDArray[np.int64]) -> Dict[str, Any]:
    made = {key: dim[key] for key in ("dist_type", "proc_grid_size", "proc_grid_rank")}
    made["size"] = len(chosen)
    if dim["dist_type"] != "b":
        if chosen == range(int(dim["size"])):
            return dict(dim)
        return {**made, "dist_type": "u", "indices": indices}
    # Those before this process own what lies before its first index.
    before = range(chosen.start, min(max(_bound(dim, "start"), chosen.start), chosen.stop), chosen.step)
    made["start"], made["stop"] = len(before), len(before) + len(indices)
    if chosen == range(int(dim["size"])):
        made.update(_edges(dim))
    return made


def _edges(dim: Dict[str, Any]) -> Dict[str, Any]:
    """What an array says of its two ends: boundary padding, and a period."""
    left, right = dim.get("padding", (0, 0))
    rank, last = dim["proc_grid_rank"], dim["proc_grid_size"] - 1
    padding = (int(left) if rank == 0 else 0, int(right) if rank == last else 0)
    made: Dict[str, Any] = {"padding": padding} if any(padding) else {}
    if dim.get("periodic", False):
        made["periodic"] = True
    return made


def _bound(dim: Dict[str, Any], key: str) -> int:
    return int(dim[key]) + _first(dim)
