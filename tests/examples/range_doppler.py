#!/usr/bin/env python3
"""Tests of the example program range_doppler.

usage: range_doppler.py CASE PROGRAM MPIRUN

CASE is targets, recording or bad_input.
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

LIGHT, CARRIER, RATE, PRF = 299792458, 10e9, 25e6, 5000
CELL = LIGHT / (2 * RATE)
SMALL = ["--channels", 4, "--pulses", 32, "--ranges", 512, "--chirp", 64]
TARGETS = [(600, 11.5, 30), (1500, -20, 31), (1530, 3, 30), (2400, 30, 30)]


def speed_cell(pulses):
    return LIGHT / CARRIER / 2 * PRF / pulses


def given(targets):
    return [word for target in targets for word in ("--target", ",".join(map(str, target)))]


def expect_found(output, targets, frames, pulses):
    """Expects exactly the targets, each within half a cell of its position in the middle of the last frame."""
    found = table(output, "Targets of the last frame")
    assert len(found) == len(targets), output
    for begin, speed, _ in targets:
        place = begin + speed * (frames - 0.5) * pulses / PRF
        assert any(abs(r - place) < CELL / 2 and abs(v - speed) < speed_cell(pulses) / 2 for r, v, _ in found), output
    lines = re.findall(
        r"^frame +(\d+): +(\d+) targets, strongest at +(\S+) m, +(\S+) m/s, +(\S+) dB; +(\S+) frames/s, latency +(\S+) ms$",
        output, re.MULTILINE)
    assert [int(line[0]) for line in lines] == list(range(frames)), output
    assert int(lines[-1][1]) == len(targets), output
    assert max(abs(float(x) - y) for x, y in zip(lines[-1][2:5], found[0])) < 0.06, output
    for *_, rate, latency in lines[1:]:
        assert float(rate) > 0 and 0 < float(latency) < 60_000, output
    median, _, longest = map(float, re.search(r"^Latency: median (\S+) ms, 99th percentile (\S+) ms, longest (\S+) ms$",
                                              output, re.MULTILINE).groups())
    assert median <= longest == max(float(line[-1]) for line in lines), output


def test_targets(program, mpirun):
    with tempfile.TemporaryDirectory() as folder:

        def expect(processes, *arguments):
            picture = os.path.join(folder, "_".join(map(str, (processes, *arguments))).replace("/", "") + ".png")
            codes, output, errors = run_job(mpirun, processes, program, *SMALL, *given(TARGETS), "--frames", 4,
                                            "--out", picture, *arguments)
            assert codes == [0] * processes and not errors, (codes, output, errors)
            expect_found(output, TARGETS, 4, 32)
            check_png(picture)

        side_by_side(expect, [
            (1,), (2,), (3,), (4,), (7,),
            (1, "--nbuffs", 1),
            (3, "--front", 3, "--doppler", 3, "--nbuffs", 1),  # every process has all roles
            (4, "--front", 3, "--doppler", 1),
            (4, "--front", 1, "--doppler", 2, "--nbuffs", 3),
            (4, "--front", 1, "--doppler", 4),
            (4, "--front", 1, "--doppler", 1),  # one process has no role
            (5, "--front", 4, "--doppler", 3),  # some processes have two roles
        ])

        def expect_run(processes, *arguments):
            codes, output, errors = run_job(mpirun, processes, program, "--frames", 3, "--out",
                                            os.path.join(folder, "tiny.png"), *arguments)
            assert codes == [0] * processes and not errors, (codes, output, errors)
            assert len(re.findall("^frame", output, re.MULTILINE)) == 3, output

        # More processes than pulses or ranges, and overlap wider than the parts or the array.
        expect_run(7, "--channels", 1, "--pulses", 3, "--ranges", 5, "--chirp", 9, "--front", 7, "--doppler", 7)
        # The pulse and the detector's cells of this target extend over the edges of the parts.
        edge = [(256 * CELL, 5, 30)]
        for front, doppler in ((2, 2), (1, 3)):
            codes, output, _ = run_job(mpirun, 4, program, *SMALL, *given(edge), "--front", front, "--doppler",
                                       doppler, "--frames", 2, "--out", os.path.join(folder, "edge.png"))
            assert codes == [0] * 4, output
            expect_found(output, edge, 2, 32)


def simulate(channels, pulses, ranges, chirp, place, speed, snr):
    """A frame of one target in noise, from the formulae of the program's README: [pulse][range][channel]."""
    rng = random.Random(5)
    deviation = 0.003
    amplitude = deviation * math.sqrt(2 * 10 ** (snr / 10) / (chirp * pulses))
    samples = []
    for pulse in range(pulses):
        distance = place + speed * pulse / PRF
        delay = 2 * distance * RATE / LIGHT
        carrier = cmath.exp(-4j * math.pi * distance * CARRIER / LIGHT)
        for n in range(ranges):
            t = n - delay
            echo = 0
            if 0 <= t < chirp:
                echo = amplitude * carrier * cmath.exp(1j * math.pi * 0.8 / chirp * (t - (chirp - 1) / 2) ** 2)
            for channel in range(channels):
                noise = complex(rng.gauss(0, deviation), rng.gauss(0, deviation))
                samples.append(echo * cmath.exp(0.7j * channel) + noise)
    return samples


def test_recording(program, mpirun):
    channels, pulses, ranges, chirp = 2, 32, 200, 32
    shape = ["--pulses", pulses, "--ranges", ranges, "--chirp", chirp]
    target = (400, -13, 33)
    with tempfile.TemporaryDirectory() as folder:
        out = ["--out", os.path.join(folder, "a.png")]
        samples = simulate(channels, pulses, ranges, chirp, *target)
        for datatype in ("ci16_le", "cf32_le"):
            name = write_recording(folder, datatype, 2 * samples, datatype, num_channels=channels)
            copy = os.path.join(folder, "copy_" + datatype)
            codes, output, errors = run_job(mpirun, 3, program, *shape, *out, "--sigmf-in", name + ".sigmf-meta",
                                            "--front", 2, "--doppler", 1, "--sigmf-out", copy, "--sigmf-type", datatype)
            assert codes == [0] * 3 and not errors, (codes, output, errors)
            # Both frames are equal, so the target has its position in the first one.
            moved = [(target[0] - target[1] * pulses / PRF, *target[1:])]
            expect_found(output, moved, 2, pulses)
            fields, capture, numbers = read_recording(copy)
            assert fields["datatype"] == datatype and fields["num_channels"] == channels, fields
            assert fields["sample_rate"] == RATE and fields["version"] == "1.0.0", fields
            assert capture == {"core:sample_start": 0, "core:frequency": CARRIER}, capture
            original = read_recording(name)[2]
            assert len(numbers) == len(original), (len(numbers), len(original))
            step = 1 if datatype == "ci16_le" else 1 / 32768  # the program writes the integers unchanged
            worst = max(abs(a - b) for a, b in zip(numbers, original))
            assert worst == 0 if datatype == "ci16_le" else worst <= 0.5001 * step, worst

        # Only the front end knows the waveform, and that the recording ends in the middle of a frame.
        name = write_recording(folder, "slow", 2 * samples + samples[: len(samples) // 2], num_channels=channels,
                               sample_rate=0.8 * RATE)
        for processes, arguments in ((4, []), (3, ["--front", 1, "--doppler", 1]), (2, ["--nbuffs", 1])):
            codes, output, errors = run_job(mpirun, processes, program, *shape, *out, "--sigmf-in", name, *arguments)
            assert codes == [0] * processes and not errors, (codes, output, errors)
            assert re.findall(r"^frame +(\d+):", output, re.MULTILINE) == ["0", "1"], output
            (found,) = table(output, "Targets of the last frame")
            assert abs(found[0] - target[0] / 0.8) < CELL and abs(found[1] - target[1]) < speed_cell(pulses) / 2, output
        codes, output, errors = run_job(mpirun, 3, program, *shape, *out, "--sigmf-in", name, "--frames", 1)
        assert codes == [0] * 3 and re.findall(r"^frame +(\d+):", output, re.MULTILINE) == ["0"], (output, errors)

        # A simulated recording that is written and read again has the same targets.
        kept = os.path.join(folder, "kept")
        runs = [["--sigmf-out", kept, *given(TARGETS), "--frames", 2], ["--sigmf-in", kept]]
        tables = []
        for processes, arguments in zip((4, 2), runs):
            codes, output, errors = run_job(mpirun, processes, program, *SMALL, *out, *arguments)
            assert codes == [0] * processes, (output, errors)
            expect_found(output, TARGETS, 2, 32)
            tables.append(table(output, "Targets of the last frame"))
        assert all(abs(a - b) < 0.02 for x, y in zip(*tables) for a, b in zip(x, y)), tables


def test_bad_input(program, mpirun):
    with tempfile.TemporaryDirectory() as folder:
        shape = ["--pulses", 8, "--ranges", 50, "--chirp", 8]

        def expect(exit_code, words, *arguments):
            usual = [*shape, "--out", os.path.join(folder, "a.png"), "--sigmf-out", kept]
            expect_refused(mpirun, 3, program, exit_code, words, *without(usual, arguments), *arguments)

        samples = [0.1 + 0.1j] * (8 * 50 * 2)
        good = write_recording(folder, "good", samples, num_channels=2)
        # A refused run does not change the files that it would overwrite.
        kept = write_recording(folder, "kept", samples, num_channels=2)
        blocked = write_recording(folder, "blocked", samples, num_channels=2)
        os.remove(blocked + ".sigmf-data")
        os.mkdir(blocked + ".sigmf-data")
        before = [bytes_of(kept), os.stat(blocked + ".sigmf-meta").st_mtime_ns]
        rows = [(3, words, "--sigmf-in", name) for name, words in bad_recordings(folder, samples, 2)]
        rows += [(3, words, "--sigmf-in", name, "--front", front)
                 for name, words in unusable_recordings(folder, samples, 2) for front in (1, 3)]
        nowhere = os.path.join(folder, "nowhere", "a")
        rows += [
            (2, ["--pulses"], "--pulses", 1),
            (2, ["--target"], "--target", "1,2"),
            (2, ["--target", "SPEED must be from -1e+08 to 1e+08 m/s"], "--target", "1,nan,3"),
            (2, ["--target", "RANGE must be from 0 to 1e+09 m"], "--target", "1e300,0,10"),
            (2, ["--target", "SNR must be from -100 to 100 dB"], "--target", "1,2,101"),
            (2, ["no file can hold 1099511627776 frames"], "--frames", 2**40, "--ranges", 2**20),
            (3, ["carrier"], "--sigmf-in", write_recording(folder, "low", samples, frequency=10, num_channels=2)),
            (3, ["carrier"], "--sigmf-in", write_recording(folder, "turned", samples, frequency=-1e9, num_channels=2)),
            (2, ["--bogus"], "--bogus"),
            (2, ["--false-alarms"], "--false-alarms", "nan"),
            (2, ["4 processes"], "--front", 4),
            (2, ["4 processes"], "--doppler", 4),
            (3, ["holds 400 samples, 1 frames"], "--sigmf-in", good, "--frames", 2),
            (4, [nowhere], "--sigmf-out", nowhere),
            (4, ["blocked.sigmf-data"], "--sigmf-out", blocked),
            (4, [nowhere], "--out", nowhere),
            (4, ["overwrite"], "--sigmf-in", good, "--sigmf-out", good),
        ]
        side_by_side(expect, rows)
        assert before == [bytes_of(kept), os.stat(blocked + ".sigmf-meta").st_mtime_ns]

        # Samples behind the last frame may have any value.
        name = write_recording(folder, "behind", [*samples, math.nan], "cf32_le", num_channels=1)
        codes, output, errors = run_job(mpirun, 3, program, *shape, "--out", os.path.join(folder, "b.png"), "--sigmf-in",
                                        name)
        assert codes == [0] * 3 and not errors, (codes, output, errors)
        codes, output, errors = run_job(mpirun, 2, program, "--help")
        assert codes == [0, 0] and output.count("--frames") == 1 and not errors, (codes, output, errors)


if __name__ == "__main__":
    globals()["test_" + sys.argv[1]](*sys.argv[2:])
