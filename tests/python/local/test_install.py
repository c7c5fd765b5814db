"""The package installs by CMake and by pip, can be moved, and works from the folder of its sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dri

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "examples" / "python" / "corner_turn.py"
BUILD = Path(dri.__file__).parent.parent.parent if "build" in Path(dri.__file__).parts else None


def environment(path):
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMIX", "PYTHON"))}
    return own | {"PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1", "OMPI_MCA_pml": "ob1"}


def turns(path):
    command = [ROOT / "scripts" / "mpirun.sh", "-n", "2", sys.executable, PROGRAM, "64"]
    done = subprocess.run(command, env=environment(path), capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "transpose" in done.stdout, done.stderr
    where = "import dri; print(dri.__file__, dri.get_include())"
    found = subprocess.run([sys.executable, "-c", where], env=environment(path), cwd="/", capture_output=True, text=True)
    package, include = found.stdout.split()
    assert Path(package).is_relative_to(path) and (Path(include) / "dri" / "dri.h").exists()


@pytest.mark.skipif(BUILD is None, reason="the package is not in a build folder")
def test_by_cmake(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path / "first"], check=True, capture_output=True)
    shutil.move(tmp_path / "first", tmp_path / "moved")
    (package,) = (tmp_path / "moved").glob("**/dri/__init__.py")
    turns(package.parent.parent)


@pytest.mark.skipif(BUILD is None, reason="the package is not in a build folder")
def test_by_pip_offline(tmp_path):
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "--quiet"]
    source = tmp_path / "source"  # pip writes beside the sources
    source.mkdir()
    for name in ("dri", "include", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        (source / name).symlink_to(ROOT / name)
    done = subprocess.run(
        [*command, "--target", tmp_path / "target", "."], cwd=source, capture_output=True, text=True, timeout=200,
        env=environment("") | {"DRI_BUILD_DIR": str(BUILD)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    turns(tmp_path / "target")


def test_from_the_sources():
    turns(ROOT)


def test_sources_without_a_build_say_how(tmp_path):
    shutil.copytree(ROOT / "dri", tmp_path / "dri", ignore=shutil.ignore_patterns("ext", "__pycache__"))
    done = subprocess.run([sys.executable, "-c", "import dri"], env=environment(tmp_path), cwd="/", capture_output=True, text=True)
    assert "ImportError" in done.stderr and "cmake --build" in done.stderr


def test_importing_starts_nothing():
    code = "import sys, dri; print([m for m in ('mpi4py', 'matplotlib', 'dri.graph', 'dri.plot') if m in sys.modules])"
    assert told_by(code) == "[]"


def test_graphs_need_no_import_of_their_own():
    assert told_by("import dri; print(dri.graph.Graph.__name__, dri.graph.MissingSendError.__name__)") == "Graph MissingSendError"


def told_by(code):
    path = Path(dri.__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], env=environment(path), cwd="/", capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout.strip()
