"""One process leaves, forks, or collects its garbage, and no process hangs: the deadline is longer than the test."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MPIRUN = HERE.parents[2] / "scripts" / "mpirun.sh"
WATCHDOG = 100  # seconds, far below the deadline


def run(processes, *job):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMIX"))}
    environment |= {"OMPI_MCA_pml": "ob1", "DRI_SETUP_TIMEOUT": "300"}
    options = ["-X", "dev", "-W", "ignore::ResourceWarning"]
    command = [MPIRUN, "-n", str(processes), sys.executable, *options, HERE.parent / "jobs" / job[0], *job[1:]]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=WATCHDOG)


@pytest.fixture(scope="module")
def started(request):
    """All jobs of the tests that run, three at a time and in their order: most of their time they wait."""
    jobs = [item.callspec.params["done"] for item in request.session.items if item.module is request.module]
    with ThreadPoolExecutor(3) as pool:
        yield {job: pool.submit(run, *job) for job in jobs}


@pytest.fixture
def done(request, started):
    return started[request.param].result()


def of_jobs(names, rows):
    """The test runs for each row of values. The last of them is the job, of which the test gets what it has done."""
    ids = ["-".join(map(str, row[-1][2:] or row[-1][1:])) for row in rows]
    return pytest.mark.parametrize([*names.split(), "done"], rows, indirect=["done"], ids=ids)


LEAVES = [
    ("do", "StateError", 2), ("for", "StateError", 3), ("kept", "StateError", 2), ("mine", "StateError|PeerError", 3),
    ("inside", "StateError", 2), ("redistribute", "StateError", 4), ("overlap", "StateError", 2),
    ("set up", "PeerError|MismatchError|StateError", 2), ("finalize", "PeerError", 3),
]  # fmt: skip


@of_jobs(
    "wait told processes how",
    [(wait, told, n, how, (n, "leaves.py", wait, how)) for wait, told, n in LEAVES for how in ("raise", "exit")],
)
def test_one_process_leaves(wait, told, processes, how, done):
    if (wait, how) == ("finalize", "exit"):
        told = ""  # all of them end the library
    lines = [line for line in done.stdout.splitlines() if line.startswith("told ")]
    assert len(lines) == (processes - 1 if told else 0), done.stdout + done.stderr
    for line in lines:
        assert line.split()[1].rstrip(":") in told.split("|") and f"process {processes - 1}" in line, line
    assert ("one fails" in done.stderr) == (how == "raise") and "TIMEOUT" not in done.stderr, done.stderr


@of_jobs("processes", [(n, (n, "collected.py", case)) for case, n in (("in_a_wait", 3), ("at_exit", 2), ("a_generator", 2))])
def test_garbage(processes, done):
    assert done.returncode == 0 and done.stdout.count("ends") == processes, done.stderr
    assert "Error" not in done.stderr and "Traceback" not in done.stderr, done.stderr


@of_jobs("", [((2, "insists.py", call),) for call in ("scatter", "statement")])
def test_the_second_ctrl_c_is_raised_at_once(done):
    assert done.stdout == "heard\n", done.stdout + done.stderr


@of_jobs("", [((2, "workers.py"),)])
def test_forked_workers(done):
    assert done.returncode == 0 and done.stdout.count("ends") == 2, done.stderr
