"""Colours: no body twice in one, statics last, and what happens when there are not enough."""

from __future__ import annotations

import pytest

import box2dpy as b2
from box2dpy import scenes

from .lockstep import DT, make_ground, run

OVERFLOW, STATIC_COLORS, FIRST_STATIC = 32, 4, 28


def check_colors(world: b2.World) -> dict[int, int]:
    """Each body once a colour, moving pairs below the static colours; returns contacts by colour."""
    contacts = world.arrays.contacts
    moving = {body.index for body in world.bodies if body.type == b2.BodyType.DYNAMIC}
    seen: set[tuple[int, int]] = set()
    counts: dict[int, int] = {}
    for color, a, b, awake in zip(
        *(contacts[name].tolist() for name in ("color", "body_a", "body_b", "awake")), strict=True
    ):
        assert (color >= 0) == bool(awake)
        if color < 0:
            continue
        counts[color] = counts.get(color, 0) + 1
        if color == OVERFLOW:
            continue
        if a in moving and b in moving:
            assert color < FIRST_STATIC
        for body in (a, b):
            if body in moving:
                assert (body, color) not in seen
                seen.add((body, color))
    counters = world.counters
    assert counters.overflow_contacts == counts.get(OVERFLOW, 0)
    assert len(counts.keys() - {OVERFLOW}) <= counters.colors  # joints have colours too
    return counts


@pytest.mark.parametrize("name", ["tumbler", "mixed_pile", "large_pyramid", "falling_hinges"])
def test_no_body_occurs_twice_in_a_colour(name: str) -> None:
    scene = scenes.get(name)
    with scene.world() as world:
        state = scene.build(world, 0.2)
        for number in range(90):
            scene.advance(world, state, number)
            world.step(DT, 4)
            if number % 9 == 0:
                check_colors(world)


def test_statics_are_solved_last() -> None:
    with b2.World() as world:
        make_ground(world)
        world.create_bodies([(1.5 * (k % 10), 0.5 + k // 10) for k in range(50)], geometry=b2.Box(0.5, 0.5))
        run(world, 20)
        moving = {body.index for body in world.bodies if body.type == b2.BodyType.DYNAMIC}
        contacts = world.arrays.contacts
        fixed = [
            c
            for c, a, b in zip(contacts["color"], contacts["body_a"], contacts["body_b"], strict=True)
            if not {a, b} <= moving
        ]
        free = [
            c
            for c, a, b in zip(contacts["color"], contacts["body_a"], contacts["body_b"], strict=True)
            if {a, b} <= moving
        ]
        assert len(fixed) == 10
        assert len(free) == 40
        assert min(fixed) > max(free)
        assert min(fixed) >= FIRST_STATIC


def hub_world(**options: object) -> tuple[b2.World, b2.Body, b2.BodyArray]:
    """A heavy dynamic plank on the ground with 300 balls lying on it."""
    world = b2.World(**options)  # type: ignore[arg-type]
    make_ground(world, 60)
    hub = world.create_dynamic_body((0, 0.5))
    hub.create_shape(b2.Box(40, 0.5), density=10)
    balls = world.create_bodies([(0.25 * (k - 149.5), 1.1) for k in range(300)], geometry=b2.Circle(0.1))
    return world, hub, balls


def test_a_body_that_touches_300_balls_uses_the_overflow_and_stays_stable() -> None:
    hashes = set()
    for workers in (1, 2, 3):
        world, hub, balls = hub_world(workers=workers)
        with world:
            run(world, 10)
            counts = check_colors(world)
            assert counts[OVERFLOW] == 300 - FIRST_STATIC
            assert counts[OVERFLOW] == world.counters.overflow_contacts
            for _ in range(110):
                world.step(DT, 4)
                assert abs(balls.linear_velocity).max() < 0.5
            world.validate()
            assert abs(hub.position.y - 0.5) < 0.02
            assert abs(balls.position[:, 1] - 1.1).max() < 0.02
            hashes.add(world.state_hash())
    assert len(hashes) == 1


def test_the_overflow_becomes_empty_when_the_hub_is_destroyed() -> None:
    world, hub, balls = hub_world(workers=2)
    with world:
        run(world, 5)
        assert world.counters.overflow_contacts > 250
        balls[100:].position = balls[100:].position + b2.Vec2(0, 5)
        run(world, 1)
        check_colors(world)
        hub.type = "static"  # recolours: a static takes no colour
        world.validate()
        run(world, 5)
        assert world.counters.overflow_contacts == 0
        check_colors(world)
        hub.type = "dynamic"
        run(world, 5)
        assert world.counters.overflow_contacts > 0
        hub.destroy()
        run(world, 2)
        assert world.counters.overflow_contacts == 0


def test_a_body_with_many_joints_uses_the_overflow() -> None:
    hashes = set()
    for workers in (1, 3):
        with b2.World(workers=workers, gravity=(0, 0)) as world:
            hub = world.create_dynamic_body()
            hub.create_shape(b2.Circle(1), density=50)
            spokes = [world.create_dynamic_body((3, 0.1 * k)) for k in range(60)]
            for spoke in spokes:
                spoke.create_shape(b2.Box(0.5, 0.02), filter=b2.Filter(1, 0))
                world.create_revolute_joint(hub, spoke, anchor=(1, 0))
            assert world.counters.overflow_joints == 60 - FIRST_STATIC
            hub.angular_velocity = 3
            run(world, 60)
            assert max(joint.linear_separation for joint in world.joints) < 0.05
            for spoke in spokes[::2]:
                spoke.destroy()
            run(world, 5)
            assert world.counters.overflow_joints <= 30
            hashes.add(world.state_hash())
    assert len(hashes) == 1


def test_a_joint_and_a_contact_of_two_bodies_have_different_colours() -> None:
    with b2.World(gravity=(0, 0)) as world:
        a, b = world.create_dynamic_body((0, 0)), world.create_dynamic_body((0.9, 0))
        for body in (a, b):  # two shapes each: four contacts of one pair of bodies
            body.create_shape(b2.Box(0.5, 0.5))
            body.create_shape(b2.Circle(0.5))
        world.create_revolute_joint(a, b, anchor=(0.45, 0), collide_connected=True)
        world.create_revolute_joint(a, b, anchor=(0.45, 1), collide_connected=True)
        run(world, 1)
        counts = check_colors(world)
        assert world.counters.touching == 4
        assert set(counts.values()) == {1}
        assert world.counters.colors == 6


def test_colours_are_consistent_after_islands_wake_one_by_one() -> None:
    # The masks of an island that slept and woke are consistent, and those of the other islands have not changed.
    with b2.World() as world:
        make_ground(world)
        piles = [
            world.create_bodies([(10 * p, 0.5 + k) for k in range(5)], geometry=b2.Box(0.5, 0.5)) for p in range(4)
        ]
        run(world, 90)
        assert world.counters.awake_bodies == 0
        assert check_colors(world) == {}
        for pile in piles:
            pile[0].awake = True
            world.validate()
            check_colors(world)
        assert world.counters.touching == 20
        run(world, 3)
        check_colors(world)


def test_the_overflow_is_solved_in_the_order_of_ids_after_any_changes() -> None:
    # Contacts that return take the lowest free ids, so they must enter the overflow list before those that stayed.
    hashes = set()
    for workers in (1, 3):
        world, _, balls = hub_world(workers=workers)
        with world:
            run(world, 5)
            for first in (40, 41, 140, 200):
                some = balls[first::60]
                before = [contact.index for ball in some for contact in ball.contacts]
                some.position = some.position + b2.Vec2(0, 1)
                run(world, 1)
                some.position = some.position - b2.Vec2(0, 1)
                run(world, 1)
                after = [contact.index for ball in some for contact in ball.contacts]
                assert set(after) & set(before), "ids are used again"
            check_colors(world)
            run(world, 30)
            hashes.add(world.state_hash())
    assert len(hashes) == 1


def test_the_order_of_the_contacts_of_a_colour_changes_no_bit() -> None:
    """In a turning drum most contacts end and others begin, so the colours are sorted by their bodies again and again.
    A world that is read from bytes has its contacts in the order of their ids instead."""
    scene, hashes = scenes.get("tumbler"), set()
    for simd, workers, steps in (("auto", 2, 200), ("scalar", 1, 200), ("auto", 1, 100)):
        world, ended = scene.world(simd=simd, workers=workers, sleeping=False), 0
        state = scene.build(world, 1.0)
        for step in range(steps):
            scene.advance(world, state, step)
            world.step(DT)
            ended += len(world.events.contact_end)
        if steps < 200:
            with world, b2.World.from_snapshot(world.snapshot(), workers=2) as other:
                for _ in range(200 - steps):
                    world.step(DT)
                    other.step(DT)
                world.validate()
                other.validate()
                hashes |= {world.state_hash(), other.state_hash()}
            continue
        assert ended > world.counters.touching > 2000  # so that every colour was out of order
        hashes.add(world.state_hash())
        world.close()
    assert len(hashes) == 1
