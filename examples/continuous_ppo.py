"""Proximal policy optimisation with continuous actions, in numpy: creatures learn to run, cars to drive.

    python examples/continuous_ppo.py Hopper --steps 3_000_000
    python examples/continuous_ppo.py CircuitRacing --scale 0.05

As examples/lunar_lander_ppo.py, with a normal distribution instead of choices, and observations brought to mean 0 and
deviation 1. Any environment of `box2dpy.envs` with `Box` spaces will do.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from lunar_lander_ppo import Net

from box2dpy import envs

WORLDS, STEPS, EPOCHS, BATCH = 256, 64, 4, 2048
DISCOUNT, TRACE, CLIP, RATE = 0.99, 0.95, 0.2, 3e-4


class Normal:
    """Observations less their mean, in units of their deviation, both of all that have been seen."""

    def __init__(self, size: int) -> None:
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 1e-4

    def see(self, rows: Any) -> Any:
        count, away = self.count + len(rows), rows.mean(axis=0) - self.mean
        part = len(rows) / count
        self.variance = (1 - part) * self.variance + part * rows.var(axis=0) + part * (1 - part) * away**2
        self.mean, self.count = self.mean + part * away, count
        return self(rows)

    def __call__(self, rows: Any) -> Any:
        return np.clip((rows - self.mean) / np.sqrt(self.variance + 1e-6), -8, 8).astype(np.float32)


class Spread:
    """Logarithms of the deviations of the actions, trained by Adam."""

    def __init__(self, size: int) -> None:
        self.log, self.first, self.second, self.count = np.full(size, -0.5), np.zeros(size), np.zeros(size), 0

    def learn(self, slope: Any, rate: float) -> None:
        self.count += 1
        self.first += 0.1 * (slope - self.first)
        self.second += 0.001 * (slope**2 - self.second)
        m, v = self.first / (1 - 0.9**self.count), self.second / (1 - 0.999**self.count)
        self.log = np.clip(self.log - rate * m / (np.sqrt(v) + 1e-5), -2.5, 0.0)


def train(name: str, most_steps: int, seed: int = 0, scale: float = 0.05, seconds: float = np.inf) -> Any:
    """Steps so far and the mean return of the last 200 episodes, after each update; the actor; the normalisation."""
    env, rng = getattr(envs, name)(WORLDS, autoreset_mode="SameStep"), np.random.default_rng(seed)
    inputs, outputs = env.single_observation_space.shape[0], env.single_action_space.shape[0]
    actor, critic = Net((inputs, 64, 64, outputs), 0.01, rng), Net((inputs, 64, 64, 1), 1.0, rng)
    normal, spread = Normal(inputs), Spread(outputs)
    x = normal.see(env.reset(seed=seed)[0])
    running, finished, history, start = np.zeros(WORLDS), [], [], time.perf_counter()
    rows, updates = np.arange(WORLDS * STEPS), most_steps // (WORLDS * STEPS)
    for update in range(updates):
        xs, acts = np.empty((STEPS, WORLDS, inputs), np.float32), np.empty((STEPS, WORLDS, outputs))
        logs, rewards, values, goes_on = (np.empty((STEPS, WORLDS), np.float32) for _ in range(4))
        for t in range(STEPS):
            z = rng.normal(size=(WORLDS, outputs))
            xs[t], values[t], acts[t] = x, critic(x)[:, 0], actor(x) + np.exp(spread.log) * z
            logs[t] = -(0.5 * z**2 + spread.log).sum(axis=1)
            seen, reward, ended, cut, info = env.step(acts[t])
            running += reward
            rewards[t], over = scale * reward, ended | cut
            if cut.any():  # the value of what the time limit cut off
                rewards[t, cut] += DISCOUNT * critic(normal(info["final_obs"][cut]))[:, 0]
            x, goes_on[t] = normal.see(seen), ~over
            finished += running[over].tolist()
            running[over] = 0.0
        advantage, after, trace = np.empty_like(values), critic(x)[:, 0], np.zeros(WORLDS, np.float32)
        for t in reversed(range(STEPS)):
            trace = rewards[t] + DISCOUNT * goes_on[t] * (after + TRACE * trace) - values[t]
            advantage[t], after = trace, values[t]
        flat, chosen, old, adv = xs.reshape(-1, inputs), acts.reshape(-1, outputs), logs.ravel(), advantage.ravel()
        target, rate = adv + values.ravel(), RATE * (1 - update / updates)
        for _ in range(EPOCHS):
            rng.shuffle(rows)
            for part in rows.reshape(-1, BATCH):
                a, deviation = adv[part], np.exp(spread.log)
                a, z = (a - a.mean()) / (a.std() + 1e-8), (chosen[part] - actor(flat[part])) / deviation
                ratio = np.exp(np.clip(-(0.5 * z**2 + spread.log).sum(axis=1) - old[part], -20, 20))
                active = np.where(a > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)  # where the clipped objective has a slope
                pull = (active * ratio * a)[:, None]
                actor.learn((-pull * z / deviation / BATCH).astype(np.float32), rate)
                spread.learn(-(pull * (z**2 - 1)).mean(axis=0), rate)
                critic.learn(((critic(flat[part])[:, 0] - target[part]) / BATCH)[:, None].astype(np.float32), rate)
        if finished:
            history.append(((update + 1) * WORLDS * STEPS, float(np.mean(finished[-200:]))))
        if time.perf_counter() - start > seconds:
            break
    env.close()
    return history, actor, normal


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", help="a class of box2dpy.envs: Hopper, Walker, Cheetah, CircuitRacing, AirHockey, ...")
    parser.add_argument("--steps", type=int, default=3_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=0.05, help="a factor of the rewards")
    given, begin = parser.parse_args(), time.perf_counter()
    found, _, _ = train(given.env, given.steps, given.seed, given.scale)
    for steps, mean in [*found[:-1:16], *found[-1:]]:
        print(f"{steps:9,d} steps: mean return of the last 200 episodes {mean:7.1f}")
    print(f"{time.perf_counter() - begin:.0f} s by the clock, {time.process_time():.0f} s of processor time")
