"""Joints: what holds two bodies together. `Joint` is their base; each type is a class in `_joint_types.py`, or in
`_special_joint.py` if it is not placed by an anchor; `_make_joint.py` and `_make_special_joint.py` have their makers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from .._bridge.arguments import finite_pair
from .._bridge.definitions import NUMBERS, Field, OptionWriter, struct_buffers
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import FLAG, INHERITED, NUMBER, PAIR, Handle, Property, ReadOnly
from .._bridge.library import ffi, lib
from .._geometry.shapes import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from .body import Body
    from .collections import WorldObjects

JOINT_BUFFERS = struct_buffers("b2d_joint_def")
_POINTS, _FRAMES = ("local_anchor_a", "local_anchor_b"), ("frame_a", "frame_b")
_PLACE = ("anchor", *_POINTS, *_FRAMES)
_KINDS = {NUMBER: float, INHERITED: float, FLAG: bool}  # values of these types are what C takes
_VALUES = ffi.offsetof("b2d_joint_def", "value") // 8  # in doubles
JOINT_CLASSES: dict[int, type[Joint]] = {}  # by the number of the type: each class adds itself


class Joint(Handle):
    """Base of all joints: what every type has.

    Attributes raise `DestroyedError` when the joint is gone, `WorldLockedError` while another thread steps the world,
    `ValueError` for values that are not finite or out of range and `TypeError` for wrong types. Assigning wakes the bodies.
    What a type has not raises `AttributeError`: a gear has no frames, a filter joint neither frames, softness nor thresholds.
    """

    __slots__ = ()
    _KIND = lib.B2D_KIND_JOINT
    _TYPE_NAME = "Joint"
    _world: WorldObjects
    _C_PREFIX = "JOINT"
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
            raise_error(status, self)
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
        if self._world._in_callback():
            self._world._defer(None, self.destroy)
            return
        if not self.alive:
            return
        status = lib.b2d_joint_destroy(self._world._ptr, self._index, self._generation)
        if status and status & 0xFF != lib.B2D_STALE_HANDLE:
            raise_error(status, self)
        self._world._forget(self._key())

    def _describe(self) -> str:
        a, b, _ = self._bodies()
        return f" of bodies {a.index} and {b.index}"


def _as_frame(value: object, name: str) -> Frame:
    if isinstance(value, Frame):
        return value
    raise TypeError(f"{name}={short_repr(value)} must be a Frame")


Frames: TypeAlias = "tuple[float, float, float, float, float, float]"


def frames(body_a: Body, body_b: Body, place: Mapping[str, Any], axis_name: str, axis_angle: float) -> Frames:
    """Points and angles of the two frames of a joint, from exactly one of the three forms of saying where it is.

    `axis_name` is the option with a direction in world axes, "" if there is none, and `axis_angle` its default.
    """
    names = (*place,)
    if names == _FRAMES:
        a, b = place.values()
        if type(a) is Frame and type(b) is Frame:
            (ax, ay), angle_a = a
            (bx, by), angle_b = b
            return ax, ay, angle_a, bx, by, angle_b
    elif names == _POINTS and not axis_name:
        a, b = place.values()
        if a is not None and b is not None:
            (ax, ay), (bx, by) = finite_pair(a, "local_anchor_a"), finite_pair(b, "local_anchor_b")
            return ax, ay, 0.0, bx, by, 0.0
    return _frames(body_a, body_b, place, axis_name, axis_angle)


def _frames(body_a: Body, body_b: Body, place: Mapping[str, Any], axis_name: str, axis_angle: float) -> Frames:
    """As `frames`, for whatever is given."""
    get = place.get
    anchor, local_a, local_b = get("anchor"), get("local_anchor_a"), get("local_anchor_b")
    frame_a, frame_b = get("frame_a"), get("frame_b")
    by_points, by_frames = local_a is not None or local_b is not None, frame_a is not None or frame_b is not None
    if (anchor is not None) + by_points + by_frames != 1:
        told = ", ".join(f"{name}={short_repr(place[name])}" for name in _PLACE if get(name) is not None) or "none"
        raise ValueError(
            f"give exactly one of anchor, local_anchor_a with local_anchor_b, frame_a with frame_b; given: {told}"
        )
    axis = get(axis_name) if axis_name else None
    if axis is not None:
        if by_frames:
            raise ValueError(f"{axis_name}={short_repr(axis)}: with frames it is the direction of frame_a")
        x, y = finite_pair(axis, axis_name)
        if x == y == 0.0:
            raise ValueError(f"{axis_name}={short_repr(axis)} must not be zero")
        axis_angle = math.atan2(y, x)
    if anchor is not None:
        x, y = finite_pair(anchor, "anchor")
        return (*body_a._frame_at(x, y, axis_angle), *body_b._frame_at(x, y, axis_angle))
    first, second = _FRAMES if by_frames else _POINTS
    for name in (first, second):
        if get(name) is None:
            raise ValueError(f"{name}=None: {first} and {second} belong together")
    if by_frames:
        (ax, ay), angle_a = _as_frame(frame_a, "frame_a")
        (bx, by), angle_b = _as_frame(frame_b, "frame_b")
        return ax, ay, angle_a, bx, by, angle_b
    (ax, ay), (bx, by) = finite_pair(local_a, "local_anchor_a"), finite_pair(local_b, "local_anchor_b")
    if not axis_name:
        return ax, ay, 0.0, bx, by, 0.0
    angle_a, angle_b = (math.remainder(axis_angle - body.angle, math.tau) for body in (body_a, body_b))
    return ax, ay, angle_a, bx, by, angle_b


class Making:
    """What a `create_..._joint` method makes, and from what."""

    def __init__(
        self, made: type[Joint], declared: Callable[..., Any], axis: str = "", axis_angle: float = 0.0
    ) -> None:
        code = declared.__code__
        self.cls = made
        self.declared = declared
        self.defaults: dict[str, Any] = declared.__kwdefaults__ or {}
        self.options = {*code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]}
        self.required = self.options - self.defaults.keys()
        self.places = self.options & {*_PLACE, axis}  # those that say where it is; a joint without any has no frames
        self.axis = axis  # the one with a direction in world axes, if any
        self.axis_angle = axis_angle  # its default

        self.definition: OptionWriter | None = None

    def define(self) -> OptionWriter:
        """How the options are written: by the attributes of the same names, from their defaults."""
        fields = {}
        for name in self.options - self.places:
            attribute = getattr(self.cls, name, None)
            if isinstance(attribute, Property):
                codec = attribute.codec
                fields[name] = Field(_KINDS.get(codec), NUMBERS, _VALUES + 2 * attribute.number, codec.encode)
        template = ffi.new("b2d_joint_def *")
        lib.b2d_joint_def_init(template, self.cls._TYPE)
        buffer, _ = OptionWriter(JOINT_BUFFERS, template, fields).write(self.defaults)
        self.definition = OptionWriter(JOINT_BUFFERS, buffer.struct, fields)
        return self.definition
