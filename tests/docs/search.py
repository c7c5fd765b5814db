#!/usr/bin/env python3
"""The built site is whole: the reference has every name, the search finds it, and every address leads somewhere.

usage: search.py ROOT | --self-test

The site is in ROOT/build/docs/html, or where the environment variable DRI_DOCS_SITE says.

- Each function, structure, field, enumerator, variable, macro, type and environment variable has an entry in the
  reference and in the index of the search.
- The search leads from each function, attribute and environment variable to a guide, too.
- Each link, picture, script and style of a page is in the site. Nothing but links leads to the network.
"""

import json
import os
import re
import sys
import zlib
from html.parser import HTMLParser
from urllib.parse import unquote

import pages  # noqa: F401
from dri_headers import each, environment, read_all
from sources import main

GUIDES = ("tutorial/", "howto/")


def lint(root):
    site = root / "build" / "docs" / "html"
    if "DRI_DOCS_SITE" in os.environ and "--self-test" not in sys.argv:
        site = root / os.environ["DRI_DOCS_SITE"]
    if not (site / "index.html").exists():
        yield f"there is no site in {site}; scripts/docs.sh builds it"
        return
    declared = [pair for _, found in read_all(root).values() for pair in each(found)]
    variables = environment(root)
    # Fields are found by their structure, `DRI_Block.size`; all others by their names.
    full = [f"{owner.name}.{one.name}" if one.kind == "member" else one.name for one, owner in declared]
    names = [one.name for one, _ in declared if one.kind == "function" or one.name.startswith("DRI_ATTR_")]
    entries = inventory(site)
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)\s*", (site / "searchindex.js").read_text())[1])
    objects = objects_of(index)
    for name in [*full, *variables]:
        if not any(page.startswith("reference/") for page in entries.get(name, [])):
            yield f"{name} has no entry in the reference"
        if not any(page.startswith("reference/") for page in objects.get(name, [])):
            yield f"{name} is no object of the search"
    for name in [*names, *variables]:
        if not any(page.startswith(GUIDES) for page in found_in(index, name)):
            yield f"the search leads from {name} to no guide"
    yield from dead_addresses(site)


def inventory(site):
    """{name: the pages with its entry}, from Sphinx's list of all objects."""
    packed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    found = {}
    for line in zlib.decompress(packed).decode().splitlines():
        name, kind, _, page, _ = line.split(" ", 4)
        if kind.startswith("c:") or kind == "std:envvar":
            found.setdefault(name, []).append(page)
    return found


def objects_of(index):
    """{name: pages} of the objects that the search compares with what is typed."""
    found = {}
    for prefix, members in index["objects"].items():
        for page, _, _, _, name in members:
            for known in {name, f"{prefix}.{name}"}:
                found.setdefault(known, []).append(index["docnames"][page])
    return found


def found_in(index, name):
    """The pages whose text has the word. The index holds stems: the last letters are gone, and a y may be an i."""
    found = set()
    for cut in range(min(8, len(name) // 2)):
        stem = name.lower()[: len(name) - cut]
        for word in {stem, re.sub("y$", "i", stem)}:
            held = index["terms"].get(word, [])
            found.update([held] if isinstance(held, int) else held)
    return [index["docnames"][page] for page in found]


class Page(HTMLParser):
    """The ids of a page, and the addresses that it uses: (what uses it, address)."""

    USES = {"a": "href", "img": "src", "script": "src", "link": "href"}

    def __init__(self, path):
        super().__init__()
        self.ids, self.addresses = set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(filter(None, (attributes.get("id"), attributes.get("name"))))
        if attributes.get(self.USES.get(tag)):
            self.addresses.add((tag, attributes[self.USES[tag]]))


def dead_addresses(site):
    read = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in read.items():
        for tag, address in sorted(page.addresses):
            where = f"{path.relative_to(site.resolve())}: {address}"
            if re.match(r"[a-z]+:|//", address):
                if tag != "a":
                    yield f"{where} comes from the network"
                continue
            name, _, anchor = unquote(address).partition("#")
            target = (path.parent / name.partition("?")[0]).resolve() if name else path
            if not target.exists():
                yield f"{where} is not in the site"
            elif anchor and target in read and anchor not in read[target].ids:
                yield f"{where} has no such place"


def packed(lines):
    return b"# Sphinx\n# Project\n# Version\n# zlib\n" + zlib.compress("".join(f"{line}\n" for line in lines).encode())


ENTRIES = [
    "DRI_do c:function 1 reference/xfer.html#c.$ -",
    "DRI_Kind c:struct 1 reference/xfer.html#c.$ -",
    "DRI_Kind.size c:member 1 reference/xfer.html#c.$ -",
    "DRI_LOG std:envvar 1 reference/environment.html#$ -",
]
INDEX = {
    "docnames": ["reference/xfer", "howto/a"],
    "objects": {
        "": [[0, 0, 1, "c.DRI_do", "DRI_do"], [0, 1, 1, "c.DRI_Kind", "DRI_Kind"], [0, 2, 1, "-", "DRI_LOG"]],
        "DRI_Kind": [[0, 3, 1, "c.DRI_Kind.size", "size"]],
    },
    "terms": {"dri_do": 1, "dri_log": [0, 1]},
}
HEADER = """/* A. */
/* Does it. */
int DRI_do(void);
typedef struct DRI_Kind {
    int size; /* bytes */
} DRI_Kind;
"""
SITE = "build/docs/html/"
HTML = """<a href="b.html?q=1#here">b</a><a href="https://example.org">web</a>
<img src="b.html"><p id="top"><a href="#top">
"""
GOOD = {
    "include/dri/xfer.h": HEADER,
    "src/base/env.cpp": 'return "DRI_LOG";',
    SITE + "index.html": HTML,
    SITE + "b.html": '<p id="here">',
    SITE + "searchindex.js": f"Search.setIndex({json.dumps(INDEX)})",
    SITE + "objects.txt": "\n".join(ENTRIES),
}


def index_without(old, new):
    return f"Search.setIndex({json.dumps(INDEX).replace(old, new)})"


BAD = [
    (SITE + "objects.txt", "\n".join(ENTRIES[1:]), "DRI_do has no entry"),
    (SITE + "objects.txt", "\n".join(ENTRIES).replace("member 1 reference", "member 1 howto"), "size has no"),
    (SITE + "searchindex.js", index_without('"size"', '"length"'), "DRI_Kind.size is no object"),
    (SITE + "searchindex.js", index_without('"DRI_LOG"', '"DRI_LO"'), "DRI_LOG is no object"),
    (SITE + "searchindex.js", index_without('"dri_do"', '"do"'), "from DRI_do to no guide"),
    (SITE + "searchindex.js", index_without('"dri_log": [0, 1]', '"dri_log": 0'), "from DRI_LOG to no guide"),
    (SITE + "index.html", HTML.replace("b.html", "c.html"), "c.html?q=1#here is not in the site"),
    (SITE + "index.html", HTML.replace("#here", "#there"), "has no such place"),
    (SITE + "index.html", HTML.replace("#top", "#bottom"), "index.html: #bottom has no such place"),
    (SITE + "index.html", HTML + '<script src="https://example.org/a.js">', "comes from the network"),
    (SITE + "index.html", HTML + '<link href="//example.org/a.css">', "comes from the network"),
]


def pack(root):
    """Sphinx's inventory is not text: the trees above hold its lines."""
    lines = (root / SITE / "objects.txt").read_text().splitlines()
    (root / SITE / "objects.inv").write_bytes(packed(lines))


if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD, pack))
