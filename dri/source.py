"""The source of a transfer on this process."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from . import _dri
from .endpoint import Array, Endpoint
from .ends import Source

if TYPE_CHECKING:
    import numpy.typing as npt


class SourceEnd(Endpoint):
    """Where this process's data leave. A transfer has it as ``source``."""

    _short: list[Array]
    _n_strips: int = 1
    _has_ended: bool = False

    @property
    def array(self) -> Array:
        """The buffer to fill now, the oldest that the caller holds. Local.

        Raises
        ------
        StateError
            The caller holds no buffer.
        """
        return self._of_strip(self._open().current())

    def acquire(self) -> Array:
        """Wait for the next buffer that may be filled. Collective over the ends involved."""
        return self._of_strip(_dri.acquire(self._open()))

    def try_acquire(self) -> Array | None:
        """The next buffer, or None while it is not free. Local."""
        found = _dri.try_acquire(self._open())
        return None if found is None else self._of_strip(found)

    def insert(self, data: bytes | str = b"", time_ns: int = 0) -> None:
        """Hand over the frame in the oldest buffer that the caller holds. Local.

        Parameters
        ----------
        data
            At most 256 bytes of the user that travel with the frame of a stream; text is encoded.
        time_ns
            Nanoseconds since 1970; 0 is the clock's time.
        """
        is_stream = cast(Source, self._spec).stream
        _dri.insert(self._open(), _bytes_of(data), time_ns, is_stream or bool(data) or bool(time_ns))

    def frame(self, data: bytes | str = b"", time_ns: int = 0) -> Filling:
        """A context with the buffer to fill, which is inserted at its end unless an exception leaves it. Local.

        It is the buffer that is held, else the next one is waited for.

        Examples
        --------
        >>> with turn.source.frame() as x:
        ...     x[...] = 1
        """
        return Filling(self, data, time_ns)

    def put(self, x: npt.ArrayLike, data: bytes | str = b"", time_ns: int = 0) -> None:
        """Copy x into the next buffer and hand it over. Collective over the ends involved."""
        with self.frame(data, time_ns) as buffer:
            buffer[...] = x

    def end(self) -> None:
        """End the stream after the frames that are inserted. Local."""
        _dri.close_stream(self._open())
        self._has_ended = True

    def end_stream(self) -> None:
        """End the stream if there is one that goes on. Local."""
        if self._end is not None and cast(Source, self._spec).stream and not self._has_ended:
            self.end()

    def hold(self) -> Array:
        """The buffer that is held, else the next one. Collective over the ends involved."""
        return self._of_strip(_dri.hold(self._open()))

    def attach(self, end: _dri.End, arrays: list[Any]) -> None:
        """The commit has succeeded: make the views, also those of a shorter last strip. Local."""
        super().attach(end, arrays)
        self._short = []
        if self._spec.strips is None:
            return
        self._n_strips = _dri.strips(end)[0]
        dtype, shape, strides = self._shape(_dri.strip(end, self._n_strips - 1))
        self._short = [_dri.view(at, dtype, shape, strides, view) for at, view in zip(end.addresses(), self._views)]

    def _of_strip(self, view: Array) -> Array:
        if not self._short or _dri.strips(self._open())[1] != self._n_strips - 1:
            return view
        return next(short for short, whole in zip(self._short, self._views) if whole is view)


class Filling:
    """The context of :meth:`SourceEnd.frame`."""

    __slots__ = ("_source", "_data", "_time_ns")

    def __init__(self, source: SourceEnd, data: bytes | str, time_ns: int) -> None:
        self._source = source
        self._data = _bytes_of(data)
        self._time_ns = time_ns

    def __enter__(self) -> Array:
        return self._source.hold()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._source.insert(self._data, self._time_ns)


def _bytes_of(data: bytes | str) -> bytes:
    return data.encode() if isinstance(data, str) else bytes(data)
