"""What the physics of an engine is worth: one figure a scene, measured the same way on every engine.

Each figure builds a small world through the calls that `box2dpy.World` and the peers share, steps it at 60 Hz with 4
substeps (pymunk: one step with its 10 iterations), and returns one number. `World` here is a function that makes an
empty world: `make(gravity=..., sleeping=..., continuous=...)`.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import box2dpy as b2
from box2dpy.scenes.human import BONES, create_human

from . import peers

Make = Callable[..., Any]
DT, SUBSTEPS = 1 / 60, 4


class Figure(NamedTuple):
    name: str
    unit: str
    high: bool  # whether more is better
    seconds: float  # of simulated time
    sentence: str
    measure: Callable[[Make, int], float]  # the maker and the number of steps


def maker(engine: str) -> Make:
    return b2.World if engine == "box2dpy" else lambda **options: peers.create(engine, **options)


def run(world: Any, steps: int) -> None:
    for _ in range(steps):
        world.step(DT, SUBSTEPS)


def floor(world: Any, **material: Any) -> Any:
    body = world.create_static_body((0, -1))
    body.create_shape(b2.Box(100, 1), **material)
    return body


def box(world: Any, x: float, y: float, half: float = 0.5, **options: Any) -> Any:
    material = {name: options.pop(name) for name in ("density", "friction", "restitution", "filter") if name in options}
    body = world.create_dynamic_body((x, y), **options)
    body.create_shape(b2.Box(half, half), **material)
    return body


def speed(body: Any) -> float:
    return math.hypot(*body.linear_velocity)


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


def thrown_back(make: Make, steps: int, ratios: tuple[float, ...]) -> float:
    """Tables on welded and on hinged legs, and carts on pinned wheels; heights by the fastest motion upwards."""
    worst = 0.0
    for kind, ratio, height in itertools.product(("weld", "hinge", "pin"), ratios, (1.0, 5.0)):
        world = make(gravity=(0, -10), sleeping=False)
        floor(world, friction=0.7)
        long = 0.5 if kind == "pin" else 1.0
        top = world.create_dynamic_body((0, height + long + 0.1))
        top.create_shape(b2.Box(1.2, 0.1), density=ratio * 0.2 / 0.48)
        for x in (-1, 1):
            foot = world.create_dynamic_body((x, height + long / 2))
            shape = b2.Circle(0.25) if kind == "pin" else b2.Box(0.1, 0.5)
            foot.create_shape(shape, density=0.2 / (math.pi / 16 if kind == "pin" else 0.2))
            anchor = (x, height + (0.25 if kind == "pin" else 1.0))
            limits = {"enable_limit": True, "lower_angle": -0.05, "upper_angle": 0.05} if kind == "hinge" else {}
            join = world.create_weld_joint if kind == "weld" else world.create_revolute_joint
            join(top, foot, anchor=anchor, **limits)
        fall, fastest = math.sqrt(2 * height / 10), 0.0
        for k in range(steps):
            world.step(DT, SUBSTEPS)
            if k * DT > 0.9 * fall:
                fastest = max(fastest, top.linear_velocity[1])
        worst = max(worst, 5 * fastest**2 / height)
    return worst


def machine_rebound(make: Make, steps: int) -> float:
    return thrown_back(make, steps, (6, 20, 60, 300))


def even_rebound(make: Make, steps: int) -> float:
    return thrown_back(make, steps, (0.3, 0.6, 1, 2, 3, 4.9))


def machine_gain(make: Make, steps: int, fights: bool, seeds: Iterable[int] = range(40)) -> float:
    """Bodies of up to 100 masses on a grid, hinged to or welded to their neighbours, fall into a bin. `fights`: they
    are twice as near, and hinges turn them into each other."""
    worst, near = 0.0, 0.5 if fights else 1.0
    for seed in seeds:
        chance = random.Random(1000 + seed)
        world = make(gravity=(0, -10), sleeping=False)
        floor(world)
        for x in (-8, 8):
            world.create_static_body((x, 9)).create_shape(b2.Box(1, 12))
        ratio, share, bodies, masses = 10 ** chance.uniform(0, 2), chance.uniform(0.02, 0.3), [], []
        for k in range(24):
            size, count, start = chance.uniform(0.25, 0.85), chance.randrange(2, 7), chance.uniform(0, 6.28)
            turns = [start + 2 * math.pi * corner / count for corner in range(count)]
            corners = [(size * math.cos(turn), size * math.sin(turn)) for turn in turns]
            shape = b2.Circle(size) if count == 2 else b2.Polygon(corners)
            density = ratio ** chance.random()
            place = near * (2.1 * (k % 6) - 5.25), 2 + near * 2.1 * (k // 6)
            body = world.create_dynamic_body(place, chance.uniform(-3, 3))
            body.create_shape(shape, density=density)
            bodies.append(body)
            masses.append(shape.mass_data(density))
        for k, other in itertools.product(range(24), (1, 6)):
            if (other == 1 and k % 6 == 5) or k + other >= 24 or chance.random() > share:
                continue
            (x, y), (to_x, to_y) = bodies[k].position, bodies[k + other].position
            pair, anchor = (bodies[k], bodies[k + other]), ((x + to_x) / 2, (y + to_y) / 2)
            if fights:
                limits = {"enable_limit": True, "lower_angle": 0.5, "upper_angle": 0.8}
                world.create_revolute_joint(*pair, anchor=anchor, collide_connected=True, **limits)
            else:
                join = world.create_weld_joint if chance.random() < 0.5 else world.create_revolute_joint
                join(*pair, anchor=anchor)
        least, span = math.inf, 100 * sum(each.mass for each in masses)
        for _ in range(steps):
            world.step(DT, SUBSTEPS)
            energy = sum(
                each.mass * (speed(body) ** 2 / 2 + 10 * body.position[1]) + each.inertia * body.angular_velocity**2 / 2
                for body, each in zip(bodies, masses, strict=True)
            )
            least = min(least, energy)
            worst = max(worst, (energy - least) / span)
        world.close()
    return 100 * worst


def random_machines(make: Make, steps: int) -> float:
    return machine_gain(make, steps, False)


def fighting_machines(make: Make, steps: int) -> float:
    return machine_gain(make, steps, True)


def heavy_sink(make: Make, steps: int) -> float:
    return 100 * fallen_worst(make, steps)[1]


def flat_drop(make: Make, steps: int) -> float:
    world = make(sleeping=False)
    floor(world)
    body = box(world, 0, 1.5)
    run(world, steps)
    return 1000 * abs(float(body.position[0]))


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


def spring(make: Make, steps: int) -> float:
    world = make(gravity=(0, 0), sleeping=False)
    bob = world.create_dynamic_body((3, 0))
    bob.create_shape(b2.Circle(0.5))
    post = world.create_static_body()
    world.create_distance_joint(
        post, bob, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=2.0, enable_spring=True, hertz=1.0
    )
    run(world, max(0, steps - 60))
    amplitude = 0.0
    for _ in range(60):  # a period
        world.step(DT, SUBSTEPS)
        amplitude = max(amplitude, abs(float(bob.position[0]) - 2))
    return 100 * amplitude


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


def chain(make: Make, steps: int) -> float:
    world = make(sleeping=False)
    last = world.create_static_body((0, 0))
    links = 30
    for k in range(links):
        link = world.create_dynamic_body((0, -0.5 - k))
        link.create_shape(b2.Box(0.1, 0.45), density=10.0)
        world.create_revolute_joint(last, link, anchor=(0, -k))
        last = link
    load = box(world, 0, -links - 0.5, density=100)
    world.create_revolute_joint(last, load, anchor=(0, -links))
    run(world, steps)
    return 1000 * abs(float(load.position[1]) + links + 0.5)


def cantilever(make: Make, steps: int) -> float:
    world = make(sleeping=False)
    last = world.create_static_body((-0.5, 0))
    beams = 16
    for k in range(beams):
        beam = world.create_dynamic_body((0.5 + k, 0))
        beam.create_shape(b2.Box(0.5, 0.1))
        world.create_weld_joint(last, beam, anchor=(k, 0))
        last = beam
    run(world, steps)
    return 100 * max(0.0, -float(last.position[1]))


BRIDGES = (2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 16, 17, 20, 30, 40)


def bridge(make: Make, planks: int, steps: int) -> tuple[float, float, float]:
    """The sag for each plank, and the greatest force at a pin in step 0 and at the end."""
    world = make(sleeping=False)
    last, bodies, joints = world.create_static_body((-1, 0)), [], []
    for k in range(planks):
        plank = world.create_dynamic_body((0.5 + k, 0))
        plank.create_shape(b2.Box(0.5, 0.08), density=40.0)
        joints.append(world.create_revolute_joint(last, plank, anchor=(k, 0)))
        bodies.append(plank)
        last = plank
    joints.append(world.create_revolute_joint(last, world.create_static_body((planks + 1, 0)), anchor=(planks, 0)))
    forces = []
    for step in range(steps):
        world.step(DT, SUBSTEPS)
        if step in (0, steps - 1):
            forces.append(max(math.hypot(*joint.constraint_force) for joint in joints))
    sag = max(side * 0.5 * math.sin(-body.angle) - body.position[1] for body in bodies for side in (-1, 1))
    world.close()
    return float(sag) / planks, float(forces[0]), float(forces[-1])


def bridge_sag(make: Make, steps: int) -> float:
    return 1000 * max(bridge(make, planks, steps)[0] for planks in BRIDGES)


def bridge_cliff(make: Make, steps: int) -> float:
    sags = [bridge(make, planks, steps)[0] for planks in BRIDGES]
    return 100 * max(abs(b - a) / max(a, b) for a, b in itertools.pairwise(sags))


def bridge_start(make: Make, steps: int) -> float:
    rows = [bridge(make, planks, steps) for planks in BRIDGES]
    return max(first / rest for _, first, rest in rows)


def welded_ball(make: Make, steps: int) -> float:
    worst = 0.0
    for links in range(1, 6):
        for ratio in (1, 3, 10, 33, 100):
            world = make(sleeping=False)
            last = world.create_static_body((0, 0))
            for k in range(links):
                ball = world.create_dynamic_body((1 + k, 0))
                ball.create_shape(b2.Circle(0.1), density=float(ratio if k == links - 1 else 1))
                world.create_weld_joint(last, ball, anchor=(0.5 + k, 0))
                last = ball
            run(world, steps)
            worst = max(worst, math.hypot(last.position[0] - links, last.position[1]))
            world.close()
    return 100 * float(worst)


def motor_limit(make: Make, steps: int) -> float:
    worst = 0.0
    for torque in (100.0, 1e3, 1e4, 1e5, 1e9):
        for turn in (0.2, 2.0, 20.0):
            world = make(gravity=(0, 0), sleeping=False)
            body = world.create_dynamic_body((1, 0))
            body.create_shape(b2.Box(1, 0.1))
            world.create_revolute_joint(
                world.create_static_body((0, 0)), body, anchor=(0, 0), enable_limit=True, lower_angle=-0.5,
                upper_angle=0.5, enable_motor=True, motor_speed=turn, max_motor_torque=torque,
            )  # fmt: skip
            run(world, steps)
            worst = max(worst, float(body.angle) - 0.5)
            world.close()
    return worst


def free_momentum(make: Make, steps: int) -> float:
    """The worst change of the angular momentum of puppets of six bodies that spin freely and do not touch, %."""
    worst = 0.0
    for spin in (1.0, 3.0, -8.0):
        world = make(gravity=(0, 0), sleeping=False)
        torso = box(world, 0, 0, 0.5, density=2.0, angular_velocity=spin, filter=b2.Filter(group=-1))
        parts = [(torso, 2.0, 0.5)]
        for x, y, half in (
            (0, 0.75, 0.25),
            (-0.75, 0.25, 0.25),
            (0.75, 0.25, 0.25),
            (-0.3, -0.8, 0.3),
            (0.3, -0.8, 0.3),
        ):
            limb = box(world, x, y, half, filter=b2.Filter(group=-1))
            parts.append((limb, 1.0, half))
            world.create_revolute_joint(torso, limb, anchor=(x * 0.65, y * 0.65))

        def momentum(parts: list[tuple[Any, float, float]] = parts) -> float:
            total = 0.0
            for body, density, half in parts:
                mass, (x, y), (vx, vy) = density * 4 * half * half, body.position, body.linear_velocity
                total += mass * (x * vy - y * vx) + mass * half * half * 2 / 3 * body.angular_velocity
            return total

        start = momentum()
        for _ in range(steps):
            world.step(DT, SUBSTEPS)
            worst = max(worst, abs(momentum() / start - 1))
        world.close()
    return 100 * worst


def heap_of_figures(make: Make, steps: int) -> float:
    """The widest joint of 20 figures that fell into a bin of 3 m, in the worst of 20 bins, mm."""
    worst = 0.0
    for seed in range(20):
        world, chance = make(sleeping=False), random.Random(seed)
        ground = world.create_static_body((0, 0))
        for x, y in ((0, 0), (-1.5, 0), (1.5, 0)):
            ground.create_shape(b2.Box(2, 1, center=(x, y - 1)) if x == 0 else b2.Box(1, 80, center=(x + x / 1.5, 80)))
        figures = [
            create_human(world, (chance.uniform(-1.1, 1.1), 2 * k + chance.uniform(0.1, 0.2)), group=k + 1)
            for k in range(20)
        ]
        run(world, steps)
        for figure in figures:
            for bone, child in zip(BONES[1:], figure[1:], strict=True):
                parent = BONES[bone.parent], figure[bone.parent]
                ends = []
                for part, body in ((bone, child), parent):
                    up, (x, y) = bone.pivot - part.y, body.position
                    ends.append((x - up * math.sin(body.angle), y + up * math.cos(body.angle)))
                worst = max(worst, math.dist(*ends))
        world.close()
    return 1000 * worst


def windmill(make: Make, steps: int) -> float:
    """The fastest spin of overlapping blades that share a hinge and touch each other, rad/s."""
    worst = 0.0
    for blades, seed in itertools.product((2, 3, 4, 6, 8), range(4)):
        world, chance = make(gravity=(0, 0), sleeping=False), random.Random(seed)
        bodies: list[Any] = []
        for _ in range(blades):
            blade = world.create_dynamic_body((chance.uniform(-0.05, 0.05), chance.uniform(-0.05, 0.05)))
            blade.create_shape(b2.Box(1, 0.2), friction=chance.uniform(0, 1))
            if bodies:
                world.create_revolute_joint(bodies[0], blade, anchor=(0, 0), collide_connected=True)
            bodies.append(blade)
        run(world, steps)
        worst = max(worst, *(abs(body.angular_velocity) for body in bodies))
        world.close()
    return float(worst)


def limb_energy(make: Make, steps: int) -> float:
    """The most that chains whose limbs overlap and touch gain, free and pinned, of their energy after one step, %."""
    worst = 0.0
    for seed, pinned in itertools.product(range(12), (False, True)):
        world, chance = make(gravity=(0, 0), sleeping=False), random.Random(seed)
        parts: list[tuple[Any, float, float]] = []
        for k in range(chance.randrange(3, 9)):
            limb = world.create_dynamic_body(
                (0.6 * k, 0),
                linear_velocity=(chance.uniform(-2, 2), chance.uniform(-2, 2)),
                angular_velocity=chance.uniform(-8, 8),
            )
            width = (0.33, 0.45)[seed % 2]
            limb.create_shape(b2.Box(width, 0.1))
            mass = 4 * width * 0.1
            parts.append((limb, mass, mass * (width**2 + 0.1**2) / 3))
            if k > 0:
                world.create_revolute_joint(parts[k - 1][0], limb, anchor=(0.6 * k - 0.3, 0), collide_connected=True)
            elif pinned:
                world.create_revolute_joint(world.create_static_body((0, 0)), limb, anchor=(-0.3, 0))

        def energy(parts: list[tuple[Any, float, float]] = parts) -> float:
            return 0.5 * sum(m * math.hypot(*b.linear_velocity) ** 2 + i * b.angular_velocity**2 for b, m, i in parts)

        world.step(DT, SUBSTEPS)
        start = energy()
        for _ in range(steps):
            world.step(DT, SUBSTEPS)
            worst = max(worst, energy() / start - 1)
        world.close()
    return 100 * worst


def raft(make: Make, steps: int) -> float:
    """The most that rafts without drag heave at the end, over how they began, %."""
    worst, sea = 0.0, b2.Polygon([(-50, -20), (50, -20), (50, 0), (-50, 0)])
    for half, density in itertools.product((0.05, 0.2, 1.0), (200.0, 500.0, 800.0)):
        world = make(sleeping=False)
        body = world.create_dynamic_body((0, half * (1.2 - density / 500)))
        body.create_shape(b2.Box(half * 3, half), density=density)
        rest, heave, first = half * (1 - density / 500), 0.0, 0.0
        for step in range(steps):
            world.apply_buoyancy(sea, density=1000, drag=0.0)
            world.step(DT, SUBSTEPS)
            away = abs(float(body.position[1]) - rest)
            first = max(first, away) if step < 120 else first
            heave = max(heave, away) if step >= steps - 120 else heave
        worst = max(worst, heave / first)
        world.close()
    return 100 * worst


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


SHORT_STEPS = (1e-3, 1e-4, 1e-5, 1e-6)


def swinging(make: Make, steps: int, short: float) -> float:
    """The greatest speed of a chain of ten links, m/s, where every tenth step is short."""
    world = make(sleeping=False)
    last, links = world.create_static_body((0, 0)), []
    for k in range(10):
        link = world.create_dynamic_body((0.5 + k, 0))
        link.create_shape(b2.Box(0.5, 0.1))
        world.create_revolute_joint(last, link, anchor=(k, 0))
        links.append(link)
        last = link
    fastest = 0.0
    for step in range(steps):
        world.step(short if step % 10 == 9 else DT, SUBSTEPS)
        fastest = max(fastest, *(speed(link) for link in links))
    world.close()
    return fastest


def variable_chain(make: Make, steps: int) -> float:
    return 100 * max(swinging(make, steps, short) for short in SHORT_STEPS) / swinging(make, steps, DT)


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


FIGURES = (
    Figure("stack height", "boxes", True, 30, f"tallest of {HEIGHTS} that stands 30 s awake", stack_height),
    Figure("sink", "cm", False, 10, "of a box on one of a 400th of its mass", sink),
    Figure(
        "rebound", "%", False, 5, "highest of boxes of 2 to 1000 times the mass, dropped 0.1 to 15 m on piles", rebound
    ),
    Figure("fallen pile", "%", False, 2, "highest jump of 2 to 12 rows of boxes, dropped flat 1 to 15 m", fallen_pile),
    Figure("hung rebound", "%", False, 3, "boxes of 5 to 1000 times the mass with a ball hung on them", hung_rebound),
    Figure(
        "machine rebound", "%", False, 2.5, "tables and carts of 6 to 300 times the mass of a foot, 1 and 5 m",
        machine_rebound,
    ),
    Figure("even machines", "%", False, 2.5, "the same of 0.3 to 4.9 times the mass of a foot", even_rebound),
    Figure("heavy sink", "cm", False, 5, "deepest of the same boxes 5 s later", heavy_sink),
    Figure("flat drop", "mm", False, 2, "sideways motion of a box dropped flat from 1 m", flat_drop),
    Figure("cradle", "%", True, 1, "of 5 m/s that the last of five touching balls gets", cradle),
    Figure("gas energy", "%", True, 10, "left to 60 elastic discs after 10 s", gas),
    Figure("spring", "%", True, 60, "of the amplitude that an undamped spring of 1 Hz has after 60 s", spring),
    Figure("ramp creep", "mm", False, 20, "of a pyramid of five, 2 degrees under the critical angle, in 20 s", ramp),
    Figure("chain stretch", "mm", False, 10, "of 30 links of 1 m under 50 times the mass of a link", chain),
    Figure("cantilever sag", "cm", False, 10, "at the end of 16 welded beams of 1 m", cantilever),
    Figure("bridge sag", "mm", False, 10, "for each plank of 1 m of straight bridges of 2 to 40", bridge_sag),
    Figure("bridge cliff", "%", False, 10, "most that this changes from one of 16 sizes to the next", bridge_cliff),
    Figure("bridge start", "", False, 10, "most that the force in step 0 is times that at rest", bridge_start),
    Figure("welded ball", "cm", False, 10, "sag of a ball of 0.1 m on 1 to 5 welds, 1 to 100 masses", welded_ball),
    Figure("motor at limit", "rad", False, 4, "that motors of 100 to 1e9 N m push through a limit", motor_limit),
    Figure("free momentum", "%", False, 20, "worst change of the angular momentum of free puppets", free_momentum),
    Figure("figures in a bin", "mm", False, 10, "widest joint of 20 figures, in 20 bins of 3 m", heap_of_figures),
    Figure("machine energy", "%", False, 5, "most that falling machines gain, of a fall of 10 m", random_machines),
    Figure("contradictions", "%", False, 5, "the same where limits turn parts into each other", fighting_machines),
    Figure("limb energy", "%", False, 10, "most that chains gain whose limbs overlap and touch", limb_energy),
    Figure("windmill", "rad/s", False, 20, "spin of 2 to 8 overlapping blades on one hinge that touch", windmill),
    Figure("raft", "%", False, 30, "heave of rafts of 10 cm to 2 m without drag, over the first", raft),
    Figure("contact force", "%", False, 3, "worst error at rest, with 1 to 16 substeps", contact_force),
    Figure("tunnelling", "of 60", False, 1, "spinning boxes thrown through a wall of 4 cm", tunnelling),
    Figure("thin plate", "of 60", False, 0.5, "balls thrown through a free plate of 2 cm at 30 to 120 m/s", thin_plate),
    Figure("spinning box", "of 20", False, 5, "boxes that leave a kinematic box of 8 to 40 rad/s", spinning_box),
    Figure("bounce height", "%", False, 10, "worst error of rebounds, restitution 0.2 to 1, 1 to 15 m", bounce_height),
    Figure("bounce friction", "m/s", False, 1, "worst error along the floor, restitution 0.1 to 1", bounce_friction),
    Figure("bounce energy", "%", False, 60, "worst error after a minute of elastic bounces", bounce_energy),
    Figure("topple", "cm", False, 5, "deepest dive of planks of 1 to 16 m that fall over, at 30 to 240 Hz", topple),
    Figure("rocking", "%", False, 60, "worst error of the amplitude of an unbalanced disc after 60 s", rocking),
    Figure("rolling", "mm", False, 5, "error of the way of a disc that rolls down ten degrees for 5 s", rolling),
    Figure("ghost bumps", "mm", False, 8, "highest jump of a box that slides over 100 tiles at 10 m/s", ghost_bumps),
    Figure("variable dt chain", "%", False, 10, "of its usual speed, with every tenth step short", variable_chain),
    Figure(
        "variable dt stack",
        "mm",
        False,
        2,
        "motion of 8 boxes, with every tenth step of 1e-8 to 0.25 s",
        variable_stack,
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
        "rest noise",
        "mm/s",
        False,
        20,
        "fastest of 100 boxes 20 s after they fell in a heap, median of nine",
        rest_noise,
    ),
)  # fmt: skip


def measure(figure: Figure, engine: str, scale: float = 1.0) -> float:
    """The figure of one engine. `scale` shortens the simulated time.

    Raises:
        CannotExpress: the engine lacks something that the scene needs.
    """
    return figure.measure(maker(engine), max(1, round(scale * figure.seconds / DT)))
