"""Queries as plain numbers, for packages that build on box2dpy: without handles they take half of the time.

`box2dpy.compat` uses them. Other programs use the queries of `World`, which check more and return handles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ._bridge.arguments import bounded, integer
from ._bridge.errors import raise_error
from ._bridge.library import ffi, lib
from ._bridge.struct_pool import StructPool
from ._queries.hits import HIT_POOL, HIT_ROW, query_filter

if TYPE_CHECKING:
    from ._world.world import World

__all__ = ["first_ray_row", "overlap_count", "ray_rows", "substep_count"]

_EVERYTHING = query_filter("", {})
_NULL, _COUNT = ffi.NULL, ffi.typeof("int32_t *")
_BOXES: StructPool[Any] = StructPool(lambda: (ffi.new("double[4]"), ffi.new(_COUNT)))
_ray, _pop, _take, _give = lib.b2d_world_ray_cast_cores, HIT_POOL.pop, HIT_POOL.take, HIT_POOL.give_back
_unpack = HIT_ROW.unpack
Row: TypeAlias = "tuple[int, float, float, float, float, float, int, int]"


def __dir__() -> list[str]:
    return __all__


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
