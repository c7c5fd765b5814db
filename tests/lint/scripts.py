#!/usr/bin/env python3
"""Each script of scripts/ prints its usage, and refuses unknown arguments before it does anything.

usage: scripts.py ROOT | --self-test
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sources import main

# These scripts pass unknown arguments to the programs that they start.
HAND_ON_ALL, HAND_ON = ("mpirun.sh",), ("bench.sh",)

# Programs that install, build or run something. None of them may be called.
STUBBED = ("apt-get", "sudo", "dpkg-query", "cmake", "ctest", "mpirun", "doxygen", "sphinx-build")
STUB = '#!/bin/sh\ntouch "${0%/*}/../reached"\nexit 99\n'


def lint(root):
    with tempfile.TemporaryDirectory() as folder:
        stubs = Path(folder, "stubs")
        stubs.mkdir()
        for name in STUBBED:
            (stubs / name).write_text(STUB)
            (stubs / name).chmod(0o755)
        for script in sorted((root / "scripts").glob("*.sh")):
            if script.name not in HAND_ON_ALL:
                yield from faults(script, stubs)


def faults(script, stubs):
    name = f"scripts/{script.name}"
    usage = f"usage: {name} "
    for arguments in (["--help"], ["-h"]):
        done = run(script, stubs, arguments)
        if done.returncode or done.stderr or not done.stdout.startswith(usage):
            yield f"{name} {arguments[0]} does not print exactly its usage: {done}"
    if script.name in HAND_ON:
        return
    options = re.findall(r"\[(--[\w-]+)( [A-Z]+)?\]", done.stdout.partition("\n")[0])
    wrong = [[word] for word in ("--nonsense", "nonsense", "")]
    wrong += [[option, *(["/"] if value else []), "--nonsense"] for option, value in options if option != "--help"]
    wrong += [[option] for option, value in options if value]
    for arguments in wrong:
        done = run(script, stubs, arguments)
        if done.returncode != 2 or done.stdout or usage not in done.stderr or arguments[-1] not in done.stderr:
            yield f"{name} does not refuse {arguments} with its usage: {done}"
    reached = stubs.parent / "reached"
    if reached.exists():
        reached.unlink()
        yield f"{name} installs, builds or runs something before it has read its arguments"


def run(script, stubs, arguments):
    path = {"PATH": f"{stubs}:{os.environ['PATH']}"}
    command = ["bash", script, *arguments]
    return subprocess.run(
        command, env={**os.environ, **path}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )


def script(reads, first=""):
    return f"""set -eu
usage() {{ echo "usage: scripts/a.sh [--more] [--data FOLDER] [--help]"; }}
refuse() {{ echo "a: $1" >&2; usage >&2; exit 2; }}
{first}
{reads}
cmake --build .
"""


ALL = """while [ $# -gt 0 ]; do
    case $1 in
    --more) ;;
    --data) [ $# -gt 1 ] || refuse "--data needs a folder"; shift ;;
    -h | --help) usage; exit 0 ;;
    *) refuse "unknown argument '$1'" ;;
    esac
    shift
done"""
FIRST_ONLY = ALL.replace("while [ $# -gt 0 ]", "for word in one").replace("--more) ;;", "'' | --more) ;;")
GOOD = {
    "scripts/a.sh": script(ALL),
    "scripts/bench.sh": 'case ${1-} in -h | --help) echo "usage: scripts/bench.sh [...]"; exit 0 ;; esac\nexit 1\n',
    "scripts/mpirun.sh": 'exec mpirun "$@"\n',
}
BAD = [
    ("scripts/a.sh", script(FIRST_ONLY), "does not refuse ['--more', '--nonsense']"),
    ("scripts/a.sh", script(ALL.replace("*) ref", "'') ;; *) ref")), "does not refuse ['']"),
    ("scripts/a.sh", script(ALL.replace("refuse \"--data", "exit 1; : \"--data")), "does not refuse ['--data']"),
    ("scripts/a.sh", script(ALL.replace("refuse \"unknown argument '$1'\"", "exit 2")), "does not refuse"),
    ("scripts/a.sh", script(ALL, "cmake --version || true"), "before it has read"),
    ("scripts/a.sh", script(ALL.replace("usage; exit 0", "usage >&2; exit 0")), "--help does not print exactly its usage"),
    ("scripts/a.sh", script(ALL.replace("-h | --help", "--help")), "-h does not print exactly its usage"),
    ("scripts/bench.sh", "exit 1\n", "bench.sh --help does not print exactly its usage"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
