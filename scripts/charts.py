"""Line and bar charts in SVG, drawn by matplotlib. The same values give the same bytes each time.

Text stays text, so that it can be searched and the files stay small.
"""

import io

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot, ticker

matplotlib.rcParams.update({
    "svg.hashsalt": "dri", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True, "grid.color": "#dddddd", "grid.linewidth": 0.8,
})
COLOURS = ["#0b6e4f", "#333333", "#c77d2e", "#4c72b0", "#a33b5c", "#7a6fb0", "#8a8a8a"]
BAR, NAMES, BARS, MARGIN, HEAD = 0.2, 2.5, 6.2, 0.15, 0.95  # inches: a bar, their names, their length, around, above


def svg_text(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", facecolor="white", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def number(value, _=None):
    return f"{value:.0f}" if value >= 1 else f"{value:g}"


def line_chart(title, x_name, y_name, series, x_ticks=None):
    """Returns the SVG text of lines over logarithmic axes.

    series: name -> list of (x, y), all positive. A name that ends with a star is drawn as a dashed line.
    x_ticks: the values of the x axis; without them, 1, 2 and 5 times powers of ten.
    """
    figure, axes = pyplot.subplots(figsize=(8.4, 4.4), layout="constrained")
    figure.get_layout_engine().set(w_pad=MARGIN, h_pad=MARGIN)
    for i, (name, line) in enumerate(series.items()):
        style = "--" if name.endswith("*") else "-"
        axes.plot(*zip(*line), style, marker="o", markersize=4, color=COLOURS[i % len(COLOURS)], label=name.rstrip("*"))
    axes.set(xscale="log", yscale="log", xlabel=x_name, ylabel=y_name)
    axes.set_title(title, loc="left", weight="bold", size=11)
    for axis, ticks in ((axes.xaxis, x_ticks), (axes.yaxis, None)):
        low, high = axis.get_data_interval()
        factors = (1, 2, 5) if high < 10**2.5 * low else (1,)
        axis.set_major_locator(ticker.FixedLocator(ticks) if ticks else ticker.LogLocator(subs=factors, numticks=20))
        axis.set_major_formatter(number)
        axis.set_minor_locator(ticker.NullLocator())
    axes.grid()
    if series:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return svg_text(figure)


def bar_chart(title, subtitle, x_name, groups):
    """Returns the SVG text of bars in groups, one below the other, with a dashed line at 1.

    groups: list of (heading, list of (name, value, text at the end of the bar, colour)).
    """
    rows = sum(len(bars) + 2 for _, bars in groups)
    width, height = NAMES + BARS + 2 * MARGIN, HEAD + BAR * rows + 0.5
    figure = pyplot.figure(figsize=(width, height))
    axes = figure.add_axes([(MARGIN + NAMES) / width, 0.5 / height, BARS / width, BAR * rows / height])
    left = (-NAMES / BARS, axes.get_yaxis_transform())  # x in parts of the axis's length
    y, places, names = 0, [], []
    for heading, bars in groups:
        axes.text(left[0], y + 1, heading, weight="bold", va="center", transform=left[1])
        y += 2
        axes.vlines(1, y - 0.5, y + len(bars) - 0.5, colors="#333333", linestyles=(0, (3, 3)), linewidth=0.8, zorder=3)
        for name, value, text, colour in bars:
            axes.barh(y, value, height=0.75, color=colour)
            axes.text(left[0], y, name, va="center", transform=left[1])
            axes.annotate(text, (value, y), (4, 0), textcoords="offset points", va="center")
            y += 1
    greatest = max((value for _, bars in groups for _, value, _, _ in bars), default=1)
    axes.set(xlim=(0, 1.22 * max(greatest, 1)), ylim=(rows, 0), yticks=[])
    axes.set_xlabel(x_name)
    axes.tick_params(top=True, labeltop=True)
    axes.grid(axis="x")
    figure.text(MARGIN / width, 1 - 0.25 / height, title, weight="bold", size=11, va="center")
    figure.text(MARGIN / width, 1 - 0.48 / height, subtitle, va="center")
    return svg_text(figure)
