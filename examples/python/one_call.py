"""An array is cut up, cut another way, cut out of, and put together, each by one call.

Run: mpirun -n 4 python3 one_call.py
"""

import numpy as np

import dri

world = dri.init()
is_first = world.position == 0
whole = np.arange(48.0).reshape(6, 8)

x = dri.scatter(whole if is_first else None, ("block", None))  # x.local: this process's rows
x.local[...] *= 2  # arithmetic is numpy's
y = dri.redistribute(x, (None, "block"), layout="F")  # y.local: its columns, each contiguous
back = y.gather()  # on the first process, None on the others
if back is not None:
    assert (back == 2 * whole).all()

part = y[1:5, 3]  # of the whole array, on the memory of y
part.local[...] = -1
row = part.redistribute(("block",))  # four elements of column 3, cut anew
assert (row.local == -1).all()

wide = dri.zeros(dri.Distribution((6, 8), "float64", ("block", None), overlap=(1, 1)))
dri.redistribute(x, wide)  # fills wide, with the rows that its neighbours own
wide.local[wide.distribution.owned] += 1
wide.update_overlap()
i = wide.distribution.ogrid()[0]
assert (wide.local == 2 * (8 * i + np.arange(8)) + 1).all()
if is_first:
    print(x, y, row, dri.redistribute.cache_info(), sep="\n")
