"""Shows whole programs without their markers.

A program marks the fragments that pages include: `/* [name] */` above and `/* [/name] */` below. The markers mean
nothing to a reader, so the lines that hold nothing else are taken out of every block of code that a page shows.
"""

import re

from docutils import nodes

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


def setup(app):
    app.connect("doctree-read", take_markers_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
