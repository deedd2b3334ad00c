"""Machines: bodies that joints hold together and that touch each other."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable
from typing import Any

import box2dpy as b2
from box2dpy.scenes.human import BONES, create_human

from .common import DT, SUBSTEPS, Figure, Make, box, floor, run, speed


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


def machine_gain(make: Make, steps: int, fights: bool, seeds: Iterable[int] = range(40), torque: float = 0.0) -> float:
    """Bodies of up to 100 masses on a grid, hinged to or welded to their neighbours, fall into a bin. `fights`: they
    are twice as near, and hinges turn them into each other, with motors of `torque`."""
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
                limits: dict[str, Any] = {"enable_limit": True, "lower_angle": 0.5, "upper_angle": 0.8}
                if torque > 0:
                    limits |= {"enable_motor": True, "motor_speed": 1.0, "max_motor_torque": torque}
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


def weakly_driven(make: Make, steps: int) -> float:
    return machine_gain(make, steps, True, torque=1e-6)


def held(world: Any, kind: str, planks: int) -> tuple[float, float]:
    """A machine that fixed bodies hold; the place above which stones fall."""
    ground, last = world.create_static_body((0, 0)), None

    def plank(x: float, y: float, half_x: float, half_y: float = 0.08) -> Any:
        body = world.create_dynamic_body((x, y))
        body.create_shape(b2.Box(half_x, half_y), friction=0.6)
        return body

    if kind == "shelf":
        board = plank(0, 0, 2)
        for x in (-1.8, 1.8):
            last = ground
            for k in range(planks):
                y, half = 3 - 3 * k / planks, 1.5 / planks
                link = plank(x, y - half, 0.04, half)
                world.create_revolute_joint(last, link, anchor=(x, y))
                last = link
            world.create_revolute_joint(last, board, anchor=(x, 0))
        return 0.1, 0.08
    last = ground
    for k in range(planks):
        body = plank(k + 0.5, 0, 0.5)
        (world.create_weld_joint if kind == "cantilever" else world.create_revolute_joint)(last, body, anchor=(k, 0))
        last = body
    if kind == "bridge":
        world.create_revolute_joint(last, ground, anchor=(planks, 0))
        return planks / 2, 0.08
    return planks - 0.6, 0.08


def held_stones(make: Make, steps: int) -> float:
    """What stones return of their fall, by their fastest motion upwards, %."""
    worst = 0.0
    cases = itertools.product(("bridge", "cantilever", "shelf"), (3, 5), (5, 20, 100, 300), (1.0, 4.0))
    for kind, planks, ratio, height in cases:
        world = make(gravity=(0, -10), sleeping=False)
        x, top = held(world, kind, planks)
        run(world, 12)
        stone = world.create_dynamic_body((x, top + height + 0.3))
        stone.create_shape(b2.Circle(0.3), density=0.16 * ratio / (math.pi * 0.09), friction=0.6)
        fall, fastest = math.sqrt(2 * height / 10), 0.0
        for k in range(round(fall / DT) + steps):
            world.step(DT, SUBSTEPS)
            if k * DT > 0.9 * fall:
                fastest = max(fastest, float(stone.linear_velocity[1]))
        worst = max(worst, fastest**2 / (20 * height))
        world.close()
    return 100 * worst


FIGURES = (
    Figure(
        "machine rebound",
        "%",
        False,
        2.5,
        "tables and carts of 6 to 300 times the mass of a foot, 1 and 5 m",
        machine_rebound,
    ),
    Figure("even machines", "%", False, 2.5, "the same of 0.3 to 4.9 times the mass of a foot", even_rebound),
    Figure("machine energy", "%", False, 5, "most that falling machines gain, of a fall of 10 m", random_machines),
    Figure("contradictions", "%", False, 5, "the same where limits turn parts into each other", fighting_machines),
    Figure("figures in a bin", "mm", False, 10, "widest joint of 20 figures, in 20 bins of 3 m", heap_of_figures),
    Figure("windmill", "rad/s", False, 20, "spin of 2 to 8 overlapping blades on one hinge that touch", windmill),
    Figure("limb energy", "%", False, 10, "most that chains gain whose limbs overlap and touch", limb_energy),
    Figure("free momentum", "%", False, 20, "worst change of the angular momentum of free puppets", free_momentum),
    Figure("weak drives", "%", False, 5, "the same with motors of 1e-6 N m", weakly_driven),
    Figure("held stones", "%", False, 1, "return of 5 to 300 masses from bridges, beams and shelves", held_stones),
)
