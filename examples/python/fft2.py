"""A 2-D FFT over all processes: rows, a corner turn, columns. Run: mpirun -n 4 python3 fft2.py"""

from __future__ import annotations

from typing import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import scipy.fft as fft

import dri

Complex = npt.NDArray[np.complex64]


def fft2(shape: tuple[int, int], frames: Iterable[Complex]) -> Iterator[Complex]:
    """Transform this process's rows, again and again, and yield its columns."""
    rows = dri.Distribution(shape, "complex64", ("block", None))
    columns = dri.Distribution(shape, "complex64", (None, "block"))
    with dri.Transfer("turn", rows, dri.Sink(columns, layout="F")) as turn:
        for frame in frames:
            turn.source.array[...] = fft.fft(frame, axis=1)
            yield fft.fft(turn.do(), axis=0, overwrite_x=True)


def main() -> None:
    shape = (96, 200)
    columns = dri.Distribution(shape, "complex64", (None, "block"))
    rows = columns.like(partition=("block", None))
    whole = [np.random.default_rng(seed).standard_normal((*shape, 2)).astype("f4").view("c8")[..., 0] for seed in range(3)]
    for mine, all_of_it in zip(fft2(shape, (one[rows.part().slices] for one in whole)), whole):
        expected = np.fft.fft2(all_of_it)[columns.part().slices]
        assert np.allclose(mine, expected, atol=1e-3), abs(mine - expected).max(initial=0)
    if rows.group.position == 0:
        print(f"{len(whole)} transforms of {shape[0]} x {shape[1]} on {len(rows.group)} processes are right")


if __name__ == "__main__":
    main()
