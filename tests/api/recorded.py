"""A pile, recordings of it, and changes of a world of every kind that is logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import box2dpy as b2


def pile(world: b2.World, count: int = 20) -> list[b2.Body]:
    """A heap of boxes and balls on a floor."""
    world.create_static_body((0, -1)).create_shape(b2.Box(40, 1))
    bodies = []
    for k in range(count):
        body = world.create_dynamic_body((0.3 * (k % 5), 1 + 1.1 * (k // 5)), angle=0.1 * k)
        body.create_shape(b2.Box(0.4, 0.4) if k % 2 else b2.Circle(0.4))
        bodies.append(body)
    return bodies


def recorded(path: Path, steps: int = 60, **options: Any) -> list[int]:
    """A recording of a pile; the hashes of its frames."""
    with b2.World() as world:
        pile(world)
        with world.record(path, **options):
            hashes = [world.state_hash()]
            for _ in range(steps):
                world.step()
                hashes.append(world.state_hash())
    return hashes


def changes(world: b2.World, bodies: list[b2.Body]) -> Iterator[Callable[[], Any]]:
    """Calls of every kind that a log can hold, each to be made between two steps."""
    made: dict[str, Any] = {}

    def create_joint() -> None:
        made["joint"] = world.create_revolute_joint(bodies[0], bodies[1], anchor=(0, 3))
        made["weld"] = world.create_weld_joint(bodies[2], bodies[3], anchor=(0, 3))

    def create_chain() -> None:
        points = [(9, 0), (5, -0.5), (-5, -0.5), (-9, 0)]
        made["chain"] = world.body(0).create_chain(points, friction=0.4)

    yield lambda: setattr(bodies[0], "position", (0.1, 7))
    yield lambda: setattr(bodies[0], "linear_velocity", (1, -1))
    yield lambda: bodies[1].apply_force((30, 40), point=(0, 1))
    yield lambda: bodies[1].apply_torque(3)
    yield lambda: bodies[2].apply_impulse((0.5, 1), point=(0, 1))
    yield lambda: bodies[2].apply_angular_impulse(0.2)
    yield lambda: setattr(bodies[3], "mass", 3.0)
    yield lambda: bodies[3].update_mass()
    yield lambda: made.update(lift=world.create_kinematic_body((6, 0), angle=0.1))
    yield lambda: made["lift"].create_shape(b2.Box(1, 0.2))
    yield lambda: made["lift"].set_target((6, 1), 0.2, 0.5)
    yield lambda: made.update(many=world.create_bodies([(k, 12) for k in range(4)], geometry=b2.Circle(0.3)))
    yield lambda: setattr(made["many"], "linear_velocity", [(1, k) for k in range(4)])
    yield lambda: setattr(made["many"], "friction", [0.1, 0.2, 0.3, 0.4])
    yield lambda: made["many"].apply_force([(0, 9)] * 4)
    yield lambda: made["many"].apply_angular_impulse([0.1] * 4)
    yield lambda: setattr(world.arrays, "angular_velocity", np.full(len(world.arrays.position), 0.0))
    yield lambda: world.arrays.set([b.index for b in bodies[:3]], gravity_scale=0.5)
    yield lambda: setattr(bodies[4].shapes[0], "friction", 0.1)
    yield lambda: setattr(bodies[5].shapes[0], "geometry", b2.Polygon([(0, 0.5), (-0.5, -0.4), (0.5, -0.4)]))
    yield lambda: setattr(bodies[6].shapes[0], "filter", b2.Filter(category=2))
    yield lambda: bodies[7].shapes[0].destroy()
    yield create_joint
    yield lambda: setattr(made["joint"], "motor_speed", 2.0)
    yield lambda: setattr(made["joint"], "enable_motor", True)
    yield lambda: made["weld"].destroy()
    yield create_chain
    yield lambda: setattr(made["chain"], "friction", 0.2)
    yield lambda: setattr(made["chain"], "filter", b2.Filter(mask=7))
    yield lambda: made["chain"].destroy()
    yield lambda: setattr(world, "gravity", (1, -9))
    yield lambda: world.set_material_pair(0, 1, friction=0.9)
    yield lambda: world.remove_material_pair(0, 1)
    yield lambda: world.explode((0, 0), 2, impulse_per_length=0.5)
    yield lambda: world.apply_wind((4, 0))
    yield lambda: bodies[9].shapes[0].apply_wind((0, 4))
    yield lambda: world.apply_buoyancy(b2.Box(20, 1), density=900)
    yield lambda: world.resolve_overlaps(3)
    yield world.split_islands
    yield lambda: bodies[8].destroy()
    yield lambda: setattr(world, "workers", 2)
    yield lambda: world.reserve(bodies=100)
    yield world.validate
    yield world.clear
    yield lambda: pile(world, 5)


def logs(recording: b2.Recording) -> Iterator[bytes]:
    import zlib

    from box2dpy._world import record_format

    inflate = zlib.decompressobj()
    for chunk in recording._frames[1:]:
        yield inflate.decompress(record_format.read_parts(recording._data, chunk)[1])
