"""What hostile or careless programs do many times, and how its cost grows: `growth --abuse`.

The exponent is the slope of the time between the smallest and the largest number of things, in logarithms: 1 when twice
as many things take twice as long. Times are processor times of this process, least of the passes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import box2dpy as b2

Calls = Callable[[], object]


class Case(NamedTuple):
    """What is measured; `power`: 1 where a program expects linear time, 2 where each thing meets all others."""

    name: str
    prepare: Callable[[b2.World, int], Calls]
    power: int
    share: int = 1  # of the number of things: quadratic cases take fewer


def _shapes(world: b2.World, count: int, *, static: bool = False) -> list[b2.Shape]:
    body = world.create_static_body() if static else world.create_dynamic_body()
    geometry = [b2.Box(0.5, 0.5, center=(float(k), 0)) for k in range(count)]
    return [body.create_shape(each, update_mass=False) for each in geometry]


def _create(world: b2.World, count: int) -> Calls:
    body = world.create_dynamic_body()
    return lambda: [body.create_shape(b2.Box(0.5, 0.5, center=(float(k), 0))) for k in range(count)]


def _create_on_spinning(world: b2.World, count: int) -> Callable[[], object]:
    body = world.create_dynamic_body(angular_velocity=2.0)
    return lambda: [body.create_shape(b2.Box(0.5, 0.5, center=(float(k), 0))) for k in range(count)]


def _destroy(world: b2.World, count: int) -> Calls:
    shapes = _shapes(world, count)
    return lambda: [shape.destroy() for shape in shapes]


def _set_density(world: b2.World, count: int) -> Calls:
    shapes = _shapes(world, count)
    return lambda: [setattr(shape, "density", 2.0) for shape in shapes]


def _set_geometry(world: b2.World, count: int) -> Calls:
    shapes = _shapes(world, count)
    return lambda: [setattr(shape, "geometry", b2.Circle(0.3)) for shape in shapes]


def _tiles(world: b2.World, count: int) -> list[b2.Shape]:
    tiles = _shapes(world, count, static=True)
    world.create_bodies([(float(k), 0.9) for k in range(count)], geometry=b2.Circle(0.4))
    world.step()
    return tiles


def _destroy_tiles(world: b2.World, count: int) -> Calls:
    tiles = _tiles(world, count)
    return lambda: [tile.destroy() for tile in tiles]


def _set_friction(world: b2.World, count: int) -> Calls:
    tiles = _tiles(world, count)
    return lambda: [setattr(tile, "friction", 0.1) for tile in tiles]


def _hub(world: b2.World, count: int) -> list[b2.RevoluteJoint]:
    hub = world.create_static_body()
    bodies = [world.create_dynamic_body((float(k), 0)) for k in range(count)]
    return [world.create_revolute_joint(hub, body, anchor=body.position) for body in bodies]


def _destroy_joints(world: b2.World, count: int) -> Calls:
    joints = _hub(world, count)
    return lambda: [joint.destroy() for joint in joints]


def _destroy_gears(world: b2.World, count: int) -> Calls:
    joints = _hub(world, count)
    gears = [world.create_gear_joint(a, b) for a, b in pairwise(joints)]
    return lambda: ([joint.destroy() for joint in joints], gears)


def _crowd(world: b2.World, count: int, group: int) -> None:
    place = [(1e-6 * k, 0.0) for k in range(count)]
    world.create_bodies(place, geometry=b2.Circle(0.1), filter=b2.Filter(group=group))


def _step_filtered(world: b2.World, count: int) -> Calls:
    _crowd(world, count, -1)
    return world.step


def _step_crowd(world: b2.World, count: int) -> Calls:
    _crowd(world, count, 0)
    return world.step


def _destroy_crowd(world: b2.World, count: int) -> Calls:
    _crowd(world, count, 0)
    world.step(1e-6, 1)
    bodies = list(world.bodies)
    return lambda: [body.destroy() for body in bodies]


CASES = (
    Case("create shapes of a body", _create, 1),
    Case("create shapes of a spinning body", _create_on_spinning, 1),
    Case("destroy shapes of a body", _destroy, 1),
    Case("set their densities", _set_density, 1),
    Case("set their geometries", _set_geometry, 1),
    Case("destroy tiles under balls", _destroy_tiles, 1),
    Case("set the friction of tiles under balls", _set_friction, 1),
    Case("destroy joints of a hub", _destroy_joints, 1),
    Case("destroy joints coupled by gears", _destroy_gears, 1),
    Case("step circles in one place, kept apart by a filter", _step_filtered, 2),
    Case("step circles in one place", _step_crowd, 2, 16),
    Case("destroy circles in one place", _destroy_crowd, 2, 16),
)


def measure(case: Case, count: int, repeat: int) -> dict[str, Any]:
    """One case with one number of things: ms and the most MB that the world had."""
    best, peak = math.inf, 0
    for _ in range(repeat):
        with b2.World(gravity=(0, 0)) as world:
            call = case.prepare(world, count)
            start = time.process_time()
            call()
            best = min(best, 1e3 * (time.process_time() - start))
            peak = max(peak, world.counters.peak_bytes)
    return {"case": case.name, "things": count, "ms": best, "megabytes": peak / 1e6}


def exponent(few: dict[str, Any], many: dict[str, Any]) -> float:
    return math.log(many["ms"] / few["ms"]) / math.log(many["things"] / few["things"])
