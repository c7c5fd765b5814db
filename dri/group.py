"""Groups: ordered sets of processes, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence, Union, overload

from . import _dri
from .errors import ArgumentError

if TYPE_CHECKING:
    from mpi4py import MPI

Processes = Union["Group", "MPI.Intracomm", Iterable[int]]


class Group(Sequence[int]):
    """An ordered set of processes. Local.

    Groups are equal if they have the same ranks in the same order. They can be pickled. Slices and unions are groups.

    Parameters
    ----------
    processes
        An mpi4py intracommunicator whose processes all belong to the world, or different ranks of the world.

    Raises
    ------
    ArgumentError
        A rank is named twice or is negative, or there is none.

    Examples
    --------
    >>> front, back = world[:2], world[2:]
    """

    __slots__ = ("_ranks", "_handle", "_start")

    def __init__(self, processes: Processes) -> None:
        self._handle: _dri.Group | None = None
        self._start = 0  # of the library, when the handle was made
        if hasattr(processes, "py2f"):
            self._ranks: tuple[int, ...] = _dri.ranks_of_comm(processes.py2f())
            return
        if not hasattr(processes, "__iter__") or isinstance(processes, str):
            raise TypeError(f"a group is an mpi4py intracommunicator or ranks, not {type(processes).__name__}")
        self._ranks = tuple(_rank(one) for one in processes)
        if not self._ranks:
            raise ArgumentError("a group has at least one process")
        seen: dict[int, int] = {}
        for position, rank in enumerate(self._ranks):
            if rank < 0:
                raise ArgumentError(f"position {position} of the group: rank {rank} is negative")
            if rank in seen:
                raise ArgumentError(f"position {position} of the group: rank {rank} is also at position {seen[rank]}")
            seen[rank] = position

    @property
    def position(self) -> int | None:
        """The place of the calling process in the group, or None outside it. Local."""
        rank = _dri.world_rank()
        return self._ranks.index(rank) if rank in self._ranks else None

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks of the world, in the group's order. Local."""
        return self._ranks

    def Create_comm(self) -> MPI.Intracomm:
        """Make an mpi4py communicator of these processes, in their order. Collective over the group.

        The caller frees it.
        """
        from . import env

        return env.create_comm(self._ranks)

    def handle(self) -> _dri.Group:
        """The C interface's group. Local."""
        if self._handle is None or self._start != _dri.starts():
            self._handle, self._start = _dri.make_group(self._ranks), _dri.starts()
        return self._handle

    def refuse_strangers(self) -> None:
        """Refuse ranks outside the world, as the library does on the processes of the group. Local."""
        size = _dri.world_size()
        for position, rank in enumerate(self._ranks):
            if rank >= size:
                raise ArgumentError(f"position {position} of the group: rank {rank} is not in the world of {size} processes")

    def __len__(self) -> int:
        return len(self._ranks)

    def __iter__(self) -> Iterator[int]:
        return iter(self._ranks)

    def __contains__(self, rank: object) -> bool:
        return rank in self._ranks

    @overload
    def __getitem__(self, which: int) -> int: ...
    @overload
    def __getitem__(self, which: slice) -> Group: ...
    def __getitem__(self, which: int | slice) -> int | Group:
        return Group(self._ranks[which]) if isinstance(which, slice) else self._ranks[which]

    def __or__(self, other: Group) -> Group:
        if not isinstance(other, Group):
            return NotImplemented
        return Group(dict.fromkeys((*self._ranks, *other._ranks)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self._ranks == other._ranks

    def __hash__(self) -> int:
        return hash(self._ranks)

    def __reduce__(self) -> tuple[Any, ...]:
        return Group, (self._ranks,)

    def __repr__(self) -> str:
        return f"dri.Group([{', '.join(map(str, self._ranks))}])"

    def __str__(self) -> str:
        """The ranks in short, such as ``0-3,7``."""
        runs: list[list[int]] = []
        for rank in self._ranks:
            if runs and rank == runs[-1][1] + 1:
                runs[-1][1] = rank
            else:
                runs.append([rank, rank])
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _rank(value: int) -> int:
    try:
        return value.__index__()
    except AttributeError:
        raise ArgumentError(f"a group consists of ranks, not {value!r}") from None
