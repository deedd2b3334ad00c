"""Random executors: `python -m tests.fuzz.executors [steps] [first seed]`.

Worlds and batches are stepped with a scheduler whose executor runs each function at once, later, several times, on
other threads, in any order or not at all, raises, or is interrupted. The bits are those of one worker, an interrupt
leaves its call, once if there are several, and what runs when the scheduler has gone does nothing. The same seed makes
the same choices, which threads meet in any order.
"""

from __future__ import annotations

import gc
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy.scenes import SCENES

from ..patience import PATIENCE
from ..seeds import draws
from .command import main


class Executor:
    """Does what a generator says with what it is given."""

    def __init__(self, draw: random.Random, pool: ThreadPoolExecutor) -> None:
        self.draw, self.pool, self.lock = draw, pool, threading.Lock()
        self.kept: list[tuple[Callable[[Any], Any], Any]] = []
        self.interrupted = False  # in the present call, which more than one interrupt leaves once
        self.weights = [draw.random() ** 4 for _ in range(9)]

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        with self.lock:  # other workers ask as well
            kind = self.draw.choices(range(9), self.weights)[0]
        if kind == 0:
            function(argument)
        elif kind == 1:
            function(argument)
            function(argument)
        elif kind in (2, 3):
            for _ in range(kind - 1):
                self.pool.submit(function, argument)
        elif kind == 4:
            self.kept.append((function, argument))
        elif kind == 5:
            self.pool.submit(function, argument).result(PATIENCE if threading.current_thread() is MAIN else 0.0)
        elif kind == 6:
            raise RuntimeError("it is shut down")
        elif kind == 7 and threading.current_thread() is MAIN and self.draw.random() < 0.1:
            self.interrupted = True
            raise KeyboardInterrupt

    def run_kept(self) -> None:
        kept, self.kept = self.kept, []
        self.draw.shuffle(kept)
        for function, argument in kept:
            function(argument)


MAIN = threading.main_thread()


def worlds(draw: random.Random, workers: int | b2.Scheduler) -> tuple[b2.World, b2.WorldBatch]:
    scene = SCENES[draw.choice(("large_pyramid", "tumbler", "mixed_pile", "falling_hinges", "menagerie"))]
    world = scene.world(workers=workers)
    scene.build(world, draw.choice((0.1, 0.3)))
    with b2.World() as template:
        template.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        for k in range(4):
            template.create_dynamic_body((0.1 * k, 0.5 + k)).create_shape(b2.Box(0.5, 0.5))
        return world, b2.WorldBatch(template, draw.choice((3, 300)), workers=workers)


def play(calls: list[Callable[[], Any]], executor: Executor | None) -> int:
    """Makes the calls. Returns how many were left by an interrupt that did not come, or not left by one that came."""
    wrong = 0
    for call in calls:
        left = False
        try:
            call()
        except KeyboardInterrupt:
            left = True
        if executor is not None:
            wrong += left != executor.interrupted
            executor.interrupted = False
        if executor is not None and executor.draw.random() < 0.1:
            executor.run_kept()
    return wrong


def one(seed: int, steps: int, pool: ThreadPoolExecutor) -> list[str]:
    failures, hashes = [], []
    for alone in (True, False):
        draw = draws(seed)
        executor = None if alone else Executor(draws(seed + 1), pool)
        workers = draw.randrange(2, 6)
        world, batch = worlds(draw, 1 if executor is None else b2.Scheduler(workers, executor=executor))
        rows = [(0.1 * k - 20, 30.0) for k in range(400)]
        ways = np.full((400, 2), (0.0, -60.0))

        def staged(world: b2.World = world) -> None:
            with world.staged_step() as step:
                for _ in step.substeps():
                    pass

        def cast(world: b2.World = world) -> int:
            return len(world.ray_casts(rows, ways))

        some: tuple[Callable[[], Any], ...] = (world.step, world.step, staged, batch.step, cast)
        calls = [draw.choice(some) for _ in range(steps)]
        if wrong := play(calls, executor):
            failures.append(f"seed {seed}: in {wrong} calls an interrupt was lost, or came from nowhere")
        hashes.append([world.state_hash(), *batch.state_hash().tolist()])
        world.close()
        batch.close()
        del world, batch, staged, cast, some, calls
        gc.collect()
        if executor is not None:
            executor.run_kept()
    if hashes[0] != hashes[1]:
        failures.append(f"seed {seed}: other bits than with one worker")
    return failures


def run(steps: int, first_seed: int) -> list[str]:
    """Worlds of 20 steps. Returns what should not have happened."""
    gc.freeze()  # what is imported is not searched in each collection
    with ThreadPoolExecutor(4) as pool:
        return [each for k in range(max(1, steps // 20)) for each in one(first_seed + k, min(steps, 20), pool)]


if __name__ == "__main__":
    main(run, 2_000, "steps with executors")
