"""Pictures of distributions for notebooks: a table, and who holds what as an inline SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import env

if TYPE_CHECKING:
    import numpy.typing as npt

    from .distribution import Distribution

CELLS, PIXELS = 64, 192
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#997700")


def owners(dist: Distribution, dims: tuple[int, int] | None = None) -> npt.NDArray[np.int64]:
    """The owner of each of at most 64 x 64 cells along two dimensions, at index 0 of the others; -1 for none. Local."""
    chosen = (dims or (0, 1)) if dist.ndim > 1 else (0, 0)
    lengths = [1, dist.shape[0]] if dist.ndim == 1 else [dist.shape[dim] if dist.ndim else 1 for dim in chosen]
    rows, columns = (np.arange(min(n, CELLS)) * n // max(min(n, CELLS), 1) for n in lengths)
    made = np.full((len(rows), len(columns)), -1, np.int64)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            index = [0] * dist.ndim
            if dist.ndim > 1:
                index[chosen[0]] = int(row)
            if dist.ndim:
                index[chosen[1]] = int(column)
            found = dist.replicas(tuple(index))
            made[i, j] = found[0] if found else -1
    return made


def html(title: str, rows: Sequence[tuple[str, Any]], dist: Distribution | None) -> str:
    """A table of names and values, beside the picture of a distribution. Local."""
    lines = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows)
    picture = "" if dist is None or not dist.here or not env.can_ask() or 0 in dist.shape else _svg(owners(dist))
    return f'<div><b>{escape(title)}</b><div style="display:flex;gap:1em"><table>{lines}</table>{picture}</div></div>'


def distribution_rows(dist: Distribution) -> list[tuple[str, Any]]:
    """What the table says of a distribution. Local."""
    rows: list[tuple[str, Any]] = [
        ("shape", dist.shape), ("dtype", dist.dtype), ("cut", ", ".join(map(str, dist.partition))), ("processes", dist.group),
    ]  # fmt: skip
    if dist.here and env.can_ask():
        rows += [("here", dist.local_shape), ("elements here", dist.count()[0])]
    return rows


def _svg(cells: npt.NDArray[np.int64]) -> str:
    height, width = (PIXELS / n for n in cells.shape)
    boxes = []
    for i, row in enumerate(cells):
        start = 0
        for j in range(1, len(row) + 1):  # equal neighbours are one box
            if j == len(row) or row[j] != row[start]:
                colour = "none" if row[start] < 0 else COLOURS[row[start] % len(COLOURS)]
                boxes.append(
                    f'<rect x="{start * width:.2f}" y="{i * height:.2f}" width="{(j - start) * width:.2f}" '
                    f'height="{height:.2f}" fill="{colour}"><title>process {row[start]}</title></rect>'
                )
                start = j
    return f'<svg width="{PIXELS}" height="{PIXELS}" xmlns="http://www.w3.org/2000/svg">{"".join(boxes)}</svg>'
