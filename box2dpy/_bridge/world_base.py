"""`WorldBase`: what all parts of `World` share. The pointer to the C world, the tables for fast reads, the known
handles.

The attributes of bodies that are read most often come from the tables without a call into C. During a step the tables
(`_pose`, `_pose32`, `_state`) are empty for other threads. When they grow they move, and their version changes.
"""

from __future__ import annotations

import threading
import warnings
from collections import deque
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import DestroyedError, InvariantError, StaleViewWarning, WorldLockedError, raise_error
from .library import ffi, lib

if TYPE_CHECKING:
    import weakref
    from collections.abc import Callable


T = TypeVar("T")
_NO_DOUBLES = memoryview(b"").cast("d")
_NO_FLOATS = memoryview(b"").cast("f")
NO_TABLES = (_NO_DOUBLES, _NO_FLOATS, _NO_FLOATS)
TABLE_ROW = 32  # bytes of a pose row and of a state row


def _raise_closed(_: object) -> Any:
    raise DestroyedError("the world has been closed")


@cache
def closed_class(kind: type) -> type:
    """The class of closed worlds of a class: its `_ptr` raises.

    A class attribute of that name in open worlds would keep the interpreter from reading those of instances fast.
    """
    changed = {"_ptr": property(_raise_closed), "closed": property(lambda _: True)}
    return type(
        kind.__name__, (kind,), {**changed, "__slots__": (), "__module__": kind.__module__, "__doc__": kind.__doc__}
    )


class TableView:
    """The base of an array that shows a table. It keeps the memory alive and is read-only."""

    __slots__ = ("__array_interface__", "__weakref__", "_block")

    def __init__(self, block: Any, interface: dict[str, Any]) -> None:
        self._block = block  # freed with the last reference
        self.__array_interface__ = interface


class WorldBase:
    """The base of `World`: the pointer to the C world, its tables, and the handles that exist."""

    def __init__(self, pointer: Any) -> None:
        self._lock = threading.RLock()  # held for moments only: the tables of the fast reads, and copying events
        self._stepping = False
        self._callback_thread = 0  # the thread that runs a callback, inside a step
        self._deferred: deque[tuple[Any, Callable[[], Any]]] = deque()  # requests of callbacks: handle, creation
        self._pose, self._pose32, self._state = self._tables = NO_TABLES
        self._version, self._table_rows = -1, 0  # of the tables above, and their rows: none yet
        self._views: set[weakref.ref[TableView]] = set()  # arrays of the user that show a table
        self._warned = False
        self._handles: dict[int, weakref.ref[Any]] = {}  # by generation
        self._destroyed_count = 0  # how often something was destroyed
        self._data: dict[tuple[int, int, int], Any] = {}  # of the user, by kind, index and generation
        self._names: dict[tuple[int, int], str] = {}  # of bodies, by index and generation
        self._gears: set[tuple[int, int]] = set()  # gear joints, by generation and index
        self._ptr = pointer

    @property
    def closed(self) -> bool:
        """Whether the world has been closed; never raises."""
        return False

    def _busy(self) -> bool:
        """Whether another thread steps the world, or this one outside of a callback."""
        return self._stepping and self._callback_thread != threading.get_ident()

    def _acquire(self, table: int) -> tuple[int, int, Any, int]:
        """Rows in use, capacity, the block (freed with the last reference to it), and where in it row 0 is."""
        pointer, out = self._ptr, ffi.new("b2d_table *")
        while True:
            version = lib.b2d_world_tables_version(pointer)
            status = lib.b2d_world_table(pointer, table, out)
            if status:
                raise_error(status, self)
            raw = lib.b2d_world_acquire_table(pointer, table)
            if raw == ffi.NULL:
                if out.capacity:
                    raise WorldLockedError("the world is being changed by another thread")
                return 0, 0, None, 0
            block = ffi.gc(raw, lib.b2d_shared_release)
            if lib.b2d_world_tables_version(pointer) == version:
                break
        if out.stride != TABLE_ROW:
            raise InvariantError(f"a table row has {out.stride} bytes instead of {TABLE_ROW}")
        return out.count, out.capacity, block, int(ffi.cast("intptr_t", out.data)) - int(ffi.cast("intptr_t", block))

    def _in_callback(self) -> bool:
        """Whether this thread runs a callback of a step."""
        return self._callback_thread != 0 and self._callback_thread == threading.get_ident()

    def _defer(self, handle: T, make: Callable[[], Any]) -> T:
        """Lets `handle` become the handle of what `make()` creates when the step is over."""
        self._deferred.append((handle, make))
        return handle

    def _whole(self, table: int) -> memoryview:
        """For fast reads: a table to its capacity."""
        _, capacity, block, offset = self._acquire(table)
        return memoryview(ffi.buffer(block, offset + capacity * TABLE_ROW))[offset:] if capacity else memoryview(b"")

    def _refresh(self) -> None:
        """Fetches the tables for the fast reads when they have moved, and warns of stale views.

        When another thread keeps the world busy just now, the tables are dropped, and the next read fetches them.
        """
        with self._lock:
            version = lib.b2d_world_tables_version(self._ptr)
            if version == self._version:
                return
            before = len(self._tables[0])
            try:
                pose, state = self._whole(lib.B2D_TABLE_POSE), self._whole(lib.B2D_TABLE_STATE)
            except WorldLockedError:
                self._tables, self._version, self._table_rows = NO_TABLES, -1, 0
                moved = False
            else:
                self._tables, self._version = (pose.cast("d"), pose.cast("f"), state.cast("f")), version
                self._table_rows = min(len(pose), len(state)) // TABLE_ROW
                moved = len(self._tables[0]) != before
            if not self._busy():
                self._pose, self._pose32, self._state = self._tables
        if moved and self._views and not self._warned:
            self._warned = True
            warnings.warn("the tables have grown: arrays taken before show old memory", StaleViewWarning, stacklevel=3)

    def _reload(self, index: int) -> None:
        """After a fast read found no row: raises why, or fetches the tables."""
        self._ptr  # noqa: B018  raises when closed
        with self._lock:
            if self._busy():
                raise WorldLockedError("the world is being stepped by another thread")
            self._refresh()
            if self._version == -1:  # dropped: another thread creates or destroys something just now
                raise WorldLockedError("the world is being changed by another thread")
            if 4 * index >= len(self._pose):
                raise InvariantError(f"body {index} has no row in the tables")
