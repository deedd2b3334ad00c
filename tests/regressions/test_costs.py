"""Calls whose cost once grew with the square of what is there. The bounds are of processor time, and generous."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

import pytest

import box2dpy as b2


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    start = process_time()
    yield
    assert process_time() - start < seconds


def test_shapes_whose_mass_is_not_updated_are_added_and_removed_in_linear_time() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body()
        with at_most(1.5):
            for k in range(15_000):
                body.create_shape(b2.Circle(0.1, center=(0.3 * k, 0)), update_mass=False)
        with at_most(0.2):
            body.destroy()


def test_the_extent_of_a_body_is_the_same_however_its_shapes_were_added() -> None:
    hashes = []
    for update_mass in (True, False):
        with b2.World() as world:
            world.create_static_body().create_shape(b2.Box(50, 0.5))
            body = world.create_dynamic_body((0, 1))
            for k in range(5):
                body.create_shape(b2.Box(0.1 * k + 0.1, 0.2, center=(k, 0)), update_mass=update_mass)
            if not update_mass:
                body.update_mass()
            for _ in range(60):
                world.step()
            world.validate()
            hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("others", [1, 20_000])
def test_a_body_with_many_joints_is_destroyed_in_linear_time(others: int) -> None:
    with b2.World() as world:
        hub = world.create_dynamic_body()
        bodies = [world.create_dynamic_body((k, 0)) for k in range(others)]
        for k in range(20_000):
            world.create_revolute_joint(hub, bodies[k % others], anchor=(0, 0))
        with at_most(0.4):
            hub.destroy()
        assert world.counters.joints == 0


def test_many_contacts_of_few_bodies_end_in_linear_time() -> None:
    """Most of them find no colour; each was once searched for and erased in one sorted list."""
    with b2.World(gravity=(0, 0)) as world:
        bodies = [world.create_dynamic_body() for _ in range(600)]
        for body in bodies:
            body.create_shape(b2.Circle(0.5))
        world.step(1e-6, 1)
        assert world.counters.touching == 600 * 599 // 2
        with at_most(0.7):
            for body in bodies:
                body.destroy()


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_bullets_of_several_workers_meet_the_same_bodies_with_the_brute_broad_phase(workers: int) -> None:
    """The thread sanitizer runs this too: a worker once read boxes of bullets that another was writing."""
    hashes = set()
    for count in {1, workers}:
        with b2.World(broadphase="brute", workers=count, gravity=(0, 0)) as world:
            for k in range(64):
                world.create_dynamic_body((k, 5), linear_velocity=(0, -200), bullet=True).create_shape(b2.Circle(0.1))
                world.create_dynamic_body((k, 0)).create_shape(b2.Circle(0.3))
            for _ in range(20):
                world.step()
            hashes.add(world.state_hash())
    assert len(hashes) == 1
