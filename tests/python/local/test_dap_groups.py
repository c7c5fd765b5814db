"""Random descriptions of all processes of an array against an oracle of the rules between processes."""

import random

import dap_groups as groups
import numpy as np
import pytest

from dri import dap


def fits_alone(dims):
    """Whether each process's own description is one: rules of one description have a test of their own."""
    try:
        buffer = np.zeros([max(0, groups.held(dim)) for dim in dims])
    except (ValueError, ZeroDivisionError):
        return False
    return dap.fault({"__version__": "0.10.0", "buffer": buffer, "dim_data": dims}) is None


@pytest.mark.parametrize("seed", range(3))
def test_the_first_broken_rule_between_processes_is_told(seed):
    random_ = random.Random(seed)
    told, drawn = {}, 0
    while drawn < 6000:
        everybodys = groups.draw(random_, random_.randint(1, 6))
        if not all(map(fits_alone, everybodys)):
            continue
        drawn += 1
        wanted = groups.broken(everybodys)
        told[wanted] = told.get(wanted, 0) + 1
        if wanted is None:
            dap.check_all(everybodys)
            continue
        with pytest.raises(dap.DapError) as raised:
            dap.check_all(everybodys)
        fault = raised.value.fault
        assert fault.rule == wanted, (everybodys, fault)
        assert wanted in ("ndim", "grid_product") or f"dimension {fault.dim}" in fault.message, fault
        assert "process" in fault.message, fault
    assert told.keys() == {*groups.RULES, None} and min(told.values()) >= 5, told


def test_a_fault_of_one_process_names_it():
    good = {"dist_type": "b", "size": 4, "proc_grid_size": 2, "proc_grid_rank": 0, "start": 0, "stop": 2}
    with pytest.raises(dap.DapError, match="process 1: dimension 0: .*stop"):
        dap.check_all([(good,), ({**good, "proc_grid_rank": 1, "start": 3, "stop": 2},)])
