"""The geometric character: a shape that is moved by its position, pushed out of what it meets and slid along it.

`Mover` combines `cast_mover`, `collide_mover` and `solve_planes`. A mover is no object of the world: it detects bodies,
rides on them and pushes them with a bounded force, but no force acts on it. Use a body for a character that is thrown
about.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from .._bridge.arguments import bounded, finite_pair, number
from .._bridge.body_type import BodyType
from .._bridge.errors import short_repr
from .._bridge.vectors import Vec2
from .._bridge.world_base import check_world
from .._geometry.shapes import Polygon
from .._objects.shape import as_filter
from .._queries.planes import MoverPlane, collide_mover, grown, solid_hits, solve_planes

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .._geometry.categories import Filter
    from .._geometry.geometry import Geometry
    from .._objects.shape import Shape
    from .._world.world import World

# In length units (a second). A mover keeps SKIN from everything. Its corners are rounded by ROUND at least, which cuts
# no more than SKIN off a right angle: where pieces are flush to 0.1 mm, as 500 m from the origin of their body, the
# normal at a vertex then turns by acos(1 - 0.1 / 3.4), 14 degrees. It stands on what is nearer than REACH below it,
# unless it rises faster than RISING, which is more than rounding.
SKIN, ROUND, REACH, RISING = 1e-3, 2.4e-3, 5e-3, 1e-6
# Casts in one move. A vertex of a chain between two slopes takes two: 20 m/s over vertices 0.1 m apart take 8.
_CASTS = 16


class _Frame(NamedTuple):
    """The directions of a mover: up, the unit vector across, and the least part along up of the normals of ground."""

    up: Vec2
    side: Vec2
    least: float

    def rise(self, vector: Vec2) -> float:
        return self.up.x * vector.x + self.up.y * vector.y

    def across(self, vector: Vec2) -> float:
        return self.side.x * vector.x + self.side.y * vector.y

    def carries(self, normal: Vec2) -> bool:
        return self.rise(normal) >= self.least

    def limited(self, vector: Vec2, normals: list[Vec2]) -> Vec2:
        """The vector without what leads into planes that it touches. Ground and ceilings change its rise and keep its
        part across, walls change its part across and keep its rise; where that leaves nothing it is zero."""
        if not normals:
            return vector
        parts = [(self.across(n), self.rise(n)) for n in normals]
        wanted, across = self.across(vector), self.across(vector)
        for _ in range(4):  # two are enough, except in a corner that it cannot leave
            rise, before = self.rise(vector), across
            for s, u in parts:
                if abs(u) >= self.least:
                    rise = max(rise, -s * across / u) if u > 0.0 else min(rise, -s * across / u)
            across = wanted
            for s, u in parts:
                if abs(u) < self.least:
                    across = max(across, -u * rise / s) if s > 0.0 else min(across, -u * rise / s)
            if across == before:
                break
        else:
            return Vec2(0.0, 0.0)
        if any(s * across + u * rise < -1e-6 * (abs(across) + abs(rise)) for s, u in parts):
            return Vec2(0.0, 0.0)
        return Vec2(across * self.side.x + rise * self.up.x + 0.0, across * self.side.y + rise * self.up.y + 0.0)


def _rounded(geometry: Geometry, radius: float) -> Geometry:
    """The geometry within its outline whose corners have at least this radius, or a tenth of its shortest side."""
    if not isinstance(geometry, Polygon) or geometry.radius >= radius:
        return geometry
    corners = geometry.vertices
    sides = [b - a for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)]
    normals = [Vec2(side.y / side.length, -side.x / side.length) for side in sides]
    inset = min(radius - geometry.radius, 0.1 * min(side.length for side in sides))
    inner = []
    for k, corner in enumerate(corners):
        both = normals[k - 1] + normals[k]
        inner.append(corner - both * (2.0 * inset / (both.x * both.x + both.y * both.y)))
    return Polygon(inner, geometry.radius + inset)


class Mover:
    """A character that is moved by geometry alone: it takes a velocity, and walls, slopes and steps limit its motion.

    It goes through sensors and shapes of disabled bodies. `world.overlap_shape(mover.geometry, mover.position,
    sensors=True)` finds the sensors that it is in.

    Args:
        world: the world that it moves in.
        geometry: a `Circle`, `Capsule`, `Polygon` or `Box`; it does not turn. Round geometries climb over small steps.
        position: position of its origin, metres.
        velocity: m/s.
        filter: which shapes it detects; all when absent.
        push_force: the greatest force with which it pushes each dynamic body in its way, N.
        up: the direction that is up for it; against the gravity of the world when absent.
        max_slope: the steepest slope that it stands and walks on, radians; 60 degrees when absent.

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

    __slots__ = (
        "_body", "_filter", "_geometry", "_ground", "_max_slope", "_planes", "_position", "_push_force", "_rides_at",
        "_up", "_velocity", "_world",
    )  # fmt: skip

    def __init__(
        self,
        world: World,
        geometry: Geometry,
        position: Vec2Like = (0.0, 0.0),
        *,
        velocity: Vec2Like = (0.0, 0.0),
        filter: Filter | None = None,
        push_force: float = 0.0,
        up: Vec2Like | None = None,
        max_slope: float = math.pi / 3,
    ) -> None:
        check_world(world)
        self._world = world
        unit = world.length_unit
        self._body = grown(_rounded(geometry, ROUND * unit), SKIN * unit)  # raises for what cannot move
        self._geometry = geometry
        self._planes: list[MoverPlane] = []
        self._ground: MoverPlane | None = None
        self._up: Vec2 | None
        self._rides_at = Vec2(0.0, 0.0)  # its origin, in coordinates of the body that it stands on
        self.filter = filter
        self.push_force = push_force
        self.up = up
        self.max_slope = max_slope
        self.position = position
        self.velocity = velocity

    @property
    def position(self) -> Vec2:
        """Of its origin, metres. Assigning teleports."""
        return self._position

    @position.setter
    def position(self, value: Vec2Like) -> None:
        self._position = Vec2(*finite_pair(value, "position"))
        self._ground = None

    @property
    def velocity(self) -> Vec2:
        """m/s, relative to what it stands on. `move` removes the parts that point into walls and floors. Add gravity
        and the input of the player to it."""
        return self._velocity

    @velocity.setter
    def velocity(self, value: Vec2Like) -> None:
        self._velocity = Vec2(*finite_pair(value, "velocity"))

    @property
    def filter(self) -> Filter | None:
        """Which shapes it detects; None: all."""
        return self._filter

    @filter.setter
    def filter(self, value: Filter | None) -> None:
        if value is not None:
            as_filter(value)
        self._filter = value

    @property
    def push_force(self) -> float:
        """The greatest force with which it pushes each dynamic body in its way, N, 0 or more. It makes no body faster
        than itself.
        """
        return self._push_force

    @push_force.setter
    def push_force(self, value: float) -> None:
        self._push_force = bounded(value, "push_force", 0.0, 1e30)

    @property
    def geometry(self) -> Geometry:
        """Its geometry."""
        return self._geometry

    @property
    def up(self) -> Vec2:
        """The unit vector that is up for it: against the gravity of the world unless it is given, and (0, 1) in a world
        without gravity. Assigning None returns to that."""
        if self._up is not None:
            return self._up
        x, y = self._world.gravity
        length = math.hypot(x, y)
        return Vec2(-x / length + 0.0, -y / length + 0.0) if length else Vec2(0.0, 1.0)

    @up.setter
    def up(self, value: Vec2Like | None) -> None:
        if value is None:
            self._up = None
            return
        x, y = finite_pair(value, "up")
        length = math.hypot(x, y)
        if length == 0.0:
            raise ValueError(f"up={short_repr(value)} needs a direction")
        self._up = Vec2(x / length, y / length)

    @property
    def max_slope(self) -> float:
        """The steepest slope that it stands and walks on, radians, 0 to 1.5. Steeper ones are walls."""
        return self._max_slope

    @max_slope.setter
    def max_slope(self, value: float) -> None:
        self._max_slope = bounded(value, "max_slope", 0.0, 1.5)

    @property
    def planes(self) -> list[MoverPlane]:
        """The planes that limited its last move, and what it stands on. It keeps 1 mm from them."""
        return list(self._planes)

    @property
    def ground_normal(self) -> Vec2 | None:
        """The most upright normal of what it stands on; None in the air."""
        return None if self._ground is None else self._ground.normal

    @property
    def ground(self) -> Shape | None:
        """The shape that it stands on; None in the air, on slopes steeper than `max_slope`, and while its velocity
        leads up. It also stands between two steep slopes that hold it from both sides.
        """
        return None if self._ground is None else self._ground.shape

    def move(self, dt: float) -> Vec2:
        """Moves by `velocity * dt`, as far as the shapes around it allow, and returns the translation.

        1. The body that it stands on carries it as far as that body has moved since the last call, and it is pushed out
           of shapes that it overlaps.
        2. It is cast along its way, at most 16 times. Where it meets ground (a slope up to `max_slope`) or a ceiling,
           the rest of the way is lifted or lowered, so that its part across stays as it is: it walks at the same speed
           across on all slopes, and gravity does not pull it down those that it stands on. Steeper slopes push it
           sideways alone: walking into a wall does not lift it, and walls do not slow a fall.
        3. If it stood before and does not rise, it stays on ground that falls away by at most `max_slope`.
        4. It pushes the dynamic bodies in its way, and the parts of the velocity that the planes stopped are removed.
           Ground stops a fall and gives no speed upwards.

        Shapes with `one_way` are solid from their solid side alone.

        Raises:
            ValueError: dt is not finite or negative.
            WorldLockedError: another thread is stepping the world.
            DestroyedError: the world is closed.
        """
        time = number(dt, "dt")
        if not 0.0 <= time < math.inf:
            raise ValueError(f"dt={short_repr(dt)} must be 0 or more and finite")
        start, unit, frame = self._position, self._world.length_unit, self._frame()
        body = self._body
        stood = self._ground is not None
        self._ride(body)
        self._leave(body, frame, unit)
        begin = self._position
        met, _ = self._slide(body, frame, self._velocity * time, unit)
        rises = frame.rise(self._velocity) > RISING * unit
        ground = self._find_ground(body, frame, REACH * unit, unit, snap=False)
        if stood and not rises and not ground:
            across = abs(frame.across(self._position - begin))
            reach = REACH * unit + across * math.tan(self._max_slope)
            ground = self._find_ground(body, frame, reach, unit, snap=True)
        if time and self._push_force:
            self._push(met, frame, time)
        planes = met + ground
        self._velocity = frame.limited(
            self._velocity, [frame.up if frame.carries(plane.normal) else plane.normal for plane in planes]
        )
        rises = frame.rise(self._velocity) > RISING * unit
        self._planes = list({plane.shape: plane for plane in planes}.values())
        self._ground = max(ground, key=lambda plane: frame.rise(plane.normal)) if ground and not rises else None
        if self.ground is not None:
            self._rides_at = self.ground.body.local_point(self._position)
        return self._position - start

    def _frame(self) -> _Frame:
        up = self.up
        return _Frame(up, Vec2(up.y, -up.x), math.cos(self._max_slope) - 1e-6)

    def _ride(self, body: Geometry) -> None:
        """Moves as far as what it stands on has moved since the last move, unless another body is in the way."""
        ground = self.ground
        if ground is not None and ground.alive:
            way = ground.body.world_point(self._rides_at) - self._position
            hits = solid_hits(self._world, body, self._position, way, self._filter)
            self._position += way * next((hit.fraction for hit in hits if hit.shape.body != ground.body), 1.0)

    def _leave(self, body: Geometry, frame: _Frame, unit: float) -> None:
        """Moves out of what it overlaps: upwards out of ground, so that rounding does not make it creep downhill."""
        for _ in range(5):
            if all(plane.separation > -1e-5 * unit for plane in self._touched(body, 0.0)):
                return
            planes = [
                plane._replace(normal=frame.up, separation=plane.separation / frame.rise(plane.normal))
                if frame.carries(plane.normal)
                else plane
                for plane in self._touched(body, 0.02 * unit)
            ]
            self._cast(body, solve_planes((0, 0), planes))

    def _cast(self, body: Geometry, way: Vec2) -> None:
        self._position += way * self._world.cast_mover(body, self._position, way, filter=self._filter)

    def _touched(self, body: Geometry, margin: float) -> list[MoverPlane]:
        return collide_mover(self._world, body, self._position, margin=margin, filter=self._filter)

    def _slide(
        self, body: Geometry, frame: _Frame, left: Vec2, unit: float
    ) -> tuple[list[MoverPlane], list[MoverPlane]]:
        """Goes the way that is left. Returns the planes that it met, and those that hold it if it came to rest."""
        met: list[MoverPlane] = []
        touched: list[MoverPlane] = []
        for _ in range(_CASTS):
            way = frame.limited(left, [plane.normal for plane in touched])
            if way.length <= 1e-9 * unit:
                return met, touched
            hit = next(solid_hits(self._world, body, self._position, way, self._filter), None)
            if hit is None:
                self._position += way
                break
            self._position += way * hit.fraction
            if way.length * hit.fraction > 2e-5 * unit:  # more than a cast stops short: it has left the others
                touched = []
            plane = MoverPlane(hit.normal, SKIN * unit, hit.point, hit.shape)
            touched.append(plane)
            met.append(plane)
            left *= 1.0 - hit.fraction
        return met, []

    def _find_ground(self, body: Geometry, frame: _Frame, reach: float, unit: float, *, snap: bool) -> list[MoverPlane]:
        """The planes that stop a fall by `reach`. With `snap` it moves to what it falls on, if that carries it."""
        here = self._position
        met, held = self._slide(body, frame, frame.up * -reach, unit)
        if snap and held and not frame.carries(met[0].normal):
            held = []
        if not snap or not held:
            self._position = here
        return [plane for plane in held if frame.carries(plane.normal)] or held

    def _push(self, met: list[MoverPlane], frame: _Frame, time: float) -> None:
        """Pushes the dynamic bodies that its velocity points into, but not what carries it."""
        for shape, plane in {plane.shape: plane for plane in met}.items():
            nx, ny = plane.normal
            into = -(nx * self._velocity.x + ny * self._velocity.y)
            if shape is None or into <= 0.0 or frame.carries(plane.normal):
                continue
            body = shape.body
            if body.type == BodyType.DYNAMIC:
                vx, vy = body.velocity_at(plane.point)
                force = min(self._push_force, body.mass * (into + nx * vx + ny * vy) / time)
                if force > 0.0:
                    body.apply_force((-force * nx, -force * ny), plane.point)

    def __repr__(self) -> str:
        return f"<Mover at ({self._position.x:.6g}, {self._position.y:.6g})>"
