"""What is local makes no MPI call, before the start of the library as after it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
COUNTER = os.environ.get("DRI_MPI_COUNTER", "")


@pytest.mark.skipif(not COUNTER, reason="DRI_MPI_COUNTER names no counter of MPI calls; ctest sets it")
@pytest.mark.parametrize("processes", [1, 3])
def test_local_calls_send_nothing(processes):
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMIX"))}
    command = [HERE.parents[2] / "scripts" / "mpirun.sh", "-n", str(processes), "-x", f"LD_PRELOAD={COUNTER}"]
    done = subprocess.run(
        [*command, sys.executable, HERE.parent / "jobs" / "quiet.py"], env=own | {"OMPI_MCA_pml": "ob1"},
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.count("quiet") == processes, done.stderr
