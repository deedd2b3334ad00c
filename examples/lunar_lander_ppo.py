"""Proximal policy optimisation in numpy: LunarLander reaches a mean return of 200 within 3,000,000 steps.

    python examples/lunar_lander_ppo.py --seed 1

The worlds are stepped in one call, so the learner is what takes the time: minutes on one core. Source: Schulman et al.,
"Proximal policy optimization algorithms", arXiv:1707.06347; advantages: arXiv:1506.02438; Adam: arXiv:1412.6980.
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any

import numpy as np

from box2dpy.envs import LunarLander

WORLDS, STEPS, EPOCHS, BATCH = 256, 128, 4, 2048
DISCOUNT, TRACE, CLIP, ENTROPY, RATE = 0.999, 0.98, 0.2, 0.01, 1e-3


class Net:
    """A perceptron with two layers of tanh, trained by Adam."""

    def __init__(self, sizes: tuple[int, ...], last: float, rng: Any) -> None:
        self.weights = [rng.normal(size=(a, b)).astype(np.float32) / a**0.5 for a, b in itertools.pairwise(sizes)]
        self.weights[-1] *= last
        self.weights += [np.zeros(b, np.float32) for b in sizes[1:]]
        self.first = [np.zeros_like(w) for w in self.weights]
        self.second = [np.zeros_like(w) for w in self.weights]
        self.count = 0

    def __call__(self, x: Any) -> Any:
        a, b, c, d, e, f = self.weights
        self.inputs = [x, (h := np.tanh(x @ a + d)), np.tanh(h @ b + e)]
        return self.inputs[2] @ c + f

    def gradients(self, slope: Any) -> list[Any]:
        """With respect to the weights, from those with respect to the outputs of the last call."""
        found: list[Any] = [None] * 6
        for k in (2, 1, 0):
            found[k], found[3 + k] = self.inputs[k].T @ slope, slope.sum(axis=0)
            slope = (slope @ self.weights[k].T) * (1 - self.inputs[k] ** 2)
        return found

    def learn(self, slope: Any, rate: float) -> None:
        """A step of Adam down the gradient, clipped to length 0.5."""
        gradients = self.gradients(slope)
        scale = min(1.0, 0.5 / (sum(float((g**2).sum()) for g in gradients) ** 0.5 + 1e-8))
        self.count += 1
        for w, g, m, v in zip(self.weights, gradients, self.first, self.second, strict=True):
            m += 0.1 * (scale * g - m)
            v += 0.001 * ((scale * g) ** 2 - v)
            w -= rate * (m / (1 - 0.9**self.count)) / (np.sqrt(v / (1 - 0.999**self.count)) + 1e-5)


def log_softmax(logits: Any) -> Any:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def train(most_steps: int, seed: int = 0, seconds: float = np.inf, goal: float = np.inf) -> list[tuple[int, float]]:
    """Steps so far and the mean return of the last 200 episodes, after each update; ends at the goal."""
    env, rng = LunarLander(WORLDS, autoreset_mode="SameStep"), np.random.default_rng(seed)
    actor, critic = Net((8, 64, 64, 4), 0.01, rng), Net((8, 64, 64, 1), 1.0, rng)
    x, _ = env.reset(seed=seed)
    running, finished, history, start = np.zeros(WORLDS), [], [], time.perf_counter()
    rows, updates = np.arange(WORLDS * STEPS), most_steps // (WORLDS * STEPS)
    for update in range(updates):
        xs, acts = np.empty((STEPS, WORLDS, 8), np.float32), np.empty((STEPS, WORLDS), np.int64)
        logs, rewards, values = (np.empty((STEPS, WORLDS), np.float32) for _ in range(3))
        goes_on = np.empty((STEPS, WORLDS), np.float32)
        for t in range(STEPS):
            log = log_softmax(actor(x))
            act = (log + rng.gumbel(size=log.shape)).argmax(axis=1)
            xs[t], acts[t], logs[t], values[t] = x, act, np.take_along_axis(log, act[:, None], 1)[:, 0], critic(x)[:, 0]
            x, reward, ended, cut, info = env.step(act)
            running += reward
            rewards[t], over = 0.01 * reward, ended | cut
            if cut.any():  # the value of what the time limit cut off
                rewards[t, cut] += DISCOUNT * critic(info["final_obs"][cut])[:, 0]
            goes_on[t] = ~over
            finished += running[over].tolist()
            running[over] = 0.0
        advantage, after, trace = np.empty_like(values), critic(x)[:, 0], np.zeros(WORLDS, np.float32)
        for t in reversed(range(STEPS)):
            trace = rewards[t] + DISCOUNT * goes_on[t] * (after + TRACE * trace) - values[t]
            advantage[t], after = trace, values[t]
        flat, chosen, old, adv = xs.reshape(-1, 8), acts.ravel(), logs.ravel(), advantage.ravel()
        target, rate = adv + values.ravel(), RATE * (1 - update / updates)
        for _ in range(EPOCHS):
            rng.shuffle(rows)
            for part in rows.reshape(-1, BATCH):
                a, log = adv[part], log_softmax(actor(flat[part]))
                a, p, one = (a - a.mean()) / (a.std() + 1e-8), np.exp(log), np.eye(4, dtype=np.float32)[chosen[part]]
                ratio = np.exp((log * one).sum(axis=1) - old[part])
                active = np.where(a > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)  # where the clipped objective has a slope
                slope = -(active * ratio * a)[:, None] * (one - p)
                slope += ENTROPY * p * (log - (p * log).sum(axis=1, keepdims=True))
                actor.learn((slope / BATCH).astype(np.float32), rate)
                critic.learn(((critic(flat[part])[:, 0] - target[part]) / BATCH)[:, None].astype(np.float32), rate)
        history.append(((update + 1) * WORLDS * STEPS, float(np.mean(finished[-200:]))))
        if history[-1][1] >= goal or time.perf_counter() - start > seconds:
            break
    env.close()
    return history


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given, begin = parser.parse_args(), time.perf_counter()
    found = train(given.steps, given.seed, goal=200.0)
    for steps, mean in [*found[:-1:8], found[-1]]:
        print(f"{steps:9,d} steps: mean return of the last 200 episodes {mean:7.1f}")
    print(f"{time.perf_counter() - begin:.0f} s by the clock, {time.process_time():.0f} s of processor time")
