"""Levels of tasks that need each other's results."""

from __future__ import annotations

from typing import List, Sequence

from .. import _dri
from ..errors import CycleError as _Refused
from .errors import CycleError


def task_levels(needs: Sequence[Sequence[int]]) -> List[int]:
    """The level of each task: one more than the largest of what it needs, 0 if it needs nothing. Local.

    Tasks of one level may run together, and there are as few levels as can be.

    Parameters
    ----------
    needs
        For each task the numbers of those that it needs.

    Raises
    ------
    CycleError
        Tasks need each other.

    Examples
    --------
    >>> task_levels([(), (0,), (0,), (1, 2)])
    [0, 1, 1, 2]
    """
    try:
        return list(_dri.task_levels([tuple(one) for one in needs]))
    except _Refused as error:
        raise CycleError(str(error)) from None
