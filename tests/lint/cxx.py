"""What the lints read out of C++ text: declarations, classes and their members. It knows the style of this project, not
all of C++. Macros and preprocessor lines are left out."""

import re
from dataclasses import dataclass, field

CLASS = re.compile(r"^(?:class|struct|union)\s+(?:alignas\s*\([^)]*\)\s*)?([\w:]+)")
NO_MEMBER = re.compile(r"(using|typedef|friend|static_assert|enum|class|struct|union|public|private|protected)\b")
CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass
class Declaration:
    """One declaration with all its bodies. head: its text up to the first body, or to the semicolon."""

    head: str
    first: int  # position of its first character
    last: int  # position of its last character
    body: tuple = None  # (start, end) of the text inside its first braces


@dataclass
class Class:
    name: str
    first: int
    last: int
    functions: list = field(default_factory=list)
    data: list = field(default_factory=list)


def readable(text):
    """Text without comments, contents of strings, and preprocessor lines. Positions stay."""
    text = re.sub(r"(?<=\w)'(?=\w)", "_", text)  # digits are separated by quotes
    token = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
    text = re.sub(token, lambda m: blank(m.group()) if m.group()[0] == "/" else "0" * len(m.group()), text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: blank(m.group()), text, flags=re.M)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def after_bracket(text, start):
    """The position behind the bracket that closes the one at `start`."""
    depth = 0
    for found in re.compile(r"[()\[\]{}]").finditer(text, start):
        depth += 1 if found.group() in CLOSING else -1
        if depth == 0:
            return found.end()
    return len(text)


def declarations(text, start=0, end=None):
    """The declarations between two positions, without those inside their braces."""
    end = len(text) if end is None else end
    first, head_end, body, at = None, None, None, start
    while at < end:
        c = text[at]
        if first is None and (c.isspace() or c == ";"):
            at += 1
            continue
        label = re.compile(r"(?:public|private|protected)\s*:(?!:)").match(text, at) if first is None else None
        if label:
            yield Declaration(label.group(), at, label.end() - 1)
            at = label.end()
            continue
        first = at if first is None else first
        if c in "([":
            at = after_bracket(text, at)
            continue
        if c == "{":
            behind = after_bracket(text, at)
            if body is None:
                head_end, body = at, (at + 1, behind - 1)
            at = behind
            # An initialiser goes on, and so does a constructor behind the braces of a member.
            if not re.compile(r"\s*[;,={)(]").match(text, at) or text[first:].startswith("namespace"):
                yield Declaration(text[first:head_end], first, at - 1, body)
                first = body = None
            continue
        at += 1
        if c == ";" or at == end:
            yield Declaration(text[first : head_end if body else at - 1], first, at - 1, body)
            first = body = None


def scopes(text, start=0, end=None, namespace=()):
    """Pairs of a namespace (a tuple of names, "" if it has none) and a declaration in it that is no namespace."""
    for found in declarations(text, start, end):
        opened = re.match(r"(?:inline\s+)?namespace\b\s*([^={]*)", found.head)
        if opened and found.body:
            inner = tuple(opened.group(1).split("::")) if opened.group(1).strip() else ("",)
            yield from scopes(text, *found.body, namespace + tuple(name.strip() for name in inner))
        elif re.match(r"extern\s+0", found.head) and found.body and "(" not in found.head:
            yield from scopes(text, *found.body, namespace + ('extern "C"',))
        else:
            yield namespace, found


def plain(head):
    """A declaration's head without what stands before a template, attributes, and template arguments."""
    head = re.sub(r"\[\[.*?\]\]|alignas\s*\([^)]*\)", "", head, flags=re.S).strip()
    head = re.sub(r"\boperator\s*(?:\(\s*\)|[^\s\w(]+)", "operator_symbol", head)
    before = None
    while before != head:
        before, head = head, re.sub(r"(?<![<-])<(?![<=])[^<>]*>", "", head.replace("->", "  "))
    head = re.sub(r"^template\s*", "", head)
    if head.startswith("requires"):
        head = head[after_bracket(head, head.index("(")) :] if "(" in head else head
    return head.strip()


def classes(text, start=0, end=None, outer=""):
    """All classes with a body, also those in classes and namespaces."""
    for _, found in scopes(text, start, end):
        named = CLASS.match(plain(found.head))
        if not named or not found.body:
            continue
        read = Class(outer + named.group(1), found.first, found.last)
        for member in declarations(text, *found.body):
            add_member(read, member, text)
        yield read
        yield from classes(text, *found.body, read.name + "::")


def add_member(to, member, text):
    head = plain(member.head)
    if not head or NO_MEMBER.match(head):
        return
    whole = plain(text[member.first : member.last + 1])
    if re.search(r"\)[^()]*=\s*(delete|default)\s*;$", whole):
        return
    pointer = re.match(r"[^()=]*\(\s*[\w:]*\*\s*(?:const\s*)?(\w+)\s*\)", head)
    function = re.match(r"[^=]*?(~?\w+)\s*\(", head)
    if pointer:
        to.data.append(pointer.group(1))
    elif function:
        to.functions.append(function.group(1))
    else:
        to.data += data_names(whole)


def data_names(declaration):
    """`int a = 0, b{1};` -> a, b"""
    names, depth, part = [], 0, ""
    for c in declaration.rstrip(";") + ",":
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            name = re.match(r"[^=({\[:]*(?:::[^=({\[:]*)*", part).group()
            words = re.findall(r"\w+", name)
            names += words[-1:]
            part = ""
        else:
            part += c
    return names


def member_definitions(text):
    """Pairs of a class and the declaration of a member that is defined outside its body."""
    for _, found in scopes(text):
        head = plain(found.head)
        named = re.match(r"[^=({]*?((?:\w+::)+)(?:~?\w+)\s*\(", head)
        if found.body and named and not CLASS.match(head):
            yield named.group(1)[:-2], found


def lines(text, found):
    return text.count("\n", found.first, found.last) + 1
