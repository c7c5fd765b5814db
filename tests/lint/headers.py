#!/usr/bin/env python3
"""A comment directly above each public function has its label and its errors. usage: headers.py ROOT | --self-test"""

import re
import sys

from sources import main


def lint(root):
    for path in sorted((root / "include" / "dri").glob("*.h")):
        lines = path.read_text().split("\n")
        for i, line in enumerate(lines):
            if not line.startswith("DRI_API"):
                continue
            name = re.search(r"(DRI_\w+)\s*\(", line + (lines[i + 1] if i + 1 < len(lines) else ""))
            where = f"{path.relative_to(root)}:{i + 1}: {name.group(1) if name else line}"
            comment = comment_above(lines, i)
            if not comment:
                yield f"{where} has no comment directly above"
                continue
            if not any(re.match(r"Local\b|Collective over ", text) for text in comment):
                yield f"{where} is neither Local nor Collective over anything"
            if not any(re.match(r"Errors: |Returns? ", text) for text in comment):
                yield f"{where} does not name its errors"
            yield from (f"{where}: {fault}" for fault in faults_after_label(comment))


def faults_after_label(comment):
    """Labels inside a line: clang-format joins the parts of a line that it breaks with the lines below."""
    label = None
    for text in comment:
        found = re.match(r"(Errors|Cost|Source): ", text)
        if found:
            label = found.group(1)
        elif label in ("Errors", "Cost") and re.match(r"\S", text):
            yield f"{label} continues without indentation: {text}"
        if label and re.search(r"\S Source: ", text):
            yield f"the source is inside a line: {text}"


def comment_above(lines, i):
    """The lines of the block comment directly above line i, without their stars."""
    if i == 0 or not lines[i - 1].rstrip().endswith("*/"):
        return []
    first = i - 1
    while first > 0 and not lines[first].startswith("/*"):
        first -= 1
    return [re.sub(r"^\s*/?\*+/?\s?", "", line) for line in lines[first:i]]


def header(comment):
    return f"{comment}\nDRI_API int DRI_f(int a,\n                  int b);\n"


WHOLE = "/*\n * Does it.\n *\n * Local.\n * Errors: none.\n */"
COLLECTIVE = WHOLE.replace("Local", "Collective over the world")
LONG = WHOLE.replace("Errors: none.", "Cost: much\n *       time.\n * Errors: one;\n *         two.\n * Source: it.")
GOOD = {"include/dri/f.h": header(WHOLE), "include/dri/g.h": header(COLLECTIVE) + header(LONG)}
BAD = [
    ("include/dri/h.h", header(""), "no comment"),
    ("include/dri/h.h", header(WHOLE + "\n"), "no comment"),
    ("include/dri/h.h", header(WHOLE.replace("Local", "Locally")), "neither Local"),
    ("include/dri/h.h", header(WHOLE.replace("Errors: none", "No errors")), "errors"),
    ("include/dri/h.h", header(WHOLE) + header("/* Short. */"), "neither Local"),
    ("include/dri/h.h", header(WHOLE.replace("none.", "one;\n * another.")), "Errors continues without"),
    ("include/dri/h.h", header(WHOLE.replace("Errors", "Cost: it takes\n * long.\n * Errors")), "Cost continues without"),
    ("include/dri/h.h", header(WHOLE.replace("none.", "none. Source: minutes.")), "inside a line"),
    ("include/dri/h.h", header(WHOLE.replace("none.", "one;\n *         more. Source: minutes.")), "inside a line"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
