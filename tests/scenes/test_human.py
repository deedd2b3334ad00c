"""The human figure is the one of the table: 11 bodies, 13 shapes, 10 joints, limits that hold."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2
from box2dpy.scenes.human import BONES, create_human


def test_the_human_has_the_documented_counts() -> None:
    with b2.World() as world:
        create_human(world, (0, 0))
        counters = world.counters
        assert (counters.bodies, counters.shapes, counters.joints) == (11, 13, 10)


def test_every_bone_names_its_parent() -> None:
    parents = {bone.name: BONES[bone.parent].name for bone in BONES if bone.parent >= 0}
    assert parents == {
        "torso": "hip",
        "head": "torso",
        "upper left leg": "hip",
        "lower left leg": "upper left leg",
        "upper right leg": "hip",
        "lower right leg": "upper right leg",
        "upper left arm": "torso",
        "lower left arm": "upper left arm",
        "upper right arm": "torso",
        "lower right arm": "upper right arm",
    }


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_joints_hold_a_falling_human_together(scale: float) -> None:
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(40, 1))
        create_human(world, (0, 1), scale=scale)
        joints = [joint for joint in world.joints if isinstance(joint, b2.RevoluteJoint)]
        start = [joint.angle for joint in joints]
        arms = [k for k, bone in enumerate(BONES[1:]) if bone.frame_angle]
        assert start == pytest.approx([-0.25 * math.pi if k in arms else 0.0 for k in range(10)], abs=1e-5)
        for _ in range(240):
            world.step(1 / 60, 4)
        for joint, bone in zip(joints, BONES[1:], strict=True):
            assert bone.lower * math.pi - 0.1 < joint.angle < bone.upper * math.pi + 0.1, bone.name
        assert all(body.position.y > -0.1 for body in world.bodies if body.type == b2.BodyType.DYNAMIC)
