"""A simulated radar for range_doppler.py: pulses of some echoes, and what is reported of each dwell."""

from __future__ import annotations

from typing import Iterator

import numpy as np
import numpy.typing as npt

PULSES, SAMPLES, DWELLS = 256, 4096, 4
TARGETS = ((700, 20, 1.0), (2500, 200, 0.7))  # range gate, Doppler line, amplitude

THRESHOLD = 1e15  # between the echoes and their side lobes elsewhere

_time = np.arange(128) / 128
chirp = np.exp(1j * np.pi * 64 * (_time - 0.5) ** 2).astype("complex64")


def dwells(slices: tuple[slice, ...]) -> Iterator[tuple[str, npt.NDArray[np.void]]]:
    """Each dwell's name, and the pulses of these slices as pairs of 16-bit integers."""
    pulses = np.arange(PULSES)[slices[0], None]
    for number in range(DWELLS):
        echo = np.zeros((len(pulses), SAMPLES), "complex64")
        for gate, line, amplitude in TARGETS:
            phase = np.exp(2j * np.pi * line * pulses / PULSES)
            echo[:, gate + number : gate + number + len(chirp)] += 2000 * amplitude * phase * chirp
        raw = np.zeros(echo.shape, [("real", "i2"), ("imag", "i2")])
        raw["real"], raw["imag"] = echo.real.round(), echo.imag.round()
        yield f"dwell {number}", raw[:, slices[1]]


def report(number: int, name: bytes, power: npt.NDArray[np.float32], owned: tuple[slice, ...]) -> None:
    """Check and print the strongest echo of a dwell among the range gates that this process owns."""
    mine = power[owned]
    if not mine.size or mine.max() < THRESHOLD:
        return
    line, gate = (int(one) for one in np.unravel_index(mine.argmax(), mine.shape))
    assert line in [target[1] for target in TARGETS], f"{name!r}: an echo in Doppler line {line}"
    print(f"{name.decode()} (frame {number}): an echo in Doppler line {line}, gate {gate} of this process", flush=True)
