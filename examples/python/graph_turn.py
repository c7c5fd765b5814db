"""The smallest graphs: a corner turn, frame by frame until the input ends, and arrays that go to the next process.

Run: mpirun -n 2 python3 graph_turn.py
"""

# [turn]
import numpy as np
import numpy.typing as npt
from mpi4py import MPI

import dri
from dri.graph import Call, Graph

F4 = npt.NDArray[np.float32]
rows = dri.Distribution((8, 6), "float32", ("block", None))
columns = dri.Distribution((8, 6), "float32", (None, "block"))
g = Graph()
made, arrived = g.transfer("turn", rows, dri.Sink(columns, layout="F"))


@g.call(made)  # without inputs: it makes the frames, and ends them
def make(call: Call, out: F4) -> None:
    if call.frame == 3:
        return call.end()
    call.text = f"frame {call.frame}"
    out[...] = call.frame


@g.call(None, arrived)
def check(call: Call, x: F4) -> None:
    assert x.shape == columns.local_shape and (x == call.frame).all() and call.text == f"frame {call.frame}"


g.stream(frames=2)
# [/turn]

# [ring]
rank, size = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
g = Graph()
x, offsets = g.input("x", (4,), "float64"), g.data(np.arange(4.0))
y = g.value((4,), "float64")
g.call(y, x, offsets, name="add")(lambda call, out, a, b: np.add(a, b, out=out))
g.output("sent", g.send(y, (rank + 1) % size, "y"))  # a send that no output names does not exist
g.output("theirs", g.recv((rank - 1) % size, "y", (4,), "float64"))
with g.partition() as plan:
    for frame in range(3):
        plan.set_input("x", np.full(4, frame + rank))
        plan.run()
        assert plan.output("theirs")[0] == frame + (rank - 1) % size
# [/ring]
