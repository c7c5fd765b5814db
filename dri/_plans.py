"""Plans of redistributions, kept for the next call. All processes of a call agree which one they use."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Callable, Hashable, Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _dri, env
from .agreement import Numbers, agreed, raise_together
from .array import Array
from .distribution import Distribution
from .elements import dtype_of
from .ends import seconds_of, slice_ms
from .endpoint import destroy
from .errors import ArgumentError
from .group import Group
from .layout import Layout, LayoutLike, layout_of
from .partition import rules_of
from .user_buffers import UserBuffers, check_buffers

MAX_ENTRIES, MAX_BYTES = 32, 256 << 20


class Request(NamedTuple):
    """The arguments of a call."""

    x: Array
    to: Any
    out: npt.NDArray[Any] | None
    layout: LayoutLike
    dtype: npt.DTypeLike
    scale: float


class Plan(NamedTuple):
    """Ends that are committed, for any arrays of the same shapes and strides."""

    number: int
    calls: _dri.Calls
    source: _dri.End | None
    sink: _dri.End | None
    dist: Distribution  # of the result
    bytes: int  # workspace on this process

    def run(self, x: npt.NDArray[Any] | None, y: npt.NDArray[Any] | None) -> None:
        """Move x to y. Collective over the processes of the plan. After a failure the plan refers to them still."""
        if self.source is not None:
            self.source.rebind(x)  # type: ignore[arg-type]
        if self.sink is not None:
            self.sink.rebind(y)  # type: ignore[arg-type]
        self.calls.run()
        self.forget_arrays()

    def run_in_place(self, local: npt.NDArray[Any]) -> None:
        """Fill the overlap of the array that the plan was made for. Collective over the processes of the plan."""
        for end in (self.source, self.sink):
            if end is not None:
                end.set_views([local])
        self.calls.run()
        self.forget_arrays()

    def forget_arrays(self) -> None:
        """Keep no reference to the user's arrays. Local."""
        for end in (self.source, self.sink):
            if end is not None:
                end.forget_views()

    def destroy(self) -> bool:
        """Destroy the ends; the sink first, for which the source may wait. Returns whether one could not be. Local."""
        faults = [destroy(end) for end in (self.sink, self.source) if end is not None]
        return any(fault is not None for fault in faults)


class Store:
    """The plans of this process. Those of others may differ; that costs a new plan, and never a wait."""

    def __init__(self) -> None:
        self.plans: OrderedDict[Hashable, Plan] = OrderedDict()
        self.hits = self.misses = self.bytes = 0
        self.max_entries, self.max_bytes = MAX_ENTRIES, MAX_BYTES
        self._numbers = Numbers()
        self._stuck: list[Plan] = []  # interrupted, and not destroyed: they keep their arrays

    def run(self, request: Request) -> Array:
        """Move an array. Collective over the groups of both sides."""
        group = _group_of(request)
        if group.position is None:
            return Array(_target(request))
        key: Hashable = None
        fault: Exception | None = None
        result: Array | None = None
        plan: Plan | None = None
        try:
            key = _key(request)
            plan = self.plans.get(key)
            if plan is not None:
                result = _result(request, plan.dist)
        except Exception as error:
            fault, plan = error, None
        number, is_known = self._numbers.agree(group, plan.number if plan is not None else 0, fault)
        if plan is not None and is_known:
            self.hits += 1
            self.plans.move_to_end(key)
            assert result is not None
        else:
            self.misses += 1
            dist = _target(request)
            fault = None
            try:
                result = _result(request, dist)
            except Exception as error:
                fault = error
            raise_together(group, fault)
            assert result is not None
            plan = self._keep(key, _commit(request, dist, result, group, number))
        x, y = request.x, result
        with self._dropped_if_it_fails(key, plan):
            plan.run(x.local if x.here else None, y.local if y.here else None)
        return result

    def update(self, array: Array) -> None:
        """Fill the overlap of an array in place. Collective over its group."""
        group, local = array.distribution.group, array.local
        key = ("overlap", array.distribution, local.ctypes.data, local.strides, local.flags.writeable, local.flags.aligned)
        plan = self.plans.get(key)
        number, is_known = self._numbers.agree(group, plan.number if plan is not None else 0, None)
        if plan is not None and is_known:
            self.hits += 1
            self.plans.move_to_end(key)
        else:
            self.misses += 1
            plan = self._keep(key, _commit_overlap(array, group, number))
        with self._dropped_if_it_fails(key, plan):
            plan.run_in_place(local)

    def limit(self, entries: int, size: int) -> None:
        """Set the bounds, and drop what exceeds them. Local."""
        self.max_entries, self.max_bytes = entries, size
        self._shrink(None)

    def forget(self) -> None:
        """The library has ended, and its ends with it. Local."""
        self.plans.clear()
        self._stuck.clear()
        self.bytes = 0

    def abandon(self) -> None:
        """Destroy all plans. Local."""
        for plan in self.plans.values():
            plan.destroy()
        self.forget()

    @contextmanager
    def _dropped_if_it_fails(self, key: Hashable, plan: Plan) -> Iterator[None]:
        """A frame that an error or Ctrl-C has interrupted may still use its arrays, until its ends are destroyed."""
        try:
            yield
        except BaseException:
            if self.plans.get(key) is plan:
                del self.plans[key]
                self.bytes -= plan.bytes
            if plan.destroy():
                self._stuck.append(plan)
            else:
                plan.forget_arrays()
            raise

    def _keep(self, key: Hashable, plan: Plan) -> Plan:
        before = self.plans.pop(key, None)
        if before is not None:
            self.bytes -= before.bytes
            before.destroy()
        self.plans[key] = plan
        self.bytes += plan.bytes
        env.remember(self)
        self._shrink(key)
        return plan

    def _shrink(self, kept: Hashable) -> None:
        """The plan of the call that runs stays, whatever the bounds are."""
        for key in list(self.plans):
            if len(self.plans) <= self.max_entries and self.bytes <= self.max_bytes:
                return
            if key != kept:
                plan = self.plans.pop(key)
                self.bytes -= plan.bytes
                plan.destroy()


store = Store()


def _group_of(request: Request) -> Group:
    """The processes of both sides. A group that is known has its handle."""
    mine = request.x.distribution.group
    to = request.to.distribution if isinstance(request.to, Array) else request.to
    if not isinstance(to, Distribution) or to.group is mine or to.group == mine:
        return mine
    return _union(mine.ranks, to.group.ranks)


@lru_cache(256)
def _union(a: tuple[int, ...], b: tuple[int, ...]) -> Group:
    return Group(sorted({*a, *b}))


def _target(request: Request) -> Distribution:
    """The distribution of the result. Collective over the group of x where `to` is a partition."""
    x, to = request.x.distribution, request.to
    if isinstance(to, Array):
        return to.distribution
    dtype = x.dtype if request.dtype is None else dtype_of(request.dtype)
    if isinstance(to, Distribution):
        return to
    return Distribution(x.shape, dtype, to, x.group)


def _key(request: Request) -> Hashable:
    """What plans are kept by. Raises what this process alone can find wrong. Local."""
    to = request.to
    if isinstance(to, Array) and request.out is not None:
        raise ArgumentError("to is an Array, which is filled itself; out has no meaning then")
    if isinstance(to, Array) and request.dtype is not None and dtype_of(request.dtype) != to.dtype:
        raise ArgumentError(f"dtype is {request.dtype}, but the Array that is filled has {to.dtype}")
    if isinstance(to, Distribution) and request.dtype is not None and dtype_of(request.dtype) != to.dtype:
        raise ArgumentError(f"dtype is {dtype_of(request.dtype)}, but the distribution of the result has {to.dtype}")
    if isinstance(to, Array):
        to = to.distribution
    elif not isinstance(to, Distribution):
        to = rules_of(to, request.x.ndim, None, None, None)
    x = request.x.local if request.x.here else None
    given = request.to.local if isinstance(request.to, Array) and request.to.here else request.out
    dtype = None if request.dtype is None else dtype_of(request.dtype)
    lies = (layout_of(request.layout),) if given is None else _form_of(given)
    return request.x.distribution, None if x is None else _form_of(x), to, lies, dtype, float(request.scale)


def _form_of(memory: npt.NDArray[Any]) -> Hashable:
    """What a plan requires of an array's memory. Another address needs no other plan."""
    flags = memory.flags
    return memory.shape, memory.strides, memory.dtype, flags.writeable, flags.aligned


def _result(request: Request, dist: Distribution) -> Array:
    """The array to fill. Local."""
    if isinstance(request.to, Array):
        result = request.to
    elif request.out is None or not dist.here:
        result = Array(dist, layout=request.layout)
    else:
        result = Array(dist, request.out)
    if result.here and request.x.here:
        _refuse_shared(request.x.local, result.local)
    return result


def _refuse_shared(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> None:
    if np.may_share_memory(x, y):  # the library, too, compares where both begin and end
        raise ArgumentError("the result shares memory with x; a transfer with in_place=True moves within one buffer")


def _commit(request: Request, dist: Distribution, result: Array, group: Group, number: int) -> Plan:
    name = f"dri.redistribute {number}"
    x = request.x

    def declare() -> tuple[_dri.End | None, _dri.End | None]:
        source = _declare(name, 1, x, False, {15: 1}) if x.here else None
        try:
            settings = {15: 1, 3: int(x.dtype != dist.dtype)}
            sink = _declare(name, 2, result, True, settings) if result.here else None
            if sink is not None and float(request.scale) != 1.0:
                sink.set_scale(float(request.scale))
        except BaseException:
            _withdraw((source, None))
            raise
        return source, sink

    return _committed(name, declare, dist, group, number, False)


def _commit_overlap(array: Array, group: Group, number: int) -> Plan:
    name = f"dri.update_overlap {number}"

    def declare() -> tuple[_dri.End | None, _dri.End | None]:
        found = check_buffers(array.distribution, Layout(), [array.local], True)
        source = _end(name, 1, array.distribution, found, {12: 1})
        return source, _end(name, 2, array.distribution, found._replace(addresses=[0]), {12: 1})

    return _committed(name, declare, array.distribution, group, number, True)


def _declare(name: str, role: int, array: Array, writeable: bool, settings: dict[int, int]) -> _dri.End:
    found = check_buffers(array.distribution, Layout(), [array.local], writeable)
    return _end(name, role, array.distribution, found, settings)


def _end(name: str, role: int, dist: Distribution, found: UserBuffers, settings: dict[int, int]) -> _dri.End:
    end = _dri.End(name, role, dist.handle(), found.layout.encoded(dist.ndim), found.addresses, -1)
    seconds = seconds_of(None)
    end.set_timeout(seconds, slice_ms(seconds))
    if any(found.addresses):
        end.set_attribute(14, found.bytes)
    for attribute, value in settings.items():
        if value:
            end.set_attribute(attribute, value)
    return end


def _committed(
    name: str, declare: Callable[[], tuple[_dri.End | None, _dri.End | None]], dist: Distribution, group: Group,
    number: int, is_in_place: bool,
) -> Plan:  # fmt: skip
    source, sink = agreed(group, declare, _withdraw)
    ends = [end for end in (source, sink) if end is not None]
    try:
        _dri.commit(group.handle(), ends)
    except BaseException:
        _withdraw((source, sink))
        raise
    workspace = sum(_dri.info(end)[6] for end in ends)
    return Plan(number, _dri.Calls(name, ends, is_in_place), source, sink, dist, workspace)


def _withdraw(ends: tuple[_dri.End | None, _dri.End | None]) -> None:
    for end in ends:
        if end is not None:
            destroy(end)
