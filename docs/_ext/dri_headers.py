"""Reads the public headers into declarations with their comments. dri_comments.py knows the format of the comments."""

import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

TOKEN = re.compile(r"/\*.*?\*/|^[ \t]*#[^\n]*|[{};,]|\n|[^\S\n]+|[^\s{};,/#]+|[/#]", re.DOTALL | re.MULTILINE)


@dataclass
class Declaration:
    """One thing that a header declares. kind is function, struct, enum, enumerator, member, var, macro or type."""

    kind: str
    name: str
    code: str  # as C, without DRI_API, comment, body and semicolon
    comment: str = ""  # plain text, indentation kept
    members: list = field(default_factory=list)

    def parameters(self):
        """The names of a function's parameters, in their order."""
        inside = self.code[self.code.index("(") + 1 : self.code.rindex(")")]
        return [] if inside == "void" else re.findall(r"(\w+)(?:\[\])?(?:,|$)", inside)


def folder_of(root):
    return Path(root) / "include" / "dri"


def read_header(path):
    """The comment at the head of the file, and the file's declarations in their order."""
    tokens = TOKEN.findall(path.read_text())
    head = plain(tokens[0]) if tokens[0].startswith("/*") else ""
    return head, Reader(tokens[1:]).declarations()


def read_all(root):
    """{file name: (comment, declarations)} of all public headers."""
    return {path.name: read_header(path) for path in sorted(folder_of(root).glob("*.h"))}


def each(declarations):
    """(declaration, the struct or enum that it belongs to or None) of all declarations and their members."""
    for declaration in declarations:
        if declaration.name:
            yield declaration, None
        for member in declaration.members:
            yield member, declaration


def plain(comment):
    """The text of a C comment without its stars."""
    first, *rest = comment[2:-2].split("\n")
    if rest and all(re.match(r"\s*(\*|$)", line) for line in rest):
        rest = [re.sub(r"^\s*\* ?", "", line) for line in rest]
    return "\n".join([first.strip(), *textwrap.dedent("\n".join(rest)).split("\n")]).strip()


class Reader:
    """Walks over the tokens of a header that clang-format has formatted."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0

    def declarations(self):
        found, comment, code, members = [], "", "", None
        while self.at < len(self.tokens):
            token = self.take()
            if token.startswith("/*"):
                comment, code = plain(token), ""
            elif token.lstrip().startswith("#"):
                macro = re.fullmatch(r'\s*#define (DRI_VERSION_\w+|DRI_\w+_VERSION) +(\d+|"[^"]*")', token)
                if macro:
                    found.append(Declaration("macro", macro[1], f"#define {macro[1]} {macro[2]}", comment))
            elif token == "{" and 'extern "C"' in code:
                code = ""
            elif token == "{":
                members = self.members("enum" if "enum" in code else "struct")
            elif token == "}":
                code = ""
            elif token == ";":
                new = declared(tidy(code), comment, members)
                if new and new[0].kind == "var" and not comment and found and found[-1].kind == "var":
                    for variable in new:
                        variable.comment = found[-1].comment
                found += new
                comment, code, members = "", "", None
            elif token == "\n" and code.endswith("\n") and not tidy(code):
                comment = ""  # an empty line parts a comment from what follows
            else:
                code += token
        return found

    def members(self, kind):
        """What stands between the braces of a struct or an enum; the opening one is taken."""
        found, above, code, last = [], "", "", []
        while True:
            token = self.take()
            if token.startswith("/*") and tidy(code) and "\n" not in code.lstrip():
                self.trail(kind, token, code, found)
                code = ""
            elif token.startswith("/*") and last and not tidy(code) and "\n" not in code:
                for member in last:
                    member.comment = plain(token)
            elif token.startswith("/*"):
                above, code = plain(token), ""
            elif token == "}" or token == (";" if kind == "struct" else ","):
                last = member_declarations(kind, tidy(code), above) if tidy(code) else []
                found += last
                if last:
                    above, code = "", ""
                if token == "}":
                    return found
            else:
                code += token

    def trail(self, kind, token, code, found):
        """A comment behind the last enumerator of an enum, which has no comma."""
        found += member_declarations(kind, tidy(code), plain(token))

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]


def tidy(code):
    return re.sub(r"\s+", " ", re.sub(r"\bDRI_API\b", "", code)).strip()


def member_declarations(kind, code, comment):
    if kind == "enum":
        return [Declaration("enumerator", code.split(" ")[0], code, comment)]
    return [Declaration("member", name, text, comment) for name, text in declarators(code)]


def declarators(code):
    """(name, declaration) of each name that one declaration declares."""
    pointer = re.search(r"\(\*(\w+)\)\(", code)
    if pointer:
        yield pointer[1], code
        return
    first, *others = code.split(", ") if "(" not in code else [code]
    base = first[: re.search(r"\w+(\[[^]]*\])*$", first).start()]
    for text in [first, *(base + other for other in others)]:
        yield re.search(r"(\w+)(\[[^]]*\])*$", text)[1], text


def declared(code, comment, members):
    """The declarations of one statement. members: what was between its braces, or None."""
    if not code:
        return []
    if members is not None:
        kind = "enum" if "enum" in code else "struct"
        words = [word for word in code.split(" ") if word.startswith("DRI_")]
        name = words[0] if words else ""
        if not name and len(members) == 1:
            members[0].comment = members[0].comment or comment
        return [Declaration(kind, name, f"{kind} {name}".strip(), comment, members)]
    if code.startswith("typedef"):
        return [Declaration("type", re.search(r"(DRI_\w+)", code)[1], code, comment)]
    if "(" in code:
        return [Declaration("function", re.search(r"(DRI_\w+)\(", code)[1], code, comment)]
    if re.fullmatch(r"struct \w+", code):
        return []  # declared here, defined elsewhere
    code = code.replace("extern ", "")
    return [Declaration("var", name, text, comment) for name, text in declarators(code)]


def environment(root):
    """The environment variables that the library reads: the names in src/base/env.cpp."""
    return re.findall(r'return "(DRI_\w+)"', (Path(root) / "src" / "base" / "env.cpp").read_text())
