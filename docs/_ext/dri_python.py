"""The reference of the Python package.

    .. dri-python:: Array dap.fault ...     the entries of these names, in this order

In prose, `dri.Array` in backticks becomes a link to its entry.
"""

import re
import textwrap

from docutils import nodes
from sphinx import addnodes

from dri_docstrings import INLINE, LABEL, entries, folder_of, public_names, read_entry, sections
from dri_links import PARENTS, link
from dri_site import ROOT, RstDirective, parents

DIRECTIVES = {"property": "py:property", "method": "py:method", "attribute": "py:attribute", "function": "py:function",
              "class": "py:class", "exception": "py:exception"}  # fmt: skip


class Names:
    """All names that have an entry."""

    def __init__(self):
        self.entries = {name: read_entry(ROOT, name) for name in public_names(ROOT)}
        self.known = set(self.entries) | {one.name for entry in self.entries.values() for one in entry.members}

    def inline(self, text, owner):
        """A line of a docstring as reStructuredText."""

        def marked(match):
            found = match.group()
            if found.startswith("``"):
                return found
            if found.startswith(":"):
                name = found.split("`")[1].lstrip("~")
                inside = owner.rpartition(".")[0]
                for full in (name.removeprefix("dri."), f"{inside}.{name}"):
                    if full in self.known:
                        return f":py:obj:`{name} <dri.{full}>`"
                return f"``{name}``"
            return "\\" + found if len(found) == 1 else f"``{found}``"

        return INLINE.sub(marked, text)

    def blocks(self, text, owner):
        done = []
        for block in re.split(r"\n\s*\n", text):
            done.append(block if block.startswith((">>>", "    ")) else self.inline(" ".join(block.split()), owner))
        return "\n\n".join(done)

    def body(self, entry):
        parts = sections(entry.text)
        prose = parts.get("", "")
        label = LABEL.search(prose)
        badge = ""
        if label:
            badge = f":{'local' if label[1] == 'Local' else 'collective'}:`{' '.join(label[1].split())}`"
            prose = (prose[: label.start()] + ("\n" if "\n" in label.group() else " ") + prose[label.end() :]).strip()
        first, _, rest = prose.partition("\n\n")
        said = [self.blocks(first, entry.name), badge, self.blocks(rest, entry.name)]
        fields = {
            "Parameters": self.table(parts.get("Parameters", ""), entry.name),
            "Returns": self.blocks(parts.get("Returns", ""), entry.name),
            "Errors": self.table(parts.get("Raises", ""), entry.name, links=True),
        }
        said.append("\n".join(f":{name}:\n{textwrap.indent(text, '    ')}\n" for name, text in fields.items() if text))
        said.append(parts.get("Examples", ""))
        return "\n\n".join(part for part in said if part.strip())

    def table(self, text, owner, links=False):
        if not text.strip():
            return ""
        rows = []
        for names, said in entries(text):
            listed = [self.inline(f":class:`{name}`", owner) if links else f"``{name}``" for name in names.split(", ")]
            told = textwrap.indent(self.blocks(said, owner), "    ").strip()
            rows.append(f"* - {', '.join(listed)}\n  - {told}")
        table = textwrap.indent("\n".join(rows), "   ")
        return f".. list-table::\n   :class: parameters\n   :widths: auto\n\n{table}"

    def rst(self, entry, module="dri"):
        module, _, name = f"dri.{entry.name}".rpartition(".")
        lines = [f".. {DIRECTIVES[entry.kind]}:: {name}{entry.signature}", f"   :module: {module}", ""]
        lines.append(textwrap.indent(self.body(entry), "   "))
        for member in entry.members:
            own = entry.name.rpartition(".")[2] + "." + member.name.rpartition(".")[2]
            kind = "py:function" if entry.kind == "function" else DIRECTIVES[member.kind]
            lines += ["", f"   .. {kind}:: {own}{member.signature}", f"      :module: {module}", ""]
            lines.append(textwrap.indent(self.body(member), "      "))
        return "\n".join(lines) + "\n"


NAMES = Names()


class Entries(RstDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def rst(self):
        for path in sorted(folder_of(ROOT).glob("*.py")):
            self.state.document.settings.env.note_dependency(str(path))
        return "\n".join(NAMES.rst(NAMES.entries[name]) for name in self.arguments[0].split())


def link_names(app, doctree):
    """Links inline code such as `dri.Array` or `dri.redistribute(x, d)` to its entry."""
    for literal in list(doctree.findall(nodes.literal)):
        name = re.fullmatch(r"dri\.([A-Za-z_][\w.]*)(\(.*\))?", literal.astext())
        ancestors = (*PARENTS, addnodes.desc_signature)
        if not name or name[1] not in NAMES.known or any(isinstance(one, ancestors) for one in parents(literal)):
            continue
        link(literal, app, "py", "obj", f"dri.{name[1]}")


def setup(app):
    app.add_directive("dri-python", Entries)
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
