"""What the sonar's programs need beside the pipeline: roles of processes, a simulated sea, beams, and a screen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import dri
from dri.graph import Port

sensors, size, hop, windows, frames = 32, 256, 128, 16, 8
samples = windows * hop  # of a frame, in time
band = slice(40, 72)  # the lines of the narrow band
bearings = np.deg2rad(np.arange(181))
targets = ((60, 0.21, 1.0), (115, 0.37, 0.7))  # degrees, frequency in cycles per sample, amplitude


def roles(world: dri.Group) -> tuple[dri.Group, dri.Group, dri.Group, dri.Group]:
    """Front end, broad band, narrow band and display: what there are of processes, dealt out."""
    n = len(world)
    front, rest = world[: max(1, n // 2)], world[n // 2 :]
    middle = rest[: max(1, len(rest) - 1)]
    return front, middle, middle, world[n - 1 :]


class Cuts:
    """How the arrays of all transfers are cut: what leaves, and what arrives."""

    def __init__(self, world: dri.Group) -> None:
        front, wide, narrow, display = roles(world)
        D, past = dri.Distribution, size - hop
        self.spectra = D((windows, sensors, size), "c8", ("block", None, None), front)
        mine = self.spectra.part().slices[0] if self.spectra.here else slice(0, 0)
        # The windows of a process reach into the samples of the next one.
        needed = dri.exact((mine.start * hop, mine.stop * hop + (past if mine.stop > mine.start else 0)), (0, sensors))
        self.series = D((samples + past, sensors), "c8", ("block", None), front)
        self.heard = D((samples + past, sensors), "c8", needed, front)
        self.all_lines = D((windows, sensors, size), "c8", (None, None, "block"), wide)
        self.some_lines = D((windows, sensors, size), "c8", (None, None, "block"), narrow, subset=np.s_[:, :, band])
        self.bearings = D((len(wide), windows, 181), "f4", ("block", None, None), wide)
        self.sums = D((len(wide), windows, 181), "f4", (None, None, None), display)
        self.lines = D((band.stop - band.start, 181), "f4", ("block", None), narrow)
        self.powers = D((band.stop - band.start, 181), "f4", (None, None), display)


def listen_at(frame: int, out: npt.NDArray[np.complex64], when: slice) -> bool:
    """Fill in the samples of a slice of time: plane waves in noise. False after the last frame."""
    if frame == frames:
        return False
    time = np.arange(when.start, when.stop)[:, None] + frame * samples
    noise = np.random.default_rng((frame, when.start)).standard_normal((2, *out.shape)) / 4
    out[...] = noise[0] + 1j * noise[1]
    for degrees, frequency, amplitude in targets:
        out += amplitude * np.exp(2j * np.pi * frequency * (time - delays(np.deg2rad(degrees))))
    return True


def delays(bearing: float) -> npt.NDArray[np.float64]:
    """Samples by which a wave arrives later at each sensor; they are half a shortest wavelength apart."""
    late: npt.NDArray[np.float64] = np.arange(sensors) * np.cos(bearing)
    return late


def steering(lines: slice) -> npt.NDArray[np.complex64]:
    """The phases that bring the sensors together, for each line and bearing."""
    frequencies = np.arange(lines.start, lines.stop) / size
    late = np.array([delays(one) for one in bearings])  # bearing, sensor
    phases: npt.NDArray[np.complex64] = np.exp(2j * np.pi * frequencies[:, None, None] * late.T).astype("c8")
    return phases


class Beams:
    """The power of each line, window and bearing."""

    def __init__(self, end: Port | dri.SinkEnd | None) -> None:
        mine, first = (end.dist.part().slices[2], end.dist.offset[2]) if end else (slice(0, 0), 0)
        self.phases = steering(slice(first + mine.start, first + mine.stop))

    def __call__(self, x: npt.NDArray[np.complex64]) -> Any:
        found = np.moveaxis(x, 2, 0) @ self.phases
        return found.real**2 + found.imag**2


class Screen:
    """Prints the strongest bearing of each frame, and compares it with the simulated targets."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, int]] = []

    def add(self, frame: int, broad: npt.NDArray[np.float32], narrow: npt.NDArray[np.float32]) -> None:
        strongest = int(broad.sum(axis=0).argmax())
        line = int(narrow.max(axis=1).argmax())
        self.seen.append((strongest, int(narrow[line].argmax()), line + band.start))
        print(f"frame {frame}: strongest at {strongest} degrees; in the band line {line + band.start} at {self.seen[-1][1]}")

    def check(self) -> int:
        """Whether all frames show what was simulated, and how many there were."""
        for strongest, in_band, line in self.seen:
            assert abs(strongest - targets[0][0]) <= 1 and abs(in_band - targets[0][0]) <= 1
            assert abs(line - targets[0][1] * size) <= 1
        return len(self.seen)
