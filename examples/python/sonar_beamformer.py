"""The sonar of sonar_graph.py by hand: the same functions and transfers, and every step of each stage written out.

A process with several roles goes through its stages in the order of the pipeline. Each stage takes what has arrived,
and ends the streams behind it once the one before has ended.

Run: mpirun -n 4 python3 sonar_beamformer.py
"""

import numpy as np
from sonar import Beams, Cuts, Screen, frames, hop, listen_at, size

import dri

cut = Cuts(dri.init())


def source(dist: dri.Distribution) -> dri.Source:
    return dri.Source(dist, buffers=2, stream=True)


def sink(dist: dri.Distribution, layout: str | tuple[int, ...] = "C") -> dri.Sink:
    return dri.Sink(dist, layout=layout, buffers=2)


series = dri.Transfer("series", source(cut.series), sink(cut.heard, "F"))
spectra = dri.Transfer(  # one source, two groups of sinks
    "spectra", source(cut.spectra), sink(cut.all_lines, (2, 0, 1)), sink(cut.some_lines, (2, 0, 1))
)
bearings = dri.Transfer("bearings", source(cut.bearings), sink(cut.sums))
lines = dri.Transfer("lines", source(cut.lines), sink(cut.powers))
all_lines, some = spectra.sinks
taper, screen = np.hanning(size).astype("f4"), Screen()


def front_end(frame: int) -> bool:
    out = series.source.hold()
    if not listen_at(frame, out, by_time):
        series.source.end_stream()
        spectra.source.end_stream()
        return False
    series.source.insert()
    x = series.sink.extract().array
    out = spectra.source.hold()
    for k in range(len(out)):
        out[k] = np.fft.fft(x[k * hop : k * hop + size].T * taper)
    series.sink.release()
    spectra.source.insert()
    return True


def broad_band() -> bool:
    assert all_lines
    try:
        x = all_lines.extract().array
    except dri.EndOfStream:
        bearings.source.end_stream()
        return False
    bearings.source.hold()[0] = broad_beams(x).sum(axis=0)
    all_lines.release()
    bearings.source.insert()
    return True


def narrow_band() -> bool:
    assert some
    try:
        x = some.extract().array
    except dri.EndOfStream:
        lines.source.end_stream()
        return False
    np.mean(narrow_beams(x), axis=1, out=lines.source.hold())
    some.release()
    lines.source.insert()
    return True


def show(frame: int) -> bool:
    try:
        sums, powers = bearings.sink.extract().array, lines.sink.extract().array  # both of one frame
    except dri.EndOfStream:
        return False
    screen.add(frame, sums.sum(axis=0), powers)
    bearings.sink.release()
    lines.sink.release()
    return True


with dri.commit(series, spectra, bearings, lines):
    by_time = series.source.dist.part().slices[0] if series.source else slice(0, 0)
    broad_beams, narrow_beams = Beams(all_lines), Beams(some)
    more, count = True, 0
    while more:
        more = False
        if series.source:
            more = front_end(count)
        if all_lines:
            more = broad_band()
        if some:
            more = narrow_band()
        if bearings.sink:
            more = show(count)
        count += 1
if bearings.sink:
    assert screen.check() == frames
