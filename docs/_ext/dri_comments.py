"""Turns the comments of the public headers into reStructuredText.

A comment stands directly above its declaration, or behind an enumerator or a field. The comment of a function has:

- a first paragraph that says what the function does; its first sentence stands in the tables of functions;
- the label, `Local.` or `Collective over ...; synchronising.`, with further sentences behind it;
- `name: text` for a parameter, `name, other: text` for several; the next lines are indented;
- `Cost: ...`, `Errors: ...` with one entry for each code and a semicolon between, and `Source: ...` at the end;
- `Returns ...` in place of errors for a function that returns no code.

All other paragraphs are prose, and lines that begin with `- ` are lists. Names of the library, `deviation 13`,
`dri/xfer.h` and `docs/howto/types.md` become links. Words with an underscore, NULL, and what is in backticks become
code.
"""

import re
import textwrap

from dri_headers import each

ROLES = {
    "function": "c:func",
    "struct": "c:struct",
    "enum": "c:enum",
    "enumerator": "c:enumerator",
    "var": "c:var",
    "macro": "c:macro",
    "type": "c:type",
    "variable": "envvar",
}

# What the prose of a comment marks or links. Names with an underscore, such as `left_x`, are code.
INLINE = re.compile(
    r"""`[^`]+`
    | \bdocs/[\w/]+\.md\b | \bdri/\w+\.h\b
    | \b[Dd]eviations?\ \d+(?:(?:,\ |\ and\ |,\ and\ )\d+)*
    | \bDRI_\w*\* | \bDRI_\w*[A-Za-z0-9]\b | \bNULL\b
    | \b[a-z]+(?:_[a-z0-9]+)+\b(?:\[[^]]*\]|\([^)]*\))?
    | [*`|\\] | _\b""",
    re.VERBOSE,
)

# What may stand directly before and behind a link or a literal; "" is the text's edge.
OPENING, CLOSING = ("", *" -:/'\"<([{"), ("", *" -.,:;!?/'\")]}>")
ERRORS = re.compile(r"[;,.]\s+(?=DRI_ERR_|DRI_END_)")


class Names:
    """All names that comments may link to: {name: the role of its link}."""

    def __init__(self, headers, environment):
        self.roles = {name: ROLES["variable"] for name in environment}
        for _, declarations in headers.values():
            for declaration, owner in each(declarations):
                if declaration.kind != "member":
                    self.roles[declaration.name] = ROLES[declaration.kind]

    def inline(self, text, own=""):
        """A line of prose as reStructuredText. own: the name that the text itself describes."""

        def marked(match):
            found = match.group()
            name = found.split("(")[0]
            if found in "*`|\\" or found == "_":
                return "\\" + found
            if re.fullmatch(r"DRI_\w+", name) and name != own:
                # Sphinx complains about a name that does not exist, whatever its role.
                done = f":{self.roles.get(name, ROLES['function'])}:`{name}`"
            elif re.match(r"[Dd]eviation", found):
                done = re.sub(r"(?:[Dd]eviation )?(?<!\d)(\d+)", r":ref:`\g<0> <deviation-\1>`", found)
            elif found.startswith("docs/"):
                done = f":doc:`/{found[len('docs/'):-len('.md')]}`"
            elif found.startswith("dri/"):
                done = f":doc:`{found} </reference/{found[4:-2]}>`"
            else:
                done = f"``{found.strip('`')}``"
            before, after = text[: match.start()][-1:], text[match.end() :][:1]
            return ("" if before in OPENING else "\\ ") + done + ("" if after in CLOSING else "\\ ")

        return INLINE.sub(marked, text)

    def blocks(self, text, own=""):
        """Paragraphs, lists and indented code as reStructuredText."""
        done = []
        for block in re.split(r"\n\s*\n", text.strip("\n")):
            lines = block.split("\n")
            if all(line.startswith("    ") for line in lines):
                done.append("::\n\n" + block)
                continue
            items = re.split(r"\n(?=- )", textwrap.dedent(block))
            prose = [joined(item) for item in items]
            done += [self.inline(item, own) for item in prose if not item.startswith("- ")][:1]
            done.append("\n".join(self.inline(item, own) for item in prose if item.startswith("- ")))
        return "\n\n".join(block for block in done if block)

    def function(self, declaration):
        """The comment of a function: brief, label, prose, and fields for parameters, cost, errors and source."""
        brief, _, rest = declaration.comment.partition("\n\n")
        sections = list(self.sections(declaration, rest))
        prose = [text for key, text in sections if not key]
        label = next((text for text in prose if re.match(r"(Local|Collective over)\b", text)), None)
        lines = [self.blocks(brief, declaration.name)]
        if label:
            prose.remove(label)
            lines.append(self.label(label, declaration.name))
        lines += [self.blocks(text, declaration.name) for text in prose]
        texts = {}
        for key, text in sections:
            texts[key] = "\n\n".join([*filter(None, [texts.get(key)]), text])
        return "\n\n".join([*lines, self.fields(declaration, texts)]) + "\n"

    def fields(self, declaration, texts):
        """The field list of a function. texts: {name of a parameter, "returns", "Cost", ...: text}."""
        own = declaration.name
        fields = {
            "Parameters": self.parameters(declaration, texts),
            "Returns": self.blocks(texts.get("returns", ""), own),
            "Cost": self.blocks(texts.get("Cost", ""), own),
            "Errors": self.errors(texts.get("Errors", ""), own),
            "Source": self.blocks(texts.get("Source", ""), own),
        }
        return "\n".join(f":{name}:\n{textwrap.indent(text, '    ')}\n" for name, text in fields.items() if text)

    def parameters(self, declaration, texts):
        rows = [
            f"* - {', '.join(f'``{name}``' for name in names)}\n"
            + textwrap.indent(f"- {textwrap.indent(self.blocks(text, declaration.name), '  ')[2:]}", "  ")
            for names, text in described(declaration.parameters(), texts)
        ]
        table = textwrap.indent("\n".join(rows), "   ")
        return f".. list-table::\n   :class: parameters\n   :widths: auto\n\n{table}" if rows else ""

    def errors(self, text, own):
        """A list with one entry for each code that the text begins an error with."""
        entries = [self.inline(entry.rstrip(".;"), own) for entry in ERRORS.split(joined(text))]
        return "\n".join(f"- {entry}" for entry in entries) if len(entries) > 1 else entries[0]

    def sections(self, declaration, text):
        """(key, text) in their order; no key is prose. A parameter's key is its name."""
        parameters = declaration.parameters()
        keys = "|".join(map(re.escape, [*parameters, "Cost", "Errors", "Source"]))
        start = re.compile(rf"((?:{keys})(?:, (?:{keys}))*): |Returns? (?=[a-zA-Z])")
        source = text.rfind("\nSource: ")
        key, held = "", []
        at = 0
        for line in text.split("\n"):
            begin, at = at, at + len(line) + 1
            found = start.match(line)
            if found and found[1] == "Source" and begin != source + 1:
                found = None
            ends_prose = not line.strip() or (key and not line.startswith(" "))
            if found or ends_prose:
                if any(held):
                    yield from split(key, held, parameters)
                key, held = ("", []) if not found else (found[1] or "returns", [])
                line = line[found.end() :] if found else line
                if found and key == "returns":
                    line = line[:1].upper() + line[1:]
            held.append(line)
        if any(held):
            yield from split(key, held, parameters)

    def label(self, text, own):
        match = re.match(r"(Local|Collective over [^.;]+(?:; (?:not )?synchronising)?)[.;]?\s*(.*)", text, re.DOTALL)
        rest = match[2][:1].upper() + match[2][1:]
        kind = "local" if match[1] == "Local" else "collective"
        return f":{kind}:`{match[1]}` {self.blocks(rest, own)}".strip()

    def member(self, declaration):
        text = declaration.comment
        return self.blocks(text[:1].upper() + text[1:] if re.match(r"[a-z]+([ ,;:.]|$)", text) else text)


def described(parameters, texts):
    """(names, text) of the parameters that have a text, in their order; neighbours of one text together."""
    found = []
    for name in parameters:
        if found and texts.get(name) == found[-1][1]:
            found[-1][0].append(name)
        elif name in texts:
            found.append(([name], texts[name]))
    return found


def split(key, lines, parameters):
    """(name, text) of one section. A line may describe two parameters: `index: global; local: capacity for ...`."""
    text = (lines[0] + "\n" + textwrap.dedent("\n".join(lines[1:]))).strip("\n")
    names = [name for name in key.split(", ") if name in parameters]
    if not names:
        yield key, text
        return
    parts = re.split(rf"[;.] +({'|'.join(map(re.escape, parameters))}): ", text)
    yield from ((name, parts[0]) for name in names)
    yield from zip(parts[1::2], parts[2::2])


def joined(text):
    return re.sub(r"\s*\n\s*", " ", text.strip())
