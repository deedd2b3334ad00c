"""`MoverJoint`: drives a body to a velocity with a bounded force along each world axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import PAIR, Property, ReadOnly
from .._bridge.library import lib
from .._objects.joint import Joint
from .creation import JOINT_DEFAULTS, JointCreator, PlacedJointOptions, check_bodies, with_options
from .drawing import draw_anchors, draw_between_anchors
from .placement import PLACES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .._objects.joint import Pen


class MoverJoint(Joint):
    """Drives body B to a velocity against body A with a bounded force along each world axis: the legs of a dynamic
    character.

    The cap is a force, so the acceleration is `max_velocity_force / mass` at most. It does not turn bodies: it acts at
    their centres of mass unless its anchors are moved. With friction off on the character and a `PogoJoint` that
    carries it, x is walking, y is for climbing or flying.

    `relative_velocity` is the speed that it has reached.

    Source: the mover joint of Box2D 3.2, by its documentation.

    >>> with World(gravity=(0, 0)) as world:
    ...     ground, hero = world.create_static_body(), world.create_dynamic_body(lock_rotation=True)
    ...     shape = hero.create_shape(Box(0.5, 0.5))
    ...     legs = world.create_mover_joint(ground, hero, linear_velocity=(4, 9), max_velocity_force=(2, 0))
    ...     for _ in range(60):
    ...         world.step()
    ...     round(hero.linear_velocity.x, 2), hero.linear_velocity.y, round(legs.motor_force.x, 2)
    (2.0, 0.0, 2.0)
    """

    __slots__ = ()
    _TYPE_NAME = "MoverJoint"
    _TYPE = lib.B2D_MOVER

    linear_velocity = Property(PAIR, "Wanted velocity of body B against body A, m/s, world axes.")
    max_velocity_force = Property(
        PAIR, "The most force along x and y, N, each 0 or more; 0 is off.", "MAX_VELOCITY_FORCE_XY"
    )
    motor_force = ReadOnly(PAIR, "Force on body B in the last step, N, world axes.")

    @classmethod
    def _draw(cls, pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
        draw_between_anchors(pen, rows, "lime")
        draw_anchors(pen, rows)


@with_options(PlacedJointOptions)
def create_mover_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    linear_velocity: Vec2Like = (0.0, 0.0),
    max_velocity_force: Vec2Like = (0.0, 0.0),
    **options: Unpack[PlacedJointOptions],
) -> MoverJoint:
    """Drives body B to a velocity relative to body A; see `MoverJoint`.

    Without anchors and frames it acts at the centres of mass.
    """
    if options.keys().isdisjoint(PLACES):
        check_bodies(world, body_a, body_b)
        options["local_anchor_a"], options["local_anchor_b"] = body_a.local_center, body_b.local_center
    given = {**options, "linear_velocity": linear_velocity, "max_velocity_force": max_velocity_force}
    return _CREATOR.create(world, body_a, body_b, given)


_CREATOR = JointCreator(
    MoverJoint,
    "create_mover_joint",
    {"linear_velocity": (0.0, 0.0), "max_velocity_force": (0.0, 0.0), **JOINT_DEFAULTS, **dict.fromkeys(PLACES)},
    {*PLACES},
)
