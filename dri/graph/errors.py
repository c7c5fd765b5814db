"""Exceptions of graphs: each is a ``dri.Error`` and the built-in that fits, and knows all faults."""

from __future__ import annotations

from typing import Dict, Hashable, NamedTuple, NoReturn, Sequence, Tuple, Type

from .. import _dri
from ..errors import CycleError as _CycleError
from ..errors import DuplicateError as _DuplicateError
from ..errors import Error
from ..errors import MismatchError as _MismatchError
from ..errors import UnmatchedError as _UnmatchedError
from ..errors import UnsupportedError as _UnsupportedError


class Fault(NamedTuple):
    """One thing that is wrong with the graphs of all processes."""

    kind: str
    """Such as ``missing_send``: the kind of the C interface."""
    rank: int
    """The process of the world that has it."""
    pid: int
    """The part that has it; -1: no part."""
    operation: Tuple[int, int, Hashable] | None
    """Source, destination and tag. The tag of a whole transfer is its name, and its processes are -1."""
    name: str
    """The node's name, or nothing."""


class GraphError(Error):
    """Something is wrong with the graphs of all processes. All of them raise it.

    ``faults`` has all that is wrong, in the same order everywhere; the class and the text are those of the first.
    """

    faults: Tuple[Fault, ...] = ()


class DistributedPartitionVerificationError(GraphError, ValueError):
    """The sends and receives of all processes do not fit."""

    code = _UnmatchedError.code


class MissingSendError(DistributedPartitionVerificationError, _UnmatchedError):
    """Nobody sends what a process receives."""

    code = _UnmatchedError.code


class MissingRecvError(DistributedPartitionVerificationError, _UnmatchedError):
    """Nobody receives what a process sends."""

    code = _UnmatchedError.code


class DuplicateSendError(DistributedPartitionVerificationError, _DuplicateError):
    """A process sends twice to one process under one tag."""

    code = _DuplicateError.code


class DuplicateRecvError(DistributedPartitionVerificationError, _DuplicateError):
    """A process receives twice from one process under one tag."""

    code = _DuplicateError.code


class CycleError(GraphError, _CycleError):
    """Operations need each other."""

    code = _CycleError.code


class PartitionInducedCycleError(GraphError, AssertionError):
    """Parts wait for each other, on one process or across processes."""

    code = _CycleError.code


class UndefinedInputError(DistributedPartitionVerificationError, _UnmatchedError):
    """Nobody gives the input of a part."""

    code = _UnmatchedError.code


class OwnOutputError(DistributedPartitionVerificationError, _CycleError):
    """A part has its own output as an input."""

    code = _CycleError.code


class DuplicateOutputError(DistributedPartitionVerificationError, _DuplicateError):
    """Two outputs of a process have one name."""

    code = _DuplicateError.code


class MismatchError(GraphError, _MismatchError):
    """The two ends of an operation have other shapes or dtypes."""

    code = _MismatchError.code


class UnsupportedError(GraphError, _UnsupportedError):
    """A process sends to itself, or receives from itself."""

    code = _UnsupportedError.code


_BY_KIND: Dict[str, Type[GraphError]] = {
    "self": UnsupportedError,
    "duplicate_send": DuplicateSendError,
    "duplicate_recv": DuplicateRecvError,
    "missing_send": MissingSendError,
    "missing_recv": MissingRecvError,
    "undefined_input": UndefinedInputError,
    "own_output": OwnOutputError,
    "duplicate_output": DuplicateOutputError,
    "mismatch": MismatchError,
    "cycle": CycleError,
    "parts_cycle": PartitionInducedCycleError,
}


def raise_faults(error: Error) -> NoReturn:
    """Raise the exception of the first fault that the library has found, or the error itself. Local."""
    from .tags import tag_of

    faults: Sequence[Fault] = [
        Fault(kind, rank, pid, None if tag is None else (src, dest, tag_of(tag)), name)
        for kind, rank, pid, src, dest, tag, name in _dri.graph_faults()
    ]
    if not faults or faults[0].kind not in _BY_KIND:
        raise error
    raised = _BY_KIND[faults[0].kind](str(error))
    raised.faults = tuple(faults)
    raise raised from None
