"""Air, water, tiles, characters and outlines: helpers around the step of the engine."""

from __future__ import annotations

import math
import random

import numpy as np

import box2dpy as b2

from ._parts import links, ring
from ._sample import Button, Choice, Sample, Slider, Toggle


class Floating(Sample):
    """`world.apply_buoyancy` applies Archimedes' law: the water under the surface pushes a body with the weight of the
    displaced water. The depth follows from the density of the body, and lead sinks. The text compares the depth of the
    wood with theory."""

    name = "Floating"
    category = "Bodies"
    camera = (-13, -7.5, 13, 8)
    frames = 420
    water = Slider(1000.0, 200.0, 2000.0, unit="kg/m^3", label="density of the water")
    drag = Slider(2.0, 0.0, 10.0, unit="1/s")
    current = Slider(0.0, -3.0, 3.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        basin = world.create_static_body()
        basin.create_chain([(12, 5), (12, -7), (-12, -7), (-12, 5)])
        self.pool = b2.Box(12, 3.5)
        self.things = []
        for k, density in enumerate((100, 300, 500, 700, 900, 990, 1500)):
            body = world.create_dynamic_body((-9 + 3 * k, 3 + 0.3 * k))
            body.create_shape(b2.Box(0.9, 0.6), density=density)
            self.things.append((body, density))
        boat = world.create_dynamic_body((-1, 6))
        boat.create_shape(b2.Polygon([(-2, 0.4), (2, 0.4), (1.4, -0.5), (-1.4, -0.5)]), density=300)
        boat.create_shape(b2.Box(0.08, 1.2, (0, 1.6)), density=100)

    def step(self, world: b2.World) -> None:
        world.apply_buoyancy(
            self.pool, (0, -3.5), density=self.water, drag=self.drag, flow=(self.current, 0), wake=True
        )

    def draw(self, draw: b2.DrawList) -> None:
        draw.fill([(-12, -7), (12, -7), (12, 0), (-12, 0)], "blue", 0.25)
        for body, density in self.things:
            draw.text(body.position + (-0.5, 0.7), f"{density}")

    def status(self) -> str:
        wood = self.things[2][0]
        return f"500 kg/m^3: middle at {wood.position.y:.3f} m, level and at rest {0.6 - 1.2 * 500 / self.water:.3f} m"


class Harbour(Sample):
    """Boats in waves: each column of water is a region of its own that rises and falls. Load crates until a boat
    capsizes; the button adds one crate."""

    name = "Boats in waves"
    category = "Bodies"
    camera = (-15, -5, 15, 10)
    frames = 260
    swell = Slider(0.5, 0.0, 1.5, unit="m")
    rate = Slider(0.25, 0.05, 1.0, unit="Hz")

    def build(self, world: b2.World) -> None:
        world.create_static_body().create_chain([(15, 9), (15, -5), (-15, -5), (-15, 9)])
        self.column = b2.Box(0.75, 2.5)
        self.rng = random.Random(3)
        self.boats = []
        for k in range(3):
            boat = world.create_dynamic_body((-9 + 9 * k, 1))
            hull = [(-2.4, 0.6), (-1.6, -0.6), (1.6, -0.6), (2.4, 0.6)]
            for (ax, ay), (bx, by) in ((hull[0], hull[1]), (hull[1], hull[2]), (hull[2], hull[3])):
                boat.create_shape(b2.Capsule((ax, ay), (bx, by), 0.12), density=500)
            boat.create_shape(b2.Polygon([(-1.9, 0), (1.9, 0), (1.5, -0.5), (-1.5, -0.5)]), density=60)
            self.boats.append(boat)
        self.crates = 0
        for _ in range(6):
            self.load()

    @Button
    def load(self) -> None:
        boat = self.boats[self.crates % 3]
        crate = self.world.create_dynamic_body(boat.position + (self.rng.uniform(-1, 1), 2 + 0.9 * (self.crates // 3)))
        crate.create_shape(b2.Box(0.35, 0.35), density=300, friction=0.8)
        self.crates += 1

    def height(self, x: float) -> float:
        return self.swell * math.sin(2 * math.pi * self.rate * self.time - 0.35 * x)

    def step(self, world: b2.World) -> None:
        for k in range(20):
            x = -14.25 + 1.5 * k
            world.apply_buoyancy(self.column, (x, self.height(x) - 2.5), density=1000, drag=1.5, wake=True)

    def draw(self, draw: b2.DrawList) -> None:
        for k in range(20):
            x = -14.25 + 1.5 * k
            top = self.height(x)
            draw.fill([(x - 0.75, -5), (x + 0.75, -5), (x + 0.75, top), (x - 0.75, top)], "blue", 0.25)

    def status(self) -> str:
        upright = sum(abs(boat.angle) < 1 for boat in self.boats)
        return f"{self.crates} crates loaded, {upright} of 3 boats upright"


class Wind(Sample):
    """`world.apply_wind` pushes every edge that faces the flow, with drag along the flow and lift across it. Flags of
    links stream and leaves drift. Walls give no shelter: shapes behind a wall are pushed too."""

    name = "Wind"
    category = "Bodies"
    camera = (-13, -1, 13, 13)
    frames = 200
    speed = Slider(9.0, -25.0, 25.0, unit="m/s")
    gusts = Slider(0.4, 0.0, 1.0)
    lift = Slider(0.5, 0.0, 2.0)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 40)
        for k in range(3):
            x = -9 + 7 * k
            ground.create_shape(b2.Box(0.1, 5, (x, 6)), filter=b2.Filter(mask=0))
            links(
                world, ground, (x, 10.5 - k), 12 + 3 * k, 0.3, density=0.3, thickness=0.05, filter=b2.Filter(group=-1)
            )
        rng = random.Random(5)
        for _ in range(30):
            leaf = world.create_dynamic_body((rng.uniform(-12, 12), rng.uniform(3, 12)), rng.uniform(-3, 3))
            leaf.create_shape(b2.Capsule((-0.2, 0), (0.2, 0), 0.05), density=0.8, color=0x4FB06D)

    def now(self) -> float:
        return self.speed * (1 + self.gusts * math.sin(2.1 * self.time) * math.sin(0.9 * self.time + 1))

    def step(self, world: b2.World) -> None:
        world.apply_wind((self.now(), 0), drag=1.0, lift=self.lift, density=0.05, wake=True)

    def draw(self, draw: b2.DrawList) -> None:
        for k in range(5):
            draw.arrow((-12, 2 + 2 * k), (-12 + 0.12 * self.now(), 2 + 2 * k), 0x5A6B80)

    def status(self) -> str:
        return f"{self.now():.1f} m/s"


class Gliders(Sample):
    """Falling plates with drag and lift: a flat one flutters, a tilted one glides, and one with its weight in front
    flies. The air is still, so the wind is the velocity of the plate itself."""

    name = "Gliders"
    category = "Bodies"
    camera = (-14, -1, 22, 21)
    frames = 200
    lift = Slider(1.5, 0.0, 3.0, restart=True)
    density = Slider(0.4, 0.0, 1.2, unit="kg/m^3", label="air", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 60)
        self.plates, self.trails = [], []
        for k in range(6):
            plate = world.create_dynamic_body(
                (-10 + 2 * k, 18), -0.12 * k, angular_damping=0.8, linear_velocity=(2.0 * k, 0)
            )
            plate.create_shape(b2.Box(0.9, 0.06), density=2)
            if k >= 3:
                plate.create_shape(b2.Circle(0.15, (0.8, 0)), density=10)
            self.plates.append(plate)
            self.trails.append([plate.position])

    def step(self, world: b2.World) -> None:
        world.apply_wind((0, 0), drag=0.6, lift=self.lift, density=self.density)
        for plate, trail in zip(self.plates, self.trails, strict=True):
            trail.append(plate.position)

    def draw(self, draw: b2.DrawList) -> None:
        for trail in self.trails:
            if len(trail) > 1:
                draw.path(trail[-400:], 0x5A6B80)

    def status(self) -> str:
        return f"farthest {max(plate.position.x for plate in self.plates):.1f} m"


class Tiles(Sample):
    """Terrain of separate boxes, as tile maps create it. Edges that are hidden by a neighbour do not collide, so boxes,
    discs and capsules slide over the joints as over one floor. The text shows the highest jump."""

    name = "Tile terrain"
    category = "Shapes"
    camera = (-22, -3, 22, 20)
    frames = 150
    speed = Slider(14.0, 2.0, 40.0, unit="m/s", restart=True)

    def build(self, world: b2.World) -> None:
        ground = world.create_static_body()
        heights = [0] * 24 + [1, 2, 3, 3, 2, 1, 1] + [0] * 9
        for x, height in enumerate(heights):
            for y in range(-2, height):
                ground.create_shape(b2.Box(0.5, 0.5, (x - 19.5, y + 0.5)), friction=0.05)
        self.sliders = []
        for k, form in enumerate(
            (b2.Box(0.5, 0.5), b2.Circle(0.5), b2.Capsule((-0.4, 0), (0.4, 0), 0.5), b2.Box(0.9, 0.3))
        ):
            body = world.create_dynamic_body((-17 + 2.2 * k, form.aabb().upper.y), linear_velocity=(self.speed, 0))
            body.create_shape(form, friction=0.05)
            self.sliders.append((body, body.position.y))
        self.jump = 0.0

    def step(self, world: b2.World) -> None:
        for body, y in self.sliders:
            if body.position.x < 1 and body.linear_velocity.x > 0.6 * self.speed:
                self.jump = max(self.jump, body.position.y - y)

    def status(self) -> str:
        return f"highest jump on the flat {1000 * self.jump:.2f} mm"


class GeometricMover(Sample):
    """`Mover` walks by geometry alone: it takes a velocity and returns a position, using the planes of everything that
    it touches. It climbs slopes up to 60 degrees and small steps, rides lifts and pushes the bodies in its way."""

    name = "Mover"
    category = "Character"
    camera = (-15, -3, 15, 14)
    frames = 170
    keys = {"left, right": "walk", "up": "jump"}
    demo = ((1.0, "right"), (0.2, "right up")) * 6 + ((1.0, "left"), (0.2, "left up")) * 6
    speed = Slider(6.0, 1.0, 15.0, unit="m/s")
    push = Slider(20.0, 0.0, 100.0, unit="N")

    def build(self, world: b2.World) -> None:
        land = [(30, 8), (26, 2), (20, 2), (15, -1), (10, -1), (6, 2.5), (2, 2.5), (2, 2.2), (1.5, 2.2), (1.5, 1.9)]
        land += [(1, 1.9), (-3, 0), (-20, 0), (-20, 8)]
        world.create_static_body().create_chain(land)
        for k in range(3):
            world.create_static_body((-12 + 3.5 * k, 2.2 + 1.6 * k)).create_shape(b2.Box(1.2, 0.15))
        lift = world.create_kinematic_body((12.5, 0), linear_velocity=(0, 1.5))
        lift.create_shape(b2.Box(1.5, 0.2))
        self.lift = lift
        for k in range(6):
            world.create_dynamic_body((-7 + 0.9 * (k % 3), 0.4 + 0.8 * (k // 3))).create_shape(
                b2.Box(0.4, 0.4), density=0.5
            )
        self.hero = b2.Mover(world, b2.Capsule((0, 0.4), (0, 1.3), 0.4), (-15, 1))

    def step(self, world: b2.World) -> None:
        if abs(self.lift.position.y - 2) > 2.5:
            self.lift.linear_velocity = 0, math.copysign(1.5, 2 - self.lift.position.y)
        hero, stands = self.hero, self.hero.ground_normal is not None
        run, leap = self.pressed("right") - self.pressed("left"), self.pressed("up")
        vx, vy = hero.velocity
        vx += (0.35 if stands else 0.06) * (self.speed * run - vx)
        hero.velocity = b2.Vec2(vx, 9.0 if leap and stands else vy - 25 / 60)
        hero.push_force = self.push
        hero.move(1 / 60)

    def draw(self, draw: b2.DrawList) -> None:
        hero = self.hero
        draw.shape(hero.geometry, hero.position, 0, "orange" if hero.ground_normal is None else "lime")
        for plane in hero.planes:
            draw.arrow(plane.point, plane.point + plane.normal, "yellow")

    def status(self) -> str:
        normal = self.hero.ground_normal
        slope = (
            "in the air" if normal is None else f"on a slope of {math.degrees(math.acos(min(normal.y, 1))):.0f} degrees"
        )
        return f"{slope}, {self.hero.velocity.length:.1f} m/s"


class Simplified(Sample):
    """A coast of 2000 points is reduced by `simplify` to the points that a tolerance needs (Douglas and Peucker) and
    used as a chain, with fewer segments and nearly the same way down. `hull` is drawn around it."""

    name = "Simplified outlines"
    category = "Geometry"
    camera = (-16, -8, 16, 12)
    frames = 140
    tolerance = Slider(0.15, 0.01, 1.5, log=True, unit="m", restart=True)
    form = Choice("circle", ("circle", "box"), restart=True)
    around = Toggle(True, label="convex hull")

    def build(self, world: b2.World) -> None:
        x = np.linspace(15, -15, 2000)
        y = 0.045 * x**2 + 1.1 * np.sin(0.9 * x) + 0.4 * np.sin(2.7 * x + 1) + 0.08 * np.sin(13 * x) - 4
        self.coast = np.column_stack([x, y])
        self.kept = b2.simplify(self.coast, self.tolerance)
        world.create_static_body().create_chain(self.kept, friction=0.3)
        for k in range(24):
            at = -13.8 + 1.2 * k
            body = world.create_dynamic_body((at, 0.045 * at**2 + 1.5 + 1.5 * (k % 3)))
            body.create_shape(b2.Circle(0.45) if self.form == "circle" else b2.Polygon(ring(4, 0.6)))

    def draw(self, draw: b2.DrawList) -> None:
        draw.path(self.coast, 0x3F6A70)
        draw.dots(self.kept, "orange", 5)
        if self.around:
            draw.path(b2.hull(self.coast), 0x5A4A80, closed=True)

    def status(self) -> str:
        return f"{len(self.kept)} of {len(self.coast)} points are kept within {100 * self.tolerance:.0f} cm"
