"""`make demo`: the large pyramid and the tumbler, a table, and a picture of both in `out/demo.png`.

With a screen and pyglet a window shows both as they move (escape closes it). The picture is written in any case.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import box2dpy as b2
from box2dpy.scenes import Scene, get

from ..engines.results import Engine, Run, median, percentile
from ..engines.runner import DT, SUBSTEPS, run_once
from ..output.machine import machine
from ..output.report import table

SCENES = ("large_pyramid", "tumbler")
BUDGET_S = 10.0  # for one scene at one worker count; a slow machine runs fewer steps
PICTURE_STEPS = 300
PICTURE_SIZE = (900, 900)


def row(scene: Scene, engine: Engine, run: Run) -> list[str]:
    steps = run.step_ms
    counts = [f"{run.counters[name]}" for name in ("bodies", "touching", "islands")]
    speed = 1000 * DT / median(steps)
    times = [f"{median(steps):.3f}", f"{percentile(steps, 0.99):.3f}", f"{run.step0_ms:.1f}", f"{speed:.1f}x"]
    return [scene.name, str(engine.workers), str(len(steps) + 1), *counts, *times]


def measure(worker_counts: Sequence[int], budget_s: float = BUDGET_S, steps: int | None = None) -> str:
    head = ["scene", "workers", "steps", "bodies", "contacts", "islands", "ms/step", "p99", "step 0", "real time"]
    rows = []
    for name in SCENES:
        scene = get(name)
        for workers in worker_counts:
            engine = Engine("box2dpy", workers)
            rows.append(row(scene, engine, run_once(engine, scene, steps or scene.steps, budget_s=budget_s)))
    return table(head, rows)


def picture(path: Path, steps: int = PICTURE_STEPS) -> bool:
    """Both scenes side by side; false, with a line on stderr, when pillow is missing."""
    from box2dpy._draw.render import render, side_by_side

    images = []
    for name in SCENES:
        scene = get(name)
        with scene.world() as world:
            state = scene.build(world, 1.0)
            for number in range(steps):
                scene.advance(world, state, number)
                world.step(DT, SUBSTEPS)
            try:
                images.append(render(world, camera=scene.camera, size=PICTURE_SIZE))
            except ModuleNotFoundError as error:
                print(f"no picture: {error}", file=sys.stderr)
                return False
    side_by_side(images, path)
    return True


def has_screen() -> bool:
    """Whether a window makes sense: a display that pyglet can open."""
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(display) and importlib.util.find_spec("pyglet") is not None


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog=f"python -m {(__package__ or '').removesuffix('.commands')}.demo", description="A pyramid and a tumbler."
    )
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture")
    parser.add_argument("--steps", type=int, help="steps instead of the scenes' own")
    parser.add_argument("--no-window", action="store_true", help="never open a window")
    arguments = parser.parse_args(argv)
    worker_counts = (1, 2) if (os.cpu_count() or 1) > 1 else (1,)
    where = machine()
    print(f"box2dpy {b2.__version__} on {where['cpu']}, {where['cores']} cores")
    print(measure(worker_counts, steps=arguments.steps), flush=True)
    path = arguments.out / "demo.png"
    if picture(path, min(arguments.steps or PICTURE_STEPS, PICTURE_STEPS)):
        print(f"picture: {path}")
    if has_screen() and not arguments.no_window:
        from .window import show

        try:
            show(SCENES)
        except Exception as error:  # no usable OpenGL, a display that refuses: the picture is there anyway
            print(f"no window: {error}", file=sys.stderr)
    return 0
