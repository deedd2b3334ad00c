"""Steps a second of environments, random actions and resets included: `box2dpy.envs`, Gymnasium, EnvPool.

With one worker they are steps in a second of processor time, with several in a second by the clock; the engines take
turns, and the best round of each counts. One world is stepped as an `Env`, more by `SyncVectorEnv`, in one call of ours
or in one of EnvPool. The landers and walkers are the same tasks; the arms and the creature beside MuJoCo's Reacher and
Walker2d are of the same kind. What is not installed is left out: box2d, mujoco, envpool.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

from ..output.machine import machine, sentence
from ..output.progress import Progress
from ..output.report import table
from . import tasks
from .options import counts, listed, positive


class Task(NamedTuple):
    module: str
    """Of ours."""
    vector: str
    single: str
    steps: int
    """The most of an episode."""
    gymnasium: str
    envpool: str
    needs: str
    """The module that Gymnasium's needs."""


ENVS = "box2dpy.envs"
TASKS = {
    "lander": Task(ENVS, "LunarLander", "LunarLanderEnv", 1000, "LunarLander-v3", "LunarLander-v3", "Box2D"),
    "walker": Task(ENVS, "BipedalWalker", "BipedalWalkerEnv", 1600, "BipedalWalker-v3", "BipedalWalker-v3", "Box2D"),
    "arm": Task(f"{__package__}.arms", "TwoLinkArm", "OneArm", 500, "Acrobot-v1", "Acrobot-v1", "gymnasium"),
    "reacher": Task(f"{__package__}.arms", "Reacher", "OneReacher", 50, "Reacher-v5", "Reacher-v5", "mujoco"),
    "creature": Task(ENVS, "Walker", "WalkerEnv", 1000, "Walker2d-v5", "Walker2d-v5", "mujoco"),
}
WARM = 20_000  # steps of worlds before the first round, until episodes of all ages are under way


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", default=",".join(TASKS), help=", ".join(TASKS))
    parser.add_argument("--worlds", type=counts, default=[1, 16, 256, 1024], help="numbers of worlds, with commas")
    parser.add_argument("--workers", type=positive, default=1, help="threads of ours and of EnvPool")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a round is")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--tasks", type=positive, help="worlds of the other environments, which are measured alone")


def makers(task: Task, n: int, workers: int) -> dict[str, Callable[[], Any]]:
    """Of the engines that are installed."""
    ours, gymnasium = importlib.import_module(task.module), importlib.import_module("gymnasium")
    kind = getattr(ours, task.single if n == 1 else task.vector)
    options = {"max_episode_steps": task.steps} if n == 1 else {"num_envs": n, "max_episode_steps": task.steps}
    found = {"box2dpy": lambda: kind(workers=workers, **options)}
    if importlib.util.find_spec(task.needs) and workers == 1:
        found["Gymnasium"] = (
            (lambda: gymnasium.make(task.gymnasium))
            if n == 1
            else (lambda: gymnasium.make_vec(task.gymnasium, n, vectorization_mode="sync"))
        )
    if importlib.util.find_spec("envpool"):
        pool = importlib.import_module("envpool").make_gymnasium
        found["EnvPool"] = lambda: pool(task.envpool, num_envs=n, num_threads=workers)
    return found


def stepper(env: Any, n: int, alone: bool) -> Callable[[], None]:
    """Steps n worlds with the next of some random actions. An environment that is alone has no rows, and is reset when
    an episode ends."""
    rng, space = np.random.default_rng(0), env.action_space if alone else env.single_action_space
    rows = (
        rng.integers(0, space.n, (64, n)).astype(np.int32)
        if hasattr(space, "n")
        else rng.uniform(-1.0, 1.0, (64, n, *space.shape)).astype(space.dtype)
    )
    actions = list(rows[:, 0] if alone else rows)
    number = 0
    env.reset()

    def step() -> None:
        nonlocal number
        found = env.step(actions[number % 64])
        number += 1
        if alone and (found[2] or found[3]):
            env.reset()

    return step


def rates(task: Task, n: int, arguments: argparse.Namespace) -> dict[str, float]:
    """Steps a second of all worlds together."""
    clock = process_time if arguments.workers == 1 else perf_counter
    envs = {name: make() for name, make in makers(task, n, arguments.workers).items()}
    steps = {name: stepper(env, n, n == 1 and name != "EnvPool") for name, env in envs.items()}
    best = dict.fromkeys(envs, 0.0)
    for step in steps.values():
        end = clock() + arguments.seconds
        for _ in range(max(1, min(200, WARM // n))):
            step()
            if clock() > end:
                break
    for _ in range(arguments.rounds):
        for name, step in steps.items():
            done, start = 0, clock()
            while clock() - start < arguments.seconds:
                step()
                done += 1
            best[name] = max(best[name], n * done / (clock() - start))
    for env in envs.values():
        env.close()
    return best


def run(arguments: argparse.Namespace) -> int:
    names = listed(arguments.env)
    for name in names:
        if name not in TASKS:
            raise ValueError(f"environment {name!r} is not known: {', '.join(TASKS)}")
    print(sentence(machine()), end="\n\n")
    rows = []
    with Progress(len(names) * len(arguments.worlds)) as progress:
        for name in names:
            found: list[dict[str, float]] = []
            for n in arguments.worlds:
                progress.begin(f"{name}, {n} worlds")
                found.append(rates(TASKS[name], n, arguments))
            task = TASKS[name]
            shown = {"box2dpy": task.vector, "Gymnasium": task.gymnasium, "EnvPool": task.envpool}
            rows += [
                [name, engine, shown[engine], *(f"{each[engine]:,.0f}" if engine in each else "" for each in found)]
                for engine in found[0]
            ]
    print(table(["task", "engine", "environment", *(f"n = {n:,}" for n in arguments.worlds)], rows, left=3))
    if arguments.tasks:
        print()
        print(table(tasks.HEADINGS, tasks.speeds(arguments.tasks, arguments.workers, arguments.seconds)))
    return 0
