"""Maps and domains, against plain Python that walks every index."""

import itertools
import pickle

import numpy as np
import pytest
from domains_for_tests import MAPS, EvenOdd, Halves, gathered

import dri


def test_ranges_are_pythons(world):
    assert dri.densify(range(5, 9, 3), range(2, 12, 3)) == range(1, 3)
    assert dri.undensify((range(1, 3), range(0, 1)), (range(2, 12, 3), range(7, 3, -1))) == (range(5, 9, 3), range(7, 8))
    assert dri.densify(range(0), range(3)) == range(0)
    for wrong in ((range(7, 9), range(2, 8)), ((range(2),), (range(2), range(2)))):
        with pytest.raises(dri.ArgumentError):
            dri.densify(*wrong)
    with pytest.raises(TypeError):
        dri.densify([1, 2], range(3))
    with pytest.raises(dri.SizeError):
        dri.densify(range(2**70, 2**70 + 1), range(3))


def test_queries(world, rank):
    n = len(world)
    ranges = (range(2, 20, 3), range(5, -1, -1))
    for make in MAPS.values():
        domain = dri.Domain(make(ranges), ranges)
        assert domain.ranges == ranges and domain.shape == (6, 6) and domain.size == len(domain) == 36
        assert list(domain) == list(itertools.product(*ranges))
        seen = {}
        for process in range(n):
            owned, held = domain.count(process)
            places = []
            for box in domain.boxes(process):
                for index in itertools.product(*box):
                    assert domain.owner(index) == process and index not in seen and index in domain
                    seen[index] = process
                    places.append(domain.local_index(index, process))
                    assert domain.global_index(places[-1], process) == index
            assert len(places) == len(set(places)) == owned == held
        assert sorted(seen) == sorted(domain)
        for order, index in enumerate(domain):
            assert domain.order(index) == order and domain.index(order) == index
        assert (3, 3) not in domain and domain.order((3, 3)) == -1
        domain.check()
        chunks = [(process, chunk) for process in range(n) for chunk in domain.chunks(2, process)]
        covered = [index for process, chunk in chunks for index in domain.follow(chunk)]
        assert sorted(covered) == sorted(domain)
        assert all(domain.owner(index) == process for process, chunk in chunks for index in domain.follow(chunk))
    with pytest.raises(IndexError):
        domain.owner((3, 3))
    with pytest.raises(IndexError):
        domain.index(36)
    with pytest.raises(dri.ArgumentError):
        domain.owner(2)
    with pytest.raises(TypeError):
        domain.owner((5.0, 3))
    assert list(domain.follow([[1, 0], [2]])) == [(5, 3), (2, 3)]
    assert str(dri.Domain((range(1, 3), range(1, 10, 2)))) == "{1..2, 1..9 by 2}"


def test_maps_are_values(world):
    n = len(world)
    box = range(8)
    assert dri.block_map(box) == dri.block_map(range(7, -1, -1)) and dri.block_map(box) != dri.block_map(range(9))
    assert dri.cyclic_map(1) == dri.cyclic_map(1 + n) and dri.cyclic_map(1) != dri.block_map(box)
    assert dri.Map([dri.MapDim.cyclic(1)]) == dri.cyclic_map(1)
    assert EvenOdd() != EvenOdd() and Halves(3) == Halves(3) and Halves(3) != Halves(4)
    assert dri.Domain(Halves(3), (box, box)) == dri.Domain(Halves(3), (box, box)) != dri.Domain(Halves(4), (box, box))
    assert dri.block_map((box, box)).grid == tuple(dri.Distribution((8, 8), "f8", ("block", "block")).grid) or n > 3
    for map in (dri.block_map(box), dri.block_cyclic_map((0, 0), (2, 3)), Halves(3), EvenOdd(comm=world)):
        again = pickle.loads(pickle.dumps(map))
        index = (3,) * (1 if map == dri.block_map(box) or isinstance(map, EvenOdd) else 2)
        index = index if len(index) > 1 else index[0]
        assert type(again) is type(map) and again.owner(index) == map.owner(index) and again.group == map.group
    domain = dri.Domain(Halves(3), (box, range(0, 8, 2)))
    assert pickle.loads(pickle.dumps(domain)) == domain
    assert "0..7" in dri.block_map(box).describe() and "Halves" in domain.describe()
    with pytest.raises(dri.UnsupportedError):
        EvenOdd().grid
    for wrong in (object(), "block", 7, []):
        with pytest.raises(TypeError, match="inherits dri.Map"):
            dri.Map(wrong)
    with pytest.raises(TypeError, match="owner"):
        dri.Map()
    with pytest.raises(dri.ArgumentError, match="edge"):
        dri.stencil_map(box, 1, "round")
    with pytest.raises(dri.ArgumentError):
        dri.Map([dri.MapDim.blocks(box, parts=n + 1)])


def test_distributions_are_maps(world):
    dist = dri.Distribution((9, 4), "f8", ("cyclic", None))
    domain = dri.Domain(dri.dist_map(dist), (range(1, 9, 2), range(4)))
    assert all(domain.owner(index) == dist.owner(index) for index in domain)
    assert dri.zeros(dist).domain.ranges == (range(9), range(4))
    with pytest.raises(dri.ArgumentError):
        dri.Domain(dri.dist_map(dist), (range(10), range(4)))
    if len(world) > 1:
        with pytest.raises(dri.UnsupportedError):
            dri.dist_map(dri.Distribution((3,), "f8", (None,)))


class Fault(Exception):
    pass


def test_maps_that_lie(world, rank):
    n = len(world)

    class Raises(dri.Map):
        def owner(self, i):
            if i == 4:
                raise Fault("no owner of 4")
            return 0

    with pytest.raises(Fault, match="no owner of 4"):
        dri.Domain(Raises(), range(6)).boxes(0)
    with pytest.raises(dri.Error, match="position"):

        class Beyond(dri.Map):
            def owner(self, i):
                return n

        dri.Domain(Beyond(), range(6)).owner(3)

    class NoNumber(dri.Map):
        def owner(self, i):
            return "a"

    with pytest.raises(TypeError):
        dri.Domain(NoNumber(), range(6)).owner(3)

    class Doubles(dri.Map):
        def owner(self, i):
            return 0

        def local(self, position, whole):
            return [range(0, 3), range(2, 6)] if position == 0 else []

    class Leaves(Doubles):
        def local(self, position, whole):
            return [range(0, 3)] if position == 0 else []

    with pytest.raises(dri.OverlapError):
        dri.Array(dri.Domain(Doubles(), range(6)))
    with pytest.raises(dri.GapError):
        dri.Array(dri.Domain(Leaves(), range(6)))
    if n > 1:

        class Differs(dri.Map):
            def owner(self, i):
                return (i + rank) % n

        with pytest.raises(dri.Error):
            dri.Array(dri.Domain(Differs(), range(6)))
    with pytest.raises((Fault, dri.Error)):

        class Alone(dri.Map):
            def owner(self, i):
                if rank == 0:
                    raise Fault("here")
                return 0

        dri.Array(dri.Domain(Alone(), range(6)))
    a = dri.Array(dri.Domain(EvenOdd(), range(6)))  # all goes on
    assert (gathered(a) == 0).all()
