"""The joints of the bindings, and the definition of each. The properties are those of a joint of box2dpy (`_OF`) and
have its texts; the options of a definition become those of the method that makes that joint (`by`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from .. import (
    DistanceJoint,
    Frame,
    GearJoint,
    Joint,
    MotorJoint,
    PrismaticJoint,
    PulleyJoint,
    RevoluteJoint,
    Vec2,
    WheelJoint,
    World,
)
from ..arguments import finite_pair, number, pair, short_repr
from ._bodies import b2Body
from ._definition import Option, Vector
from ._joint import (
    AngledDef,
    AxisDef,
    MotorDef,
    OneAnchorDef,
    SpringDef,
    TwoAnchorsDef,
    b2Joint,
    b2JointDef,
    body_of,
)
from ._passed import Passed, T, after_step
from ._vectors import b2Vec2, vector

if TYPE_CHECKING:
    from ..arguments import Vec2Like
    from ._world import b2World


# -- what several joints have


class OfMotor(Passed[T]):
    """A property on which the swing of the limbs of the world depends."""

    def __set__(self, item: Any, value: T) -> None:
        super().__set__(item, value)
        item.world._limbs.swing = None


class Frequency(Passed[float]):
    """The stiffness of a spring, which 0 switches off."""

    def __set_name__(self, owner: object, name: str) -> None:
        self.__doc__ = "The stiffness of the spring, Hz; 0 switches the spring off."

    def __set__(self, item: Any, value: float) -> None:
        item._change(hertz=value, enable_spring=value > 0.0)


class Motorized(b2Joint):
    _OF: ClassVar[type] = RevoluteJoint
    motorEnabled = OfMotor[bool]("enable_motor")
    motorSpeed = OfMotor[float]("motor_speed")


class Turned(Motorized):
    maxMotorTorque = Passed[float]("max_motor_torque")

    def GetMotorTorque(self, inv_dt: float) -> float:
        """The torque of the motor in the last step, N m; `inv_dt` is 1 / timeStep."""
        return float(self.box2dpy.motor_torque) * self._per_step(inv_dt)


class Limited(Motorized):
    limitEnabled = Passed[bool]("enable_limit")
    _LIMITS: ClassVar[tuple[str, str]]

    @property
    def limits(self) -> tuple[float, float]:
        """The lower and the upper limit."""
        lower, upper = self._LIMITS
        return getattr(self.box2dpy, lower), getattr(self.box2dpy, upper)

    @limits.setter
    def limits(self, value: tuple[float, float]) -> None:
        self.SetLimits(*value)

    @after_step
    def SetLimits(self, lower: float, upper: float) -> None:
        """Assigns both limits."""
        low, high = self._LIMITS
        values = {low: lower, high: upper}
        if lower > getattr(self.box2dpy, high):  # the lower one must not exceed the upper one at any time
            values = {high: upper, low: lower}
        self._assign(values)

    @property
    def lowerLimit(self) -> float:
        """The lower limit."""
        return self.limits[0]

    @lowerLimit.setter
    def lowerLimit(self, value: float) -> None:
        self.SetLimits(value, self.limits[1])

    @property
    def upperLimit(self) -> float:
        """The upper limit."""
        return self.limits[1]

    @upperLimit.setter
    def upperLimit(self, value: float) -> None:
        self.SetLimits(self.limits[0], value)


class AlongAxis(b2Joint):
    _OF: ClassVar[type] = PrismaticJoint
    translation = Passed[float]("translation")

    def GetLocalAxisA(self) -> b2Vec2:
        """The axis, coordinates of body A."""
        angle = self.box2dpy.local_angle_a
        return vector(math.cos(angle), math.sin(angle))


# -- revolute


class b2RevoluteJoint(Limited, Turned):
    """A hinge."""

    type = 1
    rigid = True
    _LIMITS = ("lower_angle", "upper_angle")
    _reference: float
    speed = Passed[float]("speed")

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

    def GetMaxMotorTorque(self) -> float:
        """Greatest torque of the motor, N m."""
        return self.maxMotorTorque


class b2RevoluteJointDef(AngledDef, MotorDef, makes=b2RevoluteJoint, by=World.create_revolute_joint):
    enableLimit = Option(False, "enable_limit")
    lowerAngle, upperAngle = Option(0.0, "lower_angle"), Option(0.0, "upper_angle")
    maxMotorTorque = Option(0.0, "max_motor_torque")

    def _create(self, world: b2World) -> Any:
        made, reference = super()._create(world), number(self.referenceAngle, "referenceAngle")
        made._reference, joint = reference, made.box2dpy
        # The limits count the turns that the bodies have made already
        angle = made.bodyB.angle - made.bodyA.angle - reference
        joint.local_angle_b = turned = joint.local_angle_b  # without the turns that creation left out
        joint.local_angle_b = turned + math.tau * round((angle - joint.angle) / math.tau)
        return made


# -- prismatic


class b2PrismaticJoint(Limited, AlongAxis):
    """A slider along an axis of body A."""

    type = 2
    _OF = PrismaticJoint
    _LIMITS = ("lower_translation", "upper_translation")
    motorSpeed = OfMotor[float]("motor_speed")
    maxMotorForce = Passed[float]("max_motor_force")
    speed = Passed[float]("speed")

    def GetMotorForce(self, inv_dt: float) -> float:
        """The force of the motor in the last step, N; `inv_dt` is 1 / timeStep."""
        return float(self.box2dpy.motor_force) * self._per_step(inv_dt)

    def GetReferenceAngle(self) -> float:
        """The angle between the bodies that counts as 0."""
        return float(self.box2dpy.local_angle_a - self.box2dpy.local_angle_b)


class b2PrismaticJointDef(AxisDef, AngledDef, MotorDef, makes=b2PrismaticJoint, by=World.create_prismatic_joint):
    enableLimit = Option(False, "enable_limit")
    lowerTranslation, upperTranslation = Option(0.0, "lower_translation"), Option(0.0, "upper_translation")
    maxMotorForce = Option(0.0, "max_motor_force")

    def _angles(self) -> tuple[float, float]:
        angle, _ = super()._angles()
        return angle, angle - number(self.referenceAngle, "referenceAngle")


# -- distance


class b2DistanceJoint(b2Joint):
    """A rod, or with a frequency a spring, between two anchors."""

    type = 3
    _OF = DistanceJoint
    length = Passed[float]("length")
    frequency = Frequency("hertz")
    dampingRatio = Passed[float]("damping_ratio")


class b2DistanceJointDef(TwoAnchorsDef, SpringDef, makes=b2DistanceJoint, by=World.create_distance_joint):
    length = Option(1.0, "length")

    def _complete(self, options: dict[str, Any]) -> None:
        if "length" not in options and not {"anchorA", "anchorB", "localAnchorA", "localAnchorB"}.isdisjoint(options):
            self.length = (self.anchorB - self.anchorA).length

    def Initialize(self, bodyA: b2Body, bodyB: b2Body, anchorA: Vec2Like | b2Vec2, anchorB: Vec2Like | b2Vec2) -> None:
        """Takes the bodies in their present poses, with anchors at two points of the world."""
        self.bodyA, self.bodyB, self.anchorA, self.anchorB = bodyA, bodyB, anchorA, anchorB
        self.length = (self.anchorB - self.anchorA).length


# -- wheel


class b2WheelJoint(Turned, AlongAxis):
    """A wheel, body B, on a suspension along an axis of body A."""

    type = 7
    _OF = WheelJoint
    springFrequencyHz = Frequency("hertz")
    springDampingRatio = Passed[float]("damping_ratio")
    speed = Passed[float]("speed")


class b2WheelJointDef(AxisDef, SpringDef, MotorDef, makes=b2WheelJoint, by=World.create_wheel_joint):
    frequencyHz, dampingRatio = Option(2.0, "hertz"), Option(0.7, "damping_ratio")
    maxMotorTorque = Option(0.0, "max_motor_torque")


# -- weld


class b2WeldJoint(b2Joint):
    """Holds two bodies together; a frequency makes the angle soft."""

    type = 8
    rigid = True

    def GetReferenceAngle(self) -> float:
        """The angle between the bodies."""
        return float(self.box2dpy.local_angle_a)

    def GetFrequency(self) -> float:
        """The stiffness of the angle, Hz; 0 is rigid."""
        return float(self.box2dpy.angular_hertz)

    def SetFrequency(self, hz: float) -> None:
        """Assigns the stiffness of the angle, Hz."""
        self._change(angular_hertz=hz)

    def GetDampingRatio(self) -> float:
        """The damping of the angle; 1 is critical."""
        return float(self.box2dpy.angular_damping_ratio)

    def SetDampingRatio(self, ratio: float) -> None:
        """Assigns the damping of the angle."""
        self._change(angular_damping_ratio=ratio)


class b2WeldJointDef(AngledDef, makes=b2WeldJoint, by=World.create_weld_joint):
    frequencyHz, dampingRatio = Option(0.0, "angular_hertz"), Option(0.0, "angular_damping_ratio")


# -- rope


class b2RopeJoint(b2Joint):
    """A rope: a longest distance of two anchors."""

    type = 10
    _OF = DistanceJoint
    maxLength = Passed[float]("max_length")

    def SetMaxLength(self, length: float) -> None:
        """Assigns the longest distance, metres."""
        self.maxLength = length

    @property
    def limitState(self) -> int:
        """2 where the rope is taut, otherwise 0."""
        return 2 if self.box2dpy.current_length >= self.box2dpy.max_length else 0


class b2RopeJointDef(TwoAnchorsDef, makes=b2RopeJoint, by=World.create_distance_joint):
    localAnchorA, localAnchorB = Vector(-1.0, 0.0), Vector(1.0, 0.0)
    maxLength = Option(0.0, "max_length")

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "enable_spring": True, "enable_limit": True}


# -- mouse


class b2MouseJoint(b2Joint):
    """Pulls a point of body B to a target with a spring of bounded force."""

    type = 5
    _OF = MotorJoint
    maxForce = Passed[float]("max_spring_force")
    frequency = Passed[float]("linear_hertz")
    dampingRatio = Passed[float]("linear_damping_ratio")

    @property
    def target(self) -> b2Vec2:
        """Where it pulls to, world coordinates; assigning wakes the body."""
        return self.anchorA

    @target.setter
    @after_step
    def target(self, value: Vec2Like | b2Vec2) -> None:
        self.box2dpy.local_anchor_a = self.bodyA.box2dpy.local_point(value)  # type: ignore[arg-type]


class b2MouseJointDef(b2JointDef, makes=b2MouseJoint, by=World.create_motor_joint):
    target = Vector()
    maxForce = Option(0.0, "max_spring_force")
    frequencyHz, dampingRatio = Option(5.0, "linear_hertz"), Option(0.7, "linear_damping_ratio")

    def _options(self) -> dict[str, Any]:
        place = finite_pair(self.target, "target")
        frame_a, frame_b = (Frame(body.local_point(place)) for body in self._ends())
        return {**super()._options(), "frame_a": frame_a, "frame_b": frame_b}


# -- pulley


class b2PulleyJoint(b2Joint):
    """A rope over two wheels that are fixed in the world."""

    type = 4
    _OF = PulleyJoint
    lengthA: float
    """The length on side A when it was created, metres."""
    lengthB: float
    """The length on side B when it was created, metres."""
    ratio = Passed[float]("ratio")

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


class b2PulleyJointDef(TwoAnchorsDef, makes=b2PulleyJoint, by=World.create_pulley_joint):
    collideConnected = Option(True, "collide_connected")
    localAnchorA, localAnchorB = Vector(-1.0, 0.0), Vector(1.0, 0.0)
    groundAnchorA, groundAnchorB = Vector(-1.0, 1.0, "ground_anchor_a"), Vector(1.0, 1.0, "ground_anchor_b")
    lengthA, lengthB = Option(0.0), Option(0.0)
    ratio = Option(1.0, "ratio")

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
        self._complete({})

    def _create(self, world: b2World) -> Any:
        a, b = self._measure()
        now, wanted = a + self.ratio * b, self.lengthA + self.ratio * self.lengthB
        if wanted and abs(now - wanted) > 1e-3 * max(1.0, now):
            raise ValueError(
                f"lengthA + ratio * lengthB = {wanted:g} of a b2PulleyJointDef must be the present sum, {now:g}: place "
                "the bodies where the rope is taut"
            )
        made = super()._create(world)
        made.lengthA, made.lengthB = a, b
        return made


# -- gear


class b2GearJoint(b2Joint):
    """Couples two revolute or prismatic joints; its bodies are those of the joints."""

    type = 6
    _OF = GearJoint
    ratio = Passed[float]("ratio")
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


class b2GearJointDef(b2JointDef, makes=b2GearJoint, by=World.create_gear_joint):
    collideConnected = Option(False)
    joint1: Option[Any] = Option(None)
    joint2: Option[Any] = Option(None)
    ratio = Option(1.0, "ratio")

    def _ends(self) -> tuple[Joint, Joint]:
        return self.joint1.box2dpy, self.joint2.box2dpy

    def _create(self, world: b2World) -> Any:
        for name, coupled in (("joint1", self.joint1), ("joint2", self.joint2)):
            if not isinstance(coupled, (b2RevoluteJoint, b2PrismaticJoint)):
                raise ValueError(f"{name}={short_repr(coupled)} must be a b2RevoluteJoint or a b2PrismaticJoint")
        self.bodyA, self.bodyB = self.joint1.bodyB, self.joint2.bodyB
        made = super()._create(world)
        made._coupled = self.joint1, self.joint2
        return made


# -- friction and motor


class b2FrictionJoint(b2Joint):
    """Brakes the motion of two bodies against each other with bounded force and torque."""

    type = 9
    _OF = MotorJoint
    maxForce = Passed[float]("max_velocity_force")
    maxTorque = Passed[float]("max_velocity_torque")


class b2FrictionJointDef(OneAnchorDef, makes=b2FrictionJoint, by=World.create_motor_joint):
    maxForce, maxTorque = Option(0.0, "max_velocity_force"), Option(0.0, "max_velocity_torque")


class b2MotorJoint(b2Joint):
    """Drives body B to an offset from body A with bounded force and torque."""

    type = 11
    _OF = MotorJoint
    maxForce = Passed[float]("max_velocity_force")
    maxTorque = Passed[float]("max_velocity_torque")
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
    def linearOffset(self, value: Vec2Like | b2Vec2) -> None:
        self._change(local_anchor_a=pair(value, "linearOffset"))

    @property
    def angularOffset(self) -> float:
        """The angle that body B should have against body A, radians."""
        return float(self.box2dpy.local_angle_a)

    @angularOffset.setter
    def angularOffset(self, value: float) -> None:
        self._change(local_angle_a=math.remainder(number(value, "angularOffset"), math.tau))


class b2MotorJointDef(b2JointDef, makes=b2MotorJoint, by=World.create_motor_joint):
    linearOffset = Vector()
    angularOffset = Option(0.0)
    maxForce, maxTorque = Option(1.0, "max_velocity_force"), Option(1.0, "max_velocity_torque")
    correctionFactor = Option(0.3)

    def _complete(self, options: dict[str, Any]) -> None:
        if "linearOffset" not in options:
            self.linearOffset = body_of(self, "A").GetLocalPoint(body_of(self, "B").position)
        if "angularOffset" not in options:
            self.angularOffset = body_of(self, "B").angle - body_of(self, "A").angle

    def Initialize(self, bodyA: b2Body, bodyB: b2Body) -> None:
        """Takes the bodies with their present offset."""
        self.bodyA, self.bodyB = bodyA, bodyB
        self._complete({})

    def _options(self) -> dict[str, Any]:
        place = finite_pair(self.linearOffset, "linearOffset")
        angle = math.remainder(number(self.angularOffset, "angularOffset"), math.tau)
        return {**super()._options(), "frame_a": Frame(place, angle), "frame_b": Frame()}

    def _create(self, world: b2World) -> Any:
        factor = number(self.correctionFactor, "correctionFactor")
        made = super()._create(world)
        made.correctionFactor = factor
        world._offsets[made] = None
        return made
