"""Joints whose place is more, or less, than an anchor: filter, gear, pulley, mover, pogo, ratchet, groove, rotary spring."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .._bridge.arguments import finite_pair
from .._bridge.errors import short_repr
from .._bridge.handles import NUMBER, PAIR, Property, ReadOnly
from .._bridge.library import lib
from .._bridge.vectors import Vec2
from .._objects.joint import Joint

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like


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
    _TYPE_NAME = "FilterJoint"
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
    _TYPE_NAME = "GearJoint"
    _TYPE = lib.B2D_GEAR

    ratio = Property(NUMBER, "How much coordinate b weighs; not 0. Assigning it keeps the present sum.")
    coordinate_a = ReadOnly(NUMBER, "Angle or translation of the first joint, radians or metres.")
    coordinate_b = ReadOnly(NUMBER, "Angle or translation of the second joint, radians or metres.")
    speed = ReadOnly(NUMBER, "Rate of coordinate a, rad/s or m/s.")


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
    _TYPE_NAME = "PulleyJoint"
    _TYPE = lib.B2D_PULLEY

    ground_anchor_a = Property(
        PAIR, "Where the rope of body A hangs, world coordinates. Assigning it keeps the present sum."
    )
    ground_anchor_b = Property(
        PAIR, "Where the rope of body B hangs, world coordinates. Assigning it keeps the present sum."
    )
    ratio = Property(NUMBER, "How much distance b weighs; not 0. Assigning it keeps the present sum.")
    length_a = ReadOnly(NUMBER, "Distance of anchor A from its ground anchor, metres.")
    length_b = ReadOnly(NUMBER, "Distance of anchor B from its ground anchor, metres.")
    speed = ReadOnly(NUMBER, "Rate of length a, m/s.")


class MoverJoint(Joint):
    """Drives body B to a velocity against body A with a bounded force along each world axis: the legs of a dynamic character.

    The cap is a force, so the acceleration is `max_velocity_force / mass` at most. It does not turn bodies: it acts at their
    centres of mass unless its anchors are moved. With friction off on the character and a `PogoJoint` that carries it, x is
    walking, y is for climbing or flying.

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


class PogoJoint(Joint):
    """A spring leg: pushes body B off what it stands on, body A, along a normal, to a rest length, with bounded force.

    Only the distance along the normal counts; body B slides freely across it and turns freely. The normal is the x axis of
    `frame_a` and turns with body A. A character that walks stands elsewhere in each step: destroy the leg and make another.
    That loses nothing, for the spring has no memory. `max_tension_force=0` never pulls down.

    Source: the pogo joint of Box2D 3.2, by its documentation.

    >>> with World(gravity=(0, -10)) as world:
    ...     ground, hero = world.create_static_body(), world.create_dynamic_body((0, 1), lock_rotation=True)
    ...     shape = hero.create_shape(Box(0.5, 0.5))
    ...     leg = world.create_pogo_joint(
    ...         ground, hero, local_anchor_a=(0, 0), local_anchor_b=(0, 0), rest_length=1, hertz=5, damping_ratio=0.7
    ...     )
    ...     for _ in range(120):
    ...         world.step()
    ...     round(leg.current_length, 2), round(leg.spring_force, 2)
    (0.99, 10.0)
    """

    __slots__ = ()
    _TYPE_NAME = "PogoJoint"
    _TYPE = lib.B2D_POGO

    rest_length = Property(NUMBER, "Length along the normal that the spring seeks, metres, 0 or more.")
    hertz = Property(NUMBER, "Stiffness of the spring, cycles a second; 0 is no force.")
    damping_ratio = Property(NUMBER, "Damping of the spring: 1 is critical.")
    max_tension_force = Property(NUMBER, "The most that it pulls body B down, N, 0 or more; may be infinite.")
    max_compression_force = Property(NUMBER, "The most that it pushes body B up, N, 0 or more; may be infinite.")
    current_length = ReadOnly(NUMBER, "Where anchor B is along the normal, metres from anchor A.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")
    speed = ReadOnly(NUMBER, "Rate of the length, m/s.")
    spring_force = ReadOnly(NUMBER, "Force along the normal on body B in the last step, N; negative pulls down.")


class RatchetJoint(Joint):
    """Lets body B turn one way against body A and holds it at the last tooth when it turns back.

    Teeth are at `phase + k * ratchet`. A positive `ratchet` lets the angle grow, a negative one shrink. Holds angles only: a
    revolute joint beside it is the axle.

    Source: the ratchet joint of Chipmunk, by its documentation.

    >>> with World(gravity=(0, 0)) as world:
    ...     base, wheel = world.create_static_body(), world.create_dynamic_body()
    ...     shape = wheel.create_shape(Circle(0.5))
    ...     pawl = world.create_ratchet_joint(base, wheel, ratchet=math.pi / 6)
    ...     wheel.angular_velocity = 2
    ...     for _ in range(60):
    ...         world.step()
    ...     wheel.angular_velocity = -2
    ...     for _ in range(60):
    ...         world.step()
    ...     round(wheel.angle / (math.pi / 6), 2)
    3.0
    """

    __slots__ = ()
    _TYPE_NAME = "RatchetJoint"
    _TYPE = lib.B2D_RATCHET

    phase = Property(NUMBER, "Where the teeth begin, radians. Assigning it finds the tooth anew.")
    ratchet = Property(
        NUMBER, "From tooth to tooth, radians, at least 0.001 either way. Assigning it finds the tooth anew."
    )
    held_angle = ReadOnly(NUMBER, "The tooth that holds: the angle does not turn back from here. Radians.")
    angle = ReadOnly(NUMBER, "Angle of body B against body A, radians.")
    speed = ReadOnly(NUMBER, "Its rate, rad/s.")


class GrooveJoint(Joint):
    """A pin in a groove: anchor B stays on a line of body A, between its ends, and turns freely.

    Source: the groove joint of Chipmunk, by its documentation.

    >>> with World(gravity=(0, -10)) as world:
    ...     rail, bead = world.create_static_body(), world.create_dynamic_body((0.5, 0))
    ...     shape = bead.create_shape(Circle(0.1))
    ...     groove = world.create_groove_joint(rail, bead, groove_start=(0, 0), groove_end=(3, -3))
    ...     for _ in range(180):
    ...         world.step()
    ...     round(bead.position.x, 2), round(bead.position.y, 2)
    (3.0, -3.0)
    """

    __slots__ = ()
    _TYPE_NAME = "GrooveJoint"
    _TYPE = lib.B2D_GROOVE

    groove_length = Property(NUMBER, "From start to end, metres, 0 or more.", "UPPER_TRANSLATION")
    translation = ReadOnly(NUMBER, "Where anchor B is along the groove, metres from its start.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")
    speed = ReadOnly(NUMBER, "Rate of the translation, m/s.")

    @property
    def groove_start(self) -> Vec2:
        """One end of the groove, in coordinates of body A. Assigning leaves the other where it is.

        Raises:
            ValueError: not finite, or the other end.
            TypeError: not a pair of numbers.
        """
        return self.local_anchor_a

    @groove_start.setter
    def groove_start(self, value: Vec2Like) -> None:
        end = self.groove_end
        angle, length = groove_of(value, end)
        self.local_anchor_a = value
        self.local_angle_a, self.groove_length = angle, length

    @property
    def groove_end(self) -> Vec2:
        """The other end of the groove, in coordinates of body A. Assigning leaves the first where it is.

        Raises:
            ValueError: not finite, or the first end.
            TypeError: not a pair of numbers.
        """
        (x, y), angle, length = self.local_anchor_a, self.local_angle_a, self.groove_length
        return Vec2(x + length * math.cos(angle), y + length * math.sin(angle))

    @groove_end.setter
    def groove_end(self, value: Vec2Like) -> None:
        self.local_angle_a, self.groove_length = groove_of(self.groove_start, value)


class RotarySpringJoint(Joint):
    """A spring between the angles of two bodies, damped, with bounded torque: the hinge of a door that closes itself.

    With the reduced inertia I = 1 / (1 / I_a + 1 / I_b) its stiffness is I (2 pi hertz)^2 N m a radian, and its damping
    2 damping_ratio I (2 pi hertz) N m s. Holds angles only: a revolute joint beside it is the axle.

    Source: the damped rotary spring of Chipmunk, by its documentation; the soft step of this engine.

    >>> with World(gravity=(0, 0)) as world:
    ...     wall, door = world.create_static_body(), world.create_dynamic_body(angle=0.5)
    ...     shape = door.create_shape(Box(1, 0.1))
    ...     spring = world.create_rotary_spring_joint(wall, door, target_angle=0.2, hertz=2, damping_ratio=1)
    ...     for _ in range(120):
    ...         world.step()
    ...     round(spring.angle, 3)
    0.2
    """

    __slots__ = ()
    _TYPE_NAME = "RotarySpringJoint"
    _TYPE = lib.B2D_ROTARY_SPRING

    target_angle = Property(NUMBER, "Angle of body B against body A that the spring seeks, radians.")
    hertz = Property(NUMBER, "Stiffness, cycles a second; 0 is no torque.")
    damping_ratio = Property(NUMBER, "Damping: 1 is critical.")
    max_spring_torque = Property(NUMBER, "The most torque, N m, 0 or more; may be infinite.")
    angle = ReadOnly(NUMBER, "Angle of body B against body A, radians.")
    speed = ReadOnly(NUMBER, "Its rate, rad/s.")
    spring_torque = ReadOnly(NUMBER, "Torque on body B in the last step, N m.")


def groove_of(start: Vec2Like, end: Vec2Like) -> tuple[float, float]:
    """Direction and length of the groove between two points."""
    (x, y), (x2, y2) = finite_pair(start, "groove_start"), finite_pair(end, "groove_end")
    length = math.hypot(x2 - x, y2 - y)
    if not 1e-4 <= length <= 1e9:
        raise ValueError(
            f"groove_start={short_repr(start)} and groove_end={short_repr(end)} must be 0.1 mm or more apart"
        )
    return math.atan2(y2 - y, x2 - x), length
