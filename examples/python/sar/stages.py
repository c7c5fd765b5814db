"""The stages of the polar format. Each works on whole lines: the part that a process has of an array."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.fft
from scipy.special import i0

from .geometry import COLUMN_OVERSAMPLING, TAPS, Geometry, Wavefronts
from .history import Collection, Complex, Grid, Reals, wavenumber

Numbers = npt.NDArray[np.int64]


def interpolate(lines: Complex, positions: Reals, band: float) -> npt.NDArray[np.complex128]:
    """Lines at positions in samples, by a sinc under a Kaiser window. Samples outside count as 0.

    lines: (n, samples); positions: (n, any) or (any,); band: the fraction of the bandwidth that the signal fills.
    """
    positions = np.broadcast_to(positions, (len(lines), positions.shape[-1]))
    half = TAPS // 2
    beta = np.pi * half * (1 - min(band, 0.9))
    first = np.floor(positions).astype(np.int64) - (half - 1)
    phase = positions - np.floor(positions)
    made, weights = np.zeros(positions.shape, complex), np.zeros(positions.shape)
    for tap in range(TAPS):
        away = tap - (half - 1) - phase
        weight = np.sinc(away) * i0(beta * np.sqrt(np.maximum(0, 1 - (away / half) ** 2)))
        inside = (first + tap >= 0) & (first + tap < lines.shape[1])
        taken = np.take_along_axis(lines, np.where(inside, first + tap, 0), axis=1)
        made += np.where(inside, weight, 0) * taken
        weights += weight
    made /= weights
    return made


def resample_range(pulses: Numbers, lines: Complex, collection: Collection, geometry: Geometry) -> Complex:
    """From each pulse's frequencies to the wavenumbers that all pulses share; 0 where it has no data."""
    cosine = geometry.cosine[pulses, None]
    at = collection.frequency.index_of(geometry.wavenumber.values / (wavenumber(1) * cosine))
    measured = (at >= 0) & (at <= collection.frequency.length - 1)
    return np.where(measured, interpolate(lines, at, geometry.pulse_band), 0).astype("complex64")


def transform_azimuth(wavenumbers: Numbers, lines: Complex, geometry: Geometry) -> Complex:
    """From pulses (axis 1) to columns, with the exact wavenumbers across."""
    along = geometry.wavenumber.values[wavenumbers, None]
    across = along * geometry.slope - geometry.centre_across
    term = lines * np.exp(-1j * across * geometry.column.first)
    turn = np.exp(-1j * across * geometry.column.step)
    made = np.empty((len(lines), geometry.column.length), "complex64")
    for column in range(geometry.column.length):  # from one column to the next each term turns by a constant angle
        made[:, column] = term.sum(axis=1)
        term *= turn
    return made


def transform_range(columns: Numbers, lines: Complex, geometry: Geometry, fronts: Wavefronts, pixels: Grid) -> Complex:
    """From wavenumbers (axis 1) to the true ranges of the picture's pixels."""
    count = lines.shape[1]
    length = 2 << (count - 1).bit_length()
    # The band is centred at wavenumber 0, so the profile varies slowly and can be interpolated.
    spread = np.zeros((len(lines), length), "complex64")
    spread[:, : count - count // 2] = lines[:, count // 2 :]
    spread[:, length - count // 2 :] = lines[:, : count // 2]
    profile = scipy.fft.fftshift(scipy.fft.fft(spread, axis=1), axes=1)  # range 0 in the middle
    along = geometry.range_sign * pixels.values
    shown = fronts.shown_range(along[None, :], geometry.column.values[columns, None])
    at = length / 2 + shown * geometry.wavenumber.step * length / (2 * np.pi)
    return (interpolate(profile, at, count / length) / geometry.samples).astype("complex64")


def resample_cross_range(ranges: Numbers, lines: Complex, geometry: Geometry, fronts: Wavefronts, pixels: Grid) -> Complex:
    """From columns (axis 1) to the true cross-range positions of the picture's pixels."""
    along = geometry.range_sign * pixels.values[ranges, None]
    _, shown = fronts.shown_at(along, pixels.values[None, :])
    return interpolate(lines, geometry.column.index_of(shown), 1 / COLUMN_OVERSAMPLING).astype("complex64")
