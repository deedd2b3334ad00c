"""Chipmunk through pymunk."""

from __future__ import annotations

import importlib
import math
from typing import Any

from box2dpy import Box, Capsule, Circle, Filter, Frame, Polygon, Segment

from .peer import CannotExpress, PeerBody, PeerJoint, PeerWorld, Place, Point, pair, refuse


class PymunkJoint(PeerJoint):
    __slots__ = ("parts",)

    def __init__(self, parts: list[Any]) -> None:
        super().__init__()
        self.parts = parts

    @property
    def constraint_force(self) -> tuple[float, float]:  # its length
        dt = self.parts[0].a.space.current_time_step
        return self.parts[0].impulse / dt, 0.0


class PymunkBody(PeerBody):
    __slots__ = ()
    VELOCITY = "velocity"

    @property
    def contact_force(self) -> tuple[float, float]:
        total = [0.0, 0.0]

        def add(arbiter: Any) -> None:
            total[0] += arbiter.total_impulse.x
            total[1] += arbiter.total_impulse.y

        self.raw.each_arbiter(add)
        dt = self.raw.space.current_time_step
        return total[0] / dt, total[1] / dt

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
        refuse("shape", fields)
        shape = _pymunk_geometry(self.world.engine, self.raw, geometry)  # type: ignore[attr-defined]
        shape.density = density
        shape.friction = math.sqrt(friction)
        shape.elasticity = math.sqrt(restitution)
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
        return engine.Circle(body, geometry.radius, pair(geometry.center))
    if isinstance(geometry, Capsule):
        return engine.Segment(body, pair(geometry.p1), pair(geometry.p2), geometry.radius)
    if isinstance(geometry, Segment):
        return engine.Segment(body, pair(geometry.p1), pair(geometry.p2), 0.0)
    if isinstance(geometry, (Polygon, Box)):
        return engine.Poly(body, [pair(v) for v in geometry.vertices], radius=geometry.radius)
    raise CannotExpress(f"geometry {type(geometry).__name__}")


class PymunkWorld(PeerWorld):
    """Chipmunk, with its own method: one step of `dt` with 10 iterations. It ignores `substeps`."""

    def __init__(
        self, *, keep: bool = False, gravity: Point = (0.0, -10.0), sleeping: bool = True, continuous: bool = True
    ) -> None:
        super().__init__(keep=keep)
        self.engine: Any = importlib.import_module("pymunk")
        self.raw = self.engine.Space()
        self.raw.gravity = pair(gravity)
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
        refuse("body", fields)
        body = self.engine.Body(body_type=getattr(self.engine.Body, kind.upper()))
        body.position = pair(position)
        body.angle = angle
        body.velocity = pair(linear_velocity)
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
        refuse("revolute joint", fields)
        if "dynamic" not in (a.type, b.type):
            return PymunkJoint([])  # holds nothing, and pymunk refuses it
        engine, rest = self.engine, frame_a.angle - frame_b.angle
        parts = [engine.PivotJoint(a.raw, b.raw, pair(frame_a.point), pair(frame_b.point))]
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
        return self._joint(parts, collide_connected)

    def _add_weld(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place) -> PeerJoint:
        engine = self.engine
        parts = [engine.PivotJoint(a.raw, b.raw, at_a, at_b), engine.GearJoint(a.raw, b.raw, b.angle - a.angle, 1.0)]
        return self._joint(parts)

    def _add_slide(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, axis: Place) -> PeerJoint:
        engine, far = self.engine, 1000.0  # m: pymunk's grooves have ends
        ends = [(at_a[0] + side * far * axis[0], at_a[1] + side * far * axis[1]) for side in (-1, 1)]
        parts = [engine.GrooveJoint(a.raw, b.raw, *ends, at_b), engine.GearJoint(a.raw, b.raw, b.angle - a.angle, 1.0)]
        return self._joint(parts)

    def _add_rod(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float) -> PeerJoint:
        rod = self.engine.PinJoint(a.raw, b.raw, at_a, at_b)
        rod.distance = length
        return self._joint([rod])

    def _add_rope(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float) -> PeerJoint:
        return self._joint([self.engine.SlideJoint(a.raw, b.raw, at_a, at_b, 0.0, length)])

    def _add_spring(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float, hertz: float) -> PeerJoint:
        mass = 1 / sum(1 / body.raw.mass for body in (a, b) if body.type == "dynamic")
        omega = 2 * math.pi * hertz
        spring = self.engine.DampedSpring(a.raw, b.raw, at_a, at_b, length, mass * omega * omega, 0.0)
        return self._joint([spring])

    def _joint(self, parts: list[Any], collide: bool = False) -> PeerJoint:
        for part in parts:
            part.collide_bodies = collide
        self.raw.add(*parts)
        return PymunkJoint(parts)
