"""The picture of an image: decibels below the peak, in grey."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .history import Complex

RANGE_DB = 50


def draw(image: Complex, extent: float, title: str, file: Path) -> None:
    """Writes a PNG file of image [y, x]; extent: metres from the centre to the edge."""
    from matplotlib.figure import Figure

    decibels = 20 * np.log10(np.maximum(abs(image), 1e-30) / abs(image).max())
    half = extent / (len(image) - 1)  # of a pixel
    edges = (-extent - half, extent + half, -extent - half, extent + half)
    figure = Figure(figsize=(8.4, 7.2), layout="constrained")
    axes = figure.add_subplot()
    shown = axes.imshow(decibels, origin="lower", extent=edges, cmap="gray", vmin=-RANGE_DB, vmax=0, interpolation="nearest")
    figure.colorbar(shown, ax=axes, label="dB")
    axes.set(title=title, xlabel="x (m)", ylabel="y (m)")
    figure.savefig(file, dpi=150)
