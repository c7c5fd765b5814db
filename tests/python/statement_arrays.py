"""Distributed arrays for tests of statements, and their elements as the tests' own walk finds them."""

import numpy as np
from domains_for_tests import gathered

import dri

KINDS = ["shape", "columns", "grid", "overlap", "stencil", "sizes"]


def whole_of(shape, dtype="f8", seed=0):
    made = np.random.default_rng(seed).integers(1, 50, shape)
    return (made / 4 if np.dtype(dtype).kind in "fc" else made).astype(dtype)


def spread(whole, kind="shape", comm=None):
    """A distributed array with these elements."""
    n = len(dri.env.world())
    if kind == "shape":
        x = dri.empty(whole.shape, whole.dtype)
    elif kind == "columns":
        x = dri.empty(dri.Distribution(whole.shape, whole.dtype, tuple([None] * (whole.ndim - 1) + ["block"])))
    elif kind == "grid":
        x = dri.empty(dri.Distribution(whole.shape, whole.dtype, ("block",) * whole.ndim))
    elif kind == "overlap":
        x = dri.zeros(dri.Distribution(whole.shape, whole.dtype, (dri.block(overlap=1), *([None] * (whole.ndim - 1)))))
    elif kind == "stencil":
        box = tuple(map(range, whole.shape))
        x = dri.Array(dri.Domain(dri.stencil_map(box, 1), box), dtype=whole.dtype)
    else:
        sizes = np.random.default_rng(whole.shape[0]).multinomial(whole.shape[0], [1 / n] * n)
        x = dri.empty(dri.Distribution(whole.shape, whole.dtype, (dri.sizes(sizes), *([None] * (whole.ndim - 1)))))
    x[...] = whole
    return x


def found(x):
    if np.dtype(x.dtype).kind == "c":
        return gathered_as(x.evaluate(), complex)
    return gathered(x.evaluate())


def gathered_as(x, kind):
    from mpi4py import MPI

    mine = {index: kind(x.at(index)) for index in x.domain if x.domain.owner(index) == MPI.COMM_WORLD.rank}
    all_of_it = {}
    for one in MPI.COMM_WORLD.allgather(mine):
        all_of_it.update(one)
    return np.array([all_of_it[index] for index in x.domain]).reshape(x.shape)
