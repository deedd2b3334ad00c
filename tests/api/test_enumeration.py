"""`world.bodies` and the other collections: size, iteration, access by index, and agreement with what was created."""

from __future__ import annotations

import random

import pytest

import box2dpy as b2


def test_collections_hold_the_objects_that_were_created_and_not_destroyed() -> None:
    draw = random.Random(3)
    world = b2.World()
    made: list[b2.Body] = []
    for number in range(400):
        if made and draw.random() < 0.4:
            made.pop(draw.randrange(len(made))).destroy()
        else:
            body = world.create_dynamic_body((3 * number, 0))
            for _ in range(draw.randrange(3)):
                body.create_shape(b2.Circle(0.5))
            made.append(body)
        if len(made) > 2 and draw.random() < 0.3:
            a, b = draw.sample(made, 2)
            world.create_revolute_joint(a, b, anchor=a.position)
    assert list(world.bodies) == sorted(made, key=lambda body: body.index)
    assert [body.index for body in world.bodies] == sorted(body.index for body in made)
    assert len(world.bodies) == len(made) == world.counters.bodies
    assert set(world.shapes) == {shape for body in made for shape in body.shapes}
    assert len(world.shapes) == world.counters.shapes
    assert set(world.joints) == {joint for body in made for joint in body.joints}
    assert len(world.joints) == world.counters.joints
    assert world.bodies[0] == next(iter(world.bodies))
    assert world.bodies[-1].index == max(body.index for body in made)
    assert world.bodies[1:3] == list(world.bodies)[1:3]
    with pytest.raises(IndexError):
        world.bodies[len(made)]
    world.validate()


def test_a_new_object_gets_the_lowest_free_index() -> None:
    world = b2.World()
    bodies = [world.create_static_body() for _ in range(6)]
    for k in (4, 1, 2):
        bodies[k].destroy()
    assert [world.create_static_body().index for _ in range(4)] == [1, 2, 4, 6]


def test_objects_can_be_created_and_destroyed_while_iterating() -> None:
    world = b2.World()
    for k in range(50):
        world.create_dynamic_body((2 * k, 0)).create_shape(b2.Circle(0.5))
    for body in world.bodies:
        body.destroy()
        world.create_static_body()
    assert len(world.bodies) == 50
    assert len(world.shapes) == 0


def test_a_stack_has_the_expected_contacts_and_one_island() -> None:
    world = b2.World()
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(5, 1))
    stack = [world.create_dynamic_body((0, 0.5 + k)) for k in range(3)]
    for body in stack:
        body.create_shape(b2.Box(0.5, 0.5))
    alone = world.create_dynamic_body((0, 50))
    alone.create_shape(b2.Circle(0.5))
    for _ in range(10):
        world.step()
    assert len(world.contacts) == world.counters.contacts
    assert [contact.index for contact in world.contacts] == sorted(contact.index for contact in world.contacts)
    assert stack[0].touching == [ground, stack[1]]
    assert stack[1].touching == [stack[0], stack[2]]
    assert stack[1].contacts == stack[1].shapes[0].contacts
    assert len(world.islands) == world.counters.islands == 2
    island = stack[0].island
    assert island is not None
    assert set(island.bodies) == set(stack)
    assert len(island) == 3
    assert all(body.island == island for body in stack)
    assert len(island.contacts) == 2
    assert alone.island != island
    assert ground.island is None
    assert world.split_islands() == 0


def test_jointed_bodies_form_an_island_until_the_joint_is_destroyed() -> None:
    world = b2.World()
    a, b = world.create_dynamic_body(), world.create_dynamic_body((5, 0))
    joint = world.create_revolute_joint(a, b, anchor=(2, 0))
    world.step()
    [island] = world.islands
    assert island.joints == [joint]
    joint.destroy()
    world.split_islands()
    assert len(world.islands) == 2
    world.validate()
