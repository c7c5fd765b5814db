#!/usr/bin/env python3
"""Tests of cpp_radar_graph and cpp_sonar_graph: pipelines as graphs give what the same stages by hand give.

usage: graphs.py CASE PROGRAM MPIRUN BY_HAND

CASE is radar or sonar.
"""

import os
import re
import sys
import tempfile

import range_doppler
import sonar_beamformer
from mpi_job import run_job, side_by_side

RADAR = [*range_doppler.SMALL, *range_doppler.given(range_doppler.TARGETS), "--frames", 6]
SONAR = [*sonar_beamformer.SMALL, *sonar_beamformer.given(sonar_beamformer.SOURCES, sonar_beamformer.TONES), "--frames", 6]


def results(output):
    """The lines without times, which differ from run to run."""
    lines = re.sub(r";? +\S+ frames/s, latency +\S+ ms", "", output).splitlines()
    return [line for line in lines if not re.search(r"frames/s|^Latency|latency|^The picture is in", line)]


def expect_equal(program, mpirun, by_hand, common, rows, words):
    with tempfile.TemporaryDirectory() as folder:

        def expect(processes, *arguments):
            made = []
            for name in (program, by_hand):
                file = os.path.join(folder, "_".join(map(str, (os.path.basename(name), processes, *arguments))))
                codes, output, errors = run_job(mpirun, processes, name, *common, "--out", f"{file}.png", *arguments)
                assert codes == [0] * processes and not errors, (codes, output, errors)
                with open(f"{file}.png", "rb") as picture:
                    made.append((results(output), picture.read()))
                if name == program:
                    with open(f"{file}.dot", encoding="utf-8") as drawn:
                        text = drawn.read()
                    assert all(word in text for word in ("digraph", *words)), text
            assert made[0][0] == made[1][0] and len(made[0][0]) > 6, made
            assert made[0][1] == made[1][1]

        side_by_side(expect, rows)


def test_radar(program, mpirun, by_hand):
    expect_equal(program, mpirun, by_hand, RADAR, [
        (1,), (2,), (3,), (4,), (1, "--nbuffs", 1),
        (3, "--front", 3, "--doppler", 3, "--nbuffs", 1),  # every process has all roles
        (4, "--front", 1, "--doppler", 2, "--nbuffs", 3),
        (4, "--front", 1, "--doppler", 1),  # one process has no role
        (5, "--front", 4, "--doppler", 3),  # some processes have two roles
    ], ("samples", "turn", "detections", "compress"))


def test_sonar(program, mpirun, by_hand):
    expect_equal(program, mpirun, by_hand, SONAR, [
        (1,), (2,), (3,), (5,), (1, "--nbuffs", 1),
        (3, "--front", 3, "--broad", 3, "--narrow", 3),
        (4, "--front", 2, "--broad", 3, "--narrow", 1, "--nbuffs", 3),
    ], ("series", "spectra", "bearings", "lines", "narrow band"))


if __name__ == "__main__":
    globals()["test_" + sys.argv[1]](*sys.argv[2:])
