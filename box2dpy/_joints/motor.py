"""`MotorJoint`: drives a body to a velocity or a pose relative to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import CONSTANT, NUMBER, PAIR, Property, ReadOnly
from .._bridge.library import lib
from .._objects.joint import Joint
from .creation import joint_maker
from .drawing import draw_anchors, draw_between_anchors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .._objects.joint import Pen
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
    _TYPE_NAME = "MotorJoint"
    _TYPE = lib.B2D_MOTOR

    linear_velocity = Property(PAIR, "Wanted velocity of anchor B against anchor A, m/s, world axes.")
    angular_velocity = Property(NUMBER, "Wanted angular velocity of body B against body A, rad/s.")
    max_velocity_force = Property(NUMBER, "The most force for the velocity, N; 0 is off.")
    max_velocity_torque = Property(NUMBER, "The most torque for the angular velocity, N m; 0 is off.")
    linear_hertz = Property(NUMBER, "Stiffness of the spring between the anchors, Hz.")
    linear_damping_ratio = Property(NUMBER, "Its damping: 1 is critical.")
    linear_stiffness = Property(
        CONSTANT, "Stiffness of the spring between the anchors, N/m, in place of `linear_hertz`."
    )
    linear_damping = Property(
        CONSTANT, "Damping of the spring between the anchors, N s/m, in place of `linear_damping_ratio`."
    )
    max_spring_force = Property(NUMBER, "The most force of that spring, N; 0 is off.")
    angular_hertz = Property(NUMBER, "Stiffness of the spring of the angle, Hz.")
    angular_damping_ratio = Property(NUMBER, "Its damping: 1 is critical.")
    angular_stiffness = Property(
        CONSTANT, "Stiffness of the spring of the angle, N m/rad, in place of `angular_hertz`."
    )
    angular_damping = Property(
        CONSTANT, "Damping of the spring of the angle, N m s/rad, in place of `angular_damping_ratio`."
    )
    max_spring_torque = Property(NUMBER, "The most torque of that spring, N m; 0 is off.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")
    speed = ReadOnly(NUMBER, "Its rate, rad/s.")
    motor_force = ReadOnly(PAIR, "Force on body B for the velocity in the last step, N, world axes.")
    motor_torque = ReadOnly(NUMBER, "Torque on body B for the angular velocity in the last step, N m.")
    spring_force = ReadOnly(PAIR, "Force of the anchors' spring on body B in the last step, N, world axes.")
    spring_torque = ReadOnly(NUMBER, "Torque of the angle's spring on body B in the last step, N m.")

    @classmethod
    def _draw(cls, pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
        draw_between_anchors(pen, rows, "lime")
        draw_anchors(pen, rows)


@joint_maker(MotorJoint)
def create_motor_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
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
    **options: Unpack[PlacedJointOptions],
) -> MotorJoint:
    """Drives body B to a velocity or pose relative to body A; see `MotorJoint`."""
    raise NotImplementedError
