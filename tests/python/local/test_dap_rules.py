"""Random descriptions, right and wrong, against an oracle of the protocol's rules in plain Python."""

import random

import numpy as np
import pytest

import dri
from dri import dap

RULES = (
    "missing_key extra_key version buffer dist_type type size proc_grid_size proc_grid_rank start stop_lt_start stop_gt_size "
    "start_rank0 start_cyclic padding periodic block_size one_to_one indices_buffer indices_not_unique ndim shape"
).split()
COMMON = ("size", "proc_grid_size", "proc_grid_rank")
NEEDED = {"b": (*COMMON, "start", "stop"), "c": (*COMMON, "start"), "u": (*COMMON, "indices")}


def is_integer(value, bits=63):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and abs(int(value)) < 2**bits


def is_truth(value):
    return isinstance(value, (bool, np.bool_)) or (is_integer(value) and value in (0, 1))


def is_pair(value):
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(map(is_integer, value))


def broken(dim, extent):
    """The rules that a dimension breaks. Without its keys, its kind and its types the others say nothing."""
    if not dim:
        return []
    kind = dim.get("dist_type")
    needed = NEEDED.get(kind if isinstance(kind, str) else None, COMMON)
    first = [
        *(["missing_key"] if "dist_type" not in dim or any(key not in dim for key in needed) else []),
        *(["dist_type"] if not isinstance(kind, str) or kind not in NEEDED else []),
    ]
    if first:
        return first
    numbers = [key for key in needed if key != "indices"] + (["block_size"] if kind == "c" and "block_size" in dim else [])
    if not all(is_integer(dim[key], 31 if key.startswith("proc") else 63) for key in numbers):
        return ["type"]
    size, parts, at = (dim[key] for key in COMMON)
    said = {"size": size < 0, "proc_grid_size": parts < 1, "proc_grid_rank": not 0 <= at < parts}
    held = {"b": block, "c": cyclic, "u": listed}[kind](dim, said)
    found = [rule for rule, is_broken in said.items() if is_broken]
    return found or (["shape"] if held != extent else [])


def block(dim, said):
    start, stop, padding = dim["start"], dim["stop"], dim.get("padding", (0, 0))
    said.update(start=start < 0, stop_lt_start=stop < start, stop_gt_size=stop > dim["size"])
    said["start_rank0"] = dim["proc_grid_rank"] == 0 and start != 0
    said["padding"] = not is_pair(padding) or min(padding) < 0 or sum(padding) > stop - start
    said["periodic"] = not is_truth(dim.get("periodic", False))
    return stop - start


def cyclic(dim, said):
    start, length = dim["start"], dim.get("block_size", 1)
    said.update(start=start < 0, block_size=length < 1)
    said["start_cyclic"] = length >= 1 and start != dim["proc_grid_rank"] * length and start < dim["size"]
    if any(said.values()):
        return None
    return sum((i - start) // length % dim["proc_grid_size"] == 0 for i in range(start, dim["size"]))


def listed(dim, said):
    indices = dim["indices"]
    is_list = isinstance(indices, np.ndarray) and indices.ndim == 1 and indices.dtype.kind in "iu"
    said.update(one_to_one=not is_truth(dim.get("one_to_one", False)), indices_buffer=not is_list)
    said["indices_not_unique"] = is_list and len(set(indices.tolist())) < len(indices)
    return len(indices) if is_list else None


def draw_dim(random_):
    """A dimension and the extent of its buffer; up to two of its keys are left out or replaced."""
    if random_.random() < 0.1:
        return {}, random_.randrange(4)
    kind, parts = random_.choice("bbbcccuun"), random_.choice([1, 2, 3])
    at, size = random_.randrange(parts), random_.choice([0, 5, 9, 10])
    dim = {"dist_type": kind, "size": size, "proc_grid_size": parts, "proc_grid_rank": at}
    if kind == "b":
        dim.update(start=size * at // parts, stop=size * (at + 1) // parts, padding=(random_.choice([0, 1]), 0))
    elif kind == "c":
        length = random_.choice([1, 2, 3])
        dim.update(start=at * length, block_size=length)
    elif kind == "u":
        pick = random_.choices if random_.random() < 0.2 else random_.sample
        dim["indices"] = np.array(pick(range(-2, 4), k=random_.choice([0, 2, 4])), random_.choice(["i8", "i2", "i4"]))
    for _ in range(random_.choice([0, 0, 0, 1, 1, 2])):
        key = random_.choice([*dim, "padding", "periodic", "block_size", "one_to_one", "indices", "remark"])
        if random_.random() < 0.25:
            dim.pop(key, None)
        else:
            number = random_.randint(-1, 12)
            strange = [1.5, "3", None, True, [], 2**70, np.int16(3), (1,), {}, (number, 1)]
            dim[key] = random_.choice(strange) if random_.random() < 0.5 else number
    held = 4
    if kind in "bcu" and broken(dim, None) == ["shape"]:
        held = {"b": block, "c": cyclic, "u": listed}[kind](dim, {})
    extent = held if is_integer(held) and 0 <= held < 30 else 3
    return dim, extent + (random_.random() < 0.1)


def draw(random_):
    """A description and the rules that it breaks."""
    pairs = [draw_dim(random_) for _ in range(random_.choice([1, 1, 2]))]
    dims = tuple(dim for dim, _ in pairs)
    wrong = [rule for pair in pairs for rule in broken(*pair)]
    x = {"__version__": "0.10.0", "buffer": np.zeros([extent for _, extent in pairs]), "dim_data": dims}
    change = random_.choice([None] * 30 + ["missing_key", "extra_key", "version", "buffer", "ndim"])
    if change == "missing_key":
        del x[random_.choice(list(x))]
        return x, [change]
    if change == "extra_key":
        x["shape"] = 1
    elif change == "version":
        x["__version__"] = random_.choice(["1.0.0", "0.1", "x", None])
    elif change in ("buffer", "ndim"):
        x.update({"buffer": None} if change == "buffer" else {"dim_data": (*dims, {})})
        wrong = [rule for rule in wrong if rule != "shape"]  # it is not known then
    return x, [*wrong, *([change] if change else [])]


@pytest.mark.parametrize("seed", range(4))
def test_the_first_broken_rule_is_told(seed):
    random_ = random.Random(seed)
    told = set()
    for _ in range(6000):
        x, wrong = draw(random_)
        found = dap.fault(x)
        told.add(found.rule if found else None)
        assert (found.rule if found else None) == min(wrong, key=RULES.index, default=None), (x, found)
        assert dap.validate(x) == (found is None, found.message if found else "")
        if found:
            assert found.dim is None or f"dimension {found.dim}: " in found.message and (found.key in found.message or found.rule == "shape"), (x, found)
            continue
        section = dap.read(x)
        for dim in section.dim_data:
            owned = dap.owned_indices(dim)
            assert len(owned) == dap.num_owned_indices(dim)
            assert [dap.global_index(dim, dap.local_index(dim, int(i))) for i in owned] == owned.tolist()
        try:
            assert dap.fault(dap.view(x, tuple(np.s_[random_.randrange(3) : 8 : random_.choice([1, 2])] for _ in x["dim_data"]))) is None
        except dri.UnsupportedError:
            assert any(dim["dist_type"] != "b" for dim in section.dim_data)
    assert told == {*RULES, None}, {*RULES} - told
