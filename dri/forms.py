"""Forms: what statements need to know of an array, a slice or an expression beside its elements.

Equal forms are one object wherever that is cheap to know, so statements are found again by identity.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, List, Sequence, Tuple, Union

from . import _dri

if TYPE_CHECKING:
    from .array import Array
    from .distribution import Distribution
    from .elements import Dtype
    from .group import Group
    from .ranges import Ranges

Chosen = Tuple[Union[range, int], ...]
MOST = 1024  # forms of slices that one array keeps


class Form:
    """Shape, dtype and group of an array, or of a slice with what it has of each dimension."""

    __slots__ = ("shape", "dtype", "group", "chosen", "members", "is_narrowed", "is_backwards", "indexed", "sections", "token")

    def __init__(
        self, shape: Tuple[int, ...], dtype: Dtype, group: Group, members: Ranges, chosen: Chosen | None = None
    ) -> None:  # fmt: skip
        self.shape, self.dtype, self.group = shape, dtype, group
        self.members = members
        """Ranges of the domain of the array whose memory it is."""
        self.chosen = chosen
        """Of a slice: what it has of each dimension of the array, by places from 0."""
        self.is_narrowed = chosen is not None and not all(isinstance(one, range) for one in chosen)
        self.is_backwards = chosen is not None and any(isinstance(one, range) and one.step < 1 for one in chosen)
        self.indexed = _dri.Indexed()
        """Forms of slices by the index that made them."""
        self.sections: dict[Any, Form] = {}
        self.token = object()
        """The same in the form of an array and in those of its slices. A reference from a slice's form to the array's
        would close a cycle, and the collector does not see ``indexed``."""

    def section(self, chosen: List[range | int], whole: Sequence[range] | None) -> Form:
        """The form of a slice of an array of this form. ``whole``: the ranges of its domain; None: places. Local."""
        key = tuple((one.start, one.stop, one.step) if isinstance(one, range) else one for one in chosen)
        found = self.sections.get(key)
        if found is None:
            places = [one if isinstance(one, range) else range(one, one + 1) for one in chosen]
            members = places if whole is None else [_dri.undensify(one, along) for one, along in zip(places, whole)]
            shape = tuple(len(one) for one in chosen if isinstance(one, range))
            found = Form(shape, self.dtype, self.group, tuple(members), tuple(chosen))
            found.token = self.token
            if len(self.sections) >= MOST:
                self.sections.clear()
            self.sections[key] = found
        return found


class Clock:
    """Counts what the library writes to arrays, so that an expression knows whether it is stale."""

    now = 0
    _lock = threading.Lock()

    def written(self, array: Array) -> None:
        """The library has written to the array, or to a slice of it. Local."""
        with self._lock:  # or it goes back where two threads write
            self.now += 1
            getattr(array, "_base", array).version = self.now


clock = Clock()


def form_of(dist: Distribution) -> Form:
    """The form of arrays over a distribution. Local."""
    found: Form | None = dist.__dict__.get("_form")
    if found is None:
        found = Form(dist.shape, dist.dtype, dist.group, tuple(map(range, dist.shape)))
        dist.__dict__["_form"] = found
    return found
