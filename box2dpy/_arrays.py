"""`world.arrays`: the tables of the engine as numpy arrays, without a copy where possible.

A view holds a reference to its block of C memory. When the tables grow, the block is retired, not freed: the view then
shows old numbers, never freed memory, and a `StaleViewWarning` says so once.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ._contact import CONTACT_DTYPE
from ._core import ffi, lib
from ._errors import fail

TABLE_ROW = 32  # bytes of a pose row and of a state row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._world import World


class Window:
    """What a view has as its base: keeps the block, and cannot be written to, whatever the array's flags are set to."""

    __slots__ = ("__array_interface__", "__weakref__", "_block")

    def __init__(self, block: Any, interface: dict[str, Any]) -> None:
        self._block = block  # freed with the last reference
        self.__array_interface__ = interface


class Arrays:
    """The state of all bodies as arrays, a row an index: body `b` is row `b.index`, rows of dead indices hold anything.

    `position`, `rotation`, `linear_velocity` and `angular_velocity` are read-only views of the engine's memory, made on each
    access: they follow the simulation without a copy until the tables grow. They are not synchronised with a step that
    another thread runs. Everything else is a fresh copy. n is one more than the largest living index.

    Raises:
        DestroyedError: the world is closed.
        WorldLockedError: another thread is stepping the world, for all but the views.

    >>> with World() as world:
    ...     body = world.create_static_body((1, 2))
    ...     positions = world.arrays.position
    ...     positions.shape, positions[body.index].tolist()
    ((1, 2), [1.0, 2.0])
    """

    __slots__ = ("_world",)

    def __init__(self, world: World) -> None:
        self._world = world

    def _view(self, table: int, kind: Any, first: int, width: int) -> Any:
        world = self._world
        rows, _, block, offset = world._acquire(table)
        dtype = np.dtype(kind)
        shape, strides = ((rows, width), (TABLE_ROW, dtype.itemsize)) if width > 1 else ((rows,), (TABLE_ROW,))
        if not rows:
            return np.asarray(np.broadcast_to(dtype.type(0), shape))  # read-only too
        address = int(ffi.cast("intptr_t", block)) + offset + first
        window = Window(
            block, {"data": (address, True), "shape": shape, "strides": strides, "typestr": dtype.str, "version": 3}
        )
        world._windows.add(weakref.ref(window, world._windows.discard))
        return np.asarray(window)

    @property
    def position(self) -> NDArray[np.float64]:
        """Origins in world coordinates, metres: view, float64, shape (n, 2)."""
        return self._view(lib.B2D_TABLE_POSE, np.float64, 0, 2)  # type: ignore[no-any-return]

    @property
    def rotation(self) -> NDArray[np.float32]:
        """(cos, sin) of the angles: view, float32, shape (n, 2)."""
        return self._view(lib.B2D_TABLE_POSE, np.float32, 16, 2)  # type: ignore[no-any-return]

    @property
    def linear_velocity(self) -> NDArray[np.float32]:
        """Velocities of the centres of mass, m/s, zero while asleep: view, float32, shape (n, 2)."""
        return self._view(lib.B2D_TABLE_STATE, np.float32, 0, 2)  # type: ignore[no-any-return]

    @property
    def angular_velocity(self) -> NDArray[np.float32]:
        """Rates of rotation, rad/s, zero while asleep: view, float32, shape (n,)."""
        return self._view(lib.B2D_TABLE_STATE, np.float32, 8, 1)  # type: ignore[no-any-return]

    @property
    def angle(self) -> NDArray[np.float64]:
        """Angles in (-pi, pi], radians: copy, float64, shape (n,)."""
        rows = self.rotation.astype(np.float64)
        angles: NDArray[np.float64] = np.arctan2(rows[:, 1], rows[:, 0])
        angles[angles <= -np.pi] = np.pi
        return angles

    def _gather(self, prop: int) -> NDArray[np.float64]:
        world = self._world
        count = ffi.new("int32_t *")
        room = 0
        while True:
            values = np.zeros(room)
            out = ffi.from_buffer("double[]", values) if room else ffi.NULL
            status = lib.b2d_world_gather(world._ptr, prop, out, room, count)
            if status:
                fail(status, world)
            if count[0] <= room:
                return values[: count[0]]
            room = count[0]

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Who is simulated: copy, bool, shape (n,)."""
        return np.asarray(self._gather(lib.B2D_BODY_AWAKE) != 0.0)

    @property
    def type(self) -> NDArray[np.int8]:
        """The values of `BodyType`: copy, int8, shape (n,)."""
        return self._gather(lib.B2D_BODY_TYPE).astype(np.int8)

    @property
    def mass(self) -> NDArray[np.float64]:
        """Kilograms: copy, float64, shape (n,)."""
        return self._gather(lib.B2D_BODY_MASS)

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which rows belong to a living body: copy, bool, shape (n,)."""
        return np.asarray(self._world._live_generations(lib.B2D_KIND_BODY) != 0)

    @property
    def contacts(self) -> NDArray[np.void]:
        """All touching contacts by id: copy, a record array.

        Fields: `shape_a`, `shape_b`, `body_a`, `body_b`, `contact` (indices), `point_count`, `px`, `py`, `separation`,
        `normal_impulse`, `tangent_impulse`, `feature` (two a row), `normal_x`, `normal_y`, `friction`, `restitution`,
        `color`, `awake`, and the generations.
        """
        world = self._world
        count = ffi.new("int32_t *")
        room = 0
        while True:
            records = np.zeros(room, CONTACT_DTYPE)
            out = ffi.from_buffer("b2d_contact_data[]", records) if room else ffi.NULL
            status = lib.b2d_world_contacts(world._ptr, True, out, room, count)
            if status:
                fail(status, world)
            if count[0] <= room:
                return records[: count[0]]
            room = count[0]

    def __repr__(self) -> str:
        return f"<Arrays of {self._world!r}>"
