"""DRI moves n-dimensional arrays between processes that hold them in different pieces and different orders.

A program describes an array and how it is cut, at the source and at the sink. A transfer then moves frame after frame
without allocation. ``import dri`` starts nothing. ``dri.init()``, or the first distribution over the world, starts the
library on mpi4py's communicator.
"""

from __future__ import annotations

from ._find import find_extension as _find_extension

_find_extension(__path__)

from . import dap, wisdom
from ._dap_arrays import from_distarray
from .array import Array
from .assignment import Assigned, Assignment, assign
from .creation import arange, array, empty, fromfunction, full, ones, zeros
from .dist_env import DistEnv
from .distribution import Distribution, Part
from .domain import Chunk, Domain
from .elements import cint8, cint16
from .ends import Sink, Source
from .env import finalize, init, progress, version
from .errors import (
    ArgumentError,
    ClosedError,
    ConstraintError,
    CycleError,
    DeadlockError,
    DtypeError,
    DuplicateError,
    EndOfStream,
    Error,
    GapError,
    InternalError,
    LimitError,
    MismatchError,
    OutOfMemoryError,
    OutOfRange,
    OverlapError,
    PeerError,
    SizeError,
    StaleError,
    StateError,
    TimeoutError,
    TransportError,
    UnmatchedError,
    UnsupportedError,
)
from .group import Group
from .info import Info, Memory, Spread
from .kernels import Reach, apply, reach
from .layout import Layout
from .maps import Map, MapDim, block_cyclic_map, block_map, cyclic_map, dist_map, stencil_map
from .partition import Rule, block, cyclic, exact, indices, runs, sizes, weights, whole
from .piece import Piece
from .ranges import densify, undensify
from .redistribute import CacheInfo, redistribute, scatter
from .section import Section
from .sink import Frame, SinkEnd
from .source import SourceEnd
from .transfer import Commitment, Transfer, commit, query

__version__ = ".".join(map(str, version()))


def __getattr__(name: str) -> object:
    if name in ("graph", "plot"):  # not all programs need them; plot needs matplotlib, which they need not have
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get_include() -> str:
    """The folder of the C and C++ headers. Local."""
    from pathlib import Path

    here = Path(__file__).resolve().parent
    for folder in (here / "include", here.parent / "include", *(up / "include" for up in here.parents)):
        if (folder / "dri" / "dri.h").exists():
            return str(folder)
    raise FileNotFoundError(f"no headers of the library are installed with {here}")


__all__ = [
    "ArgumentError", "Array", "Assigned", "Assignment", "CacheInfo", "Chunk", "ClosedError", "Commitment", "ConstraintError",
    "CycleError", "DeadlockError", "DistEnv", "Distribution", "Domain", "DtypeError", "DuplicateError", "EndOfStream", "Error",
    "Frame", "GapError", "Group", "Info", "InternalError", "Layout", "LimitError", "Map", "MapDim", "Memory",
    "MismatchError", "OutOfMemoryError", "OutOfRange", "OverlapError", "Part", "PeerError", "Piece", "Reach", "Rule", "Section",
    "Sink", "SinkEnd", "SizeError", "Source", "SourceEnd", "Spread", "StaleError", "StateError", "TimeoutError",
    "Transfer", "TransportError", "UnmatchedError", "UnsupportedError", "apply", "arange", "array", "assign", "block",
    "block_cyclic_map", "block_map", "cint16", "cint8", "commit", "cyclic", "cyclic_map", "dap", "densify", "dist_map",
    "empty", "exact", "finalize", "from_distarray", "fromfunction", "full", "get_include", "indices", "init", "ones",
    "progress", "query", "reach", "redistribute", "runs", "scatter", "sizes", "stencil_map", "undensify", "version",
    "weights", "whole", "wisdom", "zeros",
]  # fmt: skip
