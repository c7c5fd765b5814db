"""Graphs of functions and whole transfers: frames, streams, their end, pictures and times."""

import shutil
import weakref

import numpy as np
import pytest
from mpi4py import MPI

import dri
from dri import graph
from dri.graph import Graph


def rows(world, **options):
    return dri.Distribution((12, 9), "i4", ("block", None), world, **options)


def columns(world, dtype="f8"):
    return dri.Distribution((12, 9), dtype, (None, "block"), world)


def turned(world, last=None):
    """Rows of integers that become columns of doubles, half as large. What has arrived is noted."""
    g, seen = Graph(), []
    source, sink = g.transfer("turn", rows(world), dri.Sink(columns(world), layout="F", convert=True, scale=0.5))
    i, j = source.dist.ogrid()

    @g.call(source)
    def fill(call, out):
        if call.frame == last:
            call.end()
        out[...] = call.frame + 100 * i + j
        if last is not None:
            call.text, call.time = f"frame {call.frame}", 3.5 + call.frame

    at, along = sink.dist.ogrid()

    @g.call(None, sink)
    def check(call, x):
        assert x.flags.f_contiguous and not x.flags.writeable
        assert (x == (call.frame + 100 * at + along) / 2).all()
        seen.append((call.frame, call.text, call.time) if last is not None else call.frame)

    return g, seen


def test_whole_transfers_run_in_frames(world):
    g, seen = turned(world)
    with g.partition() as plan:
        for _ in range(4):
            plan.run()
        assert seen == [0, 1, 2, 3]
        assert [one.frames for one in plan.times()] == [4] * len(plan.parts)
        pytest.importorskip("matplotlib").use("Agg")
        assert dri.plot.times(plan).get_xlabel() == "part"
        assert "turn" in plan.describe() and "committed" in repr(plan)
    with pytest.raises(dri.ClosedError):
        plan.run()


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_stream_ends_where_its_input_ends(world, frames):
    g, seen = turned(world, last=7)
    plan = g.partition()
    plan.commit(frames=frames, stream=True, timeout=20)
    plan.stream(2)
    plan.stream()
    assert seen == [(frame, f"frame {frame}", 3.5 + frame) for frame in range(7)]
    with pytest.raises(dri.EndOfStream):
        plan.run()
    plan.close()


def shown(world, frames, function=None, **options):
    """A graph whose source is fed; what arrives is noted."""
    g, seen = Graph(), []
    source, sink = g.transfer("turn", rows(world), columns(world, "i4"))
    g.feed(source, frames, function, **options)
    g.call(None, sink, name="show")(lambda call, x: seen.append((call.frame, call.data, x.copy())))
    return g, seen


def test_frames_are_fed_with_and_without_bytes(world):
    own = rows(world).local_shape
    g, seen = shown(world, iter([np.full(own, 3), ("text", np.full(own, 4)), (b"\0b", 5)]))
    g.stream(frames=2, timeout=20)
    assert [(frame, data) for frame, data, _ in seen] == [(0, b""), (1, b"text"), (2, b"\0b")]
    assert all((x == 3 + frame).all() for frame, _, x in seen)


def test_a_function_makes_the_frames_that_are_fed(world):
    g, seen = shown(world, [1, 2, 3], np.negative, name="turn signs")
    plan = g.partition()
    plan.stream(2)
    dot = plan.draw()
    assert "turn signs" in dot and "show" in dot
    plan.stream()
    assert [x.sum() / x.size for _, _, x in seen] == [-1, -2, -3]
    plan.close()


def test_frames_that_do_not_fit_break_the_stream(world):
    g, _ = shown(world, [np.zeros((5, 5, 5))])
    with pytest.raises((ValueError, dri.Error)):
        g.stream(timeout=20)


def test_nothing_is_fed_where_the_source_is_not(world):
    def frames():
        asked.append(world.position)
        yield np.arange(10)

    asked, g = [], Graph()
    whole = dri.Distribution(10, "i4", (None,), world[:1])
    source, sink = g.transfer("give", whole, dri.Distribution(10, "i4", ("block",), world))
    g.feed(source, frames())
    g.call(None, sink)(lambda call, x: x.sum())
    g.stream()
    assert asked == ([0] if world.position == 0 else [])


def gathering(world):
    """Ten numbers go from all processes to the last one."""
    g, last = Graph(), world[len(world) - 1 :]
    whole = dri.Distribution(10, "f4", (None,), last)
    return g, *g.transfer("gather", dri.Distribution(10, "f4", ("block",), world), whole)


def test_items_are_frames_until_there_are_no_more(world):
    g, parts, whole = gathering(world)
    seen, asked = [], []
    assert parts.slices == parts.dist.part().slices and whole.slices == (slice(0, 10 if whole else 0),)

    def items():
        for number in range(5):
            asked.append(number)
            yield number

    @g.call(parts, each=items())
    def fill(call, out, number):
        call.text = f"item {number}"
        out[...] = number * np.arange(10)[parts.slices]

    @g.call(None, whole)
    def keep(call, x):
        seen.append((call.text, x.tolist()))

    with g.partition() as plan:
        plan.stream(frames=2)
    assert asked == list(range(5))
    assert seen == ([(f"item {number}", [number * i for i in range(10)]) for number in range(5)] if whole else [])
    assert g.call(dri.graph.builder.Port(None, parts.lies, parts.dist), each=items())(print) is print and len(asked) == 5
    with pytest.raises(dri.ArgumentError, match="inputs"):
        g.call(None, whole, each=range(3))


def test_ports_are_false_outside_their_groups(world):
    g, parts, whole = gathering(world)
    seen = []
    assert parts and bool(whole) == (world.position == len(world) - 1)

    @g.call(parts)
    def fill(call, out):
        out[...] = np.arange(10)[parts.slices]

    @g.call(None, whole)
    def keep(call, x):
        seen.append(x.copy())

    with g.partition() as plan:
        plan.run()
    assert [one.tolist() for one in seen] == ([list(range(10))] if whole else [])


def test_arrays_of_one_process_go_to_another(world):
    g = Graph()
    before, behind = (world.position - 1) % len(world), (world.position + 1) % len(world)
    x = g.input("x", (2, 3), "f8")
    squares, total = g.value((2, 3), "f8"), g.value((), "f8")
    constant = g.data(np.full((2, 3), 7.0))

    @g.call([squares, total], x, constant)
    def compute(call, out, sum_of_it, given, seven):
        np.multiply(given, given, out=out)
        sum_of_it[...] = out.sum() + seven.sum()

    theirs = x
    if len(world) > 1:
        theirs = g.staple(g.send(squares, behind, ("t", 1)), g.recv(before, ("t", True), (2, 3), "f8"))
    g.store(squares)
    for name, node in (("theirs", theirs), ("total", total)):
        g.output(name, node)
    plan = g.partition()
    for frame in range(3):
        plan.set_input("x", np.full((2, 3), frame + world.position))
        plan.run()
        wanted = (frame + before) ** 2 if len(world) > 1 else frame
        assert (plan.output("theirs") == wanted).all() and not plan.output("theirs").flags.writeable
        assert plan.output("total") == 6 * (frame + world.position) ** 2 + 42
    assert plan.part_of(squares) == 0
    with pytest.raises(dri.ArgumentError, match="y"):
        plan.set_input("y", np.ones(3))
    with pytest.raises(dri.ArgumentError, match="shape"):
        plan.set_input("x", np.ones(3))
    plan.close()


def test_wrong_ends_are_refused(world):
    split = dri.Source(dri.Distribution((12, 9), "c8", ("block", None), world), layout=dri.Layout(split=True))
    for wrong in (split, dri.Source(rows(world), buffers=2)):
        with pytest.raises(dri.UnsupportedError):
            Graph().transfer("t", wrong, columns(world))
    with pytest.raises(dri.ArgumentError):
        Graph().transfer("t", rows(world))
    with pytest.raises(TypeError):
        Graph().transfer("t", rows(world), "columns")
    with pytest.raises(dri.ArgumentError):
        Graph().call(None)(print)
    g = Graph()
    value = g.value(3, "f8")
    g.call(value)(lambda call, out: None)
    with pytest.raises(dri.ArgumentError):
        g.call(value)(lambda call, out: None)


@pytest.mark.procs(2)
def test_an_end_that_is_missing_is_told(world):
    g = Graph()
    source, sink = g.transfer("turn", rows(world), columns(world, "i4"))
    g.call(source)(lambda call, out: None)
    if world.position:
        g.call(None, sink)(lambda call, x: None)
    with pytest.raises(graph.MissingRecvError, match="turn") as raised:
        g.partition()
    assert [(one.operation, one.rank) for one in raised.value.faults] == [((-1, -1, "turn"), 0)]


def test_an_exception_leaves_the_run_as_it_was_raised(world):
    class Odd(Exception):
        pass

    g = Graph()
    value = g.value(3, "f8")

    @g.call(value)
    def wrong(call, out):
        raise Odd("here")

    g.output("x", value)
    with g.partition() as plan:
        with pytest.raises(Odd, match="here"):
            plan.run()
        with pytest.raises(dri.StateError):
            plan.run()


def test_an_exception_has_any_text(world):
    g = Graph()
    value = g.value(3, "f8")

    @g.call(value)
    def wrong(call, out):
        raise FileNotFoundError("no file \udcff\ud800")

    g.output("x", value)
    with g.partition() as plan, pytest.raises(FileNotFoundError, match="no file \udcff"):
        plan.run()


def test_a_call_is_valid_in_its_function_alone(world):
    g, kept = Graph(), []
    value = g.value(3, "f8")
    g.call(value)(lambda call, out: kept.append(call))
    g.output("x", value)
    with g.partition() as plan:
        plan.run()
    with pytest.raises(dri.StateError):
        kept[0].frame


def test_pictures(world, tmp_path):
    folder = MPI.COMM_WORLD.bcast(tmp_path if world.position == 0 else None)
    g, _ = turned(world)
    with g.partition() as plan:
        plan.run()
        text = plan.draw(folder / "turn.dot")
        assert text.startswith("digraph") and "fill" in text and "turn" in text
        if world.position == 0:
            assert (folder / "turn.dot").read_text() == text
        if shutil.which("dot"):
            plan.draw(folder / "turn.svg")
            if world.position == 0:
                assert "<svg" in (folder / "turn.svg").read_text()
            assert "<svg" in plan._repr_svg_()
        with pytest.raises((dri.Error, OSError)):
            plan.draw("/nowhere/turn.dot")


def test_a_stream_without_memory_of_its_own(world):
    """Frames make no arrays: the same objects come again."""
    g, seen = Graph(), set()
    source, sink = g.transfer("turn", rows(world), columns(world, "i4"))
    g.call(source)(lambda call, out: call.end() if call.frame == 20 else None)
    g.call(None, sink)(lambda call, x: seen.add(id(x)))
    with g.partition() as plan:
        plan.stream(frames=2)
    assert len(seen) <= 3


def test_views_of_inputs_do_not_pile_up(world):
    g, views, sums = Graph(), [], 0
    x = g.input("x", 2, "i8")

    @g.call(None, x)
    def look(call, given):
        nonlocal sums
        views.append(weakref.ref(given))
        sums += given.sum()

    g.output("same", x)
    given = np.arange(3000).reshape(1500, 2)
    with g.partition() as plan:
        for row in (*given, *given[::-1]):
            plan.set_input("x", row)
            plan.run()
            same = plan.output("same")
            assert (same == row).all()
            views.append(weakref.ref(same))
        assert sums == 2 * given.sum()
        del same
        assert len(views) == 6000 and len({id(one()) for one in views if one() is not None}) <= 2 * 1024


def test_task_levels():
    assert graph.task_levels([(), (0,), (0,), (1, 2)]) == [0, 1, 1, 2] and graph.task_levels([]) == []
    with pytest.raises(graph.CycleError):
        graph.task_levels([(1,), (0,)])
    with pytest.raises(dri.ArgumentError):
        graph.task_levels([(3,)])


@pytest.mark.procs(3)
@pytest.mark.parametrize("frames", [1, 2, 3])
def test_all_sources_of_a_transfer_end_after_the_same_frame(world, frames):
    pair, last = world[0:2], world[2:3]
    g, seen = Graph(), []
    whole, halves = (dri.Distribution(4, "f8", (cut,), on) for cut, on in ((None, last), ("block", pair)))
    out, mine = g.transfer("out", whole, halves)
    back, both = g.transfer("back", halves, whole)
    constant = g.data(np.ones(2))

    @g.call(out)
    def make(call, x):
        if call.frame == 3:
            call.end()
        x[...] = call.frame

    # Only one source of the transfer is computed of what ends.
    @g.call(back, mine if world.position == 1 else constant)
    def give(call, x, given):
        x[...] = given

    if world.position == 0:

        @g.call(None, mine)
        def take(call, x):
            seen.append(x.tolist())

    @g.call(None, both)
    def check(call, x):
        seen.append(x.tolist())

    plan = g.partition()
    plan.commit(frames=frames, stream=True, timeout=20)
    plan.stream()
    wanted = {0: [[frame] * 2 for frame in range(3)], 2: [[1, 1, frame, frame] for frame in range(3)]}
    assert seen == wanted.get(world.position, [])
    plan.close()
