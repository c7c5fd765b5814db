"""One process leaves, forks, or collects its garbage, and no process hangs: the deadline is longer than the test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MPIRUN = HERE.parents[2] / "scripts" / "mpirun.sh"
WATCHDOG = 40  # seconds, far below the deadline


def run(processes, *job):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMIX"))}
    environment |= {"OMPI_MCA_pml": "ob1", "DRI_SETUP_TIMEOUT": "300"}
    options = ["-X", "dev", "-W", "ignore::ResourceWarning"]
    command = [MPIRUN, "-n", str(processes), sys.executable, *options, HERE.parent / "jobs" / job[0], *job[1:]]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=WATCHDOG)


LEAVES = [
    ("do", "StateError", 2), ("for", "StateError", 3), ("kept", "StateError", 2), ("mine", "StateError|PeerError", 3),
    ("inside", "StateError", 2), ("redistribute", "StateError", 4), ("overlap", "StateError", 2),
    ("set up", "PeerError|MismatchError|StateError", 2), ("finalize", "PeerError", 3),
]  # fmt: skip


@pytest.mark.parametrize("how", ["raise", "exit"])
@pytest.mark.parametrize("wait, told, processes", LEAVES, ids=[wait for wait, _, _ in LEAVES])
def test_one_process_leaves(wait, told, processes, how):
    if (wait, how) == ("finalize", "exit"):
        told = ""  # all of them end the library
    done = run(processes, "leaves.py", wait, how)
    lines = [line for line in done.stdout.splitlines() if line.startswith("told ")]
    assert len(lines) == (processes - 1 if told else 0), done.stdout + done.stderr
    for line in lines:
        assert line.split()[1].rstrip(":") in told.split("|") and f"process {processes - 1}" in line, line
    assert ("one fails" in done.stderr) == (how == "raise") and "TIMEOUT" not in done.stderr, done.stderr


@pytest.mark.parametrize("case, processes", [("in_a_wait", 3), ("at_exit", 2), ("a_generator", 2)])
def test_garbage(case, processes):
    done = run(processes, "collected.py", case)
    assert done.returncode == 0 and done.stdout.count("ends") == processes, done.stderr
    assert "Error" not in done.stderr and "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize("call", ["scatter", "statement"])
def test_the_second_ctrl_c_is_raised_at_once(call):
    done = run(2, "insists.py", call)
    assert done.stdout == "heard\n", done.stdout + done.stderr


def test_forked_workers():
    done = run(2, "workers.py")
    assert done.returncode == 0 and done.stdout.count("ends") == 2, done.stderr
