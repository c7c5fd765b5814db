"""A sink of a transfer on this process, and its frames."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Iterator, overload

import numpy as np

from . import _dri
from ._progress import ProgressLine
from .endpoint import Array, Endpoint
from .errors import ArgumentError, ClosedError, EndOfStream

if TYPE_CHECKING:
    import numpy.typing as npt


class Frame:
    """A frame that a sink has extracted: ``number``, ``time_ns`` and ``data`` (bytes) came with it.

    ``np.asarray(frame)`` is its array.
    """

    __slots__ = ("_sink", "_array", "_count", "number", "time_ns", "data")

    def __init__(self, sink: SinkEnd, array: Array, number: int, time_ns: int, data: bytes, count: int) -> None:
        self._sink = sink
        self._array = array
        self._count = count
        self.number = number
        self.time_ns = time_ns
        self.data = data

    @property
    def held(self) -> bool:
        """Whether the caller holds the frame: its buffer is not released. Local."""
        return self._sink.holds(self._count)

    @property
    def array(self) -> Array:
        """The elements. Local.

        Raises
        ------
        ClosedError
            The frame is released, so the next one may lie there.
        """
        if not self._sink.holds(self._count):
            raise ClosedError(f"frame {self.number} is released")
        return self._array

    def __array__(self, dtype: npt.DTypeLike = None) -> npt.NDArray[Any]:
        return np.asarray(self.array, dtype)

    def __reduce__(self) -> Any:
        raise TypeError("a Frame cannot be pickled or copied; send its array, or dist.spec for a transfer like this one")

    def __repr__(self) -> str:
        return f"<Frame {self.number}: {self._array.dtype} {self._array.shape}{'' if self.held else ', released'}>"


class SinkEnd(Endpoint):
    """Where this process's data arrive. A transfer has it as ``sink``."""

    def extract(self) -> Frame:
        """Wait for the next frame. The caller holds it until it is released. Collective over the ends involved.

        Raises
        ------
        EndOfStream
            The source has ended the stream, and all frames are extracted.
        TimeoutError
            ``timeout`` has passed. The same call may be repeated.
        """
        found = _dri.extract(self._open())
        if found is None:
            raise EndOfStream(f"the source of the transfer {self._name!r} has ended the stream")
        return Frame(self, *found)

    def try_extract(self) -> Frame | None:
        """The next frame if it is here now, else None. Local.

        Raises
        ------
        EndOfStream
            The source has ended the stream, and all frames are extracted.
        """
        found = _dri.try_extract(self._open())
        if found is None:
            raise EndOfStream(f"the source of the transfer {self._name!r} has ended the stream")
        return Frame(self, *found) if isinstance(found, tuple) else None

    def release(self) -> None:
        """Give back the oldest frame that the caller holds. Local."""
        _dri.release(self._open())

    @overload
    def frames(self, hold: int, *, progress: bool = False) -> Iterator[tuple[Frame, ...]]: ...
    @overload
    def frames(self, hold: None = None, *, progress: bool = False) -> Iterator[Frame]: ...
    def frames(self, hold: int | None = None, *, progress: bool = False) -> Iterator[Any]:
        """All frames to come, as the iteration over the sink. Collective over the ends involved.

        Parameters
        ----------
        hold
            Tuples of the last ``hold`` frames instead, the oldest first, from the frame on that makes them complete.
            Leaving the loop releases them. The sink needs ``hold`` buffers.
        progress
            A line on the terminal of the process with rank 0 tells how many frames have come.

        Examples
        --------
        >>> for before, now in turn.sink.frames(hold=2):
        ...     print(now.array - before.array)
        """
        if hold is not None and hold < 1:
            raise ArgumentError(f"hold is {hold}, but must be at least 1")
        held = self._held(1 if hold is None else hold, ProgressLine(self._name) if progress else None)
        return (frames[0] for frames in held) if hold is None else held

    def __iter__(self) -> Iterator[Frame]:
        """All frames to come: releases the last one, extracts the next, and ends with the stream."""
        frame: Frame | None = None
        try:
            while True:
                held, frame = frame is not None and frame.held, None
                found = _dri.next(self._open(), held)
                if found is None:
                    return
                frame = Frame(self, *found)
                yield frame
        finally:
            if frame is not None and frame.held:
                self.release()

    def _held(self, hold: int, line: ProgressLine | None) -> Iterator[tuple[Frame, ...]]:
        held: deque[Frame] = deque()
        try:
            while True:
                releases = len(held) == hold and held.popleft().held
                found = _dri.next(self._open(), releases)
                if found is None:
                    return
                if line is not None:
                    line.count()
                held.append(Frame(self, *found))
                if len(held) == hold:
                    yield tuple(held)
        finally:
            for frame in held:
                if frame.held:
                    self.release()
            if line is not None:
                line.end()

    def holds(self, count: int) -> bool:
        """Whether the caller holds the frame that was the count-th of this sink, from 0. Local."""
        return self._end is not None and self._end.released <= count
