"""A corner turn of an array of doubles, beside mpi4py-fft."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

import dri
from peers import by_mpi4py_fft
from rounds import Result, median, milliseconds, seconds_of


def permutes(n: int) -> Iterator[Result]:
    """Both sides make a new array, contiguous, whose rows are the columns of x. The goal is a ratio of times.

    The transfer of mpi4py-fft alone leaves the dimensions in their order: it is shown, and has no goal.
    """
    x = dri.fromfunction(lambda i, j: i * n + j, (n, n))
    try:
        forward, y = by_mpi4py_fft(x.local, n)
    except ImportError:
        return

    def turn() -> Any:
        forward()
        return np.ascontiguousarray(y.T)

    kept: list[Any] = [None]

    def permute() -> Any:
        kept[0] = x.permute((1, 0))
        return kept[0].local

    for row in (permute, turn):
        made = row()
        first = x.local[0, 0] // n  # equal shares: the new rows begin where the old ones do
        assert np.array_equal(made, np.arange(n) * n + first + np.arange(len(made))[:, None]), row.__name__
    found = seconds_of({"permute": permute, "transfer and transposition": turn, "transfer": forward}, max(1, 1024 // n))
    ratio = median(found["permute"] / found["transfer and transposition"])
    yield Result(f"permute of {n} squared float64: beside mpi4py-fft, then ascontiguousarray(y.T)", ratio, 0.5,
                 " times the time", milliseconds(found, *found))  # fmt: skip
