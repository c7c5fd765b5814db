"""Random descriptions of the processes of a group: every process is told the first rule that they break together."""

import random

import dap_groups as groups
import numpy as np
import pytest

import dri
from dri import dap


def test_every_process_is_told_the_rule(world, rank):
    random_ = random.Random(7)
    told, drawn = set(), 0
    while drawn < 150:
        everybodys = groups.draw(random_, len(world))
        extents = [[groups.held(dim) if dim["proc_grid_size"] > 0 else 0 for dim in dims] for dims in everybodys]
        all_of_it = [
            {"__version__": "0.10.0", "buffer": np.zeros([max(0, n) for n in one]), "dim_data": dims}
            for one, dims in zip(extents, everybodys)
        ]
        if any(dap.fault(one) for one in all_of_it):
            continue
        drawn += 1
        wanted = groups.broken(everybodys)
        told.add(wanted)
        texts = []
        for call in (dap.check, dri.from_distarray):
            if wanted is None:
                try:
                    call(all_of_it[rank])
                except (dri.GapError, dri.OverlapError, dri.MismatchError):  # lists may have any labels, on any processes
                    assert call is dri.from_distarray and any(dim["dist_type"] == "u" for dim in everybodys[0])
                continue
            with pytest.raises(dap.DapError if call is dap.check else dri.MismatchError) as raised:
                call(all_of_it[rank])
            assert call is not dap.check or raised.value.fault.rule == wanted, (everybodys, raised.value.fault)
            texts.append(str(raised.value))
        assert wanted is None or texts[1].endswith(texts[0]), texts
    assert len(world) == 1 or {None, "size_disagrees", "row_major", "gap", "coverage"} <= told
