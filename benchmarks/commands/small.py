"""The cost of single calls and of steps of small worlds from Python in microseconds; each engine is called as its users
would call it. The small worlds do not sleep, and their bodies have come to rest before they are measured."""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

import box2dpy as b2

from ..engines.peers import PEERS
from ..output.report import number, table
from .options import chosen_peers

CREATED = 1000  # bodies to a world in the creation test
TOUCHING = 200  # boxes that land in one step
ROWS, COLUMNS = 10, 100  # of the boxes that rays meet
STACKS = (1, 3, 10, 30)  # boxes on each other, in the steps of small worlds
WRITTEN = 10000  # bodies of which one call writes a property
COPIED = (20, 1000, 10000)  # boxes of the worlds that are copied
ACROSS = (-3.0, 4.2), (90.0, 9.0)  # origin and translation of a ray that goes a while between the rows
ALONG = (-3.0, 4.2), (300.0, 0.0)  # one that meets a whole row

Work = tuple[Callable[[], Any], int]  # what to time, and how many operations one call of it does


def microseconds(*works: Work, seconds: float) -> list[float]:
    """Best time of an operation of each; calls in turns, because the speed of a shared machine changes from second to
    second."""
    best, end = [float("inf")] * len(works), perf_counter() + seconds * len(works)
    while True:
        for k, (call, operations) in enumerate(works):
            start = perf_counter()
            call()
            now = perf_counter()
            best[k] = min(best[k], 1e6 * (now - start) / operations)
        if now > end:
            return best


def repeated(call: Callable[[], Any], times: int = 200) -> Work:
    def many() -> None:
        for _ in range(times):
            call()

    return many, times


def grid() -> list[tuple[float, float]]:
    return [(2.0 * k, 2.0 * row) for row in range(ROWS) for k in range(COLUMNS)]


def pile_places(count: int) -> list[tuple[float, float]]:
    """Of boxes in rows on the ground."""
    width = 5 if count < 100 else 50
    return [(1.1 * (k % width), 0.5 + k // width) for k in range(count)]


HULL = [(-0.47, 0.57), (-0.57, 0.0), (-0.57, -0.33), (0.57, -0.33), (0.57, 0.0), (0.47, 0.57)]  # of a lander


def lander(height: float, gravity: float) -> b2.World:
    """A hull with two hinged legs over a floor of ten segments, after four seconds."""
    world = b2.World((0, gravity), sleeping=False)
    floor = world.create_static_body()
    for k in range(10):
        floor.create_shape(b2.Segment((2.0 * k, 3.3), (2.0 * k + 2, 3.3)), friction=0.1)
    hull = world.create_dynamic_body((10, height))
    hull.create_shape(b2.Polygon(HULL), density=5, friction=0.1)
    for side in (-1, 1):
        leg = world.create_dynamic_body((10 - 0.67 * side, height), 0.05 * side)
        leg.create_shape(b2.Box(0.07, 0.27))
        world.create_revolute_joint(hull, leg, anchor=(10, height))
    for _ in range(240):
        world.step()
    return world


def import_seconds(statement: str, before: str = "pass", times: int = 5) -> float:
    """Least processor time of an import in a fresh process, after what is imported before it.

    Compiled modules are cached, as pip leaves them, also where PYTHONDONTWRITEBYTECODE says not to.
    """
    code = f"import time; {before}; start = time.process_time(); {statement}; print(time.process_time() - start)"
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": cache}
        arguments: dict[str, Any] = {"env": environment, "capture_output": True, "text": True, "check": True}
        runs = [subprocess.run([sys.executable, "-c", code], **arguments) for _ in range(1 + times)]
    return min(float(run.stdout) for run in runs)


def imports() -> str:
    own = import_seconds("import box2dpy", "import numpy, _cffi_backend")
    rest = import_seconds("import numpy, _cffi_backend")
    return f"import box2dpy: {1e3 * own:.0f} ms of processor time beyond the {1e3 * rest:.0f} ms of numpy and cffi"


def many_bodies() -> tuple[b2.World, b2.BodyArray]:
    """Lone boxes, apart from each other."""
    world = b2.World(gravity=(0, 0), sleeping=False)
    places = [(1.5 * (k % 100), 1.5 * (k // 100)) for k in range(WRITTEN)]
    bodies = world.create_bodies(places, geometry=b2.Box(0.5, 0.5))
    world.step()
    return world, bodies


def measure_writes(seconds: float) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of one call that writes a property of many bodies, every one of which changes."""
    world, bodies = many_bodies()
    draw = np.random.default_rng(1)
    pairs, numbers = draw.normal(size=(2, WRITTEN, 2)), draw.uniform(size=(2, WRITTEN))
    places = world.arrays.position.copy()
    values: dict[str, Any] = {"position": (places, places + 0.01)}
    values.update(dict.fromkeys(("linear_velocity", "force"), pairs))
    plain = ("angular_velocity", "torque", "linear_damping", "angular_damping", "gravity_scale")
    values.update(dict.fromkeys(plain, numbers))
    values.update(dict.fromkeys(("awake", "enabled"), (np.zeros(WRITTEN, bool), np.ones(WRITTEN, bool))))

    def nanoseconds(call: Callable[[], Any], times: int = 1) -> str:
        return number(1000 * microseconds((call, times * WRITTEN), seconds=seconds)[0])

    def alternate(target: Any, name: str) -> str:
        def twice() -> None:
            setattr(target, name, values[name][0])
            setattr(target, name, values[name][1])

        return nanoseconds(twice, 2)

    rows = [[name, alternate(bodies, name), alternate(world.arrays, name)] for name in values]
    pushes: dict[str, Callable[[], None]] = {
        "apply_force": lambda: bodies.apply_force(pairs[0]),
        "apply_torque": lambda: bodies.apply_torque(numbers[0]),
        "apply_impulse": lambda: bodies.apply_impulse(pairs[0]),
        "apply_impulse, at points": lambda: bodies.apply_impulse(pairs[0], places),
    }
    rows += [[name, nanoseconds(call), number(None)] for name, call in pushes.items()]
    return [f"ns a body of {WRITTEN}", "BodyArray", "world.arrays"], rows


def ours() -> dict[str, Work]:
    box = b2.Box(0.5, 0.5)

    def create() -> None:
        with b2.World() as world:
            for k in range(CREATED):
                world.create_dynamic_body((2.0 * k, 0.0)).create_shape(box)

    def create_bulk() -> None:
        with b2.World() as world:
            world.create_bodies([(2.0 * k, 0.0) for k in range(CREATED)], geometry=box)

    body = b2.World().create_dynamic_body((1, 2))
    empty = b2.World()
    landed = b2.World()
    landed.create_static_body((0, -1)).create_shape(b2.Box(1000, 1))
    for k in range(TOUCHING):
        landed.create_dynamic_body((2.0 * k, 0.5)).create_shape(box)
    landed.step()

    def boxes() -> b2.World:
        world = b2.World()
        world.create_bodies(grid(), geometry=box, type="static")
        return world

    field, kept = boxes(), boxes()
    handles = list(kept.shapes)
    angles = np.linspace(0.0, 0.2, 1000)
    starts, ways = np.full((1000, 2), ACROSS[0]), 90.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def pile(count: int) -> b2.World:
        world = b2.World()
        world.create_static_body((0, -1)).create_shape(b2.Box(1000, 1))
        for x, y in pile_places(count):
            world.create_dynamic_body((x, y)).create_shape(box)
        for _ in range(60):
            world.step()
        return world

    def steps() -> dict[str, Work]:
        works: dict[str, Work] = {}
        worlds = {"lander flying": lander(13.3, 0.0), "lander landed": lander(4.3, -10.0)}
        for count in STACKS:
            stack = worlds[f"stack of {count}"] = b2.World(sleeping=False)
            stack.create_static_body((0, -1)).create_shape(b2.Box(1000, 1))
            for k in range(count):
                stack.create_dynamic_body((0, 0.5 + k)).create_shape(box)
            for _ in range(120):
                stack.step()
        for name, world in worlds.items():
            works[f"step, {name}"] = repeated(world.step, 20)
            works[f"step, {name}, no profile"] = repeated(world.clone(profiling="off").step, 20)
        return works

    def make_world() -> None:
        world = b2.World()
        world.create_dynamic_body()
        world.create_dynamic_body()
        world.close()

    bulk, _ = many_bodies()

    def field_of_velocities() -> None:
        x, v = bulk.arrays.position, bulk.arrays.linear_velocity
        bulk.arrays.linear_velocity = 0.99 * v + 0.1 * np.stack([-x[:, 1], x[:, 0]], axis=1)

    def copies() -> dict[str, Work]:
        works: dict[str, Work] = {}
        for count in COPIED:
            world = pile(count)
            state = world.save()
            times = max(1, 2000 // count)
            works[f"clone {count} boxes"] = repeated(world.clone, times)
            works[f"save {count} boxes"] = repeated(world.save, times)
            restore = functools.partial(world.restore, state)
            works[f"restore {count} boxes"] = repeated(restore, times)
        return works

    def position() -> None:
        _x, _y = body.position

    def ray() -> Any:
        hit = field.ray_cast(*ACROSS)
        return hit and (hit.point, hit.fraction)

    def ray_shape() -> Any:
        hit = field.ray_cast(*ACROSS)
        return hit and (hit.shape, hit.point, hit.fraction)

    def ray_kept(_keep: Any = handles) -> Any:
        hit = kept.ray_cast(*ACROSS)
        return hit and (hit.shape, hit.point, hit.fraction)

    def ray_all() -> list[Any]:
        return [(hit.shape, hit.point, hit.fraction) for hit in field.ray_cast_all(*ALONG)]

    def events() -> int:
        return len([(event.shape_a, event.shape_b) for event in landed.events.contact_begin])

    def events_array() -> int:
        return len(landed.events.contact_begin.as_array())

    if events() != TOUCHING or events_array() != TOUCHING:
        raise RuntimeError(f"expected {TOUCHING} contact events, have {events()}")
    if ray() is None or ray_kept() is None or len(ray_all()) != COLUMNS:
        raise RuntimeError("the rays meet something else")
    return {
        "create body + box": (create, CREATED),
        "the same, create_bodies": (create_bulk, CREATED),
        "read a position": repeated(position),
        "World(), two bodies, close()": repeated(make_world, 10),
        "arrays.position": repeated(lambda: bulk.arrays.position),
        f"a velocity field on {WRITTEN} bodies": (field_of_velocities, 1),
        **steps(),
        "1000 positions as an array": repeated(lambda: field.arrays.position.copy(), 50),
        "closest ray, 1000 boxes": repeated(ray),
        "the same, shape read": repeated(ray_shape),
        "the same, shape held": repeated(ray_kept),
        "the same, 1000 at once": (lambda: field.ray_casts(starts, ways), 1000),
        f"all {COLUMNS} hits of a ray": repeated(ray_all, 5),
        "empty step": repeated(lambda: empty.step(1 / 60, 4)),
        f"{TOUCHING} contact events": repeated(events, 5),
        "the same, as an array": repeated(events_array, 5),
        **copies(),
    }


def pyb2d3() -> dict[str, Work]:
    engine: Any = importlib.import_module("pyb2d3")
    box = engine.box(0.5, 0.5)
    shape_def = engine.ShapeDef()

    def create() -> None:
        world = engine.World(gravity=(0, -10))
        for k in range(CREATED):
            world.create_dynamic_body(position=(2.0 * k, 0.0)).create_polygon_shape(shape_def, box)

    world = engine.World(gravity=(0, -10))
    body = world.create_dynamic_body(position=(1, 2))
    empty = engine.World(gravity=(0, -10))
    landed = engine.World(gravity=(0, -10))
    with_events = engine.ShapeDef()
    with_events.enable_contact_events = True
    landed.create_static_body(position=(0, -1)).create_polygon_shape(with_events, engine.box(1000, 1))
    for k in range(TOUCHING):
        landed.create_dynamic_body(position=(2.0 * k, 0.5)).create_polygon_shape(with_events, box)
    landed.step(1 / 60, 4)

    field, bodies = engine.World(gravity=(0, -10)), engine.Bodies()
    for x, y in grid():
        standing = field.create_static_body(position=(x, y))
        standing.create_polygon_shape(shape_def, box)
        bodies.append(standing)

    def ray() -> Any:
        hit = field.cast_ray_closest(*ACROSS)
        return hit.point, hit.fraction

    def ray_shape() -> Any:
        hit = field.cast_ray_closest(*ACROSS)
        return hit.shape, hit.point, hit.fraction

    def ray_all() -> list[Any]:
        hits = []

        def note(shape: Any, point: Any, normal: Any, fraction: float) -> float:
            hits.append((shape, point, fraction))
            return 1.0

        field.cast_ray(*ALONG, note)
        return hits

    def position(_keep: Any = world) -> None:  # bodies hold no reference to their world
        here = body.position
        _x, _y = here.x, here.y  # unpacking is twenty times slower

    def events() -> int:
        return len([(event.shape_a, event.shape_b) for event in landed.get_contact_events().begin_events()])

    if events() != TOUCHING:
        raise RuntimeError(f"expected {TOUCHING} contact events, have {events()}")
    if len(ray_all()) != COLUMNS:
        raise RuntimeError("the rays meet something else")

    def stack(count: int) -> Any:
        space = engine.World(gravity=(0, -10))
        space.create_static_body(position=(0, -1)).create_polygon_shape(shape_def, engine.box(1000, 1))
        for k in range(count):
            body_def = engine.BodyDef()
            body_def.type, body_def.position, body_def.enable_sleep = engine.BodyType.DYNAMIC, (0, 0.5 + k), False
            space.create_body_from_def(body_def).create_polygon_shape(shape_def, box)
        for _ in range(120):
            space.step(1 / 60, 4)
        return space

    return {
        **{
            f"step, stack of {count}": repeated(functools.partial(stack(count).step, 1 / 60, 4), 20) for count in STACKS
        },
        "create body + box": (create, CREATED),
        "read a position": repeated(position),
        "1000 positions as an array": repeated(bodies.get_positions, 50),
        "closest ray, 1000 boxes": repeated(ray),
        "the same, shape read": repeated(ray_shape),
        f"all {COLUMNS} hits of a ray": repeated(ray_all, 5),
        "empty step": repeated(lambda: empty.step(1 / 60, 4)),
        f"{TOUCHING} contact events": repeated(events, 5),
    }


def pymunk() -> dict[str, Work]:
    engine: Any = importlib.import_module("pymunk")
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]

    def create() -> None:
        space = engine.Space()
        for k in range(CREATED):
            body = engine.Body()
            body.position = 2.0 * k, 0.0
            shape = engine.Poly(body, corners)
            shape.density = 1.0
            space.add(body, shape)

    body = engine.Body(1, 1)
    empty = engine.Space()

    field = engine.Space()
    for place in grid():
        field.add(engine.Poly(field.static_body, [(x + place[0], y + place[1]) for x, y in corners]))
    everything = engine.ShapeFilter()
    (ax, ay), (dx, dy) = ACROSS
    (bx, by), (ex, ey) = ALONG

    def pile(count: int) -> Any:
        space = engine.Space()
        space.gravity = 0, -10
        space.add(engine.Segment(space.static_body, (-1000, 0), (1000, 0), 0))
        for place in pile_places(count):
            box = engine.Body()
            box.position = place
            shape = engine.Poly(box, corners)
            shape.density = 1.0
            space.add(box, shape)
        for _ in range(60):
            space.step(1 / 60)
        return space

    def position() -> None:
        _x, _y = body.position

    def stack(count: int) -> Any:
        space = engine.Space()
        space.gravity = 0, -10
        ground = engine.Poly(space.static_body, [(-1000, -2), (1000, -2), (1000, 0), (-1000, 0)])
        ground.friction = 0.6
        space.add(ground)
        for k in range(count):
            box = engine.Body()
            box.position = 0, 0.5 + k
            shape = engine.Poly(box, corners)
            shape.density, shape.friction = 1.0, 0.6
            space.add(box, shape)
        for _ in range(120):
            space.step(1 / 60)
        return space

    return {
        **{f"step, stack of {count}": repeated(functools.partial(stack(count).step, 1 / 60), 20) for count in STACKS},
        "create body + box": (create, CREATED),
        **{f"clone {count} boxes": repeated(pile(count).copy, 1) for count in COPIED[:2]},  # the next takes two minutes
        "read a position": repeated(position),
        "closest ray, 1000 boxes": repeated(
            lambda: field.segment_query_first((ax, ay), (ax + dx, ay + dy), 0, everything)
        ),
        f"all {COLUMNS} hits of a ray": repeated(
            lambda: field.segment_query((bx, by), (bx + ex, by + ey), 0, everything), 5
        ),
        "empty step": repeated(lambda: empty.step(1 / 60)),
    }


def measure(peers: Sequence[str], seconds: float, only: str) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table, one column an engine."""
    makers = {"box2dpy": ours, "pyb2d3": pyb2d3, "pymunk": pymunk}
    names = ["box2dpy", *peers]
    works = {name: makers[name]() for name in names}
    rows = []
    for row in (name for name in works["box2dpy"] if only in name):
        having = [name for name in names if row in works[name]]
        measured = dict(zip(having, microseconds(*(works[name][row] for name in having), seconds=seconds), strict=True))
        rows.append([row, *(number(measured.get(name)) for name in names)])
    return ["us an operation", *names], rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--peer", action="append", help="compare with these only; default: all that are installed")
    parser.add_argument("--only", default="", help="measure the operations with this in their name; or: writes")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long to measure each call")


def run(arguments: argparse.Namespace) -> int:
    if "writes".startswith(arguments.only):
        print(table(*measure_writes(arguments.seconds)))
    if arguments.only != "writes":
        print(table(*measure(chosen_peers(arguments.peer or PEERS), arguments.seconds, arguments.only)))
    if not arguments.only:
        print(imports())
    return 0
