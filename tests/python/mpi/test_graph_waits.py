"""Plans whose processes are late: how many frames run, and when a wait is too long."""

import threading
import time

import pytest
from mpi4py import MPI

import dri
from dri.graph import Graph

LATE = 0.4
"""Seconds: more than a slice of a wait."""


def late(world, late_in):
    """The first process sends to the second one, late in some frames. Plan, and what each of both has seen."""
    g, seen = Graph(), []
    source, sink = g.transfer("late", *(dri.Distribution(4, "i8", (None,), world[i : i + 1]) for i in range(2)))

    @g.call(source)
    def fill(call, out):
        time.sleep(LATE if call.frame in late_in else 0)
        out[...] = call.frame
        seen.append(call.frame)

    @g.call(None, sink)
    def take(call, x):
        assert (x == call.frame).all()
        seen.append(call.frame)

    return g.partition(), seen


@pytest.mark.procs(2)
@pytest.mark.parametrize("frames", [1, 2])
def test_a_stream_has_so_many_frames_however_late_they_are(world, frames):
    plan, seen = late(world, (1, 2, 4))
    plan.commit(frames=frames, stream=True)
    for most, sum_of_it in ((3, 3), (2, 5)):
        plan.stream(most)
        assert len(seen) == (sum_of_it if world.position < 2 else 0)
    MPI.COMM_WORLD.Barrier()
    plan.close()


@pytest.mark.procs(2)
def test_other_threads_run_while_a_plan_waits(world):
    plan, seen = late(world, (0,))
    plan.commit()
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    MPI.COMM_WORLD.Barrier()
    start = time.monotonic()
    plan.run()
    end = time.monotonic()
    stop.set()
    thread.join()
    if world.position == 1:
        assert end - start > LATE / 2 and len([one for one in ticks if start < one < end]) > 3
    MPI.COMM_WORLD.Barrier()
    plan.close()


@pytest.mark.procs(2)
@pytest.mark.parametrize("report", ["", "60"])
def test_a_thread_that_a_function_starts_runs_while_the_plan_waits(world, monkeypatch, report):
    """With a report the slice of a wait is longer than the report's time."""
    g, ticks, seen = Graph(), [], []
    here, there = (dri.Distribution(4, "i8", (None,), world[i : i + 1]) for i in range(2))
    late_source, late_sink = g.transfer("late", here, there)
    early_source, early_sink = g.transfer("early", there, here)

    def tick():
        time.sleep(0.05)  # until the function is over
        ticks.append(time.monotonic())

    threads = [threading.Thread(target=tick)]
    g.call(early_source)(lambda call, out: threads[0].start())
    g.call(late_source)(lambda call, out: time.sleep(2 * LATE))
    g.call(None, early_sink)(lambda call, x: None)
    g.call(None, late_sink)(lambda call, x: seen.append(time.monotonic()))
    plan = g.partition()
    monkeypatch.setenv("DRI_REPORT", report)
    plan.commit()
    plan.run()
    if world.position == 1:
        threads[0].join()
        assert ticks[0] < seen[0] - LATE / 2
    MPI.COMM_WORLD.Barrier()
    plan.close()


@pytest.mark.procs(2)
@pytest.mark.parametrize("frames", [1, 2])
def test_the_timeout_is_that_of_each_wait(world, frames):
    plan, seen = late(world, range(5))
    plan.commit(frames=frames, stream=True, timeout=4.5 * LATE)  # five frames take longer
    plan.stream(5)
    assert seen == (list(range(5)) if world.position < 2 else [])
    MPI.COMM_WORLD.Barrier()
    plan.close()


@pytest.mark.procs(2)
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_wait_that_is_too_long_fails_and_goes_on(world, is_stream):
    plan, seen = late(world, ())
    plan.commit(stream=is_stream, timeout=LATE)
    go = (lambda: plan.stream(1)) if is_stream else plan.run
    if world.position == 1:
        start = time.monotonic()
        with pytest.raises(dri.TimeoutError):
            go()
        assert LATE - 0.01 <= time.monotonic() - start < 50 * LATE
    MPI.COMM_WORLD.Barrier()
    go()
    assert seen == ([0] if world.position < 2 else [])
    MPI.COMM_WORLD.Barrier()
    plan.close()
