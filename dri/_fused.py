"""Expressions that the library's own operations compute, box by box and without Python."""

from __future__ import annotations

from typing import Any, List, Sequence

import numpy as np

from . import _dri
from ._sums import passes

_OPERATIONS = {
    np.add: 1, np.subtract: 2, np.multiply: 3, np.true_divide: 4, np.negative: 7, np.absolute: 14, np.square: 3,
}  # fmt: skip
_TYPES = (np.dtype("f4"), np.dtype("f8"))


def fused(steps: Sequence[Any], dtypes: List[Any]) -> _dri.Fused | None:
    """The expression as a kernel, if all its operations give numpy's bits there. Local.

    All values are float32, or all float64.
    """
    if not steps or not dtypes or any(one != dtypes[0] for one in dtypes) or dtypes[0] not in _TYPES:
        return None
    constants: List[float] = []
    made = []
    for step in steps:
        if not isinstance(step.operation, np.ufunc) or step.operation not in _OPERATIONS or step.dtype != dtypes[0]:
            return None
        numbers = []
        for one in step.arguments:
            if isinstance(one, int):
                numbers.append(one)
            elif isinstance(one.value, (complex, np.complexfloating)):
                return None
            else:
                constants.append(float(dtypes[0].type(one.value)))
                numbers.append(-len(constants))
        made.append((_OPERATIONS[step.operation], numbers[0], numbers[-1]))
    for turns in (passes(made, len(dtypes), constants), tuple(made)):
        try:
            return _dri.Fused((tuple(made), len(dtypes), tuple(constants), dtypes[0] == np.float64, turns))
        except ValueError:  # too many results at a time
            pass
    return None


def report(divide: bool, over: bool, under: bool, invalid: bool) -> None:
    """Warn or raise as ``np.errstate`` says, as an operation of numpy's would. Local."""
    if divide:
        np.true_divide(1.0, np.zeros(1))
    if over:
        np.multiply(1e300, np.full(1, 1e300))
    if under:
        np.multiply(1e-300, np.full(1, 1e-300))
    if invalid:
        np.subtract(np.inf, np.full(1, np.inf))
