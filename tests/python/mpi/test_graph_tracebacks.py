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
