"""Small calls from Python: what one operation costs, in microseconds, each engine called the way its users would."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import box2dpy as b2

from .report import number, table

CREATED = 1000  # bodies to a world in the creation test
TOUCHING = 200  # boxes that land in one step

Work = tuple[Callable[[], Any], int]  # what to time, and how many operations one call of it does


def microseconds(work: Work, seconds: float) -> float:
    """Best time of an operation; calls for about this long."""
    call, operations = work
    best, end = float("inf"), perf_counter() + seconds
    while True:
        start = perf_counter()
        call()
        now = perf_counter()
        best = min(best, now - start)
        if now > end:
            return 1e6 * best / operations


def repeated(call: Callable[[], Any], times: int = 200) -> Work:
    def many() -> None:
        for _ in range(times):
            call()

    return many, times


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

    def position() -> None:
        _x, _y = body.position

    def events() -> int:
        return len([(event.shape_a, event.shape_b) for event in landed.events.contact_begin])

    def events_array() -> int:
        return len(landed.events.contact_begin.as_array())

    if events() != TOUCHING or events_array() != TOUCHING:
        raise RuntimeError(f"expected {TOUCHING} contact events, have {events()}")
    return {
        "create body + box": (create, CREATED),
        "the same, create_bodies": (create_bulk, CREATED),
        "read a position": repeated(position),
        "empty step": repeated(lambda: empty.step(1 / 60, 4)),
        f"{TOUCHING} contact events": repeated(events, 5),
        "the same, as an array": repeated(events_array, 5),
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

    def position(_keep: Any = world) -> None:  # bodies hold no reference to their world
        here = body.position
        _x, _y = here.x, here.y  # unpacking is twenty times slower

    def events() -> int:
        return len([(event.shape_a, event.shape_b) for event in landed.get_contact_events().begin_events()])

    if events() != TOUCHING:
        raise RuntimeError(f"expected {TOUCHING} contact events, have {events()}")
    return {
        "create body + box": (create, CREATED),
        "read a position": repeated(position),
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

    def position() -> None:
        _x, _y = body.position

    return {
        "create body + box": (create, CREATED),
        "read a position": repeated(position),
        "empty step": repeated(lambda: empty.step(1 / 60)),
    }


def measure(peers: Sequence[str], seconds: float) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table, one column an engine."""
    makers = {"box2dpy": ours, "pyb2d3": pyb2d3, "pymunk": pymunk}
    names = ["box2dpy", *peers]
    works = {name: makers[name]() for name in names}
    rows = []
    for row in works["box2dpy"]:
        measured = [microseconds(works[name][row], seconds) if row in works[name] else None for name in names]
        rows.append([row, *(number(value) for value in measured)])
    return ["us an operation", *names], rows


def measure_all(peers: Sequence[str], seconds: float) -> str:
    """The table as text."""
    return table(*measure(peers, seconds))
