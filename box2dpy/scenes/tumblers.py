"""Rotating containers full of boxes: everything moves, pairs come and go at each step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import Box, Capsule, Circle, Polygon
from ._scene import shrunk

if TYPE_CHECKING:
    from .. import RevoluteJoint, World


def add_container(world: World) -> RevoluteJoint:
    """A square drum, 20 m wide, turned about (0, 10) at 25 degrees a second by a motor."""
    ground = world.create_static_body()
    drum = world.create_dynamic_body((0, 10))
    for x, y, hx, hy in ((10, 0, 0.5, 10), (-10, 0, 0.5, 10), (0, 10, 10, 0.5), (0, -10, 10, 0.5)):
        drum.create_shape(Box(hx, hy, (x, y)), density=50.0)
    return world.create_revolute_joint(
        ground, drum, local_anchor_a=(0, 10), local_anchor_b=(0, 0), enable_motor=True, motor_speed=math.radians(25),
        max_motor_torque=1.0e8,
    )  # fmt: skip


def build_tumbler(world: World, scale: float = 1.0) -> RevoluteJoint:
    motor = add_container(world)
    small = Box(0.125, 0.125)
    side = shrunk(45, scale)
    for i in range(side):
        for j in range(side):
            world.create_dynamic_body((-9 + 0.4 * j, 1 + 0.4 * i)).create_shape(small)
    return motor


def build_tumbler2000(world: World, scale: float = 1.0) -> RevoluteJoint:
    motor = add_container(world)
    small = Box(0.125, 0.125)
    rows, columns = shrunk(40, scale), shrunk(50, scale)
    for i in range(rows):
        for j in range(columns):
            x, y = 0.36 * (j - 0.5 * (columns - 1)), 10 + 0.36 * (i - 0.5 * (rows - 1))
            world.create_dynamic_body((x, y)).create_shape(small)
    return motor


def ring_part(inner: float, outer: float, first: float, last: float) -> Polygon:
    """The quad between two radii and two angles, in degrees."""
    a, b = math.radians(first), math.radians(last)
    corners = ((inner, a), (outer, a), (outer, b), (inner, b))
    return Polygon([(r * math.cos(t), r * math.sin(t)) for r, t in corners])


def build_washer(world: World, scale: float = 1.0) -> None:
    world.create_static_body()
    drum = world.create_kinematic_body((0, 10), linear_velocity=(0.001, -0.002), angular_velocity=math.radians(25))
    for k in range(36):
        drum.create_shape(ring_part(16, 18, 10 * k - 1, 10 * k + 11))
        if k % 9 == 0:
            drum.create_shape(ring_part(14, 16, 10 * k, 10 * k + 10))
    square = Box(0.1, 0.1)
    side = shrunk(90, scale)
    for i in range(side):
        for j in range(side):
            body = world.create_dynamic_body((-9.9 + 0.21 * j, 0.1 + 0.21 * i))
            body.create_shape(square, hit_events=True)


def build_spinner(world: World, scale: float = 1.0) -> RevoluteJoint:
    ground = world.create_static_body()
    circle = [(40 * math.cos(math.radians(-k)), 32 + 40 * math.sin(math.radians(-k))) for k in range(360)]
    ground.create_chain(circle, loop=True, friction=0.1)
    spinner = world.create_dynamic_body((0, 12), can_sleep=False)
    spinner.create_shape(Box(0.4, 20, radius=0.2), friction=0.0)
    motor = world.create_revolute_joint(
        ground,
        spinner,
        anchor=(0, 12),
        enable_motor=True,
        motor_speed=5.0,
        max_motor_torque=1.0e30,  # as good as any: the most that the engine takes
    )
    shapes = (Capsule((-0.25, 0), (0.25, 0), 0.25), Circle(0.35), Box(0.35, 0.35))
    x, y = -23.0, 2.0
    for k in range(shrunk(6076, scale)):
        body = world.create_dynamic_body((x, y))
        body.create_shape(shapes[k % 3], density=0.25, friction=0.1, restitution=0.1)
        x += 0.5
        if x >= 23.0:
            x = -23.0
            y += 0.5
    return motor
