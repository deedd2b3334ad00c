"""`WheelJoint`: a wheel on a suspension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import CONSTANT, FLAG, NUMBER, Property, ReadOnly
from .._objects.joint import Joint
from .creation import joint_maker
from .drawing import draw_anchors, draw_arms, draw_axis

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .creation import PlacedJointOptions


class WheelJoint(Joint):
    """A wheel on a suspension: body B turns freely and moves along an axis of body A, on a spring; with a motor that
    turns it.

    The axis is the x axis of `frame_a`; with `anchor` or local anchors it is given as `axis` in world coordinates. With
    `enable_spring=False` it is a pin in a groove.

    >>> with World() as world:
    ...     frame, wheel = world.create_static_body(), world.create_dynamic_body()
    ...     shape = wheel.create_shape(Circle(0.5))
    ...     joint = world.create_wheel_joint(frame, wheel, anchor=(0, 0), axis=(0, 1), hertz=4, damping_ratio=0.7)
    ...     for _ in range(120):
    ...         world.step()
    ...     round(joint.translation, 3)
    -0.016
    """

    __slots__ = ()
    _DRAWN = (draw_arms, draw_axis, draw_anchors)

    # generated: properties of wheel joints, see tools/lists.py
    enable_spring = Property(FLAG)
    hertz = Property(NUMBER)
    damping_ratio = Property(NUMBER)
    stiffness = Property(CONSTANT)
    damping = Property(CONSTANT)
    enable_limit = Property(FLAG)
    lower_translation = Property(NUMBER)
    upper_translation = Property(NUMBER)
    enable_motor = Property(FLAG)
    motor_speed = Property(NUMBER)
    max_motor_torque = Property(NUMBER)
    translation = ReadOnly(NUMBER)
    angle = ReadOnly(NUMBER)
    translation_speed = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    motor_torque = ReadOnly(NUMBER)
    spring_force = ReadOnly(NUMBER)
    # end of generated


@joint_maker(WheelJoint, axis="axis")
def create_wheel_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    axis: Vec2Like | None = None,
    # generated: keywords of wheel joints, see tools/lists.py
    enable_spring: bool = True,
    hertz: float = 1.0,
    damping_ratio: float = 0.7,
    stiffness: float | None = None,
    damping: float | None = None,
    enable_limit: bool = False,
    lower_translation: float = 0.0,
    upper_translation: float = 0.0,
    enable_motor: bool = False,
    motor_speed: float = 0.0,
    max_motor_torque: float = 0.0,
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> WheelJoint:
    """A wheel, body B, on a suspension along `axis` of body A; see `WheelJoint`.

    A `hertz`, a limit or a value of the motor switches the spring, limit or motor on, unless its `enable_...` is given.
    The axis is in world coordinates and (1, 0) by default. With frames it is the x axis of `frame_a`.
    """
    raise NotImplementedError
