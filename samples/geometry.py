"""Geometry without a world: distances, manifolds, time of impact."""

from __future__ import annotations

import math
import random

import numpy as np

import box2dpy as b2

from ._parts import ring
from ._sample import Button, Choice, Sample, Slider, Toggle

FORMS: dict[str, b2.Geometry] = {
    "box": b2.Box(1.4, 0.8),
    "circle": b2.Circle(1.0),
    "capsule": b2.Capsule((-1, 0), (1, 0), 0.5),
    "triangle": b2.Polygon([(0, 1.3), (-1.2, -0.8), (1.2, -0.8)], radius=0.1),
}


class Distances(Sample):
    """`b2.distance` of two shapes at any poses, by the algorithm of Gilbert, Johnson and Keerthi: the nearest points,
    the distance and the normal. One shape moves around the other."""

    name = "Distance of two shapes"
    category = "Geometry"
    camera = (-8, -5, 8, 5)
    first = Choice("box", tuple(FORMS))
    second = Choice("triangle", tuple(FORMS))
    turn = Slider(0.4, 0.0, 3.0, unit="rad/s", label="rate")

    def build(self, world: b2.World) -> None:
        self.body = world.create_kinematic_body((0, 0))
        self.shape = self.body.create_shape(FORMS[self.first])
        self.mover = world.create_kinematic_body((4, 0))
        self.other = self.mover.create_shape(FORMS[self.second])

    def changed(self, control: str) -> None:
        self.shape.geometry, self.other.geometry = FORMS[self.first], FORMS[self.second]

    def step(self, world: b2.World) -> None:
        angle = self.turn * self.time
        self.mover.position = 4.2 * math.cos(angle), 2.4 * math.sin(angle)
        self.mover.angle = 1.7 * angle

    def measure(self) -> b2.Distance:
        a, b = self.body, self.mover
        return b2.distance(
            FORMS[self.first], FORMS[self.second], position_b=b.position, angle_b=b.angle, position_a=a.position
        )

    def draw(self, draw: b2.DrawList) -> None:
        found = self.measure()
        draw.line(found.point_a, found.point_b, "yellow")
        draw.dot(found.point_a, "orange", 8)
        draw.dot(found.point_b, "cyan", 8)

    def status(self) -> str:
        return f"distance {self.measure().distance:.3f} m"


class Manifolds(Sample):
    """`b2.collide` computes the contact points that the engine would use: one or two points and a normal. Pairs of
    shapes turn slowly through each other. The length of a bar shows the overlap."""

    name = "Manifolds"
    category = "Geometry"
    camera = (-12, -8, 12, 8)
    rate = Slider(0.5, 0.0, 3.0, unit="rad/s")
    gap = Slider(-0.1, -0.6, 0.3, unit="m")

    def build(self, world: b2.World) -> None:
        self.pairs = []
        for k, (first, second) in enumerate((a, b) for i, a in enumerate(FORMS) for b in list(FORMS)[i:]):
            at = b2.Vec2(-9 + 4.5 * (k % 5), 3.5 - 7 * (k // 5))
            lower, upper = world.create_kinematic_body(at - (0, 0.9)), world.create_kinematic_body(at + (0, 0.9))
            lower.create_shape(FORMS[first], color=0x4C8FE5)
            upper.create_shape(FORMS[second], color=0x4FB06D)
            self.pairs.append((lower, FORMS[first], upper, FORMS[second], at))

    def step(self, world: b2.World) -> None:
        for lower, first, upper, second, at in self.pairs:
            upper.angle = self.rate * self.time
            lower.angle = -0.6 * self.rate * self.time
            top = first.aabb((0, 0), lower.angle).upper.y - second.aabb((0, 0), upper.angle).lower.y
            upper.position = at.x, lower.position.y + top + self.gap

    def draw(self, draw: b2.DrawList) -> None:
        for lower, first, upper, second, _ in self.pairs:
            found = b2.collide(
                first,
                second,
                position_a=lower.position,
                angle_a=lower.angle,
                position_b=upper.position,
                angle_b=upper.angle,
                speculative_distance=0.3,
            )
            for point in found.points:
                draw.dot(point.point, "red" if point.separation < 0 else "yellow", 8)
                draw.arrow(point.point, point.point + 0.7 * found.normal, "white")

    def status(self) -> str:
        return "red: overlapping, yellow: within 0.3 m"


class Impacts(Sample):
    """`b2.time_of_impact` tells when two shapes that move and turn first touch. The picture shows the start, the end
    and the moment of impact; before that moment the shapes do not overlap."""

    name = "Time of impact"
    category = "Geometry"
    camera = (-12, -7, 12, 7)
    first = Choice("box", tuple(FORMS))
    second = Choice("triangle", tuple(FORMS))
    spin = Slider(2.5, -6.0, 6.0, unit="rad")

    def build(self, world: b2.World) -> None:
        self.clock = 0.0
        self.still, self.mover = world.create_static_body((0, 0), 0.3), world.create_kinematic_body()
        self.shapes = self.still.create_shape(FORMS[self.first]), self.mover.create_shape(FORMS[self.second])

    def changed(self, control: str) -> None:
        for shape, form in zip(self.shapes, (self.first, self.second), strict=True):
            shape.geometry = FORMS[form]

    def step(self, world: b2.World) -> None:
        self.clock = self.time
        start, way = self.motion()
        share = self.find().fraction
        self.mover.position, self.mover.angle = start + way * share, self.spin * share

    def motion(self) -> tuple[b2.Vec2, b2.Vec2]:
        return b2.Vec2(-9, 3 * math.sin(0.5 * self.clock)), b2.Vec2(17, -4 * math.sin(0.5 * self.clock + 0.6))

    def find(self) -> b2.TimeOfImpact:
        start, way = self.motion()
        return b2.time_of_impact(
            FORMS[self.first],
            FORMS[self.second],
            angle_a=0.3,
            position_b=start,
            translation_b=way,
            rotation_b=self.spin,
        )

    def draw(self, draw: b2.DrawList) -> None:
        start, way = self.motion()
        found = self.find()
        draw.arrow(start, start + way, 0x3A4250)
        for k in range(12):
            share = found.fraction * k / 12
            color = (int(60 + 180 * k / 12), int(60 + 100 * k / 12), 60)
            draw.shape(FORMS[self.second], start + way * share, self.spin * share, color)
        draw.shape(FORMS[self.second], start + way, self.spin, 0x3A4250)
        if found.state == "hit":
            draw.dot(found.point, "red", 10)
            draw.arrow(found.point, found.point + found.normal, "yellow")

    def status(self) -> str:
        found = self.find()
        return f"{found.state} at {found.fraction:.4f} of the way"


class Hulls(Sample):
    """The convex hull of eight moving points, as `b2.Polygon` computes it: the vertices are in counter-clockwise order
    and inner points are dropped. Centre and inertia follow from its mass."""

    name = "Convex hull"
    category = "Geometry"
    options = {"gravity": (0, 0)}
    camera = (-10, -6, 10, 6)
    count = Slider(8, 3, 8)
    radius = Slider(0.0, 0.0, 1.0, unit="m")

    def build(self, world: b2.World) -> None:
        rng = random.Random(12)
        self.paths = [
            [rng.uniform(0.2, 0.8) for _ in range(2)] + [rng.uniform(0, 6) for _ in range(2)] for _ in range(8)
        ]
        self.center = world.create_kinematic_body()
        self.center.create_shape(b2.Circle(0.2))

    def step(self, world: b2.World) -> None:
        hull = self.hull()
        if hull is not None:
            self.center.position = hull.mass_data().center

    def points(self) -> list[tuple[float, float]]:
        return [
            (6.5 * math.sin(a * self.time + c), 4.2 * math.cos(b * self.time + d))
            for a, b, c, d in self.paths[: int(self.count)]
        ]

    def hull(self) -> b2.Polygon | None:
        try:
            return b2.Polygon(self.points(), radius=self.radius)
        except ValueError:  # the points have no area at the moment
            return None

    def draw(self, draw: b2.DrawList) -> None:
        hull = self.hull()
        if hull is not None:
            draw.fill(hull.vertices, "teal", 0.35)
            draw.shape(hull, (0, 0), 0, "teal")
            draw.dots(hull.vertices, "yellow", 9)
        draw.dots(self.points(), "white", 5)

    def status(self) -> str:
        hull = self.hull()
        if hull is None:
            return "no area"
        data = hull.mass_data()
        return f"{len(hull.vertices)} corners, area {data.mass:.2f} m^2, inertia {data.inertia:.1f} kg m^2"


class Areas(Sample):
    """Areas by counting: random points are tested with `contains_points`, and the result is compared with the exact
    `mass_data`. The error of this Monte Carlo method falls with the square root of the number of points."""

    name = "Inside or outside"
    category = "Geometry"
    camera = (-11, -5.5, 11, 5.5)
    form = Choice("triangle", tuple(FORMS))
    each_step = Slider(50, 1, 500)

    def build(self, world: b2.World) -> None:
        self.rng = np.random.default_rng(3)
        self.inside, self.points = np.zeros(0, bool), np.zeros((0, 2))
        self.last = world.create_kinematic_body()
        self.last.create_shape(b2.Circle(0.1))

    def changed(self, control: str) -> None:
        self.inside, self.points = self.inside[:0], self.points[:0]

    def step(self, world: b2.World) -> None:
        more = self.rng.uniform((-1.6, -1.6), (1.6, 1.6), (int(self.each_step), 2))
        self.points = np.vstack([self.points, more])
        self.last.position = 3 * more[-1]
        self.inside = np.concatenate([self.inside, FORMS[self.form].contains_points(more)])

    def draw(self, draw: b2.DrawList) -> None:
        shown = self.points[-4000:] * 3
        inside = self.inside[-4000:]
        draw.dots(shown[inside], "lime", 3)
        draw.dots(shown[~inside], 0x4A4250, 3)
        draw.box((-4.8, -4.8), (4.8, 4.8), "grey")

    def status(self) -> str:
        exact = FORMS[self.form].mass_data().mass
        count = max(len(self.inside), 1)
        share = float(self.inside.sum()) / count
        error = 10.24 * math.sqrt(share * (1 - share) / count)
        return f"{count} points: {10.24 * share:.3f} +- {error:.3f} m^2, exactly {exact:.3f} m^2"


class CastPair(Sample):
    """`b2.shape_cast` of two shapes: a fan of casts from the left, each stopped where it first touches. No world is
    needed. The grey shapes are the starts."""

    name = "Casts of two shapes"
    category = "Geometry"
    camera = (-12, -7, 12, 7)
    target = Choice("capsule", tuple(FORMS))
    moving = Choice("box", tuple(FORMS))
    all_ways = Toggle(True, label="a fan of casts")

    def build(self, world: b2.World) -> None:
        self.turn = 0.0
        self.kick = 0.4
        self.body = world.create_kinematic_body((3, 0))
        self.shape = self.body.create_shape(FORMS[self.target])

    def changed(self, control: str) -> None:
        self.shape.geometry = FORMS[self.target]

    @Button
    def reverse(self) -> None:
        self.kick = -self.kick

    def step(self, world: b2.World) -> None:
        self.turn += self.kick / 60
        self.body.angle = self.turn

    def draw(self, draw: b2.DrawList) -> None:
        target, moving = FORMS[self.target], FORMS[self.moving]
        draw.shape(moving, (-9, 0), 0, "grey")
        for k in range(-5, 6) if self.all_ways else (0,):
            way = b2.Vec2(18, 0).rotated(0.06 * k)
            hit = b2.shape_cast(target, moving, way, position_a=(3, 0), angle_a=self.turn, position_b=(-9, 0))
            end = b2.Vec2(-9, 0) + way * (1 if hit is None else hit.fraction)
            draw.line((-9, 0), end, 0x3A4250)
            if hit is not None:
                draw.shape(moving, end, 0, "orange")
                draw.arrow(hit.point, hit.point + 0.6 * hit.normal, "yellow")

    def status(self) -> str:
        found = b2.distance(
            FORMS[self.target], FORMS[self.moving], position_a=(3, 0), angle_a=self.turn, position_b=(-9, 0)
        )
        return f"distance at the start {found.distance:.3f} m"


class StarOfRays(Sample):
    """`geometry.ray_cast` of every kind of geometry from all sides: the picture shows where each ray enters and the
    normal at that point. Rays in the remaining gaps miss the geometry."""

    name = "Rays at one shape"
    category = "Geometry"
    camera = (-11, -4, 11, 4)
    rays = Slider(40, 4, 200)
    offset = Slider(0.3, -1.0, 1.0, unit="m")

    def build(self, world: b2.World) -> None:
        self.bodies = []
        for k, form in enumerate([*FORMS.values(), b2.Polygon(ring(8, 1.2))]):
            body = world.create_kinematic_body((-8.5 + 4.2 * k, 0), angular_velocity=0.4 * (-1) ** k)
            body.create_shape(form)
            self.bodies.append((body, form))

    def draw(self, draw: b2.DrawList) -> None:
        for body, form in self.bodies:
            for n in range(int(self.rays)):
                way = b2.Vec2(-1, 0).rotated(2 * math.pi * n / self.rays)
                start = -2 * way + self.offset * way.perpendicular()
                hit = form.ray_cast(start.rotated(-body.angle), 4 * way.rotated(-body.angle))
                if hit is not None:
                    point = body.world_point(hit.point)
                    draw.line(body.position + start, point, 0x5A6B40)
                    draw.line(point, point + 0.3 * body.world_vector(hit.normal), "yellow")
