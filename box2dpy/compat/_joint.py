"""What all joints of the bindings have in common: `b2JointDef` and `b2Joint`.

A definition declares its attributes with their defaults. `_Definition` makes keywords of them, and computes, as the
bindings do, what follows from the two bodies when the keywords give both of them.
"""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any, ClassVar

from .. import Frame
from ..arguments import finite_pair, flag, number, pair, short_repr
from ._bodies import b2Body
from ._passed import Passed, T, WithUserData, after_step, before
from ._shapes import refuse_keywords
from ._vectors import b2Vec2, vector

if TYPE_CHECKING:
    from ..arguments import Vec2Like
    from ._world import b2World


class Vector:
    """A vector attribute of a definition, kept as a `b2Vec2`."""

    def __init__(self, x: float = 0.0, y: float = 0.0) -> None:
        self.default = x, y

    def __set_name__(self, owner: type, name: str) -> None:
        self.slot = "_" + name

    def __get__(self, item: Any, owner: Any = None) -> Any:
        return self if item is None else item.__dict__[self.slot]

    def __set__(self, item: Any, value: Any) -> None:
        item.__dict__[self.slot] = b2Vec2(*pair(value, self.slot[1:]))


class WorldAnchor:
    """An anchor in world coordinates: assigning it sets the local anchors of the sides that it names."""

    def __init__(self, *sides: str) -> None:
        self.sides = sides

    def __get__(self, item: Any, owner: Any = None) -> Any:
        if item is None:
            return self
        side = self.sides[0]
        return body_of(item, side).GetWorldPoint(getattr(item, f"localAnchor{side}"))

    def __set__(self, item: Any, value: Any) -> None:
        for side in self.sides:
            setattr(item, f"localAnchor{side}", body_of(item, side).GetLocalPoint(value))


def body_of(definition: Any, side: str) -> b2Body:
    body: b2Body | None = getattr(definition, f"body{side}")
    if not isinstance(body, b2Body):
        raise ValueError(f"body{side}={short_repr(body)} of a {type(definition).__name__} must be a b2Body")
    return body


class b2JointDef(WithUserData):
    """Base of the definitions of joints: the keywords are the attributes."""

    type: ClassVar[int] = 0
    _PLACES: ClassVar[tuple[str, ...]] = ()  # attributes that need the bodies, so that they are assigned last
    bodyA: b2Body | None = None
    bodyB: b2Body | None = None
    collideConnected: bool = False
    userData: Any = None

    def __init__(self, **options: Any) -> None:
        defaults = self._all_defaults()
        refuse_keywords(type(self).__name__, options, (*defaults, *self._PLACES))
        for name, value in defaults.items():
            setattr(self, name, options.get(name, value))
        for name in self._PLACES:
            if name in options:
                setattr(self, name, options[name])
        if options.get("bodyA") is not None and options.get("bodyB") is not None:
            self._complete(options)

    @classmethod
    def _all_defaults(cls) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            for name, value in vars(base).items():
                if isinstance(value, Vector):
                    known[name] = value.default
                elif name in inspect.get_annotations(base) and name not in ("type", "_PLACES"):
                    known[name] = value
        return known

    def _complete(self, options: dict[str, Any]) -> None:
        """Computes what follows from the two bodies and was not given."""

    def to_kwargs(self) -> dict[str, Any]:
        """The attributes as keywords."""
        return {name: getattr(self, name) for name in self._all_defaults()}

    def _create(self, world: b2World) -> Any:
        raise NotImplementedError(f"{type(self).__name__} is no joint")

    def _ends(self) -> tuple[Any, Any]:
        return body_of(self, "A").box2dpy, body_of(self, "B").box2dpy

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.to_kwargs().items())
        return f"{type(self).__name__}({given})"


class AnchoredDef(b2JointDef):
    localAnchorA = Vector()
    localAnchorB = Vector()

    def _frames(self, angle_a: float = 0.0, angle_b: float = 0.0) -> dict[str, Any]:
        return {
            "frame_a": Frame(finite_pair(self.localAnchorA, "localAnchorA"), angle_a),
            "frame_b": Frame(finite_pair(self.localAnchorB, "localAnchorB"), angle_b),
            "collide_connected": flag(self.collideConnected, "collideConnected"),
        }


class OneAnchorDef(AnchoredDef):
    _PLACES: ClassVar[tuple[str, ...]] = ("anchor",)
    anchor = WorldAnchor("A", "B")


class TwoAnchorsDef(AnchoredDef):
    _PLACES: ClassVar[tuple[str, ...]] = ("anchorA", "anchorB")
    anchorA, anchorB = WorldAnchor("A"), WorldAnchor("B")


class AngledDef(OneAnchorDef):
    """With the angle between the bodies that counts as 0."""

    referenceAngle: float = 0.0

    def _complete(self, options: dict[str, Any]) -> None:
        if "referenceAngle" not in options:
            self.referenceAngle = body_of(self, "B").angle - body_of(self, "A").angle

    def Initialize(self, bodyA: b2Body, bodyB: b2Body, anchor: Vec2Like | b2Vec2) -> None:
        """Takes the bodies in their present poses, with both anchors at a point of the world."""
        self.bodyA, self.bodyB, self.anchor = bodyA, bodyB, anchor
        self.referenceAngle = bodyB.angle - bodyA.angle


class AxisDef(b2JointDef):
    """With an axis of body A."""

    localAxisA = Vector(1.0, 0.0)

    @property
    def axis(self) -> b2Vec2:
        """The axis in world coordinates."""
        return body_of(self, "A").GetWorldVector(self.localAxisA)

    @axis.setter
    def axis(self, value: Vec2Like | b2Vec2) -> None:
        self.localAxisA = body_of(self, "A").GetLocalVector(value)

    def _axis_angle(self) -> float:
        x, y = finite_pair(self.localAxisA, "localAxisA")
        if x == y == 0.0:
            raise ValueError("localAxisA=(0, 0) has no direction")
        return math.atan2(y, x)


class b2JointEdge:
    """A joint of a body, and the other body."""

    __slots__ = ("joint", "other")

    def __init__(self, joint: b2Joint, other: b2Body) -> None:
        self.joint, self.other = joint, other

    def __repr__(self) -> str:
        return f"b2JointEdge(joint={self.joint!r})"


class b2Joint(WithUserData):
    """Base of all joints, made by `b2World.CreateJoint`; it takes any further attributes."""

    box2dpy: Any
    """The joint of box2dpy."""
    world: b2World
    type: ClassVar[int] = 0
    rigid: ClassVar[bool] = False
    """Whether it holds its anchors together, so that their distance is an error."""
    bodyA: b2Body
    bodyB: b2Body
    collideConnected: Passed[bool] = Passed("collide_connected", "Whether the two bodies may touch each other.")

    def __init__(self) -> None:
        raise TypeError("a b2Joint is made by b2World.CreateJoint")

    @property
    def active(self) -> bool:
        """Whether both bodies are active."""
        return self.bodyA.active and self.bodyB.active

    @property
    def anchorA(self) -> b2Vec2:
        """Where it holds body A, world coordinates."""
        return self.bodyA.GetWorldPoint(self.box2dpy.local_anchor_a)

    @property
    def anchorB(self) -> b2Vec2:
        """Where it holds body B, world coordinates."""
        return self.bodyB.GetWorldPoint(self.box2dpy.local_anchor_b)

    def GetLocalAnchorA(self) -> b2Vec2:
        """Where it holds body A, body coordinates."""
        return vector(*self.box2dpy.local_anchor_a)

    def GetLocalAnchorB(self) -> b2Vec2:
        """Where it holds body B, body coordinates."""
        return vector(*self.box2dpy.local_anchor_b)

    def _per_step(self, inv_dt: float) -> float:
        """1, where `inv_dt` is that of the last step: box2dpy gives forces, Box2D the impulses of a step."""
        return number(inv_dt, "inv_dt") * self.world._dt

    def GetReactionForce(self, inv_dt: float) -> b2Vec2:
        """The force on body B in the last step, N; `inv_dt` is 1 / timeStep."""
        return vector(*self.box2dpy.constraint_force) * self._per_step(inv_dt)

    def GetReactionTorque(self, inv_dt: float) -> float:
        """The torque on body B in the last step, N m; `inv_dt` is 1 / timeStep."""
        return float(self.box2dpy.constraint_torque) * self._per_step(inv_dt)

    @property
    def next(self) -> b2Joint | None:
        """The joint that was created before it, or None."""
        return before(self.world.joints, self)

    def getAsType(self) -> b2Joint:
        """The joint."""
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.box2dpy!r})"


class OfMotor(Passed[T]):
    """A property on which the swing of the limbs of the world depends."""

    def __set__(self, item: Any, value: T) -> None:
        super().__set__(item, value)
        item.world._swing = None


class MotorJoint(b2Joint):
    """Base of the joints with a motor."""

    motorEnabled: Passed[bool] = OfMotor("enable_motor", "Whether the motor runs.")
    motorSpeed: Passed[float] = OfMotor("motor_speed", "The speed that the motor drives to, rad/s or m/s.")


class LimitedJoint(MotorJoint):
    limitEnabled: Passed[bool] = Passed("enable_limit", "Whether the limits hold.")
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
        joint = self.box2dpy
        if lower > getattr(joint, high):  # the lower one must not exceed the upper one at any time
            setattr(joint, high, upper)
            setattr(joint, low, lower)
        else:
            setattr(joint, low, lower)
            setattr(joint, high, upper)

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

    def GetReferenceAngle(self) -> float:
        """The angle between the bodies that counts as 0."""
        return float(self.box2dpy.local_angle_a - self.box2dpy.local_angle_b)
