"""A star stencil of radius 2, the kernel of the Parallel Research Kernels, as statements.

Run: mpirun -n 4 python3 star_stencil.py [SIZE STEPS]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import dri


def iterate(arrays: Any, n: int, steps: int) -> Any:
    """The sum of the stencil's results. arrays: dri, or numpy for the same on one process."""
    x = arrays.fromfunction(lambda i, j: 1.0 * i + j, (n, n))
    y = arrays.zeros((n, n))
    for _ in range(steps):
        y[2:-2, 2:-2] += (
            0.25 * (x[2:-2, 3:-1] - x[2:-2, 1:-3] + x[3:-1, 2:-2] - x[1:-3, 2:-2])
            + 0.125 * (x[2:-2, 4:] - x[2:-2, :-4] + x[4:, 2:-2] - x[:-4, 2:-2])
        )  # fmt: skip
        x += 1
    return y


def main() -> None:
    n, steps = (int(one) for one in sys.argv[1:3]) if len(sys.argv) > 2 else (2048, 10)
    group = dri.init()
    start = time.perf_counter()
    y = iterate(dri, n, steps)
    norm = abs(y).sum() / (n - 4) ** 2
    seconds = time.perf_counter() - start
    assert np.isclose(norm, 2 * steps)  # the weights give 1 along each dimension
    whole = y.gather()
    if whole is not None:
        assert n > 256 or (whole == iterate(np, n, steps)).all()
        print(f"{steps} steps of {n} x {n} on {len(group)} processes: {seconds * 1e3:.1f} ms, norm {norm:.6f}")


main()
