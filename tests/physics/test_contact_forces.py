"""`Contact.force`, `Body.contact_force` and the arrays of both: the mean over a step, of all substeps and bounces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import arrays, draws
from ..stepping import advance

SUBSTEPS = (1, 2, 3, 4, 8, 16)


def along(direction: float, x: float, y: float) -> tuple[float, float]:
    return x * math.cos(direction) - y * math.sin(direction), x * math.sin(direction) + y * math.cos(direction)


@pytest.mark.parametrize("substeps", SUBSTEPS)
def test_a_floor_carries_the_weight_of_a_stack(substeps: int) -> None:
    worst = 0.0
    for size, density, g, direction, dt in (
        (1.0, 1.0, 10.0, 0.0, 1 / 60),
        (0.2, 8.0, 9.81, 0.7, 1 / 60),
        (3.0, 0.05, 3.0, -2.0, 1 / 30),
        (1.0, 500.0, 10.0, math.pi, 1 / 144),
    ):
        world = b2.World(gravity=along(direction, 0, -g), sleeping=False)
        floor = world.create_static_body(along(direction, 0, -1), angle=direction)
        floor.create_shape(b2.Box(30, 1))
        boxes = world.create_bodies(
            [along(direction, 0, size * (0.5 + k)) for k in range(5)],
            geometry=b2.Box(size / 2, size / 2),
            angles=[direction] * 5,
            density=density,
        )
        advance(world, int(4 / dt), dt, substeps)
        weight = g * size**2 * density
        down = np.array(along(direction, 0, -1))
        pushed = world.arrays.contact_force
        worst = max(worst, float(np.abs(pushed[floor.index] / (5 * weight) - down).max()))
        worst = max(worst, float(np.abs(pushed[boxes.indices] / weight + down).max()))
        touching = [contact for contact in world.contacts if contact.touching]
        for below, contact in enumerate(sorted(touching, key=lambda c: max(c.body_a.index, c.body_b.index))):
            upper = 1 if contact.body_b.index > contact.body_a.index else -1
            error = np.array(contact.force) * upper / ((5 - below) * weight) + down
            worst = max(worst, float(np.abs(error).max()))
    assert worst < 0.01


def heap(seed: int, spread: float, restitution: float, **options: Any) -> tuple[b2.World, list[int]]:
    """Circles, boxes and capsules of densities over `spread` decades that fall into a box."""
    rng = arrays(seed)
    world = b2.World(gravity=(1, -10), sleeping=False, **options)
    for center, size in (((0, -1), (8, 1)), ((-6, 4), (1, 8)), ((6, 4), (1, 8))):
        world.create_static_body(center).create_shape(b2.Box(*size), friction=0.6, restitution=restitution)
    bodies: list[int] = []
    for k in range(36):
        body = world.create_dynamic_body((rng.uniform(-4, 4), 1 + 0.5 * k), angle=rng.uniform(-3, 3))
        body.linear_velocity = rng.normal(0, 3, 2).tolist()
        x, y = rng.uniform(0.1, 0.5, 2)
        shape = (b2.Box(x, y), b2.Circle(x), b2.Capsule((-x, 0), (x, 0), 0.3 * y))[k % 3]
        density, friction = 10 ** rng.uniform(0, spread), rng.uniform(0, 1)
        body.create_shape(
            shape, density=density, friction=friction, restitution=restitution, rolling_resistance=0.1 * (k % 2)
        )
        bodies.append(body.index)
    return world, bodies


@pytest.mark.parametrize(
    ("substeps", "spread", "schedule"),
    [(n, spread, "colors") for n in SUBSTEPS for spread in (0.0, 1.0, 2.0)]
    + [(4, 1.0, schedule) for schedule in ("batches", "serial", "islands", "slots")],
)
def test_forces_account_for_all_momentum_in_a_heap(substeps: int, spread: float, schedule: Any) -> None:
    world, bodies = heap(7, spread, 0.0, schedule=schedule)
    mass, worst = world.arrays.mass[bodies], 0.0
    for step in range(150):
        dt = (1 / 60, 1 / 50, 1 / 240)[step // 50]
        before = world.arrays.linear_velocity[bodies].astype(np.float64)
        world.step(dt, substeps)
        # A fast body that the continuous stage stops goes back in time, so its fall of that time is missing
        steady = ~world.arrays.bodies["fast"][bodies]
        change = (world.arrays.linear_velocity[bodies] - before) / dt - (1, -10)
        sums = world.arrays.contact_force
        error = np.abs(mass[:, None] * change - sums[bodies]).max(axis=1)
        scale = mass * (10 + np.abs(change).max(axis=1))
        worst = max(worst, float((error / scale)[steady].max()))
        assert np.abs(sums.sum(axis=0)).max() <= 1e-4 * np.abs(sums).max()
    assert worst < 0.01


@pytest.mark.parametrize("substeps", SUBSTEPS)
def test_forces_of_bounces_carry_a_body_through_its_flight(substeps: int) -> None:
    worst = 0.0
    for restitution in (0.0, 0.3, 0.5, 0.8, 1.0):
        for geometry in (b2.Circle(0.3), b2.Box(0.3, 0.3)):
            world = b2.World(gravity=(0, -10), sleeping=False)
            floor = world.create_static_body((0, -1))
            floor.create_shape(b2.Box(30, 1), restitution=restitution)
            body = world.create_dynamic_body((0, 3))
            body.create_shape(geometry, density=2, restitution=restitution)
            momentum, start = 0.0, body.linear_velocity.y
            for _ in range(300):
                world.step(1 / 60, substeps)
                assert body.contact_force == -floor.contact_force
                momentum += body.contact_force.y / 60
            expected = body.mass * (body.linear_velocity.y - start + 10 * 300 / 60)
            worst = max(worst, abs(momentum / expected - 1))
    assert worst < 0.01


def test_a_force_lasts_through_sleep_and_steps_of_no_time() -> None:
    world = b2.World(gravity=(0, -10))
    world.create_static_body((0, -1)).create_shape(b2.Box(9, 1))
    crate = world.create_dynamic_body((0, 0.5))
    crate.create_shape(b2.Box(0.5, 0.5), density=3)
    while crate.awake:
        world.step()
    asleep = crate.contact_force
    assert asleep.y == pytest.approx(30, rel=0.01)
    world.step(1 / 240)
    assert crate.contact_force == asleep
    copy = world.clone()
    crate.awake = True
    world.step(0)
    assert crate.contact_force == asleep == copy.body(crate.index).contact_force
    crate.position = (0, 5)
    world.step()
    assert crate.contact_force == (0, 0)


def forces_of(world: b2.World) -> bytes:
    rows = world.contacts.as_array(touching_only=True)
    assert rows["force_y"].any() and world.arrays.contact_force.any()
    return rows["force_x"].tobytes() + rows["force_y"].tobytes() + world.arrays.contact_force.tobytes()


def test_forces_are_the_same_bits_for_all_options_and_copies() -> None:
    def run(**options: Any) -> tuple[bytes, b2.World]:
        world, _ = heap(3, 1.5, 0.6, **options)
        advance(world, 90)
        return forces_of(world), world

    expected, world = run()
    for options in ({"workers": 3}, {"simd": "scalar"}, {"broadphase": "tree"}):
        assert run(**options)[0] == expected, options
    for copy in (world.clone(), b2.World.from_snapshot(world.snapshot())):
        assert forces_of(copy) == expected
    state = world.save()
    world.step()
    assert forces_of(world) != expected
    world.restore(state)
    assert forces_of(world) == expected


def test_a_batch_has_the_forces_of_its_worlds() -> None:
    template, bodies = heap(5, 1.0, 0.2)
    with b2.WorldBatch(template, 3) as batch:
        for _ in range(60):
            template.step()
            batch.step()
        expected = template.arrays.contact_force
        assert np.abs(expected[bodies]).max() > 1
        assert batch.contact_force.shape == (3, *expected.shape)
        assert (batch.contact_force == expected).all()


def test_forces_are_finite_where_kinematic_bodies_sweep_fast_ones() -> None:
    """What is pressed at the end of a step that a sweep divides had been divided by a time step of 0."""
    draw = draws(380)
    struck = 0
    for _ in range(12):
        spin, half, dt = draw.uniform(2, 12), draw.uniform(0.1, 0.4), draw.choice((1 / 30, 1 / 60, 1 / 120))
        with b2.World() as world:
            bar = world.create_kinematic_body(angular_velocity=spin)
            bar.create_shape(b2.Box(3, 0.2))
            for k in range(4):
                box = world.create_dynamic_body((0.6 * k - 0.9, 0.5 + half), angle=draw.uniform(-1, 1))
                box.create_shape(b2.Box(half, 0.6 * half))
            for _ in range(90):
                world.step(dt)
                assert np.isfinite(world.arrays.contact_force).all()
                struck += world.counters.continuous_bodies
    assert struck > 0
