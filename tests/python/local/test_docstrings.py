"""Every public name says what it does, and every function whether it is Local or Collective."""

import inspect
import re

import dri

LABEL = re.compile(r"\bLocal\b|\bCollective over\b")


def public(owner):
    for name, one in vars(owner).items():
        if not name.startswith("_") and (callable(one) or isinstance(one, (property, staticmethod, classmethod))):
            yield name, one


def test_every_name_has_its_label():
    missing = []
    for name in dri.__all__:
        one = getattr(dri, name)
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


def test_the_first_line_is_one_sentence():
    for name in dri.__all__:
        text = inspect.getdoc(getattr(dri, name)) or "x."
        first = text.split("\n\n")[0]
        assert first.rstrip().endswith("."), name


def test_all_names_are_there():
    assert sorted(dri.__all__) == dri.__all__ and all(hasattr(dri, name) for name in dri.__all__)
