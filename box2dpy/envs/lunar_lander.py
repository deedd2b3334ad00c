"""LunarLander: lands a rocket with two legs on a pad. The task, the forces of the engines and the formula of the
reward are those of Gymnasium's LunarLander-v3, after its documentation; the logic is numpy over all worlds."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from .. import Box, DrawList, Filter, Frame, Polygon, Segment, World
from ..arguments import flag
from .batch_env import BatchEnv
from .single_env import OneWorld

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SCALE = 30.0  # pixels of Gymnasium's pictures to a metre
WIDTH, HEIGHT = 600 / SCALE, 400 / SCALE
FPS = 50
CHUNKS = 11
PAD = HEIGHT / 4  # height of the pad
START_SPEED = 4.035  # m/s, greatest component of the velocity at the start
GRAVITY = -10.0
LEG_AWAY, LEG_DOWN = 20 / SCALE, 18 / SCALE
HULL = [(x / SCALE, y / SCALE) for x, y in ((-14, 17), (-17, 0), (-17, -10), (17, -10), (17, 0), (14, 17))]
TERRAINS = 64  # different grounds; each episode draws one
# Inertia that is taken from the hull for each leg, kg m^2. The lander as a whole turns as before, but the legs, which
# weigh a 70th of the hull, get joints and contacts that the solver can hold: without it they rock and sag
LEG_INERTIA = 0.06
LEG_HERTZ = 25.0  # softness of the joints; stiffer ones throw the lander back where it falls upon a leg
LENGTH_UNIT = 0.25  # contacts end where the distance is an eighth of a leg's thickness, as with Box2D 2
LEG_ANGLE = 0.54  # of the legs at the start; the motors hold them at 0.4
SPIN = -0.112  # rad/s of the lander for each m/s to the right, because the hull alone is pushed
# At rest, as Box2D 2 decides it: m/s and rad/s of all bodies, for so many steps
REST_SPEED, REST_TURNING, REST_STEPS = 0.01, math.radians(2.0), 25
START = (WIDTH / 2, HEIGHT)
HULL_BODY, BODIES, LEGS = 1, (1, 2, 3), slice(2, 4)
# Of an action: the point at which an engine pushes is, from the hull, noise * the second from the first along the axis
# of the hull, and likewise across it; then which engine fires
ENGINES = np.array(
    [
        [0.0, 0.0, 4 / SCALE, 0.0],
        [0.0, 1.0, 2.0, 1.0],
        [0.0, -12 / SCALE, 0.0, 12 / SCALE],
        [0.0, 3.0, 1.0, 3.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
    ]
)


def terrain(number: int) -> NDArray[np.float64]:
    """The heights of a ground at 11 places, metres. Number 0 is flat."""
    raw = np.full(CHUNKS + 1, PAD)
    if number:
        raw = np.random.default_rng(number).uniform(0.0, HEIGHT / 2, CHUNKS + 1)
        raw[CHUNKS // 2 - 2 : CHUNKS // 2 + 3] = PAD
    return np.asarray(0.33 * (np.roll(raw, 1)[:CHUNKS] + raw[:CHUNKS] + raw[1:]))


def make_world(heights: NDArray[np.float64], gravity: float, dt: float, substeps: int) -> World:
    """The lander above a ground, one step after its start, as Gymnasium's first observation."""
    world = World(
        (0.0, gravity),
        joint_hertz=LEG_HERTZ,
        length_unit=LENGTH_UNIT,
        joint_solver="iterative",  # else hull and legs are a press on the ground: no bounces, at nine times the time
        sleeping=False,
        continuous=False,
        profiling="off",
    )
    ground = world.create_static_body()
    ground.create_shape(Segment((0, 0), (WIDTH, 0)), friction=0.2)
    ends = list(zip(np.linspace(0.0, WIDTH, CHUNKS).tolist(), heights.tolist(), strict=True))
    for a, b in itertools.pairwise(ends):
        ground.create_shape(Segment(a, b), friction=0.1)
    hull = world.create_dynamic_body(START)
    only_ground = Filter(0x10, 0x1, 0)
    hull.create_shape(Polygon(HULL), density=5.0, friction=0.1, filter=only_ground)
    hull.inertia -= 2.0 * LEG_INERTIA
    for side in (-1, 1):
        turn = side * (0.05 - LEG_ANGLE)
        place = np.array(START) - rotated((side * LEG_AWAY, LEG_DOWN), turn)
        leg = world.create_dynamic_body(place, turn)
        leg.create_shape(Box(2 / SCALE, 8 / SCALE), density=1.0, friction=0.2, filter=only_ground)
        leg.inertia += LEG_INERTIA
        lower, upper = (0.4, 0.9) if side < 0 else (-0.9, -0.4)
        world.create_revolute_joint(
            hull, leg, frame_a=Frame((0, 0), 0.05 * side), frame_b=Frame((side * LEG_AWAY, LEG_DOWN)),
            lower_angle=lower, upper_angle=upper, motor_speed=0.3 * side, max_motor_torque=40.0,
        )  # fmt: skip
    world.step(dt, substeps)
    return world


def rotated(v: tuple[float, float], angle: float) -> NDArray[np.float64]:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


class OneLander(OneWorld):
    """`LunarLander` with one world, in numbers. Each line has its twin in the methods of that class."""

    ENGINES: ClassVar[list[list[float]]] = ENGINES.T.tolist()
    SPEEDS: ClassVar[NDArray[np.float32]] = np.array([WIDTH / 2 / FPS, HEIGHT / 2 / FPS, 20.0 / FPS], np.float32)
    REST_TURNING: ClassVar[float] = float(np.float32(REST_TURNING))  # as numpy compares it
    REST_SPEED: ClassVar[float] = float(np.float32(REST_SPEED))

    def __init__(self, env: LunarLander) -> None:
        super().__init__(env)
        self._place, self._rotation, self._touching = env._place[0], env._rotation[0], env._touching[0]
        self._cos, self._sin = self._rotation[:1], self._rotation[1:]
        self._speeds = self.numbers.velocity(HULL_BODY)
        self._state = env._state[:, 0]

    def taken(self, action: Any) -> Any:
        if not self.env.continuous:
            whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
            return int(action) if whole and 0 <= action < 4 else None
        if not isinstance(action, np.ndarray) or action.shape != (2,) or action.dtype.kind != "f":
            return None
        given: list[float] = action.tolist()
        return given if math.isfinite(given[0]) and math.isfinite(given[1]) else None

    def act(self, action: Any) -> None:
        env = self.env
        first = second = 0.0
        if not env.deterministic:
            first, second = self.numbers.random2()
            first, second = first * (2.0 / SCALE) - 1.0 / SCALE, second * (2.0 / SCALE) - 1.0 / SCALE
        if env.enable_wind:
            env._blow()
        main_power, side_power = float(env.main_engine_power[0]), float(env.side_engine_power[0])
        if env.continuous:
            given, side = (min(max(each, -1.0), 1.0) for each in action)
            main, sides = 0.5 + 0.5 * given if given > 0.0 else 0.0, abs(side) if abs(side) > 0.5 else 0.0
            self._fire(4 / SCALE + 2.0 * first, second, main * main_power, 0.0)
            sign = (side > 0.0) - (side < 0.0)
            self._fire(first, 3.0 * second + sign * (12 / SCALE), sides * side_power, 1.0)
        else:
            along, along_noise, across, across_noise, main, sides = self.ENGINES[action]
            power = main * main_power + sides * side_power
            sign = action - 2
            self._fire(first * along_noise + along, second * across_noise + across, power, sides)
        env._fuel[0] = 0.3 * main + 0.03 * sides
        if env.render_mode is not None:
            env._flames[:, 0] = main, sides * sign

    def _fire(self, along: float, across: float, power: float, aside: float) -> None:
        (cos, sin), (x, y) = self._rotation.tolist(), self._place.tolist()
        out_x, out_y = sin * along - cos * across, -(cos * along) - sin * across
        x, y = x + out_x - aside * sin * (17 / SCALE), y + out_y + aside * cos * (14 / SCALE)
        self.numbers.push(HULL_BODY, out_x * -power, out_y * -power, x, y)

    def outcome(self) -> tuple[NDArray[np.float32], float, bool]:
        env, state = self.env, self._state
        (x, y), (left, right, hull) = self._place.tolist(), self._touching.tolist()
        vx, vy, turning = (self._speeds * self.SPEEDS).tolist()
        x, y = x * (2.0 / WIDTH) - 1.0, y * (2.0 / HEIGHT) - (PAD + LEG_DOWN) * 2.0 / HEIGHT
        angle = float(np.arctan2(self._sin, self._cos)[0])
        angle += math.tau * round((float(state[4]) - angle) / math.tau)
        state[:] = x, y, vx, vy, angle, turning, left, right
        pull = math.sqrt(x * x + y * y) + math.sqrt(vx * vx + vy * vy) + abs(angle)
        shaping = 10.0 * (left + right) - 100.0 * pull
        reward = shaping - float(env._shaping[0]) - float(env._fuel[0])
        env._shaping[0] = shaping
        rest = int(env._rest[0]) + 1 if (left or right) and self._slow() else 0
        env._rest[0] = rest
        crashed, landed = hull or abs(x) >= 1.0, rest >= REST_STEPS
        if crashed or landed:
            reward = -100.0 if crashed else 100.0
        return state.astype(np.float32), reward, crashed or landed

    def _slow(self) -> bool:
        _, vy, turning = self._speeds.tolist()
        likely = abs(turning) <= self.REST_TURNING and abs(vy) <= self.REST_SPEED
        return likely and bool(self.env._still()[0])


class LunarLander(BatchEnv):
    """Lands a rocket on a pad: the task of Gymnasium's LunarLander-v3, with different physics.

    An observation has the position from the pad and the velocity of the hull, its angle, its rate of rotation, and
    whether each leg touches the ground. Actions are 0: nothing, 1: left engine, 2: main engine, 3: right engine; or
    with `continuous` the power of the main engine (above 0) and of the engines at the sides (beyond 0.5), -1 to 1. An
    episode ends with -100 where the hull touches the ground or leaves the view, and with 100 where the lander has come
    to rest.

    Args:
        num_envs: how many worlds.
        continuous: whether actions are continuous.
        deterministic: whether the ground is flat, the lander begins at rest and the engines push exactly. Otherwise
            each episode draws one of 64 grounds and the velocity at the start, and the engines scatter.
        gravity: m/s^2, -12 to 0.
        main_engine_power, side_engine_power: N s of a push at full power are this times its distance from the hull, m.
        hull_mass: a factor of the mass and the inertia of the hull.
        enable_wind: whether wind blows while no leg touches the ground.
        wind_power, turbulence_power: greatest force, N, and torque, N m, of the wind.

    Parameters with numbers are one for all worlds or an array, shape (n,). They are attributes, arrays of shape (n,);
    values written into them apply from the next step, gravity and mass from the next episode of each world. The other
    arguments are those of `BatchEnv`.

    Raises:
        ValueError: a value is out of range.
        TypeError: a wrong type.
    """

    FPS: ClassVar[int] = FPS
    ONE: ClassVar[type[OneWorld]] = OneLander
    VIEW: ClassVar[tuple[float, float, float, float]] = (0.0, 0.0, WIDTH, HEIGHT)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        continuous: bool = False,
        deterministic: bool = False,
        gravity: ArrayLike = GRAVITY,
        main_engine_power: ArrayLike = 13.0,
        side_engine_power: ArrayLike = 0.6,
        hull_mass: ArrayLike = 1.0,
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
        self.gravity = self.each(gravity, "gravity", -12.0, 0.0)
        self.main_engine_power = self.each(main_engine_power, "main_engine_power", 0.0, 1000.0)
        self.side_engine_power = self.each(side_engine_power, "side_engine_power", 0.0, 1000.0)
        self.hull_mass = self.each(hull_mass, "hull_mass", 0.1, 10.0)
        self.wind_power = self.each(wind_power, "wind_power", 0.0, 1000.0)
        self.turbulence_power = self.each(turbulence_power, "turbulence_power", 0.0, 1000.0)
        n, batch = self.num_envs, self.batch
        ground, *bodies = self._bodies
        self._touching = batch.watch_touching([(body, ground) for body in (*bodies[1:], bodies[0])])
        self._place, self._speed = batch.position[:, HULL_BODY], batch.linear_velocity[:, HULL_BODY]
        self._rotation, self._turning = batch.rotation[:, HULL_BODY], batch.angular_velocity[:, HULL_BODY]
        self._leg_speed, self._leg_turning = batch.linear_velocity[:, LEGS], batch.angular_velocity[:, LEGS]
        place = batch.position[0, 1:]
        self._start_arms = (place - place[0])[:, ::-1] * (-1.0, 1.0)  # velocities at a rotation of 1 rad/s
        self._start_speed, self._start_turning = (
            batch.linear_velocity[0, 1:].copy(),
            batch.angular_velocity[0, 1:].copy(),
        )
        self._masses, self._inertias = batch.mass.read()[0], batch.inertia.read()[0]
        self._state = np.zeros((8, n))  # the observations, float64; the angle counts whole turns
        self._shaping, self._fuel = np.zeros(n), np.zeros(n)
        self._engines = np.empty((len(ENGINES), n))  # what the actions of a step mean
        self._wind = np.zeros((2, n))
        self._flames = np.zeros((2, n))  # of pictures: power of the main engine, and of a side engine to the right
        self._rest = np.zeros(n, np.int64)  # steps since the lander came to rest

    def templates(self) -> list[World]:
        grounds = [0] if self.deterministic else range(1, TERRAINS + 1)
        worlds = [make_world(terrain(k), GRAVITY, 1.0 / self.FPS, self.SUBSTEPS) for k in grounds]
        self._bodies = list(worlds[0].bodies)
        return worlds

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        batch, worlds = self.batch, np.flatnonzero(mask)
        batch.next_episode(mask)
        if self.deterministic:
            batch.restore(self.starts[0], mask, random=None)
        else:
            draws = batch.random(5, mask)
            grounds = (draws[:, 0] * len(self.starts)).astype(np.int64).tolist()
            batch.restore([self.starts[k] for k in grounds], mask, random=None)
            self._push((2.0 * draws[:, 1:3] - 1.0) * START_SPEED, mask)
            if self.enable_wind:
                self._wind[:, worlds] = np.floor((2.0 * draws[:, 3:] - 1.0) * 9999.0).T
        if (self.gravity != GRAVITY).any():
            gravity = batch.gravity
            gravity[worlds, 1] = self.gravity[worlds]
            batch.gravity = gravity
        if (self.hull_mass != 1.0).any():
            batch.mass[worlds, HULL_BODY] = self._masses[HULL_BODY] * self.hull_mass[worlds]
            batch.inertia[worlds, HULL_BODY] = self._inertias[HULL_BODY] * self.hull_mass[worlds]
        self._state[4, worlds] = 0.0
        self._rest[worlds] = 0
        self._flames[:, worlds] = 0.0

    def _push(self, speed: NDArray[np.float64], mask: NDArray[np.bool_]) -> None:
        """Adds a velocity to those at the start of the landers of a mask, as one rigid body each."""
        spin = SPIN * speed[:, :1]
        speeds = self._start_speed + speed[:, None] + spin[:, :, None] * self._start_arms
        self.batch.set(BODIES, mask, linear_velocity=speeds, angular_velocity=self._start_turning + spin)

    def act(self, actions: NDArray[Any]) -> None:
        noise = np.zeros((2, self.num_envs))
        if not self.deterministic:
            np.multiply(self.batch.random(2).T, 2.0 / SCALE, out=noise)
            noise -= 1.0 / SCALE
        if self.enable_wind:
            self._blow()
        if self.continuous:
            given, side = np.clip(np.asarray(actions, np.float64), -1.0, 1.0).T
            main, sides = np.where(given > 0.0, 0.5 + 0.5 * given, 0.0), np.where(np.abs(side) > 0.5, np.abs(side), 0.0)
            self._fire(4 / SCALE + 2.0 * noise[0], noise[1], main * self.main_engine_power)
            away = 3.0 * noise[1] + np.sign(side) * (12 / SCALE)
            self._fire(noise[0], away, sides * self.side_engine_power, 1.0)
        else:
            engines = ENGINES.take(actions, axis=1, out=self._engines, mode="clip")  # "raise" would copy
            noise *= engines[1:4:2]
            noise += engines[0:4:2]
            main, sides = engines[4:]
            power = main * self.main_engine_power
            power += sides * self.side_engine_power
            self._fire(noise[0], noise[1], power, sides)
        self._fuel = 0.3 * main + 0.03 * sides
        if self.render_mode is not None:
            right = np.sign(side) if self.continuous else np.asarray(actions) - 2.0  # as Gymnasium's pictures
            self._flames[:] = main, sides * right

    def _fire(
        self, along: NDArray[np.float64], across: NDArray[np.float64], power: NDArray[np.float64], aside: Any = None
    ) -> None:
        """A push at a point that is so far from the hull along and across its axis; `aside` moves it to the sides."""
        turn = np.array(self._rotation.T, np.float64, order="C")
        cos, sin = turn
        out = turn[::-1] * along
        out[1] *= -1.0
        out -= turn * across
        impulses, points = np.empty((2, self.num_envs, 2))  # in rows, as the batch copies them
        x, y = np.add(self._place.T, out, out=points.T)
        if aside is not None:
            x -= aside * sin * (17 / SCALE)
            y += aside * cos * (14 / SCALE)
        np.multiply(out, -power, out=impulses.T)
        self.batch.apply_impulse(HULL_BODY, impulses, points)

    def _blow(self) -> None:
        """Wind on landers in the air. sin(2 k x) + sin(pi k x) never repeats."""
        air = ~self._touching[:, :2].any(axis=1)
        force, torque = np.tanh(np.sin(0.02 * self._wind) + np.sin(0.01 * math.pi * self._wind))
        self.batch.force[:, HULL_BODY, 0] = force * self.wind_power * air
        self.batch.torque[:, HULL_BODY] = torque * self.turbulence_power * air
        self._wind += air

    def observe(self) -> NDArray[np.float32]:
        state = self._state
        np.multiply(self._place[:, 0], 2.0 / WIDTH, out=state[0])
        state[0] -= 1.0
        np.multiply(self._place[:, 1], 2.0 / HEIGHT, out=state[1])
        state[1] -= (PAD + LEG_DOWN) * 2.0 / HEIGHT
        np.multiply(self._speed[:, 0], WIDTH / 2 / self.FPS, out=state[2])
        np.multiply(self._speed[:, 1], HEIGHT / 2 / self.FPS, out=state[3])
        angle = np.arctan2(self._rotation[:, 1], self._rotation[:, 0]).astype(np.float64)
        state[4] = angle + math.tau * np.rint((state[4] - angle) / math.tau)
        np.multiply(self._turning, 20.0 / self.FPS, out=state[5])
        state[6:] = self._touching[:, :2].T
        return np.asarray(state.T, np.float32, order="C")

    def begun(self, mask: NDArray[np.bool_], observations: NDArray[np.float32]) -> None:
        worlds = np.flatnonzero(mask)
        self._shaping[worlds] = shaping_of(self._state[:, worlds])

    def reward(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        state, shaping = self._state, shaping_of(self._state)
        rewards = shaping - self._shaping - self._fuel
        self._shaping = shaping
        crashed = self._touching[:, 2] | (np.abs(state[0]) >= 1.0)
        self._rest += 1
        self._rest *= self._still()
        landed = self._rest >= REST_STEPS
        rewards[landed] = 100.0
        rewards[crashed] = -100.0
        return rewards, crashed | landed

    def episode_arrays(self) -> list[NDArray[Any]]:
        return [self._state.T, self._shaping, self._fuel, self._wind.T, self._rest]

    def marks(self, index: int) -> DrawList:
        """The flags beside the pad, and the flames of the engines that fired in the last step."""
        marks = DrawList()
        for x in (0.4 * WIDTH, 0.6 * WIDTH):
            top = PAD + 50 / SCALE
            marks.line((x, PAD), (x, top), "white")
            marks.fill([(x, top), (x, top - 10 / SCALE), (x + 25 / SCALE, top - 5 / SCALE)], "yellow", 1.0)
        (cos, sin), (x, y) = self._rotation[index].tolist(), self._place[index].tolist()

        def from_hull(right: float, up: float) -> tuple[float, float]:
            return x + (cos * right - sin * up) / SCALE, y + (sin * right + cos * up) / SCALE

        main, side = self._flames[:, index].tolist()
        if main > 0.0:
            marks.fill([from_hull(-6, -10), from_hull(6, -10), from_hull(0, -10 - 30 * main)], "orange", 0.9)
        if side != 0.0:
            out = -np.sign(side) * 17.0
            marks.fill([from_hull(out, 9), from_hull(out, 15), from_hull(out - 16 * side, 12)], "orange", 0.9)
        return marks

    def _still(self) -> NDArray[np.bool_]:
        """Which landers are at rest on a leg."""
        state = self._state
        still = (state[6] + state[7] > 0.0) & (np.abs(self._turning) <= REST_TURNING)
        still &= np.abs(self._speed[:, 1]) <= REST_SPEED
        few = np.flatnonzero(still)
        if few.size:
            slow = np.hypot(self._speed[few, 0], self._speed[few, 1]) <= REST_SPEED
            slow &= (np.square(self._leg_speed[few]).sum(axis=2) <= REST_SPEED**2).all(axis=1)
            still[few] = slow & (np.abs(self._leg_turning[few]) <= REST_TURNING).all(axis=1)
        return np.asarray(still)


def shaping_of(state: NDArray[np.float64]) -> NDArray[np.float64]:
    """The potential whose change is the reward: near the pad, slow, upright, with legs on the ground."""
    x, y, vx, vy, angle, _, left, right = state
    pull = np.sqrt(x * x + y * y) + np.sqrt(vx * vx + vy * vy) + np.abs(angle)
    return np.asarray(10.0 * (left + right) - 100.0 * pull)
