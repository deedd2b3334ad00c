"""Events: what a step reports, as sequences and as arrays."""

from __future__ import annotations

import math
import random

import box2dpy as b2

from ._parts import walls
from ._sample import Button, Sample, Slider


class Hits(Sample):
    """Shapes with `hit_events` report fast impacts with their place, normal and approach speed. Each spark is one event
    of `world.events.contact_hit`; its size shows the approach speed."""

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


class BoosterZones(Sample):
    """A sensor detects shapes without pushing them. Each `sensor_begin` event of a ball with `sensor_events`
    accelerates the ball upwards. The text shows how many shapes are in each yellow zone."""

    name = "Booster zones"
    category = "Events"
    camera = (-13, -1.5, 13, 13)
    frames = 300
    boost = Slider(13.0, 2.0, 25.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        walls(self, world, 12, 12)
        self.zones = []
        for x in (-9, 9):
            zone = world.create_static_body((x, 0.6))
            self.zones.append(zone.create_shape(b2.Box(1.5, 0.6), sensor=True, color=0xE8C547))
        ramp = world.create_static_body()
        for side in (-1, 1):
            ramp.create_shape(b2.Polygon([(0, 0), (0, 2.2), (side * 7, 0)]))
        for k in range(12):
            ball = world.create_dynamic_body((-5.5 + k, 6 + 0.3 * k))
            ball.create_shape(b2.Circle(0.4), restitution=0.5, sensor_events=True)
        self.count = 0

    def step(self, world: b2.World) -> None:
        for sensor, visitor in world.events.sensor_begin:
            side = math.copysign(1, sensor.body.position.x)
            visitor.body.linear_velocity = -0.5 * side * self.boost, self.boost
            self.count += 1

    def draw(self, draw: b2.DrawList) -> None:
        for zone in self.zones:
            draw.text(zone.body.position + (-0.3, 0.9), f"{len(zone.overlaps)} inside", "yellow")

    def status(self) -> str:
        return f"{self.count} balls have entered a zone"


class Galton(Sample):
    """Balls fall through rows of pegs. At each `contact_begin` with a peg a random number sends the ball to the left or
    right. Sensors count the balls in the bins. The counts approach the binomial distribution, which the yellow lines
    show."""

    name = "Galton board"
    category = "Events"
    camera = (-10, -0.5, 10, 15.5)
    frames = 1400
    chance = Slider(0.5, 0.1, 0.9, label="probability of right", restart=True)
    rows = 10

    def build(self, world: b2.World) -> None:
        board = self.ground(world, 10)
        self.pegs = {
            board.create_shape(b2.Circle(0.15, (1.1 * (k - 0.5 * row), 1 + 13.4 - 0.85 * row)), friction=0)
            for row in range(self.rows)
            for k in range(row + 1)
        }
        for k in range(self.rows + 2):
            board.create_shape(b2.Box(0.05, 2.5, (1.1 * (k - 0.5 * (self.rows + 1)), 1 + 2.5)))
        self.counts = [0] * (self.rows + 1)
        self.bins = {}
        for k in range(self.rows + 1):
            sensor = board.create_shape(b2.Box(0.45, 0.1, (1.1 * (k - 0.5 * self.rows), 1 + 4.6)), sensor=True)
            self.bins[sensor] = k
        self.rng = random.Random(11)
        self.dropped = 0

    def step(self, world: b2.World) -> None:
        for begin in world.events.contact_begin:
            for peg, ball in ((begin.shape_a, begin.shape_b), (begin.shape_b, begin.shape_a)):
                if peg in self.pegs:
                    side = 1 if self.rng.random() < self.chance else -1
                    at = peg.geometry.center - (0, 1)
                    ball.body.position = at + (0, 0.36)
                    ball.body.linear_velocity = 1.24 * side, 0.3
        for event in world.events.sensor_begin:
            self.counts[self.bins[event.sensor]] += 1
        if round(self.time * 60) % 6 == 0 and self.dropped < 200:
            ball = world.create_dynamic_body((0, 15.2))
            ball.create_shape(b2.Circle(0.2), friction=0, sensor_events=True, filter=b2.Filter(2, 1))
            self.dropped += 1

    def draw(self, draw: b2.DrawList) -> None:
        total = sum(self.counts)
        for k, count in enumerate(self.counts):
            x = 1.1 * (k - 0.5 * self.rows)
            theory = total * math.comb(self.rows, k) * self.chance**k * (1 - self.chance) ** (self.rows - k)
            draw.fill([(x - 0.35, 0), (x + 0.35, 0), (x + 0.35, 0.1 * count), (x - 0.35, 0.1 * count)], "blue", 0.5)
            draw.line((x - 0.5, 0.1 * theory), (x + 0.5, 0.1 * theory), "yellow")

    def status(self) -> str:
        total = max(sum(self.counts), 1)
        mean = sum(k * count for k, count in enumerate(self.counts)) / total
        spread = math.sqrt(sum((k - mean) ** 2 * count for k, count in enumerate(self.counts)) / total)
        expected, width = self.rows * self.chance, math.sqrt(self.rows * self.chance * (1 - self.chance))
        return f"balls: {total}; bin {mean:.2f} +- {spread:.2f}, binomial {expected:.2f} +- {width:.2f}"


class Bottles(Sample):
    """A hit event faster than the slider's value replaces the bottle by shards, which fly apart from its centre and
    keep its mass and momentum. Events are records, so the bodies can be changed after the step."""

    name = "Break on impact"
    category = "Events"
    camera = (-12, -1.5, 12, 12)
    frames = 110
    limit = Slider(5.0, 1.0, 20.0, unit="m/s", label="breaks above")

    def build(self, world: b2.World) -> None:
        world.hit_threshold = 1.0
        self.ground(world, 40)
        self.broken = 0
        shelf = world.create_static_body()
        for k in range(3):
            shelf.create_shape(b2.Box(6, 0.12, (2, 1.5 + 2.6 * k)))
            for x in range(6):
                bottle = world.create_dynamic_body((-3 + 2 * x, 2.22 + 2.6 * k), data="bottle")
                bottle.create_shape(b2.Box(0.28, 0.6), hit_events=True, color=0x4FB06D)
        for k in range(3):
            self.throw(2.4 + 2.6 * k, 14 - 3.0 * k)

    def throw(self, height: float, speed: float) -> None:
        ball = self.world.create_dynamic_body((-11, height), linear_velocity=(speed, 2))
        ball.create_shape(b2.Circle(0.3), density=4)

    @Button
    def throw_again(self) -> None:
        self.throw(3 + 2 * (self.broken % 3), 15)

    def step(self, world: b2.World) -> None:
        for hit in world.events.contact_hit:
            if hit.approach_speed > self.limit:
                for shape in (hit.shape_a, hit.shape_b):
                    if shape.alive and shape.body.data == "bottle":
                        self.shatter(shape.body, hit.point)

    def shatter(self, bottle: b2.Body, point: b2.Vec2) -> None:
        self.broken += 1
        heart = bottle.local_point(point)
        heart = b2.Vec2(max(min(heart.x, 0.2), -0.2), max(min(heart.y, 0.5), -0.5))
        rim = [(-0.28, -0.6), (0, -0.6), (0.28, -0.6), (0.28, 0), (0.28, 0.6), (0, 0.6), (-0.28, 0.6), (-0.28, 0)]
        for a, b in zip(rim, rim[1:] + rim[:1], strict=True):
            shard = self.world.create_dynamic_body(
                bottle.position, bottle.angle, angular_velocity=bottle.angular_velocity
            )
            shard.create_shape(b2.Polygon([heart, a, b]), color=0x4FB06D)
            away = shard.world_center - bottle.world_center
            shard.linear_velocity = bottle.velocity_at(shard.world_center) + 4 * away
        bottle.destroy()

    def status(self) -> str:
        return f"{self.broken} bottles broken"


class Chimes(Sample):
    """`contact_begin` lights a bar up and `contact_end` lets it fade: a marble machine. A program could play a note for
    each of these events; here the notes are written as text."""

    name = "Begin and end"
    category = "Events"
    camera = (-12, -1.5, 12, 14)
    frames = 330
    notes = ["C", "D", "E", "G", "A", "c", "d", "e"]

    def build(self, world: b2.World) -> None:
        self.ground(world, 60)
        self.bars = {}
        for k in range(8):
            bar = world.create_static_body((-9.2 + 2.5 * k + 0.7 * (k % 2), 9 - 1.0 * k), -0.13)
            shape = bar.create_shape(b2.Box(1.3 - 0.08 * k, 0.15), restitution=0.75, friction=0.1)
            self.bars[shape] = [0.0, 0, k]
        self.song: list[str] = []

    def step(self, world: b2.World) -> None:
        if round(self.time * 60) % 40 == 1 and len(world.bodies) < 40:
            marble = world.create_dynamic_body((-9.4 + 0.05 * (len(world.bodies) % 5), 13))
            marble.create_shape(b2.Circle(0.25), restitution=0.75, friction=0.1, rolling_resistance=0.01)
        for begin in world.events.contact_begin:
            for shape in (begin.shape_a, begin.shape_b):
                if shape in self.bars:
                    self.bars[shape][0] = self.time + 0.4
                    self.bars[shape][1] += 1
                    self.song = [*self.song[-24:], self.notes[self.bars[shape][2]]]
        for bar, (until, _, number) in self.bars.items():
            lit = until > self.time
            color = 0xE8C547 if lit else (0x3F6D8F, 0x4C8FE5)[number % 2]
            if bar.color != color:
                bar.color = color

    def draw(self, draw: b2.DrawList) -> None:
        for bar, (_, count, number) in self.bars.items():
            draw.text(bar.body.position + (-0.3, -0.8), f"{self.notes[number]} {count}")

    def status(self) -> str:
        return " ".join(self.song) or "..."


class Trails(Sample):
    """`world.events.body_move` lists the bodies that a step has moved, and marks those that fell asleep. This keeps a
    scene graph up to date at low cost. Moving bodies get a trail and sleeping bodies a z."""

    name = "Body events"
    category = "Events"
    camera = (-12, -1.5, 12, 13)
    frames = 200

    def build(self, world: b2.World) -> None:
        walls(self, world, 11, 6)
        self.trails: dict[b2.Body, list[b2.Vec2]] = {}
        self.asleep: set[b2.Body] = set()
        rng = random.Random(2)
        for k in range(18):
            at = rng.uniform(-10, 10), 3 + 0.5 * k
            body = world.create_dynamic_body(at, linear_velocity=(rng.uniform(-4, 4), rng.uniform(-2, 4)))
            body.create_shape(b2.Circle(0.4) if k % 2 else b2.Box(0.4, 0.4), restitution=0.4, rolling_resistance=0.05)

    @Button
    def kick(self) -> None:
        for body in list(self.asleep)[:1]:
            body.apply_impulse((0, 8 * body.mass))

    def step(self, world: b2.World) -> None:
        self.moved = world.events.body_move
        for event in self.moved:
            body = event.body
            self.trails[body] = [*self.trails.get(body, [])[-40:], body.position]
            (self.asleep.add if event.fell_asleep else self.asleep.discard)(body)

    def draw(self, draw: b2.DrawList) -> None:
        for body, trail in self.trails.items():
            if body in self.asleep:
                draw.text(body.position + (0.3, 0.5), "z")
            elif len(trail) > 1:
                draw.path(trail, "teal")

    def status(self) -> str:
        return f"{len(self.world.events.body_move)} bodies moved, {len(self.asleep)} asleep"
