"""`Shape`: one piece of geometry with its material on a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from .._bridge.arguments import direction, finite_pair, flag, integer, number, pair
from .._bridge.colors import shape_color
from .._bridge.definitions import OptionWriter, StructBuffer, struct_buffers, struct_fields
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import (
    BOX,
    COLOR,
    DEAD,
    DIRECTION,
    FLAG,
    INTEGER,
    NUMBER,
    Handle,
    Property,
    ReadOnly,
    list_handles,
)
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.other_names import add_other_names
from .._geometry.categories import Filter
from .._geometry.geometry import GEOMETRY, Geometry, GeometryHit, as_geometry, from_c

if TYPE_CHECKING:
    from .._bridge.colors import Color
    from .._bridge.vectors import Vec2, Vec2Like
    from .._geometry.geometry import MassData
    from .body import Body
    from .chain import Chain
    from .contact import Contact
    from .world_handles import WorldHandles


class SurfaceOptions(TypedDict, total=False):
    """The options that a shape and a chain have in common."""

    # generated: types of surface numbers, see tools/lists.py
    friction: float
    restitution: float
    rolling_resistance: float
    tangent_speed: float
    # end of generated
    filter: Filter
    # generated: types of surface options, see tools/lists.py
    contact_events: bool
    hit_events: bool
    sensor_events: bool
    presolve: bool
    material: int
    color: Color
    one_way: Vec2Like | None
    # end of generated


class SolidOptions(SurfaceOptions, total=False):
    """The options of a shape that are also those of `World.create_bodies`."""

    density: float
    sensor: bool


class ShapeOptions(SolidOptions, total=False):
    """The options of `Body.create_shape`."""

    update_mass: bool
    data: Any


DEFAULT_SHAPE = ffi.new("b2d_shape_def *")
lib.b2d_shape_def_init(DEFAULT_SHAPE)
DEFAULT_FILTER = Filter()
SHAPE_BUFFERS = struct_buffers("b2d_shape_def")
SHAPE_DEFAULTS = {name: getattr(DEFAULT_SHAPE, name, None) for name in ShapeOptions.__annotations__}
SHAPE_DEFAULTS["filter"] = DEFAULT_FILTER

_ENCODERS = {"float": number, "bool": flag, "int": integer, "color": shape_color}  # by the type in the list
# What turns each option into the number in the field of its name in b2d_shape_def
_FIELDS = struct_fields(
    "b2d_shape_def",
    {
        **{name: _ENCODERS[kind] for _, name, kind, *_ in shared_list("shape_properties") if kind in _ENCODERS},
        "update_mass": flag,
        "one_way_x": number,
    },
)
_FIELDS["one_way"] = _FIELDS.pop("one_way_x")._replace(kind=None, encode=direction)
_WRITER = OptionWriter(SHAPE_BUFFERS, DEFAULT_SHAPE, _FIELDS)


def as_filter(value: object) -> Filter:
    if not isinstance(value, Filter):
        raise TypeError(f"filter={short_repr(value)} must be a Filter")
    return value


def shape_definition(options: Mapping[str, Any]) -> tuple[StructBuffer, dict[str, Any]]:
    """A definition with these options, to be given back to SHAPE_BUFFERS, and the options that are not part of it."""
    buffer, others = _WRITER.write(options)
    if "filter" in others:
        filled = buffer[0]
        filled.category, filled.mask, filled.group = as_filter(others.pop("filter"))
    return buffer, others


class Shape(Handle):
    """A piece of geometry on a body, made by `Body.create_shape`; it moves with its body and is destroyed with it.

    Every property may be changed at any time, also under resting contacts. All raise `DestroyedError` when the shape is
    gone, `WorldLockedError` while another thread steps the world, `ValueError` for values that are not finite or out of
    range and `TypeError` for wrong types.

    >>> with World() as world:
    ...     shape = world.create_dynamic_body().create_shape(Circle(0.5), friction=0.3)
    ...     shape.friction = 0.9
    ...     shape.body.shapes, round(shape.friction, 3)
    ([<Shape 0 circle on body 0>], 0.9)
    """

    __slots__ = ()
    _KIND = lib.B2D_KIND_SHAPE
    _world: WorldHandles
    _C_PREFIX = "SHAPE"
    _C_GET = lib.b2d_shape_get
    _C_SET = lib.b2d_shape_set

    # generated: properties of a shape, see tools/lists.py
    density = Property(NUMBER)
    friction = Property(NUMBER)
    restitution = Property(NUMBER)
    rolling_resistance = Property(NUMBER)
    tangent_speed = Property(NUMBER)
    sensor = Property(FLAG)
    contact_events = Property(FLAG)
    hit_events = Property(FLAG)
    sensor_events = Property(FLAG)
    presolve = Property(FLAG)
    material = Property(INTEGER)
    color = Property(COLOR)
    one_way = Property(DIRECTION)
    aabb = ReadOnly(BOX)
    fat_aabb = ReadOnly(BOX)
    # end of generated

    @property
    def body(self) -> Body:
        """The body that it belongs to; where objects have `data`, also in the end events of a shape that has gone."""
        out = ffi.new("b2d_handle *")
        status = lib.b2d_shape_body(self._world._ptr, self._index, self._generation, out)
        if status:
            late = self._world._late_of((self._KIND, self._index, self._generation)) if self._row == DEAD else None
            if late is not None and late[2] is not None:
                return self._world._body(*late[2])
            raise_error(status, self)
        return self._world._body(out.index, out.generation)

    @property
    def world_vertices(self) -> list[Vec2]:
        """Its vertices in world coordinates: corners of a polygon, ends of a capsule or segment, centre of a circle.

        `world.shapes.world_vertices` has those of all shapes in one array.

        >>> with World() as world:
        ...     wall = world.create_static_body((5, 0)).create_shape(Segment((0, 0), (0, 2)))
        ...     wall.world_vertices
        [Vec2(5.0, 0.0), Vec2(5.0, 2.0)]
        """
        geometry, body = self.geometry, self.body
        return [body.world_point(geometry._point(k)) for k in range(geometry._c.count)]

    @property
    def geometry(self) -> Geometry:
        """A copy of its geometry; a `Box` is read back as a `Polygon`. Assigning replaces it and updates the mass.

        >>> with World() as world:
        ...     shape = world.create_static_body().create_shape(Box(1, 1))
        ...     shape.geometry = Circle(2)
        ...     shape.geometry
        Circle(2.0, center=(0.0, 0.0))
        """
        c = ffi.new(GEOMETRY)
        status = lib.b2d_shape_geometry(self._world._ptr, self._index, self._generation, c)
        if status:
            raise_error(status, self)
        return from_c(c)

    @geometry.setter
    def geometry(self, value: Geometry) -> None:
        self.set_geometry(value)

    def set_geometry(self, geometry: Geometry, *, update_mass: bool = True) -> None:
        """Replaces the geometry; with `update_mass=False` the body keeps its mass until `Body.update_mass()`."""
        c, update = as_geometry(geometry), flag(update_mass, "update_mass")
        status = lib.b2d_shape_set_geometry(self._world._ptr, self._index, self._generation, c, update)
        if status:
            raise_error(status, self, geometry=geometry)

    @property
    def filter(self) -> Filter:
        """What it collides with. Assigning takes effect in the next step, for existing contacts too."""
        category, mask, group = ffi.new("uint64_t *"), ffi.new("uint64_t *"), ffi.new("int32_t *")
        status = lib.b2d_shape_filter(self._world._ptr, self._index, self._generation, category, mask, group)
        if status:
            raise_error(status, self)
        return Filter(category[0], mask[0], group[0])

    @filter.setter
    def filter(self, value: Filter) -> None:
        status = lib.b2d_shape_set_filter(self._world._ptr, self._index, self._generation, *as_filter(value))
        if status:
            raise_error(status, self, filter=value)

    @property
    def chain(self) -> Chain | None:
        """The chain whose segment it is, or None."""
        out = ffi.new("b2d_handle *")
        status = lib.b2d_shape_chain(self._world._ptr, self._index, self._generation, out)
        if status:
            raise_error(status, self)
        return self._world._chain(out.index, out.generation) if out.generation else None

    @property
    def contacts(self) -> list[Contact]:
        """Its contacts by id: all pairs whose fat boxes overlap, touching or not."""
        world = self._world

        def fetch(out: Any, room: int, count: Any) -> Any:
            return lib.b2d_shape_contacts(world._ptr, self._index, self._generation, out, room, count)

        return [world._contact(*row) for row in list_handles(fetch, self)]

    @property
    def overlaps(self) -> list[Shape]:
        """Of a sensor: the living shapes that were in it at the last step, by index; of any other shape none.

        A body that was too fast to be inside at the end of a step counts for that step, if `World.continuous` is on.
        Such a passage is found within the linear slop, 5 mm times `length_unit`: a shallower graze may go unnoticed.

        >>> with World() as world:
        ...     zone = world.create_static_body().create_shape(Box(1, 1), sensor=True)
        ...     wall = world.create_static_body((1.5, 0)).create_shape(Box(1, 1), sensor_events=True)
        ...     world.step()
        ...     zone.overlaps == [wall]
        True
        """
        world = self._world

        def fetch(out: Any, room: int, count: Any) -> Any:
            return lib.b2d_shape_overlaps(world._ptr, self._index, self._generation, out, room, count)

        return [world._shape(*row) for row in list_handles(fetch, self)]

    @property
    def mass_data(self) -> MassData:
        """Mass, rotational inertia and centre of mass that it gives to its body, in body coordinates."""
        return self.geometry.mass_data(self.density)

    def contains(self, point: Vec2Like) -> bool:
        """Whether a point of the world lies in the shape, rim included. A segment contains nothing.

        Raises:
            ValueError: not finite.
            TypeError: not a pair of numbers.

        >>> with World() as world:
        ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
        ...     shape.contains((5.5, 0)), shape.contains((0, 0))
        (True, False)
        """
        return self.geometry.contains(self.body.local_point(finite_pair(point, "point")))

    def closest_point(self, point: Vec2Like) -> Vec2:
        """The point of the shape that is closest to a point of the world: the point itself where it lies inside.

        Raises:
            ValueError: not finite.
            TypeError: not a pair of numbers.
        """
        body = self.body
        return body.world_point(self.geometry.closest_point(body.local_point(finite_pair(point, "point"))))

    def ray_cast(self, origin: Vec2Like, translation: Vec2Like) -> GeometryHit | None:
        """Where a ray enters this shape, in world coordinates; None if it does not, also when it starts inside.

        Filters are ignored, and a sensor is entered like any other shape; `World.ray_cast` respects both.

        Raises:
            ValueError: not finite.
            TypeError: not a pair of numbers.

        >>> with World() as world:
        ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
        ...     shape.ray_cast((0, 0), (8, 0))
        GeometryHit(point=Vec2(4.0, 0.0), normal=Vec2(-1.0, 0.0), fraction=0.5)
        """
        body = self.body
        start, way = finite_pair(origin, "origin"), finite_pair(translation, "translation")
        hit = self.geometry.ray_cast(body.local_point(start), body.local_vector(way))
        return hit and GeometryHit(body.world_point(hit.point), body.world_vector(hit.normal), hit.fraction)

    def apply_wind(
        self, wind: Vec2Like, *, drag: float = 1.0, lift: float = 0.0, density: float = 1.2, wake: bool = True
    ) -> None:
        """Applies the force of moving or still air on this shape for the next step; see `World.apply_wind`.

        Raises:
            ValueError: not finite, or a negative drag or density.
            TypeError: a wrong type.

        >>> with World(gravity=(0, 0)) as world:
        ...     sail = world.create_dynamic_body().create_shape(Box(0.1, 1))
        ...     sail.apply_wind((10, 0))
        ...     round(sail.body.force.x, 3)  # 0.5 * 1.2 kg/m^2 * (10 m/s)^2 * 2 m
        120.0
        """
        x, y = pair(wind, "wind")
        numbers = number(density, "density"), number(drag, "drag"), number(lift, "lift")
        awake = flag(wake, "wake")
        status = lib.b2d_shape_apply_wind(self._world._ptr, self._index, self._generation, x, y, *numbers, awake)
        if status:
            raise_error(status, self, wind=wind, density=density, drag=drag, lift=lift)

    def destroy(self, *, update_mass: bool = True) -> None:
        """Removes the shape from its body and ends its contacts. On a destroyed shape it does nothing.

        With `update_mass=False` the body keeps its mass until `Body.update_mass()`. If more than 64 shapes are left,
        the size of the body, which decides when it sleeps and is fast, may be too large until then.
        """
        update = flag(update_mass, "update_mass")
        if self._world._in_callback():
            self._world._defer(None, lambda: self.destroy(update_mass=update))
            return
        if not self.alive:
            return
        owner = self.body if self._world._data else None
        status = lib.b2d_shape_destroy(self._world._ptr, self._index, self._generation, update)
        if status and status & 0xFF != lib.B2D_STALE_HANDLE:
            raise_error(status, self)
        self._world._forget(self._key(), body=owner)
        self._mark_dead()  # also when a garbage collection has already cleared the weak reference to it

    def _describe(self) -> str:
        return f" {type(self.geometry).__name__.lower()} on body {self.body.index}"


add_other_names(Shape)
