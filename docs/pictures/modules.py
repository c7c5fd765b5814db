"""A drawing of the modules of src/ and which may include which.

The arrows are the table ALLOWED of tests/lint/layers.py, so the picture cannot differ from what the lint enforces.
"""

import ast
from pathlib import Path

from style import GHOST, GREY, INK, PROCESSES, arrow, cell, label, mono, save, sheet

LAYERS = Path(__file__).resolve().parents[2] / "tests" / "lint" / "layers.py"
WIDTH, HEIGHT = 7.4, 2.3

# Module -> left edge, top edge, what it does.
BOXES = {
    "api": (18.3, 6.4, "handles and checks"),
    "commit": (18.3, 10.4, "match, plan, reserve"),
    "planner": (9.9, 14.4, "decides what moves"),
    "exec": (26.7, 14.4, "runs frames"),
    "kernel": (26.7, 18.4, "runs one copy"),
    "model": (1.5, 22.4, "what is where"),
    "plan": (18.3, 22.4, "what to copy"),
    "transport": (35.1, 22.4, "moves bytes"),
    "flow": (43.5, 22.4, "who may go on"),
    "base": (18.3, 26.4, "errors, memory, log"),
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
}


def allowed():
    """Module -> the modules that it may include, from the source of the lint."""
    for node in ast.parse(LAYERS.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "ALLOWED":
            table = zip(node.value.keys, node.value.values)
            return {key.value: [name.value for name in getattr(value, "elts", [])] for key, value in table}
    raise SystemExit(f"{LAYERS} has no table ALLOWED")


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
    axes = sheet(52.4, 30)
    cell(axes, 1.5, 0.6, colour=GHOST, width=27, height=2)
    label(axes, 15, 1.25, "examples/   bench/   tests/abi/", "center", weight="bold")
    label(axes, 15, 2.05, "use the public interface only", "center", size=8, colour=GREY)
    cell(axes, 40.9, 0.6, colour=GHOST, width=10, height=2)
    label(axes, 45.9, 1.25, "other tests/", "center", weight="bold")
    label(axes, 45.9, 2.05, "look into every module", "center", size=8, colour=GREY)
    cell(axes, 1.5, 3.7, colour=PROCESSES[1], width=49.4, height=1.4)
    mono(axes, 2.1, 4.4, "include/dri/*.h")
    label(axes, 50.4, 4.4, "implemented by api; codes.h also used by base, attributes.h by commit", "right", size=8)
    for x in (22, 45.9):
        arrow(axes, (x, 2.6), (x, 3.7), thickness=1)
    for upper, others in allowed().items():
        for lower in others:
            connect(axes, upper, lower)
    connect(axes, "plan", "base")
    label(axes, 26.2, 27.55, "every module may include base", size=8, colour=GREY)
    for name, (left, top, note) in BOXES.items():
        cell(axes, left, top, colour=PROCESSES[0], width=WIDTH, height=HEIGHT)
        label(axes, left + WIDTH / 2, top + 0.8, name, "center", weight="bold", size=11)
        label(axes, left + WIDTH / 2, top + 1.7, note, "center", size=8)
    save(axes, folder, "modules")


DRAWINGS = (modules,)
