"""`World.are_touching`, contact arrays, relative velocities and persistence, against the contacts one by one."""

from __future__ import annotations

import numpy as np
import pytest

import box2dpy as b2


def heap(world: b2.World) -> b2.BodyArray:
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(20, 1))
    boxes = world.create_bodies([(0.7 * k % 5, 0.5 + k) for k in range(12)], geometry=b2.Box(0.45, 0.5))
    boxes[0].create_shape(b2.Circle(0.3, (0.6, 0)))
    for _ in range(200):
        world.step()
    return boxes


def test_touching_agrees_with_the_contact_list() -> None:
    with b2.World() as world:
        heap(world)
        shapes, bodies = list(world.shapes), list(world.bodies)
        pairs = {frozenset((c.shape_a, c.shape_b)) for c in world.contacts if c.touching}
        near = {frozenset((c.body_a, c.body_b)) for c in world.contacts if c.touching}
        assert len(pairs) > 11
        for a in shapes:
            assert world.are_touching(a, shapes).tolist() == [frozenset((a, b)) in pairs for b in shapes]
            assert world.are_touching(bodies, a).tolist() == [
                any(frozenset((a, b)) in pairs for b in body.shapes) for body in bodies
            ]
        for a in bodies:
            expected = [frozenset((a, b)) in near for b in bodies]
            assert world.are_touching(bodies, a).tolist() == expected
            assert world.are_touching(np.arange(len(bodies)), a).tolist() == expected
            assert [b in a.touching_bodies for b in bodies] == expected


def test_touching_accepts_one_body_many_bodies_or_none() -> None:
    with b2.World() as world:
        boxes = heap(world)
        ground = world.body(0)
        assert world.are_touching(ground, boxes[0]) is True and world.are_touching(boxes[0], boxes[0]) is False
        assert (
            world.are_touching(ground, boxes).dtype == np.bool_
            and world.are_touching(boxes, boxes).tolist() == [False] * 12
        )
        assert world.are_touching([], []).shape == (0,) and world.are_touching(ground, []).shape == (0,)
        assert world.are_touching([ground], [boxes[0]]).tolist() == [True]
        assert world.are_touching([0], [boxes[0].index]).tolist() == [True]


def test_bad_arguments_of_touching_are_refused() -> None:
    with b2.World() as world, b2.World() as other:
        boxes = heap(world)
        stranger = other.create_static_body()
        dead = boxes[3]
        dead.destroy()
        for bad in (None, "ab", 3, [None], np.zeros((2, 2), int), np.zeros(2), [1.5], next(iter(world.contacts))):
            with pytest.raises(TypeError, match="a="):
                world.are_touching(bad, world.body(0))
        for wrong in ([-1], [2**31], [stranger], stranger):
            with pytest.raises(ValueError, match="a="):
                world.are_touching(wrong, world.body(0))
        with pytest.raises(ValueError, match="as many"):
            world.are_touching([0, 1, 2], [0, 1])
        for gone in (dead, [dead], [dead.index], [9999]):
            with pytest.raises(b2.DestroyedError):
                world.are_touching(world.body(0), gone)
    with pytest.raises(b2.DestroyedError):
        world.are_touching([0], [1])


def test_contact_arrays_agree_with_the_contact_handles() -> None:
    with b2.World() as world:
        heap(world)
        world.step(1 / 60)  # after it no contact is one that has just begun
        world.body(3).linear_velocity = 1, 2
        rows = world.contacts.as_array()
        assert (
            len(rows) == len(world.contacts)
            and len(world.contacts.as_array(touching_only=True)) == world.counters.touching
        )
        for row, contact in zip(rows, world.contacts, strict=True):
            assert (row["shape_a"], row["shape_b"]) == (contact.shape_a.index, contact.shape_b.index)
            assert (
                row["point_count"] == len(contact.points)
                and bool(row["persisted"]) == contact.persisted == contact.touching
            )
            for k, point in enumerate(contact.points):
                assert (row["px"][k], row["py"][k]) == point.point and row["separation"][k] == point.separation
                assert row["normal_impulse"][k] == point.normal_impulse
                assert (row["velocity_x"][k], row["velocity_y"][k]) == point.relative_velocity


def test_relative_velocity_of_a_contact_point_is_that_of_the_two_materials_there() -> None:
    with b2.World(gravity=(0, 0)) as world:
        ground = world.create_kinematic_body((0, -1), linear_velocity=(0.5, 0))
        ground.create_shape(b2.Box(20, 1), friction=0)
        wheel = world.create_dynamic_body((0, 0.5), linear_velocity=(2, 0), angular_velocity=3)
        shape = wheel.create_shape(b2.Circle(0.5), friction=0)
        world.step()
        [contact] = wheel.contacts
        assert not contact.persisted
        world.step()
        [point] = contact.points
        sign = 1 if contact.shape_b is shape else -1
        assert point.relative_velocity.x == pytest.approx(sign * (2 + 3 * 0.5 - 0.5), abs=0.01) and contact.persisted
        wheel.position = 0, 5
        world.step()
        assert not contact.alive


def test_contacts_of_bodies_and_shapes_are_those_of_a_search_through_all_pairs() -> None:
    scene = b2.scenes.get("mixed_pile")
    with scene.world(sleep_time=0.3) as world:
        state = scene.build(world, 0.15)
        for number in range(150):
            scene.advance(world, state, number)
            world.step()
            if number % 30 != 0:
                continue
            every = {frozenset((contact.shape_a, contact.shape_b)): contact for contact in world.contacts}
            assert len(every) == len(world.contacts)
            for body in world.bodies:
                mine = [contact for contact in every.values() if body in (contact.shape_a.body, contact.shape_b.body)]
                assert body.contacts == sorted(mine, key=lambda contact: contact.index)
            for shape in world.shapes:
                mine = [contact for contact in every.values() if shape in (contact.shape_a, contact.shape_b)]
                assert shape.contacts == sorted(mine, key=lambda contact: contact.index)
                for other in world.shapes:
                    assert world.contact_between(shape, other) == every.get(frozenset((shape, other)))
        assert len(world.contacts) > 100


def test_contact_between_refuses_what_is_no_living_shape_of_the_world() -> None:
    with b2.World() as world, b2.World() as elsewhere:
        ball = world.create_dynamic_body().create_shape(b2.Circle(1))
        assert world.contact_between(ball, ball) is None
        with pytest.raises(ValueError, match="another world"):
            world.contact_between(ball, elsewhere.create_static_body().create_shape(b2.Circle(1)))
        with pytest.raises(TypeError, match="must be a shape"):
            world.contact_between(ball.body, ball)  # type: ignore[arg-type]
        gone = world.create_static_body().create_shape(b2.Circle(1))
        gone.destroy()
        with pytest.raises(b2.DestroyedError):
            world.contact_between(gone, ball)
