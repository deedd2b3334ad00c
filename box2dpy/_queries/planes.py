"""Queries of geometric characters: the planes that a moving shape meets, and the motion that these planes allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .._bridge.arguments import bounded, finite_pair, integer, number, pair
from .._bridge.errors import raise_if, short_repr
from .._bridge.library import ffi, lib
from .._bridge.vectors import Vec2
from .._geometry.geometry import Geometry, as_geometry
from .._geometry.shapes import Capsule, Circle, Polygon
from .casts import mover_hits
from .overlaps import overlap_shape

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .._geometry.categories import Filter
    from .._objects.collections import WorldObjects
    from .._objects.shape import Shape
    from .hits import RayHit


_ONE_WAY_DEPTH = 0.01  # metres; bodies follow the same rule


class MoverPlane(NamedTuple):
    """A plane that limits the motion of a mover: along `normal` it may not come nearer than `separation` allows.

    `normal` is the unit vector towards the mover, `separation` the distance in metres, negative where they overlap,
    `point` where they touch and `shape` the shape. `push_limit` is the most that `solve_planes` may push for this
    plane in metres (small for soft things), and `clip_velocity` whether `clip_vector` takes it into account; change
    them with `_replace`.
    """

    normal: Vec2
    separation: float
    point: Vec2 = Vec2(0.0, 0.0)
    shape: Shape | None = None
    push_limit: float = math.inf
    clip_velocity: bool = True


def _planes(planes: object) -> list[MoverPlane]:
    if not isinstance(planes, Iterable):
        raise TypeError(f"planes={short_repr(planes)} must be a sequence of MoverPlane")
    rows = list(planes)
    for plane in rows:
        if not isinstance(plane, MoverPlane):
            raise TypeError(f"planes={short_repr(planes)} must be a sequence of MoverPlane")
        x, y = pair(plane.normal, "planes")
        if not abs(math.hypot(x, y) - 1) < 1e-3 or not math.isfinite(plane.separation) or not plane.push_limit >= 0:
            raise ValueError(
                f"planes={short_repr(plane)} needs a unit normal, a finite separation and a push limit of 0 or more"
            )
    return rows


def solve_planes(translation: Vec2Like, planes: Sequence[MoverPlane], *, iterations: int = 30) -> Vec2:
    """The translation nearest to the wanted one that satisfies all planes, by projected Gauss-Seidel iteration.

    A mover that overlaps is pushed out. Planes that contradict each other, as those of a crusher, are satisfied in
    turn, each within its `push_limit`.

    Raises:
        ValueError: not finite, or a plane whose normal is not a unit vector.
        TypeError: a wrong type.

    >>> floor = MoverPlane(Vec2(0.0, 1.0), 0.25)
    >>> solve_planes((1, -1), [floor])
    Vec2(1.0, -0.25)
    """
    x, y = finite_pair(translation, "translation")
    rows = _planes(planes)
    pushes = [0.0] * len(rows)
    # Smaller changes do not count: a millionth of the way and of the deepest overlap, in any unit of length
    least = 1e-6 * (math.hypot(x, y) - min([0.0, *(plane.separation for plane in rows)]))
    for _ in range(integer(iterations, "iterations", 0, 1_000_000)):
        most = 0.0
        for k, plane in enumerate(rows):
            nx, ny = plane.normal
            before = pushes[k]
            pushes[k] = min(max(before - (plane.separation + nx * x + ny * y), 0.0), plane.push_limit)
            change = pushes[k] - before
            x, y = x + change * nx, y + change * ny
            most = max(most, abs(change))
        if most <= least:
            break
    return Vec2(x, y)


def clip_vector(vector: Vec2Like, planes: Sequence[MoverPlane], *, within: float = 0.005) -> Vec2:
    """A velocity without the parts that point into the planes; zero when no direction is left between them.

    Planes with `clip_velocity=False`, or a separation of `within` metres and more, do not count.

    Raises:
        ValueError: not finite, or a plane whose normal is not a unit vector.
        TypeError: a wrong type.

    >>> clip_vector((3, -4), [MoverPlane(Vec2(0.0, 1.0), 0.0)])
    Vec2(3.0, 0.0)
    >>> clip_vector((3, -4), [MoverPlane(Vec2(0.0, 1.0), 0.0), MoverPlane(Vec2(-1.0, 0.0), 0.0)])
    Vec2(0.0, 0.0)
    """
    v = Vec2(*finite_pair(vector, "vector"))
    limit = bounded(within, "within", -1e12, 1e12)
    near = [plane.normal for plane in _planes(planes) if plane.clip_velocity and plane.separation < limit]

    rounding = -1e-6 * v.length

    def obeys(w: Vec2) -> bool:
        return all(n.x * w.x + n.y * w.y >= rounding for n in near)

    if obeys(v):
        return v
    best = Vec2(0.0, 0.0)
    for n in near:  # in 2D the nearest point of a cone is on one of its sides or its tip
        into = n.x * v.x + n.y * v.y
        w = Vec2(v.x - into * n.x, v.y - into * n.y)
        if into < 0 and obeys(w) and w.x * w.x + w.y * w.y > best.x * best.x + best.y * best.y:
            best = w
    return best


def grown(geometry: Geometry, margin: float) -> Geometry:
    """The geometry with a larger radius. Raises TypeError for a geometry that no mover can have."""
    if margin == 0.0 and isinstance(geometry, (Circle, Capsule, Polygon)):
        return geometry
    if isinstance(geometry, Circle):
        return Circle(geometry.radius + margin, geometry.center)
    if isinstance(geometry, Capsule):
        return Capsule(geometry.p1, geometry.p2, geometry.radius + margin)
    if isinstance(geometry, Polygon):
        return Polygon(geometry.vertices, geometry.radius + margin)
    raise TypeError(f"geometry={short_repr(geometry)} must be a Circle, Capsule, Polygon or Box")


def cast_mover(
    world: WorldObjects, geometry: Geometry, position: Vec2Like, translation: Vec2Like, *, filter: Filter | None = None
) -> float:
    """The fraction of the translation, 0 to 1, that a mover can go until a shape stops it.

    A shape that it touches or overlaps at the start stops it only if the translation leads deeper into it; one whose
    core it overlaps never does, and `collide_mover` finds these. As with `shape_cast`, a shape that it only grazes does
    not stop it, so it passes the seams of flush surfaces. It does not enter the groove between rounded polygons whose
    sides are flush: rounded corners that would meet if they were sharp are treated as sharp. A shape with `one_way`
    stops it on its solid side alone. It skips sensors and shapes of disabled bodies.

    Args:
        geometry: of the mover; it does not turn.
        position: where it starts, metres.
        translation: metres.
        filter: which shapes it detects, as in other queries.

    Raises:
        ValueError: not finite, or beyond 1e12 m.
        TypeError: a wrong type.

    >>> with World() as world:
    ...     wall = world.create_static_body((5, 0)).create_shape(Box(1, 1))
    ...     round(world.cast_mover(Capsule((0, 0), (0, 1), 0.5), (0, 0), (7, 0)), 3)
    0.5
    """
    for hit in solid_hits(world, geometry, position, translation, filter):
        return hit.fraction
    return 1.0


def solid_hits(
    world: WorldObjects, geometry: Geometry, position: Vec2Like, translation: Vec2Like, filter: Filter | None
) -> Iterator[RayHit]:
    """What stops a mover on its way, as for `cast_mover`, from the first one to the last one."""
    for hit in mover_hits(world, geometry, position, translation, filter):
        overlap = 0.0
        if hit.fraction == 0.0 and hit.shape.one_way is not None:
            plane = _plane_of(hit.shape, geometry, position, 0.0)
            overlap = 0.0 if plane is None else plane.separation
        if _is_solid(hit.shape, hit.normal, overlap, world):
            yield hit


def length_unit(world: WorldObjects) -> float:
    """`World.length_unit`, for parts that do not know the whole world."""
    out = ffi.new("double *")
    raise_if(lib.b2d_world_get_option(world._ptr, lib.B2D_OPTION_LENGTH_UNIT, out), world)
    return float(out[0])


def _is_solid(shape: Shape, normal: Vec2, separation: float, world: WorldObjects) -> bool:
    """Whether the shape stops a mover at this plane. With `one_way` it stops what is at most 1 cm in, on the solid
    side, as it stops bodies."""
    solid = shape.one_way
    if solid is None:
        return True
    x, y = shape.body.world_vector(solid)
    return normal.x * x + normal.y * y > 0.5 and separation > -_ONE_WAY_DEPTH * length_unit(world)


def _plane_of(shape: Shape, geometry: Geometry, position: Vec2Like, distance: float) -> MoverPlane | None:
    from .._geometry.collision import collide

    body = shape.body
    manifold = collide(
        shape.geometry, geometry, position_a=body.position, angle_a=body.angle, position_b=position,
        speculative_distance=distance,
    )  # fmt: skip
    if not manifold.points:
        return None
    point = min(manifold.points, key=lambda each: each.separation)
    return MoverPlane(manifold.normal, point.separation, point.point, shape)


def collide_mover(
    world: WorldObjects, geometry: Geometry, position: Vec2Like, *, margin: float = 0.0, filter: Filter | None = None
) -> list[MoverPlane]:
    """A plane for every shape that the mover overlaps or is nearer to than `margin`, by shape id. Shapes with `one_way`
    count on their solid side alone. It skips sensors and shapes of disabled bodies.

    Args:
        geometry: a `Circle`, `Capsule`, `Polygon` or `Box`.
        position: where the mover is, metres.
        margin: metres, 0 or more.
        filter: which shapes it detects, as in other queries.

    Raises:
        ValueError: not finite, or a negative margin.
        TypeError: a wrong type.

    >>> with World() as world:
    ...     floor = world.create_static_body((0, -1)).create_shape(Box(10, 1))
    ...     plane = world.collide_mover(Circle(0.5), (0, 0.375))[0]
    ...     plane.normal, plane.separation, plane.shape is floor
    (Vec2(0.0, 1.0), -0.125, True)
    """
    as_geometry(geometry)
    distance = number(margin, "margin")
    if not 0.0 <= distance < math.inf:
        raise ValueError(f"margin={short_repr(margin)} must be 0 or more and finite")
    around = grown(geometry, distance)
    found = []
    for shape in overlap_shape(world, around, position, filter=filter):
        plane = _plane_of(shape, geometry, position, distance)
        if plane is not None and _is_solid(shape, plane.normal, plane.separation, world):
            found.append(plane)
    return found
