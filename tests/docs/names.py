#!/usr/bin/env python3
"""The pages for maintainers name files that exist, and names that are in those files. Names in the glossary exist.

usage: names.py ROOT | --self-test

A path in backticks is that of a file of the project, from the root, from src/, or the end of a path. Names in backticks
are in that file if they are written as "`path`: `name`, `name`", "`path` (`name`)", "`name` (`path`)" or "`name` in `path`".
"""

import re
import sys

from pages import without_fences
from sources import main

FOLDERS = ("bench", "cmake", "dri", "docs", "examples", "include", "scripts", "src", "tests")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.(?:cpp|hpp|h|c|py|sh|txt|cmake|map|md|json)")
NAME = re.compile(r"(?:\w+::)*([A-Za-z_]\w+)(?:\(\))?")
# Stand-ins for a name, parts of names, and files of builds and of other projects.
OTHER = re.compile(r"(.*/)?[xX]\.\w+|.*NAME.*|-.*|build/.*|foreach_target\.h")


def lint(root):
    files = [p.name for p in root.iterdir() if p.is_file()]
    for folder in FOLDERS:
        files += [p.relative_to(root).as_posix() for p in (root / folder).rglob("*") if p.is_file()]
    yield from faults_of_glossary(root, files)
    for page in sorted(root.glob("docs/*.md")):
        for text in sentences(without_fences(page.read_text())):
            for fault in faults_of(root, text, files):
                yield f"{page.relative_to(root)}: {fault}"


def faults_of_glossary(root, files):
    glossary = root / "docs/glossary.md"
    if not glossary.is_file():
        return
    code = [root / f for f in files if f.endswith((".cpp", ".hpp", ".h", ".c", ".py", ".sh", ".cmake"))]
    known = set(re.findall(r"\w+", "\n".join(path.read_text(errors="ignore") for path in code)))
    for row in glossary.read_text().split("\n"):
        for word in re.findall(r"`([^`]+)`", row) if row.startswith("|") else []:
            name = NAME.fullmatch(word)
            if name and name[1] not in known:
                yield f"docs/glossary.md: there is no {name[1]}"


def sentences(text):
    """Cells of tables, and paragraphs without their line ends, since a sentence may break between a file and a name."""
    for paragraph in re.split(r"\n\s*\n", text):
        is_table = paragraph.lstrip().startswith("|")
        for line in paragraph.split("\n") if is_table else [re.sub(r"\s+", " ", paragraph)]:
            yield from re.split(r"[;|]", line)


def faults_of(root, text, files):
    words = re.findall(r"([^`]*)`([^`]+)`", text)
    for i, (_, path) in enumerate(words):
        if not PATH.fullmatch(path) or OTHER.fullmatch(path):
            continue
        same = [f for f in files if f == path or f.endswith("/" + path)]
        if not same:
            yield f"there is no file {path}"
            continue
        there = "\n".join((root / f).read_text(errors="ignore") for f in same)
        for name in names_of(words, i):
            if not re.search(rf"\b{name}\b", there):
                yield f"there is no {name} in {path}"


def names_of(words, i):
    """The names that words[i], a path, is said to contain."""
    if i > 0 and re.fullmatch(r" \(| in ", words[i][0]):
        before = NAME.fullmatch(words[i - 1][1])
        if before and not PATH.fullmatch(words[i - 1][1]):
            yield before[1]
    between = r": | \("
    for text, code in words[i + 1 :]:
        name = NAME.fullmatch(code)
        if not name or not re.fullmatch(between, text):
            return
        yield name[1]
        between = r", | and |, and "


PAGE = """| a | `exec/a.cpp`: `begin`, `A::finish`; `exec/a.hpp` |

See `src/exec/a.hpp`
(`Abc`), `begin` in `a.cpp`. `nothing` there.
"""
GOOD = {
    "docs/a.md": PAGE,
    "src/exec/a.cpp": "void begin(); void A::finish() {}\n",
    "src/exec/a.hpp": "class Abc;\n",
    "docs/glossary.md": "| letters | the first three | `Abc` |\n",
}
BAD = [
    ("docs/a.md", PAGE + "\nSee `exec/b.cpp`.\n", "no file exec/b.cpp"),
    ("docs/a.md", PAGE.replace("A::finish", "A::start"), "no start in exec/a.cpp"),
    ("docs/a.md", PAGE.replace("`Abc`", "`Abd`"), "no Abd in src/exec/a.hpp"),
    ("docs/a.md", PAGE.replace("`begin` in", "`end` in"), "no end in a.cpp"),
    ("src/exec/a.hpp", "", "no Abc in src/exec/a.hpp"),
    ("docs/glossary.md", "| letters | the first three | `Abd` |\n", "no Abd"),
    ("docs/a.md", PAGE.replace("`begin`, `A::finish`", "`begin`, `Abc`"), "no Abc in exec/a.cpp"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
