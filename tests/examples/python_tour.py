#!/usr/bin/env python3
"""Runs examples/python/tour.py, and compares its pictures with those of the manual.

usage: python_tour.py MPIRUN PYTHON SCRIPT PICTURES

PICTURES is the folder docs/pictures.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("python_distributions.svg", "python_overlap.svg", "python_traffic.svg")


def main():
    mpirun, python, script, pictures = sys.argv[1:]
    sys.path.insert(0, pictures)
    from draw import same

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([mpirun, "-n", "4", python, "-X", "dev", script, folder], check=True, timeout=100)
        assert sorted(path.name for path in Path(folder).iterdir()) == sorted(NAMES)
        stale = [name for name in NAMES if not same(Path(folder, name), Path(pictures, name))]
    for name in stale:
        print(f"docs/pictures/{name} is not what the tour draws: run scripts/pictures.sh and look at the picture")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
