"""Garbage collection at the worst moment. usage: collected.py CASE, on 2 to 4 processes; prints "ends" where it gets there."""

import gc
import sys
import threading
import time

import dri

world = dri.init()
rank = world.position
dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None))
one = dist.like(comm=world[:1])


class Cycle:
    """Nothing but the collector frees it."""

    def __init__(self, *held):
        self.me, self.held = self, held


def in_a_wait():
    """Another thread frees ends, views, distributions and arrays while this one waits for a frame."""
    lost = dri.Transfer("lost", dist, dri.Sink(dist, buffers=2))
    dri.commit(lost)
    lost.source.array[...] = 7
    frame = lost.do()
    views = [frame, lost.source.array]
    cycle = Cycle(lost, lost.sink, lost.source, views, dist.like(dtype="f4"), dri.zeros(dist)[...])
    x = dri.zeros(dist)
    x.redistribute(("cyclic", None))
    del lost, views, cycle, x
    gc.disable()
    stop, rounds = threading.Event(), []

    def collect():
        while not stop.is_set():
            Cycle(dri.Group(world), dri.Source(dist), dri.Layout("F"))
            gc.collect()
            rounds.append(1)

    thread = threading.Thread(target=collect)
    with dri.Transfer("waits", one, dist) as moved:
        thread.start()
        for k in range(4):
            if rank == 0:
                time.sleep(0.3)
                moved.source.array[...] = k
            assert (moved.do() == k).all() and (frame == 7).all()
        stop.set()
        thread.join()
    assert len(rounds) > 4


def at_exit():
    """Cycles hold open ends, frames and arrays until the interpreter has gone."""
    moved = dri.Transfer("cycle", dri.Source(dist, stream=True, buffers=2), dri.Sink(dist, buffers=2))
    dri.commit(moved)
    moved.source.put(1)
    frame = moved.sink.extract()
    x = dri.zeros(dist)
    x.redistribute((None, "block"))
    globals()["kept"] = Cycle(moved, frame, frame.array, x, x[1:], dist, iter(moved.sink))
    sys.stdout.kept = Cycle(moved, frame)  # outlives the modules
    gc.disable()


def a_generator():
    """A generator that waits inside `with` is freed by the collector, not closed."""

    def frames():
        with dri.Transfer("inside", dist, dist) as moved:
            while True:
                yield moved.do()

    running = frames()
    view = next(running)
    cycle = Cycle(running)
    del running, cycle
    gc.collect()
    view[...] = 2
    with dri.Transfer("inside", dist, dist) as moved:  # the name is free again
        moved.do()


globals()[sys.argv[1]]()
print("ends", flush=True)
