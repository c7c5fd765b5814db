"""What statements keep of arrays: it goes with them, and differs where results differ."""

import gc
import sys
import threading

import numpy as np
import pytest

import dri
from dri.forms import Form


def kept_forms():
    gc.collect()
    return sum(type(one) is Form for one in gc.get_objects())


def sliced_over_domain():
    x = dri.Array(dri.Domain(dri.block_map(range(12)), range(12)))
    x[1:-1], x[2:5][1:], x[3:7:2]


def sliced_over_distribution():
    x = dri.zeros(dri.Distribution((12, 3), "f8", ("block", None)))
    x[1:-1], x[2:5, 1], x[::2, ::2][1:]
    x[1:5] = 1


def sliced_while_the_domain_is_set():
    domain = dri.Domain(dri.block_map(range(12)), range(12))
    x = dri.Array(domain)
    part = x[1:3]
    domain.set(range(8))
    assert part.form is not None and x[1:3].shape == (2,)


@pytest.mark.parametrize("use", [sliced_over_domain, sliced_over_distribution, sliced_while_the_domain_is_set])
def test_forms_go_with_their_arrays(use):
    use()
    before = kept_forms()
    for _ in range(5):
        use()
    assert kept_forms() <= before


def test_slices_of_one_domain_share_no_forms_with_those_before_set():
    domain = dri.Domain(dri.block_map(range(12)), range(12))
    x = dri.Array(domain)
    part = x[1:3]
    before = part.form
    assert part.form is before and x[1:3].form is before
    domain.set(range(8))
    assert part.form is not before and part.form is x[1:3].form


@pytest.mark.parametrize("kind", [complex, np.complex64, np.complex128])
def test_numbers_that_differ_in_the_sign_of_a_zero(kind):
    whole = np.array([1 + 2j, -3 - 0.5j, complex(0.0, -0.0), complex(-0.0, 4)], kind)
    z = dri.array(whole)
    parts = (1.0, -1.0, 0.0, -0.0)
    for number in [kind(complex(re, im)) for re in parts for im in parts]:
        for operation in (np.multiply, np.subtract):
            made, wanted = operation(z, number).evaluate().gather(-1), operation(whole, number)
            assert made.dtype == wanted.dtype and made.tobytes() == wanted.tobytes(), (operation, number)


def run_in_threads(work):
    """work(number) in two threads, which change often. What they raise is raised here."""
    failed = []

    def run(number):
        try:
            work(number)
        except BaseException as error:
            failed.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        sys.setswitchinterval(before)
    if failed:
        raise failed[0]


@pytest.mark.parametrize("size", [40, 30000])
def test_threads_in_one_statement(world, rank, size):
    """Each thread has arrays of its own over this process alone, and both have the same statements."""
    own = dri.Distribution((size,), "f8", ("block",), world[rank : rank + 1])
    reducing = threading.Lock()  # a group has one reduction at a time
    arrays = [[dri.zeros(own) for _ in range(3)] for _ in range(2)]

    def work(number, turns=200):
        x, y, z = arrays[number]
        for turn in range(turns):
            a = np.arange(size) + 1000.0 * (number + 1) + turn
            x.local[...], y.local[...] = a, 2 * a
            z[...] = (x + 1) * (y - 2) - x * 3
            wanted = (a + 1) * (2 * a - 2) - a * 3
            assert (z.local == wanted).all(), (number, turn)
            z[1:-1] = (x[:-2] + x[2:]) * (y[1:-1] + 0.5)
            wanted[1:-1] = (a[:-2] + a[2:]) * (2 * a[1:-1] + 0.5)
            assert (z.local == wanted).all(), (number, turn)
            with reducing:
                assert ((x + y) * 2).max() == ((a + 2 * a) * 2).max(), (number, turn)

    for number in range(2):
        work(number, 1)  # the first calls commit, in which one thread of a process may be
    run_in_threads(work)
