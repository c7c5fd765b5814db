#!/usr/bin/env python3
"""The C programs in README.md are exact copies of programs in examples/. usage: readme.py ROOT | --self-test"""

import re
import sys

from sources import main


def lint(root):
    readme = root / "README.md"
    shown = re.findall(r"^```c\n(.*?)^```$", readme.read_text(), re.DOTALL | re.MULTILINE) if readme.exists() else []
    programs = [path.read_text() for path in (root / "examples").glob("*.c")]
    if not shown:
        yield "README.md shows no C program"
    for text in shown:
        if text not in programs:
            yield f"README.md shows a program that is not in examples/: {text.splitlines()[0]}"


PROGRAM = "int main(void) { return 0; }\n"
GOOD = {"README.md": f"# A\n\n```c\n{PROGRAM}```\n", "examples/turn.c": PROGRAM}
BAD = [
    ("README.md", "# A\n", "no C program"),
    ("examples/turn.c", "/* newer */\n" + PROGRAM, "not in examples"),
    ("README.md", GOOD["README.md"] + "\n```c\nint other;\n```\n", "int other"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
