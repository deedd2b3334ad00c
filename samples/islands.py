"""Islands: who may sleep together; merge and split as they happen."""

from __future__ import annotations

import box2dpy as b2

from ._sample import Button, Sample


class MergeAndSplit(Sample):
    """A bar joins two towers into one island, in one colour; lifting it ends the contacts, and the next step's search splits
    the island. Colours show islands here."""

    name = "Merge and split"
    category = "Islands"
    camera = (-10, -1.5, 10, 10)
    color_by = "island"
    options = {"sleep_time": 1.0}

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        for x in (-3, 3):
            for k in range(5):
                world.create_dynamic_body((x, 0.5 + k)).create_shape(b2.Box(0.5, 0.5))
        self.bar = world.create_dynamic_body((0, 7))
        self.bar.create_shape(b2.Box(4.5, 0.25))

    @Button
    def lift_the_bar(self) -> None:
        self.bar.linear_velocity = 0, 7

    def status(self) -> str:
        counters = self.world.counters
        return f"{counters.islands} islands, {counters.awake_islands} awake"
