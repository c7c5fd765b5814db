"""What Ctrl-C has taken from its caller: the result of an expression, which all processes have computed.

The others have it and go on. So the expression that is written anew takes it. Another collective call gives it up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple

import numpy as np

from ._signals import when_raised
from .forms import clock

if TYPE_CHECKING:
    from .array import Array


class Result(NamedTuple):
    """An expression, by its form and its arrays, and what it has made."""

    form: Any
    leaves: List[Any]
    made: Array
    now: int  # of the clock


class Interrupted:
    """The last call if Ctrl-C was raised behind it. Local."""

    result: Result | None = None

    def offer(self, form: Any, leaves: List[Any], made: Array) -> None:
        """Keep a result if Ctrl-C is raised behind the call that the thread is in. Local."""
        found = Result(form, leaves, made, clock.now)
        when_raised(lambda: setattr(self, "result", found))

    def take(self, form: Any, leaves: List[Any]) -> Array | None:
        """The result that is kept for an expression; none is kept afterwards. Local."""
        found, self.result = self.result, None
        if found is None or found.form is not form or found.now != clock.now or len(found.leaves) != len(leaves):
            return None
        return found.made if all(map(_is_same, found.leaves, leaves)) else None


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    return getattr(one, "_base", one) is getattr(other, "_base", other) and one.form is other.form


interrupted = Interrupted()
