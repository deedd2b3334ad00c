"""Worlds: options compared side by side, worlds far from the origin."""

from __future__ import annotations

import box2dpy as b2

from ._sample import Sample, Slider


class SideBySide(Sample):
    """The same tower in two worlds that are stepped alike: the left with all options as they are, the right without warm
    starting. Impulses of the last step are what carries a stack."""

    name = "Side by side"
    category = "Worlds"
    camera = (-9, -1.5, 17, 14)
    frames = 60
    boxes = Slider(12, 2, 30, restart=True)

    def build(self, world: b2.World) -> None:
        self.tops = [self.tower(each) for each in (world, self.other_world((8, 0), warm_starting=False))]

    def tower(self, world: b2.World) -> b2.Body:
        self.ground(world, 3.5)
        for k in range(self.boxes):
            box = world.create_dynamic_body((0, 0.5 + k))
            box.create_shape(b2.Box(0.5, 0.5))
        return box

    def status(self) -> str:
        first, second = (1000 * (self.boxes - 0.5 - top.position.y) for top in self.tops)
        return f"top sunk by {first:.0f} mm and, without warm starting, {second:.0f} mm"


class FarAway(Sample):
    """Positions are float64 and all work is done on differences, so the same pile at 100 km from the origin settles as it does
    at home."""

    name = "Far away"
    category = "Worlds"
    frames = 150
    distance = Slider(1e5, 0.0, 1e6, unit="m", restart=True)

    def build(self, world: b2.World) -> None:
        x = self.distance
        world.create_static_body((x, -1)).create_shape(b2.Box(12, 1))
        for k in range(45):
            world.create_dynamic_body((x - 3 + 0.7 * (k % 9), 1 + 0.9 * (k // 9)), 0.3 * k).create_shape(b2.Box(0.3, 0.3))

    def status(self) -> str:
        return f"{self.distance / 1000:.0f} km from the origin"
