"""Awake bodies alone, and beside many that sleep or never move."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, thread_time
from typing import Any

import numpy as np

import box2dpy as b2

from .layouts import SQUARE, add_field, field
from .results import median
from .runner import DT, SUBSTEPS

FAR = 5000.0  # between what is awake and what is not, metres
WARM = 10  # steps before the timed ones
TURN = 40  # steps of one world before the other's turn, the first of them not timed


def step(world: b2.World) -> float:
    """Milliseconds of a step. With one worker processor time, which other programs disturb less."""
    clock = thread_time if world.workers == 1 else perf_counter
    start = clock()
    world.step(DT, SUBSTEPS)
    return 1000 * (clock() - start)


def never_sleeping(world: b2.World, count: int) -> None:
    boxes, floors = field(count, left=-FAR)
    ground = world.create_static_body()
    for p1, p2 in floors:
        ground.create_shape(b2.Segment(p1, p2))
    for x, y in boxes.tolist():
        world.create_dynamic_body((x, y), can_sleep=False).create_shape(SQUARE)


def sleepers(world: b2.World, count: int) -> None:
    """Pyramids that touched each other and the ground, and were put to sleep."""
    add_field(world, count)
    world.step(DT, SUBSTEPS)
    for island in world.islands:
        island.bodies[0].awake = False


def statics(world: b2.World, count: int) -> None:
    side = max(1, round(count**0.5))
    n = np.arange(count)
    world.create_bodies(np.stack([1.1 * (n % side), 1.1 * (n // side)], axis=1), geometry=SQUARE, type="static")


IDLE: dict[str, Callable[[b2.World, int], None]] = {"sleeping": sleepers, "static": statics}


def beside(kind: str, idle: int, awake: int, turns: int, workers: int) -> dict[str, Any]:
    """Median steps of the awake bodies alone and beside the idle ones, whose ids come first."""
    with b2.World(workers=workers) as alone, b2.World(workers=workers) as both:
        IDLE[kind](both, idle)
        times: dict[str, list[float]] = {"alone": [], "beside": []}
        for world in (alone, both):
            never_sleeping(world, awake)
            for _ in range(WARM):
                world.step(DT, SUBSTEPS)
        for _ in range(turns):
            for name, world in (("alone", alone), ("beside", both)):
                for number in range(TURN):
                    took = step(world)
                    if number > 0:
                        times[name].append(took)
        counters = both.counters
        return {
            "kind": kind,
            "idle": counters.bodies - counters.awake_bodies,
            "awake": counters.awake_bodies,
            "alone_ms": median(times["alone"]),
            "beside_ms": median(times["beside"]),
            "share": median(times["beside"]) / median(times["alone"]) - 1,
            "megabytes": counters.bytes / 1e6,
        }
