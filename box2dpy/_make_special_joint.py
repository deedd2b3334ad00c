"""How joints are made that an anchor alone does not place: the rest of the `create_..._joint` methods of `World`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._core import ffi, lib
from ._errors import fail, shown
from ._geometry import Frame
from ._joint import JOINT_DEF, fill
from ._joint_types import PrismaticJoint, RevoluteJoint
from ._make_joint import JointMakers, fields_of, must_live
from ._special_joint import (
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
from ._values import finite_pair

if TYPE_CHECKING:
    from ._body import Body
    from ._vec2 import Vec2Like

_INFINITY = float("inf")


class SpecialJointMakers(JointMakers):
    """The part of `World` that makes joints whose place is more, or less, than an anchor."""

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
        fields = fields_of(locals())
        return self._create_joint(FilterJoint, body_a, body_b, None, fields, data)

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
        fields = fields_of(locals())
        place = (anchor, local_anchor_a, local_anchor_b, frame_a, frame_b)
        return self._create_joint(PulleyJoint, body_a, body_b, place, fields, data)

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
        fields = fields_of(locals())
        for name, joint in (("joint_a", joint_a), ("joint_b", joint_b)):
            if not isinstance(joint, (RevoluteJoint, PrismaticJoint)):
                raise TypeError(f"{name}={shown(joint)} must be a RevoluteJoint or a PrismaticJoint")
            must_live(self, joint, name)
        if self._inside():
            return self._to_come(GearJoint, lambda: self.create_gear_joint(joint_a, joint_b, data=data, **fields))
        d = ffi.new(JOINT_DEF)
        lib.b2d_joint_def_init(d, GearJoint._TYPE)
        fill(d, GearJoint, fields)
        for k, joint in enumerate((joint_a, joint_b)):
            d.joint[k].index, d.joint[k].generation = joint._index, joint._generation
        out = ffi.new("b2d_handle *")
        status = lib.b2d_joint_create(self._ptr, 0, 0, 0, 0, d, out)
        if status:
            fail(status, self, joint_a=joint_a, joint_b=joint_b, **fields)
        self._gears.add((out.generation, out.index))
        return self._made(GearJoint, out, data)

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
        fields = fields_of(locals())
        self._must_be_two(body_a, body_b)
        place = (None, body_a.local_center, body_b.local_center, None, None)
        return self._create_joint(MoverJoint, body_a, body_b, place, fields, data)

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
        fields = fields_of(locals())
        if normal is None and frame_a is None and frame_b is None:
            normal = (0.0, 1.0)
        place = (anchor, local_anchor_a, local_anchor_b, frame_a, frame_b, normal, "normal")
        return self._create_joint(PogoJoint, body_a, body_b, place, fields, data)

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
        fields = fields_of(locals())
        return self._create_joint(RatchetJoint, body_a, body_b, None, fields, data)

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
        fields = fields_of(locals())
        angle, fields["groove_length"] = groove_of(groove_start, groove_end)
        pin = finite_pair(local_anchor_b, "local_anchor_b")
        place = (None, None, None, Frame(groove_start, angle), Frame(pin, angle))
        return self._create_joint(GrooveJoint, body_a, body_b, place, fields, data)

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
        fields = fields_of(locals())
        return self._create_joint(RotarySpringJoint, body_a, body_b, None, fields, data)
