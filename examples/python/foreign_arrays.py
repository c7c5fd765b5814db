"""Arrays of a package that is not DRI's: imported without a copy, cut another way, and exported again.

Run: mpirun -n 4 python3 foreign_arrays.py, on 1 to 4 processes
"""

from __future__ import annotations

from typing import Any

import numpy as np
from foreign_producer import lattice
from mpi4py import MPI

import dri

GRIDS = {1: (1, 1), 2: (2, 1), 3: (1, 3), 4: (2, 2)}


def value(i: Any, j: Any = 0) -> Any:
    """Of the element with these global indices."""
    return 1000.0 * i + j + 1


def there_and_back(theirs: Any, to: Any) -> None:
    """Their array as ours on the same memory, moved to another cut, and back."""
    lattice.fill(theirs, value)
    ours = dri.from_distarray(theirs)
    assert np.shares_memory(ours.local, theirs.data) or not theirs.data.size

    moved = dri.redistribute(theirs, to)
    assert not lattice.faults(moved, value)  # moved exports itself, and their code reads it

    theirs.data[...] = 0
    dri.redistribute(moved, theirs)  # fills their memory
    assert not lattice.faults(theirs, value)


def main() -> None:
    world = dri.init()
    size, rank = len(world), MPI.COMM_WORLD.rank
    periodic = (False, True)
    field = lattice.Field((14, 18), GRIDS[size], rank, halo=1, border=2, periodic=periodic)
    there_and_back(field, ("block", None))
    there_and_back(lattice.Table(23, 5, size, rank, block=3), (None, "block"))
    there_and_back(lattice.Particles(40, size, rank), ("cyclic",))

    # Their halo: what a neighbour owns arrives in the copies of its cells.
    lattice.fill(field, value)
    dri.from_distarray(field).update_overlap()
    rows, columns = (np.arange(dim["start"], dim["stop"]) for dim in field.dims)
    around = (columns - 2) % 14 + 2  # columns are periodic, and their border holds copies of the other end
    assert (field.data == value(rows[:, None], around)).all()
    if rank == 0:
        print(f"a field, a table and particles of another package went there and back on {size} processes")


if __name__ == "__main__":
    main()
