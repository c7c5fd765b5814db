"""A sonar as a graph: windows of the sensors' samples are transformed, then beams are formed in two bands.

Every process says all of it. Functions run where their ports are; the end of the recording ends the stream everywhere.

Run: mpirun -n 4 python3 sonar_graph.py [PICTURE]
"""

import sys

import numpy as np
import numpy.typing as npt
from sonar import Beams, Cuts, Screen, frames, hop, listen_at, size

import dri
from dri.graph import Call, Graph

C8 = npt.NDArray[np.complex64]
F4 = npt.NDArray[np.float32]
cut, g = Cuts(dri.init()), Graph()
series, heard = g.transfer("series", cut.series, dri.Sink(cut.heard, layout="F"))
spectra, all_lines, some = g.transfer(  # one source, two groups of sinks
    "spectra", cut.spectra, dri.Sink(cut.all_lines, layout=(2, 0, 1)), dri.Sink(cut.some_lines, layout=(2, 0, 1))
)
bearings, sums = g.transfer("bearings", cut.bearings, cut.sums)
lines, powers = g.transfer("lines", cut.lines, cut.powers)
taper, screen = np.hanning(size).astype("f4"), Screen()
broad_beams, narrow_beams = Beams(all_lines), Beams(some)


@g.call(series)
def listen(call: Call, out: C8) -> None:
    if not listen_at(call.frame, out, series.slices[0]):
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
plan.draw(*sys.argv[1:])  # such as sonar.svg
if sums:
    assert screen.check() == frames
plan.close()
