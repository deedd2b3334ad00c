"""Joints: what holds two bodies together. One class a type, one line an attribute; `_make_joint.py` has their makers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from ._core import ffi, lib
from ._errors import fail, shown
from ._geometry import Frame
from ._handle import FLAG, INHERITED, NUMBER, PAIR, Codec, Handle, Property, ReadOnly
from ._values import number, pair

if TYPE_CHECKING:
    from ._body import Body
    from ._vec2 import Vec2Like

JOINT_DEF = ffi.typeof("b2d_joint_def *")


def _encode_length(value: float | None, name: str) -> tuple[float]:
    length = -1.0 if value is None else number(value, name)
    if value is not None and length < 0:
        raise ValueError(f"{name}={shown(value)} is out of range")
    return (length,)


# None takes the present distance, which C takes as -1; reading gives the length in effect.
LENGTH: Codec[float, float | None] = Codec(lambda out: out[0], _encode_length)


class Joint(Handle):
    """Base of all joints: what every type has.

    Attributes raise `DestroyedError` when the joint is gone, `WorldLockedError` while another thread steps the world,
    `ValueError` for values that are not finite or out of range and `TypeError` for wrong types. Assigning wakes the bodies.
    What a type has not raises `AttributeError`: a gear has no frames, a filter joint neither frames, softness nor thresholds.
    """

    __slots__ = ()
    _KIND = lib.B2D_KIND_JOINT
    _NOUN = "Joint"
    _PREFIX = "JOINT"
    _C_GET = lib.b2d_joint_get
    _C_SET = lib.b2d_joint_set
    _TYPE: ClassVar[int] = -1

    local_anchor_a = Property(PAIR, "Where it holds body A, in coordinates of that body.")
    local_anchor_b = Property(PAIR, "Where it holds body B, in coordinates of that body.")
    local_angle_a = Property(NUMBER, "Direction of its frame on body A, radians.")
    local_angle_b = Property(NUMBER, "Direction of its frame on body B, radians.")
    collide_connected = Property(FLAG, "Whether the two bodies may touch each other.")
    joint_hertz = Property(
        INHERITED, "Stiffness of the rigid part, cycles a second, as in effect; assigning None takes the world's."
    )
    joint_damping_ratio = Property(
        INHERITED, "Damping of the rigid part, 1 is critical, as in effect; assigning None takes the world's."
    )
    force_threshold = Property(NUMBER, "Force in N above which the joint is reported.")
    torque_threshold = Property(NUMBER, "Torque in N m above which the joint is reported.")
    constraint_force = ReadOnly(PAIR, "Force of the last step on body B at the anchor, N, world axes.")
    constraint_torque = ReadOnly(NUMBER, "Torque of the last step on body B, N m.")
    linear_separation = ReadOnly(NUMBER, "How far the anchors are from where they should be, metres.")
    angular_separation = ReadOnly(NUMBER, "How far the angle is from where it should be, radians.")

    def _bodies(self) -> tuple[Any, Any, int]:
        a, b, kind = ffi.new("b2d_handle *"), ffi.new("b2d_handle *"), ffi.new("int32_t *")
        status = lib.b2d_joint_bodies(self._world._ptr, self._index, self._generation, a, b, kind)
        if status:
            fail(status, self)
        return a, b, kind[0]

    @property
    def body_a(self) -> Body:
        """The first body."""
        a, _, _ = self._bodies()
        return self._world._body(a.index, a.generation)

    @property
    def body_b(self) -> Body:
        """The second body."""
        _, b, _ = self._bodies()
        return self._world._body(b.index, b.generation)

    @property
    def frame_a(self) -> Frame:
        """Anchor and direction on body A."""
        return Frame(self.local_anchor_a, self.local_angle_a)

    @property
    def frame_b(self) -> Frame:
        """Anchor and direction on body B."""
        return Frame(self.local_anchor_b, self.local_angle_b)

    def destroy(self) -> None:
        """Removes the joint and wakes its bodies. A second call, or one after a body's death, does nothing."""
        if not self.alive:
            return
        status = lib.b2d_joint_destroy(self._world._ptr, self._index, self._generation)
        if status and status & 0xFF != lib.B2D_STALE_HANDLE:
            fail(status, self)
        self._world._forget(self)

    def _describe(self) -> str:
        a, b, _ = self._bodies()
        return f" of bodies {a.index} and {b.index}"


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
    _NOUN = "RevoluteJoint"
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
    _NOUN = "DistanceJoint"
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
    _NOUN = "PrismaticJoint"
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
    _NOUN = "WheelJoint"
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
    _NOUN = "WeldJoint"
    _TYPE = lib.B2D_WELD

    linear_hertz = Property(NUMBER, "Stiffness of the anchors' spring, cycles a second; 0 is rigid.")
    linear_damping_ratio = Property(NUMBER, "Its damping: 1 is critical.")
    angular_hertz = Property(NUMBER, "Stiffness of the angle's spring, cycles a second; 0 is rigid.")
    angular_damping_ratio = Property(NUMBER, "Its damping: 1 is critical.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")


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
    _NOUN = "MotorJoint"
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


class FilterJoint(Joint):
    """Keeps two bodies from touching each other, and nothing else. It has no frames, rows or thresholds: `hasattr` tells.

    >>> with World(gravity=(0, 0)) as world:
    ...     a, b = world.create_dynamic_body(), world.create_dynamic_body((0.5, 0))
    ...     shapes = a.create_shape(Circle(0.5)), b.create_shape(Circle(0.5))
    ...     joint = world.create_filter_joint(a, b)
    ...     world.step()
    ...     len(world.contacts), joint.collide_connected, hasattr(joint, "local_anchor_a")
    (0, False, False)
    """

    __slots__ = ()
    _NOUN = "FilterJoint"
    _TYPE = lib.B2D_FILTER


class GearJoint(Joint):
    """Couples two revolute or prismatic joints, each between a static and a dynamic body: coordinate a + ratio * coordinate b
    stays as it is. It dies with either joint.

    >>> with World(gravity=(0, 0)) as world:
    ...     base = world.create_static_body()
    ...     big, small = world.create_dynamic_body(), world.create_dynamic_body((3, 0))
    ...     shapes = big.create_shape(Circle(2)), small.create_shape(Circle(1))
    ...     a = world.create_revolute_joint(base, big, anchor=(0, 0))
    ...     b = world.create_revolute_joint(base, small, anchor=(3, 0))
    ...     gear = world.create_gear_joint(a, b, ratio=0.5)
    ...     big.angular_velocity = 1
    ...     world.step()
    ...     round(small.angular_velocity / big.angular_velocity, 3)
    -2.0
    """

    __slots__ = ()
    _NOUN = "GearJoint"
    _TYPE = lib.B2D_GEAR

    ratio = Property(NUMBER, "How much coordinate b weighs; not 0. Assigning it keeps the present sum.")


class PulleyJoint(Joint):
    """A rope over two fixed wheels: distance a + ratio * distance b, each from an anchor to its ground anchor, is constant.

    >>> with World() as world:
    ...     a, b = world.create_dynamic_body((-1, 0)), world.create_dynamic_body((1, 0))
    ...     shapes = a.create_shape(Box(0.5, 0.5)), b.create_shape(Box(0.5, 0.5), density=2)
    ...     rope = world.create_pulley_joint(
    ...         a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0), ground_anchor_a=(-1, 4), ground_anchor_b=(1, 4)
    ...     )
    ...     for _ in range(30):
    ...         world.step()
    ...     a.position.y > 0.3, round(rope.length_a + rope.length_b, 3)
    (True, 8.0)
    """

    __slots__ = ()
    _NOUN = "PulleyJoint"
    _TYPE = lib.B2D_PULLEY

    ground_anchor_a = Property(PAIR, "Where the rope of body A hangs, world coordinates. Assigning it keeps the present sum.")
    ground_anchor_b = Property(PAIR, "Where the rope of body B hangs, world coordinates. Assigning it keeps the present sum.")
    ratio = Property(NUMBER, "How much distance b weighs; not 0. Assigning it keeps the present sum.")
    length_a = ReadOnly(NUMBER, "Distance of anchor A from its ground anchor, metres.")
    length_b = ReadOnly(NUMBER, "Distance of anchor B from its ground anchor, metres.")


# All types: a further one is a class, a line here and a maker in `_make_joint.py`.
JOINT_CLASSES: dict[int, type[Joint]] = {
    cls._TYPE: cls
    for cls in (
        RevoluteJoint,
        DistanceJoint,
        PrismaticJoint,
        WheelJoint,
        WeldJoint,
        MotorJoint,
        FilterJoint,
        GearJoint,
        PulleyJoint,
    )
}


def _as_frame(value: object, name: str) -> Frame:
    if not isinstance(value, Frame):
        raise TypeError(f"{name}={shown(value)} must be a Frame")
    return value


def frames(
    body_a: Body,
    body_b: Body,
    anchor: Vec2Like | None,
    local_anchor_a: Vec2Like | None,
    local_anchor_b: Vec2Like | None,
    frame_a: Frame | None,
    frame_b: Frame | None,
    axis: Vec2Like | None = None,
) -> tuple[Frame, Frame]:
    """The two frames of a joint from exactly one of the three forms of saying where it is."""
    forms = [
        anchor is not None,
        local_anchor_a is not None or local_anchor_b is not None,
        frame_a is not None or frame_b is not None,
    ]
    if sum(forms) != 1:
        given = {
            "anchor": anchor,
            "local_anchor_a": local_anchor_a,
            "local_anchor_b": local_anchor_b,
            "frame_a": frame_a,
            "frame_b": frame_b,
        }
        told = ", ".join(f"{name}={shown(value)}" for name, value in given.items() if value is not None) or "none"
        raise ValueError(f"give exactly one of anchor, local_anchor_a with local_anchor_b, frame_a with frame_b; given: {told}")
    direction = 0.0
    if axis is not None:
        if forms[2]:
            raise ValueError(f"axis={shown(axis)}: with frames the axis is the direction of frame_a")
        x, y = pair(axis, "axis")
        if not math.isfinite(x + y) or x == y == 0.0:
            raise ValueError(f"axis={shown(axis)} must be finite and not zero")
        direction = math.atan2(y, x)
    if anchor is not None:
        point = pair(anchor, "anchor")
        if not (math.isfinite(point[0]) and math.isfinite(point[1])):
            raise ValueError(f"anchor={shown(anchor)} must be finite")
        return (
            Frame(body_a.local_point(point), math.remainder(direction - body_a.angle, math.tau)),
            Frame(body_b.local_point(point), math.remainder(direction - body_b.angle, math.tau)),
        )
    if forms[1]:
        for name, value in (("local_anchor_a", local_anchor_a), ("local_anchor_b", local_anchor_b)):
            if value is None:
                raise ValueError(f"{name}=None: local_anchor_a and local_anchor_b belong together")
        at_a, at_b = pair(local_anchor_a, "local_anchor_a"), pair(local_anchor_b, "local_anchor_b")
        for name, at, given_at in (("local_anchor_a", at_a, local_anchor_a), ("local_anchor_b", at_b, local_anchor_b)):
            if not (math.isfinite(at[0]) and math.isfinite(at[1])):
                raise ValueError(f"{name}={shown(given_at)} must be finite")
        if axis is None:
            return Frame(at_a), Frame(at_b)
        turns = [math.remainder(direction - body.angle, math.tau) for body in (body_a, body_b)]
        return Frame(at_a, turns[0]), Frame(at_b, turns[1])
    for name, frame in (("frame_a", frame_a), ("frame_b", frame_b)):
        if frame is None:
            raise ValueError(f"{name}=None: frame_a and frame_b belong together")
    return _as_frame(frame_a, "frame_a"), _as_frame(frame_b, "frame_b")


def fill(definition: Any, cls: type[Joint], fields: dict[str, Any]) -> None:
    """Writes the fields of a joint's definition, converted the way the attribute of that name converts."""
    for name, value in fields.items():
        attribute = _attribute(cls, name)
        row = definition.value[attribute.number]
        for k, component in enumerate(attribute.codec.encode(value, name)):
            row[k] = component


def _attribute(cls: type[Joint], name: str) -> Property[Any, Any]:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]  # type: ignore[no-any-return]
    raise AttributeError(name)
