"""Queries and motions as plain numbers, for packages that build on box2dpy: without objects they take half the time.

`box2dpy.compat` uses them. Other programs use the queries of `World` and the properties of `Body`, which check more and
return handles and vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ._bridge.arguments import bounded, integer
from ._bridge.errors import raise_error
from ._bridge.library import ffi, lib
from ._bridge.struct_pool import StructPool
from ._queries.hits import HIT_POOL, HIT_ROW
from ._queries.keywords import query_filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._objects.body import Body
    from ._objects.shape import Shape
    from ._world.world import World

__all__ = [
    "body_position", "body_row", "body_velocity", "change_count", "first_ray_row", "motion_tables", "overlap_count",
    "ray_rows", "shape_generation", "substep_count",
]  # fmt: skip

_EVERYTHING = query_filter("", {})
_NULL, _COUNT = ffi.NULL, ffi.typeof("int32_t *")
_BOXES: StructPool[Any] = StructPool(lambda: (ffi.new("double[4]"), ffi.new(_COUNT)))
_ray, _pop, _take, _give = lib.b2d_world_ray_cast_cores, HIT_POOL.pop, HIT_POOL.take, HIT_POOL.give_back
_unpack = HIT_ROW.unpack
Row: TypeAlias = "tuple[int, float, float, float, float, float, int, int]"


def __dir__() -> list[str]:
    return __all__


def body_position(body: Body) -> tuple[float, float]:
    """`Body.position` as two numbers, with the same exceptions.

    >>> with World() as world:
    ...     rows.body_position(world.create_static_body((5, 0)))
    (5.0, 0.0)
    """
    i = body._row
    pose = body._world._pose
    try:
        return pose[i], pose[i + 1]
    except IndexError:  # the body is gone, or the tables have grown
        x, y = body.position
        return x, y


def body_velocity(body: Body) -> tuple[float, float]:
    """`Body.linear_velocity` as two numbers, with the same exceptions. A sleeping body has (0, 0).

    >>> with World() as world:
    ...     rows.body_velocity(world.create_dynamic_body(linear_velocity=(0, 2)))
    (0.0, 2.0)
    """
    i = 2 * body._row
    state = body._world._state
    try:
        return state[i], state[i + 1]
    except IndexError:
        x, y = body.linear_velocity
        return x, y


def body_row(body: Body) -> int:
    """Where the position of a body begins in the first of `motion_tables`: x, then y. Its linear velocity begins at
    twice this index in the second one. Valid until the body is destroyed."""
    return body._row


def motion_tables(world: World) -> tuple[Sequence[float], Sequence[float]]:
    """The positions and the velocities of all bodies as they are now, for `body_row`. Read them at once and do not
    keep them.

    While the world is being stepped, and after the tables have grown, they are empty. Reading the position of a body
    fetches them again.

    >>> with World() as world:
    ...     body = world.create_dynamic_body((5, 3), linear_velocity=(0, 2))
    ...     row, x = rows.body_row(body), body.position.x
    ...     places, velocities = rows.motion_tables(world)
    ...     places[row], places[row + 1], velocities[2 * row + 1]
    (5.0, 3.0, 2.0)
    """
    return world._pose, world._state


def change_count(body: Body) -> int:
    """How many calls may have changed the world of a body: no property of a body changes while this stays the same. It
    is -1 while the world is being stepped.

    >>> with World() as world:
    ...     body = world.create_dynamic_body()
    ...     before = rows.change_count(body)
    ...     body.angle = 1.0
    ...     rows.change_count(body) > before >= 0
    True
    """
    world = body._world
    count: int = -1 if world._stepper else world._tables_state[1]
    return count


def shape_generation(shape: Shape) -> int:
    """The first number of the rows of this shape in `ray_rows`. No other object of the world has ever had it.

    >>> with World() as world:
    ...     shape = world.create_static_body((5, 0)).create_shape(Circle(1))
    ...     rows.first_ray_row(world, 0.0, 0.0, 9.0, 0.0)[0] == rows.shape_generation(shape)
    True
    """
    return shape._generation


def first_ray_row(world: World, x: float, y: float, dx: float, dy: float) -> Row | None:
    """The first of `ray_rows`, or None; it is found sooner than all of them."""
    try:
        out, data = spare = _pop()
    except IndexError:
        out, data = spare = _take()
    try:
        status = _ray(world._ptr, x, y, dx, dy, True, out, 1, _NULL)
        if status:
            raise_error(status, world, origin=(x, y), translation=(dx, dy))
        row: Row = _unpack(data)
    finally:
        _give(spare)
    return row if row[6] >= 0 else None


def ray_rows(world: World, x: float, y: float, dx: float, dy: float) -> list[Row]:
    """Where the ray from (x, y) to (x + dx, y + dy) enters shapes, as if polygons and capsules had no rounding; sensors
    included, whatever the filters say. The order is that of fractions, then of indices.

    Returns:
        For each shape (generation, x, y, fraction, normal x, normal y, index of the shape, index of the body).

    Raises:
        ValueError: not finite, or beyond 1e12 m.
        TypeError: no number.
        WorldLockedError: another thread is stepping the world.
        DestroyedError: the world is closed.

    >>> with World() as world:
    ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1, radius=0.5), sensor=True)
    ...     [row[1:4] for row in rows.ray_rows(world, 0.0, 0.0, 10.0, 0.0)]
    [(4.0, 0.0, 0.4)]
    """
    count, room = ffi.new(_COUNT, 16), 0
    while count[0] > room:
        room = count[0]
        out = ffi.new("b2d_query_hit[]", room)
        status = _ray(world._ptr, x, y, dx, dy, False, out, room, count)
        if status:
            raise_error(status, world, origin=(x, y), translation=(dx, dy))
    return list(HIT_ROW.iter_unpack(ffi.buffer(out, count[0] * HIT_ROW.size)))


def overlap_count(world: World, left: float, below: float, right: float, above: float) -> int:
    """How many shapes `World.overlap_aabb` finds.

    >>> with World() as world:
    ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
    ...     rows.overlap_count(world, 0.0, 0.0, 4.5, 1.0), rows.overlap_count(world, 0.0, 0.0, 3.0, 1.0)
    (1, 0)
    """
    box, count = spare = _BOXES.take()
    box[0:4] = left, below, right, above
    status = lib.b2d_world_overlap_boxes(world._ptr, 1, box, box + 2, _EVERYTHING, _NULL, 0, count)
    if status:
        raise_error(status, world, lower=(left, below), upper=(right, above))
    found: int = count[0]
    _BOXES.give_back(spare)
    return found


def substep_count(dt: float, substeps: int) -> int:
    """How many substeps `World.step(dt, substeps)` takes: a step longer than 1/50 s has `substeps` for each 1/60 s.

    >>> rows.substep_count(1 / 60, 4), rows.substep_count(1 / 20, 4)
    (4, 12)
    """
    return int(lib.b2d_substeps(bounded(dt, "dt", 0.0, 1.0), integer(substeps, "substeps", 1, 64)))
