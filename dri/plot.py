"""Pictures with matplotlib: who holds what, what overlaps, what a frame takes, and who sends whom how much.

``import dri`` leaves it out until it is used. The first picture imports matplotlib. Functions return ``Axes``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dri
from ._html import owners
from ._signals import deferred
from .agreement import agreed
from .distribution import Distribution
from .endpoint import Endpoint
from .errors import ArgumentError
from .transfer import Transfer

if TYPE_CHECKING:
    import numpy.typing as npt

    from .graph.plan import Plan


def distribution(dist: Distribution, dims: tuple[int, int] = (0, 1), ax: Any = None) -> Any:
    """Who owns what along two dimensions, at most 64 x 64 cells. Local."""
    if dist.ndim > 1 and not all(0 <= dim < dist.ndim for dim in dims):
        raise ArgumentError(f"dimensions {dims} of an array of {dist.ndim}")
    axes = _axes(ax)
    found = owners(dist, dims)
    cells = np.where(found < 0, np.nan, found)
    extent = (0, dist.shape[dims[1]] if dist.ndim > 1 else cells.shape[1], dist.shape[dims[0]] if dist.ndim > 1 else 1, 0)
    first, last = min(dist.group.ranks), max(dist.group.ranks)
    image = axes.imshow(
        cells, aspect="auto", extent=extent, cmap=_colours("tab20", last - first + 1), vmin=first - 0.5, vmax=last + 0.5,
        interpolation="nearest",
    )  # fmt: skip
    _key(axes, image, "process", sorted(dist.group.ranks))
    axes.set(title=f"{dist.dtype} {dist.shape}", xlabel=f"dimension {dims[1] if dist.ndim > 1 else 0}")
    if dist.ndim > 1:
        axes.set(ylabel=f"dimension {dims[0]}")
    else:
        axes.set_yticks([])
    return axes


def overlap(dist: Distribution, rank: int | None = None, ax: Any = None) -> Any:
    """The local array of a process in two dimensions: what it owns, its overlap, and its pads. Local."""
    if dist.ndim != 2:
        raise ArgumentError(f"the picture is of 2 dimensions, and the array has {dist.ndim}")
    kinds = []
    for dim in range(2):
        kind = np.full(dist.extents(rank)[dim], 1)
        kind[dist.indices(dim, rank) < 0] = 2
        for block in dist.blocks(dim, rank):
            kind[block["local"] : block["local"] + block["size"]] = 0
        kinds.append(kind)
    axes = _axes(ax)
    cells = np.maximum.outer(*kinds)
    image = axes.imshow(cells, aspect="auto", vmin=-0.5, vmax=2.5, cmap=_colours("viridis_r", 3), interpolation="nearest")
    _key(axes, image, "", [0, 1, 2]).set_ticklabels(["owned", "overlap", "zeros"])
    axes.set(title=f"local array of process {_dri.world_rank() if rank is None else rank}", xlabel="local index 1", ylabel="local index 0")
    return axes


def times(end: Endpoint | Plan, ax: Any = None) -> Any:
    """The times of an end's last frames: copying and waiting. Local.

    Of a plan of ``dri.graph`` those of each part of this process: medians of functions, copies and waits.
    """
    axes = _axes(ax)
    if not isinstance(end, Endpoint):
        return _part_times(end, axes)
    found = end.times()
    heights = {"copying": found["copy_seconds"] * 1e6, "waiting": found["wait_seconds"] * 1e6}
    if len(found) == 1:  # an area between frames needs two
        for label, height in zip(heights, np.cumsum([*heights.values()], axis=0)):
            axes.plot(found["frame"], height, "o", label=label)
    else:
        axes.stackplot(found["frame"], *heights.values(), labels=heights, step="mid")
    axes.set(xlabel="frame", ylabel="microseconds")
    axes.legend()
    return axes


@deferred
def traffic(transfer: Transfer, root: int = 0, ax: Any = None) -> Any:
    """Who sends whom how much in a frame. Collective over the transfer's processes.

    Returns
    -------
    The ``Axes`` on the process at the position ``root`` of ``transfer.group``, None on the others.
    """
    group = transfer.group
    mine = agreed(group, lambda: _sent(transfer))
    rows = [np.frombuffer(one, np.int64) for one in _dri.gather(group.handle(), mine.tobytes())]
    if group.position != root:
        return None
    axes = _axes(ax)
    image = axes.imshow(np.array(rows) / 1024, cmap="Blues", vmin=0)
    _key(axes, image, "KiB in a frame", None)
    axes.set(title=transfer.name, xlabel="to process", ylabel="from process")
    axes.set_xticks(range(len(group)), group.ranks)
    axes.set_yticks(range(len(group)), group.ranks)
    return axes


def _part_times(plan: Plan, axes: Any) -> Any:
    parts = plan.times()
    assert isinstance(parts, list)
    below = np.zeros(len(parts))
    for label in ("call_seconds", "copy_seconds", "wait_seconds"):
        heights = np.array([getattr(one, label).p50 for one in parts]) * 1e6
        axes.bar(range(len(parts)), heights, bottom=below, label=label[:4])
        below += heights
    axes.set(xlabel="part", ylabel="microseconds")
    axes.legend()
    return axes


def _sent(transfer: Transfer) -> npt.NDArray[np.int64]:
    """Bytes to each process of the group."""
    made = np.zeros(len(transfer.group), np.int64)
    if transfer.source is not None:
        for peer in transfer.source.peers():
            made[transfer.group.ranks.index(int(peer["rank"]))] += peer["bytes"]
    return made


_MOST_COLOURS = 20  # that are told apart, and named at the colour bar


def _colours(name: str, count: int) -> Any:
    """So many colours of a map; of more than can be told apart a smooth one."""
    from matplotlib import colormaps

    return colormaps[name if count <= _MOST_COLOURS else "viridis"].resampled(count)


def _key(axes: Any, image: Any, label: str, values: list[int] | None) -> Any:
    """The colour bar of a picture, with a tick for each of a few values."""
    ticks = values if values is not None and len(values) <= _MOST_COLOURS else None
    return axes.figure.colorbar(image, ax=axes, label=label, ticks=ticks)


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots()[1]
