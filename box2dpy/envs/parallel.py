"""`ParallelBatch`: a world of a `BatchEnv` in which several agents act, by the Parallel interface of PettingZoo; and
`AirHockeyParallel`, where both players of `AirHockey` learn."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ..arguments import missing, short_repr
from .air_hockey import AirHockey
from .batch_env import RENDER_MODES, BatchEnv
from .travel import Travelling

try:
    from pettingzoo import ParallelEnv
except ModuleNotFoundError:
    raise missing("an environment of several agents", "pettingzoo", "pettingzoo", "pettingzoo") from None

if TYPE_CHECKING:
    from gymnasium import spaces
    from numpy.typing import NDArray


class ParallelBatch(Travelling, ParallelEnv):  # type: ignore[misc]
    """One world of a `BatchEnv`, with several agents. A subclass creates the environment and defines what each agent
    observes in `observe`, how their actions are combined in `join`, and the reward of each in `rewards`.

    Args:
        env: an environment of one world, with `autoreset_mode="Disabled"`.
        agents: their names.
        action_space, observation_space: of each agent; None: those of `env`.

    Raises:
        ModuleNotFoundError: PettingZoo is not installed; the extra `box2dpy[pettingzoo]` has it.
        ValueError: `env` has several worlds or resets them by itself.
    """

    HOLDS = "env"
    metadata: dict[str, Any] = {}  # noqa: RUF012

    def __init__(
        self,
        env: BatchEnv,
        agents: Sequence[str],
        *,
        action_space: spaces.Space[Any] | None = None,
        observation_space: spaces.Space[Any] | None = None,
    ) -> None:
        if env.num_envs != 1 or env.autoreset_mode != AutoresetMode.DISABLED:
            raise ValueError('env must have one world and autoreset_mode="Disabled"')
        self.env, self.render_mode = env, env.render_mode
        if not self._is_argument(env):
            env._inside = weakref.ref(self), "env"
        self.possible_agents = list(agents)
        self.agents: list[str] = []
        seen, acted = observation_space or env.single_observation_space, action_space or env.single_action_space
        self.observation_spaces = {agent: copy.deepcopy(seen) for agent in agents}
        self.action_spaces = {agent: copy.deepcopy(acted) for agent in agents}
        common = {"render_modes": list(RENDER_MODES), "render_fps": env.FPS, "is_parallelizable": True}
        self.metadata = {"name": type(self).__name__, **common, **type(self).metadata}

    # -- for subclasses

    def observe(self) -> dict[str, NDArray[Any]]:
        """The observation of each of the possible agents now."""
        raise NotImplementedError

    def join(self, actions: dict[str, NDArray[Any]]) -> Any:
        """The action of the world, made from the agents' actions, which are arrays of the shape of their spaces."""
        raise NotImplementedError

    def rewards(self, reward: float) -> dict[str, float]:
        """The rewards of the agents. Without this method each gets that of the world."""
        return dict.fromkeys(self.possible_agents, reward)

    # -- the interface

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, dict[str, Any]]]:
        """Begins an episode. Without a seed the stream of random numbers goes on."""
        self.env.reset(seed=seed)
        self.agents = list(self.possible_agents)
        return self.observe(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """One step: observations, rewards, terminations, truncations and information of the agents. After the last step
        of an episode there are no agents, and steps return empty dictionaries until `reset`.

        Raises:
            ValueError: an agent has no action, or one that is not of its space; nothing has changed.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        agents = self.possible_agents
        if not isinstance(actions, dict) or set(actions) != set(agents):
            raise ValueError(f"actions={short_repr(actions)} must have one action for each of {agents}")
        given = {agent: self._checked(agent, actions[agent]) for agent in agents}
        _, rewards, ended, cut, _ = self.env.step(np.asarray(self.join(given))[None])
        if ended[0] or cut[0]:
            self.agents = []
        return (
            self.observe(),
            self.rewards(float(rewards[0])),
            dict.fromkeys(agents, bool(ended[0])),
            dict.fromkeys(agents, bool(cut[0])),
            {agent: {} for agent in agents},
        )

    def _checked(self, agent: str, action: Any) -> NDArray[Any]:
        given, shape = np.asarray(action), self.action_spaces[agent].shape
        if given.shape != shape or given.dtype.kind not in "biuf" or not np.isfinite(given).all():
            raise ValueError(f"actions[{agent!r}]={short_repr(action)} must be finite numbers of shape {shape}")
        return given

    def render(self) -> NDArray[np.uint8] | None:
        """A picture, uint8, shape (height, width, 3), in the mode "rgb_array"; "human" shows a window in every step."""
        if self.render_mode == "rgb_array":
            return self.env.picture(0)
        self.env.render()
        return None

    def close(self) -> None:
        """Frees the world."""
        self.env.close()


class AirHockeyParallel(ParallelBatch):
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

    metadata: dict[str, Any] = {"name": "box2dpy_air_hockey_v0"}  # noqa: RUF012

    def __init__(self, *, max_cycles: int = 500, render_mode: str | None = None, **options: Any) -> None:
        self._right: NDArray[Any] = np.zeros((1, 2))
        self.table = AirHockey(
            1, opponent=lambda _: self._right, max_episode_steps=max_cycles, autoreset_mode=AutoresetMode.DISABLED,
            render_mode=render_mode, **options,
        )  # fmt: skip
        super().__init__(self.table, ["left", "right"])

    def observe(self) -> dict[str, NDArray[Any]]:
        return {agent: self.table.seen_by(player)[0] for player, agent in enumerate(self.possible_agents)}

    def join(self, actions: dict[str, NDArray[Any]]) -> NDArray[Any]:
        self._right = actions["right"][None]
        return actions["left"]

    def rewards(self, reward: float) -> dict[str, float]:
        return {"left": reward, "right": -reward}

    def state(self) -> NDArray[np.float32]:
        """The table as the player on the left sees it, shape (12,)."""
        return self.table.seen_by(0)[0]  # type: ignore[no-any-return]
