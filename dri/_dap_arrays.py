"""Described arrays of other packages as arrays, and arrays as descriptions."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Dict, Hashable, NamedTuple, Tuple

import numpy as np

from . import _dri, dap, env
from ._accord import accords
from ._adopt import adopt
from ._signals import Deferred, deferred
from .array import Array
from .distribution import Distribution
from .elements import dtype_of, element_of
from .errors import UnsupportedError
from .group import Group, Processes

if TYPE_CHECKING:
    import numpy.typing as npt

# Of DRI_Dap_view.
SOURCE, SINK, UPDATE = 1, 2, 3
_KEPT = 64


class Described:
    """The description that an array was made from, and the processes that share it."""

    def __init__(self, section: dap.Section, group: Group) -> None:
        self.section = section
        self.group = group
        self._for_update: Array | None = None

    @deferred
    def for_update(self) -> Array:
        """The array whose overlap is the padding to be filled. Collective over the group, the first time."""
        if self._for_update is None:
            self._for_update = imports.array(self.section, self.group, UPDATE)
        return self._for_update


class Imported(NamedTuple):
    """A distribution of equal descriptions, and where its first element lies in the buffer."""

    number: int
    dist: Distribution
    offset: int


class Imports:
    """Distributions of descriptions that were read before, the last ones. All processes agree on what they use."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Imported] = OrderedDict()

    def array(self, x: Any, group: Group, view: int) -> Array:
        """An array on the memory of a description. Collective over the group."""
        return self.read(x, group, view)[0]

    def read(self, x: Any, group: Group, view: int, is_read: bool = False) -> Tuple[Array, dap.Section]:
        """An array on the memory of a description, and the description. Collective over the group."""
        fault: Exception | None = None
        section: dap.Section | None = None
        known: Imported | None = None
        key: Hashable = None
        try:
            section = dap.read_movable(x, is_read)
            dtype_of(section.dtype)
            key = (group, view, section.dtype, section.buffer.shape, section.buffer.strides, _frozen(section.dim_data))
            known = self._kept.get(key)
            if view != SOURCE and not section.buffer.flags.writeable:
                known = None  # the library refuses it
        except Exception as error:
            fault = error
        with Deferred() as ctrl_c:
            number, is_known = accords.agree(group, known.number if known is not None else 0, fault)
            assert section is not None
            if known is None or not is_known:
                known = self._kept[key] = self._import(section, group, view, number)
                env.remember(self)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        ctrl_c.raise_noted()
        return _array(section, known), section

    def forget(self) -> None:
        """The library has ended. Local."""
        self._kept.clear()

    def abandon(self) -> None:
        """Nothing of it concerns other processes. Local."""
        self._kept.clear()

    def _import(self, section: dap.Section, group: Group, view: int, number: int) -> Imported:
        element = element_of(section.dtype)
        dist, origin = _dri.dap_import(dap.VERSION, section.buffer, section.dim_data, element, group.handle(), view)
        return Imported(number, adopt(dist, section.dtype), origin - section.buffer.ctypes.data)


imports = Imports()


def from_distarray(x: Any, comm: Processes | None = None) -> Array:
    """An array on the memory of another package's distributed array. Collective over comm. Nothing is copied.

    The processes check their descriptions against each other. Equal descriptions share their distribution.

    Parameters
    ----------
    x
        An object with ``__distarray__``, or what that returns.
    comm
        Its processes, in the order of the process grid; None is the world.

    Raises
    ------
    DapError, ArgumentError, MismatchError
        On all processes.

    Examples
    --------
    >>> x = dri.from_distarray(theirs)
    >>> y = x.redistribute((None, "block"))
    """
    group = env.group_of(comm)
    made, section = imports.read(x, group, SOURCE)
    made._described = Described(section, group)
    made._boundary, made._periodic = _annotations(section.dim_data)
    return made


def as_array(x: Any, comm: Processes | None, view: int, is_read: bool = False) -> Array:
    """What stands for an array in a redistribution: an array itself, or a description. Collective over comm."""
    return x if isinstance(x, Array) else imports.read(x, env.group_of(comm), view, is_read)[0]


def is_described(x: Any) -> bool:
    """Whether x is a description, or has one. Local."""
    return hasattr(x, "__distarray__") or (isinstance(x, dict) and "dim_data" in x)


def describe(array: Array, described: Described | None) -> Dict[str, Any]:
    """What ``__distarray__`` returns. Local."""
    if described is not None:
        buffer, dims = described.section
        return {"__version__": dap.VERSION, "buffer": buffer, "dim_data": tuple(dict(dim) for dim in dims)}
    dist = array.distribution
    layout = ("C", None, 0, False)
    try:
        dims = _dri.dap_export(dist.handle(), _dri.world_rank(), layout, array.boundary, array.periodic)
    except UnsupportedError as error:
        if any(rule.overlap for rule in dist.partition):
            raise UnsupportedError(f"{error}; x.owned has no overlap") from None
        raise
    return {"__version__": dap.VERSION, "buffer": array.local, "dim_data": dims}


def _array(section: dap.Section, known: Imported) -> Array:
    buffer, dist = section.buffer, known.dist
    if known.offset == 0 and buffer.shape == dist.local_shape:
        return Array(dist, buffer)
    address = buffer.ctypes.data + known.offset
    local = _dri.view(address, buffer.dtype, dist.local_shape, buffer.strides, buffer)
    local.flags.writeable = buffer.flags.writeable
    return Array(dist, local)


def _annotations(dims: dap.DimData) -> Tuple[Tuple[Tuple[int, int], ...], Tuple[bool, ...]]:
    """What this process knows of boundary padding and periods."""
    widths = []
    for dim in dims:
        left, right = dim.get("padding", (0, 0)) if dim["dist_type"] == "b" else (0, 0)
        rank, count = dim["proc_grid_rank"], dim["proc_grid_size"]
        widths.append((int(left) if rank == 0 else 0, int(right) if rank == count - 1 else 0))
    return tuple(widths), tuple(bool(dim.get("periodic", False)) for dim in dims)


def _frozen(dims: dap.DimData) -> Hashable:
    return tuple(tuple(sorted((key, _value(one)) for key, one in dim.items())) for dim in dims)


def _value(one: Any) -> Hashable:
    if isinstance(one, (int, str)):
        return repr(one)
    listed: npt.NDArray[Any] = np.asarray(one)
    return repr((listed.dtype.str, listed.shape, listed.tobytes()))
