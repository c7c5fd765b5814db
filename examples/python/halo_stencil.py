"""Heat on a torus: two buffers in place, one is read while the next is filled.

Run: mpirun -n 4 python3 halo_stencil.py [SIZE STEPS]
"""

import sys

import numpy as np
from heat import initial, step

import dri

size, steps = (int(one) for one in sys.argv[1:3]) if len(sys.argv) > 2 else (4096, 1000)
grid = dri.Distribution((size, size), "float64", ("block", "block"), overlap=1, edge="wrap")
with dri.Transfer("halo", grid, grid, in_place=True, buffers=2) as halo:
    halo.source.array[...] = initial(*grid.ogrid())
    u = halo.do()  # with its overlap filled
    for _ in range(steps):
        new = halo.source.array  # the other buffer
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        new[grid.owned] = u[grid.owned] + 0.1 * (around - 4 * u[grid.owned])
        u = halo.do()
    if size <= 256:  # the same on one process
        whole = initial(np.arange(size)[:, None], np.arange(size)[None, :])
        for _ in range(steps):
            whole = step(whole)
        assert np.allclose(u[grid.owned], whole[grid.part().slices])
    if grid.group.position == 0:
        print(f"{steps} steps of {size} x {size} on {len(grid.group)} processes: mean {u[grid.owned].mean():.3f}")
