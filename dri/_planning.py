"""Plans of redistributions: ends that are committed together, for any arrays of the same shapes and strides."""

from __future__ import annotations

from typing import Any, Callable, Hashable, Tuple, Union

import numpy as np

from . import _dri
from ._accord import accords
from ._attributes import BUFFER_BYTES, CONVERT, IN_PLACE, REBIND
from .agreement import agreed
from .array import Array
from .distribution import Distribution
from .elements import refuse_other_record
from .endpoint import destroy
from .ends import seconds_of, slice_ms
from .group import Group
from .layout import Layout
from .user_buffers import UserBuffers, check_buffers

Memory = np.ndarray[Any, np.dtype[Any]]
Ends = Tuple[Union["_dri.End", None], Union["_dri.End", None]]


class Plan:
    """Ends that are committed. A mover runs them again for arrays like the ones it was made with."""

    __slots__ = ("number", "group", "source", "sink", "dist", "is_in_place", "bytes", "used", "known", "_calls")

    def __init__(
        self, number: int, group: Group, name: str, ends: Ends, dist: Distribution, is_in_place: bool
    ) -> None:
        self.number = number
        self.group = group
        self.source, self.sink = ends
        self.dist = dist  # of the result
        self.is_in_place = is_in_place
        made = [end for end in ends if end is not None]
        self.bytes: int = sum(_dri.info(end)[6] for end in made)  # workspace on this process
        self.used = 0
        self.known: list[Hashable] = []  # calls that go straight to it
        self._calls = _dri.Calls(name, made, is_in_place)

    def run(self, x: Memory | None, y: Memory | None) -> None:
        """Move x to y. Collective over the group. After a failure the plan refers to them still."""
        for end, memory in ((self.source, x), (self.sink, y)):
            if end is not None and memory is not None:
                end.refer_to(memory) if self.is_in_place else end.rebind(memory)
        self._calls.run()
        self.forget_arrays()

    def mover(self, x: Memory | None, y: Memory | None) -> _dri.Mover:
        """What runs the plan again for arrays like these. Local."""
        accord = accords.of(self.group)
        return _dri.Mover(self.number, self._calls, self.source, self.sink, accord, x, y, self.is_in_place)

    def forget_arrays(self) -> None:
        """Keep no reference to the user's arrays. Local."""
        for end in (self.source, self.sink):
            if end is not None:
                end.forget_views()

    def destroy(self) -> bool:
        """Destroy the ends; the sink first, for which the source may wait. Returns whether one could not be. Local."""
        faults = [destroy(end) for end in (self.sink, self.source) if end is not None]
        return any(fault is not None for fault in faults)

    def abandon(self) -> bool:
        """The same after a failure: nobody is waited for. Local."""
        faults = [destroy(end, waits=False) for end in (self.sink, self.source) if end is not None]
        return any(fault is not None for fault in faults)


def plan_move(x: Array, result: Array, scale: float, group: Group, number: int) -> Plan:
    """Plan a redistribution. Collective over the group of both sides."""
    name, dist = f"dri.redistribute {number}", result.distribution

    def declare() -> Ends:
        if x.here and result.here:
            refuse_other_record(x.dtype, dist.dtype)
        source = _declare(name, 1, x, False, {REBIND: 1}) if x.here else None
        try:
            settings = {REBIND: 1, CONVERT: int(x.dtype != dist.dtype)}
            sink = _declare(name, 2, result, True, settings) if result.here else None
            if sink is not None and scale != 1.0:
                sink.set_scale(scale)
        except BaseException:
            _withdraw((source, None))
            raise
        return source, sink

    return _committed(name, declare, dist, group, number, False)


def plan_overlap(array: Array, group: Group, number: int) -> Plan:
    """Plan how the overlap of an array is filled in place. Collective over its group."""
    name, dist = f"dri.update_overlap {number}", array.distribution

    def declare() -> Ends:
        found = check_buffers(dist, Layout(), [array.local], True)
        source = _end(name, 1, dist, found, {IN_PLACE: 1})
        return source, _end(name, 2, dist, found._replace(addresses=[0]), {IN_PLACE: 1})

    return _committed(name, declare, dist, group, number, True)


def _declare(name: str, role: int, array: Array, writeable: bool, settings: dict[int, int]) -> _dri.End:
    found = check_buffers(array.distribution, Layout(), [array.local], writeable)
    return _end(name, role, array.distribution, found, settings)


def _end(name: str, role: int, dist: Distribution, found: UserBuffers, settings: dict[int, int]) -> _dri.End:
    end = _dri.End(name, role, dist.handle(), found.layout.encoded(dist.ndim), found.addresses, -1)
    seconds = seconds_of(None)
    end.set_timeout(seconds, slice_ms(seconds))
    if any(found.addresses):
        end.set_attribute(BUFFER_BYTES, found.bytes)
    for attribute, value in settings.items():
        if value:
            end.set_attribute(attribute, value)
    return end


def _committed(
    name: str, declare: Callable[[], Ends], dist: Distribution, group: Group, number: int, is_in_place: bool
) -> Plan:
    ends = agreed(group, declare, _withdraw)
    try:
        _dri.commit(group.handle(), [end for end in ends if end is not None])
        return Plan(number, group, name, ends, dist, is_in_place)
    except BaseException:
        _withdraw(ends)
        raise


def _withdraw(ends: Ends) -> None:
    for end in ends:
        if end is not None:
            destroy(end)
