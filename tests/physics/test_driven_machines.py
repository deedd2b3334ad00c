"""Machines with drives: they gain what their drives can give, and no more."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest

import box2dpy as b2
from tests.seeds import draws
from tests.sweeps import part

WEAK: dict[str, dict[str, float | bool]] = {
    "springs": {"enable_spring": True, "hertz": 1e-3, "damping_ratio": 0.0},
    "motors": {"enable_motor": True, "motor_speed": 1.0, "max_motor_torque": 1e-6},
}


def weakly_driven(drive: str, seed: int) -> float:
    """Bodies fall into a bin; hinges hold some of them in each other, and limits turn them against each other. Returns
    how far their energy rises above the least before, over that of a fall of 10 m."""
    draw = draws(seed)
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(100, 1))
        for x in (-8, 8):
            world.create_static_body((x, 9)).create_shape(b2.Box(1, 12))
        ratio, share, bodies = 10 ** draw.uniform(0, 2), draw.uniform(0.02, 0.3), list[b2.Body]()
        for k in range(24):
            size, count, start = draw.uniform(0.25, 0.85), draw.randrange(2, 7), draw.uniform(0, 6.28)
            corners = [start + 2 * math.pi * c / count for c in range(count)]
            polygon = [(size * math.cos(t), size * math.sin(t)) for t in corners]
            place = (1.05 * (k % 6) - 2.625, 2 + 1.05 * (k // 6))
            bodies.append(world.create_dynamic_body(place, draw.uniform(-3, 3)))
            shape = b2.Circle(size) if count == 2 else b2.Polygon(polygon)
            belt = 1e-6 if drive == "belt" else 0.0
            bodies[-1].create_shape(shape, density=ratio ** draw.random(), tangent_speed=belt)
        limits: Any = {"enable_limit": True, "lower_angle": 0.5, "upper_angle": 0.8, "collide_connected": True}
        limits |= WEAK.get(drive, {})
        for k, step in itertools.product(range(24), (1, 6)):
            if (step == 1 and k % 6 == 5) or k + step >= 24 or draw.random() > share:
                continue
            middle = (bodies[k].position + bodies[k + step].position) / 2
            world.create_revolute_joint(bodies[k], bodies[k + step], anchor=middle, **limits)
        least, gained = math.inf, 0.0
        for _ in range(240):
            if drive == "wind":
                world.apply_wind((0, 0), drag=0.0, density=1e-6)
            world.step(1 / 60)
            energy = world.kinetic_energy + world.potential_energy
            least, gained = min(least, energy), max(gained, energy - least)
        return gained / sum(100 * body.mass for body in bodies)


@pytest.mark.parametrize("drive", ["springs", "motors", "wind", "belt"])
def test_a_drive_that_can_do_no_work_gives_no_energy(drive: str) -> None:
    """Any drive switched the bound of the energy off: such machines gained up to 15 times the energy of the fall."""
    seeds = (3, 6, 11, *part(range(20, 40), 0.1))
    assert max(weakly_driven(drive, seed) for seed in seeds) < 0.1


@pytest.mark.parametrize("drive", WEAK)
def test_windmills_with_weak_drives_come_to_rest(drive: str) -> None:
    """18 of 49 spun, with up to 317 rad/s."""
    for seed in part(range(24), 0.4):
        draw = draws(seed)
        with b2.World(gravity=(0, 0), sleeping=False) as world:
            blades = list[b2.Body]()
            for _ in range(draw.randrange(3, 9)):
                place = (draw.uniform(-0.2, 0.2), draw.uniform(-0.2, 0.2))
                blades.append(world.create_dynamic_body(place, draw.uniform(-3, 3)))
                length = draw.uniform(0.4, 1.2)
                blades[-1].create_shape(b2.Box(length, 0.2 * length), density=10 ** draw.uniform(-1, 1))
                if len(blades) > 1:
                    options: Any = {"collide_connected": True, **WEAK[drive]}
                    if drive == "motors":
                        options["max_motor_torque"] = 1e-9
                    world.create_revolute_joint(draw.choice(blades[:-1]), blades[-1], anchor=(0, 0), **options)
            for _ in range(400):
                world.step(1 / 60)
            assert max(abs(blade.angular_velocity) for blade in blades) < 0.2


def car(draw: random.Random, world: b2.World) -> b2.Body:
    world.create_static_body().create_shape(b2.Box(200, 1, center=(0, -1)))
    for k in range(8):
        plank = world.create_dynamic_body((4 + 3 * k, 0.1))
        plank.create_shape(b2.Box(1.2, 0.1), density=draw.uniform(0.3, 3))
    body = world.create_dynamic_body((0, 1))
    body.create_shape(b2.Box(1.2, 0.3), density=2)
    drive: Any = {
        "enable_motor": True,
        "motor_speed": -draw.uniform(5, 40),
        "max_motor_torque": 10 ** draw.uniform(0, 2),
    }
    spring: Any = {"enable_spring": True, "hertz": draw.uniform(2, 10), "damping_ratio": draw.uniform(0.2, 1)}
    for x in (-0.9, 0.9):
        wheel = world.create_dynamic_body((x, 0.5))
        wheel.create_shape(b2.Circle(0.4), friction=1.5)
        world.create_wheel_joint(body, wheel, anchor=(x, 0.5), axis=(0, 1), **spring, **drive)
    world.create_dynamic_body((0, 1.6)).create_shape(b2.Box(0.3, 0.3))
    return body


def trampoline(draw: random.Random, world: b2.World) -> b2.Body:
    ground, bodies = world.create_static_body(), list[b2.Body]()
    for k in range(8):
        bodies.append(world.create_dynamic_body((0.5 * k - 1.75, 2)))
        bodies[-1].create_shape(b2.Box(0.25, 0.05), density=0.5)
        spring: Any = {"enable_spring": True, "hertz": draw.uniform(1, 8), "damping_ratio": draw.uniform(0, 0.2)}
        if k > 0:
            world.create_revolute_joint(bodies[-2], bodies[-1], anchor=(0.5 * k - 2, 2), **spring)
    for side, body in ((-1, bodies[0]), (1, bodies[-1])):
        rope: Any = {"length": 0.6, "enable_spring": True, "hertz": draw.uniform(2, 10), "damping_ratio": 0.1}
        ends: Any = {"local_anchor_a": (2.6 * side, 2), "local_anchor_b": (0.25 * side, 0)}
        world.create_distance_joint(ground, body, **ends, **rope)
    for k in range(3):
        ball = world.create_dynamic_body((draw.uniform(-1, 1), 3 + 0.8 * k))
        ball.create_shape(b2.Circle(0.3), density=draw.uniform(0.3, 3), restitution=draw.choice((0, 0.3)))
    return bodies[4]


def piston(draw: random.Random, world: b2.World) -> b2.Body:
    ground = world.create_static_body()
    for x in (-1.2, 1.2):
        ground.create_shape(b2.Box(0.2, 10, center=(x, 10)))
    head, top = world.create_dynamic_body((0, 0.5)), world.create_dynamic_body((0, 1))
    head.create_shape(b2.Box(0.9, 0.2), density=2)
    top.create_shape(b2.Box(0.8, 0.1), density=1)
    drive: Any = {"motor_speed": draw.uniform(0.5, 8), "max_motor_force": 10 ** draw.uniform(1.5, 3.5)}
    ends: Any = {"enable_limit": True, "lower_translation": -0.3, "upper_translation": draw.uniform(1, 6)}
    world.create_prismatic_joint(ground, head, anchor=(0, 0.5), axis=(0, 1), enable_motor=True, **drive, **ends)
    spring: Any = {"enable_spring": True, "hertz": draw.uniform(1, 8), "damping_ratio": draw.uniform(0, 0.5)}
    world.create_prismatic_joint(head, top, anchor=(0, 0.8), axis=(0, 1), collide_connected=True, **spring)
    for k in range(5):
        ball = world.create_dynamic_body((draw.uniform(-0.5, 0.5), 1.6 + 0.5 * k))
        ball.create_shape(b2.Circle(0.25), density=draw.uniform(0.3, 3))
    return top


@pytest.mark.parametrize("machine", [car, trampoline, piston])
def test_honest_drives_are_not_slowed(machine: Any) -> None:
    """A slack rope to something fixed changes nothing, and one to something kinematic switches the bound off."""
    slowed, seeds = 0, part(range(30), 0.3)
    for seed in seeds:
        places, energies = [], []
        for kinematic in (False, True):
            draw = draws(seed)
            dt, substeps = draw.choice((1 / 30, 1 / 60, 1 / 120)), draw.choice((1, 2, 4, 8))
            with b2.World(gravity=(0, -10), sleeping=False) as world:
                body = machine(draw, world)
                far = world.create_kinematic_body() if kinematic else world.create_static_body()
                world.create_rope_joint(far, body, local_anchor_a=(0, 0), local_anchor_b=(0, 0), max_length=1000)
                energies.append(0.0)
                for _ in range(round(1.5 / dt)):
                    world.step(dt, substeps)
                    energies[-1] = max(energies[-1], world.kinetic_energy + world.potential_energy)
                places.append([body.position for body in world.bodies])
        slowed += places[0] != places[1]
        assert energies[0] > 0.98 * energies[1]
    assert slowed <= 0.1 * len(seeds)
