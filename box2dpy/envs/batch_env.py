"""`BatchEnv`: a vector environment of Gymnasium over a `WorldBatch`."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .. import WorldBatch
from ..arguments import choice, floats, integer, masked, short_repr, spread
from .travel import Travelling
from .window import Window, tiled

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .. import DrawList, Scheduler, State, World
    from .sb3 import SB3Env
    from .single_env import OneWorld

    Step = tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]

RENDER_MODES = ("human", "rgb_array")
SHOWN = 16  # worlds in a window


class Episode(NamedTuple):
    """An exact snapshot of the episode of one world, made by `BatchEnv.save_episodes`."""

    state: State
    """Of the world, with its stream of random numbers."""
    arrays: list[NDArray[Any]]
    """The rows of the arrays of the environment itself."""


class BatchEnv(Travelling, VectorEnv):  # type: ignore[misc]
    """Many copies of an environment in one `WorldBatch`; the logic of an environment is numpy over all worlds.

    Environments can be pickled and copied, also in the middle of an episode: the copy continues with the same bits. It
    is created with the same arguments, and then gets all attributes of the original, also those that a subclass has
    added. Only the constructor makes what shows something of the worlds: views, watches, handles of templates, objects
    that hold any of these, and attributes that `MADE_AGAIN` names. Arguments and the other attributes must allow
    pickling or copying. The copy has no window.

    A subclass sets `single_observation_space` (of numbers: `Box`, `MultiBinary` and the like) and
    `single_action_space`, `FPS` and `SUBSTEPS`, makes the worlds that episodes start from in `templates`, and writes
    four methods: `reset_worlds`, `act`, `observe` and `reward`; `begun` is optional. They find the worlds in
    `self.batch`, the number of steps of each episode in `self.steps`, and random numbers of each world in
    `self.batch.random`.

    Args:
        num_envs: how many worlds.
        workers: threads, the calling one included, or a `Scheduler` to share.
        max_episode_steps: steps after which an episode is truncated; None: never.
        autoreset_mode: "NextStep" (an `AutoresetMode` or its value): the step after the last one of an episode resets
            its world, ignores its action and has reward 0. "SameStep": the last step resets; `info["final_obs"]` has
            the last observations of the worlds in `info["_final_obs"]`; `info["final_info"]` is empty.
            "Disabled": `reset(options={"reset_mask": mask})` resets worlds, and a step with finished worlds raises
            `ResetNeeded`.
        render_mode: "rgb_array", "human" or None; pictures need pillow, and windows pygame.

    Raises:
        ValueError: a value is out of range or not known.
        TypeError: a wrong type.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 50}  # noqa: RUF012
    FPS: ClassVar[int] = 50
    SUBSTEPS: ClassVar[int] = 4
    DIFFER: ClassVar[bool] = False
    """Whether episodes may have other bodies, shapes and joints than the templates."""
    VIEW: ClassVar[tuple[float, float, float, float]] = (-10.0, -10.0, 10.0, 10.0)
    """What pictures show: left, bottom, right, top, metres."""
    SIZE: ClassVar[tuple[int, int]] = (600, 400)
    """Width and height of pictures, pixels."""
    HOLDS = "batch"
    MADE_AGAIN: ClassVar[frozenset[str]] = Travelling.MADE_AGAIN | {"starts", "_one", "_window"}
    """The attributes that a copy takes from its own constructor; a subclass may add names."""
    single_observation_space: Any
    single_action_space: Any
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
        self.render_mode = None if render_mode is None else choice(render_mode, "render_mode", RENDER_MODES)
        limit = 2**62 if max_episode_steps is None else integer(max_episode_steps, "max_episode_steps", 1, 2**62)
        self.max_episode_steps = limit
        self.metadata = {**type(self).metadata, "render_fps": self.FPS, "autoreset_mode": self.autoreset_mode}
        worlds = list(self.templates())
        self.starts = [world.save() for world in worlds]
        """The states that episodes start from: those of the templates."""
        self.batch = WorldBatch(
            worlds[: self.num_envs], self.num_envs, workers=workers, dt=1.0 / self.FPS, substeps=self.SUBSTEPS,
            room=self.room(),
        )  # fmt: skip
        for world in worlds:
            world.close()
        if hasattr(self, "single_observation_space"):  # else the subclass does it
            self._take_spaces(self.single_observation_space, self.single_action_space)
        self.steps = np.zeros(self.num_envs, np.int64)
        self._over = np.zeros(self.num_envs, bool)
        self._seeded = self._ready = False
        self._window: Window | None = None

    def _take_spaces(self, observation: Any, action: Any) -> None:
        """Copies, because spaces have random numbers of their own, and a class may share its spaces."""
        self.single_observation_space, self.single_action_space = copy.deepcopy(observation), copy.deepcopy(action)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    # -- what a subclass writes

    def templates(self) -> Sequence[World]:
        """The worlds that episodes start from, with the same bodies, shapes and joints; called once, at the start."""
        raise NotImplementedError

    def room(self) -> Mapping[str, int] | None:
        """For how many objects worlds have room beside those of the templates, as in `WorldBatch`; called once."""
        return None

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        """Begins an episode in the worlds of a mask. By default they are restored to the first template."""
        self.batch.restore(self.starts[0], mask)

    def act(self, actions: NDArray[Any]) -> None:
        """Applies the actions, shape (n, ...), to forces, impulses or motors. They have been checked: integers of the
        action space, or finite numbers, which may be outside of the bounds of a `Box`."""
        raise NotImplementedError

    def observe(self) -> NDArray[Any]:
        """The observations of all worlds: a fresh array, shape (n, ...)."""
        raise NotImplementedError

    def episode_arrays(self) -> Sequence[NDArray[Any]]:
        """The arrays, or views of them, that hold the state of an episode beside its world, all of shape (n, ...):
        `save_episodes` copies their rows, and `restore_episodes` writes into them. By default there are none.
        """
        return ()

    def begun(self, mask: NDArray[np.bool_], observations: NDArray[Any]) -> None:
        """Takes the first observations of the worlds of a mask, for rewards that compare with the step before. Rows of
        other worlds are not to be used."""

    def reward(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The rewards of the step and which episodes have ended: fresh arrays of shape (n,)."""
        raise NotImplementedError

    def each(self, value: ArrayLike, name: str, lower: float, upper: float) -> NDArray[np.float64]:
        """A value for each world, shape (n,), from a number or an array: for parameters of worlds.

        Raises:
            ValueError: a number is not from `lower` to `upper`, or a wrong shape.
            TypeError: no numbers.
        """
        given = spread(value, name, (self.num_envs,), floats)
        if not ((given >= lower) & (given <= upper)).all():
            raise ValueError(f"{name}={short_repr(value)} is out of range: {lower:g} to {upper:g}")
        return given

    # -- the interface of Gymnasium

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins new episodes.

        Args:
            seed: world i gets seed + i, or the i-th of n seeds. Its random numbers depend on its seed and the number
                of its episode only. None: the streams go on; they begin with a seed from the operating system.
            options: `{"reset_mask": mask}` resets the worlds of a mask, bool, shape (n,), only.

        Raises:
            ValueError: a wrong seed or mask; nothing has changed.
            TypeError: a wrong type.
            ResetNeeded: a mask at the first reset does not hold all worlds.
        """
        mask = np.ones(self.num_envs, bool)
        if options is not None and not isinstance(options, dict):
            raise TypeError(f"options={short_repr(options)} must be a dict or None")
        if options is not None and "reset_mask" in options:
            given = options["reset_mask"]
            mask = np.array(given)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise ValueError(f"reset_mask={short_repr(given)} must be bool of shape ({self.num_envs},)")
            if not self._ready and not mask.all():
                raise ResetNeeded("reset_mask: the first reset must be of all worlds")
        if seed is not None:
            self.batch.seed(seed if isinstance(seed, (int, np.integer)) else np.asarray(seed), mask)
        elif not self._seeded:
            self.batch.seed(int(np.random.SeedSequence().generate_state(1)[0]))
        self._seeded = self._ready = True
        observations = self._begin(mask)
        self._show()
        return observations, {}

    def _begin(self, mask: NDArray[np.bool_]) -> NDArray[Any]:
        """Begins episodes in the worlds of a mask; the observations of all worlds."""
        if not mask.any():
            return self._observe()
        self.reset_worlds(mask)
        self.steps[mask] = 0
        self._over[mask] = False
        observations = self._observe()
        self.begun(mask, observations)
        return observations

    def _observe(self) -> NDArray[Any]:
        return np.asarray(self.observe(), self.single_observation_space.dtype)

    def _checked(self, actions: Any) -> NDArray[Any]:
        space, single = self.action_space, self.single_action_space
        given = np.asarray(actions)
        if given.shape != space.shape:
            raise ValueError(f"actions={short_repr(actions)} must have shape {space.shape}, not {given.shape}")
        if isinstance(single, spaces.Box):
            if given.dtype.kind not in "iuf" or not np.isfinite(given).all():
                raise ValueError(f"actions={short_repr(actions)} must be finite numbers")
        else:
            integers = given.dtype.kind in "iu" or (given.dtype.kind == "b" and isinstance(single, spaces.MultiBinary))
            if not integers or not _inside(single, given):
                raise ValueError(f"actions={short_repr(actions)} must be integers of {single}")
        return given

    def step(self, actions: Any) -> Step:
        """One step of all worlds: observations, rewards, terminations, truncations, information.

        A world with a body that is no longer finite is truncated, with reward 0 and observation 0.

        Raises:
            ValueError: actions of a wrong shape, or not of the action space; nothing has changed.
            ResetNeeded: before the first reset, or with finished worlds in the mode "Disabled"; nothing has changed.
        """
        one = self._one
        if one is not None and (found := self._one_step(one, actions)) is not None:
            return found
        given = self._checked(actions)
        if not self._ready:
            raise ResetNeeded("call reset before the first step")
        before, mode = self._over, self.autoreset_mode
        if mode == AutoresetMode.DISABLED and before.any():
            raise ResetNeeded(f"the episodes of {int(before.sum())} worlds are over: reset them with reset_mask")
        self.act(given)
        self.batch.step()
        self.steps += 1
        resets = mode == AutoresetMode.NEXT_STEP and bool(before.any())
        if resets:
            before = before.copy()
            observations = self._begin(before)
        else:
            observations = self._observe()
        rewards, terminations = self.reward(observations)
        if resets:
            rewards[before], terminations[before] = 0.0, False
        truncations = self.steps >= self.max_episode_steps
        invalid = self.batch.invalid
        if invalid.any():
            truncations |= invalid
            rewards[invalid], terminations[invalid], observations[invalid] = 0.0, False, 0
        truncations &= ~terminations
        return self._ended(observations, rewards, terminations, truncations)

    @functools.cached_property
    def _one(self) -> OneWorld | None:
        """Steps an only world in numbers, where this very class has `ONE`: a subclass may change what it stands for."""
        one = vars(type(self)).get("ONE") if self.num_envs == 1 else None
        return None if one is None else one(self)

    def _one_step(self, one: OneWorld, actions: Any) -> Step | None:
        """The step of an only world, with the bits of `step`, sooner; None where `one` does not take it."""
        given = np.asarray(actions)
        if given.shape != self.action_space.shape or not self._ready or self._over[0]:
            return None
        action = one.taken(given[0])
        if action is None:
            return None
        observation, reward, ended, cut, _ = one.step(action)
        return self._ended(observation[None], np.array([reward]), np.array([ended]), np.array([cut]))

    def _ended(
        self,
        observations: NDArray[Any],
        rewards: NDArray[np.float64],
        terminations: NDArray[np.bool_],
        truncations: NDArray[np.bool_],
    ) -> Step:
        """The end of a step: remembers which episodes are over, and resets them in the mode "SameStep"."""
        info: dict[str, Any] = {}
        self._over = terminations | truncations
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._over.any():
            over = self._over.copy()
            # No world says more than its observation, so of the last steps nothing is in `final_info`
            info = {"final_obs": observations, "_final_obs": over, "final_info": {}, "_final_info": over.copy()}
            observations = self._begin(over)
        self._show()
        return observations, rewards, terminations, truncations, info

    def save_episodes(self, mask: ArrayLike | None = None) -> list[Episode]:
        """The episodes of the worlds of a mask (bool, shape (n,); None: all), in their order: exact snapshots.

        Raises:
            ResetNeeded: before the first reset.
        """
        if not self._ready:
            raise ResetNeeded("call reset before save_episodes")
        worlds = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        states, arrays = self.batch.save(mask), self._episode_arrays()
        return [
            Episode(state, [np.array(array[k]) for array in arrays]) for state, k in zip(states, worlds, strict=True)
        ]

    def restore_episodes(self, episodes: Episode | Sequence[Episode], mask: ArrayLike | None = None) -> NDArray[Any]:
        """Returns the worlds of a mask to an episode, or each of them to its own; they go on with the same bits. The
        random numbers return as well. Parameters of worlds that are attributes are not part of an episode.

        Args:
            episodes: of `save_episodes` of this environment or of one with the same options; one for all, or a sequence
                with one for each world of the mask, in their order.
            mask: bool, shape (n,); None: all worlds.

        Returns:
            The observations of all worlds.

        Raises:
            ValueError: an episode does not fit, or a wrong number of them; nothing has changed.
            TypeError: a wrong type.
            ResetNeeded: before the first reset, with a mask that does not hold all worlds.
        """
        chosen = masked(mask, self.num_envs)
        worlds = np.arange(self.num_envs) if chosen is None else np.flatnonzero(chosen)
        if not self._ready and len(worlds) < self.num_envs:
            raise ResetNeeded("call reset before restore_episodes, or restore all worlds")
        given: list[Any] = [episodes] * len(worlds) if isinstance(episodes, Episode) else list(episodes)
        if not all(isinstance(each, Episode) for each in given):
            raise TypeError(f"episodes={short_repr(episodes)} must be an Episode or a sequence of them")
        arrays = self._episode_arrays()
        kinds = [(array.dtype, array.shape[1:]) for array in arrays]
        if any([(row.dtype, row.shape) for row in map(np.asarray, each.arrays)] != kinds for each in given):
            raise ValueError(f"episodes={short_repr(episodes)} must be of an environment with the same options")
        self.batch.restore([each.state for each in given], chosen, random=True, replace=self.DIFFER)
        for k, array in enumerate(arrays):
            for world, each in zip(worlds.tolist(), given, strict=True):
                array[world] = each.arrays[k]
        self._seeded = self._ready = True
        return self._observe()

    def _episode_arrays(self) -> list[NDArray[Any]]:
        return [self.steps, self._over, *self.episode_arrays()]

    def close_extras(self, **_: Any) -> None:
        """Frees the worlds and closes the window."""
        self.batch.close()
        if self._window is not None:
            self._window.close()

    def to_sb3(self) -> SB3Env:
        """This environment as a `VecEnv` of Stable-Baselines3, which must be installed. The autoreset mode becomes
        "SameStep", as Stable-Baselines3 expects it."""
        from .sb3 import SB3Env

        self.autoreset_mode = AutoresetMode.SAME_STEP
        self.metadata["autoreset_mode"] = self.autoreset_mode
        return SB3Env(self)

    # -- pictures

    def view(self, index: int) -> tuple[float, float, float, float]:
        """What the picture of a world shows: left, bottom, right, top, metres; by default `VIEW`."""
        return self.VIEW

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each world, uint8, shape (height, width, 3), in the mode "rgb_array". The mode "human" shows the
        first 16 worlds in a window in every step and returns None."""
        if self.render_mode == "rgb_array":
            return tuple(self.picture(k) for k in range(self.num_envs))
        self._show()
        return None

    def picture(self, index: int) -> NDArray[np.uint8]:
        """A picture of one world: uint8, shape (height, width, 3). Needs pillow (the extra `film`)."""
        from .. import render

        with self.batch.extract(index) as world:
            camera, marks = self.view(index), self.marks(index)
            return np.asarray(render(world, camera=camera, size=self.SIZE, by="kind", draw=marks).convert("RGB"))

    def marks(self, index: int) -> DrawList | None:
        """What is drawn over a world beside its shapes; None: nothing."""
        return None

    def _show(self) -> None:
        if self.render_mode != "human":
            return
        if self._window is None:
            self._window = Window(type(self).__name__, self.FPS)
        self._window.show(tiled([self.picture(k) for k in range(min(SHOWN, self.num_envs))]))


def _inside(space: Any, actions: NDArray[Any]) -> bool:
    """Whether integer actions of n worlds are of the action space."""
    if isinstance(space, spaces.Discrete):
        return bool(actions.min() >= space.start and actions.max() < space.start + space.n)
    if isinstance(space, spaces.MultiDiscrete):
        return bool((actions >= space.start).all() and (actions < space.start + space.nvec).all())
    if isinstance(space, spaces.MultiBinary):
        return bool(((actions == 0) | (actions == 1)).all())
    raise ValueError(f"an action space of kind {type(space).__name__} is not supported: Box or integers")
