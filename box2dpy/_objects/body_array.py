"""`BodyArray`: many bodies of one world at once.

Each access is one call of the C core, and its cost depends on the number of bodies in the array alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, cast, overload

import numpy as np

from .._bridge.arguments import flag, flags, floats, spread
from .._bridge.errors import DestroyedError, WorldLockedError, raise_error, short_repr
from .._bridge.handles import INT_POINTER, PROPERTY_TEXTS
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.made_by_world import ListMadeByWorld
from .body import Body

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .._bridge.world_type import World
    from .world_handles import WorldHandles

# Name of a property: its number in C and its components.
BODY_PROPERTIES = {row[1]: (number, int(row[3])) for number, row in enumerate(shared_list("body_properties"))}
SHAPE_PROPERTIES = {row[1]: number for number, row in enumerate(shared_list("shape_properties"))}
S = TypeVar("S", bound=np.generic)
Self = TypeVar("Self")


class ReadOnlyColumn(Generic[S]):
    """A property of each body, as a fresh array with one row for each. Without a text it has that of `Body`."""

    _GET = lib.b2d_bodies_get

    def __init__(self, kind: type[S], doc: str = "") -> None:
        self.kind = kind
        self.__doc__ = doc

    def __set_name__(self, owner: type[BodyArray], name: str) -> None:
        self.name = name
        self.number, self.width = BODY_PROPERTIES[name]
        if not self.__doc__:
            rows = f"(n, {self.width})" if self.width > 1 else "(n,)"
            self.__doc__ = f"{PROPERTY_TEXTS['Body', name]} An array of shape {rows}."

    @overload
    def __get__(self: Self, bodies: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, bodies: BodyArray, owner: Any = None) -> NDArray[S]: ...
    def __get__(self, bodies: BodyArray | None, owner: Any = None) -> Any:
        if bodies is None:
            return self
        out, row = np.empty(bodies._shape(self.width)), ffi.new(INT_POINTER)
        values = ffi.from_buffer("double[]", out, require_writable=True)
        status = self._GET(bodies._world._ptr, *bodies._rows, self.number, values, row)
        if status:
            bodies._fail(status, row[0])
        return out.astype(self.kind, copy=False)


class Column(ReadOnlyColumn[S]):
    """A property of each body that may be assigned: an array of the same shape, or one value for all."""

    def __set__(self, bodies: BodyArray, value: ArrayLike) -> None:
        bodies._write(self.name, value, flags if self.kind is np.bool_ else floats)


class ShapeColumn(Column[S]):
    """A property of the shapes of each body: read from the first shape, NaN without one; assigned to all of them."""

    _GET = lib.b2d_bodies_get_shapes

    def __set_name__(self, owner: type[BodyArray], name: str) -> None:
        self.name, self.number, self.width = name, SHAPE_PROPERTIES[name], 1
        self.__doc__ = f"Of the shapes: {PROPERTY_TEXTS['Shape', name]} An array of shape (n,)."

    def __set__(self, bodies: BodyArray, value: ArrayLike) -> None:
        bodies._write_shapes(self.name, value)


class BodyArray(ListMadeByWorld[Body]):
    """Many bodies of one world, with their properties as arrays; made by `World.create_bodies`, and by slicing one.

    Properties are read as fresh arrays, one row for each body, and take an array of that shape or one value for all.
    A write checks every body and every value first: when one is wrong, nothing changes, and the error names the row.
    A body that is in several rows gets their values in order, so of two assignments the later stays, and forces and
    impulses add up. The cost of an access depends on the number of bodies in the array, not on the size of the world.

    Raises:
        DestroyedError: one of the bodies, or the world, has been destroyed.
        ValueError: a wrong shape, or a value that is not finite, out of range or not allowed for its body.
        TypeError: a wrong type.
        WorldLockedError: another thread is stepping the world.
        MemoryError: there is too little memory to wake a sleeping body; the rows before it have been written.

    >>> with World() as world:
    ...     row = world.create_bodies([(0, 0), (2, 0), (4, 0)], geometry=Circle(0.5))
    ...     row.linear_velocity = (0, 1)
    ...     world.step()
    ...     row.position.shape, len(row[1:]), row[0].index
    ((3, 2), 2, 0)
    """

    __slots__ = ("_generations", "_indices", "_rows", "_world")
    _rows: tuple[int, Any, Any]  # how many, and their indices and generations, as C takes them

    def _set(self, world: WorldHandles, indices: NDArray[np.int32], generations: NDArray[np.uint64]) -> None:
        self._world = world
        self._hold(indices, generations)

    def _hold(self, indices: NDArray[np.int32], generations: NDArray[np.uint64]) -> None:
        self._indices, self._generations = np.ascontiguousarray(indices), np.ascontiguousarray(generations)
        c_indices, c_generations = (
            ffi.from_buffer("int32_t[]", self._indices),
            ffi.from_buffer("uint64_t[]", self._generations),
        )
        self._rows = len(indices), c_indices, c_generations

    def _take_identity_of(self, made: BodyArray) -> None:
        """Gets the handles of bodies that a callback created, now that they exist."""
        self._hold(made._indices, made._generations)

    def _shape(self, width: int) -> tuple[int, ...]:
        return (len(self._indices), width) if width > 1 else (len(self._indices),)

    def _fail(self, status: int, row: int, name: str = "", value: object = None, given: Any = None) -> NoReturn:
        """Raises what the status of a call means; for a bad value it names the row."""
        if status & 0xFF == lib.B2D_STALE_HANDLE:
            if not self._generations[row]:
                raise WorldLockedError(f"{self!r} lives when the step is over")
            raise DestroyedError(f"body {self._indices[row]}, in row {row} of {self!r}, has been destroyed")
        try:
            raise_error(status, self, **{name: value})
        except ValueError as error:
            if given is None:
                raise
            raise ValueError(f"{error}; row {row} is {short_repr(given[row].tolist())}") from None

    @property
    def world(self) -> World:
        """The world of the bodies."""
        return cast("World", self._world)

    @property
    def indices(self) -> NDArray[np.int32]:
        """The index of each body, which is its row in the tables of `world.arrays`: a copy, shape (n,)."""
        indices: NDArray[np.int32] = self._indices.copy()
        return indices

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, key: int) -> Body: ...
    @overload
    def __getitem__(self, key: slice | NDArray[Any]) -> BodyArray: ...
    def __getitem__(self, key: int | slice | NDArray[Any]) -> Body | BodyArray:
        try:
            if type(key) is int:
                return self._world._body(int(self._indices[key]), int(self._generations[key]))
            # The key is read once: what it says may change, and both arrays must have the same rows
            rows = np.arange(len(self))[key]
            if rows.ndim > 1:
                raise IndexError(f"index {short_repr(key)} of {self!r} must have one dimension")
            indices, generations = self._indices[rows], self._generations[rows]
        except OverflowError:  # numpy on integers of more than 64 bits
            raise IndexError(f"index {key} is out of range of {self!r}") from None
        if rows.ndim:
            return BodyArray._made(self._world, indices, generations)
        return self._world._body(int(indices), int(generations))

    def __iter__(self) -> Iterator[Body]:
        for index, generation in zip(self._indices.tolist(), self._generations.tolist(), strict=True):
            yield self._world._body(index, generation)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BodyArray):
            return NotImplemented
        return self._world is other._world and np.array_equal(self._generations, other._generations)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<BodyArray of {len(self)} bodies>"

    position = Column(np.float64, "Origins in world coordinates, metres, shape (n, 2). Assigning teleports.")
    rotation = Column(
        np.float32, "(cos, sin) of the angles, shape (n, 2). Assigning takes directions and normalises them."
    )
    linear_velocity = Column(np.float32, "Velocities of the centres of mass, m/s, shape (n, 2).")
    angular_velocity = Column(np.float32, "Rates of rotation, rad/s, counter-clockwise, shape (n,).")
    force = Column(np.float32, "Sums of the forces for the next step, N, shape (n, 2). Assigning replaces them.")
    torque = Column(np.float32, "Sums of the torques for the next step, N m, shape (n,). Assigning replaces them.")
    # generated: columns of bodies, see tools/lists.py
    gravity_scale = Column(np.float32)
    linear_damping = Column(np.float32)
    angular_damping = Column(np.float32)
    sleep_threshold = Column(np.float32)
    safety_factor = Column(np.float32)
    awake = Column(np.bool_)
    enabled = Column(np.bool_)
    can_sleep = Column(np.bool_)
    bullet = Column(np.bool_)
    allow_fast_rotation = Column(np.bool_)
    lock_x = Column(np.bool_)
    lock_y = Column(np.bool_)
    lock_rotation = Column(np.bool_)
    mass = Column(np.float64)
    inertia = Column(np.float64)
    local_center = Column(np.float64)
    world_center = ReadOnlyColumn(np.float64)
    sleep_timer = ReadOnlyColumn(np.float32)
    aabb = ReadOnlyColumn(np.float64)
    contact_force = ReadOnlyColumn(np.float64)
    density = ShapeColumn(np.float32)
    friction = ShapeColumn(np.float32)
    restitution = ShapeColumn(np.float32)
    rolling_resistance = ShapeColumn(np.float32)
    tangent_speed = ShapeColumn(np.float32)
    # end of generated

    @property
    def angle(self) -> NDArray[np.float64]:
        """Radians in (-pi, pi], shape (n,). Assigning turns each body about its origin."""
        rotations = self.rotation.astype(np.float64)
        angles: NDArray[np.float64] = np.arctan2(rotations[:, 1], rotations[:, 0])
        angles[angles <= -np.pi] = np.pi
        return angles

    @angle.setter
    def angle(self, value: ArrayLike) -> None:
        self._write("angle", value)

    def _write(self, name: str, value: ArrayLike, convert: Any = floats) -> None:
        number, width = BODY_PROPERTIES[name]
        given, row = spread(value, name, self._shape(width), convert), ffi.new(INT_POINTER)
        status = lib.b2d_bodies_set(self._world._ptr, *self._rows, number, ffi.from_buffer("double[]", given), row)
        if status:
            self._fail(status, row[0], name, value, given)

    def _write_shapes(self, name: str, value: ArrayLike) -> None:
        """Sets a property of all shapes of each body."""
        given, row = spread(value, name, self._shape(1), floats), ffi.new(INT_POINTER)
        values = ffi.from_buffer("double[]", given)
        status = lib.b2d_bodies_set_shapes(self._world._ptr, *self._rows, SHAPE_PROPERTIES[name], values, row)
        if status:
            self._fail(status, row[0], name, value, given)

    def _push(
        self, name: str, value: ArrayLike, point: ArrayLike | None, wake: bool, *, turning: bool, impulse: bool
    ) -> None:
        given, wake = spread(value, name, self._shape(1 if turning else 2), floats), flag(wake, "wake")
        points = None if point is None else spread(point, "point", self._shape(2), floats)
        row = ffi.new(INT_POINTER)
        status = lib.b2d_bodies_push(
            self._world._ptr, *self._rows, turning, impulse, ffi.from_buffer("double[]", given),
            ffi.NULL if points is None else ffi.from_buffer("double[]", points), wake, row,
        )  # fmt: skip
        if status >> 8 == lib.B2D_ARG_POINT:
            self._fail(status, row[0], "point", point, points)
        if status:
            self._fail(status, row[0], name, value, given)

    def apply_force(self, force: ArrayLike, point: ArrayLike | None = None, *, wake: bool = True) -> None:
        """Adds forces in N for the next step, at world points or, without them, at the centres of mass.

        Both arrays have shape (n, 2) or are one pair for all. Sleeping bodies are woken, or with `wake=False` skipped.
        """
        self._push("force", force, point, wake, turning=False, impulse=False)

    def apply_torque(self, torque: ArrayLike, *, wake: bool = True) -> None:
        """Adds torques in N m for the next step, counter-clockwise: shape (n,), or one number for all."""
        self._push("torque", torque, None, wake, turning=True, impulse=False)

    def apply_impulse(self, impulse: ArrayLike, point: ArrayLike | None = None, *, wake: bool = True) -> None:
        """Changes the velocities at once by impulses in N s: shape (n, 2), at points as those of `apply_force`."""
        self._push("impulse", impulse, point, wake, turning=False, impulse=True)

    def apply_angular_impulse(self, impulse: ArrayLike, *, wake: bool = True) -> None:
        """Changes the rates of rotation at once by angular impulses in N m s: shape (n,), or one number."""
        self._push("impulse", impulse, None, wake, turning=True, impulse=True)

    def destroy(self) -> None:
        """Destroys those bodies that are still alive."""
        for body in self:
            body.destroy()
