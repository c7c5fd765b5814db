"""Ctrl-C while elements move: what may have been written in part is stale for expressions, and nothing else is."""

import numpy as np
import pytest
from test_interrupts import interrupt, interrupt_update, tell, wait_for

import dri


def moved(world, over):
    """What moves an array, known already, with its target; the first process waits for the others."""
    n = 4 * len(world)
    a = dri.arange(n, dtype="f8")
    if over == "domain":
        b = dri.Array(dri.Domain(dri.cyclic_map(1), range(n)))
    else:
        b = dri.zeros(dri.Distribution(n, "f8", "cyclic"))
    return a, b


MOVES = {
    "assign": (lambda a, b: dri.assign(b, a), "domain"), "assign a slice": (lambda a, b: b.__setitem__(slice(1, None), a[1:]), "domain"),
    "redistribute": (lambda a, b: a.redistribute(b), "distribution"), "redistribute to a domain": (lambda a, b: a.redistribute(b), "domain"),
}  # fmt: skip


@pytest.mark.procs(2)
@pytest.mark.parametrize("name", MOVES)
def test_an_expression_of_what_a_move_fills_is_stale(world, rank, name):
    """It may have a part of the elements; what is read is as before."""
    move, over = MOVES[name]
    a, b = moved(world, over)
    b[...] = a if over == "domain" else 0
    for _ in range(2):
        move(a, b)
    old, read = b + 1, a + 1
    if rank == 0:
        interrupt(lambda: move(a, b))
        tell(world[1:])
        if name != "redistribute to a domain":  # it is interrupted before the processes agree, and has written nothing
            with pytest.raises(dri.StaleError):
                old.node.collect([])  # what evaluate() does first
    else:
        wait_for([0])
        if name.startswith("redistribute"):  # it is made anew; an assignment goes on
            with pytest.raises(dri.Error):
                move(a, b)
    move(a, b)
    with pytest.raises(dri.StaleError):
        old.evaluate()
    assert np.array_equal(read.evaluate().gather(-1), np.arange(4 * len(world)) + 1)
    assert np.array_equal(b.gather(-1), a.gather(-1))


@pytest.mark.procs(2)
def test_a_refused_move_leaves_its_target(world, rank):
    """Nothing is written, so expressions that read it are not stale."""
    a, b = moved(world, "distribution")
    old = b + 1
    with pytest.raises((dri.ArgumentError, dri.MismatchError)):
        dri.redistribute(a, b, scale=float("nan"))
    with pytest.raises((dri.ArgumentError, dri.MismatchError)):
        dri.redistribute(dri.zeros(3, dtype="f8"), b)
    with pytest.raises(dri.ArgumentError, match="shapes"):
        dri.assign(b, a[1:])
    with pytest.raises(dri.ArgumentError, match="do not become"):
        dri.assign(b, dri.zeros(b.shape, dtype=[("x", "f4")]))
    assert (old.evaluate().gather(-1) == 1).all()


@pytest.mark.procs(2)
def test_an_update_of_overlap_leaves_what_is_owned(world, rank):
    x = dri.zeros(dri.Distribution((4 * len(world), 3), "f8", ("block", None), overlap=[1, 0]))
    x.local[...] = -1
    x[...] = 5
    for _ in range(2):
        x.update_overlap()
    read = x + 1
    interrupt_update(x, world)
    if rank == 0:
        read.node.collect([])
        assert (x.owned.local == 5).all()
    assert (read.evaluate().gather(-1) == 6).all()


@pytest.mark.procs(2)
def test_an_update_of_a_periodic_array_writes_its_edges(world, rank):
    """Padding at the edges of another package's array is its own: expressions that read it are stale, also after Ctrl-C."""
    at, n = rank, len(world)
    pads = (1, 1)
    size = 3 * n + 2  # with the padding at both edges
    start, stop = (0 if at == 0 else 1 + 3 * at - 1), (size if at == n - 1 else 1 + 3 * (at + 1) + 1)
    dim = {"dist_type": "b", "size": size, "proc_grid_size": n, "proc_grid_rank": at, "periodic": True}
    dim.update(start=start, stop=stop, padding=pads)
    mine = np.full(stop - start, float(at))
    x = dri.from_distarray({"__version__": "0.10.0", "buffer": mine, "dim_data": (dim,)})
    old = x + 1
    x.update_overlap()
    assert mine[0] == (at - 1) % n and mine[-1] == (at + 1) % n
    with pytest.raises(dri.StaleError):
        old.evaluate()
    x.update_overlap()
    old = x + 1
    interrupt_update(x, world)
    if rank == 0:
        with pytest.raises(dri.StaleError):
            old.node.collect([])
    x.update_overlap()
    with pytest.raises(dri.StaleError):
        old.evaluate()
