#!/usr/bin/python3
"""Draws the manual's pictures. usage: draw.py [FOLDER] | --check

Without FOLDER into the folder of this script. --check draws elsewhere, and fails if a picture that is checked in differs.
"""

import re
import sys
import tempfile
from pathlib import Path

import data
import modules
import motion

HERE = Path(__file__).resolve().parent
NUMBER = re.compile(r"-?\d+\.\d+")
TOLERANCE = 0.01  # of a point: processors may round the last digit in different ways


def draw(folder):
    for drawing in (*data.DRAWINGS, *modules.DRAWINGS, *motion.DRAWINGS):
        drawing(folder)


def check():
    with tempfile.TemporaryDirectory() as folder:
        draw(folder)
        stale = [p.name for p in sorted(Path(folder).glob("*.svg")) if not same(p, HERE / p.name)]
    for name in stale:
        print(f"docs/pictures/{name} is not what docs/pictures/draw.py draws: run it and look at the picture")
    return 1 if stale else 0


def same(drawn, kept):
    if not kept.exists():
        return False
    texts = drawn.read_text(), kept.read_text()
    if NUMBER.sub("", texts[0]) != NUMBER.sub("", texts[1]):
        return False
    pairs = zip(*(NUMBER.findall(text) for text in texts))
    return all(abs(float(a) - float(b)) <= TOLERANCE for a, b in pairs)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments == ["--check"]:
        sys.exit(check())
    if len(arguments) > 1 or arguments[:1] and arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    draw(arguments[0] if arguments else HERE)
