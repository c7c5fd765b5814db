"""Processes compute, and each sends its result to the next one: a graph of expressions, with pytato's names.

Run: mpirun -n 2 python3 graph_exchange.py
"""

import numpy as np
from mpi4py import MPI

from dri import graph

comm = MPI.COMM_WORLD
next_rank, previous = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size

# [graph]
x = graph.make_placeholder("x", (4,), float)
squares = x**2
theirs = graph.make_distributed_recv(previous, "squares", (4,), float)
total = np.sqrt(squares + graph.staple_distributed_send(squares, next_rank, "squares", theirs))
outputs = graph.make_dict_of_named_arrays({"total": total})
# [/graph]

# [run]
partition = graph.find_distributed_partition(comm, outputs)  # checked on all processes
programs = graph.generate_code_for_partition(partition)
for frame in range(3):
    given = np.full(4, float(frame + comm.rank))
    result = graph.execute_distributed_partition(partition, programs, None, comm, input_args={"x": given})
    assert np.allclose(result["total"], np.hypot(given, frame + previous))
# [/run]

if comm.rank == 0 and partition.plan:
    print(partition.plan.describe())
