"""Materials: friction, restitution, rolling, conveyor belts."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Sample, Slider


class FrictionRamp(Sample):
    """Boxes with friction 0.75 to 0 on a ramp of 0.6. A box slides where the mixed friction, the square root of the product,
    is below the slope: theory tells which."""

    name = "Friction ramp"
    category = "Materials"
    camera = (-12, -2, 12, 10)
    frames = 200
    angle = Slider(0.4, 0.0, 0.8, unit="rad", restart=True)

    def build(self, world: b2.World) -> None:
        ramp = world.create_static_body((0, 3), -self.angle)
        ramp.create_shape(b2.Box(11, 0.2), friction=0.6)
        self.ground(world, 14)
        self.boxes, self.starts = [], []
        for k in range(6):
            friction = 0.75 - 0.15 * k
            place = ramp.world_point((-9 + 2.2 * k, 0.6))
            box = world.create_dynamic_body(place, -self.angle)
            box.create_shape(b2.Box(0.4, 0.4), friction=friction)
            self.boxes.append((box, math.sqrt(0.6 * friction)))
            self.starts.append(place)

    def draw(self, draw: b2.DrawList) -> None:
        for (_, friction), start in zip(self.boxes, self.starts, strict=True):
            slides = friction < math.tan(self.angle)
            draw.text(start + (0, 0.9), f"{friction:.2f}", "orange" if slides else "green")

    def status(self) -> str:
        holds = sum((box.position - start).length < 0.1 for (box, _), start in zip(self.boxes, self.starts, strict=True))
        theory = sum(friction > math.tan(self.angle) for _, friction in self.boxes)
        return f"slope {math.tan(self.angle):.2f}: {holds} hold, theory says {theory}"


class Bounces(Sample):
    """Restitution 0 to 1 in steps of 0.1: a ball from height h comes back to e squared times h. The marks are theory for the
    first bounce."""

    name = "Bounces"
    category = "Materials"
    camera = (-11, -1.5, 11, 11)
    frames = 100
    height = Slider(9.0, 2.0, 10.0, unit="m", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 14)
        for k in range(11):
            ball = world.create_dynamic_body((-8 + 1.6 * k, self.height + 0.4))
            ball.create_shape(b2.Circle(0.4), restitution=0.1 * k)

    def draw(self, draw: b2.DrawList) -> None:
        for k in range(11):
            x, y = -8 + 1.6 * k, 0.4 + (0.1 * k) ** 2 * self.height
            draw.line((x - 0.6, y), (x + 0.6, y), "orange")
            draw.text((x - 0.3, -0.6), f"{0.1 * k:.1f}")


class Conveyor(Sample):
    """`tangent_speed` moves the surface, not the body: boxes are carried along and speed up until they go with the belt."""

    name = "Conveyor belts"
    category = "Materials"
    camera = (-12, -1.5, 12, 11)
    frames = 300
    speed = Slider(3.0, -8.0, 8.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        self.ground(world, 14)
        self.belts = []
        for k in range(3):
            belt = world.create_static_body(((-1) ** k * 2.5, 2 + 2.6 * k), 0.06 * (-1) ** k)
            self.belts.append((belt.create_shape(b2.Box(6, 0.2, radius=0.1), friction=0.8), -((-1) ** k)))
        for k in range(14):
            world.create_dynamic_body((5 + 0.4 * (k % 5), 8.5 + 0.9 * k)).create_shape(b2.Box(0.3, 0.3))
        self.changed("speed")

    def changed(self, control: str) -> None:
        for belt, way in self.belts:
            belt.tangent_speed = self.speed * way
