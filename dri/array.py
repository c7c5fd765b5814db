"""Arrays: elements over a distribution or a domain, of which this process has a part in memory."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, NoReturn, Sequence, Tuple

import numpy as np

from . import _dri
from ._signals import deferred
from .agreement import agreed
from .arithmetic import Arithmetic
from .distribution import Distribution
from .domain import Domain, domain_of
from .elements import Dtype, dtype_of, element_of
from .ends import seconds_of, slice_ms
from .errors import ArgumentError, DtypeError, StateError
from .forms import Form, clock, form_of
from .group import Group
from .layout import LayoutLike, layout_of
from .local_memory import allocate, check_local, check_memory, row_major, shaped

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._dap_arrays import Described
    from .ranges import Ranges


TIMEOUT_MS = 4  # of DRI_Array_attr
_numbers = itertools.count(1)


class Array(Arithmetic):
    """A distributed array: elements over a distribution or a domain, and the part that this process has in memory.

    Over a distribution it is Local, over a domain Collective over the domain's group.

    Parameters
    ----------
    over
        A Distribution or a Domain: which process holds what. Outside its group the array exists with ``here`` False.
    local
        This process's part, overlap included: an array of the dtype and of the distribution's ``local_shape``, or of
        as many elements as the domain's ``count`` says. It is not copied. None makes one: over a distribution its
        contents are arbitrary, over a domain zeros. Other processes of the node read it where it lies, and a child that
        is forked shares it.
    dtype
        Of the elements over a domain; None is that of ``local``, else float64. A distribution has its own.
    layout
        How an array that is made here lies in memory.
    boundary, periodic
        What a description of the array says beside the distribution, per dimension: boundary padding (left, right), and
        whether the dimension is periodic. See :mod:`dri.dap`.

    Raises
    ------
    ArgumentError, DtypeError
        ``local`` does not fit. Over a domain on all processes.
    GapError, OverlapError, MismatchError
        The domain's map is none: with index and positions, on all processes.

    Examples
    --------
    >>> x = dri.Array(rows, mine)
    >>> y = x.redistribute((None, "block"))
    >>> a, b = dri.Array(numbers, dtype="f4"), dri.Array(blocks, dtype="f4")
    >>> b[...] = a
    """

    _made: _dri.Array | None = None  # the array of the C interface, once it is needed
    _start = 0  # of the library, when it was made
    _domain: Domain | None = None  # that the array was made over
    _described: Described | None = None
    _seconds: float | None = None  # that a call waits
    version = 0  # when the library wrote to it last, by the clock
    _form: Form  # of an array over a domain
    _dist: Distribution
    _dtype: Dtype  # of an array over a domain

    def __init__(
        self, over: Distribution | Domain, local: npt.NDArray[Any] | None = None, *, dtype: npt.DTypeLike = None,
        layout: LayoutLike = "C", boundary: Sequence[Tuple[int, int]] | None = None, periodic: Sequence[bool] | None = None,
    ) -> None:  # fmt: skip
        self._local: npt.NDArray[Any] | None = None
        self._boundary = self._periodic = None
        if isinstance(over, Domain):
            if boundary is not None or periodic is not None or not layout_of(layout).is_default:
                raise ArgumentError("an array over a domain lies row-major, and has no boundary padding")
            self._make_over(over, local, dtype)
            return
        if not isinstance(over, Distribution):
            raise TypeError(f"an Array has a dri.Distribution or a dri.Domain, not {type(over).__name__}")
        self._dist = over
        if dtype is not None and dtype_of(dtype) != over.dtype:
            raise DtypeError(f"the dtype is {dtype_of(dtype)}, but the distribution has {over.dtype}")
        for name, given in (("boundary", boundary), ("periodic", periodic)):
            if given is not None and len(given) != over.ndim:
                raise ArgumentError(f"{name} has {len(given)} entries, but the array has {over.ndim} dimensions")
        self._boundary = None if boundary is None else tuple((int(a), int(b)) for a, b in boundary)
        self._periodic = None if periodic is None else tuple(bool(one) for one in periodic)
        if not over.here:
            if local is not None:
                raise ArgumentError("this process is not in the group of the distribution, so it has no part")
        elif local is None:
            self._local = allocate(over, layout)
        else:
            check_local(over, local)
            self._local = local

    @property
    def distribution(self) -> Distribution:
        """Which process holds what. Local. That of an array over a domain is of dense indices, without overlap."""
        if self._domain is not None and self._local is None:
            raise StateError(f"this process is not in the group {self.group} of the array")
        return self._dist

    @property
    def domain(self) -> Domain:
        """The domain: that which the array was made over, else the indices from 0 over the distribution. Local."""
        return domain_of(self.distribution) if self._domain is None else self._domain

    @property
    def form(self) -> Form:
        """What statements need to know of it. Local."""
        return form_of(self._dist) if self._domain is None else self._form

    @property
    def group(self) -> Group:
        """The processes that hold the array. Local."""
        return self.distribution.group if self._domain is None else self._domain.group

    @property
    def local(self) -> npt.NDArray[Any]:
        """This process's part, overlap included. Local."""
        if self._local is None:
            raise StateError(f"this process is not in the group {self.group} of the array")
        return self._local

    @property
    def here(self) -> bool:
        """Whether this process is in the group. Local."""
        return self._local is not None

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension, over all processes. Local."""
        return self._dist.shape if self._domain is None else self._domain.shape

    @property
    def dtype(self) -> Dtype:
        """The dtype. Local."""
        return self._dist.dtype if self._domain is None else self._dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions. Local."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements, over all processes. Local."""
        return math.prod(self.shape)

    @property
    def boundary(self) -> tuple[tuple[int, int], ...] | None:
        """Boundary padding per dimension, as a description has it. Local."""
        return self._boundary

    @property
    def periodic(self) -> tuple[bool, ...] | None:
        """Whether a dimension is periodic, as a description has it. Local."""
        return self._periodic

    @property
    def owned(self) -> section.Section:
        """The array without its overlap, on the same memory. Local."""
        return self[...]

    def at(self, index: Any) -> npt.NDArray[Any]:
        """An element that this process owns, as an array without dimensions on the same memory. Local.

        Parameters
        ----------
        index
            An index of the domain: a number in one dimension, a tuple in more.

        Raises
        ------
        OutOfRange
            The index is no member of the domain, or the element belongs to another process, which is named.
        """
        return assignment.element_at(self, index)

    def __getitem__(self, index: Any) -> section.Section:
        """A part of the whole array, on the same memory. Local. A number takes its dimension away.

        Slices and numbers count places from 0, as in numpy. A ``range``, or a Domain, has indices of the domain.
        """
        return section.section_of(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Fill a part of the whole array.

        Values of numpy and numbers are the same on all processes: Local. Arrays: as :func:`dri.assign`, Collective over
        both groups. Expressions are evaluated, as one loop: Collective over the group.
        """
        assignment.fill(self, index, value)

    def redistribute(self, to: Any, **options: Any) -> Array:
        """Move the array to another distribution. Collective over both groups. See :func:`dri.redistribute`."""
        from .redistribute import redistribute

        return redistribute(self, to, **options)

    def distribute(self) -> Array:
        """The elements over their dense distribution, on the same memory. Local. Of an array over one it is itself."""
        if self._domain is None:
            return self
        return array_on(self.distribution, self.local[self._inside])

    def update_overlap(self) -> None:
        """Fill the overlap with the elements of the neighbours, in place. Collective over the group.

        After an error, or Ctrl-C, a part of the overlap may be filled; owned elements stay. Padding at the edges of another
        package's periodic array has elements of its own: expressions that read the array are stale.
        """
        from .redistribute import update_overlap

        update_overlap(self)

    def update_overlap_start(self) -> None:
        """The first half of ``update_overlap``. Collective over the group. Until the second half nothing is written."""
        self.handle().update_overlap_start(self.seconds)

    def update_overlap_wait(self) -> None:
        """The second half of ``update_overlap``. Collective over the group."""
        self.handle().update_overlap_wait(self.seconds)

    def configure(
        self, *, bulk: bool | None = None, plans: int | None = None, threads: int | None = None, timeout: float | None = None
    ) -> None:  # fmt: skip
        """Set how assignments to and from the array go. Collective over the group. All set the same.

        Parameters
        ----------
        bulk
            False: element by element.
        plans
            Assignments from one other array whose plans are kept.
        threads
            Threads that copy.
        timeout
            Seconds that a call waits for others.
        """
        assignment.configure(self, bulk, plans, threads)
        if timeout is not None:
            self._seconds = seconds_of(timeout)
            self.handle().set_attribute(TIMEOUT_MS, slice_ms(self._seconds))

    @property
    def seconds(self) -> float:
        """How long a call of the array waits for others. Local."""
        return seconds_of(None) if self._seconds is None else self._seconds

    def __distarray__(self) -> dict[str, Any]:
        """The array in the Distributed Array Protocol: version, buffer and dim_data. Local.

        Raises
        ------
        UnsupportedError
            The protocol cannot say the overlap or the partition; ``x.owned`` has no overlap.
        """
        from ._dap_arrays import describe

        return describe(self.distribute(), self._described)

    def gather(self, root: int = 0) -> npt.NDArray[Any] | None:
        """The whole array on one process. Collective over the group.

        Parameters
        ----------
        root
            The position in the group of the process that gets it; the others get None. -1: all get it.
        """
        from .redistribute import gather

        return gather(self, root)

    def write(self, stream: Any = None) -> None:
        """Write all elements as text, rows as lines. Collective over the group.

        Parameters
        ----------
        stream
            What the group's first process writes to; None is the standard output.
        """
        assignment.write(self, stream)

    def handle(self) -> _dri.Array:
        """The array of the C interface. Collective over the group, the first time."""
        if self._made is None or self._start != _dri.starts():
            self._make()
            assert self._made is not None
        return self._made

    def members(self) -> Ranges:
        """The ranges of the domain. Local."""
        return tuple(map(range, self._dist.shape)) if self._domain is None else self._domain.ranges

    @property
    def parts(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Left halo, owned elements and right halo along dimension 0, on the same memory. Local.

        An array has empty halos: what a statement reads of other processes is its own. A piece, see
        :meth:`repartition`, has what it asks for.
        """
        own = self.owned.local
        return own[:0], own, own[:0]

    def follow(self) -> None:
        """Take over the elements that ``Domain.set`` has made. Collective over the group."""
        domain = self._domain
        assert domain is not None and self._made is not None
        clock.written(self)
        self._form = Form(domain.shape, self._dtype, domain.group, domain.ranges)
        self._local = None
        if not domain.here:
            return
        self._dist = domain.distribution(self._dtype)
        memory = self._made.memory(domain.count()[1], self._dtype, self._made.keep())
        self._inside: tuple[slice, ...] = ()
        self._local = memory
        if self._dist.ndim == domain.ndim:  # else boxes lie one behind the other
            self._local, self._inside = shaped(memory, self._dist, self._made.view(0, self._dtype, None)[2])

    @deferred
    def _make(self) -> None:
        if self._domain is not None:
            raise StateError("the library has ended since the array was made")
        if not self.here:
            raise StateError(f"this process is not in the group {self.group} of the array")
        domain = domain_of(self.distribution)
        address = agreed(self.group, lambda: row_major(domain, self.local))
        self._seconds = self.seconds
        self._made = _dri.make_array(domain.handle(), element_of(self.dtype), address, slice_ms(self._seconds))
        self._start = _dri.starts()

    @deferred
    def _make_over(self, domain: Domain, local: npt.NDArray[Any] | None, dtype: npt.DTypeLike) -> None:
        self._domain, self._start, self.number = domain, _dri.starts(), next(_numbers)

        def check() -> int:
            if local is None:
                self._dtype = dtype_of(np.float64 if dtype is None else dtype)
                return 0
            self._dtype = dtype_of(local.dtype if dtype is None else dtype)
            check_memory(domain, self._dtype, local)
            return local.ctypes.data

        address = agreed(domain.group, check) if domain.here else check()
        self._seconds = self.seconds
        self._made = _dri.make_array(domain.handle(), element_of(self._dtype), address, slice_ms(self._seconds))
        self._given = local
        self.follow()
        domain.add(self)

    def __iter__(self) -> NoReturn:
        raise TypeError("a distributed array has no loop over its elements; take .local, this process's part, or gather()")

    def __array__(self, dtype: npt.DTypeLike = None) -> NoReturn:
        raise TypeError("a distributed array is no numpy array; take .local, this process's part, or gather()")

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Array cannot be pickled or copied; send .local and .distribution.spec")

    def _repr_html_(self) -> str:
        from ._html import distribution_rows, html

        return html("Array", distribution_rows(self.distribution), self.distribution)

    def __repr__(self) -> str:
        if self._domain is None:
            return repr(self._dist).replace("<Distribution", "<Array", 1)
        return f"<Array {self.dtype} {self.shape} over {self._domain!r}>"


def array_on(dist: Distribution, local: npt.NDArray[Any] | None) -> Array:
    """An array on memory that is known to fit. Local."""
    made = object.__new__(Array)
    made._dist, made._local, made._boundary, made._periodic = dist, local, None, None
    return made


# They need Array.
from . import assignment, section  # noqa: E402
