"""Calls whose cost once grew with the square of what is there: eight times as much takes eight times as many lines of
Python. tests/unit/test_c_costs.py counts what the core does."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import box2dpy as b2

from ..counting import lines_run
from ..patience import finished
from ..stepping import advance

if TYPE_CHECKING:
    from box2dpy._world.options import Broadphase

MORE = 8


def add_shapes(body: b2.Body, count: int) -> list[b2.Shape]:
    return [body.create_shape(b2.Circle(0.1, center=(0.3 * k, 0)), update_mass=False) for k in range(count)]


def remove_shapes(world: b2.World, count: int) -> Callable[[], object]:
    shapes = add_shapes(world.create_dynamic_body(), count)
    return lambda: [shape.destroy(update_mass=False) for shape in shapes]


def destroy_body(world: b2.World, count: int) -> Callable[[], object]:
    body = world.create_dynamic_body()
    shapes = add_shapes(body, count)
    return lambda: (body.destroy(), shapes)


def destroy_chain(world: b2.World, count: int) -> Callable[[], object]:
    return world.create_static_body().create_chain([(k, 0.0) for k in range(count, -1, -1)]).destroy


def destroy_hub(world: b2.World, count: int) -> Callable[[], object]:
    hub = world.create_dynamic_body()
    joints = [world.create_revolute_joint(hub, world.create_dynamic_body(), anchor=(0, 0)) for _ in range(count)]
    return lambda: (hub.destroy(), joints)


def destroy_gears(world: b2.World, count: int) -> Callable[[], object]:
    hub = world.create_dynamic_body()
    joints = [world.create_revolute_joint(hub, world.create_dynamic_body(), anchor=(0, 0)) for _ in range(count)]
    gears = [world.create_gear_joint(a, b) for a, b in itertools.pairwise(joints)]
    return lambda: ([joint.destroy() for joint in joints], gears)


def destroy_what_has_no_gears(world: b2.World, count: int) -> Callable[[], object]:
    destroy_gears(world, count)
    bodies = [world.create_dynamic_body() for _ in range(count)]
    return lambda: [body.destroy() for body in bodies]


def destroy_crowd(world: b2.World, count: int) -> Callable[[], object]:
    """Circles at one point, which all touch each other."""
    bodies = [world.create_dynamic_body() for _ in range(round((2 * count) ** 0.5))]
    for body in bodies:
        body.create_shape(b2.Circle(0.5))
    world.step(1e-6, 1)
    return lambda: [body.destroy() for body in bodies]


@pytest.mark.parametrize(
    "prepare",
    [remove_shapes, destroy_body, destroy_chain, destroy_hub, destroy_gears, destroy_what_has_no_gears, destroy_crowd],
)
def test_calls_of_the_package_take_linear_time(prepare: Callable[[b2.World, int], Callable[[], object]]) -> None:
    def lines(count: int) -> int:
        with b2.World(gravity=(0, 0)) as world:
            return lines_run(prepare(world, count))

    lines(10)  # the first call loads code
    assert lines(100 * MORE) <= 1.1 * MORE * lines(100)


def test_the_extent_of_a_large_body_is_exact_again_when_its_mass_is_updated() -> None:
    def fall_asleep(removed: int) -> int:
        with b2.World() as world:
            world.create_static_body().create_shape(b2.Box(50, 0.5))
            body = world.create_dynamic_body((0, 0.75))
            shapes = [body.create_shape(b2.Box(0.3, 0.25, center=(0.1 * k, 0))) for k in range(100 + removed)]
            for shape in shapes[100:]:
                shape.destroy(update_mass=False)
            body.update_mass()
            advance(world, 60)
            world.validate()
            return world.state_hash()

    assert fall_asleep(0) == fall_asleep(20)


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
            advance(world, 60)
            world.validate()
            hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_bullets_of_several_workers_meet_the_same_bodies_with_the_brute_broad_phase(workers: int) -> None:
    """The thread sanitizer runs this too: a worker once read boxes of bullets that another was writing."""
    hashes = set()
    for count in {1, workers}:
        with b2.World(broadphase="brute", workers=count, gravity=(0, 0)) as world:
            for k in range(64):
                world.create_dynamic_body((k, 5), linear_velocity=(0, -200), bullet=True).create_shape(b2.Circle(0.1))
                world.create_dynamic_body((k, 0)).create_shape(b2.Circle(0.3))
            advance(world, 20)
            hashes.add(world.state_hash())
    assert len(hashes) == 1


def test_pairs_that_a_filter_refuses_take_no_rows() -> None:
    """Circles on top of each other that never collide, in two million pairs. Nor do their keys take memory."""
    for workers in (1, 3):
        for broadphase in ("grid", "tree", "brute"):
            with b2.World(broadphase=broadphase, workers=workers) as world:
                apart = b2.Filter(group=-1)
                world.create_bodies([(0.0001 * k, 0) for k in range(2000)], geometry=b2.Circle(0.1), filter=apart)
                world.step()
                assert world.counters.contacts == 0 and world.counters.peak_bytes < 6_000_000


def test_a_long_list_of_pairs_of_which_some_are_refused_gives_the_same_contacts() -> None:
    """A list of keys that is full loses those that a filter refuses, before and after others that it keeps."""

    def contacts(broadphase: Broadphase, workers: int) -> list[tuple[int, ...]]:
        with b2.World(broadphase=broadphase, workers=workers) as world:
            for k in range(800):
                body = world.create_dynamic_body((0.0001 * k, 0))
                body.create_shape(b2.Circle(0.1), filter=b2.Filter(group=-1 - k % 3 if k % 40 else 0))
            world.step()
            rows = world.arrays.contacts
            return list(zip(rows["shape_a"].tolist(), rows["shape_b"].tolist(), strict=True))

    groups = [-1 - k % 3 if k % 40 else 0 for k in range(800)]
    expected = {(i, j) for j in range(800) for i in range(j) if groups[i] != groups[j] or groups[i] == 0}
    found = contacts("grid", 1)
    assert {(min(pair), max(pair)) for pair in found} == expected and len(found) == len(expected)
    assert contacts("tree", 1) == contacts("brute", 3) == contacts("grid", 2) == found


CROWD = """
import resource
import box2dpy as b2
with b2.World(gravity=(0, 0)) as world:
    world.create_bodies([(1e-6 * k, 0) for k in range(4000)], geometry=b2.Circle(0.1))
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + {megabytes} * 2**20, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        world.step()
    except MemoryError as error:
        print(error)
    world.validate()
    for body in list(world.bodies)[40:]:
        body.destroy()
    world.step()
    print(world.counters.contacts)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit and /proc are those of Linux")
@pytest.mark.skipif("B2D_EMULATOR" in os.environ, reason="qemu does not limit the memory of what it runs")
@pytest.mark.parametrize("megabytes", [30, 100, 400])
def test_a_crowd_beyond_the_memory_raises_and_leaves_a_world_that_goes_on(megabytes: int) -> None:
    """Eight million pairs. Nothing is asked for again and again, which once took minutes."""
    program = CROWD.format(megabytes=megabytes)
    ran = finished([sys.executable, "-c", program])
    assert ran.returncode == 0, ran.stderr
    message, contacts = ran.stdout.splitlines()
    assert "each pair that no filter refuses" in message
    assert int(contacts) == 40 * 39 // 2
