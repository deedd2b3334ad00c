"""`PrismaticJoint`: a slider along an axis."""

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


class PrismaticJoint(Joint):
    """A slider: body B moves along an axis of body A without turning; with an optional spring, limits and motor.

    The axis is the x axis of `frame_a`; with `anchor` or local anchors it is given as `axis` in world coordinates.

    >>> with World(gravity=(0, 0)) as world:
    ...     wall, cart = world.create_static_body(), world.create_dynamic_body()
    ...     shape = cart.create_shape(Box(0.5, 0.2))
    ...     slider = world.create_prismatic_joint(
    ...         wall, cart, anchor=(0, 0), axis=(1, 0), enable_motor=True, motor_speed=1, max_motor_force=100
    ...     )
    ...     for _ in range(60):
    ...         world.step()
    ...     round(slider.translation, 2), round(slider.speed, 2)
    (1.0, 1.0)
    """

    __slots__ = ()
    _DRAWN = (draw_arms, draw_axis, draw_anchors)

    # generated: properties of prismatic joints, see tools/lists.py
    enable_spring = Property(FLAG)
    hertz = Property(NUMBER)
    damping_ratio = Property(NUMBER)
    stiffness = Property(CONSTANT)
    damping = Property(CONSTANT)
    target_translation = Property(NUMBER)
    enable_limit = Property(FLAG)
    lower_translation = Property(NUMBER)
    upper_translation = Property(NUMBER)
    enable_motor = Property(FLAG)
    motor_speed = Property(NUMBER)
    max_motor_force = Property(NUMBER)
    translation = ReadOnly(NUMBER)
    angle = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    motor_force = ReadOnly(NUMBER)
    spring_force = ReadOnly(NUMBER)
    # end of generated


@joint_maker(PrismaticJoint, axis="axis")
def create_prismatic_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    axis: Vec2Like | None = None,
    # generated: keywords of prismatic joints, see tools/lists.py
    enable_spring: bool = False,
    hertz: float = 0.0,
    damping_ratio: float = 0.0,
    stiffness: float | None = None,
    damping: float | None = None,
    target_translation: float = 0.0,
    enable_limit: bool = False,
    lower_translation: float = 0.0,
    upper_translation: float = 0.0,
    enable_motor: bool = False,
    motor_speed: float = 0.0,
    max_motor_force: float = 0.0,
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> PrismaticJoint:
    """A slider along `axis`; see `PrismaticJoint`.

    A `hertz`, a limit or a value of the motor switches the spring, limit or motor on, unless its `enable_...` is given.
    The axis is in world coordinates and (1, 0) by default. With frames it is the x axis of `frame_a`.
    """
    raise NotImplementedError
