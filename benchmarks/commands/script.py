"""What the scripts `pyramid.py` and `tumbler.py` do: step one scene, print a table, and save a picture."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from time import perf_counter

from box2dpy._draw.render import render
from box2dpy.scenes import get

from ..engines.results import median, percentile
from ..engines.runner import DT, SUBSTEPS
from ..output.report import table


def main(scene_name: str, description: str | None, argv: Sequence[str] | None = None) -> None:
    scene = get(scene_name)
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--steps", type=int, default=scene.steps)
    parser.add_argument("--picture", metavar="PNG", help="leave a picture of the last step")
    arguments = parser.parse_args(argv)

    with scene.world(workers=arguments.workers) as world:
        state = scene.build(world, 1.0)
        times = []
        for number in range(max(2, arguments.steps)):
            start = perf_counter()
            scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            times.append(1000 * (perf_counter() - start))
        counters = world.counters
        rows = [
            ["bodies", f"{counters.bodies}"],
            ["contacts", f"{counters.contacts}"],
            ["islands", f"{counters.islands}"],
            ["first step, ms", f"{times[0]:.2f}"],
            ["median step, ms", f"{median(times[1:]):.3f}"],
            ["p99 step, ms", f"{percentile(times[1:], 0.99):.3f}"],
            ["real time", f"{1000 * DT / median(times[1:]):.1f}x"],
            ["state", f"{world.state_hash():016x}"],
        ]
        print(table([scene.name, f"{len(times)} steps"], rows))
        if arguments.picture:
            render(world, arguments.picture, camera=scene.camera)
            print(f"picture: {arguments.picture}")
