"""Every public name says what it does, and every function whether it is Local or Collective."""

import inspect
import re

import pytest

import dri
import dri.dap
import dri.graph
import dri.plot
import dri.wisdom

LABEL = re.compile(r"\bLocal\b|\bCollective over\b")


def public(owner):
    for name, one in vars(owner).items():
        if not name.startswith("_") and (callable(one) or isinstance(one, (property, staticmethod, classmethod))):
            yield name, one


def names(module):
    """What users may call; modules without a list have no other public functions than their own."""
    own = [name for name, one in public(module) if getattr(one, "__module__", "") == module.__name__]
    return getattr(module, "__all__", own)


@pytest.fixture(params=[dri, dri.dap, dri.graph, dri.plot, dri.wisdom], ids=lambda module: module.__name__)
def module(request):
    return request.param


def test_every_name_has_its_label(module):
    missing = []
    for name in names(module):
        one = getattr(module, name)
        if not (callable(one) and inspect.getdoc(one)):
            missing += [] if not callable(one) else [name]
            continue
        if inspect.isclass(one):
            is_value = issubclass(one, (Exception, tuple))
            for member, found in public(one):
                text = inspect.getdoc(getattr(found, "fget", found)) or ""
                if not is_value and not LABEL.search(text):
                    missing.append(f"{name}.{member}")
        elif not LABEL.search(inspect.getdoc(one)):
            missing.append(name)
    assert not missing


def test_the_first_line_is_one_sentence(module):
    for name in filter(lambda name: callable(getattr(module, name)), names(module)):
        text = inspect.getdoc(getattr(module, name)) or "x."
        first = text.split("\n\n")[0]
        assert first.rstrip().endswith("."), name


def test_all_names_are_there(module):
    assert len(names(module)) > 1 and all(hasattr(module, name) for name in names(module))
    assert sorted(getattr(module, "__all__", [])) == getattr(module, "__all__", [])
