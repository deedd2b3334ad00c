"""Predicts the time of a step for any number of workers, from a trace of one worker.

`trace` runs a scene on one core with the stages cut as for several workers (`box2dpy.lab.trace(alone=True)`). A stage
of g grains takes ceil(g / P) / g of its time with P workers, and not less than its longest grain; each costs a barrier.
A row of a body that another core has written is a line that travels: of the rows that a grain of the solver visits,
1 - 1/P were written by others, and the workers wait for them side by side. The passes of the solver are shared out
where that pays. All the rest of a step is serial, but for the search of an island beside the solver.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import box2dpy as b2
from box2dpy.scenes import Scene

from .runner import DT, SUBSTEPS, no_collection

WORKERS = (1, 2, 4, 8, 16, 32, 64)
# Of a barrier between cores of one cache, microseconds. Lines travel one after the other: the count of grains to the
# last worker, the new stage to the others, and to each the word of its share; that is 0.34 with two workers (0.24 was
# measured on stages without work), at 0.06 to 0.09 a line. More workers wait for the count of grains.
BARRIER = (0.30, 0.04)  # and for each doubling of the workers
# A row of a body that another core of the same cache has written, microseconds, as far as the processor waits for it.
# The line itself takes 0.06 to 0.09, as measured between two cores, but rows are prefetched side by side, so this is a
# guess
LINE = 0.002
ROWS = 100  # of bodies in a grain of the solver: three blocks of 16 lanes with two bodies; few grains have 256


@dataclass
class Step:
    """Times in microseconds."""

    shared: list[tuple[int, int, float, float]]  # stage, grains, time, longest grain
    aside: float  # beside the solver
    serial: dict[str, float]  # by stage; "scene" is the code of the scene


@dataclass
class Prediction:
    """The mean step for one number of workers, microseconds."""

    parts: dict[str, float] = field(
        default_factory=lambda: {"work": 0.0, "uneven grains": 0.0, "barriers": 0.0, "lines": 0.0}
    )

    def add(self, name: str, time: float) -> None:
        self.parts[name] = self.parts.get(name, 0.0) + time

    @property
    def total(self) -> float:
        return sum(self.parts.values())

    @property
    def serial(self) -> float:
        return sum(time for name, time in self.parts.items() if name.startswith("serial "))

    def bounds(self, most: int = 4) -> str:
        """The largest parts and their shares."""
        largest = sorted(self.parts.items(), key=lambda part: -part[1])[:most]
        return ", ".join(f"{name.removeprefix('serial ')} {100 * time / self.total:.0f}" for name, time in largest)


def trace(scene: Scene, workers: int, steps: int, scale: float) -> list[Step]:
    """Each step but the first, on the calling thread, cut for so many workers."""
    found: list[Step] = []
    names = b2.Profile._fields
    with scene.world(workers=workers) as world, no_collection():
        state = scene.build(world, scale)
        b2.lab.trace(world, 65536, alone=True)
        for number in range(steps):
            start = perf_counter()
            scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            whole = 1.0e6 * (perf_counter() - start)
            if number > 0:
                found.append(_read(b2.lab.spans(world), [1.0e3 * time for time in world.profile], whole, names))
    return found


def _read(spans: Any, profile: Sequence[float], whole: float, names: Sequence[str]) -> Step:
    times = 1.0e3 * (spans["end"] - spans["begin"])
    serial = {name: profile[k] for k, name in enumerate(names) if name != "step"}
    serial["rest"] = profile[0] - sum(serial.values())
    serial["scene"] = whole - profile[0]
    many = spans["grains"] > 1
    for k, name in enumerate(names):
        if name != "step":
            serial[name] -= float(times[many & (spans["stage"] == k)].sum())
    aside = float(times[spans["grains"] == 0].sum())
    serial["split"] -= aside
    longest = 1.0e3 * spans["longest"]
    shared = [
        (int(spans["stage"][k]), int(spans["grains"][k]), float(times[k]), float(longest[k]))
        for k in np.flatnonzero(many)
    ]
    return Step(shared, aside, serial)


def least(runs: Sequence[Sequence[Step]]) -> list[Step]:
    """The steps of several equal runs with the least time of each part."""
    steps = []
    for same in zip(*runs, strict=True):
        shared = [
            (rows[0][0], rows[0][1], min(row[2] for row in rows), min(row[3] for row in rows))
            for rows in zip(*(step.shared for step in same), strict=True)
        ]
        serial = {name: min(step.serial[name] for step in same) for name in same[0].serial}
        steps.append(Step(shared, min(step.aside for step in same), serial))
    return steps


def predict(steps: Sequence[Step], workers: int) -> Prediction:
    result = Prediction()
    solve = b2.Profile._fields.index("solve")
    for step in steps:
        for name, time in step.serial.items():
            result.add(f"serial {name}", time)
        result.add("work", step.aside / workers)
        passes = [row for row in step.shared if row[0] == solve and row[3] == 0.0]
        alone = sum(time for _, _, time, _ in passes)
        together = Prediction()
        for row in passes:
            _share(together, row, workers, lines=True)
        if together.total < alone:  # the world finds the way that takes less time
            for name, time in together.parts.items():
                result.add(name, time)
        else:
            result.add("serial solve", alone)
        for row in step.shared:
            if row not in passes:
                _share(result, row, workers, lines=row[0] == solve)
    for name in result.parts:
        result.parts[name] /= len(steps)
    return result


def _share(result: Prediction, row: tuple[int, int, float, float], workers: int, lines: bool) -> None:
    _, grains, time, longest = row
    result.add("work", time / workers)
    result.add("uneven grains", max(math.ceil(grains / workers) / grains * time, longest) - time / workers)
    if workers > 1:
        result.add("barriers", BARRIER[0] + BARRIER[1] * math.log2(workers))
    if lines:
        result.add("lines", LINE * ROWS * grains * (1 - 1 / workers) / workers)


def measure(scene: Scene, workers: int, steps: int, scale: float) -> NDArray[np.float64]:
    """The time of each stage of each step but the first, and of the code of the scene, microseconds."""
    found = []
    with scene.world(workers=workers) as world, no_collection():
        state = scene.build(world, scale)
        for number in range(steps):
            start = perf_counter()
            scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            whole = 1.0e6 * (perf_counter() - start)
            profile = 1.0e3 * np.array(world.profile)
            profile[0] = whole - profile[1:].sum()
            found.append(profile)
    return np.array(found[1:])


def mean_of_least(runs: Sequence[NDArray[np.float64]]) -> float:
    """The mean step with the least time of each stage over equal runs: a stage is short enough to be left in peace."""
    return float(np.min(runs, axis=0).sum() / len(runs[0]))
