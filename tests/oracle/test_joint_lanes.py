"""Joint lanes that are kept from step to step equal lanes that are laid out again.

One world sets a property of every joint before every step, so that the solver lays out every lane; the other does so
after changes only. Both must have the same hash.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

import box2dpy as b2
from box2dpy import scenes
from box2dpy.scenes.human import create_human

from ..seeds import draws


def lay_out_anew(world: b2.World) -> None:
    for joint in world.joints:
        if not isinstance(joint, (b2.FilterJoint, b2.GearJoint)):  # gears are laid out in every step
            joint.local_anchor_a = (
                joint.local_anchor_a
            )  # the same value: the only effect is that the lane is laid out again


def compare(make: Any, change: Any, steps: int, **options: Any) -> None:
    worlds = [b2.World(workers=1, sleeping=False, **options) for _ in range(2)]
    states = [make(world) for world in worlds]
    for step in range(steps):
        for world, state in zip(worlds, states, strict=True):
            change(world, state, step)
        lay_out_anew(worlds[1])
        for world in worlds:
            world.step(1 / 60, 3 + step // 20 % 2)
        assert worlds[0].state_hash() == worlds[1].state_hash(), step


@pytest.mark.parametrize("simd", ["auto", "scalar"])
def test_stored_lanes_of_all_joint_types_equal_lanes_laid_out_anew(simd: str) -> None:
    scene = scenes.get("menagerie")
    compare(
        lambda world: scene.build(world, 0.1),
        lambda world, state, step: scene.advance(world, state, step),
        60,
        simd=simd,
    )


def make_people(world: b2.World) -> random.Random:
    world.create_static_body().create_shape(b2.Segment((-20, 0), (20, 0)))
    for k in range(4):
        create_human(world, (k - 2, 0.5), group=k + 1)
    return draws(3)


def change_people(world: b2.World, rng: random.Random, step: int) -> None:
    """One change a step: options of a hinge, the mass centre or type of a body, options of the world, lanes that come
    and go."""
    joints = [joint for joint in world.joints if isinstance(joint, b2.RevoluteJoint)]
    joint = rng.choice(joints)
    kind = rng.randrange(9)
    if kind == 0:
        joint.enable_motor = not joint.enable_motor
        joint.motor_speed = rng.uniform(-3, 3)
    elif kind == 1:
        joint.enable_limit = not joint.enable_limit
    elif kind == 2:
        joint.target_angle = rng.uniform(-0.3, 0.3)
        joint.hertz = rng.choice((0.0, 2.0, 8.0))
    elif kind == 3:
        joint.local_anchor_a = (joint.local_anchor_a[0] + 0.01, joint.local_anchor_a[1])
        joint.local_angle_b = joint.local_angle_b + 0.05
    elif kind == 4:
        if joint.body_b.type == b2.BodyType.DYNAMIC:  # or it has no mass
            joint.body_b.local_center = (rng.uniform(-0.05, 0.05), 0.05)
    elif kind == 5:
        joint.body_a.type = rng.choice((b2.BodyType.STATIC, b2.BodyType.DYNAMIC))
    elif kind == 6:
        world.joint_hertz = rng.choice((30.0, 60.0))
    elif kind == 7:
        body = joint.body_b
        body.angle = body.angle + 7.0  # more than a turn: unwrapped angles count it
    else:
        people = len(joints)
        joint.destroy()
        if people < 45:
            create_human(world, (rng.uniform(-5, 5), 2), group=9)


def test_changes_of_joints_and_bodies_reach_the_stored_lanes() -> None:
    compare(make_people, change_people, 160)


def doors(**options: Any) -> list[int]:
    """Doors of one world, solved directly: at first their lanes lie side by side, later some are gone; static and
    kinematic bodies hold them."""
    draw = draws(11)
    with b2.World(sleeping=False, **options) as world:
        for kind in range(4):
            for k in range(21):
                place, away = (4 * k, 9 * kind), (4 * k - 0.5, 9 * kind - 0.3)
                post = world.create_kinematic_body(away) if kind == 3 and k % 4 == 1 else world.create_static_body(away)
                door = world.create_dynamic_body((4 * k + 1, 9 * kind))
                door.create_shape(b2.Box(1, 0.1), density=draw.uniform(1, 5))
                springs: Any = {"enable_spring": True, "hertz": 2.0} if kind == 1 else {}
                motor: Any = {"enable_motor": True, "motor_speed": 2.0, "max_motor_torque": 900.0} if kind == 2 else {}
                world.create_revolute_joint(
                    post, door, anchor=place, enable_limit=True, lower_angle=-0.2, upper_angle=1, **springs, **motor
                )
                stone = world.create_dynamic_body((4 * k + draw.uniform(0.5, 1.5), 9 * kind + draw.uniform(1, 4)))
                stone.create_shape(b2.Circle(0.3))
                if post.type == b2.BodyType.KINEMATIC:
                    post.angular_velocity, post.linear_velocity = 0.3, (0.1, 0.2)
        hashes = []
        for step in range(90):
            if step in (30, 60):
                for joint in list(world.joints)[step // 20 :: 5]:
                    joint.destroy()
            world.step(1 / 60)
            hashes.append(world.state_hash())
        return hashes


def test_doors_of_one_world_have_the_same_bits_in_lanes_of_all_widths() -> None:
    first = doors(simd="scalar", workers=1)
    for simd in b2.cpu_features():
        assert doors(simd=simd, workers=1) == first, simd
    assert doors(workers=3) == first
