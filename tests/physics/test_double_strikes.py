"""Elastic bodies whose ends strike one after the other within one step: none of that may add energy."""

from __future__ import annotations

import math
import random

import pytest

import box2dpy as b2

from ..seeds import draws

SHAPES = {
    "circle": lambda r: b2.Circle(r),
    "capsule": lambda r: b2.Capsule((-r, 0), (r, 0), r / 2),
    "short capsule": lambda r: b2.Capsule((-r / 2, 0), (r / 2, 0), r / 2),
    "box": lambda r: b2.Box(r, r),
    "flat box": lambda r: b2.Box(2 * r, r / 2),
    "rounded box": lambda r: b2.Box(0.7 * r, 0.7 * r, radius=0.3 * r),
    "triangle": lambda r: b2.Polygon([(-r, -r / 2), (r, -r / 2), (0, r)]),
    "octagon": lambda r: b2.Polygon(
        [(r * math.cos(math.pi * (k / 4 + 1 / 8)), r * math.sin(math.pi * (k / 4 + 1 / 8))) for k in range(8)]
    ),
}


def landing(chance: random.Random, shape: str, friction: float, joint: float) -> tuple[float, float, str]:
    """The most energy that a landing adds, the energy at the end less that at the beginning, both as shares of the
    greatest kinetic energy, and what landed. `joint`: where two links of a chain meet (m)."""
    size, speed = 10 ** chance.uniform(-1.3, 0), 10 ** chance.uniform(0, 1.3)
    spin = chance.choice((0, chance.uniform(-3, 3), chance.uniform(-20, 20)))
    rate, substeps, e = chance.choice((30, 60, 120, 240)), chance.choice((1, 2, 4, 8)), chance.choice((0.5, 0.8, 1, 1))
    down = chance.choice((-math.pi / 2, chance.uniform(-math.pi, math.pi)))
    gravity = chance.choice((0, 0, 9.81)) * b2.Vec2(math.cos(down), math.sin(down))
    floor, nearly_flat = chance.choice(("box", "segment", "chain", "heavy")), chance.random() < 0.5
    lag = 0.5 / max(rate * substeps, 60 * substeps) * gravity  # velocities are half a substep behind
    with b2.World(gravity=gravity, restitution_threshold=chance.choice((0, 0, 1)), sleeping=False) as world:
        body = world.create_dynamic_body(
            (0, 2.5 * size + chance.random()),
            chance.uniform(-0.12, 0.12) if nearly_flat else chance.uniform(-math.pi, math.pi),
            linear_velocity=speed * b2.Vec2(math.sin(chance.choice((0, chance.uniform(-0.6, 0.6)))), -1),
            angular_velocity=spin,
        )
        body.create_shape(SHAPES[shape](size), restitution=e, friction=friction)
        body.mass = 1
        ground = world.create_dynamic_body(gravity_scale=0) if floor == "heavy" else world.create_static_body()
        if floor == "segment":
            ground.create_shape(b2.Segment((-200, 0), (200, 0)), friction=friction)
        elif floor == "chain":
            ground.create_chain([(200, 0), (joint, 0), (-200, 0)], friction=friction)
        else:
            ground.create_shape(b2.Box(200, 1, center=(0, -1)), friction=friction)
        if floor == "heavy":
            ground.mass = 1e4

        def energy() -> float:
            ahead = (body.linear_velocity + lag).length_squared - body.linear_velocity.length_squared
            heavy = ground.kinetic_energy if floor == "heavy" else 0.0
            return body.kinetic_energy + heavy + ahead / 2 - gravity.dot(body.position)

        start, most, greatest = energy(), 0.0, body.kinetic_energy
        for _ in range(round((1.2 * body.position.y / speed + 0.3) * rate)):
            world.step(1 / rate, substeps)
            most, greatest = max(most, energy() - start), max(greatest, body.kinetic_energy)
        what = f"{shape} {size:.3f} m, {speed:.2f} m/s, {spin:.1f} rad/s, 1/{rate} s, {substeps}, {e}, {down:.2f}"
        return most / greatest, (energy() - start) / greatest, f"{what}, {floor}"


@pytest.mark.parametrize("shape", SHAPES)
def test_no_landing_gains_energy(shape: str) -> None:
    """1 of 130 gained more than 1 %, and up to 41 %: what struck second had the speed from before the first strike."""
    chance = draws(1)
    found = sorted(landing(chance, shape, 0.0, 30.0) for _ in range(400))
    assert found[-2][0] < 0.01, found[-2:]  # of 10,000 landings 1 does, for another reason


def test_landings_with_friction_and_on_joints_of_chains_hardly_gain_any() -> None:
    """Restitution by Newton's law and friction are no exact pair, and points at one place converge slowly."""
    chance = draws(2)
    found = sorted(
        landing(chance, shape, friction, 0.0) for _ in range(100) for shape in SHAPES for friction in (0, 0.5)
    )
    assert found[-2][0] < 0.05, found[-2:]


@pytest.mark.parametrize("shape", ["capsule", "short capsule", "box", "flat box", "rounded box", "triangle"])
@pytest.mark.parametrize("speed", [1.5, 3, 5, 10])
def test_what_lands_nearly_flat_keeps_its_energy(shape: str, speed: float) -> None:
    """In one step with one end after the other: capsules gained up to 35 %, boxes lost 39 and triangles 83."""
    chance = draws(3)
    for _ in range(40):
        with b2.World((0, 0), restitution_threshold=0) as world:
            world.create_static_body().create_shape(b2.Box(50, 1, center=(0, -1)), friction=0)
            body = world.create_dynamic_body(
                (0, 2),
                chance.uniform(-0.12, 0.12),
                linear_velocity=(0, -speed),
                angular_velocity=chance.uniform(-3, 3),
                allow_fast_rotation=True,
            )
            body.create_shape(SHAPES[shape](0.3), restitution=1, friction=0)
            before = body.kinetic_energy
            for _ in range(round(210 / speed) + 10):
                world.step(1 / 60)
            assert 0.75 < body.kinetic_energy / before < 1.01


def room(chance: random.Random, shape: str, count: int, speed: float, spin: float, seconds: float) -> list[float]:
    """The energy of elastic bodies in a room without gravity, once a second, as shares of the first."""
    with b2.World((0, 0), restitution_threshold=0) as world:
        walls = world.create_static_body()
        for x, y, width, height in ((0, -6, 6, 1), (0, 6, 6, 1), (-6, 0, 1, 6), (6, 0, 1, 6)):
            walls.create_shape(b2.Box(width, height, center=(x, y)), friction=0)
        bodies, side = [], math.ceil(math.sqrt(count))
        for k in range(count):
            turn = chance.uniform(0, math.tau)
            body = world.create_dynamic_body(
                (10 * (k % side + 0.5) / side - 5, 10 * (k // side + 0.5) / side - 5),
                chance.uniform(0, math.tau),
                linear_velocity=(speed * math.cos(turn), speed * math.sin(turn)),
                angular_velocity=spin,
            )
            body.create_shape(SHAPES[shape](0.3), restitution=1, friction=0)
            bodies.append(body)
        first, found = world.kinetic_energy, []
        for _ in range(round(seconds)):
            for _ in range(60):
                world.step(1 / 60)
            found.append(world.kinetic_energy / first)
        assert all(max(abs(body.position.x), abs(body.position.y)) < 5 for body in bodies)
        return found


@pytest.mark.parametrize("shape", SHAPES)
def test_one_body_in_a_room_keeps_its_energy(shape: str) -> None:
    """After two minutes a capsule had 3.4 times as much, an octagon 5.6 times, a triangle 3 %."""
    chance = draws(4)
    for speed, spin in ((5, 5), (5, 5), (2, 1)):
        found = room(chance, shape, 1, speed, spin, 120)
        assert max(found) < 1.02, found
        assert min(found) > 0.75, found


@pytest.mark.parametrize("shape", SHAPES)
def test_bodies_that_strike_each_other_gain_no_energy(shape: str) -> None:
    """16 rounded boxes had 2.3 to 3.5 times as much after a minute."""
    chance = draws(5)
    for speed, spin in ((5, 5), (2, 1)):
        found = room(chance, shape, 16, speed, spin, 60)
        assert max(found) < 1.05, found
        assert min(found) > 0.5, found
