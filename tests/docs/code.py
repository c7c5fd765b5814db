#!/usr/bin/env python3
"""The code of the pages comes from programs that are compiled and run. usage: code.py ROOT | --self-test

A page includes long pieces from examples/ with `literalinclude`. A block of C or Python that stands in the page has 12
lines at most, and its lines are in one file of examples/, letter by letter. Indentation does not count, and a line `...`
stands for lines left out. Each Python program of examples/ has a test, or is imported by one that has. A page that shows a piece of a program also names the program's path in backticks, which the site
turns into a link to the whole program, or shows it whole.
"""

import ast
import re
import sys

from pages import FENCE, line_of, site_pages
from sources import main

LONGEST = 12
LANGUAGES = re.compile(r"(\{code(-block)?\} )?(c|cpp|c\+\+|python|py)")


def lint(root):
    files = [path for path in sorted((root / "examples").rglob("*")) if re.fullmatch(r"\.[ch](pp)?|\.py", path.suffix)]
    programs = [squeezed(path.read_text()) for path in files]
    yield from untested_programs(root)
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


def untested_programs(root):
    tests = "\n".join(path.read_text() for name in ("CMakeLists.txt", "*.cmake") for path in sorted((root / "tests").rglob(name)))
    folder = root / "examples/python"
    files = {module_name(path, folder): path for path in sorted(folder.rglob("*.py"))}
    imported = {name for module, path in files.items() for name in imports(module, path)}
    for module, path in files.items():
        is_imported = any(name == module or name.startswith(f"{module}.") for name in imported)
        if not is_imported and not re.search(rf"\b{module}(\.py)?\b", tests):
            yield f"{path.relative_to(root)}: no test runs it"


def module_name(path, folder):
    return ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")


def imports(module, path):
    """What a file imports: modules, and names of modules, which may be modules themselves."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            package = ".".join(filter(None, [module.rpartition(".")[0] if node.level else "", node.module]))
            yield from (package, *(f"{package}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


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
    "examples/python/a.py": "from helper import b\n\nassert b == 1\n",
    "examples/python/helper.py": "b = 1\n",
    "tests/python/CMakeLists.txt": "dri_add_python_program(a 4)\n",
    "docs/python.md": "```python\nassert b == 1\n```\n",
}
BAD = [
    ("docs/howto/a.md", BLOCK.replace("a = 1", "a = 2"), "docs/howto/a.md:3: this code is in no file"),
    ("docs/howto/a.md", BLOCK.replace("...\n", ""), "in no file"),
    ("docs/howto/a.md", "```c\nreturn a + b;\n...\nint a = 1;\n```\n", "in no file"),
    ("docs/howto/b.md", PIECE, "b.md: shows a piece of examples/manual/a.c"),
    ("docs/a.md", "  ```c\n  int c;\n  ```\n", "in no file"),
    ("docs/a.md", "```{code-block} c\nint c;\n```\n", "in no file"),
    ("docs/python.md", "```python\nassert b == 2\n```\n", "docs/python.md:1: this code is in no file"),
    ("tests/python/CMakeLists.txt", "dri_add_python_program(b 4)\n", "examples/python/a.py: no test runs it"),
    ("examples/python/c.py", "pass\n", "examples/python/c.py: no test runs it"),
    ("docs/b.md", f"```c\n{LONG}```\n", f"{LONGEST + 1} lines of code"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
