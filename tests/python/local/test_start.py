"""What is refused before the library runs, and what keeps it from running."""

import os
import subprocess
import sys


def told_by(code):
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMIX"))}
    done = subprocess.run([sys.executable, "-c", code], env=own, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_two_mpis_are_refused():
    ours, text, runs = told_by(
        "import dri\nfrom mpi4py import MPI\nprint(MPI.Get_library_version().split(',')[0])\n"
        "MPI.Get_library_version = lambda: 'MPICH Version: 4.0.2'\n"
        "try:\n    dri.init()\nexcept dri.StateError as error:\n    print(error)\n"
        "try:\n    dri.Distribution((4,), 'f8', 'block')\nexcept dri.StateError:\n    print(dri.env.is_running())"
    )
    assert "two MPIs" in text and "MPICH Version: 4.0.2" in text and ours in text and "\\x00" not in text
    assert runs == "False"


def test_a_communicator_of_all_processes_starts_the_library():
    """They are all there; a communicator of some of them does not, and says what to do."""
    told = told_by(
        "import dri\nfrom mpi4py import MPI\nimport numpy as np\n"
        "for make in (lambda: dri.Distribution((4,), 'f8', 'block', MPI.COMM_WORLD), lambda: dri.zeros(4, comm=MPI.COMM_WORLD),\n"
        "             lambda: dri.scatter(np.zeros(4), 'block', MPI.COMM_WORLD.Dup()),\n"
        "             lambda: dri.from_distarray(dri.dap.Section(np.zeros(()), ()), MPI.COMM_WORLD)):\n"
        "    before, made = dri.env.is_running(), make()\n"
        "    print(before, made.distribution.group if isinstance(made, dri.Array) else made.group)\n    dri.finalize()\n"
        "for wrong in (MPI.COMM_NULL, [0]):\n"
        "    try:\n        dri.Distribution((4,), 'f8', 'block', wrong)\n"
        "    except dri.StateError as error:\n        print(error)"
    )
    assert told == ["False 0"] * 4 + ["call dri.init() on all processes first"] * 2, told


def test_before_the_start():
    calls = "dri.finalize dri.progress dri.wisdom.dumps dri.Group([0]).handle dri.env.world".split()
    calls += ["lambda: dri.Distribution((4,), 'f8', 'block', [0])", "lambda: dri.Group([0]).position"]
    told = told_by(
        f"import dri\nfor call in ({', '.join(calls)}):\n"
        "    try:\n        call()\n    except dri.StateError as error:\n        print(error)"
    )
    assert len(told) == len(calls), told
    assert all("not running" in line or "dri.init()" in line for line in told), told
