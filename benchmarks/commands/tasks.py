"""Steps a second of the environments of `box2dpy.envs` that have no counterpart to be compared with."""

from __future__ import annotations

import importlib
from time import perf_counter, process_time
from typing import Any

import numpy as np

TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "Hopper": ("Hopper", {}),
    "Walker": ("Walker", {}),
    "Cheetah": ("Cheetah", {}),
    "PushT": ("PushT", {}),
    "CircuitRacing": ("CircuitRacing", {}),
    "CircuitRacing, pixels": ("CircuitRacing", {"obs": "pixels"}),
    "AirHockey": ("AirHockey", {}),
    "Scoop": ("Scoop", {}),
}
HEADINGS = ["environment", "worlds", "workers", "best", "median"]


def speeds(worlds: int, workers: int, seconds: float) -> list[list[str]]:
    """Rows of a table: steps a second of all worlds together, with random actions and resets, from the least time of a
    call and from the median. With one worker in processor time."""
    clock = process_time if workers == 1 else perf_counter
    rows, envs = [], importlib.import_module("box2dpy.envs")
    for name, (kind, options) in TASKS.items():
        env = getattr(envs, kind)(worlds, workers=workers, **options)
        env.action_space.seed(0)
        actions = [env.action_space.sample() for _ in range(16)]
        env.reset(seed=0)
        for k in range(50):  # until some episodes have ended
            env.step(actions[k % 16])
        times: list[float] = []
        while sum(times) < seconds or len(times) < 10:
            start = clock()
            env.step(actions[len(times) % 16])
            times.append(clock() - start)
        env.close()
        rates = worlds / min(times), worlds / float(np.median(times))
        rows.append([name, f"{worlds}", f"{workers}", *(f"{rate:,.0f}" for rate in rates)])
    return rows
