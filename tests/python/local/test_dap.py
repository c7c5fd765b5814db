"""The protocol without other processes: rules of dictionaries, views, plans."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dri
from dri import dap

BOUNDED = settings(max_examples=100, deadline=None, derandomize=True, database=None)
BLOCK = {"dist_type": "b", "size": 9, "proc_grid_size": 2, "proc_grid_rank": 1, "start": 4, "stop": 9}


def array(dims=(BLOCK,), shape=(5,)):
    return {"__version__": "0.10.0", "buffer": np.arange(float(np.prod(shape))).reshape(shape), "dim_data": tuple(dims)}


@pytest.mark.parametrize(
    "change, rule",
    [
        (dict(), None),
        (dict(__version__="0.9.3"), None),
        (dict(__version__=10), "version"),
        (dict(__version__="1.0.0"), "version"),
        (dict(buffer=[1.0] * 5), "buffer"),
        (dict(buffer=bytearray(5)), None),
        (dict(dim_data=[BLOCK]), None),
        (dict(dim_data=7), "type"),
        (dict(dim_data=(7,)), "type"),
        (dict(dim_data=()), "ndim"),
        (dict(more=1), "extra_key"),
        (dict(dim_data=({**BLOCK, "size": True},)), "type"),
        (dict(dim_data=({**BLOCK, "size": 2**80},)), "type"),
        (dict(dim_data=({**BLOCK, "size": np.int32(9)},)), None),
        (dict(dim_data=({**BLOCK, "remark": "ignored"},)), None),
        (dict(dim_data=({**BLOCK, "stop": 8},)), "shape"),
        (dict(more=1, __version__="1.0.0"), "extra_key"),
    ],
)
def test_rules(change, rule):
    fault = dap.fault({**array(), **change})
    assert (fault.rule if fault else None) == rule
    if rule:
        with pytest.raises(dap.DapError) as raised:
            dap.read({**array(), **change})
        assert raised.value.fault.rule == rule and isinstance(raised.value, ValueError)


def test_lists_are_integer_buffers():
    listed = {"dist_type": "u", "size": 9, "proc_grid_size": 1, "proc_grid_rank": 0, "indices": np.array([8, 1], "u2")}
    assert dap.owned_indices(listed).tolist() == [8, 1] and dap.local_index(listed, 1) == 1
    for wrong in ([8, 1], np.array([1.0, 2.0]), np.zeros((1, 2), int), "12"):
        assert dap.fault(array([{**listed, "indices": wrong}], (2,))).rule == "indices_buffer"
    assert dap.validate_dim_dict(3, {**BLOCK, "stop": 10})[1].startswith("dimension 3: stop is 10")
    assert dap.validate_dim_data([BLOCK, {}]) == (True, "")


def test_reading_copies_nothing_and_needs_no_start():
    x = array()
    section = dap.read(x)
    assert section.buffer is x["buffer"] and section.shape == (9,) and section.size == 9
    assert dap.read(section).buffer is x["buffer"]
    with pytest.raises(TypeError):
        dap.read(7)


@st.composite
def dims(draw):
    n, parts = draw(st.integers(0, 9)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from("bcu"))
    if kind == "b":
        cuts = sorted(draw(st.lists(st.integers(0, n), min_size=parts - 1, max_size=parts - 1)))
        return n, {"dist_type": "b", "bounds": [0, *cuts, n]}
    if kind == "c":
        return n, {"dist_type": "c", "size": n, "proc_grid_size": parts, "block_size": draw(st.integers(1, 3))}
    order = draw(st.permutations(range(n)))
    return n, {"dist_type": "u", "size": n, "indices": [order[p::parts] for p in range(parts)]}


@BOUNDED
@given(st.lists(dims(), min_size=1, max_size=2), st.data())
def test_views_take_what_numpy_takes(both, data):
    shape = tuple(n for n, _ in both)
    whole = np.arange(np.prod(shape)).reshape(shape)
    index = tuple(slice(data.draw(st.integers(0, n)), data.draw(st.integers(0, n)), data.draw(st.integers(1, 3))) for n in shape)
    wanted = whole[index]
    made = np.full(wanted.shape, -1)
    seen = []
    for mine in dap.from_global_dim_data([one for _, one in both]):
        local = whole[np.ix_(*(dap.owned_indices(dim) for dim in mine))]
        try:
            view = dap.view({"__version__": "0.10.0", "buffer": local, "dim_data": mine}, index)
        except dri.UnsupportedError:
            assert any(dim["dist_type"] != "b" for dim in mine)
            return
        assert dap.fault(view) is None and view.shape == wanted.shape
        assert np.shares_memory(view.buffer, local) == (view.buffer.size > 0)
        made[np.ix_(*(dap.owned_indices(dim) for dim in view.dim_data))] = view.buffer
        seen.append(view.dim_data)
    assert (made == wanted).all()
    dap.check_all(seen)


@BOUNDED
@given(dims(), st.data())
def test_plans_move_every_index_once(first, data):
    n, source = first
    if n == 0:
        return
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=3)))
    sides = [dap.from_global_dim_data([one]) for one in (source, {"dist_type": "b", "bounds": [0, *cuts, n]})]
    moved = []
    for one in dap.plan(*(dict(enumerate(side)) for side in sides)):
        span = one.box[0]
        owned = [dap.owned_indices(side[rank][0]) for side, rank in zip(sides, one[:2])]
        indices = range(*span) if isinstance(span, tuple) else span
        assert set(indices) == set(owned[0]) & set(owned[1])
        moved += indices
    assert sorted(moved) == list(range(n))


def test_padding_and_numbers():
    padded = {**BLOCK, "start": 3, "padding": (1, 0)}
    x = array([padded], (6,))
    view = dap.view(x, np.s_[2:8])
    assert view.buffer.tolist() == [1.0, 2.0, 3.0, 4.0] and (view.dim_data[0]["start"], view.dim_data[0]["stop"]) == (2, 6)
    with pytest.raises(dri.UnsupportedError, match="dimension 0"):
        dap.view(x, 5)
    two = array([BLOCK, {}], (5, 3))
    assert dap.view(two, np.s_[:, 1]).buffer.tolist() == two["buffer"][:, 1].tolist()
    for wrong, error in ((np.s_[9], IndexError), (np.s_[::-1], dri.UnsupportedError)):
        with pytest.raises(error):
            dap.view(x, wrong)


def test_wrong_global_dimensions():
    for wrong in ({"dist_type": "q"}, {"dist_type": "b", "bounds": [0, 1], "comm_padding": [1, 1]}):
        with pytest.raises(dri.ArgumentError, match="dimension 0"):
            dap.from_global_dim_data([wrong])
    with pytest.raises(dri.ArgumentError):
        dap.grid_shape((4, 4), "nn", 2)
    with pytest.raises(dap.DapError):
        dap.owned_indices({**BLOCK, "stop": 20})
    with pytest.raises(dri.OutOfRange):
        dap.owner([[BLOCK]], (3,))
