"""`MoverJoint`: drives a body to a velocity with a bounded force along each axis of the world or of a body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from .._bridge.arguments import choice
from .._bridge.handles import PAIR, Codec, Property, ReadOnly
from .._objects.joint import Joint
from .creation import JointCreator, PlacedJointOptions, check_bodies, options_of, with_options
from .drawing import between_anchors, draw_anchors
from .placement import PLACES

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects


MoverAxes: TypeAlias = Literal["world", "a", "b"]
_AXES: list[MoverAxes] = ["world", "a", "b"]
AXES: Codec[MoverAxes, MoverAxes] = Codec(
    lambda row: _AXES[int(row[0])], lambda value, name: (float(_AXES.index(choice(value, name, _AXES))),)
)


class MoverJoint(Joint):
    """Drives body B to a velocity against body A with a bounded force along each axis: the legs of a dynamic character,
    the grip of a tyre.

    The axes are those of the world, or with `axes` of the frame on body A or B, and turn with it. A tyre of a car seen
    from above has `axes="b"`, a wanted velocity of 0 and a force along its y axis alone: it grips sideways only.

    The bound is a force, so the acceleration is `max_velocity_force / mass` at most. It does not turn bodies: it acts
    at their centres of mass unless its anchors are moved. So between two bodies that move it changes their angular
    momentum where they are apart; `MotorJoint` does not. For a character without friction that a `PogoJoint` carries,
    use x for walking and y for climbing or flying.

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
    _DRAWN = (between_anchors("lime"), draw_anchors)

    # generated: properties of mover joints, see tools/lists.py
    linear_velocity = Property(PAIR)
    max_velocity_force = Property(PAIR, c_name="MAX_VELOCITY_FORCE_XY")
    axes = Property(AXES)
    motor_force = ReadOnly(PAIR)
    # end of generated


@with_options(MoverJoint, PlacedJointOptions)
def create_mover_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    # generated: keywords of mover joints, see tools/lists.py
    linear_velocity: Vec2Like = (0.0, 0.0),
    max_velocity_force: Vec2Like = (0.0, 0.0),
    axes: MoverAxes = "world",
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> MoverJoint:
    """Drives body B to a velocity relative to body A; see `MoverJoint`.

    Without anchors and frames it acts at the centres of mass.
    """
    if options.keys().isdisjoint(PLACES):
        check_bodies(world, body_a, body_b)
        options["local_anchor_a"], options["local_anchor_b"] = body_a.local_center, body_b.local_center
    given = {**options, "linear_velocity": linear_velocity, "max_velocity_force": max_velocity_force}
    given["axes"] = axes
    return _CREATOR.create(world, body_a, body_b, given)


_CREATOR = JointCreator(MoverJoint, "create_mover_joint", options_of(create_mover_joint, PlacedJointOptions), {*PLACES})
