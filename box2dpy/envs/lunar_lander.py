"""LunarLander: lands a rocket with two legs on a pad. The task, its forces and its rewards are those of Gymnasium's
LunarLander-v3, after its documentation; the logic is numpy over all worlds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from .._bridge.arguments import flag, floats
from .._bridge.errors import short_repr
from .._geometry.shapes import Box, Filter, Frame, Polygon, Segment
from .._objects.body_array import spread
from .._world.world import World
from .batch_env import BatchEnv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SCALE = 30.0  # pixels of Gymnasium's pictures to a metre
WIDTH, HEIGHT = 600 / SCALE, 400 / SCALE
CHUNKS = 11
PAD = HEIGHT / 4  # height of the pad
MAIN_POWER, SIDE_POWER = 13.0, 0.6
PUSH = 1000.0  # N, greatest component of the push at the start
LEG_AWAY, LEG_DOWN = 20 / SCALE, 18 / SCALE
HULL = [(x / SCALE, y / SCALE) for x, y in ((-14, 17), (-17, 0), (-17, -10), (17, -10), (17, 0), (14, 17))]
TERRAINS = 64  # different grounds; each episode draws one
HULL_BODY = 1
REST_SPEED, REST_STEPS = 0.1, 25  # m/s and rad/s of a hull at rest, and for how many steps
START = np.array([WIDTH / 2, HEIGHT])


def terrain(number: int) -> NDArray[np.float64]:
    """The heights of a ground at 11 places, metres. Number 0 is flat."""
    raw = np.full(CHUNKS + 1, PAD)
    if number:
        raw = np.random.default_rng(number).uniform(0.0, HEIGHT / 2, CHUNKS + 1)
        raw[CHUNKS // 2 - 2 : CHUNKS // 2 + 3] = PAD
        return 0.33 * (np.roll(raw, 1)[:CHUNKS] + raw[:CHUNKS] + raw[1:])
    return 0.33 * 3.0 * raw[:CHUNKS]


def make_world(heights: NDArray[np.float64]) -> World:
    """The lander above a ground."""
    world = World(joint_solver="iterative", sleeping=False, profile="off")
    ground = world.create_static_body()
    ground.create_shape(Segment((0, 0), (WIDTH, 0)), friction=0.2)
    xs = np.linspace(0.0, WIDTH, CHUNKS)
    for a, b in zip(zip(xs, heights, strict=True), zip(xs[1:], heights[1:], strict=True), strict=False):
        ground.create_shape(Segment(a, b), friction=0.1)
    hull = world.create_dynamic_body(START)
    only_ground = Filter(0x10, 0x1, 0)
    hull.create_shape(Polygon(HULL), density=5.0, friction=0.1, filter=only_ground)
    for side in (-1, 1):
        turn = side * (0.05 - 0.4)  # the motor holds the leg at this limit
        place = START - rotated((side * LEG_AWAY, LEG_DOWN), turn)
        leg = world.create_dynamic_body(place, turn)
        leg.create_shape(Box(2 / SCALE, 8 / SCALE), density=1.0, friction=0.2, filter=only_ground)
        lower, upper = (0.4, 0.9) if side < 0 else (-0.9, -0.4)
        world.create_revolute_joint(
            hull,
            leg,
            frame_a=Frame((0, 0), 0.05 * side),
            frame_b=Frame((side * LEG_AWAY, LEG_DOWN)),
            lower_angle=lower,
            upper_angle=upper,
            motor_speed=0.3 * side,
            max_motor_torque=40.0,
        )
    return world


def rotated(v: tuple[float, float], angle: float) -> NDArray[np.float64]:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


class LunarLander(BatchEnv):
    """Lands a rocket on a pad: the observations, actions and rewards of Gymnasium's LunarLander-v3.

    An observation has the position from the pad and the velocity of the hull, its angle, its rate of rotation, and
    whether each leg touches the ground. Actions are 0: nothing, 1: left engine, 2: main engine, 3: right engine; or
    with `continuous` two numbers from -1 to 1 for the main and the side engines. An episode ends with -100 where the
    hull touches the ground or leaves the picture, and with +100 where the lander comes to rest.

    It differs from Gymnasium's: an episode draws one of 64 grounds, its first observation is of time 0, and the legs
    are where the joints hold them from the start.

    Args:
        continuous: whether actions are continuous.
        deterministic: no push at the start, no noise of the engines, a flat ground.
        gravity: m/s^2 upwards, between -12 and 0: one for all worlds or one for each, shape (n,).
        engine_power: factor on the power of the engines: a number or shape (n,).
        enable_wind, wind_power, turbulence_power: wind as in Gymnasium; powers are a number or shape (n,).

    The other arguments are those of `BatchEnv`.
    """

    VIEW: ClassVar[tuple[float, float, float, float]] = (0.0, 0.0, WIDTH, HEIGHT)
    SIZE: ClassVar[tuple[int, int]] = (600, 400)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        continuous: bool = False,
        deterministic: bool = False,
        gravity: ArrayLike = -10.0,
        engine_power: ArrayLike = 1.0,
        enable_wind: bool = False,
        wind_power: ArrayLike = 15.0,
        turbulence_power: ArrayLike = 1.5,
        max_episode_steps: int | None = 1000,
        **options: Any,
    ) -> None:
        self.continuous, self.deterministic = flag(continuous, "continuous"), flag(deterministic, "deterministic")
        self.enable_wind = flag(enable_wind, "enable_wind")
        bound = np.array([2.5, 2.5, 10, 10, 2 * math.pi, 10, 1, 1], np.float32)
        self.single_observation_space = spaces.Box(np.where(np.arange(8) < 6, -bound, 0).astype(np.float32), bound)
        self.single_action_space = spaces.Box(-1, 1, (2,), dtype=np.float32) if self.continuous else spaces.Discrete(4)
        super().__init__(num_envs, max_episode_steps=max_episode_steps, **options)
        self.gravity = self._each(gravity, "gravity", -12.0, 0.0)
        self.engine_power = self._each(engine_power, "engine_power", 0.0, 100.0)
        self.wind_power = self._each(wind_power, "wind_power", 0.0, 1000.0)
        self.turbulence_power = self._each(turbulence_power, "turbulence_power", 0.0, 1000.0)
        ground, hull, *legs = self._bodies
        self._touching = self.batch.watch_touching([(body, ground) for body in (*legs, hull)])
        n = self.num_envs
        self._shaping, self._fuel, self._wind = np.zeros(n), np.zeros(n), np.zeros((n, 2))
        self._rest = np.zeros(n, np.int64)  # steps since the lander came to rest
        self._turned, self._seen = np.zeros(n), np.zeros(n)  # the angle counts whole turns

    def _each(self, value: ArrayLike, name: str, lower: float, upper: float) -> NDArray[np.float64]:
        given = spread(value, name, (self.num_envs,), floats)
        if not ((given >= lower) & (given <= upper)).all():
            raise ValueError(f"{name}={short_repr(value)} is out of range: {lower:g} to {upper:g}")
        return given

    def templates(self) -> list[World]:
        grounds = [0] if self.deterministic else range(1, TERRAINS + 1)
        worlds = [make_world(terrain(k)) for k in grounds]
        self._bodies = list(worlds[0].bodies)
        return worlds

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        batch = self.batch
        batch.restore(self.starts[0], mask)
        if not self.deterministic:
            grounds = np.full(self.num_envs, -1)
            grounds[mask] = (batch.random(1, mask)[:, 0] * len(self.starts)).astype(np.int64)
            for k in np.unique(grounds[mask]).tolist():
                batch.restore(self.starts[k], grounds == k)
            draws, push = batch.random(4, mask), np.zeros((self.num_envs, 2))
            push[mask] = (2.0 * draws[:, :2] - 1.0) * PUSH / self.FPS
            batch.apply_impulse(HULL_BODY, push, mask=mask)
            self._wind[mask] = np.floor((2.0 * draws[:, 2:] - 1.0) * 9999.0)
        gravity = batch.gravity
        gravity[mask, 0], gravity[mask, 1] = 0.0, self.gravity[mask]
        batch.gravity = gravity
        self._turned[mask] = self._seen[mask] = 0.0
        self._rest[mask] = 0
        self._shaping[mask] = shaping_of(self._state())[mask]

    def act(self, actions: NDArray[Any]) -> None:
        n, batch = self.num_envs, self.batch
        if self.continuous:
            main, side = np.clip(np.asarray(actions, np.float64), -1.0, 1.0).T
            power = np.where(main > 0.0, 0.5 + 0.5 * main, 0.0)
            turning = np.where(np.abs(side) > 0.5, np.abs(side), 0.0)
            direction = np.sign(side)
        else:
            power, turning = (actions == 2).astype(np.float64), (actions % 2).astype(np.float64)
            direction = actions - 2.0
        self._fuel = 0.3 * power + 0.03 * turning
        if self.enable_wind:
            self._blow()
        noise = np.zeros((n, 2)) if self.deterministic else (2.0 * batch.random(2) - 1.0) / SCALE
        cos, sin = batch.rotation[:, HULL_BODY].T.astype(np.float64)
        place = batch.position[:, HULL_BODY]
        for strength, mask, along, across, right, up in (
            (MAIN_POWER * power, power > 0.0, 4 / SCALE + 2.0 * noise[:, 0], noise[:, 1], 0.0, 0.0),
            (
                SIDE_POWER * turning,
                turning > 0.0,
                noise[:, 0],
                3.0 * noise[:, 1] + direction * 12 / SCALE,
                -17 / SCALE,
                14 / SCALE,
            ),
        ):
            if mask.any():
                out = np.stack([sin * along - cos * across, -cos * along - sin * across], axis=1)
                point = place + out + np.stack([right * sin, up * cos], axis=1)
                impulse = -out * (strength * self.engine_power)[:, None]
                batch.apply_impulse(HULL_BODY, impulse, point, mask, wake=False)

    def _blow(self) -> None:
        """Wind on landers in the air. sin(2 k x) + sin(pi k x) never repeats."""
        air = ~self._touching[:, :2].any(axis=1)
        push = np.tanh(np.sin(0.02 * self._wind) + np.sin(0.01 * math.pi * self._wind))
        self.batch.force[air, HULL_BODY, 0] = (push[:, 0] * self.wind_power)[air]
        self.batch.torque[air, HULL_BODY] = (push[:, 1] * self.turbulence_power)[air]
        self._wind[air] += 1.0

    def _state(self) -> NDArray[np.float64]:
        """The observations as float64."""
        batch, out = self.batch, np.empty((self.num_envs, 8))
        place, speed = batch.position[:, HULL_BODY], batch.linear_velocity[:, HULL_BODY]
        turn = np.arctan2(batch.rotation[:, HULL_BODY, 1], batch.rotation[:, HULL_BODY, 0])
        change = turn - self._seen
        self._turned += change - math.tau * np.round(change / math.tau)
        self._seen = turn.astype(np.float64)
        out[:, 0] = place[:, 0] / (WIDTH / 2) - 1.0
        out[:, 1] = (place[:, 1] - (PAD + LEG_DOWN)) / (HEIGHT / 2)
        out[:, 2] = speed[:, 0] * (WIDTH / 2 / self.FPS)
        out[:, 3] = speed[:, 1] * (HEIGHT / 2 / self.FPS)
        out[:, 4] = self._turned
        out[:, 5] = batch.angular_velocity[:, HULL_BODY] * (20.0 / self.FPS)
        out[:, 6:] = self._touching[:, :2]
        return out

    def observe(self) -> NDArray[np.float32]:
        return self._state().astype(np.float32)

    def reward(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        state = self._state()
        shaping = shaping_of(state)
        rewards = shaping - self._shaping - self._fuel
        self._shaping = shaping
        crashed = self._touching[:, 2] | (np.abs(state[:, 0]) >= 1.0)
        speed, turning = self.batch.linear_velocity[:, HULL_BODY], self.batch.angular_velocity[:, HULL_BODY]
        still = (np.abs(speed) < REST_SPEED).all(axis=1) & (np.abs(turning) < REST_SPEED)
        self._rest = np.where(still & self._touching[:, :2].any(axis=1), self._rest + 1, 0)
        landed = self._rest >= REST_STEPS
        rewards[crashed] = -100.0
        rewards[landed & ~crashed] = 100.0
        return rewards, crashed | landed


def shaping_of(state: NDArray[np.float64]) -> NDArray[np.float64]:
    """The potential whose change is the reward: near the pad, slow, upright, with legs on the ground."""
    distance, speed = np.hypot(state[:, 0], state[:, 1]), np.hypot(state[:, 2], state[:, 3])
    return np.asarray(-100.0 * (distance + speed + np.abs(state[:, 4])) + 10.0 * (state[:, 6] + state[:, 7]))
