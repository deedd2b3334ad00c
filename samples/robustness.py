"""Robustness: what is hard for a solver."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Sample, Slider


class HeavyOnLight(Sample):
    """A block that is 400 times heavier on two light boxes. The soft step neither explodes nor lets it sink away;
    the status says how deep they are pressed."""

    name = "Heavy on light"
    category = "Robustness"
    camera = (-8, -1.5, 8, 9)
    ratio = Slider(400.0, 1.0, 2000.0, log=True, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world)
        for x in (-2, 2):
            world.create_dynamic_body((x, 0.5)).create_shape(b2.Box(0.5, 0.5))
        self.block = world.create_dynamic_body((0, 3))
        self.block.create_shape(b2.Box(4, 2), density=self.ratio / 32)

    def status(self) -> str:
        return f"the block is {1000 * (3 - self.block.position.y):.1f} mm too low"


class Overlaps(Sample):
    """Forty boxes start inside each other. They are pushed apart at no more than `contact_push_speed`, so nothing is shot
    away."""

    name = "Overlaps"
    category = "Robustness"
    camera = (-10, -1.5, 10, 11)
    frames = 90
    push = Slider(3.0, 0.5, 20.0, unit="m/s", label="push speed")

    def build(self, world: b2.World) -> None:
        self.ground(world)
        for k in range(40):
            angle = 2.4 * k
            body = world.create_dynamic_body((0.04 * k * math.cos(angle), 3 + 0.04 * k * math.sin(angle)), angle)
            body.create_shape(b2.Box(0.5, 0.5))

    def changed(self, control: str) -> None:
        self.world.contact_push_speed = self.push

    def status(self) -> str:
        speed = max(body.linear_velocity.length for body in self.world.bodies)
        return f"fastest {speed:.1f} m/s"
