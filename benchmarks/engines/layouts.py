"""Piles of equal boxes in three layouts, of any size: a field of small pyramids, one pyramid, a heap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import box2dpy as b2

SQUARE = b2.Box(0.5, 0.5)

Positions = Any  # array (n, 2)


def pyramid(base: int) -> Positions:
    """Boxes of half 0.5, `base` of them in the lowest row, from x = 0 to the right and y = 0 upwards."""
    rows = [(0.5 * (i + 1) + np.arange(base - i), np.full(base - i, i + 0.5)) for i in range(base)]
    return np.concatenate([np.stack(row, axis=1) for row in rows])


def field(count: int, left: float = 0.0) -> tuple[Positions, list[tuple[tuple[float, float], tuple[float, float]]]]:
    """About `count` boxes in pyramids of base 10 on floors, and the ends of the floors."""
    pyramids = max(1, round(count / 55))
    side = max(1, round(pyramids**0.5))
    one = pyramid(10)
    boxes = np.concatenate([np.add(one, (left + 11.0 * (k % side), 11.0 * (k // side))) for k in range(pyramids)])
    floors = [
        ((left - 2, 11.0 * row), (left + 11.0 * side + 2, 11.0 * row)) for row in range((pyramids + side - 1) // side)
    ]
    return boxes, floors


def add_field(world: b2.World, count: int) -> None:
    boxes, floors = field(count)
    ground = world.create_static_body()
    for p1, p2 in floors:
        ground.create_shape(b2.Segment(p1, p2))
    world.create_bodies(boxes, geometry=SQUARE)


def add_pile(world: b2.World, count: int) -> None:
    base = max(2, round((2 * count) ** 0.5))
    world.create_static_body((0, -1)).create_shape(b2.Box(base + 10, 1))
    world.create_bodies(pyramid(base) - (0.5 * base, 0), geometry=SQUARE)


def add_heap(world: b2.World, count: int) -> None:
    """Boxes in a bin, none above the middle of another, so that they tumble into the gaps during the timed steps."""
    side = max(2, round(count**0.5))
    half = 0.5 * side * 0.9 + 1
    bin_ = world.create_static_body()
    bin_.create_shape(b2.Box(half + 1, 0.5, (0, -0.5)))
    for end in (-1, 1):
        bin_.create_shape(b2.Box(0.5, 2 * side, (end * (half + 0.5), 2 * side)))
    n = np.arange(count)
    column, row = n % side, n // side
    x = 0.9 * (column - 0.5 * (side - 1)) + 0.3 * np.sin(1.7 * row)
    world.create_bodies(np.stack([x, 0.8 * row + 0.4], axis=1), geometry=b2.Box(0.4, 0.4))


LAYOUTS: dict[str, Callable[[b2.World, int], None]] = {"field": add_field, "pyramid": add_pile, "heap": add_heap}
