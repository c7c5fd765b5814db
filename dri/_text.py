"""Numbers as people read them."""

from __future__ import annotations


def size_text(size: float) -> str:
    """Bytes with a unit, such as ``32 MiB``. Local."""
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024 or unit == "TiB":
            break
        size /= 1024
    return f"{size:.3g} {unit}"


def percent_text(part: float, whole: float) -> str:
    """A share, such as ``25 %``. Local."""
    return f"{100 * part / whole:.0f} %" if whole else "0 %"
