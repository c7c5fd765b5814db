"""Common parts of the lints: the project's files, and the command line.

A lint is a function that takes the project's root and yields complaints. The script exits with 1 if there are any.
With --self-test the lint must not complain about a small good tree, and must complain about each bad tree.
"""

import re
import sys
import tempfile
from pathlib import Path

FOLDERS = ("include", "src", "dri", "examples", "bench", "tests")
SUFFIXES = (".c", ".h", ".cpp", ".hpp")


def c_files(root):
    """All C and C++ files of the project, as paths relative to its root."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(root)


def without_comments(text):
    """C or C++ text with comments and string contents replaced by blanks. Lines keep their numbers."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)

    def blank(match):
        found = match.group()
        is_include = re.search(r"#\s*include\s*$", text[text.rfind("\n", 0, match.start()) + 1 : match.start()])
        return found if is_include else re.sub(r"[^\n\"']", " ", found)

    return token.sub(blank, text)


def main(lint, good, bad, prepare=lambda root: None, notes=lambda root: []):
    """good: a tree {path: text} without fault. bad: a list of (path, text, word). Each entry replaces one file of the
    good tree, and the lint must then complain in a line that contains the word. prepare: called for each tree first.
    notes: lines to be printed that are no complaints."""
    if sys.argv[1:2] == ["--self-test"]:
        return self_test(lint, good, bad, prepare)
    root = Path(sys.argv[1]).resolve()
    complaints = list(lint(root))
    print("".join(f"{note}\n" for note in notes(root)), end="")
    print("\n".join(complaints) if complaints else "no complaints")
    return 1 if complaints else 0


def self_test(lint, good, bad, prepare):
    faults = []
    for path, text, word in [(None, None, None), *bad]:
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {**good, **({path: text} if path else {})}.items():
                file = Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
            prepare(Path(folder))
            complaints = list(lint(Path(folder)))
        if not path and complaints:
            faults.append(f"complains about a good tree: {complaints}")
        if path and not any(word in line for line in complaints):
            faults.append(f"does not complain about {path} with {text!r}, but says {complaints}")
    print("\n".join(faults) if faults else f"finds {len(bad)} of {len(bad)} faults")
    return 1 if faults else 0
