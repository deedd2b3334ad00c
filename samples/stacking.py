"""Stacking: towers, walls and pyramids that must stand."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Button, Sample, Slider


class Tower(Sample):
    """One column of boxes. The lowest carries all others, so sinking and sway show how stiff contacts are;
    more substeps make them stiffer."""

    name = "Tower"
    category = "Stacking"
    camera = (-12, -1.5, 12, 14)
    boxes = Slider(12, 2, 40, restart=True)
    friction = Slider(0.6, 0.0, 1.0, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world)
        self.tower = [world.create_dynamic_body((0, 0.5 + k)) for k in range(self.boxes)]
        for body in self.tower:
            body.create_shape(b2.Box(0.5, 0.5), friction=self.friction)

    @Button
    def throw_a_ball(self) -> None:
        ball = self.world.create_dynamic_body((-20, 3), linear_velocity=(40, 4), bullet=True)
        ball.create_shape(b2.Circle(0.4), density=8)

    def status(self) -> str:
        top = self.tower[-1].position.y
        return f"the top is {1000 * (len(self.tower) - 0.5 - top):.1f} mm lower than stacked"


class Arch(Sample):
    """Wedge stones carry each other and two blocks without mortar. Only friction keeps the feet from sliding:
    below about 0.3 the arch falls."""

    name = "Arch"
    category = "Stacking"
    camera = (-12, -1.5, 12, 12)
    stones = Slider(9, 5, 25, restart=True)
    friction = Slider(0.6, 0.0, 1.0, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, friction=self.friction)
        inner, outer = 5.0, 6.6
        for k in range(self.stones):
            turns = [math.pi * (k + side) / self.stones for side in (0, 1)]
            corners = [
                (r * math.cos(turn), r * math.sin(turn))
                for r, turn in ((inner, turns[0]), (outer, turns[0]), (outer, turns[1]), (inner, turns[1]))
            ]
            world.create_dynamic_body().create_shape(b2.Polygon(corners), friction=self.friction)
        for k in range(2):
            world.create_dynamic_body((0, outer + 0.5 + k)).create_shape(b2.Box(1.5 - 0.5 * k, 0.5), friction=self.friction)
