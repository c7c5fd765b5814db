"""Sources and sinks as values: what a process gives to a transfer, or takes from it."""

from __future__ import annotations

import math
import operator
import os
from typing import Any, Dict, List, Sequence, SupportsIndex, Union

from . import _attributes, _dri
from .distribution import Distribution
from .errors import ArgumentError
from .layout import Layout, LayoutLike, layout_of

# A number, or arrays and None where the library provides the buffer.
Buffers = Union[int, Sequence[Any]]

_WAYS = {"self": 1, "message": 2, "direct": 4}
_PLANS = ("estimate", "measure")
_ON_FULL = ("hold", "drop")


class EndSpec:
    """What sources and sinks have in common. Local."""

    role = 0

    def __init__(
        self, dist: Distribution, layout: LayoutLike, buffers: Buffers, slides: Sequence[int], strips: int | None,
        attributes: Dict[str, Any],
    ) -> None:  # fmt: skip
        if not isinstance(dist, Distribution):
            raise TypeError(f"an end has a dri.Distribution, not {type(dist).__name__}")
        self.dist = dist
        self.layout: Layout = layout_of(layout)
        self.buffers: List[Any] = buffer_list(buffers)
        self.slides = tuple(_dimension(dim, dist) for dim in slides)
        self.strips = None if strips is None else _dimension(strips, dist)
        self.timeout = seconds_of(attributes.pop("timeout", None))
        self.settings = dict(_setting(*item) for item in attributes.items() if item[1] is not None)
        if self.slides:
            self.settings[_attributes.REBASE] = sum(1 << dim for dim in set(self.slides))

    def _key(self) -> tuple[Any, ...]:
        arrays = tuple(id(one) if one is not None else None for one in self.buffers)
        return (self.role, self.dist, self.layout, arrays, self.strips, self.timeout, tuple(sorted(self.settings.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EndSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.dist!r}>"


class Source(EndSpec):
    """Where the data of a transfer leave: a value. Local.

    Parameters
    ----------
    dist
        What each process holds.
    layout
        How its part lies in a buffer: ``"C"``, ``"F"``, an order, or a Layout. Arrays in ``buffers`` have their own.
    buffers
        A number of buffers, or a list of the user's arrays, with None where the library provides the buffer.
    stream
        Frames carry a number, a time and bytes of the user, and the stream has an end.
    slides
        Dimensions along which ``rebase`` moves the window.
    strips
        Frames are strips along this dimension; ``dist`` is then of the first strip, a subset of the whole array.
    **attr
        ``threads``, ``share_bytes``, ``ways``, ``message_bytes``, ``plan``, ``workspace_limit`` (bytes), ``timeout``
        (seconds), ``progress_thread``.

    Raises
    ------
    ArgumentError
        A setting is unknown or out of range.

    Examples
    --------
    >>> dri.Source(rows, buffers=2, stream=True)
    """

    role = 1

    def __init__(
        self, dist: Distribution, *, layout: LayoutLike = "C", buffers: Buffers = 1, stream: bool = False,
        slides: Sequence[int] = (), strips: int | None = None, **attr: Any,
    ) -> None:  # fmt: skip
        super().__init__(dist, layout, buffers, slides, strips, attr)
        self.stream = bool(stream)
        if self.stream:
            self.settings[_attributes.STREAM] = 1


class Sink(EndSpec):
    """Where the data of a transfer arrive: a value. Local.

    Parameters
    ----------
    dist, layout, buffers, slides, strips, **attr
        As for Source. ``every`` and ``phase`` take only the frames f with f % every == phase.
    convert
        The dtype may differ from the source's; numbers become the nearest ones.
    scale
        Numbers are multiplied by it on their way.
    on_full
        What happens to a frame for which there is no buffer: ``"hold"`` lets the source wait, ``"drop"`` drops it.

    Raises
    ------
    ArgumentError
        A setting is unknown or out of range.

    Examples
    --------
    >>> dri.Sink(columns, layout="F")
    """

    role = 2

    def __init__(
        self, dist: Distribution, *, layout: LayoutLike = "C", buffers: Buffers = 1, convert: bool = False,
        scale: float = 1.0, on_full: str = "hold", slides: Sequence[int] = (), strips: int | None = None, **attr: Any,
    ) -> None:  # fmt: skip
        super().__init__(dist, layout, buffers, slides, strips, {**attr, "on_full": on_full, "convert": convert})
        self.scale = scale_of(scale)

    def _key(self) -> tuple[Any, ...]:
        return (*super()._key(), self.scale)


def buffer_list(buffers: Buffers) -> list[Any]:
    """The user's buffers, None for each that the library provides. Local."""
    if isinstance(buffers, (list, tuple)):
        if not buffers:
            raise ArgumentError("an end has at least one buffer")
        return list(buffers)
    number = 0 if isinstance(buffers, bool) or not isinstance(buffers, SupportsIndex) else operator.index(buffers)
    if not 1 <= number <= 1 << 20:
        raise ArgumentError(f"buffers is a number from 1 to {1 << 20} or a list of arrays, not {buffers!r}")
    return [None] * number


def scale_of(scale: Any) -> float:
    """The factor of a sink. Local."""
    try:
        return float(scale)
    except (TypeError, ValueError):
        raise ArgumentError(f"scale is a number, not {scale!r}") from None


def seconds_of(timeout: float | None) -> float:
    """How long an end waits; without a limit it is infinite. Local. DRI_TIMEOUT in the environment is the default."""
    if timeout is None:
        timeout = float(os.environ.get("DRI_TIMEOUT") or 0) or math.inf
    if not isinstance(timeout, (int, float)) or not timeout > 0:
        raise ArgumentError(f"timeout is {timeout!r} s; it is positive, or None for no limit")
    return timeout


def slice_ms(seconds: float) -> int:
    """Milliseconds of one slice of a wait: equal slices, none longer than the usual one. Local.

    With DRI_REPORT in the environment slices last until the report, which the library writes once in a call.
    """
    report = float(os.environ.get("DRI_REPORT") or 0)
    longest = max(_dri.usual_slice, report + 1.0) if report else _dri.usual_slice
    if math.isinf(seconds):
        return round(1000 * longest)
    return max(1, round(1000 * seconds / math.ceil(seconds / longest)))


def _dimension(dim: int, dist: Distribution) -> int:
    if not 0 <= dim < dist.ndim:
        raise ArgumentError(f"dimension {dim} of an array of {dist.ndim}")
    return int(dim)


_NAMES = (
    "ways", "message_bytes", "convert", "threads", "share_bytes", "plan", "workspace_limit", "on_full", "progress_thread",
    "every", "phase",
)  # fmt: skip
_NUMBERS: Dict[str, int] = {name: getattr(_attributes, name.upper()) for name in _NAMES}


def _setting(name: str, value: Any) -> tuple[int, int]:
    if name not in _NUMBERS:
        arguments = "layout, buffers, slides and strips"
        settings = ", ".join(sorted([*_NUMBERS, "timeout"]))
        raise ArgumentError(f"{name!r} is no setting of an end; there are {settings}, beside {arguments}")
    if name == "ways":
        given = (value,) if isinstance(value, str) else tuple(value)
        for way in given:
            if way not in _WAYS:
                raise ArgumentError(f"way {way!r} is none of {', '.join(_WAYS)}")
        value = sum(_WAYS[way] for way in set(given))
    elif name in ("plan", "on_full"):
        words = _PLANS if name == "plan" else _ON_FULL
        if value not in words:
            raise ArgumentError(f"{name} {value!r} is none of {', '.join(words)}")
        value = words.index(value)
    if not hasattr(value, "__index__"):
        raise ArgumentError(f"{name} is a whole number, not {value!r}")
    return _NUMBERS[name], int(value)


