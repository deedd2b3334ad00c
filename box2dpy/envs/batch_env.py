"""`BatchEnv`: a vector environment of Gymnasium over a `WorldBatch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .._batch.batch import WorldBatch
from .._bridge.arguments import choice, integer
from .._bridge.errors import short_repr

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._world.scheduler import Scheduler
    from .._world.world import World

RENDER_MODES = (None, "rgb_array")


class BatchEnv(VectorEnv):  # type: ignore[misc]
    """Many copies of an environment in one `WorldBatch`; the logic of an environment is numpy over all worlds.

    A subclass sets `single_observation_space`, `single_action_space`, `FPS` and `SUBSTEPS`, makes the worlds that
    episodes start from in `templates`, and writes four methods: `reset_worlds`, `act`, `observe` and `reward`. They
    find the worlds in `self.batch`, the number of steps of each episode in `self.steps`, and random numbers of each
    world in `self.batch.random`.

    Args:
        num_envs: how many worlds.
        workers: threads, the calling one included, or a `Scheduler` to share.
        max_episode_steps: steps after which an episode is truncated; None: never.
        autoreset_mode: "NextStep" (an `AutoresetMode` or its value): the step after the last one of an episode resets
            its world and has reward 0. "SameStep": the last step resets; `info["final_obs"]` has the last observations
            of the worlds in `info["_final_obs"]`. "Disabled": `reset(options={"reset_mask": mask})` resets worlds, and
            a step with finished worlds raises `ValueError`.
        render_mode: "rgb_array" or None.

    Raises:
        ValueError: a value is out of range or not known.
        TypeError: a wrong type.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": 50,
    }
    FPS: ClassVar[int] = 50
    SUBSTEPS: ClassVar[int] = 4
    VIEW: ClassVar[tuple[float, float, float, float]] = (-10.0, -10.0, 10.0, 10.0)  # of pictures, metres
    SIZE: ClassVar[tuple[int, int]] = (600, 400)  # of pictures, pixels
    steps: NDArray[np.int64]
    """How many steps the episode of each world has had, shape (n,)."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        workers: int | Scheduler = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        self.num_envs = integer(num_envs, "num_envs", 1, 2**24)
        modes = {mode.value: mode for mode in AutoresetMode}
        name = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = modes[choice(name, "autoreset_mode", tuple(modes))]
        if render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode={short_repr(render_mode)} is not known: rgb_array or None")
        self.render_mode = render_mode
        limit = 2**62 if max_episode_steps is None else integer(max_episode_steps, "max_episode_steps", 1, 2**62)
        self.max_episode_steps = limit
        self.metadata = {**type(self).metadata, "render_fps": self.FPS, "autoreset_mode": self.autoreset_mode}
        worlds = list(self.templates())
        self.starts = [world.save() for world in worlds]
        """The states that episodes start from: those of the templates."""
        self.batch = WorldBatch(
            worlds[: self.num_envs], self.num_envs, workers=workers, dt=1.0 / self.FPS, substeps=self.SUBSTEPS
        )
        for world in worlds:
            world.close()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.steps = np.zeros(self.num_envs, np.int64)
        self._over = np.zeros(self.num_envs, bool)
        self._begun = False

    # -- what a subclass writes

    def templates(self) -> Sequence[World]:
        """The worlds that episodes start from, with the same bodies, shapes and joints; called once, at the start."""
        raise NotImplementedError

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        """Begins an episode in the worlds of a mask. The standard restores them to the first template."""
        self.batch.restore(self.starts[0], mask)

    def act(self, actions: NDArray[Any]) -> None:
        """Applies the actions, shape (n, ...), to forces, impulses or motors. They are of the action space."""
        raise NotImplementedError

    def observe(self) -> NDArray[Any]:
        """The observations of all worlds, shape (n, ...), of the type of `single_observation_space`."""
        raise NotImplementedError

    def reward(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The rewards of the step and which episodes have ended, both of shape (n,)."""
        raise NotImplementedError

    # -- the interface of Gymnasium

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins new episodes.

        Args:
            seed: world i gets seed + i, or the i-th of n seeds. Its random numbers depend on its seed and the number
                of its episode only. None: the streams go on; at first they are those of seed 0.
            options: `{"reset_mask": mask}` resets the worlds of a mask, bool, shape (n,), only.

        Raises:
            ValueError: a wrong seed or mask; nothing has changed.
            TypeError: a wrong type.
        """
        mask = np.ones(self.num_envs, bool)
        if options is not None and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"])
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise ValueError(f"reset_mask={short_repr(mask)} must be bool of shape ({self.num_envs},)")
            if not self._begun and not mask.all():
                raise ValueError("reset_mask: the first reset must be of all worlds")
        if seed is not None:
            self.batch.seed(seed if isinstance(seed, (int, np.integer)) else np.asarray(seed), mask)
        self._begin(mask)
        self._begun = True
        return self.observe(), {}

    def _begin(self, mask: NDArray[np.bool_]) -> None:
        self.reset_worlds(mask)
        self.steps[mask] = 0
        self._over[mask] = False

    def _checked(self, actions: Any) -> NDArray[Any]:
        space = self.action_space
        given = np.asarray(actions)
        if given.shape != space.shape:
            raise ValueError(f"actions={short_repr(actions)} must have shape {space.shape}, not {given.shape}")
        if isinstance(space, spaces.MultiDiscrete):
            if given.dtype.kind not in "iu" or (given < 0).any() or (given >= space.nvec).any():
                raise ValueError(f"actions={short_repr(actions)} must be integers of {self.single_action_space}")
        elif given.dtype.kind not in "iuf" or not np.isfinite(given).all():
            raise ValueError(f"actions={short_repr(actions)} must be finite numbers")
        return given

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One step of all worlds: observations, rewards, terminations, truncations, information.

        A world with a body that is no longer finite is truncated with reward 0.

        Raises:
            ValueError: actions of a wrong shape, or not of the action space; nothing has changed.
        """
        given = self._checked(actions)
        if not self._begun:
            raise ValueError("call reset before the first step")
        before, mode = self._over.copy(), self.autoreset_mode
        if mode == AutoresetMode.DISABLED and before.any():
            raise ValueError(f"the episodes of {int(before.sum())} worlds are over: reset them with reset_mask")
        self.act(given)
        self.batch.step()
        self.steps += 1
        observations = self.observe()
        rewards, terminations = self.reward(observations)
        invalid = self.batch.invalid
        truncations = (self.steps >= self.max_episode_steps) | invalid
        if invalid.any():
            rewards[invalid], terminations[invalid] = 0.0, False
            observations[invalid] = 0
        truncations &= ~terminations
        info: dict[str, Any] = {}
        if mode == AutoresetMode.NEXT_STEP:
            if before.any():
                self._begin(before)
                rewards[before], terminations[before], truncations[before] = 0.0, False, False
                observations[before] = self.observe()[before]
            self._over = terminations | truncations
        else:
            over = terminations | truncations
            if mode == AutoresetMode.SAME_STEP and over.any():
                info = {"final_obs": observations.copy(), "_final_obs": over}
                self._begin(over)
                observations[over] = self.observe()[over]
            else:
                self._over = over
        return observations, rewards, terminations, truncations, info

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each world: uint8, shape (height, width, 3). Needs pillow (the extra `film`)."""
        if self.render_mode is None:
            return None
        return tuple(self.picture(k) for k in range(self.num_envs))

    def picture(self, index: int) -> NDArray[np.uint8]:
        """A picture of one world."""
        from .._draw.render import render

        with self.batch.extract(index) as world:
            return np.asarray(render(world, camera=self.VIEW, size=self.SIZE, by="kind").convert("RGB"))

    def close_extras(self, **_: Any) -> None:
        """Frees the worlds."""
        self.batch.close()
