"""What the site adds to Sphinx and Breathe.

Directives, for the pages of docs/reference:

    .. dri-header:: stream.h     the comment at the head of a header, and a table of its functions
    .. dri:: DRI_acquire ...     the entries of these names, in this order
    .. dri-functions::           a table of all functions

Roles `local` and `collective`: the label of a function. In prose, `DRI_do` in backticks becomes a link to its entry.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util import docname_join
from sphinx.util.nodes import make_refnode, nested_parse_with_titles

from dri_comments import Names
from dri_headers import each, environment, folder_of, read_all

ROOT = Path(__file__).resolve().parent.parent.parent
HEADERS = read_all(ROOT)
NAMES = Names(HEADERS, environment(ROOT))

# Breathe's directive for each kind of declaration.
BREATHE = {
    "function": "doxygenfunction",
    "struct": "doxygenstruct",
    "enum": "doxygenenum",
    "enumerator": "doxygenenumvalue",
    "var": "doxygenvariable",
    "macro": "doxygendefine",
    "type": "doxygentypedef",
}


class RstDirective(Directive):
    """A directive that stands for some reStructuredText."""

    def run(self):
        self.state.document.settings.env.note_dependency(__file__)
        for name in HEADERS:
            self.state.document.settings.env.note_dependency(str(folder_of(ROOT) / name))
        node = nodes.container()
        node.document = self.state.document
        lines = StringList(self.rst().split("\n"), source="dri_site")
        nested_parse_with_titles(self.state, lines, node)
        return list(self.finished(node).children)

    def finished(self, node):
        return node


class Header(RstDirective):
    required_arguments = 1

    def rst(self):
        name = self.arguments[0]
        text, declarations = HEADERS[name]
        functions = [one for one in declarations if one.kind == "function"]
        table = function_table(functions) if functions else ""
        return f"``#include <dri/{name}>``\n\n{NAMES.blocks(text.removeprefix(self.title()))}\n\n{table}"

    def title(self):
        """The page's title as a sentence, which many headers begin with."""
        env = self.state.document.settings.env
        return Path(env.doc2path(env.docname)).read_text().partition("\n")[0].lstrip("# ") + "."


class Entries(RstDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def rst(self):
        kinds = {one.name: one.kind for _, declared in HEADERS.values() for one, _ in each(declared)}
        lines = []
        for name in self.arguments[0].split():
            lines.append(f".. {BREATHE[kinds[name]]}:: {name}")
            if kinds[name] == "struct":
                lines.append("   :members:")
            lines.append("")
        return "\n".join(lines)

    def finished(self, node):
        clean(node)
        for child in list(node.findall(addnodes.desc)):
            merge_equal(child.parent)
        for entry in node.children:
            for signature in entry.children if isinstance(entry, addnodes.desc) else ():
                if isinstance(signature, addnodes.desc_signature):
                    note_contents(signature)
        return node


class Functions(RstDirective):
    def rst(self):
        functions = [one for _, declared in HEADERS.values() for one in declared if one.kind == "function"]
        return function_table(sorted(functions, key=lambda one: one.name.lower()))


def function_table(functions):
    rows = "\n".join(f"   * - :c:func:`{one.name}`\n     - {brief(one)}" for one in functions)
    return f".. list-table::\n   :class: functions\n   :widths: auto\n\n{rows}"


def brief(function):
    """The first sentence of a function's comment."""
    text = " ".join(function.comment.partition("\n\n")[0].split())
    first = text.partition(". ")[0].rstrip(".")
    return NAMES.inline(first) + "."


def clean(node):
    """Takes away Breathe's headings of fields and values, and its paragraphs around paragraphs."""
    for heading in [*node.findall(nodes.rubric), *node.findall(nodes.paragraph)]:
        if heading.astext() in ("Public Members", "Values:"):
            heading.parent.remove(heading)
    for outer in list(node.findall(nodes.paragraph)):
        blocks = [child for child in outer if isinstance(child, nodes.Body) and not isinstance(child, nodes.Inline)]
        if blocks:
            outer.replace_self(blocks)


def note_contents(signature):
    """Puts an entry into the page's table of contents."""
    name = next(signature.findall(addnodes.desc_name)).astext()
    signature["_toc_name"] = name
    signature["_toc_parts"] = (name,)


def merge_equal(parent):
    """Neighbours with the same text become one entry with several signatures, as `int64_t left, right`."""
    last = None
    for child in list(parent.children):
        if isinstance(child, addnodes.desc) and isinstance(last, addnodes.desc):
            text = child.children[-1].astext()
            if text and text == last.children[-1].astext() and child["objtype"] == last["objtype"]:
                for signature in child.children[:-1]:
                    last.insert(len(last.children) - 1, signature)
                parent.remove(child)
                continue
        if not isinstance(child, addnodes.index):
            last = child


def link_names(app, doctree):
    """Links inline code that is a public name, an environment variable or a header to its entry."""
    pages = {f"dri/{name}": f"/reference/{Path(name).stem}" for name in HEADERS if name != "dri.h"}
    for literal in list(doctree.findall(nodes.literal)):
        text = re.sub(r"^(DRI_\w+)\(.*\)$", r"\1", literal.astext())
        ancestors = (nodes.title, nodes.reference, addnodes.pending_xref, addnodes.desc_signature)
        if any(isinstance(parent, ancestors) for parent in parents(literal)):
            continue
        if text in NAMES.roles:
            domain, _, kind = NAMES.roles[text].rpartition(":")
            literal.replace_self(cross_reference(app, literal, domain or "std", kind, text))
        elif text.strip("<>") in pages:
            literal.replace_self(cross_reference(app, literal, "std", "doc", pages[text.strip("<>")]))


def cross_reference(app, literal, domain, kind, target):
    link = addnodes.pending_xref(
        "", refdomain=domain, reftype=kind, reftarget=target, refexplicit=True, refwarn=True, refdoc=app.env.docname
    )
    link += literal.deepcopy()
    return link


def resolve_label(app, env, node, contnode):
    """Markdown's links to a label, `page.md#label` and `#label`, where `(label)=` stands above the target."""
    path, _, label = node.get("reftarget", "").partition("#")
    page, target = env.get_domain("std").anonlabels.get(label, (None, None))
    wanted = docname_join(node["refdoc"], path.removesuffix(".md")) if path else node.get("refdoc")
    if node["reftype"] != "any" or not page or page != wanted:
        return None
    return make_refnode(app.builder, node["refdoc"], page, target, contnode)


def parents(node):
    while node.parent is not None:
        node = node.parent
        yield node


def badge(kind):
    def role(name, raw, text, line, inliner, options=None, content=None):
        return [nodes.inline(raw, text, classes=["badge", kind])], []

    return role


def setup(app):
    for kind in ("local", "collective"):
        app.add_role(kind, badge(kind))
    app.add_directive("dri-header", Header)
    app.add_directive("dri", Entries)
    app.add_directive("dri-functions", Functions)
    app.connect("doctree-read", link_names)
    app.connect("missing-reference", resolve_label)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
