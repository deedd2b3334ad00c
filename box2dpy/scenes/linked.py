"""Bodies linked by revolute joints: a hanging grid, and hinged boxes that fall."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import Box, Circle, Filter
from ._scene import Scene, shrunk

if TYPE_CHECKING:
    from .. import Body, World


def build_joint_grid(world: World, scale: float = 1.0) -> None:
    side = shrunk(100, scale)
    first, last = side // 2 - 3, side // 2 + 3  # held columns of the top row
    circle, alone = Circle(0.4), Filter(category=2, mask=2**64 - 1 - 2)
    bodies: list[Body] = []
    for k in range(side):
        for i in range(side):
            held = i == 0 and first <= k <= last
            body = world.create_static_body((k, -i)) if held else world.create_dynamic_body((k, -i))
            body.create_shape(circle, filter=alone)
            if i > 0:
                world.create_revolute_joint(bodies[-1], body, local_anchor_a=(0, -0.5), local_anchor_b=(0, 0.5))
            if k > 0:
                world.create_revolute_joint(bodies[-side], body, local_anchor_a=(0.5, 0), local_anchor_b=(-0.5, 0))
            bodies.append(body)


def build_falling_hinges(world: World, scale: float = 1.0) -> list[Body]:
    columns, rows = shrunk(4, scale, least=1), 2 * shrunk(10, scale, least=1)
    half = 0.25
    world.create_static_body((0, -1)).create_shape(Box(40, 1))
    square = Box(half, half)
    bodies: list[Body] = []
    for c in range(columns):
        for i in range(rows):
            odd = i % 2 == 1
            x, y = -3.75 + 2.5 * c + 0.1 * i, 0.25 + 0.5 * i
            body = world.create_dynamic_body((x, y), 0.1 if odd else -0.1)
            body.create_shape(square)
            if odd:
                world.create_revolute_joint(
                    bodies[-1],
                    body,
                    local_anchor_a=(-half, half),
                    local_anchor_b=(-half, -half),
                    enable_limit=True,
                    lower_angle=-0.1 * math.pi,
                    upper_angle=0.2 * math.pi,
                    enable_spring=True,
                    hertz=1.0,
                    damping_ratio=1.0,
                    enable_motor=True,
                    motor_speed=0.0,
                    max_motor_torque=0.25,
                    joint_hertz=60.0,
                    joint_damping_ratio=0.0,
                )
            bodies.append(body)
    return bodies


JOINT_GRID = Scene(
    name="joint_grid",
    sentence="A net of 10,000 discs and 19,800 joints hangs from seven discs.",
    build=build_joint_grid,
    steps=500,
    options={"sleeping": False},
    camera=(-20, -150, 120, 10),
    bodies=10000,
    shapes=10000,
    joints=19800,
)

FALLING_HINGES = Scene(
    name="falling_hinges",
    sentence="Four towers of 20 boxes, hinged in pairs, tumble to rest.",
    build=build_falling_hinges,
    steps=300,
    camera=(-9, -1.5, 15, 11),
    bodies=81,
    shapes=81,
    joints=40,
)
