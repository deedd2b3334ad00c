"""Continuous collision: fast bodies and thin walls."""

from __future__ import annotations

import math
import random

import box2dpy as b2

from ._parts import ring, walls
from ._sample import Button, Sample, Slider, Toggle


class ThinWall(Sample):
    """Shots at a wall without thickness, with continuous collision in the upper row and without it in the lower row. A
    shot moves several metres in one step, so only the sweep between the two poses finds the wall."""

    name = "Thin wall"
    category = "Continuous"
    options = {"gravity": (0, 0)}
    camera = (-14, -12, 14, 5)
    frames = 100
    speed = Slider(180.0, 10.0, 400.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        self.pair = (world, self.other_world((0, -8), continuous=False))
        for each in self.pair:
            each.create_static_body((4, 0)).create_shape(b2.Segment((0, -3), (0, 3)))
            for y in (-3, 3):
                each.create_static_body((0, y)).create_shape(b2.Box(13, 0.1))
        self.shots = 0

    def step(self, world: b2.World) -> None:
        if round(self.time * 60) % 6 == 0 and self.shots < 60:
            for each in self.pair:
                y = 2.5 * math.sin(1.3 * self.shots)
                shot = each.create_dynamic_body((-12, y), linear_velocity=(self.speed, 0), linear_damping=0.5)
                shot.create_shape(b2.Circle(0.15) if self.shots % 2 else b2.Box(0.15, 0.15), restitution=0.1)
            self.shots += 1

    def status(self) -> str:
        through = [sum(body.position.x > 4.01 for body in each.bodies if body.mass) for each in self.pair]
        return f"of {self.shots} shots {through[0]} passed the wall with, {through[1]} without continuous collision"


class Bullets(Sample):
    """Bodies with `bullet=True` are swept against moving bodies too. The upper gun fires bullets and the lower one
    normal bodies, at plates that hang on hinges."""

    name = "Bullets"
    category = "Continuous"
    options = {"gravity": (0, -10)}
    camera = (-14, -7, 14, 10)
    frames = 120
    speed = Slider(250.0, 20.0, 400.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        self.hits = [0, 0]
        beam = world.create_static_body()
        self.lanes = {}
        for lane, y in enumerate((8, 0)):
            beam.create_shape(b2.Box(13, 0.15, (0, y)))
            for k in range(6):
                x = -3 + 2.4 * k
                plate = world.create_dynamic_body((x, y - 2))
                shape = plate.create_shape(b2.Box(0.03, 1.6), density=20, hit_events=True)
                self.lanes[shape] = lane
                world.create_revolute_joint(beam, plate, anchor=(x, y - 0.3))
        self.number = 0

    def step(self, world: b2.World) -> None:
        for hit in world.events.contact_hit:
            for shape in (hit.shape_a, hit.shape_b):
                if shape in self.lanes:
                    self.hits[self.lanes[shape]] += 1
        if round(self.time * 60) % 20 == 5 and self.number < 40:
            for lane, y in enumerate((5.6, -2.4)):
                shot = world.create_dynamic_body(
                    (-13, y), linear_velocity=(self.speed, 0), bullet=lane == 0, gravity_scale=0
                )
                shot.create_shape(b2.Circle(0.12), density=15)
            self.number += 1

    def draw(self, draw: b2.DrawList) -> None:
        draw.text((-13, 6.2), f"bullets: {self.hits[0]} hits", "yellow")
        draw.text((-13, -1.8), f"other bodies: {self.hits[1]} hits", "yellow")


class SpinningRod(Sample):
    """Long rods rotate fast and fall onto a bed of needles. The sweep takes rotation into account, so no needle passes
    through a rod at any angle."""

    name = "Spinning rods"
    category = "Continuous"
    camera = (-14, -1, 14, 14)
    frames = 90
    spin = Slider(40.0, 0.0, 100.0, unit="rad/s", restart=True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 16)
        for k in range(27):
            x = -13 + k
            ground.create_shape(b2.Polygon([(x - 0.1, 1), (x + 0.1, 1), (x, 3 + math.sin(0.9 * k))]))
        self.rods = []
        for k in range(8):
            rod = world.create_dynamic_body(
                (-11 + 3.2 * k, 8 + 2 * (k % 2)), linear_velocity=(0, -30), angular_velocity=self.spin * (-1) ** k
            )
            rod.create_shape(b2.Box(1.5, 0.04), density=10, restitution=0.2)
            self.rods.append(rod)

    def status(self) -> str:
        here = [rod.aabb.lower.y for rod in self.rods if abs(rod.position.x) < 16]  # others left the ground
        swept = self.world.counters.continuous_bodies
        lowest = f"lowest point {min(here, default=0.0):.4f} m, {len(here)} of {len(self.rods)} rods are here"
        return f"{lowest}; {swept} bodies were swept in the last step"


class Hail(Sample):
    """Hail falls on a roof of chain segments, which have no thickness. A hailstone moves many times its own size in one
    step. None may get into the house."""

    name = "Hail on thin roofs"
    category = "Continuous"
    camera = (-12, -1, 12, 14)
    frames = 150
    speed = Slider(120.0, 10.0, 300.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        self.ground(world, 14)
        house = world.create_static_body()
        house.create_chain([(7, 0), (7, 4), (0, 8), (-7, 4), (-7, 0)], friction=0.2)
        for x in (-10.5, 10.5):
            house.create_shape(b2.Segment((x - 1.5, 3), (x + 1.5, 3)))
        self.rng = random.Random(4)
        self.stones: list[b2.Body] = []

    def step(self, world: b2.World) -> None:
        if len(self.stones) < 200:
            for _ in range(2):
                at = self.rng.uniform(-11.5, 11.5), 30
                stone = world.create_dynamic_body(at, linear_velocity=(self.rng.uniform(-20, 20), -self.speed))
                stone.create_shape(b2.Circle(self.rng.uniform(0.08, 0.2)), restitution=0.1)
                self.stones.append(stone)

    def status(self) -> str:
        inside = sum(
            abs(x) < 6.9 and y < 8 - abs(x) * 4 / 7 - 0.3 for x, y in (stone.position for stone in self.stones)
        )
        return f"{len(self.stones)} stones have fallen, {inside} got into the house"


class Squash(Sample):
    """A squash court: balls with restitution 1 and without damping keep a speed of 100 m/s. At each impact continuous
    collision loses the rest of the step, but no energy."""

    name = "Fast bouncing"
    category = "Continuous"
    options = {"gravity": (0, 0), "sleeping": False}
    camera = (-11, -7, 11, 7)
    frames = 120
    speed = Slider(100.0, 5.0, 300.0, unit="m/s", restart=True)
    balls = Slider(3, 1, 10, restart=True)

    def build(self, world: b2.World) -> None:
        court = world.create_static_body()
        court.create_chain([(-10, -6), (-10, 6), (10, 6), (10, -6)], loop=True, friction=0, restitution=1)
        court.create_shape(b2.Polygon(ring(6, 1.5)), friction=0, restitution=1)
        self.flying, self.trails = [], []
        for k in range(self.balls):
            ball = world.create_dynamic_body((-8, -5 + 10 * k / 10), bullet=True, lock_rotation=True)
            ball.create_shape(b2.Circle(0.2), friction=0, restitution=1, filter=b2.Filter(group=-1))
            way = b2.Vec2(1, 0).rotated(0.4 + 0.7 * k)
            ball.linear_velocity = way * self.speed
            self.flying.append(ball)
            self.trails.append([ball.position])

    def step(self, world: b2.World) -> None:
        for ball, trail in zip(self.flying, self.trails, strict=True):
            trail[:] = [*trail[-25:], ball.position]

    def draw(self, draw: b2.DrawList) -> None:
        for trail in self.trails:
            if len(trail) > 1:
                draw.path(trail, 0x3F6A70)

    def status(self) -> str:
        speeds = [ball.linear_velocity.length for ball in self.flying]
        out = sum(abs(ball.position.x) > 10 or abs(ball.position.y) > 6 for ball in self.flying)
        return f"speeds {min(speeds):.1f} to {max(speeds):.1f} m/s of {self.speed:.0f}; {out} outside"


class Avalanche(Sample):
    """Bodies are dropped at 50 m/s on a table one centimetre thick. Nothing falls through while the table is static,
    because bodies that are not bullets are swept against static shapes. Later the table becomes kinematic and tilts."""

    name = "Thin table"
    category = "Continuous"
    camera = (-13, -1.5, 13, 14)
    frames = 200
    tilt = Slider(0.15, -0.4, 0.4, unit="rad")
    fast = Toggle(True, label="dropped at 50 m/s", restart=True)

    def build(self, world: b2.World) -> None:
        walls(self, world, 12, 2)
        self.table = world.create_static_body((0, 4))
        self.table.create_shape(b2.Box(7, 0.005), friction=0.7)
        for k in range(110):
            body = world.create_dynamic_body(
                (-4.5 + (k % 10), 6 + 0.8 * (k // 10)), linear_velocity=(0, -50.0 if self.fast else 0.0)
            )
            body.create_shape(b2.Box(0.3, 0.3) if k % 3 else b2.Circle(0.32))

    def step(self, world: b2.World) -> None:
        if self.time < 1.5:
            return
        self.table.type = "kinematic"
        wanted = self.tilt
        self.table.angular_velocity = max(min(4 * (wanted - self.table.angle), 0.3), -0.3)

    @Button
    def shake(self) -> None:
        self.table.type = "kinematic"
        self.table.angular_velocity = 3.0

    def status(self) -> str:
        on = sum(abs(body.position.x) < 7 and body.position.y > 3 for body in self.world.bodies if body.mass)
        return f"{on} bodies are on the table"
