"""The protocol without other processes: rules of dictionaries, views, plans."""

import warnings

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


LISTED = {"dist_type": "u", "size": 9, "proc_grid_size": 1, "proc_grid_rank": 0, "indices": np.arange(5)}


@pytest.mark.parametrize(
    "dim, rule, key, words",
    [
        ({**BLOCK, "size": 9.0}, "type", "size", ["9.0", "integer"]),
        ({**BLOCK, "size": True}, "type", "size", ["True"]),
        ({**BLOCK, "size": np.True_}, "type", "size", ["True"]),
        ({**BLOCK, "start": "4"}, "type", "start", ["'4'"]),
        ({**BLOCK, "size": 2**80}, "type", "size", [str(2**80), "63 bits"]),
        ({**BLOCK, "proc_grid_size": 2**40}, "type", "proc_grid_size", [str(2**40), "31 bits"]),
        ({**BLOCK, "padding": (1, 1, 1)}, "padding", "padding", ["(1, 1, 1)", "pair"]),
        ({**BLOCK, "padding": None}, "padding", "padding", ["None"]),
        ({**BLOCK, "periodic": "yes"}, "periodic", "periodic", ["'yes'", "True or False"]),
        ({**LISTED, "one_to_one": "no"}, "one_to_one", "one_to_one", ["'no'"]),
        ({**LISTED, "indices": [1, 2]}, "indices_buffer", "indices", ["[1, 2]", "buffer"]),
        ({**LISTED, "indices": np.arange(5.0)}, "indices_buffer", "indices", ["float64", "(5,)"]),
        ({**LISTED, "indices": np.arange(5, dtype="u8") + 2**63}, "indices_buffer", "indices", ["uint64", "63 bits"]),
        ({**BLOCK, "dist_type": 5}, "dist_type", "dist_type", ["is 5,"]),
        ({**BLOCK, "dist_type": "block"}, "dist_type", "dist_type", ["'block'"]),
        ({**BLOCK, "dist_type": "\ud800"}, "dist_type", "dist_type", ["dist_type is"]),
    ],
)
def test_faults_tell_the_value_that_c_cannot_hold(dim, rule, key, words):
    """In every call that tells a fault: the rule, the dimension, the key and the dictionary's own value."""
    found = dap.fault(array([{}, dim], (3, 5)))
    assert (found.rule, found.dim, found.key) == (rule, 1, key) and found.value is dim[key]
    good, message = dap.validate_dim_dict(1, dim)
    assert not good and message == found.message
    with pytest.raises(dap.DapError) as raised:
        dap.check_all([({"dist_type": "b", "size": 3, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": 3}, dim)])
    assert raised.value.fault.value is dim[key]
    for text in (message, str(raised.value)):
        assert "dimension 1" in text and all(word in text for word in words), text


LARGE = np.arange(5, dtype="u8") + 2**63


@pytest.mark.parametrize(
    "dim, text",
    [
        ({**BLOCK, "dist_type": 5}, "dist_type is 5, but must be 'b', 'c' or 'u'"),
        ({**BLOCK, "periodic": 2**40}, f"periodic is {2**40}, but must be True or False"),
        ({**LISTED, "one_to_one": 2**40}, f"one_to_one is {2**40}, but must be True or False"),
        ({**LISTED, "indices": 7}, "indices is 7, but must be a buffer of integers with one dimension"),
        ({**LISTED, "indices": LARGE}, "indices is uint64 of shape (5,), but must be a buffer of integers with one dimension of at most 63 bits"),
        ({**BLOCK, "padding": (2**70, 0)}, f"padding is ({2**70}, 0), but must be a pair of integers of at most 63 bits"),
        ({**BLOCK, "padding": (2**70, 0.5)}, f"padding is ({2**70}, 0.5), but must be a pair of integers"),
        ({**BLOCK, "padding": 7}, "padding is 7, but must be a pair of integers"),
        ({**BLOCK, "size": 2**80}, f"size is {2**80}, but must be an integer of at most 63 bits"),
        ({**BLOCK, "size": True}, "size is True, but must be an integer"),
    ],
)
def test_bits_are_told_of_integers_alone(dim, text):
    """Whole messages: the bits belong to values whose only fault may be that they are too large."""
    assert dap.validate_dim_dict(1, dim)[1] == f"dimension 1: {text}"


def test_truth_values_of_numpy_and_keys_that_are_no_text():
    x = array([{**BLOCK, "periodic": np.True_, 5: 1, "\ud800": 2}])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dap.fault(x) is None
    assert dap.fault(array([{"remark": 1}])).rule == "missing_key" and dap.fault(array([{"remark": 1}])).value is None
    assert dap.validate_dim_dict(2, [])[1] == "dimension 2 is a list, but must be a dictionary"


@pytest.mark.parametrize("version", ["0.10.1234567890x", "0.10.0\0x", "0.10.\u0661", "0.10", "0.10.-1", "", "v0.10.0", b"0.10.0"])
def test_malformed_versions(version):
    found = dap.fault({**array(), "__version__": version})
    assert (found.rule, found.key) == ("version", "__version__") and (str(version) or repr(version))[:6] in found.message


def test_more_dimensions_than_the_library_moves():
    """They are described and read; every rule of a dimension counts."""
    nine = array([BLOCK] + [{}] * 8, (5,) + (1,) * 8)
    assert dap.fault(nine) is None and dap.read(nine).shape == (9,) + (1,) * 8
    assert dap.read(nine).dim_data[8] == {
        "dist_type": "b", "size": 1, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": 1
    }  # fmt: skip
    assert dap.fault({**nine, "dim_data": (*nine["dim_data"][:8], BLOCK)}).rule == "shape"
    assert dap.fault({**nine, "__version__": "1.0.0"}).rule == "version"
    with pytest.raises(dri.UnsupportedError, match="9 dimensions"):
        dap.check_all([dap.read(nine).dim_data])


def test_a_view_of_a_whole_dimension_keeps_its_edges():
    """Communication padding is dropped; boundary padding and the period belong to the array."""
    first = {**BLOCK, "proc_grid_rank": 0, "start": 0, "stop": 6, "padding": (2, 1), "periodic": True}
    last = {**BLOCK, "start": 4, "padding": (1, 3), "periodic": True}
    views = [dap.view(array([dim], (dim["stop"] - dim["start"],)), np.s_[:]) for dim in (first, last)]
    assert [one.dim_data[0]["padding"] for one in views] == [(2, 0), (0, 3)]
    assert [(one.dim_data[0]["start"], one.dim_data[0]["stop"]) for one in views] == [(0, 5), (5, 9)]
    assert all(one.dim_data[0]["periodic"] is True and dap.fault(one) is None for one in views)
    dap.check_all([one.dim_data for one in views])
    part = dap.view(array([first], (6,)), np.s_[1:]).dim_data[0]
    assert "padding" not in part and "periodic" not in part


def test_a_view_of_all_labels():
    """Labels beyond the size are kept by a view of the whole dimension, and left out by others."""
    dim = {"dist_type": "u", "size": 4, "proc_grid_size": 1, "proc_grid_rank": 0, "indices": np.array([12, 3, -4, 2])}
    x = array([dim], (4,))
    assert dap.view(x, np.s_[:]).buffer.tolist() == x["buffer"].tolist() and dap.fault(dap.view(x, ...)) is None
    part = dap.view(x, np.s_[2:])
    assert part.dim_data[0]["indices"].tolist() == [1, 0] and part.buffer.tolist() == [1.0, 3.0]


def test_padding_of_global_dimensions():
    made = dap.from_global_dim_data([{"dist_type": "b", "bounds": [0, 4, 7, 9], "comm_padding": 1, "boundary_padding": 2}])
    assert [(dim["start"], dim["stop"], dim["padding"]) for (dim,) in made] == [(0, 5, (2, 1)), (3, 8, (1, 1)), (6, 9, (1, 2))]
    dap.check_all(made)
    assert [dap.num_owned_indices(dim) for (dim,) in made] == [4, 3, 2]


def test_wrong_global_dimensions():
    for wrong, words in (
        ({"dist_type": "b"}, "bounds"), ({"dist_type": "c", "size": 4}, "proc_grid_size"), ({"dist_type": "u"}, "indices"),
        ({"dist_type": "n"}, "size"), ({"dist_type": "b", "bounds": [0, 5, 3]}, "[0, 5, 3]"),
        ({"dist_type": "b", "bounds": [1, 5]}, "[1, 5]"), ({"dist_type": "b", "bounds": [0]}, "[0]"),
        ({"dist_type": "b", "bounds": [0, 4], "comm_padding": -1}, "-1"),
    ):  # fmt: skip
        with pytest.raises(dri.ArgumentError) as raised:
            dap.from_global_dim_data([{"dist_type": "n", "size": 1}, wrong])
        assert "dimension 1" in str(raised.value) and words in str(raised.value)
    for wrong in ({"dist_type": "q"}, {"dist_type": "b", "bounds": [0, 1], "padding": [1, 1]}):
        with pytest.raises(dri.ArgumentError, match="dimension 0"):
            dap.from_global_dim_data([wrong])
    with pytest.raises(dri.ArgumentError):
        dap.grid_shape((4, 4), "nn", 2)
    with pytest.raises(dap.DapError):
        dap.owned_indices({**BLOCK, "stop": 20})
    with pytest.raises(dri.OutOfRange):
        dap.owner([[BLOCK]], (3,))
