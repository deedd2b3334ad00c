"""Heaps: mixed shapes in a bin, compounds, junk that is pushed about, and a ram that smashes a block."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from .. import Box, Capsule, Circle, Polygon, Segment
from ._scene import shrunk

if TYPE_CHECKING:
    from .. import Body, World

MIXED_PILE_SEED = 20240607


def build_mixed_pile(world: World, scale: float = 1.0) -> None:
    count = 5 * shrunk(120, scale)
    draw = random.Random(MIXED_PILE_SEED)
    bin_ = world.create_static_body()
    half = 9.0
    bin_.create_shape(Box(half + 1, 0.5, (0, -0.5)))
    for side in (-1, 1):
        bin_.create_shape(Box(0.5, 15, (side * (half + 0.5), 15)))
    columns = 15
    for n in range(count):
        row, column = divmod(n, columns)
        x = 1.15 * (column - 0.5 * (columns - 1)) + draw.uniform(-0.1, 0.1)
        y = 1.0 + 1.2 * row
        size = draw.uniform(0.2, 0.45)
        angle = draw.uniform(-math.pi, math.pi)
        kind = n % 5
        body = world.create_dynamic_body((x, y), angle)
        if kind == 0:
            body.create_shape(Circle(size), rolling_resistance=0.02)
        elif kind == 1:
            body.create_shape(Capsule((-0.6 * size, 0), (0.6 * size, 0), 0.5 * size))
        elif kind == 2:
            body.create_shape(Box(size, 0.7 * size))
        elif kind == 3:
            corners = [(size * math.cos(k * math.pi / 3), size * math.sin(k * math.pi / 3)) for k in range(6)]
            body.create_shape(Polygon(corners), restitution=0.2)
        else:
            body.create_shape(Box(0.7 * size, 0.5 * size, radius=0.2 * size), friction=0.3)


def build_compounds(world: World, scale: float = 1.0) -> None:
    columns, rows = shrunk(20, scale), shrunk(150, scale)
    ground = world.create_static_body()
    for x in range(-40, 41):
        ground.create_shape(Box(0.55, 0.5, (x, 0)))
    for side in (-40, 40):
        for y in range(1, 101):
            ground.create_shape(Box(0.5, 0.55, (side, y)))
    ground.create_shape(Segment((-800, -80), (800, -80)))
    left = Polygon([(-1, 0), (0.5, 1), (0, 2)])
    right = Polygon([(1, 0), (-0.5, 1), (0, 2)])
    side_step = 0.25
    for i in range(columns):
        for j in range(rows):
            body = world.create_dynamic_body((2 * i - 19 + side_step, 2.25 * j + 0.575 + 5))
            side_step = -side_step
            body.create_shape(left, friction=0.5)
            body.create_shape(right, friction=0.5)


def build_junkyard(world: World, scale: float = 1.0) -> Body:
    columns, rows = shrunk(200, scale), shrunk(40, scale)
    yard = world.create_static_body()
    for x in range(-80, 81):
        yard.create_shape(Box(0.55, 0.5, (x, 0)))
    for side in (-80, 80):
        for y in range(1, 51):
            yard.create_shape(Box(0.5, 0.55, (side, y)))
    pusher = world.create_kinematic_body()
    pusher.create_shape(Box(2, 4, (0, 4)))
    turn = math.pi * (math.sqrt(5) - 1)
    junk = Polygon([(0.25 * math.cos(i * turn), 0.25 * math.sin(i * turn)) for i in range(5)])
    side_step = -0.1
    for i in range(columns):
        for j in range(rows):
            world.create_dynamic_body((0.375 * (2 * i - columns) + side_step, j + 15)).create_shape(junk)
            side_step = -side_step
    return pusher


def step_junkyard(world: World, pusher: Body, number: int) -> bool:
    """Drives the pusher to its next place by velocity, which every engine can express."""
    target = 60 * math.sin(0.2 * number / 60)
    x, y = pusher.position
    pusher.linear_velocity = (60 * (target - x), -60 * y)
    return False


def build_smash(world: World, scale: float = 1.0) -> None:
    columns, rows = shrunk(120, scale), shrunk(80, scale)
    ram = world.create_dynamic_body((-20, 0), linear_velocity=(40, 0))
    ram.create_shape(Box(4, 4), density=8.0)
    square = Box(0.2, 0.2)
    for i in range(columns):
        for j in range(rows):
            body = world.create_dynamic_body((0.4 * i + 30, 0.4 * (j - rows // 2)), awake=False)
            body.create_shape(square)
