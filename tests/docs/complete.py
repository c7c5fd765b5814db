#!/usr/bin/env python3
"""The pages name everything that the library offers, rightly. usage: complete.py ROOT | --self-test

- Each public function, attribute and environment variable is in a guide: a page of docs/tutorial or docs/howto.
- The table of attributes says what the header says.
- The environment variables of the reference are those that the library reads.
- The reference of the Python package has each public name once, and no other.
- The pages use no name that neither the headers nor the sources nor CMake's files have.
"""

import re
import sys

from pages import guides, line_of, site_pages
from dri_docstrings import public_names
from dri_headers import each, environment, read_all
from sources import main

TABLE, VARIABLES = "docs/reference/attributes.md", "docs/reference/environment.md"
PACKAGE = "docs/reference/python.md"
COLUMNS = ("endpoint", "range", "default", "who must agree")


def lint(root):
    headers = read_all(root)
    declared = {one.name: one for _, found in headers.values() for one, _ in each(found)}
    attributes = {name: " ".join(one.comment.split()) for name, one in declared.items() if name.startswith("DRI_ATTR_")}
    functions = re.findall(r"^DRI_[a-z]\w*$", (root / "tests/abi/exported.txt").read_text(), re.MULTILINE)
    variables = environment(root)
    prose = "\n".join(page.read_text() for page in guides(root))
    for name in [*functions, *attributes, *variables]:
        if not re.search(rf"\b{name}\b", prose):
            yield f"{name} is in no page of docs/tutorial or docs/howto"
    yield from wrong_rows(root, attributes)
    described = re.findall(r"envvar:: (\w+)", (root / VARIABLES).read_text())
    for name in sorted(set(variables) ^ set(described)):
        yield f"{VARIABLES}: {name} is {'not described' if name in variables else 'not read by the library'}"
    yield from unknown_names(root)
    yield from python_names(root)


def python_names(root):
    if not (root / "dri/__init__.py").exists():
        return
    blocks = re.findall(r"^\.\. dri-python::(.*?)^```", (root / PACKAGE).read_text(), re.MULTILINE | re.DOTALL)
    shown = [name for block in blocks for name in block.split()]
    for name in sorted(set(public_names(root)) ^ set(shown)):
        yield f"{PACKAGE}: {name} is {'shown, but not public' if name in shown else 'missing'}"
    for name in sorted({name for name in shown if shown.count(name) > 1}):
        yield f"{PACKAGE}: {name} is there twice"


def wrong_rows(root, attributes):
    rows = re.findall(r"^\| `(DRI_ATTR_\w+)` \| (.*) \|$", (root / TABLE).read_text(), re.MULTILINE)
    names = [name for name, _ in rows]
    if names != list(attributes):
        yield f"{TABLE} has {names}, but the header has {list(attributes)}"
        return
    for name, row in rows:
        cells = dict(zip(COLUMNS, [cell.replace("`", "") for cell in row.split(" | ")]))
        for column, wanted in stated(attributes[name], cells).items():
            if cells[column] != wanted:
                yield f"{TABLE}: {name}: {column} is '{cells[column]}', but the header says '{wanted}'"


def stated(comment, cells):
    """What the comment of an attribute states, for each column of the table."""
    side = re.match(r"(Sink|Source)s: ", comment)
    limits = re.search(r"\d+ to \d[\d^]*(?: - 1)?", comment)
    default = re.search(r"\b[Dd]efault:? ([^.,;]+)", comment)
    agree = re.search(r"[Aa](ll (?:processes of the \w+|endpoints of the name)) set the same value", comment)
    alone = re.search(r"([Oo]f|applies to) this process|[Ee]ndpoints may differ", comment)
    return {
        "endpoint": side[1].lower() if side else "both",
        "range": limits[0] if limits else range_in_words(comment, cells["range"]),
        "default": default[1] if default else "not stated",
        "who must agree": "a" + agree[1] if agree else "nobody" if alone else "not stated",
    }


def range_in_words(comment, cell):
    """The cell itself if the comment says the same without two limits."""
    if cell == "0 or 1":
        return cell if re.match(r"(Sinks: |Sources: )?1[ :]", comment) else "not 0 or 1"
    words = re.findall(r"DRI_\w+|1 << d", cell)
    return cell if words and all(word in comment for word in words) else "not stated"


def unknown_names(root):
    folders = [root / folder for folder in ("include", "src", "cmake", "tests", "examples", "bench", "scripts")]
    files = [file for folder in folders for file in sorted(folder.rglob("*")) if file.suffix != ".md"]
    text = "\n".join(file.read_text(errors="replace") for file in [*files, *root.glob("CMake*")] if file.is_file())
    known = set(re.findall(r"\bDRI_\w+", text))
    for page in site_pages(root):
        content = page.read_text()
        for found in re.finditer(r"\b(DRI_\w*)(\*?)", content):
            name, star = found.groups()
            if not (any(other.startswith(name) for other in known) if star or name.endswith("_") else name in known):
                yield f"{page.relative_to(root)}:{line_of(content, found.start())}: there is no {found.group()}"


ATTRIBUTES = """typedef enum DRI_Attr {
    /*
     * Threads that copy. 1 to 64, default 1.
     *
     * Of this process alone.
     */
    DRI_ATTR_THREADS = 1,

    /*
     * Sinks: a DRI_Kind. Default: DRI_MILD. All
     * processes of the sink set the same value.
     */
    DRI_ATTR_KIND = 2,
    /* 1: on. Default: 0. Endpoints may differ. */
    DRI_ATTR_ON = 3
} DRI_Attr;
typedef enum DRI_Kind { DRI_MILD = 0 } DRI_Kind;
"""
ROWS = """| attribute | endpoint | range | default | who must agree | guide |
|---|---|---|---|---|---|
| `DRI_ATTR_THREADS` | both | 1 to 64 | 1 | nobody | a |
| `DRI_ATTR_KIND` | sink | a `DRI_Kind` | `DRI_MILD` | all processes of the sink | a |
| `DRI_ATTR_ON` | both | 0 or 1 | 0 | nobody | a |
"""
PYTHON = "```{eval-rst}\n.. dri-python::\n   b\n   c\n```\n\n```{eval-rst}\n.. dri-python:: dap.read\n```\n"
GUIDE = "`DRI_do(\"x\")` with `DRI_ATTR_THREADS`, `DRI_ATTR_KIND`, `DRI_ATTR_ON`. `DRI_LOG`, `DRI_ATTR_*`, DRI_UNITY.\n"
GOOD = {
    "include/dri/xfer.h": "/* Transfers. */\n/*\n * Moves.\n */\nDRI_API int DRI_do(void);\n" + ATTRIBUTES,
    "src/base/env.cpp": 'return "DRI_LOG";',
    "CMakeLists.txt": "option(DRI_UNITY)",
    "tests/abi/exported.txt": "DRI_INT8\nDRI_do\n",
    "docs/howto/a.md": GUIDE,
    "docs/reference/attributes.md": ROWS,
    PACKAGE: PYTHON,
    "dri/__init__.py": "from . import dap\nfrom .a import b, c\n\n__all__ = ['b', 'c', 'dap']\n",
    "dri/dap.py": "def read():\n    pass\n",
    "dri/graph/__init__.py": "",
    "dri/plot.py": "",
    "dri/wisdom.py": "",
    "docs/reference/environment.md": ".. envvar:: DRI_LOG\n",
}
BAD = [
    ("docs/howto/a.md", GUIDE.replace("DRI_do", "DRI_LOG"), "DRI_do is in no page"),
    ("docs/howto/a.md", GUIDE.replace("DRI_do", "DRI_do_"), "DRI_do is in no page"),
    ("docs/howto/a.md", GUIDE.replace("DRI_ATTR_KIND", ""), "DRI_ATTR_KIND is in no page"),
    ("docs/howto/a.md", GUIDE.replace("DRI_LOG", ""), "DRI_LOG is in no page"),
    ("src/base/env.cpp", 'return "DRI_LOG"; return "DRI_NEW";', "DRI_NEW is not described"),
    ("docs/reference/environment.md", ".. envvar:: DRI_LOG\n.. envvar:: DRI_UNITY\n", "DRI_UNITY is not read"),
    ("docs/reference/attributes.md", re.sub(r".*KIND.*\n", "", ROWS), "but the header has"),
    ("docs/reference/attributes.md", ROWS.replace("1 to 64", "1 to 65"), "THREADS: range is '1 to 65'"),
    ("docs/reference/attributes.md", ROWS.replace("`DRI_Kind`", "`DRI_Attr`"), "KIND: range"),
    ("docs/reference/attributes.md", ROWS.replace("64 | 1 ", "64 | 2 "), "THREADS: default is '2'"),
    ("docs/reference/attributes.md", ROWS.replace("| sink |", "| both |"), "KIND: endpoint is 'both'"),
    ("docs/reference/attributes.md", ROWS.replace("of the sink", "of the side"), "KIND: who must agree"),
    ("include/dri/xfer.h", GOOD["include/dri/xfer.h"].replace("1: on", "2: on"), "ON: range"),
    ("include/dri/xfer.h", GOOD["include/dri/xfer.h"].replace("Of this process alone.", ""), "THREADS: who must agree"),
    (PACKAGE, PYTHON.replace("   c\n", ""), "c is missing"),
    (PACKAGE, PYTHON.replace("dap.read", "dap.write dap.read"), "dap.write is shown, but not public"),
    (PACKAGE, PYTHON.replace("   c\n", "   c\n   c\n"), "c is there twice"),
    ("docs/ways.md", "`DRI_XFER_CONVERT`", "docs/ways.md:1: there is no DRI_XFER_CONVERT"),
    ("docs/ways.md", "\n`DRI_NO_*`", "docs/ways.md:2: there is no DRI_NO_*"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
