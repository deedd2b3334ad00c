"""Runs a scene on an engine: on box2dpy, on a peer, or with Box2D's own program."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, cast

import box2dpy as b2
from box2dpy.scenes import Scene

from . import box2d_program, peers
from .peer import CannotExpress
from .results import Engine, Result, Run

DT = 1 / 60
SUBSTEPS = 4


def names_of(table: Any) -> list[str]:
    """The numbers that a profile or a counters object has."""
    names: Sequence[str] = getattr(table, "_fields", None) or [name for name in dir(table) if name[0] != "_"]
    return [name for name in names if isinstance(getattr(table, name), (int, float))]


def run_once(engine: Engine, scene: Scene, steps: int, scale: float = 1.0, budget_s: float = float("inf")) -> Run:
    """One pass of `steps` steps, the first of them untimed; fewer when `budget_s` seconds have passed.

    Raises:
        CannotExpress: the peer lacks something.
        ProgramError: Box2D's program cannot do it.
    """
    if engine.path:
        return _run_program(engine, scene, steps, scale)
    return _run_ours(engine, scene, steps, scale, budget_s) if engine.ours else _run_peer(engine, scene, steps, scale)


def _run_ours(engine: Engine, scene: Scene, steps: int, scale: float, budget_s: float) -> Run:
    run = Run()
    with scene.world(workers=engine.workers, **dict(engine.options)) as world, no_collection():
        state = scene.build(world, scale)
        stages = names_of(world.profile)
        sums = dict.fromkeys(stages, 0.0)
        end = perf_counter() + budget_s
        for number in range(steps):
            start = perf_counter()
            changed = scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            now = perf_counter()
            if number == 0:
                run.step0_ms = 1000 * (now - start)
                continue
            run.step_ms.append(1000 * (now - start))
            run.changed.append(changed)
            run.allocations += world.counters.step_allocations
            profile = world.profile
            for name in stages:
                sums[name] += getattr(profile, name)
            if now > end:
                break
        run.profile_ms = {name: total / max(1, len(run.step_ms)) for name, total in sums.items()}
        counters = world.counters
        run.counters = {name: int(getattr(counters, name)) for name in names_of(counters)}
        run.state_hash = int(world.state_hash())
    return run


def _run_peer(engine: Engine, scene: Scene, steps: int, scale: float) -> Run:
    run = Run()
    peer = peers.create(engine.name, **scene.options)
    world = cast(b2.World, peer)  # it has what the scenes use
    with no_collection():
        state = scene.build(world, scale)
        for number in range(steps):
            start = perf_counter()
            changed = scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            time_ms = 1000 * (perf_counter() - start)
            if number == 0:
                run.step0_ms = time_ms
            else:
                run.step_ms.append(time_ms)
                run.changed.append(changed)
    run.counters = peer.counts._asdict()
    peer.close()
    return run


def _run_program(engine: Engine, scene: Scene, steps: int, scale: float) -> Run:
    output = box2d_program.run(engine.path, scene, engine.workers, steps, scale)
    run = Run(whole_ms=output.total_ms, counters={**output.counters, "steps": output.steps})
    if output.step_ms:
        run.step0_ms, run.step_ms = output.step_ms[0], output.step_ms[1:]
        run.changed = [scene.name == "rain" and number % 8 == 0 for number in range(1, output.steps)]
    return run


class no_collection:
    """Switches Python's cycle collector off during a run, for every engine alike."""

    def __enter__(self) -> None:
        gc.collect()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.enable()


def run_scene(
    scene: Scene,
    engines: Sequence[Engine],
    *,
    steps: int | None = None,
    repeat: int = 1,
    scale: float = 1.0,
    before: Callable[[Scene, Engine, int], None] | None = None,
) -> list[Result]:
    """All engines over one scene, alternating: every engine once, then every engine again."""
    results = [Result(scene.name, engine, scale=scale) for engine in engines]
    for turn in range(repeat):
        for result in results:
            if result.skipped:
                continue
            if before is not None:
                before(scene, result.engine, turn)
            try:
                result.runs.append(run_once(result.engine, scene, steps or scene.steps, scale))
            except (CannotExpress, box2d_program.ProgramError) as reason:
                result.skipped = str(reason)
    return results
