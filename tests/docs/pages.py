"""What the checks of the documentation share: the pages, and their text without code."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lint"), str(HERE.parent.parent / "docs" / "_ext")]

FENCE = re.compile(r"^( *)(`{3,}|~{3,})([^\n`]*)\n(.*?)^\1\2`*[ ]*$", re.DOTALL | re.MULTILINE)


def site_pages(root):
    """The Markdown files that the site is made of."""
    return sorted((root / "docs").rglob("*.md"))


def guides(root):
    """The pages that explain how to use the library, apart from the reference."""
    return [page for page in site_pages(root) if page.relative_to(root).parts[1] in ("tutorial", "howto")]


def without_fences(text):
    """Markdown with its fenced blocks blanked; lines keep their numbers."""
    return FENCE.sub(lambda match: re.sub(r"[^\n]", "", match.group()), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1
