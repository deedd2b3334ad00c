"""Copies and pickles of objects whose data leads to each other, in circles."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import box2dpy as b2


def world_of() -> b2.World:
    world = b2.World()
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(9, 1))
    ball = world.create_dynamic_body((0, 0.5), name="ball")
    ball.create_shape(b2.Circle(0.5), contact_events=True)
    world.create_revolute_joint(world.create_dynamic_body((5, 5)), world.create_dynamic_body((6, 5)), anchor=(5, 5))
    ball.create_chain([(3, 0), (2, 1), (1, 0), (0, -1)])
    world.step()
    return world


def after_restore(world: b2.World) -> b2.WorldBatch:
    batch = b2.WorldBatch(world, 2, room={"bodies": 9, "shapes": 20, "joints": 4, "chains": 3})
    world.create_dynamic_body((9, 9))
    batch.restore(world.save(), replace=True)
    return batch


MAKERS: dict[str, Callable[[b2.World], Any]] = {
    "world": lambda world: world,
    "body": lambda world: world.body(1),
    "shape": lambda world: world.body(1).shapes[0],
    "joint": lambda world: world.joint(0),
    "chain": lambda world: world.body(1).chains[0],
    "bodies": lambda world: world.bodies,
    "contact": lambda world: next(iter(world.contacts)),
    "events": lambda world: world.events,
    "event": lambda world: world.events.contact_begin[0],
    "island": lambda world: world.body(1).island,
    "hit": lambda world: world.ray_cast((0, 5), (0, -9)),
    "state": lambda world: world.save(),
    "batch": lambda world: b2.WorldBatch(world, 2),
    "batch of two templates": lambda world: b2.WorldBatch([world, world], 3),
    "batch after restore": after_restore,
    "world of a batch": lambda world: b2.WorldBatch(world, 2).world(0),
    "joints of a batch": lambda world: b2.WorldBatch(world, 2).joints,
    "column": lambda world: b2.WorldBatch(world, 2).friction,
    "column of joints": lambda world: b2.WorldBatch(world, 2).joints.motor_speed,
}
WRAPS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda each: each,
    "list": lambda each: [each],
    "object": lambda each: SimpleNamespace(each=each),
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda each: pickle.loads(pickle.dumps(each)),
    "pickle in Python": lambda each: pickle._loads(pickle._dumps(each)),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("kind", MAKERS)
def test_data_may_lead_to_anything_that_leads_to_it_again(kind: str, wrap: str, way: str) -> None:
    world = world_of()
    made = MAKERS[kind](world)
    world.body(1).data = WRAPS[wrap](made)
    again = MAKERS[kind](world)  # its world or templates lead to the first one
    for top in (world, made, again, world.save(), b2.WorldBatch(world, 2)):
        copied = WAYS[way](top)
        assert type(copied) is type(top)
        found = copied if isinstance(copied, b2.World) else b2.World()
        if isinstance(copied, b2.WorldBatch):
            found = copied.extract(1)
        elif isinstance(copied, b2.State):
            found.restore(copied)
        elif found is not copied:
            continue
        data = found.body(1).data
        assert type(data) is type(world.body(1).data)
        assert found.state_hash() == world_hash(top)


def world_hash(top: Any) -> int:
    if isinstance(top, b2.State):
        with b2.World() as world:
            world.restore(top)
            return world.state_hash()
    return top.state_hash() if isinstance(top, b2.World) else int(top.state_hash()[1])


@pytest.mark.parametrize("way", WAYS)
def test_circles_are_the_same_circles_in_a_copy(way: str) -> None:
    with world_of() as world:
        items: list[Any] = []
        world.body(1).data = items
        state = world.save()
        items.append(state)
        copied = WAYS[way](state)
        with b2.World() as other:
            other.restore(copied)
            assert other.body(1).data[0] is copied
        batch = b2.WorldBatch(world, 2)
        items[:] = [batch, batch.joints, batch.world(1)]
        copied = WAYS[way](batch)
        with copied.extract(0) as other:
            assert other.body(1).data[0] is copied
            assert other.body(1).data[1]._batch is copied
            assert other.body(1).data[2]._batch is copied


@pytest.mark.parametrize("way", WAYS)
def test_columns_of_a_copied_batch_are_those_of_the_copy(way: str) -> None:
    with world_of() as world:
        batch = b2.WorldBatch(world, 2)
        holder = WAYS[way]({"friction": batch.friction, "joints": batch.joints, "batch": batch})
        holder["friction"][:] = 0.25
        holder["joints"].joint_hertz[:] = 7.0
        assert (holder["batch"].friction[:] == 0.25).all()
        assert (holder["batch"].joints.joint_hertz[:] == 7.0).all()
        assert (batch.friction[:] != 0.25).all()
        batch.close()
        with pytest.raises(b2.DestroyedError, match="the batch has been closed"):
            WAYS[way](batch.joints)


def test_a_template_is_shared_by_copies_and_refused_by_pickles() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body()
        body.data = b2.Template([body])
        assert copy.copy(body.data) is copy.deepcopy(world).body(0).data is body.data
        with pytest.raises(TypeError, match="a Template cannot be pickled: pickle its bodies"):
            pickle.dumps(world)
