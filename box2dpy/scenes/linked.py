"""Bodies linked by joints: a hanging grid, hinged boxes that fall, heavy loads on light links."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import Box, Circle, Filter
from ._scene import shrunk

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
                    bodies[-1], body, local_anchor_a=(-half, half), local_anchor_b=(-half, -half), enable_limit=True,
                    lower_angle=-0.1 * math.pi, upper_angle=0.2 * math.pi, enable_spring=True, hertz=1.0,
                    damping_ratio=1.0, enable_motor=True, motor_speed=0.0, max_motor_torque=0.25, joint_hertz=60.0,
                    joint_damping_ratio=0.0,
                )  # fmt: skip
            bodies.append(body)
    return bodies


def build_cranes(world: World, scale: float = 1.0) -> None:
    world.create_static_body().create_shape(Box(80, 0.5, center=(0, -0.5)))
    for k in range(shrunk(12, scale, least=2)):
        x = -66 + 12 * k
        for n in range(3):
            world.create_dynamic_body((x + 4, 0.5 + n)).create_shape(Box(0.4, 0.5))
        mast = world.create_static_body((x, 12))
        (hang_chain, hang_sliders, hang_boom)[k % 3](world, mast, x)


def light(world: World, x: float, y: float, hx: float, hy: float, mass: float) -> Body:
    body = world.create_dynamic_body((x, y))
    body.create_shape(Box(hx, hy))
    body.mass = mass
    return body


def hang_chain(world: World, last: Body, x: float) -> None:
    """A wrecking ball of 200 kg on 16 links of 1 kg."""
    for n in range(16):
        link = light(world, x + 0.25 + 0.5 * n, 12, 0.25, 0.06, 1.0)
        world.create_revolute_joint(last, link, anchor=(x + 0.5 * n, 12))
        last = link
    ball = world.create_dynamic_body((x + 8.6, 12))
    ball.create_shape(Circle(0.6))
    ball.mass = 200.0
    world.create_revolute_joint(last, ball, anchor=(x + 8, 12))


def hang_sliders(world: World, last: Body, x: float) -> None:
    """A telescope that falls out to its limits, its middle piece of 100 g, and swings its load on springs."""
    for n in range(6):
        piece = light(world, x, 11.5 - n, 0.2, 0.3, 0.1 if n == 3 else 10.0)
        world.create_prismatic_joint(
            last, piece, anchor=(x, 12 - n), axis=(0, 1),
            enable_limit=True, lower_translation=-0.2, upper_translation=0.1,
            enable_motor=n == 1, motor_speed=0.1, max_motor_force=900.0,
        )  # fmt: skip
        last = piece
    load = light(world, x, 5, 0.5, 0.5, 30.0)
    load.linear_velocity = 3, 0
    world.create_wheel_joint(last, load, anchor=(x, 6), axis=(0, 1), hertz=3.0, damping_ratio=0.5)


def hang_boom(world: World, last: Body, x: float) -> None:
    """A boom of welded light planks, hung up at a rope, with a heavy hook in a loop of rods."""
    for n in range(6):
        plank = light(world, x + 0.5 + n, 12, 0.5, 0.1, 2.0)
        world.create_weld_joint(last, plank, anchor=(x + n, 12), angular_hertz=8.0 if n == 3 else 0.0)
        last = plank
    tip = world.create_static_body((x, 16))
    world.create_distance_joint(tip, last, local_anchor_a=(0, 0), local_anchor_b=(0.5, 0))
    hook = light(world, x + 5.5, 9, 0.4, 0.4, 150.0)
    for side in (-0.5, 0.5):
        bead = light(world, x + 5.5 + side, 10.5, 0.1, 0.1, 0.5)
        world.create_distance_joint(last, bead, local_anchor_a=(side, 0), local_anchor_b=(0, 0))
        world.create_distance_joint(bead, hook, local_anchor_a=(0, 0), local_anchor_b=(0.5 * side, 0.3))
    hook.linear_velocity = 4, 0
