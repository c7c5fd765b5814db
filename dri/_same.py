"""Whether two kernels compute the same, as a call needs to know that goes on with another one of an earlier call."""

from __future__ import annotations

import functools
import types
from typing import Any, Dict, Tuple

import numpy as np

from . import _dri
from .array import Array
from .lazy import Lazy, Node, base_of
from .programs import Program
from .section import Section

_UNIQUE = (type, np.ufunc, types.BuiltinFunctionType, types.ModuleType)
_EMPTY = object()  # what a cell has that is not filled yet
_Seen = Dict[Tuple[int, int], Tuple[Any, Any]]  # pairs that are compared already, by address; their objects stay alive


def is_same(a: Any, b: Any) -> bool:
    """Whether two kernels, or two values that they use, are equal. Local. Those that cannot be compared are.

    Functions are equal if they have the same code, and equal values around it. Arrays are if they are one, slices if
    they have the same of one array. Objects without ``==`` are equal if they have one type and equal attributes. Cycles
    are equal if no difference is found in them.
    """
    return _is_same(a, b, {})


def _is_same(a: Any, b: Any, seen: _Seen) -> bool:
    if a is b or (id(a), id(b)) in seen:
        return True
    if type(a) is not type(b):
        return False
    seen[id(a), id(b)] = a, b
    try:
        return _compared(a, b, seen)
    except Exception:  # they cannot be compared, or are nested too deep
        return True


def _compared(a: Any, b: Any, seen: _Seen) -> bool:
    if isinstance(a, types.FunctionType):
        return a.__code__ == b.__code__ and _are_same(_values(a), _values(b), seen)
    if isinstance(a, types.MethodType):
        return a.__func__ is b.__func__ and _is_same(a.__self__, b.__self__, seen)
    if isinstance(a, functools.partial):
        return _are_same((a.func, a.args, a.keywords), (b.func, b.args, b.keywords), seen)
    if isinstance(a, Program):
        return _is_same(a.steps, b.steps, seen)
    if isinstance(a, _dri.Fused):
        return _is_same(a.program, b.program, seen)
    if isinstance(a, Lazy):
        return _is_same(a.node, b.node, seen)
    if isinstance(a, Node):
        return _are_same((a.operation, a.inputs), (b.operation, b.inputs), seen)
    if isinstance(a, Section):
        return base_of(a) is base_of(b) and bool(a.chosen == b.chosen)
    if isinstance(a, Array):
        return False  # it is another one
    if isinstance(a, dict):
        return list(a) == list(b) and _are_same(list(a.values()), list(b.values()), seen)
    if isinstance(a, (list, tuple)):
        return _are_same(a, b, seen)
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, (float, complex, np.generic)):
        return repr(a) == repr(b)
    kind: Any = type(a)
    if kind.__eq__ is not object.__eq__:
        found = a == b
        return bool(found.all() if isinstance(found, np.ndarray) else found)
    return not isinstance(a, _UNIQUE) and _is_same(getattr(a, "__dict__", None), getattr(b, "__dict__", None), seen)


def _values(function: Any) -> Any:
    return (*map(_content, function.__closure__ or ()), function.__defaults__, function.__kwdefaults__)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _are_same(a: Any, b: Any, seen: _Seen) -> bool:
    return len(a) == len(b) and all(_is_same(one, other, seen) for one, other in zip(a, b))
