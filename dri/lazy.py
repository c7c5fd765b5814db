"""Expressions of distributed arrays that are not evaluated yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, List, NoReturn, Sequence, Tuple

import numpy as np

from ._signals import deferred
from .arithmetic import calls
from .array import Array
from .elements import Dtype, dtype_of
from .errors import ArgumentError, StaleError, StateError
from .forms import Form, clock
from .group import Group
from .section import Section

if TYPE_CHECKING:
    import numpy.typing as npt

Operation = Callable[..., Any]
MOST = 64  # arrays of an expression whose program is kept
KEPT = 1024
_NUMBERS = frozenset((int, float, complex))
_forms: dict[Any, ExpressionForm] = {}
_new = object.__new__


class ExpressionForm:
    """What an expression computes, without the arrays: equal ones have one program."""

    __slots__ = ("shape", "dtype", "group", "leaves")

    def __init__(self, shape: Tuple[int, ...], dtype: Dtype, group: Group, leaves: int) -> None:
        self.shape, self.dtype, self.group = shape, dtype, group
        self.leaves = leaves
        """How many arrays it has. Forms with more than MOST are not kept."""


class Node:
    """An operation with its operands, which are nodes, arrays, arrays of numpy's and numbers."""

    __slots__ = ("operation", "inputs", "form", "born")

    def __init__(self, operation: Operation, inputs: Tuple[Any, ...], form: ExpressionForm) -> None:
        self.operation, self.inputs, self.form = operation, inputs, form
        self.born = clock.now

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self.form.dtype

    def collect(self, leaves: List[Any], seen: set[int] | None = None) -> None:
        """Append all arrays. Local. StaleError: one has been written to since. ``seen``: leave out nodes in it."""
        if seen is not None:
            if id(self) in seen:
                return
            seen.add(id(self))
        born = self.born
        for one in self.inputs:
            kind = type(one)
            if kind is Node:
                one.collect(leaves, seen)
            elif kind is Section:
                if one._base.version > born:
                    raise stale()
                leaves.append(one)
            elif isinstance(one, Array):
                if one.version > born:
                    raise stale()
                leaves.append(one)
            elif kind is np.ndarray:
                leaves.append(one)


def stale() -> StaleError:
    """What an expression says of an array that has been written to. Local."""
    return StaleError("an array of the expression has been written to since; evaluate() it before")


class Lazy(Array):
    """An expression over arrays, of numpy's shape and dtype. Local. :meth:`evaluate` makes an array of it."""

    node: Node

    @property
    def form(self) -> Any:
        """What it computes. Local."""
        return self.node.form

    @property
    def group(self) -> Group:
        """The processes that hold the arrays. Local."""
        return self.node.form.group

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension, over all processes. Local."""
        return self.node.form.shape

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self.node.form.dtype

    @property
    def here(self) -> bool:
        """Whether this process is in the group. Local."""
        return self.node.form.group.position is not None

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

    @deferred
    def evaluate(self) -> Array:
        """Compute the elements, and be an array from now on. Collective over the group.

        Ctrl-C is raised behind the last step. The expression is an array then, as on the others, and to evaluate it again
        sends nothing. So keep it in a name, or assign it into an array: an expression that is written anew is another call,
        which the others do not make.

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
        return f"<Array {self.dtype} {self.shape} over {self.group}: not evaluated yet>"


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
    base: Array = getattr(array, "_base", array)
    return base


def expression(operation: Operation, inputs: Tuple[Any, ...]) -> Lazy:
    """An operation on arrays, numpy's arrays and numbers. Local. Memory of numpy's is equal on all processes."""
    taken: List[Any] = []
    key: List[Any] = [operation]
    for one in inputs:
        kind = type(one)
        if kind is Lazy:
            one = one.node
            key.append(one.form)
        elif kind is Section or kind is Array:
            key.append(one.form)
        elif kind in _NUMBERS:
            key.append((kind, _number_key(one)))
        else:
            one = _input(one)
            if isinstance(one, np.ndarray):
                key.append((one.dtype, one.shape))
            else:
                key.append(one.form if isinstance(one, Array) else (type(one), _number_key(one)))
        taken.append(one)
    kept = tuple(key)
    form = _forms.get(kept)
    if form is None:
        form = _form_of(operation, taken)
        if form.leaves <= MOST:
            if len(_forms) >= KEPT:
                _forms.clear()
            _forms[kept] = form
    made = _new(Lazy)
    made.node = Node(operation, tuple(taken), form)
    return made


def _number_key(one: Any) -> Any:
    """Equal for numbers with the same bits: -0.0 is no 0.0, also in a part of a complex number. Local."""
    return repr(one) if not one or isinstance(one, (complex, np.complexfloating)) else one


def _form_of(operation: Operation, inputs: Sequence[Any]) -> ExpressionForm:
    group: Group | None = None
    shape: tuple[int, ...] | None = None
    leaves = 0
    samples: List[Any] = []
    for one in inputs:
        if isinstance(one, (Node, Array)):
            form: Any = one.form
            if group is None:
                group = form.group
            elif form.group is not group and form.group != group:
                raise ArgumentError("the arrays of an expression are over different processes, or in another order of them")
            leaves += form.leaves if isinstance(one, Node) else 1
            if isinstance(one, Array):
                require_forwards(one)
        elif isinstance(one, np.ndarray):
            form, leaves = one, leaves + 1
        else:
            samples.append(one)
            continue
        shape = form.shape if shape is None else np.broadcast_shapes(shape, form.shape)
        samples.append(np.empty(0, form.dtype))
    assert group is not None and shape is not None
    with np.errstate(all="ignore"):
        return ExpressionForm(shape, dtype_of(operation(*samples).dtype), group, leaves)


def require_forwards(array: Array) -> None:
    """Refuse slices that count backwards. Local."""
    form = array.form
    if not isinstance(form, Form) or not form.is_backwards:
        return
    for dim, one in enumerate(form.chosen or ()):
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
    if target is None:
        return expression(ufunc, inputs)
    return _stored(ufunc, inputs, target)


def update(ufunc: np.ufunc, target: Array, other: Any) -> Array:
    """What ``target += other`` does, for the operator's ufunc. Collective over the group."""
    if isinstance(target, Lazy):
        raise TypeError("an expression is changed in place once it is evaluated; evaluate() it before")
    return _stored(ufunc, (target, other), target)


def _stored(ufunc: np.ufunc, inputs: Tuple[Any, ...], target: Array) -> Array:
    made = expression(ufunc, inputs)
    if made.dtype != target.dtype and not np.can_cast(made.dtype, target.dtype, "same_kind"):
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
calls.expression, calls.update, calls.quick = expression, update, frozenset((Array, Section, Lazy, *_NUMBERS))
