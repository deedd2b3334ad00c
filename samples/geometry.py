"""Geometry without a world: distances, manifolds, time of impact."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Choice, Sample, Slider

FORMS: dict[str, b2.Geometry] = {
    "box": b2.Box(1.4, 0.8),
    "circle": b2.Circle(1.0),
    "capsule": b2.Capsule((-1, 0), (1, 0), 0.5),
    "triangle": b2.Polygon([(0, 1.3), (-1.2, -0.8), (1.2, -0.8)], radius=0.1),
}


class Distances(Sample):
    """`b2.distance` of two shapes at any poses, by the algorithm of Gilbert, Johnson and Keerthi: nearest points, distance and
    normal. One shape goes round by itself."""

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
        return b2.distance(FORMS[self.first], FORMS[self.second], position_b=b.position, angle_b=b.angle, position_a=a.position)

    def draw(self, draw: b2.DrawList) -> None:
        found = self.measure()
        draw.line(found.point_a, found.point_b, "yellow")
        draw.dot(found.point_a, "orange", 8)
        draw.dot(found.point_b, "cyan", 8)

    def status(self) -> str:
        return f"distance {self.measure().distance:.3f} m"
