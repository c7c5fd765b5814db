"""Arrays of a package that knows nothing of DRI, nor of MPI: fields, tables and particles of a simulation.

It shares its arrays by the Distributed Array Protocol 0.10, and is written from the protocol's text alone. An array has
a local part in ``data``. Its process is a number in a grid of processes, in C order.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

Value = Callable[..., Any]
"""Of an element: a function of its global indices."""


class Shared:
    """What all arrays of the package have: a local part, and a dictionary per dimension."""

    data: npt.NDArray[Any]
    dims: tuple[dict[str, Any], ...]

    def __distarray__(self) -> dict[str, Any]:
        return {"__version__": "0.10.0", "buffer": self.data, "dim_data": self.dims}


class Field(Shared):
    """A field in blocks, with copies of the neighbours' cells around each block, and a border around the whole.

    shape: cells with the border. grid: processes per dimension. halo, border: cells. periodic: per dimension.
    """

    def __init__(self, shape: Sequence[int], grid: Sequence[int], rank: int, halo: int, border: int, periodic: Sequence[bool]) -> None:
        place = np.unravel_index(rank, tuple(grid))
        self.dims = tuple(
            self._dimension(size, parts, int(at), halo, border, wraps)
            for size, parts, at, wraps in zip(shape, grid, place, periodic)
        )
        self.data = np.full([dim["stop"] - dim["start"] for dim in self.dims], np.nan)

    @staticmethod
    def _dimension(size: int, parts: int, at: int, halo: int, border: int, periodic: bool) -> dict[str, Any]:
        # The first blocks are longer, as a scheme with a costly border would have them.
        cuts = [0, *(size * (i + 1) // parts + (1 if i + 1 < parts else 0) for i in range(parts))]
        left, right = at == 0, at == parts - 1
        padding = (border if left else halo, border if right else halo)
        return {
            "dist_type": "b", "size": size, "proc_grid_size": parts, "proc_grid_rank": at,
            "start": cuts[at] - (0 if left else halo), "stop": cuts[at + 1] + (0 if right else halo),
            "padding": padding, "periodic": periodic,
        }  # fmt: skip


class Table(Shared):
    """Rows dealt out in blocks; all columns of a row together."""

    def __init__(self, rows: int, columns: int, parts: int, rank: int, block: int) -> None:
        mine = [row for row in range(rows) if row // block % parts == rank]
        dealt = {"dist_type": "c", "size": rows, "proc_grid_size": parts, "proc_grid_rank": rank, "block_size": block}
        self.dims = ({**dealt, "start": min(rank * block, rows)}, {})
        self.data = np.zeros((len(mine), columns), order="F")


class Particles(Shared):
    """Particles by number, wherever they have moved to; each is on one process."""

    def __init__(self, count: int, parts: int, rank: int, seed: int = 1) -> None:
        numbers = np.random.default_rng(seed).permutation(count)
        mine = np.ascontiguousarray(numbers[numbers * numbers % parts == rank])
        common = {"dist_type": "u", "size": count, "proc_grid_size": parts, "proc_grid_rank": rank}
        self.dims = ({**common, "indices": mine, "one_to_one": True},)
        self.data = np.zeros(len(mine))


def fill(shared: Any, value: Value) -> None:
    """Write the owned elements of a shared array."""
    given = shared.__distarray__()
    data = np.asarray(given["buffer"])
    for place, index in elements(given["dim_data"], data.shape):
        data[place] = value(*index)


def faults(shared: Any, value: Value) -> list[str]:
    """The owned elements of a shared array that are not as :func:`fill` writes them."""
    given = shared.__distarray__()
    if given["__version__"].split(".")[0] != "0":
        return [f"version {given['__version__']}"]
    data = np.asarray(given["buffer"])
    found = [(index, data[place]) for place, index in elements(given["dim_data"], data.shape)]
    return [f"{index}: {one}, not {value(*index)}" for index, one in found if one != value(*index)]


def elements(dim_data: Sequence[dict[str, Any]], shape: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(local, global) indices of the owned elements of a local part."""
    for pairs in product(*(list(_along(dim, extent)) for dim, extent in zip(dim_data, shape))):
        yield tuple(local for local, _ in pairs), tuple(index for _, index in pairs)


def _along(dim: dict[str, Any], extent: int) -> Iterator[tuple[int, int]]:
    kind = dim.get("dist_type", "b")
    if not dim:
        yield from ((i, i) for i in range(extent))
    elif kind == "b":
        left, right = dim.get("padding", (0, 0))
        first = dim["start"] + (left if dim["proc_grid_rank"] > 0 else 0)
        end = dim["stop"] - (right if dim["proc_grid_rank"] < dim["proc_grid_size"] - 1 else 0)
        yield from ((index - dim["start"], index) for index in range(first, end))
    elif kind == "c":
        block, step = dim.get("block_size", 1), dim["proc_grid_size"] * dim.get("block_size", 1)
        mine = [i for first in range(dim["start"], dim["size"], step) for i in range(first, min(first + block, dim["size"]))]
        yield from enumerate(mine)
    else:
        yield from ((i, int(index)) for i, index in enumerate(np.asarray(dim["indices"])))
