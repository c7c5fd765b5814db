"""Frames and streams: what is held, what is released, what ends a loop, what a wait does."""

import gc
import threading
import time
import warnings

import numpy as np
import pytest
from mpi4py import MPI
from test_interrupts import send_soon, tell, wait_for

import dri


def stream_of(world, name="stream", frames=2, **sink):
    rows = dri.Distribution((2 * len(world), 4), "i4", ("block", None))
    ends = dri.Source(rows, buffers=frames, stream=True), dri.Sink(rows.like(partition=("cyclic", None)), **sink)
    return dri.Transfer(name, *ends)


def test_a_stream_carries_what_goes_with_it(world):
    with stream_of(world, buffers=2) as moved:
        for frame in range(2):
            with moved.source.frame(data=f"frame {frame}", time_ns=1000 + frame) as x:
                x[...] = frame
        moved.source.end()
        seen = []
        for frame in moved.sink:
            assert frame.held and (np.asarray(frame) == frame.number).all() and frame.array is moved.sink.array
            seen.append((frame.number, frame.time_ns, frame.data))
        assert seen == [(0, 1000, b"frame 0"), (1, 1001, b"frame 1")]
        with pytest.raises(dri.ClosedError, match="frame 1 is released"):
            frame.array
        with pytest.raises(dri.EndOfStream):
            moved.sink.extract()
        with pytest.raises(dri.EndOfStream):
            moved.do()


def test_a_block_that_raises_inserts_nothing(world):
    with stream_of(world, buffers=2) as moved:
        with pytest.raises(KeyError):
            with moved.source.frame() as x:
                raise KeyError
        assert moved.source.array is x  # it is still held
        moved.source.put(7)
        moved.source.end()
        assert [int(frame.array.max()) for frame in moved.sink] == [7]


def test_break_releases(world):
    with stream_of(world, buffers=3, frames=3) as moved:
        for k in range(3):
            moved.source.put(k)
        for frame in moved.sink:
            break
        assert not frame.held
        held = [moved.sink.extract(), moved.sink.extract()]
        assert [one.number for one in held] == [1, 2]
        moved.sink.release()
        assert [one.held for one in held] == [False, True]


def test_the_last_three_frames(world):
    with stream_of(world, buffers=3, frames=5) as moved:
        for k in range(5):
            moved.source.put(k)
        moved.source.end()
        windows = [[int(one.array[0, 0]) for one in last] for last in moved.sink.frames(hold=3) if last[0].array.size]
        assert windows == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]


def test_a_line_tells_the_progress(world, rank, capfd):
    with stream_of(world, buffers=2, frames=3) as moved:
        for k in range(3):
            moved.source.put(k)
        moved.source.end()
        assert [int(frame.array.max()) for frame in moved.sink.frames(progress=True)] == [0, 1, 2]
        assert not frame_is_held(moved)
    told = capfd.readouterr().err
    assert ("stream: 3 frames" in told) == (rank == 0) and told.endswith("\n" if rank == 0 else "")
    with pytest.raises(dri.ArgumentError, match="hold is 0"):
        moved.sink.frames(hold=0)


def frame_is_held(moved):
    try:
        moved.sink.release()
    except dri.StateError:
        return False
    return True


def test_do_releases_what_was_extracted(world):
    dist = dri.Distribution((len(world), 3), "f4", ("block", None))
    with dri.Transfer("mixed", dri.Source(dist, buffers=3), dri.Sink(dist, buffers=2)) as moved:
        moved.source.put(1)
        frame = moved.sink.extract()
        assert (frame.array == 1).all()
        moved.source.hold()[...] = 2
        assert (moved.do() == 2).all() and not frame.held


def test_without_wait(world):
    with stream_of(world, buffers=2) as moved:
        assert moved.sink.try_extract() is None
        MPI.COMM_WORLD.Barrier()  # before it nobody has a frame
        moved.source.put(3)
        while (frame := moved.sink.try_extract()) is None:
            dri.progress()
        assert (frame.array == 3).all()
        assert moved.source.try_acquire() is not None


def test_wrong_calls(world):
    dist = dri.Distribution((len(world), 3), "f4", ("block", None))
    with dri.Transfer("wrong", dist, dri.Sink(dist, timeout=5)) as moved:
        with pytest.raises(dri.StateError):
            moved.sink.array
        with pytest.raises(dri.StateError):
            moved.sink.release()
        with pytest.raises(dri.StateError):
            moved.source.insert(data=b"without a stream")
        with pytest.raises(dri.ArgumentError, match="300 bytes"):
            moved.source.insert(data=bytes(300))
        with pytest.raises(dri.StateError):
            moved.source.end()
        with pytest.raises(dri.DeadlockError):
            moved.sink.extract()
        with pytest.raises(dri.StateError, match="committed already"):
            dri.commit(moved)
        with pytest.raises(dri.StateError):
            moved.source.rebase((0, 0))
        moved.source.array[...] = 1
        assert (moved.do() == 1).all()


def test_views_outlive_everything(world):
    dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None))
    with dri.Transfer("views", dist, dist) as moved:
        moved.source.array[...] = 4
        x, y = moved.source.array, moved.do()
        sink = moved.sink
    assert (x == 4).all() and (y == 4).all()
    y[...] = 5
    for closed in (moved.do, lambda: sink.array, lambda: moved.source.info, sink.extract, lambda: sink.buffers):
        with pytest.raises(dri.ClosedError, match="closed"):
            closed()
    moved.close()
    moved.close()
    with pytest.raises(TypeError, match="spec"):
        __import__("copy").copy(moved)


def test_names_again_and_again(world):
    dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None))
    for k in range(3):
        with dri.Transfer("again", dist, dist) as moved:
            moved.source.array[...] = k
            assert (moved.do() == k).all()
    a, b = dri.Transfer("a", dist, dist), dri.Transfer("b", dist, dist)
    with dri.commit(a, b) as both:
        assert both == (a, b)
        for one in both:
            one.do()
    with pytest.raises(dri.ClosedError):
        a.do()


def test_nobody_closes(world):
    dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None))
    moved = dri.Transfer("forgotten", dist, dist)
    dri.commit(moved)
    sink = moved.sink
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del moved
        gc.collect()
        assert not caught  # the sink is in use
        del sink
        gc.collect()
    assert [one.category for one in caught] == [ResourceWarning] and "forgotten" in str(caught[0].message)


@pytest.mark.procs(2)
def test_a_timeout_may_be_repeated(world, rank):
    dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None))
    ends = dri.Distribution(dist.shape, "f8", ("block", None), world[:1]), dri.Sink(dist, timeout=0.2)
    with dri.Transfer("late", *ends) as moved:
        if rank == 0:
            wait_for(world[1:])
            moved.source.array[...] = 3
            assert (moved.do() == 3).all()
        else:
            start = time.monotonic()
            with pytest.raises(TimeoutError, match="late"):
                moved.do()
            assert time.monotonic() - start > 0.15
            tell([0])
            while True:
                try:
                    assert (moved.do() == 3).all()
                    break
                except dri.TimeoutError:
                    pass


@pytest.mark.procs(2)
def test_ctrl_c_interrupts_a_wait(world, rank):
    dist = dri.Distribution((4 * len(world), 3), "f8", ("block", None))
    ends = dri.Distribution(dist.shape, "f8", ("block", None), world[:1]), dri.Sink(dist)
    with dri.Transfer("interrupted", *ends) as moved:
        if rank == 0:
            wait_for(world[1:])
            moved.source.array[...] = 3
        else:
            ticks = []
            ticking = threading.Thread(target=lambda: [ticks.append(time.sleep(0.01)) for _ in range(20)])
            ticking.start()
            send_soon(0.25)
            with pytest.raises(KeyboardInterrupt):
                moved.do()
            tell([0])
            ticking.join()
            assert len(ticks) == 20  # other threads ran in the wait
        assert (moved.do() == 3).all()  # the same call goes on


@pytest.mark.procs(2)
def test_slices_of_a_millisecond(world, rank):
    dist = dri.Distribution((8 * len(world), 8), "f8", ("block", None))
    turned = dist.like(partition=(None, "block"))
    with dri.Transfer("short", dri.Source(dist, timeout=0.001), dri.Sink(turned, timeout=0.001)) as moved:
        for frame in range(200):
            moved.source.array[...] = frame
            if frame % 50 == rank:
                time.sleep(0.01)
            while True:
                try:
                    assert (moved.do() == frame).all()
                    break
                except dri.TimeoutError:
                    pass


@pytest.mark.procs(2)
def test_stages_on_disjoint_processes(world, rank):
    front, back = world[: len(world) // 2], world[len(world) // 2 :]
    source = dri.Distribution((12, 6), "f4", ("block", None), front)
    sink = dri.Distribution((12, 6), "f4", (None, "block"), back)
    with dri.Transfer("stages", dri.Source(source, buffers=2, stream=True), dri.Sink(sink, buffers=2)) as moved:
        assert (moved.source is None) == (rank not in front) and (moved.sink is None) == (rank not in back)
        if moved.source:
            for k in range(5):
                moved.source.put(k, data=str(k))
        else:
            assert [(f.number, f.data, int(f.array.max())) for f in moved.sink] == [(k, str(k).encode(), k) for k in range(5)]


@pytest.mark.procs(2)
def test_an_exception_is_no_end_of_the_stream(world, rank):
    front, back = world[:1], world[1:]
    source = dri.Distribution((12, 6), "f4", ("block", None), front)
    sink = dri.Distribution((12, 6), "f4", (None, "block"), back)
    with pytest.raises(ZeroDivisionError if rank == 0 else dri.StateError):
        with dri.Transfer("broken", dri.Source(source, buffers=2, stream=True), dri.Sink(sink, buffers=2)) as moved:
            if moved.source:
                moved.source.put(1)
                raise ZeroDivisionError
            for frame in moved.sink:
                assert frame.number == 0


@pytest.mark.procs(2)
def test_each_program_knows_one_side(world, rank):
    dist = dri.Distribution((12, 6), "f4", ("block", None), world[:1] if rank == 0 else world[1:])
    transfer = dri.Transfer("halves", dist) if rank == 0 else dri.Transfer("halves", None, dist)
    with dri.commit(transfer, scope=world):
        if rank == 0:
            transfer.source.array[...] = 9
        x = transfer.do()
        assert x is None if rank == 0 else (x == 9).all()


def test_one_thread_at_a_time(world):
    dist = dri.Distribution((12, 6), "f4", ("block", None))
    with dri.Transfer("threads", dist, dist) as moved:
        results = []

        def work():
            try:
                results.append(moved.sink.extract().array.max())
            except dri.Error as error:
                results.append(type(error))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert results == [dri.DeadlockError]
