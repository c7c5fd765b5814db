#!/usr/bin/env python3
"""No circle of includes: neither between modules of src, nor inside one between its units. A unit is x.hpp with x.cpp
and x-inl.hpp. usage: circles.py ROOT | --self-test"""

import re
import sys

from debts import Debts, listed
from layers import includes
from sources import c_files, main, without_comments


def lint(root):
    modules, units = {}, {}
    paths = [path.as_posix() for path in c_files(root) if path.parts[0] == "src"]
    for path in paths:
        for _, header in includes(without_comments((root / path).read_text())):
            if f"src/{header}" not in paths:
                continue
            here, there = unit(path), unit(f"src/{header}")
            modules.setdefault(here[0], set()).add(there[0])
            if here[0] == there[0]:
                units.setdefault(here, set()).add(there)
    for circle in circles(modules):
        yield f"modules include each other: {' '.join(circle)}"
    debts = Debts(root, "circle")
    for circle in circles(units):
        module, names = circle[0][0], [name for _, name in circle]
        if debts.rest_of(module, *names) == []:
            continue
        if any(module == line[0] and set(names) < set(line[1:]) for line in debts.left):
            yield f"{module}: this circle is smaller than its debt, write: circle: {module} {' '.join(names)}"
        else:
            yield f"{module}: units include each other: {' '.join(names)}"
    yield from debts.stale()


def unit(path):
    _, module, name = path.split("/")
    return module, re.sub(r"(-inl)?\.\w+$", "", name)


def circles(graph):
    """Sets of nodes that can all reach each other, each sorted."""
    reached = {node: reach(graph, node) for node in graph}
    together = {tuple(sorted({b for b in reached[a] if a in reached.get(b, ())})) for a in graph}
    return sorted(circle for circle in together if len(circle) > 1)


def reach(graph, start):
    found, todo = set(), [start]
    while todo:
        for node in graph.get(todo.pop(), ()):
            if node not in found:
                found.add(node)
                todo.append(node)
    return found


GOOD = {
    "src/exec/a.hpp": '#include "exec/b.hpp"\n#include "plan/p.hpp"\n',
    "src/exec/a.cpp": '#include "exec/a.hpp"\n#include "exec/c.hpp"\n',
    "src/exec/b.hpp": '// #include "exec/a.hpp"\n',
    "src/exec/c.hpp": '#include "exec/b.hpp"\n',
    "src/exec/old.hpp": "",
    "src/exec/old.cpp": '#include "exec/old.hpp"\n#include "exec/new.hpp"\n',
    "src/exec/new.hpp": '#include "exec/old.hpp"\n#include "exec/third.hpp"\n',
    "src/exec/third.hpp": '#include "exec/new.hpp"\n',
    "src/plan/p.hpp": "",
    "tests/lint/debts.txt": "circle: exec new old third\n",
}
BAD = [
    ("src/exec/b.hpp", '#include "exec/c.hpp"\n', "exec: units include each other: b c"),
    ("src/exec/c.hpp", '#include "exec/a.hpp"\n', "exec: units include each other: a c"),
    ("src/exec/b.cpp", '#include "exec/a.hpp"\n', "exec: units include each other: a b"),
    ("src/plan/p.hpp", '#include "exec/b.hpp"\n', "modules include each other: exec plan"),
    ("src/exec/third.hpp", "", "write: circle: exec new old"),
    ("src/exec/new.hpp", "", "take the line away"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD, notes=lambda root: listed(root, "circle")))
