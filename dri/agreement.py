"""What processes agree on before a collective call: whether each of them has found its own arguments good."""

from __future__ import annotations

import builtins
import pickle
from typing import Callable, TypeVar

from . import _dri, errors
from .group import Group

Made = TypeVar("Made")
_RECORD = 640
_BUILTINS: tuple[type, ...] = (TypeError, ValueError, IndexError, KeyError, OverflowError, MemoryError)


def agreed(group: Group, make: Callable[[], Made], undo: Callable[[Made], None] | None = None) -> Made:
    """Call make, and fail on all processes of the group if it fails on one. Collective over the group.

    On the process that failed it is the exception itself. On the others it is one of the same class, whose text starts
    with that process, and ``undo`` takes back what they have made.
    """
    fault: Exception | None = None
    made: list[Made] = []
    try:
        made.append(make())
    except Exception as error:
        fault = error
    try:
        if _dri.all_good(group.handle(), fault is None):
            return made[0]
        raise_together(group, fault)
    except BaseException:  # a fault of one process, or Ctrl-C
        if undo is not None and made:
            undo(made[0])
        raise
    raise AssertionError("no process has failed")


def raise_together(group: Group, fault: Exception | None) -> None:
    """Raise on all processes if one brings a fault. Collective over the group."""
    found = _dri.gather(group.handle(), _record(fault))
    if fault is not None:
        raise fault
    for rank, record in zip(group, found):
        if record.strip(b"\0"):
            raise _raised(rank, record)


def share(group: Group, has_it: bool, make: Callable[[], Made]) -> Made:
    """What one process of the group makes, on all of them. Collective over the group."""
    text = agreed(group, lambda: pickle.dumps(make()) if has_it else b"")
    lengths = [int.from_bytes(one, "little") for one in _dri.gather(group.handle(), len(text).to_bytes(8, "little"))]
    texts = _dri.gather(group.handle(), text.ljust(max(lengths), b"\0"))
    made: Made = next(pickle.loads(one[:length]) for one, length in zip(texts, lengths) if length)
    return made


def _record(fault: Exception | None) -> bytes:
    if fault is None:
        return bytes(_RECORD)
    text = str(fault) if isinstance(fault, errors.Error) else f"{type(fault).__name__}: {fault}"
    return f"{_known(type(fault))}\n{text}".encode(errors="backslashreplace")[:_RECORD].ljust(_RECORD, b"\0")


def _known(kind: type[Exception]) -> str:
    """The name of the nearest class that every process has."""
    for one in kind.__mro__:
        if one in _BUILTINS or getattr(errors, one.__name__, None) is one:
            return one.__name__
    return "ArgumentError"


def _raised(rank: int, record: bytes) -> Exception:
    name, _, text = record.rstrip(b"\0").decode(errors="ignore").partition("\n")
    kind = getattr(errors, name, None) or getattr(builtins, name)
    raised = kind(f"process {rank}: {text}")
    assert isinstance(raised, Exception)
    return raised
