"""Many worlds in one call: world steps a second of a `WorldBatch` over the number of worlds, and beside it one `World`.

The templates do not sleep: a lander that flies, one that stands on its legs, a walker with four motors on the ground, a
double pendulum, and a reacher of two links with motors. A restore returns every world to the state of its template. One
worker is measured in processor time, several in time by the clock.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import box2dpy as b2

from ..output import charts
from ..output.machine import machine, processors, sentence
from ..output.progress import Progress
from ..output.report import table
from .options import counts, positive
from .small import lander

WORLDS = (1, 4, 16, 64, 256, 1024, 4096)


def biped() -> b2.World:
    """A hull with two legs of two parts, four motors, on a floor of twenty segments, after four seconds."""
    world = b2.World(sleeping=False)
    floor = world.create_static_body()
    for k in range(20):
        floor.create_shape(b2.Segment((k - 10.0, 0), (k - 9.0, 0)), friction=2.5)
    hull = world.create_dynamic_body((0, 2.6))
    hull.create_shape(b2.Polygon([(-1, 0.3), (0.2, 0.3), (1.1, 0), (1.1, -0.26), (-1, -0.26)]), density=5)
    apart = b2.Filter(group=-1)
    for side in (-1, 1):
        above, height = hull, 2.6 - 0.26
        for width in (0.13, 0.1):
            part = world.create_dynamic_body((0.05 * side, height - 0.56))
            part.create_shape(b2.Box(width, 0.56), friction=0.2, filter=apart)
            world.create_revolute_joint(
                above, part, anchor=(0.05 * side, height), enable_motor=True, max_motor_torque=80, enable_limit=True,
                lower_angle=-0.8, upper_angle=1.1, motor_speed=0.1 * side,
            )  # fmt: skip
            above, height = part, height - 1.12
    for _ in range(240):
        world.step()
    return world


def arm(motors: bool) -> b2.World:
    """Two links on a fixed base: a pendulum, or a reacher, whose motors hold it. Both are solved directly."""
    world = b2.World(sleeping=False)
    parent = world.create_static_body()
    for k in range(2):
        link = world.create_dynamic_body((k + 0.5, 0))
        link.create_shape(b2.Box(0.5, 0.05))
        world.create_revolute_joint(
            parent, link, anchor=(k, 0), enable_motor=motors, motor_speed=1 - 2 * k, max_motor_torque=5
        )
        parent = link
    return world


TEMPLATES: dict[str, Callable[[], b2.World]] = {
    "lander, flying": lambda: lander(1000, -0.5),
    "lander, landed": lambda: lander(4.2, -10),
    "biped": biped,
    "double pendulum": lambda: arm(motors=False),
    "reacher": lambda: arm(motors=True),
}


def best_seconds(call: Callable[[], Any], seconds: float, clock: Callable[[], float] = thread_time) -> float:
    """Least time of a call, over calls for about this long."""
    best, end = float("inf"), perf_counter() + seconds
    while True:
        start = clock()
        call()
        best = min(best, clock() - start)
        if perf_counter() > end:
            return best


def measure(name: str, worlds: int, workers: int, seconds: float) -> dict[str, Any]:
    with TEMPLATES[name]() as template, b2.WorldBatch(template, worlds, workers=workers) as batch:
        state = template.save()
        for _ in range(3):
            batch.step()
        step = best_seconds(batch.step, seconds, thread_time if workers == 1 else perf_counter)
        restore = best_seconds(lambda: batch.restore(state), 0.2 * seconds)
        lone = best_seconds(template.step, 0.2 * seconds)
        size = batch.nbytes
    return {
        "template": name, "worlds": worlds, "workers": workers, "steps_per_second": worlds / step,
        "step_us": 1e6 * step / worlds, "lone_us": 1e6 * lone, "restore_us": 1e6 * restore / worlds,
        "bytes": size / worlds,
    }  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--worlds", type=counts, default=list(WORLDS), help="numbers of worlds, with commas")
    parser.add_argument("--workers", type=counts, help="worker counts; default: 1 and as many as there are processors")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each case is measured")
    parser.add_argument("--repeat", type=positive, default=1, help="passes over all cases; the best counts")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="write worlds.png")
    parser.add_argument("--json", type=Path, metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    workers = arguments.workers or sorted({1, min(64, processors())})
    cases = [(name, n, count) for name in TEMPLATES for count in workers for n in arguments.worlds]
    where, best = machine(), dict[tuple[str, int, int], dict[str, Any]]()
    with Progress(len(cases) * arguments.repeat) as progress:
        for _ in range(arguments.repeat):
            for case in cases:
                progress.begin(f"{case[0]}, {case[1]} worlds, {case[2]} workers")
                found = measure(*case, arguments.seconds)
                if case not in best or found["step_us"] < best[case]["step_us"]:
                    best[case] = found
    records = list(best.values())
    print(sentence(where), end="\n\n")
    print(
        table(
            ["template", "workers", "worlds", "steps/s", "us a world", "lone World", "restore us", "bytes a world"],
            [
                [
                    each["template"], f"{each['workers']}", f"{each['worlds']}", f"{each['steps_per_second']:,.0f}",
                    f"{each['step_us']:.2f}", f"{each['lone_us']:.2f}", f"{each['restore_us']:.2f}",
                    f"{each['bytes']:,.0f}",
                ]
                for each in records
            ],
        )
    )  # fmt: skip
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"machine": where, "records": records}, indent=1), encoding="utf-8")
    if arguments.plot is not None:
        print(charts.world_rates(records, where, arguments.plot / "worlds.png"))
    return 0
