"""Graphs beside messages by hand, and beside an executor that makes new buffers in each execution."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List

import numpy as np
from mpi4py import MPI

from dri import graph
from rounds import Result, comm, microseconds, seconds_of, times_as_fast

other = comm.rank ^ 1


def graphs(sizes: tuple[int, ...], rounds: tuple[int, ...]) -> Iterator[Result]:
    """Pairs of processes exchange arrays; then they compute in rounds."""
    if comm.size % 2:
        return
    for number, size in (*((1, size) for size in sizes), (100, 64)):
        yield exchange(number, size)
    for size in rounds:
        yield in_rounds(size)


def exchange(number: int, size: int) -> Result:
    """Arrays of so many bytes from each process to its partner."""
    mine = [np.full(size // 8, 1.0 + comm.rank + i) for i in range(number)]
    theirs = [np.zeros(size // 8) for _ in mine]
    outputs: Dict[str, Any] = {}
    for i, one in enumerate(mine):
        outputs[f"sent {i}"] = graph.make_distributed_send(graph.make_data_wrapper(one), other, i)
        outputs[f"got {i}"] = graph.make_distributed_recv(other, i, one.shape, float)
    found = graph.find_distributed_partition(comm, outputs)
    graph.execute_distributed_partition(found)
    plan = found.plan
    assert plan is not None

    def by_hand() -> None:
        requests = [comm.Irecv(one, other, i) for i, one in enumerate(theirs)]
        requests += [comm.Isend(one, other, i) for i, one in enumerate(mine)]
        MPI.Request.Waitall(requests)

    by_hand()
    assert all((plan.output(f"got {i}") == one).all() for i, one in enumerate(theirs))
    times = seconds_of({"run": plan.run, "by hand": by_hand}, 20)
    plan.close()
    text = f"{number} x {size} B each way: `plan.run()` beside mpi4py's Isend, Irecv and Waitall, buffers kept"
    return Result(text, times_as_fast(times, "run", "by hand"), 1 / 0.6, " times", microseconds(times, *times), True)


def in_rounds(size: int) -> Result:
    """Four rounds of y = y + what the partner has sent, from new data."""
    x = np.arange(size // 8, dtype=float) + comm.rank
    node: Any = graph.make_placeholder("x", x.shape, float)
    for tag in range(4):  # sends are stapled, as pytato's programs do: an output would be copied for the caller
        received = graph.make_distributed_recv(other, tag, x.shape, float)
        node = node + graph.staple_distributed_send(node, other, tag, received)
    found = graph.find_distributed_partition(comm, {"out": node})

    def run() -> Any:
        return graph.execute_distributed_partition(found, input_args={"x": x})["out"]

    assert (run() == part_by_part(x)).all()
    times = seconds_of({"graph": run, "part by part": lambda: part_by_part(x)}, 10)
    assert found.plan is not None
    found.plan.close()
    goal = 3.0 if size <= 4096 else 1.3
    text = f"four rounds with {size} B: execute_distributed_partition beside new buffers and Waitsome, part by part"
    return Result(text, times_as_fast(times, "graph", "part by part"), goal, " times", microseconds(times, *times), True)


def part_by_part(x: Any) -> Any:
    """As pytato executes: receives are posted first, names are kept in a dict, ready parts are looked for after Waitsome."""
    buffers = {f"r{tag}": np.empty_like(x) for tag in range(4)}
    waiting: List[MPI.Request] = [comm.Irecv(one, other, tag) for tag, one in enumerate(buffers.values())]
    names = list(buffers)
    context: Dict[str, Any] = {"y0": x}
    sent, done = [], 0
    parts = {tag: {f"r{tag - 1}"} if tag else set() for tag in range(5)}
    while done < len(parts):
        ready = parts[done] <= context.keys()
        while ready:
            y = context[f"y{done - 1}"] + context[f"r{done - 1}"] if done else x
            context[f"y{done}"] = y
            if done < 4:
                sent.append(comm.Isend(y, other, done))
            done += 1
            ready = done < len(parts) and parts[done] <= context.keys()
        if done < len(parts):
            for at in MPI.Request.Waitsome(waiting) or ():
                context[names[at]] = buffers[names[at]]
    MPI.Request.Waitall(sent)
    return context["y4"]
