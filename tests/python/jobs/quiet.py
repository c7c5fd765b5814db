"""Queries, descriptions and local arrays send nothing. usage: quiet.py, with the counter of MPI calls preloaded."""

import ctypes
import sys

import numpy as np

import dri
from dri import dap

counter = ctypes.CDLL(None).dri_test_mpi_traffic
counter.restype = ctypes.c_long


def quiet(*calls):
    """Make each call, which may not send or receive anything."""
    for i, call in enumerate(calls):
        before = counter()
        call()
        if counter() != before:
            sys.exit(f"call {i} of line {sys._getframe(1).f_lineno} has made {counter() - before} MPI calls")


def described(dims, shape):
    return {"__version__": "0.10.0", "buffer": np.zeros(shape), "dim_data": dims}


block = {"dist_type": "b", "size": 9, "proc_grid_size": 2, "proc_grid_rank": 1, "start": 4, "stop": 9, "padding": (0, 0)}
theirs = described((block,), (5,))
local = (
    lambda: dap.validate(theirs), lambda: dap.fault(described((block,), (7,))), lambda: dap.read(theirs),
    lambda: dap.view(theirs, np.s_[5:8]), lambda: dap.owned_indices(block), lambda: dap.local_index(block, 5),
    lambda: dap.global_index(block, 1), lambda: dap.owner([[block]], (4,)), lambda: dap.validate_dim_data([block]),
    lambda: dap.plan({0: (block,)}, {0: (block,)}), lambda: dap.grid_shape((4, 4), "bb", 4), lambda: dri.Layout("F"),
    lambda: dap.check_all(dap.from_global_dim_data([{"dist_type": "b", "bounds": [0, 4, 9]}])),
    lambda: dri.block(overlap=1), lambda: dri.version(), lambda: dri.Group([0]) | dri.Group([1]),
)  # fmt: skip
quiet(*local)
assert "mpi4py" not in sys.modules  # nothing has started MPI

world = dri.init()
rank, other = world.position, len(world) - 1
before = counter()
dist = dri.Distribution((9, 6), "f8", (dri.block(overlap=1), None))
assert counter() > before or other == 0  # it counts
rows, whole = dist.like(partition=("cyclic", None), overlap=None), dist.like(partition=(None, None))
x, mine = dri.zeros(dist), np.zeros(dist.local_shape)
quiet(*local)
quiet(
    lambda: (dist.shape, dist.dtype, dist.partition, dist.group, dist.grid, dist.offset, dist.spec, dist.here),
    lambda: (str(dist), repr(dist), dist._repr_html_(), dist == rows, hash(dist)),
    lambda: (dist.local_shape, dist.owned, dist.ogrid(), dist.part(), dist.indices(0), dist.blocks(0)),
    lambda: (dist.extents(other), dist.coords(other), dist.count(other), dist.part(other), dist.blocks(0, other)),
    lambda: (dist.owner((8, 5)), dist.replicas((8, 5)), dist.owner(np.array([[8, 5]]))),
    lambda: (dist.local_index((8, 5), dist.owner((8, 5))), dist.global_index((0, 0), other)),
    lambda: (rows.part(), rows.indices(0, other), whole.replicas((0, 0))),
    lambda: (world[:1], world.position, len(world), dri.Group(list(world)) == world),
)  # fmt: skip
quiet(
    lambda: dri.empty(dist), lambda: dri.zeros(dist, layout="F"), lambda: dri.Array(dist, mine), lambda: x[1:4, 2],
    lambda: x.owned.__distarray__(), lambda: x.__distarray__(), lambda: dap.read(x), lambda: repr(x),
    lambda: dri.redistribute.cache_info(), lambda: dri.wisdom.dumps(), lambda: dri.Source(dist), lambda: dri.Sink(dist),
)  # fmt: skip
members = dri.Domain(dri.stencil_map((range(9), range(-6, 6)), 1), (range(8, -1, -2), range(-6, 6, 3)))
own = dri.Domain(dri.Map(lambda index: (index[0] + index[1]) % len(world)), (range(5), range(3)))
over = dri.Array(members)
for domain in (members, own):
    index = domain.index(0)
    quiet(
        lambda: (domain.owner(index), domain.order(index), index in domain, list(domain), str(domain), repr(domain)),
        lambda: (domain.boxes(other), domain.count(other), domain.chunks(2, other), domain.describe(), domain.check()),
        lambda: domain.global_index(domain.local_index(index, domain.owner(index)), domain.owner(index)),
        lambda: (domain[1:], domain.clone() == domain, domain.map.group, list(domain.follow([[0], [0]]))),
    )
quiet(
    lambda: (over.shape, over.dtype, over.local, over.domain, over[1:, 2].local, over.owned.shape, repr(over)),
    lambda: over.__setitem__((0, 1), 5), lambda: over.__setitem__(..., 0), lambda: over[range(8, 2, -2)][0, 0:1],
    lambda: [over.at(index) for box in members.boxes() for index in [tuple(one[0] for one in box)]],
    lambda: (dri.densify(range(2), range(3)), dri.block_map(range(4)) == dri.cyclic_map(0)),
)  # fmt: skip
with dri.Transfer("quiet", dri.Source(rows, buffers=2), dri.Sink(whole)) as moved:
    moved.do()
    quiet(
        lambda: (moved.source.array, moved.sink.array, moved.sink.buffers, repr(moved), moved._repr_html_()),
        lambda: (moved.source.info, moved.source.peers(), moved.sink.times(), moved.sink.explain(), moved.source.strip(0)),
    )  # fmt: skip
print("quiet", flush=True)
