"""The types of joints that an anchor, local anchors or frames place: one class a type, one line an attribute."""

from __future__ import annotations

from .._bridge.arguments import number
from .._bridge.errors import short_repr
from .._bridge.handles import FLAG, NUMBER, PAIR, Codec, Property, ReadOnly
from .._bridge.library import lib
from .._objects.joint import Joint


def _encode_length(value: float | None, name: str) -> tuple[float]:
    length = -1.0 if value is None else number(value, name)
    if value is not None and length < 0:
        raise ValueError(f"{name}={short_repr(value)} is out of range")
    return (length,)


# None takes the present distance, which C takes as -1; reading gives the length in effect.
LENGTH: Codec[float, float | None] = Codec(lambda out: out[0], _encode_length)


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
    _TYPE_NAME = "RevoluteJoint"
    _TYPE = lib.B2D_REVOLUTE

    enable_spring = Property(FLAG, "Whether a spring pulls the angle to `target_angle`.")
    hertz = Property(NUMBER, "Stiffness of the spring, cycles a second, 0 or more.")
    damping_ratio = Property(NUMBER, "Damping of the spring: 1 is critical.")
    target_angle = Property(NUMBER, "Where the spring pulls to, radians.")
    enable_limit = Property(FLAG, "Whether the angle stays in [lower_angle, upper_angle].")
    lower_angle = Property(NUMBER, "Lower limit, radians, at most `upper_angle`.")
    upper_angle = Property(NUMBER, "Upper limit, radians, at least `lower_angle`.")
    enable_motor = Property(FLAG, "Whether a motor drives the speed to `motor_speed`.")
    motor_speed = Property(NUMBER, "Wanted speed of body B against body A, rad/s.")
    max_motor_torque = Property(NUMBER, "The most that the motor may use, N m, 0 or more.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")
    speed = ReadOnly(NUMBER, "Its rate, rad/s.")
    motor_torque = ReadOnly(NUMBER, "Torque that the motor used in the last step, N m.")
    spring_torque = ReadOnly(NUMBER, "Torque of the spring on body B in the last step, N m.")


class DistanceJoint(Joint):
    """A rod, spring or rope between two anchors: keeps, or softly seeks, their distance.

    Without `enable_spring` the length is rigid. With it the length is free but for the spring (where `hertz` is not 0),
    the motor and the limits, so `enable_spring=True, hertz=0, enable_limit=True` is a rope.

    >>> with World(gravity=(0, 0)) as world:
    ...     wall, ball = world.create_static_body(), world.create_dynamic_body((2, 0))
    ...     shape = ball.create_shape(Circle(0.1))
    ...     rod = world.create_distance_joint(wall, ball, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
    ...     rod.length, rod.current_length
    (2.0, 2.0)
    """

    __slots__ = ()
    _TYPE_NAME = "DistanceJoint"
    _TYPE = lib.B2D_DISTANCE

    length = Property(LENGTH, "Wanted distance of the anchors, metres, at least 0.1 mm; None takes the present one.")
    enable_spring = Property(FLAG, "Whether the length is soft: a spring instead of a rod.")
    hertz = Property(NUMBER, "Stiffness of the spring, cycles a second; 0 is no force.")
    damping_ratio = Property(NUMBER, "Damping of the spring: 1 is critical.")
    lower_spring_force = Property(NUMBER, "The most that the spring pulls, as a negative force, N.")
    upper_spring_force = Property(NUMBER, "The most that the spring pushes, N.")
    enable_limit = Property(FLAG, "Whether the length stays in [min_length, max_length].")
    min_length = Property(NUMBER, "Shortest length, metres, at most `max_length`.")
    max_length = Property(NUMBER, "Longest length, metres, at least `min_length`; may be infinite.")
    enable_motor = Property(FLAG, "Whether a motor drives the length at `motor_speed`; only with `enable_spring`.")
    motor_speed = Property(NUMBER, "Wanted rate of the length, m/s.")
    max_motor_force = Property(NUMBER, "The most that the motor may use, N, 0 or more.")
    current_length = ReadOnly(NUMBER, "Distance of the anchors now, metres.")
    speed = ReadOnly(NUMBER, "Its rate, m/s.")
    motor_force = ReadOnly(NUMBER, "Force that the motor used in the last step, N.")
    spring_force = ReadOnly(NUMBER, "Force of the spring in the last step, N; positive pushes the anchors apart.")


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
    _TYPE_NAME = "PrismaticJoint"
    _TYPE = lib.B2D_PRISMATIC

    enable_spring = Property(FLAG, "Whether a spring pulls the translation to `target_translation`.")
    hertz = Property(NUMBER, "Stiffness of the spring, cycles a second; 0 is no force.")
    damping_ratio = Property(NUMBER, "Damping of the spring: 1 is critical.")
    target_translation = Property(NUMBER, "Where the spring pulls to, metres.")
    enable_limit = Property(FLAG, "Whether the translation stays in [lower_translation, upper_translation].")
    lower_translation = Property(NUMBER, "Lower limit, metres, at most `upper_translation`.")
    upper_translation = Property(NUMBER, "Upper limit, metres, at least `lower_translation`.")
    enable_motor = Property(FLAG, "Whether a motor drives the speed to `motor_speed`.")
    motor_speed = Property(NUMBER, "Wanted speed along the axis, m/s.")
    max_motor_force = Property(NUMBER, "The most that the motor may use, N, 0 or more.")
    translation = ReadOnly(NUMBER, "Where anchor B is along the axis, metres from anchor A.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians; held at 0.")
    speed = ReadOnly(NUMBER, "Rate of the translation, m/s.")
    motor_force = ReadOnly(NUMBER, "Force that the motor used in the last step, N.")
    spring_force = ReadOnly(NUMBER, "Force of the spring along the axis on body B in the last step, N.")


class WheelJoint(Joint):
    """A wheel on a suspension: body B turns freely and moves along an axis of body A, on a spring; with a motor that turns it.

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
    _TYPE_NAME = "WheelJoint"
    _TYPE = lib.B2D_WHEEL

    enable_spring = Property(FLAG, "Whether a spring pulls the translation to 0.")
    hertz = Property(NUMBER, "Stiffness of the suspension, cycles a second; 0 is no force.")
    damping_ratio = Property(NUMBER, "Damping of the suspension: 1 is critical.")
    enable_limit = Property(FLAG, "Whether the translation stays in [lower_translation, upper_translation].")
    lower_translation = Property(NUMBER, "Lower limit, metres, at most `upper_translation`.")
    upper_translation = Property(NUMBER, "Upper limit, metres, at least `lower_translation`.")
    enable_motor = Property(FLAG, "Whether a motor turns body B at `motor_speed`.")
    motor_speed = Property(NUMBER, "Wanted speed of body B against body A, rad/s.")
    max_motor_torque = Property(NUMBER, "The most that the motor may use, N m, 0 or more.")
    translation = ReadOnly(NUMBER, "Where anchor B is along the axis, metres from anchor A.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")
    speed = ReadOnly(NUMBER, "Rate of the angle, rad/s.")
    motor_torque = ReadOnly(NUMBER, "Torque that the motor used in the last step, N m.")
    spring_force = ReadOnly(NUMBER, "Force of the suspension along the axis on body B in the last step, N.")


class WeldJoint(Joint):
    """Glue: holds frame B on frame A, rigidly or, where a hertz is not 0, on springs.

    >>> with World() as world:
    ...     wall, shelf = world.create_static_body(), world.create_dynamic_body((1, 0))
    ...     shape = shelf.create_shape(Box(1, 0.1))
    ...     weld = world.create_weld_joint(wall, shelf, anchor=(0, 0))
    ...     for _ in range(60):
    ...         world.step()
    ...     abs(shelf.angle) < 0.002, round(weld.constraint_force.y)
    (True, 4)
    """

    __slots__ = ()
    _TYPE_NAME = "WeldJoint"
    _TYPE = lib.B2D_WELD

    linear_hertz = Property(NUMBER, "Stiffness of the anchors' spring, cycles a second; 0 is rigid.")
    linear_damping_ratio = Property(NUMBER, "Its damping: 1 is critical.")
    angular_hertz = Property(NUMBER, "Stiffness of the angle's spring, cycles a second; 0 is rigid.")
    angular_damping_ratio = Property(NUMBER, "Its damping: 1 is critical.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")
    speed = ReadOnly(NUMBER, "Its rate, rad/s.")
    spring_force = ReadOnly(PAIR, "Force of the anchors' spring on body B in the last step, N, world axes.")
    spring_torque = ReadOnly(NUMBER, "Torque of the angle's spring on body B in the last step, N m.")


class MotorJoint(Joint):
    """A drive without bearings: pushes body B to a velocity, a pose, or both, against body A, with bounded force and torque.

    Velocity targets use up to `max_velocity_force` and `max_velocity_torque`; the springs that pull frame B onto frame A
    up to `max_spring_force` and `max_spring_torque`. A bound of 0, the default, switches its part off.

    >>> with World(gravity=(0, 0)) as world:
    ...     ground, drone = world.create_static_body(), world.create_dynamic_body()
    ...     shape = drone.create_shape(Circle(0.5))
    ...     drive = world.create_motor_joint(ground, drone, anchor=(0, 0), linear_velocity=(2, 0), max_velocity_force=100)
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
    linear_hertz = Property(NUMBER, "Stiffness of the spring between the anchors, cycles a second.")
    linear_damping_ratio = Property(NUMBER, "Its damping: 1 is critical.")
    max_spring_force = Property(NUMBER, "The most force of that spring, N; 0 is off.")
    angular_hertz = Property(NUMBER, "Stiffness of the spring of the angle, cycles a second.")
    angular_damping_ratio = Property(NUMBER, "Its damping: 1 is critical.")
    max_spring_torque = Property(NUMBER, "The most torque of that spring, N m; 0 is off.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")
    speed = ReadOnly(NUMBER, "Its rate, rad/s.")
    motor_force = ReadOnly(PAIR, "Force on body B for the velocity in the last step, N, world axes.")
    motor_torque = ReadOnly(NUMBER, "Torque on body B for the angular velocity in the last step, N m.")
    spring_force = ReadOnly(PAIR, "Force of the anchors' spring on body B in the last step, N, world axes.")
    spring_torque = ReadOnly(NUMBER, "Torque of the angle's spring on body B in the last step, N m.")
