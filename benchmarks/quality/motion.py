"""Single bodies that bounce, roll, fall over and move fast."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator

import box2dpy as b2

from .common import DT, SUBSTEPS, Figure, Make, box, floor, run, speed


def cradle(make: Make, steps: int) -> float:
    world = make(gravity=(0, 0), sleeping=False)
    balls = []
    for k in range(5):
        ball = world.create_dynamic_body((k - (k == 0), 0), linear_velocity=(5.0 * (k == 0), 0))
        ball.create_shape(b2.Circle(0.5), friction=0.0, restitution=1.0)
        balls.append(ball)
    run(world, steps)
    return 100 * float(balls[-1].linear_velocity[0]) / 5


def gas(make: Make, steps: int) -> float:
    world = make(gravity=(0, 0), sleeping=False)
    walls = world.create_static_body()
    for x, y, width, height in ((0, -6, 7, 1), (0, 6, 7, 1), (-6, 0, 1, 7), (6, 0, 1, 7)):
        walls.create_shape(b2.Box(width, height, center=(x, y)), friction=0.0, restitution=1.0)
    chance, discs = random.Random(1), []
    for k in range(60):
        angle = chance.uniform(0, math.tau)
        place = (1.25 * (k % 8) - 4.4 + chance.uniform(-0.2, 0.2), 1.25 * (k // 8) - 4.4 + chance.uniform(-0.2, 0.2))
        disc = world.create_dynamic_body(place, linear_velocity=(5 * math.cos(angle), 5 * math.sin(angle)))
        disc.create_shape(b2.Circle(0.3), friction=0.0, restitution=1.0)
        discs.append(disc)
    run(world, steps)
    return 100 * sum(speed(disc) ** 2 for disc in discs) / (25 * len(discs))


def tunnelling(make: Make, steps: int) -> float:
    chance, passed = random.Random(3), 0
    for _ in range(60):
        world = make(gravity=(0, 0), sleeping=False)
        wall = world.create_static_body()
        wall.create_shape(b2.Box(0.02, 5))
        thrown = world.create_dynamic_body(
            (-2, chance.uniform(-0.5, 0.5)),
            chance.uniform(0, 3),
            linear_velocity=(chance.uniform(20, 120), 0),
            angular_velocity=chance.uniform(-10, 10),
        )
        thrown.create_shape(b2.Box(0.1, 0.2))
        run(world, steps)
        passed += float(thrown.position[0]) > 0
        world.close()
    return float(passed)


def ghost_bumps(make: Make, steps: int) -> float:
    world = make(sleeping=False)
    tiles = world.create_static_body()
    for k in range(100):
        tiles.create_shape(b2.Box(0.5, 0.5, center=(k - 2, -0.5)), friction=0.0)
    body = box(world, 0, 0.5, friction=0.0, linear_velocity=(10, 0))
    bump = 0.0
    for _ in range(steps):
        world.step(DT, SUBSTEPS)
        bump = max(bump, float(body.position[1]) - 0.5)
    return 1000 * bump


def topple(make: Make, steps: int) -> float:
    """The deepest point of planks that fall over on the ground, cm, once each has its foot on it."""
    deepest = 0.0
    cases = itertools.product((1, 2, 4, 8, 16), (0.05, 0.1, 0.25), (0, 15, 30, 45, 60), (1 / 30, 1 / 60, 1 / 240))
    for length, width, degrees, dt in cases:
        world = make(sleeping=False)
        floor(world)
        angle, long, wide = math.radians(degrees), length / 2, width * length / 2
        plank = world.create_dynamic_body((0, long * math.cos(angle) + wide * math.sin(angle)), -angle)
        plank.create_shape(b2.Box(wide, long))
        for _ in range(max(1, round(steps * DT / dt))):
            world.step(dt, SUBSTEPS)
            c, s = math.cos(plank.angle), math.sin(plank.angle)
            deepest = max(deepest, long * abs(c) + wide * abs(s) - float(plank.position[1]))
        world.close()
    return 100 * deepest


def rocking(make: Make, steps: int) -> float:
    """The worst error of the amplitude in the last sixth of the time, %."""
    worst = 0.0
    for dt, substeps, angle in itertools.product((1 / 60, 1 / 240), (4, 16), (0.08, 0.5)):
        world = make(sleeping=False)
        floor(world, friction=2.0)
        disc = world.create_dynamic_body((0, 1), angle)
        disc.create_shape(b2.Circle(1.0), friction=2.0)
        disc.create_shape(b2.Circle(0.2, (0, -0.3)), density=20, filter=b2.Filter(category=2, mask=0))
        count, amplitude = max(1, round(steps * DT / dt)), 0.0
        for step in range(count):
            world.step(dt, substeps)
            if step >= count * 5 // 6:
                amplitude = max(amplitude, abs(float(disc.angle)))
        worst = max(worst, abs(amplitude / angle - 1))
        world.close()
    return 100 * worst


def rolling(make: Make, steps: int) -> float:
    """The error of the way of a disc down ten degrees, mm; it rolls with two thirds of the acceleration."""
    world, slope = make(sleeping=False), math.radians(10)
    base = world.create_static_body((0, 0), -slope)
    base.create_shape(b2.Box(100, 1, center=(0, -1)), friction=0.9)
    start = (0.5 * math.sin(slope), 0.5 * math.cos(slope))
    disc = world.create_dynamic_body(start)
    disc.create_shape(b2.Circle(0.5), friction=0.9)
    run(world, steps)
    return 1000 * abs(math.dist(disc.position, start) - 10 * math.sin(slope) * (steps * DT) ** 2 / 3)


def tops(make: Make, restitution: float, height: float, radius: float, steps: int) -> Iterator[float]:
    """The heights of the rebounds of a ball, as shares of what it fell."""
    world = make(sleeping=False)
    floor(world, restitution=restitution, friction=0.0)
    ball = world.create_dynamic_body((0, radius + height))
    ball.create_shape(b2.Circle(radius), restitution=restitution, friction=0.0)
    before = 0.0
    for _ in range(steps):
        world.step(DT, SUBSTEPS)
        up = float(ball.linear_velocity[1])
        if before > 0 >= up:
            yield (float(ball.position[1]) - radius + up**2 / 20) / height
        before = up
    world.close()


def bounce_height(make: Make, steps: int) -> float:
    cases = [(e, h, r) for e in (0.2, 0.4, 0.5, 0.7, 1.0) for h in (1, 4, 15) for r in (0.05, 0.2, 0.5)]
    return 100 * max(abs(next(tops(make, *case, steps), 0.0) / case[0] ** 2 - 1) for case in cases)


def bounce_friction(make: Make, steps: int) -> float:
    worst = 0.0
    for restitution in (0.1, 0.3, 0.45, 0.6, 1.0):
        for down in (3.0, 8.0, 40.0):
            world = make(gravity=(0, 0), sleeping=False)
            floor(world, restitution=restitution, friction=0.1)
            ball = world.create_dynamic_body((0, 0.2 + 0.3 * down), linear_velocity=(12, -down))
            ball.create_shape(b2.Circle(0.2), restitution=restitution, friction=0.1)
            run(world, min(steps, 60))
            wanted = 12 - min(0.1 * (1 + restitution) * down, 4)  # a disc rolls when a third of its slip is gone
            worst = max(worst, abs(float(ball.linear_velocity[0]) - wanted))
            world.close()
    return worst


def bounce_energy(make: Make, steps: int) -> float:
    cases = ((0.05, 0.3), (0.2, 2.0), (0.05, 10.0))
    return 100 * max(abs([1.0, *tops(make, 1.0, height, radius, steps)][-1] - 1) for radius, height in cases)


def spinning_box(make: Make, steps: int) -> float:
    escaped = 0
    for spin in (8, 12, 20, 30, 40):
        for size in (0.2, 0.35, 0.5, 1.0):
            world = make(sleeping=False)
            drum = world.create_kinematic_body((0, 0), angular_velocity=spin)
            for x, y in ((0, 2.1), (0, -2.1), (2.1, 0), (-2.1, 0)):
                drum.create_shape(b2.Box(2.2, 0.1, center=(x, y)) if x == 0 else b2.Box(0.1, 2.2, center=(x, y)))
            content = box(world, 0, 0, size / 2, angle=0.3)
            run(world, steps)
            escaped += math.hypot(*content.position) > 3.2  # beyond the corners of the box
            world.close()
    return float(escaped)


def thin_plate(make: Make, steps: int) -> float:
    chance, passed = random.Random(3), 0
    for _ in range(60):
        world = make(gravity=(0, 0), sleeping=False)
        plate = world.create_dynamic_body((0, 0))
        plate.create_shape(b2.Box(0.01, 2), density=5.0)
        ball = world.create_dynamic_body((-2, chance.uniform(-0.5, 0.5)), linear_velocity=(chance.uniform(30, 120), 0))
        ball.create_shape(b2.Circle(0.1))
        run(world, steps)
        passed += speed(plate) < 0.1
        world.close()
    return float(passed)


def compound_topple(make: Make, steps: int) -> float:
    """The deepest point of planks of several boxes in a body that fall over, cm."""
    deepest = 0.0
    kinds = {
        "halves": [(0.1, 0.5, 0, -0.5), (0.1, 0.5, 0, 0.5)],
        "T": [(0.1, 0.9, 0, -0.1), (0.4, 0.1, 0, 0.9)],
        "L": [(0.1, 1, 0, 0), (0.3, 0.1, 0.2, 0.9)],
        "H": [(0.1, 1, -0.4, 0), (0.1, 1, 0.4, 0), (0.4, 0.1, 0, 0)],
    }  # half width, half height and middle of each box, for a half length of 1
    cases = itertools.product(kinds.values(), (1, 4, 16), (0, 20, 45), (1 / 30, 1 / 60, 1 / 240))
    for boxes, length, degrees, dt in cases:
        half, angle = length / 2, -math.radians(degrees)
        corners = [
            (half * (x + side * w), half * (y + end * h))
            for w, h, x, y in boxes
            for side, end in itertools.product((-1, 1), (-1, 1))
        ]

        def lowest(c: float, s: float, corners: list[tuple[float, float]] = corners) -> float:
            return min(s * x + c * y for x, y in corners)

        world = make(sleeping=False)
        floor(world)
        start = (0, -lowest(math.cos(angle), math.sin(angle)))
        plank = world.create_dynamic_body(start, angle, angular_velocity=-0.2 / math.sqrt(length))
        for w, h, x, y in boxes:
            plank.create_shape(b2.Box(half * w, half * h, center=(half * x, half * y)))
        for _ in range(max(1, round(steps * DT / dt))):
            world.step(dt, SUBSTEPS)
            turned = lowest(math.cos(plank.angle), math.sin(plank.angle))
            deepest = max(deepest, -turned - float(plank.position[1]))
        world.close()
    return 100 * deepest


def slow_throw(make: Make, steps: int) -> float:
    """Balls that move 0.4 to 2.2 of their widths a step and pass a plate that is welded to something fixed."""
    chance, passed = random.Random(4), 0
    for k in range(60):
        world = make(gravity=(0, 0), sleeping=False)
        plate, width = world.create_dynamic_body((0, 0)), 0.2
        plate.create_shape(b2.Box(0.01 * (1 + k % 3), 2), density=5.0)
        world.create_weld_joint(world.create_static_body((0, 3)), plate, anchor=(0, 2))
        fast = chance.uniform(0.4, 2.2) * width / DT
        ball = world.create_dynamic_body((-1 - chance.random() * fast * DT, chance.uniform(-1, 1)))
        ball.create_shape(b2.Circle(width / 2))
        ball.linear_velocity = (fast, 0)
        run(world, steps)
        passed += float(ball.position[0]) > 0
        world.close()
    return float(passed)


FIGURES = (
    Figure("cradle", "%", True, 1, "of 5 m/s that the last of five touching balls gets", cradle),
    Figure("gas energy", "%", True, 10, "left to 60 elastic discs after 10 s", gas),
    Figure("tunnelling", "of 60", False, 1, "spinning boxes thrown through a wall of 4 cm", tunnelling),
    Figure("ghost bumps", "mm", False, 8, "highest jump of a box that slides over 100 tiles at 10 m/s", ghost_bumps),
    Figure("topple", "cm", False, 5, "deepest dive of planks of 1 to 16 m that fall over, at 30 to 240 Hz", topple),
    Figure("rocking", "%", False, 60, "worst error of the amplitude of an unbalanced disc after 60 s", rocking),
    Figure("rolling", "mm", False, 5, "error of the way of a disc that rolls down ten degrees for 5 s", rolling),
    Figure("bounce height", "%", False, 10, "worst error of rebounds, restitution 0.2 to 1, 1 to 15 m", bounce_height),
    Figure("bounce friction", "m/s", False, 1, "worst error along the floor, restitution 0.1 to 1", bounce_friction),
    Figure("bounce energy", "%", False, 60, "worst error after a minute of elastic bounces", bounce_energy),
    Figure("spinning box", "of 20", False, 5, "boxes that leave a kinematic box of 8 to 40 rad/s", spinning_box),
    Figure("thin plate", "of 60", False, 0.5, "balls thrown through a free plate of 2 cm at 30 to 120 m/s", thin_plate),
    Figure("compound topple", "cm", False, 5, "the same of planks of several boxes, T, L and H", compound_topple),
    Figure("slow throw", "of 60", False, 0.5, "balls of 0.4 to 2.2 widths a step that pass a welded plate", slow_throw),
)
