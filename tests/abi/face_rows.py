#!/usr/bin/env python3
"""Each function of the C interface has its row in the table of docs/reference/cpp.md, its call in the headers of the C++
interface, and a test of that row. Each attribute of an endpoint has its member of dri::Options, and a test that sets it.

usage: face_rows.py ROOT | --self-test

A row is `| DRI_name | C++ |`. A test must call each function that the second cell calls: `end.go(x)` asks for `.go(` or
`->go(`, `Set::go(x)` for `Set<...>::go(`, `go(x)` for `go(`. A cell that starts with "none:" says why C++ needs no call of
its own. A member of Options is `type name = ...; // DRI_ATTR_NAME`, or follows a line that begins with this comment;
`// DRI_ATTR_NAME: none: why` stands for one that is no member.
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| ((?:`DRI_\w+`(?:, )?)+) \| (.+) \|$", re.MULTILINE)
CALLED = re.compile(r"(?:(\w+)(?:<[^()]*?>)?(\.|::))?(\w+)(?=[(<{])")
ATTRIBUTE = re.compile(r"^    (DRI_ATTR_\w+) = \d+", re.MULTILINE)
MEMBER = re.compile(r"^    (?:// (DRI_ATTR_\w+)[^\n]*\n    )?[\w:<> ]+ (\w+)(?: = [^;\n]+|\{\});(?: *// (DRI_ATTR_\w+))?", re.MULTILINE)


def rows(page):
    """The functions of the table with their cells of C++."""
    return {name: cell for names, cell in ROW.findall(page) for name in re.findall(r"DRI_\w+", names)}


def use_of(code):
    """The patterns of which a test must have each."""
    for owner, link, name in CALLED.findall(code):
        if link == "::":
            yield rf"\b{owner}(<[^;]*>)?::{name}\b"
        elif link:
            yield rf"(\.|->)(template )?{name}[(<]"
        elif name[0].isupper():
            yield rf"\b{name}([(<{{]| \w+[(<{{])"
        else:
            yield rf"(?<![.>])\b{name}[(<]"


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
            uses = list(use_of(code)) or [rf"\b{code.strip('`')}\b"]
            if not all(re.search(use, tests) for use in uses):
                yield f"{name}: no test has {code}"


def option_faults(attributes, options, tests):
    members = {before or behind: member for before, member, behind in MEMBER.findall(options)}
    for name in attributes:
        if re.search(rf"^ *// {name}: none: \w", options, re.MULTILINE):
            continue
        if name not in members:
            yield f"{name}: no member of dri::Options"
        elif not re.search(rf"\({name},", options):
            yield f"{name}: no option sets it"
        elif not re.search(rf"\.{members[name]} = ", tests):
            yield f"{name}: no test sets .{members[name]}"


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
    attributes = ATTRIBUTE.findall((root / "include/dri/attributes.h").read_text())
    assert attributes
    found += option_faults(attributes, (root / "include/dri/cpp/options.hpp").read_text(), tests)
    print("\n".join(found) or f"{len(functions)} functions, {len(attributes)} attributes")
    return 1 if found else 0


def self_test():
    page = "| `DRI_a`, `DRI_b` | `end.go(x)` |\n| `DRI_c` | none: why |\n| `DRI_d` | `far()` |\n"
    found = list(faults(["DRI_a", "DRI_b", "DRI_c", "DRI_e"], page, "DRI_a(1)", "x.go(2)"))
    assert [fault.split(":")[0] for fault in found] == ["DRI_e", "DRI_d", "DRI_b"], found
    for test in ["gone(x)", "go", "go(2)", "x.go + go"]:
        found = list(faults(["DRI_a", "DRI_b"], page, "DRI_a DRI_b", test))
        assert sum("no test has `end.go(x)`" in fault for fault in found) == 2, found
    for cell, good, bad in [
        ("Set<T, N>::go(x)", "Set<int, 2>::go(3)", "Other<int, 2>::go(3)"),
        ("go(x)", "dri::go(3)", "x.go(3)"),
        ("Set(x)", "dri::Set set(3)", "Settle(3)"),
        ("end.go<T>(x)", "end->go<int>(3)", "go<int>(3)"),
        ("end.go(stop())", "end.go(stop())", "end.go(3)"),
    ]:
        row = f"| `DRI_a` | `{cell}` |\n"
        assert not list(faults(["DRI_a"], row, "DRI_a", good)), cell
        assert list(faults(["DRI_a"], row, "DRI_a", bad)), cell
    options = "    int a = 0; // DRI_ATTR_A\n    // DRI_ATTR_B. More.\n    std::optional<int> b{};\n    // DRI_ATTR_C: none: why\n"
    options += "set(DRI_ATTR_A, 1), set(DRI_ATTR_B, 2)"
    of_options = lambda *names, tests=".a = 1, .b = 2": [*option_faults([f"DRI_ATTR_{n}" for n in names], options, tests)]
    assert not of_options("A", "B", "C")
    assert of_options("D") and of_options("A", "B", tests=".a = 1") == ["DRI_ATTR_B: no test sets .b"]
    return 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main(*sys.argv[1:]))
