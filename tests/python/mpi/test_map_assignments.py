"""Maps of the user's own that do assignments themselves, hand them over, or decline."""

import time

import numpy as np
import pytest
from domains_for_tests import fill, gathered

import dri


class Asked(dri.Map):
    """Indices in turn. It notes what it is asked, and answers as it is told."""

    def __init__(self, known=None, any=None, comm=None):
        super().__init__(comm=comm)
        self.answers = {"known": known, "any": any}
        self.calls = []

    def owner(self, i):
        return i % len(self.group)

    def _answer(self, way, assignment):
        self.calls.append((way, assignment.asks_dst, assignment.to, assignment.from_))
        answer = self.answers[way]
        return answer(assignment) if answer else False

    def known(self, assignment):
        return self._answer("known", assignment)

    def any(self, assignment):
        return self._answer("any", assignment)


def plainly(assignment):
    """The same assignment by the library, which does not ask again."""
    info = dri.assign(assignment.dst[assignment.to], assignment.src[assignment.from_])
    assert info.path != "none"
    return True


def two(to, from_):
    return dri.Array(dri.Domain(to, range(2, 14))), dri.Array(dri.Domain(from_, range(20, -4, -2)))


def test_a_map_does_it(world):
    map = Asked(known=plainly)
    a, b = two(map, dri.block_map(range(21)))
    whole = fill(b)
    info = dri.assign(a[2:6], b[range(20, 0, -6)])
    assert (info.path, info.tried) == ("known", ("known",))
    assert map.calls == [("known", True, (range(4, 8),), (range(20, -4, -6),))]
    wanted = np.zeros(12)
    wanted[2:6] = whole[:12:3]
    assert (gathered(a) == wanted).all()
    b[...] = a  # its own side is the right one
    assert map.calls[1:] == [("known", False, (range(20, -4, -2),), (range(2, 14),))]
    assert (gathered(b) == wanted).all()


def test_a_map_declines(world):
    maps = Asked(), Asked(any=plainly)
    a, b = two(*maps)
    whole = fill(b)
    info = dri.assign(a, b)
    assert (info.path, info.tried) == ("any", ("known", "any"))
    assert [call[:2] for call in maps[0].calls] == [("known", True), ("any", True)]
    assert [call[:2] for call in maps[1].calls] == [("known", False), ("any", False)]
    assert (gathered(a) == whole).all()
    a[...] = 0
    maps[1].answers["any"] = None
    info = dri.assign(a, b)
    assert (info.path, info.tried) == ("element", ("known", "any"))  # without local nothing is listed
    assert (gathered(a) == whole).all()


def test_maps_hand_over(world):
    maps = Asked(known=lambda one: one.hand_over()), Asked(known=plainly)
    a, b = two(*maps)
    whole = fill(b)
    assert dri.assign(a, b).path == "known"
    assert [len(map.calls) for map in maps] == [1, 1] and not maps[1].calls[0][1]
    assert (gathered(a) == whole).all()
    maps[1].answers["known"] = lambda one: one.hand_over()  # each hands over to the other
    assert dri.assign(a, b).path == "element"
    a, b = two(Asked(any=lambda one: one.hand_over()), dri.cyclic_map(0))
    assert dri.assign(a, b).path == "element"  # maps of the library decline


def test_what_a_map_raises(world):
    class Fault(Exception):
        pass

    def raises(assignment):
        raise Fault("not today")

    seen = []
    map = Asked(known=raises)
    a, b = two(map, dri.cyclic_map(0))
    whole = fill(b)
    with pytest.raises(Fault, match="not today"):
        a[...] = b
    assert not gathered(a).any()
    map.answers["known"] = seen.append  # None declines
    assert dri.assign(a, b).path == "element"
    a[...] = 0
    with pytest.raises(dri.StateError, match="over"):
        seen[0].to
    map.answers["known"] = plainly
    a[...] = b
    assert (gathered(a) == whole).all()


def test_a_map_that_writes_and_refuses(world):
    """Expressions of the target are stale, as nobody else knows what the map has written."""

    def half(assignment):
        assignment.dst.local[...] = 1
        raise dri.ArgumentError("no further")

    a, b = two(Asked(known=half), dri.cyclic_map(0))
    old = a + 1
    with pytest.raises(dri.ArgumentError, match="no further"):
        a[...] = b
    with pytest.raises(dri.StaleError):
        old.evaluate()


def test_maps_are_asked_once_however_late_a_process_is(world, rank):
    maps = Asked(), Asked()
    a, b = two(*maps)
    whole = fill(b)
    dri.assign(a, b)  # makes the plan
    for map in maps:
        map.calls.clear()
    if rank == 0:
        time.sleep(0.8)  # longer than the slices in which others wait
    assert dri.assign(a, b).tried == ("known", "any")
    assert [len(map.calls) for map in maps] == [2, 2]
    assert (gathered(a) == whole).all()


def test_maps_by_hand(world, rank):
    """A map that knows arrays over itself, of the same ranges, copies their memory."""

    def copies(one):
        if one.src.domain != one.dst.domain or one.to != one.from_ or one.to != one.dst.domain.ranges:
            return False
        one.dst.local[...] = one.src.local
        return True

    map = Asked(known=copies)
    domain = dri.Domain(map, range(12))
    a, b = dri.Array(domain), dri.Array(domain)
    whole = fill(b)
    assert dri.assign(a, b).path == "known"
    assert (gathered(a) == whole).all()
    assert dri.assign(a[1:], b[:-1]).path == "element"
    whole[1:] = whole[:-1].copy()
    assert (gathered(a) == whole).all()


def test_local_parts(world, rank):
    ranges = (range(1, 10, 2), range(9, -1, -1))
    for make in (dri.block_map((range(10), range(10))), dri.cyclic_map((0, 0))):
        domain = dri.Domain(make, ranges)
        seen = [index for process in range(len(world)) for index in domain.local(process)]
        assert sorted(seen) == sorted(domain)
        assert domain.local().map == domain.map and domain.local() == domain.local(rank)
        assert all(domain.owner(index) == rank for index in domain.local())
    if len(world) > 1:
        pairs = dri.Domain(dri.block_cyclic_map(0, 2), range(8 * len(world)))
        with pytest.raises(dri.UnsupportedError, match="4 boxes"):
            pairs.local()
    one = dri.Domain(dri.block_map(range(3), world[:1]), range(3))
    assert one.local().size == (3 if rank == 0 else 0)
