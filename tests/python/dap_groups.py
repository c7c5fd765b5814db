"""Descriptions of all processes of an array, right and wrong, and an oracle of the protocol's rules between them.

It follows the text of the protocol, in plain Python: no rule is taken from the library.
"""

import itertools
import math

import numpy as np

RULES = (
    "ndim dist_type_disagrees size_disagrees grid_product row_major axis_identical padding_counterpart padding_too_wide gap "
    "overlap coverage one_to_one"
).split()


def grids(n, ndim):
    """All grids of n processes."""
    return [one for one in itertools.product(range(1, n + 1), repeat=ndim) if math.prod(one) == n]


def own(dim):
    """First and last owned index of a block: padding is owned at the edges of the array alone."""
    left, right = dim.get("padding", (0, 0))
    at, last = dim["proc_grid_rank"], dim["proc_grid_size"] - 1
    return dim["start"] + (left if at > 0 else 0), dim["stop"] - (right if at < last else 0)


def held(dim):
    """How long the buffer is."""
    kind = dim["dist_type"]
    return dim["stop"] - dim["start"] if kind == "b" else len(cyclic_indices(dim)) if kind == "c" else len(dim["indices"])


def broken(everybodys):
    """The first rule that the descriptions break together; None if they fit."""
    n, first = len(everybodys), everybodys[0]
    if any(len(one) != len(first) for one in everybodys):
        return "ndim"
    along = list(zip(*everybodys))  # per dimension the dictionaries of all processes
    found = set()
    for rule, key in (("dist_type_disagrees", "dist_type"), ("size_disagrees", "size"), ("grid_product", "proc_grid_size")):
        if any(len({dim[key] for dim in dims}) > 1 for dims in along):
            found.add(rule)
    grid = [dim["proc_grid_size"] for dim in first]
    if math.prod(grid) != n:
        found.add("grid_product")
    if found:
        return min(found, key=RULES.index)
    for rank, dims in enumerate(everybodys):
        if [dim["proc_grid_rank"] for dim in dims] != [int(i) for i in np.unravel_index(rank, grid)][: len(grid)]:
            return "row_major"
    found = set().union(*map(broken_along, along)) if along else set()
    return min(found, key=RULES.index, default=None)


def said(dim):
    """What all processes at one place of the grid say alike; padding at the edges of the array may differ."""
    kind, at, last = dim["dist_type"], dim["proc_grid_rank"], dim["proc_grid_size"] - 1
    if kind == "c":
        return dim["start"], dim.get("block_size", 1)
    if kind == "u":
        return dim["indices"].tolist(), bool(dim.get("one_to_one", False))
    left, right = dim.get("padding", (0, 0))
    return dim["start"], dim["stop"], left if at > 0 else None, right if at < last else None, bool(dim.get("periodic", False))


def broken_along(dims):
    """The rules that the dictionaries of one dimension break."""
    places = {}
    found = set()
    for dim in dims:
        if said(places.setdefault(dim["proc_grid_rank"], dim)) != said(dim):
            found.add("axis_identical")
    if found:
        return found
    line = [places[at] for at in range(len(places))]
    size, kind = line[0]["size"], line[0]["dist_type"]
    if kind == "u":
        truths = [bool(dim.get("one_to_one", False)) for dim in line]
        lists = [i for dim in line for i in dim["indices"].tolist()]
        return {"one_to_one"} if len(set(truths)) > 1 or (truths[0] and len(set(lists)) < len(lists)) else set()
    if kind == "c":
        owned = [i for dim in line for i in cyclic_indices(dim)]
        lengths = {dim.get("block_size", 1) for dim in line}  # rounds of blocks have one length, also of empty parts
        return set() if len(lengths) == 1 and sorted(owned) == list(range(size)) else {"coverage"}
    for one, other in zip(line, line[1:]):
        right, left = one.get("padding", (0, 0))[1], other.get("padding", (0, 0))[0]
        (a, b), (c, d) = own(one), own(other)
        found |= {"padding_counterpart"} if right != left else set()
        found |= {"padding_too_wide"} if right > d - c or left > b - a else set()
        found |= {"gap"} if c > b else {"overlap"} if c < b else set()
    if own(line[-1])[1] != size:
        found.add("coverage")
    return found


def cyclic_indices(dim):
    length = dim.get("block_size", 1)
    return [i for i in range(dim["start"], dim["size"]) if (i - dim["start"]) // length % dim["proc_grid_size"] == 0]


def draw(random_, n):
    """The dimensions of each of n processes: right, or with up to two changes on one process, or on one line of them."""
    ndim = random_.choice([1, 1, 2, 2, 3])
    grid = random_.choice(grids(n, ndim))
    kinds = [random_.choice("bbcu") for _ in grid]
    lines = [line_of(random_, kind, parts) for kind, parts in zip(kinds, grid)]
    everybodys = []
    for rank in range(n):
        place = [int(i) for i in np.unravel_index(rank, grid)]
        everybodys.append([dict(line[at]) for line, at in zip(lines, place)])
    for _ in range(random_.choice([0, 1, 1, 1, 2])):
        change(random_, everybodys)
    return [tuple(one) for one in everybodys]


def line_of(random_, kind, parts):
    """The dictionaries of a right dimension, by their place in the grid."""
    size = random_.randrange(0, 9)
    common = [{"dist_type": kind, "size": size, "proc_grid_size": parts, "proc_grid_rank": at} for at in range(parts)]
    if kind == "c":
        length = random_.choice([1, 1, 2, 3])
        return [{**dim, "start": at * length, **({"block_size": length} if length > 1 else {})} for at, dim in enumerate(common)]
    if kind == "u":
        indices = random_.sample(range(-3, size + 3), size)
        cuts = [0, *sorted(random_.choices(range(size + 1), k=parts - 1)), size]
        truth = {"one_to_one": True} if random_.random() < 0.6 else {}
        return [{**dim, "indices": np.array(indices[a:b], "i8"), **truth} for dim, a, b in zip(common, cuts, cuts[1:])]
    cuts = [0, *sorted(random_.choices(range(size + 1), k=parts - 1)), size]
    widths = [random_.randint(0, min(b - a, c - b, 2)) for a, b, c in zip(cuts, cuts[1:], cuts[2:])]
    edges = [random_.choice([0, 0, min(1, cuts[1])]), random_.choice([0, 0, min(1, size - cuts[-2])])]
    if parts == 1 and sum(edges) > size:
        edges = [0, 0]
    left, right = [edges[0], *widths], [*widths, edges[1]]
    line = []
    for at, dim in enumerate(common):
        a, b = cuts[at] - (left[at] if at else 0), cuts[at + 1] + (right[at] if at < parts - 1 else 0)
        line.append({**dim, "start": a, "stop": b, "padding": (left[at], right[at])})
    return line


def change(random_, everybodys):
    """Changes a value of one dimension, on one process or on all with its place along it."""
    rank = random_.randrange(len(everybodys))
    if random_.random() < 0.05:
        everybodys[rank].append({"dist_type": "b", "size": 2, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": 2})
        return
    d = random_.randrange(len(everybodys[rank])) if everybodys[rank] else None
    if d is None:
        return
    like = everybodys[rank][d]
    key = random_.choice([key for key in like if key != "dist_type"] + ["dist_type", "start", "stop", "padding", "size"])
    step, side = random_.choice([-1, 1]), random_.randrange(2)
    is_line = random_.random() < 0.7
    everywhere = key in ("size", "proc_grid_size") and random_.random() < 0.6
    for dims in everybodys:
        if d >= len(dims):
            continue
        dim = dims[d]
        is_like = dim is like or (is_line and dim["proc_grid_rank"] == like["proc_grid_rank"] and dim is not like)
        if not (is_like or everywhere) or (key not in dim and key != "dist_type"):
            continue
        if key == "dist_type":
            dims[d] = {**{name: dim[name] for name in ("size", "proc_grid_size", "proc_grid_rank")}, "dist_type": "u", "indices": np.arange(2)}
        elif key == "padding":
            widths = list(dim[key])
            widths[side] = max(0, widths[side] + step)
            dims[d] = {**dim, key: tuple(widths)}
        elif key == "indices":
            dims[d] = {**dim, key: np.unique(np.append(dim[key], step)) if side else dim[key][1:]}
        elif key == "one_to_one":
            dims[d] = {**dim, key: not dim[key]}
        elif key == "proc_grid_rank":
            dims[d] = {**dim, key: (dim[key] + 1) % max(1, dim["proc_grid_size"])}
        else:
            dims[d] = {**dim, key: dim[key] + step}
