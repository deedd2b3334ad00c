"""Proximal policy optimisation in one file, in the manner of CleanRL, for every environment of box2dpy with rows of
numbers as observations. It needs torch.

    python examples/cleanrl_ppo.py --env box2dpy/BipedalWalker-v0 --steps 20000000 --workers 4

The worlds are the batch: one call of `step` gives observations of all of them, and its arrays become tensors without a
copy. Source: Schulman et al., "Proximal policy optimization algorithms", arXiv:1707.06347; the details that matter:
Huang et al., "The 37 implementation details of proximal policy optimization", ICLR Blog Track 2022.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, Normal

import box2dpy.envs  # noqa: F401  registers the environments


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="box2dpy/LunarLander-v0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=3_000_000, help="of all worlds together")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--workers", type=int, default=1, help="threads of the physics")
    parser.add_argument("--length", type=int, default=128, help="steps of each world between two updates")
    parser.add_argument("--parts", type=int, default=16, help="minibatches of an epoch")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--discount", type=float, default=0.999)
    parser.add_argument("--trace", type=float, default=0.98)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.01)
    parser.add_argument("--scale", type=float, default=0.01, help="of the rewards")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def net(inputs: int, outputs: int, last: float) -> nn.Sequential:
    """A perceptron with two layers of tanh, with orthogonal weights."""
    layers = [nn.Linear(inputs, 64), nn.Linear(64, 64), nn.Linear(64, outputs)]
    for layer, gain in zip(layers, (2**0.5, 2**0.5, last), strict=True):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])


class Agent(nn.Module):
    """A policy and a value; the actions are integers or real numbers, as the environment wants them."""

    def __init__(self, env: Any) -> None:
        super().__init__()
        space = env.single_action_space
        self.discrete = isinstance(space, gymnasium.spaces.Discrete)
        inputs = int(np.prod(env.single_observation_space.shape))
        outputs = int(space.n) if self.discrete else int(np.prod(space.shape))
        self.actor, self.critic = net(inputs, outputs, 0.01), net(inputs, 1, 1.0)
        self.spread = nn.Parameter(torch.full((outputs,), -0.5))

    def value(self, x: torch.Tensor) -> torch.Tensor:
        return self.critic(x).squeeze(-1)

    def policy(self, x: torch.Tensor) -> Any:
        out = self.actor(x)
        return Categorical(logits=out) if self.discrete else Normal(out, self.spread.exp())

    def log_probability(self, policy: Any, actions: torch.Tensor) -> torch.Tensor:
        log = policy.log_prob(actions)
        return log if self.discrete else log.sum(-1)

    def entropy(self, policy: Any) -> torch.Tensor:
        entropy = policy.entropy()
        return entropy if self.discrete else entropy.sum(-1)


def train(o: argparse.Namespace) -> list[float]:
    """The mean return of the last 200 episodes after each update."""
    torch.manual_seed(o.seed)
    order = np.random.default_rng(o.seed)
    env = gymnasium.make_vec(o.env, num_envs=o.worlds, workers=o.workers, autoreset_mode="SameStep")
    agent = Agent(env).to(o.device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=o.rate, eps=1e-5)

    def tensor(rows: Any) -> torch.Tensor:
        return torch.as_tensor(rows, dtype=torch.float32, device=o.device)

    x = tensor(env.reset(seed=o.seed)[0])
    returns, finished, history, start = np.zeros(o.worlds), [], [], time.perf_counter()
    updates = o.steps // (o.worlds * o.length)
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = o.rate * (1 - update / updates)
        seen: list[list[torch.Tensor]] = [[] for _ in range(6)]
        for _ in range(o.length):
            with torch.no_grad():
                policy = agent.policy(x)
                actions = policy.sample()
                log, value = agent.log_probability(policy, actions), agent.value(x)
            after, rewards, ended, cut, info = env.step(actions.cpu().numpy())
            returns += rewards
            over, gained = ended | cut, tensor(o.scale * rewards)
            if cut.any():  # the value of what the time limit cut off
                with torch.no_grad():
                    gained += o.discount * tensor(cut) * agent.value(tensor(info["final_obs"]))
            for rows, row in zip(seen, (x, actions, log, value, gained, tensor(~over)), strict=True):
                rows.append(row)
            finished += returns[over].tolist()
            returns[over] = 0.0
            x = tensor(after)
        xs, acts, logs, values, rewarded, goes_on = (torch.stack(rows) for rows in seen)
        advantages, trace = torch.zeros_like(values), torch.zeros_like(values[0])
        with torch.no_grad():
            following = agent.value(x)
        for t in reversed(range(o.length)):
            trace = rewarded[t] + o.discount * goes_on[t] * (following + o.trace * trace) - values[t]
            advantages[t], following = trace, values[t]
        targets = (advantages + values).flatten()
        xs, acts, logs, advantages = xs.flatten(0, 1), acts.flatten(0, 1), logs.flatten(), advantages.flatten()
        for _ in range(o.epochs):
            for part in np.array_split(order.permutation(len(xs)), o.parts):
                rows = torch.as_tensor(part, device=o.device)
                policy, a = agent.policy(xs[rows]), advantages[rows]
                a = (a - a.mean()) / (a.std() + 1e-8)
                ratio = (agent.log_probability(policy, acts[rows]) - logs[rows]).exp()
                gain = torch.minimum(ratio * a, ratio.clamp(1 - o.clip, 1 + o.clip) * a).mean()
                error = 0.5 * (agent.value(xs[rows]) - targets[rows]).square().mean()
                optimizer.zero_grad()
                (error - gain - o.entropy * agent.entropy(policy).mean()).backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        history.append(float(np.mean(finished[-200:])) if finished else float("nan"))
        if update % 8 == 0 or update == updates - 1:
            steps = (update + 1) * o.worlds * o.length
            rate = steps / (time.perf_counter() - start)
            print(f"{steps:11,d} steps  {rate:9,.0f} a second  mean return {history[-1]:8.1f}", flush=True)
    env.close()
    return history


if __name__ == "__main__":
    train(options())
