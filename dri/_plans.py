"""Plans of redistributions, kept for the next call. All processes of a call agree which one they use."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable, ContextManager, Hashable, Iterator, NamedTuple

import numpy as np

from . import _dri, env
from ._accord import Pairs, accords
from ._signals import Deferred
from ._planning import Plan, plan_move, plan_overlap
from .agreement import raise_together
from .array import Array, array_on
from .distribution import Distribution
from .elements import dtype_of
from .ends import scale_of
from .errors import ArgumentError, MismatchError
from .forms import clock
from .group import Group
from .layout import LayoutLike, layout_of
from .local_memory import allocate
from .partition import rules_of

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_ENTRIES, MAX_BYTES = 32, 256 << 20
KNOWN = 8  # calls that lead straight to one plan


class Request(NamedTuple):
    """The arguments of a call."""

    x: Array
    to: Any
    out: npt.NDArray[Any] | None
    layout: LayoutLike
    dtype: npt.DTypeLike
    scale: float


class Overlap(NamedTuple):
    """What the plan of an update in place is kept by."""

    dist: Distribution
    address: int
    strides: tuple[int, ...]
    is_writeable: bool
    is_aligned: bool


class Known(NamedTuple):
    """A call that was made before: its plan, and what stays the same in it."""

    key: Hashable  # of the plan
    plan: Plan
    mover: _dri.Mover
    named: tuple[Any, ...]  # what the call is known by has the addresses of these
    empty: Callable[[], npt.NDArray[Any]] | None  # makes the result; None outside its group


class Store:
    """The plans of this process. Those of others may differ; that costs a new plan, and never a wait."""

    def __init__(self) -> None:
        self.plans: dict[Hashable, Plan] = {}
        self.hits = self.misses = self.bytes = 0
        self.max_entries, self.max_bytes = MAX_ENTRIES, MAX_BYTES
        self._known: dict[Hashable, Known] = {}
        self._stuck: list[Plan] = []  # interrupted, and not destroyed: they keep their arrays
        self._calls = 0

    def run(self, request: Request) -> Array:
        """Move an array. Collective over the groups of both sides."""
        name = _name_of(request)
        known = None if name is None else self._known.get(name)
        if known is None:
            return self._run(request, None, None)
        x, to, out = request.x, request.to, request.out
        result: Array | None = None
        if type(to) is Array:
            result, y = to, to._local
        elif known.empty is None:
            y = None
        else:
            y = known.empty() if out is None else out
        try:
            found = self._again(known, x._local, y)
        except BaseException:  # it may have written a part
            if result is not None:
                clock.written(result)
            raise
        if found is True:
            return array_on(known.plan.dist, y) if result is None else result
        return self._run(request, known.key, found) if found else self._run(request, None, None)

    def update(self, array: Array) -> None:
        """Fill the overlap of an array in place. Collective over its group."""
        local = array.local
        name = ("overlap", id(array._dist), id(local))
        known = self._known.get(name)
        pairs = None
        if known is not None:
            found = self._again(known, local, local)
            if found is True:
                return
            pairs = found or None
        group = array.distribution.group
        flags = local.flags
        key = Overlap(array.distribution, local.ctypes.data, local.strides, flags.writeable, flags.aligned)
        plan = self.plans.get(key)
        if plan is None:
            self._drop_left()
        ctrl_c = Deferred()
        with _held(ctrl_c, plan is None):
            number, is_known = self._agreed(group, plan, pairs, None)
        self._count(is_known)
        if plan is None or not is_known:
            with ctrl_c:
                plan = self._keep(key, plan_overlap(array, group, number))
        with self._dropped_if_it_fails(key, plan, None):
            ctrl_c.raise_noted()
            plan.run(local, local)
        self._learn(name, key, plan, (array._dist,), local, local, None)

    def _drop_left(self) -> None:
        """Drop plans in place whose arrays are gone: their memory cannot be freed before. Local."""
        if _dri.free_left():
            for key in [key for key in self.plans if isinstance(key, Overlap) and _dri.is_left(key.address)]:
                self._take(key).destroy()
            _dri.free_left()

    def limit(self, entries: int, size: int) -> None:
        """Set the bounds, and drop what exceeds them. Local."""
        self.max_entries, self.max_bytes = entries, size
        self._shrink(None)

    def forget(self) -> None:
        """The library has ended, and its ends with it. Local."""
        self.plans.clear()
        self._known.clear()
        self._stuck.clear()
        self.bytes = 0

    def abandon(self) -> None:
        """Destroy all plans, and wait for nobody. Local."""
        for plan in self.plans.values():
            plan.abandon()
        self.forget()

    def _again(self, known: Known, x: npt.NDArray[Any] | None, y: npt.NDArray[Any] | None) -> bool | Pairs | None:
        """Run a known call. True: done. Numbers: the processes have not agreed. Else nothing is done yet."""
        plan = known.plan
        try:
            found = known.mover.run(x, y, accords.next)
        except BaseException:
            if not known.mover.has_agreed:
                accords.drop(plan.group)
            self._fail(known.key, plan)
            raise
        if found is True:
            self.hits += 1
            self._calls += 1
            plan.used = self._calls
        elif found is False:  # a process has given up the accord in an earlier call
            accords.drop(plan.group)
        return found

    def _run(self, request: Request, key: Hashable, pairs: Pairs | None) -> Array:
        """The same with all that a call may need. ``pairs``: what the processes have agreed on already."""
        group = _group_of(request)
        if group.position is None:
            return Array(_target(request))
        fault: Exception | None = None
        result: Array | None = None
        plan: Plan | None = None
        try:
            key = _key(request) if key is None else key
            plan = self.plans.get(key)
            if plan is not None:
                result = _result(request, plan.dist)
        except Exception as error:
            fault, plan = error, None
        ctrl_c = Deferred()
        with _held(ctrl_c, plan is None):
            number, is_known = self._agreed(group, plan, pairs, fault)
            self._count(is_known)
            if plan is None or not is_known:
                with _held(ctrl_c, plan is not None):
                    _require_one_kind(group, request.to)
                    dist = _target(request)
                    try:
                        result = _result(request, dist)
                    except Exception as error:
                        fault = error
                    raise_together(group, fault)
                    assert result is not None
                    plan = self._keep(key, plan_move(request.x, result, float(request.scale), group, number))
        assert result is not None
        self._calls += 1
        plan.used = self._calls
        x, y = request.x._local, result._local
        with self._dropped_if_it_fails(key, plan, result):
            ctrl_c.raise_noted()
            plan.run(x, y)
        named = (request.x._dist, request.to._dist if isinstance(request.to, Array) else request.to)
        self._learn(_name_of(request), key, plan, named, x, y, _maker(result, request.layout))
        return result

    def _count(self, is_known: bool) -> None:
        self.hits += is_known
        self.misses += not is_known

    def _agreed(self, group: Group, plan: Plan | None, pairs: Pairs | None, fault: Exception | None) -> tuple[int, bool]:
        mine = 0 if plan is None else plan.number
        return accords.agree(group, mine, fault) if pairs is None else accords.decide(group, pairs, mine, fault)

    def _learn(
        self, name: Hashable | None, key: Hashable, plan: Plan, named: tuple[Any, ...], x: npt.NDArray[Any] | None,
        y: npt.NDArray[Any] | None, empty: Callable[[], npt.NDArray[Any]] | None,
    ) -> None:  # fmt: skip
        """Let the next call like this go straight to its plan. Local."""
        is_alone = len(plan.group) == 1
        if name is None or self.plans.get(key) is not plan or (accords.of(plan.group) is None and not is_alone):
            return
        if name not in plan.known:
            if len(plan.known) == KNOWN:
                self._known.pop(plan.known.pop(0), None)
            plan.known.append(name)
        self._known[name] = Known(key, plan, plan.mover(x, y), named, empty)

    @contextmanager
    def _dropped_if_it_fails(self, key: Hashable, plan: Plan, target: Array | None) -> Iterator[None]:
        try:
            yield
        except BaseException:  # it may have written a part
            self._fail(key, plan)
            if target is not None:
                clock.written(target)
            raise

    def _fail(self, key: Hashable, plan: Plan) -> None:
        """A frame that an error or Ctrl-C has interrupted may still use its arrays, until its ends are destroyed."""
        if self.plans.get(key) is plan:
            self._take(key)
        if plan.abandon():
            self._stuck.append(plan)
        else:
            plan.forget_arrays()

    def _keep(self, key: Hashable, plan: Plan) -> Plan:
        if key in self.plans:
            self._take(key).destroy()
        self.plans[key] = plan
        self.bytes += plan.bytes
        env.remember(self)
        self._shrink(key)
        return plan

    def _take(self, key: Hashable) -> Plan:
        plan = self.plans.pop(key)
        self.bytes -= plan.bytes
        for name in plan.known:
            self._known.pop(name, None)
        return plan

    def _shrink(self, kept: Hashable) -> None:
        """The least recently used go first. The plan of the call that runs stays, whatever the bounds are."""
        for key in sorted(self.plans, key=lambda key: self.plans[key].used):
            if len(self.plans) <= self.max_entries and self.bytes <= self.max_bytes:
                return
            if key != kept:
                self._take(key).destroy()


store = Store()


def _held(ctrl_c: Deferred, is_held: bool) -> ContextManager[Any]:
    """Ctrl-C is held back in set-up, and heard in the wait for the others of a call whose plan is known."""
    if is_held:
        return ctrl_c
    return nullcontext()


def _name_of(request: Request) -> Hashable | None:
    """What a call is known by, without a look into its values; None: it is not. Local."""
    x, to, out, layout, dtype, scale = request
    if type(x) is not Array:
        return None
    target: Hashable = to
    if type(to) is Distribution:
        target = id(to)
    elif type(to) is Array:
        if out is not None:
            return None
        target = (id(to._dist),)
    name = (id(x._dist), target, out is None, layout, dtype, scale)
    try:
        hash(name)
    except TypeError:
        return None
    return name


def _maker(result: Array, layout: LayoutLike) -> Callable[[], npt.NDArray[Any]] | None:
    """Makes memory like that of a result, which has this layout if it was made here."""
    dist = result.distribution
    if result._local is None:
        return None
    if layout == "C" or layout == "F":
        shape, dtype, order = result._local.shape, dist.dtype, layout
        return lambda: np.empty(shape, dtype, order)  # type: ignore[call-overload,no-any-return]
    return lambda: allocate(dist, layout, False)


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


def _require_one_kind(group: Group, to: Any) -> None:
    """Refuse a partition beside distributions: a call makes one of a partition together. Collective over the group."""
    kinds = _dri.gather(group.handle(), b"\1" if isinstance(to, (Array, Distribution)) else b"\0")
    other = next((rank for rank, kind in zip(group, kinds) if kind != kinds[0]), None)
    if other is not None:
        names = ("a partition", "a Distribution or an Array")
        first, second = names if kinds[0] == b"\0" else names[::-1]
        raise MismatchError(f"to: process {group.ranks[0]} passes {first}, but process {other} {second}")


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
    if request.out is not None and not isinstance(request.out, np.ndarray):
        raise ArgumentError(f"out is a numpy array, not {type(request.out).__name__}")
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
    return request.x.distribution, None if x is None else _form_of(x), to, lies, dtype, scale_of(request.scale)


def _form_of(memory: npt.NDArray[Any]) -> Hashable:
    """What a plan requires of an array's memory. Another address needs no other plan."""
    flags = memory.flags
    return memory.shape, memory.strides, memory.dtype, flags.writeable, flags.aligned


def _result(request: Request, dist: Distribution) -> Array:
    """The array to fill. Local."""
    if isinstance(request.to, Array):
        result = request.to
    elif request.out is None or not dist.here:
        result = array_on(dist, allocate(dist, request.layout, False) if dist.here else None)
    else:
        result = Array(dist, request.out)
    if result.here and request.x.here:
        _refuse_shared(request.x.local, result.local)
    return result


def _refuse_shared(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> None:
    if np.may_share_memory(x, y):  # the library, too, compares where both begin and end
        raise ArgumentError("the result shares memory with x; a transfer with in_place=True moves within one buffer")
