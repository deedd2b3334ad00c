"""`world.bodies` and the other collections: size, iteration, access by index, and agreement with what was created."""

from __future__ import annotations

from collections.abc import Set

import pytest

import box2dpy as b2

from ..seeds import draws


def test_collections_hold_the_objects_that_were_created_and_not_destroyed() -> None:
    draw = draws(3)
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


def test_an_iteration_does_not_visit_what_it_creates() -> None:
    with b2.World() as world:
        for _ in range(40):
            world.create_static_body()
        seen = 0
        for body in world.bodies:
            world.create_static_body()
            seen += 1
            assert body.index < 40
        assert (seen, len(world.bodies)) == (40, 80)


def test_views_are_sets_that_follow_the_world() -> None:
    with b2.World() as world, b2.World() as other:
        bodies = world.bodies
        assert isinstance(bodies, Set)
        assert not bodies
        made = [world.create_static_body() for _ in range(3000)]
        assert (len(bodies), len(set(bodies)), bodies == set(made)) == (3000, 3000, True)
        assert [body.index for body in bodies] == list(range(3000))
        assert bodies & {made[5], other.create_static_body()} == {made[5]}
        assert bodies - set(made[1:]) == {made[0]}
        assert not bodies.isdisjoint(made[7:8])
        for wrong in (other.body(0), world, 3, None):
            assert wrong not in bodies
        made[5].destroy()
        assert made[5] not in bodies
        assert len(bodies) == 2999
        assert repr(bodies) == "<Objects: 2999 of <World of 2999 bodies>>"
        with pytest.raises(TypeError):
            hash(bodies)


def test_lookups_find_objects_by_index_and_name_what_is_not_there() -> None:
    with b2.World() as world:
        ground, ball = world.create_static_body(), world.create_dynamic_body((0, 5))
        chain = ground.create_chain([(5, 0), (3, 0), (0, 0), (-5, 0)])
        shape = ball.create_shape(b2.Circle(0.5))
        joint = world.create_distance_joint(ground, ball, local_anchor_a=(0, 9), local_anchor_b=(0, 0))
        for found, wanted in (
            (world.body(ball.index), ball),
            (world.shape(shape.index), shape),
            (world.chain(chain.index), chain),
            (world.joint(joint.index), joint),
        ):
            assert found is wanted
        joint_index = joint.index
        ball.destroy()
        lookups = ((world.body, 1, "body"), (world.shape, shape.index, "shape"), (world.joint, joint_index, "joint"))
        for lookup, index, noun in lookups:
            with pytest.raises(
                b2.DestroyedError, match=f"index={index}: the {noun} with this index has been destroyed"
            ):
                lookup(index)
        for lookup in (world.body, world.shape, world.joint, world.chain):
            for index in (-1, 1 << 20):
                with pytest.raises(IndexError, match=f"index={index} is out of range: 0 to "):
                    lookup(index)
            for wrong in (1.0, "1", None, True):
                with pytest.raises(TypeError, match="index="):
                    lookup(wrong)  # type: ignore[arg-type]
            with pytest.raises(ValueError, match="out of range"):
                lookup(1 << 40)
    with pytest.raises(b2.DestroyedError, match="closed"):
        world.body(0)
    with b2.World() as empty, pytest.raises(IndexError, match="the world has had no joint"):
        empty.joint(0)


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
    assert stack[0].touching_bodies == [ground, stack[1]]
    assert stack[1].touching_bodies == [stack[0], stack[2]]
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
