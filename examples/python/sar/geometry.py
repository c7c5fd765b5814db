"""The frame of the polar format, its grids, and the displacement by curved wavefronts."""

from __future__ import annotations

import math
from typing import NamedTuple, Tuple

import numpy as np

from .history import SPEED_OF_LIGHT, Collection, Grid, Reals, wavenumber

TAPS = 24
"""Of the interpolator."""
COLUMN_OVERSAMPLING = 1.6
"""Samples per Nyquist sample of the columns. The part above 1 is the margin that the interpolator needs."""


class Geometry(NamedTuple):
    """The range axis lies along the scene axis nearest to the line of sight; the cross-range axis is the other one."""

    range_is_x: bool
    range_sign: float
    """The range axis points to the radar: along its scene axis, or against it."""
    cosine: Reals
    """Of each pulse, the part along range of the unit vector to the antenna."""
    slope: Reals
    """Of each pulse, the part across over the part along range."""
    wavenumber: Grid
    """rad/m along range, for all pulses."""
    column: Grid
    """Metres across, where the azimuth transform is evaluated."""
    centre_across: float
    """rad/m."""
    pulse_band: float
    """The fraction of a pulse's unambiguous range that the picture needs."""
    samples: int
    """On the grid of wavenumbers, all pulses."""


def make_geometry(collection: Collection, extent: float) -> Geometry:
    """For a picture from -extent to extent in x and y. Raises ValueError if the data do not allow it."""
    x, y = collection.antenna[:, 0], collection.antenna[:, 1]
    ground = np.hypot(x, y)
    towards = (x / ground).sum(), (y / ground).sum()
    range_is_x = bool(abs(towards[0]) >= abs(towards[1]))
    sign = math.copysign(1, towards[0] if range_is_x else towards[1])
    along, across = (sign * x, y) if range_is_x else (sign * y, x)
    cosine, slope = along / np.linalg.norm(collection.antenna, axis=1), across / along
    if not ((along > 0) & (abs(slope) <= 3)).all():
        raise ValueError("the aperture is too wide for one polar format picture")
    if slope.min() == slope.max():
        raise ValueError("all pulses come from one direction")

    frequency = collection.frequency
    ends = np.array([wavenumber(frequency.first), wavenumber(frequency.last)])
    pulse_band = float((cosine * (1 + abs(slope))).max()) * extent / (SPEED_OF_LIGHT / (4 * frequency.step))
    if pulse_band >= 1:
        raise ValueError(f"without ambiguity the data show less than {extent / pulse_band} m to each side of the centre")
    k = np.multiply.outer(ends, cosine)
    step = float(wavenumber(frequency.step) * cosine.min())
    wavenumbers = Grid(float(k.min()), step, 1 + int((k.max() - k.min()) / step))

    # A margin at both sides for the interpolator, and for the displacement by curved wavefronts.
    k_across = k * slope
    column_step = float(2 * np.pi / (COLUMN_OVERSAMPLING * (k_across.max() - k_across.min())))
    half = math.ceil((1.02 * extent + column_step * TAPS / 2) / column_step)
    columns = Grid(-half * column_step, column_step, 2 * half + 1)
    samples = int(sum((k[1] - k[0]) // step + 1))
    centre = float(k_across.max() + k_across.min()) / 2
    return Geometry(range_is_x, sign, cosine, slope, wavenumbers, columns, centre, pulse_band, samples)


class Wavefronts:
    """Where the polar format shows a point, since it takes curved wavefronts for flat ones."""

    def __init__(self, collection: Collection, geometry: Geometry) -> None:
        # The range to a point varies smoothly over the aperture, so a few pulses give the same line as all.
        last = len(collection.antenna) - 1
        count = min(8, last + 1)
        some = np.arange(count) * last // (count - 1)
        self._antenna, self._cosine = collection.antenna[some], geometry.cosine[some]
        self._distance = np.linalg.norm(self._antenna, axis=1)
        self._mean_slope = float(geometry.slope[some].mean())
        slope = geometry.slope[some] - self._mean_slope
        self._weight = slope / (slope**2).sum()
        self._geometry = geometry

    def shown_at(self, along: Reals, across: Reals) -> Tuple[Reals, Reals]:
        """Range and cross-range at which points of the ground appear, in metres."""
        along = self._geometry.range_sign * along
        x, y = (along, across) if self._geometry.range_is_x else (across, along)
        mean, cross = np.zeros(np.broadcast(x, y).shape), np.zeros(np.broadcast(x, y).shape)
        for (ax, ay, az), distance, cosine, weight in zip(self._antenna, self._distance, self._cosine, self._weight):
            # Flat wavefronts have the offset range + slope * cross-range at every pulse: fit that line.
            offset = (distance - np.sqrt((ax - x) ** 2 + (ay - y) ** 2 + az**2)) / cosine
            mean += offset / len(self._weight)
            cross += weight * offset
        return mean - self._mean_slope * cross, cross

    def shown_range(self, along: Reals, shown_across: Reals) -> Reals:
        """The range at which the column ``shown_across`` shows what lies at the true range ``along``."""
        # Each step leaves about a hundredth of the error: the displacement changes by about 0.01 m per metre.
        across = shown_across
        shown = self.shown_at(along, across)
        for _ in range(2):
            across = across + shown_across - shown[1]
            shown = self.shown_at(along, across)
        return shown[0]
