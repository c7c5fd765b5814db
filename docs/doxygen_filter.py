#!/usr/bin/env python3
"""Doxygen's input filter: prints a public header as Doxygen and Breathe understand it.

usage: doxygen_filter.py HEADER

The headers have plain comments with labels (docs/_ext/dri_comments.py). The filter prints the same declarations without
DRI_API, and each comment as reStructuredText in a comment of Doxygen.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from dri_comments import Names
from dri_headers import environment, read_all  # noqa: E402

HANDLE = "A handle. A zero-initialised handle is the null handle. Copies name the same object."
NUMBER = "0 in the null handle."


def comment(text):
    return f"/**\n\\verbatim embed:rst\n{text}\n\\endverbatim\n*/\n"


def member(names, declaration, owner):
    text = names.member(declaration) or (NUMBER if declaration.name == "id" else "")
    return (comment(text) if text else "") + declaration.code + ("," if owner.kind == "enum" else ";")


def printed(names, declaration):
    if declaration.kind == "function":
        return comment(names.function(declaration)) + declaration.code + ";"
    if declaration.kind not in ("struct", "enum"):
        return comment(names.blocks(declaration.comment)) + declaration.code + ";" * (declaration.kind != "macro")
    text = names.blocks(declaration.comment)
    if [member.name for member in declaration.members] == ["id"]:
        text = text or HANDLE
    members = "\n".join(member(names, one, declaration) for one in declaration.members)
    return f"{comment(text) if text else ''}{declaration.code} {{\n{members}\n}};"


def main(path):
    root = path.resolve().parent.parent.parent
    headers = read_all(root)
    names = Names(headers, environment(root))
    head, declarations = headers[path.name]
    print(f"/** \\file\n{comment(names.blocks(head))[3:]}")
    print("\n\n".join(printed(names, declaration) for declaration in declarations))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
