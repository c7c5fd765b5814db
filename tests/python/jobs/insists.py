"""Ctrl-C twice, while a call waits for data of a process that computes without end. usage: insists.py CALL, on 2 processes.

Prints "heard".
"""

import os
import signal
import sys
import threading
import time

import numpy as np
from mpi4py import MPI

import dri
from dri._signals import deferred

world = dri.init()
rank = world.position
a, b = dri.arange(8), dri.zeros(8)
CALLS = {
    "scatter": lambda: dri.scatter(np.arange(8.0) if rank == 1 else None, "block", root=1),
    # As calls of several steps have it, one inside the other. Its plan is known.
    "statement": deferred(deferred(lambda: b.__setitem__(slice(-1), a[1:] - 1))),
}


def without_end(*_):
    """What stands for the step that moves data, on the process that does not come to it."""
    while not MPI.COMM_WORLD.iprobe(0):
        time.sleep(0.01)
    os._exit(0)


call = CALLS[sys.argv[1]]
for _ in range(2):
    call()
if rank == 0:
    for seconds in (0.3, 0.8):
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        call()
    except KeyboardInterrupt:
        if 0.8 <= time.monotonic() - start < 30:
            os.write(1, b"heard\n")
    MPI.COMM_WORLD.send("heard", 1)
else:
    dri.assignment.fill = sys.modules["dri.redistribute"].redistribute = without_end
    call()
os._exit(0)  # the call is half done
