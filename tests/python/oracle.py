"""What distributions are, in plain numpy: every index is looked at, nothing of the package is used."""

import itertools

import numpy as np


def blocks(n, parts, remainder="balanced"):
    """The part of each index of a dimension that is cut into blocks."""
    if remainder == "proportional":
        return np.array([i * parts // n for i in range(n)], int)
    if remainder == "ceil":
        return np.array([i // -(-n // parts) for i in range(n)], int)
    small, more = divmod(n, parts)
    sizes = [small + (p < more) for p in range(parts)]
    if remainder == "balanced_last":
        sizes.reverse()
    return np.repeat(np.arange(parts), sizes)


def cyclic(n, parts, block=1, phase=0):
    """The part of each index of a dimension that is dealt out in blocks."""
    return np.array([(i // block + phase) % parts for i in range(n)], int)


def runs(owners, part):
    """The contiguous runs of a part along a dimension, as (first, end)."""
    mine = [i for i, owner in enumerate(owners) if owner == part]
    made = []
    for i in mine:
        if made and made[-1][1] == i:
            made[-1][1] = i + 1
        else:
            made.append([i, i + 1])
    return made


def around(n, first, end, left, right, edge):
    """The indices of a run with its overlap; -1 where there are zeros."""
    made = []
    for i in range(first - left, end + right):
        if 0 <= i < n:
            made.append(i)
        elif edge == "wrap":
            made.append(i % n)
        elif edge == "zero":
            made.append(-1)
        elif edge == "replicate":
            made.append(min(max(i, 0), n - 1))
    return made


def held(n, owners, part, left=0, right=0, edge="truncate", block=0):
    """The indices that a part holds along a dimension, overlap included, in the order of the local array."""
    made = []
    for first, end in runs(owners, part):
        step = block or end - first
        for start in range(first, end, step):
            made += around(n, start, min(start + step, end), left, right, edge)
    return np.array(made, int)


def take(whole, indices):
    """The local array of these indices per dimension; -1 is 0."""
    made = whole
    for dim, one in enumerate(indices):
        one = np.asarray(one, int)
        made = np.take(made, np.maximum(one, 0), axis=dim)
        np.moveaxis(made, dim, 0)[one < 0] = np.zeros((), made.dtype)
    return made


def numbered(shape, dtype):
    """An array of which no two elements are equal, as far as the dtype allows."""
    numbers = np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    dtype = np.dtype(dtype)
    made = np.zeros(shape, dtype)
    if dtype.kind == "c":
        made[...] = numbers + 1j * (numbers % 7)
    elif dtype.names:
        for k, name in enumerate(dtype.names):
            made[name] = ((numbers + k) % 100).astype(dtype[name])
    elif dtype.kind in "SU":
        made[...] = numbers.astype(dtype)
    elif dtype.kind in "mM":
        made = numbers.astype(dtype)
    else:
        made[...] = (numbers % 120 if dtype.itemsize == 1 else numbers % 2000).astype(dtype)
    return made


def positions(grid):
    """The coordinates of each part, in the order of the group."""
    return list(itertools.product(*(range(p) for p in grid)))
