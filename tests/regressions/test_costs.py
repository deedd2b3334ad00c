"""Calls whose cost once grew with the square of what is there: eight times as much may take 24 times as long."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

import pytest

import box2dpy as b2

MORE = 8


def assert_linear(prepare: Callable[[b2.World, int], Callable[[], object]], count: int) -> None:
    """Compares the times of what `prepare` returns for `count` things and for eight times as many, the least of
    three."""

    def seconds(n: int) -> float:
        with b2.World(gravity=(0, 0)) as world:
            run = prepare(world, n)
            start = thread_time()
            run()
            return thread_time() - start

    few = min(seconds(count) for _ in range(3))
    many = min(seconds(MORE * count) for _ in range(3))
    assert many < 3 * MORE * few


def add_shapes(body: b2.Body, count: int) -> list[b2.Shape]:
    return [body.create_shape(b2.Circle(0.1, center=(0.3 * k, 0)), update_mass=False) for k in range(count)]


def test_shapes_whose_mass_is_not_updated_are_added_in_linear_time() -> None:
    def prepare(world: b2.World, count: int) -> Callable[[], object]:
        body = world.create_dynamic_body()
        return lambda: add_shapes(body, count)

    assert_linear(prepare, 1000)


@pytest.mark.parametrize("order", [1, -1])
def test_shapes_whose_mass_is_not_updated_are_removed_in_linear_time(order: int) -> None:
    def prepare(world: b2.World, count: int) -> Callable[[], object]:
        shapes = add_shapes(world.create_dynamic_body(), count)[::order]
        return lambda: [shape.destroy(update_mass=False) for shape in shapes]

    assert_linear(prepare, 1000)


def test_the_extent_of_a_large_body_is_exact_again_when_its_mass_is_updated() -> None:
    def fall_asleep(removed: int) -> int:
        with b2.World() as world:
            world.create_static_body().create_shape(b2.Box(50, 0.5))
            body = world.create_dynamic_body((0, 0.75))
            shapes = [body.create_shape(b2.Box(0.3, 0.25, center=(0.1 * k, 0))) for k in range(100 + removed)]
            for shape in shapes[100:]:
                shape.destroy(update_mass=False)
            body.update_mass()
            for _ in range(60):
                world.step()
            world.validate()
            return world.state_hash()

    assert fall_asleep(0) == fall_asleep(20)


def test_a_body_with_many_shapes_is_destroyed_in_linear_time() -> None:
    def prepare(world: b2.World, count: int) -> Callable[[], object]:
        body = world.create_dynamic_body()
        add_shapes(body, count)
        return body.destroy

    assert_linear(prepare, 2000)


@pytest.mark.parametrize("closed", [False, True])
def test_chains_of_many_segments_are_made_and_destroyed_in_linear_time(closed: bool) -> None:
    def make(world: b2.World, count: int) -> Callable[[], object]:
        body = world.create_static_body()
        points = [(k, 0.0) for k in range(count, -1, -1)] + [(count / 2, -9.0)]
        return lambda: body.create_chain(points, loop=closed)

    def destroy(world: b2.World, count: int) -> Callable[[], object]:
        chain = make(world, count)()
        world.step()
        assert isinstance(chain, b2.Chain)
        return chain.destroy

    assert_linear(make, 2000)
    assert_linear(destroy, 2000)


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


@pytest.mark.parametrize("shared", [True, False])
def test_a_body_with_many_joints_is_destroyed_in_linear_time(shared: bool) -> None:
    """Also when all of them join the same two bodies."""

    def prepare(world: b2.World, count: int) -> Callable[[], object]:
        hub = world.create_dynamic_body()
        others = [world.create_dynamic_body((k, 0)) for k in range(1 if shared else count)]
        for k in range(count):
            world.create_revolute_joint(hub, others[k % len(others)], anchor=(0, 0))
        return hub.destroy

    assert_linear(prepare, 1000)


def crowd(world: b2.World, contacts: int) -> list[b2.Body]:
    """Circles at one point, so many that they have about this many contacts."""
    bodies = [world.create_dynamic_body() for _ in range(round((2 * contacts) ** 0.5))]
    for body in bodies:
        body.create_shape(b2.Circle(0.5))
    return bodies


def test_many_contacts_of_few_bodies_begin_in_linear_time() -> None:
    """Most of them find no colour."""

    def prepare(world: b2.World, contacts: int) -> Callable[[], object]:
        crowd(world, contacts)
        return lambda: world.step(1e-6, 1)

    assert_linear(prepare, 10_000)


def test_many_contacts_of_few_bodies_end_in_linear_time() -> None:
    """Each that found no colour was once searched for and erased in one sorted list."""

    def prepare(world: b2.World, contacts: int) -> Callable[[], object]:
        bodies = crowd(world, contacts)
        world.step(1e-6, 1)
        assert world.counters.touching == len(bodies) * (len(bodies) - 1) // 2
        return lambda: [body.destroy() for body in bodies]

    assert_linear(prepare, 10_000)


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


def test_pairs_that_a_filter_refuses_take_no_rows() -> None:
    """2,000 circles on top of each other that never collide; their keys take 50 MB."""
    with b2.World() as world:
        apart = b2.Filter(group=-1)
        world.create_bodies([(0.0001 * k, 0) for k in range(2000)], geometry=b2.Circle(0.1), filter=apart)
        world.step()
        assert world.counters.contacts == 0 and world.counters.bytes < 100_000_000
