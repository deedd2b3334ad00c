"""`box2dpy.envs` beside Gymnasium's own environments: returns and lengths of episodes, and steps a second.

Gymnasium's environment runs on the Box2D bindings, and on `box2dpy.compat`. Each has its own random numbers, so the
distributions are compared, not the episodes. Speed is measured with random actions, and resets count. Where Box2D or
EnvPool is not installed, its rows are missing.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from ..output.machine import machine, processors, sentence
from ..output.report import table
from . import compat, tasks
from .options import counts, positive

LONGEST = 1000  # steps of an episode
GYMNASIUM = {"Gymnasium on Box2D 2.3.10": False, "Gymnasium on box2dpy.compat": True}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=positive, default=100, help="episodes of each")
    parser.add_argument("--worlds", type=counts, default=[1, 64, 1024, 4096], help="numbers of worlds, with commas")
    parser.add_argument("--workers", type=counts, help="worker counts; default: 1 and as many as there are processors")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each speed is measured")
    parser.add_argument("--tasks", type=int, default=1024, help="worlds of the other environments; 0: none")


def heuristic(states: Any) -> Any:
    """The policy that Gymnasium's module of LunarLander demonstrates, for n landers."""
    x, y, vx, vy, angle, turning, left, right = states.T
    contact = left + right > 0
    target = np.clip(0.5 * x + vx, -0.4, 0.4)
    turn = np.where(contact, 0.0, 0.5 * (target - angle) - turning)
    hover = np.where(contact, -0.5 * vy, 0.5 * (0.55 * np.abs(x) - y) - 0.5 * vy)
    return np.select([(hover > np.abs(turn)) & (hover > 0.05), turn < -0.05, turn > 0.05], [2, 3, 1], 0)


def episodes(policy: str, seeds: int) -> list[tuple[float, int, bool]]:
    """Returns, lengths and whether they ended, of one episode for each seed."""
    rng = np.random.default_rng(0)
    env = importlib.import_module("box2dpy.envs").LunarLander(seeds, max_episode_steps=LONGEST)
    observations, _ = env.reset(seed=0)
    returns, lengths, ends = np.zeros(seeds), np.zeros(seeds, int), np.zeros(seeds, bool)
    going = np.ones(seeds, bool)
    while going.any():
        actions = heuristic(observations) if policy == "heuristic" else rng.integers(0, 4, seeds)
        observations, rewards, ended, cut, _ = env.step(actions)
        returns[going] += rewards[going]
        lengths[going] += 1
        ends |= going & ended
        going &= ~(ended | cut)
    env.close()
    return list(zip(returns.tolist(), lengths.tolist(), ends.tolist(), strict=True))


def steps_per_second(step: Callable[[int], Any], n: int, seconds: float) -> float:
    """Of n worlds together, from the median of the calls."""
    for k in range(20):
        step(k)
    times, end = [], perf_counter() + seconds
    while perf_counter() < end:
        start = perf_counter()
        step(len(times))
        times.append(perf_counter() - start)
    return n / float(np.median(times))


def speeds(arguments: argparse.Namespace) -> list[list[str]]:
    rows, rng = [], np.random.default_rng(0)

    def add(name: str, n: int, workers: int, make: Callable[[], Any]) -> None:
        env, actions = make(), rng.integers(0, 4, (64, n))
        env.reset()
        rate = steps_per_second(lambda k: env.step(actions[k % 64]), n, arguments.seconds)
        rows.append([name, f"{n}", f"{workers}", f"{rate:,.0f}"])
        env.close()

    envs, gymnasium = importlib.import_module("box2dpy.envs"), importlib.import_module("gymnasium")
    for workers in arguments.workers or sorted({1, min(64, processors())}):
        for n in arguments.worlds:
            add("box2dpy", n, workers, lambda n=n, workers=workers: envs.LunarLander(n, workers=workers))
    if importlib.util.find_spec("Box2D"):
        for mode, n in (("sync", 1), ("async", processors())):
            add(
                f"Gymnasium, {mode}", n, n,
                lambda mode=mode, n=n: gymnasium.make_vec("LunarLander-v3", n, vectorization_mode=mode),
            )  # fmt: skip
    if importlib.util.find_spec("envpool"):
        make = importlib.import_module("envpool").make_gymnasium
        for n in (64, 1024):
            threads = processors()
            add(
                "EnvPool", n, threads,
                lambda n=n, threads=threads: make("LunarLander-v2", num_envs=n, num_threads=threads),
            )  # fmt: skip
    return rows


def run(arguments: argparse.Namespace) -> int:
    print(sentence(machine()), end="\n\n")
    rows = []
    for policy in ("heuristic", "random"):
        rows.append([policy, "box2dpy.envs", *compat.summary(episodes(policy, arguments.seeds))])
        for name, on_compat in GYMNASIUM.items():
            if on_compat or importlib.util.find_spec("Box2D"):
                found = compat.measured(on_compat, "lander", policy, arguments.seeds)
                rows.append([policy, name, *compat.summary(found["rows"])])
    print(table(["policy", "environment", "return", "median", "length", ">= 200", "ended"], rows), end="\n\n")
    print(table(["LunarLander of", "worlds", "workers", "steps a second"], speeds(arguments)))
    if arguments.tasks:
        print()
        for workers in arguments.workers or [1]:
            print(table(tasks.HEADINGS, tasks.speeds(arguments.tasks, workers, arguments.seconds)))
    return 0
