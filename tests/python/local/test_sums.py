"""Sums that are computed in one pass: which steps go into one, and numpy's bits."""

import itertools

import numpy as np
import pytest

from dri._sums import ADD, DIV, MOST, MUL, NEG, SUB, passes

VALUES = [0.0, -0.0, 1.0, -1.5, 1e-310, -3e-320, 7e307, -1e308, np.inf, -np.inf, np.nan, 0.1]
OPERATIONS = {ADD: np.add, SUB: np.subtract, MUL: np.multiply, DIV: np.divide}


def computed(steps, reads, constants):
    """The value of the last step, one step after the other."""
    values = list(reads)
    for operation, *given in steps:
        first, second = (values[one] if one >= 0 else constants[-1 - one] for one in given)
        values.append(np.negative(first) if operation == NEG else OPERATIONS[operation](first, second))
    return values[-1]


def summed(made, reads, constants):
    values = list(reads)
    for one in made:
        if not isinstance(one[0], tuple):
            values.append(computed([one], values, constants))
            continue
        places, factors, scale, more = one
        found = factors[0] * values[places[0]]
        for place, factor in zip(places[1:], factors[1:]):
            found = found + factor * values[place]
        values.append(scale * found + more)
    return values[-1]


def bits(found):
    """NaN is one value: which of two a sum keeps is the processor's choice."""
    return np.where(np.isnan(found), np.nan, found).tobytes()


@pytest.mark.parametrize("steps, constants, wanted", [
    # 0.25 * (a + b + c + d)
    ([(ADD, 0, 1), (ADD, 4, 2), (ADD, 5, 3), (MUL, -1, 6)], [0.25], [((0, 1, 2, 3), (1, 1, 1, 1), 0.25, -0.0)]),
    ([(MUL, 0, -1), (ADD, 4, -2)], [2.0, 1.0], [((0,), (1,), 2, 1)]),
    ([(MUL, 0, -1), (SUB, -2, 4)], [2.0, 1.0], [((0,), (1,), -2, 1)]),
    ([(DIV, 0, -1), (SUB, 4, -2)], [4.0, 1.0], [((0,), (1,), 0.25, -1)]),
    ([(DIV, 0, -1), (SUB, 4, -2)], [3.0, 1.0], None),  # a product with 1 / 3 has other bits
    ([(DIV, -1, 0), (ADD, 4, -2)], [4.0, 1.0], None),
    ([(ADD, 0, 1)], [], None),
    ([(NEG, 0, 0), (SUB, 1, 4)], [], [((1, 0), (1, 1), 1, -0.0)]),
    ([(MUL, 1, -1), (ADD, 0, 4), (MUL, -1, 2), (SUB, 5, 6)], [3.0], [((0, 1, 2), (1, 3, -3), 1, -0.0)]),
    ([(ADD, 1, 2), (ADD, 0, 4)], [], [((1, 2, 0), (1, 1, 1), 1, -0.0)]),  # a + (b + c)
    ([(ADD, 1, 2), (SUB, 0, 4)], [], None),  # a - (b + c) has another zero than (-b - c) + a
    ([(ADD, 0, 1), (ADD, 4, 2), (MUL, 5, 4)], [], None),  # the first sum is used twice
])  # fmt: skip
def test_passes(steps, constants, wanted):
    made = passes(steps, 4, constants)
    assert made == (tuple(steps) if wanted is None else tuple(wanted))
    reads = np.array(list(itertools.product(VALUES, repeat=4))).T
    with np.errstate(all="ignore"):
        assert bits(summed(made, reads, constants)) == bits(computed(steps, reads, constants))


def test_long_sums():
    """Each pass has a bounded number of terms, and of results of others."""
    many = [(ADD, 0, 1)] + [(SUB, 4 + k, k % 4) for k in range(5000)]
    made = passes(many, 4, [])
    assert len(made) == 1 + (5000 - MOST) // (MOST - 1) + 1 and max(len(one[0]) for one in made) == MOST
    products = [(MUL, k, k + 1) for k in range(3)] + [(ADD, 4, 5), (ADD, 7, 6), (MUL, 0, 3), (ADD, 8, 9)]
    made = passes(products, 4, [])
    assert max(sum(place > 3 for place in one[0]) for one in made if isinstance(one[0], tuple)) == 3


@pytest.mark.parametrize("seed", range(200))
def test_random_programs(seed):
    random = np.random.default_rng(seed)
    count = random.integers(1, 12)
    steps = []
    for at in range(count):
        chosen = [int(one) for one in random.integers(-3, 4 + at, 2)]
        if at:
            chosen[random.integers(2)] = 3 + at  # the last result
        elif max(chosen) < 0:
            chosen[0] = 0
        operation = int(random.choice([ADD, ADD, SUB, SUB, MUL, DIV, NEG]))
        if operation == NEG:
            chosen = [max(chosen)] * 2
        steps.append((operation, *chosen))
    constants = [0.5, -3.0, 4.0]
    reads = random.choice(VALUES, (4, 3000))
    with np.errstate(all="ignore"):
        wanted = computed(steps, reads, constants)
        assert bits(summed(passes(steps, 4, constants), reads, constants)) == bits(wanted)
