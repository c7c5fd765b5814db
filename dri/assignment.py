"""Assignments: slices of arrays from slices of other arrays, from numpy and from numbers."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _dri
from .array import Array
from .forms import clock
from .errors import ArgumentError, DtypeError, OutOfRange, StateError, UnsupportedError
from .ranges import Ranges, index_of
from .section import Section, section_of

if TYPE_CHECKING:
    import numpy.typing as npt

BULK, PLANS, THREADS = 1, 2, 3  # of DRI_Array_attr
_NUMBERS = "biufc"  # kinds of dtypes that convert to each other
_PATHS = {0: "none", 1: "known", 2: "any", 4: "element"}


class Assigned(NamedTuple):
    """How an assignment went: its path, and which ways were asked for before."""

    path: str
    """``"known"``, ``"any"`` or ``"element"``; ``"none"`` on a process of neither map."""
    tried: tuple[str, ...]
    """The ways that a map was asked for."""
    planned: bool
    """Whether a plan was made now; otherwise a kept one was used, or none was needed."""
    packed_bytes: int
    """Bytes that this process packed or unpacked in buffers of the library."""


class _UnderWay(threading.local):
    """The assignments that the thread is in, the innermost one last. Local."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Array, Array]] = []
        self.asked = 0
        """How often maps have been asked. They may write."""


_under_way = _UnderWay()


class Assignment:
    """An assignment that a map is asked to do. Local. It is over when the map has answered.

    Examples
    --------
    >>> class Mirror(dri.Map):
    ...     def owner(self, i):
    ...         return i % 2
    ...     def any(self, assignment):
    ...         return not assignment.asks_dst and assignment.hand_over()
    """

    def __init__(self, asked: _dri.Asked) -> None:
        self._asked = asked
        self._pair = _under_way.pairs[-1]
        _under_way.asked += 1

    @property
    def dst(self) -> Array:
        """The array that receives the elements. Local."""
        return _base(self._pair[0])

    @property
    def src(self) -> Array:
        """The array that is read. Local."""
        return _base(self._pair[1])

    @property
    def to(self) -> Ranges:
        """The members of ``dst.domain`` that receive elements: ``dst[to]`` is the left side. Local."""
        return self._asked.to()

    @property
    def from_(self) -> Ranges:
        """The members of ``src.domain`` that are read: ``src[from_]`` is the right side. Local."""
        return self._asked.from_()

    @property
    def asks_dst(self) -> bool:
        """Whether the map of ``dst`` is asked, not that of ``src``. Local."""
        return self._asked.asks_dst()

    def hand_over(self) -> bool:
        """Ask the map of the other array instead; whether it has done it. Collective over both groups.

        A map that is being asked already, and one of the library, decline.
        """
        _under_way.pairs.append(self._pair)
        try:
            return self._asked.hand_over()
        finally:
            _under_way.pairs.pop()


def assign(to: Array, from_: Array) -> Assigned:
    """Assign an array or a slice to an array or a slice. Collective over the processes of both maps.

    Elements are paired in their order. Dimensions of one element do not count, so that a row may be assigned to a
    column. If both lie in one array, the result is as if the right side were read first. The plan of a first call is
    kept for the next ones. ``to[...] = from_`` does the same.

    Parameters
    ----------
    to, from_
        Arrays, or slices such as ``a[1:5, 2]``. Numbers are converted to the dtype of ``to``.

    Raises
    ------
    ArgumentError
        Shapes differ, or the dtypes have no conversion. On all processes; nothing is assigned.
    MismatchError, TimeoutError, StateError
        A part may be assigned already, as after Ctrl-C: expressions that read ``to`` are stale. The same call goes on.

    Examples
    --------
    >>> dri.assign(columns[:, 0], rows[0]).path
    'known'
    """
    for one in (to, from_):
        if not isinstance(one, Array):
            raise TypeError(f"assign takes arrays and their slices, not {type(one).__name__}")
    if to.group != from_.group and (is_over_distribution(to) or is_over_distribution(from_)):
        raise UnsupportedError("arrays of other processes are assigned where both are over domains; redistribute takes any")
    if not to.here and not from_.here and to.group == from_.group:
        return Assigned("none", (), False, 0)
    handles = to.handle(), from_.handle()
    pairs, asked = _under_way.pairs, _under_way.asked
    pairs.append((to, from_))
    try:
        path, tried, planned, packed = handles[0].assign(handles[1], to.seconds)
    except BaseException as error:  # one that fails, or that Ctrl-C interrupts, may have written a part
        if not isinstance(error, (ArgumentError, DtypeError)) or _under_way.asked != asked:
            _written(to)
        raise
    finally:
        pairs.pop()
    _written(to)
    return Assigned(_PATHS[path], tuple(name for bit, name in _PATHS.items() if bit & tried), planned, packed)


def configure(array: Array, bulk: bool | None, plans: int | None, threads: int | None) -> None:
    """What ``array.configure`` does, for the settings of assignments. Collective over the group."""
    for attribute, value in ((BULK, bulk), (PLANS, plans), (THREADS, threads)):
        if value is not None:
            array.handle().set_attribute(attribute, int(value))


def is_over_distribution(array: Array) -> bool:
    """Whether an array, or the one whose slice it is, was made over a distribution. Local."""
    return _base(array)._domain is None


def _base(array: Array) -> Array:
    return array.base if isinstance(array, Section) else array


def fill(array: Array, index: Any, value: Any) -> None:
    """What ``array[index] = value`` does: Local for numbers and numpy, otherwise as assign."""
    to = section_of(array, index, True)
    if isinstance(value, Array):
        _assign_or_spread(to, value)
        return
    given = np.asarray(value)
    if given.dtype.hasobject:
        raise TypeError(f"an element is a number or a record, not {value!r}")
    if given.dtype != to.dtype and not (given.dtype.kind in _NUMBERS and to.dtype.kind in _NUMBERS):
        given = given.astype(to.dtype)  # which may fail: then on all processes, and not on the owner alone
    try:
        spread = np.broadcast_to(given, to.shape)
    except ValueError:
        spread = np.broadcast_to(_without_leading(given, len(to.shape)), to.shape)
    for places, memory in to.pieces():
        memory[...] = spread[places]
    _written(to)


def _written(array: Array) -> None:
    clock.written(array)


def _assign_or_spread(to: Section, value: Array) -> None:
    if isinstance(value, Section) and value.base is to.base and (value.form is to.form or value.chosen == to.chosen):
        return  # what an operator such as += has done already
    if isinstance(value, lazy.Lazy) or [n for n in value.shape if n != 1] != [n for n in to.shape if n != 1]:
        statements.store(to, value)
        return
    assign(to, value)


def element_at(array: Array, index: Any) -> npt.NDArray[Any]:
    """What ``array.at(index)`` does. Local."""
    if not array.here:
        raise StateError(f"this process is not in the group {array.group} of the array")
    if isinstance(array, Section):
        raise UnsupportedError("an element is looked up in an array, not in a slice of it")
    domain = array.domain
    at = index_of(index, array.ndim)
    place = _place(domain, at)
    local = array.local
    if array._domain is None or local.flags.c_contiguous:
        found: tuple[Any, ...] = np.unravel_index(place, local.shape)
        made: npt.NDArray[Any] = local[found + (...,)]
        return made
    raise UnsupportedError("the array does not lie row-major")


def _place(domain: Any, at: tuple[int, ...]) -> int:
    if at not in domain:
        raise OutOfRange(f"{_text(at)} is no member of {domain}")
    owner = domain.owner(at)
    mine = domain._rank(None)
    if owner != mine:
        raise OutOfRange(f"{_text(at)} belongs to process {owner}")
    place: int = domain.local_index(at)
    return place


def _text(at: tuple[int, ...]) -> str:
    return str(at[0]) if len(at) == 1 else str(at)


def _without_leading(given: npt.NDArray[Any], ndim: int) -> npt.NDArray[Any]:
    """Without leading dimensions of one element, as numpy assigns them. Local."""
    while given.ndim > ndim and given.shape[0] == 1:
        given = given[0]
    return given


def write(array: Array, stream: Any) -> None:
    """What ``array.write(stream)`` does. Collective over the group."""
    if not array.here:
        return
    text = array.handle().write(array.seconds)
    if array.group.position == 0:
        (sys.stdout if stream is None else stream).write(text)


# They need arrays.
from . import lazy, statements  # noqa: E402
