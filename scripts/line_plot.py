"""Line plots in SVG with logarithmic axes."""

import math
from html import escape

COLORS = ["#0b6e4f", "#333333", "#c77d2e", "#4c72b0", "#a33b5c", "#7a6fb0", "#8a8a8a"]
LEFT, RIGHT, TOP, BOTTOM, WIDTH, HEIGHT = 64, 190, 48, 48, 560, 340


class Axis:
    """Maps values to pixels by their logarithm."""

    def __init__(self, values, first_pixel, last_pixel):
        self.low, self.high = math.log10(min(values)), math.log10(max(values))
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 0.5, self.high + 0.5
        self.first, self.last = first_pixel, last_pixel

    def __call__(self, value):
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.first + part * (self.last - self.first), 1)

    def ticks(self):
        """Powers of ten. If there are few, also 2 and 5 times these powers."""
        exponents = range(math.floor(self.low), math.ceil(self.high) + 1)
        factors = (1, 2, 5) if self.high - self.low < 2.5 else (1,)
        inside = lambda v: self.low - 1e-9 <= math.log10(v) <= self.high + 1e-9
        return [v for e in exponents for f in factors if inside(v := f * 10.0**e)]


def number(value):
    return f"{value:.0f}" if value >= 1 else f"{value:g}"


def line_plot(title, x_name, y_name, series, x_ticks=None):
    """Returns the SVG text.

    series: name -> list of (x, y), all positive. A name that ends with a star is drawn as a dashed line.
    x_ticks: the values of the x axis; without them, powers of ten.
    """
    points = [point for line in series.values() for point in line] or [(1, 1)]
    x = Axis([p[0] for p in points], LEFT, LEFT + WIDTH)
    y = Axis([p[1] for p in points], TOP + HEIGHT, TOP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{TOP + HEIGHT + BOTTOM}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{escape(title)}</text>',
    ]
    for tick in x_ticks or x.ticks():
        out.append(f'<path d="M{x(tick)} {TOP}V{TOP + HEIGHT}" stroke="#dddddd"/>')
        out.append(f'<text x="{x(tick)}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{number(tick)}</text>')
    for tick in y.ticks():
        out.append(f'<path d="M{LEFT} {y(tick)}H{LEFT + WIDTH}" stroke="#dddddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y(tick) + 4}" text-anchor="end">{number(tick)}</text>')
    out.append(
        f'<text x="{LEFT + WIDTH // 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">{escape(x_name)}</text>'
    )
    out.append(f'<text x="{LEFT}" y="{TOP - 8}">{escape(y_name)}</text>')
    for i, (name, line) in enumerate(series.items()):
        color = COLORS[i % len(COLORS)]
        path = "L".join(f"{x(px)} {y(py)}" for px, py in line)
        dashes = ' stroke-dasharray="5 4"' if name.endswith("*") else ""
        out.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>')
        out += [f'<circle cx="{x(px)}" cy="{y(py)}" r="3" fill="{color}"/>' for px, py in line]
        at = TOP + 10 + 20 * i
        begin = LEFT + WIDTH + 12
        out.append(f'<path d="M{begin} {at}H{begin + 22}" stroke="{color}" stroke-width="2"{dashes}/>')
        out.append(f'<text x="{begin + 28}" y="{at + 4}">{escape(name.rstrip("*"))}</text>')
    return "\n".join([*out, "</svg>", ""])
