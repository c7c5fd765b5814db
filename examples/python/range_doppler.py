"""Two stages on disjoint processes: pulses are compressed in front, Doppler lines are found behind.

Run: mpirun -n 4 python3 range_doppler.py
"""

import numpy as np
import scipy.fft as fft
from radar import chirp, dwells, report

import dri

world = dri.init()
front, back = world[: len(world) // 2], world[len(world) // 2 :]
by_pulse = dri.Distribution((256, 4096), "complex64", ("block", None), front)
by_range = dri.Distribution((256, 4096), "complex64", (None, dri.block(overlap=8)), back)  # the detector's guard cells
matched, window = np.conj(fft.fft(chirp, 4096)), np.hamming(256).astype("float32")[:, None]
with dri.Transfer(
    "turn", dri.Source(by_pulse, buffers=2, stream=True), dri.Sink(by_range, buffers=3, layout="F", timeout=5)
) as turn:
    if turn.source:
        for name, raw in dwells(by_pulse.part().slices):
            with turn.source.frame(data=name) as pulses:
                pulses[...] = fft.ifft(fft.fft(raw["real"] + 1j * raw["imag"], axis=1) * matched, axis=1)
    else:
        for frame in turn.sink:  # ends once the sources have left their loop
            doppler = np.abs(fft.fft(frame.array * window, axis=0)) ** 2
            report(frame.number, frame.data, doppler, by_range.owned)
