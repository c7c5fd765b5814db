"""Turns inline code into links."""

from docutils import nodes
from sphinx import addnodes

PARENTS = (nodes.title, nodes.reference, addnodes.pending_xref)  # code inside these stays as it is


def link(literal, app, domain, kind, target):
    """Replaces inline code by a link with this text. Sphinx warns if there is no target."""
    reference = addnodes.pending_xref(
        "", refdomain=domain, reftype=kind, reftarget=target, refexplicit=True, refwarn=True, refdoc=app.env.docname
    )
    reference += literal.deepcopy()
    literal.replace_self(reference)
