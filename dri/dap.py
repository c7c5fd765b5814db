"""The Distributed Array Protocol: descriptions of distributed arrays that several packages share.

A package that has a distributed array describes its local part: ``{"__version__", "buffer", "dim_data"}``, what
``x.__distarray__()`` returns. Everything here is local and sends nothing, except what says otherwise.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple, TypeVar

import numpy as np

from . import _dri
from ._dap_faults import with_value
from ._dap_geometry import Message, from_global_dim_data, grid_shape, plan
from ._signals import deferred
from .elements import Dtype
from .errors import ArgumentError, DapError, Fault, OutOfRange, UnsupportedError
from .group import Group, Processes

if TYPE_CHECKING:
    import numpy.typing as npt

VERSION: str = _dri.dap_version
"""The version of the protocol that is written; all versions 0.x.y are read."""

_MAX_DIMS = 8  # of arrays that the library moves
_LONGEST_VERSION = 15
_BYTE = np.zeros((), "i1")

Found = TypeVar("Found")
DimData = Tuple[Dict[str, Any], ...]
_KEYS = ("__version__", "buffer", "dim_data")
_RULES = {"missing_key": 1, "extra_key": 2, "version": 3, "buffer": 4, "type": 6, "ndim": 21}


class Section(NamedTuple):
    """A description that is read: the part of one process, on the same memory."""

    buffer: npt.NDArray[Any]
    dim_data: DimData

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements of the whole array per dimension. Local."""
        return tuple(int(dim["size"]) for dim in self.dim_data)

    @property
    def size(self) -> int:
        """Elements of the whole array. Local."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self.buffer.dtype

    def __distarray__(self) -> Dict[str, Any]:
        return {"__version__": VERSION, "buffer": self.buffer, "dim_data": self.dim_data}


def fault(x: Any) -> Fault | None:
    """What is wrong with a description, the first of the rules that it breaks, or None. Local.

    Parameters
    ----------
    x
        An object with ``__distarray__``, or what that returns.

    Examples
    --------
    >>> dri.dap.fault(x).message
    'dimension 0: stop is 51, but size is 50'
    """
    given = description_of(x)
    for key in _KEYS:
        if key not in given:
            return Fault("missing_key", None, key, None, f"the key {key!r} is missing")
    found: List[Tuple[int, Fault]] = []
    for key in given:
        if key not in _KEYS:
            found.append(_of("extra_key", None, str(key), given[key], f"the key {key!r} is none of the protocol's"))
    version = given["__version__"]
    if not isinstance(version, str) or not version.isascii() or "\0" in version or not 0 < len(version) <= _LONGEST_VERSION:
        text = f"the version is {version!r:.60}, but must be 0.x.y, such as {VERSION}"
        found.append(_of("version", None, "__version__", version, text))
        version = VERSION
    buffer, dims = _array(given["buffer"]), given["dim_data"]
    if buffer is None:
        kind = type(given["buffer"]).__name__
        found.append(_of("buffer", None, "buffer", None, f"the buffer is a {kind}, which has no buffer interface"))
    if not isinstance(dims, (tuple, list)) or not all(isinstance(dim, dict) for dim in dims):
        found.append(_of("type", None, "dim_data", None, "dim_data is a tuple of dictionaries"))
        dims, buffer = (), None
    if buffer is not None and len(dims) != buffer.ndim:
        text = f"dim_data has {len(dims)} dimensions, but the buffer has {buffer.ndim}"
        found.append(_of("ndim", None, "dim_data", len(dims), text))
        buffer = None
    if buffer is not None and buffer.ndim <= _MAX_DIMS:
        found += _numbered(_dri.dap_fault(version, buffer, dims))
    else:
        found += _numbered(_dri.dap_fault(version, np.empty(0), ({},)))
        for number, dim in enumerate(dims):
            extent = -1 if buffer is None else buffer.shape[number]
            found += _numbered(_dri.dap_dim_fault(dim, number, extent))
    return _told(found, dims)


def validate(x: Any) -> tuple[bool, str]:
    """Whether a description keeps to the protocol, and what is wrong. Local. ``fault`` tells more."""
    wrong = fault(x)
    return (True, "") if wrong is None else (False, wrong.message)


def validate_dim_data(dims: Sequence[Dict[str, Any]]) -> tuple[bool, str]:
    """Whether the dimensions keep to the protocol, and what is wrong. Local."""
    for number, dim in enumerate(dims):
        good, message = validate_dim_dict(number, dim)
        if not good:
            return good, message
    return True, ""


def validate_dim_dict(number: int, dim: Dict[str, Any]) -> tuple[bool, str]:
    """Whether a dimension keeps to the protocol, and what is wrong. Local."""
    if not isinstance(dim, dict):
        return False, f"dimension {number} is a {type(dim).__name__}, but must be a dictionary"
    wrong = _told(_numbered(_dri.dap_dim_fault(dim, number, -1)), {number: dim})
    return (True, "") if wrong is None else (False, wrong.message)


def read(x: Any) -> Section:
    """Read a description. Local. Nothing is copied.

    Parameters
    ----------
    x
        An object with ``__distarray__``, or what that returns.

    Raises
    ------
    DapError
        It breaks a rule of the protocol.
    """
    wrong = fault(x)
    if wrong is not None:
        raise DapError(wrong.message, wrong)
    given = description_of(x)
    buffer = _array(given["buffer"])
    assert buffer is not None
    return Section(buffer, _written_out(buffer, given["dim_data"]))


def check_all(all_dim_data: Sequence[Sequence[Dict[str, Any]]]) -> None:
    """Check the dimensions of all processes against each other. Local. Empty dimensions {} are written out before.

    Raises
    ------
    DapError
        A process breaks a rule, or two processes disagree.
    UnsupportedError
        There are more than 8 dimensions.
    """
    refuse_many_dimensions(max(map(len, all_dim_data), default=0))
    found = _dri.dap_all_fault(all_dim_data)
    _raise(found, all_dim_data[found[6]] if found is not None and found[6] >= 0 else ())


@deferred
def check(x: Any, comm: Processes | None = None) -> None:
    """Check the description of each process, and all of them against each other. Collective over comm.

    Raises
    ------
    DapError
        On all processes.
    UnsupportedError
        On all processes: one has more than 8 dimensions.
    """
    from . import env
    from .agreement import agreed

    group = env.group_of(comm)
    section = agreed(group, lambda: read_movable(x))
    _raise(_dri.dap_group_fault(VERSION, section.buffer, section.dim_data, group.handle()))


def num_owned_indices(dim: Dict[str, Any]) -> int:
    """How many indices the process owns along a dimension. Local. Communication padding does not count."""
    return _checked(dim, _dri.dap_owned)


def owned_indices(dim: Dict[str, Any]) -> npt.NDArray[np.int64]:
    """The global indices that the process owns along a dimension, in the order of the buffer. Local."""
    return _checked(dim, _dri.dap_owned_indices)


def local_index(dim: Dict[str, Any], index: int) -> int:
    """The place of a global index in the buffer; padding counts. Local.

    Raises
    ------
    OutOfRange
        The process does not hold the index.
    """
    return _checked(dim, _dri.dap_local_index, index)


def global_index(dim: Dict[str, Any], place: int) -> int:
    """The global index at a place of the buffer; padding counts. Local.

    Raises
    ------
    OutOfRange
        The place is outside the buffer.
    """
    return _checked(dim, _dri.dap_global_index, place)


def owner(all_dim_data: Sequence[Sequence[Dict[str, Any]]], index: Sequence[int]) -> int:
    """The first process, in the order of all_dim_data, that owns an element. Local.

    Raises
    ------
    OutOfRange
        No process owns it.
    """
    for rank, dims in enumerate(all_dim_data):
        if len(dims) == len(index) and all(one in owned_indices(dim) for dim, one in zip(dims, index)):
            return rank
    raise OutOfRange(f"no process owns the element {tuple(index)}")


@deferred
def relabel(
    source: Any, target: Any, comm: Processes | None = None, *, dim: int = 0
) -> tuple[Section | None, Section | None]:
    """Number the labels of an unstructured dimension, so that they become indices. Collective over comm.

    The indices of such a dimension may be any integers, such as the numbers of a mesh's nodes. On both sides each label
    becomes its position among the sorted labels of the source. ``dri.redistribute`` does so where both of its sides are
    descriptions.

    Parameters
    ----------
    source, target
        Descriptions of this process, or None where it has no part of that array.
    comm
        The processes of both arrays; None is the world.
    dim
        The dimension, the same on all processes.

    Returns
    -------
    Both descriptions on the same memory, with positions as indices. The size is the number of different labels.

    Raises
    ------
    MismatchError
        On all processes: the source lacks a label, or the dimension is not unstructured everywhere.
    DapError, ArgumentError
        On all processes: a description has a fault, or there is no such dimension.

    Examples
    --------
    >>> nodes, mine = dri.dap.relabel(theirs, ours)
    """
    from . import env

    return relabelled(env.group_of(comm), lambda: [None if x is None else read_movable(x) for x in (source, target)], dim)


def relabelled(group: Group, sides_of: Callable[[], Sequence[Section | None]], dim: int) -> tuple[Section | None, Section | None]:
    """``relabel`` of both sides as ``read`` has made them; sides_of may raise on any process. Collective over the group."""
    from .agreement import agreed

    sides = agreed(group, lambda: [_with_dimension(side, dim) for side in sides_of()])
    n, *found = _dri.dap_relabel(group.handle(), dim, *sides)
    before, after = (None if side is None else _at(side, dim, places, n) for side, places in zip(sides, found))
    return before, after


def view(x: Any, index: Any) -> Section:
    """A part of the array by global indices, on the same memory. Local.

    A block dimension stays one at any positive step. Cyclic and unstructured ones become unstructured unless all of them
    is taken. A process that keeps nothing is empty. Communication padding is dropped. A number takes its dimension away,
    which must not be distributed.

    Raises
    ------
    UnsupportedError
        A number along a distributed dimension, a negative step, or elements that do not lie evenly spaced in memory.
    """
    from ._dap_view import view_of

    section = read(x)
    return Section(*view_of(section.buffer, section.dim_data, index))


def description_of(x: Any) -> Mapping[str, Any]:
    """The dictionary of an object with ``__distarray__``, or a dictionary itself. Local."""
    given = x.__distarray__() if hasattr(x, "__distarray__") else x
    if type(given) is not dict and not isinstance(given, Mapping):  # dict first: the other question takes long
        raise TypeError(f"a description is a dictionary, or an object with __distarray__, not {type(x).__name__}")
    return given


def read_movable(x: Any, is_read: bool = False) -> Section:
    """Read a description of an array that the library can move. Local.

    is_read: x is a Section that ``read`` has just made, which is not checked again. Others may be made by hand.
    """
    section: Section = x if is_read else read(x)
    refuse_many_dimensions(len(section.dim_data))
    return section


def refuse_many_dimensions(ndim: int) -> None:
    """Descriptions may have any number of dimensions, arrays of the library have up to 8. Local."""
    if ndim > _MAX_DIMS:
        raise UnsupportedError(f"the description has {ndim} dimensions, and at most {_MAX_DIMS} can be moved")


def _array(buffer: Any) -> npt.NDArray[Any] | None:
    if isinstance(buffer, np.ndarray):
        return buffer
    try:
        return np.asarray(memoryview(buffer))
    except TypeError:
        return None


def _with_dimension(side: Section | None, dim: int) -> Section | None:
    """What a process brings to a relabelling."""
    dim = operator.index(dim)
    if dim < 0 or (side is not None and dim >= len(side.dim_data)):
        raise ArgumentError(f"dim is {dim}" + ("" if side is None else f" of an array of {len(side.dim_data)} dimensions"))
    return side


def _at(side: Section, dim: int, places: npt.NDArray[np.int64], size: int) -> Section:
    """A description with other indices along a dimension."""
    own = {**side.dim_data[dim], "indices": places, "size": size}
    return Section(side.buffer, (*side.dim_data[:dim], own, *side.dim_data[dim + 1 :]))


def _written_out(buffer: npt.NDArray[Any], dims: Sequence[Dict[str, Any]]) -> DimData:
    if all(dims):
        return tuple(dims)
    return tuple(dim or _dri.dap_written_out(np.broadcast_to(_BYTE, n), ({},))[0] for dim, n in zip(dims, buffer.shape))


def _of(rule: str, dim: int | None, key: str, value: Any, message: str) -> tuple[int, Fault]:
    return _RULES[rule], Fault(rule, dim, key, value, message)


def _numbered(found: tuple[Any, ...] | None) -> list[tuple[int, Fault]]:
    if found is None:
        return []
    rule, number, dim, key, value, message = found[:6]
    return [(number, Fault(rule, None if dim < 0 else dim, key, value, message))]


def _checked(dim: Dict[str, Any], ask: Callable[..., Found], *arguments: int) -> Found:
    try:
        return ask(dim, *arguments)
    except OutOfRange:
        raise
    except ArgumentError as error:
        raise DapError(str(error)) from None


def _told(found: list[tuple[int, Fault]], dims: Any) -> Fault | None:
    """The fault of the smallest rule, with the value that its dimension has. The first of equal ones."""
    if not found:
        return None
    first = min(found, key=lambda one: one[0])[1]
    return first if first.dim is None or not dims else with_value(first, dims[first.dim])


def _raise(found: tuple[Any, ...] | None, dims: Any = ()) -> None:
    wrong = _told(_numbered(found), dims)
    if wrong is not None:
        raise DapError(wrong.message, wrong)


__all__ = [
    "DapError", "Fault", "Message", "Section", "VERSION", "check", "check_all", "fault", "from_global_dim_data",
    "global_index", "grid_shape", "local_index", "num_owned_indices", "owned_indices", "owner", "plan", "read", "relabel", "validate",
    "validate_dim_data", "validate_dim_dict", "view",
]  # fmt: skip
