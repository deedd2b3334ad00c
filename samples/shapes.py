"""Shapes: forms, chains, sensors, filters."""

from __future__ import annotations

import itertools
import math

import box2dpy as b2

from ._sample import Choice, Sample, Slider, Toggle


class AllForms(Sample):
    """Circles, capsules, boxes, polygons of up to eight corners and rounded ones: one kernel for each pair of forms,
    one colour for each form."""

    name = "All forms"
    category = "Shapes"
    camera = (-9, -1, 9, 13)
    frames = 260
    count = Slider(120, 10, 600, restart=True)
    radius = Slider(0.08, 0.0, 0.2, unit="m", label="rounding", restart=True)

    def build(self, world: b2.World) -> None:
        bin_ = world.create_static_body()
        bin_.create_shape(b2.Box(7, 0.4, (0, -0.4)))
        for side in (-1, 1):
            bin_.create_shape(b2.Capsule((7 * side, 0), (8 * side, 9), 0.3))
        corners = [
            [(0.45 * math.cos(2 * math.pi * k / n), 0.45 * math.sin(2 * math.pi * k / n)) for k in range(n)]
            for n in range(3, 9)
        ]
        forms: list[b2.Geometry] = [b2.Circle(0.4), b2.Capsule((-0.35, 0), (0.35, 0), 0.22), b2.Box(0.42, 0.3)]
        forms += [b2.Polygon(each, radius=self.radius * (n % 2)) for n, each in enumerate(corners)]
        for k in range(self.count):
            row, column = divmod(k, 12)
            body = world.create_dynamic_body((column - 5.5 + 0.2 * math.sin(7 * k), 2 + 1.1 * row), 0.7 * k)
            body.create_shape(forms[k % len(forms)])


class ChainTerrain(Sample):
    """A chain is a line of one-sided segments that know their neighbours, so what slides over its joints feels no edge.
    Separate segments make boxes stumble."""

    name = "Chain or segments"
    category = "Shapes"
    camera = (-16, -4, 16, 8)
    frames = 110
    ground_kind = Choice("chain", ("chain", "segments"), label="ground", restart=True)
    speed = Slider(12.0, 2.0, 30.0, unit="m/s", restart=True)

    def build(self, world: b2.World) -> None:
        points = [(x * 0.5, 0.25 * math.sin(0.4 * x)) for x in range(60, -61, -1)]
        ground = world.create_static_body()
        if self.ground_kind == "chain":
            ground.create_chain(points, friction=0.0)
        else:
            for a, b in itertools.pairwise(points):
                ground.create_shape(b2.Segment(a, b), friction=0.0)
        for k in range(5):
            box = world.create_dynamic_body((-14 + 1.2 * k, 0.8), linear_velocity=(self.speed, 0), can_sleep=False)
            box.create_shape(b2.Box(0.4, 0.25), friction=0.0)

    def status(self) -> str:
        spin = max(abs(body.angular_velocity) for body in self.world.bodies)
        return f"fastest turning {spin:.2f} rad/s"


class Sensors(Sample):
    """A sensor pushes nothing and knows which shapes overlap it. What is inside is coloured here by the events of its begin
    and end."""

    name = "Sensors"
    category = "Shapes"
    camera = (-10, -1.5, 10, 10)
    moving = Toggle(True, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        zone = world.create_kinematic_body((0, 3.5), linear_velocity=(2.5 if self.moving else 0, 0))
        self.zone = zone.create_shape(b2.Circle(3), sensor=True, color=0xE8C547)
        for k in range(30):
            body = world.create_dynamic_body((-8 + 16 * (k * 0.618 % 1), 2 + 0.8 * k), angular_velocity=1.0)
            body.create_shape(b2.Box(0.3, 0.3), sensor_events=True, restitution=0.5)

    def step(self, world: b2.World) -> None:
        for event in world.events.sensor_begin:
            event.visitor.color = 0x4FB06D
        for event in world.events.sensor_end:
            if event.visitor.alive:
                event.visitor.color = 0
        body = self.zone.body
        if abs(body.position.x) > 6:
            body.linear_velocity = -math.copysign(2.5, body.position.x), 0

    def status(self) -> str:
        return f"{len(self.zone.overlaps)} inside"
