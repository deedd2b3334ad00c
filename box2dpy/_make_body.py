"""How bodies are made: the `create_..._body` methods of `World`, and `create_bodies`."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ._body import Body, BodyType, as_body_type
from ._body_array import BodyArray
from ._core import ffi, lib
from ._errors import fail, shown
from ._geometry import ORIGIN, Filter, Geometry, as_geometry
from ._handle import HANDLE_DTYPE, HANDLES
from ._objects import Contents
from ._shape import DEFAULT_FILTER, shape_def
from ._values import finite, flag, floats, number, pair, points, text

if TYPE_CHECKING:
    from ._vec2 import Vec2Like

BODY_DEF = ffi.typeof("b2d_body_def *")
_DEFAULT_BODY = ffi.new(BODY_DEF)
lib.b2d_body_def_init(_DEFAULT_BODY)

# Defaults are compared by identity: what is the very default object was not given, whatever else it may be.
_ZERO, _ONE, _SLEEP_SPEED, _SAFETY, _NO_NAME = 0.0, 1.0, 0.05, 0.5, ""


class BodyMakers(Contents):
    """The part of `World` that makes bodies."""

    def create_static_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = _ZERO,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = _ZERO,
        linear_damping: float = _ZERO,
        angular_damping: float = _ZERO,
        gravity_scale: float = _ONE,
        sleep_threshold: float = _SLEEP_SPEED,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = _SAFETY,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = _NO_NAME,
        data: Any = None,
    ) -> Body:
        """A body that never moves. For the options see the properties of `Body`.

        Args:
            position: metres, world coordinates.
            angle: radians, counter-clockwise.
            name: shown by `repr`.
            data: any object of yours.

        Raises:
            ValueError: not finite or out of range.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.

        >>> World().create_static_body((1, 2), name="floor")
        <Body 0 'floor' static at (1, 2)>
        """
        return self._create_body(
            lib.B2D_STATIC, position, angle, linear_velocity, angular_velocity, linear_damping, angular_damping,
            gravity_scale, sleep_threshold, can_sleep, awake, enabled, bullet, allow_fast_rotation, safety_factor,
            lock_x, lock_y, lock_rotation, name, data,
        )  # fmt: skip

    def create_kinematic_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = _ZERO,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = _ZERO,
        linear_damping: float = _ZERO,
        angular_damping: float = _ZERO,
        gravity_scale: float = _ONE,
        sleep_threshold: float = _SLEEP_SPEED,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = _SAFETY,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = _NO_NAME,
        data: Any = None,
    ) -> Body:
        """A body that moves by its velocity and that nothing pushes. Options and errors as of `create_static_body`.

        >>> World().create_kinematic_body(linear_velocity=(1, 0)).linear_velocity
        Vec2(1.0, 0.0)
        """
        return self._create_body(
            lib.B2D_KINEMATIC, position, angle, linear_velocity, angular_velocity, linear_damping, angular_damping,
            gravity_scale, sleep_threshold, can_sleep, awake, enabled, bullet, allow_fast_rotation, safety_factor,
            lock_x, lock_y, lock_rotation, name, data,
        )  # fmt: skip

    def create_dynamic_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = _ZERO,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = _ZERO,
        linear_damping: float = _ZERO,
        angular_damping: float = _ZERO,
        gravity_scale: float = _ONE,
        sleep_threshold: float = _SLEEP_SPEED,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = _SAFETY,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = _NO_NAME,
        data: Any = None,
    ) -> Body:
        """A body that forces and contacts move. Options and errors as of `create_static_body`.

        >>> World().create_dynamic_body((0, 4), 0.5, bullet=True).bullet
        True
        """
        return self._create_body(
            lib.B2D_DYNAMIC, position, angle, linear_velocity, angular_velocity, linear_damping, angular_damping,
            gravity_scale, sleep_threshold, can_sleep, awake, enabled, bullet, allow_fast_rotation, safety_factor,
            lock_x, lock_y, lock_rotation, name, data,
        )  # fmt: skip

    def _create_body(
        self,
        kind: int,
        position: Any,
        angle: Any,
        linear_velocity: Any,
        angular_velocity: Any,
        linear_damping: Any,
        angular_damping: Any,
        gravity_scale: Any,
        sleep_threshold: Any,
        can_sleep: Any,
        awake: Any,
        enabled: Any,
        bullet: Any,
        allow_fast_rotation: Any,
        safety_factor: Any,
        lock_x: Any,
        lock_y: Any,
        lock_rotation: Any,
        name: Any,
        data: Any,
    ) -> Body:
        d = ffi.new(BODY_DEF, _DEFAULT_BODY[0])
        d.type = kind
        given: dict[str, Any] = {}
        if position is not ORIGIN:
            d.x, d.y = pair(position, "position")
        if linear_velocity is not ORIGIN:
            d.vx, d.vy = pair(linear_velocity, "linear_velocity")
            given["linear_velocity"] = linear_velocity
        if angle is not _ZERO:
            d.angle = number(angle, "angle")
        if angular_velocity is not _ZERO:
            d.angular_velocity = number(angular_velocity, "angular_velocity")
            given["angular_velocity"] = angular_velocity
        if linear_damping is not _ZERO:
            d.linear_damping = number(linear_damping, "linear_damping")
            given["linear_damping"] = linear_damping
        if angular_damping is not _ZERO:
            d.angular_damping = number(angular_damping, "angular_damping")
            given["angular_damping"] = angular_damping
        if gravity_scale is not _ONE:
            d.gravity_scale = number(gravity_scale, "gravity_scale")
            given["gravity_scale"] = gravity_scale
        if sleep_threshold is not _SLEEP_SPEED:
            d.sleep_threshold = number(sleep_threshold, "sleep_threshold")
            given["sleep_threshold"] = sleep_threshold
        if safety_factor is not _SAFETY:
            d.safety_factor = number(safety_factor, "safety_factor")
            given["safety_factor"] = safety_factor
        if can_sleep is not True:
            d.can_sleep = flag(can_sleep, "can_sleep")
        if awake is not True:
            d.awake = flag(awake, "awake")
        if enabled is not True:
            d.enabled = flag(enabled, "enabled")
        if bullet is not False:
            d.bullet = flag(bullet, "bullet")
        if allow_fast_rotation is not False:
            d.allow_fast_rotation = flag(allow_fast_rotation, "allow_fast_rotation")
        if lock_x is not False:
            d.lock_x = flag(lock_x, "lock_x")
        if lock_y is not False:
            d.lock_y = flag(lock_y, "lock_y")
        if lock_rotation is not False:
            d.lock_rotation = flag(lock_rotation, "lock_rotation")
        if name is not _NO_NAME:
            text(name, "name")
        out = ffi.new("b2d_handle *")
        pointer = self._ptr
        status = lib.b2d_body_create(pointer, d, out)
        if status:
            fail(status, self, position=position, angle=angle, **given)
        if lib.b2d_world_tables_version(pointer) != self._version:
            self._refresh()
        index, generation = out.index, out.generation
        body = Body(self, index, generation)  # type: ignore[arg-type]
        self._handles[0][index] = weakref.ref(body)
        if name:
            self._names[index, generation] = name
        if data is not None:
            self._data[lib.B2D_KIND_BODY, index, generation] = data
        return body

    def create_bodies(
        self,
        positions: Any,
        *,
        geometry: Geometry,
        angles: Any = None,
        linear_velocities: Any = None,
        type: BodyType | str = "dynamic",
        density: float = 1.0,
        friction: float = 0.6,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        tangent_speed: float = 0.0,
        one_way: Vec2Like | None = None,
        filter: Filter = DEFAULT_FILTER,
        sensor: bool = False,
        contact_events: bool = True,
        hit_events: bool = False,
        sensor_events: bool = False,
        material: int = 0,
        color: int = 0,
    ) -> BodyArray:
        """Many bodies with one shape each, in one call of C: all of them or, on an error, none.

        Args:
            positions: array or pairs, shape (n, 2), metres.
            geometry: the shape that each one gets.
            angles: shape (n,), radians; zero when absent.
            linear_velocities: shape (n, 2), m/s; zero when absent.
            type: of the bodies.

        The others are those of `Body.create_shape`.

        Raises:
            ValueError: not finite, out of range, or a wrong array shape.
            TypeError: a wrong type.

        >>> with World() as world:
        ...     grid = [(x, y) for x in range(10) for y in range(10)]
        ...     boxes = world.create_bodies(grid, geometry=Box(0.4, 0.4))
        ...     boxes, boxes.mass.shape
        (<BodyArray of 100 bodies>, (100,))
        """
        rows = points(positions, "positions")
        n = len(rows)
        finite(rows, positions, "positions")
        turns = speeds = None
        if angles is not None:
            turns = floats(angles, "angles")
            if turns.shape != (n,):
                raise ValueError(f"angles={shown(angles)} must have shape ({n},), not {turns.shape}")
            finite(turns, angles, "angles")
        if linear_velocities is not None:
            speeds = points(linear_velocities, "linear_velocities")
            if len(speeds) != n:
                raise ValueError(f"linear_velocities={shown(linear_velocities)} must have shape ({n}, 2), not {speeds.shape}")
            finite(speeds, linear_velocities, "linear_velocities")
        definition = ffi.new(BODY_DEF, _DEFAULT_BODY[0])
        definition.type = as_body_type(type)
        given = {
            "density": density,
            "friction": friction,
            "restitution": restitution,
            "rolling_resistance": rolling_resistance,
            "tangent_speed": tangent_speed,
            "one_way": one_way,
            "sensor": sensor,
            "contact_events": contact_events,
            "hit_events": hit_events,
            "sensor_events": sensor_events,
            "material": material,
            "color": color,
        }
        c, shape = as_geometry(geometry), shape_def(given, filter)
        handles = np.zeros(n, HANDLE_DTYPE)
        pointer = self._ptr
        if n:
            status = lib.b2d_bodies_create(
                pointer,
                definition,
                c,
                shape,
                n,
                ffi.from_buffer("double[]", rows),
                ffi.NULL if turns is None else ffi.from_buffer("double[]", turns),
                ffi.NULL if speeds is None else ffi.from_buffer("double[]", speeds),
                ffi.from_buffer(HANDLES, handles, require_writable=True),
            )
            if status:
                fail(
                    status,
                    self,
                    positions=positions,
                    geometry=geometry,
                    angles=angles,
                    linear_velocities=linear_velocities,
                    type=type,
                    filter=filter,
                    **given,
                )
            self._refresh()
        return BodyArray(self, np.ascontiguousarray(handles["index"]), np.ascontiguousarray(handles["generation"]))  # type: ignore[arg-type]
