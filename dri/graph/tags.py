"""Tags: any hashable object, as a text that is the same on all processes."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import numbers
import pickle
from typing import Any, Hashable

import numpy as np

_NO_WORDS = ("None", "True", "False", "Ellipsis", "nan", "inf")
LONGEST = 127
"""Bytes of the longest text of a tag."""


class TagText(str):
    """The text of a tag that is no literal, such as a class: it stands for that tag."""


def text_of(tag: Hashable) -> str:
    """The text of a tag: equal tags have equal texts. Local.

    Numbers, texts, bytes, classes, None, and tuples, frozensets and dataclasses of them have one that people can read.
    Others are pickled: they are equal if their pickled forms are. A long text is replaced by its beginning and a digest. A word is its own text, as it is in C.
    """
    if isinstance(tag, TagText):
        return str(tag)
    hash(tag)  # refuses what is not hashable, as a dict does
    text = str.__str__(tag) if isinstance(tag, str) and _is_word(tag) else _text(tag)
    if len(text.encode()) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return f"{text.encode('ascii', 'replace').decode()[: LONGEST - 34]}..{digest}"


def tag_of(text: str) -> Hashable:
    """The number, text, bytes or tuple that has this text; of any other tag a TagText. Local."""
    if _is_word(text):
        return text
    try:
        found: Hashable = ast.literal_eval(text)
        return found if text_of(found) == text else TagText(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return TagText(text)


def _is_word(text: str) -> bool:
    """Whether it cannot be taken for the text of anything else."""
    return text.isascii() and text.isidentifier() and text not in _NO_WORDS


def _text(tag: Hashable) -> str:
    if isinstance(tag, (numbers.Integral, np.bool_)):  # bool, too: True == 1
        return repr(int(tag))
    if isinstance(tag, numbers.Number):
        return _number(tag)
    if isinstance(tag, str):
        return ascii(str.__str__(tag))  # of the base class: subclasses are equal to it
    if isinstance(tag, bytes):
        return repr(bytes(tag))
    if tag is None or tag is Ellipsis:
        return repr(tag)
    if isinstance(tag, type):
        return f"<{tag.__module__}.{tag.__qualname__}>"
    if isinstance(tag, tuple) and type(tag).__eq__ is tuple.__eq__:  # named ones are equal to theirs
        return f"({', '.join(map(_text, tag))}{',' if len(tag) == 1 else ''})"
    if isinstance(tag, frozenset) and type(tag).__eq__ is frozenset.__eq__:
        return f"frozenset({{{', '.join(sorted(map(_text, tag)))}}})"
    if _has_fields(tag):
        compared = tuple(getattr(tag, one.name) for one in dataclasses.fields(tag) if one.compare)
        return f"<{type(tag).__module__}.{type(tag).__qualname__}{_text(compared)}>"
    return f"<pickle {hashlib.sha256(pickle.dumps(tag, 4)).hexdigest()[:40]}>"


def _has_fields(tag: Any) -> bool:
    """Whether it is equal to what has its class and its compared fields: its __eq__ is that of dataclasses."""
    code = getattr(type(tag).__eq__, "__code__", None)
    return dataclasses.is_dataclass(tag) and code is not None and code.co_filename == "<string>"


def _number(tag: numbers.Number) -> str:
    """Numbers that are equal have one text, whatever their type."""
    if tag != tag:
        return "nan"
    if isinstance(tag, numbers.Complex) and not isinstance(tag, numbers.Real):
        return _text(tag.real) if tag.imag == 0 else repr(complex(tag))
    try:
        whole = int(tag)  # type: ignore[call-overload]
        if whole == tag:
            return repr(whole)
    except (OverflowError, ValueError):
        pass  # infinite
    near = float(tag)  # type: ignore[arg-type]
    if near == tag:  # type: ignore[comparison-overlap]
        return repr(near)
    return f"<{tag}>"
