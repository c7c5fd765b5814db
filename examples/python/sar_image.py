"""A spotlight SAR image by the polar format algorithm, as examples/sar_image does it in C++: the same picture.

Run: mpirun -n 4 python3 sar_image.py [--data FOLDER] [--out PICTURE] [--compare RAW]

Each stage works on whole lines of an array. Between the stages a transfer cuts the array the other way:

  pulses    one process -> all: whole pulses           then range resampling, pulse after pulse
  turn      whole pulses -> whole wavenumbers          then the azimuth transform
  columns   whole wavenumbers -> whole columns         then the range transform
  ranges    whole columns -> whole ranges              then cross-range resampling
  image     whole ranges -> one process                then the picture
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Callable, Tuple, TypeVar

import numpy as np
from mpi4py import MPI
from sar.geometry import Wavefronts, make_geometry
from sar.history import Collection, Complex, Grid, read, simulate
from sar.picture import draw
from sar.stages import resample_cross_range, resample_range, transform_azimuth, transform_range

import dri

Result = TypeVar("Result")
ROWS, COLUMNS = ("block", None), (None, "block")


def form_image(collection: Collection, samples: Complex | None, extent: float, pixels: int) -> Complex | None:
    """The image on the first process, [y, x]. Collective over the world; the first process has the samples."""
    geometry = make_geometry(collection, extent)
    fronts = Wavefronts(collection, geometry)
    axis = Grid(-extent, 2 * extent / (pixels - 1), pixels)
    n_pulses, n_frequencies = len(collection.antenna), collection.frequency.length
    n_wavenumbers, n_columns = geometry.wavenumber.length, geometry.column.length
    world = dri.init()

    def cut(shape: Tuple[int, int], partition: Any) -> dri.Distribution:
        return dri.Distribution(shape, "complex64", partition)

    def turned(name: str, shape: Tuple[int, int]) -> dri.Transfer:
        """From whole rows to whole columns, which are contiguous in memory."""
        return dri.Transfer(name, cut(shape, ROWS), dri.Sink(cut(shape, COLUMNS), layout="F"))

    given = dri.Distribution((n_pulses, n_frequencies), "complex64", ROWS, world[:1])
    shown = dri.Distribution((pixels, pixels), "complex64", ROWS, world[:1])
    pulses = dri.Transfer(
        "pulses", dri.Source(given, buffers=[samples] if given.here else 1), cut((n_pulses, n_frequencies), ROWS)
    )
    turn = turned("turn", (n_pulses, n_wavenumbers))
    columns = turned("columns", (n_wavenumbers, n_columns))
    ranges = turned("ranges", (n_columns, pixels))
    # Ranges x cross-ranges; if range runs along x, the picture has lines of equal cross-range.
    image = dri.Transfer("image", cut((pixels, pixels), ROWS), dri.Sink(shown, layout="F" if geometry.range_is_x else "C"))

    with dri.commit(pulses, turn, columns, ranges, image):
        lines = pulses.do()
        turn.source.array[...] = resample_range(rows_of(turn), lines, collection, geometry)
        lines = turn.do().T  # a view: a row is a column of the array
        columns.source.array[...] = transform_azimuth(rows_of(columns), lines, geometry)
        lines = columns.do().T
        ranges.source.array[...] = transform_range(rows_of(ranges), lines, geometry, fronts, axis)
        lines = ranges.do().T
        image.source.array[...] = resample_cross_range(rows_of(image), lines, geometry, fronts, axis)
        made = image.do()
    if made is None:
        return None
    return np.ascontiguousarray(made.T if geometry.range_is_x else made)


def rows_of(transfer: dri.Transfer) -> Any:
    """The rows of the array that this process fills."""
    rows = transfer.source.dist.part().slices[0]
    return np.arange(rows.start, rows.stop)


def on_first_process(work: Callable[[], Result]) -> Result:
    """The result of the first process on all of them; its fault ends all."""
    made: Any = None
    if MPI.COMM_WORLD.rank == 0:
        try:
            made = work()
        except (OSError, ValueError) as fault:
            made = fault
    made = MPI.COMM_WORLD.bcast(made)
    if isinstance(made, Exception):
        if MPI.COMM_WORLD.rank == 0:
            print(f"sar_image: {made}", file=sys.stderr)
        sys.exit(3)
    result: Result = made
    return result


def compare(image: Complex, other: Path) -> None:
    """Raises ValueError if the raw image of a file differs by more than 1e-4 of the peak."""
    expected = np.fromfile(other, "complex64")
    if expected.size != image.size:
        raise ValueError(f"{other} has {expected.size} pixels, but the image has {image.size}")
    peak = abs(expected).max()
    worst = abs(image.ravel() - expected).max() / peak
    if not worst <= 1e-4:
        raise ValueError(f"the image differs from {other} by {worst:.1e} of the peak")
    print(f"the image equals {other} to {worst:.1e} of the peak")


def main() -> None:
    asked = argparse.ArgumentParser(description="Forms a spotlight SAR image on all processes.")
    asked.add_argument("--data", type=Path, help="folder with the Gotcha files data_*.mat; else a scene is simulated")
    asked.add_argument("--out", type=Path, help="the picture, a PNG file")
    asked.add_argument("--raw", type=Path, help="the complex image: float32 pairs, x fastest, from the lowest y upward")
    asked.add_argument("--compare", type=Path, help="a raw image that this one equals to 1e-4 of the peak, else exit code 3")
    asked.add_argument("--pixels", type=int, default=501, help="along x and along y")
    asked.add_argument("--extent", type=float, default=50.0, help="metres from the scene's centre to the picture's edge")
    options = asked.parse_args()

    held: list[Complex] = []

    def load() -> Collection:
        collection, samples = simulate() if options.data is None else read(options.data)
        make_geometry(collection, options.extent)  # its faults are the data's
        held.append(samples)
        return collection

    collection = on_first_process(load)
    start = MPI.Wtime()
    image = form_image(collection, held[0] if held else None, options.extent, options.pixels)
    seconds = MPI.Wtime() - start

    def results() -> None:
        assert image is not None
        print(f"{options.pixels} x {options.pixels} pixels from {len(collection.antenna)} pulses in {seconds:.2f} s")
        if options.raw:
            image.tofile(options.raw)
        if options.out:
            draw(image, options.extent, "Simulated scene" if options.data is None else "Spotlight SAR image", options.out)
        if options.compare:
            compare(image, options.compare)

    on_first_process(results)


if __name__ == "__main__":
    main()
