#!/usr/bin/env python3
"""The programs in C, C++ and Python in README.md are exact copies of programs in examples/. usage: readme.py ROOT | --self-test"""

import re
import sys

from sources import main


def lint(root):
    readme = root / "README.md"
    page = readme.read_text() if readme.exists() else ""
    for language, pattern in (("c", "*.c"), ("cpp", "cpp/*.cpp"), ("python", "python/*.py")):
        shown = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        programs = [path.read_text() for path in (root / "examples").glob(pattern)]
        if not shown:
            yield f"README.md shows no program in {language}"
        for text in shown:
            if text not in programs:
                yield f"README.md shows a program that is not in examples/: {text.splitlines()[0]}"


PROGRAM = "int main(void) { return 0; }\n"
PAGE = f"# A\n\n```c\n{PROGRAM}```\n\n```cpp\n{PROGRAM}```\n\n```python\nimport dri\n```\n"
GOOD = {
    "README.md": PAGE,
    "examples/turn.c": PROGRAM,
    "examples/cpp/turn.cpp": PROGRAM,
    "examples/python/turn.py": "import dri\n",
}
BAD = [
    ("README.md", "# A\n", "no program in c"),
    ("README.md", PAGE.split("```cpp")[0], "no program in cpp"),
    ("README.md", PAGE.split("```python")[0], "no program in python"),
    ("examples/cpp/turn.cpp", "// newer\n" + PROGRAM, "not in examples"),
    ("examples/turn.c", "/* newer */\n" + PROGRAM, "not in examples"),
    ("README.md", GOOD["README.md"] + "\n```c\nint other;\n```\n", "int other"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
