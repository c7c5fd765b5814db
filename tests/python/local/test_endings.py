"""Programs that end in unusual ways end, and all their processes do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MPIRUN = HERE.parents[2] / "scripts" / "mpirun.sh"
JOB = HERE.parent / "jobs" / "last_words.py"


def run(case, processes=2):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMIX"))}
    environment |= {"OMPI_MCA_pml": "ob1", "DRI_SETUP_TIMEOUT": "30"}
    command = [MPIRUN, "-n", str(processes), sys.executable, "-X", "dev", JOB, case]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("case", ["exits", "finalised", "forks", "mpi_ends_first", "progress_thread", "forgotten"])
def test_ends_well(case):
    done = run(case)
    assert done.returncode == 0 and done.stdout.count("ends") == 2, done.stderr
    assert ("ResourceWarning" in done.stderr) == (case in ("forgotten", "progress_thread")), done.stderr


def test_an_uncaught_exception_reaches_the_others():
    done = run("uncaught")
    assert done.returncode != 0 and done.stdout.count("ends") == 1, done.stderr
    assert "one fails" in done.stderr and "deadline" not in done.stderr and "TIMEOUT" not in done.stderr
