"""What functions say of their frame, and what inputs are given: wrong values are refused in words."""

import numpy as np
import pytest

import dri
from dri.graph import Graph

WRONG = {
    ("text", 5): (TypeError, "the text of a call is a str, not int"),
    ("text", b"a"): (TypeError, "the text of a call is a str, not bytes"),
    ("text", "é" * 129): (dri.ArgumentError, "the text of a call has 258 bytes, 256 at most"),
    ("data", "a"): (TypeError, "the data of a call is bytes, not str"),
    ("data", None): (TypeError, "the data of a call is bytes, not NoneType"),
    ("data", bytes(257)): (dri.ArgumentError, "the data of a call has 257 bytes, 256 at most"),
    ("time", "now"): (TypeError, "the time of a call is a number of seconds, not str"),
    ("text", "\ud800"): (UnicodeEncodeError, "surrogates not allowed"),
    ("time", float("nan")): (dri.ArgumentError, "the time of a call is from -9e9 to 9e9 seconds, but nan was given"),
    ("time", 1e10): (dri.ArgumentError, "the time of a call is from -9e9 to 9e9 seconds"),
    ("time", -1e10): (dri.ArgumentError, "the time of a call is from -9e9 to 9e9 seconds"),
    ("time", 10**400): (OverflowError, "too large"),
    ("time_ns", 1.5): (TypeError, "the time_ns of a call is an int, not float"),
    ("time_ns", 1 << 63): (dri.ArgumentError, "the time_ns of a call is from -2^63 to 2^63 - 1"),
    ("time_ns", -(1 << 64)): (dri.ArgumentError, "the time_ns of a call is from -2^63 to 2^63 - 1"),
}


def test_wrong_values_of_a_call_are_refused_and_right_ones_stay(world):
    g = Graph()
    x = g.value((), "f8")
    said = {}

    @g.call(x)
    def fill(call, out):
        call.text, call.time = "früh", np.float32(2.5)
        for (name, value), _ in WRONG.items():
            try:
                setattr(call, name, value)
            except Exception as error:
                said[name, value] = error
        said["kept"] = call.text, call.data, call.time, call.time_ns
        call.time_ns = np.int32(7)
        said["time_ns"] = call.time_ns
        out[...] = 1

    g.output("x", x)
    with g.partition() as plan:
        plan.commit(stream=True)
        plan.run()
    for key, (kind, words) in WRONG.items():
        assert isinstance(said[key], kind) and words in str(said[key]), key
    assert said["kept"] == ("früh", "früh".encode(), 2.5, 2_500_000_000) and said["time_ns"] == 7


@pytest.mark.parametrize("late", [False, True])
def test_inputs_are_converted_within_their_kind(world, late):
    g = Graph()
    for output, name, dtype in (("twice", "x", "f4"), ("double", "n", "i4"), ("bytes", "u", "u1")):
        twice = g.value((2,), dtype)
        g.call(twice, g.input(name, (2,), dtype), name=output)(lambda call, out, given: np.multiply(given, 2, out=out))
        g.output(output, twice)
    with g.partition() as plan:
        plan.set_input("x", [0, 0])
        plan.set_input("n", [0, 0])
        plan.set_input("u", np.array([100, 1]))
        if late:
            plan.run()
        plan.set_input("x", np.array([1, 2.5]))
        plan.set_input("n", [True, False])
        with pytest.raises(dri.DtypeError, match="the input 'x' has the dtype float32, but the data have complex128"):
            plan.set_input("x", [1j, 2])
        with pytest.raises(dri.DtypeError, match="the input 'n' has the dtype int32, but the data have float64"):
            plan.set_input("n", [1.5, 2])
        with pytest.raises(dri.ArgumentError, match="has the shape"):
            plan.set_input("n", [1, 2, 3])
        plan.run()
        assert plan.output("twice").tolist() == [2, 5] and plan.output("double").tolist() == [2, 0]
        assert plan.output("bytes").tolist() == [200, 2]


def test_records_are_given_as_numpy_takes_them(world):
    pairs = np.dtype([("a", "i4"), ("b", "f4", 2)])
    g = Graph()
    g.output("same", g.input("x", (1,), pairs))
    with g.partition() as plan:
        plan.set_input("x", [(1, (2, 3))])
        plan.run()
        assert plan.output("same").tobytes() == np.array([(1, (2, 3))], pairs).tobytes()
