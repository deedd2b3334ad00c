"""`WorldBase`: what all parts of `World` share. The pointer to the C world, the tables for fast reads, the known
handles.

The attributes of bodies that are read most often come from the tables without a call into C. During a step the tables
(`_pose`, `_pose32`, `_state`) are empty for other threads. When they grow they move, and their version changes.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections import deque
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .errors import DestroyedError, InvariantError, StaleViewWarning, WorldLockedError, raise_error, short_repr
from .library import ffi, lib
from .other_names import Tidy
from .owned import owned

if TYPE_CHECKING:
    import weakref
    from collections.abc import Callable


T = TypeVar("T")
_STEPS = ffi.typeof("int64_t *")
_NO_DOUBLES = memoryview(b"").cast("d")
_NO_FLOATS = memoryview(b"").cast("f")
NO_TABLES = (_NO_DOUBLES, _NO_FLOATS, _NO_FLOATS)
# Whether threads run at the same time. With the GIL they take turns, as signal handlers do: at calls, at the start of
# functions and in loops.
NO_GIL = not getattr(sys, "_is_gil_enabled", lambda: True)()
NO_VERSION = 2**32 - 1  # of tables that could not be fetched
TABLE_ROW = 32  # bytes of a pose row and of a state row
# Rows and version of the tables, and the arrays that show them, to make others from: a shared empty value.
NOTHING_SHOWN: tuple[int, dict[str, Any]] = (-1, {})


def _raise_closed(_: object) -> Any:
    raise DestroyedError("the world has been closed")


@cache
def closed_class(kind: type) -> type:
    """The class of closed worlds of a class: its `_ptr` raises, so that open worlds need not check it."""
    raises = property(_raise_closed)
    changed = {"_ptr": raises, "_tables_state": raises, "closed": property(lambda _: True)}
    return type(
        kind.__name__, (kind,), {**changed, "__slots__": (), "__module__": kind.__module__, "__doc__": kind.__doc__}
    )


class TableView:
    """The base of an array that shows a table. It keeps the memory alive and is read-only."""

    __slots__ = ("__array_interface__", "__weakref__", "_block")

    def __init__(self, block: Any, interface: dict[str, Any]) -> None:
        self._block = block  # freed with the last reference
        self.__array_interface__ = interface


class WorldBase(metaclass=Tidy):
    """The base of `World`: the pointer to the C world, its tables, and the handles that exist."""

    # All attributes of a world, also those of its other parts. Assigning any other name, such as a misspelled one,
    # raises AttributeError without a check; a subclass has a `__dict__` for attributes of its own.
    __slots__ = (
        "__weakref__", "_beginning", "_brief", "_callback_handle", "_callback_thread", "_categories", "_data",
        "_dead_handles", "_deferred", "_destroyed_count", "_functions", "_handles", "_has_snapshots", "_hooked",
        "_keeper",
        "_late", "_lock", "_moving", "_names", "_pose", "_pose32", "_ptr", "_raised", "_recorder", "_shown",
        "_state", "_states", "_stepper", "_table_rows", "_tables", "_tables_state", "_version", "_views", "_warned",
    )  # fmt: skip

    def __dir__(self) -> list[str]:
        return [*dir(type(self)), *self._added()]

    def _added(self) -> dict[str, Any]:
        """The attributes that a subclass or its user has added."""
        return getattr(self, "__dict__", {})

    def _drop_pointer(self) -> None:
        """Drops the pointer to the C world, also when the class is that of closed worlds, which hides the attribute."""
        vars(WorldBase)["_ptr"].__delete__(self)

    def __init__(self, pointer: Any) -> None:  # of the C world, which is then freed with this object or by `close`
        self._lock = threading.RLock()  # held for moments only: the tables of the fast reads, and copying events
        self._stepper: Any = 0  # who steps the world: the number of a thread in a staged step, or else any other object
        self._callback_thread = 0  # the thread that runs a callback, inside a step
        self._raised: BaseException | None = None  # what left a callback, until the step is over
        self._deferred: deque[tuple[Any, Callable[[], Any]]] = deque()  # requests of callbacks: handle, creation
        self._pose, self._pose32, self._state = self._tables = NO_TABLES
        self._version, self._table_rows = NO_VERSION, 0  # of the tables above, and their rows: none yet
        self._brief = True  # whether the next step may be one that keeps the GIL; C decides
        self._shown = NOTHING_SHOWN
        self._views: set[weakref.ref[TableView]] = set()  # arrays of the user that show a table
        self._warned = False
        self._handles: dict[int, weakref.ref[Any]] = {}  # by generation
        self._destroyed_count = 0  # how often something was destroyed
        self._data: dict[tuple[int, int, int], Any] = {}  # of the user, by kind, index and generation
        # Of objects that were destroyed, for their end events, by the same key: after how many steps, data, and the
        # index and generation of the body of a shape
        self._late: dict[tuple[int, int, int], tuple[int, Any, tuple[int, int] | None]] = {}
        self._names: dict[tuple[int, int], str] = {}  # of bodies, by index and generation
        self._states: set[weakref.ref[Any]] = set()  # saved states that may revive objects
        self._has_snapshots = False  # bytes that may do so
        self._dead_handles: dict[Any, weakref.ref[Any]] = {}  # if there are either, by `_identity`
        self._recorder: Any = None
        self._beginning: Any = None  # a weak reference to the last recorder that was made, or is being made
        self._hooked = False  # whether Python has something to do after each step: callbacks, a recording, data to drop
        self._ptr, self._keeper = owned(pointer, lib.b2d_world_destroy)
        self._tables_state = lib.b2d_world_tables_state(self._ptr)  # a pointer into it, read faster than a call returns

    @property
    def closed(self) -> bool:
        """Whether the world has been closed; never raises."""
        return False

    def _bury(self, handle: Any, reference: weakref.ref[Any]) -> None:
        """Remembers the handle of a destroyed object as long as the program holds it, if a state may revive it."""
        if self._states or self._has_snapshots:
            dead = self._dead_handles
            dead[handle._identity()] = reference
            if len(dead) & 1023 == 0:
                for key, each in dict(dead).items():
                    if each() is None:
                        dead.pop(key, None)

    def _steps(self) -> int:
        """How many steps there were; 0 while another thread steps the world."""
        out = ffi.new(_STEPS)
        return 0 if lib.b2d_world_steps(self._ptr, out) else int(out[0])

    def _keep_late(self, dead: list[tuple[int, int, int]], body: tuple[int, int] | None) -> None:
        """Keeps the data of objects that have just been destroyed as long as there are their end events."""
        steps, late, data = self._steps(), self._late, self._data
        if late:
            self._drop_late(steps)
        for generation, index, kind in dead:
            key = kind, index, generation
            value = data.get(key)
            late[key] = steps, value, body
            if value is not None:
                self._brief, self._hooked = False, True  # the next steps drop it again

    def _drop_late(self, steps: int) -> None:
        """Drops the data whose end events are gone after so many steps."""
        late = self._late
        for key, (since, _, _) in dict(late).items():
            if since >= steps - 1:
                self._brief = False
                return  # those after it are younger
            late.pop(key, None)

    def _late_of(self, key: tuple[int, int, int]) -> tuple[int, Any, tuple[int, int] | None] | None:
        found = self._late.get(key)
        return found if found is not None and found[0] >= self._steps() - 1 else None

    def _counterpart(self, handle: Any) -> Any:
        """The handle of the same object in this world, which is a copy of the handle's world."""
        raise NotImplementedError

    def _reduced(self, handle: Any) -> Any:
        """How a handle is pickled: together with its world."""
        raise NotImplementedError

    def _busy(self) -> bool:
        """Whether another thread steps the world, or this one outside of a callback."""
        return self._stepper != 0 and self._callback_thread != threading.get_ident()

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

    def _claim(self, stepper: Any) -> None:
        """Makes this one the stepper of the world, if it has none."""
        with self._lock:
            if self._stepper:
                where = "around this call" if self._in_callback() else "by another thread"
                raise WorldLockedError(f"the world is being stepped, {where}")
            self._stepper = stepper
            self._pose, self._pose32, self._state = NO_TABLES

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
        if not capacity:
            return memoryview(b"")
        buffer = ffi.buffer(block, offset + capacity * TABLE_ROW)
        return memoryview(np.frombuffer(buffer, np.uint8, offset=offset))  # type: ignore[arg-type]  # see owned.py

    def _refresh(self) -> None:
        """Fetches the tables for the fast reads when they have moved, and warns of stale views.

        When another thread keeps the world busy just now, or a signal handler raises, the tables are dropped, and the
        next read fetches them.
        """
        moved = False
        with self._lock:
            try:
                version = lib.b2d_world_tables_version(self._ptr)
                if version != self._version or not self._table_rows:
                    before = len(self._tables[0])
                    pose, state = self._whole(lib.B2D_TABLE_POSE), self._whole(lib.B2D_TABLE_STATE)
                    tables, rows = (pose.cast("d"), pose.cast("f"), state.cast("f")), min(len(pose), len(state))
                    moved = before > 0 and len(tables[0]) != before
                    if moved:
                        self._shown = NOTHING_SHOWN
                    self._tables, self._version, self._table_rows = tables, version, rows // TABLE_ROW
                thread = threading.get_ident()
                if self._stepper == 0 or self._callback_thread == thread:  # no other thread can begin a step here
                    self._pose, self._pose32, self._state = self._tables
            except BaseException as error:
                self._tables, self._version, self._table_rows = NO_TABLES, NO_VERSION, 0
                self._pose, self._pose32, self._state = NO_TABLES
                if not isinstance(error, WorldLockedError):
                    raise
        if moved and self._views and not self._warned:
            self._warned = True
            warnings.warn("the tables have grown: arrays taken before show old memory", StaleViewWarning, stacklevel=3)

    def _publish(self) -> None:
        """After a step: fast reads find the tables again, unless another thread steps already."""
        with self._lock:
            if self._stepper == 0:
                self._pose, self._pose32, self._state = self._tables

    def _drop_tables(self) -> None:
        """After the tables have moved: the next fast read fetches them, or at once if arrays of the user show them."""
        with self._lock:
            self._shown = NOTHING_SHOWN
            if self._views:
                self._refresh()
                return
            version = lib.b2d_world_tables_version(self._ptr)
            self._tables, self._version, self._table_rows = NO_TABLES, version, 0
            self._pose, self._pose32, self._state = NO_TABLES

    def _reload(self, index: int) -> None:
        """After a fast read found no row: raises why, or fetches the tables."""
        self._ptr  # noqa: B018  raises when closed
        with self._lock:
            if self._busy():
                raise WorldLockedError("the world is being stepped by another thread")
            self._refresh()
            if self._version == NO_VERSION:  # dropped: another thread creates or destroys something just now
                raise WorldLockedError("the world is being changed by another thread")
            if 4 * index >= len(self._pose):
                if self._busy():
                    raise WorldLockedError("the world is being stepped by another thread")
                raise InvariantError(f"body {index} has no row in the tables")


def check_world(world: object) -> None:
    """Raises TypeError unless it is a world."""
    if not isinstance(world, WorldBase):
        raise TypeError(f"world={short_repr(world)} must be a World")
