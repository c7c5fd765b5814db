"""What a function of a graph is given with its arrays."""

from __future__ import annotations

from typing import Protocol


class Call(Protocol):
    """What a function of a graph learns about its frame. It is valid inside the function alone."""

    time: float
    """When the frame started, in seconds since 1970. A function without inputs may set it; 0 is the clock's time."""
    time_ns: int
    """The same in nanoseconds."""
    data: bytes
    """At most 256 bytes that travel with the frame. A function without inputs may set them, if the plan streams."""
    text: str
    """The data as a string, in UTF-8."""

    @property
    def frame(self) -> int:
        """The number of the frame on this process, from 0. Local."""

    def end(self) -> None:
        """In a function without inputs: there is no such frame, nor a later one. Local."""
