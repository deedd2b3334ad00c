"""`RevoluteJoint`: a hinge between two bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import CONSTANT, FLAG, NUMBER, Property, ReadOnly
from .._objects.joint import Joint
from .creation import joint_maker
from .drawing import draw_anchors, draw_angle_limits, draw_arms

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .creation import PlacedJointOptions


class RevoluteJoint(Joint):
    """A hinge: the anchors coincide, the bodies turn about them; with an optional spring, limit and motor.

    >>> with World() as world:
    ...     wall = world.create_static_body()
    ...     door = world.create_dynamic_body((1, 0))
    ...     shape = door.create_shape(Box(1, 0.1))
    ...     hinge = world.create_revolute_joint(wall, door, anchor=(0, 0), enable_motor=True, max_motor_torque=100)
    ...     hinge.motor_speed = 1
    ...     hinge.body_b is door, hinge.local_anchor_b
    (True, Vec2(-1.0, 0.0))
    """

    __slots__ = ()
    _DRAWN = (draw_arms, draw_angle_limits, draw_anchors)

    # generated: properties of revolute joints, see tools/lists.py
    enable_spring = Property(FLAG)
    hertz = Property(NUMBER)
    damping_ratio = Property(NUMBER)
    stiffness = Property(CONSTANT)
    damping = Property(CONSTANT)
    target_angle = Property(NUMBER)
    enable_limit = Property(FLAG)
    lower_angle = Property(NUMBER)
    upper_angle = Property(NUMBER)
    enable_motor = Property(FLAG)
    motor_speed = Property(NUMBER)
    max_motor_torque = Property(NUMBER)
    angle = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    motor_torque = ReadOnly(NUMBER)
    spring_torque = ReadOnly(NUMBER)
    # end of generated


@joint_maker(RevoluteJoint)
def create_revolute_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    # generated: keywords of revolute joints, see tools/lists.py
    enable_spring: bool = False,
    hertz: float = 0.0,
    damping_ratio: float = 0.0,
    stiffness: float | None = None,
    damping: float | None = None,
    target_angle: float = 0.0,
    enable_limit: bool = False,
    lower_angle: float = 0.0,
    upper_angle: float = 0.0,
    enable_motor: bool = False,
    motor_speed: float = 0.0,
    max_motor_torque: float = 0.0,
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> RevoluteJoint:
    """A hinge between two bodies; see `RevoluteJoint`.

    A `hertz`, a limit or a value of the motor switches the spring, limit or motor on, unless its `enable_...` is given.
    """
    raise NotImplementedError
