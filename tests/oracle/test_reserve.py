"""After `world.reserve` no step of the ten benchmark scenes asks the system for memory."""

from __future__ import annotations

import pytest

import box2dpy as b2
from benchmarks.engines.box2d_program import NAMES
from box2dpy.scenes import get

SIZE, STEPS = 0.1, 60


def run(world: b2.World, name: str) -> int:
    """The allocations of the steps."""
    scene, allocations = get(name), 0
    state = scene.build(world, SIZE)
    for number in range(STEPS):
        scene.advance(world, state, number)
        world.step(1 / 60, 4)
        allocations += world.counters.step_allocations
    return allocations


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_steps_within_the_reserved_numbers_allocate_nothing(name: str, workers: int) -> None:
    with get(name).world(workers=workers) as world:
        assert run(world, name) > 10
        counts, wanted, used = world.peak_counts, world.state_hash(), world.counters.peak_bytes
    with get(name).world(workers=workers) as world:
        world.reserve(**counts)
        reserved = world.counters.bytes
        assert run(world, name) == 0
        assert world.state_hash() == wanted
        assert world.counters.peak_bytes == reserved, "creating the objects allocates nothing either"
        assert reserved < 3 * used + 430_000, "the margin is bounded"
        world.validate()


def test_an_island_that_sleeps_and_wakes_needs_no_memory() -> None:
    def pile(world: b2.World) -> int:
        world.create_static_body().create_shape(b2.Box(50, 1, (0, -1)))
        places = [(k % 10 - 5, 0.5 + k // 10) for k in range(100)]
        bodies = world.create_bodies(places, geometry=b2.Box(0.5, 0.5))
        allocations = 0
        for _ in range(3):
            for _ in range(200):
                world.step()
                allocations += world.counters.step_allocations
            assert world.counters.awake_bodies == 0
            bodies[0].awake = True
        return allocations

    with b2.World() as world:
        assert pile(world) > 0
        counts = world.peak_counts
    with b2.World() as world:
        world.reserve(**counts)
        assert pile(world) == 0


def test_peak_counts_are_the_most_objects_that_existed_at_one_time() -> None:
    with b2.World() as world:
        assert world.peak_counts == {"bodies": 0, "shapes": 0, "contacts": 0, "joints": 0}
        first, second = (world.create_dynamic_body((0.5 * k, 0)) for k in range(2))
        for body in (first, second):
            body.create_shape(b2.Circle(0.5))
        world.create_distance_joint(first, second, anchor=(0, 0), collide_connected=True)
        world.step()
        wanted = {"bodies": 2, "shapes": 2, "contacts": 1, "joints": 1}
        assert world.peak_counts == wanted
        second.destroy()
        world.step()
        assert world.peak_counts == wanted
        third = world.create_dynamic_body((9, 9))
        assert world.peak_counts == wanted, "ids are used again"
        third.destroy()


def test_reserving_again_adds_to_what_there_is_and_nothing_is_reserved_for_no_objects() -> None:
    with b2.World() as world:
        before = world.counters.bytes
        world.reserve()
        assert world.counters.bytes == before
        world.reserve(bodies=100, shapes=100, contacts=300)
        first = world.counters.bytes
        world.reserve(bodies=100, shapes=100, contacts=300)
        assert world.counters.bytes == first
        world.reserve(bodies=200, shapes=200, contacts=600, joints=50)
        assert first < world.counters.bytes < 4 * first
        world.step()
        world.validate()
        clone = world.clone()
        assert clone.counters.bytes < first, "a copy has no reserve"
        clone.close()
