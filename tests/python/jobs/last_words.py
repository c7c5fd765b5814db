"""Programs that end in unusual ways. usage: last_words.py CASE, on two processes; prints "ends" where it gets there."""

import os
import sys

import numpy as np

import dri


def transfer(world):
    dist = dri.Distribution((8, 4), "f8", ("block", None), world)
    return dri.Transfer("last", dri.Source(dist, stream=True, buffers=2), dri.Sink(dist, buffers=2))


def uncaught(world):
    moved = transfer(world)
    dri.commit(moved)
    if world.position == 0:
        raise RuntimeError("one fails")
    try:
        moved.do()
    except dri.StateError as error:
        assert "process 0" in str(error), error
        print("ends", flush=True)
        raise


def exits(world):
    with transfer(world) as moved:
        moved.source.put(1)
    print("ends", flush=True)
    sys.exit(0)


def forgotten(world):
    moved = transfer(world)
    dri.commit(moved)
    moved.source.put(1)
    assert (moved.sink.extract().array == 1).all()
    print("ends", flush=True)


def forks(world):
    with transfer(world) as moved:
        moved.source.array[...] = 3
        x = moved.do()
        shown = moved.source.dist, dri.zeros(moved.source.dist)
        child = os.fork()
        if child == 0:
            texts = repr(moved), repr(shown[0]), repr(shown[1]), moved._repr_html_(), shown[1]._repr_html_()
            refused = 0
            for call in (moved.do, lambda: moved.source.array, dri.init, dri.finalize, moved.close):
                try:
                    call()
                except dri.StateError:
                    refused += 1
            told = "parent" in texts[0] and all("forked child" in text for text in texts[1:3])
            os._exit(0 if refused == 5 and told and (x == 3).all() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    print("ends", flush=True)


def finalised(world):
    moved = transfer(world)
    dri.commit(moved)
    moved.source.array[...] = 5
    x = moved.do()
    shown = moved.source.dist, dri.zeros(moved.source.dist), moved
    dri.finalize()
    assert (x == 5).all()
    texts = [write(one) for one in shown for write in (repr, lambda one: one._repr_html_())]
    assert "the library has ended" in texts[0] and "the library has ended" in texts[2] and "closed" in texts[4], texts
    for closed in (moved.do, lambda: moved.sink.array):
        try:
            closed()
        except dri.ClosedError:
            continue
        raise AssertionError("it is not closed")
    again = dri.init()
    with transfer(again) as moved:
        moved.source.array[...] = 6
        assert (moved.do() == 6).all() and (x == 5).all()
    print("ends", flush=True)


def mpi_ends_first(world):
    from mpi4py import MPI

    with transfer(world) as moved:
        x = moved.source.array
    MPI.Finalize()
    assert (np.asarray(x) == 0).all()
    print("ends", flush=True)


def progress_thread(world):
    dist = dri.Distribution((8, 4), "f8", ("block", None), world)
    moved = dri.Transfer("thread", dri.Source(dist, progress_thread=True), dist)
    dri.commit(moved)
    moved.do()
    print("ends", flush=True)


globals()[sys.argv[1]](dri.init())
