"""`BodyArray`: many bodies of one world at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from .._bridge.arguments import flag, floats
from .._bridge.errors import DestroyedError, raise_error, short_repr
from .._bridge.library import lib
from .body import Body

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._bridge.world_type import World
    from .collections import WorldObjects

_set = lib.b2d_body_set


class BodyArray(Sequence[Body]):
    """Many bodies of one world, with their properties as arrays; made by `World.create_bodies`, and by slicing one.

    Attributes read as fresh arrays with a row a body, and take an array of that shape or one value for all. Reading or
    writing raises `DestroyedError` when one of the bodies is gone.

    >>> with World() as world:
    ...     row = world.create_bodies([(0, 0), (2, 0), (4, 0)], geometry=Circle(0.5))
    ...     row.linear_velocity = (0, 1)
    ...     world.step()
    ...     row.position.shape, len(row[1:]), row[0].index
    ((3, 2), 2, 0)
    """

    __slots__ = ("_generations", "_indices", "_world")

    def __init__(self, world: WorldObjects, indices: NDArray[np.int32], generations: NDArray[np.uint64]) -> None:
        self._world = world
        self._indices = indices
        self._generations = generations

    def _take_identity_of(self, made: BodyArray) -> None:
        self._indices, self._generations = made._indices, made._generations

    @property
    def world(self) -> World:
        """The world that they live in."""
        return cast("World", self._world)

    @property
    def indices(self) -> NDArray[np.int32]:
        """Their rows in the tables of `world.arrays`: a copy, shape (n,)."""
        indices: NDArray[np.int32] = self._indices.copy()
        return indices

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, key: int) -> Body: ...
    @overload
    def __getitem__(self, key: slice | NDArray[Any]) -> BodyArray: ...
    def __getitem__(self, key: int | slice | NDArray[Any]) -> Body | BodyArray:
        indices, generations = self._indices[key], self._generations[key]
        if isinstance(indices, np.ndarray):
            return BodyArray(self._world, indices, generations)
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

    def _rows(self) -> NDArray[np.int32]:
        """The rows, all alive."""
        live = self._world._live_generations(lib.B2D_KIND_BODY)
        known = self._indices < len(live)
        dead = ~known
        dead[known] = live[self._indices[known]] != self._generations[known]
        if dead.any():
            raise DestroyedError(f"body {int(self._indices[np.argmax(dead)])} of {self!r} has been destroyed")
        return self._indices

    def _write(self, prop: int, value: Any, name: str, width: int) -> None:
        rows = floats(value, name)
        wanted = (len(self), 2) if width == 2 else (len(self),)
        try:
            rows = np.broadcast_to(rows, wanted)
        except ValueError:
            raise ValueError(
                f"{name}={short_repr(value)} must have shape {wanted} or be one value, not {rows.shape}"
            ) from None
        if not np.isfinite(rows).all():
            raise ValueError(f"{name}={short_repr(value)} must be finite")
        pointer, numbers = self._world._ptr, self._rows()
        for index, generation, row in zip(numbers.tolist(), self._generations.tolist(), rows.tolist(), strict=True):
            status = _set(pointer, index, generation, prop, row if width == 2 else (row,))
            if status:
                raise_error(status, self, **{name: value})

    def _call(self, call: Any, value: Any, name: str, wake: bool, width: int) -> None:
        rows, wake = floats(value, name), flag(wake, "wake")
        wanted = (len(self), 2) if width == 2 else (len(self),)
        try:
            rows = np.broadcast_to(rows, wanted)
        except ValueError:
            raise ValueError(
                f"{name}={short_repr(value)} must have shape {wanted} or be one value, not {rows.shape}"
            ) from None
        if not np.isfinite(rows).all():
            raise ValueError(f"{name}={short_repr(value)} must be finite")
        pointer, numbers = self._world._ptr, self._rows()
        for index, generation, row in zip(numbers.tolist(), self._generations.tolist(), rows.tolist(), strict=True):
            status = call(pointer, index, generation, *((*row, False, 0.0, 0.0) if width == 2 else (row,)), wake)
            if status:
                raise_error(status, self, **{name: value})

    @property
    def position(self) -> NDArray[np.float64]:
        """Origins in world coordinates, metres, shape (n, 2)."""
        rows = self._rows()
        return self._world.arrays.position[rows]

    @position.setter
    def position(self, value: Any) -> None:
        self._write(lib.B2D_BODY_POSITION, value, "position", 2)

    @property
    def rotation(self) -> NDArray[np.float32]:
        """(cos, sin) of the angles, shape (n, 2)."""
        rows = self._rows()
        return self._world.arrays.rotation[rows]

    @property
    def angle(self) -> NDArray[np.float64]:
        """Radians in (-pi, pi], shape (n,)."""
        rows = self._rows()
        return self._world.arrays.angle[rows]

    @angle.setter
    def angle(self, value: Any) -> None:
        self._write(lib.B2D_BODY_ANGLE, value, "angle", 1)

    @property
    def linear_velocity(self) -> NDArray[np.float32]:
        """Velocities of the centres of mass, m/s, shape (n, 2)."""
        rows = self._rows()
        return self._world.arrays.linear_velocity[rows]

    @linear_velocity.setter
    def linear_velocity(self, value: Any) -> None:
        self._write(lib.B2D_BODY_LINEAR_VELOCITY, value, "linear_velocity", 2)

    @property
    def angular_velocity(self) -> NDArray[np.float32]:
        """Rates of rotation, rad/s, shape (n,)."""
        rows = self._rows()
        return self._world.arrays.angular_velocity[rows]

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._write(lib.B2D_BODY_ANGULAR_VELOCITY, value, "angular_velocity", 1)

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Who is simulated, shape (n,)."""
        rows = self._rows()
        return self._world.arrays.awake[rows]

    @property
    def mass(self) -> NDArray[np.float64]:
        """Kilograms, shape (n,)."""
        rows = self._rows()
        return self._world.arrays.mass[rows]

    def apply_force(self, force: Any, *, wake: bool = True) -> None:
        """Adds forces in N at the centres of mass for the next step: shape (n, 2), or one pair for all."""
        self._call(lib.b2d_body_apply_force, force, "force", wake, 2)

    def apply_torque(self, torque: Any, *, wake: bool = True) -> None:
        """Adds torques in N m for the next step: shape (n,), or one number for all."""
        self._call(lib.b2d_body_apply_torque, torque, "torque", wake, 1)

    def apply_impulse(self, impulse: Any, *, wake: bool = True) -> None:
        """Changes the velocities at once by impulses in N s: shape (n, 2), or one pair for all."""
        self._call(lib.b2d_body_apply_impulse, impulse, "impulse", wake, 2)

    def apply_angular_impulse(self, impulse: Any, *, wake: bool = True) -> None:
        """Changes the rates of rotation at once by angular impulses in N m s: shape (n,), or one number for all."""
        self._call(lib.b2d_body_apply_angular_impulse, impulse, "impulse", wake, 1)

    def destroy(self) -> None:
        """Destroys those that still live."""
        for body in self:
            body.destroy()
