"""A jointed human figure of 11 bodies, 13 shapes and 10 revolute joints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from .. import Capsule, Filter, Frame, Polygon

if TYPE_CHECKING:
    from .. import Body, World


class Bone(NamedTuple):
    """One bone in metres at scale 1, y upwards from the ground; limits in units of pi."""

    name: str
    parent: int  # place in the list of bones, -1 for the first
    y: float
    low: float  # capsule along y, in body space
    high: float
    radius: float
    pivot: float = 0.0  # where the joint to the parent is
    lower: float = 0.0
    upper: float = 0.0
    friction: float = 1.0  # times the joint friction torque
    linear_damping: float = 0.0
    frame_angle: float = 0.0  # of the joint on the parent, in units of pi
    foot: bool = False


def _leg(side: str, index: int) -> tuple[Bone, Bone]:
    upper = Bone(f"upper {side} leg", 0, 0.775, -0.125, 0.125, 0.06, 0.9, -0.05, 0.4, 1.0)
    lower = Bone(f"lower {side} leg", index, 0.475, -0.155, 0.125, 0.045, 0.625, -0.5, -0.02, 0.5, foot=True)
    return upper, lower


def _arm(side: str, index: int) -> tuple[Bone, Bone]:
    upper = Bone(f"upper {side} arm", 1, 1.225, -0.125, 0.125, 0.035, 1.35, -0.1, 0.8, 0.5)
    lower = Bone(f"lower {side} arm", index, 0.975, -0.125, 0.125, 0.03, 1.1, -0.2, 0.3, 0.1, 0.1, 0.25)
    return upper, lower


BONES: tuple[Bone, ...] = (
    Bone("hip", -1, 0.95, -0.02, 0.02, 0.095),
    Bone("torso", 0, 1.2, -0.135, 0.135, 0.09, 1.0, -0.25, 0.0, 0.5),
    Bone("head", 1, 1.475, -0.038, 0.039, 0.075, 1.4, -0.3, 0.1, 0.25, 0.1),
    *_leg("left", 3),
    *_leg("right", 5),
    *_arm("left", 7),
    *_arm("right", 9),
)

FOOT = ((-0.03, -0.185), (0.11, -0.185), (0.11, -0.16), (-0.03, -0.14))


def create_human(
    world: World,
    position: tuple[float, float],
    *,
    scale: float = 1.0,
    friction_torque: float = 0.05,
    hertz: float = 5.0,
    damping_ratio: float = 0.5,
    group: int = 1,
) -> list[Body]:
    """Puts a figure with its feet near `position`; the bones of one group do not touch each other.

    Returns the bodies in the order of `BONES`.
    """
    x, y = position
    skin = Filter(category=2, mask=3, group=-group)
    sole = Filter(category=2, mask=1, group=-group)
    bodies: list[Body] = []
    for bone in BONES:
        body = world.create_dynamic_body(
            (x, y + scale * bone.y), linear_damping=bone.linear_damping, sleep_threshold=0.1
        )
        limb = Capsule((0, scale * bone.low), (0, scale * bone.high), scale * bone.radius)
        body.create_shape(limb, friction=0.2, filter=skin)
        if bone.foot:
            foot = Polygon([(scale * px, scale * py) for px, py in FOOT], radius=0.015 * scale)
            body.create_shape(foot, friction=0.05, filter=sole)
        bodies.append(body)
        if bone.parent >= 0:
            parent = BONES[bone.parent]
            world.create_revolute_joint(
                bodies[bone.parent], body,
                frame_a=Frame((0, scale * (bone.pivot - parent.y)), bone.frame_angle * math.pi),
                frame_b=Frame((0, scale * (bone.pivot - bone.y)), 0.0), enable_limit=True,
                lower_angle=bone.lower * math.pi, upper_angle=bone.upper * math.pi, enable_motor=True, motor_speed=0.0,
                max_motor_torque=bone.friction * friction_torque * scale, enable_spring=hertz > 0, hertz=hertz,
                damping_ratio=damping_ratio,
            )  # fmt: skip
    return bodies
