"""dtypes of numpy as element types of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Tuple

import numpy as np

from .errors import DtypeError

if TYPE_CHECKING:
    import numpy.typing as npt

Dtype = np.dtype[Any]
# The number of a predefined type and two zeros, or -1, the bytes and the alignment of a record.
Element = Tuple[int, int, int]

cint8: Dtype = np.dtype([("real", np.int8), ("imag", np.int8)])
"""Complex numbers of two 8-bit integers: fields ``real`` and ``imag``."""
cint16: Dtype = np.dtype([("real", np.int16), ("imag", np.int16)])
"""Complex numbers of two 16-bit integers: fields ``real`` and ``imag``."""

# In the order of ext/distributions.cpp.
_PREDEFINED: tuple[Dtype, ...] = (
    *(np.dtype(name) for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")),
    cint8,
    cint16,
    np.dtype("c8"),
    np.dtype("c16"),
)
_NUMBER = {dtype: number for number, dtype in enumerate(_PREDEFINED)}
_COMPONENT: dict[Dtype, Dtype] = {
    cint8: np.dtype("i1"),
    cint16: np.dtype("i2"),
    np.dtype("c8"): np.dtype("f4"),
    np.dtype("c16"): np.dtype("f8"),
}


def dtype_of(given: npt.DTypeLike) -> Dtype:
    """A dtype whose elements can be moved. Local.

    Raises
    ------
    DtypeError
        It holds Python objects, has no bytes, or is an array itself.
    """
    try:
        dtype = np.dtype(given)
    except TypeError as error:
        raise DtypeError(f"{given!r} is no dtype: {error}") from None
    if dtype.hasobject:
        raise DtypeError(f"dtype {dtype} holds Python objects, which have no meaning in another process")
    if dtype.subdtype is not None:
        raise DtypeError(f"dtype {dtype} is an array; make it dimensions of the array, or a field of a record")
    if dtype.itemsize == 0:
        raise DtypeError(f"dtype {dtype} has elements without bytes")
    return dtype


def element_of(dtype: Dtype) -> Element:
    """How the C interface names a dtype. Local."""
    number = _NUMBER.get(dtype, -1)
    return (number, 0, 0) if number >= 0 else (-1, dtype.itemsize, dtype.alignment)


def refuse_other_record(source: Dtype, sink: Dtype) -> None:
    """Refuse two records, which the library tells apart by their size alone. Local."""
    if source != sink and source not in _NUMBER and sink not in _NUMBER:
        raise DtypeError(f"the source has dtype {source}, but the sink has {sink}; there is no conversion between records")


def component_of(dtype: Dtype) -> Dtype:
    """The dtype of the real part of complex numbers. Local."""
    if dtype not in _COMPONENT:
        raise DtypeError(f"a split layout needs complex numbers, and {dtype} is none")
    return _COMPONENT[dtype]
