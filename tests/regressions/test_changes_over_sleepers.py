"""When something becomes solid where a body sleeps, the body wakes and is pushed out, for every cause of the change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import box2dpy as b2

from ..oracle.lockstep import run, run_until_asleep

Change = Callable[[], Any]
Make = Callable[[b2.World, b2.Body, b2.Body], Change]
NOBODY = b2.Filter(mask=0)
SIZE = b2.Box(0.5, 0.5)


def filter_of_it(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    shape = wall.create_shape(SIZE, filter=NOBODY)
    return lambda: setattr(shape, "filter", b2.Filter())


def group_of_it(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    shape = wall.create_shape(SIZE, filter=b2.Filter(group=-1))
    box.shapes[0].filter = b2.Filter(group=-1)
    return lambda: setattr(shape, "filter", b2.Filter())


def filter_of_the_sleeper(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE)
    box.shapes[0].filter = NOBODY
    return lambda: setattr(box.shapes[0], "filter", b2.Filter())


def no_sensor(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    shape = wall.create_shape(SIZE, sensor=True)
    return lambda: setattr(shape, "sensor", False)


def enabled(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE)
    wall.enabled = False
    return lambda: setattr(wall, "enabled", True)


def geometry(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    shape = wall.create_shape(b2.Box(0.2, 0.5))
    return lambda: setattr(shape, "geometry", SIZE)


def teleport(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE)
    wall.position = -9, 0
    return lambda: setattr(wall, "position", (-0.3, 0))


def teleport_from_near(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE)
    wall.position = -0.44, 0
    return lambda: setattr(wall, "position", (-0.3, 0))


def turn(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(b2.Box(0.5, 0.1))
    wall.angle = 1.57
    return lambda: setattr(wall, "angle", 0)


def joint_gone(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE)
    return world.create_filter_joint(wall, box).destroy


def joined_may_collide(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE)
    joint = world.create_motor_joint(wall, box, anchor=(0, 0))
    return lambda: setattr(joint, "collide_connected", True)


def two_way(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    shape = wall.create_shape(SIZE, one_way=(0, 1))
    return lambda: setattr(shape, "one_way", None)


def no_presolve(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE, presolve=True)
    world.on_presolve = lambda contact: False
    return lambda: setattr(world, "on_presolve", None)


def presolve_of_another_mind(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE, presolve=True)
    world.on_presolve = lambda contact: False
    return lambda: setattr(world, "on_presolve", lambda contact: True)


def no_presolve_flag(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    shape = wall.create_shape(SIZE, presolve=True)
    world.on_presolve = lambda contact: False
    return lambda: setattr(shape, "presolve", False)


def no_filter(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE)
    world.on_filter = lambda a, b: False
    return lambda: setattr(world, "on_filter", None)


def filter_of_another_mind(world: b2.World, wall: b2.Body, box: b2.Body) -> Change:
    wall.create_shape(SIZE)
    world.on_filter = lambda a, b: False
    return lambda: setattr(world, "on_filter", lambda a, b: True)


CHANGES: list[Make] = [
    filter_of_it, group_of_it, filter_of_the_sleeper, no_sensor, enabled, geometry, teleport, teleport_from_near, turn,
    joint_gone,
    joined_may_collide, two_way, no_presolve, presolve_of_another_mind, no_presolve_flag, no_filter,
    filter_of_another_mind,
]  # fmt: skip


@pytest.mark.parametrize("kind", ["static", "kinematic", "dynamic"])
@pytest.mark.parametrize("make", CHANGES, ids=lambda f: f.__name__)
def test_a_sleeping_body_is_woken_and_pushed_out_when_something_becomes_solid_there(make: Make, kind: str) -> None:
    # The wall fills x < 0.2 (or 0.1 by its corner), the box x > 0.1: 0.1 m too deep, or nearly.
    with b2.World(gravity=(0, 0), sleep_time=0.05) as world:
        box, bystander = world.create_dynamic_body((0.6, 0)), world.create_dynamic_body((0.6, 9))
        box.create_shape(SIZE)
        bystander.create_shape(SIZE)
        wall = getattr(world, f"create_{kind}_body")((-0.3, 0))
        change = make(world, wall, box)
        run_until_asleep(world)
        change()
        start = box.position.x - wall.position.x
        world.validate()
        world.step()
        world.validate()
        assert box.awake and not bystander.awake
        assert world.counters.touching == 1 and len(world.events.contact_begin) == 1
        run(world, 40)
        assert box.position.x - wall.position.x > max(start + 0.05, 0.97)


@pytest.mark.parametrize("kind", ["static", "kinematic", "dynamic"])
def test_creating_a_shape_wakes_no_body_until_something_moves(kind: str) -> None:
    # So that levels can be loaded asleep; README, "Limits".
    with b2.World(gravity=(0, 0), sleep_time=0.05) as world:
        box = world.create_dynamic_body((0.6, 0))
        box.create_shape(SIZE)
        wall = getattr(world, f"create_{kind}_body")((-0.3, 0))
        run_until_asleep(world)
        wall.create_shape(SIZE)
        run(world, 5)
        assert not box.awake and world.counters.contacts == 1
        box.awake = True
        run(world, 40)
        assert box.position.x - wall.position.x > 0.97


def test_a_new_filter_that_allows_no_new_pair_wakes_no_body() -> None:
    with b2.World() as world:
        ground = world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        boxes = [world.create_dynamic_body((2.0 * k, 0.5)) for k in range(5)]
        for body in boxes:
            body.create_shape(SIZE)
        run_until_asleep(world)
        ground.filter = b2.Filter(category=3)
        run(world, 3)
        assert world.counters.awake_bodies == 0 and world.counters.touching == 5
        ground.geometry = b2.Box(20, 1.0)  # another filter: its contacts are created again
        run(world, 1)
        assert world.counters.awake_bodies == 5
