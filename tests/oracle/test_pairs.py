"""The contact set against brute force over fat boxes, for every broad phase, under motion and every kind of change."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import box2dpy as b2

from ..seeds import arrays
from .lockstep import DT, assert_pairs_match_brute_force, contact_pairs, make_ground, overlapping, run

BROADPHASES = b2.lab.NAMES["broadphase"][1:]

coordinate = st.floats(-6, 6, width=32)
place = st.tuples(coordinate, st.floats(0, 6, width=32))
speed = st.tuples(st.floats(-30, 30, width=32), st.floats(-30, 30, width=32))
size = st.sampled_from([0.01, 0.1, 0.3, 1.0, 4.0])
bits = st.integers(0, 7)
which = st.integers(0, 1000)
call = st.one_of(
    st.tuples(st.just("create"), st.sampled_from(["static", "kinematic", "dynamic", "dynamic"]), place, speed, size),
    st.tuples(st.just("shape"), which, size, st.booleans()), st.tuples(st.just("destroy"), which),
    st.tuples(st.just("destroy_shape"), which), st.tuples(st.just("teleport"), which, place),
    st.tuples(st.just("angle"), which, st.floats(-3, 3)), st.tuples(st.just("throw"), which, speed),
    st.tuples(st.just("type"), which, st.sampled_from(["static", "kinematic", "dynamic"])),
    st.tuples(st.just("enabled"), which, st.booleans()), st.tuples(st.just("awake"), which, st.booleans()),
    st.tuples(st.just("filter"), which, bits, bits, st.integers(-1, 1)), st.tuples(st.just("geometry"), which, size),
    st.tuples(st.just("sensor"), which, st.booleans()), st.tuples(st.just("join"), which, which, st.booleans()),
    st.tuples(st.just("unjoin"), which), st.tuples(st.just("collide"), which, st.booleans()),
    st.tuples(st.just("run"), st.integers(1, 8)),
)  # fmt: skip


def apply(world: b2.World, action: tuple[Any, ...]) -> None:
    """One call; indices are taken modulo what there is."""
    name, *rest = action
    bodies, shapes, joints = list(world.bodies), list(world.shapes), list(world.joints)
    if name == "create":
        kind, at, v, size = rest
        body = getattr(world, f"create_{kind}_body")(at, **({} if kind == "static" else {"linear_velocity": v}))
        body.create_shape(b2.Box(size, 0.5 * size))
    elif name == "run":
        for _ in range(rest[0]):
            world.step(DT, 2)
    elif name in ("shape", "destroy", "teleport", "angle", "throw", "type", "enabled", "awake"):
        body = bodies[rest[0] % len(bodies)]
        if name == "shape":
            body.create_shape(b2.Circle(rest[1], (0.2, 0)), sensor=rest[2])
        elif name == "destroy":
            if len(bodies) > 1:
                body.destroy()
        elif name == "teleport":
            body.position = rest[1]
        elif name == "throw":
            if body.type != b2.BodyType.STATIC:
                body.linear_velocity = rest[1]
        else:
            setattr(body, name, rest[1])
    elif name in ("destroy_shape", "filter", "geometry", "sensor") and shapes:
        shape = shapes[rest[0] % len(shapes)]
        if name == "destroy_shape":
            shape.destroy()
        elif name == "filter":
            shape.filter = b2.Filter(*rest[1:])
        elif name == "geometry":
            shape.geometry = b2.Capsule((-rest[1], 0), (rest[1], 0), 0.1)
        else:
            shape.sensor = rest[1]
    elif name == "join":
        a, b = bodies[rest[0] % len(bodies)], bodies[rest[1] % len(bodies)]
        if a is not b:
            world.create_revolute_joint(a, b, anchor=a.position, collide_connected=rest[2])
    elif name in ("unjoin", "collide") and joints:
        joint = joints[rest[0] % len(joints)]
        if name == "unjoin":
            joint.destroy()
        else:
            joint.collide_connected = rest[1]


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(calls=st.lists(call, min_size=5, max_size=40), sleep_time=st.sampled_from([0.05, 0.5]))
def test_contacts_equal_the_overlapping_pairs_after_random_calls(
    calls: list[tuple[Any, ...]], sleep_time: float
) -> None:
    worlds = [b2.World(broadphase=name, sleep_time=sleep_time) for name in BROADPHASES]
    try:
        for world in worlds:
            make_ground(world, 8)
            for k in range(6):
                world.create_dynamic_body((k - 3, 1 + 0.3 * k)).create_shape(b2.Box(0.4, 0.4))
        for number, action in enumerate(calls):
            rows = set()
            for world in worlds:
                apply(world, action)
                if number % 4 == 3 or number == len(calls) - 1:
                    assert_pairs_match_brute_force(world)
                else:
                    world.step(DT, 2)
                    world.validate()
                rows.add(
                    (world.state_hash(), tuple((c.index, c.shape_a.index, c.shape_b.index) for c in world.contacts))
                )
            assert len(rows) == 1, "broad phases give different contacts"
    finally:
        for world in worlds:
            world.close()


# -- the reopen rules one by one, on a pair at rest, asleep, and just apart


def pair_world(broadphase: str, asleep: bool, upper_y: float = 1.5) -> tuple[b2.World, b2.Shape, b2.Shape]:
    """A box of half height 0.5 on the ground and another on it, or above it."""
    world = b2.World(broadphase=broadphase)
    make_ground(world, 10)
    lower, upper = world.create_dynamic_body((0, 0.5)), world.create_dynamic_body((0, upper_y))
    shapes = lower.create_shape(b2.Box(0.5, 0.5)), upper.create_shape(b2.Box(0.5, 0.5))
    run(world, 60 if asleep else 3)
    assert (world.counters.awake_bodies == 0) == asleep
    return world, *shapes


Change = Callable[[b2.Shape], Any]


def refuse_filter(shape: b2.Shape) -> None:
    shape.filter = b2.Filter(2, 0)


def allow_filter(shape: b2.Shape) -> None:
    shape.filter = b2.Filter()


def body_kinematic(shape: b2.Shape) -> None:
    shape.body.type = "kinematic"


def body_dynamic(shape: b2.Shape) -> None:
    shape.body.type = "dynamic"


def disable(shape: b2.Shape) -> None:
    shape.body.enabled = False


def enable(shape: b2.Shape) -> None:
    shape.body.enabled = True


def sensor_on(shape: b2.Shape) -> None:
    shape.sensor = True


def sensor_off(shape: b2.Shape) -> None:
    shape.sensor = False


def shrink(shape: b2.Shape) -> None:
    shape.geometry = b2.Box(0.5, 0.1)


def grow(shape: b2.Shape) -> None:
    shape.geometry = b2.Box(0.5, 0.5)


REOPENING = [(refuse_filter, allow_filter), (disable, enable), (sensor_on, sensor_off), (shrink, grow)]


@pytest.mark.parametrize("broadphase", BROADPHASES)
@pytest.mark.parametrize("asleep", [False, True])
@pytest.mark.parametrize(("refuse", "allow"), REOPENING, ids=lambda f: f.__name__)
def test_every_change_that_allows_a_refused_pair_creates_its_contact(
    refuse: Change, allow: Change, asleep: bool, broadphase: str
) -> None:
    world, lower, upper = pair_world(broadphase, asleep)
    with world:
        key = (lower.index, upper.index)
        assert key in contact_pairs(world)
        refuse(upper)
        world.validate()
        if refuse is not shrink:
            assert key not in contact_pairs(world)
            world.step(0.0)
            assert key not in contact_pairs(world)
        world.validate()
        allow(upper)
        world.validate()
        world.step(0.0)
        world.validate()
        assert key in contact_pairs(world)
        assert_pairs_match_brute_force(world)


@pytest.mark.parametrize("broadphase", BROADPHASES)
def test_a_change_of_body_type_creates_the_missing_contacts(broadphase: str) -> None:
    world, lower, upper = pair_world(broadphase, asleep=True)
    with world:
        ground = world.shape(0)
        body_kinematic(lower)
        world.step(0.0)
        world.validate()
        assert (ground.index, lower.index) not in contact_pairs(world)  # neither moves by contact
        assert (lower.index, upper.index) in contact_pairs(world)
        body_kinematic(upper)
        world.step(0.0)
        world.validate()
        assert contact_pairs(world) == set()
        body_dynamic(lower)
        world.step(0.0)
        world.validate()
        assert contact_pairs(world) == {(ground.index, lower.index), (lower.index, upper.index)}
        lower.body.type = "static"
        body_dynamic(upper)
        world.step(0.0)
        world.validate()
        assert contact_pairs(world) == {(lower.index, upper.index)}


@pytest.mark.parametrize("broadphase", BROADPHASES)
def test_a_joint_removes_the_contact_of_its_bodies_and_its_end_creates_it_again(broadphase: str) -> None:
    world, lower, upper = pair_world(broadphase, asleep=True)
    with world:
        key = (lower.index, upper.index)
        joint = world.create_revolute_joint(lower.body, upper.body, anchor=(0, 1))
        assert key not in contact_pairs(world)
        world.step(0.0)
        world.validate()
        assert key not in contact_pairs(world)
        joint.collide_connected = True
        world.step(0.0)
        world.validate()
        assert key in contact_pairs(world)
        joint.collide_connected = False
        world.validate()
        assert key not in contact_pairs(world)
        second = world.create_revolute_joint(lower.body, upper.body, anchor=(0, 1))
        joint.destroy()
        world.step(0.0)
        assert key not in contact_pairs(world)  # the second joint still forbids it
        second.destroy()
        world.step(0.0)
        world.validate()
        assert key in contact_pairs(world)


@pytest.mark.parametrize("broadphase", BROADPHASES)
def test_a_static_body_that_is_moved_loses_and_gains_contacts(broadphase: str) -> None:
    with b2.World(broadphase=broadphase) as world:
        floor = make_ground(world, 3)
        near, far = world.create_dynamic_body((0, 0.5)), world.create_dynamic_body((20, 0.5))
        for body in (near, far):
            body.create_shape(b2.Box(0.5, 0.5))
        far.gravity_scale = 0
        run(world, 90)
        assert not near.awake
        assert not far.awake
        floor.position = (20, -1)
        assert near.awake, "its support went"
        run(world, 1)
        assert far.awake, "the new fat boxes overlap it"
        assert [c.shape_b.body for c in far.contacts] + [c.shape_a.body for c in far.contacts]
        assert not near.contacts
        assert_pairs_match_brute_force(world)


@pytest.mark.parametrize("broadphase", BROADPHASES)
def test_a_pair_refused_by_both_shapes_needs_the_change_of_both(broadphase: str) -> None:
    world, lower, upper = pair_world(broadphase, asleep=False)
    with world:
        key = (lower.index, upper.index)
        for shape in (lower, upper):
            shape.filter = b2.Filter(1, 2**64 - 1, -5)
        world.step(0.0)
        assert key not in contact_pairs(world)
        lower.filter = b2.Filter(1, 2**64 - 1, 0)
        world.step(0.0)
        assert key in contact_pairs(world)
        lower.filter = b2.Filter(2, 0, 3)
        upper.filter = b2.Filter(4, 0, 3)  # one positive group overrides the masks
        world.step(0.0)
        assert key in contact_pairs(world)
        world.validate()


@pytest.mark.parametrize("broadphase", BROADPHASES)
def test_pairs_are_exact_with_fast_bodies_and_one_far_away(broadphase: str) -> None:
    with b2.World(broadphase=broadphase, gravity=(0, 0), sleeping=False) as world:
        for k in range(40):
            body = world.create_dynamic_body(
                (3 * math.cos(k), 3 * math.sin(k)), linear_velocity=(200 * math.cos(7 * k), 200 * math.sin(7 * k))
            )
            body.create_shape(b2.Circle(0.05 + 0.02 * (k % 9)))
        world.create_dynamic_body((1e7, -1e7), linear_velocity=(0, -400)).create_shape(b2.Box(0.5, 0.5))
        world.create_static_body().create_shape(b2.Box(2000, 0.5))
        for k in range(30):
            run(world, 1)
            if k % 5 == 0:
                assert_pairs_match_brute_force(world)


def test_contact_ids_do_not_depend_on_the_broad_phase() -> None:
    lists = []
    for broadphase in BROADPHASES:
        for workers in (1, 3):
            with b2.World(broadphase=broadphase, workers=workers) as world:
                make_ground(world, 20)
                world.create_bodies(
                    [(k % 20 - 10 + 0.05 * (k // 20), 0.6 + 1.1 * (k // 20)) for k in range(160)],
                    geometry=b2.Box(0.5, 0.5),
                )
                seen = []
                for _ in range(40):
                    world.step(DT, 4)
                    seen.append([(c.index, c.shape_a.index, c.shape_b.index) for c in world.contacts])
                lists.append(seen)
    assert all(each == lists[0] for each in lists)


def test_fat_boxes_with_equal_coordinates_count_as_overlapping() -> None:
    # Boxes are closed: equal coordinates count as overlap in all broad phases.
    found = []
    for broadphase in BROADPHASES:
        with b2.World(broadphase=broadphase, gravity=(0, 0)) as world:
            first = world.create_dynamic_body((0, 0)).create_shape(b2.Box(0.5, 0.5))
            world.step(0.0)
            edge = first.fat_aabb[1][0]
            second = world.create_dynamic_body((10, 0)).create_shape(b2.Box(0.5, 0.5))
            left = 10 - second.fat_aabb[0][0]
            second.body.position = (edge + left, 0)
            world.step(0.0)
            found.append(
                (first.fat_aabb, second.fat_aabb, contact_pairs(world) == overlapping(world), len(world.contacts))
            )
    assert len(set(found)) == 1
    assert found[0][2]


@pytest.mark.parametrize("broadphase", BROADPHASES)
def test_a_body_that_becomes_invalid_changes_no_bit_of_the_others(broadphase: Any) -> None:
    """Beside it a pile falls and tumbles as in a world without the body."""
    ends, reported = [], []
    for flung in (False, True):
        with b2.World(broadphase=broadphase) as world:
            make_ground(world)
            pile = [world.create_dynamic_body((0.4 * (k % 5), 1 + 0.6 * k)) for k in range(25)]
            for body in pile:
                body.create_shape(b2.Box(0.25, 0.25))
            anchor, other = world.create_static_body((0, 40)), world.create_dynamic_body((0, 40))
            other.create_shape(b2.Circle(0.5))
            joint = world.create_revolute_joint(anchor, other, anchor=(0.5, 40))
            for step in range(120):
                if step == 30 and flung:
                    other.mass = other.inertia = 1e-30
                    joint.enable_motor, joint.max_motor_torque, joint.motor_speed = True, 1e30, 1e9
                    other.apply_force((1e30, 1e30))
                elif step == 30:
                    other.destroy()
                run(world, 1)
                if flung:
                    reported += [event.body for event in world.events.body_invalid]
            if flung:
                assert reported == [other]
                assert not other.enabled
            ends.append([(*body.position, body.angle, *body.linear_velocity) for body in pile])
    assert ends[0] == ends[1]


@pytest.mark.parametrize("layout", ["row", "geometric", "one place", "spiral"])
@pytest.mark.parametrize("most", [1, 7])
def test_the_refined_tree_stays_valid_while_shapes_come_and_go_one_by_one(layout: str, most: int) -> None:
    """Sorted and degenerate orders, in which insertion alone would make a list; the pairs are those of the grid."""

    def place(k: int) -> tuple[float, float]:
        return {
            "row": (1.5 * k, 0.0),
            "geometric": (1.02**k, 0.0),
            "one place": (0.0, 0.0),
            "spiral": (0.05 * k * np.cos(0.7 * k), 0.05 * k * np.sin(0.7 * k)),
        }[layout]

    count = 120 if layout == "one place" else 600
    worlds = [b2.World(broadphase=kind, gravity=(0, 0), max_linear_speed=1) for kind in ("refined_tree", "grid")]
    apart = b2.Filter(mask=0)  # boxes that overlap are no contacts, but pairs of the broad phase
    order = arrays(most).permutation(count).tolist()
    alive: list[list[b2.Body]] = [[] for _ in worlds]
    for step in range(-(-2 * count // most)):
        for world, bodies in zip(worlds, alive, strict=True):
            for k in range(step * most, min((step + 1) * most, 2 * count)):
                if k < count:
                    bodies.append(world.create_dynamic_body(place(k), linear_velocity=(0.5 - k % 2, 0)))
                    bodies[-1].create_shape(b2.Box(0.6, 0.4), filter=apart if layout == "one place" else b2.Filter())
                else:
                    bodies[order[k - count]].destroy()
            world.step(1 / 60, 1)
        if step % 16 == 0:
            worlds[0].validate()
            assert worlds[0].state_hash() == worlds[1].state_hash()
    assert len(worlds[0].bodies) == len(worlds[1].bodies) == 0
