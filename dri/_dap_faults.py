"""Faults of dictionaries with the values that C cannot hold."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .errors import Fault

# What C says of a key whose value it cannot hold, by rule, and what the value must be.
_SAID = {
    "type": "is no integer",
    "padding": "is no pair of integers",
    "periodic": "is no truth value",
    "one_to_one": "is no truth value",
    "indices_buffer": "is no buffer of integers",
    "dist_type": "is '?', but must be 'b', 'c' or 'u'",
}
_WANTED = {
    "type": "an integer",
    "padding": "a pair of integers",
    "periodic": "True or False",
    "one_to_one": "True or False",
    "indices_buffer": "a buffer of integers with one dimension",
    "dist_type": "'b', 'c' or 'u'",
}


def with_value(found: Fault, dim: Dict[str, Any]) -> Fault:
    """The same fault of a dimension; what C cannot hold is told as the dictionary has it. Local."""
    if found.rule == "missing_key":
        return found._replace(value=None)
    said = f"{found.key} {_SAID.get(found.rule, '')}"
    if found.rule not in _SAID or said not in found.message or found.key not in dim:
        return found
    value = dim[found.key]
    text = f"{found.key} is {_text(value)}, but must be {_WANTED[found.rule]}{_bits(found, value)}"
    return found._replace(value=value, message=found.message.replace(said, text))


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _bits(found: Fault, value: Any) -> str:
    """Integers that are too large are told so."""
    if found.rule == "type":
        can_be_wide = _is_integer(value)
    elif found.rule == "padding":
        can_be_wide = isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_is_integer, value))
    else:
        can_be_wide = found.rule == "indices_buffer" and isinstance(value, np.ndarray) and value.dtype == np.uint64
    if not can_be_wide:
        return ""
    return f" of at most {31 if found.key.startswith('proc_grid') else 63} bits"


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
