"""The shapes that overlap a box, a geometry or a point. The rules of all queries are in `queries.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import number, pair
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import INT_POINTER, struct_dtype
from .._bridge.interrupts import INTERRUPTS, raise_interrupt
from .._bridge.library import ffi, lib
from .._bridge.vectors import AABB
from .._geometry.geometry import ORIGIN, as_geometry
from .._objects.shape import Shape
from . import keywords
from .hits import PAIR_POINTER, angles_of, doubles, point_rows
from .keywords import query, query_filter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._geometry.geometry import Geometry
    from .._objects.collections import WorldObjects

OVERLAP_DTYPE = np.dtype([("query", "i4"), ("shape", "i4"), ("body", "i4"), ("generation", "u8")])
_OVERLAPS = ffi.typeof("b2d_query_overlap[]")
_OVERLAP_DTYPE = struct_dtype("b2d_query_overlap")
_SHAPE_AT = _OVERLAP_DTYPE.fields["shape"][1] // 4  # type: ignore[index]


def _overlaps(
    world: WorldObjects, call: Any, arguments: tuple[Any, ...], n: int, values: Mapping[str, object]
) -> NDArray[np.void]:
    count, room = ffi.new(INT_POINTER), 2 * n + 64
    while True:
        rows = np.zeros(room, _OVERLAP_DTYPE)
        out = ffi.from_buffer(_OVERLAPS, rows, require_writable=True)
        status = call(world._ptr, *arguments, out, room, count)
        if INTERRUPTS:  # of the executor
            raise_interrupt()
        if status:
            raise_error(status, world, **values)
        if count[0] <= room:
            result = np.empty(count[0], OVERLAP_DTYPE)  # without the padding and in the documented order
            for name in ("query", "shape", "body", "generation"):
                result[name] = rows[name][: count[0]]
            return result
        room = count[0] + count[0] // 8


def _overlapping(
    world: WorldObjects, call: Any, arguments: tuple[Any, ...], values: Mapping[str, object]
) -> list[Shape]:
    count, room = ffi.new(INT_POINTER), 64
    while True:
        out = ffi.new(_OVERLAPS, room)
        status = call(world._ptr, *arguments, out, room, count)
        if status:
            raise_error(status, world, **values)
        n = count[0]
        if n <= room:
            break
        room = n + n // 8
    if n <= 4:
        return [world._shape(out[k].shape, out[k].generation) for k in range(n)]
    rows = memoryview(ffi.buffer(out))
    size = _OVERLAP_DTYPE.itemsize
    generations = rows.cast("Q")[: n * (size // 8) : size // 8]  # the first of a row
    return world._handles_of(Shape, generations, rows.cast("i")[_SHAPE_AT : n * (size // 4) : size // 4])


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def overlap_aabb(
    world: WorldObjects, lower: Vec2Like | AABB, upper: Vec2Like | None = None, **options: Unpack[keywords.QueryOptions]
) -> list[Shape]:
    """The shapes that touch an axis-aligned box, sorted by index. The exact geometries count, not their boxes.

    >>> with World() as world:
    ...     disc = world.create_static_body((0, 0)).create_shape(Circle(1))
    ...     world.overlap_aabb((0.9, 0.9), (2, 2)), world.overlap_aabb((0.5, 0.5), (2, 2))
    ([], [<Shape 0 circle on body 0>])
    """
    if isinstance(lower, AABB) and upper is None:
        lower, upper = lower
    start, end, wanted = pair(lower, "lower"), pair(upper, "upper"), query_filter("overlap_aabb", options)
    if start[0] > end[0] or start[1] > end[1]:
        raise ValueError(f"lower={short_repr(lower)} must not exceed upper={short_repr(upper)}")
    first, last = ffi.new(PAIR_POINTER, start), ffi.new(PAIR_POINTER, end)
    arguments = (1, first, last, wanted)
    return _overlapping(world, lib.b2d_world_overlap_boxes, arguments, {"lower": lower, "upper": upper, **options})


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def overlap_aabbs(
    world: WorldObjects, lowers: Any, uppers: Any, **options: Unpack[keywords.QueryOptions]
) -> NDArray[np.void]:
    """Many boxes at once, on all workers; `lowers` must not exceed `uppers`.

    Returns:
        A structured array with a row for each box and shape that overlap, sorted by box, then by shape: `query` (row of
        the box), `shape` and `body` (indices), `generation` of the shape.

    >>> with World() as world:
    ...     disc = world.create_static_body((0, 0)).create_shape(Circle(1))
    ...     world.overlap_aabbs([(5, 5), (0, 0)], [(6, 6), (1, 1)])[["query", "shape"]].tolist()
    [(1, 0)]
    """
    first = point_rows(lowers, "lowers")
    last = point_rows(uppers, "uppers", first)
    bad = (first > last).any(axis=1)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(f"lowers={short_repr(lowers)} must not exceed uppers={short_repr(uppers)}; row {row} does")
    wanted = query_filter("overlap_aabbs", options)
    arguments = (len(first), doubles(first), doubles(last), wanted)
    values = {"lowers": lowers, "uppers": uppers, **options}
    return _overlaps(world, lib.b2d_world_overlap_boxes, arguments, len(first), values)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def overlap_shape(
    world: WorldObjects,
    geometry: Geometry,
    position: Vec2Like = ORIGIN,
    angle: float = 0.0,
    **options: Unpack[keywords.QueryOptions],
) -> list[Shape]:
    """The shapes that touch a geometry placed in the world, by index.

    >>> with World() as world:
    ...     box = world.create_static_body((3, 0)).create_shape(Box(1, 1))
    ...     world.overlap_shape(Circle(1), (1, 0)), world.overlap_shape(Circle(1), (0.9, 0))
    ([<Shape 0 polygon on body 0>], [])
    """
    c, wanted = as_geometry(geometry), query_filter("overlap_shape", options)
    place = ffi.new(PAIR_POINTER, pair(position, "position"))
    turn = ffi.new(PAIR_POINTER, (number(angle, "angle"), 0.0))
    arguments = (c, 1, place, turn, wanted)
    values = {"geometry": geometry, "position": position, "angle": angle, **options}
    return _overlapping(world, lib.b2d_world_overlap_shapes, arguments, values)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def overlap_shapes(
    world: WorldObjects,
    geometry: Geometry,
    positions: Any,
    angles: Any = None,
    **options: Unpack[keywords.QueryOptions],
) -> NDArray[np.void]:
    """One geometry at many places at once, on all workers; rows as in `overlap_aabbs`."""
    c, places = as_geometry(geometry), point_rows(positions, "positions")
    turns, wanted = angles_of(angles, "angles", len(places)), query_filter("overlap_shapes", options)
    arguments = (c, len(places), doubles(places), doubles(turns), wanted)
    values = {"geometry": geometry, "positions": positions, "angles": angles, **options}
    return _overlaps(world, lib.b2d_world_overlap_shapes, arguments, len(places), values)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def point_query(world: WorldObjects, point: Vec2Like, **options: Unpack[keywords.QueryOptions]) -> list[Shape]:
    """The shapes that contain a point, rim included, by index. Segments contain nothing.

    >>> with World() as world:
    ...     box = world.create_static_body((3, 0)).create_shape(Box(1, 1))
    ...     door = world.create_static_body((2, 0)).create_shape(Circle(0.5), sensor=True)
    ...     world.point_query((2.2, 0)), world.point_query((1.9, 0)), world.point_query((1.9, 0), sensors=True)
    ([<Shape 0 polygon on body 0>], [], [<Shape 1 circle on body 1>])
    """
    place, wanted = ffi.new(PAIR_POINTER, pair(point, "point")), query_filter("point_query", options)
    arguments = (1, place, wanted)
    return _overlapping(world, lib.b2d_world_overlap_points, arguments, {"point": point, **options})


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def point_queries(world: WorldObjects, points: Any, **options: Unpack[keywords.QueryOptions]) -> NDArray[np.void]:
    """Many points at once, on all workers; rows as in `overlap_aabbs`.

    >>> with World() as world:
    ...     box = world.create_static_body((3, 0)).create_shape(Box(1, 1))
    ...     world.point_queries([(0, 0), (3, 0)])["query"].tolist()
    [1]
    """
    places, wanted = point_rows(points, "points"), query_filter("point_queries", options)
    arguments = (len(places), doubles(places), wanted)
    return _overlaps(world, lib.b2d_world_overlap_points, arguments, len(places), {"points": points, **options})
