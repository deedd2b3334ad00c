"""How joints are made: the `create_..._joint` methods of `World`, one a type; `_make_special_joint.py` has the rest of them."""

from __future__ import annotations

import re
import weakref
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from ._body import Body
from ._core import ffi, lib
from ._errors import DestroyedError, fail, shown
from ._joint import JOINT_DEF, Joint, fill, frames
from ._joint_types import DistanceJoint, MotorJoint, PrismaticJoint, RevoluteJoint, WeldJoint, WheelJoint
from ._objects import Contents

if TYPE_CHECKING:
    from ._geometry import Frame
    from ._vec2 import Vec2Like

_INFINITY = float("inf")
_SOFTNESS = ("collide_connected", "joint_hertz", "joint_damping_ratio", "force_threshold", "torque_threshold")
_PLACE = {"anchor", "local_anchor_a", "local_anchor_b", "frame_a", "frame_b"} | {"axis", "normal", "groove_start", "groove_end"}
_NOT_FIELDS = _PLACE | {"self", "body_a", "body_b", "joint_a", "joint_b", "data"}

J = TypeVar("J", bound=Joint)


def fields_of(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a maker that are values of the joint."""
    return {name: value for name, value in given.items() if name not in _NOT_FIELDS}


def _axis(axis: Vec2Like | None, frame_a: Frame | None, frame_b: Frame | None) -> Vec2Like | None:
    return (1.0, 0.0) if axis is None and frame_a is None and frame_b is None else axis


def must_live(world: object, thing: Body | Joint, name: str) -> None:
    """Refuses what belongs to another world or is gone; what is made in the same callback counts as there."""
    if thing._world is not world:
        raise ValueError(f"{name}={shown(thing)} belongs to another world")
    if not thing.alive and not (thing._generation == 0 and thing._world._inside()):
        thing._world._ptr  # noqa: B018  raises when closed
        raise DestroyedError(f"{name}={thing!r} has been destroyed")


@cache
def _defaults(world: type, cls: type[Joint]) -> tuple[Any, dict[str, Any]]:
    maker = getattr(world, "create" + re.sub("(?=[A-Z])", "_", cls.__name__).lower())
    values = fields_of(maker.__kwdefaults__)
    d = ffi.new(JOINT_DEF)
    lib.b2d_joint_def_init(d, cls._TYPE)
    fill(d, cls, values)
    return d, values


def _start(world: type, cls: type[Joint], fields: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A definition with what `fields` have in common with the maker's defaults, and the others."""
    template, values = _defaults(world, cls)  # type: ignore[arg-type]
    d = ffi.new(JOINT_DEF)
    if fields.keys() == values.keys():
        d[0] = template[0]
        return d, {name: value for name, value in fields.items() if value is not values[name]}
    lib.b2d_joint_def_init(d, cls._TYPE)
    return d, fields


class JointMakers(Contents):
    """The part of `World` that makes joints that an anchor places.

    Where a joint is, is said in exactly one of three ways: `anchor`, a world point (the joint's angle is then 0 now);
    `local_anchor_a` and `local_anchor_b` in body coordinates (its angle is then the difference of the bodies' angles);
    `frame_a` and `frame_b`, points with directions. Prismatic and wheel joints take an `axis` in world coordinates with the
    first two, (1, 0) by default, and with frames the x axis of `frame_a`.
    """

    def create_revolute_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        anchor: Vec2Like | None = None,
        local_anchor_a: Vec2Like | None = None,
        local_anchor_b: Vec2Like | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        enable_spring: bool = False,
        hertz: float = 0.0,
        damping_ratio: float = 0.0,
        target_angle: float = 0.0,
        enable_limit: bool = False,
        lower_angle: float = 0.0,
        upper_angle: float = 0.0,
        enable_motor: bool = False,
        motor_speed: float = 0.0,
        max_motor_torque: float = 0.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> RevoluteJoint:
        """A hinge between two bodies; for the options see the properties of `RevoluteJoint`.

        Where it is, is said in exactly one of three ways: `anchor`, a world point (the joint's angle is then 0 now);
        `local_anchor_a` and `local_anchor_b` in body coordinates (its angle is then the difference of the bodies'
        angles); `frame_a` and `frame_b`, points with directions.

        Raises:
            ValueError: not exactly one of anchor, local anchors and frames; not finite; out of range; one body twice; another
                world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        fields = fields_of(locals())
        place = (anchor, local_anchor_a, local_anchor_b, frame_a, frame_b)
        return self._create_joint(RevoluteJoint, body_a, body_b, place, fields, data)

    def create_distance_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        anchor: Vec2Like | None = None,
        local_anchor_a: Vec2Like | None = None,
        local_anchor_b: Vec2Like | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        length: float | None = None,
        enable_spring: bool = False,
        hertz: float = 0.0,
        damping_ratio: float = 0.0,
        lower_spring_force: float = -_INFINITY,
        upper_spring_force: float = _INFINITY,
        enable_limit: bool = False,
        min_length: float = 0.0,
        max_length: float = _INFINITY,
        enable_motor: bool = False,
        motor_speed: float = 0.0,
        max_motor_force: float = 0.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> DistanceJoint:
        """A rod, spring or rope between two anchors; for the options see the properties of `DistanceJoint`.

        Mostly made with `local_anchor_a` and `local_anchor_b`: with `anchor` both ends are at one point. `length=None`
        takes the present distance of the anchors.

        Raises:
            ValueError: not exactly one of anchor, local anchors and frames; not finite; out of range; one body twice; another
                world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        fields = fields_of(locals())
        place = (anchor, local_anchor_a, local_anchor_b, frame_a, frame_b)
        return self._create_joint(DistanceJoint, body_a, body_b, place, fields, data)

    def create_prismatic_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        anchor: Vec2Like | None = None,
        local_anchor_a: Vec2Like | None = None,
        local_anchor_b: Vec2Like | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        axis: Vec2Like | None = None,
        enable_spring: bool = False,
        hertz: float = 0.0,
        damping_ratio: float = 0.0,
        target_translation: float = 0.0,
        enable_limit: bool = False,
        lower_translation: float = 0.0,
        upper_translation: float = 0.0,
        enable_motor: bool = False,
        motor_speed: float = 0.0,
        max_motor_force: float = 0.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> PrismaticJoint:
        """A slider along `axis`; for the options see the properties of `PrismaticJoint`.

        The axis is in world coordinates and (1, 0) by default; with frames it is the x axis of `frame_a`.

        Raises:
            ValueError: not exactly one of anchor, local anchors and frames; not finite; out of range; one body twice; another
                world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        fields = fields_of(locals())
        place = (anchor, local_anchor_a, local_anchor_b, frame_a, frame_b, _axis(axis, frame_a, frame_b))
        return self._create_joint(PrismaticJoint, body_a, body_b, place, fields, data)

    def create_wheel_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        anchor: Vec2Like | None = None,
        local_anchor_a: Vec2Like | None = None,
        local_anchor_b: Vec2Like | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        axis: Vec2Like | None = None,
        enable_spring: bool = True,
        hertz: float = 1.0,
        damping_ratio: float = 0.7,
        enable_limit: bool = False,
        lower_translation: float = 0.0,
        upper_translation: float = 0.0,
        enable_motor: bool = False,
        motor_speed: float = 0.0,
        max_motor_torque: float = 0.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> WheelJoint:
        """A wheel, body B, on a suspension along `axis` of body A; for the options see the properties of `WheelJoint`.

        The axis is in world coordinates and (1, 0) by default; with frames it is the x axis of `frame_a`.

        Raises:
            ValueError: not exactly one of anchor, local anchors and frames; not finite; out of range; one body twice; another
                world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        fields = fields_of(locals())
        place = (anchor, local_anchor_a, local_anchor_b, frame_a, frame_b, _axis(axis, frame_a, frame_b))
        return self._create_joint(WheelJoint, body_a, body_b, place, fields, data)

    def create_weld_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        anchor: Vec2Like | None = None,
        local_anchor_a: Vec2Like | None = None,
        local_anchor_b: Vec2Like | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        linear_hertz: float = 0.0,
        linear_damping_ratio: float = 1.0,
        angular_hertz: float = 0.0,
        angular_damping_ratio: float = 1.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> WeldJoint:
        """Glue between two bodies; for the options see the properties of `WeldJoint`.

        With `anchor` the bodies keep the angle between them that they have now; with local anchors they seek equal angles.

        Raises:
            ValueError: not exactly one of anchor, local anchors and frames; not finite; out of range; one body twice; another
                world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        fields = fields_of(locals())
        place = (anchor, local_anchor_a, local_anchor_b, frame_a, frame_b)
        return self._create_joint(WeldJoint, body_a, body_b, place, fields, data)

    def create_motor_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        anchor: Vec2Like | None = None,
        local_anchor_a: Vec2Like | None = None,
        local_anchor_b: Vec2Like | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        linear_velocity: Vec2Like = (0.0, 0.0),
        angular_velocity: float = 0.0,
        max_velocity_force: float = 0.0,
        max_velocity_torque: float = 0.0,
        linear_hertz: float = 0.0,
        linear_damping_ratio: float = 1.0,
        max_spring_force: float = 0.0,
        angular_hertz: float = 0.0,
        angular_damping_ratio: float = 1.0,
        max_spring_torque: float = 0.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> MotorJoint:
        """Drives body B to a velocity or pose against body A; for the options see the properties of `MotorJoint`.

        Raises:
            ValueError: not exactly one of anchor, local anchors and frames; not finite; out of range; one body twice; another
                world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        fields = fields_of(locals())
        place = (anchor, local_anchor_a, local_anchor_b, frame_a, frame_b)
        return self._create_joint(MotorJoint, body_a, body_b, place, fields, data)

    def create_rope_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        local_anchor_a: Vec2Like = (0.0, 0.0),
        local_anchor_b: Vec2Like = (0.0, 0.0),
        max_length: float | None = None,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> DistanceJoint:
        """A rope: a distance joint that only keeps the anchors from being farther apart than `max_length`, metres.

        None takes their present distance.

        Raises:
            ValueError: not finite, out of range, one body twice, or a body of another world.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        fields = fields_of(locals())
        fields |= {"enable_spring": True, "enable_limit": True, "max_length": _INFINITY if max_length is None else max_length}
        place = (None, local_anchor_a, local_anchor_b, None, None)
        if max_length is None and self._inside():
            options = {name: fields[name] for name in _SOFTNESS}
            anchors = {"local_anchor_a": local_anchor_a, "local_anchor_b": local_anchor_b}
            return self._to_come(
                DistanceJoint,
                lambda: self.create_rope_joint(body_a, body_b, **anchors, **options, data=data),  # type: ignore[arg-type]
            )
        rope = self._create_joint(DistanceJoint, body_a, body_b, place, fields, data)
        if max_length is None:
            rope.max_length = rope.length
        return rope

    def _must_be_two(self, body_a: Body, body_b: Body) -> None:
        for name, body in (("body_a", body_a), ("body_b", body_b)):
            if not isinstance(body, Body):
                raise TypeError(f"{name}={shown(body)} must be a Body")
            must_live(self, body, name)
        if body_a == body_b:
            raise ValueError(f"body_b={shown(body_b)} is body_a too: a joint needs two bodies")

    def _create_joint(
        self, cls: type[J], body_a: Body, body_b: Body, place: tuple[Any, ...] | None, fields: dict[str, Any], data: Any
    ) -> J:
        self._must_be_two(body_a, body_b)
        if not (body_a._generation and body_b._generation):  # made in this callback, too
            return self._to_come(cls, lambda: self._create_joint(cls, body_a, body_b, place, fields, data))
        d, changed = _start(type(self), cls, fields)
        given = dict(fields)
        if place is not None:
            frame_a, frame_b = frames(body_a, body_b, *place)
            (d.ax, d.ay), d.angle_a = frame_a
            (d.bx, d.by), d.angle_b = frame_b
            given |= {"frame_a": frame_a, "frame_b": frame_b}
        fill(d, cls, changed)
        out = ffi.new("b2d_handle *")
        a, b = (body_a._index, body_a._generation), (body_b._index, body_b._generation)
        status = lib.b2d_joint_create(self._ptr, *a, *b, d, out)
        if status:
            if status & 0xFF == lib.B2D_LOCKED and self._inside():
                return self._to_come(cls, lambda: self._create_joint(cls, body_a, body_b, place, fields, data))
            fail(status, self, body_a=body_a, body_b=body_b, **given)
        return self._made(cls, out, data)

    def _made(self, cls: type[J], out: Any, data: Any) -> J:
        joint = cls(self, out.index, out.generation)  # type: ignore[arg-type]
        self._handles[out.generation] = weakref.ref(joint)
        if data is not None:
            joint.data = data
        return joint
