"""The geometric character: a shape that is moved by its position, pushed out of what it meets and slid along it.

`Mover` puts `World.cast_mover`, `World.collide_mover`, `solve_planes` and `clip_vector` together. A mover is no object
of the world: it detects bodies, but no body is affected by it. Use a body for a character that pushes and is pushed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .._bridge.arguments import finite_pair, number
from .._bridge.errors import short_repr
from .._bridge.vectors import Vec2
from .._objects.shape import as_filter
from .._queries.mover import check_mover_geometry, clip_vector, solve_planes

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .._geometry.shapes import Filter, Geometry
    from .._queries.mover import MoverPlane
    from .._world.world import World


class Mover:
    """A character that is moved by geometry alone: it takes a velocity, and walls, slopes and steps limit its motion.

    Args:
        world: the world that it moves in.
        geometry: a `Circle`, `Capsule`, `Polygon` or `Box`; it does not turn. Round geometries climb over small steps.
        position: position of its origin, metres.
        velocity: m/s.
        filter: which shapes it detects; all when absent.

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
        check_mover_geometry(geometry)
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
        self._position = Vec2(*finite_pair(value, "position"))

    @property
    def velocity(self) -> Vec2:
        """m/s. `move` removes the parts that point into walls and floors. Add gravity and the input of the player to
        it.
        """
        return self._velocity

    @velocity.setter
    def velocity(self, value: Vec2Like) -> None:
        self._velocity = Vec2(*finite_pair(value, "velocity"))

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
        normals = [plane.normal for plane in self._planes if plane.normal.y > 0.5]
        return max(normals, key=lambda n: n.y) if normals else None

    def move(self, dt: float) -> Vec2:
        """Moves by `velocity * dt`, as far as the shapes around it allow, and returns the translation.

        At most five times: find the planes of near shapes, find the nearest translation that satisfies them, cast the
        geometry along it. Then the parts of the velocity that point into touched planes are removed.

        Raises:
            ValueError: dt is not finite or negative.
            WorldLockedError: another thread is stepping the world.
            DestroyedError: the world is closed.
        """
        time = number(dt, "dt")
        if not 0.0 <= time < math.inf:
            raise ValueError(f"dt={short_repr(dt)} must be 0 or more and finite")
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
