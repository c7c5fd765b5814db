#!/usr/bin/env python3
"""Every C and C++ file is formatted by clang-format. usage: format.py ROOT [--fix] | --self-test"""

import subprocess
import sys
from pathlib import Path

from sources import c_files, main

TOOL = "clang-format"


def lint(root):
    files = [path.as_posix() for path in c_files(root)]
    if not files:
        return
    done = subprocess.run([TOOL, "--dry-run", "-Werror", *files], cwd=root, capture_output=True, text=True)
    bad = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "[-Wclang-format-violations]" in line})
    # clang-format 14 also complains about namespaces such as a::inline b, which it would leave as they are.
    changed = [name for name in bad if formatted(root, name) != (root / name).read_text()]
    yield from (f"{name}: not formatted; cmake --build --preset release -t format repairs it" for name in changed)
    if done.returncode and not bad:
        yield f"{TOOL} failed: {done.stderr}"


def formatted(root, name):
    return subprocess.run([TOOL, name], cwd=root, capture_output=True, text=True).stdout


def fix(root):
    return subprocess.run([TOOL, "-i", *c_files(root)], cwd=root).returncode


STYLE = (Path(__file__).resolve().parents[2] / ".clang-format").read_text()
GOOD = {
    ".clang-format": STYLE,
    "src/base/a.cpp": "int f() { return 1; }\n",
    "src/base/b.hpp": "namespace a::inline b {\n\nint f();\n\n} // namespace a::inline b\n",
}
BAD = [("include/dri/b.h", "int  f ( void ) ;\n", "b.h"), (".clang-format", "nonsense: [", "failed")]

if __name__ == "__main__":
    sys.exit(fix(Path(sys.argv[1]).resolve()) if sys.argv[2:] == ["--fix"] else main(lint, GOOD, BAD))
