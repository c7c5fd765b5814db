#!/usr/bin/env python3
"""Tests of the example program sonar_beamformer.

usage: sonar_beamformer.py CASE PROGRAM MPIRUN

CASE is sources, recording or bad_input.
"""

import cmath
import math
import os
import random
import re
import sys
import tempfile

from mpi_job import expect_refused, run_job, side_by_side, without
from program_output import check_png, table
from sigmf_files import bad_recordings, bytes_of, read_recording, unusable_recordings, write_recording

SOUND, RATE = 1500, 2000
SMALL = ["--sensors", 16, "--samples", 1024, "--window", 128, "--hop", 64]
LINE = RATE / 128  # Hz
SOURCES = [(-30, 4, 6), (40, -2, 5)]
TONES = [(1250, 5, -9), (1700, -62, -12)]


def given(sources, tones):
    words = [word for source in sources for word in ("--source", ",".join(map(str, source)))]
    return words + [word for tone in tones for word in ("--tone", ",".join(map(str, tone)))]


def expect_alike(output, found, expected, tolerances):
    """As many contacts as expected, and each expected one within the tolerances of a found one."""
    assert len(found) == len(expected), (expected, output)
    for wanted in expected:
        assert any(all(abs(a - b) <= t for a, b, t in zip(row, wanted, tolerances)) for row in found), (wanted, output)


def expect_found(output, sources, tones, frames, samples):
    middle = (frames - 0.5) * samples / RATE
    expect_alike(output, table(output, "Sources of the last frame"), [(b + r * middle,) for b, r, _ in sources], [1.5])
    expect_alike(output, table(output, "Lines of the last frame"), [t[:2] for t in tones], [LINE / 4, 2])
    numbers = [int(n) for n in re.findall(r"^frame +(\d+):", output, re.MULTILINE)]
    assert numbers == list(range(frames)), output
    latencies = [float(l) for l in re.findall(r"^frame .* frames/s, latency (\S+) ms$", output, re.MULTILINE)]
    assert len(latencies) == frames and all(0 < latency < 60_000 for latency in latencies), output
    assert f"longest {max(latencies):.1f} ms" in output, output


def test_sources(program, mpirun):
    with tempfile.TemporaryDirectory() as folder:
        outputs = []

        def expect(processes, *arguments):
            picture = os.path.join(folder, "_".join(map(str, (processes, *arguments))) + ".png")
            codes, output, errors = run_job(mpirun, processes, program, *SMALL, *given(SOURCES, TONES), "--frames", 5,
                                            "--out", picture, *arguments)
            assert codes == [0] * processes and not errors, (codes, output, errors)
            expect_found(output, SOURCES, TONES, 5, 1024)
            check_png(picture)
            outputs.append([table(output, title) for title in ("Sources of", "Lines of")])

        side_by_side(expect, [
            (1,), (2,), (4,), (7,),
            (3, "--front", 3, "--broad", 3, "--narrow", 3, "--nbuffs", 1),  # every process has all roles
            (4, "--front", 1, "--broad", 3, "--narrow", 2),  # some processes have two roles
            (5, "--front", 2, "--broad", 1, "--narrow", 1, "--nbuffs", 3),
        ])
        # The only difference is the order of sums of floats.
        for other in outputs[1:]:
            for ours, theirs in zip(outputs[0], other):
                assert all(abs(a - b) < 0.11 for x, y in zip(ours, theirs) for a, b in zip(x, y)), (ours, theirs)

        def expect_run(processes, *arguments):
            codes, output, errors = run_job(mpirun, processes, program, "--frames", 3, "--out",
                                            os.path.join(folder, "tiny.png"), *arguments)
            assert codes == [0] * processes and not errors, (codes, output, errors)
            assert len(re.findall("^frame", output, re.MULTILINE)) == 3, output

        # More processes than windows or lines; windows without overlap, and with an overlap of more than a hop.
        expect_run(7, "--sensors", 2, "--samples", 12, "--window", 8, "--hop", 4, "--front", 7, "--broad", 7,
                   "--narrow", 7, "--narrow-low", 2000, "--narrow-high", 2300)
        expect_run(3, "--sensors", 3, "--samples", 64, "--window", 32, "--hop", 32, "--narrow-low", 0, "--narrow-high",
                   1e9)  # the narrow band is everything except the line at the edge
        expect_run(3, "--sensors", 3, "--samples", 60, "--window", 32, "--hop", 5)


def simulate(sensors, count, sources, tones):
    """A broad band of many lines per source, tones, and noise: [sample][sensor], as in the program's README."""
    rng = random.Random(3)
    deviation = 0.01
    waves = [(f, bearing, deviation * math.sqrt(2 * 10 ** (snr / 10))) for f, bearing, snr in tones]
    for bearing, _, snr in sources:
        lines = [1010 + 7.3 * i for i in range(270)]
        amplitude = deviation * math.sqrt(2 * 10 ** (snr / 10) / len(lines))
        waves += [(f, bearing, amplitude) for f in lines]
    samples = [[complex(rng.gauss(0, deviation), rng.gauss(0, deviation)) for _ in range(sensors)] for _ in range(count)]
    for f, bearing, amplitude in waves:
        lead = [(s - (sensors - 1) / 2) * 0.25 * math.sin(math.radians(bearing)) / SOUND for s in range(sensors)]
        phase = rng.uniform(0, 2 * math.pi)
        factors = [amplitude * cmath.exp(1j * (phase + 2 * math.pi * f * x)) for x in lead]
        turn, wave = cmath.exp(2j * math.pi * (f - 2000) / RATE), 1
        for row in samples:
            for s in range(sensors):
                row[s] += factors[s] * wave
            wave *= turn
    return [value for row in samples for value in row]


def test_recording(program, mpirun):
    sensors, frames = 8, 2
    sources, tones = [(33, 0, 6)], [(1300, -20, -8)]
    shape = ["--samples", 256, "--window", 64, "--hop", 32]
    count = frames * 256 + 32
    with tempfile.TemporaryDirectory() as folder:
        out = ["--out", os.path.join(folder, "a.png")]
        samples = simulate(sensors, count, sources, tones)
        for datatype in ("cf32_le", "ci16_le"):
            name = write_recording(folder, datatype, samples, datatype, num_channels=sensors, sample_rate=RATE)
            with open(name + ".sigmf-meta") as file:
                text = file.read()
            with open(name + ".sigmf-meta", "w") as file:
                file.write(text.replace("10000000000.0", "2000.0"))
            copy = os.path.join(folder, "copy_" + datatype)
            codes, output, errors = run_job(mpirun, 3, program, *shape, *out, "--sigmf-in", name, "--sigmf-out", copy,
                                            "--sigmf-type", datatype, "--front", 2)
            assert codes == [0] * 3 and not errors, (codes, output, errors)
            expect_alike(output, table(output, "Sources of the last frame"), [(33,)], [2])
            lines = table(output, "Lines of the last frame")
            assert any(abs(f - 1300) < 10 and abs(b + 20) < 4 for f, b, _ in lines), output
            fields, capture, numbers = read_recording(copy)
            assert fields["datatype"] == datatype and fields["num_channels"] == sensors, fields
            assert fields["sample_rate"] == RATE and capture["core:frequency"] == 2000, (fields, capture)
            assert numbers == read_recording(name)[2]

        # Only the front end knows that the recording ends in the middle of a frame.
        name = write_recording(folder, "long", samples + samples[: 100 * sensors], "cf32_le", num_channels=sensors,
                               sample_rate=RATE)
        for processes, arguments in ((7, []), (4, ["--front", 1, "--nbuffs", 1])):
            codes, output, errors = run_job(mpirun, processes, program, *shape, *out, "--sigmf-in", name, *arguments)
            assert codes == [0] * processes and not errors, (codes, output, errors)
            assert re.findall(r"^frame +(\d+):", output, re.MULTILINE) == ["0", "1"], output

        # A simulated recording that is written and read again has the same sources.
        kept = os.path.join(folder, "kept")
        for processes, arguments in (
            (4, ["--sigmf-out", kept, *given(SOURCES, TONES), "--frames", 2]),
            (2, ["--sigmf-in", kept + ".sigmf-data"]),
        ):
            codes, output, errors = run_job(mpirun, processes, program, *SMALL, *out, *arguments)
            assert codes == [0] * processes, (output, errors)
            expect_found(output, SOURCES, TONES, 2, 1024)


def test_bad_input(program, mpirun):
    with tempfile.TemporaryDirectory() as folder:
        shape = ["--samples", 128, "--window", 64, "--hop", 32]

        def expect(exit_code, words, *arguments):
            usual = [*shape, "--out", os.path.join(folder, "a.png"), "--sigmf-out", kept]
            expect_refused(mpirun, 3, program, exit_code, words, *without(usual, arguments), *arguments)

        samples = [0.1 + 0.1j] * (160 * 2)
        good = write_recording(folder, "good", samples, num_channels=2)
        # A refused run does not change the files that it would overwrite.
        kept = write_recording(folder, "kept", samples, num_channels=2)
        blocked = write_recording(folder, "blocked", samples, num_channels=2)
        os.remove(blocked + ".sigmf-data")
        os.mkdir(blocked + ".sigmf-data")
        before = [bytes_of(kept), os.stat(blocked + ".sigmf-meta").st_mtime_ns]
        alone = write_recording(folder, "alone", samples)
        nowhere = os.path.join(folder, "nowhere", "a")
        rows = [(3, words, "--sigmf-in", name) for name, words in bad_recordings(folder, samples, 2)]
        rows += [(3, words, "--sigmf-in", name, "--front", front)
                 for name, words in unusable_recordings(folder, samples, 2) for front in (1, 3)]
        rows += [
            (2, ["--hop"], "--hop", 0),
            (2, ["--source"], "--source", "1,2"),
            (2, ["--source", "BEARING must be from -180 to 180 degrees"], "--source", "1e300,0,0"),
            (2, ["--source", "RATE must be from -360 to 360 degrees per second"], "--source", "0,1e300,0"),
            (2, ["--tone"], "--tone", "1,2,x"),
            (2, ["--tone", "FREQUENCY must be from 0 to 1e+06 Hz"], "--tone", "1e308,0,0"),
            (2, ["--tone", "BEARING must be from -180 to 180 degrees"], "--tone", "1,inf,0"),
            (2, ["--tone", "SNR must be from -100 to 100 dB"], "--tone", "1,2,nan"),
            (2, ["no file can hold 1099511627776 frames"], "--frames", 2**40, "--samples", 2**24),
            (3, ["cannot be distinguished"], "--sigmf-in",
             write_recording(folder, "blurred", samples, frequency=1e12, sample_rate=1, num_channels=2)),
            (2, ["--spacing"], "--spacing", "0"),
            (2, ["4 processes"], "--narrow", 4),
            (2, ["no spectral line"], "--narrow-low", 1e5, "--narrow-high", 2e5),
            (2, ["no spectral line"], "--narrow-low", 1500, "--narrow-high", 1400),
            (2, ["--narrow-low"], "--narrow-low", "nan"),
            (3, ["one channel"], "--sigmf-in", alone),
            (3, ["holds 160 samples, 1 frames"], "--sigmf-in", good, "--frames", 2),
            (4, [nowhere], "--sigmf-out", nowhere),
            (4, ["blocked.sigmf-data"], "--sigmf-out", blocked),
            (4, [nowhere], "--out", nowhere),
            (4, ["overwrite"], "--sigmf-in", good, "--sigmf-out", good),
        ]
        rows += [(2, words[:1], *words) for words in (["--window", 63], ["--window", 16], ["--samples", 100])]
        side_by_side(expect, rows)
        assert before == [bytes_of(kept), os.stat(blocked + ".sigmf-meta").st_mtime_ns]

        # Samples behind the last frame may have any value.
        name = write_recording(folder, "behind", [*samples, math.nan, 0], "cf32_le", num_channels=2)
        codes, output, errors = run_job(mpirun, 3, program, *shape, "--out", os.path.join(folder, "b.png"), "--sigmf-in",
                                        name)
        assert codes == [0] * 3 and not errors, (codes, output, errors)
        codes, output, errors = run_job(mpirun, 2, program, "--help")
        assert codes == [0, 0] and output.count("--frames") == 1 and not errors, (codes, output, errors)


if __name__ == "__main__":
    globals()["test_" + sys.argv[1]](*sys.argv[2:])
