"""`Queries`: the part of `World` that finds shapes. The queries are in the modules `casts`, `overlaps` and `planes`.

A query sees the world as it is now, with everything that was created or moved since the last step. It finds a shape
when `filter.mask & shape.filter.category` and `shape.filter.mask & filter.category` are not zero. Groups have no
effect, and without a filter all bits are set. Shapes of disabled bodies are never found. Sensors are found with
`sensors=True` only; that takes a time in proportion to the number of all sensors, because the broad phase has none.
Overlaps include touching, and are those of the exact geometries. Of equal fractions or distances the one of the lower
shape index comes first, whatever the broad phase.

Any number of threads may query one world at the same time, because queries release the GIL. The forms for arrays run on
all workers of the world.
"""

from __future__ import annotations

from .._objects.collections import WorldObjects
from . import casts, overlaps, planes


class Queries(WorldObjects):
    """The part of `World` that finds shapes."""

    __slots__ = ()

    # generated: queries, see tools/lists.py
    ray_cast = casts.ray_cast
    ray_cast_any = casts.ray_cast_any
    ray_cast_all = casts.ray_cast_all
    ray_casts = casts.ray_casts
    shape_cast = casts.shape_cast
    shape_cast_any = casts.shape_cast_any
    shape_cast_all = casts.shape_cast_all
    shape_casts = casts.shape_casts
    overlap_aabb = overlaps.overlap_aabb
    overlap_aabbs = overlaps.overlap_aabbs
    overlap_shape = overlaps.overlap_shape
    overlap_shapes = overlaps.overlap_shapes
    point_query = overlaps.point_query
    point_queries = overlaps.point_queries
    nearest = casts.nearest
    nearests = casts.nearests
    # end of generated

    cast_mover = planes.cast_mover
    collide_mover = planes.collide_mover
