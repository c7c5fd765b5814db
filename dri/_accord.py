"""How the processes of repeated calls agree: by frames of a transfer of their own, which take a microsecond."""

from __future__ import annotations

import os
import struct
from typing import Any, List, NamedTuple, Tuple

from . import _dri, env
from .agreement import agreed, raise_together
from .distribution import Distribution
from .endpoint import destroy
from .ends import slice_ms
from .errors import Error, StateError
from .group import Group

# Each process gives a number that is not 0, or 0 for none, and its number for something new.
Pairs = List[Tuple[int, int]]
FAULT, LEFT = -1, -2
MOST = 64  # processes; each reads the numbers of all
_WORDS = struct.Struct("<qq")


class Made(NamedTuple):
    """The accord of a group, and its ends."""

    accord: _dri.Accord
    source: _dri.End
    sink: _dri.End

    def destroy(self) -> None:
        """Give it up. Local. Others find that out in their next exchange."""
        self.accord.close()
        destroy(self.sink)
        destroy(self.source)


class Accords:
    """Numbers of what the processes of calls have made together and keep. Those that keep something may differ.

    The first agreement of a group is a collective call, in which its processes make an accord for the next ones.
    """

    def __init__(self) -> None:
        self.next = 1
        self._made: dict[tuple[int, ...], Made] = {}
        self._left: dict[tuple[int, ...], str] = {}

    def agree(self, group: Group, mine: int, fault: Exception | None) -> tuple[int, bool]:
        """The number that all bring, and True; else that of something new, and False. Collective over the group.

        ``mine`` is 0 on a process that keeps nothing for the call. A fault of one process fails on all.
        """
        return self.decide(group, self._exchanged(group, mine if fault is None else FAULT), mine, fault)

    def decide(self, group: Group, pairs: Pairs, mine: int, fault: Exception | None) -> tuple[int, bool]:
        """What follows from the numbers of all. Collective over the group where one brings a fault."""
        for rank, (number, _) in zip(group, pairs):
            if number == LEFT:
                self._left[group.ranks] = f"process {rank} has left the library"
                raise StateError(self._left[group.ranks])
        if any(number == FAULT for number, _ in pairs):
            raise_together(group, fault)
        new = max(following for _, following in pairs)
        self.next = new + 1
        if mine > 0 and all(number == mine for number, _ in pairs):
            return mine, True
        return new, False

    def of(self, group: Group) -> _dri.Accord | None:
        """The accord of a group, if there is one. Local."""
        made = self._made.get(group.ranks)
        return None if made is None else made.accord

    def drop(self, group: Group) -> None:
        """Give up the accord of a group. Local."""
        made = self._made.pop(group.ranks, None)
        if made is not None:
            made.destroy()

    def forget(self) -> None:
        """The library has ended. Local."""
        self._made.clear()
        self._left.clear()

    def abandon(self) -> None:
        """Tell the others that this process leaves them, and wait for none. Local."""
        for made in self._made.values():
            try:
                made.accord.leave(LEFT)
            except Error:  # an exchange was interrupted
                pass
            made.destroy()
        self.forget()

    def _exchanged(self, group: Group, number: int) -> Pairs:
        if group.ranks in self._left:
            raise StateError(self._left[group.ranks])
        if len(group) == 1:
            return [(number, self.next)]
        made = self._made.get(group.ranks)
        if made is not None:
            try:
                return made.accord.exchange(number, self.next)
            except StateError:  # a process has given it up in an earlier call
                self.drop(group)
            except BaseException:
                self.drop(group)
                raise
        words = _dri.gather(group.handle(), _WORDS.pack(number, self.next))
        pairs: Pairs = [_WORDS.unpack(one) for one in words]  # type: ignore[misc]
        if len(group) <= MOST and all(one != FAULT for one, _ in pairs):
            self._make(group, max(following for _, following in pairs))
        return pairs

    def _make(self, group: Group, number: int) -> None:
        """Make the accord of a group. Collective over it."""
        n = len(group)
        name = f"dri.agreement {number}"
        mine, everybodys = (Distribution((2 * n,), "int64", kind, group) for kind in ("block", None))

        def declare() -> tuple[_dri.End, _dri.End]:
            seconds = float(os.environ.get("DRI_SETUP_TIMEOUT") or 300)
            made: list[Any] = []
            try:
                for role, dist, buffers in ((1, mine, 2), (2, everybodys, 1)):
                    made.append(_dri.End(name, role, dist.handle(), ("C", None, 0, False), [0] * buffers, -1))
                    made[-1].set_timeout(seconds, slice_ms(seconds))
            except BaseException:
                _withdraw(made)
                raise
            return made[0], made[1]

        source, sink = agreed(group, declare, _withdraw)
        try:
            _dri.commit(group.handle(), [source, sink])
            self._made[group.ranks] = Made(_dri.Accord(name, source, sink), source, sink)
        except BaseException:
            self._made.pop(group.ranks, None)
            _withdraw([sink, source])
            raise
        env.remember(self)


def _withdraw(ends: Any) -> None:
    for end in ends:
        destroy(end)


accords = Accords()
