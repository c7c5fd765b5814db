"""One end of a transfer on this process: declared, committed, closed."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import _attributes, _dri, env
from ._adopt import adopt_strip
from .distribution import Distribution
from .elements import component_of
from .ends import EndSpec, slice_ms
from .errors import ArgumentError, ClosedError, Error, StateError
from .info import PEERS, TIMES, Info, info_of
from .layout import Layout
from .user_buffers import UserBuffers, check_buffers

if TYPE_CHECKING:
    import numpy.typing as npt

Array = np.ndarray[Any, np.dtype[Any]]


class Guard:
    """Lives as long as the transfer or one of its ends, and warns if nobody has closed them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.live: Any = None  # the open ends, after the commit

    def __del__(self) -> None:
        if self.live is not None and self.live.ends and not env.is_child():
            warnings.warn(f"nobody has closed the transfer {self.name!r}", ResourceWarning, stacklevel=2)


def not_committed(name: str) -> StateError:
    """The error of a call that needs the commit of a transfer."""
    return StateError(f"the transfer {name!r} is not committed; dri.commit(transfer) or `with transfer:` does it")


class Endpoint:
    """What the source and the sinks of a transfer have in common."""

    def __init__(self, name: str, spec: EndSpec, guard: Guard) -> None:
        self._name = name
        self._spec = spec
        self._guard = guard
        self._end: _dri.End | None = None
        self._is_closed = False
        self._layout: Layout = spec.layout
        self._views: list[Array] = []

    @property
    def dist(self) -> Distribution:
        """The distribution. Local."""
        return self._spec.dist

    @property
    def array(self) -> Array:
        """Of a source the buffer to fill, of a sink the frame extracted last. Local."""
        return self._open().current()

    @property
    def buffers(self) -> list[Array]:
        """Views of all buffers, in the order of their use. They stay valid for ever. Local."""
        self._open()
        return list(self._views)

    @property
    def info(self) -> Info:
        """What the end has done so far. Local."""
        return info_of(_dri.info(self._open()))

    def peers(self) -> npt.NDArray[Any]:
        """What goes to or comes from each process, per frame. Local.

        A structured array: ``rank``, ``way`` (1 self, 2 message, 4 direct), ``bytes``, ``messages``.
        """
        end = self._open()
        found = np.empty(_dri.peers(end, np.empty(0, PEERS)), PEERS)
        _dri.peers(end, found)
        return found

    def times(self) -> npt.NDArray[Any]:
        """The times of the last 1024 frames at most, oldest first. Local.

        A structured array: ``frame``, ``done`` (seconds of CLOCK_MONOTONIC), ``seconds``, ``wait_seconds``,
        ``copy_seconds``, ``bytes``.
        """
        found = np.empty(1024, TIMES)
        return found[: _dri.times(self._open(), found)]

    def explain(self) -> str:
        """The plan in words: what goes where, by which way, with which kernel. Local."""
        return _dri.explain(self._open())

    def rebase(self, offset: int | tuple[int, ...]) -> None:
        """Move the window in this end's array, for the frames to come. Local.

        Parameters
        ----------
        offset
            Elements per dimension from the window's place at the commit; a number where one dimension slides.
        """
        end, spec = self._open(), self._spec
        if not isinstance(offset, tuple):
            if len(spec.slides) != 1:
                raise ArgumentError(f"{len(spec.slides)} dimensions slide, so the offset is a tuple, not {offset!r}")
            offset = tuple(offset if dim == spec.slides[0] else 0 for dim in range(spec.dist.ndim))
        if len(offset) != spec.dist.ndim:
            raise ArgumentError(f"the offset has {len(offset)} numbers, but the array has {spec.dist.ndim} dimensions")
        end.rebase(offset)

    def strip(self, which: int) -> Distribution:
        """The distribution of a strip; 0 is that of an end without strips. Local."""
        return adopt_strip(self._spec.dist, _dri.strip(self._open(), which))

    def declare(self, in_place: int, shared: UserBuffers | None) -> _dri.End:
        """Declare the end in the library. Local."""
        spec = self._spec
        found = shared or check_buffers(spec.dist, spec.layout, spec.buffers, spec.role == 2)
        self._layout = found.layout
        strips = -1 if spec.strips is None else spec.strips
        handle = spec.dist.handle()
        end = _dri.End(self._name, spec.role, handle, found.layout.encoded(spec.dist.ndim), found.addresses, strips)
        try:
            end.set_timeout(spec.timeout, slice_ms(spec.timeout))
            for number, value in spec.settings.items():
                end.set_attribute(number, value)
            if in_place:
                end.set_attribute(_attributes.IN_PLACE, in_place)
            if any(found.addresses):
                end.set_attribute(_attributes.BUFFER_BYTES, found.bytes)
            scale = getattr(spec, "scale", 1.0)
            if scale != 1.0:
                end.set_scale(scale)
        except BaseException:
            end.destroy()
            raise
        return end

    def attach(self, end: _dri.End, arrays: list[Any]) -> None:
        """The commit has succeeded: make the views. Local."""
        self._views = self._make_views(end, arrays)
        end.set_views(self._views)
        self._end = end

    def detach(self) -> None:
        """The end is destroyed, and its views are the user's alone. Local."""
        if self._end is not None:
            self._end.forget_views()
        self._end, self._views, self._is_closed = None, [], True

    def _open(self) -> _dri.End:
        if self._end is None:
            self._refuse()
        return self._end

    def _refuse(self) -> NoReturn:
        if self._is_closed:
            raise ClosedError(f"the transfer {self._name!r} is closed")
        raise not_committed(self._name)

    def _make_views(self, end: _dri.End, arrays: list[Any]) -> list[Array]:
        addresses = end.addresses()
        kept = end.keep()
        given = arrays if len(arrays) == len(addresses) else [None] * len(addresses)
        n_strips = _dri.strips(end)[0] if self._spec.role == 2 and self._spec.strips is not None else 1
        made: list[Array] = []
        shapes = [self._shape(_dri.strip(end, k) if n_strips > 1 else self._spec.dist.handle()) for k in range(n_strips)]
        for i, (address, array) in enumerate(zip(addresses, given)):
            dtype, shape, strides = shapes[i % n_strips]
            if array is not None and array.shape == shape and _lies_so(array, strides):
                made.append(array)
            else:
                made.append(_dri.view(address, dtype, shape, strides, kept if array is None else array))
        return made

    def _shape(self, dist: _dri.Distribution) -> tuple[np.dtype[Any], tuple[int, ...], tuple[int, ...]]:
        """dtype, extents and strides in bytes of this process's part in a buffer."""
        rank, whole = _dri.world_rank(), self._spec.dist
        layout = self._layout.encoded(whole.ndim)
        extents, steps = dist.extents(rank), _dri.layout_strides(layout, dist, rank)
        if not self._layout.split:
            return whole.dtype, extents, tuple(step * whole.dtype.itemsize for step in steps)
        part = component_of(whole.dtype)
        steps = (_dri.layout_plane(layout, dist, rank), *steps)
        return part, (2, *extents), tuple(step * part.itemsize for step in steps)

    def __reduce__(self) -> NoReturn:
        raise TypeError("an end of a transfer cannot be pickled or copied; send dist.spec and make a transfer of it")


def _lies_so(array: Array, strides: tuple[int, ...]) -> bool:
    """Whether the elements lie with these strides. Those of dimensions with one element are free."""
    return not array.size or all(n == 1 or a == b for n, a, b in zip(array.shape, array.strides, strides))


def destroy(end: _dri.End, waits: bool = True) -> Error | None:
    """Destroy an end, and return why that failed. Local. Waits at most for DRI_SETUP_TIMEOUT, or for nobody."""
    try:
        end.destroy() if waits else end.abandon()
    except Error as error:
        return error
    return None
