"""Joints: what holds two bodies together. `Joint` is their base; each type is a class in `_joint_types.py`, or in
`_special_joint.py` if it is not placed by an anchor; `_make_joint.py` and `_make_special_joint.py` have their makers.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from ._core import ffi, lib
from ._errors import fail, shown
from ._geometry import Frame
from ._handle import FLAG, INHERITED, NUMBER, PAIR, Handle, Property, ReadOnly
from ._values import finite_pair

if TYPE_CHECKING:
    from ._body import Body
    from ._vec2 import Vec2Like

JOINT_DEF = ffi.typeof("b2d_joint_def *")
JOINT_CLASSES: dict[int, type[Joint]] = {}  # by the number of the type: each class adds itself


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

    def __init_subclass__(cls) -> None:
        JOINT_CLASSES[cls._TYPE] = cls

    local_anchor_a = Property(PAIR, "Where it holds body A, in coordinates of that body.")
    local_anchor_b = Property(PAIR, "Where it holds body B, in coordinates of that body.")
    local_angle_a = Property(NUMBER, "Direction of its frame on body A, radians.")
    local_angle_b = Property(NUMBER, "Direction of its frame on body B, radians.")
    collide_connected = Property(FLAG, "Whether the two bodies may touch each other.")
    joint_hertz = Property(
        INHERITED,
        "Stiffness of the rigid part, cycles a second, as in effect; assigning None takes the world's. Where masses differ "
        "30 times an inherited stiffness is rigid.",
    )
    joint_damping_ratio = Property(
        INHERITED, "Damping of the rigid part, 1 is critical, as in effect; assigning None takes the world's."
    )
    force_threshold = Property(NUMBER, "Force in N above which the joint is reported.")
    torque_threshold = Property(NUMBER, "Torque in N m above which the joint is reported.")
    constraint_force = ReadOnly(PAIR, "Force of the last step on body B at the anchor, N, world axes.")
    constraint_torque = ReadOnly(NUMBER, "Torque of the last step on body B, N m.")
    relative_position = ReadOnly(PAIR, "Anchor B less anchor A, metres, world axes.")
    relative_velocity = ReadOnly(PAIR, "Velocity of anchor B against anchor A, m/s, world axes.")
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
        """Anchor and direction on body A. Assigning changes both at once, or neither.

        >>> with World(gravity=(0, 0)) as world:
        ...     wall, door = world.create_static_body(), world.create_dynamic_body((1, 0))
        ...     shape = door.create_shape(Box(1, 0.1))
        ...     hinge = world.create_revolute_joint(wall, door, anchor=(0, 0))
        ...     hinge.frame_a = Frame((0, 2), 0.5)
        ...     hinge.local_anchor_a, hinge.local_angle_a
        (Vec2(0.0, 2.0), 0.5)
        """
        return Frame(self.local_anchor_a, self.local_angle_a)

    @frame_a.setter
    def frame_a(self, value: Frame) -> None:
        frame, before = _as_frame(value, "frame_a"), self.local_anchor_a
        self.local_anchor_a = frame.point
        try:
            self.local_angle_a = frame.angle
        except ValueError:
            self.local_anchor_a = before
            raise

    @property
    def frame_b(self) -> Frame:
        """Anchor and direction on body B. Assigning changes both at once, or neither."""
        return Frame(self.local_anchor_b, self.local_angle_b)

    @frame_b.setter
    def frame_b(self, value: Frame) -> None:
        frame, before = _as_frame(value, "frame_b"), self.local_anchor_b
        self.local_anchor_b = frame.point
        try:
            self.local_angle_b = frame.angle
        except ValueError:
            self.local_anchor_b = before
            raise

    def destroy(self) -> None:
        """Removes the joint and wakes its bodies. A second call, or one after a body's death, does nothing."""
        if self._world._inside():
            self._world._later(None, self.destroy)
            return
        if not self.alive:
            return
        status = lib.b2d_joint_destroy(self._world._ptr, self._index, self._generation)
        if status and status & 0xFF != lib.B2D_STALE_HANDLE:
            fail(status, self)
        self._world._forget(self._key())

    def _describe(self) -> str:
        a, b, _ = self._bodies()
        return f" of bodies {a.index} and {b.index}"


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
    axis_name: str = "axis",
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
            raise ValueError(f"{axis_name}={shown(axis)}: with frames it is the direction of frame_a")
        x, y = finite_pair(axis, axis_name)
        if x == y == 0.0:
            raise ValueError(f"{axis_name}={shown(axis)} must not be zero")
        direction = math.atan2(y, x)
    if anchor is not None:
        point = finite_pair(anchor, "anchor")
        return (
            Frame(body_a.local_point(point), math.remainder(direction - body_a.angle, math.tau)),
            Frame(body_b.local_point(point), math.remainder(direction - body_b.angle, math.tau)),
        )
    if forms[1]:
        for name, value in (("local_anchor_a", local_anchor_a), ("local_anchor_b", local_anchor_b)):
            if value is None:
                raise ValueError(f"{name}=None: local_anchor_a and local_anchor_b belong together")
        at_a, at_b = finite_pair(local_anchor_a, "local_anchor_a"), finite_pair(local_anchor_b, "local_anchor_b")
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
        attribute = _attribute(cls, name)  # type: ignore[arg-type]
        row = definition.value[attribute.number]
        for k, component in enumerate(attribute.codec.encode(value, name)):
            row[k] = component


@cache
def _attribute(cls: type[Joint], name: str) -> Property[Any, Any]:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]  # type: ignore[no-any-return]
    raise AttributeError(name)
