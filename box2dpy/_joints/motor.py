"""`MotorJoint`: drives a body to a velocity or a pose relative to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import CONSTANT, NUMBER, PAIR, Property, ReadOnly
from .._objects.joint import Joint
from .creation import joint_maker
from .drawing import between_anchors, draw_anchors

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .creation import PlacedJointOptions


class MotorJoint(Joint):
    """Drives body B to a velocity, a pose, or both, relative to body A, with bounded force and torque.

    Velocity targets use up to `max_velocity_force` and `max_velocity_torque`; the springs that pull frame B onto frame
    A up to `max_spring_force` and `max_spring_torque`. A bound of 0, the default, switches its part off.

    >>> with World(gravity=(0, 0)) as world:
    ...     ground, drone = world.create_static_body(), world.create_dynamic_body()
    ...     shape = drone.create_shape(Circle(0.5))
    ...     drive = world.create_motor_joint(
    ...         ground, drone, anchor=(0, 0), linear_velocity=(2, 0), max_velocity_force=100
    ...     )
    ...     for _ in range(60):
    ...         world.step()
    ...     round(drone.linear_velocity.x, 3)
    2.0
    """

    __slots__ = ()
    _DRAWN = (between_anchors("lime"), draw_anchors)

    # generated: properties of motor joints, see tools/lists.py
    linear_velocity = Property(PAIR)
    angular_velocity = Property(NUMBER)
    max_velocity_force = Property(NUMBER)
    max_velocity_torque = Property(NUMBER)
    linear_hertz = Property(NUMBER)
    linear_damping_ratio = Property(NUMBER)
    linear_stiffness = Property(CONSTANT)
    linear_damping = Property(CONSTANT)
    max_spring_force = Property(NUMBER)
    angular_hertz = Property(NUMBER)
    angular_damping_ratio = Property(NUMBER)
    angular_stiffness = Property(CONSTANT)
    angular_damping = Property(CONSTANT)
    max_spring_torque = Property(NUMBER)
    angle = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    motor_force = ReadOnly(PAIR)
    motor_torque = ReadOnly(NUMBER)
    spring_force = ReadOnly(PAIR)
    spring_torque = ReadOnly(NUMBER)
    # end of generated


@joint_maker(MotorJoint)
def create_motor_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    # generated: keywords of motor joints, see tools/lists.py
    linear_velocity: Vec2Like = (0.0, 0.0),
    angular_velocity: float = 0.0,
    max_velocity_force: float = 0.0,
    max_velocity_torque: float = 0.0,
    linear_hertz: float = 0.0,
    linear_damping_ratio: float = 1.0,
    linear_stiffness: float | None = None,
    linear_damping: float | None = None,
    max_spring_force: float = 0.0,
    angular_hertz: float = 0.0,
    angular_damping_ratio: float = 1.0,
    angular_stiffness: float | None = None,
    angular_damping: float | None = None,
    max_spring_torque: float = 0.0,
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> MotorJoint:
    """Drives body B to a velocity or pose relative to body A; see `MotorJoint`."""
    raise NotImplementedError
