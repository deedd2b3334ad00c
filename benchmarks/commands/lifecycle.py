"""The cost of creating, first steps, sleeping, waking and destroying, which must not grow faster than the number of
bodies.

There are four tables: the first steps of large piles; a pyramid that is created and destroyed repeatedly (Box2D's
sample CreateDestroy); half a pile and a whole one destroyed body by body in three orders; one pyramid that is put to
sleep, woken, and searched for parts (Sleep). All times but those of the first table are processor times of the calling
thread. `--capacity` adds the sample Capacity: 200 more boxes every 32 steps until 60 steps took longer than 20 ms.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import random
from collections.abc import Callable, Iterable
from functools import partial
from time import thread_time
from typing import Any

import box2dpy as b2
from box2dpy.scenes import get

from ..engines.layouts import SQUARE, add_heap, add_pile, pyramid
from ..engines.peer import CannotExpress
from ..engines.results import Engine, median
from ..engines.runner import DT, SUBSTEPS, run_once
from ..output.machine import machine, sentence
from ..output.progress import Progress
from ..output.report import number, table
from .options import add_peers, chosen_peers, positive

PILES = ("large_pyramid", "many_pyramids", "compounds", "smash", "washer", "spinner")
FIRST = 5
LATER = 30  # steps of which the median is compared with the first ones
ORDERS: dict[str, Callable[[list[b2.Body]], list[b2.Body]]] = {
    "as created": lambda bodies: bodies,
    "last first": lambda bodies: bodies[::-1],
    "shuffled": lambda bodies: random.Random(1).sample(bodies, len(bodies)),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_peers(parser, "; only pyb2d3 creates and destroys")
    parser.add_argument("--scale", type=float, default=1.0, help="shrinks everything")
    parser.add_argument("--repeat", type=positive, default=3, help="passes; the least counts")
    parser.add_argument("--capacity", action="store_true", help="how many boxes until steps take over 20 ms (minutes)")


def timed(call: Callable[..., object], *arguments: object) -> float:
    """Milliseconds of processor time, with Python's cycle collector switched off."""
    gc.collect()
    gc.disable()
    try:
        start = thread_time()
        call(*arguments)
        return 1000 * (thread_time() - start)
    finally:
        gc.enable()


def destroy(bodies: Iterable[Any]) -> None:
    for body in bodies:
        body.destroy()


def first_steps(names: Iterable[str], scale: float, repeat: int, progress: Progress) -> str:
    rows = []
    for scene in map(get, PILES):
        for engine in (Engine(), *map(Engine, names)):
            progress.begin(f"{scene.name} {engine.label}, first steps")
            try:
                runs = [run_once(engine, scene, FIRST + LATER, scale) for _ in range(repeat)]
            except CannotExpress as reason:
                rows.append([scene.name, f"{engine.label}: {reason}", *[""] * (FIRST + 2)])
                continue
            first = [
                min(run.step0_ms for run in runs),
                *(min(run.step_ms[k] for run in runs) for k in range(FIRST - 1)),
            ]
            later = min(median(run.step_ms[FIRST:]) for run in runs)
            rows.append(
                [scene.name, engine.label, *(f"{ms:.2f}" for ms in first), f"{later:.2f}", f"{first[0] / later:.1f}x"]
            )
    return table(["first steps, ms", "", *map(str, range(FIRST)), "later", "0 / later"], rows, left=2)


def create_destroy(base: int, repeat: int, names: Iterable[str]) -> str:
    """Microseconds a body: one by one as users do, and in bulk."""
    places = pyramid(base)
    pairs = [tuple(place) for place in places.tolist()]
    count = len(pairs)
    best: dict[tuple[str, str], float] = {}

    def note(engine: str, what: str, ms: float) -> None:
        best[engine, what] = min(best.get((engine, what), float("inf")), 1000 * ms / count)

    for _ in range(repeat):
        for stepped in (False, True):
            with b2.World() as world:
                world.create_static_body((0, -1)).create_shape(b2.Box(2 * base, 1))
                bodies: list[b2.Body] = []

                def create(world: b2.World = world, bodies: list[b2.Body] = bodies) -> None:
                    for place in pairs:
                        body = world.create_dynamic_body(place)
                        body.create_shape(SQUARE)
                        bodies.append(body)

                note("box2dpy", "create", timed(create))
                if stepped:
                    note("box2dpy", "first step", timed(world.step))
                what = "destroy, touching" if stepped else "destroy"
                note("box2dpy", what, timed(destroy, bodies))
        with b2.World() as world:
            note("box2dpy", "create_bodies", timed(partial(world.create_bodies, places, geometry=SQUARE)))
            note("box2dpy", "close the world", timed(world.close))
        if "pyb2d3" in names:
            for stepped in (False, True):
                peer_create_destroy(pairs, stepped, note)
    columns = list(dict.fromkeys(engine for engine, _ in best))
    rows = [
        [what, *(number(best.get((engine, what))) for engine in columns)]
        for what in dict.fromkeys(what for _, what in best)
    ]
    return table([f"{count} boxes, us a body", *columns], rows)


def peer_create_destroy(pairs: list[Any], stepped: bool, note: Callable[[str, str, float], None]) -> None:
    engine: Any = importlib.import_module("pyb2d3")
    world, box, shape_def = engine.World(gravity=(0, -10)), engine.box(0.5, 0.5), engine.ShapeDef()
    world.create_static_body(position=(0, -1)).create_polygon_shape(shape_def, engine.box(200, 1))
    bodies: list[Any] = []

    def create() -> None:
        for place in pairs:
            body = world.create_dynamic_body(position=place)
            body.create_polygon_shape(shape_def, box)
            bodies.append(body)

    note("pyb2d3", "create", timed(create))
    if stepped:
        note("pyb2d3", "first step", timed(world.step, DT, SUBSTEPS))
    note("pyb2d3", "destroy, touching" if stepped else "destroy", timed(destroy, bodies))


def mass_destroy(count: int, repeat: int, progress: Progress) -> str:
    """Piles of half as many and of all bodies; the cost of a body should be the same in both."""
    rows = []
    for layout, add in (("pyramid", add_pile), ("heap", add_heap)):
        for order, arranged in ORDERS.items():
            progress.begin(f"destroying a {layout}, {order}")
            cost = []
            for size in (count // 2, count):
                least = float("inf")
                for _ in range(repeat):
                    with b2.World() as world:
                        add(world, size)
                        for _ in range(3):
                            world.step(DT, SUBSTEPS)
                        bodies = arranged([body for body in world.bodies if body.type == b2.BodyType.DYNAMIC])
                        ms = timed(destroy, bodies)
                        least = min(least, 1000 * ms / len(bodies))
                cost.append(least)
            rows.append([layout, order, *(f"{us:.2f}" for us in cost), f"{cost[1] / cost[0]:.2f}x"])
    return table(["destroy, us a body", "order", f"of {count // 2}", f"of {count}", "growth"], rows, left=2)


def sleep_wake(base: int, repeat: int) -> str:
    """One pyramid, one island."""
    best: dict[str, float] = {}

    def note(what: str, ms: float) -> None:
        best[what] = min(best.get(what, float("inf")), ms)

    for _ in range(repeat):
        with b2.World() as world:
            add_pile(world, base * (base + 1) // 2)
            for _ in range(10):
                world.step(DT, SUBSTEPS)
            top = list(world.bodies)[-1]
            count = world.counters.awake_bodies
            note("an awake step", timed(world.step))
            note("put to sleep", timed(setattr, top, "awake", False))
            note("a sleeping step", timed(world.step))
            note("wake", timed(setattr, top, "awake", True))
            note("the step after waking", timed(world.step))
            top.destroy()
            note("search the island for parts", timed(world.split_islands))
    return table([f"pyramid of {count}", "ms"], [[what, f"{ms:.4f}"] for what, ms in best.items()])


def capacity(limit_ms: float = 20.0, over: int = 60, boxes: int = 200, every: int = 32) -> str:
    """Box2D's sample: boxes fall onto a floor until `over` steps took more than `limit_ms`."""
    with b2.World() as world:
        world.create_static_body((0, -5)).create_shape(b2.Box(800, 5))
        slow = number_of_steps = 0
        while slow < over:
            if number_of_steps % every == 0:
                world.create_bodies([(2.0 * (k - boxes // 2), 500.0) for k in range(boxes)], geometry=SQUARE)
            world.step(DT, SUBSTEPS)
            slow += world.profile.step > limit_ms
            number_of_steps += 1
        bodies = world.counters.bodies - 1
    rows = [[f"boxes until {over} steps took over {limit_ms:g} ms", f"{bodies}"], ["steps", f"{number_of_steps}"]]
    return table(["capacity", ""], rows)


def run(arguments: argparse.Namespace) -> int:
    names, scale, repeat = chosen_peers(arguments.peer), arguments.scale, arguments.repeat
    base = max(3, round(100 * scale**0.5))
    parts = [sentence(machine())]
    with Progress(len(PILES) * (1 + len(names)) + 2 * len(ORDERS) + 2 + arguments.capacity) as progress:
        parts.append(first_steps(names, scale, repeat, progress))
        progress.begin("create and destroy")
        parts.append(create_destroy(base, 3 * repeat, names))
        parts.append(mass_destroy(max(20, round(10_000 * scale)), repeat, progress))
        progress.begin("sleep and wake")
        parts.append(sleep_wake(base, repeat))
        if arguments.capacity:
            progress.begin("capacity")
            parts.append(capacity())
    print("\n\n".join(parts))
    return 0
