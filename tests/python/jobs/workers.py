"""Forked workers work on views while the parent has a transfer open. usage: workers.py, on 2 to 4 processes."""

import multiprocessing

import numpy as np

import dri

world = dri.init()
dist = dri.Distribution((8 * len(world), 16), "f8", ("block", None))


def work(rows):
    """The sum of rows of the parent's view, and what calls of the library say here."""
    said = []
    for call in (moved.do, lambda: moved.sink.array, lambda: dri.zeros(dist), lambda: x.redistribute(("cyclic", None)), dri.finalize):
        try:
            call()
            said.append("nothing")
        except dri.StateError as error:
            said.append("StateError" if "fork" in str(error) else str(error))
    return float(view[rows].sum()), said


with dri.Transfer("workers", dist, dri.Sink(dist.like(partition=("cyclic", None)))) as moved:
    x = dri.zeros(dist)
    x.redistribute(("cyclic", None))
    moved.source.array[...] = np.arange(16)
    view = moved.do()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(work, [slice(k, k + 2) for k in range(0, 8, 2)])
    for total, said in found:
        assert total == 2 * 120 and set(said) <= {"StateError"}, (total, said)
    moved.source.array[...] = 1
    assert (moved.do() == 1).all()
    x.redistribute(("cyclic", None))
    child = multiprocessing.get_context("fork").Process(target=lambda: None)
    child.start()
    child.join()
    assert child.exitcode == 0
print("ends", flush=True)
