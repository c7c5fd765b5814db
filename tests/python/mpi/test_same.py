"""What counts as the same kernel, where a call goes on that was interrupted."""

import numpy as np
import pytest
from dri._same import is_same

import dri


def reading(value):
    """A kernel that is another object each time."""
    return lambda out: out.fill(value)


def recursive(start):
    def kernel(n):
        return kernel(n - 1) if n else start

    return kernel


def unfilled(is_filled):
    def kernel():
        return later

    if is_filled:
        later = 1
    return kernel


class Compared:
    """Its == gives an array, or fails."""

    def __init__(self, *values):
        self.values = np.array(values)

    def __eq__(self, other):
        return self.values == other.values


class Raises:
    def __eq__(self, other):
        raise OSError("no comparison")


class Linked:
    """An object of a list of objects, or of a cycle."""

    def __init__(self, value, behind=None):
        self.value, self.behind = value, self if behind is None else behind


def linked(n):
    one = Linked(0)
    for value in range(n):
        one = Linked(value, one)
    return one


def test_arrays(world):
    a, b = dri.zeros((4, 3)), dri.zeros((4, 3))
    assert is_same(reading(a), reading(a)) and not is_same(reading(a), reading(b))
    assert is_same(reading(a[1:]), reading(a[1:]))
    assert not is_same(reading(a[1:]), reading(a[:-1])) and not is_same(reading(a[1:]), reading(b[1:]))
    assert is_same(reading(a[1:, 2]), reading(a[1:][:, 2])) and not is_same(reading(a[1:]), reading(a[1:, 2]))
    assert is_same(reading(a[1:] + 1), reading(a[1:] + 1)) and not is_same(reading(a[1:] + 1), reading(a[1:] + 2))


def test_comparisons_that_give_arrays_or_fail():
    assert is_same(Compared(1, 2), Compared(1, 2)) and not is_same(Compared(1, 2), Compared(1, 3))
    assert is_same(reading(Raises()), reading(Raises()))
    assert not is_same((Raises(), 1), (Raises(), 2))


def test_cells_that_are_not_filled():
    assert is_same(unfilled(False), unfilled(False)) and is_same(unfilled(True), unfilled(True))
    assert not is_same(unfilled(False), unfilled(True))


def test_functions_that_call_themselves():
    assert is_same(recursive(1), recursive(1)) and not is_same(recursive(1), recursive(2))


@pytest.mark.parametrize("make", [Linked, lambda value: Linked(value, Linked(value))])
def test_cycles_of_objects(make):
    assert is_same(make(1), make(1)) and not is_same(make(1), make(2))


def test_cycles_of_lists():
    a, b, c = [1], [1], [2]
    for one in (a, b, c):
        one.insert(0, {"me": one})
    assert is_same(a, b) and not is_same(a, c)


def test_objects_that_are_nested_deep():
    assert is_same(linked(20), linked(20)) and not is_same(linked(20), linked(21))
    assert is_same(linked(5000), linked(5000))
