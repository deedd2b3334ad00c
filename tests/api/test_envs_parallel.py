"""Environments of several agents of one's own: pickles and copies of a subclass of `ParallelBatch`."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")
pytest.importorskip("pettingzoo")

from gymnasium import spaces

from box2dpy.envs import LunarLander
from box2dpy.envs.parallel import ParallelBatch


class Logging(LunarLander):
    """A lander with a method and a list among its attributes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(1, continuous=True, autoreset_mode="Disabled", **options)
        self.rewarded: list[float] = []
        self.last = 0.0
        self.bonus = self.some_bonus

    def some_bonus(self) -> float:
        return 0.5 * self.last

    def reward(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rewards, ended = super().reward(observations)
        self.rewarded.append(float(rewards[0]))
        rewards += self.bonus()
        self.last = float(rewards[0])
        return rewards, ended


class Crew(ParallelBatch):
    """A pilot has the main engine of a lander, and a copilot those at the sides."""

    def __init__(self, lander: Logging | None = None) -> None:
        self.lander = Logging(max_episode_steps=40) if lander is None else lander
        super().__init__(self.lander, ["pilot", "copilot"], action_space=spaces.Box(-1, 1, (1,)))
        self.height = self.lander.batch.position[0, 1, 1:]
        self.heights: list[float] = []

    def observe(self) -> dict[str, Any]:
        self.heights.append(float(self.height[0]))
        return dict.fromkeys(self.possible_agents, self.env.observe()[0])

    def join(self, actions: dict[str, Any]) -> Any:
        return [actions["pilot"][0], actions["copilot"][0]]


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("lander", [False, True])
def test_a_crew_goes_on_with_the_same_bits(way: Callable[[Any], Any], lander: bool) -> None:
    """Whether it has made its lander or was given it."""
    env = Crew(Logging(max_episode_steps=40)) if lander else Crew()
    env.reset(seed=3)
    others = [env]
    for number in range(100):
        if number == 20:
            others = [env, way(env), way(way(env))]
        if not env.agents:
            seen = [each.reset()[0]["pilot"].tolist() for each in others]
            assert seen == seen[:1] * 3
        actions = {agent: np.array([np.sin(number)]) for agent in env.possible_agents}
        found = [each.step(actions) for each in others]
        for each, step in zip(others, found, strict=True):
            assert step[0]["pilot"].tolist() == found[0][0]["pilot"].tolist()
            assert step[1:] == found[0][1:]
            assert each.lander is each.env
            assert (each.heights, each.lander.rewarded) == (env.heights, env.lander.rewarded)
    for each in others:
        each.close()
