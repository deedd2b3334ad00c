"""How bodies are made: the `create_..._body` methods of `World`, and `create_bodies`."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast
from weakref import ref

import numpy as np

from .._bridge.arguments import NOT_PAIRS, column, components, finite, finite_pair, flag, number, pair, points, text
from .._bridge.body_type import BodyType, BodyTypeName, as_body_type
from .._bridge.colors import shape_color
from .._bridge.definitions import OptionWriter, struct_buffers, struct_fields
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import HANDLE_DTYPE, HANDLE_POOL, HANDLES
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.signatures import refuse, shows
from .._geometry.geometry import ORIGIN, Geometry, as_geometry
from .._objects.body import Body
from .._objects.body_array import SHAPE_PROPERTIES, BodyArray
from .._objects.collections import WorldObjects
from .._objects.shape import SHAPE_DEFAULTS, Shape, shape_definition
from .template import Template, create_many

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from .._bridge.colors import Color
    from .._bridge.vectors import Vec2Like
    from .._geometry.categories import Filter


class StaticBodyOptions(TypedDict, total=False):
    """The options of `World.create_static_body`: those that mean something for a body that never moves."""

    enabled: bool
    name: str
    data: Any


class MotionOptions(TypedDict, total=False):
    """The options of bodies that may move."""

    linear_velocity: Vec2Like
    angular_velocity: float
    # generated: types of body options, see tools/lists.py
    gravity_scale: float
    linear_damping: float
    angular_damping: float
    sleep_threshold: float
    safety_factor: float
    awake: bool
    can_sleep: bool
    bullet: bool
    allow_fast_rotation: bool
    lock_x: bool
    lock_y: bool
    lock_rotation: bool
    # end of generated


class BodyOptions(StaticBodyOptions, MotionOptions, total=False):
    """The options of `World.create_kinematic_body` and `World.create_dynamic_body`."""


class ManyBodiesOptions(MotionOptions, total=False):
    """The options of `World.create_bodies`: those of the bodies and of their shapes."""

    enabled: bool
    name: str | Sequence[str]
    data: Sequence[object]
    one_way: Vec2Like | None
    filter: Filter
    # generated: types of shape options of many, see tools/lists.py
    density: ArrayLike
    friction: ArrayLike
    restitution: ArrayLike
    rolling_resistance: ArrayLike
    tangent_speed: ArrayLike
    sensor: bool
    contact_events: bool
    hit_events: bool
    sensor_events: bool
    presolve: bool
    material: ArrayLike
    color: ArrayLike | Color
    # end of generated


_ROWS = {name for _, name, kind, *_ in shared_list("shape_properties") if kind in ("float", "int", "color")}
_DEFAULT = ffi.new("b2d_body_def *")
lib.b2d_body_def_init(_DEFAULT)
_BODY_BUFFERS = struct_buffers("b2d_body_def")
BODY_DEFAULTS = {name: getattr(_DEFAULT, name, None) for name in BodyOptions.__annotations__}
BODY_DEFAULTS.update(linear_velocity=ORIGIN, name="")

_ENCODERS = {"float32": number, "bool": flag}  # by the type in the list
# What turns each option into the number in the field of its name in b2d_body_def
_FIELDS = struct_fields(
    "b2d_body_def",
    {
        **{
            name: _ENCODERS[kind]
            for _, name, kind, _, default, *_ in shared_list("body_properties")
            if default != "none"
        },
        **dict.fromkeys(("angular_velocity", "vx"), number),
    },
)
_FIELDS["linear_velocity"] = _FIELDS.pop("vx")._replace(kind=None, encode=pair)

_pop_handle, _give_handle = HANDLE_POOL.pop, HANDLE_POOL.give_back
_pack_pose, _POSE_AT = struct.Struct("3d").pack_into, ffi.offsetof("b2d_body_def", "x")
_create, _create_at, _bare, _give = lib.b2d_body_create, lib.b2d_body_create_at, object.__new__, _BODY_BUFFERS.give_back

F = TypeVar("F", bound=Callable[..., Body])


def _maker(kind: int, bundle: type, name: str = "") -> Callable[[F], F]:
    """A decorator that gives a method of `World` its body, so that the kinds of bodies share it. `name` is that of the
    method in messages, where it is another.

    The method is called often, so of the options only those that were given are looked at.
    """

    default = ffi.new("b2d_body_def *", _DEFAULT[0])
    default.type = kind
    allowed = {name: field for name, field in _FIELDS.items() if name in bundle.__annotations__}
    definition = OptionWriter(_BODY_BUFFERS, default, allowed)

    def decorate(declared: F) -> F:
        @shows(bundle.__annotations__, BODY_DEFAULTS, Body)
        @functools.wraps(declared)
        def create(self: BodyMakers, position: Any = ORIGIN, angle: Any = 0.0, **options: Any) -> Body:
            try:
                x, y = position
            except (TypeError, ValueError):
                x, y = pair(position, "position")
            if type(x) is not float or type(y) is not float or type(position) in NOT_PAIRS:
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
                    refuse(name or declared.__name__, others, ("name", "data"), bundle.__annotations__)
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
                self._drop_tables()
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


_MANY = OptionWriter(
    _BODY_BUFFERS,
    _DEFAULT,
    {name: field for name, field in _FIELDS.items() if name in ManyBodiesOptions.__annotations__},
)


def _is_row(value: Any) -> bool:
    return np.ndim(value) > 0


def _texts(value: Any, count: int) -> list[str]:
    """A name for each body, from one for all or a sequence."""
    if isinstance(value, str):
        return [value] * count if value else []
    return [text(each, "name") for each in _one_each(value, "name", count)]


def _objects(value: Any, count: int) -> list[Any]:
    """An object for each body, or none."""
    return [] if value is None else _one_each(value, "data", count)


def _one_each(value: Any, name: str, count: int) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name}={short_repr(value)} must be a list with one for each body")
    if len(value) != count:
        raise ValueError(f"{name}={short_repr(value)} has {len(value)} members for {count} bodies")
    return list(value)


def _shape_column(value: Any, name: str, count: int) -> NDArray[np.float64]:
    """A number for the shape of each body, checked."""
    if name == "color":
        value = [shape_color(each, name) for each in value]
    numbers = column(value, name, count)
    for row in {int(numbers.argmin()), int(numbers.argmax())} if count else ():
        status = lib.b2d_shape_check(SHAPE_PROPERTIES[name], [numbers[row]])
        if status:
            raise_error(status, **{name: f"{short_repr(value)}[{row}]"})
    return numbers


class BodyMakers(WorldObjects):
    """The part of `World` that makes bodies."""

    __slots__ = ()

    @shows(BodyOptions.__annotations__, BODY_DEFAULTS, Body)
    def create_body(
        self,
        type: BodyType | BodyTypeName,
        position: Vec2Like = ORIGIN,
        angle: float = 0.0,
        **options: Unpack[BodyOptions],
    ) -> Body:
        """Creates a body of any type, with the same options for every type, for programs that read bodies from a file.

        A static body keeps the options of motion in case its type changes, except for the velocities: it has none.

        Args:
            type: a `BodyType` or its name: "static", "kinematic" or "dynamic".
            position: the origin of the body in world coordinates, metres.
            angle: radians, counter-clockwise.

        Raises:
            ValueError: a value is not finite or out of range, or the type is not known.
            TypeError: a wrong type, or an option that does not exist.
            WorldLockedError: another thread is stepping the world.

        >>> with World() as world:
        ...     for type in ("static", "kinematic", "dynamic"):
        ...         world.create_body(type, (1, 2), linear_velocity=(3, 0), lock_rotation=True).linear_velocity
        Vec2(0.0, 0.0)
        Vec2(3.0, 0.0)
        Vec2(3.0, 0.0)
        """
        kind = as_body_type(type)
        if kind == BodyType.STATIC:
            finite_pair(options.pop("linear_velocity", ORIGIN), "linear_velocity")
            number(options.pop("angular_velocity", 0.0), "angular_velocity")
            return self._create_any_static(position, angle, **options)
        return (self._create_any_kinematic if kind == BodyType.KINEMATIC else self._create_any_dynamic)(
            position, angle, **options
        )

    @_maker(lib.B2D_STATIC, BodyOptions, "create_body")
    def _create_any_static(self, position: Vec2Like, angle: float, **options: Unpack[BodyOptions]) -> Body:
        raise NotImplementedError

    @_maker(lib.B2D_KINEMATIC, BodyOptions, "create_body")
    def _create_any_kinematic(self, position: Vec2Like, angle: float, **options: Unpack[BodyOptions]) -> Body:
        raise NotImplementedError

    @_maker(lib.B2D_DYNAMIC, BodyOptions, "create_body")
    def _create_any_dynamic(self, position: Vec2Like, angle: float, **options: Unpack[BodyOptions]) -> Body:
        raise NotImplementedError

    @_maker(lib.B2D_STATIC, StaticBodyOptions)
    def create_static_body(
        self, position: Vec2Like = ORIGIN, angle: float = 0.0, **options: Unpack[StaticBodyOptions]
    ) -> Body:
        """Creates a body that never moves.

        It has no options of motion, such as velocities and damping. They can be assigned when its type has been
        changed.

        Args:
            position: the origin of the body in world coordinates, metres.
            angle: radians, counter-clockwise.
            enabled: whether it collides.
            name: a text that `repr` shows.
            data: any Python object.

        Raises:
            ValueError: a value is not finite or out of range.
            TypeError: a wrong type, or an option that does not exist.
            WorldLockedError: another thread is stepping the world.

        >>> World().create_static_body((1, 2), name="floor")
        <Body 0 'floor' static at (1, 2)>
        """
        raise NotImplementedError

    @_maker(lib.B2D_KINEMATIC, BodyOptions)
    def create_kinematic_body(
        self, position: Vec2Like = ORIGIN, angle: float = 0.0, **options: Unpack[BodyOptions]
    ) -> Body:
        """Creates a body that moves by its velocity and is not pushed.

        Args:
            position: the origin of the body in world coordinates, metres.
            angle: radians, counter-clockwise.

        Raises:
            ValueError: a value is not finite or out of range.
            TypeError: a wrong type, or an option that does not exist.
            WorldLockedError: another thread is stepping the world.

        >>> World().create_kinematic_body(linear_velocity=(1, 0)).linear_velocity
        Vec2(1.0, 0.0)
        """
        raise NotImplementedError

    @_maker(lib.B2D_DYNAMIC, BodyOptions)
    def create_dynamic_body(
        self, position: Vec2Like = ORIGIN, angle: float = 0.0, **options: Unpack[BodyOptions]
    ) -> Body:
        """Creates a body that forces and contacts move.

        Args:
            position: the origin of the body in world coordinates, metres.
            angle: radians, counter-clockwise.

        Raises:
            ValueError: a value is not finite or out of range.
            TypeError: a wrong type, or an option that does not exist.
            WorldLockedError: another thread is stepping the world.

        >>> World().create_dynamic_body((0, 4), 0.5, bullet=True).bullet
        True
        """
        raise NotImplementedError

    @shows(ManyBodiesOptions.__annotations__, {**BODY_DEFAULTS, **SHAPE_DEFAULTS}, Body, Shape)
    def create_bodies(
        self,
        positions: ArrayLike,
        *,
        geometry: Geometry,
        angles: ArrayLike | None = None,
        linear_velocities: ArrayLike | None = None,
        type: BodyType | BodyTypeName = "dynamic",
        **options: Unpack[ManyBodiesOptions],
    ) -> BodyArray:
        """Creates many bodies with one shape each: all of them or, on an error, none.

        Args:
            positions: shape (n, 2), metres, world coordinates.
            geometry: the geometry of the shape that each body gets.
            angles: shape (n,), radians; all zero by default.
            linear_velocities: shape (n, 2), m/s; all zero by default.
            type: the type of all bodies.

        Numbers of the shapes, such as `friction`, may be arrays of shape (n,), one for each body. `name` is a text for
        all or a list of n texts, `data` a list of n objects.

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
            turns = column(angles, "angles", n)
        if linear_velocities is not None:
            speeds = points(linear_velocities, "linear_velocities")
            if len(speeds) != n:
                raise ValueError(
                    f"linear_velocities={short_repr(linear_velocities)} must have shape ({n}, 2), not {speeds.shape}"
                )
            finite(speeds, linear_velocities, "linear_velocities")
        refuse("create_bodies", options, ManyBodiesOptions.__annotations__, ("angles", "linear_velocities"))
        names, objects = _texts(options.get("name", ""), n), _objects(options.get("data"), n)
        columns = {
            name: _shape_column(value, name, n) for name, value in options.items() if name in _ROWS and _is_row(value)
        }
        apart = {*columns, "name", "data"}
        buffer, of_shapes = _MANY.write({name: value for name, value in options.items() if name not in apart})
        buffer.struct.type = as_body_type(type)
        definition = ffi.new("b2d_body_def *", buffer.struct[0])
        _BODY_BUFFERS.give_back(buffer)
        c, (shape, _) = as_geometry(geometry), shape_definition(of_shapes)
        if self._in_callback():
            later: dict[str, Any] = {**options, **columns}
            array = BodyArray._made(self, np.full(n, -1, np.int32), np.zeros(n, np.uint64))
            return self._defer(array, lambda: self.create_bodies(
                rows, geometry=geometry, angles=turns, linear_velocities=speeds, type=type, **later
            ))  # fmt: skip
        handles = np.zeros(n, HANDLE_DTYPE)
        pointer = self._ptr
        status = lib.b2d_bodies_create(
            pointer, definition, c, shape.struct, n, ffi.from_buffer("double[]", rows),
            ffi.NULL if turns is None else ffi.from_buffer("double[]", turns),
            ffi.NULL if speeds is None else ffi.from_buffer("double[]", speeds),
            ffi.from_buffer(HANDLES, handles, require_writable=True),
        )  # fmt: skip
        if status:
            raise_error(
                status, self, positions=positions, geometry=geometry, angles=angles,
                linear_velocities=linear_velocities, type=type, **options,
            )  # fmt: skip
        self._refresh()
        made = BodyArray._made(
            self, np.ascontiguousarray(handles["index"]), np.ascontiguousarray(handles["generation"])
        )
        try:
            for name, numbers in columns.items():
                made._write_shapes(name, numbers)
            # Not through the bodies: another thread may be stepping the world by now
            keys = handles[["index", "generation"]].tolist() if names or objects else []
            self._names.update((key, name) for key, name in zip(keys, names, strict=False) if name)
            self._data.update(
                ((Body._KIND, *key), value) for key, value in zip(keys, objects, strict=False) if value is not None
            )
        except BaseException:  # no memory, or a signal handler: all of them or none
            made.destroy()
            raise
        return made

    def create_many(
        self,
        template: Template,
        positions: ArrayLike,
        angles: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> BodyArray:
        """Creates copies of bodies with their shapes and joints: all of them or, on an error, none.

        The copies equal objects that single calls create, but take less than a fifth of the time. The joints of a copy
        are `joints` of its bodies.

        Args:
            template: the bodies of a copy.
            positions: shape (n, 2): where the origin of the template is in each copy, metres, world coordinates.
            angles: shape (n,): the rotation of each copy about its position, radians; all zero by default.
            groups: shape (n,), whole numbers: the filter group, in each copy, of the shapes that have one. With a
                negative group of its own, no copy collides with itself.

        Returns:
            The bodies: first those of the first copy in the order of the template, then those of the second, ...

        Raises:
            ValueError: not finite, out of range, or a wrong array shape.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.

        >>> with World() as world:
        ...     ball = world.create_dynamic_body((0, 0))
        ...     shape = ball.create_shape(Circle(0.5))
        ...     balls = world.create_many(Template([ball]), [(2, 0), (4, 0)])
        ...     balls.position.tolist()
        [[2.0, 0.0], [4.0, 0.0]]
        """
        return create_many(self, template, positions, angles, groups)
