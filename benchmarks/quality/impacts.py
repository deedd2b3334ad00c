"""Impacts: of fast bodies, of machines, and of elastic bodies whose ends strike one after the other."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np

import box2dpy as b2

from .common import DT, SUBSTEPS, Figure, Make, speed


def passing_blows(make: Make, steps: int) -> float:
    """Blows without restitution after which one body is behind the other, or a tenth of their speed is left."""
    chance, failed = random.Random(21), 0
    for _ in range(2000):
        dt, substeps = chance.choice((1 / 30, 1 / 60, 1 / 120)), chance.choice((1, 2, 4, 8))
        ratio, fast = math.exp(chance.uniform(math.log(1.5), math.log(5))), chance.uniform(8, 30)
        sizes = [chance.uniform(0.3, 0.6) for _ in range(2)]
        fast = min(fast, 1.6 * min(sizes) / dt)  # farther than 2 widths a step only bullets are swept
        masses = [1.0, ratio] if chance.random() < 0.5 else [ratio, 1.0]
        places = (-2 - fast * dt * chance.random(), 0.0)
        world = make(gravity=(0, 0), sleeping=False)
        pair = []
        for x, size, mass, start in zip(places, sizes, masses, (fast, 0.0), strict=True):
            body = world.create_dynamic_body((x, 0), linear_velocity=(start, 0))
            shape = chance.choice((b2.Box(size, size), b2.Circle(size)))
            body.create_shape(shape, friction=0.0, density=mass / shape.mass_data(1.0).mass)
            pair.append(body)
        for _ in range(min(steps, math.ceil(4 / fast / dt) + 6)):
            world.step(dt, substeps)
        left = abs(float(pair[0].linear_velocity[0]) - float(pair[1].linear_velocity[0]))
        failed += left > 0.1 * fast or pair[0].position[0] > pair[1].position[0]
        world.close()
    return float(failed)


BAR, STONE, FAST = (0.5, 0.1), 0.1, 6.0  # half sides, radius, m/s
HOLDERS = ("free", "hinge", "weld", "slide", "rod")


def struck(make: Make, chance: random.Random, inner: str, held: str) -> float:
    """The impulse on a stone that falls on one of a row of bars that joints hold, over that of rigid bodies."""
    count, restitution = chance.choice((1, 2, 3, 5, 8)), chance.choice((0.1, 0.2, 0.4, 0.5, 0.8, 1.0))
    hit, at, mass = chance.randrange(count), chance.uniform(-0.35, 0.35), 4 * BAR[0] * BAR[1]
    heavy = mass * math.exp(chance.uniform(math.log(0.2), math.log(50)))
    world, rows = make(gravity=(0, 0), sleeping=False), []
    bars = [world.create_dynamic_body((k, 0)) for k in range(count)]
    for bar in bars:
        bar.create_shape(b2.Box(*BAR), friction=0.0, restitution=restitution)
    stone = world.create_dynamic_body((hit + at, BAR[1] + STONE + 0.005), linear_velocity=(0, -FAST))
    stone.create_shape(
        b2.Circle(STONE), friction=0.0, restitution=restitution, density=heavy / (math.pi * STONE * STONE)
    )

    def row(a: int | None, b: int, direction: tuple[int, int], x: float) -> None:
        """The speed along a direction, or of rotation, of body b against body a, in a place of the row."""
        found = np.zeros(3 * count + 3)
        for k, sign in ((a, -1), (b, 1)):
            if k is not None:
                turn = (x - k) * direction[1] if direction != (0, 0) else 1.0
                found[3 * k : 3 * k + 3] = sign * direction[0], sign * direction[1], sign * turn
        rows.append(found)

    def join(kind: str, one: Any, other: Any, a: int | None, b: int, x: float) -> None:
        if kind == "rod":
            world.create_distance_joint(one, other, local_anchor_a=(x, -1), local_anchor_b=(x - b, 0))
        elif kind == "slide":
            world.create_prismatic_joint(one, other, anchor=(x, 0), axis=(0, 1))
        else:
            (world.create_weld_joint if kind == "weld" else world.create_revolute_joint)(one, other, anchor=(x, 0))
        directions = {"rod": ((0, 1),), "slide": ((1, 0), (0, 0)), "weld": ((1, 0), (0, 1), (0, 0))}
        for direction in directions.get(kind, ((1, 0), (0, 1))):
            row(a, b, direction, x)

    for k in range(count - 1):
        join(inner, bars[k], bars[k + 1], k, k + 1, k + 0.5)
    if held != "free":
        k = chance.randrange(count)
        join(held, world.create_static_body((0, 0)), bars[k], None, k, k + chance.uniform(-0.5, 0.5))
    turning = mass * (BAR[0] ** 2 + BAR[1] ** 2) / 3
    inverse = 1 / np.array([mass, mass, turning] * count + [heavy, heavy, heavy * STONE**2 / 2])
    normal = np.zeros(3 * count + 3)
    normal[3 * hit : 3 * hit + 3], normal[-2] = (0, -1, -at), 1
    change = inverse * normal
    if rows:
        matrix = np.array(rows)
        change -= inverse * (matrix.T @ np.linalg.lstsq(matrix * inverse @ matrix.T, matrix @ change, rcond=1e-12)[0])
    law = (1 + restitution) * FAST / float(normal @ change)
    world.step(1 / 240, SUBSTEPS)
    got = heavy * (float(stone.linear_velocity[1]) + FAST)
    world.close()
    return got / law


def struck_machines(make: Make, steps: int) -> float:
    chance = random.Random(22)
    cases = itertools.product(range(60), ("hinge", "weld"), HOLDERS)
    return 100 * max(abs(struck(make, chance, inner, held) - 1) for _, inner, held in cases)


OCTAGON = [(0.3 * math.cos(math.pi * (k / 4 + 1 / 8)), 0.3 * math.sin(math.pi * (k / 4 + 1 / 8))) for k in range(8)]
TWO_ENDED = (
    b2.Capsule((-0.3, 0), (0.3, 0), 0.15),
    b2.Capsule((-0.15, 0), (0.15, 0), 0.15),
    b2.Box(0.6, 0.15),
    b2.Polygon(OCTAGON),
)


def elastic(world: Any, shape: Any, angle: float, fast: tuple[float, float], spin: float) -> Any:
    body = world.create_dynamic_body((0, 0), angle, linear_velocity=fast, angular_velocity=spin)
    body.create_shape(shape, friction=0.0, restitution=1.0)
    return body


def energy(body: Any, shape: Any) -> float:
    each = shape.mass_data(1.0)
    return float(each.mass * speed(body) ** 2 + each.inertia * body.angular_velocity**2) / 2


def double_strikes(make: Make, steps: int) -> float:
    """The most that elastic bodies gain that land nearly flat on a floor, %."""
    chance, worst = random.Random(23), 0.0
    for shape, fast, _ in itertools.product(TWO_ENDED, (1.5, 3, 5, 10), range(60)):
        world = make(gravity=(0, 0), sleeping=False)
        world.create_static_body((0, -2)).create_shape(b2.Box(50, 1), friction=0.0, restitution=1.0)
        body = elastic(world, shape, chance.uniform(-0.12, 0.12), (0, -fast), chance.uniform(-3, 3))
        start = energy(body, shape)
        for _ in range(min(steps, round(90 / fast) + 10)):
            world.step(DT, SUBSTEPS)
            worst = max(worst, energy(body, shape) / start - 1)
        world.close()
    return 100 * worst


def elastic_room(make: Make, steps: int) -> float:
    """The most that one elastic body gains between four walls, %."""
    chance, worst = random.Random(24), 0.0
    for shape, (fast, spin), _ in itertools.product(TWO_ENDED, ((5.0, 5.0), (2.0, 1.0)), range(6)):
        turn = chance.uniform(0, math.tau)
        world = make(gravity=(0, 0), sleeping=False)
        walls = world.create_static_body()
        for x, y, width, height in ((0, -6, 6, 1), (0, 6, 6, 1), (-6, 0, 1, 6), (6, 0, 1, 6)):
            walls.create_shape(b2.Box(width, height, center=(x, y)), friction=0.0, restitution=1.0)
        body = elastic(world, shape, chance.uniform(0, math.tau), (fast * math.cos(turn), fast * math.sin(turn)), spin)
        start = energy(body, shape)
        for _ in range(steps):
            world.step(DT, SUBSTEPS)
            worst = max(worst, energy(body, shape) / start - 1)
        world.close()
    return 100 * worst


FIGURES = (
    Figure("passing blows", "of 2000", False, 1, "blows of 1.5 to 5 masses, 8 to 30 m/s, that pass", passing_blows),
    Figure("struck machines", "%", False, DT, "worst error of the impulse of bars with joints", struck_machines),
    Figure("double strikes", "%", False, 2, "most that landing capsules and octagons gain", double_strikes),
    Figure("elastic room", "%", False, 60, "most that one of these gains in a minute between four walls", elastic_room),
)
