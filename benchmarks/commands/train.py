"""PPO of Stable-Baselines3 on Gymnasium's LunarLander and on that of `box2dpy.envs`: do both end at the same return?

The same program with the same settings learns once for each seed on either, by turns; the settings are those of
rl-baselines3-zoo for LunarLander. Every policy then plays episodes in both environments, with its most probable
actions. Needs the packages stable-baselines3 and torch, and Box2D for Gymnasium's environment. Several learn at a time
with `--processes`; how many does not change what they learn, `--device` may.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from ..output.machine import machine, sentence
from ..output.report import number, table
from .options import positive

ENGINES = GYMNASIUM, OURS = "Gymnasium", "box2dpy.envs"
SETTINGS = {
    "n_steps": 1024, "batch_size": 64, "n_epochs": 4, "gamma": 0.999, "gae_lambda": 0.98, "ent_coef": 0.01,
}  # fmt: skip
LONGEST = 1000  # steps of an episode
QUANTILES = {2: 4.30, 3: 2.78, 4: 2.45, 5: 2.31}  # of Student's distribution for two samples of so many, at 5 %


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=positive, default=3, help="how often each learns")
    parser.add_argument("--steps", type=positive, default=1_000_000, help="of all worlds, while it learns")
    parser.add_argument("--worlds", type=positive, default=16)
    parser.add_argument("--episodes", type=positive, default=100, help="that a policy plays in each environment")
    parser.add_argument("--processes", type=positive, default=1, help="how many learn at a time")
    parser.add_argument("--device", default="cpu", help="of the policies: cpu or cuda")
    parser.add_argument("--json", type=Path, metavar="FILE", help="written after each seed and environment")


def made(engine: str, worlds: int) -> Any:
    """A `VecEnv`, which tells returns and lengths of episodes."""
    if engine == OURS:
        env = importlib.import_module("box2dpy.envs").LunarLander(worlds, max_episode_steps=LONGEST).to_sb3()
        return importlib.import_module("stable_baselines3.common.vec_env").VecMonitor(env)
    return importlib.import_module("stable_baselines3.common.env_util").make_vec_env(
        "LunarLander-v3", worlds, env_kwargs={"disable_env_checker": True}
    )


def learned(engine: str, seed: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """The returns of the last 100 episodes of learning, and of the policy in both environments."""
    ppo = importlib.import_module("stable_baselines3").PPO
    evaluate = importlib.import_module("stable_baselines3.common.evaluation").evaluate_policy
    importlib.import_module("torch").set_num_threads(1)
    start, env = process_time(), made(engine, arguments.worlds)
    model = ppo("MlpPolicy", env, seed=seed, device=arguments.device, **SETTINGS)
    model.learn(arguments.steps)
    found: dict[str, Any] = {"engine": engine, "seed": seed, "seconds": process_time() - start}
    found["learning"] = [float(episode["r"]) for episode in model.ep_info_buffer]
    env.close()
    for where in ENGINES:
        env = made(where, arguments.worlds)
        env.seed(10_000)
        returns, lengths = evaluate(model, env, arguments.episodes, return_episode_rewards=True)
        found[where] = {"returns": [float(each) for each in returns], "lengths": [int(each) for each in lengths]}
        env.close()
    return found


def returns_of(run: dict[str, Any], where: str) -> list[float]:
    values: list[float] = run["learning"] if where == "learning" else run[where]["returns"]
    return values


def difference(runs: list[dict[str, Any]], where: str) -> str:
    """Ours less Gymnasium's, of the means of the seeds, and what chance gives in 95 of 100 such pairs."""
    means = [
        np.array([np.mean(returns_of(run, where)) for run in runs if run["engine"] == engine])
        for engine in (OURS, GYMNASIUM)
    ]
    count = len(means[0])
    if count < 2:
        return f"{means[0].mean() - means[1].mean():.1f}"
    error = math.sqrt(sum(float(each.var(ddof=1)) / count for each in means))
    return f"{means[0].mean() - means[1].mean():.1f} +- {QUANTILES.get(count, 2.2) * error:.1f}"


def run(arguments: argparse.Namespace) -> int:
    for name in ("torch", "stable_baselines3"):
        importlib.import_module(name)  # or this process names what is missing
    print(sentence(machine()), end="\n\n", flush=True)
    runs: list[dict[str, Any]] = []
    with ProcessPoolExecutor(arguments.processes, multiprocessing.get_context("spawn")) as pool:
        asked = [pool.submit(learned, engine, seed, arguments) for seed in range(arguments.seeds) for engine in ENGINES]
        for each in as_completed(asked):
            runs.append(each.result())
            which = f"{runs[-1]['engine']}, seed {runs[-1]['seed']}"
            print(f"{which}: {runs[-1]['seconds']:.0f} s of processor time", file=sys.stderr, flush=True)
            if arguments.json is not None:
                arguments.json.write_text(json.dumps(runs), encoding="utf-8")
    runs.sort(key=lambda run: (run["seed"], run["engine"] == OURS))
    rows = []
    for run in runs:
        row = [run["engine"], f"{run['seed']}"]
        for where in ("learning", GYMNASIUM, OURS):
            values = np.array(returns_of(run, where))
            row.append(f"{values.mean():.1f} +- {values.std() / math.sqrt(len(values)):.1f}")
            if where != "learning":
                row.append(number(float((values >= 200).mean())))
        rows.append([*row, f"{run['seconds']:.0f}"])
    head = ["learned in", "seed", "last 100", "played in Gymnasium", ">= 200", "in box2dpy.envs", ">= 200", "s"]
    print(table(head, rows, left=1))
    names = {"learning": "the last 100 episodes", GYMNASIUM: "played in Gymnasium", OURS: "played in box2dpy.envs"}
    print("\nReturns after learning in box2dpy.envs less those after learning in Gymnasium, and what chance explains:")
    for where, text in names.items():
        print(f"  {text}: {difference(runs, where)}")
    return 0
