"""When expressions of distributed arrays are evaluated, and when they no longer can be.

Run: mpirun -n 2 python3 expressions.py
"""

from __future__ import annotations

import dri

world = dri.init()
a, b = dri.ones((64, 8)), dri.full((64, 8), 2.0)

c = (a + b).evaluate()  # an array: one loop computes it
assert c.sum() == 3 * 64 * 8

stale = ""
try:
    c = a + b
    a[0] = 1
    c.sum()  # StaleError: evaluate() it before
except dri.StaleError as error:
    stale = str(error)
assert "evaluate()" in stale
if world.position == 0:
    print(stale)
