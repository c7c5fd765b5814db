"""Descriptions of all processes, and what goes where between two of them: plain geometry, in dictionaries."""

from __future__ import annotations

import itertools
import operator
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple, Union

import numpy as np

from . import _dri
from .errors import ArgumentError

DimData = Tuple[Dict[str, Any], ...]


Span = Union[Tuple[int, int], List[int]]


class Message(NamedTuple):
    """What one process sends to another: per dimension a tuple (first, end), or a list of indices."""

    source_rank: int
    dest_rank: int
    box: Tuple[Span, ...]


def from_global_dim_data(dims: Sequence[Mapping[str, Any]]) -> list[DimData]:
    """The dim_data of each process, from what describes a dimension over all processes. Local.

    Parameters
    ----------
    dims
        Per dimension ``{"dist_type": "b", "bounds": [0, 5, 9]}`` with ``comm_padding``, ``boundary_padding`` (elements) and
        ``periodic`` where needed, ``{"dist_type": "c", "size", "proc_grid_size"}`` with ``block_size`` where needed,
        ``{"dist_type": "u", "indices": [list of each process]}``, or ``{"dist_type": "n", "size"}``.

    Raises
    ------
    ArgumentError
        A dimension lacks a key or has other ones, or its bounds do not rise from 0. Padding exceeds what the neighbour
        owns, or what is made breaks a rule of the protocol.
    TypeError
        A bound, a width or a number of elements is no integer.
    """
    axes = [_axis(number, dim) for number, dim in enumerate(dims)]
    for number, axis in enumerate(axes):
        for one in axis:
            fault = _dri.dap_dim_fault(one, number, -1)
            if fault is not None:
                raise ArgumentError(fault[5])
    return [tuple(dict(dim) for dim in one) for one in itertools.product(*axes)]


def plan(source: Mapping[int, Sequence[Dict[str, Any]]], target: Mapping[int, Sequence[Dict[str, Any]]]) -> list[Message]:
    """What each process sends to each, by the dim_data of both sides. Local.

    Parameters
    ----------
    source, target
        dim_data by rank. A process that is in both sends to itself.
    """
    owned = [{rank: [_dri.dap_owned_indices(dim) for dim in dims] for rank, dims in side.items()} for side in (source, target)]
    made: List[Message] = []
    for (sender, from_), (receiver, to) in itertools.product(sorted(owned[0].items()), sorted(owned[1].items())):
        shared = [np.intersect1d(a, b) for a, b in zip(from_, to)]
        if all(len(one) for one in shared):
            made.append(Message(sender, receiver, tuple(_span(one) for one in shared)))
    return made


def grid_shape(shape: Sequence[int], dist: str | Sequence[str], nprocs: int) -> tuple[int, ...]:
    """The process grid whose proportions are nearest to those of the array. Local.

    Parameters
    ----------
    shape
        Elements per dimension.
    dist
        A letter per dimension; ``"n"`` is not distributed and gets 1.
    nprocs
        The product of the grid.
    """
    if len(dist) != len(shape) or nprocs < 1:
        raise ArgumentError(f"{len(dist)} kinds of {len(shape)} dimensions over {nprocs} processes")
    cut = [dim for dim, kind in enumerate(dist) if kind != "n"]
    if not cut and nprocs > 1:
        raise ArgumentError(f"no dimension is distributed over {nprocs} processes")
    by_size = sorted(cut, key=lambda dim: shape[dim])
    wanted = _ratios([shape[dim] for dim in by_size])
    # Of equally near ones the first counts.
    best = min(_factorisations(nprocs, len(cut)), key=lambda one: float(np.linalg.norm(_ratios(one) - wanted)))
    made = [1] * len(shape)
    for dim, size in zip(by_size, best):
        made[dim] = size
    return tuple(made)


def _axis(number: int, dim: Mapping[str, Any]) -> list[Dict[str, Any]]:
    kind = dim.get("dist_type")
    allowed = {
        "b": {"bounds", "periodic", "comm_padding", "boundary_padding"}, "c": {"size", "proc_grid_size", "block_size"}, "u": {"indices", "size", "one_to_one"},
        "n": {"size", "proc_grid_size"},
    }  # fmt: skip
    if kind not in allowed:
        raise ArgumentError(f"dimension {number}: dist_type {kind!r} is none of b, c, u, n")
    unknown = set(dim) - allowed[kind] - {"dist_type"}
    if unknown:
        raise ArgumentError(f"dimension {number}: the keys {sorted(unknown)} have no meaning for dist_type {kind!r}")
    needed = {"b": {"bounds"}, "c": {"size", "proc_grid_size"}, "u": {"indices"}, "n": {"size"}}[kind]
    if needed - set(dim):
        raise ArgumentError(f"dimension {number}: dist_type {kind!r} needs the keys {sorted(needed)}")
    if kind == "b":
        return _blocks(number, dim)
    if kind == "c":
        block, parts = operator.index(dim.get("block_size", 1)), operator.index(dim["proc_grid_size"])
        if parts < 1:
            raise ArgumentError(f"dimension {number}: proc_grid_size is {parts}, but must be >= 1")
        own = [dict(start=rank * block, **_some(dim, "block_size")) for rank in range(parts)]
        return _numbered("c", dim["size"], own)
    if kind == "n":
        return _numbered("b", dim["size"], [dict(start=0, stop=operator.index(dim["size"]))])
    lists = [np.asarray(one, np.int64) for one in dim["indices"]]
    size = dim.get("size", sum(map(len, lists)))
    return _numbered("u", size, [dict(indices=one, **_some(dim, "one_to_one")) for one in lists])


def _blocks(number: int, dim: Mapping[str, Any]) -> list[Dict[str, Any]]:
    bounds = [operator.index(bound) for bound in dim["bounds"]]
    if len(bounds) < 2 or bounds[0] != 0 or any(a > b for a, b in zip(bounds, bounds[1:])):
        raise ArgumentError(f"dimension {number}: bounds rise from 0 to the size, and {bounds} do not")
    inner, outer = operator.index(dim.get("comm_padding", 0)), operator.index(dim.get("boundary_padding", 0))
    if inner < 0 or outer < 0:
        raise ArgumentError(f"dimension {number}: padding is {inner} and {outer}, which are not both >= 0")
    made = []
    last = len(bounds) - 2
    for at, (first, end) in enumerate(zip(bounds, bounds[1:])):
        left, right = (outer if at == 0 else inner), (outer if at == last else inner)
        own: Dict[str, Any] = dict(start=first - (left if at else 0), stop=end + (right if at < last else 0))
        for there, width in ((at - 1, left), (at + 1, right)):
            owned = bounds[there + 1] - bounds[there] if 0 <= there <= last else width
            if width > owned:
                raise ArgumentError(f"dimension {number}: comm_padding is {width}, but part {there} owns {owned}")
        if inner or outer:
            own["padding"] = (left, right)
        made.append({**own, **_some(dim, "periodic")})
    return _numbered("b", bounds[-1], made)


def _some(dim: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {key: dim[key]} if key in dim else {}


def _numbered(kind: str, size: int, own: Sequence[Dict[str, Any]]) -> list[Dict[str, Any]]:
    common = {"dist_type": kind, "size": operator.index(size), "proc_grid_size": len(own)}
    return [{**common, "proc_grid_rank": rank, **one} for rank, one in enumerate(own)]


def _span(indices: Any) -> Span:
    first, end = int(indices[0]), int(indices[-1]) + 1
    return (first, end) if end - first == len(indices) else indices.tolist()


def _factorisations(n: int, count: int, least: int = 1) -> list[tuple[int, ...]]:
    """All products of so many factors, in rising order."""
    if count == 0:
        return [()] if n == 1 else []
    if count == 1:
        return [(n,)] if n >= least else []
    return [
        (factor, *rest)
        for factor in range(least, n + 1)
        if n % factor == 0
        for rest in _factorisations(n // factor, count - 1, factor)
    ]


def _ratios(sizes: Sequence[int]) -> Any:
    return np.array([a / b if b else 0.0 for a, b in itertools.combinations(sizes, 2)])
