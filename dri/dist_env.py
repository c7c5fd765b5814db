"""The environment of a distributed array as the Dist dialect writes it: team, offsets and parts of one member."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, List, Tuple, Union

from .errors import ArgumentError

if TYPE_CHECKING:
    from .array import Array
    from .piece import Piece

Size = Union[int, str]
"""A number, or ``"?"`` for one that is known when the program runs."""

_TEXT = re.compile(r"team\s*=\s*(\d+)(?:\s+loffs\s*=\s*(.*?)\s+lparts\s*=\s*(.*?))?\s*")
_INSIDE = re.compile(r"#dist\.dist_env<(.*?)>")


@dataclass(frozen=True)
class DistEnv:
    """What one member of a team holds of an array. A value. ``str`` writes it as :meth:`parse` reads it.

    Parameters
    ----------
    team
        The number of the team.
    loffs
        The index of the first element of the first part: a number per dimension. None without dimensions.
    lparts
        Shapes of left halo, owned elements and right halo. None without dimensions.

    Raises
    ------
    ArgumentError
        There are not three parts, or their dimensions differ from those of ``loffs``.

    Examples
    --------
    >>> dri.DistEnv.parse("team = 37416 loffs = 22 lparts = 0,11,0").lparts
    ((0,), (11,), (0,))
    """

    team: int
    loffs: Tuple[Size, ...] = ()
    lparts: Tuple[Tuple[Size, ...], ...] = ()

    def __post_init__(self) -> None:
        if len(self.lparts) != (3 if self.loffs else 0):
            raise ArgumentError(f"an array of {len(self.loffs)} dimensions has not {len(self.lparts)} parts")
        for number, part in enumerate(self.lparts):
            if len(part) != len(self.loffs):
                raise ArgumentError(f"part {number} has {len(part)} dimensions, but loffs has {len(self.loffs)}")
        for one in (self.team, *self.loffs, *(size for part in self.lparts for size in part)):
            if one != "?" and (not isinstance(one, int) or one < 0):
                raise ArgumentError(f"{one!r} is no number, and not '?'")
        if not isinstance(self.team, int):
            raise ArgumentError("a team is a number: there is no unknown team")

    @classmethod
    def parse(cls, text: str) -> DistEnv:
        """Read an environment. Local.

        Parameters
        ----------
        text
            ``team = 1 loffs = 22,0 lparts = 0x0,11x55,0x0``, alone, in ``#dist.dist_env<...>``, or in the type of an
            array. ``?`` stands for a number that is not known yet. Without dimensions the team stands alone.

        Raises
        ------
        ArgumentError
            It is none.
        """
        inside = _INSIDE.search(text)
        found = _TEXT.fullmatch((inside.group(1) if inside else text).strip())
        if not found:
            raise ArgumentError(f"{text!r} is not as 'team = 1 loffs = 22,0 lparts = 0x0,11x55,0x0'")
        team, loffs, lparts = found.groups()
        if loffs is None:
            return cls(int(team))
        return cls(int(team), _sizes(loffs, ","), tuple(_sizes(part, "x") for part in lparts.split(",")))

    @classmethod
    def of(cls, array: Array | Piece, team: int = 1) -> DistEnv:
        """What this process holds of an array or a piece. Local; of an array as :meth:`Array.handle`.

        Parameters
        ----------
        team
            A number for the array's group.
        """
        handle: Any = array.handle()
        if not array.ndim:
            return cls(team)
        return cls(team, handle.loffs(array.ndim), tuple(part.shape for part in array.parts))

    def __str__(self) -> str:
        if not self.loffs:
            return f"team = {self.team}"
        parts = ("x".join(map(str, part)) for part in self.lparts)
        return f"team = {self.team} loffs = {','.join(map(str, self.loffs))} lparts = {','.join(parts)}"


def _sizes(text: str, between: str) -> Tuple[Size, ...]:
    made: List[Size] = []
    for one in (part.strip() for part in text.split(between)):
        if one != "?" and not (one.isascii() and one.isdigit()):
            raise ArgumentError(f"{one!r} in {text!r} is no number, and not '?'")
        made.append(one if one == "?" else int(one))
    return tuple(made)
