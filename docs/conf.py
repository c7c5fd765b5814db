"""Sphinx's configuration of the documentation site. scripts/docs.sh calls doxygen, then sphinx-build."""

import gc
import os
import re
import sys
from pathlib import Path

import furo

# Half of the time of a build is the collector, which walks all pages again and again. Without it a build needs 1 GB.
gc.disable()

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

from dri_headers import read_header  # noqa: E402


def version_of(header):
    macros = {one.name: one.code.split()[-1] for one in read_header(header)[1]}
    return ".".join(macros[f"DRI_VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH"))


def dark_colours():
    """Furo's own dark colours. Its package in Debian 12 lost the rule that follows a reader whose system is dark."""
    style = Path(furo.__file__).parent / "theme" / "furo" / "static" / "styles" / "furo.css"
    rule = re.search(r'body\[data-theme="?dark"?\]\s*{(.*?)}', style.read_text(), re.DOTALL)
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", rule[1])) if rule else {}


project = "DRI"
author = "the DRI authors"
version = release = version_of(HERE.parent / "include" / "dri" / "dri.h")

extensions = ["myst_parser", "breathe", "dri_site", "dri_programs", "dri_face", "dri_python"]
exclude_patterns = ["_ext", "_static"]
nitpicky = True
nitpick_ignore = [
    ("c:identifier", name) for name in ("int32_t", "int64_t", "uint32_t", "uint64_t", "size_t", "MPI_Comm")
]

primary_domain = "c"
highlight_language = "c"
add_function_parentheses = False
toc_object_entries_show_parents = "hide"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

# Doxygen's XML; scripts/docs.sh says where it is.
breathe_projects = {"dri": os.environ.get("DRI_DOCS_XML", str(HERE.parent / "build" / "docs" / "xml"))}
breathe_default_project = "dri"
breathe_domain_by_extension = {"h": "c"}
breathe_show_define_initializer = breathe_show_enumvalue_initializer = True

html_theme = "furo"
html_title = f"DRI {version}"
html_static_path = ["_static"]
html_css_files = ["dri.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"dark_css_variables": dark_colours()}
pygments_style = "default"
pygments_dark_style = "github-dark"
