"""Expressions for numexpr, where it has the operations and types and is the faster one."""

from __future__ import annotations

import threading
from typing import Any, List, Sequence

import numpy as np

_BINARY = {np.add: "({} + {})", np.subtract: "({} - {})", np.multiply: "({} * {})", np.true_divide: "({} / {})"}
_UNARY = {
    np.negative: "(-{})", np.positive: "{}", np.absolute: "abs({})", np.sqrt: "sqrt({})", np.square: "({0} * {0})",
}  # fmt: skip
_FUNCTIONS = {
    getattr(np, name): f"{name}({{}})"
    for name in ("exp", "expm1", "log", "log1p", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arctan")
}
_OPERATIONS = {**_BINARY, **_UNARY, **_FUNCTIONS}
_TYPES = (np.dtype("f4"), np.dtype("f8"))
_kept: dict[Any, Any] = {}
_running = threading.Lock()  # a compiled expression keeps the state of its run


def has_wide_loops() -> bool:
    """Whether numpy computes functions eight numbers at a time here: then it is the faster one. Local."""
    features = getattr(np.core._multiarray_umath, "__cpu_features__", {})
    return bool(features.get("AVX512_SKX", False))


class Compiled:
    """An expression that numexpr has compiled. Local."""

    def __init__(self, text: str, dtype: Any, constants: List[Any], reads: int) -> None:
        import numexpr  # type: ignore[import]
        from numexpr import necompiler

        kind = necompiler.double if dtype == np.float64 else float  # its float has 32 bits
        names = [f"r{i}" for i in range(reads)] + [f"c{i}" for i in range(len(constants))]
        key = (text, dtype, reads, len(constants))
        if key not in _kept:
            if not _kept:
                numexpr.set_num_threads(1)  # the processes are the threads
            _kept[key] = numexpr.NumExpr(text, [(name, kind) for name in names])
        self._run = _kept[key]
        self._constants = constants

    def __call__(self, target: Any, reads: Sequence[Any]) -> Any:
        with _running:
            self._run(*reads, *self._constants, out=target, order="K", casting="safe", ex_uses_vml=False)
        return target


def compiled(steps: Sequence[Any], dtypes: List[Any], always: bool = False) -> Compiled | None:
    """The expression, if numexpr has all its operations and computes it faster. Local.

    All values are float32, or all float64, so that both compute the same. ``always``: also where numpy is faster.
    """
    if not steps or not dtypes or any(one != dtypes[0] for one in dtypes) or dtypes[0] not in _TYPES:
        return None
    if any(step.operation not in _OPERATIONS or step.dtype != dtypes[0] for step in steps if _is_ufunc(step.operation)):
        return None
    if not all(_is_ufunc(step.operation) for step in steps):
        return None
    if not always and (has_wide_loops() or not any(step.operation in _FUNCTIONS for step in steps)):
        return None
    try:
        import numexpr  # noqa: F401
    except ImportError:
        return None
    texts = [f"r{i}" for i in range(len(dtypes))]
    constants: List[Any] = []
    for step in steps:
        given = []
        for one in step.arguments:
            if isinstance(one, int):
                given.append(texts[one])
            else:
                given.append(f"c{len(constants)}")
                constants.append(dtypes[0].type(one.value))
        texts.append(_OPERATIONS[step.operation].format(*given))
    return Compiled(texts[-1], dtypes[0], constants, len(dtypes))


def _is_ufunc(operation: Any) -> bool:
    return isinstance(operation, np.ufunc)
