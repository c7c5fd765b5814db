"""Reads the Python package dri: the public names, their signatures and their docstrings. Nothing is imported.

A docstring is in the form of numpydoc: a first line, prose, and the sections Parameters, Returns, Raises and Examples.
Its label, `Local.` or `Collective over ...`, is a sentence of its own.
"""

import ast
import inspect
import re
from dataclasses import dataclass, field
from pathlib import Path

SECTIONS = ("Parameters", "Returns", "Raises", "Examples")
LABEL = re.compile(r"(?:(?<=[.:)])\s+|^)(Local|Collective over [^.;]+)\.(?:\s+|$)")
# Parts of the package call these on each other; a program has no use for them.
INTERNAL = {"attach", "declare", "detach", "encoded", "end_stream", "handle"}
INLINE = re.compile(r"``[^`]+``|:\w+:`[^`]+`|[*|\\]|\w+_\b|`")


@dataclass
class Entry:
    """A public name. kind is class, exception, function, method, property or attribute."""

    kind: str
    name: str  # without the package, such as dap.fault or Array.local
    signature: str
    text: str
    members: list = field(default_factory=list)


class Module:
    """A file of the package."""

    def __init__(self, folder, name):
        if (folder / name).is_dir():  # a package inside the package
            folder, name = folder / name, "__init__"
        self.folder = folder
        self.tree = ast.parse((folder / f"{name}.py").read_text())
        self.nodes = {node.name: node for node in self.tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.origins = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in self.tree.body
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
            for alias in node.names
        }

    def public(self):
        """The names of __all__, or all that do not begin with an underscore and are defined here."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                return ast.literal_eval(node.value)
        return [name for name in self.nodes if not name.startswith("_")]

    def find(self, name):
        """(module, node) of a class, a function, or an assignment, here or where it is imported from."""
        if name in self.nodes:
            return self, self.nodes[name]
        for node in self.tree.body:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if isinstance(node, ast.Assign) else None
            if getattr(target, "id", "") == name:
                return self, node
        if name not in self.origins:
            return self, None
        origin, there = self.origins[name]
        return Module(self.folder, origin).find(there)


def folder_of(root):
    return Path(root) / "dri"


def public_names(root):
    """All public names without the package, such as Array, dap.fault and plot.traffic."""
    folder = folder_of(root)
    own = Module(folder, "__init__").public()
    inner = [f"{module}.{name}" for module in ("dap", "graph", "plot", "wisdom") for name in Module(folder, module).public()]
    return sorted({name for name in own if name not in ("dap", "wisdom")} | set(inner))


def read_entry(root, name):
    """The entry of a public name."""
    module, _, own = name.rpartition(".")
    start = Module(folder_of(root), module or "__init__")
    where, node = start.find(own)
    if isinstance(node, ast.FunctionDef):
        return Entry("function", name, signature(node), ast.get_docstring(node) or "")
    if isinstance(node, ast.ClassDef):
        return class_entry(where, node, name)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") in where.nodes:
        return call_entry(where, where.nodes[node.value.func.id], name)
    if node is None:
        raise KeyError(f"the package has no {name}")
    return Entry("attribute", name, "", string_behind(where.tree.body, node))


def class_entry(module, node, name):
    is_fault = name.endswith("Error") or any("Error" in ast.unparse(base) for base in node.bases)
    init = next((one for one in methods(node) if one.name == "__init__"), None)
    made = Entry("exception" if is_fault else "class", name, signature(init) if init and not is_fault else "", ast.get_docstring(node) or "")
    if "NamedTuple" in [ast.unparse(base) for base in node.bases]:
        fields = [one.target.id for one in node.body if isinstance(one, ast.AnnAssign)]
        made.signature = f"({', '.join(fields)})"
    for member in members_of(module, node):
        made.members.append(member_entry(member, name, node))
    return made


def call_entry(module, node, name):
    """An object that is called as a function, and has methods."""
    call = next(one for one in methods(node) if one.name == "__call__")
    made = Entry("function", name, signature(call), ast.get_docstring(node) or "")
    made.members = [member_entry(one, name, node) for one in members_of(module, node)]
    return made


def members_of(module, node):
    """What a class defines for programs, and what it has from a base that is not public."""
    found, seen = [], set()
    public = Module(module.folder, "__init__").public()
    for base in node.bases:
        name = ast.unparse(base)
        where, above = module.find(name)
        if isinstance(above, ast.ClassDef) and name not in public:
            found += members_of(where, above)
    own = [one for one in node.body if isinstance(one, (ast.FunctionDef, ast.AnnAssign))]
    for one in own:
        name = one.name if isinstance(one, ast.FunctionDef) else one.target.id
        text = ast.get_docstring(one) if isinstance(one, ast.FunctionDef) else string_behind(node.body, one)
        is_special = name.startswith("_") and not (name.startswith("__") and text)
        if not text or is_special or name in INTERNAL or name in seen:
            continue
        seen.add(name)
        found = [other for other in found if getattr(other, "name", "") != name] + [one]
    return found


def member_entry(node, owner, parent):
    if isinstance(node, ast.AnnAssign):
        return Entry("attribute", f"{owner}.{node.target.id}", "", string_behind(parent.body, node))
    is_property = any(ast.unparse(one) == "property" for one in node.decorator_list)
    kind = "property" if is_property else "method"
    return Entry(kind, f"{owner}.{node.name}", "" if is_property else signature(node), ast.get_docstring(node))


def methods(node):
    return [one for one in node.body if isinstance(one, ast.FunctionDef)]


def signature(function):
    """The parameters without `self` and without types: the docstring says what they are."""
    arguments = ast.parse(ast.unparse(function)).body[0].args
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if one is not None:
            one.annotation = None
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments.args.pop(0)
    return f"({ast.unparse(arguments)})"


def string_behind(body, node):
    """The text that stands behind an attribute."""
    behind = body[body.index(node) + 1 :] if node in body else []
    is_text = behind and isinstance(behind[0], ast.Expr) and isinstance(behind[0].value, ast.Constant)
    return inspect.cleandoc(behind[0].value.value) if is_text and isinstance(behind[0].value.value, str) else ""


def sections(text):
    """{"": prose, "Parameters": ..., ...} of a docstring."""
    found, key, lines = {}, "", text.split("\n")
    for i, line in enumerate(lines):
        if line in SECTIONS and i + 1 < len(lines) and set(lines[i + 1]) == {"-"}:
            key = line
        elif not (key and set(line) == {"-"}):
            found.setdefault(key, []).append(line)
    return {name: "\n".join(part).strip("\n") for name, part in found.items()}


def entries(text):
    """(names, text) of a section whose entries begin at the margin."""
    for block in re.split(r"\n(?=\S)", text):
        names, _, said = block.partition("\n")
        yield names, inspect.cleandoc(said)
