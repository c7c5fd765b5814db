"""A drawing of the modules of src/ and which may include which.

The arrows are the tables ALLOWED and OUTER of tests/lint/layers.py, so the picture cannot differ from what the lint
enforces.
"""

import ast
from pathlib import Path

from style import GHOST, GREY, INK, PROCESSES, arrow, cell, label, mono, save, sheet

LAYERS = Path(__file__).resolve().parents[2] / "tests" / "lint" / "layers.py"
WIDTH, HEIGHT = 7.4, 2.3

# Module -> left edge, top edge, what it does.
BOXES = {
    "dap": (10.5, 4.4, "the array protocol"),
    "domain": (18.9, 4.4, "maps and domains"),
    "array": (27.3, 4.4, "loops over arrays"),
    "graph": (35.7, 4.4, "graphs of calls"),
    "outer": (23.1, 8.2, "what these share"),
    "api": (18.3, 14.4, "handles and checks"),
    "commit": (18.3, 18.4, "match, plan, reserve"),
    "planner": (9.9, 22.4, "decides what moves"),
    "exec": (26.7, 22.4, "runs frames"),
    "kernel": (26.7, 26.4, "runs one copy"),
    "model": (1.5, 30.4, "what is where"),
    "plan": (18.3, 30.4, "what to copy"),
    "transport": (35.1, 30.4, "moves bytes"),
    "flow": (43.5, 30.4, "who may go on"),
    "base": (18.3, 34.4, "errors, memory, log"),
}
# Arrows that leave a box at its side and turn down: where they arrive, from the middle of the lower box.
ELBOWS = {
    ("api", "model"): -1.6, ("commit", "model"): 0.0, ("api", "transport"): 1.6, ("commit", "transport"): 0.0,
    ("exec", "transport"): -1.6, ("exec", "flow"): 0.0, ("api", "exec"): 2.4,
}
# The other arrows are straight, from the lower edge to the upper one: where they leave and arrive, from the middles.
STRAIGHT = {
    ("commit", "planner"): (-1.5, 0.0), ("commit", "exec"): (1.5, 0.0), ("planner", "model"): (-1.5, 2.0),
    ("planner", "plan"): (1.5, -2.0), ("exec", "plan"): (-3.2, 1.0), ("kernel", "plan"): (-1.0, 2.4),
    ("dap", "outer"): (2.0, -2.7), ("domain", "outer"): (1.0, -0.9), ("array", "outer"): (-1.0, 0.9),
    ("graph", "outer"): (-2.0, 2.7),
}


def allowed(table):
    """Module -> the modules that it may include, from a table of the lint's source."""
    for node in ast.parse(LAYERS.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == table:
            rows = zip(node.value.keys, node.value.values)
            return {key.value: [name.value for name in getattr(value, "elts", [])] for key, value in rows}
    raise SystemExit(f"{LAYERS} has no table {table}")


def connect(axes, upper, lower):
    (left, top, _), (to_left, to_top, _) = BOXES[upper], BOXES[lower]
    if (upper, lower) in ELBOWS:
        x = to_left + WIDTH / 2 + ELBOWS[upper, lower]
        y = top + HEIGHT / 2
        axes.plot([left if x < left else left + WIDTH, x], [y, y], color=INK, linewidth=1)
        arrow(axes, (x, y), (x, to_top), thickness=1)
        return
    leave, arrive = STRAIGHT.get((upper, lower), (0.0, 0.0))
    start = (left + WIDTH / 2 + leave, top + HEIGHT)
    arrow(axes, start, (to_left + WIDTH / 2 + arrive, to_top), thickness=1)


def modules(folder):
    """An arrow from A down to B: files of A may include headers of B."""
    axes = sheet(52.4, 38)
    cell(axes, 1.5, 0.6, colour=GHOST, width=27, height=2)
    label(axes, 15, 1.25, "examples/   bench/   tests/abi/", "center", weight="bold")
    label(axes, 15, 2.05, "use the public interface only", "center", size=8, colour=GREY)
    cell(axes, 40.9, 0.6, colour=GHOST, width=10, height=2)
    label(axes, 45.9, 1.25, "other tests/", "center", weight="bold")
    label(axes, 45.9, 2.05, "look into every module", "center", size=8, colour=GREY)
    label(axes, 31.1, 9.0, "outer modules stand on the public interface;", size=8, colour=GREY)
    label(axes, 31.1, 9.8, "of the other modules they include base only", size=8, colour=GREY)
    cell(axes, 1.5, 11.7, colour=PROCESSES[1], width=49.4, height=1.4)
    mono(axes, 2.1, 12.4, "include/dri/*.h")
    label(axes, 50.4, 12.4, "implemented by api and outer modules; codes.h also used by base, attributes.h by commit", "right", size=8)
    for x, top in ((6, 2.6), (48, 2.6), (23.1 + WIDTH / 2, 8.2 + HEIGHT)):
        arrow(axes, (x, top), (x, 11.7), thickness=1)
    outer = allowed("OUTER")
    for upper, others in (allowed("ALLOWED") | outer).items():
        for lower in others:
            connect(axes, upper, lower)
    connect(axes, "plan", "base")
    label(axes, 26.2, 35.55, "every module may include base", size=8, colour=GREY)
    for name, (left, top, note) in BOXES.items():
        cell(axes, left, top, colour=PROCESSES[2 if name in outer else 0], width=WIDTH, height=HEIGHT)
        label(axes, left + WIDTH / 2, top + 0.8, name, "center", weight="bold", size=11)
        label(axes, left + WIDTH / 2, top + 1.7, note, "center", size=8)
    save(axes, folder, "modules")


DRAWINGS = (modules,)
