"""Start and end of the library, and what has to happen at exit."""

from __future__ import annotations

import atexit
import os
import sys
from typing import TYPE_CHECKING, Any, Protocol

from . import _dri
from ._signals import Deferred
from .errors import ArgumentError, Error, StateError
from .group import Group, Processes

if TYPE_CHECKING:
    from mpi4py import MPI


class Closable(Protocol):
    """What has ends of the library, such as a transfer."""

    def forget(self) -> None:
        """Note that the library has destroyed the ends."""

    def abandon(self) -> None:
        """Destroy the ends after a failure, and wait for nobody."""


_world_processes: Any = None  # an mpi4py group
_pid = 0
_open: dict[int, Closable] = {}


def init(comm: MPI.Intracomm | None = None) -> Group:
    """Start the library, and return the group of all its processes, the world. Collective over comm.

    mpi4py starts MPI; this function never does. Called again with the same processes it returns the world.

    Parameters
    ----------
    comm
        An mpi4py intracommunicator. None is ``MPI.COMM_WORLD``. It stays the caller's and may be freed at once.

    Raises
    ------
    StateError
        The library runs on other processes, or uses another MPI than mpi4py does.

    Examples
    --------
    >>> world = dri.init()
    """
    global _world_processes, _pid
    from mpi4py import MPI

    chosen = MPI.COMM_WORLD if comm is None else comm
    if not hasattr(chosen, "py2f"):
        raise TypeError(f"comm is an mpi4py intracommunicator, not {type(comm).__name__}")
    if _pid not in (0, os.getpid()):
        _dri.world_size()  # refused in a forked child, with the library's own words
    if is_running():
        if comm is not None and not _is_world(comm):
            raise StateError("the library runs on other processes; call dri.finalize() first")
        return world()
    _compare_mpis(MPI.Get_library_version())
    with Deferred() as ctrl_c:
        _dri.init_fcomm(chosen.py2f())
        _world_processes, _pid = chosen.Get_group(), os.getpid()
    ctrl_c.raise_noted()
    return world()


def group_of(comm: Processes | None) -> Group:
    """The processes of comm; None is the world. Local.

    It is collective over the world where the library does not run yet and comm has all processes: it starts it then.
    """
    if comm is None:
        return init()
    if isinstance(comm, Group):
        return comm
    if hasattr(comm, "py2f") and not is_running():
        from mpi4py import MPI

        theirs: Any = comm
        if theirs != MPI.COMM_NULL and not theirs.Is_inter() and theirs.Get_size() == MPI.COMM_WORLD.Get_size():
            init()
        else:
            raise StateError("call dri.init() on all processes first")
    return Group(comm)


def finalize() -> None:
    """End the library. Collective over the world.

    Transfers that are open are destroyed. Views of their buffers stay valid. Without this call the library ends when
    the program does.
    """
    with Deferred() as ctrl_c:
        if is_running():
            from ._accord import accords

            accords.abandon()
        _dri.finalize()
        for one in list(_open.values()):
            one.forget()
        _open.clear()
    ctrl_c.raise_noted()


def is_running() -> bool:
    """Whether the library runs. Local."""
    return _dri.is_running()


def version() -> tuple[int, int, int]:
    """The version of libdri: major, minor, patch. Local."""
    return _dri.version()


def progress() -> None:
    """Move all transfers of this process as far as no wait is needed. Local."""
    _dri.progress()


def world() -> Group:
    """The group of all processes. Local."""
    return Group(range(_dri.world_size()))


def remember(one: Closable) -> None:
    """Keep what has open ends until it is closed. Local."""
    _open[id(one)] = one


def dismiss(one: Closable) -> None:
    """The ends are closed. Local."""
    _open.pop(id(one), None)


def is_child() -> bool:
    """Whether this process was forked from one that runs the library. Local."""
    return _pid != os.getpid()


def can_ask() -> bool:
    """Whether the library answers here: it runs, and this is no forked child. Local."""
    return is_running() and not is_child()


def create_comm(ranks: tuple[int, ...]) -> MPI.Intracomm:
    """An mpi4py communicator of these ranks of the world. Collective over them."""
    from mpi4py import MPI

    _dri.world_rank()  # refused before init
    group = (_world_processes or MPI.COMM_WORLD.Get_group()).Incl(ranks)
    try:
        made: MPI.Intracomm = MPI.COMM_WORLD.Create_group(group)  # type: ignore[assignment]
        return made
    finally:
        group.Free()


def _is_world(comm: MPI.Intracomm) -> bool:
    try:
        return Group(comm) == world()
    except ArgumentError:  # a process of it is outside the world
        return False


def _compare_mpis(theirs: str) -> None:
    ours, theirs = (text.split("\0")[0].strip() for text in (_dri.mpi_version(), theirs))
    if ours != theirs:
        raise StateError(f"two MPIs in one program: mpi4py uses {theirs!r}, libdri uses {ours!r}")


def _at_exit() -> None:
    """End the library, unless the program ends by an exception: then others must not be waited for."""
    if _pid != os.getpid() or not is_running():
        return
    if getattr(sys, "last_value", None) is None:
        try:
            finalize()
        except Error as error:
            print(f"dri: {error}", file=sys.stderr)
        return
    for one in list(_open.values()):
        one.abandon()


atexit.register(_at_exit)
