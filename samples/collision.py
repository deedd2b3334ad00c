"""Collision: boxes of the broad phase, contacts, gases and billiards."""

from __future__ import annotations

import math

import numpy as np

import box2dpy as b2

from ._parts import ring, walls
from ._sample import Choice, Sample, Slider, Toggle


class FatBoxes(Sample):
    """The broad phase stores boxes that are a little too large, so that shapes can move without an update. Green: the
    tight box. Orange: the fat box, which is computed again only when the shape leaves it."""

    name = "Fat boxes"
    category = "Collision"
    camera = (-12, -1.5, 12, 13)
    frames = 70
    nodes = Toggle(False, label="nodes of the search structure")

    def build(self, world: b2.World) -> None:
        walls(self, world, 11, 8)
        for k in range(30):
            body = world.create_dynamic_body(
                (-9 + 3.6 * (k % 6), 3 + 2 * (k // 6)), 0.5 * k, angular_velocity=(-1) ** k
            )
            body.create_shape((b2.Box(0.8, 0.3), b2.Circle(0.5), b2.Polygon(ring(3, 0.7)))[k % 3], restitution=0.4)

    def draw(self, draw: b2.DrawList) -> None:
        for what, color in (("fat", "orange"), ("tight", "green"), ("nodes", "violet")):
            if what == "nodes" and not self.nodes:
                continue
            for row in self.world.arrays.boxes(what):
                lower = float(row["lower_x"]), float(row["lower_y"])
                draw.box(lower, (float(row["upper_x"]), float(row["upper_y"])), color)

    def status(self) -> str:
        counters = self.world.counters
        return f"{counters.moved_shapes} fat boxes were renewed in the last step, {counters.contacts} pairs overlap"


class Gas(Sample):
    """Elastic discs in a box all start with the same speed. After a few collisions the speeds follow the Maxwell
    distribution in two dimensions, p(v) = 2 v / s^2 exp(-v^2 / s^2)."""

    name = "Gas"
    category = "Collision"
    options = {"gravity": (0, 0), "sleeping": False, "restitution_threshold": 0.0}
    camera = (-17, -8.5, 17, 8.5)
    frames = 600
    speed = Slider(6.0, 1.0, 15.0, unit="m/s", restart=True)

    def build(self, world: b2.World) -> None:
        wall = world.create_static_body()
        for x, y, hx, hy in ((-16.5, 0, 0.5, 9), (2.5, 0, 0.5, 9), (-7, 8.5, 10, 0.5), (-7, -8.5, 10, 0.5)):
            wall.create_shape(b2.Box(hx, hy, (x, y)), restitution=1, friction=0)
        count = 160
        places = [(-15 + 1.1 * (k % 16), -6.7 + 1.45 * (k // 16)) for k in range(count)]
        ways = [(self.speed * math.cos(2.4 * k), self.speed * math.sin(2.4 * k)) for k in range(count)]
        self.gas = world.create_bodies(
            places, geometry=b2.Circle(0.25), linear_velocities=ways, restitution=1.0, friction=0.0
        )
        self.seen = np.zeros(20)

    def speeds(self) -> np.ndarray:
        return np.hypot(*self.gas.linear_velocity.T)

    def step(self, world: b2.World) -> None:
        if self.time > 1 and round(self.time * 60) % 5 == 0:
            self.seen += np.histogram(self.speeds(), 20, (0, 3 * self.speed))[0]

    def draw(self, draw: b2.DrawList) -> None:
        wide, total = 12 / 20, max(self.seen.sum(), 1)
        edges = np.linspace(0, 3 * self.speed, 21)
        mean_square = float(np.mean(self.speeds() ** 2))
        for k, count in enumerate(self.seen):
            x, y = 4 + wide * k, 60 * count / total
            draw.fill([(x, -8), (x + 0.9 * wide, -8), (x + 0.9 * wide, -8 + y), (x, -8 + y)], "teal", 0.6)
        below = 1 - np.exp(-(edges**2) / mean_square)
        draw.path([(4 + wide * (k + 0.5), -8 + 60 * (below[k + 1] - below[k])) for k in range(20)], "yellow")

    def status(self) -> str:
        energy = float(np.mean(self.speeds() ** 2)) / self.speed**2
        return f"energy {100 * energy:.1f} % of the initial energy; the yellow curve is the Maxwell distribution"


class Billiards(Sample):
    """A break shot with fifteen balls of restitution 0.95; damping stands for rolling friction. Momentum passes from
    ball to ball. Click with the mouse to shoot the cue ball towards the pointer."""

    name = "Billiards"
    category = "Collision"
    options = {"gravity": (0, 0), "restitution_threshold": 0.05}
    camera = (-15, -8.5, 15, 8.5)
    substeps = 8
    frames = 150
    speed = Slider(28.0, 2.0, 60.0, unit="m/s", restart=True)
    demo = ((2.9, ""), (0.1, "click"))
    demo_path = ((9, 5), (-9, -4), (4, -6))

    def build(self, world: b2.World) -> None:
        table = world.create_static_body()
        for x, y, hx, hy in (
            (-14, 0, 0.7, 8),
            (14, 0, 0.7, 8),
            (-6.7, 7.5, 5.6, 0.7),
            (6.7, 7.5, 5.6, 0.7),
            (-6.7, -7.5, 5.6, 0.7),
            (6.7, -7.5, 5.6, 0.7),
        ):
            table.create_shape(b2.Box(hx, hy, (x, y)), restitution=0.8, friction=0.1)
        self.pockets = [
            table.create_shape(b2.Circle(0.75, (x, y)), sensor=True, color=0x15171C)
            for x in (-13, 0, 13)
            for y in (-7, 7)
        ]
        self.cue = self.ball(-7, 0, 0xF4F4F0)
        colors = 0xE8C547, 0x4C8FE5, 0xE5534B, 0x8F7BE8, 0xE8933A, 0x4FB06D, 0xA97C58
        number = 0
        for row in range(5):
            for k in range(row + 1):
                self.ball(5 + 0.88 * row, 1.01 * (k - 0.5 * row), colors[number % 7])
                number += 1
        self.cue.linear_velocity = self.speed, 0.3
        self.sunk = 0

    def ball(self, x: float, y: float, color: int) -> b2.Body:
        ball = self.world.create_dynamic_body((x, y), linear_damping=0.5, angular_damping=1.0, bullet=True)
        ball.create_shape(b2.Circle(0.5), restitution=0.95, friction=0.05, color=color, sensor_events=True)
        return ball

    def click(self, point: b2.Vec2) -> bool:
        way = point - self.cue.position
        if way.length > 0.6:
            self.cue.linear_velocity = way.normalized() * self.speed
        return True

    def step(self, world: b2.World) -> None:
        for event in world.events.sensor_begin:
            body = event.visitor.body if event.visitor.alive else None
            if body is self.cue:
                body.position, body.linear_velocity = (-7, 0), (0, 0)
            elif body is not None:
                body.destroy()
                self.sunk += 1

    def status(self) -> str:
        return f"{self.sunk} balls sunk; click to shoot"


class Bounce(Sample):
    """Two boxes and a wall count pi: with a mass ratio of 100^n between the boxes, the number of elastic collisions
    gives the first n + 1 digits of pi. Short steps are needed for this."""

    name = "Collisions count pi"
    category = "Collision"
    options = {"gravity": (0, 0), "restitution_threshold": 0.0, "sleeping": False, "contact_recycle": 0.0}
    camera = (-1, -4, 19, 8.5)
    hertz = 960.0
    substeps = 1
    frames = 14000
    digits = Choice("2", ("1", "2"), restart=True)

    def build(self, world: b2.World) -> None:
        wall = world.create_static_body((-0.5, 0))
        wall.create_shape(b2.Box(0.5, 3), restitution=1, friction=0)
        self.light = world.create_dynamic_body((5, 0), lock_y=True, lock_rotation=True)
        self.heavy = world.create_dynamic_body((10, 0), linear_velocity=(-1.5, 0), lock_y=True, lock_rotation=True)
        for body, size in ((self.light, 0.5), (self.heavy, 1.5)):
            body.create_shape(b2.Box(size, size), restitution=1, friction=0)
        self.ratio = 100 ** (int(self.digits) - 1)
        self.heavy.mass, self.light.mass = float(self.ratio), 1.0
        self.count, self.before = 0, (0.0, 0.0)

    def step(self, world: b2.World) -> None:
        now = self.light.linear_velocity.x, self.heavy.linear_velocity.x
        if abs(now[0] - self.before[0]) > 1e-3 and self.time > 0.01:
            self.count += 1
        self.before = now

    def status(self) -> str:
        expected = math.floor(math.pi * math.sqrt(self.ratio))
        return f"mass ratio {self.ratio}: {self.count} collisions so far, {expected} in the end"


class ContactKinds(Sample):
    """The points, the normal and the impulses of every contact, as `world.contacts` gives them. Two points keep a box
    steady; with one point it can rock."""

    name = "Contact points"
    category = "Collision"
    camera = (-10, -1.5, 10, 10)
    frames = 130
    frozen = Toggle(False, label="no gravity")

    def build(self, world: b2.World) -> None:
        walls(self, world, 8, 3)
        forms = (
            b2.Box(0.7, 0.7),
            b2.Circle(0.7),
            b2.Capsule((-0.6, 0), (0.6, 0), 0.4),
            b2.Polygon(ring(3, 0.9)),
            b2.Polygon(ring(6, 0.8)),
        )
        for k in range(20):
            world.create_dynamic_body((-6 + 3 * (k % 5), 1 + 2 * (k // 5)), 0.4 * k).create_shape(forms[k % 5])

    def changed(self, control: str) -> None:
        self.world.gravity = (0, 0) if self.frozen else (0, -10)

    def draw(self, draw: b2.DrawList) -> None:
        for contact in self.world.contacts:
            for point in contact.points:
                draw.dot(point.point, "red" if point.normal_impulse else "yellow", 7)
                reach = 0.3 + 2.0 * point.normal_impulse
                draw.line(point.point, point.point + min(reach, 2.0) * contact.normal, "white")

    def status(self) -> str:
        touching = [contact for contact in self.world.contacts if contact.touching]
        points = sum(len(contact.points) for contact in touching)
        return f"{len(touching)} contacts touch in {points} points"
