"""A step whose counts stay within earlier maxima allocates nothing; worlds and bodies stay within their memory limits.

The same motion is run twice: all poses and velocities are put back, so the second run repeats the first to the bit and
meets no new maximum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES, Scene, get

from ..seeds import draws
from .lockstep import DT, make_ground, run


def settle(world: b2.World) -> None:
    """A pile of 150 that comes to rest."""
    make_ground(world)
    draw = draws(9)
    for k in range(150):
        body = world.create_dynamic_body((draw.uniform(-4, 4), 0.6 + 0.12 * k), draw.uniform(-3, 3))
        if k % 3:
            body.create_shape(b2.Box(0.3, 0.3), restitution=0.2 * (k % 2))
        else:
            body.create_shape(b2.Circle(0.3), hit_events=True)


def tumble(world: b2.World) -> None:
    """A turning box full of boxes: contacts begin and end in every step."""
    drum = world.create_kinematic_body(angular_velocity=1.0)
    for x, y, hx, hy in ((4, 0, 0.3, 4), (-4, 0, 0.3, 4), (0, 4, 4, 0.3), (0, -4, 4, 0.3)):
        drum.create_shape(b2.Box(hx, hy, (x, y)))
    for k in range(120):
        world.create_dynamic_body((0.5 * (k % 12) - 3, 0.5 * (k // 12) - 2.5)).create_shape(b2.Box(0.18, 0.18))


def chains(world: b2.World) -> None:
    """Hanging chains that swing, and boxes that fall through them."""
    ceiling = world.create_static_body((0, 10))
    for x in range(-6, 7, 2):
        before = ceiling
        for k in range(6):
            link = world.create_dynamic_body((x + 0.5 * k + 0.25, 10))
            link.create_shape(b2.Capsule((-0.2, 0), (0.2, 0), 0.1))
            world.create_revolute_joint(before, link, anchor=(x + 0.5 * k, 10))
            before = link
    make_ground(world)
    for k in range(30):
        world.create_dynamic_body((0.9 * (k % 10) - 4, 12 + k // 10)).create_shape(b2.Box(0.2, 0.2))


class Start:
    """The initial state of a world, and the way back to it: joints are created again, the rest is set."""

    def __init__(self, world: b2.World) -> None:
        self.world = world
        self.bodies = [(b, b.position, b.angle, b.linear_velocity, b.angular_velocity) for b in world.bodies]
        for body, _, angle, *_ in self.bodies:
            body.angle = angle  # the rotation of an angle that was read may be another by the last bit
        self.joints = [(j.body_a, j.body_b, j.frame_a, j.frame_b) for j in world.joints]

    def put_back(self) -> None:
        for joint in self.world.joints:
            joint.destroy()
        for body, *_ in self.bodies:  # contacts would remember their impulses
            body.enabled = False
            body.enabled = True
        for body, position, angle, velocity, spin in self.bodies:
            body.position = position
            body.angle = angle
            body.linear_velocity, body.angular_velocity = velocity, spin
        for a, b, frame_a, frame_b in self.joints:
            self.world.create_revolute_joint(a, b, frame_a=frame_a, frame_b=frame_b)
        self.world.split_islands()


@pytest.mark.parametrize("broadphase", b2.lab.NAMES["broadphase"][1:])
@pytest.mark.parametrize("build", [settle, tumble, chains], ids=lambda f: f.__name__)
def test_a_step_within_earlier_maxima_allocates_nothing(build: Callable[[b2.World], None], broadphase: str) -> None:
    with b2.World(broadphase=broadphase) as world:
        build(world)
        start = Start(world)
        for _ in range(5):  # they find the maxima: contacts begin at once again, tables grow at other steps
            run(world, 150, check=False)
            wanted = world.state_hash()
            start.put_back()
        allocated = {}
        for number in range(150):
            world.step(DT, 4)
            if world.counters.step_allocations:
                allocated[number] = world.counters.step_allocations
        assert world.state_hash() == wanted
        assert allocated == {}
        assert world.counters.contacts > 20


@pytest.mark.parametrize("name", SCENES)
def test_benchmark_scenes_allocate_nothing_within_earlier_maxima(name: str) -> None:
    """The scene is run again and again from one saved state; broad phases rebuild their tables at other steps then, so
    that only the last run meets no maximum for the first time."""
    scene = get(name)
    with scene.world() as world:
        state = scene.build(world, 0.1)
        run_scene(scene, world, state, 0, 5)
        saved = world.save()
        for _ in range(4):
            run_scene(scene, world, state, 5, 60)
            world.restore(saved)
        assert run_scene(scene, world, state, 5, 60) == 0


def run_scene(scene: Scene, world: b2.World, state: Any, begin: int, end: int) -> int:
    """The allocations of the steps."""
    allocated = 0
    for number in range(begin, end):
        scene.advance(world, state, number)
        world.step(DT, 4)
        allocated += world.counters.step_allocations
    return allocated


def test_a_world_that_is_put_back_repeats_its_motion_bit_by_bit() -> None:
    # State that remains from the past (free ids, unsplit islands, tree shapes, capacities) does not affect results.
    for build in (settle, tumble, chains):
        hashes = []
        with b2.World(sleeping=False) as world:
            build(world)
            start = Start(world)
            for _ in range(3):
                run(world, 100, check=False)
                hashes.append(world.state_hash())
                start.put_back()
                world.validate()
        assert len(set(hashes)) == 1


def storm(world: b2.World) -> None:
    """A turning box with everything that workers list: pairs, beginnings, hits, sensors, fast bodies."""
    tumble(world)
    sensor = world.create_static_body()
    for k in range(20):
        sensor.create_shape(b2.Box(0.3, 3, (0.3 * k - 3, 0)), sensor=True)
    draw = draws(5)
    for k in range(60):
        body = world.create_dynamic_body(
            (0.4 * (k % 12) - 2.4, 0.5 * (k // 12)), linear_velocity=(60, draw.uniform(-60, 60))
        )
        body.bullet = k % 2 == 0
        body.create_shape(b2.Circle(0.12), restitution=0.9, hit_events=True, sensor_events=True)


@pytest.mark.parametrize("chaos", ["", "11"])
@pytest.mark.parametrize("workers", [1, 2, 3, 4])
def test_a_repeated_motion_allocates_nothing_for_any_distribution_of_work_over_workers(
    workers: int, chaos: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Runs of the same motion: the totals of the later ones are those of the first, but spread over the workers by
    # chance. The grid rebuilds its tables at other steps in the second run, so only the third must find all memory.
    monkeypatch.setenv("B2D_CHAOS", chaos)  # read when a world makes its workers; empty: off
    with b2.World(workers=workers) as world:
        storm(world)
        start = Start(world)
        seen = {"begun": 0, "hits": 0, "sensors": 0, "fast": 0}
        for _ in range(80):
            world.step(DT, 4)
            seen["begun"] += world.counters.contacts_begun
            seen["hits"] += world.counters.hits
            seen["sensors"] += len(world.events.sensor_begin)
            seen["fast"] += world.counters.continuous_bodies
        assert min(seen.values()) > 20, seen
        wanted = world.state_hash()
        for _ in range(3):
            start.put_back()
            allocated = {k: n for k in range(80) if (n := step_allocations(world))}
        assert allocated == {}
        assert world.state_hash() == wanted


def test_sweeps_that_a_callback_decides_allocate_nothing_for_any_distribution_over_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each worker lists the hits that it finds; which of them it finds is chance.
    monkeypatch.setenv("B2D_CHAOS", "11")
    draw = draws(6)
    with b2.World(workers=4, gravity=(0, 0)) as world:
        room = world.create_static_body()
        for x, y, hx, hy in ((3, 0, 0.1, 3), (-3, 0, 0.1, 3), (0, 3, 3, 0.1), (0, -3, 3, 0.1)):
            room.create_shape(b2.Box(hx, hy, (x, y)))
        for k in range(120):
            body = world.create_dynamic_body(
                (0.4 * (k % 12) - 2.2, 0.4 * (k // 12) - 1.8),
                linear_velocity=(draw.uniform(-60, 60), draw.uniform(-60, 60)),
            )
            body.create_shape(b2.Circle(0.1), presolve=True)
        world.on_presolve = lambda contact: True
        start = Start(world)
        for _ in range(3):
            run(world, 20, check=False)
            start.put_back()
        fast, allocated = 0, []
        for _ in range(20):
            for _ in range(5):  # all are fast
                allocated.append(step_allocations(world))
                fast += world.counters.continuous_bodies
            start.put_back()
        assert fast > 1000
        assert sum(allocated) == 0


def test_settled_scenes_allocate_nothing_with_any_number_of_workers() -> None:
    for workers in (1, 2, 4):
        with b2.World(workers=workers, sleeping=False) as world:
            settle(world)
            run(world, 700, check=False)  # what falls beside the pile has come to rest too
            assert sum(step_allocations(world) for _ in range(100)) == 0


def step_allocations(world: b2.World) -> int:
    world.step(DT, 4)
    return world.counters.step_allocations


def test_sleeping_and_waking_again_and_again_allocates_nothing() -> None:
    with b2.World() as world:
        make_ground(world)
        world.create_bodies([(2 * (k % 20) - 20, 0.5 + k // 20) for k in range(100)], geometry=b2.Box(0.5, 0.5))
        total = 0
        for number in range(4):
            for _ in range(60):
                world.step(DT, 4)
                total += world.counters.step_allocations if number else 0
            assert world.counters.awake_bodies == 0
            for body in world.bodies:
                body.awake = True
        assert total == 0


# -- weight


def test_an_empty_world_needs_less_than_64_kib() -> None:
    for broadphase in b2.lab.NAMES["broadphase"][1:]:
        for workers in (1, 4):
            with b2.World(broadphase=broadphase, workers=workers) as world:
                assert world.counters.bytes < 64 * 1024
                world.step()
                assert world.counters.bytes < 64 * 1024


def weight(world: b2.World) -> float:
    return world.counters.bytes / world.counters.bodies


def test_a_body_with_a_box_needs_less_than_600_bytes() -> None:
    n = 10_000
    places = [(2.0 * (k % 100), 2.0 * (k // 100)) for k in range(n)]
    with b2.World(gravity=(0, 0)) as world:
        for place in places:
            world.create_dynamic_body(place).create_shape(b2.Box(0.5, 0.5))
        assert weight(world) < 500


@pytest.mark.parametrize(("broadphase", "asleep"), [("auto", 640), ("tree", 600)])
def test_stepped_and_sleeping_bodies_need_no_more_memory_than_allowed(broadphase: str, asleep: float) -> None:
    n = 10_000
    places = [(2.0 * (k % 100), 2.0 * (k // 100)) for k in range(n)]
    with b2.World(broadphase=broadphase, gravity=(0, 0)) as world:
        world.create_bodies(places, geometry=b2.Box(0.5, 0.5))
        assert weight(world) < 500
        for _ in range(3):
            world.step(DT, 4)
        assert world.counters.awake_bodies == n
        assert weight(world) < 600
        run(world, 40, check=False)
        assert world.counters.awake_bodies == 0
        assert weight(world) < asleep
    with b2.World(broadphase=broadphase) as world:  # falling: every box leaves its cell again and again
        world.create_bodies(places, geometry=b2.Box(0.5, 0.5))
        run(world, 20, check=False)
        assert weight(world) < 600


def test_closing_a_world_frees_its_memory() -> None:
    with b2.World() as world:
        settle(world)
        run(world, 60, check=False)
        full = world.counters.bytes
        for _ in range(5):
            for body in world.bodies:
                body.destroy()
            world.step()
            settle(world)
            run(world, 60, check=False)
        assert world.counters.bytes < 1.1 * full
        world.validate()


def test_ten_thousand_worlds_can_exist_at_once() -> None:
    worlds = []
    for k in range(10_000):
        world = b2.World()
        body = world.create_dynamic_body((k, 10))
        body.create_shape(b2.Circle(0.5))
        worlds.append((world, body))
    for world, _ in worlds[::10]:
        world.step()
    positions = {tuple(body.position) for _, body in worlds}
    assert len(positions) == len(worlds)
    assert sum(world.counters.bytes for world, _ in worlds) < 10_000 * 64 * 1024
    for world, _ in worlds[::100]:
        world.validate()
    for world, _ in worlds:
        world.close()
