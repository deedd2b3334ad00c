"""The geometric character: a shape that is moved by its position, pushed out of what it meets and slid along it.

The parts are `World.cast_mover`, `World.collide_mover`, `solve_planes` and `clip_vector`; `Mover` puts them together. Nothing
of it is in the world: bodies neither see nor feel a mover, it only sees them. (For a character that pushes and is pushed, use
a body.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .._bridge.arguments import number, pair
from .._bridge.errors import shown
from .._bridge.vectors import Vec2
from .._geometry.collision import collide
from .._geometry.shapes import Capsule, Circle, Geometry, Polygon, as_geometry
from .._objects.shape import as_filter

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .._geometry.shapes import Filter
    from .._objects.shape import Shape
    from .._queries.hits import RayHit
    from .._world.world import World


class MoverPlane(NamedTuple):
    """What stands in the way of a mover: it may not come nearer along `normal` than `separation` allows.

    `normal` is the unit vector towards the mover, `separation` the distance in metres, negative where they overlap, `point`
    where they touch and `shape` what it is. `push_limit` is the most that `solve_planes` may push for this plane in metres
    (small for soft things), and `clip_velocity` whether `clip_vector` heeds it; change them with `_replace`.
    """

    normal: Vec2
    separation: float
    point: Vec2 = Vec2(0.0, 0.0)
    shape: Shape | None = None
    push_limit: float = math.inf
    clip_velocity: bool = True


def _planes(planes: object) -> list[MoverPlane]:
    if not isinstance(planes, Iterable):
        raise TypeError(f"planes={shown(planes)} must be a sequence of MoverPlane")
    rows = list(planes)
    for plane in rows:
        if not isinstance(plane, MoverPlane):
            raise TypeError(f"planes={shown(planes)} must be a sequence of MoverPlane")
        x, y = pair(plane.normal, "planes")
        if not abs(math.hypot(x, y) - 1) < 1e-3 or not math.isfinite(plane.separation) or not plane.push_limit >= 0:
            raise ValueError(
                f"planes={shown(plane)} needs a unit normal, a finite separation and a push limit of 0 or more"
            )
    return rows


def _finite_pair(value: object, name: str) -> tuple[float, float]:
    x, y = pair(value, name)
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError(f"{name}={shown(value)} must be finite")
    return x, y


def solve_planes(translation: Vec2Like, planes: Sequence[MoverPlane], *, iterations: int = 30) -> Vec2:
    """The translation nearest to the wanted one that obeys all planes, by projected Gauss-Seidel.

    A mover that overlaps is pushed out. Planes that contradict each other, as of a crusher, are obeyed in turn, within
    `push_limit` of each.

    Raises:
        ValueError: not finite, or a plane whose normal is not a unit vector.
        TypeError: a wrong type.

    >>> floor = MoverPlane(Vec2(0.0, 1.0), 0.25)
    >>> solve_planes((1, -1), [floor])
    Vec2(1.0, -0.25)
    """
    x, y = _finite_pair(translation, "translation")
    rows = _planes(planes)
    pushes = [0.0] * len(rows)
    for _ in range(iterations):
        most = 0.0
        for k, plane in enumerate(rows):
            nx, ny = plane.normal
            before = pushes[k]
            pushes[k] = min(max(before - (plane.separation + nx * x + ny * y), 0.0), plane.push_limit)
            change = pushes[k] - before
            x, y = x + change * nx, y + change * ny
            most = max(most, abs(change))
        if most < 1e-6:
            break
    return Vec2(x, y)


def clip_vector(vector: Vec2Like, planes: Sequence[MoverPlane], *, within: float = 0.005) -> Vec2:
    """A velocity without what points into the planes; zero when between them nothing is left.

    Planes with `clip_velocity=False`, or a separation of `within` metres and more, do not count.

    Raises:
        ValueError: not finite, or a plane whose normal is not a unit vector.
        TypeError: a wrong type.

    >>> clip_vector((3, -4), [MoverPlane(Vec2(0.0, 1.0), 0.0)])
    Vec2(3.0, 0.0)
    >>> clip_vector((3, -4), [MoverPlane(Vec2(0.0, 1.0), 0.0), MoverPlane(Vec2(-1.0, 0.0), 0.0)])
    Vec2(0.0, 0.0)
    """
    v = Vec2(*_finite_pair(vector, "vector"))
    limit = number(within, "within")
    near = [plane.normal for plane in _planes(planes) if plane.clip_velocity and plane.separation < limit]

    def obeys(w: Vec2) -> bool:
        return all(n.x * w.x + n.y * w.y >= -1e-6 * (1 + abs(w.x) + abs(w.y)) for n in near)

    if obeys(v):
        return v
    best = Vec2(0.0, 0.0)
    for n in near:  # in the plane, the nearest point of a cone is on one of its sides, or its tip
        into = n.x * v.x + n.y * v.y
        w = Vec2(v.x - into * n.x, v.y - into * n.y)
        if into < 0 and obeys(w) and w.x * w.x + w.y * w.y > best.x * best.x + best.y * best.y:
            best = w
    return best


def _grown(geometry: Geometry, margin: float) -> Geometry:
    if isinstance(geometry, Circle):
        return Circle(geometry.radius + margin, geometry.center)
    if isinstance(geometry, Capsule):
        return Capsule(geometry.p1, geometry.p2, geometry.radius + margin)
    if isinstance(geometry, Polygon):
        return Polygon(geometry.vertices, geometry.radius + margin)
    raise TypeError(f"geometry={shown(geometry)} must be a Circle, Capsule, Polygon or Box")


class MoverQueries:
    """The part of `World` that movers ask."""

    if TYPE_CHECKING:

        def shape_cast_all(
            self,
            geometry: Geometry,
            position: Vec2Like,
            angle: float,
            translation: Vec2Like,
            *,
            filter: Filter | None = None,
        ) -> list[RayHit]: ...

        def overlap_shape(
            self, geometry: Geometry, position: Vec2Like, angle: float = 0.0, *, filter: Filter | None = None
        ) -> list[Shape]: ...

    def cast_mover(
        self, geometry: Geometry, position: Vec2Like, translation: Vec2Like, *, filter: Filter | None = None
    ) -> float:
        """How much of the translation a mover can go, 0 to 1, until it meets something that is not already upon it.

        What it overlaps at the start, or touches and leaves or slides along, does not stop it: that is for `collide_mover`.

        Args:
            geometry: of the mover; it does not turn.
            position: where it starts, metres.
            translation: metres.
            filter: what it sees, as of other queries.

        Raises:
            ValueError: not finite, or beyond 1e12 m.
            TypeError: a wrong type.

        >>> with World() as world:
        ...     wall = world.create_static_body((5, 0)).create_shape(Box(1, 1))
        ...     round(world.cast_mover(Capsule((0, 0), (0, 1), 0.5), (0, 0), (7, 0)), 3)
        0.5
        """
        dx, dy = pair(translation, "translation")
        for hit in self.shape_cast_all(geometry, position, 0.0, translation, filter=filter):
            nx, ny = hit.normal
            if hit.fraction > 0.0 or nx * dx + ny * dy < -1e-3 * math.hypot(dx, dy):
                return hit.fraction
        return 1.0

    def collide_mover(
        self, geometry: Geometry, position: Vec2Like, *, margin: float = 0.0, filter: Filter | None = None
    ) -> list[MoverPlane]:
        """A plane for every shape that the mover overlaps or is nearer to than `margin`, by shape id.

        Args:
            geometry: a `Circle`, `Capsule`, `Polygon` or `Box`.
            position: where the mover is, metres.
            margin: metres, 0 or more.
            filter: what it sees, as of other queries.

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
            raise ValueError(f"margin={shown(margin)} must be 0 or more and finite")
        grown = _grown(geometry, distance)
        found = []
        for shape in self.overlap_shape(grown, position, filter=filter):
            body = shape.body
            manifold = collide(
                shape.geometry, geometry, position_a=body.position, angle_a=body.angle, position_b=position,
                speculative_distance=distance,
            )  # fmt: skip
            if manifold.points:
                point = min(manifold.points, key=lambda each: each.separation)
                found.append(MoverPlane(manifold.normal, point.separation, point.point, shape))
        return found


class Mover:
    """A character that walks the world by geometry alone: `velocity` in, `position` out, walls, slopes and steps obeyed.

    Args:
        world: where it walks.
        geometry: a `Circle`, `Capsule`, `Polygon` or `Box`; it does not turn. Round ones climb over small steps.
        position: of its origin, metres.
        velocity: m/s.
        filter: what it sees; everything when absent.

    Raises:
        ValueError: not finite.
        TypeError: a wrong type.

    >>> with World() as world:
    ...     floor = world.create_static_body((0, -1)).create_shape(Box(10, 1))
    ...     hero = Mover(world, Capsule((0, 0.3), (0, 1.5), 0.3), (0, 2))
    ...     for _ in range(120):
    ...         hero.velocity += Vec2(0, -10 / 60)
    ...         way = hero.move(1 / 60)
    ...     round(hero.position.y, 2), hero.ground_normal
    (0.0, Vec2(0.0, 1.0))
    """

    __slots__ = ("_filter", "_geometry", "_planes", "_position", "_velocity", "_world")

    def __init__(
        self,
        world: World,
        geometry: Geometry,
        position: Vec2Like = (0.0, 0.0),
        *,
        velocity: Vec2Like = (0.0, 0.0),
        filter: Filter | None = None,
    ) -> None:
        _grown(geometry, 0.0)
        self._world = world
        self._geometry = geometry
        self._filter = None if filter is None else as_filter(filter)
        self._planes: list[MoverPlane] = []
        self.position = position
        self.velocity = velocity

    @property
    def position(self) -> Vec2:
        """Of its origin, metres. Assigning teleports."""
        return self._position

    @position.setter
    def position(self, value: Vec2Like) -> None:
        self._position = Vec2(*_finite_pair(value, "position"))

    @property
    def velocity(self) -> Vec2:
        """m/s; `move` takes off what led into walls and floors. Add gravity and your will to it."""
        return self._velocity

    @velocity.setter
    def velocity(self, value: Vec2Like) -> None:
        self._velocity = Vec2(*_finite_pair(value, "velocity"))

    @property
    def geometry(self) -> Geometry:
        """Its form."""
        return self._geometry

    @property
    def planes(self) -> list[MoverPlane]:
        """What it touched at the end of the last move."""
        return list(self._planes)

    @property
    def ground_normal(self) -> Vec2 | None:
        """The steepest-up normal of what it stands on, or None when nothing under it carries (slopes to 60 degrees do)."""
        normals = [plane.normal for plane in self._planes if plane.normal.y > 0.5]
        return max(normals, key=lambda n: n.y) if normals else None

    def move(self, dt: float) -> Vec2:
        """Goes on by `velocity * dt`, as far as what is there lets it, and returns the way it went.

        Five times at most: planes of what is near, the nearest way that obeys them, a cast along it. Then the velocity loses
        what leads into what it touches.

        Raises:
            ValueError: dt is not finite or negative.
            WorldLockedError: another thread is stepping the world.
            DestroyedError: the world is closed.
        """
        time = number(dt, "dt")
        if not 0.0 <= time < math.inf:
            raise ValueError(f"dt={shown(dt)} must be 0 or more and finite")
        start, unit = self._position, self._world.length_unit
        target = Vec2(start.x + time * self._velocity.x, start.y + time * self._velocity.y)
        for _ in range(5):
            here = self._position
            planes = self._touched(0.02 * unit)
            way = solve_planes(Vec2(target.x - here.x, target.y - here.y), planes)
            share = self._world.cast_mover(self._geometry, here, way, filter=self._filter)
            self._position = Vec2(here.x + share * way.x, here.y + share * way.y)
            if math.hypot(share * way.x, share * way.y) < 1e-4 * unit:
                break
        self._planes = self._touched(0.005 * unit)
        self._velocity = clip_vector(self._velocity, self._planes, within=0.005 * unit)
        return Vec2(self._position.x - start.x, self._position.y - start.y)

    def _touched(self, margin: float) -> list[MoverPlane]:
        return self._world.collide_mover(self._geometry, self._position, margin=margin, filter=self._filter)

    def __repr__(self) -> str:
        return f"<Mover at ({self._position.x:.6g}, {self._position.y:.6g})>"
