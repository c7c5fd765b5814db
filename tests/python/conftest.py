"""Every test ends: a watchdog prints all stacks. In an MPI job all processes share the outcome of each test."""

import faulthandler
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
IN_MPI = "OMPI_COMM_WORLD_SIZE" in os.environ
LONGEST = 60 if IN_MPI else 350  # s; jobs that a local test starts have limits of 100 and 200 s


def pytest_configure(config):
    # Fewer processes than the set-up deadline's default of 300 s are missed sooner.
    os.environ.setdefault("DRI_SETUP_TIMEOUT", "20")
    config.addinivalue_line("markers", "procs(n): needs at least n processes")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    faulthandler.dump_traceback_later(LONGEST, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def world():
    import dri

    return dri.init()


@pytest.fixture
def rank(world):
    return world.position


@pytest.fixture(autouse=True)
def _enough(request):
    mark = request.node.get_closest_marker("procs")
    if mark and len(request.getfixturevalue("world")) < mark.args[0]:
        pytest.skip(f"needs {mark.args[0]} processes")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if not IN_MPI or call.when != "call":
        return
    from mpi4py import MPI

    failed = [rank for rank, bad in enumerate(MPI.COMM_WORLD.allgather(report.failed)) if bad]
    if failed and not report.failed:
        report.outcome = "failed"
        report.longrepr = f"failed on processes {failed}"
