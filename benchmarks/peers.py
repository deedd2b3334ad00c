"""Other engines behind the few calls that `box2dpy.scenes` uses, so that all engines build the very same scenes.

`create("pyb2d3", gravity=..., sleeping=...)` answers a `PeerWorld`, which takes the keywords of `box2dpy.World` that a
scene sets, and has its `create_*_body`, `create_shape`, `create_revolute_joint` and `step`. Counts are our own, for not
every peer tells. What an engine cannot express raises `CannotExpress` with the reason, and the scene is skipped.

Done alike where engines differ:
* pymunk multiplies the frictions of a pair where Box2D takes the root of the product: it is given the root of each.
* pymunk multiplies restitutions where Box2D takes the larger; its joints have no softness. Neither is compensated.
* pyb2d3 has the joint softness of the world only.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from box2dpy import Box, Capsule, Circle, Filter, Frame, Polygon, Segment

PEERS = ("pyb2d3", "pymunk")

Point = Sequence[float]


class CannotExpress(Exception):
    """The engine lacks something that the scene needs."""


class Counts(NamedTuple):
    bodies: int
    shapes: int
    joints: int


def version(peer: str) -> str | None:
    """The installed version, or None when it is not installed."""
    if peer not in PEERS:
        raise ValueError(f"no peer {peer!r}; there are {', '.join(PEERS)}")
    if importlib.util.find_spec(peer) is None:
        return None
    return importlib.metadata.version(peer)


def create(peer: str, *, keep: bool = False, **options: Any) -> PeerWorld:
    """An empty world of a peer; `keep` remembers shapes for a picture."""
    makers = {"pyb2d3": Pyb2d3World, "pymunk": PymunkWorld}
    if peer not in makers:
        raise ValueError(f"no peer {peer!r}; there are {', '.join(makers)}")
    return makers[peer](keep=keep, **options)


class PeerShape(NamedTuple):
    """What a picture needs."""

    body: PeerBody
    geometry: Any


class PeerJoint:
    __slots__ = ("live",)

    def __init__(self) -> None:
        self.live = True


class PeerBody:
    """Base of the bodies; a subclass adds the engine's body and its properties."""

    __slots__ = ("joints", "raw", "shape_count", "type", "world")

    def __init__(self, world: PeerWorld, raw: Any, kind: str) -> None:
        self.world, self.raw, self.type = world, raw, kind
        self.shape_count = 0
        self.joints: list[PeerJoint] = []

    awake = True

    @property
    def position(self) -> tuple[float, float]:
        point = self.raw.position
        return point.x, point.y

    @property
    def angle(self) -> float:
        return float(self.raw.angle)

    @property
    def rotation(self) -> tuple[float, float]:
        return math.cos(self.angle), math.sin(self.angle)

    @property
    def linear_velocity(self) -> tuple[float, float]:
        raise NotImplementedError

    def create_shape(self, geometry: Any, **fields: Any) -> None:
        self.shape_count += 1
        self.world.count(shapes=1)
        if self.world.keep:
            self.world.shapes.append(PeerShape(self, geometry))
        self._add_shape(geometry, **fields)

    def create_chain(self, points: Sequence[Point], *, loop: bool = False, **fields: Any) -> None:
        if not loop:
            raise CannotExpress("open chains: engines differ in what their ends do")
        self._add_loop([_pair(point) for point in points], **fields)
        self.shape_count += len(points)
        self.world.count(shapes=len(points))

    def destroy(self) -> None:
        live = [joint for joint in self.joints if joint.live]
        for joint in live:
            joint.live = False
        self.world.count(bodies=-1, shapes=-self.shape_count, joints=-len(live))
        if self.world.keep:
            self.world.shapes = [shape for shape in self.world.shapes if shape.body is not self]
        self._remove()

    def _add_shape(self, geometry: Any, **fields: Any) -> None:
        raise NotImplementedError

    def _add_loop(self, points: Sequence[tuple[float, float]], **fields: Any) -> None:
        raise CannotExpress("one-sided chains")

    def _remove(self) -> None:
        raise NotImplementedError


class PeerWorld:
    """Base of the worlds; a subclass says how a body, a joint and a step are made."""

    raw: Any

    def __init__(self, *, keep: bool) -> None:
        self.keep = keep
        self.shapes: list[PeerShape] = []
        self.counts = Counts(0, 0, 0)

    def count(self, bodies: int = 0, shapes: int = 0, joints: int = 0) -> None:
        old = self.counts
        self.counts = Counts(old.bodies + bodies, old.shapes + shapes, old.joints + joints)

    def create_static_body(self, position: Point = (0, 0), angle: float = 0.0, **fields: Any) -> PeerBody:
        self.count(bodies=1)
        return self._add_body("static", position, angle, **fields)

    def create_kinematic_body(self, position: Point = (0, 0), angle: float = 0.0, **fields: Any) -> PeerBody:
        self.count(bodies=1)
        return self._add_body("kinematic", position, angle, **fields)

    def create_dynamic_body(self, position: Point = (0, 0), angle: float = 0.0, **fields: Any) -> PeerBody:
        self.count(bodies=1)
        return self._add_body("dynamic", position, angle, **fields)

    def create_revolute_joint(
        self,
        body_a: PeerBody,
        body_b: PeerBody,
        *,
        anchor: Point | None = None,
        local_anchor_a: Point | None = None,
        local_anchor_b: Point | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        **fields: Any,
    ) -> PeerJoint:
        if anchor is not None:
            local_anchor_a, local_anchor_b = _local(body_a, anchor), _local(body_b, anchor)
        if frame_a is None:
            frame_a = Frame(_pair(local_anchor_a or (0, 0)), 0.0)
        if frame_b is None:
            frame_b = Frame(_pair(local_anchor_b or (0, 0)), 0.0)
        self.count(joints=1)
        joint = self._add_revolute(body_a, body_b, frame_a, frame_b, **fields)
        body_a.joints.append(joint)
        body_b.joints.append(joint)
        return joint

    def step(self, dt: float = 1 / 60, substeps: int = 4) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def _add_body(self, kind: str, position: Point, angle: float, **fields: Any) -> PeerBody:
        raise NotImplementedError

    def _add_revolute(self, a: PeerBody, b: PeerBody, frame_a: Frame, frame_b: Frame, **fields: Any) -> PeerJoint:
        raise NotImplementedError


def _pair(point: Point) -> tuple[float, float]:
    x, y = point
    return float(x), float(y)


def _local(body: PeerBody, point: Point) -> tuple[float, float]:
    (c, s), (x, y) = body.rotation, body.position
    dx, dy = point[0] - x, point[1] - y
    return c * dx + s * dy, c * dy - s * dx


def _refuse(what: str, fields: dict[str, Any]) -> None:
    if fields:
        raise CannotExpress(f"{what}: {', '.join(sorted(fields))}")


class Pyb2d3Body(PeerBody):
    __slots__ = ()

    @property
    def linear_velocity(self) -> tuple[float, float]:
        velocity = self.raw.linear_velocity
        return velocity.x, velocity.y

    @linear_velocity.setter
    def linear_velocity(self, value: Point) -> None:
        self.raw.linear_velocity = _pair(value)

    @property
    def awake(self) -> bool:  # type: ignore[override]
        return bool(self.raw.awake)

    def _add_shape(
        self,
        geometry: Any,
        *,
        density: float = 1.0,
        friction: float = 0.6,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        filter: Filter | None = None,
        hit_events: bool = False,
        **fields: Any,
    ) -> None:
        _refuse("shape", fields)
        engine = self.world.engine  # type: ignore[attr-defined]
        shape_def = engine.ShapeDef()
        shape_def.density = density
        material = shape_def.material
        material.friction = friction
        material.restitution = restitution
        material.rolling_resistance = rolling_resistance
        shape_def.enable_hit_events = hit_events
        if filter is not None:
            shape_def.filter = engine.make_filter(
                category_bits=filter.category, mask_bits=filter.mask, group_index=filter.group
            )
        self.raw.create_shape(shape_def, _pyb2d3_geometry(engine, geometry))

    def _add_loop(
        self, points: Sequence[tuple[float, float]], *, friction: float = 0.6, restitution: float = 0.0, **fields: Any
    ) -> None:
        _refuse("chain", fields)
        engine = self.world.engine  # type: ignore[attr-defined]
        material = engine.SurfaceMaterial()
        material.friction, material.restitution = friction, restitution
        self.raw.create_chain(engine.chain_def(points, material=material, is_loop=True))

    def _remove(self) -> None:
        self.raw.destroy()


def _pyb2d3_geometry(engine: Any, geometry: Any) -> Any:
    if isinstance(geometry, Circle):
        return engine.circle(_pair(geometry.center), geometry.radius)
    if isinstance(geometry, Capsule):
        return engine.capsule(_pair(geometry.p1), _pair(geometry.p2), geometry.radius)
    if isinstance(geometry, Segment):
        return engine.segment(_pair(geometry.p1), _pair(geometry.p2))
    if isinstance(geometry, (Polygon, Box)):
        points = [_pair(v) for v in geometry.vertices]
        return engine.polygon(points=points, radius=geometry.radius or None)
    raise CannotExpress(f"geometry {type(geometry).__name__}")


class Pyb2d3World(PeerWorld):
    """Box2D 3.1 by nanobind."""

    def __init__(
        self, *, keep: bool = False, gravity: Point = (0.0, -10.0), sleeping: bool = True, continuous: bool = True
    ) -> None:
        super().__init__(keep=keep)
        self.engine: Any = importlib.import_module("pyb2d3")
        self.raw = self.engine.World(gravity=_pair(gravity))
        self.raw.sleeping_enabled = sleeping
        self.raw.continuous_enabled = continuous

    def step(self, dt: float = 1 / 60, substeps: int = 4) -> None:
        self.raw.step(dt, substeps)

    def close(self) -> None:
        self.shapes.clear()
        self.raw = None  # its destructor destroys the world

    def _add_body(
        self,
        kind: str,
        position: Point,
        angle: float,
        *,
        linear_velocity: Point = (0, 0),
        angular_velocity: float = 0.0,
        linear_damping: float = 0.0,
        sleep_threshold: float = 0.05,
        awake: bool = True,
        can_sleep: bool = True,
        **fields: Any,
    ) -> PeerBody:
        _refuse("body", fields)
        body_def = self.engine.BodyDef()
        body_def.type = getattr(self.engine.BodyType, kind.upper())
        body_def.position = _pair(position)
        if angle:
            body_def.rotation = self.engine.make_rot(angle)
        body_def.linear_velocity = _pair(linear_velocity)
        body_def.angular_velocity = angular_velocity
        body_def.linear_damping = linear_damping
        body_def.sleep_threshold = sleep_threshold
        body_def.enable_sleep = can_sleep
        body_def.is_awake = awake
        return Pyb2d3Body(self, self.raw.create_body_from_def(body_def), kind)

    def _add_revolute(
        self,
        a: PeerBody,
        b: PeerBody,
        frame_a: Frame,
        frame_b: Frame,
        *,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        **fields: Any,
    ) -> PeerJoint:
        joint_def = self.engine.RevoluteJointDef()
        joint_def.body_a, joint_def.body_b = a.raw, b.raw
        joint_def.local_anchor_a, joint_def.local_anchor_b = _pair(frame_a.point), _pair(frame_b.point)
        joint_def.reference_angle = frame_a.angle - frame_b.angle
        for name, value in fields.items():
            if not hasattr(joint_def, name):
                raise CannotExpress(f"revolute joint: {name}")
            setattr(joint_def, name, value)
        self.raw.create_revolute_joint(joint_def)
        return PeerJoint()


class PymunkJoint(PeerJoint):
    __slots__ = ("parts",)

    def __init__(self, parts: list[Any]) -> None:
        super().__init__()
        self.parts = parts


class PymunkBody(PeerBody):
    __slots__ = ()

    @property
    def linear_velocity(self) -> tuple[float, float]:
        velocity = self.raw.velocity
        return velocity.x, velocity.y

    @linear_velocity.setter
    def linear_velocity(self, value: Point) -> None:
        self.raw.velocity = _pair(value)

    @property
    def awake(self) -> bool:  # type: ignore[override]
        return not self.raw.is_sleeping

    def _add_shape(
        self,
        geometry: Any,
        *,
        density: float = 1.0,
        friction: float = 0.6,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,  # unknown to pymunk, and only a detail of the scenes that set it
        filter: Filter | None = None,
        hit_events: bool = False,
        **fields: Any,
    ) -> None:
        _refuse("shape", fields)
        shape = _pymunk_geometry(self.world.engine, self.raw, geometry)  # type: ignore[attr-defined]
        shape.density = density
        shape.friction = math.sqrt(friction)
        shape.elasticity = restitution
        if filter is not None:
            word = 2**32 - 1
            shape.filter = self.world.engine.ShapeFilter(  # type: ignore[attr-defined]
                group=-filter.group if filter.group < 0 else 0,
                categories=filter.category & word,
                mask=filter.mask & word,
            )
        self.world.raw.add(shape)

    def _remove(self) -> None:
        space = self.world.raw
        space.remove(*self.raw.constraints, *self.raw.shapes, self.raw)


def _pymunk_geometry(engine: Any, body: Any, geometry: Any) -> Any:
    if isinstance(geometry, Circle):
        return engine.Circle(body, geometry.radius, _pair(geometry.center))
    if isinstance(geometry, Capsule):
        return engine.Segment(body, _pair(geometry.p1), _pair(geometry.p2), geometry.radius)
    if isinstance(geometry, Segment):
        return engine.Segment(body, _pair(geometry.p1), _pair(geometry.p2), 0.0)
    if isinstance(geometry, (Polygon, Box)):
        return engine.Poly(body, [_pair(v) for v in geometry.vertices], radius=geometry.radius)
    raise CannotExpress(f"geometry {type(geometry).__name__}")


class PymunkWorld(PeerWorld):
    """Chipmunk; 10 iterations and one step of dt, its own way of working, whatever `substeps` says."""

    def __init__(
        self, *, keep: bool = False, gravity: Point = (0.0, -10.0), sleeping: bool = True, continuous: bool = True
    ) -> None:
        super().__init__(keep=keep)
        self.engine: Any = importlib.import_module("pymunk")
        self.raw = self.engine.Space()
        self.raw.gravity = _pair(gravity)
        if sleeping:
            self.raw.sleep_time_threshold = 0.5
            self.raw.idle_speed_threshold = 0.05
        self.asleep: list[Any] = []  # created asleep: pymunk can do so once the body has its shapes

    def step(self, dt: float = 1 / 60, substeps: int = 4) -> None:
        while self.asleep:
            self.asleep.pop().sleep()
        self.raw.step(dt)

    def close(self) -> None:
        self.shapes.clear()
        self.raw = None

    def _add_body(
        self,
        kind: str,
        position: Point,
        angle: float,
        *,
        linear_velocity: Point = (0, 0),
        angular_velocity: float = 0.0,
        linear_damping: float = 0.0,  # only some limbs of the human have it
        sleep_threshold: float = 0.05,
        awake: bool = True,
        **fields: Any,
    ) -> PeerBody:
        _refuse("body", fields)
        body = self.engine.Body(body_type=getattr(self.engine.Body, kind.upper()))
        body.position = _pair(position)
        body.angle = angle
        body.velocity = _pair(linear_velocity)
        body.angular_velocity = angular_velocity
        self.raw.add(body)
        if not awake:
            self.asleep.append(body)
        return PymunkBody(self, body, kind)

    def _add_revolute(
        self,
        a: PeerBody,
        b: PeerBody,
        frame_a: Frame,
        frame_b: Frame,
        *,
        enable_limit: bool = False,
        lower_angle: float = 0.0,
        upper_angle: float = 0.0,
        enable_motor: bool = False,
        motor_speed: float = 0.0,
        max_motor_torque: float = 0.0,
        enable_spring: bool = False,
        hertz: float = 0.0,
        damping_ratio: float = 0.0,
        collide_connected: bool = False,
        joint_hertz: float | None = None,
        joint_damping_ratio: float | None = None,
        **fields: Any,
    ) -> PeerJoint:
        _refuse("revolute joint", fields)
        if "dynamic" not in (a.type, b.type):
            return PymunkJoint([])  # holds nothing, and pymunk refuses it
        engine, rest = self.engine, frame_a.angle - frame_b.angle
        parts = [engine.PivotJoint(a.raw, b.raw, _pair(frame_a.point), _pair(frame_b.point))]
        if enable_limit:
            parts.append(engine.RotaryLimitJoint(a.raw, b.raw, lower_angle + rest, upper_angle + rest))
        if enable_motor:
            motor = engine.SimpleMotor(a.raw, b.raw, -motor_speed)  # its rate is that of a against b
            motor.max_force = max_motor_torque
            parts.append(motor)
        if enable_spring:
            sides = [body.raw.moment for body in (a, b) if body.type == "dynamic"]
            inertia = 1 / sum(1 / moment for moment in sides)
            omega = 2 * math.pi * hertz
            stiffness, damping = inertia * omega * omega, 2 * damping_ratio * inertia * omega
            parts.append(engine.DampedRotarySpring(a.raw, b.raw, -rest, stiffness, damping))
        for part in parts:
            part.collide_bodies = collide_connected
        self.raw.add(*parts)
        return PymunkJoint(parts)
