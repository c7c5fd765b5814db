"""Ranges: Python's own ``range``, of indices of one dimension, and their places in one another."""

from __future__ import annotations

import operator
from typing import Any, Tuple, Union

from . import _dri
from .errors import ArgumentError

Ranges = Tuple[range, ...]
RangesLike = Union[range, Tuple[range, ...], "list[range]"]
# A number in one dimension, a tuple in more.
Index = Union[int, Tuple[int, ...]]


def ranges_of(given: Any, what: str = "ranges") -> Ranges:
    """One range per dimension; a single one is of one dimension. Local."""
    made = (given,) if isinstance(given, range) else given
    if not isinstance(made, (tuple, list)) or not all(isinstance(one, range) for one in made):
        raise TypeError(f"{what} are Python ranges, one per dimension, not {given!r}")
    return tuple(made)


def index_of(given: Any, ndim: int) -> tuple[int, ...]:
    """An index as a tuple. Local."""
    made = given if isinstance(given, (tuple, list)) else (given,)
    if len(made) != ndim:
        raise ArgumentError(f"the index {given!r} has {len(made)} numbers, but there are {ndim} dimensions")
    return tuple(operator.index(one) for one in made)


def shown(index: tuple[int, ...]) -> Index:
    """An index as users see it: a number in one dimension, a tuple in more. Local."""
    return index[0] if len(index) == 1 else index


def densify(sub: Any, whole: Any) -> Any:
    """The places of the members of ranges in other ranges, from 0. Local.

    Parameters
    ----------
    sub, whole
        Ranges, or tuples of ranges, or domains. Members of ``sub`` are members of ``whole``, in any direction.

    Raises
    ------
    ArgumentError
        A member of ``sub`` is no member of ``whole``.

    Examples
    --------
    >>> dri.densify(range(5, 9, 3), range(2, 12, 3))
    range(1, 3)
    """
    return _each(_dri.densify, sub, whole)


def undensify(dense: Any, whole: Any) -> Any:
    """The members of ranges that have these places: the reverse of :func:`densify`. Local."""
    return _each(_dri.undensify, dense, whole)


def _each(call: Any, first: Any, whole: Any) -> Any:
    first, whole = (getattr(one, "ranges", one) for one in (first, whole))
    if isinstance(first, range) and isinstance(whole, range):
        return call(first, whole)
    left, right = ranges_of(first), ranges_of(whole)
    if len(left) != len(right):
        raise ArgumentError(f"there are {len(left)} ranges, but the whole has {len(right)}")
    return tuple(call(a, b) for a, b in zip(left, right))
