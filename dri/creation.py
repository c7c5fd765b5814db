"""Arrays that are made: of one number, of ranges, by a function, and from other arrays."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Sequence, Tuple, Union

import numpy as np

from . import _dri, env
from ._signals import deferred
from .array import TIMEOUT_MS, Array, array_on
from .distribution import Distribution, sizes_of
from .domain import Domain, domain_of
from .elements import Dtype, dtype_of, element_of
from .ends import seconds_of, slice_ms
from .errors import ArgumentError, DtypeError
from .group import Group, Processes
from .layout import Layout, LayoutLike
from .local_memory import array_layout
from .partition import Exact, block

if TYPE_CHECKING:
    import numpy.typing as npt

Over = Union[int, Tuple[int, ...], Distribution, Domain]
_KEPT = 64
_defaults: OrderedDict[Any, Distribution] = OrderedDict()


def empty(
    over: Over, dtype: npt.DTypeLike = None, *, comm: Processes | None = None, layout: LayoutLike = "C"
) -> Array:  # fmt: skip
    """An array whose contents are arbitrary. Local over a Distribution, otherwise Collective over the processes.

    Parameters
    ----------
    over
        A Distribution, a Domain, or a shape. An array of a shape is cut along dimension 0 into blocks whose sizes differ
        by one at most, the larger ones last.
    dtype
        Of the elements; None is float64. A distribution has its own.
    comm
        The processes of an array of a shape; None is the world. A distribution or a domain has its own.
    layout
        How each part lies in memory; of a shape, the same on all processes. Statements need ``"C"``, and an array over
        a domain has no other.
    """
    return _made(over, dtype, comm, layout)[0]


def zeros(
    over: Over, dtype: npt.DTypeLike = None, *, comm: Processes | None = None, layout: LayoutLike = "C"
) -> Array:  # fmt: skip
    """An array of zeros. Local over a Distribution, otherwise Collective over the processes. As :func:`empty`.

    Examples
    --------
    >>> a = dri.zeros((1000, 1000))
    """
    made, is_zero = _made(over, dtype, comm, layout)
    if made.here and not is_zero:
        made.local[...] = np.zeros((), made.dtype)
    return made


def ones(
    over: Over, dtype: npt.DTypeLike = None, *, comm: Processes | None = None, layout: LayoutLike = "C"
) -> Array:  # fmt: skip
    """An array of ones. Local over a Distribution, otherwise Collective over the processes. As :func:`empty`."""
    return full(over, 1, dtype, comm=comm, layout=layout)


def full(
    over: Over, value: Any, dtype: npt.DTypeLike = None, *, comm: Processes | None = None, layout: LayoutLike = "C"
) -> Array:  # fmt: skip
    """An array of equal elements. Local over a Distribution, otherwise Collective over the processes. As :func:`empty`.

    Parameters
    ----------
    value
        The element. Its dtype is that of the array where no other is given.
    """
    kind = np.asarray(value).dtype if dtype is None and not isinstance(over, Distribution) else dtype
    if kind == np.int64 and dtype is None and isinstance(value, int) and value == 1:
        kind = np.float64  # ones
    made = empty(over, kind, comm=comm, layout=layout)
    if made.here:
        made.local[...] = value
    return made


def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: npt.DTypeLike = None, *, comm: Processes | None = None
) -> Array:  # fmt: skip
    """Evenly spaced numbers, as numpy's arange. Collective over the processes.

    A Distribution or a Domain of one dimension instead of the numbers gives the indices of its elements. That is Local
    over a Distribution, and fills its overlap as ``update_overlap`` does. A Domain's halos are 0 until an update.

    Raises
    ------
    ArgumentError
        The Distribution or Domain has not one dimension, or a stop, a step or processes are given beside it; or the step
        is 0, or the numbers are not finite.
    TypeError
        What is given is no real number.
    """
    if isinstance(start, (Distribution, Domain)):
        return _indices_of(start, stop, step, dtype, comm)
    first, end = (0, start) if stop is None else (start, stop)
    size = _steps(first, end, step)
    kind = np.result_type(first, end, step) if dtype is None else dtype
    made = empty((size,), kind, comm=comm)
    if made.here:
        (mine,) = made.distribution.ogrid()
        made.local[...] = first + mine * step
    return made


def _steps(first: Any, end: Any, step: Any) -> int:
    if step == 0:
        raise ArgumentError("arange takes a step other than 0")
    try:
        steps = np.ceil((end - first) / step)
    except TypeError:
        given = f"{first!r:.60}, {end!r:.60} and {step!r:.60}"
        raise TypeError(f"arange takes real numbers, a Distribution or a Domain, not {given}") from None
    if not np.isfinite(steps):
        raise ArgumentError(f"arange from {first!r} to {end!r} by {step!r} has no finite number of elements")
    return max(0, int(steps))


def _indices_of(over: Distribution | Domain, stop: Any, step: Any, dtype: npt.DTypeLike, comm: Processes | None) -> Array:
    kind = type(over).__name__
    if len(over.shape) != 1:
        raise ArgumentError(f"arange takes a {kind} of 1 dimension, not of {len(over.shape)}")
    if stop is not None:
        raise ArgumentError(f"arange takes no stop beside a {kind}, but stop is {stop!r:.60}")
    if step != 1:
        raise ArgumentError(f"arange takes no step beside a {kind}, but step is {step!r:.60}")
    _refuse_comm("arange", over, comm)
    if isinstance(over, Domain):
        return fromfunction(lambda at: at, over, dtype)
    made = empty(over, dtype)
    if made.here:
        made.local[...] = np.maximum(over.indices(0), 0)  # -1 in a pad of zeros
    return made


def fromfunction(
    function: Callable[..., Any], over: Over, dtype: npt.DTypeLike = None, *, comm: Processes | None = None
) -> Array:  # fmt: skip
    """An array of values of a function of the indices. Local over a Distribution, otherwise Collective over the processes.

    Parameters
    ----------
    function
        Called once on each process, with an array of indices per dimension: those of its elements. They are an open mesh,
        as of ``np.ogrid``; of an array over a domain they are members of its ranges.

    Examples
    --------
    >>> distance = dri.fromfunction(np.hypot, (1000, 1000))
    """
    made = empty(over, dtype, comm=comm)
    if made.here:
        whole = made.members()
        for places, memory in made[...].pieces():
            indices = [np.asarray(one.start + at * one.step) for at, one in zip(places, whole)]
            memory[...] = function(*indices)
    return made


@deferred
def array(x: Any, dtype: npt.DTypeLike | Distribution | Domain = None, *, comm: Processes | None = None) -> Array:
    """A new array with the elements of an array, a slice, an expression, or an array of numpy's. Collective.

    Collective over the group of ``x`` and that of the result. An array of numpy's is equal on all processes; the result
    is over comm then.

    Parameters
    ----------
    x
        What is copied. The result is distributed as the array; that of a slice, and of numpy's, as one of a shape.
    dtype
        Of the result; None is that of ``x``. A Distribution or a Domain instead says where the result lies. A
        Distribution has its own dtype.

    Raises
    ------
    ArgumentError
        The Distribution or Domain has another shape, or processes are given beside it.
    """
    if isinstance(dtype, (Distribution, Domain)):
        return _array_over(x, dtype, comm)
    if not isinstance(x, Array):
        given = np.asarray(x)
        made = empty(given.shape, given.dtype if dtype is None else dtype, comm=comm)
        made[...] = given
        return made
    from .lazy import Lazy, converted
    from .statements import result_of

    if dtype is not None and dtype_of(dtype) != x.dtype:
        return result_of(converted(x, dtype))
    if isinstance(x, Lazy):
        return result_of(x)
    made = result_like(x, [x])
    made[...] = x
    return made


def _refuse_comm(who: str, over: Distribution | Domain, comm: Processes | None) -> None:
    if comm is not None:
        raise ArgumentError(f"{who} takes no comm beside a {type(over).__name__}, which has its own processes")


def _array_over(x: Any, over: Distribution | Domain, comm: Processes | None) -> Array:
    kind = type(over).__name__
    _refuse_comm("array", over, comm)
    value: Any = x if isinstance(x, Array) else np.asarray(x)
    if value.shape != over.shape:
        raise ArgumentError(f"x has the shape {value.shape}, but the {kind} {over.shape}")
    if isinstance(value, Array):
        from .lazy import Lazy, converted

        if isinstance(over, Distribution) and over.dtype != value.dtype:
            value = converted(value, over.dtype)
        if isinstance(value, Lazy) and value.group != over.group:
            value = array(value)
    made = empty(over, None if isinstance(over, Distribution) else value.dtype)
    made[...] = value
    return made


def result_like(value: Any, arrays: Sequence[Array]) -> Array:
    """An array for the elements of an expression, at the places of the first array of its shape. Collective."""
    for one in arrays:
        if getattr(one, "base", one) is not one or one.shape != value.shape:
            continue
        if one._domain is not None:
            return Array(one._domain.clone(), dtype=value.dtype)
        return _zeros_on(_variant(one.distribution, value.dtype))
    return _of_shape(value.shape, value.dtype, value.group)


def default_distribution(shape: Tuple[int, ...], dtype: Dtype, group: Group) -> Distribution:
    """The distribution of arrays of a shape. Collective over the group; the last ones are kept."""
    key = (shape, dtype, group.ranks, _dri.starts())
    found = _defaults.get(key)
    if found is None:
        rules = tuple(block(remainder="balanced_last") if dim == 0 else None for dim in range(len(shape)))
        return _kept(_defaults, key, lambda: Distribution(shape, dtype, rules, group))
    if any(type(size) is not int for size in shape):
        sizes_of(shape)  # True and 2.0 find what 1 and 2 have kept, but are no sizes
    _defaults.move_to_end(key)
    return found


@deferred
def _kept(kept: Any, key: Any, make: Callable[[], Distribution]) -> Distribution:
    """Make and keep it, also if Ctrl-C comes meanwhile: the others have it then, and do not make it again. Collective."""
    made = kept[key] = make()
    if len(kept) > _KEPT:
        kept.popitem(last=False)
    return made


def adopted(made: _dri.Array, dist: Distribution) -> Array:
    """An array of the C interface, in memory of the library, over the distribution that it has. Local."""
    array = array_on(dist, None)
    array._made, array._start, array._seconds = made, _dri.starts(), seconds_of(None)
    made.set_attribute(TIMEOUT_MS, slice_ms(array._seconds))
    if dist.here:
        shape = dist.local_shape
        array._local = made.memory(math.prod(shape), dist.dtype, made.keep()).reshape(shape)
    return array


def _variant(dist: Distribution, dtype: Dtype) -> Distribution:
    """The same parts without overlap, and with another dtype. Collective over the group, the first time."""
    if dist.dtype == dtype and not any(rule.overlap for rule in dist.partition):
        return dist
    kept: OrderedDict[Dtype, Distribution] = dist.__dict__.setdefault("_variants", OrderedDict())
    found = kept.get(dtype)
    if found is not None:
        return found
    plain = [replace(rule, overlap=None, edge=None) for rule in dist.partition]
    rules = Exact(plain) if isinstance(dist.partition, Exact) else tuple(plain)
    return _kept(kept, dtype, lambda: dist.like(partition=rules, dtype=dtype, overlap=None, edge=None))


def _made(over: Over, dtype: npt.DTypeLike, comm: Processes | None, layout: LayoutLike) -> tuple[Array, bool]:
    """The array, and whether its elements are zeros."""
    if isinstance(over, (Distribution, Domain)):
        _refuse_comm("an array", over, comm)
    if isinstance(over, Distribution):
        if dtype is not None and dtype_of(dtype) != over.dtype:
            raise DtypeError(f"the dtype is {dtype_of(dtype)}, but the distribution has {over.dtype}")
        return Array(over, layout=layout), False
    kind = dtype_of(np.float64 if dtype is None else dtype)
    if isinstance(over, Domain):
        return Array(over, dtype=kind, layout=layout), True
    group = env.group_of(comm)
    given: Any = over
    sizes = given.tolist() if isinstance(given, np.ndarray) else given
    shape = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    lies = array_layout(layout, len(shape))
    return _of_shape(shape, kind, group, lies), lies.is_default


@deferred
def _of_shape(shape: Tuple[int, ...], dtype: Dtype, group: Group, layout: Layout = Layout()) -> Array:
    dist = default_distribution(shape, dtype, group)
    return _zeros_on(dist) if layout.is_default else Array(dist, layout=layout)


def _zeros_on(dist: Distribution) -> Array:
    """Zeros, in memory of the library with space for halos. Collective over the group."""
    if not dist.here or not dist.ndim:
        made = Array(dist)
        if made.here:
            made.local[...] = np.zeros((), dist.dtype)
        return made
    handle = _dri.make_array(domain_of(dist).handle(), element_of(dist.dtype), 0, slice_ms(seconds_of(None)))
    return adopted(handle, dist)
