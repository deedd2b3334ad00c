"""Continuous collision: nothing passes through walls."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Button, Sample, Slider, Toggle


class ThinWalls(Sample):
    """Balls far faster than a wall is thick. The continuous stage sweeps them and stops each at the first static shape;
    without it most pass."""

    name = "Thin walls"
    category = "Continuous"
    camera = (-14, -8, 14, 8)
    options = {"gravity": (0, 0)}
    speed = Slider(300.0, 10.0, 400.0, unit="m/s")
    on = Toggle(True, label="continuous")

    def build(self, world: b2.World) -> None:
        walls = world.create_static_body()
        for angle in range(8):
            a, b = math.radians(45 * angle), math.radians(45 * angle + 45)
            walls.create_shape(
                b2.Segment((7 * math.cos(a), 7 * math.sin(a)), (7 * math.cos(b), 7 * math.sin(b))), restitution=0.9
            )
        self.balls = []
        for k in range(20):
            way = b2.Vec2(math.cos(2.4 * k), math.sin(2.4 * k))
            ball = world.create_dynamic_body(0.2 * k * way, linear_velocity=self.speed * way, can_sleep=False)
            ball.create_shape(b2.Circle(0.15), friction=0.0, restitution=0.9)
            self.balls.append(ball)

    def changed(self, control: str) -> None:
        self.world.continuous = self.on

    @Button
    def push(self) -> None:
        for k, ball in enumerate(self.balls):
            ball.linear_velocity = self.speed * math.cos(k), self.speed * math.sin(k)

    def status(self) -> str:
        inside = sum(ball.position.length < 7.2 for ball in self.balls)
        return f"{inside} of {len(self.balls)} still inside, {self.world.counters.continuous_bodies} swept in the last step"


class Bullets(Sample):
    """A bullet is swept against moving bodies too: it meets each sheet of the stack. The upper shot is a bullet, the lower
    one is not and may jump over a sheet."""

    name = "Bullets"
    category = "Continuous"
    camera = (-14, -6, 14, 8)
    frames = 20
    options = {"gravity": (0, 0)}
    speed = Slider(250.0, 20.0, 400.0, unit="m/s", restart=True)

    def build(self, world: b2.World) -> None:
        self.shots = []
        for y, bullet in ((3, True), (-3, False)):
            for k in range(8):
                world.create_dynamic_body((-2 + 1.3 * k, y)).create_shape(b2.Box(0.02, 1.8), density=0.2)
            shot = world.create_dynamic_body((-13, y), linear_velocity=(self.speed, 0), bullet=bullet)
            shot.create_shape(b2.Circle(0.1), density=40)
            self.shots.append(shot)

    def status(self) -> str:
        first, second = (shot.linear_velocity.x for shot in self.shots)
        return f"speed left: bullet {first:.0f} m/s, plain {second:.0f} m/s"
