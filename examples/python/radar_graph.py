"""The radar of range_doppler.py as a graph: the same stages and results, checked on all processes before it runs.

Run: mpirun -n 4 python3 radar_graph.py
"""

import numpy as np
import scipy.fft as fft
from radar import chirp, dwells, report

import dri
from dri.graph import Graph

world = dri.init()
front, back = world[: len(world) // 2], world[len(world) // 2 :]
by_pulse = dri.Distribution((256, 4096), "complex64", ("block", None), front)
by_range = dri.Distribution((256, 4096), "complex64", (None, dri.block(overlap=8)), back)  # the detector's guard cells
matched, window = np.conj(fft.fft(chirp, 4096)), np.hamming(256).astype("float32")[:, None]
g = Graph()
pulses, lines = g.transfer("turn", by_pulse, dri.Sink(by_range, layout="F"))
g.feed(
    pulses, dwells(pulses.slices), lambda raw: fft.ifft(fft.fft(raw["real"] + 1j * raw["imag"]) * matched), name="compress"
)
g.call(None, lines, name="detect")(
    lambda call, x: report(call.frame, call.data, np.abs(fft.fft(x * window, axis=0)) ** 2, by_range.owned)
)
g.stream(frames=2)
