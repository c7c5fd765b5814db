"""A line on the terminal that tells how far a loop of frames is."""

from __future__ import annotations

import sys
import time

from . import _dri

_BETWEEN = 0.1  # seconds from one text to the next


class ProgressLine:
    """The line of one loop. Only the process with rank 0 writes it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._is_shown = _dri.world_rank() == 0
        self._start = self._last = time.monotonic()
        self._frames = 0

    def count(self) -> None:
        """Another frame is there. Local."""
        self._frames += 1
        now = time.monotonic()
        if self._is_shown and now - self._last >= _BETWEEN:
            self._last = now
            self._write("")

    def end(self) -> None:
        """The loop is left. Local."""
        if self._is_shown:
            self._write("\n")

    def _write(self, end: str) -> None:
        rate = self._frames / max(time.monotonic() - self._start, 1e-9)
        sys.stderr.write(f"\r{self._name}: {self._frames} frames, {rate:.1f} in a second{end}")
        sys.stderr.flush()
