"""Sums of products with numbers in an expression: each is one pass over its elements."""

from __future__ import annotations

import math
from typing import Any, List, Sequence, Tuple

ADD, SUB, MUL, DIV, NEG = 1, 2, 3, 4, 7  # of DRI_Op
MOST = 8  # terms of a sum
Step = Tuple[int, int, int]


def passes(steps: Sequence[Step], reads: int, constants: Sequence[float]) -> Tuple[Any, ...]:
    """The steps of a program of ``_dri.Fused`` as sums where these save a pass, in the same order. Local."""
    return _Sums(steps, reads, constants).passes()


class _Sums:
    """Which steps go into which sum. All values have the bits that they have step by step. Local."""

    def __init__(self, steps: Sequence[Step], reads: int, constants: Sequence[float]) -> None:
        self.steps, self.reads, self.constants = steps, reads, constants
        self.uses = [0] * len(steps)
        for _, first, second in steps:
            for one in {first, second}:
                if one >= reads:
                    self.uses[one - reads] += 1 if first != second else 2

    def passes(self) -> Tuple[Any, ...]:
        made: dict[int, Any] = {}
        wanted = {len(self.steps) - 1}
        for at in range(len(self.steps) - 1, -1, -1):  # operands are earlier steps
            if at in wanted:
                made[at] = self._sum(at) or self.steps[at]
                wanted.update(one - self.reads for one in _arguments(made[at]) if one >= self.reads)
        places = {at: place for place, at in enumerate(sorted(made))}

        def renamed(one: int) -> int:
            return one if one < self.reads else self.reads + places[one - self.reads]

        return tuple(
            (tuple(map(renamed, one[0])), *one[1:]) if isinstance(one[0], tuple) else (one[0], *map(renamed, one[1:]))
            for _, one in sorted(made.items())
        )

    def _sum(self, at: int) -> Any:
        """The result of a step as (terms, factors, scale, more), if that takes further steps along."""
        self.taken = 0
        top = self.reads + at
        inner: int | None = at
        scale, more = 1.0, -0.0  # x + -0.0 is x, also for zeros
        found = self._number(at, (ADD, SUB))
        if found:
            operation, top, number, is_first = found
            scale = -1.0 if operation == SUB and is_first else 1.0
            more = -number if operation == SUB and not is_first else number
            self.taken, inner = 1, self._inner(top)
        found = None if inner is None else self._number(inner, (MUL, DIV))
        if found is not None:
            scale *= _factor(found)
            top = found[1]
            self.taken, inner = self.taken + 1, self._inner(top)
        terms = None if inner is None else self._terms(inner)
        if self.taken < 2:
            return None
        factors, places = zip(*(terms or [(1.0, top)]))
        return places, factors, scale, more

    def _inner(self, one: int) -> int | None:
        """The step that gives an argument, if nothing else uses it."""
        return one - self.reads if one >= self.reads and self.uses[one - self.reads] == 1 else None

    def _number(self, at: int, operations: Tuple[int, ...]) -> Tuple[int, int, float, bool] | None:
        """The operation of a step of an array and a number, both, and whether the number is the first."""
        operation, first, second = self.steps[at]
        if operation not in operations or (first < 0) == (second < 0):
            return None
        number = self.constants[-1 - min(first, second)]
        if operation == DIV and (first < 0 or math.frexp(abs(number))[0] != 0.5 or not 1e-30 < abs(number) < 1e30):
            return None  # a product with 1 / number has other bits
        return operation, max(first, second), number, first < 0

    def _terms(self, at: int) -> List[Tuple[float, int]] | None:
        """The terms of a sum of arrays, whose last one is added by a step. Sums in the first place go on."""
        if not self._is_sum(at):
            return None
        made: List[Tuple[float, int]] = []
        while True:
            self.taken += 1
            operation, first, second = self.steps[at]
            if operation == ADD and self._is_sum(self._inner(second)) and not self._is_sum(self._inner(first)):
                first, second = second, first
            made.append(self._term(second, -1.0 if operation == SUB else 1.0))
            left = self._inner(first)
            results = sum(one >= self.reads for _, one in made)  # each fills a buffer of the nearest cache
            if left is None or not self._is_sum(left) or len(made) == MOST - 1 or results == 2:
                made.append(self._term(first, 1.0))
                return made[::-1]
            at = left

    def _is_sum(self, at: int | None) -> bool:
        if at is None:
            return False
        operation, first, second = self.steps[at]
        return operation in (ADD, SUB) and first >= 0 and second >= 0

    def _term(self, one: int, factor: float) -> Tuple[float, int]:
        inner = self._inner(one)
        if inner is not None:
            found = self._number(inner, (MUL, DIV))
            if found is not None:
                self.taken += 1
                return factor * _factor(found), found[1]
            if self.steps[inner][0] == NEG:
                self.taken += 1
                return -factor, self.steps[inner][1]
        return factor, one


def _factor(found: Tuple[int, int, float, bool]) -> float:
    return 1 / found[2] if found[0] == DIV else found[2]


def _arguments(made: Any) -> Tuple[int, ...]:
    return tuple(made[0] if isinstance(made[0], tuple) else made[1:])
