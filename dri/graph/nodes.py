"""Nodes: arrays of this process that are given, computed, received or sent. Nothing is computed when they are made."""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, FrozenSet, Hashable, Iterable, Iterator, Mapping, Tuple, TypeVar, Union

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..elements import dtype_of
from ..errors import ArgumentError, DtypeError
from .tags import text_of

Tags = FrozenSet[Any]
Shape = Tuple[int, ...]


class ImplStored:
    """A tag: the value of the node is stored, and a later part reads it instead of needing this part's work."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImplStored)

    def __hash__(self) -> int:
        return hash(ImplStored)

    def __repr__(self) -> str:
        return "ImplStored()"


class Node(NDArrayOperatorsMixin):
    """An array of this process in a graph: shape and dtype, no value. Local.

    Operators and numpy's ufuncs of one result make new nodes. Their shapes and dtypes follow numpy's rules. Two nodes
    are equal only if they are one object; ``numpy.equal`` compares values.
    """

    def __init__(self, shape: Shape, dtype: Any, tags: Iterable[Any] = frozenset(), axes: Any = None) -> None:
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.tags: Tags = frozenset(tags)
        self.axes = axes

    @property
    def ndim(self) -> int:
        """The number of dimensions. Local."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements. Local."""
        return int(np.prod(self.shape, dtype=np.int64))

    def tagged(self, tags: Any) -> Any:
        """A new node like this one with further tags: one, or several. Local.

        Examples
        --------
        >>> y = (2 * x).tagged(ImplStored())
        """
        made = copy.copy(self)
        made.tags = self.tags | (frozenset(tags) if isinstance(tags, (set, frozenset, list, tuple)) else {tags})
        return made

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            raise TypeError(f"{ufunc.__name__}.{method} makes no node; dri.graph.call runs any function")
        if options:
            raise TypeError(f"{ufunc.__name__} of nodes takes no {', '.join(options)}; dri.graph.call runs any function")
        return Computed(ufunc, inputs)

    def __array__(self, dtype: Any = None) -> Any:
        raise TypeError("a node has no value; execute_distributed_partition computes the outputs")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        raise TypeError("a node has no value, so it is neither true nor false")

    def needs(self) -> Tuple[Union[Node, DistributedSend], ...]:
        """The nodes that this one is made of. Local."""
        return ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.dtype} {self.shape}>"


class Placeholder(Node):
    """An input: its value is given at each execution."""

    def __init__(self, name: str, shape: Shape, dtype: Any, tags: Iterable[Any] = (), axes: Any = None) -> None:
        super().__init__(shape, dtype, tags, axes)
        self.name = name


class DataWrapper(Node):
    """A constant: an array of the user's, which is read where it lies."""

    def __init__(self, data: np.ndarray[Any, Any], tags: Iterable[Any] = (), axes: Any = None) -> None:
        super().__init__(data.shape, dtype_of(data.dtype), tags, axes)
        self.data = data


class Computed(Node):
    """The result of a ufunc. ``inputs`` are nodes and numbers."""

    def __init__(self, ufunc: np.ufunc, inputs: Iterable[Any]) -> None:
        self.ufunc = ufunc
        self.inputs = tuple(_operand(one, ufunc) for one in inputs)
        if ufunc.nout != 1:
            raise TypeError(f"{ufunc.__name__} has {ufunc.nout} results; dri.graph.call runs any function")
        nodes = [one for one in self.inputs if isinstance(one, Node)]
        if ufunc.signature is not None:
            if ufunc is not np.matmul or len(nodes) != 2:
                raise TypeError(f"{ufunc.__name__} makes no node; dri.graph.call runs any function")
            shape = _matmul_shape(*(one.shape for one in nodes))
        else:
            shape = np.broadcast_shapes(*(one.shape for one in nodes))
        super().__init__(shape, dtype_of(_result_type(ufunc, self.inputs)))

    def needs(self) -> Tuple[Node, ...]:
        """The operands that are nodes. Local."""
        return tuple(one for one in self.inputs if isinstance(one, Node))


class Called(Node):
    """The result of a function of the user's: :func:`call` makes it."""

    def __init__(self, function: Callable[..., Any], inputs: Tuple[Node, ...], shape: Shape, dtype: Any) -> None:
        super().__init__(shape, dtype)
        self.function = function
        self.inputs = inputs

    def needs(self) -> Tuple[Node, ...]:
        """The operands. Local."""
        return self.inputs


class DistributedRecv(Node):
    """What arrives from another process: the node of :func:`make_distributed_recv`."""

    def __init__(
        self, shape: Shape, dtype: Any, src_rank: int, comm_tag: Hashable, *, axes: Any = None, tags: Iterable[Any] = ()
    ) -> None:  # fmt: skip
        super().__init__(shape, dtype_of(dtype), tags, axes)
        self.src_rank = src_rank
        self.comm_tag = comm_tag


class DistributedSend:
    """A send: it has no value. It exists if an output reaches it, or if it is an output itself.

    Parameters
    ----------
    data, dest_rank, comm_tag
        The node that is sent, the process that receives it, and a hashable object that both sides give.
    """

    def __init__(self, data: Node, dest_rank: int, comm_tag: Hashable, *, tags: Iterable[Any] = ()) -> None:
        self.data = _node(data)
        self.dest_rank = dest_rank
        self.comm_tag = comm_tag
        self.tags: Tags = frozenset(tags)
        text_of(comm_tag)

    def needs(self) -> Tuple[Node, ...]:
        """What is sent. Local."""
        return (self.data,)

    def copy(self, *, comm_tag: Hashable) -> DistributedSend:
        """The same send under another tag. Local."""
        return DistributedSend(self.data, self.dest_rank, comm_tag, tags=self.tags)

    def __repr__(self) -> str:
        return f"<DistributedSend {self.comm_tag!r} to {self.dest_rank}: {self.data.dtype} {self.data.shape}>"


class DistributedSendRefHolder(Node):
    """A node with the value of another one, which keeps a send: the staple."""

    def __init__(self, send: DistributedSend, passthrough_data: Node, tags: Iterable[Any] = ()) -> None:
        if not isinstance(send, DistributedSend):
            raise TypeError(f"a staple holds a DistributedSend, not {type(send).__name__}")
        same = _node(passthrough_data)
        super().__init__(same.shape, same.dtype, tags, same.axes)
        self.send = send
        self.passthrough_data = same

    def needs(self) -> Tuple[Union[Node, DistributedSend], ...]:
        """The send and the node. Local."""
        return self.send, self.passthrough_data


Output = Union[Node, DistributedSend]
Operation = TypeVar("Operation", DistributedRecv, DistributedSend)


def note_original(made: Operation, node: Operation) -> Operation:
    """Note that a receive or send stands for another one, whose tag it numbers. Local."""
    made.__dict__["_original"] = original_of(node)
    return made


def original_of(node: Operation) -> Operation:
    """The receive or send of the graph for which one with a number as its tag stands; else itself. Local."""
    return getattr(node, "_original", node)


class DictOfNamedArrays(Mapping[str, Output]):
    """The outputs of a graph by name. A send may be one, which keeps it without a staple."""

    def __init__(self, data: Mapping[str, Any], *, tags: Iterable[Any] = ()) -> None:
        self._data: Dict[str, Output] = {name: one if isinstance(one, DistributedSend) else _node(one) for name, one in data.items()}
        self.tags: Tags = frozenset(tags)

    def __getitem__(self, name: str) -> Output:
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return f"DictOfNamedArrays({self._data})"


def make_placeholder(
    name: str, shape: Any, dtype: Any = float, *, axes: Any = None, tags: Iterable[Any] = ()
) -> Placeholder:
    """An input that each execution gives by its name. Local."""
    return Placeholder(name, shape_of(shape), dtype_of(dtype), tags, axes)


def make_data_wrapper(
    data: Any, *, name: str | None = None, shape: Any = None, axes: Any = None, tags: Iterable[Any] = ()
) -> DataWrapper:
    """A constant. Local. A packed array in C order is read where it lies, others are copied once."""
    array = np.asarray(data)
    array = array if array.flags.c_contiguous else array.copy(order="C")
    if shape is not None and shape_of(shape) != array.shape:
        raise ArgumentError(f"the data have the shape {array.shape}, not {shape_of(shape)}")
    return DataWrapper(array, tags, axes)


def make_dict_of_named_arrays(data: Mapping[str, Any], *, tags: Iterable[Any] = ()) -> DictOfNamedArrays:
    """The outputs of a graph by name. Local."""
    return DictOfNamedArrays(data, tags=tags)


def make_distributed_recv(
    src_rank: int, comm_tag: Hashable, shape: Any, dtype: Any, axes: Any = None, tags: Iterable[Any] = ()
) -> DistributedRecv:
    """What the process of a rank sends under a tag. Local. Shape and dtype are those of the send."""
    text_of(comm_tag)
    return DistributedRecv(shape_of(shape), dtype, src_rank, comm_tag, axes=axes, tags=tags)


def make_distributed_send(
    sent_data: Node, dest_rank: int, comm_tag: Hashable, send_tags: Iterable[Any] = ()
) -> DistributedSend:
    """A send. Local. It is part of the graph once it is stapled to a node, or is an output."""
    return DistributedSend(sent_data, dest_rank, comm_tag, tags=send_tags)


def staple_distributed_send(
    sent_data: Node, dest_rank: int, comm_tag: Hashable, stapled_to: Node, *, send_tags: Iterable[Any] = (),
    ref_holder_tags: Iterable[Any] = (),
) -> DistributedSendRefHolder:  # fmt: skip
    """A node with the value of ``stapled_to``, which keeps the send of ``sent_data``. Local."""
    send = make_distributed_send(sent_data, dest_rank, comm_tag, send_tags)
    return DistributedSendRefHolder(send, stapled_to, ref_holder_tags)


def call(function: Callable[..., Any], *nodes: Any, shape: Any, dtype: Any) -> Called:
    """The result of any function. Local. It is run as ``function(*arrays, out=array)`` and fills ``out``.

    Examples
    --------
    >>> spectrum = call(lambda x, out: np.copyto(out, np.fft.fft(x)), x, shape=x.shape, dtype=complex)
    """
    if not callable(function):
        raise TypeError(f"call() runs a function, not {type(function).__name__}")
    return Called(function, tuple(map(_node, nodes)), shape_of(shape), dtype_of(dtype))


def shape_of(shape: Any) -> Shape:
    """A tuple of extents. Local."""
    found = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    extents = tuple(one.__index__() for one in found)
    if any(one < 0 for one in extents):
        raise ArgumentError(f"the shape {extents} has a negative extent")
    return extents


def _node(given: Any) -> Node:
    if isinstance(given, Node):
        return given
    if isinstance(given, DistributedSend):
        raise TypeError("a send has no value; staple_distributed_send makes a node of it")
    return make_data_wrapper(given)


def _operand(given: Any, ufunc: np.ufunc) -> Any:
    """A node; Python's numbers stay what they are, because numpy's rules for them are others."""
    if isinstance(given, (bool, int, float, complex)):
        return given
    return _node(given)


def _result_type(ufunc: np.ufunc, inputs: Tuple[Any, ...]) -> Any:
    """The dtype that numpy finds for arrays of at least one dimension, which does not depend on values."""
    ends = (1, 1) if ufunc.signature is not None else (0,)
    with np.errstate(all="ignore"):
        dtype = ufunc(*(np.empty(ends, one.dtype) if isinstance(one, Node) else one for one in inputs)).dtype
    if dtype.hasobject:
        raise DtypeError(f"{ufunc.__name__} of {', '.join(str(getattr(one, 'dtype', one)) for one in inputs)} gives objects")
    return dtype


def _matmul_shape(a: Shape, b: Shape) -> Shape:
    if not a or not b:
        raise ArgumentError("matmul needs arrays of at least one dimension")
    left, right = (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b
    if left[-1] != right[-2]:
        raise ArgumentError(f"matmul of the shapes {a} and {b}")
    rows, columns = ((),) if len(a) == 1 else ((left[-2],),), () if len(b) == 1 else (right[-1],)
    return (*np.broadcast_shapes(left[:-2], right[:-2]), *rows[0], *columns)
