"""A tour in pictures: who holds what of an array, what overlaps, and who sends whom how much.

Run: mpirun -n 4 python3 tour.py [FOLDER]

Writes python_distributions.svg, python_overlap.svg and python_traffic.svg into FOLDER, the current one by default.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import numpy as np
from matplotlib import pyplot
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm
from matplotlib.patches import Patch

import dri
import dri.plot

COLOURS = ["#8ecae6", "#ffb703", "#90be6d", "#e5989b"]  # of processes 0 to 3
WIDTH, HEIGHT = 8.4, 2.7  # inches of a row of three pictures
# The same bytes each time, and letters that are drawn alike everywhere.
pyplot.rcParams.update({"svg.hashsalt": "dri", "font.family": "DejaVu Sans", "font.size": 8, "axes.titlesize": 8})


def distributions(folder: Path, is_first: bool) -> None:
    """One array of 24 x 24, cut in six ways. Each process knows who holds an element; none asks another one."""
    shape = (24, 24)
    cuts: dict[str, Any] = {
        '("block", None)': dri.Distribution(shape, "complex64", ("block", None)),
        '(None, "block")': dri.Distribution(shape, "complex64", (None, "block")),
        '("block", "block")': dri.Distribution(shape, "complex64", ("block", "block")),
        '("cyclic", None)': dri.Distribution(shape, "complex64", ("cyclic", None)),
        "(cyclic(3), cyclic(3))": dri.Distribution(shape, "complex64", (dri.cyclic(3), dri.cyclic(3)), grid=(2, 2)),
        "(weights([1, 2, 3, 6]), None)": dri.Distribution(shape, "complex64", (dri.weights([1, 2, 3, 6]), None)),
    }
    if not is_first:
        return
    figure, places = sheet(2)
    for axes, (title, dist) in zip(places, cuts.items()):
        image = dri.plot.distribution(dist, ax=axes).images[0]
        image.set(cmap=ListedColormap(COLOURS), norm=BoundaryNorm(np.arange(5) - 0.5, 4))
        image.colorbar.remove()  # one key is enough for all six
        finish(axes, title, "", "")
    key(figure, COLOURS, [f"process {rank}" for rank in range(4)])
    save(figure, folder / "python_distributions.svg")


def overlap(folder: Path, is_first: bool) -> None:
    """The local array of process 0 of a 2 x 2 grid, with two elements of each neighbour around its part."""
    edges = ("truncate", "wrap", "zero")
    grids = [dri.Distribution((12, 12), "float64", ("block", "block"), overlap=2, edge=edge) for edge in edges]
    if not is_first:
        return
    figure, places = sheet(1)
    colours = [*COLOURS[:2], "#eeeeee"]
    for axes, edge, dist in zip(places, edges, grids):
        image = dri.plot.overlap(dist, ax=axes).images[0]
        image.set(cmap=ListedColormap(colours), norm=BoundaryNorm(range(4), 3))
        image.colorbar.remove()  # one key is enough for all three
        lines_between_cells(axes, dist.local_shape)
        finish(axes, f'overlap=2, edge="{edge}"', "local index 1", "local index 0")
    key(figure, colours, ["owned", "overlap", "zeros"])
    save(figure, folder / "python_overlap.svg")


def traffic(folder: Path, is_first: bool) -> None:
    """Who sends whom how much in a frame: a turn, one stage to the next, and a halo of one element."""
    world = dri.init()
    rows = dri.Distribution((512, 512), "complex64", ("block", None))
    grid = rows.like(partition=("block", "block"), overlap=1, edge="wrap")
    front = dri.Distribution((512, 512), "complex64", ("block", None), world[:1])
    back = dri.Distribution((512, 512), "complex64", (None, dri.weights([1, 1, 2])), world[1:])
    moves = {
        "rows to columns": dri.Transfer("turn", rows, rows.like(partition=(None, "block"))),
        "one process to three": dri.Transfer("stages", front, back),
        "halo of a 2 x 2 grid": dri.Transfer("halo", grid, grid, in_place=True),
    }
    figure, places = sheet(1, below=0.1)
    image: Any = None
    with dri.commit(*moves.values()):
        for axes, (title, transfer) in zip(places, moves.items()):
            if dri.plot.traffic(transfer, ax=axes) is not None:
                image = axes.images[0]
                image.colorbar.remove()
                image.set(cmap="Blues", norm=LogNorm(0.01, 4096))
                write_numbers(axes, image.get_array())
                lines_between_cells(axes, (4, 4))
                finish(axes, title, "to process", "from process")
        if is_first:
            print(moves["rows to columns"].sink.explain())
    if is_first:
        figure.colorbar(image, ax=list(places), label="KiB in a frame")
        save(figure, folder / "python_traffic.svg")


def sheet(rows: int, below: float = 0.3) -> tuple[Any, Any]:
    """Rows of three pictures, with so many inches below for a key."""
    height = HEIGHT * rows + below
    figure, places = pyplot.subplots(rows, 3, figsize=(WIDTH, height), layout="constrained")
    figure.get_layout_engine().set(rect=(0, below / height, 1, 0.97 - below / height), h_pad=0.08)
    return figure, np.ravel(places)


def key(figure: Any, colours: list[str], texts: list[str]) -> None:
    """What the colours mean, below all pictures of the sheet."""
    patches = [Patch(facecolor=colour, edgecolor="#777777", label=text) for colour, text in zip(colours, texts)]
    figure.legend(handles=patches, loc="lower center", ncol=len(texts), frameon=False)


def write_numbers(axes: Any, cells: Any) -> None:
    for (i, j), value in np.ndenumerate(cells):
        text = f"{value:.0f} KiB" if value >= 1 else f"{1024 * value:.0f} B" if value else ""
        axes.text(j, i, text, ha="center", va="center", color="white" if value > 64 else "black")


def lines_between_cells(axes: Any, shape: tuple[int, ...]) -> None:
    axes.set_xticks(np.arange(shape[1] + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(shape[0] + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="#bbbbbb", linewidth=0.6)
    axes.tick_params(which="minor", length=0)


def finish(axes: Any, title: str, along_x: str, along_y: str) -> None:
    axes.set(title=title, xlabel=along_x, ylabel=along_y, aspect="equal")


def save(figure: Any, file: Path) -> None:
    figure.savefig(file, facecolor="white", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    # matplotlib leaves blanks at the ends of lines.
    file.write_text("\n".join(line.rstrip() for line in file.read_text().splitlines()) + "\n")
    print(f"{file} is written")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    world = dri.init()
    if len(world) != 4:
        sys.exit("tour: run it on 4 processes")
    for picture in (distributions, overlap, traffic):
        picture(folder, world.position == 0)


if __name__ == "__main__":
    main()
