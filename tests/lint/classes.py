#!/usr/bin/env python3
"""No class of src and of the C++ interface has more than 45 members or 600 lines over all its files: its body and the
members that are defined outside it. usage: classes.py ROOT [--all] | --self-test

Members are functions and data, without those that are deleted or defaulted. --all prints the numbers of all classes."""

import sys
from dataclasses import dataclass
from pathlib import Path

from cxx import classes, lines, member_definitions, readable
from debts import Debts, listed
from sources import main

MOST_MEMBERS, MOST_LINES = 45, 600
# Types of the C++ interface that may have more members. They are all that a user sees of an array and of a domain, as
# std::string is of a text: the members are words of programs, and a second class behind each would only make these
# longer. They must still keep to the lines.
FACES = {"cpp::Array", "cpp::Domain"}
SUNK = 0.9  # a debt must be lowered once its class is below this part of it


@dataclass
class Size:
    functions: int = 0
    data: int = 0
    lines: int = 0
    members = property(lambda self: self.functions + self.data)


def sizes(root):
    """The size of each class of src and of the C++ interface, by its module and name."""
    found = {}
    for path in sorted([*(root / "src").glob("*/*.?pp"), *(root / "include" / "dri" / "cpp").glob("*.hpp")]):
        text = readable(path.read_text())
        for one in classes(text):
            size = found.setdefault((path.parts[-2], one.name), Size())
            size.functions += len(one.functions)
            size.data += len(one.data)
            size.lines += lines(text, one)
        for name, definition in member_definitions(text):
            found.setdefault((path.parts[-2], name), Size()).lines += lines(text, definition)
    return found


def lint(root):
    debts = Debts(root, "class")
    for (module, name), size in sizes(root).items():
        is_face = f"{module}::{name}" in FACES
        if is_face and size.members <= MOST_MEMBERS:
            yield f"{module}::{name}: {size.members} members: take it out of FACES in tests/lint/classes.py"
        if (is_face or size.members <= MOST_MEMBERS) and size.lines <= MOST_LINES:
            continue
        text = f"{module}::{name}: {size.members} members in {size.lines} lines"
        ceiling = debts.rest_of(f"{module}::{name}")
        if not ceiling:
            yield f"{text}, {MOST_MEMBERS} in {MOST_LINES} at most"
            continue
        members, length = max(int(ceiling[0]), MOST_MEMBERS), max(int(ceiling[2]), MOST_LINES)
        if size.members > members or size.lines > length:
            yield f"{text}, more than its debt"
        elif is_sunk(size.members, members, MOST_MEMBERS) or is_sunk(size.lines, length, MOST_LINES):
            yield f"{text}, far below its debt: lower the numbers there"
    yield from debts.stale()


def is_sunk(now, ceiling, limit):
    return ceiling > limit and now < SUNK * ceiling


def table(root):
    for (module, name), size in sorted(sizes(root).items(), key=lambda item: (-item[1].members, item[0])):
        yield f"{size.functions:4} functions {size.data:4} data {size.lines:5} lines  {module}::{name}"


BODY = "namespace dri::exec {{\nclass {} {{\npublic:\n{}}};\n}} // namespace dri::exec\n"


def of_members(name, functions, data):
    body = "".join(f"    template <class T> void f{i}(T a = {{}});\n" for i in range(functions))
    body += "".join(f"    std::map<int, int> a{i} = {{}}, b{i}{{1, 2}};\n" for i in range(data // 2))
    return BODY.format(name, body)


def of_lines(name, count):
    return f"namespace dri::exec {{\nint {name}::f(int a) const {{\n" + "    ++a;\n" * (count - 3) + "}\n}\n"


GOOD = {
    "src/exec/a.hpp": of_members("A", 25, 20),
    "src/exec/b.hpp": BODY.format("B", "    int f(int a) const;\n" + "    B(const B &) = delete;\n" * 46),
    "src/exec/b.cpp": of_lines("B", MOST_LINES - 96),
    "src/exec/old.hpp": of_members("Old", 99, 0),
    "include/dri/cpp/array.hpp": of_members("Array", 46, 0),
    "include/dri/cpp/view.hpp": of_members("View", 45, 0),
    "tests/lint/debts.txt": "class: exec::Old 100 members 103 lines\n",
}
BAD = [
    ("src/exec/c.hpp", of_members("C", 26, 20), "exec::C: 46 members"),
    ("src/exec/c.hpp", of_members("C", 0, 46), "exec::C: 46 members"),
    ("src/exec/b.cpp", of_lines("B", MOST_LINES), "exec::B: 1 members in 6"),
    ("include/dri/cpp/view.hpp", of_members("View", 46, 0), "cpp::View: 46 members"),
    ("include/dri/cpp/array.hpp", of_members("Array", 45, 0), "out of FACES"),
    ("include/dri/cpp/array.hpp", of_members("Array", 46, 0) + of_lines("Array", MOST_LINES), "cpp::Array: 46 members"),
    ("src/exec/old.hpp", of_members("Old", 101, 0), "more than its debt"),
    ("src/exec/old.hpp", of_members("Old", 89, 0), "lower the numbers"),
    ("src/exec/old.hpp", of_members("Old", 9, 0), "take the line away"),
]

if __name__ == "__main__":
    if sys.argv[2:] == ["--all"]:
        print("\n".join(table(Path(sys.argv[1]))))
    else:
        sys.exit(main(lint, GOOD, BAD, notes=lambda root: listed(root, "class")))
