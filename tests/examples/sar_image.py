#!/usr/bin/env python3
"""Tests of the example program sar_image.

usage: sar_image.py CASE PROGRAM MPIRUN [DATA_FOLDER]

CASE is simulated, processes, gotcha or bad_input. gotcha needs the data folder, and is skipped (exit code 77)
if it does not exist. processes uses the folder if it exists.
"""

import array
import math
import os
import subprocess
import sys
import tempfile

from mpi_job import side_by_side
from program_output import check_png, table
from sar_mat_file import gotcha_file, with_fields

DEADLINE = 100  # seconds; a longer run counts as hung
SKIPPED = 77


class Program:
    def __init__(self, program, mpirun):
        self.program, self.mpirun = program, mpirun

    def run(self, processes, *arguments):
        """Runs the program. Returns the exit codes of all processes, standard output and standard error."""
        report = '"$@"; echo "exit code $?" >&2'
        command = [self.mpirun, "-n", str(processes), "sh", "-c", report, "sh", self.program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
        lines = done.stderr.splitlines()
        codes = [int(line.split()[-1]) for line in lines if line.startswith("exit code ")]
        errors = "\n".join(line for line in lines if not line.startswith("exit code "))
        assert len(codes) == processes, done.stderr
        return codes, done.stdout, errors

    def image(self, folder, processes, *arguments):
        """Runs the program, which must succeed. Returns its output and the raw image as a list of complex rows."""
        raw, png = os.path.join(folder, "image.f32"), os.path.join(folder, "image.png")
        codes, output, errors = self.run(processes, "--out", png, "--raw", raw, *arguments)
        assert codes == [0] * processes and not errors, (codes, errors)
        check_png(png)
        values = array.array("f")
        with open(raw, "rb") as file:
            values.frombytes(file.read())
        pixels = math.isqrt(len(values) // 2)
        assert 2 * pixels * pixels == len(values)
        rows = [
            [complex(values[i], values[i + 1]) for i in range(2 * row * pixels, 2 * (row + 1) * pixels, 2)]
            for row in range(pixels)
        ]
        return output, rows


def test_simulated(program, _):
    with tempfile.TemporaryDirectory() as folder:
        for processes in (1, 3):
            output, rows = program.image(folder, processes)
            (line,) = (line for line in output.splitlines() if line.startswith("Resolution"))
            half_cell = min(float(word) for word in line.split() if word[0].isdigit()) / 2
            targets = table(output, "Simulated targets")
            brightest = table(output, "Brightest points")
            assert len(targets) == len(brightest) == 10

            step = 100 / (len(rows) - 1)
            for x, y, db, *_ in targets:
                distance, found_db = min((math.hypot(px - x, py - y), pdb) for px, py, pdb in brightest)
                assert distance < half_cell, (x, y, distance)
                assert abs(found_db - db) < 0.5, (x, y, db, found_db)
                # The picture itself, without the program's search: an error of half a pixel costs less than 3.5 dB.
                pixel = rows[round((y + 50) / step)][round((x + 50) / step)]
                assert abs(20 * math.log10(abs(pixel)) - db) < 3.5, (x, y, db, pixel)
            centre = rows[len(rows) // 2][len(rows) // 2]
            assert abs(centre - 0.5) < 0.01, centre

            codes, output, _ = program.run(processes, "--out", os.path.join(folder, "small.png"), "--pixels", 64,
                                           "--extent", 10, "--points", 1, "--range-db", 30)
            assert codes == [0] * processes and len(table(output, "Brightest points")) == 1


def test_processes(program, data):
    scenes = [[], ["--data", data]] if data else [[]]
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            _, alone = program.image(folder, 1, "--pixels", 301, *scene)
            peak = max(abs(pixel) for row in alone for pixel in row)
            assert peak > 0
            for processes in (2, 3, 4):
                _, image = program.image(folder, processes, "--pixels", 301, *scene)
                worst = max(abs(a - b) for row_a, row_b in zip(alone, image) for a, b in zip(row_a, row_b))
                assert worst <= 1e-5 * peak, (processes, worst / peak)


def test_gotcha(program, data):
    if not data:
        print("skipped: no data")
        sys.exit(SKIPPED)
    # The trihedrals as in an independent backprojection of the same data.
    expected = [(-15.6, 21.6, 0.0), (-27.8, 38.8, -5.9)]
    with tempfile.TemporaryDirectory() as folder:
        output, rows = program.image(folder, 4, "--data", data)
        for (x, y, db), (found_x, found_y, found_db) in zip(expected, table(output, "Brightest points")):
            assert math.hypot(found_x - x, found_y - y) < 0.4, (found_x, found_y)
            assert abs(found_db - db) < 0.5, found_db
        step = 100 / (len(rows) - 1)
        brightest = max((abs(pixel), ix, iy) for iy, row in enumerate(rows) for ix, pixel in enumerate(row))
        assert math.hypot(brightest[1] * step - 50 + 15.6, brightest[2] * step - 50 - 21.6) < 0.4


def expect_failure(program, folder, exit_code, words, arguments, processes):
    if "--out" not in arguments:
        arguments += ("--out", os.path.join(folder, "none.png"))
    codes, _, errors = program.run(processes, *arguments)
    assert codes == [exit_code] * processes, (words, codes, errors)
    for word in words:
        assert errors.count(word) == 1, (word, errors)
    assert len(errors.splitlines()) <= 2, errors


def test_bad_input(program, _):
    with tempfile.TemporaryDirectory() as folder:
        rows = []

        def expect(exit_code, words, *arguments, processes=(3,)):
            rows.extend((program, folder, exit_code, words, arguments, count) for count in processes)

        def data_folder(**files):
            """Makes a new folder with these files, each as NAME.mat."""
            path = tempfile.mkdtemp(dir=folder)
            for name, contents in files.items():
                with open(os.path.join(path, name + ".mat"), "wb") as file:
                    file.write(contents)
            return path

        expect(2, ["--pixels"], "--pixels", 3)
        expect(2, ["--bogus"], "--bogus")
        for option in ("--extent", "--range-db"):
            expect(2, [option, "nan is not a finite number"], option, "nan")
            expect(2, [option], option, "inf")
        expect(4, ["nowhere"], "--out", os.path.join(folder, "nowhere", "a.png"))
        expect(4, ["nowhere"], "--raw", os.path.join(folder, "nowhere", "a.f32"))
        expect(3, ["without ambiguity"], "--extent", 500)
        missing = os.path.join(folder, "missing")
        expect(3, [missing], "--data", missing)
        empty = data_folder()
        expect(3, [empty, "data_*.mat"], "--data", empty)

        good = gotcha_file()
        codes, _, errors = program.run(3, "--data", data_folder(data_1=good), "--out", os.path.join(folder, "good.png"))
        assert codes == [0] * 3, errors
        other = data_folder(data_1=good, data_2=with_fields(freq=[9e9 + 1e6 * i for i in range(32)]))
        expect(3, ["data_2.mat", "data.freq"], "--data", other)

        def expect_wrong_file(contents, words, processes=(3,)):
            expect(3, ["data_1.mat", *words], "--data", data_folder(data_1=contents), processes=processes)

        for length in (0, 50, 128, 130, 1000, len(good) // 2, len(good) - 1):
            expect_wrong_file(good[:length], [] if length == 128 else ["truncated"], processes=(1, 3) if length == 1000 else (1,))
        expect_wrong_file(b"no data at all\n" * 100, ["MATLAB"])
        expect_wrong_file(bytes(range(256)) * 40, ["MATLAB"])
        expect_wrong_file(gotcha_file(variable="other"), ['"data"'])
        expect_wrong_file(with_fields(fp=None), ["data.fp", "missing"])
        expect_wrong_file(with_fields(freq=None), ["data.freq", "missing"])
        expect_wrong_file(with_fields(y=None), ["data.y", "missing"])
        expect_wrong_file(with_fields(fp=[1.0] * 32), ["data.fp", "complex"])
        expect_wrong_file(with_fields(x=[7000.0] * 3), ["data.x", "3 values for 8 pulses"])
        expect_wrong_file(with_fields(x=[]), ["data.x", "empty"])
        expect_wrong_file(with_fields(z=[math.nan] * 8), ["data.z", "finite"])
        expect_wrong_file(with_fields(r0=[1.0] * 8), ["data.r0"])
        expect_wrong_file(with_fields(freq=[9e9] * 32), ["data.freq", "evenly"])
        expect_wrong_file(with_fields(freq=[9e9, 9.1e9]), ["data.fp", "2 frequencies"])

        side_by_side(expect_failure, rows)


def main():
    case, program, mpirun = sys.argv[1:4]
    data = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 and os.path.isdir(sys.argv[4]) else None
    tests = {"simulated": test_simulated, "processes": test_processes, "gotcha": test_gotcha,
             "bad_input": test_bad_input}
    tests[case](Program(os.path.abspath(program), mpirun), data)


if __name__ == "__main__":
    main()
