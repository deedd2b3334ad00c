"""How joints are made: the `create_..._joint` methods of `World`, one a type; `_make_special_joint.py` has the rest of them."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._bridge.errors import DestroyedError, raise_error, short_repr
from .._bridge.handles import DEAD, HANDLE_POOL
from .._bridge.library import ffi, lib
from .._geometry.shapes import Frame
from .._objects.body import Body
from .._objects.collections import WorldObjects
from .._objects.joint import JOINT_BUFFERS, Joint, Making, frames
from .joint_types import DistanceJoint, MotorJoint, PrismaticJoint, RevoluteJoint, WeldJoint, WheelJoint

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like

_INFINITY = float("inf")
_pack_frames, _FRAMES_AT = struct.Struct("6d").pack_into, ffi.offsetof("b2d_joint_def", "ax")

_create, _give = lib.b2d_joint_create, JOINT_BUFFERS.give_back

J = TypeVar("J", bound=Joint)
F = TypeVar("F", bound=Callable[..., Joint])


def maker(cls: type[Joint], axis: str = "", axis_angle: float = 0.0) -> Callable[[F], F]:
    """Makes a declaration into the method, as those of bodies are (see _make_body). `axis` is the option with a direction."""

    def decorate(declared: F) -> F:
        making = Making(cls, declared, axis, axis_angle)

        @functools.wraps(declared)
        def create(self: JointMakers, body_a: Body, body_b: Body, **options: Any) -> Joint:
            return self._create_joint(making, body_a, body_b, options)  # type: ignore[no-any-return]

        return cast("F", create)

    return decorate


def must_live(world: object, thing: Body | Joint, name: str) -> None:
    """Refuses what belongs to another world or is gone; what is made in the same callback counts as there."""
    if thing._world is not world:
        raise ValueError(f"{name}={short_repr(thing)} belongs to another world")
    if not thing.alive and not (thing._generation == 0 and thing._world._in_callback()):
        thing._world._ptr  # noqa: B018  raises when closed
        raise DestroyedError(f"{name}={thing!r} has been destroyed")


class JointMakers(WorldObjects):
    """The part of `World` that makes joints that an anchor places.

    Where a joint is, is said in exactly one of three ways: `anchor`, a world point (the joint's angle is then 0 now);
    `local_anchor_a` and `local_anchor_b` in body coordinates (its angle is then the difference of the bodies' angles);
    `frame_a` and `frame_b`, points with directions. Prismatic and wheel joints take an `axis` in world coordinates with the
    first two, (1, 0) by default, and with frames the x axis of `frame_a`.
    """

    @maker(RevoluteJoint)
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
        raise NotImplementedError

    @maker(DistanceJoint)
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
        raise NotImplementedError

    @maker(PrismaticJoint, "axis")
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
        raise NotImplementedError

    @maker(WheelJoint, "axis")
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
        raise NotImplementedError

    @maker(WeldJoint)
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
        raise NotImplementedError

    @maker(MotorJoint)
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
        raise NotImplementedError

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
        options: dict[str, Any] = {
            "local_anchor_a": local_anchor_a,
            "local_anchor_b": local_anchor_b,
            "collide_connected": collide_connected,
            "joint_hertz": joint_hertz,
            "joint_damping_ratio": joint_damping_ratio,
            "force_threshold": force_threshold,
            "torque_threshold": torque_threshold,
            "data": data,
        }
        if max_length is None and self._in_callback():
            return self._deferred_handle(DistanceJoint, lambda: self.create_rope_joint(body_a, body_b, **options))
        longest = _INFINITY if max_length is None else max_length
        rope = self.create_distance_joint(
            body_a, body_b, enable_spring=True, enable_limit=True, max_length=longest, **options
        )
        if max_length is None:
            rope.max_length = rope.length
        return rope

    def _must_be_two(self, body_a: Body, body_b: Body) -> None:
        for name, body in (("body_a", body_a), ("body_b", body_b)):
            if not isinstance(body, Body):
                raise TypeError(f"{name}={short_repr(body)} must be a Body")
            must_live(self, body, name)
        if body_a == body_b:
            raise ValueError(f"body_b={short_repr(body_b)} is body_a too: a joint needs two bodies")

    def _create_joint(self, making: Making, body_a: Body, body_b: Body, options: dict[str, Any]) -> Any:
        if not (type(body_a) is type(body_b) is Body and body_a._world is body_b._world is self) or (
            body_a._row == DEAD or body_b._row == DEAD
        ):
            self._must_be_two(body_a, body_b)
        if not (body_a._generation and body_b._generation):  # made in this callback, too
            return self._joint_to_come(making, body_a, body_b, options)
        buffer, others = (making.definition or making.define()).write(options)
        definition, memory, _ = buffer
        data = others.pop("data", None) if "data" in others else None
        for name in others:
            if name not in making.places:
                making.declared(self, body_a, body_b, **options)  # raises
        if making.required and not making.required <= options.keys():
            making.declared(self, body_a, body_b, **options)
        place = frames(body_a, body_b, others, making.axis, making.axis_angle) if making.places else (0.0,) * 6
        _pack_frames(memory, _FRAMES_AT, *place)
        out = HANDLE_POOL.take()
        status = _create(
            self._ptr, body_a._index, body_a._generation, body_b._index, body_b._generation, definition, out
        )
        if status:
            self._must_be_two(body_a, body_b)
            if status & 0xFF == lib.B2D_LOCKED and self._in_callback():
                return self._joint_to_come(making, body_a, body_b, options)
            given = {**making.defaults, **options}
            if making.places:
                given |= {"frame_a": Frame(place[:2], place[2]), "frame_b": Frame(place[3:5], place[5])}
            raise_error(status, self, body_a=body_a, body_b=body_b, **given)
        _give(buffer)
        joint = self._new_handle(making.cls, out.index, out.generation, self._destroyed_count)
        HANDLE_POOL.give_back(out)
        if data is not None:
            joint.data = data
        return joint

    def _joint_to_come(self, making: Making, body_a: Body, body_b: Body, options: dict[str, Any]) -> Joint:
        return self._deferred_handle(making.cls, lambda: self._create_joint(making, body_a, body_b, options))
