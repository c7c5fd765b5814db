"""What wrong maps, domains, slices and assignments of them are told: a row has the call, the exception and its words."""

import pytest
from domains_for_tests import EvenOdd

import dri

LINE, PLATE = range(12), (range(6), range(2, 8))


def line():
    return dri.Domain(LINE)


def far():
    """A domain over the last process alone, and whether this is another one."""
    last = len(dri.env.world()) - 1
    return dri.Domain(dri.Map([None], (last,)), LINE), dri.env.world().position != last


MAPS = {
    "an edge": (
        lambda: dri.stencil_map(LINE, 1, "round"),
        dri.ArgumentError,
        "edge 'round' is none of truncate, wrap, zero, replicate",
    ),
    "a kind": (
        lambda: dri.Map([dri.MapDim("heap")]),
        dri.ArgumentError,
        "a dimension of a map is whole, block or cyclic, not 'heap'",
    ),
    "a rule": (
        lambda: dri.Map([3]),
        TypeError,
        "the rule of a map is a function, or a MapDim or None per dimension, not [3]; a class with owner() inherits dri.Map",
    ),
    "no rule": (
        lambda: dri.Map(),
        TypeError,
        "a map has a rule: a function, a MapDim per dimension, or a class of your own with owner()",
    ),
    "widths": (
        lambda: dri.stencil_map(LINE, [1, 2]),
        dri.ArgumentError,
        "overlap has 2 entries, but the box has 1 dimensions",
    ),
    "blocks": (
        lambda: dri.block_cyclic_map((0, 0), 3),
        dri.ArgumentError,
        "start has 2 entries, but block has 1",
    ),
    "an owner that is no number": (
        lambda: dri.Domain(dri.Map(lambda i: "here"), LINE).boxes(0),
        TypeError,
        "the map 'Map' says that 0 belongs to 'here', but a position is an integer",
    ),
    "an owner outside": (
        lambda: dri.Domain(dri.Map(lambda i: -1), LINE).boxes(0),
        dri.ArgumentError,
        "belongs to position -1, but the group has",
    ),
}

DOMAINS = {
    "no ranges": (lambda: dri.Domain(EvenOdd()), TypeError, "a domain has ranges, over a map or over the world"),
    "no map": (lambda: dri.Domain(3, LINE), TypeError, "the map of a domain is a dri.Map, not int"),
    "lists": (lambda: dri.Domain(([1, 2],)), TypeError, "bounds of a box are Python ranges, one per dimension, not ([1, 2],)"),
    "more ranges": (
        lambda: dri.Domain(dri.block_map(LINE), PLATE),
        dri.ArgumentError,
        "the domain has 2 ranges, but its map has 1 dimensions",
    ),
    "an index of two": (
        lambda: line().order((1, 2)),
        dri.ArgumentError,
        "the index (1, 2) has 2 numbers, but there are 1 dimensions",
    ),
    "sequences": (
        lambda: line().follow([[1], [2]]),
        dri.ArgumentError,
        "there are 2 sequences, but the domain has 1 dimensions",
    ),
    "a place": (lambda: list(line().follow([[12]])), dri.OutOfRange, "place 12 of 12 members"),
    "other dimensions": (
        lambda: line().set(PLATE),
        dri.ArgumentError,
        "there are 2 ranges, but the domain has 1 dimensions",
    ),
    "a number": (
        lambda: line()[3],
        TypeError,
        "dimension 0: members are chosen by a slice or a range, not by 3",
    ),
    "two of one": (lambda: line()[1:2, 1:2], dri.OutOfRange, "2 indices of 1 dimensions"),
    "ranges to densify": (
        lambda: dri.densify(PLATE, (LINE,)),
        dri.ArgumentError,
        "there are 2 ranges, but the whole has 1",
    ),
}

ARRAYS = {
    "a slice of two": (
        lambda a: a[1, 2],
        dri.OutOfRange,
        "2 indices of an array of 1 dimensions",
    ),
    "a step": (lambda a: a[::-1], IndexError, "dimension 0: the step -1 is negative"),
    "a text": (
        lambda a: a["x"],
        TypeError,
        "dimension 0: a section consists of slices, ranges and numbers, not 'x'",
    ),
    "a place outside": (lambda a: a[12], dri.OutOfRange, "dimension 0: index 12 of 12 elements"),
    "no member": (lambda a: a.at(12), dri.OutOfRange, "12 is no member of"),
    "members outside": (lambda a: a[range(9, 13)], dri.ArgumentError, "the range 9..12 is not inside 0..11"),
    "an element of a slice": (
        lambda a: a[1:5].at(2),
        dri.UnsupportedError,
        "an element is looked up in an array, not in a slice of it",
    ),
    "the distribution of a slice": (
        lambda a: a[1:5].distribution,
        dri.StateError,
        "a slice has no distribution of its own; distribute() makes an array on the same memory",
    ),
    "a slice to distribute": (
        lambda a: a[1:5].distribute(),
        dri.UnsupportedError,
        "a slice of an array over a domain has no distribution; assign it to an array that has one",
    ),
    "overlap of a slice": (
        lambda a: a[1:5].update_overlap(),
        dri.UnsupportedError,
        "a slice has no overlap of its own; update that of its array",
    ),
    "assign a number": (lambda a: dri.assign(a, 3), TypeError, "assign takes arrays and their slices, not int"),
    "objects": (lambda a: a.__setitem__(..., [None]), TypeError, "an element is a number or a record, not [None]"),
    "shapes": (lambda a: dri.assign(a[0:3], a[0:4]), dri.ArgumentError, "the shapes differ: {0..3} is assigned to {0..2}"),
}


def expect(call, error, words):
    with pytest.raises(error) as told:
        call()
    assert words in str(told.value), told.value


@pytest.mark.parametrize("row", [*MAPS, *DOMAINS])
def test_of_maps_and_domains(world, row):
    expect(*{**MAPS, **DOMAINS}[row])


@pytest.mark.parametrize("row", ARRAYS)
def test_of_arrays(world, row):
    array = dri.Array(line())
    call, error, words = ARRAYS[row]
    expect(lambda: call(array), error, words)


def test_of_boxes(world):
    cyclic = dri.Domain(dri.block_cyclic_map(0, 2), range(6 * len(world)))
    array = dri.Array(cyclic)
    if len(world) > 1:
        expect(cyclic.local, dri.UnsupportedError, "the process has 3 boxes of the domain; boxes() lists them")
        expect(lambda: array[...].local, dri.UnsupportedError, "the slice lies in 3 boxes of this process; pieces() has each")


def test_of_processes_outside(world):
    domain, is_outside = far()
    array = dri.Array(domain)
    if is_outside:
        words = "the calling process is not in the group of the domain"
        expect(lambda: domain.local_index(1), dri.StateError, words)
        expect(lambda: domain.distribution("f8"), dri.StateError, words)
        expect(lambda: array.at(1), dri.StateError, "this process is not in the group")
        expect(lambda: array[1:3].local, dri.StateError, "this process is not in the group of the array")
    else:
        assert domain.local_index(1) == 1 and array.at(1) == 0
