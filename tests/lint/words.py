#!/usr/bin/env python3
"""The public headers are written in short sentences and plain words. usage: words.py ROOT | --self-test | --show ROOT

(1) In each header of include/dri nine of ten sentences have at most 25 words, hence in all of them together. A sentence
is text of a comment up to a full stop, question mark or exclamation mark before a space, or up to a colon before a
capital letter. A blank line, a bullet, a label and the name of a parameter start a new one; the label and the name do
not count. Each entry of an Errors list is a sentence of its own, without its codes. Sources and fragments of fewer than
five words do not count.
(2) No file of FOLDERS has one of the phrases of IDIOMS.
(3) Each attribute (enumerator of DRI_Attr) has a comment of its own directly above it, of at most eight lines.
--show prints the number of sentences and their lengths for each header.
"""

import re
import sys
from pathlib import Path

from sources import SUFFIXES, main

LONGEST_SENTENCE = 25
OF_TEN = 9
SHORTEST_SENTENCE = 5
LONGEST_COMMENT = 8
FOLDERS = {  # folders, or single files, and the suffixes of their files
    **{folder: (*SUFFIXES, ".txt", ".md") for folder in ("include", "src", "examples", "bench", "tests")},
    "dri": (*SUFFIXES, ".py", ".pyi"),
    "cmake": (".cmake", ".in", ".map"),
    "docs": (".md", ".py"),
    "scripts": (".sh", ".py"),
    **{name: (".md", ".txt") for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakeLists.txt")},
}
IDIOMS = [
    (r"\bas of (DRI_|in |above|that |the )", "as in, that of, starting from"),
    (r"(^|[.;:] )Who [a-z]+s\b(?!.*\?)", "whoever, a process that"),
    (r"\bbut for\b", "except"),
    (r"\b(at (its|the)|its) begin\b", "start"),
    (r"\b(has|have|no) room\b", "has capacity, has space"),
    (r"\broom for\b", "capacity for, memory for"),
    (r"\b[Gg]ives? up an? .*\bhandle\b", "destroys"),
    (r"\blives? on\b(?! (a|an|one|the|each) )", "stays valid"),
    (r"\bhears? of\b|\bhas heard\b", "receives, learns of"),
    (r"\bby turns\b", "alternately, round-robin"),
]


def comments_of(text):
    """Each comment of a header as its lines without stars, with the number of its first line."""
    for found in re.finditer(r"/\*(.*?)\*/", text, re.DOTALL):
        lines = [re.sub(r"^\s*\* ?", "", line) if i else line for i, line in enumerate(found.group(1).split("\n"))]
        yield text.count("\n", 0, found.start()) + 1, [line.rstrip() for line in lines]


def entries_of(lines):
    """The label of each paragraph, bullet, parameter or labelled entry, and its text in one line."""
    label, words = "", []
    for line in [*lines, ""]:
        found = re.match(r"\s*(Errors|Cost|Source): |([a-z_]\w*(?:, [a-z_]\w*)*): |(?:- )", line)
        starts_code = label == "Errors" and re.match(r"\s+DRI_", line)
        if words and (not line.strip() or found or starts_code):
            yield label, " ".join(words)
            words = []
        if not line.strip() or (re.match(r"\S", line) and not found):
            label = ""
        if found:
            label = found.group(1) or ""
            line = line[found.end() :]
        if line.strip():
            words.append(line.strip())


def sentences_of(text):
    """Pairs of a line's number and a sentence."""
    for line, lines in comments_of(text):
        for label, entry in entries_of(lines):
            if label == "Source":
                continue
            parts = re.split(r"; (?=DRI_E)", entry) if label == "Errors" else [entry]
            for part in parts:
                if label == "Errors":
                    part = re.sub(r"DRI_(ERR_\w+|END_OF_STREAM)\b,?", "", part)
                for sentence in re.split(r"(?<=[.?!])\s+|:\s+(?=[A-Z][a-z])", part):
                    if length(sentence) >= SHORTEST_SENTENCE:
                        yield line, sentence


def length(sentence):
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def check_sentences(root):
    for path in sorted((root / "include" / "dri").glob("*.h")):
        sentences = list(sentences_of(path.read_text()))
        longer = [(line, sentence) for line, sentence in sentences if length(sentence) > LONGEST_SENTENCE]
        if len(longer) * 10 <= len(sentences) * (10 - OF_TEN):
            continue
        where = path.relative_to(root)
        yield f"{where}: {len(longer)} of {len(sentences)} sentences have more than {LONGEST_SENTENCE} words"
        for line, sentence in longer:
            yield f"{where}, comment of line {line}, {length(sentence)} words: {sentence}"


def check_idioms(root):
    for folder, suffixes in FOLDERS.items():
        place = root / folder
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix not in suffixes or not path.is_file():
                continue
            for i, line in enumerate(path.read_text().split("\n")):
                plain = re.sub(r"^\s*(//|/?\*+|#)?\s*", "", line)
                for idiom, better in IDIOMS:
                    if found := re.search(idiom, plain):
                        yield f"{path.relative_to(root)}:{i + 1}: '{found.group()}': say {better}"


def check_attributes(root):
    path = root / "include" / "dri" / "attributes.h"
    text = path.read_text() if path.exists() else ""
    found = re.search(r"typedef enum DRI_Attr \{\n(.*?)\n\} DRI_Attr;", text, re.DOTALL)
    comment = []
    for line in found.group(1).split("\n") if found else []:
        name = re.match(r"\s*(DRI_\w+)", line)
        if not name:
            comment = [] if not line.strip() else [line] if "/*" in line else [*comment, line]
            continue
        where = f"{path.relative_to(root)}: {name.group(1)}"
        words = [one for one in comment if re.search(r"\w", one)]
        if not comment or not comment[-1].endswith("*/"):
            yield f"{where} has no comment directly above"
        if len(words) > LONGEST_COMMENT:
            yield f"{where} has {len(words)} lines of comment, {LONGEST_COMMENT} at most"
        if "/*" in line:
            yield f"{where} has a comment behind it"
        comment = []


def lint(root):
    yield from check_sentences(root)
    yield from check_idioms(root)
    yield from check_attributes(root)


def show(root):
    together = []
    for path in sorted((root / "include" / "dri").glob("*.h")):
        together += (lengths := sorted(length(s) for _, s in sentences_of(path.read_text())))
        print_lengths(path.name, lengths)
    print_lengths("all", sorted(together))
    return 0


def print_lengths(name, lengths):
    half, ninth = (lengths[len(lengths) * p // 100] if lengths else 0 for p in (50, 90))
    longer = sum(1 for n in lengths if n > LONGEST_SENTENCE)
    print(f"{name:12} {len(lengths):4} sentences, median {half} words, 90th percentile {ninth}, {longer} too long")


SHORT = "/* Twenty-five words are enough here. */\n" * 9
LONG = "/* " + "word " * 26 + ". */\n"
ATTRIBUTES = """typedef enum DRI_Attr {
    /* One. */
    DRI_ATTR_A = 1,
    /*
     * Two.
     */
    DRI_ATTR_B = 2
} DRI_Attr;
"""
WORDS = "word " * 20
LABELS = f"""/*
 * Errors: DRI_ERR_ARG for {WORDS};
 *         DRI_ERR_STATE for {WORDS}.
 * Source: {WORDS * 2}
 */
"""
GOOD = {"include/dri/a.h": SHORT + LONG, "include/dri/b.h": LABELS, "include/dri/attributes.h": ATTRIBUTES}
BAD = [
    ("include/dri/a.h", SHORT + LONG * 2, "a.h: 2 of 11 sentences"),
    ("include/dri/c.h", "/* " + ("word " * 24 + "word. ") * 8 + "*/\n" + LONG, "c.h: 1 of 9 sentences"),
    ("include/dri/b.h", LABELS.replace(";\n *         DRI_ERR_STATE", ",\n *         and"), "b.h: 1 of 1"),
    ("include/dri/c.h", "/* name: as of DRI_do. */", "as of DRI"),
    ("include/dri/c.h", "/* It fails. Who has left is not told. */", "Who has"),
    ("include/dri/c.h", "/*\n * Nothing but for this.\n */", "but for"),
    ("include/dri/c.h", "/* Counted from its begin. */", "its begin"),
    ("include/dri/c.h", "/* There is room for n bytes. */", "room for"),
    ("include/dri/c.h", "/* Gives up a group's handle. */", "Gives up a group's handle"),
    ("include/dri/c.h", "/* Objects made from it live on. */", "live on"),
    ("include/dri/c.h", "/* The first process hears of it. */", "hears of"),
    ("src/a.cpp", "// Taken by turns.", "by turns"),
    ("docs/a.md", "It counts from its begin.", "its begin"),
    ("README.md", "Nothing but for this.", "but for"),
    ("include/dri/attributes.h", ATTRIBUTES.replace("    /* One. */\n", ""), "DRI_ATTR_A has no comment"),
    ("include/dri/attributes.h", ATTRIBUTES.replace("     * Two.\n", "     * Two.\n" * 9), "DRI_ATTR_B has 9 lines"),
    ("include/dri/attributes.h", ATTRIBUTES.replace("= 1,", "= 1, /* One. */"), "behind it"),
]

if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        sys.exit(show(Path(sys.argv[2])))
    sys.exit(main(lint, GOOD, BAD))
