"""`SB3Env`: a `BatchEnv` as a `VecEnv` of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .batch_env import BatchEnv


class SB3Env(VecEnv):  # type: ignore[misc]
    """A `BatchEnv`, which resets in the same step, as a `VecEnv`; made by `BatchEnv.to_sb3`.

    The information of a finished world has the keys "terminal_observation" and "TimeLimit.truncated". Attributes and
    methods of the environment are those of all worlds together.
    """

    def __init__(self, env: BatchEnv) -> None:
        self.env = env
        self.render_mode = env.render_mode
        self._actions: Any = None
        self._seed: int | None = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self.metadata = env.metadata

    def reset(self) -> NDArray[Any]:
        """Begins new episodes, with the seed of the last call of `seed`."""
        observations, _ = self.env.reset(seed=self._seed)
        self._reset_seeds()
        self._reset_options()
        self._seed = None
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """World i gets seed + i at the next reset."""
        self._seed = seed
        return [None if seed is None else seed + k for k in range(self.num_envs)]

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """One step of all worlds."""
        observations, rewards, ended, cut, info = self.env.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        over = ended | cut
        for k in np.flatnonzero(over).tolist():
            infos[k] = {"terminal_observation": info["final_obs"][k], "TimeLimit.truncated": bool(cut[k])}
        return observations, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        """Frees the worlds."""
        self.env.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A picture of each world, in the mode "rgb_array"."""
        return self.env.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the environment, once for each of the worlds."""
        return [getattr(self.env, attr_name)] * len(self._get_indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of the environment, for all worlds.

        Raises:
            ValueError: the indices are not those of all worlds.
        """
        self._check_all(indices)
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Calls a method of the environment once, for all worlds.

        Raises:
            ValueError: the indices are not those of all worlds.
        """
        self._check_all(indices)
        return [getattr(self.env, method_name)(*args, **kwargs)] * self.num_envs

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No world has a wrapper of its own."""
        return [False] * len(self._get_indices(indices))

    def _get_indices(self, indices: Any) -> list[int]:
        worlds = range(self.num_envs)
        given = worlds if indices is None else [indices] if isinstance(indices, int) else indices
        return [worlds[k] for k in given]

    def _check_all(self, indices: Any) -> None:
        if sorted(self._get_indices(indices)) != list(range(self.num_envs)):
            raise ValueError("the worlds have one environment: it is called for all of them, without indices")
