"""Whether two kernels compute the same, as a call needs to know that goes on with another one of an earlier call."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from . import _dri
from .programs import Program

_UNIQUE = (type, np.ufunc, types.BuiltinFunctionType, types.ModuleType)


def is_same(a: Any, b: Any) -> bool:
    """Whether two kernels, or two values that they use, are equal. Local. Those that cannot be compared are.

    Functions are equal if they have the same code, and equal values around it. Objects without ``==`` are equal if they
    have one type and equal attributes.
    """
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, types.FunctionType):
        return a.__code__ == b.__code__ and _are_same(_values(a), _values(b))
    if isinstance(a, types.MethodType):
        return a.__func__ is b.__func__ and is_same(a.__self__, b.__self__)
    if isinstance(a, functools.partial):
        return is_same(a.func, b.func) and is_same(a.args, b.args) and is_same(a.keywords, b.keywords)
    if isinstance(a, Program):
        return is_same(a.steps, b.steps)
    if isinstance(a, _dri.Fused):
        return is_same(a.program, b.program)
    if isinstance(a, dict):
        return list(a) == list(b) and _are_same(list(a.values()), list(b.values()))
    if isinstance(a, (list, tuple)):
        return _are_same(a, b)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, (float, complex, np.generic)):
        return repr(a) == repr(b)
    if type(a).__eq__ is not object.__eq__:
        return bool(a == b)
    return not isinstance(a, _UNIQUE) and is_same(getattr(a, "__dict__", None), getattr(b, "__dict__", None))


def _values(function: Any) -> Any:
    return (*(cell.cell_contents for cell in function.__closure__ or ()), function.__defaults__, function.__kwdefaults__)


def _are_same(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all(is_same(one, other) for one, other in zip(a, b))
