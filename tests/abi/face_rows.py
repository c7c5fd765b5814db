#!/usr/bin/env python3
"""Each function of the C interface has its row in the table of docs/reference/cpp.md, its call in the headers of the C++
interface, and a test of that row.

usage: face_rows.py ROOT | --self-test

A row is `| DRI_name | C++ |`. The last name in the second cell must occur in a test. A cell that starts with "none:" says
why C++ needs no call of its own.
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| ((?:`DRI_\w+`(?:, )?)+) \| (.+) \|$", re.MULTILINE)
NAMED = re.compile(r"(\w+)(?:\(|<|\{|`)")


def rows(page):
    """The functions of the table with their cells of C++."""
    return {name: cell for names, cell in ROW.findall(page) for name in re.findall(r"DRI_\w+", names)}


def faults(functions, page, headers, tests):
    found = rows(page)
    for name in sorted(set(functions) - set(found)):
        yield f"{name}: no row in the table of docs/reference/cpp.md"
    for name in sorted(set(found) - set(functions)):
        yield f"{name}: in the table, but not in the C interface"
    for name in sorted(set(functions) & set(found)):
        cell = found[name]
        if cell.startswith("none:"):
            continue
        if not re.search(rf"\b{name}\b", headers):
            yield f"{name}: no header of the C++ interface calls it"
        for code in re.findall(r"`[^`]+`", cell):
            words = NAMED.findall(code)
            if not words or not re.search(rf"\b{words[-1]}\b", tests):
                yield f"{name}: no test has {code}"


def text_of(paths):
    return "\n".join(path.read_text() for path in sorted(paths))


def main(root):
    root = Path(root)
    exported = (root / "tests/abi/exported.txt").read_text().split()
    functions = [name for name in exported if re.match(r"DRI_[a-z]", name)]
    headers = text_of([*(root / "include/dri").glob("*.hpp"), *(root / "include/dri/cpp").glob("*.hpp")])
    headers = re.sub(r"//[^\n]*", "", headers)
    tests = text_of([*(root / "tests/abi").glob("*face*.[ch]pp"), *(root / "tests/abi/conformance").glob("*.[ch]pp")])
    found = list(faults(functions, (root / "docs/reference/cpp.md").read_text(), headers, tests))
    print("\n".join(found) or f"{len(functions)} functions")
    return 1 if found else 0


def self_test():
    page = "| `DRI_a`, `DRI_b` | `end.go(x)` |\n| `DRI_c` | none: why |\n| `DRI_d` | `far()` |\n"
    found = list(faults(["DRI_a", "DRI_b", "DRI_c", "DRI_e"], page, "DRI_a(1)", "x.go(2)"))
    assert [fault.split(":")[0] for fault in found] == ["DRI_e", "DRI_d", "DRI_b"], found
    found = list(faults(["DRI_a", "DRI_b"], page, "DRI_a DRI_b", "gone"))
    assert sum("no test has `end.go(x)`" in fault for fault in found) == 2, found
    return 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main(*sys.argv[1:]))
