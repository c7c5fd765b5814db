"""What measured planning has found, as text to keep between runs. Each process has its own."""

from __future__ import annotations

from . import _dri


def dumps() -> str:
    """All that this process has measured and loaded. Local."""
    return _dri.dump_wisdom()


def loads(text: str) -> None:
    """Add what an earlier run has found. Local. Later commits use it and measure nothing for a known shape.

    Raises
    ------
    ArgumentError
        A line is none that ``dumps`` writes; the message has its number.
    UnsupportedError
        The text is of a version that this library does not read.
    """
    _dri.load_wisdom(text)
