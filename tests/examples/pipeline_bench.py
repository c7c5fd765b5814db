#!/usr/bin/env python3
"""Tests of pipeline_bench.

usage: pipeline_bench.py CASE PROGRAM MPIRUN

CASE is equal or bad_input.
"""

import sys

from mpi_job import expect_refused, run_job, side_by_side

SMALL = ["--channels", 4, "--pulses", 32, "--ranges", 512, "--chirp", 64]
FRAMES, UNSTEADY, ROUNDS, TARGETS = 3, 2, 2, 5


def rows(output):
    lines = [line for line in output.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_equal(program, mpirun):
    """Both programs compute the same cubes and detections, and find every target in every frame."""

    def expect(processes, front, doppler, buffers, *arguments):
        codes, output, errors = run_job(mpirun, processes, program, "--front", front, "--doppler", doppler, "--nbuffs",
                                        buffers, "--frames", FRAMES, "--rounds", ROUNDS, *arguments)
        assert codes == [0] * processes and not errors, (codes, output, errors)
        assert "All detections and cubes are equal." in output, output
        found = rows(output)
        roles = [str(processes), str(front), str(doppler)]
        assert [row[:5] for row in found] == [roles + [str(buffers), "DRI"], roles + ["1", "MPI_Alltoallv"]], output
        for row in found:
            rate, median, most = map(float, row[5:8])
            assert rate > 0 and 0 < median <= most, output
        assert output.count("in the calls") == processes, output
        return found

    def expect_targets(*arguments):
        for row in expect(*arguments, *SMALL):
            assert int(row[8]) == TARGETS * ROUNDS * (FRAMES + UNSTEADY), row

    side_by_side(expect_targets, [
        (1, 1, 1, 2),
        (2, 1, 1, 2),
        (3, 3, 3, 1),  # every process has all roles
        (4, 1, 2, 3),
        (4, 1, 1, 2),  # one process has no role
        (5, 4, 3, 2),  # some processes have two roles
    ])
    # More processes than pulses or ranges, and overlap wider than the parts or the array.
    expect(7, 7, 7, 1, "--channels", 1, "--pulses", 3, "--ranges", 5, "--chirp", 9)


def test_bad_input(program, mpirun):
    side_by_side(lambda *row: expect_refused(mpirun, 3, program, 2, *row), [
        (["--pulses"], "--pulses", 1),
        (["--frames"], "--frames", 1),
        (["--rounds"], "--rounds", 0),
        (["4 processes"], "--front", 4),
        (["surplus"], "surplus"),
        # These are refused before any memory is reserved.
        (["counts of MPI_Alltoallv"], "--channels", 1024, "--pulses", 1024, "--ranges", 1 << 20),
    ])


if __name__ == "__main__":
    globals()["test_" + sys.argv[1]](*sys.argv[2:])
