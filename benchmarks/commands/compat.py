"""Gymnasium's Box2D environments on box2dpy.compat beside the bindings that they were written for.

Returns and lengths of the same episodes, and the time of a step. The two cannot share a process, so that each runs in
processes of its own, by turns. The time of a pass is the median of its steps, that of an engine the least of its
passes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from time import thread_time
from typing import Any

import numpy as np

from ..output.report import number, table
from .options import listed, positive

ENGINES = {"Box2D 2.3.10": False, "box2dpy.compat": True}
ENVIRONMENTS = {"lander": "LunarLander-v3", "walker": "BipedalWalker-v3", "car": "CarRacing-v3"}
CAR_STEPS = 400  # of an episode of the car, which is not drawn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", default="lander,walker,car", help="lander, walker, car")
    parser.add_argument("--policy", default="heuristic,random", help="heuristic, random")
    parser.add_argument("--seeds", type=positive, default=20, help="episodes of each")
    parser.add_argument("--passes", type=positive, default=3, help="how often the speed is measured")
    parser.add_argument("--child", nargs=4, metavar=("COMPAT", "ENV", "POLICY", "SEEDS"), help=argparse.SUPPRESS)


def car_driver(env: Any) -> Callable[[Any], Any]:
    """Steers to a point of the track ahead, at up to 50 m/s."""

    def act(_: Any) -> Any:
        hull = env.car.hull
        place, track = np.array(tuple(hull.position)), np.array([tile[2:4] for tile in env.track])
        nearest = int(np.argmin(((track - place) ** 2).sum(axis=1)))
        way = track[(nearest + 6) % len(track)] - place
        ahead = np.array([-np.sin(hull.angle), np.cos(hull.angle)])
        error = np.arctan2(ahead[0] * way[1] - ahead[1] * way[0], ahead @ way)
        speed = hull.linearVelocity.length
        return np.array([-np.clip(2 * error, -1, 1), float(speed < 35), 0.4 * (speed > 50)], np.float32)

    return act


def policy_of(policy: str, name: str, env: Any, seed: int) -> Callable[[Any], Any]:
    rng, space = np.random.default_rng(seed), env.action_space
    if policy == "random":
        if hasattr(space, "n"):
            return lambda _: int(rng.integers(space.n))
        return lambda _: rng.uniform(space.low, space.high).astype(np.float32)
    if name == "car":
        return car_driver(env)
    module = importlib.import_module(type(env).__module__)
    if name == "lander":
        return lambda observation: module.heuristic(env, observation)
    return module.BipedalWalkerHeuristics().step_heuristic  # type: ignore[no-any-return]


def episodes(compat: bool, name: str, policy: str, seeds: int) -> dict[str, Any]:
    """Plays episodes in this process: their returns and lengths, whether they ended, and the time of a step."""
    if compat:
        importlib.import_module("box2dpy.compat").install()
    gym = importlib.import_module("gymnasium")
    made = gym.make(ENVIRONMENTS[name])
    env = made.unwrapped
    if name == "car":
        env._render = lambda mode: np.zeros((96, 96, 3), np.uint8)
    rows, times = [], []
    for seed in range(seeds):
        observation, _ = made.reset(seed=seed)
        act = policy_of(policy, name, env, seed)
        total, steps, ended, cut = 0.0, 0, False, False
        while not (ended or cut or (name == "car" and steps == CAR_STEPS)):
            action = act(observation)
            before = thread_time()
            observation, reward, ended, cut, _ = made.step(action)
            times.append(thread_time() - before)
            total += float(reward)
            steps += 1
        rows.append((total, steps, bool(ended)))
    return {"rows": rows, "microseconds": 1e6 * float(np.median(times))}


def measured(compat: bool, name: str, policy: str, seeds: int) -> dict[str, Any]:
    words = [str(int(compat)), name, policy, str(seeds)]
    program = [sys.executable, "-m", "box2dpy.benchmarks", "compat", "--child", *words]
    done = subprocess.run(program, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{' '.join(words)} failed: {done.stderr.strip()[-500:]}")
    return dict(json.loads(done.stdout))


def summary(rows: Sequence[Sequence[float]]) -> list[str]:
    returns, lengths, ends = (np.array(column, float) for column in zip(*rows, strict=True))
    error = 1.0 / np.sqrt(len(returns))
    return [
        f"{returns.mean():.1f} +- {returns.std() * error:.1f}",
        number(float(np.median(returns)), ".1f"),
        f"{lengths.mean():.0f} +- {lengths.std() * error:.0f}",
        number(float((returns >= 200.0).mean())),
        number(float(ends.mean())),
    ]


def run(arguments: argparse.Namespace) -> int:
    if arguments.child:
        compat, name, policy, seeds = arguments.child
        print(json.dumps(episodes(compat == "1", name, policy, int(seeds))))
        return 0
    head = ["environment", "policy", "engine", "return", "median", "length", ">= 200", "ended", "us a step", "ratio"]
    rows = []
    for name in listed(arguments.env):
        if name not in ENVIRONMENTS:
            raise ValueError(f"environment {name!r} is not known: {', '.join(ENVIRONMENTS)}")
        for policy in listed(arguments.policy):
            if policy not in ("heuristic", "random"):
                raise ValueError(f"policy {policy!r} is not known: heuristic, random")
            found: dict[str, dict[str, Any]] = {}
            for turn in range(arguments.passes):
                for engine, compat in ENGINES.items():
                    result = measured(compat, name, policy, arguments.seeds if turn == 0 else min(arguments.seeds, 5))
                    first = found.setdefault(engine, result)
                    first["microseconds"] = min(first["microseconds"], result["microseconds"])
            base = found["Box2D 2.3.10"]["microseconds"]
            for engine, result in found.items():
                took = result["microseconds"]
                speed = [number(took, ".1f"), number(took / base)]
                rows.append([ENVIRONMENTS[name], policy, engine, *summary(result["rows"]), *speed])
            print(f"{ENVIRONMENTS[name]}, {policy}: done", file=sys.stderr, flush=True)
    print(table(head, rows, left=3))
    return 0
