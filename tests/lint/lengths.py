#!/usr/bin/env python3
"""No source file has more than 400 lines. usage: lengths.py ROOT | --self-test"""

import sys

from sources import c_files, main

LONGEST = 400


def lint(root):
    scripts = [p.relative_to(root) for f in ("tests", "scripts", "dri") for p in sorted((root / f).rglob("*.py"))]
    for path in [*c_files(root), *scripts]:
        lines = len((root / path).read_text().splitlines())
        if lines > LONGEST:
            yield f"{path}: {lines} lines, {LONGEST} at most"


GOOD = {"src/base/a.cpp": "\n" * LONGEST, "tests/lint/a.py": "pass\n"}
BAD = [
    ("src/base/b.cpp", "\n" * (LONGEST + 1), "b.cpp: 401"),
    ("examples/x/b.hpp", "\n" * (LONGEST + 1), "b.hpp"),
    ("tests/unit/b.py", "\n" * (LONGEST + 1), "b.py"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
