"""The phase history: what the radar has measured from where; the Gotcha files or a simulated scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Tuple

import numpy as np
import numpy.typing as npt
import scipy.io

Reals = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex64]

SPEED_OF_LIGHT = 299792458.0  # m/s


class Grid(NamedTuple):
    """Evenly spaced values: first, first + step, ..."""

    first: float
    step: float
    length: int

    @property
    def values(self) -> Reals:
        return self.first + self.step * np.arange(self.length)

    @property
    def last(self) -> float:
        return self.first + self.step * (self.length - 1)

    def index_of(self, values: Reals) -> Reals:
        return (values - self.first) / self.step


class Collection(NamedTuple):
    """All but the samples. It is small, and every process has it."""

    frequency: Grid
    """Hz."""
    antenna: Reals
    """Of each pulse x, y, z in metres from the scene's centre; z is upward."""


def wavenumber(frequency: Any) -> Any:
    """Of the two-way path, rad/m."""
    return 4 * np.pi * frequency / SPEED_OF_LIGHT


def read(folder: Path) -> Tuple[Collection, Complex]:
    """The files data_*.mat of a folder, pulses in the order of their azimuth.

    Raises ValueError, which names the file.
    """
    files = sorted(folder.glob("data_*.mat"))
    if not files:
        raise ValueError(f"{folder}: no files data_*.mat in this folder")
    found = [_read_file(file) for file in files]
    for file, (frequencies, _, _) in zip(files, found):
        if frequencies.shape != found[0][0].shape or not np.allclose(frequencies, found[0][0]):
            raise ValueError(f"{file}: data.freq: frequencies differ from those of the files before")
    frequencies, antenna, samples = found[0][0], np.concatenate([f[1] for f in found]), np.concatenate([f[2] for f in found])
    step = (frequencies[-1] - frequencies[0]) / (len(frequencies) - 1)
    # Azimuth is measured from the middle pulse, so the aperture may cross 360 degrees.
    x, y = antenna[len(antenna) // 2, :2]
    azimuth = np.arctan2(x * antenna[:, 1] - y * antenna[:, 0], x * antenna[:, 0] + y * antenna[:, 1])
    order = np.argsort(azimuth, kind="stable")
    return Collection(Grid(float(frequencies[0]), float(step), len(frequencies)), antenna[order]), samples[order]


def _read_file(file: Path) -> Tuple[Reals, Reals, Complex]:
    try:
        data = scipy.io.loadmat(file, squeeze_me=True, struct_as_record=False)["data"]
        frequencies, antenna = np.asarray(data.freq, float), np.stack([data.x, data.y, data.z], axis=1).astype(float)
        samples = np.ascontiguousarray(data.fp.T, "complex64")
    except Exception as fault:  # whatever scipy.io meets in a file of another kind, or in one that is cut off
        raise ValueError(f"{file}: cannot be read as phase history: {fault}") from fault
    if samples.shape != (len(antenna), len(frequencies)):
        raise ValueError(f"{file}: data.fp: {samples.shape} samples of {len(antenna)} pulses, {len(frequencies)} frequencies")
    if not all(np.isfinite(one).all() for one in (frequencies, antenna, samples)):
        raise ValueError(f"{file}: not all of data is finite")
    return frequencies, antenna, samples


TARGETS = [  # x, y in metres, amplitude
    (0.0, 0.0, 0.50), (-15.6, 21.6, 1.00), (-27.83, 38.77, 0.71), (44.31, 44.12, 0.63), (45.05, -44.47, 0.56),
    (-45.22, -45.38, 0.45), (-44.61, 7.93, 0.35), (12.47, -31.09, 0.80), (15.52, -31.09, 0.40), (31.26, 12.71, 0.32),
]  # fmt: skip


def simulate() -> Tuple[Collection, Complex]:
    """Ten points on the ground, seen as in the Gotcha files."""
    collection = Collection(Grid(9.288080384e9, 1.4713016e6, 424), np.empty((469, 3)))
    azimuth = np.radians(4) * np.arange(469) / 468
    collection.antenna[...] = np.stack([7089 * np.cos(azimuth), 7089 * np.sin(azimuth), np.full(469, 7276.0)], axis=1)
    samples = np.zeros((469, 424), complex)
    for x, y, amplitude in TARGETS:
        away = np.linalg.norm(collection.antenna - [x, y, 0], axis=1) - np.linalg.norm(collection.antenna, axis=1)
        samples += amplitude * np.exp(-1j * np.multiply.outer(away, wavenumber(collection.frequency.values)))
    return collection, samples.astype("complex64")
