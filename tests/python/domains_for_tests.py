"""Maps and elements for tests of domains, in plain numpy that walks every index."""

import numpy as np

import dri


class EvenOdd(dri.Map):
    def owner(self, i):
        return i % len(self.group)


class Diagonal(dri.Map):
    """No grid: the owner is that of the diagonal."""

    def owner(self, index):
        return (index[0] + index[1]) % len(self.group)


class Halves(dri.Map):
    """It lists what a position owns."""

    def __init__(self, border, comm=None):
        super().__init__(comm=comm)
        self.border = border

    def owner(self, index):
        return int(index[0] >= self.border) % len(self.group)

    def local(self, position, whole):
        rows, columns = whole
        chosen = [i for i in rows if self.owner((i, 0)) == position]
        return [(range(i, i + 1), columns) for i in chosen]

    def __eq__(self, other):
        return isinstance(other, Halves) and self.border == other.border

    __hash__ = None


MAPS = {
    "block": lambda ranges: dri.block_map(tuple(range(min(one, default=0), max(one, default=0) + 1) for one in ranges)),
    "cyclic": lambda ranges: dri.cyclic_map(tuple(3 for _ in ranges)),
    "block_cyclic": lambda ranges: dri.block_cyclic_map(tuple(1 for _ in ranges), tuple(2 for _ in ranges)),
    "mixed": lambda ranges: dri.Map([dri.MapDim.cyclic(0, 2), *(None for _ in ranges[1:])]),
    "user": lambda ranges: dri.Map(lambda index: sum(np.atleast_1d(index)) % len(dri.env.world())),
}


def numbers_of(ranges):
    """Every element is told from its index."""
    mesh = np.meshgrid(*(np.array(one, "i8") for one in ranges), indexing="ij")
    return sum(np.asarray(one) * 100**k for k, one in enumerate(mesh)).astype("f8")


def fill(array):
    whole = numbers_of(array.domain.ranges)
    array[...] = whole
    return whole


def gathered(array):
    """What all processes have, by the oracle's own walk over owners."""
    from mpi4py import MPI

    domain = array.domain
    mine = {index: float(array.at(index)) for index in domain if domain.owner(index) == MPI.COMM_WORLD.rank}
    found = {}
    for one in MPI.COMM_WORLD.allgather(mine):
        assert not set(found) & set(one)
        found.update(one)
    return np.array([found[index] for index in domain]).reshape(array.shape)
