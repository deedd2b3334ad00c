"""The base of the other engines: the few calls of `box2dpy.World` and `box2dpy.Body` that the scenes use.

A subclass for each engine creates its bodies, shapes and joints. Bodies, shapes and joints are counted here, because
not every engine reports its counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from box2dpy import Frame

Point = Sequence[float]
Place = tuple[float, float]


class CannotExpress(Exception):
    """The engine lacks something that the scene needs."""


class Counts(NamedTuple):
    bodies: int
    shapes: int
    joints: int


class PeerShape(NamedTuple):
    """A shape as a picture needs it."""

    body: PeerBody
    geometry: Any


class PeerJoint:
    __slots__ = ("live",)

    def __init__(self) -> None:
        self.live = True

    @property
    def constraint_force(self) -> tuple[float, float]:
        """Of the last step, N."""
        raise CannotExpress("the force of a joint")


class PeerBody:
    """Base of the bodies; a subclass adds the engine's body and its properties."""

    __slots__ = ("joints", "raw", "shape_count", "type", "world")
    VELOCITY = "linear_velocity"  # its name in the engine

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
        velocity = getattr(self.raw, self.VELOCITY)
        return velocity.x, velocity.y

    @linear_velocity.setter
    def linear_velocity(self, value: Point) -> None:
        setattr(self.raw, self.VELOCITY, pair(value))

    @property
    def angular_velocity(self) -> float:
        return float(self.raw.angular_velocity)

    @property
    def contact_force(self) -> tuple[float, float]:
        """The sum over the contacts in the last step, N."""
        raise CannotExpress("the force of contacts")

    @property
    def mass(self) -> float:
        raise CannotExpress("the mass of a body other than through its density")

    @mass.setter
    def mass(self, value: float) -> None:
        raise CannotExpress("the mass of a body other than through its density")

    def create_shape(self, geometry: Any, **fields: Any) -> None:
        self.shape_count += 1
        self.world.count(shapes=1)
        if self.world.keep:
            self.world.shapes.append(PeerShape(self, geometry))
        self._add_shape(geometry, **fields)

    def create_chain(self, points: Sequence[Point], *, loop: bool = False, **fields: Any) -> None:
        if not loop:
            raise CannotExpress("open chains: engines differ in what their ends do")
        self._add_loop([pair(point) for point in points], **fields)
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

    def apply_buoyancy(self, region: Any, position: Point = (0, 0), **fields: Any) -> None:
        raise CannotExpress("water")

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
            local_anchor_a, local_anchor_b = local_point(body_a, anchor), local_point(body_b, anchor)
        if frame_a is None:
            frame_a = Frame(pair(local_anchor_a or (0, 0)), 0.0)
        if frame_b is None:
            frame_b = Frame(pair(local_anchor_b or (0, 0)), 0.0)
        return self._noted(body_a, body_b, self._add_revolute(body_a, body_b, frame_a, frame_b, **fields))

    def create_weld_joint(self, body_a: PeerBody, body_b: PeerBody, *, anchor: Point, **fields: Any) -> PeerJoint:
        refuse("weld joint", fields)
        places = local_point(body_a, anchor), local_point(body_b, anchor)
        return self._noted(body_a, body_b, self._add_weld(body_a, body_b, *places))

    def create_prismatic_joint(
        self, body_a: PeerBody, body_b: PeerBody, *, anchor: Point, axis: Point, **fields: Any
    ) -> PeerJoint:
        """Along a unit axis of the world."""
        refuse("prismatic joint", fields)
        places = local_point(body_a, anchor), local_point(body_b, anchor)
        (c, s), (x, y) = body_a.rotation, axis
        return self._noted(body_a, body_b, self._add_slide(body_a, body_b, *places, (c * x + s * y, c * y - s * x)))

    def create_rope_joint(
        self,
        body_a: PeerBody,
        body_b: PeerBody,
        *,
        max_length: float,
        local_anchor_a: Point = (0, 0),
        local_anchor_b: Point = (0, 0),
        **fields: Any,
    ) -> PeerJoint:
        refuse("rope joint", fields)
        places = pair(local_anchor_a), pair(local_anchor_b)
        return self._noted(body_a, body_b, self._add_rope(body_a, body_b, *places, max_length))

    def create_distance_joint(
        self,
        body_a: PeerBody,
        body_b: PeerBody,
        *,
        local_anchor_a: Point,
        local_anchor_b: Point,
        length: float | None = None,
        enable_spring: bool = False,
        hertz: float = 0.0,
        **fields: Any,
    ) -> PeerJoint:
        """A rigid rod, or an undamped spring. `length`: None takes the present distance."""
        refuse("distance joint", fields)
        places = pair(local_anchor_a), pair(local_anchor_b)
        if length is None:
            length = math.dist(world_point(body_a, places[0]), world_point(body_b, places[1]))
        if enable_spring:
            joint = self._add_spring(body_a, body_b, *places, length, hertz)
        else:
            joint = self._add_rod(body_a, body_b, *places, length)
        return self._noted(body_a, body_b, joint)

    def _noted(self, a: PeerBody, b: PeerBody, joint: PeerJoint) -> PeerJoint:
        self.count(joints=1)
        a.joints.append(joint)
        b.joints.append(joint)
        return joint

    def __getattr__(self, name: str) -> Any:
        if name.startswith("create_"):
            raise CannotExpress(name.removeprefix("create_").replace("_", " "))
        raise AttributeError(name)

    def step(self, dt: float = 1 / 60, substeps: int = 4) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def _add_body(self, kind: str, position: Point, angle: float, **fields: Any) -> PeerBody:
        raise NotImplementedError

    def _add_revolute(self, a: PeerBody, b: PeerBody, frame_a: Frame, frame_b: Frame, **fields: Any) -> PeerJoint:
        raise NotImplementedError

    def _add_weld(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place) -> PeerJoint:
        raise NotImplementedError

    def _add_slide(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, axis: Place) -> PeerJoint:
        raise NotImplementedError

    def _add_rod(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float) -> PeerJoint:
        raise NotImplementedError

    def _add_rope(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float) -> PeerJoint:
        raise NotImplementedError

    def _add_spring(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float, hertz: float) -> PeerJoint:
        raise NotImplementedError


def pair(point: Point) -> tuple[float, float]:
    x, y = point
    return float(x), float(y)


def local_point(body: PeerBody, point: Point) -> tuple[float, float]:
    (c, s), (x, y) = body.rotation, body.position
    dx, dy = point[0] - x, point[1] - y
    return c * dx + s * dy, c * dy - s * dx


def world_point(body: Any, point: Point) -> tuple[float, float]:
    """A point of a body in the world; also of those of box2dpy."""
    (x, y), c, s = body.position, math.cos(body.angle), math.sin(body.angle)
    return x + c * point[0] - s * point[1], y + s * point[0] + c * point[1]


def refuse(what: str, fields: dict[str, Any]) -> None:
    if fields:
        raise CannotExpress(f"{what}: {', '.join(sorted(fields))}")
