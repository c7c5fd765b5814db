"""What ends report: numbers of C's structures as tuples and structured arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


def _structure(fields: dict[str, tuple[str, int]], size: int) -> np.dtype[Any]:
    formats = [kind for kind, _ in fields.values()]
    offsets = [offset for _, offset in fields.values()]
    return np.dtype({"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": size})


# DRI_Peer and DRI_Frame_times, without their reserved words.
PEERS = _structure({"rank": ("i4", 0), "way": ("i4", 4), "bytes": ("i8", 8), "messages": ("i8", 16)}, 40)
TIMES = _structure(
    {
        "frame": ("i8", 0), "done": ("f8", 8), "seconds": ("f8", 16), "wait_seconds": ("f8", 24),
        "copy_seconds": ("f8", 32), "bytes": ("i8", 40),
    },
    64,
)  # fmt: skip


class Spread(NamedTuple):
    """How a number is spread over frames: median, 99th percentile, maximum."""

    p50: float
    p99: float
    max: float


class Info(NamedTuple):
    """What an end has done and what it uses: the fields of C's DRI_Xfer_info."""

    frames: int
    bytes_self: int
    bytes_message: int
    messages: int
    peers: int
    buffer_bytes: int
    workspace_bytes: int
    commit_seconds: float
    last_seconds: float
    total_seconds: float
    bytes_direct: int
    threads: int
    frame_seconds: Spread
    wait_seconds: Spread
    copy_seconds: Spread
    dropped: int
    plan_bytes: int


class Memory(NamedTuple):
    """Bytes that an end will use: the fields of C's DRI_Memory."""

    workspace_bytes: int
    message_bytes: int
    copy_bytes: int
    tile_bytes: int
    buffer_bytes: int
    least_bytes: int
    plan_bytes: int


def info_of(numbers: tuple[Any, ...]) -> Info:
    """The extension's numbers with names. Local."""
    return Info(*(Spread(*one) if isinstance(one, tuple) else one for one in numbers))
