"""`box2dpy.envs` beside Gymnasium's own environments: returns and lengths of episodes, and steps a second.

Gymnasium's environments run on the Box2D bindings, and on `box2dpy.compat`. Each has its own random numbers, so the
distributions are compared, not the episodes. Speed is measured with random actions, and resets count. Where Box2D or
EnvPool is not installed, its row says so.
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
from .options import counts, listed, positive

ENVIRONMENTS = {  # ours, its options, the longest episode, Gymnasium's, EnvPool's
    "lander": ("LunarLander", {}, 1000, "LunarLander-v3", "LunarLander-v2"),
    "walker": ("BipedalWalker", {}, 1600, "BipedalWalker-v3", "BipedalWalker-v3"),
    "hardcore": ("BipedalWalker", {"hardcore": True}, 2000, "BipedalWalkerHardcore-v3", "BipedalWalkerHardcore-v3"),
}
GYMNASIUM = {"Gymnasium on Box2D 2.3.10": False, "Gymnasium on box2dpy.compat": True}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", default="lander,walker", help=", ".join(ENVIRONMENTS))
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


def policy_of(name: str, policy: str, env: Any) -> Callable[[Any], Any]:
    """From the observations of n worlds to their actions."""
    n, rng = env.num_envs, np.random.default_rng(0)
    if policy == "random":
        if name == "lander":
            return lambda _: rng.integers(0, 4, n)
        return lambda _: rng.uniform(-1.0, 1.0, (n, 4))
    if name == "lander":
        return heuristic
    if not importlib.util.find_spec("Box2D"):
        importlib.import_module("box2dpy.compat").install()
    made = importlib.import_module("gymnasium.envs.box2d.bipedal_walker").BipedalWalkerHeuristics
    walkers = [made() for _ in range(n)]
    return lambda rows: np.array([walker.step_heuristic(row) for walker, row in zip(walkers, rows, strict=True)])


def made(name: str, n: int, **options: Any) -> Any:
    """Our environment."""
    kind, further, longest, _, _ = ENVIRONMENTS[name]
    return getattr(importlib.import_module("box2dpy.envs"), kind)(n, max_episode_steps=longest, **further, **options)


def episodes(name: str, policy: str, seeds: int) -> list[tuple[float, int, bool]]:
    """Returns, lengths and whether they ended, of one episode for each seed."""
    env = made(name, seeds)
    act = policy_of(name, policy, env)
    observations, _ = env.reset(seed=0)
    returns, lengths, ends = np.zeros(seeds), np.zeros(seeds, int), np.zeros(seeds, bool)
    going = np.ones(seeds, bool)
    while going.any():
        observations, rewards, ended, cut, _ = env.step(act(observations))
        returns[going] += rewards[going]
        lengths[going] += 1
        ends |= going & ended
        going &= ~(ended | cut)
    env.close()
    return list(zip(returns.tolist(), lengths.tolist(), ends.tolist(), strict=True))


def steps_per_second(step: Callable[[int], Any], n: int, seconds: float) -> float:
    """Of n worlds together, from the median of the calls."""
    for k in range(max(20, min(200, 20_000 // n))):  # until episodes of all ages are under way, and grounds are known
        step(k)
    times, end = [], perf_counter() + seconds
    while perf_counter() < end:
        start = perf_counter()
        step(len(times))
        times.append(perf_counter() - start)
    return n / float(np.median(times))


def speeds(name: str, arguments: argparse.Namespace) -> list[list[str]]:
    rows, rng = [], np.random.default_rng(0)
    _, _, _, theirs, pooled = ENVIRONMENTS[name]

    def add(engine: str, n: int, workers: int, make: Callable[[], Any]) -> None:
        env = make()
        actions = rng.integers(0, 4, (64, n)) if name == "lander" else rng.uniform(-1, 1, (64, n, 4)).astype(np.float32)
        env.reset()
        rate = steps_per_second(lambda k: env.step(actions[k % 64]), n, arguments.seconds)
        rows.append([name, engine, f"{n}", f"{workers}", f"{rate:,.0f}"])
        env.close()

    for workers in arguments.workers or sorted({1, min(64, processors())}):
        for n in arguments.worlds:
            add("box2dpy", n, workers, lambda n=n, workers=workers: made(name, n, workers=workers))
    if importlib.util.find_spec("Box2D"):
        make_vec = importlib.import_module("gymnasium").make_vec
        for kind, mode, n in (("Gymnasium", "sync", 1), ("AsyncVectorEnv", "async", processors())):
            add(kind, n, n, lambda mode=mode, n=n: make_vec(theirs, n, vectorization_mode=mode))
    else:
        rows += [[name, kind, "", "", "Box2D is not installed"] for kind in ("Gymnasium", "AsyncVectorEnv")]
    if importlib.util.find_spec("envpool"):
        pool, threads = importlib.import_module("envpool").make_gymnasium, processors()
        for n in (64, 1024):
            add("EnvPool", n, threads, lambda n=n: pool(pooled, num_envs=n, num_threads=threads))
    else:
        rows.append([name, "EnvPool", "", "", "is not installed"])
    return rows


def run(arguments: argparse.Namespace) -> int:
    print(sentence(machine()), end="\n\n")
    names = listed(arguments.env)
    for name in names:
        if name not in ENVIRONMENTS:
            raise ValueError(f"environment {name!r} is not known: {', '.join(ENVIRONMENTS)}")
    rows = []
    for name in names:
        for policy in ("heuristic", "random"):
            rows.append([name, policy, "box2dpy.envs", *compat.summary(episodes(name, policy, arguments.seeds))])
            for engine, on_compat in GYMNASIUM.items():
                if name in compat.ENVIRONMENTS and (on_compat or importlib.util.find_spec("Box2D")):
                    found = compat.measured(on_compat, name, policy, arguments.seeds)
                    rows.append([name, policy, engine, *compat.summary(found["rows"])])
    head = ["environment", "policy", "engine", "return", "median", "length", ">= 200", "ended"]
    print(table(head, rows, left=3), end="\n\n")
    timed = [row for name in names for row in speeds(name, arguments)]
    print(table(["environment", "engine", "worlds", "workers", "steps a second"], timed, left=2))
    if arguments.tasks:
        for workers in arguments.workers or [1]:
            print()
            print(table(tasks.HEADINGS, tasks.speeds(arguments.tasks, workers, arguments.seconds)))
    return 0
