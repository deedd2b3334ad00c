"""Pyramids at rest: many contacts, little motion, all time in the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import Box, Segment
from ._scene import shrunk

if TYPE_CHECKING:
    from .. import World


def add_pyramid(world: World, base: int, left: float, bottom: float) -> None:
    """Boxes of half 0.5, `base` of them in the lowest row, the first with its centre 0.5 right of `left`."""
    square = Box(0.5, 0.5)
    for i in range(base):
        for j in range(i, base):
            x = 0.5 * (i + 1) + (j - i) + left
            world.create_dynamic_body((x, bottom + i + 0.5)).create_shape(square)


def build_large_pyramid(world: World, scale: float = 1.0) -> None:
    world.create_static_body((0, -1)).create_shape(Box(100, 1))
    base = shrunk(100, scale)
    add_pyramid(world, base, -0.5 * base, 0.0)


def build_many_pyramids(world: World, scale: float = 1.0) -> None:
    side = shrunk(20, scale)
    ground = world.create_static_body()
    half = 5.5 * side
    for row in range(side):
        ground.create_shape(Segment((-half, 11.0 * row), (half, 11.0 * row)))
    for row in range(side):
        for column in range(side):
            add_pyramid(world, 10, -half + 11.0 * column + 0.5, 11.0 * row)


def build_pyramids(world: World, scale: float = 1.0) -> None:
    rows, columns = shrunk(13, scale), shrunk(14, scale)
    ground = world.create_static_body()
    half = 6.0 * columns
    for row in range(rows):
        ground.create_shape(Segment((-half, 12.0 * row), (half, 12.0 * row)))
    for row in range(rows):
        for column in range(columns):
            add_pyramid(world, 10, -half + 12.0 * column + 1.0, 12.0 * row)
