"""The joints of the bindings: a definition for each type, and the joint that it becomes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from .. import Frame, Vec2
from ..arguments import finite_pair, flag, number, pair, short_repr
from ._bodies import b2Body
from ._joint import (
    AngledDef,
    AxisDef,
    LimitedJoint,
    MotorJoint,
    OneAnchorDef,
    TwoAnchorsDef,
    Vector,
    b2Joint,
    b2JointDef,
    body_of,
)
from ._passed import Passed, after_step
from ._vectors import b2Vec2, vector

if TYPE_CHECKING:
    from ..arguments import Vec2Like
    from ._world import b2World


# -- revolute


class b2RevoluteJointDef(AngledDef):
    """A hinge."""

    type = 1
    enableLimit: bool = False
    lowerAngle: float = 0.0
    upperAngle: float = 0.0
    enableMotor: bool = False
    motorSpeed: float = 0.0
    maxMotorTorque: float = 0.0

    def _create(self, world: b2World) -> b2Joint:
        lower, upper = number(self.lowerAngle, "lowerAngle"), number(self.upperAngle, "upperAngle")
        limited = flag(self.enableLimit, "enableLimit")
        joint = world.box2dpy.create_revolute_joint(
            *self._ends(), enable_limit=limited, lower_angle=lower, upper_angle=upper, enable_motor=self.enableMotor,
            motor_speed=self.motorSpeed, max_motor_torque=self.maxMotorTorque,
            **self._frames(math.remainder(self.referenceAngle, math.tau)),
        )  # fmt: skip
        made = world._new_joint(b2RevoluteJoint, joint, self)
        made._reference = number(self.referenceAngle, "referenceAngle")
        # The limits count the turns that the bodies have made already
        angle = made.bodyB.angle - made.bodyA.angle - made._reference
        joint.local_angle_b = turned = joint.local_angle_b  # without the turns that creation left out
        joint.local_angle_b = turned + math.tau * round((angle - joint.angle) / math.tau)
        return made


class b2RevoluteJoint(LimitedJoint):
    """A hinge."""

    type = 1
    rigid = True
    _LIMITS = ("lower_angle", "upper_angle")
    _reference: float
    maxMotorTorque: Passed[float] = Passed("max_motor_torque", "Greatest torque of the motor, N m.")
    speed: Passed[float] = Passed("speed", "The rate of the angle, rad/s.")

    @property
    def angle(self) -> float:
        """The angle of body B against body A, whole turns included, less the reference angle; radians."""
        joint = self.box2dpy
        if joint.enable_limit:
            return float(joint.angle)
        return self.bodyB.angle - self.bodyA.angle - self._reference

    def GetReferenceAngle(self) -> float:
        """The angle between the bodies that counts as 0."""
        return self._reference

    def GetMotorTorque(self, inv_dt: float) -> float:
        """The torque of the motor in the last step, N m; `inv_dt` is 1 / timeStep."""
        return float(self.box2dpy.motor_torque) * self._per_step(inv_dt)

    def GetMaxMotorTorque(self) -> float:
        """Greatest torque of the motor, N m."""
        return self.maxMotorTorque


# -- prismatic


class b2PrismaticJointDef(AngledDef, AxisDef):
    """A slider along an axis of body A."""

    type = 2
    _PLACES: ClassVar[tuple[str, ...]] = ("anchor", "axis")
    enableLimit: bool = False
    lowerTranslation: float = 0.0
    upperTranslation: float = 0.0
    enableMotor: bool = False
    motorSpeed: float = 0.0
    maxMotorForce: float = 0.0

    def Initialize(  # type: ignore[override]
        self, bodyA: b2Body, bodyB: b2Body, anchor: Vec2Like | b2Vec2, axis: Vec2Like | b2Vec2
    ) -> None:
        """Takes the bodies in their present poses, with the anchors at a point of the world and along an axis of it."""
        super().Initialize(bodyA, bodyB, anchor)
        self.axis = axis

    def _create(self, world: b2World) -> b2Joint:
        angle = self._axis_angle()
        joint = world.box2dpy.create_prismatic_joint(
            *self._ends(), enable_limit=self.enableLimit, lower_translation=self.lowerTranslation,
            upper_translation=self.upperTranslation, enable_motor=self.enableMotor, motor_speed=self.motorSpeed,
            max_motor_force=self.maxMotorForce, **self._frames(angle, angle - self.referenceAngle),
        )  # fmt: skip
        return world._new_joint(b2PrismaticJoint, joint, self)


def _axis_of(joint: b2Joint) -> b2Vec2:
    angle = joint.box2dpy.local_angle_a
    return vector(math.cos(angle), math.sin(angle))


class b2PrismaticJoint(LimitedJoint):
    """A slider along an axis of body A."""

    type = 2
    _LIMITS = ("lower_translation", "upper_translation")
    maxMotorForce: Passed[float] = Passed("max_motor_force", "Greatest force of the motor, N.")
    speed: Passed[float] = Passed("speed", "The rate of the translation, m/s.")
    translation: Passed[float] = Passed("translation", "Where anchor B is along the axis, metres.")

    def GetMotorForce(self, inv_dt: float) -> float:
        """The force of the motor in the last step, N; `inv_dt` is 1 / timeStep."""
        return float(self.box2dpy.motor_force) * self._per_step(inv_dt)

    GetLocalAxisA = _axis_of


# -- distance


class b2DistanceJointDef(TwoAnchorsDef):
    """A rod, or with a frequency a spring, between two anchors."""

    type = 3
    length: float = 1.0
    frequencyHz: float = 0.0
    dampingRatio: float = 0.0

    def _complete(self, options: dict[str, Any]) -> None:
        if "length" not in options and not {"anchorA", "anchorB", "localAnchorA", "localAnchorB"}.isdisjoint(options):
            self.length = (self.anchorB - self.anchorA).length

    def Initialize(self, bodyA: b2Body, bodyB: b2Body, anchorA: Vec2Like | b2Vec2, anchorB: Vec2Like | b2Vec2) -> None:
        """Takes the bodies in their present poses, with anchors at two points of the world."""
        self.bodyA, self.bodyB, self.anchorA, self.anchorB = bodyA, bodyB, anchorA, anchorB
        self.length = (self.anchorB - self.anchorA).length

    def _create(self, world: b2World) -> b2Joint:
        joint = world.box2dpy.create_distance_joint(
            *self._ends(), length=self.length, enable_spring=number(self.frequencyHz, "frequencyHz") > 0.0,
            hertz=self.frequencyHz, damping_ratio=self.dampingRatio, **self._frames(),
        )  # fmt: skip
        return world._new_joint(b2DistanceJoint, joint, self)


class b2DistanceJoint(b2Joint):
    """A rod, or with a frequency a spring, between two anchors."""

    type = 3
    length: Passed[float] = Passed("length", "The wanted distance of the anchors, metres.")
    dampingRatio: Passed[float] = Passed("damping_ratio", "The damping of the spring; 1 is critical.")

    @property
    def frequency(self) -> float:
        """The stiffness of the spring, Hz; 0 is rigid."""
        return float(self.box2dpy.hertz)

    @frequency.setter
    @after_step
    def frequency(self, value: float) -> None:
        self.box2dpy.hertz = value
        self.box2dpy.enable_spring = value > 0.0


# -- wheel


class b2WheelJointDef(OneAnchorDef, AxisDef):
    """A wheel, body B, on a suspension along an axis of body A."""

    type = 7
    _PLACES: ClassVar[tuple[str, ...]] = ("anchor", "axis")
    enableMotor: bool = False
    motorSpeed: float = 0.0
    maxMotorTorque: float = 0.0
    frequencyHz: float = 2.0
    dampingRatio: float = 0.7

    def Initialize(self, bodyA: b2Body, bodyB: b2Body, anchor: Vec2Like | b2Vec2, axis: Vec2Like | b2Vec2) -> None:
        """Takes the bodies in their present poses, with the anchors at a point of the world and along an axis of it."""
        self.bodyA, self.bodyB, self.anchor = bodyA, bodyB, anchor
        self.axis = axis

    def _create(self, world: b2World) -> b2Joint:
        joint = world.box2dpy.create_wheel_joint(
            *self._ends(), enable_spring=number(self.frequencyHz, "frequencyHz") > 0.0, hertz=self.frequencyHz,
            damping_ratio=self.dampingRatio, enable_motor=self.enableMotor, motor_speed=self.motorSpeed,
            max_motor_torque=self.maxMotorTorque, **self._frames(self._axis_angle()),
        )  # fmt: skip
        return world._new_joint(b2WheelJoint, joint, self)


class b2WheelJoint(MotorJoint):
    """A wheel, body B, on a suspension along an axis of body A."""

    type = 7
    maxMotorTorque: Passed[float] = Passed("max_motor_torque", "Greatest torque of the motor, N m.")
    springDampingRatio: Passed[float] = Passed("damping_ratio", "The damping of the suspension; 1 is critical.")
    speed: Passed[float] = Passed("speed", "The rate of the angle, rad/s.")
    translation: Passed[float] = Passed("translation", "Where anchor B is along the axis, metres.")
    GetLocalAxisA = _axis_of

    @property
    def springFrequencyHz(self) -> float:
        """The stiffness of the suspension, Hz; 0 is a free slide."""
        return float(self.box2dpy.hertz)

    @springFrequencyHz.setter
    @after_step
    def springFrequencyHz(self, value: float) -> None:
        self.box2dpy.hertz = value
        self.box2dpy.enable_spring = value > 0.0

    def GetMotorTorque(self, inv_dt: float) -> float:
        """The torque of the motor in the last step, N m; `inv_dt` is 1 / timeStep."""
        return float(self.box2dpy.motor_torque) * self._per_step(inv_dt)


# -- weld


class b2WeldJointDef(AngledDef):
    """Holds two bodies together; a frequency makes the angle soft."""

    type = 8
    frequencyHz: float = 0.0
    dampingRatio: float = 0.0

    def _create(self, world: b2World) -> b2Joint:
        joint = world.box2dpy.create_weld_joint(
            *self._ends(),
            angular_hertz=self.frequencyHz,
            angular_damping_ratio=self.dampingRatio,
            **self._frames(math.remainder(self.referenceAngle, math.tau)),
        )
        return world._new_joint(b2WeldJoint, joint, self)


class b2WeldJoint(b2Joint):
    """Holds two bodies together."""

    type = 8
    rigid = True

    def GetReferenceAngle(self) -> float:
        """The angle between the bodies."""
        return float(self.box2dpy.local_angle_a)

    def GetFrequency(self) -> float:
        """The stiffness of the angle, Hz; 0 is rigid."""
        return float(self.box2dpy.angular_hertz)

    @after_step
    def SetFrequency(self, hz: float) -> None:
        """Assigns the stiffness of the angle, Hz."""
        self.box2dpy.angular_hertz = hz

    def GetDampingRatio(self) -> float:
        """The damping of the angle; 1 is critical."""
        return float(self.box2dpy.angular_damping_ratio)

    @after_step
    def SetDampingRatio(self, ratio: float) -> None:
        """Assigns the damping of the angle."""
        self.box2dpy.angular_damping_ratio = ratio


# -- rope


class b2RopeJointDef(TwoAnchorsDef):
    """A rope: a longest distance of two anchors."""

    type = 10
    localAnchorA = Vector(-1.0, 0.0)
    localAnchorB = Vector(1.0, 0.0)
    maxLength: float = 0.0

    def _create(self, world: b2World) -> b2Joint:
        joint = world.box2dpy.create_distance_joint(
            *self._ends(), enable_spring=True, enable_limit=True, max_length=self.maxLength, **self._frames()
        )
        return world._new_joint(b2RopeJoint, joint, self)


class b2RopeJoint(b2Joint):
    """A rope: a longest distance of two anchors."""

    type = 10
    maxLength: Passed[float] = Passed("max_length", "The longest distance of the anchors, metres.")

    @after_step
    def SetMaxLength(self, length: float) -> None:
        """Assigns the longest distance, metres."""
        self.box2dpy.max_length = length

    @property
    def limitState(self) -> int:
        """2 where the rope is taut, otherwise 0."""
        return 2 if self.box2dpy.current_length >= self.box2dpy.max_length else 0


# -- mouse


class b2MouseJointDef(b2JointDef):
    """Pulls a point of body B to a target with a spring of bounded force."""

    type = 5
    target = Vector()
    maxForce: float = 0.0
    frequencyHz: float = 5.0
    dampingRatio: float = 0.7

    def _create(self, world: b2World) -> b2Joint:
        ground, body = self._ends()
        place = finite_pair(self.target, "target")
        joint = world.box2dpy.create_motor_joint(
            ground, body, frame_a=Frame(ground.local_point(place)), frame_b=Frame(body.local_point(place)),
            linear_hertz=self.frequencyHz, linear_damping_ratio=self.dampingRatio, max_spring_force=self.maxForce,
            collide_connected=flag(self.collideConnected, "collideConnected"),
        )  # fmt: skip
        return world._new_joint(b2MouseJoint, joint, self)


class b2MouseJoint(b2Joint):
    """Pulls a point of body B to a target with a spring of bounded force."""

    type = 5
    maxForce: Passed[float] = Passed("max_spring_force", "The most that it pulls, N.")
    frequency: Passed[float] = Passed("linear_hertz", "The stiffness of the spring, Hz.")
    dampingRatio: Passed[float] = Passed("linear_damping_ratio", "The damping of the spring; 1 is critical.")

    @property
    def target(self) -> b2Vec2:
        """Where it pulls to, world coordinates; assigning wakes the body."""
        return self.anchorA

    @target.setter
    @after_step
    def target(self, value: Vec2Like | b2Vec2) -> None:
        self.box2dpy.local_anchor_a = self.bodyA.box2dpy.local_point(value)  # type: ignore[arg-type]


# -- pulley


class b2PulleyJointDef(TwoAnchorsDef):
    """A rope over two wheels that are fixed in the world."""

    type = 4
    _PLACES: ClassVar[tuple[str, ...]] = ("anchorA", "anchorB")
    collideConnected: bool = True
    localAnchorA = Vector(-1.0, 0.0)
    localAnchorB = Vector(1.0, 0.0)
    groundAnchorA = Vector(-1.0, 1.0)
    groundAnchorB = Vector(1.0, 1.0)
    lengthA: float = 0.0
    lengthB: float = 0.0
    ratio: float = 1.0

    def _measure(self) -> tuple[float, float]:
        return (self.anchorA - self.groundAnchorA).length, (self.anchorB - self.groundAnchorB).length

    def _complete(self, options: dict[str, Any]) -> None:
        a, b = self._measure()
        self.lengthA, self.lengthB = options.get("lengthA") or a, options.get("lengthB") or b

    def Initialize(
        self,
        bodyA: b2Body,
        bodyB: b2Body,
        groundAnchorA: Vec2Like | b2Vec2,
        groundAnchorB: Vec2Like | b2Vec2,
        anchorA: Vec2Like | b2Vec2,
        anchorB: Vec2Like | b2Vec2,
        ratio: float,
    ) -> None:
        """Takes the bodies in their present poses, with the wheels and the anchors at points of the world."""
        self.bodyA, self.bodyB, self.ratio = bodyA, bodyB, ratio
        self.groundAnchorA, self.groundAnchorB = groundAnchorA, groundAnchorB
        self.anchorA, self.anchorB = anchorA, anchorB
        self.lengthA, self.lengthB = self._measure()

    def _create(self, world: b2World) -> b2Joint:
        a, b = self._measure()
        now, wanted = a + self.ratio * b, self.lengthA + self.ratio * self.lengthB
        if wanted and abs(now - wanted) > 1e-3 * max(1.0, now):
            raise ValueError(
                f"lengthA + ratio * lengthB = {wanted:g} of a b2PulleyJointDef must be the present sum, {now:g}: place "
                "the bodies where the rope is taut"
            )
        joint = world.box2dpy.create_pulley_joint(
            *self._ends(),
            ground_anchor_a=self.groundAnchorA,
            ground_anchor_b=self.groundAnchorB,
            ratio=self.ratio,
            **self._frames(),
        )
        made = world._new_joint(b2PulleyJoint, joint, self)
        made.lengthA, made.lengthB = a, b
        return made


class b2PulleyJoint(b2Joint):
    """A rope over two wheels that are fixed in the world."""

    type = 4
    lengthA: float
    """The length on side A when it was created, metres."""
    lengthB: float
    """The length on side B when it was created, metres."""
    ratio: Passed[float] = Passed("ratio", "Factor of the length on side B.")

    @property
    def groundAnchorA(self) -> b2Vec2:
        """The wheel of body A."""
        return vector(*self.box2dpy.ground_anchor_a)

    @property
    def groundAnchorB(self) -> b2Vec2:
        """The wheel of body B."""
        return vector(*self.box2dpy.ground_anchor_b)

    def GetCurrentLengthA(self) -> float:
        """The length on side A now, metres."""
        return float(self.box2dpy.length_a)

    def GetCurrentLengthB(self) -> float:
        """The length on side B now, metres."""
        return float(self.box2dpy.length_b)

    length1 = property(GetCurrentLengthA)
    length2 = property(GetCurrentLengthB)


# -- gear


class b2GearJointDef(b2JointDef):
    """Couples two revolute or prismatic joints; its bodies are those of the joints."""

    type = 6
    joint1: b2Joint | None = None
    joint2: b2Joint | None = None
    ratio: float = 1.0

    def _create(self, world: b2World) -> b2Joint:
        for name, coupled in (("joint1", self.joint1), ("joint2", self.joint2)):
            if not isinstance(coupled, (b2RevoluteJoint, b2PrismaticJoint)):
                raise ValueError(f"{name}={short_repr(coupled)} must be a b2RevoluteJoint or a b2PrismaticJoint")
        assert self.joint1 is not None
        assert self.joint2 is not None
        joint = world.box2dpy.create_gear_joint(self.joint1.box2dpy, self.joint2.box2dpy, ratio=self.ratio)
        self.bodyA, self.bodyB = self.joint1.bodyB, self.joint2.bodyB
        made = world._new_joint(b2GearJoint, joint, self)
        made._coupled = self.joint1, self.joint2
        return made


class b2GearJoint(b2Joint):
    """Couples two revolute or prismatic joints."""

    type = 6
    ratio: Passed[float] = Passed("ratio", "Gear ratio, the factor of the coordinate of the second joint.")
    _coupled: tuple[b2Joint, b2Joint]

    def GetJoint1(self) -> b2Joint:
        """The first joint."""
        return self._coupled[0]

    def GetJoint2(self) -> b2Joint:
        """The second joint."""
        return self._coupled[1]

    @property
    def anchorA(self) -> b2Vec2:
        """Where the first joint holds its body B."""
        return self._coupled[0].anchorB

    @property
    def anchorB(self) -> b2Vec2:
        """Where the second joint holds its body B."""
        return self._coupled[1].anchorB


# -- friction and motor


class b2FrictionJointDef(OneAnchorDef):
    """Brakes the motion of two bodies against each other with bounded force and torque."""

    type = 9
    maxForce: float = 0.0
    maxTorque: float = 0.0

    def Initialize(self, bodyA: b2Body, bodyB: b2Body, anchor: Vec2Like | b2Vec2) -> None:
        """Takes the bodies, and the point of the world at which the force acts."""
        self.bodyA, self.bodyB, self.anchor = bodyA, bodyB, anchor

    def _create(self, world: b2World) -> b2Joint:
        joint = world.box2dpy.create_motor_joint(
            *self._ends(), max_velocity_force=self.maxForce, max_velocity_torque=self.maxTorque, **self._frames()
        )
        return world._new_joint(b2FrictionJoint, joint, self)


class b2FrictionJoint(b2Joint):
    """Brakes the motion of two bodies against each other with bounded force and torque."""

    type = 9
    maxForce: Passed[float] = Passed("max_velocity_force", "The most force, N.")
    maxTorque: Passed[float] = Passed("max_velocity_torque", "The most torque, N m.")


class b2MotorJointDef(b2JointDef):
    """Drives body B to an offset from body A with bounded force and torque."""

    type = 11
    linearOffset = Vector()
    angularOffset: float = 0.0
    maxForce: float = 1.0
    maxTorque: float = 1.0
    correctionFactor: float = 0.3

    def _complete(self, options: dict[str, Any]) -> None:
        if "linearOffset" not in options:
            self.linearOffset = body_of(self, "A").GetLocalPoint(body_of(self, "B").position)
        if "angularOffset" not in options:
            self.angularOffset = body_of(self, "B").angle - body_of(self, "A").angle

    def Initialize(self, bodyA: b2Body, bodyB: b2Body) -> None:
        """Takes the bodies with their present offset."""
        self.bodyA, self.bodyB = bodyA, bodyB
        self._complete({})

    def _create(self, world: b2World) -> b2Joint:
        factor = number(self.correctionFactor, "correctionFactor")
        joint = world.box2dpy.create_motor_joint(
            *self._ends(),
            frame_a=Frame(
                finite_pair(self.linearOffset, "linearOffset"),
                math.remainder(number(self.angularOffset, "angularOffset"), math.tau),
            ),
            frame_b=Frame(),
            max_velocity_force=self.maxForce,
            max_velocity_torque=self.maxTorque,
            collide_connected=flag(self.collideConnected, "collideConnected"),
        )
        made = world._new_joint(b2MotorJoint, joint, self)
        made.correctionFactor = factor
        world._offsets[made] = None
        return made


class b2MotorJoint(b2Joint):
    """Drives body B to an offset from body A with bounded force and torque."""

    type = 11
    maxForce: Passed[float] = Passed("max_velocity_force", "The most force, N.")
    maxTorque: Passed[float] = Passed("max_velocity_torque", "The most torque, N m.")
    correctionFactor: float
    """The part of the offset's error that a step takes away."""

    def _drive(self, dt: float) -> None:
        """Gives the velocities that take the error away, as Box2D 2.3 does in each step."""
        native = self.box2dpy
        if not (native.body_a.awake or native.body_b.awake):
            return
        rate, goal = -self.correctionFactor / dt, native.body_a.world_point(native.local_anchor_a)
        linear, angular = rate * (native.body_b.position - goal), rate * native.angle
        if linear.length < 1e-4 and abs(angular) < 1e-4:  # m/s and rad/s, so that bodies can fall asleep
            linear, angular = Vec2(0, 0), 0.0
        if linear != native.linear_velocity or angular != native.angular_velocity:
            native.linear_velocity, native.angular_velocity = linear, angular

    @property
    def linearOffset(self) -> b2Vec2:
        """Where body B should be, coordinates of body A, metres."""
        return vector(*self.box2dpy.local_anchor_a)

    @linearOffset.setter
    @after_step
    def linearOffset(self, value: Vec2Like | b2Vec2) -> None:
        self.box2dpy.local_anchor_a = pair(value, "linearOffset")

    @property
    def angularOffset(self) -> float:
        """The angle that body B should have against body A, radians."""
        return float(self.box2dpy.local_angle_a)

    @angularOffset.setter
    @after_step
    def angularOffset(self, value: float) -> None:
        self.box2dpy.local_angle_a = math.remainder(number(value, "angularOffset"), math.tau)


DEFINITIONS: dict[type, type[b2JointDef]] = {
    b2RevoluteJoint: b2RevoluteJointDef,
    b2PrismaticJoint: b2PrismaticJointDef,
    b2DistanceJoint: b2DistanceJointDef,
    b2WheelJoint: b2WheelJointDef,
    b2WeldJoint: b2WeldJointDef,
    b2RopeJoint: b2RopeJointDef,
    b2MouseJoint: b2MouseJointDef,
    b2PulleyJoint: b2PulleyJointDef,
    b2GearJoint: b2GearJointDef,
    b2FrictionJoint: b2FrictionJointDef,
    b2MotorJoint: b2MotorJointDef,
}
