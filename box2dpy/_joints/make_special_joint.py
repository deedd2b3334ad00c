"""How joints are made that an anchor alone does not place: the rest of the `create_..._joint` methods of `World`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .._bridge.arguments import finite_pair
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import HANDLE_POOL
from .._bridge.library import lib
from .._geometry.shapes import Frame
from .._objects.joint import JOINT_BUFFERS, Making
from .joint_types import PrismaticJoint, RevoluteJoint
from .make_joint import JointMakers, maker, must_live
from .special_joint import (
    FilterJoint,
    GearJoint,
    GrooveJoint,
    MoverJoint,
    PogoJoint,
    PulleyJoint,
    RatchetJoint,
    RotarySpringJoint,
    groove_of,
)

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body

_INFINITY = float("inf")
_NO_OPTIONS = {"self", "body_a", "body_b", "joint_a", "joint_b"}


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """Of all arguments of a method the keyword options."""
    return {name: value for name, value in given.items() if name not in _NO_OPTIONS}


class SpecialJointMakers(JointMakers):
    """The part of `World` that makes joints whose place is more, or less, than an anchor."""

    @maker(FilterJoint)
    def create_filter_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        data: Any = None,
    ) -> FilterJoint:
        """Keeps two bodies from touching each other, as long as it lives.

        Raises:
            ValueError: not finite, out of range, one body twice, or a body of another world.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        raise NotImplementedError

    @maker(PulleyJoint)
    def create_pulley_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        anchor: Vec2Like | None = None,
        local_anchor_a: Vec2Like | None = None,
        local_anchor_b: Vec2Like | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        ground_anchor_a: Vec2Like,
        ground_anchor_b: Vec2Like,
        ratio: float = 1.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> PulleyJoint:
        """A rope over two fixed wheels, as long as it is now; for the options see the properties of `PulleyJoint`.

        Raises:
            ValueError: not exactly one of anchor, local anchors and frames; not finite; out of range; one body twice; another
                world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        raise NotImplementedError

    def create_gear_joint(
        self,
        joint_a: RevoluteJoint | PrismaticJoint,
        joint_b: RevoluteJoint | PrismaticJoint,
        *,
        ratio: float = 1.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> GearJoint:
        """Couples two joints, each between a static and a dynamic body; for the options see the properties of `GearJoint`.

        Raises:
            ValueError: another type of joint, not between a static and a dynamic body, both of one body, another world's, not
                finite or out of range.
            TypeError: a wrong type.
            DestroyedError: a joint is gone.
        """
        options = _options(locals())
        for name, joint in (("joint_a", joint_a), ("joint_b", joint_b)):
            if not isinstance(joint, (RevoluteJoint, PrismaticJoint)):
                raise TypeError(f"{name}={short_repr(joint)} must be a RevoluteJoint or a PrismaticJoint")
            must_live(self, joint, name)
        if self._in_callback():
            return self._deferred_handle(GearJoint, lambda: self.create_gear_joint(joint_a, joint_b, **options))
        buffer, _ = (_GEAR.definition or _GEAR.define()).write(options)
        for k, joint in enumerate((joint_a, joint_b)):
            driven = buffer.struct.joint[k]
            driven.index, driven.generation = joint._index, joint._generation
        out = HANDLE_POOL.take()
        status = lib.b2d_joint_create(self._ptr, 0, 0, 0, 0, buffer.struct, out)
        if status:
            raise_error(status, self, joint_a=joint_a, joint_b=joint_b, **options)
        JOINT_BUFFERS.give_back(buffer)
        self._gears.add((out.generation, out.index))
        gear = self._new_handle(GearJoint, out.index, out.generation, self._destroyed_count)
        HANDLE_POOL.give_back(out)
        if data is not None:
            gear.data = data
        return gear

    def create_mover_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        linear_velocity: Vec2Like = (0.0, 0.0),
        max_velocity_force: Vec2Like = (0.0, 0.0),
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> MoverJoint:
        """Drives body B to a velocity against body A, acting at their centres of mass; for the options see `MoverJoint`.

        Raises:
            ValueError: not finite; out of range; one body twice; another world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        options = _options(locals())
        self._must_be_two(body_a, body_b)
        options |= {"local_anchor_a": body_a.local_center, "local_anchor_b": body_b.local_center}
        return self._create_joint(_MOVER, body_a, body_b, options)  # type: ignore[no-any-return]

    @maker(PogoJoint, "normal", 0.5 * math.pi)
    def create_pogo_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        anchor: Vec2Like | None = None,
        local_anchor_a: Vec2Like | None = None,
        local_anchor_b: Vec2Like | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        normal: Vec2Like | None = None,
        rest_length: float = 1.0,
        hertz: float = 5.0,
        damping_ratio: float = 0.7,
        max_tension_force: float = _INFINITY,
        max_compression_force: float = _INFINITY,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> PogoJoint:
        """A spring leg that pushes body B off body A along a normal; for the options see `PogoJoint`.

        Anchor A is where the leg stands, anchor B where it is fixed. `normal` is in world coordinates and (0, 1) by default;
        with frames it is the x axis of `frame_a`.

        Raises:
            ValueError: not exactly one of anchor, local anchors and frames; not finite; out of range; one body twice; another
                world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        raise NotImplementedError

    @maker(RatchetJoint)
    def create_ratchet_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        ratchet: float,
        phase: float = 0.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> RatchetJoint:
        """Lets body B turn one way against body A; for the options see the properties of `RatchetJoint`.

        Raises:
            ValueError: not finite; out of range; one body twice; another world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        raise NotImplementedError

    def create_groove_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        groove_start: Vec2Like,
        groove_end: Vec2Like,
        local_anchor_b: Vec2Like = (0.0, 0.0),
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> GrooveJoint:
        """A groove in body A that a pin of body B stays in.

        Args:
            body_a, body_b: the body with the groove, the body with the pin.
            groove_start, groove_end: ends of the groove in coordinates of body A, metres, 0.1 mm or more apart.
            local_anchor_b: the pin in coordinates of body B, metres.

        Raises:
            ValueError: not finite; out of range; one body twice; another world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        options = _options(locals())
        angle, options["groove_length"] = groove_of(options.pop("groove_start"), options.pop("groove_end"))
        pin = finite_pair(options.pop("local_anchor_b"), "local_anchor_b")
        options |= {"frame_a": Frame(groove_start, angle), "frame_b": Frame(pin, angle)}
        return self._create_joint(_GROOVE, body_a, body_b, options)  # type: ignore[no-any-return]

    @maker(RotarySpringJoint)
    def create_rotary_spring_joint(
        self,
        body_a: Body,
        body_b: Body,
        *,
        target_angle: float = 0.0,
        hertz: float = 1.0,
        damping_ratio: float = 0.0,
        max_spring_torque: float = _INFINITY,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        force_threshold: float = _INFINITY,
        torque_threshold: float = _INFINITY,
        data: Any = None,
    ) -> RotarySpringJoint:
        """A spring between the angles of two bodies; for the options see the properties of `RotarySpringJoint`.

        Raises:
            ValueError: not finite; out of range; one body twice; another world's body.
            TypeError: a wrong type.
            DestroyedError: a body is gone.
        """
        raise NotImplementedError


_GEAR = Making(GearJoint, SpecialJointMakers.create_gear_joint)
_MOVER = Making(MoverJoint, SpecialJointMakers.create_mover_joint)
_MOVER.places = {"local_anchor_a", "local_anchor_b"}
_GROOVE = Making(GrooveJoint, SpecialJointMakers.create_groove_joint)
_GROOVE.options |= {"groove_length"}
_GROOVE.places, _GROOVE.required = {"frame_a", "frame_b"}, set()
