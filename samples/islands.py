"""Islands: groups of bodies that sleep together, and how they merge and split."""

from __future__ import annotations

import math

import box2dpy as b2

from ._parts import walls
from ._sample import Button, Sample, Slider, Toggle


class MergeAndSplit(Sample):
    """A bar joins two towers into one island with one colour. Lifting the bar ends the contacts, and the search of the
    next step splits the island. The colours show the islands."""

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


class SleepAndWake(Sample):
    """Thirty piles fall asleep after `sleep_time`. A ball that rolls through wakes one pile after the other, and they
    fall asleep again behind it. Only awake bodies cost time."""

    name = "Sleep and wake"
    category = "Islands"
    camera = (-32, -4, 32, 22)
    frames = 260
    color_by = "island"
    patience = Slider(0.5, 0.1, 3.0, unit="s", label="sleep time")

    def build(self, world: b2.World) -> None:
        self.ground(world, 60)
        for k in range(20):
            for row in range(3):
                for x in range(3 - row):
                    at = -28 + 3 * k + 0.8 * x + 0.4 * row, 0.35 + 0.7 * row
                    world.create_dynamic_body(at, awake=False).create_shape(b2.Box(0.35, 0.35))
        self.roll()

    def changed(self, control: str) -> None:
        self.world.sleep_time = self.patience

    @Button
    def roll(self) -> None:
        ball = self.world.create_dynamic_body((-31, 1.5), linear_velocity=(22, 0), angular_velocity=-15)
        ball.create_shape(b2.Circle(1.5), density=6, friction=0.3)

    def status(self) -> str:
        counters = self.world.counters
        islands = f"{counters.awake_islands} of {counters.islands} islands"
        return f"{counters.awake_bodies} of {counters.bodies} bodies awake in {islands}"


class ChainReaction(Sample):
    """Islands are merged at once by union-find when contacts begin, and searched for separate parts after contacts have
    ended. A stack that is taken apart shows both; the text counts them."""

    name = "Splitting"
    category = "Islands"
    camera = (-14, -1.5, 14, 14)
    frames = 160
    color_by = "island"
    options = {"sleep_time": 2.0}

    def build(self, world: b2.World) -> None:
        self.ground(world, 15)
        self.rows: list[list[b2.Body]] = []
        for row in range(6):
            self.rows.append([])
            for k in range(12):
                body = world.create_dynamic_body((-11 + 2 * k + (row % 2), 0.5 + row))
                body.create_shape(b2.Box(0.98, 0.5))
                self.rows[-1].append(body)
        self.merged = self.split = 0
        self.next = 0

    def step(self, world: b2.World) -> None:
        counters = world.counters
        self.merged += counters.islands_merged
        self.split += counters.islands_split
        if round(self.time * 60) % 25 == 20:
            self.take_a_column()

    @Button
    def take_a_column(self) -> None:
        if self.next < 11:
            for row in self.rows:
                body = row[(self.next * 5) % 12]
                if body.alive:
                    body.destroy()
            self.next += 1

    def status(self) -> str:
        return f"{self.world.counters.islands} islands; {self.merged} merges and {self.split} parts split off"


class KinematicLinks(Sample):
    """Static and kinematic bodies do not link islands: towers on the same ground, or on the same moving belt, are
    separate islands. A joint or a bar between the towers joins them into one."""

    name = "What links islands"
    category = "Islands"
    camera = (-13, -2, 13, 11)
    frames = 90
    color_by = "island"
    joined = Toggle(False, label="springs between neighbours", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 13)
        self.belt = world.create_kinematic_body((0, 5), linear_velocity=(1, 0))
        self.belt.create_shape(b2.Box(11, 0.2), friction=0.9)
        for row, y in enumerate((0.0, 5.2)):
            previous = None
            for k in range(8):
                x = -8.75 + 2.5 * k
                for level in range(3):
                    body = world.create_dynamic_body((x, y + 0.5 + level))
                    body.create_shape(b2.Box(0.5, 0.5))
                if previous is not None and (self.joined or (row == 0 and k in (2, 3))):
                    world.create_distance_joint(
                        previous, body, local_anchor_a=(0, 0), local_anchor_b=(0, 0), enable_spring=True, hertz=0.5
                    )
                previous = body

    def step(self, world: b2.World) -> None:
        self.belt.linear_velocity = 1.2 * math.cos(1.2 * self.time), 0

    def status(self) -> str:
        sizes = sorted((len(island) for island in self.world.islands), reverse=True)
        return f"{len(sizes)} islands of {', '.join(map(str, sizes[:18]))} bodies"


class Mixer(Sample):
    """A stirred pot: the islands grow into one. When the paddle stops, the whole island comes to rest at the same time,
    because an island falls asleep only as a whole. In each step one island is searched for a split."""

    name = "Stirred pot"
    category = "Islands"
    camera = (-9, -1.5, 9, 11)
    frames = 150
    color_by = "island"
    speed = Slider(2.0, 0.0, 6.0, unit="rad/s")

    def build(self, world: b2.World) -> None:
        pot = walls(self, world, 6, 9)
        paddle = world.create_dynamic_body((0, 2.6))
        for k in range(2):
            paddle.create_shape(b2.Box(2.3, 0.15, angle=math.pi * k / 2), density=5)
        self.motor = world.create_revolute_joint(
            pot, paddle, anchor=(0, 2.6), enable_motor=True, max_motor_torque=3000, motor_speed=self.speed
        )
        for k in range(70):
            world.create_dynamic_body((-5 + 1.1 * (k % 10), 5.5 + 0.8 * (k // 10))).create_shape(b2.Circle(0.35))

    def step(self, world: b2.World) -> None:
        self.motor.motor_speed = self.speed if self.time % 8 < 4 else 0.0

    def status(self) -> str:
        sizes = [len(island) for island in self.world.islands]
        awake = self.world.counters.awake_islands
        return f"{len(sizes)} islands, the largest has {max(sizes, default=0)} bodies; {awake} awake"
