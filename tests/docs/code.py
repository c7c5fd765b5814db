#!/usr/bin/env python3
"""The C code of the pages comes from programs that are compiled and run. usage: code.py ROOT | --self-test

A page includes long pieces from examples/ with `literalinclude`. A block of C that stands in the page has 12 lines at
most, and its lines are in one file of examples/, letter by letter. Indentation does not count, and a line `...` stands
for lines left out. A page that shows a piece of a program also names the program's path in backticks, which the site
turns into a link to the whole program, or shows it whole.
"""

import re
import sys

from pages import FENCE, line_of, site_pages
from sources import main

LONGEST = 12
LANGUAGES = re.compile(r"c|cpp|c\+\+|\{code(-block)?\} (c|cpp|c\+\+)")


def lint(root):
    files = [path for path in sorted((root / "examples").rglob("*")) if re.fullmatch(r"\.[ch](pp)?", path.suffix)]
    programs = [squeezed(path.read_text()) for path in files]
    for page in site_pages(root):
        text = page.read_text()
        yield from unnamed_programs(page.relative_to(root), text)
        for block in FENCE.finditer(text):
            if not LANGUAGES.fullmatch(block[3].strip()):
                continue
            where = f"{page.relative_to(root)}:{line_of(text, block.start())}"
            lines = block[4].rstrip("\n").count("\n") + 1
            if lines > LONGEST:
                yield f"{where}: {lines} lines of code, {LONGEST} at most; include them from examples/"
            if not any(holds(program, block[4]) for program in programs):
                yield f"{where}: this code is in no file of examples/: {squeezed(block[4])[:1]}"


def unnamed_programs(name, text):
    pieces = re.findall(r"^```\{literalinclude\} \S*?(examples/\S+)\n((?::.*\n)*)", text, flags=re.MULTILINE)
    whole = {path for path, options in pieces if not re.search(r":(start|end|lines)", options)}
    for path in sorted({path for path, _ in pieces} - whole):
        if f"`{path}`" not in text:
            yield f"{name}: shows a piece of {path}, but neither names it in backticks nor shows it whole"


def squeezed(text):
    return [line.strip() for line in text.split("\n") if line.strip()]


def holds(program, block):
    """Whether the runs of lines between `...` follow each other in the program."""
    at = 0
    for run in re.split(r"^ *(?:\.\.\.|/\* \.\.\. \*/|// \.\.\.) *$", block, flags=re.MULTILINE):
        lines = squeezed(run)
        places = range(at, len(program) - len(lines) + 1)
        at = next((place + len(lines) for place in places if program[place : place + len(lines)] == lines), None)
        if at is None:
            return False
    return True


PROGRAM = "int main(void) {\n    int a = 1;\n    int b = 2;\n\n    return a + b;\n}\n"
BLOCK = "# A\n\n```c\nint a = 1;\n...\nreturn a + b;\n```\n\n```\nno code\n```\n"
PIECE = "```{literalinclude} ../../examples/manual/a.c\n:language: c\n:start-after: a\n```\n"
LONG = "".join(f"call({i});\n" for i in range(LONGEST + 1))
GOOD = {
    "examples/manual/a.c": PROGRAM,
    "examples/b.c": LONG,
    "docs/howto/a.md": BLOCK,
    "docs/howto/b.md": PIECE + "From `examples/manual/a.c`.\n",
    "docs/howto/c.md": PIECE + PIECE.replace(":start-after: a\n", ""),
}
BAD = [
    ("docs/howto/a.md", BLOCK.replace("a = 1", "a = 2"), "docs/howto/a.md:3: this code is in no file"),
    ("docs/howto/a.md", BLOCK.replace("...\n", ""), "in no file"),
    ("docs/howto/a.md", "```c\nreturn a + b;\n...\nint a = 1;\n```\n", "in no file"),
    ("docs/howto/b.md", PIECE, "b.md: shows a piece of examples/manual/a.c"),
    ("docs/a.md", "  ```c\n  int c;\n  ```\n", "in no file"),
    ("docs/a.md", "```{code-block} c\nint c;\n```\n", "in no file"),
    ("docs/b.md", f"```c\n{LONG}```\n", f"{LONGEST + 1} lines of code"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
