"""Rays and moving geometries that meet the shapes of a world, and the shape nearest to a point; one at a time or as
arrays.

The rules of all queries are in `queries.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import NOT_PAIRS, number, pair
from .._bridge.errors import raise_error
from .._bridge.handles import INT_POINTER
from .._bridge.interrupts import INTERRUPTS, raise_interrupt
from .._bridge.library import ffi, lib
from .._bridge.struct_pool import StructPool
from .._bridge.vectors import Vec2
from .._geometry.geometry import ORIGIN, as_geometry
from . import keywords
from .hits import (
    HIT_DTYPE,
    HIT_POOL,
    HIT_ROW,
    NEAREST_DTYPE,
    PAIR_POINTER,
    H,
    NearestHit,
    RayHit,
    angles_of,
    doubles,
    make_hits,
    point_rows,
)
from .keywords import query, query_filter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._geometry.categories import Filter
    from .._geometry.geometry import Geometry
    from .._objects.collections import WorldObjects

_HIT_ROWS, _ROOM = ffi.typeof("b2d_query_hit[]"), 128
_new, _bare, _cast_ray = tuple.__new__, object.__new__, lib.b2d_world_ray_cast
_pop_hit, _give_hit, _unpack = HIT_POOL.pop, HIT_POOL.give_back, HIT_ROW.unpack


def _new_list(room: int = _ROOM) -> tuple[Any, Any, Any]:
    out = ffi.new(_HIT_ROWS, room)
    return out, ffi.buffer(out), ffi.new(INT_POINTER)


_LIST_POOL = StructPool(_new_list)  # with their bytes and numbers of hits


def _list_hits(
    world: WorldObjects, call: Any, arguments: tuple[Any, ...], values: Mapping[str, object]
) -> list[RayHit]:
    deaths, room = world._destroyed_count, _ROOM
    out, data, count = spare = _LIST_POOL.take()
    while True:
        status = call(world._ptr, *arguments, out, room, count)
        if status:
            raise_error(status, world, **values)
        n = count[0]
        if n <= room:
            hits = make_hits(RayHit, world, data[: n * HIT_ROW.size], deaths)
            _LIST_POOL.give_back(spare)
            return hits
        room = n + n // 8
        out, data, count = _new_list(room)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def ray_cast(
    world: WorldObjects, origin: Vec2Like, translation: Vec2Like, **options: Unpack[keywords.QueryOptions]
) -> RayHit | None:
    """The first shape that the ray from `origin` to `origin + translation` enters, or None.

    It skips a shape that the ray starts in, or on the surface of, and every shape if the ray has no length. Segments
    are met from either side, those of chains from their front only.

    >>> with World() as world:
    ...     box = world.create_static_body((5, 0)).create_shape(Box(1, 1))
    ...     hit = world.ray_cast((0, 0), (10, 0))
    ...     hit.shape is box, hit.point, hit.normal, round(hit.fraction, 9)
    (True, Vec2(4.0, 0.0), Vec2(-1.0, 0.0), 0.4)
    """
    deaths = world._destroyed_count
    try:
        out, data = spare = _pop_hit()
        ox, oy = origin
        dx, dy = translation
        if type(origin) in NOT_PAIRS or type(translation) in NOT_PAIRS:
            raise TypeError
        status = _cast_ray(world._ptr, ox, oy, dx, dy, out)
    except (IndexError, TypeError, ValueError, OverflowError):
        out, data = spare = HIT_POOL.take()
        (ox, oy), (dx, dy) = pair(origin, "origin"), pair(translation, "translation")
        status = _cast_ray(world._ptr, ox, oy, dx, dy, out)
    if options and not status:
        start, way = ffi.new(PAIR_POINTER, (ox, oy)), ffi.new(PAIR_POINTER, (dx, dy))
        status = lib.b2d_world_ray_casts(world._ptr, 1, start, way, query_filter("ray_cast", options), out)
    if status:
        raise_error(status, world, origin=origin, translation=translation, **options)
    # As make_hits, without its calls: this is the query that games make most.
    row = generation, x, y, fraction, _, _, index, _ = _unpack(data)
    _give_hit(spare)
    if index < 0:
        return None
    hit = _bare(RayHit)
    try:
        hit._shape = shape = world._handles[generation]()
    except KeyError:
        hit._shape = shape = None
    if shape is None:
        hit._world = world
        hit._destroyed_count = deaths
    hit.point = _new(Vec2, (x, y))
    hit._amount = fraction
    hit._row = row
    return hit


def _only_hit(world: WorldObjects, kind: type[H], spare: tuple[Any, Any], deaths: int) -> H | None:
    hits = make_hits(kind, world, spare[1], deaths) if spare[0].shape >= 0 else [None]
    HIT_POOL.give_back(spare)
    return hits[0]


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def ray_cast_all(
    world: WorldObjects, origin: Vec2Like, translation: Vec2Like, **options: Unpack[keywords.QueryOptions]
) -> list[RayHit]:
    """Every shape that the ray enters, sorted by fraction, then by index.

    >>> with World() as world:
    ...     for x in (6, 2, 4):
    ...         shape = world.create_static_body((x, 0)).create_shape(Circle(0.5))
    ...     [hit.shape.index for hit in world.ray_cast_all((0, 0), (10, 0))]
    [1, 2, 0]
    """
    start, way, wanted = pair(origin, "origin"), pair(translation, "translation"), query_filter("ray_cast_all", options)
    ray = (*start, *way, wanted)
    return _list_hits(world, lib.b2d_world_ray_cast_all, ray, {"origin": origin, "translation": translation, **options})


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def ray_cast_any(
    world: WorldObjects, origin: Vec2Like, translation: Vec2Like, **options: Unpack[keywords.QueryOptions]
) -> bool:
    """Whether the ray enters any shape: faster than finding the first.

    >>> with World() as world:
    ...     shape = world.create_static_body((5, 0)).create_shape(Circle(1))
    ...     world.ray_cast_any((0, 0), (9, 0)), world.ray_cast_any((0, 0), (0, 9))
    (True, False)
    """
    out = ffi.new("bool *")
    start, way = pair(origin, "origin"), pair(translation, "translation")
    status = lib.b2d_world_ray_cast_any(world._ptr, *start, *way, query_filter("ray_cast_any", options), out)
    if status:
        raise_error(status, world, origin=origin, translation=translation, **options)
    return bool(out[0])


def _many_hits(
    world: WorldObjects, call: Any, arguments: tuple[Any, ...], hits: NDArray[np.void], values: Mapping[str, object]
) -> NDArray[np.void]:
    out = ffi.from_buffer(_HIT_ROWS, hits, require_writable=True) if len(hits) else ffi.NULL
    status = call(world._ptr, *arguments, out)
    if INTERRUPTS:  # of the executor
        raise_interrupt()
    if status:
        raise_error(status, world, **values)
    return hits


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def ray_casts(
    world: WorldObjects, origins: Any, translations: Any, **options: Unpack[keywords.QueryOptions]
) -> NDArray[np.void]:
    """Many rays at once, on all workers: for each what `ray_cast` finds.

    Returns:
        A structured array of n rows: `shape` and `body` (indices; -1 where nothing was met), `generation` of the shape,
        `point` (two float64), `normal` (two float32), `fraction` (float64).

    >>> with World() as world:
    ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
    ...     hits = world.ray_casts([(0, 0), (0, 5)], [(10, 0), (10, 0)])
    ...     hits["shape"].tolist(), hits["point"][0].tolist()
    ([0, -1], [4.0, 0.0])
    """
    starts = point_rows(origins, "origins")
    ways = point_rows(translations, "translations", starts)
    wanted, hits = query_filter("ray_casts", options), np.zeros(len(starts), HIT_DTYPE)
    rays = (len(hits), doubles(starts), doubles(ways), wanted)
    values = {"origins": origins, "translations": translations, **options}
    return _many_hits(world, lib.b2d_world_ray_casts, rays, hits, values)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def shape_cast(
    world: WorldObjects,
    geometry: Geometry,
    position: Vec2Like = ORIGIN,
    angle: float = 0.0,
    translation: Vec2Like = ORIGIN,
    **options: Unpack[keywords.QueryOptions],
) -> RayHit | None:
    """The first shape that a geometry touches when it moves, without turning, by `translation`; or None.

    A shape that it touches at the start is met at fraction 0, with a zero normal where they overlap; so without a
    translation this finds an overlap. The fraction is accurate to 10 micrometres. A shape that it only grazes is not
    met: one that its path, continued, would enter no deeper than that and than the rounding of its vertices (24 bits of
    each coordinate). So it passes the seams of flush surfaces. Segments of chains are met from their front only, as
    bodies meet them: when the centroid of the geometry starts there.

    >>> with World() as world:
    ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
    ...     hit = world.shape_cast(Circle(0.5), (0, 0), 0, (10, 0))
    ...     hit.normal, round(hit.fraction, 4)
    (Vec2(-1.0, 0.0), 0.35)
    """
    start, way, turn = pair(position, "position"), pair(translation, "translation"), number(angle, "angle")
    place, turned, moved = (ffi.new(PAIR_POINTER, two) for two in (start, (turn, 0.0), way))
    c, wanted = as_geometry(geometry), query_filter("shape_cast", options)
    deaths, spare = world._destroyed_count, HIT_POOL.take()
    status = lib.b2d_world_shape_casts(world._ptr, c, 1, place, turned, moved, wanted, spare[0])
    if status:
        raise_error(
            status, world, geometry=geometry, position=position, angle=angle, translation=translation, **options
        )
    return _only_hit(world, RayHit, spare, deaths)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def shape_cast_all(
    world: WorldObjects,
    geometry: Geometry,
    position: Vec2Like = ORIGIN,
    angle: float = 0.0,
    translation: Vec2Like = ORIGIN,
    **options: Unpack[keywords.QueryOptions],
) -> list[RayHit]:
    """Every shape that the moving geometry touches, sorted by fraction, then by index; see `shape_cast`."""
    return _cast_all(world, geometry, position, angle, translation, False, "shape_cast_all", options)


def mover_hits(
    world: WorldObjects, geometry: Geometry, position: Vec2Like, translation: Vec2Like, filter: Filter | None
) -> list[RayHit]:
    """As `shape_cast_all`, by the rules of `cast_mover`; shapes with `one_way` are met from all sides."""
    return _cast_all(world, geometry, position, 0.0, translation, True, "cast_mover", {"filter": filter})


def _cast_all(
    world: WorldObjects,
    geometry: Geometry,
    position: Vec2Like,
    angle: float,
    translation: Vec2Like,
    mover: bool,
    name: str,
    options: Mapping[str, object],
) -> list[RayHit]:
    wanted, start, way = query_filter(name, options), pair(position, "position"), pair(translation, "translation")
    cast = (as_geometry(geometry), *start, number(angle, "angle"), *way, wanted, mover)
    values = {"geometry": geometry, "position": position, "angle": angle, "translation": translation, **options}
    return _list_hits(world, lib.b2d_world_shape_cast_all, cast, values)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def shape_cast_any(
    world: WorldObjects,
    geometry: Geometry,
    position: Vec2Like = ORIGIN,
    angle: float = 0.0,
    translation: Vec2Like = ORIGIN,
    **options: Unpack[keywords.QueryOptions],
) -> bool:
    """Whether the moving geometry touches any shape; see `shape_cast`."""
    start, way, turn = pair(position, "position"), pair(translation, "translation"), number(angle, "angle")
    c, wanted, out = as_geometry(geometry), query_filter("shape_cast_any", options), ffi.new("bool *")
    status = lib.b2d_world_shape_cast_any(world._ptr, c, *start, turn, *way, wanted, out)
    if status:
        values = {"geometry": geometry, "position": position, "angle": angle, "translation": translation}
        raise_error(status, world, **values, **options)
    return bool(out[0])


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def shape_casts(
    world: WorldObjects,
    geometry: Geometry,
    positions: Any,
    angles: Any,
    translations: Any,
    **options: Unpack[keywords.QueryOptions],
) -> NDArray[np.void]:
    """Many casts of one geometry at once, on all workers; rows as in `ray_casts`.

    >>> with World() as world:
    ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
    ...     hits = world.shape_casts(Circle(0.5), [(0, 0), (0, 5)], None, [(10, 0), (10, 0)])
    ...     hits["shape"].tolist()
    [0, -1]
    """
    c, starts = as_geometry(geometry), point_rows(positions, "positions")
    ways, turns = point_rows(translations, "translations", starts), angles_of(angles, "angles", len(starts))
    wanted, hits = query_filter("shape_casts", options), np.zeros(len(starts), HIT_DTYPE)
    cast = (c, len(hits), doubles(starts), doubles(turns), doubles(ways), wanted)
    values = {"geometry": geometry, "positions": positions, "angles": angles, "translations": translations, **options}
    return _many_hits(world, lib.b2d_world_shape_casts, cast, hits, values)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def nearest(
    world: WorldObjects, point: Vec2Like, max_distance: float, **options: Unpack[keywords.QueryOptions]
) -> NearestHit | None:
    """The shape nearest to a point and at most `max_distance` away, or None.

    >>> with World() as world:
    ...     box = world.create_static_body((3, 0)).create_shape(Box(1, 1))
    ...     hit = world.nearest((0, 0), 10)
    ...     hit.shape is box, hit.point, hit.normal, hit.distance
    (True, Vec2(2.0, 0.0), Vec2(-1.0, 0.0), 2.0)
    """
    place, limit = ffi.new(PAIR_POINTER, pair(point, "point")), number(max_distance, "max_distance")
    wanted, deaths, spare = query_filter("nearest", options), world._destroyed_count, HIT_POOL.take()
    status = lib.b2d_world_nearest(world._ptr, 1, place, limit, wanted, spare[0])
    if status:
        raise_error(status, world, point=point, max_distance=max_distance, **options)
    return _only_hit(world, NearestHit, spare, deaths)


@query(keywords.QueryOptions)  # generated: parameters, see tools/lists.py
def nearests(
    world: WorldObjects, points: Any, max_distance: float, **options: Unpack[keywords.QueryOptions]
) -> NDArray[np.void]:
    """The nearest shape of many points at once, on all workers: rows as in `ray_casts`, `distance` instead of
    `fraction`."""
    places, limit = point_rows(points, "points"), number(max_distance, "max_distance")
    wanted, hits = query_filter("nearests", options), np.zeros(len(places), NEAREST_DTYPE)
    search = (len(hits), doubles(places), limit, wanted)
    values = {"points": points, "max_distance": max_distance, **options}
    return _many_hits(world, lib.b2d_world_nearest, search, hits, values)
