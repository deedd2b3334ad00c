"""Parts that several samples build: ropes of links, open boxes, points on a circle."""

from __future__ import annotations

import math
from typing import Any

import box2dpy as b2

from ._sample import Sample


def walls(sample: Sample, world: b2.World, half_width: float, height: float, **material: Any) -> b2.Body:
    """An open box of static shapes: a floor with its top at y = 0, the inner half width, and walls of the given
    height."""
    body = sample.ground(world, half_width + 1, **material)
    for side in (-1, 1):
        body.create_shape(b2.Box(0.5, 0.5 * height, (side * (half_width + 0.5), 1 + 0.5 * height)), **material)
    return body


def links(
    world: b2.World,
    start: b2.Body,
    at: tuple[float, float],
    count: int,
    length: float,
    way: tuple[float, float] = (0, -1),
    *,
    density: float = 2.0,
    thickness: float = 0.08,
    filter: b2.Filter | None = None,
    **joint: Any,
) -> list[b2.Body]:
    """A chain of capsules that starts at a point of a body and follows a unit vector. Returns the links from first to
    last."""
    (x, y), (dx, dy) = at, way
    angle, previous, made = math.atan2(dy, dx), start, []
    for k in range(count):
        body = world.create_dynamic_body((x + dx * (k + 0.5) * length, y + dy * (k + 0.5) * length), angle)
        half = 0.5 * length - thickness
        body.create_shape(
            b2.Capsule((-half, 0), (half, 0), thickness),
            density=density,
            filter=b2.Filter() if filter is None else filter,
        )
        world.create_revolute_joint(previous, body, anchor=(x + dx * k * length, y + dy * k * length), **joint)
        made.append(body)
        previous = body
    return made


def ring(count: int, radius: float, first: float = 0.0) -> list[tuple[float, float]]:
    """Points on a circle, counter-clockwise."""
    turns = [first + 2 * math.pi * k / count for k in range(count)]
    return [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]
