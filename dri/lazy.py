"""Expressions of distributed arrays that are not evaluated yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, List, NoReturn, Sequence, Tuple

import numpy as np

from .arithmetic import calls
from .array import Array
from .elements import Dtype, dtype_of
from .errors import ArgumentError, StaleError, StateError
from .group import Group

if TYPE_CHECKING:
    import numpy.typing as npt

Operation = Callable[..., Any]
MOST = 64  # arrays of an expression whose program is kept
KEPT = 1024
_NUMBERS = frozenset((int, float, complex))
_dtypes: dict[Any, Dtype] = {}


class Lazy(Array):
    """An expression over arrays, of numpy's shape and dtype. Local. :meth:`evaluate` makes an array of it."""

    stored: List[Tuple[Array, int]]
    leaves: List[Any]

    def __init__(
        self, operation: Operation, inputs: Tuple[Any, ...], group: Group, shape: tuple[int, ...], dtype: Dtype,
        signature: Tuple[Any, ...] | None,
    ) -> None:  # fmt: skip
        self.operation = operation
        self.inputs = inputs
        self.signature = signature
        """What is computed, without the arrays: equal ones have one program. None for long expressions."""
        self._group, self._shape, self._dtype = group, shape, dtype
        self._local = None
        leaves: List[Any] = []
        stored: List[Tuple[Array, int]] = []
        for one in inputs:
            if isinstance(one, Lazy):
                stored += one.stored
                leaves += one.leaves if signature is not None else ()
            elif isinstance(one, Array):
                base = base_of(one)
                stored.append((base, base.version))
                leaves.append(one)
            elif isinstance(one, np.ndarray):
                leaves.append(one)
        self.stored = stored if signature is not None else list(dict.fromkeys(stored))
        self.leaves = leaves

    def node(self) -> Lazy:
        """The expression, which stays one when this object is evaluated. Local."""
        node: Lazy | None = self.__dict__.get("_node")
        if node is None:
            node = object.__new__(Lazy)
            node.__dict__.update(self.__dict__)
            self.__dict__["_node"] = node
        return node

    @property
    def group(self) -> Group:
        """The processes that hold the arrays. Local."""
        return self._group

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension, over all processes. Local."""
        return self._shape

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self._dtype

    @property
    def here(self) -> bool:
        """Whether this process is in the group. Local."""
        return self._group.position is not None

    @property
    def local(self) -> npt.NDArray[Any]:
        """StateError: nothing is evaluated yet. Local."""
        self._refuse("local")

    @property
    def distribution(self) -> Any:
        """StateError: nothing is evaluated yet. Local."""
        self._refuse("distribution")

    @property
    def domain(self) -> Any:
        """StateError: nothing is evaluated yet. Local."""
        self._refuse("domain")

    @property
    def parts(self) -> Any:
        """StateError: nothing is evaluated yet. Local."""
        self._refuse("parts")

    def evaluate(self) -> Array:
        """Compute the elements, and be an array from now on. Collective over the group.

        Raises
        ------
        StaleError
            An array of the expression has been written to since.
        """
        from .statements import result_of

        made = result_of(self)
        self.__dict__.clear()
        self.__dict__.update(made.__dict__)
        self.__class__ = Array  # type: ignore[assignment]
        if self._domain is not None:
            self._domain.add(self)
        return self

    def require_current(self) -> None:
        """Refuse an expression whose arrays have been written to. Local."""
        for base, version in self.stored:
            if base.version != version:
                raise StaleError("an array of the expression has been written to since; evaluate() it before")

    def handle(self) -> NoReturn:
        """StateError: nothing is evaluated yet. Local."""
        self._refuse("handle")

    def distribute(self) -> Array:
        """The elements as an array over a distribution. Collective over the group."""
        return self.evaluate().distribute()

    def __getitem__(self, index: Any) -> Any:
        """A part of an expression is taken of its evaluation. Local. StateError."""
        self._refuse("[...]")

    def __setitem__(self, index: Any, value: Any) -> None:
        self._refuse("[...]")

    def _refuse(self, what: str) -> NoReturn:
        raise StateError(f"{what}: the expression is not evaluated yet; evaluate() makes an array of it")

    def _repr_html_(self) -> str:
        from html import escape

        return escape(repr(self))

    def __repr__(self) -> str:
        return f"<Array {self._dtype} {self._shape} over {self._group}: not evaluated yet>"


@dataclass(frozen=True)
class Converted:
    """The elements as another dtype, as an operation. Equal ones are one operation."""

    dtype: Dtype

    def __call__(self, x: Any, out: Any = None, casting: str = "unsafe") -> Any:
        if out is None:
            return np.asarray(x).astype(self.dtype)
        if out.dtype == self.dtype:
            np.copyto(out, x, casting="unsafe")
        else:
            np.copyto(out, np.asarray(x).astype(self.dtype), casting="unsafe")
        return out


def chosen(condition: Any, x: Any, y: Any, out: Any = None, casting: str = "unsafe") -> Any:
    """numpy's where, as an operation."""
    made = np.where(condition, x, y)
    if out is None:
        return made
    np.copyto(out, made, casting="unsafe")
    return out


def base_of(array: Array) -> Array:
    """The array whose memory it is. Local."""
    return getattr(array, "base", array)


def expression(operation: Operation, inputs: Tuple[Any, ...]) -> Lazy:
    """An operation on arrays, numpy's arrays and numbers. Local. Memory of numpy's is equal on all processes."""
    group: Group | None = None
    shape: tuple[int, ...] | None = None
    taken: List[Any] = []
    parts: List[Any] = [operation]
    size = 0
    for one in inputs:
        if isinstance(one, Array):
            own = one.group
            if group is None:
                group = own
            elif own is not group and own != group:
                raise ArgumentError("the arrays of an expression are over different processes, or in another order of them")
            if isinstance(one, Lazy):
                size += MOST if one.signature is None else len(one.leaves)
                parts.append(one.signature)
                one = one.node()
            else:
                require_forwards(one)
                parts.append(one.dtype)
        elif type(one) not in _NUMBERS:
            one = _input(one)
            parts.append(one.dtype if isinstance(one, np.ndarray) else (type(one), one or repr(one)))
        else:
            parts.append((type(one), one or repr(one)))  # -0.0 is no 0.0
        if isinstance(one, (Array, np.ndarray)) and one.shape != shape:
            shape = one.shape if shape is None else np.broadcast_shapes(shape, one.shape)
        taken.append(one)
    assert group is not None and shape is not None
    signature = tuple(parts) if size < MOST else None
    dtype = None if signature is None else _dtypes.get(signature)
    if dtype is None:
        dtype = _dtype_of(operation, taken)
        if signature is not None:
            if len(_dtypes) >= KEPT:
                _dtypes.clear()
            _dtypes[signature] = dtype
    return Lazy(operation, tuple(taken), group, shape, dtype, signature)


def _dtype_of(operation: Operation, inputs: Sequence[Any]) -> Dtype:
    samples = (np.empty(0, one.dtype) if isinstance(one, (Array, np.ndarray)) else one for one in inputs)
    with np.errstate(all="ignore"):
        return dtype_of(operation(*samples).dtype)


def require_forwards(array: Array) -> None:
    """Refuse slices that count backwards. Local."""
    if not getattr(array, "is_backwards", False):
        return
    for dim, one in enumerate(getattr(array, "chosen", ())):
        if isinstance(one, range) and one.step < 1:
            raise IndexError(f"dimension {dim}: the step is {one.step}; statements read and write with steps of 1 or more")


def _input(given: Any) -> Any:
    if isinstance(given, Array):
        return given
    if isinstance(given, (int, float, complex, np.generic)):
        return given
    made = np.array(given)  # a copy: the expression may be evaluated later
    if made.dtype.hasobject:
        raise TypeError(f"an operand is an array or a number, not {type(given).__name__}")
    return made if made.ndim else made[()]


def converted(array: Any, dtype: npt.DTypeLike) -> Lazy:
    """What ``array.astype(dtype)`` does. Local."""
    return expression(Converted(dtype_of(dtype)), (array,))


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: Tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What numpy's ufuncs do with arrays. Local without ``out``."""
    if method != "__call__" or ufunc.nout != 1 or ufunc.signature is not None:
        return NotImplemented
    (target,) = options.pop("out", (None,))
    if options:
        raise TypeError(f"{ufunc.__name__} of distributed arrays takes no {', '.join(options)}")
    if target is not None and (not isinstance(target, Array) or isinstance(target, Lazy)):
        raise TypeError("out is a distributed array that is evaluated; gather() makes numpy arrays")
    made = expression(ufunc, inputs)
    if target is None:
        return made
    if not np.can_cast(made.dtype, target.dtype, "same_kind"):
        raise TypeError(f"cannot cast the result of {ufunc.__name__} from {made.dtype} to {target.dtype} by same_kind")
    from .statements import store

    store(target, made)
    return target


_REDUCTIONS = {getattr(np, name): name for name in ("sum", "min", "max", "mean", "any", "all")}


def apply_function(function: Any, arguments: Any, options: dict[str, Any]) -> Any:
    """What numpy's functions do with arrays: where, reductions, transpose and reshape."""
    if function is np.where and len(arguments) == 3 and not options:
        return expression(chosen, tuple(arguments))
    if function in _REDUCTIONS and isinstance(arguments[0], Array):
        return getattr(arguments[0], _REDUCTIONS[function])(*arguments[1:], **_given(options))
    if function is np.transpose:
        return arguments[0].transpose(*arguments[1:], *options.values())
    if function is np.reshape and set(options) <= {"newshape"}:
        return arguments[0].reshape(*arguments[1:], *options.values())
    if function in (np.shape, np.ndim, np.size) and len(arguments) == 1:
        return getattr(arguments[0], function.__name__)
    raise TypeError(f"numpy.{function.__name__} does not take distributed arrays; gather() makes a numpy array")


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name == "axis" or type(value).__name__ != "_NoValueType"}


calls.apply_ufunc, calls.apply_function = apply_ufunc, apply_function
