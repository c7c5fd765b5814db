"""Statements on distributed arrays beside numpy with halos by mpi4py, written by hand."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from mpi4py import MPI

import dri
from rounds import Result, Row, comm, microseconds, seconds_of, times_as_fast


class Rows:
    """The rows of this process with halos beside them, which Isend and Irecv fill."""

    def __init__(self, n: int, width: int) -> None:
        self.first, end = comm.rank * n // comm.size, (comm.rank + 1) * n // comm.size
        self.width, self.n, self.own = width, n, end - self.first
        self.x = np.zeros((self.own + 2 * width, n))
        self.y = np.zeros_like(self.x)
        self.up = comm.rank - 1 if comm.rank else MPI.PROC_NULL
        self.down = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL
        inner = max(width - self.first, 0), min(n - width - self.first, self.own)
        self.target = slice(width + inner[0], width + inner[1])

    def exchange(self) -> None:
        """Fill the halos of x."""
        x, w = self.x, self.width
        requests = [
            comm.Irecv(x[:w], self.up), comm.Irecv(x[-w:], self.down),
            comm.Isend(x[w : 2 * w], self.up), comm.Isend(x[-2 * w : -w], self.down),
        ]  # fmt: skip
        MPI.Request.Waitall(requests)

    def rows(self, d: int) -> slice:
        """The rows of the target, d further."""
        return slice(self.target.start + d, self.target.stop + d)


def jacobi_by_hand(n: int) -> tuple[Row, Rows]:
    state = Rows(n, 1)

    def step() -> None:
        state.exchange()
        x, at = state.x, state.rows
        state.y[at(0), 1:-1] = 0.25 * (x[at(-1), 1:-1] + x[at(1), 1:-1] + x[at(0), :-2] + x[at(0), 2:])
        state.x, state.y = state.y, state.x

    return step, state


class Statement:
    """The same as one statement."""

    def __init__(self, n: int) -> None:
        self.a, self.b = dri.zeros((n, n)), dri.zeros((n, n))

    def __call__(self) -> None:
        a, b = self.a, self.b
        b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        self.a, self.b = b, a


def star_by_hand(n: int) -> tuple[Row, Rows]:
    state = Rows(n, 2)

    def step() -> None:
        state.exchange()
        x, at = state.x, state.rows
        state.y[at(0), 2:-2] += (
            0.25 * (x[at(0), 3:-1] - x[at(0), 1:-3] + x[at(1), 2:-2] - x[at(-1), 2:-2])
            + 0.125 * (x[at(0), 4:] - x[at(0), :-4] + x[at(2), 2:-2] - x[at(-2), 2:-2])
        )  # fmt: skip
        x[2:-2] += 1

    return step, state


class Star(Statement):
    """The star stencil as statements."""

    def __call__(self) -> None:
        x, y = self.a, self.b
        y[2:-2, 2:-2] += (
            0.25 * (x[2:-2, 3:-1] - x[2:-2, 1:-3] + x[3:-1, 2:-2] - x[1:-3, 2:-2])
            + 0.125 * (x[2:-2, 4:] - x[2:-2, :-4] + x[4:, 2:-2] - x[:-4, 2:-2])
        )  # fmt: skip
        x += 1


def statements(sizes: tuple[int, ...], star: int) -> Iterator[Result]:
    """Iterations of Jacobi and of a star stencil. Goals are ratios of times: 1.5 for small arrays, 0.5 for others."""
    for n in sizes:
        step, state = jacobi_by_hand(n)
        yield _row(f"Jacobi iteration of {n} squared", n, Statement(n), step, state, 1.5 if n <= 64 else 0.5)
    step, state = star_by_hand(star)
    yield _row(f"star stencil of {star} squared", star, Star(star), step, state, 0.5)


def _row(text: str, n: int, ours: Statement, step: Row, state: Rows, goal: float) -> Result:
    start: Any = np.random.default_rng(1).random((n, n))
    ours.a[...] = start
    state.x[state.width : state.width + state.own] = start[state.first : state.first + state.own]
    for _ in range(3):
        ours()
        step()
    mine = state.x if isinstance(ours, Star) is False else state.y
    made = (ours.b if isinstance(ours, Star) else ours.a).gather(-1)
    own = mine[state.width : state.width + state.own]
    inside = slice(state.width, -state.width)
    assert np.array_equal(own[:, inside], made[state.first : state.first + state.own, inside]), text
    found = seconds_of({"statement": ours, "by hand": step}, max(1, 2048 // n))
    return Result(f"{text}: beside numpy and mpi4py by hand", 1 / times_as_fast(found, "statement", "by hand"), goal,
                  " times the time", microseconds(found, *found))  # fmt: skip
