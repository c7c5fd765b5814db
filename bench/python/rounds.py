"""What all rows share: rounds in which they run alternately, and the table."""

from __future__ import annotations

import time
from typing import Any, Callable, NamedTuple

import numpy as np
from mpi4py import MPI

import dri

world = dri.init()
comm = MPI.COMM_WORLD
Row = Callable[[], Any]


class Settings:
    """How long all rows run."""

    rounds = 31


class Result(NamedTuple):
    """A line of the table. found and goal are in the same unit; higher says which side of the goal is good."""

    text: str
    found: float
    goal: float
    unit: str
    detail: str
    higher: bool = False

    @property
    def is_met(self) -> bool:
        return self.found >= self.goal if self.higher else self.found <= self.goal

    def line(self) -> str:
        met = "yes" if self.is_met else "**no**"
        goal = f"{'at least' if self.higher else 'at most'} {self.goal:g}{self.unit}"
        return f"| {self.text} | {goal} | {self.found:.3g}{self.unit} | {met} | {self.detail} |"


def seconds_of(rows: dict[str, Row], repeats: int = 1) -> dict[str, Any]:
    """Seconds of each row in each round, those of the slowest process. A row that returns a float has measured itself."""
    taken: dict[str, list[float]] = {name: [] for name in rows}
    for which in range(Settings.rounds + 1):  # the first one warms up
        for name, row in rows.items():
            comm.Barrier()
            start = time.perf_counter()
            for _ in range(repeats):
                own = row()
            mine = own if isinstance(own, float) else (time.perf_counter() - start) / repeats
            slowest = comm.allreduce(mine, MPI.MAX)
            if which:
                taken[name].append(slowest)
    return {name: np.array(one) for name, one in taken.items()}


def median(values: Any) -> float:
    return float(np.median(values))


def more_than(found: dict[str, Any], row: str, base: str) -> float:
    """Microseconds of a row beyond another one: the median of the rounds' differences."""
    return median(found[row] - found[base]) * 1e6


def times_as_fast(found: dict[str, Any], row: str, peer: str) -> float:
    """The median of the rounds' ratios."""
    return median(found[peer] / found[row])


def microseconds(found: dict[str, Any], *rows: str) -> str:
    return ", ".join(f"{row} {median(found[row]) * 1e6:.4g} us" for row in rows)


def milliseconds(found: dict[str, Any], *rows: str) -> str:
    return ", ".join(f"{row} {median(found[row]) * 1e3:.4g} ms" for row in rows)
