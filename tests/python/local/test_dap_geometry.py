"""Descriptions of all processes, made of what describes a dimension over them: they keep to the protocol."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dri
from dri import dap


@st.composite
def global_blocks(draw):
    cuts = sorted(draw(st.lists(st.integers(0, 9), max_size=4)))
    widths = {key: draw(st.integers(0, 3)) for key in ("comm_padding", "boundary_padding") if draw(st.booleans())}
    return {"dist_type": "b", "bounds": [0, *cuts, 9], **widths}


@given(global_blocks())
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_global_dimensions_keep_the_rules(dim):
    """Each part by itself and all of them together, or else padding is refused: an oracle by single indices."""
    parts = [range(a, b) for a, b in zip(dim["bounds"], dim["bounds"][1:])]
    inner, outer = dim.get("comm_padding", 0), dim.get("boundary_padding", 0)
    last = len(parts) - 1
    fits = True
    for at, part in enumerate(parts):
        before = [part.start - 1 - k for k in range(inner if at else 0)]
        after = [part.stop + k for k in range(inner if at < last else 0)]
        fits &= all(i in parts[at - 1] for i in before) and all(i in parts[at + 1] for i in after)
        edges = (outer if at == 0 else len(before)) + (outer if at == last else len(after))
        fits &= edges <= len(before) + len(part) + len(after)
    if not fits:
        with pytest.raises(dri.ArgumentError, match="padding"):
            dap.from_global_dim_data([dim])
        return
    made = dap.from_global_dim_data([dim])
    assert [dap.validate_dim_data(one) for one in made] == [(True, "")] * len(parts)
    dap.check_all(made)
    for one, part in zip(made, parts):
        x = {"__version__": "0.10.0", "buffer": np.zeros(one[0]["stop"] - one[0]["start"]), "dim_data": one}
        assert dap.validate(x) == (True, "") and dap.owned_indices(one[0]).tolist() == list(part)


@pytest.mark.parametrize(
    "dim, words",
    [
        ({"bounds": [0, 1, 5, 6], "comm_padding": 2}, "comm_padding is 2, but part 0 owns 1"),
        ({"bounds": [0, 4, 4, 8], "comm_padding": 1}, "comm_padding is 1, but part 1 owns 0"),
        ({"bounds": [0, 1, 9], "comm_padding": 1, "boundary_padding": 2}, "padding is (2, 1), but start is 0 and stop is 2"),
        ({"bounds": [0, 5], "boundary_padding": 3}, "padding is (3, 3), but start is 0 and stop is 5"),
    ],
)
def test_padding_beyond_the_parts_is_refused(dim, words):
    with pytest.raises(dri.ArgumentError) as raised:
        dap.from_global_dim_data([{"dist_type": "b", **dim}])
    assert str(raised.value) == f"dimension 0: {words}"


@pytest.mark.parametrize(
    "dim, words",
    [
        ({"dist_type": "c", "size": 4, "proc_grid_size": 0}, "proc_grid_size is 0"),
        ({"dist_type": "c", "size": 4, "proc_grid_size": 2, "block_size": 0}, "block_size is 0"),
        ({"dist_type": "c", "size": -1, "proc_grid_size": 2}, "size is -1"), ({"dist_type": "n", "size": -1}, "size is -1"),
        ({"dist_type": "u", "indices": [[1, 1], [0]]}, "1 more than once"),
        ({"dist_type": "b", "bounds": [0, 4], "periodic": "yes"}, "periodic"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_not_made(dim, words):
    with pytest.raises(dri.ArgumentError, match=f"dimension 0: .*{words}"):
        dap.from_global_dim_data([dim])


@pytest.mark.parametrize(
    "dim",
    [
        {"dist_type": "b", "bounds": [0, 2.9, 5]}, {"dist_type": "b", "bounds": [0, 5], "comm_padding": 0.5},
        {"dist_type": "b", "bounds": [0, 5], "boundary_padding": "1"}, {"dist_type": "c", "size": 4.5, "proc_grid_size": 2},
        {"dist_type": "c", "size": 4, "proc_grid_size": 2, "block_size": 1.5}, {"dist_type": "n", "size": 4.5},
        {"dist_type": "u", "size": 2.5, "indices": [[0], [1]]},
    ],
)  # fmt: skip
def test_global_numbers_are_integers(dim):
    with pytest.raises(TypeError, match="integer"):
        dap.from_global_dim_data([dim])
