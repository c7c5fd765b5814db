"""What wrong calls that make arrays, and wrong dtypes, are told: a row has the call, the exception and its words."""

from fractions import Fraction

import numpy as np
import pytest

import dri

DTYPES = {
    "no name": ("nonsense", dri.DtypeError, "'nonsense' is no dtype: data type 'nonsense' not understood"),
    "objects": ("O", dri.DtypeError, "dtype object holds Python objects, which have no meaning in another process"),
    "objects in a record": (
        [("name", "O"), ("value", "f8")],
        dri.DtypeError,
        "holds Python objects, which have no meaning in another process",
    ),
    "an array": (
        "(2,)f8",
        dri.DtypeError,
        "dtype ('<f8', (2,)) is an array; make it dimensions of the array, or a field of a record",
    ),
    "no bytes": ("V0", dri.DtypeError, "dtype |V0 has elements without bytes"),
    "texts without a length": ("U", dri.DtypeError, "dtype <U0 has elements without bytes"),
}

NUMBERS = {
    "a shape of a text": (lambda: dri.empty("abc"), dri.ArgumentError, "dimension 0: the size is a whole number, not 'abc'"),
    "a size with a point": (
        lambda: dri.zeros((2, 3.0)),
        dri.ArgumentError,
        "dimension 1: the size is a whole number, not 3.0",
    ),
    "a truth value": (lambda: dri.zeros(True), dri.ArgumentError, "dimension 0: the size is a whole number, not True"),
    "a truth value of numpy's": (
        lambda: dri.empty((2, np.True_)),
        dri.ArgumentError,
        "dimension 1: the size is a whole number, not True",
    ),
    "no shape": (lambda: dri.zeros(None), dri.ArgumentError, "dimension 0: the size is a whole number, not None"),
    "a negative size": (lambda: dri.ones((2, -3)), dri.ArgumentError, "dimension 1: the size is -3, which is negative"),
    "too many bytes": (
        lambda: dri.zeros((1 << 62, 4)),
        dri.SizeError,
        "the bytes of [4611686018427387904,4] elements of 8 bytes do not fit into 64 bits",
    ),
    "processes": (
        lambda: dri.zeros(3, comm=5),
        TypeError,
        "a group is an mpi4py intracommunicator or ranks, not int",
    ),
    "no element": (
        lambda: dri.full(3, None),
        dri.DtypeError,
        "dtype object holds Python objects, which have no meaning in another process",
    ),
    "no step": (lambda: dri.arange(0, 10, 0), dri.ArgumentError, "arange takes a step other than 0"),
    "a text": (
        lambda: dri.arange("a"),
        TypeError,
        "arange takes real numbers, a Distribution or a Domain, not 0, 'a' and 1",
    ),
    "nothing": (
        lambda: dri.arange(None),
        TypeError,
        "arange takes real numbers, a Distribution or a Domain, not 0, None and 1",
    ),
    "a complex number": (
        lambda: dri.arange(1, 2j),
        TypeError,
        "arange takes real numbers, a Distribution or a Domain, not 1, 2j and 1",
    ),
    "no end": (
        lambda: dri.arange(0, float("inf"), 2),
        dri.ArgumentError,
        "arange from 0 to inf by 2 has no finite number of elements",
    ),
    "no number": (
        lambda: dri.arange(float("nan")),
        dri.ArgumentError,
        "arange from 0 to nan by 1 has no finite number of elements",
    ),
}


def line(dtype="f8"):
    return dri.Distribution((12,), dtype, (dri.block(),))


def halves(**source):
    with dri.Transfer("halves", dri.Source(line(), layout=dri.Layout(split=True), **source), line()):
        pass


DISTRIBUTED = {
    "another dtype": (
        lambda: dri.zeros(line(), "f4"),
        dri.DtypeError,
        "the dtype is float32, but the distribution has float64",
    ),
    "other processes": (
        lambda: dri.zeros(line(), comm=[0]),
        dri.ArgumentError,
        "an array takes no comm beside a Distribution, which has its own processes",
    ),
    "other processes than a domain's": (
        lambda: dri.fromfunction(lambda at: at, dri.Domain(range(4)), comm=[0]),
        dri.ArgumentError,
        "an array takes no comm beside a Domain, which has its own processes",
    ),
    "a layout beside a domain": (
        lambda: dri.zeros(dri.Domain((range(4), range(3))), layout="F"),
        dri.ArgumentError,
        "an array over a domain lies row-major, and has no boundary padding",
    ),
    "objects over a distribution": (
        lambda: dri.zeros(line(), "O"),
        dri.DtypeError,
        "dtype object holds Python objects, which have no meaning in another process",
    ),
    "two halves of a number": (
        lambda: dri.empty(line("c16"), layout=dri.Layout(split=True)),
        dri.ArgumentError,
        "an Array has complex numbers in pairs; ends of transfers can have split layouts",
    ),
    "two halves of an end's number": (
        lambda: halves(buffers=[np.zeros((2, 12))]),
        dri.DtypeError,
        "a split layout needs complex numbers, and float64 is none",
    ),
    "two halves in memory of the library": (
        halves,
        dri.ArgumentError,
        "the layout is split, but double is not a complex type",
    ),
}


def expect(call, error, words):
    with pytest.raises(error) as told:
        call()
    assert words in str(told.value), told.value


@pytest.mark.parametrize("row", DTYPES)
def test_of_dtypes(world, row):
    dtype, error, words = DTYPES[row]
    for make in (dri.empty, dri.zeros, dri.ones):
        expect(lambda: make((2, 3), dtype), error, words)
    expect(lambda: line(dtype), error, words)
    expect(lambda: dri.Array(dri.Domain(range(4)), dtype=dtype), error, words)


@pytest.mark.parametrize("row", [*NUMBERS, *DISTRIBUTED])
def test_of_arrays_that_are_made(world, row):
    expect(*{**NUMBERS, **DISTRIBUTED}[row])


def test_what_equals_a_size_that_was_taken_is_still_none(world):
    dri.zeros(1)
    dri.zeros((2, 3))
    expect(lambda: dri.zeros(True), dri.ArgumentError, "dimension 0: the size is a whole number, not True")
    expect(lambda: dri.zeros(1.0), dri.ArgumentError, "dimension 0: the size is a whole number, not 1.0")
    expect(lambda: dri.ones((2, 3.0)), dri.ArgumentError, "dimension 1: the size is a whole number, not 3.0")


def test_shapes_and_numbers_as_numpy_takes_them(world):
    for shape in ((2, 3), [2, 3], np.array([2, 3]), (np.int32(2), np.int64(3))):
        assert dri.zeros(shape).shape == (2, 3)
    for size in (5, np.int16(5), np.array(5), (5,)):
        assert dri.zeros(size).shape == (5,)
    assert dri.arange(Fraction(1), Fraction(3), Fraction(1, 2), "f8").shape == (4,)
    assert dri.arange(5, 0, -2).shape == (3,) and dri.arange(3, 3).shape == dri.arange(3, 1).shape == (0,)


# Each process has at least two rows, so that its part does not lie both ways, and at least SHARED bytes if it is long.
@pytest.mark.parametrize("columns", [4, 1000])
@pytest.mark.parametrize("layout", ["F", (1, 0), dri.Layout("F")])
def test_an_array_of_a_shape_has_the_layout_that_is_asked_for(world, layout, columns, monkeypatch):
    monkeypatch.setattr(dri.local_memory, "_memory", lambda *of, make=dri.local_memory._memory: filled(make(*of)))
    shape = 2 * len(world) + 1, columns
    assert dri.empty(shape, layout=layout).local.flags.f_contiguous
    made = dri.zeros(shape, "c8", layout=layout)
    assert made.shape == shape and made.local.flags.f_contiguous and not made.local.flags.c_contiguous
    assert (made.local == 0).all()
    for other, value in ((dri.ones(shape, layout=layout), 1), (dri.full(shape, 3, layout=layout), 3)):
        assert other.local.flags.f_contiguous and (other.local == value).all()
    across, along = made.distribution.ogrid()
    made.local[...] = columns * across + along
    whole = made.gather(0)
    assert whole is None or (whole == np.arange(shape[0] * columns).reshape(shape)).all()
    words = "assignments and statements need arrays that lie row-major"
    expect(lambda: made.gather(-1), dri.UnsupportedError, words)
    expect(lambda: made.__setitem__(slice(1, None), made[:-1]), dri.UnsupportedError, words)
    assert dri.zeros(shape, layout=dri.Layout("C")).local.flags.c_contiguous


def filled(memory):
    memory.view(np.uint8)[...] = 7
    return memory


def test_layouts_of_shapes_on_some_processes_and_without_elements(world):
    alone = dri.zeros((3, 4), comm=[len(world) - 1], layout="F")
    assert alone.here == (world.position == len(world) - 1)
    assert not alone.here or (alone.local.flags.f_contiguous and not alone.local.any())
    assert dri.zeros((0, 4), layout="F").shape == (0, 4)
    assert dri.zeros((2 * len(world), 3), layout=dri.Layout(pitch=8)).local.strides == (64, 8)
    for layout, words in (
        (dri.Layout(split=True), "an Array has complex numbers in pairs; ends of transfers can have split layouts"),
        ((2, 1, 0), "the layout's order has 3 entries, but the array 2 dimensions"),
        ("X", "order 'X' is neither 'C' nor 'F' nor a tuple of dimensions"),
    ):
        expect(lambda: dri.zeros((4, 4), "c8", layout=layout), dri.ArgumentError, words)
