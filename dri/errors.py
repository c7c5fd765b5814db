"""Exceptions: one class per code of the library, each also the built-in that fits."""

from __future__ import annotations

import builtins
from typing import Any, ClassVar, NamedTuple

from . import _dri


class Error(Exception):
    """A call of the library failed.

    Its text is the message of the library: the call, the object, the dimension and the values. ``code`` is the
    number of the C interface, ``name`` its name there.
    """

    code: ClassVar[int] = 17

    @property
    def name(self) -> str:
        """The code's name in C, such as ``DRI_ERR_ARG``. Local."""
        return _dri.code_name(self.code)


class ArgumentError(Error, ValueError):
    """An argument is outside its range."""

    code = 1


class ClosedError(Error, ValueError):
    """The object is closed, released or destroyed."""

    code = 2


class StateError(Error, RuntimeError):
    """The call is out of order."""

    code = 3


class ConstraintError(Error, ValueError):
    """The limits ``min``, ``max`` or ``multiple`` of a partition cannot be met."""

    code = 4


class OverlapError(Error, ValueError):
    """Two parts of a source own the same element."""

    code = 5


class GapError(Error, ValueError):
    """An element of a source belongs to nobody."""

    code = 6


class MismatchError(Error, ValueError):
    """Processes or ends disagree."""

    code = 7


class UnmatchedError(Error, RuntimeError):
    """An end of a named transfer is missing."""

    code = 8


class SizeError(Error, OverflowError):
    """A count or a size exceeds 64 bits."""

    code = 9


class OutOfMemoryError(Error, MemoryError):
    """The system provides no more memory."""

    code = 10


class LimitError(Error, MemoryError):
    """A limit of the user or of the system is exceeded."""

    code = 11


class TimeoutError(Error, builtins.TimeoutError):
    """A timeout passed. The same call may be repeated and goes on where it was."""

    code = 12


class PeerError(Error, ConnectionError):
    """A process that the call waits for has ended."""

    code = 13


class DeadlockError(Error, RuntimeError):
    """Only the caller itself could end the wait."""

    code = 14


class TransportError(Error, ConnectionError):
    """Moving bytes between processes failed."""

    code = 15


class UnsupportedError(Error, NotImplementedError):
    """This build, or this combination of settings, cannot do it."""

    code = 16


class InternalError(Error, RuntimeError):
    """A fault of the library: please report it."""

    code = 17


class EndOfStream(Error, EOFError):
    """The source has ended the stream, and all frames are extracted."""

    code = 18


class StaleError(StateError):
    """An array of an expression has been written to before the expression was evaluated."""


class CycleError(Error, ValueError):
    """Operations or parts of graphs wait for each other."""

    code = 19


class DuplicateError(Error, ValueError):
    """A name or an operation of a graph is given twice."""

    code = 20


class DtypeError(Error, TypeError):
    """Elements of this dtype cannot be moved, or it is not the one that is expected."""

    code = 1


class OutOfRange(Error, IndexError):
    """An index is outside the array, or the process does not hold it."""

    code = 1


class Fault(NamedTuple):
    """What is wrong with a description: the rule, the dimension, the key and the value, and a sentence."""

    rule: str
    dim: int | None
    key: str
    value: Any
    message: str


class DapError(ArgumentError):
    """A description breaks a rule of the Distributed Array Protocol.

    ``fault`` says which. It is None if only another process knows it.
    """

    def __init__(self, message: str, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.fault = fault


_BY_CODE = (
    ArgumentError,
    ClosedError,
    StateError,
    ConstraintError,
    OverlapError,
    GapError,
    MismatchError,
    UnmatchedError,
    SizeError,
    OutOfMemoryError,
    LimitError,
    TimeoutError,
    PeerError,
    DeadlockError,
    TransportError,
    UnsupportedError,
    InternalError,
    EndOfStream,
    CycleError,
    DuplicateError,
)
_dri.set_classes((Error, *_BY_CODE, OutOfRange))
