"""What statements keep of arrays: it goes with them, and differs where results differ."""

import gc

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
