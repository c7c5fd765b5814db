"""What numpy's operators and functions do with distributed arrays. Expressions are evaluated where they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .errors import UnsupportedError

if TYPE_CHECKING:
    import numpy.typing as npt

    from .array import Array
    from .piece import Piece


class Calls:
    """Functions of :mod:`dri.lazy`, which needs arrays: it puts them here."""

    apply_ufunc: Any
    apply_function: Any
    expression: Any
    update: Any
    quick: Any


calls = Calls()


def _forwards(ufunc: np.ufunc) -> Any:
    """The operator of a ufunc. numpy finds out what arrays and numbers are more slowly. Local."""

    def operator(self: Any, other: Any) -> Any:
        if type(other) in calls.quick:
            return calls.expression(ufunc, (self, other))
        return NotImplemented if _is_foreign(other) else ufunc(self, other)

    return operator


def _backwards(ufunc: np.ufunc) -> Any:
    """The same with its operands exchanged. Local."""

    def operator(self: Any, other: Any) -> Any:
        if type(other) in calls.quick:
            return calls.expression(ufunc, (other, self))
        return NotImplemented if _is_foreign(other) else ufunc(other, self)

    return operator


def _in_place(ufunc: np.ufunc) -> Any:
    """The same into the array itself. Collective."""

    def operator(self: Any, other: Any) -> Any:
        return calls.update(ufunc, self, other) if type(other) in calls.quick else ufunc(self, other, out=(self,))

    return operator


def _is_foreign(other: Any) -> bool:
    return getattr(type(other), "__array_ufunc__", False) is None


class Arithmetic(NDArrayOperatorsMixin):
    """Operators, ufuncs and reductions of arrays. Local, except what stores or reduces.

    A ufunc gives an expression. It is evaluated, as one loop, when it is assigned to a slice or given ``out=``, when it
    is reduced, and by :func:`dri.array` or ``evaluate``.
    """

    __hash__ = object.__hash__  # == compares elements
    __add__, __radd__ = _forwards(np.add), _backwards(np.add)
    __sub__, __rsub__ = _forwards(np.subtract), _backwards(np.subtract)
    __mul__, __rmul__ = _forwards(np.multiply), _backwards(np.multiply)
    __truediv__, __rtruediv__ = _forwards(np.true_divide), _backwards(np.true_divide)
    __iadd__, __isub__ = _in_place(np.add), _in_place(np.subtract)
    __imul__, __itruediv__ = _in_place(np.multiply), _in_place(np.true_divide)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return calls.apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        return calls.apply_function(function, arguments, options)

    def evaluate(self) -> Array:
        """The array itself; of an expression, once it is evaluated. Collective over the group."""
        return self  # type: ignore[return-value]

    def astype(self, dtype: npt.DTypeLike) -> Array:
        """The elements as another dtype, as an expression. Local."""
        from .lazy import converted

        return converted(self, dtype)

    def sum(self, axis: None = None) -> Any:
        """The sum of all elements, the same bits on all processes. Collective over the group."""
        return self._reduced("sum", axis)

    def min(self, axis: None = None) -> Any:
        """The least element. Collective over the group."""
        return self._reduced("min", axis)

    def max(self, axis: None = None) -> Any:
        """The greatest element. Collective over the group."""
        return self._reduced("max", axis)

    def mean(self, axis: None = None) -> Any:
        """The mean of all elements. Collective over the group."""
        return self._reduced("mean", axis)

    def any(self, axis: None = None) -> Any:
        """Whether an element is not 0. Collective over the group."""
        return self._reduced("any", axis)

    def all(self, axis: None = None) -> Any:
        """Whether no element is 0. Collective over the group."""
        return self._reduced("all", axis)

    def permute(self, order: Sequence[int]) -> Array:
        """A new array whose dimension i is dimension ``order[i]``: a corner turn. Collective over the group."""
        from .moves import permute

        return permute(self, order)

    @property
    def T(self) -> Array:
        """A new array with the dimensions in reverse order. Collective over the group."""
        return self.transpose()

    def transpose(self, *order: Any) -> Array:
        """The same as :meth:`permute`; without an order the dimensions are reversed. Collective over the group."""
        from .moves import transpose

        return transpose(self, order)

    def reshape(self, *shape: Any) -> Array:
        """A new array of another shape with the same elements in row-major order. Collective over the group."""
        from .moves import reshape

        return reshape(self, shape)

    def repartition(self, target: Any = None) -> Piece:
        """A piece in which each process holds what it asks for. Collective over the group.

        What the process owns of its target stays where it lies, and is followed and preceded by copies of what other
        processes own along dimension 0. With equal targets on all processes, again, it is one exchange.

        Parameters
        ----------
        target
            What this process asks for: slices of positions, with step 1. None on all processes: the default partition.

        Raises
        ------
        ArgumentError
            A target leaves the array. On all processes.
        UnsupportedError
            A process has several boxes of the array, or it is cut along other dimensions than 0.

        Examples
        --------
        >>> halos = x.repartition(np.s_[max(first - 1, 0) : min(end + 1, len_x)]).parts
        """
        from .piece import repartition

        return repartition(self, target)  # type: ignore[arg-type]

    def _reduced(self, name: str, axis: None) -> Any:
        if axis is not None:
            raise UnsupportedError(f"{name} reduces all elements; an axis has to be None, not {axis!r}")
        from .statements import reduce

        return reduce(self, name)

    def __bool__(self) -> bool:
        raise TypeError("a distributed array is neither true nor false; take any() or all()")
