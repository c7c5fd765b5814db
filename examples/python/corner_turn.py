"""Turns a matrix that is cut by rows into one that is cut by columns. Run: mpirun -n 4 python3 corner_turn.py"""

import sys

import dri

n = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
rows = dri.Distribution((n, n), "complex64", ("block", None))
columns = dri.Distribution((n, n), "complex64", (None, "block"))
with dri.Transfer("turn", rows, dri.Sink(columns, layout="F")) as turn:
    i, j = rows.ogrid()  # global indices of this process's part
    turn.source.array[...] = i + 1j * j
    x = turn.do()  # this process's columns, each contiguous
    i, j = columns.ogrid()
    assert (x == i + 1j * j).all()
    if rows.group.position == 0:
        print(turn, turn.sink.explain(), sep="\n")
