#!/usr/bin/env python3
"""Tests of scripts/demo.sh, which runs the demonstrations: the options that it passes. Nothing is built or run.

usage: demo.py CASE SAR_IMAGE MPIRUN SCRIPT

CASE is data.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STUB = '#!/bin/sh\necho "${0##*/} $*"\n'


def run(script, work, *arguments):
    stubs = {"PATH": f"{work / 'stubs'}:{os.environ['PATH']}"}
    command = ["bash", script, "--no-setup", *map(str, arguments)]
    return subprocess.run(command, cwd=work, env={**os.environ, **stubs}, capture_output=True, text=True, timeout=60)


def folder_with_data(path):
    path.mkdir(parents=True)
    (path / "data_1.mat").touch()


def data(script):
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        for name in ("project/scripts", "stubs", "empty"):
            (work / name).mkdir(parents=True)
        for name in ("demo.sh", "mpirun.sh"):
            shutil.copy(Path(script).parent / name, work / "project/scripts")
        for name in ("cmake", "mpirun"):
            (work / "stubs" / name).write_text(STUB)
            (work / "stubs" / name).chmod(0o755)
        (work / "project/build/release").mkdir(parents=True)
        (work / "project/build/release/CMakeCache.txt").write_text("DRI_PYTHON_EXECUTABLE:FILEPATH=a-python\n")
        folder_with_data(work / "own data [1]")
        beside = work / "shared/data/gotcha"

        def image_options(*arguments):
            done = run(work / "project/scripts/demo.sh", work, *arguments)
            assert done.returncode == 0, done
            lines = done.stdout.splitlines()
            (line,) = [line for line in lines if "bin/sar_image" in line]
            assert any("bin/two_stage_fft" in line for line in lines), done.stdout
            options = line.split("bin/sar_image")[1].split("--out")[0].strip()
            # The last job forms the image again, from the same data, and compares it with the first one.
            last = [line for line in lines if line.startswith("mpirun ")][-1]
            raw = line.split("--raw")[1].strip()
            assert last.startswith("mpirun -n 4 a-python examples/python/sar_image.py"), last
            assert last.split("sar_image.py")[1].split("--out")[0].strip() == options, last
            assert last.endswith(f"--compare {raw}"), last
            return options, done.stdout

        options, output = image_options()
        assert options == "" and "simulated scene" in output, output
        for given in ("own data [1]", work / "own data [1]"):
            options, output = image_options("--data", given)
            assert options == f"--data {work / 'own data [1]'}" and "simulated" not in output, output
        beside.mkdir(parents=True)
        assert image_options()[0] == "", "a folder without files is no data set"
        (beside / "data_1.mat").touch()
        assert image_options()[0] == "--data ../shared/data/gotcha"
        assert image_options("--data", "own data [1]")[0] == f"--data {work / 'own data [1]'}"

        for arguments, words in [
            (["--data", "nowhere"], ["data_*.mat", f"{work}/nowhere"]),
            (["--data", "empty"], ["data_*.mat", f"{work}/empty"]),
            (["--data"], ["--data needs a folder", "usage: "]),
            (["--data", ""], ["--data needs a folder", "usage: "]),
        ]:
            done = run(work / "project/scripts/demo.sh", work, *arguments)
            assert done.returncode == 2 and not done.stdout, (arguments, done)
            assert all(word in done.stderr for word in words), (words, done.stderr)


if __name__ == "__main__":
    {"data": data}[sys.argv[1]](sys.argv[4])
