"""`MouseDrag`: a body held at a point that moves, as a mouse or a finger drags it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .._bridge.arguments import bounded, finite_pair, number
from .._bridge.body_type import BodyType
from .._bridge.errors import short_repr
from .._bridge.vectors import Vec2
from .._bridge.world_base import check_world
from .._geometry.geometry import Frame
from .._geometry.shapes import Circle

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .._geometry.categories import Filter
    from .._joints.motor import MotorJoint
    from .._objects.body import Body
    from .._world.world import World


class MouseDrag:
    """Holds the dynamic body at a point and pulls it with a spring of bounded force until it is released.

    It is a `MotorJoint` between the body and a static body without shapes that it adds to the world. Where there is no
    body to hold, the drag is false, its `body` is None and its methods do nothing. Use it as a context manager or call
    `release`.

    Args:
        world: the world of the body.
        point: the point to hold, world coordinates, metres.
        reach: how far beside a shape the point may be, metres: thin shapes and segments are hard to hit.
        hertz: stiffness of the spring, cycles a second.
        damping_ratio: of the spring; 1 is critical.
        max_force: the most that it pulls, N; None takes 100 times the body's weight (at 10 m/s^2 where there is no
            gravity).
        filter: which shapes may be held; None allows all. Sensors never are.

    Raises:
        ValueError: not finite, or negative.
        TypeError: a wrong type.
        DestroyedError: the world is closed.
        WorldLockedError: another thread is stepping the world.

    >>> with World(gravity=(0, -10)) as world:
    ...     box = world.create_dynamic_body((3, 0))
    ...     shape = box.create_shape(Box(0.5, 0.5))
    ...     with MouseDrag(world, (3, 0)) as drag:
    ...         drag.move((3, 5))
    ...         for _ in range(120):
    ...             world.step()
    ...         drag.body is box, round(drag.anchor.y, 1), round(drag.force.y)
    ...     len(world.joints), bool(drag)
    (True, 5.0, 10)
    (0, False)
    """

    __slots__ = ("_joint", "_point", "_target", "world")

    def __init__(
        self,
        world: World,
        point: Vec2Like,
        *,
        reach: float = 0.05,
        hertz: float = 5.0,
        damping_ratio: float = 1.0,
        max_force: float | None = None,
        filter: Filter | None = None,
    ) -> None:
        check_world(world)
        self.world = world
        self._point = Vec2(*finite_pair(point, "point"))
        self._joint: MotorJoint | None = None
        self._target: Body | None = None
        distance = bounded(reach, "reach", 0.0, 1e9)
        body = _body_at(world, self._point, distance, filter)
        usual = 100.0 * body.mass * _strength(world) if body is not None else 0.0
        force = usual if max_force is None else number(max_force, "max_force")
        if not force >= 0.0:
            raise ValueError(f"max_force={short_repr(max_force)} must not be negative")
        stiffness, damping = bounded(hertz, "hertz", 0.0, 1e6), bounded(damping_ratio, "damping_ratio", 0.0, 1e6)
        if body is None:
            return
        self._target = world.create_static_body(self._point)
        try:
            hold = Frame(body.local_point(self._point))
            self._joint = world.create_motor_joint(
                self._target, body, frame_a=Frame(), frame_b=hold, linear_hertz=stiffness, linear_damping_ratio=damping,
                max_spring_force=force, collide_connected=True,
            )  # fmt: skip
        except BaseException:
            self._target.destroy()
            raise

    def __bool__(self) -> bool:
        """Whether it holds a body."""
        return self._joint is not None and self._joint.alive

    @property
    def joint(self) -> MotorJoint | None:
        """The joint that pulls, to read or tune; None when nothing is held."""
        return self._joint if self else None

    @property
    def body(self) -> Body | None:
        """The body that is held, or None."""
        return self._joint.body_b if self._joint is not None and self else None

    @property
    def point(self) -> Vec2:
        """Where the body is pulled to, world coordinates, metres."""
        return self._point

    @property
    def anchor(self) -> Vec2:
        """Where the body is held, world coordinates, metres; `point` when nothing is held."""
        body = self.body
        return self._point if body is None or self._joint is None else body.world_point(self._joint.local_anchor_b)

    @property
    def force(self) -> Vec2:
        """Its force on the body in the last step, N; (0, 0) when nothing is held."""
        return self._joint.constraint_force if self._joint is not None and self else Vec2(0.0, 0.0)

    def move(self, point: Vec2Like) -> None:
        """Pulls to another point from now on, and wakes the body.

        Raises:
            ValueError: not finite.
            TypeError: not a pair of numbers.
            WorldLockedError: another thread is stepping the world.
        """
        place = Vec2(*finite_pair(point, "point"))
        body = self.body
        if self._target is not None and body is not None:
            self._target.position = place
            body.awake = True
        self._point = place

    def release(self) -> None:
        """Releases the body and removes what the drag added to the world. A second call does nothing."""
        target, self._target = self._target, None
        if target is not None and target.alive:
            target.destroy()

    def __enter__(self) -> MouseDrag:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<MouseDrag of {self.body!r} to {tuple(self._point)}>" if self else "<MouseDrag of nothing>"


def _strength(world: World) -> float:
    """Gravity, m/s^2, where there is one."""
    return math.hypot(*world.gravity) or 10.0


def _body_at(world: World, point: Vec2, reach: float, filter: Filter | None) -> Body | None:
    """The dynamic body of the first shape that contains the point, or else of the first shape within reach."""
    found = world.point_query(point, filter=filter)
    if reach > 0.0:
        found = found + world.overlap_shape(Circle(reach), point, filter=filter)
    return next((s.body for s in found if s.body.type == BodyType.DYNAMIC), None)
