#!/usr/bin/env python3
"""Every local link and image in a Markdown file resolves, as does the heading that it points at.

usage: links.py ROOT | --self-test

Looked at are the pages of docs/, and the README.md and other Markdown files of all folders.
"""

import re
import sys
from urllib.parse import unquote

from pages import line_of, without_fences
from sources import main

FOLDERS = ("docs", "bench", "cmake", "examples", "include", "scripts", "src", "tests")
LINK = re.compile(
    r"!?\[(?:[^][]|\[[^][]*\])*\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)|<(?:img|a)\b[^>]*(?:src|href)=\"([^\"]+)\""
)


def lint(root):
    pages = [*root.glob("*.md"), *(page for folder in FOLDERS for page in (root / folder).rglob("*.md"))]
    anchors = {}
    for page in sorted(pages):
        text = without_code(page.read_text())
        for found in LINK.finditer(text):
            target = unquote(found[1] or found[2])
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            where = f"{page.relative_to(root)}:{line_of(text, found.start())}: {target}"
            if not file.exists():
                yield f"{where} is not there"
            elif root not in file.parents:
                yield f"{where} is outside the project"
            elif anchor and file.suffix == ".md":
                if file not in anchors:
                    anchors[file] = anchors_of(file.read_text())
                if anchor not in anchors[file]:
                    yield f"{where} has no such heading"


def without_code(text):
    blank = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
    return blank.sub(lambda match: re.sub(r"[^\n]", "x", match.group()), without_fences(text))


def anchors_of(text):
    """What a link may point at: labels `(name)=`, HTML ids, and headings in the spelling of GitHub and MyST."""
    text = without_fences(text)
    found = set(re.findall(r"^\(([\w-]+)\)=$|\bid=\"([^\"]+)\"", text, re.MULTILINE))
    anchors = {anchor for pair in found for anchor in pair if anchor}
    counts = {}
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        counts[slug] = counts.get(slug, -1) + 1
        anchors.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
    return anchors


PAGE = """# A page

![a picture](pictures/a.svg) and [a page](howto/b.md#two-words-dri_do), [here](#a-page), [web](https://example.org).
[a label](howto/b.md#deviation-1) `[no link](nowhere)` [`code`](../src)

```c
[no link](nowhere)
```
"""
GOOD = {
    "README.md": "[docs](docs/a.md)\n",
    "src/x/README.md": "[up](../../README.md)\n",
    "docs/a.md": PAGE,
    "docs/pictures/a.svg": "<svg/>",
    "docs/howto/b.md": "## Two words: `DRI_do`\n\n(deviation-1)=\n## 1. One\n\n## 1. One\n\n[second](#1-one-1)\n",
}
BAD = [
    ("README.md", "[docs](docs/c.md)\n", "README.md:1: docs/c.md is not there"),
    ("src/x/README.md", "\n[up](../README.md)\n", "src/x/README.md:2"),
    ("docs/a.md", PAGE.replace("a.svg", "b.svg"), "docs/a.md:3: pictures/b.svg"),
    ("docs/a.md", PAGE.replace("../src", "../sources"), "../sources is not there"),
    ("docs/a.md", PAGE.replace("two-words", "three-words"), "has no such heading"),
    ("docs/a.md", PAGE.replace("#a-page", "#a-pag"), "#a-pag has no such heading"),
    ("docs/a.md", PAGE.replace("#deviation-1", "#deviation-2"), "has no such heading"),
    ("docs/a.md", PAGE.replace("../src", "../../.."), "is outside the project"),
    ("docs/howto/b.md", GOOD["docs/howto/b.md"].replace("one-1", "one-2"), "#1-one-2"),
    ("docs/a.md", PAGE + '<img src="c.png">\n', "c.png is not there"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
