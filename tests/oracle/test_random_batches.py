"""Random templates with random options: every world of a batch, and a world of many copies, gives one hash for all
numbers of workers. Great balls have more contacts than there are colours, so that tasks share blocks."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws

DT = 1 / 60


def options_of(draw: Random) -> dict[str, Any]:
    return {
        "warm_starting": draw.random() < 0.6,
        "sleeping": draw.random() < 0.5,
        "continuous": draw.random() < 0.7,
        "joint_solver": draw.choice(("iterative", "direct")),
    }


def fill(world: b2.World, draw: Random, x: float) -> None:
    """Ground, bodies of random shapes and materials, joints, perhaps a crowded ball and a moving obstacle."""
    ground = world.create_static_body((x, -1))
    ground.create_shape(b2.Box(12, 1), friction=draw.random())
    bodies = [world.create_dynamic_body((x + draw.uniform(-8, 8), draw.uniform(0.5, 9))) for _ in range(20)]
    for body in bodies:
        round_one = b2.Circle(draw.uniform(0.1, 0.6))
        geometry = draw.choice((round_one, b2.Box(draw.uniform(0.1, 0.7), 0.3), b2.Capsule((-0.3, 0), (0.3, 0), 0.2)))
        material: dict[str, Any] = {
            "restitution": draw.choice((0, 0, 0.5, 1)),
            "rolling_resistance": draw.choice((0, 0.1)),
        }
        body.create_shape(geometry, density=draw.choice((0.2, 1, 5)), friction=draw.random(), **material)
    if draw.random() < 0.6:
        world.create_dynamic_body((x, 6)).create_shape(b2.Circle(2.5))
        turns = [2 * math.pi * k / 50 for k in range(50)]
        around = [(x + 2.62 * math.cos(turn), 6 + 2.62 * math.sin(turn)) for turn in turns]
        world.create_bodies(around, geometry=b2.Circle(0.13))
    if draw.random() < 0.3:
        obstacle = world.create_kinematic_body((x - 6, 1))
        obstacle.create_shape(b2.Box(0.3, 1))
        obstacle.linear_velocity, obstacle.angular_velocity = (draw.uniform(0, 5), 0), draw.uniform(-3, 3)
    hinges = []
    for _ in range(draw.randrange(20)):
        a, b = draw.sample([ground, *bodies], 2)
        anchor = (a.position + b.position) / 2
        kind = draw.choice(("revolute", "revolute", "weld", "wheel", "prismatic", "motor"))
        place: dict[str, Any] = (
            {"anchor": anchor, "axis": (0, 1)} if kind in ("wheel", "prismatic") else {"anchor": anchor}
        )
        joint = getattr(world, f"create_{kind}_joint")(a, b, **place)
        if kind == "revolute":
            joint.enable_motor, joint.motor_speed, joint.max_motor_torque = draw.random() < 0.5, 1.0, 10.0
            hinges.append(joint)
    if len(hinges) > 1:
        world.create_gear_joint(hinges[0], hinges[1], ratio=1.5)


@pytest.mark.parametrize("seed", range(8))
def test_worlds_of_a_batch_are_lone_worlds(seed: int) -> None:
    draw = draws(seed)
    with b2.World(**options_of(draw)) as world:
        fill(world, draw, 0.0)
        batches = [b2.WorldBatch(world, 40, workers=workers, dt=DT) for workers in (2, 4)]
        for _ in range(25):
            world.step(DT)
            for batch in batches:
                batch.step()
                assert set(batch.state_hash().tolist()) == {world.state_hash()}
        for batch in batches:
            batch.close()


@pytest.mark.parametrize("seed", range(8))
def test_workers_do_not_change_a_world_of_many_copies(seed: int) -> None:
    hashes = set()
    for workers in (1, 2, 4):
        draw = draws(seed)
        with b2.World(workers=workers, **options_of(draw)) as world:
            state = draw.getstate()
            for k in range(48):
                draw.setstate(state)
                fill(world, draw, 40.0 * k)
            for _ in range(20):
                world.step(DT)
            hashes.add(world.state_hash())
    assert len(hashes) == 1


@pytest.mark.parametrize("seed", range(3))
def test_another_world_with_a_joint_changes_nothing(seed: int) -> None:
    """Depths of contacts are known in a packed world as soon as one of its cells has a joint: then bodies that are
    pressed by their own forces were solved otherwise than alone (10 of 300)."""
    draw = draws(46 + seed)
    for _ in range(60):
        gravity = (0, -draw.choice((0.05, 0.5, 3, 10)))
        with b2.World(gravity=gravity, sleeping=False) as pile, b2.World(gravity=gravity, sleeping=False) as other:
            top = 0.0
            for _ in range(draw.randint(2, 5)):
                half = draw.uniform(0.1, 0.6)
                body = pile.create_dynamic_body(
                    (draw.uniform(-0.05, 0.05), top + half), linear_velocity=(0, draw.uniform(-1, 1))
                )
                body.create_shape(b2.Box(draw.uniform(0.2, 0.7), half) if draw.random() < 0.7 else b2.Circle(half))
                body.mass, body.gravity_scale = 10 ** draw.uniform(-1, 2), draw.choice((1, 0, 5, 30, -30, 300, -300))
                top += 2 * half - draw.choice((0, 0, 0.02))
            hung = other.create_dynamic_body((5, 5))
            hung.create_shape(b2.Box(0.3, 0.3))
            other.create_revolute_joint(other.create_static_body(), hung, anchor=(5, 6))
            with b2.WorldBatch([pile, other], 2, dt=DT) as batch:
                for _ in range(40):
                    pile.step(DT)
                    batch.step()
                assert int(batch.state_hash()[0]) == pile.state_hash()
