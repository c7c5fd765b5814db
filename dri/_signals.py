"""Ctrl-C in set-up: it is raised behind the call, because the others would wait for a process that leaves half-way.

The second one is raised at once where the call waits for data, and behind the step that makes an array or a plan, which
has the set-up deadline. The others then wait for a process that has left.
"""

from __future__ import annotations

import signal
import threading
from functools import wraps
from types import FrameType, TracebackType
from typing import Any, Callable, TypeVar, cast

Call = TypeVar("Call", bound=Callable[..., Any])


class Deferred:
    """A context in which Ctrl-C is only noted. ``raise_noted`` raises it afterwards.

    The second Ctrl-C inside is raised at once. In a context inside another one, the outer one notes.
    """

    __slots__ = ("_before", "_noted")

    def __init__(self) -> None:
        self._before: Any = None
        self._noted = False

    def raise_noted(self) -> None:
        """Raise Ctrl-C if it came inside. Local."""
        if self._noted:
            self._noted = False
            if callable(self._before):
                self._before(signal.SIGINT, None)

    def __enter__(self) -> Deferred:
        # Only Python's main thread hears signals. A handler that is none of Python's stays, and that of an outer context.
        self._before = None
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler) and not isinstance(getattr(handler, "__self__", None), Deferred):
                self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if kind is not None:
            self.raise_noted()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._noted:
            self._noted = False
            self._before(number, frame)
        else:
            self._noted = True


def deferred(call: Call) -> Call:
    """A call of several steps in which others take part: Ctrl-C is raised behind the last of them, a second one at once.

    Local.
    """

    @wraps(call)
    def made(*arguments: Any, **named: Any) -> Any:
        with Deferred() as ctrl_c:
            result = call(*arguments, **named)
        ctrl_c.raise_noted()
        return result

    return cast(Call, made)
