"""Gymnasium's Box2D environments and PettingZoo's MultiWalker on box2dpy.compat beside the bindings that they were
written for.

Returns and lengths of the same episodes, and the time of a step. The two cannot share a process, so that each runs in
processes of its own, by turns. The time of a pass is the median of its steps, that of an engine the least of its
passes. A second table has the Kolmogorov-Smirnov distance of both distributions, and the distance that 1 of 100 pairs
of samples of one distribution exceeds. Where the bindings are not installed, their episodes are those of
bindings.json (Box2D 2.3.10, Gymnasium 1.4, PettingZoo 1.27, CPython 3.11), which `--keep` writes.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np

from ..output.report import number, table
from .options import listed, positive

BINDINGS, OURS = "Box2D 2.3.10", "box2dpy.compat"
ENVIRONMENTS = {
    "lander": "LunarLander-v3",
    "walker": "BipedalWalker-v3",
    "car": "CarRacing-v3",
    "multiwalker": "multiwalker_v9",
}
POLICIES = {("car", "heuristic"): "follows the track", ("multiwalker", "heuristic"): "none"}
KEPT = Path(__file__).with_name("bindings.json")
CAR_STEPS = 400  # of an episode of the car, which is not drawn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", default=",".join(ENVIRONMENTS), help=", ".join(ENVIRONMENTS))
    parser.add_argument("--policy", default="heuristic,random", help="heuristic, random")
    parser.add_argument("--seeds", type=positive, default=20, help="episodes of each")
    parser.add_argument("--keep", action="store_true", help="write the episodes of the bindings to bindings.json")
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
    if name == "multiwalker":  # has no heuristic: motors without torque
        return lambda _: np.zeros(space.shape, np.float32)
    if name == "car":
        return car_driver(env)
    module = importlib.import_module(type(env).__module__)
    if name == "lander":
        return lambda observation: module.heuristic(env, observation)
    return module.BipedalWalkerHeuristics().step_heuristic  # type: ignore[no-any-return]


class Walkers:
    """MultiWalker with the interface of one agent: all walkers act by one policy, rewards are means over them."""

    def __init__(self) -> None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
        base = importlib.import_module("pettingzoo.sisl.multiwalker.multiwalker")
        self.parallel = base.parallel_env()
        self.unwrapped = self
        self.action_space = self.parallel.action_space(self.parallel.possible_agents[0])

    def reset(self, seed: int) -> tuple[Any, Any]:
        return self.parallel.reset(seed=seed)  # type: ignore[no-any-return]

    def step(self, act: Callable[[Any], Any]) -> tuple[Any, float, bool, bool, Any]:
        actions = {agent: act(None) for agent in self.parallel.agents}
        observations, rewards, ends, cuts, infos = self.parallel.step(actions)
        return observations, float(np.mean(list(rewards.values()))), all(ends.values()), all(cuts.values()), infos


def episodes(compat: bool, name: str, policy: str, seeds: int) -> dict[str, Any]:
    """Plays episodes in this process: their returns and lengths, whether they ended, and the time of a step."""
    if compat:
        importlib.import_module("box2dpy.compat").install()
    several = name == "multiwalker"
    made = Walkers() if several else importlib.import_module("gymnasium").make(ENVIRONMENTS[name])
    env = made.unwrapped
    if name == "car":
        env._render = lambda mode: np.zeros((96, 96, 3), np.uint8)
    rows, times = [], []
    for seed in range(seeds):
        observation, _ = made.reset(seed=seed)
        act = policy_of(policy, name, env, seed)
        total, steps, ended, cut = 0.0, 0, False, False
        while not (ended or cut or (name == "car" and steps == CAR_STEPS)):
            action = act if several else act(observation)
            before = thread_time()
            observation, reward, ended, cut, _ = made.step(action)
            times.append(thread_time() - before)
            total += float(reward)
            steps += 1
        rows.append((round(total, 2), steps, bool(ended)))
    return {"rows": rows, "microseconds": 1e6 * float(np.median(times))}


def measured(compat: bool, name: str, policy: str, seeds: int) -> dict[str, Any]:
    words = [str(int(compat)), name, policy, str(seeds)]
    program = [sys.executable, "-m", "box2dpy.benchmarks", "compat", "--child", *words]
    done = subprocess.run(program, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{' '.join(words)} failed: {done.stderr.strip()[-500:]}")
    return dict(json.loads(done.stdout))


def kolmogorov_smirnov(a: Sequence[float], b: Sequence[float]) -> float:
    """The greatest difference of the distribution functions of two samples."""
    points = np.concatenate([a, b])
    below = [np.searchsorted(np.sort(sample), points, side="right") / len(sample) for sample in (a, b)]
    return float(np.abs(below[0] - below[1]).max())


def critical_distance(a: int, b: int) -> float:
    """The distance that samples of a and b from one distribution exceed with a probability of 0.01 (Smirnov 1948)."""
    return math.sqrt(-0.5 * math.log(0.01 / 2.0) * (a + b) / (a * b))


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
    installed = importlib.util.find_spec("Box2D") is not None
    if arguments.keep and not installed:
        raise ValueError("--keep needs the bindings: the package Box2D is not installed")
    kept: dict[str, list[list[float]]] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    head = ["environment", "policy", "engine", "return", "median", "length", ">= 200", "ended", "us a step", "ratio"]
    rows, distances = [], []
    for name in listed(arguments.env):
        if name not in ENVIRONMENTS:
            raise ValueError(f"environment {name!r} is not known: {', '.join(ENVIRONMENTS)}")
        for policy in listed(arguments.policy):
            if policy not in ("heuristic", "random"):
                raise ValueError(f"policy {policy!r} is not known: heuristic, random")
            found: dict[str, dict[str, Any]] = {}
            for turn in range(arguments.passes):
                for engine, compat in ((BINDINGS, False), (OURS, True)):
                    if not (compat or installed):
                        continue
                    result = measured(compat, name, policy, arguments.seeds if turn == 0 else min(arguments.seeds, 5))
                    first = found.setdefault(engine, result)
                    first["microseconds"] = min(first["microseconds"], result["microseconds"])
            shown, key = POLICIES.get((name, policy), policy), f"{name} {policy}"
            if arguments.keep:
                kept[key] = found[BINDINGS]["rows"]
            if not installed and key in kept:
                found = {BINDINGS: {"rows": kept[key][: arguments.seeds], "microseconds": math.nan}, **found}
            base = found.get(BINDINGS, {"microseconds": math.nan})["microseconds"]
            for engine, result in found.items():
                took = result["microseconds"]
                speed = [number(took, ".1f"), number(took / base)]
                rows.append([ENVIRONMENTS[name], shown, engine, *summary(result["rows"]), *speed])
            if len(found) == 2:
                theirs, ours = (np.array(found[engine]["rows"], float) for engine in (BINDINGS, OURS))
                distances.append(
                    [
                        *(ENVIRONMENTS[name], shown, f"{len(theirs)}, {len(ours)}"),
                        *(number(kolmogorov_smirnov(theirs[:, k], ours[:, k]), ".3f") for k in (0, 1)),
                        number(critical_distance(len(theirs), len(ours)), ".3f"),
                    ]
                )
            print(f"{ENVIRONMENTS[name]}, {shown}: done", file=sys.stderr, flush=True)
    print(table(head, rows, left=3))
    if distances:
        head = ["environment", "policy", "episodes", "K-S distance of returns", "of lengths", "1 % bound"]
        print("\n" + table(head, distances, left=3))
    if arguments.keep:
        text = ",\n".join(f"{json.dumps(key)}: {json.dumps(kept[key], separators=(',', ':'))}" for key in sorted(kept))
        KEPT.write_text("{\n" + text + "\n}\n")
    return 0
