#!/usr/bin/env python3
"""Tests of the example program two_stage_fft.

usage: two_stage_fft.py CASE PROGRAM MPIRUN

CASE is result, comparison, progress or bad_options.
"""

import os
import pty
import re
import subprocess
import sys

from mpi_job import DEADLINE, run_job, side_by_side

# Odd sizes, more processes than rows or columns, a single row or column, a single element.
SIZES = [(37, 53), (64, 64), (3, 50), (50, 2), (1, 12), (12, 1), (1, 1)]


def stage_times(output):
    """Milliseconds of the three stages, and GB/s of the corner turn."""
    number = r"\s+([0-9.]+)"
    found = re.search(
        rf"FFTs along rows{number} ms\s+corner turn{number} ms{number} GB/s\s+FFTs along columns{number} ms", output
    )
    assert found, output
    rows, turn, rate, columns = map(float, found.groups())
    return rows, turn, columns, rate


def test_result(program, mpirun):
    def expect_result(processes, rows, columns):
        codes, output, errors = run_job(mpirun, processes, program, "--rows", rows, "--cols", columns, "--frames", 3)
        assert codes == [0] * processes and not errors, (processes, rows, columns, output, errors)
        assert f"{rows} x {columns} complex float over {processes} processes, 3 frames" in output, output
        error = float(re.search(r"relative error against FFTW-MPI (\S+): correct", output).group(1))
        assert 0 <= error < 1e-5, output

    side_by_side(expect_result, [(processes, *sizes) for processes in (1, 3, 4) for sizes in SIZES])
    codes, output, _ = run_job(mpirun, 2, program, "--rows", 512, "--cols", 512, "--flag", "measure", "--frames", 5)
    assert codes == [0, 0], output
    _, turn, _, rate = stage_times(output)
    assert abs(rate - 512 * 512 * 8 / turn * 1e-6) < 0.1 * rate, output


def test_comparison(program, mpirun):
    """Times of stages and in total for both libraries, and their ratio, even with empty processes and unequal blocks."""
    names = ["FFTs along rows", "corner turn", "FFTs along columns", "whole frame"]

    def expect_table(processes, rows, columns):
        codes, output, errors = run_job(
            mpirun, processes, program, "--rows", rows, "--cols", columns, "--frames", 3, "--compare"
        )
        assert codes == [0] * processes and not errors, (processes, rows, columns, output, errors)
        assert f"{rows} x {columns} complex float over {processes} processes, 3 frames" in output, output
        assert float(re.search(r"relative error against FFTW-MPI (\S+): correct", output).group(1)) < 1e-5, output
        times = re.findall(r"^  (\S.*\S) +([0-9.]+) ms +([0-9.]+) ms +([0-9.]+)$", output, re.MULTILINE)
        assert [name.strip() for name, *_ in times] == names, output
        here, fftw, gain = map(float, times[-1][1:])
        rounded = 0.0006  # maximum rounding error in ms
        most = (fftw + rounded) / (here - rounded) + 0.006
        assert here > rounded and (fftw - rounded) / (here + rounded) - 0.006 <= gain <= most, output

    side_by_side(expect_table, [(1, 20, 30), (2, 256, 256), (3, 37, 53), (3, 2, 50), (4, 50, 2), (4, 64, 10)])


def standard_error_on_terminal(command):
    master, slave = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, text=True) as job:
        os.close(slave)
        output = job.communicate(timeout=DEADLINE)[0]
    shown = b""
    try:
        while chunk := os.read(master, 4096):
            shown += chunk
    except OSError:  # Linux reports the end of a closed terminal in this way
        pass
    os.close(master)
    assert job.returncode == 0, shown
    return output, shown.decode()


def test_progress(program, mpirun):
    command = [mpirun, "-n", "2", program, "--rows", "20", "--cols", "30", "--frames", "4"]
    output, shown = standard_error_on_terminal(command)
    assert "[==========                              ] frame 1 of 4" in shown and "frame 4 of 4" in shown, shown
    assert "frame 1 of" not in output, output

    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "frame 1 of" not in done.stdout and "\r" not in done.stdout, done.stdout


def test_bad_options(program, mpirun):
    def expect_refusal(arguments, word):
        codes, output, errors = run_job(mpirun, 3, program, *arguments)
        assert codes == [2, 2, 2] and not output, (arguments, codes, output)
        assert word in errors and len(errors.splitlines()) <= 2, (arguments, errors)

    side_by_side(expect_refusal, [
        (["--rows", "0"], "--rows"),
        (["--cols", "99999999"], "--cols"),
        (["--frames", "many"], "--frames"),
        (["--flag", "guess"], "--flag"),
        (["--colour"], "--colour"),
        (["--compare", "--rows", "1"], "--compare"),
        (["--compare", "--cols", "1"], "--compare"),
    ])
    codes, output, errors = run_job(mpirun, 3, program, "--rows", 1 << 24, "--cols", 1 << 24)
    assert codes == [1, 1, 1] and "no address space for" in errors and len(errors.splitlines()) == 1, (codes, errors)
    codes, output, errors = run_job(mpirun, 3, program, "--help")
    assert codes == [0, 0, 0] and output.count("--frames") == 1 and not errors, (codes, output, errors)


if __name__ == "__main__":
    globals()["test_" + sys.argv[1]](*sys.argv[2:])
