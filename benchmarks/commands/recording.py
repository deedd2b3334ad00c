"""Recordings and rollback: bytes for each second of a scene, what recording and seeking cost, a rollback of 8 steps."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from random import Random
from time import perf_counter, thread_time

import box2dpy as b2
from box2dpy.scenes import Scene

from ..output.progress import Progress
from ..output.report import number, table
from .options import add_scenes, chosen_scenes, positive

BODIES, BACK, ROUNDS = 200, 8, 200
SEEKS = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scenes(parser)
    parser.add_argument("--rollback", action="store_true", help="only the cost of a rollback")
    parser.add_argument("--steps", type=positive, default=300, help="steps of 1/60 s of each scene")


def run_scene(scene: Scene, scale: float, steps: int, path: Path | None) -> float:
    """Milliseconds of the steps of a scene, with its first step left out."""
    with scene.world() as world:
        state = scene.build(world, scale)
        if path is not None:
            world.record(path)
        start = 0.0
        for k in range(steps):
            scene.advance(world, state, k)
            world.step()
            if k == 0:
                start = thread_time()
        return 1000 * (thread_time() - start)


def row_of(scene: Scene, scale: float, steps: int, folder: Path) -> list[str]:
    path, page = folder / "scene.b2d", folder / "scene.html"
    plain = run_scene(scene, scale, steps, None)
    recorded = run_scene(scene, scale, steps, path)
    with b2.Recording(path) as recording:
        seconds, bodies = recording.duration, int(recording[-1].living.sum())
        recording.save_html(page)
        order, slowest = Random(1), 0.0
        for _ in range(SEEKS):
            start = thread_time()
            recording[order.randrange(len(recording))]
            slowest = max(slowest, thread_time() - start)
    return [
        scene.name, f"{bodies}", number(path.stat().st_size / seconds / 1000, ".0f"),
        number(page.stat().st_size / seconds / 1000, ".0f"),
        number(1000 * path.stat().st_size / seconds / 60 / bodies / 1000, ".1f"),
        number((recorded - plain) / (steps - 1)), number(plain / (steps - 1)), number(1000 * slowest, ".1f"),
    ]  # fmt: skip


def rollback() -> str:
    """The cost of a rollback as in a networked game: restore, and 8 steps with another input; no body sleeps."""
    with b2.World(sleeping=False) as world:
        ground = world.create_static_body()
        ground.create_shape(b2.Segment((-40, 0), (40, 0)))
        for k in range(BODIES):
            body = world.create_dynamic_body((-19 + 2 * (k % 20), 0.5 + 1.01 * (k // 20)))
            body.create_shape(b2.Box(0.45, 0.5) if k % 2 else b2.Circle(0.5))
        player = world.body(1)
        for _ in range(60):
            world.step()
        saves, restores, steps = [], [], []
        for k in range(ROUNDS):
            start = perf_counter()
            state = world.save()
            saves.append(perf_counter() - start)
            for _ in range(BACK):
                world.step()
            start = perf_counter()
            world.restore(state)
            restores.append(perf_counter() - start)
            start = perf_counter()
            player.apply_force((30.0 if k % 2 else -30.0, 0))
            for _ in range(BACK):
                world.step()
            steps.append(perf_counter() - start)
        size = state.nbytes
    save, restore, again = (1e6 * sorted(each)[len(each) // 2] for each in (saves, restores, steps))
    rows = [
        ["save, once in every step of a game, us", number(save, ".0f")],
        ["restore, us", number(restore, ".0f")],
        [f"{BACK} steps with another input, us", number(again, ".0f")],
        ["the whole rollback, us", number(restore + again, ".0f")],
        ["a saved state, KB", number(size / 1000, ".0f")],
    ]
    return table([f"rollback of {BACK} steps, {BODIES} bodies awake, median of {ROUNDS}", ""], rows)


def run(arguments: argparse.Namespace) -> int:
    if arguments.rollback:
        print(rollback())
        return 0
    head = ["scene", "bodies", "KB a second", "page, KB a second", "bytes a body and frame"]
    head += ["recording, ms a step", "step, ms", "seek, at most ms"]
    scenes, rows = chosen_scenes(arguments.scene), []
    with Progress(len(scenes)) as progress, tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            progress.begin(scene.name)
            rows.append(row_of(scene, arguments.scale, arguments.steps, Path(folder)))
    print(table(head, rows))
    print()
    print(rollback())
    return 0
