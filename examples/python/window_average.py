"""Noise beside each cell of a radar cube: an average over a window along range, with guard cells.

The cube is [range][beam][pulse], cut along range. Run: mpirun -n 4 python3 window_average.py [RANGES BEAMS PULSES]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import dri

GUARD, REACH = 2, 8


def average(out: Any, p: Any) -> None:
    """The mean of the cells between guard and reach on both sides. p: the cube with its reach."""
    n, total = len(out), 0
    for d in range(GUARD + 1, REACH + 1):
        total = total + p[REACH - d : REACH - d + n] + p[REACH + d : REACH + d + n]
    out[...] = total / (2 * (REACH - GUARD))


def echo(i: Any, j: Any, k: Any) -> Any:
    """The power of a cell: noise that falls with range, and a target in each beam."""
    return (1 + 1000 / (10 + i) + np.where((i - 40 - 3 * j) % 97 == 0, 500.0, 0.0) + 0.1 * (i * 7 + j * 5 + k * 3) % 2).astype("f4")


def main() -> None:
    shape = tuple(int(one) for one in sys.argv[1:4]) if len(sys.argv) > 3 else (2048, 16, 32)
    group = dri.init()
    power = dri.fromfunction(echo, shape, "f4")
    noise = dri.zeros(shape, "f4")
    inside = slice(REACH, -REACH)
    dri.apply(average, noise[inside], dri.reach(power[inside], (REACH, 0, 0)))
    found = (power[inside] > 8 * noise[inside]).sum()
    pattern = [power[:, beam].mean() for beam in range(shape[1])]  # each one pass and a small frame
    whole = noise.gather()
    if whole is not None:
        cube = echo(*np.ogrid[tuple(map(slice, shape))]).astype("f4")
        wanted = np.zeros(shape, "f4")
        average(wanted[inside], cube)
        assert (whole == wanted).all() and found == (cube[inside] > 8 * wanted[inside]).sum()
        assert np.allclose(pattern, cube.mean(axis=(0, 2)), rtol=1e-5)
        print(f"{found} cells of {np.prod(shape)} stand out of their noise, on {len(group)} processes")


main()
