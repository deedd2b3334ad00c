"""Two arms as environments, for `python -m benchmarks throughput`: tasks like Gymnasium's Acrobot and Reacher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from box2dpy import World
from box2dpy.envs import BatchEnv, SingleEnv

from .worlds import arm

LINKS = slice(1, 3)  # the bodies


class TwoLinkArm(BatchEnv):
    """A double pendulum, which is solved directly, with a torque at the elbow: swings its tip above the base."""

    single_observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
    single_action_space = spaces.Discrete(3)
    MOTORS = False
    TORQUE = 0.3  # N m

    def templates(self) -> Sequence[World]:
        return [arm(self.MOTORS)]

    def act(self, actions: Any) -> None:
        torque = self.TORQUE * (actions - 1.0)
        self.batch.torque[:, 1], self.batch.torque[:, 2] = -torque, torque

    def observe(self) -> Any:
        batch = self.batch
        turns = batch.rotation[:, LINKS].reshape(self.num_envs, 4)
        return np.concatenate([turns, batch.angular_velocity[:, LINKS]], axis=1, dtype=np.float32)

    def reward(self, observations: Any) -> Any:
        up = observations[:, 1] + observations[:, 3] > 1.0
        return np.where(up, 0.0, -1.0), up


class Reacher(TwoLinkArm):
    """Two motors take the tip to a place that each episode draws."""

    single_observation_space = spaces.Box(-np.inf, np.inf, (8,), np.float32)
    single_action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
    MOTORS = True

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        super().__init__(num_envs, **options)
        self.goal = np.zeros((num_envs, 2))

    def episode_arrays(self) -> Any:
        return [self.goal]

    def reset_worlds(self, mask: Any) -> None:
        super().reset_worlds(mask)
        self.goal[mask] = 2.0 * self.batch.random(2, mask) - 1.0

    def act(self, actions: Any) -> None:
        self.batch.joints.motor_speed[:] = 3.0 * np.clip(actions, -1.0, 1.0)

    def observe(self) -> Any:
        return np.concatenate([super().observe(), self.goal], axis=1, dtype=np.float32)

    def reward(self, observations: Any) -> Any:
        away = observations[:, 0:2] + observations[:, 2:4] - self.goal
        return -np.hypot(away[:, 0], away[:, 1]), np.zeros(self.num_envs, bool)


class OneArm(SingleEnv):
    VECTOR = TwoLinkArm


class OneReacher(SingleEnv):
    VECTOR = Reacher
