#!/usr/bin/python3
"""Draws modules.svg: the modules of src/ and who may include whom. usage: modules.py [FOLDER]

The arrows are the list in tests/lint/layers.py, so the picture cannot differ from what the lint holds.
"""

import ast
import sys
from pathlib import Path

from style import GHOST, GREY, PROCESSES, arrow, cell, label, mono, save, sheet

HERE = Path(__file__).resolve().parent
LAYERS = HERE.parent.parent / "tests" / "lint" / "layers.py"

# Module -> left edge, top edge, what it is for. Each arrow between two of them points downwards.
BOXES = {
    "api": (13.5, 6.6, "handles, argument checks, codes"),
    "commit": (13.5, 11.0, "match, plan, reserve, agree"),
    "planner": (1.0, 15.6, "decides what moves"),
    "exec": (13.5, 15.6, "runs frames"),
    "kernel": (13.5, 20.2, "runs one copy"),
    "transport": (26.0, 24.8, "bytes between processes"),
    "model": (1.0, 24.8, "what is where"),
    "plan": (13.5, 24.8, "what to copy, as data"),
    "base": (13.5, 29.2, "errors, integers, memory, log"),
}
WIDTH, HEIGHT = 11.0, 2.4


def allowed():
    """The table ALLOWED of the lint, read without running the lint."""
    for node in ast.parse(LAYERS.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "ALLOWED":
            return {module: ast.literal_eval(others) if not isinstance(others, ast.Call) else set()
                    for module, others in zip(map(ast.literal_eval, node.value.keys), node.value.values)}
    raise SystemExit(f"{LAYERS} has no table ALLOWED")


def modules(folder):
    """Boxes and arrows: an arrow from A to B says that files of A may include headers of B."""
    axes = sheet(38, 33.6)
    for left, width, name, note in (
        (1.0, 23.5, "examples/  bench/  tests/abi/", "use the public interface only"),
        (26.0, 11.0, "tests/", "look inside every module"),
    ):
        cell(axes, left, 0.8, colour=GHOST, width=width, height=HEIGHT)
        label(axes, left + width / 2, 1.6, name, "center", weight="bold")
        label(axes, left + width / 2, 2.5, note, "center", size=8, colour=GREY)
    cell(axes, 1.0, 4.3, colour=PROCESSES[1], width=23.5, height=1.2)
    mono(axes, 12.75, 4.9, "include/dri/*.h", "center")
    arrow(axes, (12.75, 3.2), (12.75, 4.3))
    arrow(axes, (19.0, 5.5), (19.0, 6.6))
    for module, others in sorted(allowed().items()):
        for other in sorted(others):
            arrow(axes, *ends_of(module, other), bend=bend_of(module, other), thickness=1.0)
    arrow(axes, (19.0, 27.2), (19.0, 29.2), thickness=1.0)
    for name, (left, top, note) in BOXES.items():
        cell(axes, left, top, colour=PROCESSES[0], width=WIDTH, height=HEIGHT)
        label(axes, left + WIDTH / 2, top + 0.8, name, "center", weight="bold", size=11)
        label(axes, left + WIDTH / 2, top + 1.75, note, "center", size=8)
    label(axes, 19.0, 32.6, "every module may include base", "center", size=8, colour=GREY)
    save(axes, folder, "modules")


# Arrows that would cross a box on a straight line: how far they bend.
BENDS = {
    ("api", "model"): 0.22,
    ("api", "transport"): -0.22,
    ("commit", "plan"): 0.0,
    ("exec", "plan"): 0.0,
}
# Arrows down a column that other boxes stand in: they leave and enter at the side of the boxes.
BESIDE = {("commit", "plan"): (13.5, 12.6), ("exec", "plan"): (24.5, 25.4)}


def bend_of(module, other):
    return BENDS.get((module, other), 0.0)


def ends_of(module, other):
    left, top, _ = BOXES[module]
    to_left, to_top, _ = BOXES[other]
    start = (left + WIDTH / 2, top + HEIGHT)
    end = (to_left + WIDTH / 2, to_top)
    return start, end


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) > 1 or arguments[:1] and arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    modules(arguments[0] if arguments else HERE)
