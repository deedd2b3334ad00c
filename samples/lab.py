"""The lab: strategies of the source documents side by side (docs/lab.md)."""

from __future__ import annotations

import numpy as np

import box2dpy as b2

from ._sample import Button, Choice, Sample, Slider


class IslandsFiveWays(Sample):
    """Five worlds find the islands of the same piles in five ways. `persistent` keeps them and touches only what
    changes; three others search all awake bodies in every step; `incremental` has no islands until bodies rest. The
    numbers count merged islands and visited bodies."""

    name = "Islands five ways"
    category = "Lab"
    camera = (-9, -2.5, 77, 32)
    frames = 200
    color_by = "island"

    def build(self, world: b2.World) -> None:
        self.worlds = [world]
        for k, way in enumerate(b2.lab.NAMES["islands"][1:5], 1):
            self.worlds.append(self.other_world((17.0 * k, 0), islands=way))
        self.visited = [0] * len(self.worlds)
        self.merges = [0] * len(self.worlds)
        for each in self.worlds:
            self.ground(each, 7)
            for pile in range(3):
                for k in range(12):
                    at = 4.5 * (pile - 1) + 0.1 * (k % 3), 0.5 + 1.05 * k
                    each.create_dynamic_body(at).create_shape(b2.Box(0.45, 0.45))

    def step(self, world: b2.World) -> None:
        for k, each in enumerate(self.worlds):
            counters = each.counters
            self.visited[k] += counters.bodies_traversed
            self.merges[k] += counters.islands_merged

    @Button
    def push(self) -> None:
        for each in self.worlds:
            each.body(20).linear_velocity = 6, 3

    def draw(self, draw: b2.DrawList) -> None:
        for k, each in enumerate(self.worlds):
            counters = each.counters
            draw.text((17.0 * k - 7, 19), each.strategies.islands, "yellow")
            draw.text((17.0 * k - 7, 17.8), f"{counters.islands} islands, {counters.awake_islands} awake")
            draw.text((17.0 * k - 7, 16.6), f"{self.merges[k]} merged, {self.visited[k]} visited")

    def status(self) -> str:
        return f"{self.world.counters.awake_bodies} of {self.world.counters.bodies} bodies awake"


class SearchStructures(Sample):
    """Six worlds find the pairs of the same drum with six broad phases, and draw the bounds in which they search: rows
    of a grid, nodes of a tree, strips of boxes in the order of x, chunks in Morton order, and cells of several
    sweep-and-prunes. All find the same pairs."""

    name = "Search structures"
    category = "Lab"
    camera = (-11, -32, 53, 12)
    frames = 150
    bodies = Slider(150, 70, 400, restart=True)
    speed = Slider(0.7, -3.0, 3.0, unit="rad/s")

    def build(self, world: b2.World) -> None:
        kinds = ("refined_tree", "box_pruning", "morton", "sap", "multi_sap")
        self.offsets = [(21.0 * (k % 3), -21.5 * (k // 3)) for k in range(6)]
        self.worlds = [world]
        self.worlds += [self.other_world(at, broadphase=kind) for at, kind in zip(self.offsets[1:], kinds, strict=True)]
        self.drums = []
        for each in self.worlds:
            each.sleeping = False
            drum = each.create_kinematic_body(angular_velocity=self.speed)
            for x, y, hx, hy in ((7, 0, 0.3, 7), (-7, 0, 0.3, 7), (0, 7, 7, 0.3), (0, -7, 7, 0.3)):
                drum.create_shape(b2.Box(hx, hy, (x, y)))
            self.drums.append(drum)
            for k in range(int(self.bodies)):
                at = -5 + 0.55 * (k % 19), -5.5 + 0.55 * (k // 19)
                each.create_dynamic_body(at).create_shape(b2.Box(0.2, 0.2) if k % 3 else b2.Circle(0.22))

    def changed(self, control: str) -> None:
        if control == "speed":
            for drum in self.drums:
                drum.angular_velocity = self.speed

    def draw(self, draw: b2.DrawList) -> None:
        for each, (x, y) in zip(self.worlds, self.offsets, strict=True):
            each.debug_draw(draw, "nodes", offset=(x, y))
            draw.text((x - 9.5, y + 9), each.strategies.broadphase, "yellow")

    def status(self) -> str:
        found = {each.counters.contacts for each in self.worlds}
        return f"{' or '.join(map(str, sorted(found)))} contacts in all worlds"


class LaneUse(Sample):
    """The solver works on 16 contacts at once. On the left they are ordered by colours, of which no two contacts share
    a moving body; each colour ends with a block that is not full. The bars are its lanes in use. On the right
    `schedule="slots"` packs contacts into slots of 16."""

    name = "Lane use"
    category = "Lab"
    camera = (-11, -4, 35, 18)
    frames = 150
    base = Slider(9, 2, 16, restart=True, label="base of the pyramid")

    def build(self, world: b2.World) -> None:
        self.worlds = [world, self.other_world((22.0, 0), schedule="slots")]
        for each in self.worlds:
            each.sleeping = False
            self.ground(each, 10)
            for row in range(self.base):
                for k in range(self.base - row):
                    at = 1.05 * (k - 0.5 * (self.base - row - 1)), 0.5 + row
                    each.create_dynamic_body(at).create_shape(b2.Box(0.5, 0.5))

    def sizes(self) -> list[int]:
        """Contacts of each colour."""
        color = self.world.arrays.contacts["color"]
        return [int(n) for n in np.bincount(color[color >= 0]) if n > 0] if len(color) else []

    def draw(self, draw: b2.DrawList) -> None:
        for k, count in enumerate(self.sizes()):
            blocks = -(-count // 16)
            for block in range(blocks):
                live = min(16, count - 16 * block)
                left, low = -9.5 + 1.0 * k, 12.0 + 0.4 * block
                draw.line((left, low), (left + 0.9, low), "grey")
                draw.line((left, low), (left + 0.9 * live / 16, low), "green")

    def status(self) -> str:
        sizes = self.sizes()
        room = sum(-(-count // 16) * 16 for count in sizes)
        used = 100 * sum(sizes) / room if room else 0
        return f"{sum(sizes)} contacts in {len(sizes)} colours use {used:.0f} % of {room} lanes"


class ShuffledOrder(Sample):
    """Two stacks are solved contact by contact. The left one keeps one order of its contacts, the right one gets a new
    random order in each step (`order="per_step"`). The text shows by how much the impulses of the contacts
    change in a step."""

    name = "Shuffled order"
    category = "Lab"
    camera = (-8, -3, 24, 15)
    frames = 200
    options = {"strategies": b2.lab.Strategies(schedule="serial", order="fixed"), "sleeping": False}
    order = Choice("per_step", b2.lab.NAMES["order"], restart=True)

    def build(self, world: b2.World) -> None:
        strategies = b2.lab.Strategies(schedule="serial", order=self.order)
        self.pair = world, self.other_world((16, 0), strategies=strategies)
        self.change = [0.0, 0.0]
        self.before: list[dict[int, float]] = [{}, {}]
        for each in self.pair:
            self.ground(each, 7)
            for row in range(9):
                for k in range(9 - row):
                    each.create_dynamic_body((1.05 * (k - 0.5 * (8 - row)), 0.5 + row)).create_shape(b2.Box(0.5, 0.5))

    def step(self, world: b2.World) -> None:
        for k, each in enumerate(self.pair):
            contacts = each.arrays.contacts
            now = dict(zip(contacts["contact"].tolist(), contacts["normal_impulse"].sum(axis=1).tolist(), strict=True))
            shared = [now[key] - self.before[k][key] for key in now.keys() & self.before[k].keys()]
            jitter = float(np.sqrt(np.mean(np.square(shared)))) if shared else 0.0
            self.change[k] += 0.05 * (jitter - self.change[k])
            self.before[k] = now

    def status(self) -> str:
        return f"change of the impulses in a step: fixed {self.change[0]:.1e}, {self.order} {self.change[1]:.1e} kg m/s"
