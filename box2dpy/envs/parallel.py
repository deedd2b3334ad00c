"""`AirHockeyParallel`: both players of `AirHockey` learn, by the Parallel interface of PettingZoo."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ..arguments import missing, short_repr
from .air_hockey import AirHockey
from .batch_env import RENDER_MODES
from .travel import Travelling

try:
    from pettingzoo import ParallelEnv
except ModuleNotFoundError:
    raise missing("an environment of several agents", "pettingzoo", "pettingzoo", "pettingzoo") from None

if TYPE_CHECKING:
    from gymnasium import spaces
    from numpy.typing import NDArray

AGENTS = ["left", "right"]


class AirHockeyParallel(Travelling, ParallelEnv):  # type: ignore[misc]
    """One table of `AirHockey` with two agents, "left" and "right". Each observes the table from its own side, and the
    sum of their rewards is 0.

    Args:
        max_cycles: steps after which an episode is truncated.
        render_mode: "rgb_array", "human" or None.
        options: other arguments of `AirHockey`: `puck_mass` and `restitution`.

    Raises:
        ModuleNotFoundError: PettingZoo is not installed; the extra `box2dpy[pettingzoo]` has it.
        ValueError: a value is out of range.
        TypeError: a wrong type.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "box2dpy_air_hockey_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": AirHockey.FPS,
        "is_parallelizable": True,
    }

    def __init__(self, *, max_cycles: int = 500, render_mode: str | None = None, **options: Any) -> None:
        self.table = AirHockey(
            1,
            opponent=lambda _: self._right,
            max_episode_steps=max_cycles,
            autoreset_mode=AutoresetMode.DISABLED,
            render_mode=render_mode,
            **options,
        )
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        table = self.table
        self.observation_spaces = {agent: copy.deepcopy(table.single_observation_space) for agent in AGENTS}
        self.action_spaces = {agent: copy.deepcopy(table.single_action_space) for agent in AGENTS}
        self._right: NDArray[Any] = np.zeros((1, 2))

    def _contents(self) -> dict[str, Any]:
        spaces = self.observation_spaces, self.action_spaces
        return {**super()._contents(), "table": self.table._contents(), "agents": self.agents, "spaces": spaces}

    def _take_contents(self, contents: dict[str, Any]) -> None:
        self.table._take_contents(contents["table"])
        super()._take_contents(contents)
        self.agents, (self.observation_spaces, self.action_spaces) = list(contents["agents"]), contents["spaces"]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begins an episode. Without a seed the stream of random numbers goes on."""
        self.table.reset(seed=seed)
        self.agents = list(AGENTS)
        return self._observations(), {agent: {} for agent in AGENTS}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """One step: observations, rewards, terminations, truncations and information of the agents. After the last step
        of an episode there are no agents, and steps return empty dictionaries until `reset`.

        Raises:
            ValueError: an agent has no action, or no finite numbers of shape (2,); nothing has changed.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        if not isinstance(actions, dict) or set(actions) != set(AGENTS):
            raise ValueError(f"actions={short_repr(actions)} must have one action for each of {AGENTS}")
        given = {agent: np.asarray(action) for agent, action in actions.items()}
        for agent, action in given.items():
            if action.shape != (2,) or action.dtype.kind not in "iuf" or not np.isfinite(action).all():
                raise ValueError(f"actions[{agent!r}]={short_repr(actions[agent])} must be two finite numbers")
        self._right = given["right"][None]
        _, rewards, ended, cut, _ = self.table.step(given["left"][None])
        reward, over = float(rewards[0]), bool(ended[0] or cut[0])
        if over:
            self.agents = []
        return (
            self._observations(),
            {"left": reward, "right": -reward},
            dict.fromkeys(AGENTS, bool(ended[0])),
            dict.fromkeys(AGENTS, bool(cut[0])),
            {agent: {} for agent in AGENTS},
        )

    def _observations(self) -> dict[str, NDArray[np.float32]]:
        return {agent: self.table.seen_by(player)[0] for player, agent in enumerate(AGENTS)}

    def state(self) -> NDArray[np.float32]:
        """The table as the player on the left sees it, shape (12,)."""
        return self.table.seen_by(0)[0]  # type: ignore[no-any-return]

    def render(self) -> NDArray[np.uint8] | None:
        """A picture, uint8, shape (height, width, 3), in the mode "rgb_array"; "human" shows a window in every step."""
        if self.render_mode == "rgb_array":
            return self.table.picture(0)
        self.table.render()
        return None

    def close(self) -> None:
        """Frees the world."""
        self.table.close()
