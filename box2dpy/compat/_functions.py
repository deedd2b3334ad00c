"""Constants and functions of the bindings that need shapes."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

from .. import distance
from ._shapes import MAX_POLYGON_VERTICES, POLYGON_RADIUS
from ._vectors import b2Vec2, vector

if TYPE_CHECKING:
    from ._shapes import b2Shape
    from ._vectors import b2Transform

b2_pi = math.pi
b2_epsilon = 2.0**-23
b2_maxPolygonVertices = MAX_POLYGON_VERTICES
b2_polygonRadius = POLYGON_RADIUS
b2_linearSlop = 0.005
b2_angularSlop = math.radians(2.0)
b2_timeToSleep = 0.5
b2_angularSleepTolerance = math.radians(2.0)
b2_maxManifoldPoints = 2
b2Vec2_zero = b2Vec2()
b2AssertException = AssertionError


def b2Distance(
    shapeA: Any,
    shapeB: Any = None,
    transformA: b2Transform | None = None,
    transformB: b2Transform | None = None,
    idxA: int = 0,
    idxB: int = 0,
    useRadii: bool = True,
) -> Any:
    """The distance of two points; or of two shapes at two transforms: point on A, point on B, distance, 0."""
    if shapeB is not None and transformA is None:
        return (b2Vec2(*shapeA) - shapeB).length
    assert transformA is not None
    assert transformB is not None
    best = None
    for a in shapeA._child(shapeA._cores(), idxA):
        for b in shapeB._child(shapeB._cores(), idxB):
            found = distance(
                a, b, position_a=transformA.position.tuple, angle_a=transformA.angle,
                position_b=transformB.position.tuple, angle_b=transformB.angle,
            )  # fmt: skip
            if best is None or found.distance < best.distance:
                best = found
    assert best is not None
    radius_a, radius_b = (each.radius if useRadii and each.type != each.e_circle else 0.0 for each in (shapeA, shapeB))
    point_a, point_b = vector(*best.point_a), vector(*best.point_b)
    if best.distance <= radius_a + radius_b:
        middle = ((point_a + point_b) / 2.0).tuple
        return middle, middle, 0.0, 0
    point_a += vector(*best.normal) * radius_a
    point_b -= vector(*best.normal) * radius_b
    return point_a.tuple, point_b.tuple, best.distance - radius_a - radius_b, 0


def b2Random(low: float = -1.0, high: float = 1.0) -> float:
    """A random number between two bounds, of the module `random`."""
    return random.uniform(low, high)


def b2TestOverlap(
    shapeA: b2Shape, indexA: int, shapeB: b2Shape, indexB: int, xfA: b2Transform, xfB: b2Transform
) -> bool:
    """Whether two shapes at two transforms touch."""
    return bool(b2Distance(shapeA, shapeB, xfA, xfB, indexA, indexB)[2] <= 0.0)
