"""What all drawings of the manual share: colours of processes, cells, labels, and how a drawing is saved.

A drawing has a white ground, so that it is legible on a dark page too. The same script writes the same bytes each time.
"""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.patches import FancyArrowPatch, Rectangle

PROCESSES = ["#8ecae6", "#ffb703", "#90be6d", "#e5989b", "#cdb4db"]  # light enough for black text
NOBODY, GHOST, INK, GREY = "#ffffff", "#f1f1f1", "#222222", "#777777"
SIZE = 9

pyplot.rcParams.update({"svg.hashsalt": "dri", "font.family": "DejaVu Sans", "font.size": SIZE, "text.color": INK})


def sheet(width, height):
    """A figure of width x height units without axes; a unit is 0.3 inch, y grows downwards."""
    figure = pyplot.figure(figsize=(0.3 * width, 0.3 * height))
    axes = figure.add_axes([0, 0, 1, 1])
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    return axes


def cell(axes, x, y, text="", colour=NOBODY, width=1, height=1, hatch=None, edge=INK, bold=False):
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor=edge, linewidth=0.8, hatch=hatch))
    written = label(axes, x + width / 2, y + height / 2, text, "center", weight="bold" if bold else "normal")
    if hatch and text:
        written.set_bbox({"facecolor": colour, "edgecolor": "none", "pad": 1})


def frame(axes, x, y, width, height, colour=INK, thickness=2.0, style="-"):
    axes.add_patch(
        Rectangle((x, y), width, height, fill=False, edgecolor=colour, linewidth=thickness, linestyle=style)
    )


def label(axes, x, y, text, align="left", size=SIZE, weight="normal", colour=INK):
    return axes.text(x, y, text, ha=align, va="center", size=size, weight=weight, color=colour)


def mono(axes, x, y, text, align="left", size=SIZE):
    axes.text(x, y, text, ha=align, va="center", size=size, family="DejaVu Sans Mono", color=INK)


def arrow(axes, start, end, colour=INK, thickness=1.2, bend=0.0, head=10):
    axes.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=head, color=colour, linewidth=thickness, shrinkA=0,
            shrinkB=0, connectionstyle=f"arc3,rad={bend}",
        )
    )


def save(axes, folder, name):
    path = Path(folder) / f"{name}.svg"
    axes.figure.savefig(path, facecolor="white", metadata={"Date": None, "Creator": None})
    pyplot.close(axes.figure)
    # matplotlib leaves blanks at the ends of lines.
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
