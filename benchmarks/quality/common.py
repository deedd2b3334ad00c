"""What the figures share: their worlds and the bodies in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import box2dpy as b2

from ..engines import peers

Make = Callable[..., Any]
DT, SUBSTEPS = 1 / 60, 4
SHORT_STEPS = (1e-3, 1e-4, 1e-5, 1e-6)  # s


class Figure(NamedTuple):
    name: str
    unit: str
    high: bool  # whether more is better
    seconds: float  # of simulated time
    sentence: str
    measure: Callable[[Make, int], float]  # the maker and the number of steps


def maker(engine: str) -> Make:
    return b2.World if engine == "box2dpy" else lambda **options: peers.create(engine, **options)


def run(world: Any, steps: int) -> None:
    for _ in range(steps):
        world.step(DT, SUBSTEPS)


def floor(world: Any, **material: Any) -> Any:
    body = world.create_static_body((0, -1))
    body.create_shape(b2.Box(100, 1), **material)
    return body


def box(world: Any, x: float, y: float, half: float = 0.5, **options: Any) -> Any:
    material = {name: options.pop(name) for name in ("density", "friction", "restitution", "filter") if name in options}
    body = world.create_dynamic_body((x, y), **options)
    body.create_shape(b2.Box(half, half), **material)
    return body


def speed(body: Any) -> float:
    return math.hypot(*body.linear_velocity)
