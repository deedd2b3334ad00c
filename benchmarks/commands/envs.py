"""`box2dpy.envs` beside Gymnasium's own environments: returns and lengths of episodes.

Gymnasium's environments run on the Box2D bindings, and on `box2dpy.compat`. Each has its own random numbers, so the
distributions are compared, not the episodes. Where Box2D is not installed, its rows are left out.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from ..output.machine import machine, sentence
from ..output.report import table
from . import compat
from .options import listed, positive

ENVIRONMENTS = {  # the class, its options, the longest episode
    "lander": ("LunarLander", {}, 1000),
    "walker": ("BipedalWalker", {}, 1600),
    "hardcore": ("BipedalWalker", {"hardcore": True}, 2000),
}
GYMNASIUM = {"Gymnasium on Box2D 2.3.10": False, "Gymnasium on box2dpy.compat": True}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", default="lander,walker", help=", ".join(ENVIRONMENTS))
    parser.add_argument("--seeds", type=positive, default=100, help="episodes of each")


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
    kind, further, longest = ENVIRONMENTS[name]
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
    print(table(head, rows, left=3))
    return 0
