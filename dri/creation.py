"""Arrays that are made: empty, or with equal elements."""

from __future__ import annotations

import numpy as np

from .array import Array
from .distribution import Distribution
from .layout import LayoutLike


def empty(dist: Distribution, *, layout: LayoutLike = "C") -> Array:
    """An array whose contents are arbitrary. Local."""
    return Array(dist, layout=layout)


def zeros(dist: Distribution, *, layout: LayoutLike = "C") -> Array:
    """An array of zeros. Local."""
    made = Array(dist, layout=layout)
    if made.here:
        made.local[...] = np.zeros((), made.dtype)
    return made
