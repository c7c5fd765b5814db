"""Expressions of any depth are evaluated or refused."""

import numpy as np

import dri


def test_a_deep_expression_does_not_overflow_the_stack(world):
    a, b = (dri.zeros(4, dtype="f8", comm=world) for _ in range(2))
    e = a
    for _ in range(60_000):
        e = e * 0.5
    try:
        b[...] = e
    except RecursionError:
        return
    np.testing.assert_array_equal(b.local, 0)
