"""Joints: what holds two bodies together. One class a type, one line an attribute."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from ._core import ffi, lib
from ._errors import fail, shown
from ._geometry import Frame
from ._handle import FLAG, INHERITED, NUMBER, PAIR, Handle, Property, ReadOnly
from ._values import pair

if TYPE_CHECKING:
    from ._body import Body
    from ._vec2 import Vec2Like

JOINT_DEF = ffi.typeof("b2d_joint_def *")


class Joint(Handle):
    """Base of all joints: what every type has.

    Attributes raise `DestroyedError` when the joint is gone, `WorldLockedError` while another thread steps the world,
    `ValueError` for values that are not finite or out of range and `TypeError` for wrong types. Assigning wakes the bodies.
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


# All types: a further one is a class, a line here and a `create_..._joint` in `_world.py`.
JOINT_CLASSES: dict[int, type[Joint]] = {cls._TYPE: cls for cls in (RevoluteJoint,)}


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
        return Frame(at_a, direction - body_a.angle), Frame(at_b, direction - body_b.angle)
    for name, frame in (("frame_a", frame_a), ("frame_b", frame_b)):
        if frame is None:
            raise ValueError(f"{name}=None: frame_a and frame_b belong together")
    return _as_frame(frame_a, "frame_a"), _as_frame(frame_b, "frame_b")


def fill(definition: Any, cls: type[Joint], fields: dict[str, Any]) -> None:
    """Writes the fields of a joint's definition, converted the way the attribute of that name converts."""
    for name, value in fields.items():
        attribute = _attribute(cls, name)
        setattr(definition, name, attribute.codec.encode(value, name)[0])


def _attribute(cls: type[Joint], name: str) -> Property[Any, Any]:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]  # type: ignore[no-any-return]
    raise AttributeError(name)
