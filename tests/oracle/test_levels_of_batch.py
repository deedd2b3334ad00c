"""The worlds of a `WorldBatch` may differ: each becomes any other world that it has room for, with the bits of that
world alone, and nothing of the one before is left."""

from __future__ import annotations

import math
import pickle
import random

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

ROOM = {"bodies": 13, "shapes": 30, "joints": 12, "chains": 1}


def level(draw: random.Random) -> b2.World:
    """Ground or a chain, a few bodies with one or two shapes, some joined, after some steps; some were destroyed."""
    world = b2.World(gravity=(draw.uniform(-1, 1), -10))
    ground = world.create_static_body()
    if draw.random() < 0.4:
        ground.create_chain([(20, 3), (10, 0), (0, 0.5), (-10, 0), (-20, 3)])
    else:
        ground.create_shape(b2.Box(20, 1))
    bodies: list[b2.Body] = []
    outlines = (b2.Circle(0.4), b2.Box(0.4, 0.3), b2.Capsule((0, 0), (0.6, 0), 0.2),
                b2.Polygon([(0, 0), (1, 0), (1.2, 0.5), (0.6, 1), (0, 0.6)]))  # fmt: skip
    for _ in range(draw.randrange(12)):
        body = world.create_dynamic_body((draw.uniform(-8, 8), draw.uniform(2, 8)))
        for _ in range(draw.randrange(1, 3)):
            body.create_shape(draw.choice(outlines), sensor=draw.random() < 0.1, sensor_events=True)
        solver = draw.choice(("auto", "direct", "iterative"))
        if bodies and draw.random() < 0.5:
            world.create_revolute_joint(draw.choice(bodies), body, anchor=body.position, joint_solver=solver)
        elif draw.random() < 0.2:
            world.create_revolute_joint(
                ground, body, anchor=body.position, joint_solver=solver, enable_motor=True, motor_speed=2,
                max_motor_torque=50,
            )  # fmt: skip
        bodies.append(body)
    advance(world, draw.randrange(40))
    if len(bodies) > 2 and draw.random() < 0.3:
        bodies[1].destroy()
    return world


def one_of(n: int, k: int) -> np.ndarray:
    return np.arange(n) == k


@pytest.mark.parametrize(("n", "workers"), [(1, 1), (7, 1), (7, 2), (20, 3)])
def test_a_world_becomes_another_one_with_its_bits(n: int, workers: int) -> None:
    draw = draws(46 + n)
    levels = [level(draw) for _ in range(12)]
    states = [world.save() for world in levels]
    lone = [levels[0].clone() for _ in range(n)]
    with b2.WorldBatch(levels[0], n, workers=workers, room=ROOM) as batch:
        assert batch.room == ROOM
        for _ in range(12):
            for k in range(n):
                if draw.random() < 0.4:
                    state = draw.choice(states)
                    batch.restore(state, one_of(n, k), replace=True)
                    lone[k].restore(state)
            for _ in range(12):
                batch.step()
                for world in lone:
                    world.step()
            assert batch.state_hash().tolist() == [world.state_hash() for world in lone]
            for name, mask in (("bodies", batch.body_mask), ("shapes", batch.shape_mask), ("joints", batch.joint_mask)):
                assert mask.sum(1).tolist() == [len(getattr(world, name)) for world in lone], name
            k = draw.randrange(n)
            with batch.extract(k) as world, b2.World.from_snapshot(world.snapshot()) as again:
                world.validate()
                assert again.state_hash() == lone[k].state_hash()
            states[-1] = batch.world(k).save()
        with pickle.loads(pickle.dumps(batch)) as copied:
            for each in (batch, copied):
                each.step()
            assert copied.room == ROOM
            assert copied.state_hash().tolist() == batch.state_hash().tolist()


def test_many_levels_in_turn_take_no_more_memory_than_the_first_ones() -> None:
    """And the batch keeps no state that no world has."""
    draw = draws(4)
    levels = [level(draw) for _ in range(30)]
    with b2.WorldBatch(levels[0], 4, room=ROOM) as batch:
        used = []
        for _ in range(3):
            for world in levels:
                batch.restore([world.save()] * 4, replace=True)
                batch.step()
            used.append(batch.nbytes)
        assert used[2] == used[1]
        assert len(batch._states) <= 3


def test_handles_of_a_world_that_was_restored_name_its_objects() -> None:
    with b2.World() as first, b2.World() as second:
        first.create_dynamic_body((0, 0))
        for k in range(3):
            ball = second.create_dynamic_body((3.0 * k, 5))
        batch = b2.WorldBatch(first, 2, room={"bodies": 3})
        with pytest.raises(ValueError, match="none of the templates"):
            batch.set(ball, position=(0, 0))
        batch.restore(second.save(), one_of(2, 1), replace=True)
        batch.set(ball, one_of(2, 1), position=(9, 9))
        assert batch.position[1, ball.index].tolist() == [9, 9]
        with pytest.raises(ValueError, match="world 0, body 2 does not exist"):
            batch.set(ball, one_of(2, 0), position=(9, 9))
        assert np.isnan(batch.mass[0, 1:]).all() or (batch.mass[0, 1:] == 0).all()
        batch.close()


def test_entities_are_those_of_the_worlds() -> None:
    """Each row is what the object itself says; the others are zero."""
    draw = draws(7)
    levels = [level(draw) for _ in range(6)]
    with b2.WorldBatch(levels, 6, room=ROOM) as batch:
        advance(batch, 90)
        seen = batch.entities(contacts=30)
        assert seen.contacts.shape == (6, 30, 7)
        touching = 0
        for k in range(6):
            with batch.extract(k) as world:
                bodies = {body.index: body for body in world.bodies}
                assert np.flatnonzero(seen.body_mask[k]).tolist() == sorted(bodies)
                for index, body in bodies.items():
                    row = seen.bodies[k, index].tolist()
                    assert row[0:2] == pytest.approx(body.position, rel=1e-6)
                    assert row[4:7] == pytest.approx([*body.linear_velocity, body.angular_velocity])
                    assert row[7:] == pytest.approx([body.mass, body.inertia, 0, 1], rel=1e-6)
                assert not seen.bodies[k][~seen.body_mask[k]].any()
                assert np.flatnonzero(seen.shape_mask[k]).tolist() == sorted(shape.index for shape in world.shapes)
                for shape in world.shapes:
                    assert seen.shape_body[k, shape.index] == shape.body.index
                    row = seen.shapes[k, shape.index].tolist()
                    assert row[0] == shape.sensor
                    assert row[2:] == pytest.approx([shape.friction, shape.restitution])
                    if isinstance(shape.geometry, b2.Polygon):
                        count = seen.vertex_count[k, shape.index]
                        assert np.allclose(seen.vertices[k, shape.index, :count], shape.geometry.vertices)
                for joint in world.joints:
                    ends = [joint.body_a.index, joint.body_b.index]
                    assert seen.joint_bodies[k, joint.index].tolist() == ends
                    anchor = joint.body_a.world_point(joint.local_anchor_a)
                    assert seen.joints[k, joint.index, 0:2].tolist() == pytest.approx(anchor, rel=1e-5)
                contacts = [(c.shape_a.index, c.shape_b.index) for c in world.contacts if c.touching]
                mask = seen.contact_mask[k]
                assert seen.contact_shapes[k][mask].tolist() == [list(pair) for pair in contacts]
                assert not seen.contacts[k][~mask].any()
                touching += len(contacts)
        assert touching > 10
        assert batch.entities(0).contacts.shape == (6, 0, 7)


@pytest.mark.parametrize(
    ("room", "error", "match"),
    [({"bodies": -1}, ValueError, "bodies.*0 to"), ({"wings": 1}, ValueError, "wings"), (3, TypeError, "mapping"),
     ({"joints": 1.5}, TypeError, "joints")],
)  # fmt: skip
def test_wrong_room_is_named(room: object, error: type[Exception], match: str) -> None:
    with b2.World() as world, pytest.raises(error, match=match):
        b2.WorldBatch(world, 1, room=room)  # type: ignore[arg-type]


@pytest.mark.parametrize("late", [False, True])
def test_a_segment_of_no_chain_is_in_a_batch(late: bool) -> None:
    """From the start, or it comes with a state into a batch that had none."""
    with b2.World() as plain, b2.World() as other:
        for world in (plain, other):
            world.create_dynamic_body((0, 1)).create_shape(b2.Polygon([(1, 0), (0, 1), (-1, 0), (0, -1), (0.6, 0.6)]))
        ground = other.create_static_body()
        ground.create_shape(b2.ChainSegment((5, 0), (-5, 0), (9, 1), (-9, 1)))
        plain.create_static_body().create_shape(b2.Box(5, 0.1))
        with b2.WorldBatch(plain if late else other, 3) as batch:
            if late:
                batch.restore(other.save(), [False, True, True], replace=True)
            for _ in range(60):
                batch.step()
                other.step()
            for k in (1, 2):
                with batch.extract(k) as out:
                    out.validate()
                    assert out.state_hash() == other.state_hash()
                    b2.World.from_snapshot(out.snapshot()).close()


@pytest.mark.parametrize("kind", ["bodies", "shapes", "joints", "chains"])
def test_more_room_than_there_are_numbers_is_a_memory_error(kind: str) -> None:
    with b2.World() as world, pytest.raises(MemoryError):
        b2.WorldBatch(world, 64, room={kind: 2**26})


def test_entities_of_joints_without_bounds_are_finite() -> None:
    """A network that reads them would become NaN."""
    with b2.World(gravity=(0, 0)) as world:
        pair = [world.create_dynamic_body((3 * k, 0)) for k in range(2)]
        for body in pair:
            body.create_shape(b2.Circle(0.3))
        anchors = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0)}
        world.create_distance_joint(*pair, **anchors)
        world.create_revolute_joint(*pair, anchor=(1.5, 0), lower_angle=-math.inf, upper_angle=1)
        with b2.WorldBatch(world, 2) as batch:
            joints = batch.entities().joints
            assert np.isfinite(joints).all()
            assert (joints[:, 1, 6:9] == (1, 0, 1)).all()
