"""Events: what a step reports, as sequences and arrays."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Sample, Slider


class Hits(Sample):
    """Shapes with `hit_events` report fast impacts: place, normal and speed. Each spark is one event of
    `world.events.contact_hit`; its size is the approach speed."""

    name = "Hit events"
    category = "Events"
    camera = (-14, -1.5, 14, 13)
    frames = 100
    threshold = Slider(3.0, 0.5, 20.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        self.ground(world, 14)
        world.hit_threshold = self.threshold
        self.sparks: list[tuple[b2.Vec2, float, float]] = []
        for k in range(24):
            ball = world.create_dynamic_body((-11 + 22 * (k * 0.618 % 1), 6 + 0.9 * k))
            ball.create_shape(b2.Circle(0.25 + 0.02 * k), restitution=0.6, hit_events=True)

    def changed(self, control: str) -> None:
        self.world.hit_threshold = self.threshold

    def step(self, world: b2.World) -> None:
        self.sparks = [spark for spark in self.sparks if spark[2] > self.time - 0.4]
        self.sparks += [(hit.point, hit.approach_speed, self.time) for hit in world.events.contact_hit]

    def draw(self, draw: b2.DrawList) -> None:
        for point, speed, born in self.sparks:
            reach = 0.06 * speed * (0.3 + 2.5 * (self.time - born))
            for k in range(8):
                way = b2.Vec2(math.cos(k * math.pi / 4), math.sin(k * math.pi / 4))
                draw.line(point + 0.5 * reach * way, point + reach * way, "yellow")

    def status(self) -> str:
        return f"{self.world.counters.hits} hits in the last step, {len(self.sparks)} in the last 0.4 s"
