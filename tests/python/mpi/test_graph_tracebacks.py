"""What a function of a graph has in its hands when it fails can be read as long as somebody holds it."""

import gc

import numpy as np
import pytest

import dri
from dri.graph import Graph


def locals_of(error, function):
    """The local variables of a function in a traceback."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is function.__code__:
            return trace.tb_frame.f_locals
        trace = trace.tb_next
    raise AssertionError(f"{function} is not in the traceback")


def trodden():
    """Memory that was freed has other contents."""
    gc.collect()
    return [np.full(4096 // 8 * size, -7.0) for size in (1, 8, 64, 1024) for _ in range(20)]


@pytest.mark.parametrize("is_open", [True, False])
def test_arrays_of_a_function_that_failed_stay(world, is_open):
    g = Graph()
    n = 1 << 16
    source, sink = g.transfer(
        "turn", dri.Distribution(n, "f8", ("block",), world), dri.Distribution(n, "f8", (None,), world)
    )
    given, doubled = g.input("given", n, "f8"), g.value(n, "f8")

    @g.call(doubled, given)
    def double(call, out, x):
        np.multiply(x, 2, out=out)

    @g.call(source)
    def fill(call, out):
        out[...] = 3

    def wrong(call, arrived, own, user):
        few = own[2:5]
        raise KeyError(len(few))

    g.call(None, sink, doubled, given)(wrong)
    plan = g.partition()
    plan.set_input("given", np.full(n, 4.0))
    with pytest.raises(KeyError) as raised:
        plan.run()
    if not is_open:
        plan.abandon()
        del plan, g, double, fill, given, doubled, source, sink
    others = trodden()
    held = locals_of(raised.value, wrong)
    assert (held["arrived"] == 3).all() and (held["own"] == 8).all() and (held["user"] == 4).all()
    assert held["few"].tolist() == [8, 8, 8] and others
    if is_open:
        plan.abandon()


@pytest.mark.parametrize("size", [100, 1 << 16])
def test_values_that_are_sent_stay_when_a_plan_breaks(world, size):
    if len(world) < 2:
        pytest.skip("needs 2 processes")
    g, here = Graph(), world.position
    if here == 0:
        value, other = g.value(size, "f8"), g.value(size, "f8")

        @g.call(value)
        def fill(call, out):
            out[...] = 5

        @g.call(other, value)
        def wrong(call, out, sent):
            out[...] = 6
            raise KeyError("sent")

        g.output("sent", g.send(value, 1, "value"))
        g.output("other", g.send(other, 1, "other"))
    elif here == 1:
        g.output("value", g.recv(0, "value", size, "f8"))
        g.output("other", g.recv(0, "other", size, "f8"))
    plan = g.partition()
    plan.commit(timeout=20)
    if here > 1:
        return plan.close()
    with pytest.raises((KeyError, dri.Error)) as raised:
        plan.run()
    plan.abandon()
    if here == 0:
        del plan, g, value, other, fill
        others, held = trodden(), locals_of(raised.value, wrong)
        assert (held["sent"] == 5).all() and (held["out"] == 6).all() and others
