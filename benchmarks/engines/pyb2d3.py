"""Box2D 3.1 through pyb2d3, a binding made with nanobind."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from box2dpy import Box, Capsule, Circle, Filter, Frame, Polygon, Segment

from .peer import CannotExpress, PeerBody, PeerJoint, PeerWorld, Place, Point, pair, refuse


class Pyb2d3Joint(PeerJoint):
    __slots__ = ("raw",)

    def __init__(self, raw: Any) -> None:
        super().__init__()
        self.raw = raw

    @property
    def constraint_force(self) -> tuple[float, float]:
        return pair(self.raw.get_constraint_force())


class Pyb2d3Body(PeerBody):
    __slots__ = ()

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
        refuse("shape", fields)
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
        refuse("chain", fields)
        engine = self.world.engine  # type: ignore[attr-defined]
        material = engine.SurfaceMaterial()
        material.friction, material.restitution = friction, restitution
        self.raw.create_chain(engine.chain_def(points, material=material, is_loop=True))

    def _remove(self) -> None:
        self.raw.destroy()


def _pyb2d3_geometry(engine: Any, geometry: Any) -> Any:
    if isinstance(geometry, Circle):
        return engine.circle(pair(geometry.center), geometry.radius)
    if isinstance(geometry, Capsule):
        return engine.capsule(pair(geometry.p1), pair(geometry.p2), geometry.radius)
    if isinstance(geometry, Segment):
        return engine.segment(pair(geometry.p1), pair(geometry.p2))
    if isinstance(geometry, (Polygon, Box)):
        points = [pair(v) for v in geometry.vertices]
        return engine.polygon(points=points, radius=geometry.radius or None)
    raise CannotExpress(f"geometry {type(geometry).__name__}")


class Pyb2d3World(PeerWorld):
    """Box2D 3.1 by nanobind."""

    def __init__(
        self, *, keep: bool = False, gravity: Point = (0.0, -10.0), sleeping: bool = True, continuous: bool = True
    ) -> None:
        super().__init__(keep=keep)
        self.engine: Any = importlib.import_module("pyb2d3")
        self.raw = self.engine.World(gravity=pair(gravity))
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
        refuse("body", fields)
        body_def = self.engine.BodyDef()
        body_def.type = getattr(self.engine.BodyType, kind.upper())
        body_def.position = pair(position)
        if angle:
            body_def.rotation = self.engine.make_rot(angle)
        body_def.linear_velocity = pair(linear_velocity)
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
        joint_def.local_anchor_a, joint_def.local_anchor_b = pair(frame_a.point), pair(frame_b.point)
        joint_def.reference_angle = frame_a.angle - frame_b.angle
        for name, value in fields.items():
            if not hasattr(joint_def, name):
                raise CannotExpress(f"revolute joint: {name}")
            setattr(joint_def, name, value)
        return Pyb2d3Joint(self.raw.create_revolute_joint(joint_def))

    def _add_weld(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place) -> PeerJoint:
        joint_def = self.engine.WeldJointDef()
        joint_def.body_a, joint_def.body_b = a.raw, b.raw
        joint_def.local_anchor_a, joint_def.local_anchor_b = at_a, at_b
        joint_def.reference_angle = b.angle - a.angle
        self.raw.create_weld_joint(joint_def)
        return PeerJoint()

    def _add_slide(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, axis: Place) -> PeerJoint:
        joint_def = self.engine.PrismaticJointDef()
        joint_def.body_a, joint_def.body_b = a.raw, b.raw
        joint_def.local_anchor_a, joint_def.local_anchor_b, joint_def.local_axis_a = at_a, at_b, axis
        joint_def.reference_angle = b.angle - a.angle
        self.raw.create_prismatic_joint(joint_def)
        return PeerJoint()

    def _add_rod(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float) -> PeerJoint:
        return self._distance(a, b, at_a, at_b, length=length)

    def _add_rope(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float) -> PeerJoint:
        """A spring without stiffness, because a rigid rod of Box2D has no limits."""
        return self._distance(
            a, b, at_a, at_b, length=length, enable_spring=True, hertz=0.0, enable_limit=True, min_length=0.0,
            max_length=length,
        )  # fmt: skip

    def _add_spring(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, length: float, hertz: float) -> PeerJoint:
        return self._distance(a, b, at_a, at_b, length=length, enable_spring=True, hertz=hertz, damping_ratio=0.0)

    def _distance(self, a: PeerBody, b: PeerBody, at_a: Place, at_b: Place, **fields: Any) -> PeerJoint:
        joint_def = self.engine.DistanceJointDef()
        joint_def.body_a, joint_def.body_b = a.raw, b.raw
        joint_def.local_anchor_a, joint_def.local_anchor_b = at_a, at_b
        for name, value in fields.items():
            setattr(joint_def, name, value)
        self.raw.create_distance_joint(joint_def)
        return PeerJoint()
