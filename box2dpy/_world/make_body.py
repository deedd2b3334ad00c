"""How bodies are made: the `create_..._body` methods of `World`, and `create_bodies`."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import ref

import numpy as np

from .._bridge.arguments import components, finite, flag, floats, number, pair, points, text
from .._bridge.definitions import OptionWriter, struct_buffers, struct_fields
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import HANDLE_DTYPE, HANDLE_POOL, HANDLES
from .._bridge.library import ffi, lib
from .._geometry.shapes import ORIGIN, Filter, Geometry, as_geometry
from .._objects.body import Body, BodyType, as_body_type
from .._objects.body_array import BodyArray
from .._objects.collections import WorldObjects
from .._objects.shape import DEFAULT_FILTER, shape_definition

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like

_DEFAULT = ffi.new("b2d_body_def *")
lib.b2d_body_def_init(_DEFAULT)
_BODY_BUFFERS = struct_buffers("b2d_body_def")

# The options of a body: what turns them into the field of their name in b2d_body_def.
_FIELDS = struct_fields(
    "b2d_body_def",
    {
        **dict.fromkeys(
            ("angular_velocity", "linear_damping", "angular_damping", "gravity_scale", "sleep_threshold"), number
        ),
        **dict.fromkeys(("safety_factor", "vx"), number),
        **dict.fromkeys(("can_sleep", "awake", "enabled", "bullet", "allow_fast_rotation"), flag),
        **dict.fromkeys(("lock_x", "lock_y", "lock_rotation"), flag),
    },
)
_FIELDS["linear_velocity"] = _FIELDS.pop("vx")._replace(kind=None, encode=pair)

_pop_handle, _give_handle = HANDLE_POOL.pop, HANDLE_POOL.give_back
_pack_pose, _POSE_AT = struct.Struct("3d").pack_into, ffi.offsetof("b2d_body_def", "x")
_create, _create_at, _bare, _give = lib.b2d_body_create, lib.b2d_body_create_at, object.__new__, _BODY_BUFFERS.give_back

F = TypeVar("F", bound=Callable[..., Body])


def _maker(kind: int) -> Callable[[F], F]:
    """Makes a declaration into the method. Its signature is for readers, checkers and the refusal of unknown options: a call
    with twenty arguments takes longer than making the body, so only those that were given are looked at.
    """

    default = ffi.new("b2d_body_def *", _DEFAULT[0])
    default.type = kind
    definition = OptionWriter(_BODY_BUFFERS, default, _FIELDS)

    def decorate(declared: F) -> F:
        @functools.wraps(declared)
        def create(self: BodyMakers, position: Any = ORIGIN, angle: Any = 0.0, **options: Any) -> Body:
            try:
                x, y = position
            except (TypeError, ValueError):
                x, y = pair(position, "position")
            if type(x) is not float or type(y) is not float:
                x, y = components(x, y, position, "position")
            if type(angle) is not float:
                angle = number(angle, "angle")
            others = None
            try:
                out = _pop_handle()
            except IndexError:
                out = HANDLE_POOL.take()
            if options:
                buffer, others = definition.write(options)
                if others:
                    if not others.keys() <= {"name", "data"}:
                        declared(self, **options)  # raises: it has no such argument
                    text(others.setdefault("name", ""), "name")
                filled, memory, _ = buffer
                _pack_pose(memory, _POSE_AT, x, y, angle)
                status = _create(self._ptr, filled, out)
                _give(buffer)
            else:
                status = _create_at(self._ptr, kind, x, y, angle, out)
            if status:
                if status & 0xFF == lib.B2D_LOCKED and self._in_callback():
                    return self._deferred_handle(Body, lambda: create(self, (x, y), angle, **options))
                raise_error(status, self, position=position, angle=angle, **options)
            index, generation = out.index, out.generation
            _give_handle(out)
            if index >= self._table_rows:
                self._refresh()
            body = _bare(Body)
            body._world = self
            body._index = index
            body._generation = generation
            body._row = 4 * index
            self._handles[generation] = ref(body)
            if others:
                if others["name"]:
                    self._names[index, generation] = others["name"]
                if others.get("data") is not None:
                    body.data = others["data"]
            return body

        return cast("F", create)

    return decorate


class BodyMakers(WorldObjects):
    """The part of `World` that makes bodies."""

    @_maker(lib.B2D_STATIC)
    def create_static_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = 0.0,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = 0.0,
        linear_damping: float = 0.0,
        angular_damping: float = 0.0,
        gravity_scale: float = 1.0,
        sleep_threshold: float = 0.05,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = 0.5,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = "",
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
        raise NotImplementedError

    @_maker(lib.B2D_KINEMATIC)
    def create_kinematic_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = 0.0,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = 0.0,
        linear_damping: float = 0.0,
        angular_damping: float = 0.0,
        gravity_scale: float = 1.0,
        sleep_threshold: float = 0.05,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = 0.5,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = "",
        data: Any = None,
    ) -> Body:
        """A body that moves by its velocity and that nothing pushes. Options and errors as of `create_static_body`.

        >>> World().create_kinematic_body(linear_velocity=(1, 0)).linear_velocity
        Vec2(1.0, 0.0)
        """
        raise NotImplementedError

    @_maker(lib.B2D_DYNAMIC)
    def create_dynamic_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = 0.0,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = 0.0,
        linear_damping: float = 0.0,
        angular_damping: float = 0.0,
        gravity_scale: float = 1.0,
        sleep_threshold: float = 0.05,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = 0.5,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = "",
        data: Any = None,
    ) -> Body:
        """A body that forces and contacts move. Options and errors as of `create_static_body`.

        >>> World().create_dynamic_body((0, 4), 0.5, bullet=True).bullet
        True
        """
        raise NotImplementedError

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
        presolve: bool = False,
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
                raise ValueError(f"angles={short_repr(angles)} must have shape ({n},), not {turns.shape}")
            finite(turns, angles, "angles")
        if linear_velocities is not None:
            speeds = points(linear_velocities, "linear_velocities")
            if len(speeds) != n:
                raise ValueError(
                    f"linear_velocities={short_repr(linear_velocities)} must have shape ({n}, 2), not {speeds.shape}"
                )
            finite(speeds, linear_velocities, "linear_velocities")
        definition = ffi.new("b2d_body_def *", _DEFAULT[0])
        definition.type = as_body_type(type)
        given: dict[str, Any] = {
            "density": density,
            "friction": friction,
            "restitution": restitution,
            "rolling_resistance": rolling_resistance,
            "tangent_speed": tangent_speed,
            "one_way": one_way,
            "presolve": presolve,
            "sensor": sensor,
            "contact_events": contact_events,
            "hit_events": hit_events,
            "sensor_events": sensor_events,
            "material": material,
            "color": color,
        }
        c, (shape, _) = as_geometry(geometry), shape_definition({**given, "filter": filter})
        if self._in_callback():
            array = BodyArray(self, np.full(n, -1, np.int32), np.zeros(n, np.uint64))
            return self._defer(array, lambda: self.create_bodies(
                rows, geometry=geometry, angles=turns, linear_velocities=speeds, type=type, filter=filter, **given
            ))  # fmt: skip
        handles = np.zeros(n, HANDLE_DTYPE)
        pointer = self._ptr
        if n:
            status = lib.b2d_bodies_create(
                pointer,
                definition,
                c,
                shape.struct,
                n,
                ffi.from_buffer("double[]", rows),
                ffi.NULL if turns is None else ffi.from_buffer("double[]", turns),
                ffi.NULL if speeds is None else ffi.from_buffer("double[]", speeds),
                ffi.from_buffer(HANDLES, handles, require_writable=True),
            )
            if status:
                raise_error(
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
        return BodyArray(self, np.ascontiguousarray(handles["index"]), np.ascontiguousarray(handles["generation"]))
