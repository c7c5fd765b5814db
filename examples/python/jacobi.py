"""Jacobi's iteration on a square whose upper edge is hot, as statements on arrays that no process holds whole.

Run: mpirun -n 4 python3 jacobi.py [SIZE TOLERANCE [PICTURE]]
"""

from __future__ import annotations

import sys
from typing import Any, Tuple

import numpy as np

import dri


def solve(arrays: Any, n: int, tolerance: float) -> Tuple[Any, int, float]:
    """The field, the number of steps and the last change. arrays: dri, or numpy for the same on one process."""
    a = arrays.zeros((n, n))
    a[0] = 1
    b = arrays.array(a)
    steps = 0
    while True:
        b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        change = abs(b - a).max()
        a, b = b, a
        steps += 1
        if change <= tolerance:
            return a, steps, float(change)


def draw(field: Any, name: str) -> None:
    """A picture of the field. It needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 4))
    figure.colorbar(axes.imshow(field, cmap="inferno"), label="temperature")
    figure.savefig(name, dpi=120)


def main() -> None:
    n, tolerance = (int(sys.argv[1]), float(sys.argv[2])) if len(sys.argv) > 2 else (1024, 1e-4)
    group = dri.init()
    field, steps, change = solve(dri, n, tolerance)
    whole = field.gather()
    if whole is not None:
        if n <= 256:
            wanted, its_steps, its_change = solve(np, n, tolerance)
            assert (whole == wanted).all() and (steps, change) == (its_steps, its_change)
        print(f"{n} x {n} on {len(group)} processes: {steps} steps, last change {change:.2e}, mean {whole.mean():.4f}")
        if len(sys.argv) > 3:
            draw(whole, sys.argv[3])


main()
