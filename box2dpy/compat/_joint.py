"""What all joints of the bindings have in common: `b2JointDef` and `b2Joint`.

A definition computes, as the bindings do, what follows from the two bodies when the keywords give both of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from .. import Frame, Joint
from ..arguments import finite_pair, number, short_repr
from ._bodies import b2Body
from ._definition import Definition, Option, Vector
from ._passed import Passed, Wrapper, before
from ._vectors import b2Vec2, vector

if TYPE_CHECKING:
    from ..arguments import Vec2Like
    from ._world import b2World


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


class b2JointDef(Definition):
    """Base of the definitions of joints: the keywords are the attributes."""

    type: ClassVar[int] = 0
    _MAKES: ClassVar[Any] = None  # the class of its joints
    _by: ClassVar[Callable[..., Any]]  # the method of box2dpy that makes it
    bodyA: Option[b2Body | None] = Option(None)
    bodyB: Option[b2Body | None] = Option(None)
    collideConnected = Option(False, "collide_connected")
    userData: Any = Option(None)

    def __init_subclass__(cls, makes: Any = None, by: Any = None) -> None:
        super().__init_subclass__()
        if makes is not None:
            DEFINITIONS[makes] = cls
            cls._MAKES, cls._by, cls.type, cls.__doc__ = makes, staticmethod(by), makes.type, makes.__doc__

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if options.get("bodyA") is not None and options.get("bodyB") is not None:
            self._complete(options)

    def _complete(self, options: dict[str, Any]) -> None:
        """Computes what follows from the two bodies and was not given."""

    def _create(self, world: b2World) -> Any:
        if self._MAKES is None:
            raise NotImplementedError(f"{type(self).__name__} is no joint")
        native = self._by(world.box2dpy, *self._ends(), **self._options())
        return world._new_joint(self._MAKES, native, self)

    def _ends(self) -> tuple[Any, Any]:
        return body_of(self, "A").box2dpy, body_of(self, "B").box2dpy

    def _options(self) -> dict[str, Any]:
        """The options of box2dpy."""
        return {option.ours: option.checked(self) for option in self._OPTIONS.values() if option.ours}


DEFINITIONS: dict[type, type[b2JointDef]] = {}


class AnchoredDef(b2JointDef):
    localAnchorA, localAnchorB = Vector(), Vector()

    def _angles(self) -> tuple[float, float]:
        """The directions of the frames of the joint on its bodies, radians."""
        return 0.0, 0.0

    def _options(self) -> dict[str, Any]:
        angle_a, angle_b = self._angles()
        frame_a = Frame(finite_pair(self.localAnchorA, "localAnchorA"), angle_a)
        frame_b = Frame(finite_pair(self.localAnchorB, "localAnchorB"), angle_b)
        return {**super()._options(), "frame_a": frame_a, "frame_b": frame_b}


class OneAnchorDef(AnchoredDef):
    _PLACES: ClassVar[tuple[str, ...]] = ("anchor",)
    anchor = WorldAnchor("A", "B")

    def Initialize(self, bodyA: b2Body, bodyB: b2Body, anchor: Vec2Like | b2Vec2) -> None:
        """Takes the bodies in their present poses, with both anchors at a point of the world."""
        self.bodyA, self.bodyB, self.anchor = bodyA, bodyB, anchor
        self._complete({})


class TwoAnchorsDef(AnchoredDef):
    _PLACES: ClassVar[tuple[str, ...]] = ("anchorA", "anchorB")
    anchorA, anchorB = WorldAnchor("A"), WorldAnchor("B")


class AngledDef(OneAnchorDef):
    """With the angle between the bodies that counts as 0."""

    referenceAngle = Option(0.0)

    def _complete(self, options: dict[str, Any]) -> None:
        if "referenceAngle" not in options:
            self.referenceAngle = body_of(self, "B").angle - body_of(self, "A").angle

    def _angles(self) -> tuple[float, float]:
        return math.remainder(number(self.referenceAngle, "referenceAngle"), math.tau), 0.0


class AxisDef(OneAnchorDef):
    """With an axis of body A."""

    _PLACES: ClassVar[tuple[str, ...]] = ("anchor", "axis")
    localAxisA = Vector(1.0, 0.0)

    @property
    def axis(self) -> b2Vec2:
        """The axis in world coordinates."""
        return body_of(self, "A").GetWorldVector(self.localAxisA)

    @axis.setter
    def axis(self, value: Vec2Like | b2Vec2) -> None:
        self.localAxisA = body_of(self, "A").GetLocalVector(value)

    def Initialize(  # type: ignore[override]
        self, bodyA: b2Body, bodyB: b2Body, anchor: Vec2Like | b2Vec2, axis: Vec2Like | b2Vec2
    ) -> None:
        """Takes the bodies in their present poses, with the anchors at a point of the world and along an axis of it."""
        super().Initialize(bodyA, bodyB, anchor)
        self.axis = axis

    def _angles(self) -> tuple[float, float]:
        x, y = finite_pair(self.localAxisA, "localAxisA")
        if x == y == 0.0:
            raise ValueError("localAxisA=(0, 0) has no direction")
        return math.atan2(y, x), 0.0


class MotorDef(b2JointDef):
    enableMotor, motorSpeed = Option(False, "enable_motor"), Option(0.0, "motor_speed")


class SpringDef(b2JointDef):
    """With a spring, which a frequency switches on."""

    frequencyHz, dampingRatio = Option(0.0, "hertz"), Option(0.0, "damping_ratio")

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        return {**options, "enable_spring": options["hertz"] > 0.0}


class b2JointEdge:
    """A joint of a body, and the other body."""

    __slots__ = ("joint", "other")

    def __init__(self, joint: b2Joint, other: b2Body) -> None:
        self.joint, self.other = joint, other

    def __repr__(self) -> str:
        return f"b2JointEdge(joint={self.joint!r})"


class b2Joint(Wrapper):
    """Base of all joints, made by `b2World.CreateJoint`; it takes any further attributes."""

    _OF: ClassVar[type] = Joint
    box2dpy: Any
    """The joint of box2dpy."""
    world: b2World
    type: ClassVar[int] = 0
    rigid: ClassVar[bool] = False
    """Whether it holds its anchors together, so that their distance is an error."""
    bodyA: b2Body
    bodyB: b2Body
    collideConnected = Passed[bool]("collide_connected")

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
