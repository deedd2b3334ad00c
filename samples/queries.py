"""Queries: rays, casts and overlaps, whose results are values and arrays."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np

import box2dpy as b2

from ._parts import ring
from ._sample import Button, Choice, Sample, Slider, Toggle


class RayFan(Sample):
    """`world.ray_casts` casts many rays in one call of C, here a fan from the mouse or from the middle. Each ray ends
    at the first shape that it meets. The short line is the normal at that point."""

    name = "Ray fan"
    category = "Queries"
    camera = (-16, -10, 16, 10)
    options = {"gravity": (0, 0)}
    rays = Slider(180, 8, 2000)
    reach = Slider(14.0, 1.0, 30.0, unit="m")
    demo_path = ((0, 0), (7, 3), (-3, 6), (-8, -2))

    def build(self, world: b2.World) -> None:
        forms = (
            b2.Circle(0.6),
            b2.Box(0.7, 0.4),
            b2.Capsule((-0.5, 0), (0.5, 0), 0.3),
            b2.Polygon([(0, 0.8), (-0.7, -0.4), (0.7, -0.4)]),
        )
        for k in range(44):
            angle, radius = 2.4 * k, 3.0 + 1.9 * math.sqrt(k)
            at = radius * math.cos(angle), 0.65 * radius * math.sin(angle)
            body = world.create_kinematic_body(at, angle, angular_velocity=0.4 if k % 2 else -0.4)
            body.create_shape(forms[k % 4])
        self.pointer = b2.Vec2(0, 0)

    def cast(self) -> tuple[np.ndarray, np.ndarray]:
        turns = np.linspace(0, 2 * math.pi, self.rays, endpoint=False)
        ways = self.reach * np.column_stack([np.cos(turns), np.sin(turns)])
        return ways, self.world.ray_casts(np.tile(self.pointer, (self.rays, 1)), ways)

    def draw(self, draw: b2.DrawList) -> None:
        ways, hits = self.cast()
        met = hits["shape"] >= 0
        start = np.tile(self.pointer, (self.rays, 1))
        end = np.where(met[:, None], hits["point"], start + ways)
        draw.lines(np.hstack([start, end])[~met], 0x3A4250)
        draw.lines(np.hstack([start, end])[met], "teal")
        draw.lines(np.hstack([end, end + 0.3 * hits["normal"]])[met], "yellow")
        draw.dots(end[met], "orange", 4)
        draw.dot(self.pointer, "white", 8)

    def status(self) -> str:
        return f"{int((self.cast()[1]['shape'] >= 0).sum())} of {self.rays} rays hit something"


def scatter(world: b2.World, count: int, *, spin: float = 0.4, kind: str = "kinematic") -> None:
    """Shapes of all kinds on a sunflower spiral; most of them rotate."""
    forms = b2.Circle(0.6), b2.Box(0.7, 0.4), b2.Capsule((-0.5, 0), (0.5, 0), 0.3), b2.Polygon(ring(5, 0.7))
    for k in range(count):
        angle, radius = 2.4 * k, 3.0 + 1.9 * math.sqrt(k)
        at = radius * math.cos(angle), 0.6 * radius * math.sin(angle)
        create = world.create_kinematic_body if kind == "kinematic" else world.create_dynamic_body
        create(at, angle, angular_velocity=spin * (-1) ** k).create_shape(forms[k % 4])


class LaserMirrors(Sample):
    """From each point that it hits, the ray is cast again in the mirrored direction: one `ray_cast` for each
    reflection. The normal of the hit is all that a mirror needs."""

    name = "Laser and mirrors"
    category = "Queries"
    options = {"gravity": (0, 0)}
    camera = (-16, -10, 16, 10)
    bounces = Slider(30, 1, 100)
    turning = Slider(0.15, 0.0, 1.0, unit="rad/s")

    def build(self, world: b2.World) -> None:
        frame = world.create_static_body()
        frame.create_chain([(-15, -9), (-15, 9), (15, 9), (15, -9)], loop=True)
        scatter(world, 18, spin=0.3)

    def path(self) -> list[b2.Vec2]:
        place = b2.Vec2(0, 0)
        way = b2.Vec2(60, 0).rotated(0.3 + self.turning * self.time)
        points = [place]
        for _ in range(self.bounces):
            hit = self.world.ray_cast(place, way)
            if hit is None:
                return [*points, place + way]
            place = hit.point + 1e-4 * hit.normal
            way -= 2 * way.dot(hit.normal) * hit.normal
            points.append(hit.point)
        return points

    def draw(self, draw: b2.DrawList) -> None:
        points = self.path()
        draw.path(points, "red")
        draw.dots(points[1:], "yellow", 4)
        draw.dot(points[0], "white", 10)

    def status(self) -> str:
        points = self.path()
        return f"{len(points) - 1} rays, {sum(a.distance(b) for a, b in itertools.pairwise(points)):.0f} m in total"


class ShapeCasts(Sample):
    """`world.shape_cast` moves a geometry until it touches a shape: how far can this box go? `shape_cast_all` lists
    everything on its path. Aim with the mouse."""

    name = "Shape casts"
    category = "Queries"
    options = {"gravity": (0, 0)}
    camera = (-16, -10, 16, 10)
    form = Choice("box", ("box", "circle", "capsule"))
    all_hits = Toggle(True)
    demo_path = ((12, 5), (-4, 9), (-13, 1), (-8, -8), (9, -7))

    def build(self, world: b2.World) -> None:
        scatter(world, 30)
        self.forms = {
            "box": b2.Box(0.6, 0.4),
            "circle": b2.Circle(0.5),
            "capsule": b2.Capsule((-0.6, 0), (0.6, 0), 0.25),
        }
        self.pointer = b2.Vec2(12, 5)

    def draw(self, draw: b2.DrawList) -> None:
        form, way = self.forms[self.form], self.pointer
        draw.shape(form, (0, 0), way.angle, "grey")
        first = self.world.shape_cast(form, (0, 0), way.angle, way)
        draw.line((0, 0), way, 0x3A4250)
        if self.all_hits:
            for hit in self.world.shape_cast_all(form, (0, 0), way.angle, way):
                draw.shape(form, way * hit.fraction, way.angle, 0x6C7683)
                draw.dot(hit.point, "orange", 4)
        end = way if first is None else way * first.fraction
        draw.shape(form, end, way.angle, "lime" if first is None else "red")
        if first is not None:
            draw.arrow(first.point, first.point + 0.8 * first.normal, "yellow")

    def status(self) -> str:
        way = self.pointer
        hit = self.world.shape_cast(self.forms[self.form], (0, 0), way.angle, way)
        return "the way is free" if hit is None else f"free for {hit.fraction * way.length:.3f} m of {way.length:.1f} m"


class NearestShapes(Sample):
    """`world.nearests(points, max_distance)` finds the nearest shape of many points in one call. Each line leads from a
    point of the grid to the nearest surface, up to the distance of the slider."""

    name = "Nearest"
    category = "Queries"
    options = {"gravity": (0, 0)}
    camera = (-16, -10, 16, 10)
    reach = Slider(1.6, 0.2, 6.0, unit="m")
    spacing = Slider(1.0, 0.5, 2.0, unit="m")
    demo_path = ((3, 1), (9, 6), (-9, 5), (-6, -6))

    def build(self, world: b2.World) -> None:
        scatter(world, 24)

    def draw(self, draw: b2.DrawList) -> None:
        x, y = np.meshgrid(np.arange(-15.5, 16, self.spacing), np.arange(-9.5, 10, self.spacing))
        points = np.column_stack([x.ravel(), y.ravel()])
        hits = self.world.nearests(points, self.reach)
        met = hits["shape"] >= 0
        draw.lines(np.hstack([points, hits["point"]])[met], "teal")
        draw.dots(points[~met], 0x3A4250, 3)
        draw.dots(hits["point"][met], "orange", 3)
        near = self.world.nearest(self.pointer, 30)
        if near is not None:
            draw.line(self.pointer, near.point, "yellow")

    def status(self) -> str:
        near = self.world.nearest(self.pointer, 30)
        return "" if near is None else f"nearest to the mouse: {near.distance:.3f} m"


class Overlaps(Sample):
    """`overlap_aabb`, `overlap_shape` and `point_query` list the shapes in a box, in any geometry and at a point,
    tested with the exact geometry. The shapes found are outlined."""

    name = "Overlap queries"
    category = "Queries"
    options = {"gravity": (0, 0)}
    camera = (-16, -10, 16, 10)
    size = Slider(3.0, 0.5, 8.0, unit="m")
    form = Choice("hexagon", ("box", "hexagon", "circle"))
    demo_path = ((8, 0), (2, 5), (-7, 3), (-5, -5))

    def build(self, world: b2.World) -> None:
        scatter(world, 60)

    def ask(self) -> tuple[b2.Vec2, list[b2.Shape]]:
        at = self.pointer
        if self.form == "box":
            corner = b2.Vec2(self.size, 0.6 * self.size)
            return at, self.world.overlap_aabb(at - corner, at + corner)
        geometry = b2.Circle(self.size) if self.form == "circle" else b2.Polygon(ring(6, self.size))
        return at, self.world.overlap_shape(geometry, at, 0.0 if self.form == "circle" else 0.3 * self.time)

    def draw(self, draw: b2.DrawList) -> None:
        at, found = self.ask()
        if self.form == "box":
            draw.box(at - (self.size, 0.6 * self.size), at + (self.size, 0.6 * self.size), "yellow")
        elif self.form == "circle":
            draw.circle(at, self.size, "yellow")
        else:
            draw.shape(b2.Polygon(ring(6, self.size)), at, 0.3 * self.time, "yellow")
        for shape in found:
            draw.shape(shape.geometry, shape.body.position, shape.body.angle, "lime")
        for shape in self.world.point_query(at):
            draw.dot(shape.body.position, "red", 10)

    def status(self) -> str:
        return f"{len(self.ask()[1])} of {len(self.world.shapes)} shapes"


class Explosions(Sample):
    """`world.explode(center, radius, falloff, impulse_per_length)` pushes the shapes nearby, each by the width that it
    shows to the centre. Click to explode at the mouse. A negative strength implodes."""

    name = "Explosions"
    category = "Queries"
    camera = (-14, -1.5, 14, 15)
    frames = 75
    radius = Slider(4.0, 0.5, 12.0, unit="m")
    strength = Slider(12.0, -20.0, 40.0, unit="N s/m")
    demo = ((0.75, ""), (0.1, "click"), (3.15, ""))
    demo_path = ((0, 1), (-4, 0.5), (5, 0.5))

    def build(self, world: b2.World) -> None:
        self.ground(world, 400)
        rng = random.Random(6)
        for k in range(90):
            body = world.create_dynamic_body((-6.75 + 1.5 * (k % 10), 0.5 + k // 10), rng.uniform(-0.1, 0.1))
            body.create_shape((b2.Box(0.45, 0.45), b2.Circle(0.45), b2.Polygon(ring(5, 0.5)))[k % 3])
        self.last: tuple[b2.Vec2, float] | None = None

    def blast(self, point: b2.Vec2) -> None:
        self.world.explode(point, self.radius, self.radius, self.strength)
        self.last = point, self.time

    def click(self, point: b2.Vec2) -> bool:
        self.blast(point)
        return True

    @Button
    def explode(self) -> None:
        self.blast(b2.Vec2(0, 1))

    def draw(self, draw: b2.DrawList) -> None:
        if self.last is not None and self.time - self.last[1] < 0.5:
            for k in range(1, 4):
                draw.circle(self.last[0], self.radius * k / 3 * min(1, 4 * (self.time - self.last[1])), "orange")

    def status(self) -> str:
        return f"fastest {max(body.linear_velocity.length for body in self.world.bodies):.1f} m/s"


class LidarCar(Sample):
    """A robot without keys or a map: seven rays ahead, steering towards the longer side, and a speed that follows the
    free distance in front. The rays alone guide it through the maze."""

    name = "Robot with rays"
    category = "Queries"
    options = {"gravity": (0, 0)}
    camera = (-16, -10, 16, 10)
    frames = 260
    speed = Slider(5.0, 1.0, 12.0, unit="m/s")
    sight = Slider(4.0, 1.0, 8.0, unit="m")

    def build(self, world: b2.World) -> None:
        frame = world.create_static_body()
        frame.create_chain([(-15, -9), (-15, 9), (15, 9), (15, -9)], loop=True)
        for k in range(26):
            angle, radius = 2.4 * k, 3.0 + 2.0 * math.sqrt(k)
            at = radius * math.cos(angle), 0.6 * radius * math.sin(angle)
            frame.create_shape(b2.Box(0.8, 0.3, at, angle) if k % 2 else b2.Circle(0.6, at))
        self.robots, self.trails = [], []
        for k in range(4):
            robot = world.create_dynamic_body(
                (-13 + 8.5 * k, -7.5 + 15 * (k % 2)), 0.7 * k, linear_damping=4, angular_damping=6
            )
            robot.create_shape(b2.Polygon([(0.6, 0), (0.1, 0.4), (-0.5, 0.35), (-0.5, -0.35), (0.1, -0.4)]))
            self.robots.append(robot)
            self.trails.append([robot.position])
        self.seen: list[tuple[b2.Vec2, b2.Vec2]] = []

    def step(self, world: b2.World) -> None:
        self.seen = []
        for robot, trail in zip(self.robots, self.trails, strict=True):
            free = []
            for k in range(-3, 4):
                start = robot.world_point((0.7, 0.1 * k))
                way = robot.world_vector((self.sight, 0)).rotated(0.35 * k)
                hit = world.ray_cast(start, way)
                free.append(1.0 if hit is None else hit.fraction)
                self.seen.append((start, start + way * free[-1]))
            turn = sum(free[4:]) - sum(free[:3]) + (0.6 if free[3] < 0.3 else 0)
            robot.apply_torque(robot.inertia * (14 * turn))
            ahead = robot.world_vector((1, 0))
            robot.apply_force(ahead * (robot.mass * 4 * self.speed * (min(free[2:5]) - 0.12)))
            sideways = robot.world_vector((0, 1))
            robot.apply_impulse(sideways * (-0.3 * robot.mass * robot.linear_velocity.dot(sideways)))
            trail[:] = [*trail[-150:], robot.position]

    def draw(self, draw: b2.DrawList) -> None:
        for start, end in self.seen:
            draw.line(start, end, 0x3F6A70)
        for trail in self.trails:
            if len(trail) > 1:
                draw.path(trail, 0x6C7683)

    def status(self) -> str:
        return f"speeds {', '.join(f'{robot.linear_velocity.length:.1f}' for robot in self.robots)} m/s"
