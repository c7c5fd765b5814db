"""A file of HDF5, cut up: each process reads its rows, and writes its columns.

Run: mpirun -n 4 python3 files.py [FILE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
from mpi4py import MPI

import dri

world, comm = dri.init(), MPI.COMM_WORLD
shape = (50, 30)
file = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None), "cube.h5")
if comm.rank == 0:
    with h5py.File(file, "w") as made:
        made["rows"] = np.arange(1500.0).reshape(shape)
        made.create_dataset("columns", shape)
comm.Barrier()

rows = dri.Distribution(shape, "float64", ("block", None), overlap=[1, 0])
columns = dri.Distribution(shape, "float64", (None, "block"))

x = dri.empty(rows)
with h5py.File(file, "r") as read:  # all processes read at the same time, each what it owns
    x.local[rows.owned] = read["rows"][rows.part().slices]
x.update_overlap()  # the neighbours' rows, from memory
i, j = rows.ogrid()
assert (x.local == 30 * i + j).all()

y = dri.redistribute(x, columns)
for turn in range(comm.size):  # one process after the other writes
    if turn == comm.rank:
        with h5py.File(file, "r+") as written:
            written["columns"][columns.part().slices] = y.local
    comm.Barrier()

if comm.rank == 0:
    with h5py.File(file, "r") as read:
        assert (read["columns"][...] == read["rows"][...]).all()
    if len(sys.argv) == 1:
        file.unlink()
        file.parent.rmdir()
    print(f"{shape[0]} x {shape[1]} elements are read by rows and written by columns on {comm.size} processes")
