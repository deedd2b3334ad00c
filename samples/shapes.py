"""Shapes: what bodies are made of."""

from __future__ import annotations

import math
import random

import box2dpy as b2

from ._parts import ring, walls
from ._sample import Button, Choice, Sample, Slider, Toggle


class Zoo(Sample):
    """Every geometry that a moving shape can have: circle, capsule, polygons of three to eight vertices, box, and
    rounded ones. They fall onto a segment, which is a line that is solid from both sides."""

    name = "All shapes"
    category = "Shapes"
    camera = (-13, -1.5, 13, 13)
    frames = 80

    def build(self, world: b2.World) -> None:
        self.ground(world, 13)
        world.create_static_body().create_shape(b2.Segment((-11, 4), (3, 2.5)))
        forms: list[tuple[str, b2.Geometry]] = [
            ("circle", b2.Circle(0.6)),
            ("capsule", b2.Capsule((-0.5, 0), (0.5, 0), 0.3)),
            ("box", b2.Box(0.7, 0.4)),
            ("soft box", b2.Box(0.45, 0.45, radius=0.2)),
            ("3 corners", b2.Polygon(ring(3, 0.8))),
            ("5", b2.Polygon(ring(5, 0.7))),
            ("8", b2.Polygon(ring(8, 0.7))),
            ("soft 3", b2.Polygon(ring(3, 0.6), radius=0.2)),
        ]
        self.names = []
        for k, (name, form) in enumerate(forms):
            for row in range(2):
                body = world.create_dynamic_body((-9.5 + 2.7 * k, 7 + 3 * row), 0.3 * k)
                body.create_shape(form)
                if not row:
                    self.names.append((body, name))

    def draw(self, draw: b2.DrawList) -> None:
        for body, name in self.names:
            draw.text(body.position + (-0.5, 0.9), name)


class Rounding(Sample):
    """`Box(hx, hy, radius=r)` and `Polygon(points, radius=r)` enlarge a core by a radius. The rounder its corners, the
    farther a box rolls down the slope."""

    name = "Rounded corners"
    category = "Shapes"
    camera = (-16, -1.5, 16, 14)
    frames = 200
    slope = Slider(25.0, 5.0, 40.0, unit="degrees", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 60)
        tilt = math.radians(self.slope)
        world.create_static_body((-9, 0.5)).create_shape(
            b2.Box(7, 0.4, angle=-tilt, center=(0, 7 * math.sin(tilt))), friction=1
        )
        self.boxes = []
        for k in range(6):
            radius = 0.1 * k
            at = b2.Vec2(-14.0 + 1.6 * k, 0.5 + 7 * math.sin(tilt) + 1.3)
            body = world.create_dynamic_body((at.x, at.y + (5 - 1.6 * k) * math.tan(tilt)), -tilt)
            body.create_shape(b2.Box(0.6 - radius, 0.6 - radius, radius=radius), friction=0.9, rolling_resistance=0.02)
            self.boxes.append((body, radius))

    def draw(self, draw: b2.DrawList) -> None:
        for body, radius in self.boxes:
            draw.text(body.position + (-0.3, 0.8), f"{radius:.1f}")

    def status(self) -> str:
        sharp, soft = self.boxes[0][0].position.x + 14, self.boxes[-1][0].position.x + 6
        return f"the roundest box moved {soft:.1f} m, the sharpest {sharp:.1f} m"


class Compound(Sample):
    """A body may have many shapes: hammers, stars, tables and rings of boxes. Its mass, centre (dots) and inertia are
    those of all parts together."""

    name = "Compound shapes"
    category = "Shapes"
    camera = (-12, -1.5, 12, 13)
    frames = 140

    def build(self, world: b2.World) -> None:
        walls(self, world, 11, 10)
        rng = random.Random(3)
        for k in range(20):
            body = world.create_dynamic_body((-8 + 4 * (k % 5), 3 + 3.2 * (k // 5)), rng.uniform(-3, 3))
            (self.hammer, self.star, self.table, self.ring)[k % 4](body)

    def hammer(self, body: b2.Body) -> None:
        body.create_shape(b2.Box(0.1, 1.0), density=0.5)
        body.create_shape(b2.Box(0.55, 0.3, (0, 1.0)), density=6)

    def star(self, body: b2.Body) -> None:
        for k in range(5):
            turn = 2 * math.pi * k / 5
            tip = [b2.Vec2(0, 1.1), b2.Vec2(-0.4, 0), b2.Vec2(0.4, 0)]
            body.create_shape(b2.Polygon([corner.rotated(turn) for corner in tip]))

    def table(self, body: b2.Body) -> None:
        body.create_shape(b2.Box(1.2, 0.12, (0, 0.5)))
        for side in (-1, 1):
            body.create_shape(b2.Box(0.12, 0.6, (side * 1.0, -0.2)))

    def ring(self, body: b2.Body) -> None:
        for k, (x, y) in enumerate(ring(12, 0.95)):
            body.create_shape(b2.Box(0.12, 0.27, (x, y), 2 * math.pi * k / 12))

    def draw(self, draw: b2.DrawList) -> None:
        draw.dots([body.world_center for body in self.world.bodies if body.mass], "red", 6)


class Filters(Sample):
    """`Filter(category, mask)` decides which shapes collide. Each ball falls through the shelf of its own colour and is
    held by the others; it rolls off at their open ends."""

    name = "Filters"
    category = "Shapes"
    camera = (-11, -1.5, 11, 14)
    frames = 260
    colors = 0xE5534B, 0x4FB06D, 0x4C8FE5
    pass_own = Toggle(True)

    def build(self, world: b2.World) -> None:
        walls(self, world, 9, 13)
        self.shelves = []
        for k in range(3):
            side = (-1) ** k
            shelf = world.create_static_body((1.1 * side, 2.5 + 2.8 * k), 0.1 * side)
            self.shelves.append(shelf.create_shape(b2.Box(7.9, 0.15), color=self.colors[k]))
        self.changed("pass_own")
        self.dropped = 0

    def changed(self, control: str) -> None:
        for k, shelf in enumerate(self.shelves):
            own = 2 << k
            shelf.filter = b2.Filter(category=16, mask=~own & 0xFF if self.pass_own else 0xFF)

    def step(self, world: b2.World) -> None:
        if self.dropped < 45 and self.time * 10 > self.dropped:
            kind = self.dropped % 3
            ball = world.create_dynamic_body((-6 + 12 * (self.dropped * 0.618 % 1), 12.5))
            ball.create_shape(b2.Circle(0.4), color=self.colors[kind], filter=b2.Filter(category=2 << kind))
            self.dropped += 1


class Pulsing(Sample):
    """`shape.geometry = ...` replaces the geometry of an existing shape; contacts and mass follow. The shapes of this
    heap pulse, so it never rests."""

    name = "Changing geometry"
    category = "Shapes"
    options = {"sleeping": False}
    camera = (-11, -1.5, 11, 13)
    frames = 150
    beat = Slider(0.5, 0.1, 2.0, unit="Hz")
    swell = Slider(0.35, 0.0, 0.6)

    def build(self, world: b2.World) -> None:
        walls(self, world, 7, 12)
        self.hearts = []
        for k in range(36):
            body = world.create_dynamic_body((-6 + 2.2 * (k % 6) + 0.3 * (k // 6 % 2), 1 + 1.9 * (k // 6)))
            self.hearts.append(body.create_shape(b2.Circle(0.6) if k % 2 else b2.Box(0.6, 0.6), friction=0.3))

    def step(self, world: b2.World) -> None:
        for k, heart in enumerate(self.hearts):
            size = 0.6 * (1 + self.swell * math.sin(2 * math.pi * (self.beat * self.time + k / 36)))
            heart.geometry = b2.Circle(size) if k % 2 else b2.Box(size, 1.2 - size)


class ChainHills(Sample):
    """`body.create_chain(points)` creates terrain of one-sided segments that know their neighbours. Wheels, boxes and
    capsules roll and slide over 200 segments. The points of the ground go from right to left."""

    name = "Chain terrain"
    category = "Shapes"
    camera = (-24, -6, 24, 24)
    frames = 160
    roughness = Slider(1.0, 0.0, 2.0, restart=True)

    def height(self, x: float) -> float:
        waves = 1.1 * math.sin(0.45 * x) + 0.5 * math.sin(1.3 * x + 1) + 0.15 * math.sin(4.1 * x)
        return 0.02 * x * x + self.roughness * waves

    def build(self, world: b2.World) -> None:
        points = [(25 - 0.25 * k, self.height(25 - 0.25 * k)) for k in range(201)]
        world.create_static_body().create_chain([(25, 40), *points, (-25, 40)], friction=0.5)
        rng = random.Random(8)
        for k in range(40):
            x = -23 + 1.15 * k
            body = world.create_dynamic_body((x, self.height(x) + 3 + rng.random() * 3), rng.uniform(-1, 1))
            form = (b2.Circle(0.5), b2.Box(0.5, 0.35), b2.Capsule((-0.4, 0), (0.4, 0), 0.3))[k % 3]
            body.create_shape(form, rolling_resistance=0.02)


class GhostBumps(Sample):
    """Three sliders on flat floors of 60 pieces each: a chain, separate segments and boxes. A corner would bump against
    every joint if the engine did not know which edges a neighbour hides. The text shows how high each slider jumped."""

    name = "Ghost bumps"
    category = "Shapes"
    camera = (-16, -2, 16, 14)
    frames = 130
    speed = Slider(12.0, 2.0, 30.0, unit="m/s", restart=True)
    slider = Choice("box", ("box", "circle", "capsule"), restart=True)

    def build(self, world: b2.World) -> None:
        form = {"box": b2.Box(0.5, 0.5), "circle": b2.Circle(0.5), "capsule": b2.Capsule((-0.3, 0), (0.3, 0), 0.4)}[
            self.slider
        ]
        self.sliders, self.top = [], [0.0, 0.0, 0.0]
        for row in range(3):
            floor = world.create_static_body((0, 4 * row))
            edges = [15 - 0.5 * k for k in range(61)]
            if row == 2:
                floor.create_chain([(x, 0) for x in edges], friction=0.1)
            for left, right in zip(edges[1:], edges, strict=False):
                if row == 1:
                    floor.create_shape(b2.Segment((left, 0), (right, 0)), friction=0.1)
                elif row == 0:
                    floor.create_shape(b2.Box(0.25, 0.25, (0.5 * (left + right), -0.25)), friction=0.1)
            floor.create_shape(b2.Box(0.2, 1.5, (15.2, 1.25)))
            body = world.create_dynamic_body(
                (-14, 4 * row + 0.5), linear_velocity=(self.speed, 0), lock_rotation=row < 0
            )
            body.create_shape(form, friction=0.1)
            self.sliders.append(body)

    def step(self, world: b2.World) -> None:
        for row, body in enumerate(self.sliders):
            if body.position.x < 13:
                self.top[row] = max(self.top[row], body.position.y - 4 * row - 0.5)

    def draw(self, draw: b2.DrawList) -> None:
        for row, said in enumerate(("boxes", "segments", "a chain")):
            draw.text((-15, 4 * row + 1.8), f"{said}: jumped {1000 * max(self.top[row], 0):.1f} mm", "yellow")


class Loops(Sample):
    """A closed chain, `loop=True`, is solid outside when its points go counter-clockwise, and inside when they go
    clockwise: an hourglass of two bulbs, and a heart on which grains fall."""

    name = "Chain loops"
    category = "Shapes"
    camera = (-14, -10, 14, 10)
    frames = 220
    grains = Slider(160, 20, 300, restart=True)
    neck = Slider(0.55, 0.3, 1.2, unit="m", restart=True)

    def build(self, world: b2.World) -> None:
        side = [(self.neck + 3.2 * math.sin(math.pi * abs(y) / 9) ** 2, y) for y in [0.25 * k for k in range(-32, 33)]]
        glass = [*((-x, y) for x, y in side), *reversed(side)]  # clockwise: solid on the inside
        self.glass = world.create_kinematic_body((-7, 0))
        self.glass.create_chain(glass, loop=True, friction=0.1)
        self.poured = []
        for k in range(self.grains):
            at = -7 + 0.32 * (k % 12 - 5.5), 3.2 + 0.3 * (k // 12)
            grain = world.create_dynamic_body(at)
            grain.create_shape(b2.Circle(0.14), friction=0.1)
            self.poured.append(grain)
        heart = [
            (4 * math.sin(t) ** 3, 3.2 * math.cos(t) - 1.2 * math.cos(2 * t) - 0.5 * math.cos(3 * t))
            for t in [-2 * math.pi * k / 40 for k in range(40)]
        ]
        world.create_static_body((7, -3)).create_chain(heart, loop=True, friction=0.2)
        for k in range(24):
            world.create_dynamic_body((4 + k % 6, 4 + k // 6)).create_shape(b2.Box(0.3, 0.3))

    @Button
    def turn_the_glass(self) -> None:
        self.glass.angular_velocity = 0.0 if self.glass.angular_velocity else math.pi / 3

    def status(self) -> str:
        low = sum(grain.position.y < 0 for grain in self.poured if grain.alive)
        return f"{low} of {self.grains} grains are below"


class RandomPolygons(Sample):
    """`Polygon` accepts any points and keeps their convex hull, up to eight vertices. A hundred random polygons fill a
    bin; mass and inertia are exact."""

    name = "Random polygons"
    category = "Shapes"
    camera = (-13, -1.5, 13, 16)
    frames = 200
    seed = Slider(1, 1, 20, restart=True)

    def build(self, world: b2.World) -> None:
        walls(self, world, 8, 12)
        rng = random.Random(self.seed)
        for k in range(100):
            size = rng.uniform(0.4, 1.1)
            while True:
                points = [(rng.uniform(-size, size), rng.uniform(-size, size)) for _ in range(rng.randint(3, 8))]
                try:
                    form = b2.Polygon(b2.hull(points))
                except ValueError:  # no area
                    continue
                if form.mass_data().mass > 0.1:
                    break
            body = world.create_dynamic_body((-6.5 + 1.45 * (k % 10), 2 + 2.0 * (k // 10)), rng.uniform(-3, 3))
            body.create_shape(form)

    def status(self) -> str:
        return f"{sum(body.mass for body in self.world.bodies):.1f} kg"


class Wheels(Sample):
    """Polygons with 3 to 8 vertices, a disc and a hoop on one slope. A polygon of n vertices tips over an edge by
    itself where the slope is above 180 / n degrees. A hoop rolls slower than a disc: a = g sin / (1 + I / m r^2)."""

    name = "Corner race"
    category = "Shapes"
    camera = (-6, -20, 46, 20)
    frames = 200
    slope = Slider(24.0, 5.0, 35.0, unit="degrees", restart=True)

    def build(self, world: b2.World) -> None:
        tilt = math.radians(self.slope)
        self.racers = []
        for lane in range(8):
            lift = -10 + 3.6 * (7 - lane)
            bit = b2.Filter(category=1 << lane + 1, mask=1 << lane + 1)
            world.create_static_body((0, lift), -tilt).create_shape(
                b2.Box(50, 0.1, (46, -0.1)), friction=1.0, filter=bit
            )
            high = 0.75 * math.cos(math.pi / (lane + 3)) if lane < 6 else 0.75
            body = world.create_dynamic_body((high * math.sin(tilt), lift + high * math.cos(tilt)), -tilt)
            form = (
                b2.Circle(0.75) if lane > 5 else b2.Polygon(ring(lane + 3, 0.75, math.pi / (lane + 3) - 0.5 * math.pi))
            )
            body.create_shape(form, friction=1.0, filter=bit)
            if lane == 7:
                body.inertia = body.mass * 0.75**2
            self.racers.append(body)
        self.reached = 0.0

    def step(self, world: b2.World) -> None:
        tilt = math.radians(self.slope)
        if self.racers[6].position.x < 40:
            self.reached = (self.racers[6].position.x / math.cos(tilt) - 0.75 * math.tan(tilt)) - 10 * math.sin(
                tilt
            ) * self.time**2 / 3

    def draw(self, draw: b2.DrawList) -> None:
        names = [f"{n} corners" for n in range(3, 9)] + ["disc", "hoop"]
        for body, name in zip(self.racers, names, strict=True):
            draw.text(body.position + (-1, 1), name)

    def status(self) -> str:
        return f"disc: {self.reached:+.2f} m against s = g sin t^2 / 3"


class Sensors(Sample):
    """A sensor pushes nothing and lists the shapes that overlap it. Its begin and end events colour the shapes that are
    inside."""

    name = "Sensors"
    category = "Shapes"
    camera = (-10, -1.5, 10, 10)
    moving = Toggle(True, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        zone = world.create_kinematic_body((0, 3.5), linear_velocity=(2.5 if self.moving else 0, 0))
        self.zone = zone.create_shape(b2.Circle(3), sensor=True, color=0xE8C547)
        for k in range(30):
            body = world.create_dynamic_body((-8 + 16 * (k * 0.618 % 1), 2 + 0.8 * k), angular_velocity=1.0)
            body.create_shape(b2.Box(0.3, 0.3), sensor_events=True, restitution=0.5)

    def step(self, world: b2.World) -> None:
        for event in world.events.sensor_begin:
            event.visitor.color = 0x4FB06D
        for event in world.events.sensor_end:
            if event.visitor.alive:
                event.visitor.color = 0
        body = self.zone.body
        if abs(body.position.x) > 6:
            body.linear_velocity = -math.copysign(2.5, body.position.x), 0

    def status(self) -> str:
        return f"{len(self.zone.overlaps)} inside"
