"""The geometric character: a shape that is moved by its position, pushed out of what it meets and slid along it.

`Mover` puts `World.cast_mover`, `World.collide_mover`, `solve_planes` and `clip_vector` together. A mover is no object
of the world: it detects bodies, rides on them and pushes them with a bounded force, but nothing pushes it by force. Use
a body for a character that is thrown about.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .._bridge.arguments import bounded, finite_pair, number
from .._bridge.errors import short_repr
from .._bridge.vectors import Vec2
from .._bridge.world_base import check_world
from .._objects.body import BodyType
from .._objects.shape import as_filter
from .._queries.mover import check_mover_geometry, clip_vector, solve_planes

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .._geometry.shapes import Filter, Geometry
    from .._objects.shape import Shape
    from .._queries.mover import MoverPlane
    from .._world.world import World


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
        push_force: the most that it pushes each dynamic body in its way with, N.

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
        "_filter",
        "_geometry",
        "_ground",
        "_planes",
        "_position",
        "_push_force",
        "_rides_at",
        "_velocity",
        "_world",
    )

    def __init__(
        self,
        world: World,
        geometry: Geometry,
        position: Vec2Like = (0.0, 0.0),
        *,
        velocity: Vec2Like = (0.0, 0.0),
        filter: Filter | None = None,
        push_force: float = 0.0,
    ) -> None:
        check_world(world)
        check_mover_geometry(geometry)
        self._world = world
        self._geometry = geometry
        self._planes: list[MoverPlane] = []
        self._ground: Shape | None = None
        self._rides_at = Vec2(0.0, 0.0)  # its origin, in coordinates of the body that it stands on
        self.filter = filter
        self.push_force = push_force
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
        and the input of the player to it.
        """
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
        """The most that it pushes each dynamic body in its way with, N, 0 or more. Bodies get no faster by it than it
        is.
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
    def planes(self) -> list[MoverPlane]:
        """The planes that it touched at the end of the last move."""
        return list(self._planes)

    @property
    def ground_normal(self) -> Vec2 | None:
        """The most upright normal of the planes that it stands on, on slopes up to 60 degrees; else None."""
        plane = self._standing()
        return None if plane is None else plane.normal

    @property
    def ground(self) -> Shape | None:
        """The shape that it stands on, None in the air."""
        plane = self._standing()
        return None if plane is None else plane.shape

    def _standing(self) -> MoverPlane | None:
        planes = [plane for plane in self._planes if plane.normal.y > 0.5]
        return max(planes, key=lambda plane: plane.normal.y) if planes else None

    def move(self, dt: float) -> Vec2:
        """Moves by `velocity * dt`, as far as the shapes around it allow, and returns the translation.

        What it stands on takes it along, as far as that has moved since the last call. Then, at most five times: find
        the planes of near shapes, find the nearest translation that satisfies them, cast the geometry along it. At last
        it pushes the dynamic bodies in its way, and the parts of the velocity that point into touched planes are
        removed. Shapes with `one_way` are solid from their solid side alone.

        Raises:
            ValueError: dt is not finite or negative.
            WorldLockedError: another thread is stepping the world.
            DestroyedError: the world is closed.
        """
        time = number(dt, "dt")
        if not 0.0 <= time < math.inf:
            raise ValueError(f"dt={short_repr(dt)} must be 0 or more and finite")
        start, unit = self._position, self._world.length_unit
        ride = self._ride()
        target = Vec2(start.x + ride.x + time * self._velocity.x, start.y + ride.y + time * self._velocity.y)
        for _ in range(5):
            here = self._position
            planes = self._touched(0.02 * unit)
            way = solve_planes(Vec2(target.x - here.x, target.y - here.y), planes)
            share = self._world.cast_mover(self._geometry, here, way, filter=self._filter)
            self._position = Vec2(here.x + share * way.x, here.y + share * way.y)
            if math.hypot(share * way.x, share * way.y) < 1e-4 * unit:
                break
        self._planes = self._touched(0.005 * unit)
        if time and self._push_force:
            self._push(time)
        self._velocity = clip_vector(self._velocity, self._planes, within=0.005 * unit)
        self._ground = self.ground
        if self._ground is not None:
            self._rides_at = self._ground.body.local_point(self._position)
        return Vec2(self._position.x - start.x, self._position.y - start.y)

    def _ride(self) -> Vec2:
        """How far what it stands on has moved since the last move."""
        if self._ground is None or not self._ground.alive:
            return Vec2(0.0, 0.0)
        return self._ground.body.world_point(self._rides_at) - self._position

    def _push(self, time: float) -> None:
        """Pushes the dynamic bodies that its velocity points into, but not what it stands on."""
        for plane in self._planes:
            nx, ny = plane.normal
            into = -(nx * self._velocity.x + ny * self._velocity.y)
            if plane.shape is None or into <= 0.0 or ny > 0.5:
                continue
            body = plane.shape.body
            if body.type == BodyType.DYNAMIC:
                vx, vy = body.velocity_at(plane.point)
                force = min(self._push_force, body.mass * (into + nx * vx + ny * vy) / time)
                if force > 0.0:
                    body.apply_force((-force * nx, -force * ny), plane.point)

    def _touched(self, margin: float) -> list[MoverPlane]:
        return self._world.collide_mover(self._geometry, self._position, margin=margin, filter=self._filter)

    def __repr__(self) -> str:
        return f"<Mover at ({self._position.x:.6g}, {self._position.y:.6g})>"
