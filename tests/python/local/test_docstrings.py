"""Every public name says what it does, and every function whether it is Local or Collective."""

import inspect
import re

import pytest

import dri
import dri.graph

LABEL = re.compile(r"\bLocal\b|\bCollective over\b")


def public(owner):
    for name, one in vars(owner).items():
        if not name.startswith("_") and (callable(one) or isinstance(one, (property, staticmethod, classmethod))):
            yield name, one


@pytest.fixture(params=[dri, dri.graph], ids=lambda module: module.__name__)
def module(request):
    return request.param


def test_every_name_has_its_label(module):
    missing = []
    for name in module.__all__:
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
    for name in module.__all__:
        text = inspect.getdoc(getattr(module, name)) or "x."
        first = text.split("\n\n")[0]
        assert first.rstrip().endswith("."), name


def test_all_names_are_there(module):
    assert sorted(module.__all__) == module.__all__ and all(hasattr(module, name) for name in module.__all__)
