"""Shows the programs of examples/, whole and without their markers.

The directive `dri-programs` shows all programs of examples/manual/, examples/cpp/ and examples/python/, and the C programs
of examples/. In prose, the path of one in backticks becomes a link to it.

A program marks the fragments that pages include: `/* [name] */` above and `/* [/name] */` below. The markers mean
nothing to a reader, so the lines that hold nothing else are taken out of every block of code that a page shows.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from dri_links import PARENTS, link

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = ("*.c", "cpp/*.cpp", "python/*.py", "python/foreign_producer/*.py", "manual/*.c")
LANGUAGES = {".cpp": "cpp", ".py": "python"}
PROGRAMS = [path for files in FILES for path in sorted((ROOT / "examples").glob(files)) if path.stem != "__init__"]
PATHS = {path.relative_to(ROOT).as_posix(): path for path in PROGRAMS}
MARKER = re.compile(r"^[ \t]*/\* \[/?[a-z][a-z0-9-]*\] \*/[ \t]*(?:\n|\Z)", re.MULTILINE)


def without_markers(text):
    """The text without its marker lines. Of two empty lines that then meet, one goes, too."""
    if not MARKER.search(text):
        return text
    return re.sub(r"\n{3,}", "\n\n", MARKER.sub("", text))


def take_markers_out(app, doctree):
    for block in doctree.findall(nodes.literal_block):
        text = without_markers(block.astext())
        if text != block.astext():
            block.rawsource = text  # Sphinx colours only a block whose source is its text
            block.children = []
            block += nodes.Text(text)


def label_of(name):
    return "program-" + re.sub(r"\W+", "-", name.removeprefix("examples/").removesuffix(".c")).replace("_", "-")


class Programs(Directive):
    """A section for each program: its name, and its text."""

    def run(self):
        env = self.state.document.settings.env
        sections = []
        for name, path in PATHS.items():
            env.note_dependency(str(path))
            label = label_of(name)
            section = nodes.section(ids=[label], names=[name])
            section += nodes.title("", "", nodes.literal("", path.name))
            text = without_markers(path.read_text())
            section += nodes.literal_block(text, text, language=LANGUAGES.get(path.suffix, "c"))
            self.state.document.note_explicit_target(section)
            env.get_domain("std").note_hyperlink_target(label, env.docname, label, name)
            sections.append(section)
        return sections


def link_programs(app, doctree):
    """Links inline code that is the path of a program to the program."""
    for literal in list(doctree.findall(nodes.literal)):
        name = literal.astext()
        if name not in PATHS or isinstance(literal.parent, PARENTS):
            continue
        link(literal, app, "std", "ref", label_of(name))


def setup(app):
    app.add_directive("dri-programs", Programs)
    app.connect("doctree-read", take_markers_out)
    app.connect("doctree-read", link_programs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
