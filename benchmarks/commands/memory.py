"""The memory of a scene: growth of the resident set by building it and 100 steps, each engine in a new process."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import box2dpy as b2
from box2dpy.scenes import Scene, get

from ..engines import peers
from ..output.progress import Progress
from ..output.report import number, table
from .options import add_peers, add_scenes, chosen_peers, chosen_scenes

STEPS = 100
WORLDS = 10_000
BODIES = 10_000
DEFAULT_SCENES = ("large_pyramid", "tumbler")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scenes(parser)
    add_peers(parser, "")
    parser.add_argument("--child", nargs=2, metavar=("ENGINE", "SCENE"), help=argparse.SUPPRESS)


def resident() -> int:
    """Bytes of this process that are in memory.

    Raises:
        ValueError: the system does not say (Linux only).
    """
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        raise ValueError("memory can be measured on Linux only") from None
    return pages * os.sysconf("SC_PAGE_SIZE")


def growth_here(engine: str, scene_name: str, scale: float) -> int:
    """Growth of this process in bytes; called in a new process."""
    scene = get(scene_name)

    def new() -> Any:
        return scene.world() if engine == "box2dpy" else peers.create(engine, **scene.options)

    new().step(1 / 60, 4)  # memory that an engine allocates once does not belong to the scene
    before = resident()
    world = new()
    state = scene.build(cast(b2.World, world), scale)
    for step in range(STEPS):
        scene.advance(cast(b2.World, world), state, step)
        world.step(1 / 60, 4)
    return resident() - before


def growth(engine: str, scene: Scene, scale: float) -> int | None:
    """The same in a process of its own; None when that fails, with its last line on stderr."""
    package = (__package__ or "benchmarks.commands").removesuffix(".commands")
    command = [sys.executable, "-m", package, "memory", "--scale", str(scale), "--child", engine, scene.name]
    # the child process must find the same modules for any working directory
    places = os.pathsep.join(path or os.getcwd() for path in sys.path)
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": places}, check=False
    )
    if done.returncode != 0:
        print(f"{engine} {scene.name}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return int(done.stdout)


def compare(scenes: Sequence[Scene], names: Sequence[str], scale: float) -> str:
    """Two tables: scenes by engine, and what worlds and bodies cost in our own."""
    engines = ["box2dpy", *names]
    rows = []
    with Progress(len(scenes) * len(engines)) as progress:
        for scene in scenes:
            row = [scene.name]
            for engine in engines:
                progress.begin(f"{scene.name} {engine}")
                size = growth(engine, scene, scale)
                row.append(number(None if size is None else size / 1e6, ".1f"))
            rows.append(row)
    first = table([f"MB after {STEPS} steps", *engines], rows)
    return f"{first}\n\n{own_costs()}"


def own_costs() -> str:
    """Empty worlds and bodies with a box."""
    before, start = resident(), perf_counter()
    worlds = [b2.World() for _ in range(WORLDS)]
    took, grown = perf_counter() - start, resident() - before
    tables = worlds[0].counters.bytes
    for world in worlds:
        world.close()
    with b2.World() as world:
        box = b2.Box(0.5, 0.5)
        world.create_dynamic_body().create_shape(box)
        empty = world.counters.bytes
        for k in range(BODIES):
            world.create_dynamic_body((2.0 * k, 0)).create_shape(box)
        body = (world.counters.bytes - empty) / BODIES
    rows = [
        [f"empty world, {WORLDS} live: resident bytes", f"{grown / WORLDS:.0f}"],
        ["empty world: counters.bytes", f"{tables}"],
        ["empty world: microseconds to create", f"{1e6 * took / WORLDS:.1f}"],
        [f"body and box at {BODIES} bodies: bytes each", f"{body:.0f}"],
    ]
    return table(["box2dpy", ""], rows)


def run(arguments: argparse.Namespace) -> int:
    if arguments.child:
        print(growth_here(*arguments.child, arguments.scale))
    else:
        scenes = chosen_scenes(arguments.scene, DEFAULT_SCENES)
        print(compare(scenes, chosen_peers(arguments.peer), arguments.scale))
    return 0
