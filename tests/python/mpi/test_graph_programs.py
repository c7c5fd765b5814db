"""Pipelines as graphs give what the same stages by hand give, to the bit."""

import importlib
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAMS = Path(__file__).resolve().parents[3] / "examples" / "python"


def results_of(monkeypatch, program, module, owner, name):
    """What a program gives to a function of its module's, which shows results."""
    monkeypatch.syspath_prepend(str(PROGRAMS))
    monkeypatch.setattr(sys, "argv", [program])
    seen = []
    shows = getattr(owner(importlib.import_module(module)), name)

    def record(*given):
        seen.append([one.copy() if isinstance(one, np.ndarray) else one for one in given if not hasattr(one, "seen")])
        return shows(*given)

    with monkeypatch.context() as patched:
        patched.setattr(owner(sys.modules[module]), name, record)
        runpy.run_path(str(PROGRAMS / program), run_name="__main__")
    return seen


def expect_equal(monkeypatch, programs, *where):
    by_hand, graph = (results_of(monkeypatch, one, *where) for one in programs)
    assert len(by_hand) == len(graph)
    for one, other in zip(by_hand, graph):
        assert len(one) == len(other) > 1
        for a, b in zip(one, other):
            assert a.tobytes() == b.tobytes() and a.shape == b.shape if isinstance(a, np.ndarray) else a == b


@pytest.mark.procs(2)
def test_the_radar(world, monkeypatch):
    pytest.importorskip("scipy")
    expect_equal(monkeypatch, ("range_doppler.py", "radar_graph.py"), "radar", lambda module: module, "report")


def test_the_sonar(world, monkeypatch):
    expect_equal(monkeypatch, ("sonar_beamformer.py", "sonar_graph.py"), "sonar", lambda module: module.Screen, "add")
