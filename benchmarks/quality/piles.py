"""Piles, stacks and what lies on them."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import box2dpy as b2

from .common import DT, SHORT_STEPS, SUBSTEPS, Figure, Make, box, floor, run, speed

HEIGHTS = (5, 10, 15, 20, 30, 40, 60, 80, 100)


def stack_height(make: Make, steps: int) -> float:
    tallest = 0
    for height in HEIGHTS:
        world = make(sleeping=False)
        floor(world)
        boxes = [box(world, 0, 0.5 + k) for k in range(height)]
        run(world, steps)
        stands = abs(boxes[-1].position[0]) < 0.5 and boxes[-1].position[1] > 0.95 * (height - 0.5)
        world.close()
        if not stands:
            break
        tallest = height
    return float(tallest)


def sink(make: Make, steps: int) -> float:
    world = make(sleeping=False)
    floor(world)
    box(world, 0, 0.5)
    heavy = box(world, 0, 1.5, density=400)
    run(world, steps)
    return 100 * max(0.0, 1.5 - float(heavy.position[1]))


PILES = ((1, False), (2, False), (5, False), (5, True))  # boxes in height, and whether they are a pyramid


def fallen(
    make: Make, ratio: float, height: float, count: int, pyramid: bool, steps: int, hung: str = ""
) -> tuple[float, float]:
    """How high a heavy box returns from light ones, as a share of its drop, and how far it has sunk at the end, m.

    `hung` is the joint, if any, that holds a ball of 5 % of its mass beside it."""
    world = make(sleeping=False)
    floor(world)
    for row in range(count):
        across = count - row if pyramid else 1
        for k in range(across):
            box(world, 1.01 * (k - (across - 1) / 2), 0.5 + row)
    run(world, min(steps, 30))
    heavy = box(world, 0, count + 0.5 + height, density=ratio)
    if hung:
        ball = world.create_dynamic_body((1.2, count + 0.5 + height))
        ball.create_shape(b2.Circle(0.25), density=0.05 * ratio / (math.pi / 16))
        join = world.create_weld_joint if hung == "weld" else world.create_revolute_joint
        join(heavy, ball, anchor=(0.6, count + 0.5 + height))
    highest, before, hit = 0.0, 0.0, False
    for _ in range(steps):
        world.step(DT, SUBSTEPS)
        up, above = float(heavy.linear_velocity[1]), float(heavy.position[1]) - count - 0.5
        hit = hit or up - before > -5 * DT  # half of what gravity adds in a step
        before = up
        highest = max(highest, above / height if hit else 0.0)
    world.close()
    return highest, -above


RATIOS, DROPS = (2, 3, 5, 10, 30, 100, 400, 1000), (0.1, 0.5, 1, 4, 15)


def fallen_worst(make: Make, steps: int) -> list[float]:
    cases = itertools.product(RATIOS, DROPS, PILES)
    found = [fallen(make, ratio, height, *pile, steps) for ratio, height, pile in cases]
    return [max(0.0, *column) for column in zip(*found, strict=True)]


def rebound(make: Make, steps: int) -> float:
    return 100 * fallen_worst(make, steps)[0]


def fallen_pile(make: Make, steps: int) -> float:
    worst = 0.0
    pyramids, columns = ((rows, True) for rows in (2, 3, 5, 8, 12)), ((rows, False) for rows in (2, 3, 5, 10))
    for height, (rows, pyramid) in itertools.product((1, 3, 15), (*pyramids, *columns)):
        world = make(gravity=(0, -10), sleeping=False)
        floor(world)
        boxes = [
            (row + 0.5, box(world, 1.02 * (k - (rows - row - 1) / 2) * pyramid, height + row + 0.5))
            for row in range(rows)
            for k in range(rows - row if pyramid else 1)
        ]
        fall = math.sqrt(2 * height / 10)
        for k in range(round(fall / DT) + steps):
            world.step(DT, SUBSTEPS)
            if k * DT > fall + 0.25:
                worst = max(worst, *((body.position[1] - place) / height for place, body in boxes))
        world.close()
    return 100 * worst


def hung_rebound(make: Make, steps: int) -> float:
    cases = itertools.product((5, 20, 100, 1000), (0.1, 1, 4), PILES[:3], ("hinge", "weld"))
    return 100 * max(fallen(make, ratio, drop, *pile, steps, hung)[0] for ratio, drop, pile, hung in cases)


def heavy_sink(make: Make, steps: int) -> float:
    return 100 * fallen_worst(make, steps)[1]


def flat_drop(make: Make, steps: int) -> float:
    world = make(sleeping=False)
    floor(world)
    body = box(world, 0, 1.5)
    run(world, steps)
    return 1000 * abs(float(body.position[0]))


def ramp(make: Make, steps: int) -> float:
    friction = 0.6
    slope = math.atan(friction) - math.radians(2)
    world = make(sleeping=False)
    along, up = (math.cos(slope), math.sin(slope)), (-math.sin(slope), math.cos(slope))
    base = world.create_static_body((-up[0], -up[1]), slope)
    base.create_shape(b2.Box(60, 1), friction=friction)
    boxes, starts = [], []
    for row in range(5):
        for k in range(5 - row):
            x, y = 1.02 * (k - (4 - row) / 2), 0.5 + row
            place = (x * along[0] + y * up[0], x * along[1] + y * up[1])
            boxes.append(box(world, *place, angle=slope, friction=friction))
            starts.append(place)
    run(world, steps)
    return 1000 * max(math.dist(body.position, start) for body, start in zip(boxes, starts, strict=True))


def rest_noise(make: Make, steps: int) -> float:
    """The median of nine heaps, because a single one says little: speeds differ by a factor of ten."""
    return sorted(noise_of_heap(make, steps, seed) for seed in range(7, 16))[4]


def noise_of_heap(make: Make, steps: int, seed: int) -> float:
    world = make(sleeping=False)
    floor(world)
    for x in (-4, 4):
        wall = world.create_static_body((x, 10))
        wall.create_shape(b2.Box(0.5, 12))
    chance = random.Random(seed)
    bodies = [
        box(world, 0.6 * (k % 10) - 2.7, 0.5 + 0.7 * (k // 10), 0.25, angle=chance.uniform(0, 0.3)) for k in range(100)
    ]
    run(world, steps)
    return 1000 * max(speed(body) for body in bodies)


def heaps(make: Make, **options: Any) -> Iterator[tuple[Any, list[Any]]]:
    """30 worlds in which 60 boxes, discs and pentagons fall between two walls."""
    for seed in range(30):
        chance = random.Random(seed)
        world = make(**options)
        floor(world)
        for x in (-5, 5):
            world.create_static_body((x, 5)).create_shape(b2.Box(0.5, 6))
        bodies = []
        for k in range(60):
            body = world.create_dynamic_body((chance.uniform(-4, 4), 1 + 0.4 * k), chance.uniform(-3, 3))
            kind, size = chance.randrange(3), chance.uniform(0.2, 0.5)
            corners = [(size * math.cos(a), size * math.sin(a)) for a in (0, 1.2, 2.5, 3.9, 5.1)]
            flat = b2.Box(size, size * chance.uniform(0.4, 1))
            body.create_shape((flat, b2.Circle(size), b2.Polygon(corners))[kind])
            bodies.append(body)
        yield world, bodies
        world.close()


def heaps_asleep(make: Make, steps: int) -> float:
    asleep = 0
    for world, bodies in heaps(make):
        run(world, steps)
        asleep += not any(body.awake for body in bodies)
    return float(asleep)


def heap_speed(make: Make, steps: int) -> float:
    fastest = 0.0
    for world, bodies in heaps(make, sleeping=False):
        run(world, steps)
        fastest = max(fastest, *(speed(body) for body in bodies))
    return 1000 * fastest


def variable_stack(make: Make, steps: int) -> float:
    moved = 0.0
    for short in (0.25, 0.1, *SHORT_STEPS, 1e-7, 1e-8):
        world = make(sleeping=False)
        floor(world)
        boxes = [box(world, 0, 0.5 + k) for k in range(8)]
        run(world, 300)
        before = [float(body.position[1]) for body in boxes]
        for step in range(steps):
            world.step(short if step % 10 == 0 else DT, SUBSTEPS)
            places = zip(boxes, before, strict=True)
            moved = max(moved, *(abs(float(body.position[1]) - height) for body, height in places))
        world.close()
    return 1000 * moved


def contact_force(make: Make, steps: int) -> float:
    """The worst error of the force that a floor gives to a box at rest, with 1 to 16 substeps, %."""
    worst = 0.0
    for substeps, mass in itertools.product((1, 2, 4, 8, 16), (1.0, 5.0, 400.0)):
        world = make(sleeping=False)
        floor(world)
        body = box(world, 0, 0.5, density=mass)
        for _ in range(steps):
            world.step(DT, substeps)
        worst = max(worst, abs(float(body.contact_force[1]) / (10 * mass) - 1))
        world.close()
    return 100 * worst


def crate_rebound(make: Make, steps: int) -> float:
    """The worst error of e^2 h for balls of 0.1 to 1000 masses that fall 4 m on one to five crates."""
    worst = 0.0
    for crates, restitution, ratio in itertools.product((1, 2, 5), (0.2, 0.4, 0.5, 1.0), (0.1, 1, 10, 100, 1000)):
        world = make(gravity=(0, -10), sleeping=False)
        floor(world)
        stack = [box(world, 0, 0.5 + k) for k in range(crates)]
        run(world, 60)
        rest = float(stack[-1].position[1]) + 1
        ball = world.create_dynamic_body((0, rest + 4))
        ball.create_shape(b2.Circle(0.5), restitution=restitution, density=4 * ratio / math.pi)
        before, top = 0.0, 0.0
        for _ in range(steps):
            world.step(DT, SUBSTEPS)
            up = float(ball.linear_velocity[1])
            if before > 0 >= up:
                top = float(ball.position[1]) - rest + up**2 / 20
                break
            before = up
        worst = max(worst, abs(top / (4 * restitution**2) - 1))
        world.close()
    return 100 * worst


def corner_tips(make: Make, steps: int) -> float:
    """Polygons that fell into a concave corner of two static boxes and still move by over 5 mm/s."""
    chance, restless = random.Random(5), 0
    for k in range(60):
        turn, opening = chance.uniform(-0.6, 0.2), math.radians(chance.uniform(60, 150))
        out = turn + opening / 2
        down = (-10 * math.cos(out), -10 * math.sin(out))
        world = make(gravity=down, sleeping=False)
        for side, angle in ((-1, turn), (1, turn + opening)):
            world.create_static_body((0, 0), angle).create_shape(b2.Box(20, 2, center=(19, 2 * side)), friction=0.3)
        body = world.create_dynamic_body((2 * math.cos(out), 2 * math.sin(out)), chance.uniform(-3, 3))
        corners = [2 * math.pi * c / (3 + k % 4) for c in range(3 + k % 4)]
        body.create_shape(b2.Polygon([(0.5 * math.cos(a), 0.5 * math.sin(a)) for a in corners]), friction=0.3)
        run(world, steps)
        fastest = 0.0
        for _ in range(30):
            world.step(DT, SUBSTEPS)
            fastest = max(fastest, speed(body))
        restless += fastest > 5e-3
        world.close()
    return float(restless)


def wall_grip(make: Make, steps: int) -> float:
    """How fast balls under a load say that they move between two walls that are 6 cm too near, less what they do."""
    worst = 0.0
    for ratio, friction in itertools.product((1, 4, 30, 300), (0.6, 1.0)):
        world = make(gravity=(0, -10), sleeping=False)
        for side in (-1, 1):
            wall = world.create_static_body((0.57 * side, 0))
            wall.create_shape(b2.Box(0.1, 10), friction=friction)
        ball = world.create_dynamic_body((0, 0.1))
        ball.create_shape(b2.Circle(0.5), friction=friction)
        load = world.create_dynamic_body((0, 1.1))
        load.create_shape(b2.Circle(0.5), density=float(ratio), friction=friction)
        run(world, steps)
        for _ in range(30):
            before = ball.position
            world.step(DT, SUBSTEPS)
            moved = [(now - then) / DT for now, then in zip(ball.position, before, strict=True)]
            worst = max(worst, math.dist(ball.linear_velocity, moved))
        world.close()
    return float(worst)


FIGURES = (
    Figure("stack height", "boxes", True, 30, f"tallest of {HEIGHTS} that stands 30 s awake", stack_height),
    Figure("sink", "cm", False, 10, "of a box on one of a 400th of its mass", sink),
    Figure(
        "rebound", "%", False, 5, "highest of boxes of 2 to 1000 times the mass, dropped 0.1 to 15 m on piles", rebound
    ),
    Figure("fallen pile", "%", False, 2, "highest jump of 2 to 12 rows of boxes, dropped flat 1 to 15 m", fallen_pile),
    Figure("hung rebound", "%", False, 3, "boxes of 5 to 1000 times the mass with a ball hung on them", hung_rebound),
    Figure("heavy sink", "cm", False, 5, "deepest of the same boxes 5 s later", heavy_sink),
    Figure("flat drop", "mm", False, 2, "sideways motion of a box dropped flat from 1 m", flat_drop),
    Figure("ramp creep", "mm", False, 20, "of a pyramid of five, 2 degrees under the critical angle, in 20 s", ramp),
    Figure(
        "rest noise",
        "mm/s",
        False,
        20,
        "fastest of 100 boxes 20 s after they fell in a heap, median of nine",
        rest_noise,
    ),
    Figure(
        "piles asleep",
        "of 30",
        True,
        10,
        "heaps of 60 boxes, discs and pentagons that sleep 10 s after they fell",
        heaps_asleep,
    ),
    Figure("pile speed", "mm/s", False, 8, "fastest body of these heaps, kept awake, after 8 s", heap_speed),
    Figure(
        "variable dt stack",
        "mm",
        False,
        2,
        "motion of 8 boxes, with every tenth step of 1e-8 to 0.25 s",
        variable_stack,
    ),
    Figure("contact force", "%", False, 3, "worst error at rest, with 1 to 16 substeps", contact_force),
    Figure("crate rebound", "%", False, 5, "worst error of e^2 h on 1 to 5 crates, ratios 0.1 to 1000", crate_rebound),
    Figure("corner tips", "of 60", False, 8, "polygons that tremble in a concave corner of two boxes", corner_tips),
    Figure("wall grip", "m/s", False, 5, "that a loaded ball between two walls says, but does not move by", wall_grip),
)
