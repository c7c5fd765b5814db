"""Layouts: how a part lies in memory, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence, Tuple, Union

from .errors import ArgumentError

PITCH_AUTO = -1


@dataclass(frozen=True, init=False)
class Layout:
    """How a part lies in memory. Local.

    Parameters
    ----------
    order
        ``"C"`` (the default): the last dimension is contiguous. ``"F"``: the first one. Or the dimensions themselves,
        the slowest first.
    pitch
        Rows are padded to a multiple of so many elements, or, with ``"auto"``, to what suits the kernels.
    strides
        Elements from one index to the next, per dimension, instead of an order.
    split
        Complex numbers lie in two planes, the real parts first. Views are then real arrays of shape (2, ...).

    Examples
    --------
    >>> dri.Layout("F", pitch="auto")
    """

    order: Union[str, Tuple[int, ...]]
    strides: Tuple[int, ...] | None
    pitch: int
    split: bool

    def __init__(
        self,
        order: str | Sequence[int] | None = None,
        *,
        pitch: int | str | None = None,
        strides: Sequence[int] | None = None,
        split: bool = False,
    ) -> None:
        if isinstance(order, str) and order not in ("C", "F"):
            raise ArgumentError(f"order {order!r} is neither 'C' nor 'F' nor a tuple of dimensions")
        if strides is not None and (order is not None or pitch is not None):
            raise ArgumentError("a layout has strides, or an order and a pitch")
        if pitch not in (None, "auto") and (not hasattr(pitch, "__index__") or pitch < 1):  # type: ignore[operator]
            raise ArgumentError(f"pitch {pitch!r} is neither 'auto' nor a number of elements")
        dims = order if isinstance(order, str) else "C" if order is None else tuple(int(dim) for dim in order)
        object.__setattr__(self, "order", dims)
        object.__setattr__(self, "strides", None if strides is None else tuple(int(step) for step in strides))
        object.__setattr__(self, "pitch", PITCH_AUTO if isinstance(pitch, str) else pitch or 0)
        object.__setattr__(self, "split", bool(split))

    @property
    def is_default(self) -> bool:
        """Whether it was given as ``"C"`` alone. Other ways to say row-major, such as (0, 1), do not count. Local."""
        return self.order == "C" and self.strides is None and not self.pitch and not self.split

    def encoded(self, ndims: int) -> tuple[Any, ...]:
        """The layout as the extension reads it. Local."""
        for name, given in (("order", self.order), ("strides", self.strides)):
            if isinstance(given, tuple) and len(given) != ndims:
                raise ArgumentError(f"the layout's {name} has {len(given)} entries, but the array {ndims} dimensions")
        return self.order, self.strides, self.pitch, self.split

    def __repr__(self) -> str:
        parts = [repr(self.order)] if self.strides is None else [f"strides={self.strides}"]
        if self.pitch:
            parts.append("pitch='auto'" if self.pitch == PITCH_AUTO else f"pitch={self.pitch}")
        if self.split:
            parts.append("split=True")
        return f"dri.Layout({', '.join(parts)})"


LayoutLike = Union[Layout, str, Sequence[int], None]


def layout_of(given: LayoutLike) -> Layout:
    """A layout from what stands for one: ``"C"``, ``"F"`` or an order. Local."""
    return given if isinstance(given, Layout) else Layout(given)
