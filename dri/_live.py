"""The open ends of transfers: they live until they are closed, or until the library ends."""

from __future__ import annotations

import builtins
import weakref
from typing import List, NamedTuple, Sequence, Tuple

from . import _dri, env
from .endpoint import Endpoint, destroy
from .errors import Error
from .source import SourceEnd


class Live(NamedTuple):
    """An end of the library. It keeps the user's buffers; the Python object of the end may be gone before it."""

    endpoint: weakref.ref[Endpoint]
    end: _dri.End
    is_source: bool


class LiveEnds:
    """The ends of one transfer on this process, after its commit."""

    def __init__(self, pairs: Sequence[Tuple[Endpoint, _dri.End]]) -> None:
        # Sinks first: a source may wait for the sink of its own process.
        made = [Live(weakref.ref(endpoint), end, isinstance(endpoint, SourceEnd)) for endpoint, end in pairs]
        self.ends: List[Live] = sorted(made, key=lambda one: one.is_source)
        self.calls: _dri.Calls | None = None  # until the ends are closed

    def end_streams(self) -> None:
        """End the stream of the source. Local."""
        for one in self.ends:
            endpoint = one.endpoint()
            if isinstance(endpoint, SourceEnd):
                endpoint.end_stream()

    def destroy(self) -> None:
        """Destroy sinks, then sources. Local. What could not be destroyed stays open, and the call may be repeated.

        Raises
        ------
        TimeoutError
            A process has not taken a frame of the source within DRI_SETUP_TIMEOUT.
        """
        self.calls = None
        faults = [fault for fault in map(self._destroy, list(self.ends)) if fault is not None]
        if not self.ends:
            env.dismiss(self)
        if faults:
            raise faults[0]

    def abandon(self) -> None:
        """Destroy sinks, then sources, after a failure: nobody is waited for. Local. Nothing is raised."""
        self.calls = None
        for one in list(self.ends):
            if destroy(one.end, waits=False) is None:  # else another thread is in a call of it
                _detach(one)
                self.ends.remove(one)
        if not self.ends:
            env.dismiss(self)

    def forget(self) -> None:
        """Note that the library has destroyed the ends. Local."""
        for one in self.ends:
            _detach(one)
        self.ends, self.calls = [], None

    def _destroy(self, one: Live) -> Error | None:
        fault = destroy(one.end)
        if isinstance(fault, builtins.TimeoutError):
            return fault  # the end still exists, and others read its memory
        if fault is not None:
            destroy(one.end)  # any other failure is told once
        _detach(one)
        self.ends.remove(one)
        return fault


def _detach(one: Live) -> None:
    endpoint = one.endpoint()
    if endpoint is not None:
        endpoint.detach()
    one.end.forget_views()
