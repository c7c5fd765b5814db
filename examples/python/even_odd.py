"""A distribution of one's own: even numbers on one process, odd ones on the next.

Run: mpirun -n 2 python3 even_odd.py
"""

from __future__ import annotations

import dri


class EvenOdd(dri.Map):
    """Even indices belong to the first process of the group, odd ones to the second."""

    def owner(self, i: int) -> int:
        return i % len(self.group)


world = dri.init()
pair = world[:2]
mine = dri.Array(dri.Domain(EvenOdd(comm=pair), range(1, 10)), dtype="i8")
blocks = dri.Array(dri.Domain(dri.block_map(range(1, 10), pair), range(1, 10)), dtype="i8")
mine[...] = list(mine.domain)
blocks[...] = mine  # any two maps
blocks[...] = blocks * 10
mine[...] = blocks
if mine.here:
    assert mine.local.ravel().tolist() == [10 * i for box in mine.domain.boxes() for i in box[0]]
    print(f"process {world.position} has {mine.local.ravel().tolist()}")
