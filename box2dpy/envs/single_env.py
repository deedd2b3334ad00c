"""`SingleEnv`: one world of a `BatchEnv` as an `Env` of Gymnasium."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import Env
from gymnasium.vector import AutoresetMode

from .. import BatchNumbers
from .batch_env import RENDER_MODES
from .travel import Travelling

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .batch_env import BatchEnv, Episode


class OneWorld:
    """The step of a `BatchEnv` of one world, with numbers in place of arrays: the same bits as `BatchEnv.step`, sooner.

    A subclass does in `act` and `outcome` what the environment does in `act`, `observe` and `reward`, and keeps what
    an episode is in the arrays of the environment, so that either may take the next step. A `BatchEnv` names it in
    `ONE`. Of numpy it uses what rounds otherwise in Python: angles, and sums of float32.
    """

    def __init__(self, env: Any) -> None:
        self.env, self.batch = env, env.batch
        self.numbers = BatchNumbers(env.batch)

    def taken(self, action: Any) -> Any:
        """The action as `act` takes it; None where it is not an action, or of an unusual type."""
        raise NotImplementedError

    def act(self, action: Any) -> None:
        """Applies an action."""
        raise NotImplementedError

    def outcome(self) -> tuple[NDArray[Any], float, bool]:
        """The observation, the reward, and whether the episode has ended."""
        raise NotImplementedError

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        env = self.env
        self.act(action)
        self.batch.step()
        env.steps[0] += 1
        if self.numbers.invalid():
            observations = env._observe()
            env.reward(observations)  # for the arrays of the episode
            observation, reward, ended, cut = np.zeros_like(observations[0]), 0.0, False, True
        else:
            observation, reward, ended = self.outcome()
            cut = not ended and bool(env.steps[0] >= env.max_episode_steps)
        env._over[0] = ended or cut
        return observation, reward, ended, cut, {}


class SingleEnv(Travelling, Env):  # type: ignore[misc]
    """A `BatchEnv` of one world. A subclass names the class in `VECTOR`; the arguments are those of that class."""

    VECTOR: ClassVar[type[BatchEnv]]
    HOLDS = "vector"
    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 50}  # noqa: RUF012

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__doc__ is None and hasattr(cls, "VECTOR"):
            cls.__doc__ = f"`{cls.VECTOR.__name__}` with one world, as an `Env`."

    def __init__(self, *, render_mode: str | None = None, **options: Any) -> None:
        options.setdefault("max_episode_steps", None)
        self.vector = self.VECTOR(1, autoreset_mode=AutoresetMode.DISABLED, render_mode=render_mode, **options)
        self.vector._inside = weakref.ref(self), "vector"
        self._keep({id(each): self.vector._made_with[1][name] for name, each in options.items()})
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "render_fps": self.vector.FPS}
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins an episode. Without a seed the first one is random."""
        first = self._np_random is None
        super().reset(seed=seed)
        if seed is None and first:
            seed = int(self.np_random.integers(2**31))
        observations, info = self.vector.reset(seed=seed)
        return observations[0], info

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """One step; see `BatchEnv.step`."""
        vector = self.vector
        one = vector._one
        if one is not None and vector._ready and not vector._over[0] and vector.render_mode != "human":
            given = one.taken(action)
            if given is not None:
                return one.step(given)
        observations, rewards, ended, cut, info = vector.step(np.asarray(action)[None])
        return observations[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), info

    def save_episode(self) -> Episode:
        """An exact snapshot of the episode; see `BatchEnv.save_episodes`."""
        return self.vector.save_episodes()[0]

    def restore_episode(self, episode: Episode) -> NDArray[Any]:
        """Returns to a snapshot; the observation there. See `BatchEnv.restore_episodes`."""
        return self.vector.restore_episodes(episode)[0]  # type: ignore[no-any-return]

    def render(self) -> NDArray[np.uint8] | None:
        """A picture, uint8, shape (height, width, 3), in the mode "rgb_array"; "human" shows a window in every step."""
        if self.render_mode == "rgb_array":
            return self.vector.picture(0)
        self.vector.render()
        return None

    def close(self) -> None:
        """Frees the world."""
        self.vector.close()
