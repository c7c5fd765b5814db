#!/usr/bin/env python3
"""Tests of examples/python/sar_image.py: its image is that of the C++ program.

usage: python_sar_image.py CASE PROGRAM MPIRUN PYTHON SCRIPT [DATA_FOLDER]

CASE is same or bad_input. same forms a simulated scene, and the scene of the data folder if it exists. PROGRAM is
sar_image, which writes the image to compare with.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mpi_job import DEADLINE, run_job
from sar_mat_file import gotcha_file, with_fields


def job(mpirun, processes, *command):
    return subprocess.run([mpirun, "-n", str(processes), *map(str, command)], capture_output=True, text=True, timeout=DEADLINE)


def same(program, mpirun, python, script, data):
    scenes = {"simulated": (["--pixels", 151], (1, 3))}
    if data:
        scenes["measured"] = (["--data", data], (4,))
    with tempfile.TemporaryDirectory() as folder:
        raw, own, picture = (Path(folder, name) for name in ("image.f32", "own.f32", "own.png"))
        for scene, (options, counts) in scenes.items():
            done = job(mpirun, 2, program, "--out", Path(folder, "image.png"), "--raw", raw, *options)
            assert done.returncode == 0, done
            for processes in counts:
                last = ["--raw", own, "--out", picture, "--compare", raw]
                done = job(mpirun, processes, python, "-X", "dev", script, *options, *last)
                assert done.returncode == 0 and "the image equals" in done.stdout, (scene, processes, done)
                # The words above are the script's own: its bytes say the same.
                assert own.stat().st_size == raw.stat().st_size and difference(own, raw) <= 1e-4, (scene, processes)
                assert picture.read_bytes().startswith(b"\x89PNG"), scene

        # The comparison can fail: one pixel in the middle is wrong by a thousandth of the peak.
        pixels = floats(raw)
        peak = max(abs(complex(*pair)) for pair in zip(pixels[::2], pixels[1::2]))
        pixels[len(pixels) // 2] += peak / 1000
        raw.write_bytes(pixels.tobytes())
        done = job(mpirun, 2, python, script, *options, "--compare", raw)
        assert done.returncode == 3 and "differs from" in done.stderr, done


def floats(path):
    import array

    return array.array("f", path.read_bytes())


def difference(a, b):
    """The largest difference of two images, by the peak of the second one."""
    pairs = [list(zip(values[::2], values[1::2])) for values in (floats(a), floats(b))]
    peak = max(abs(complex(*pixel)) for pixel in pairs[1])
    return max(abs(complex(*one) - complex(*other)) for one, other in zip(*pairs)) / peak


def bad_input(_, mpirun, python, script, __):
    with tempfile.TemporaryDirectory() as folder:

        def expect(words, **files):
            data = Path(tempfile.mkdtemp(dir=folder))
            for name, contents in files.items():
                (data / f"{name}.mat").write_bytes(contents)
            codes, output, errors = run_job(mpirun, 3, python, script, "--data", data)
            # mpirun ends the others once one has failed; those have no code of their own.
            assert all(code != 0 for code in codes) and not output, (words, codes, output)
            assert all(errors.count(word) == 1 for word in words), (words, errors)
            assert "Traceback" not in errors, errors

        good = gotcha_file()
        expect(["no files data_*.mat"])
        expect(["data_1.mat"], data_1=good[: len(good) // 2])
        expect(["data_1.mat"], data_1=b"no data at all\n" * 100)
        expect(["data_1.mat"], data_1=with_fields(fp=None))
        expect(["data_1.mat"], data_1=with_fields(x=[7000.0] * 3))
        expect(["data_1.mat"], data_1=with_fields(z=[float("nan")] * 8))
        expect(["data_2.mat", "data.freq"], data_1=good, data_2=with_fields(freq=[9e9 + 1e6 * i for i in range(32)]))
        expect(["one direction"], data_1=with_fields(x=[7000.0] * 8, y=[0.0] * 8))


def main():
    case, program, mpirun, python, script = sys.argv[1:6]
    data = os.path.abspath(sys.argv[6]) if len(sys.argv) > 6 and os.path.isdir(sys.argv[6]) else None
    {"same": same, "bad_input": bad_input}[case](program, mpirun, python, script, data)


if __name__ == "__main__":
    main()
