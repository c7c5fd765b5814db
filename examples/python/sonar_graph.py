"""A sonar as a graph: windows of the sensors' samples are transformed, then beams are formed in two bands.

Every process says all of it. Functions run where their ports are; the end of the recording ends the stream everywhere.

Run: mpirun -n 4 python3 sonar_graph.py [PICTURE]
"""

import sys

import numpy as np
import numpy.typing as npt
from sonar import Beams, Screen, band, frames, hop, listen_at, roles, samples, sensors, size, windows

import dri
from dri.graph import Call, Graph

C8 = npt.NDArray[np.complex64]
F4 = npt.NDArray[np.float32]
D, past = dri.Distribution, size - hop
front, wide, narrow, display = roles(dri.init())
by_window = D((windows, sensors, size), "c8", ("block", None, None), front)
mine = by_window.part().slices[0] if by_window.here else slice(0, 0)
# The windows of a process reach into the samples of the next one.
needed = dri.exact((mine.start * hop, mine.stop * hop + (past if mine.stop > mine.start else 0)), (0, sensors))
lines_of = D((windows, sensors, size), "c8", (None, None, "block"), wide)
lines_in_band = D((windows, sensors, size), "c8", (None, None, "block"), narrow, subset=np.s_[:, :, band])

g = Graph()
series, heard = g.transfer(
    "series", D((samples + past, sensors), "c8", ("block", None), front),
    dri.Sink(D((samples + past, sensors), "c8", needed, front), layout="F"),
)  # fmt: skip
spectra, all_lines, some = g.transfer(  # one source, two groups of sinks
    "spectra", by_window, dri.Sink(lines_of, layout=(2, 0, 1)), dri.Sink(lines_in_band, layout=(2, 0, 1))
)
bearings, sums = g.transfer(
    "bearings", D((len(wide), windows, 181), "f4", ("block", None, None), wide),
    D((len(wide), windows, 181), "f4", (None, None, None), display),
)  # fmt: skip
lines, powers = g.transfer(
    "lines", D((band.stop - band.start, 181), "f4", ("block", None), narrow),
    D((band.stop - band.start, 181), "f4", (None, None), display),
)  # fmt: skip
when = series.dist.part().slices[0] if series else slice(0, 0)
taper, screen = np.hanning(size).astype("f4"), Screen()
broad_beams, narrow_beams = Beams(all_lines), Beams(some)


@g.call(series)
def listen(call: Call, out: C8) -> None:
    if not listen_at(call.frame, out, when):
        call.end()


@g.call(spectra, heard)
def transform(call: Call, out: C8, x: C8) -> None:
    for k in range(len(out)):
        out[k] = np.fft.fft(x[k * hop : k * hop + size].T * taper)


@g.call(bearings, all_lines)
def broad_band(call: Call, out: F4, x: C8) -> None:
    out[0] = broad_beams(x).sum(axis=0)


@g.call(lines, some)
def narrow_band(call: Call, out: F4, x: C8) -> None:
    np.mean(narrow_beams(x), axis=1, out=out)


@g.call(None, sums, powers)
def show(call: Call, bearing: F4, line: F4) -> None:  # both of one frame: the plan sees to that
    screen.add(call.frame, bearing.sum(axis=0), line)


plan = g.partition()
plan.stream(frames=2)
if len(sys.argv) > 1:  # such as sonar.svg
    plan.draw(sys.argv[1])
if sums:
    assert screen.check() == frames
plan.close()
