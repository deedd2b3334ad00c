"""Hopper, Walker and Cheetah: creatures of limbs and motors in 2D run to the right over hilly ground. The tasks are
those of Gymnasium's MuJoCo environments, after their documentation, with bodies of our own.

A creature is data, a list of `Limb`s; one class does all the rest.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from gymnasium import spaces

from .. import Capsule, Filter, World
from ..arguments import flag, number
from .batch_env import BatchEnv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .. import Body

GRAVITY = -9.81
FRICTION = 0.9
DENSITY = 80.0  # kg/m^2 of limbs
MOTOR_SPEED = 15.0  # rad/s that no motor exceeds
TERRAINS = 32  # different grounds; each episode draws one
# Points of the ground: from FIRST on every SPACING metres. It is level before them, near the start and after them
FIRST, SPACING, POINTS, LEVEL = -6.0, 1.5, 64, 6
AHEAD = (0.5, 1.0, 1.5, 2.0)  # metres in front of the torso where the height of the ground is observed
LIFT = 0.02  # m above the ground at the start, so that no foot begins inside it
NOISE = 0.03  # rad of the angles and rad/s and m/s of the velocities at the start, at most


class Limb(NamedTuple):
    """A capsule from `start` to `end`, metres, in the pose that all angles are measured from.

    A motor at `joint` with at most `torque` N m turns it against the limb `parent`, from `lower` to `upper` radians;
    with `hertz`, a spring returns it. `foot` says whether it is observed if it touches the ground.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    radius: float
    joint: tuple[float, float]
    parent: int = -1
    lower: float = 0.0
    upper: float = 0.0
    torque: float = 0.0
    hertz: float = 0.0
    foot: bool = False


def leg(parent: int, first: int, torques: tuple[float, float, float], toe: float) -> list[Limb]:
    """Thigh, shin and foot below a hip at a height of 1.05 m; `first` is the number of the thigh."""
    hip, knee, ankle = (0.0, 1.05), (0.0, 0.6), (0.0, 0.1)
    return [
        Limb(hip, knee, 0.05, hip, parent, -0.6, 1.6, torques[0]),
        Limb(knee, ankle, 0.04, knee, first, -2.2, 0.0, torques[1]),
        Limb((-0.1, 0.06), (toe, 0.06), 0.06, ankle, first + 1, -0.8, 0.8, torques[2], foot=True),
    ]


UPRIGHT = Limb((0.0, 1.45), (0.0, 1.05), 0.05, (0.0, 1.25))
HOPPER = [UPRIGHT, *leg(0, 1, (120.0, 120.0, 60.0), 0.26)]
WALKER = [UPRIGHT, *leg(0, 1, (80.0, 80.0, 40.0), 0.2), *leg(0, 4, (80.0, 80.0, 40.0), 0.2)]
CHEETAH = [
    Limb((-0.5, 0.7), (0.5, 0.7), 0.05, (0.0, 0.7)),
    Limb((-0.5, 0.7), (-0.36, 0.42), 0.046, (-0.5, 0.7), 0, -0.6, 1.05, 90.0, 10.0),
    Limb((-0.36, 0.42), (-0.62, 0.2), 0.046, (-0.36, 0.42), 1, -0.8, 0.8, 70.0, 10.0),
    Limb((-0.62, 0.2), (-0.48, 0.05), 0.046, (-0.62, 0.2), 2, -0.5, 0.8, 45.0, 10.0, foot=True),
    Limb((0.5, 0.7), (0.38, 0.42), 0.046, (0.5, 0.7), 0, -1.0, 0.7, 90.0, 10.0),
    Limb((0.38, 0.42), (0.52, 0.2), 0.046, (0.38, 0.42), 4, -1.2, 0.9, 45.0, 10.0),
    Limb((0.52, 0.2), (0.62, 0.05), 0.046, (0.52, 0.2), 5, -0.5, 0.5, 22.0, 10.0, foot=True),
]


def ground_heights(number: int, roughness: float) -> NDArray[np.float64]:
    """The heights of a ground at its points, metres: sums of waves up to `roughness`. Number 0 is level."""
    if not number:
        return np.zeros(POINTS)
    rng = np.random.default_rng(number)
    x = SPACING * np.arange(POINTS)
    lengths, phases = rng.uniform(5.0, 15.0, (4, 1)), rng.uniform(0.0, math.tau, (4, 1))
    heights = roughness * np.sin(math.tau * x / lengths + phases).mean(axis=0)
    rise = np.clip((np.arange(POINTS) - LEVEL) / 4, 0.0, 1.0)
    return np.asarray(heights * rise * rise[::-1])


def make_world(limbs: list[Limb], heights: NDArray[np.float64]) -> World:
    """A creature above a ground."""
    world = World((0.0, GRAVITY), sleeping=False, continuous=False, profiling="off")
    x = [-1000.0, *(FIRST + SPACING * np.arange(POINTS)), 1000.0]
    points = np.stack([x, [heights[0], *heights, heights[-1]]], axis=1)
    world.create_static_body().create_chain(points[::-1], friction=FRICTION)
    bodies: list[Body] = []
    for limb in limbs:
        body = world.create_dynamic_body(np.add(limb.joint, (0.0, LIFT)))
        start, end = np.subtract(limb.start, limb.joint), np.subtract(limb.end, limb.joint)
        shape = Capsule(start, end, limb.radius)
        body.create_shape(shape, density=DENSITY, friction=FRICTION, filter=Filter(0x2, 0x1, 0))
        if limb.parent >= 0:
            world.create_revolute_joint(
                bodies[limb.parent], body, anchor=body.position, lower_angle=limb.lower, upper_angle=limb.upper,
                enable_motor=True, enable_spring=limb.hertz > 0, hertz=limb.hertz, damping_ratio=1.0,
            )  # fmt: skip
        bodies.append(body)
    return world


class Locomotion(BatchEnv):
    """A creature of limbs that runs to the right: what Hopper, Walker and Cheetah share.

    Actions are torques of the motors, -1 to 1 of their strength. An observation has, in this order: height of the torso
    above the ground and its angle; angles of the joints; velocity of the torso and its rate of rotation; rates of the
    joints; whether each foot touches the ground; heights of the ground 0.5, 1, 1.5 and 2 m ahead, from that below the
    torso. Units are metres, radians and seconds; rates are bounded by 10. The reward is `HEALTHY` plus the
    velocity to the right, m/s, less `COST` times the sum of the squared actions. The episode ends when the creature
    is no longer healthy.

    Args:
        num_envs: how many worlds.
        roughness: bound of the heights of the ground, metres; 0: level. Each episode draws one of 32 grounds.
        mass: a factor of the masses and inertias of all limbs, 0.1 to 10.
        friction: coefficient between limbs and ground.
        strength: a factor of the torques of all motors, 0 to 10.
        gravity: m/s^2, -30 to 0.
        end_unhealthy: whether an episode ends when the creature is not healthy.

    Parameters with numbers, except the roughness, are one for all worlds or an array, shape (n,). They are attributes,
    arrays of shape (n,); values written into them apply from the next episode of each world, the strength from the next
    step. The other arguments are those of `BatchEnv`.

    Raises:
        ValueError: a value is out of range.
        TypeError: a wrong type.
    """

    LIMBS: ClassVar[list[Limb]]
    HEALTHY: ClassVar[float] = 1.0
    """Reward of each step in which the creature is healthy."""
    COST: ClassVar[float] = 1e-3
    LOWEST: ClassVar[float] = 0.0
    """Height of the torso above the ground below which the creature is not healthy, metres."""
    STEEPEST: ClassVar[float] = math.inf
    """Angle of the torso beyond which it is not healthy, radians."""
    SIZE: ClassVar[tuple[int, int]] = (600, 300)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        roughness: float = 0.3,
        mass: ArrayLike = 1.0,
        friction: ArrayLike = FRICTION,
        strength: ArrayLike = 1.0,
        gravity: ArrayLike = GRAVITY,
        end_unhealthy: bool = True,
        max_episode_steps: int | None = 1000,
        **options: Any,
    ) -> None:
        self.roughness = number(roughness, "roughness")
        if not 0.0 <= self.roughness <= 1.0:
            raise ValueError(f"roughness={roughness!r} is out of range: 0 to 1")
        self.end_unhealthy = flag(end_unhealthy, "end_unhealthy")
        joints = self.LIMBS[1:]
        feet = [k for k, limb in enumerate(self.LIMBS) if limb.foot]
        size = 5 + 2 * len(joints) + len(feet) + len(AHEAD)
        self.single_observation_space = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self.single_action_space = spaces.Box(-1.0, 1.0, (len(joints),), np.float32)
        super().__init__(num_envs, max_episode_steps=max_episode_steps, **options)
        self.mass = self.each(mass, "mass", 0.1, 10.0)
        self.friction = self.each(friction, "friction", 0.0, 10.0)
        self.strength = self.each(strength, "strength", 0.0, 10.0)
        self.gravity = self.each(gravity, "gravity", -30.0, 0.0)
        n, batch = self.num_envs, self.batch
        self._torques = np.array([limb.torque for limb in joints])
        self._parents = np.array([limb.parent for limb in joints]) + 1  # as bodies; body 0 is the ground
        self._arms = np.array([limb.joint for limb in joints]) - [self.LIMBS[limb.parent].joint for limb in joints]
        self._masses, self._inertias = batch.mass.read()[0], batch.inertia.read()[0]
        self._position, self._rotation = batch.position, batch.rotation
        self._velocity, self._turning = batch.linear_velocity[:, 1], batch.angular_velocity
        self._touching = batch.watch_touching([(self._bodies[1 + k], self._bodies[0]) for k in feet])
        self._ground = np.zeros(n, np.int64)  # which ground each world has
        self._x = np.zeros(n)  # of the torso, one step ago
        self._effort = np.zeros(n)

    def templates(self) -> list[World]:
        numbers = range(1, TERRAINS + 1) if self.roughness else [0]
        self.heights = np.array([ground_heights(k, self.roughness) for k in numbers])
        """The heights of each ground at its points, metres, shape (grounds, points)."""
        worlds = [make_world(self.LIMBS, row) for row in self.heights]
        self._bodies = list(worlds[0].bodies)
        return worlds

    def ground_at(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The height of the ground of each world at places of it: shape (n, k), metres."""
        place = np.clip((x - FIRST) / SPACING, 0.0, POINTS - 1.001)
        cell = place.astype(np.int64)
        flat, first = self.heights.ravel(), cell + POINTS * self._ground[:, None]
        left = flat[first]
        return np.asarray(left + (place - cell) * (flat[first + 1] - left))

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        batch, count = self.batch, len(self.LIMBS)
        batch.next_episode(mask)
        draws = batch.random(count + 4, mask)
        self._ground[mask] = (draws[:, -1] * len(self.starts)).astype(np.int64)
        batch.restore([self.starts[k] for k in self._ground[mask].tolist()], mask, random=None)
        noise = NOISE * (2.0 * draws[:, :-1] - 1.0)
        angles, places = np.zeros((self.num_envs, count)), np.zeros((self.num_envs, count, 2))
        angles[mask, 0] = noise[:, 0]
        places[mask, 0] = np.add(self.LIMBS[0].joint, (0.0, LIFT))
        for k, (parent, (x, y)) in enumerate(zip(self._parents - 1, self._arms, strict=True), 1):
            angle = angles[mask, parent]
            angles[mask, k] = angle + noise[:, k]
            cos, sin = np.cos(angle), np.sin(angle)
            places[mask, k] = places[mask, parent] + np.stack([cos * x - sin * y, sin * x + cos * y], axis=1)
        speeds = np.zeros((self.num_envs, count, 2))
        speeds[mask] = noise[:, None, -2:]
        batch.set(range(1, count + 1), mask, position=places, angle=angles, linear_velocity=speeds)
        if (self.gravity != GRAVITY).any():
            gravity = batch.gravity
            gravity[mask, 1] = self.gravity[mask]
            batch.gravity = gravity
        if (self.mass != 1.0).any():
            batch.mass[mask] = self._masses * self.mass[mask, None]
            batch.inertia[mask] = self._inertias * self.mass[mask, None]
        if (self.friction != FRICTION).any():
            batch.friction[mask] = np.broadcast_to(
                self.friction[mask, None], (int(mask.sum()), batch.friction.shape[1])
            )

    def act(self, actions: NDArray[Any]) -> None:
        torques = np.clip(np.asarray(actions, np.float64), -1.0, 1.0)
        self._effort = np.square(torques).sum(axis=1)
        torques *= self._torques * self.strength[:, None]
        self.batch.joints.motor_speed[:] = np.copysign(MOTOR_SPEED, torques)
        self.batch.joints.max_motor_torque[:] = np.abs(torques)

    def observe(self) -> NDArray[np.float32]:
        x, y = self._position[:, 1, 0], self._position[:, 1, 1]
        ground = self.ground_at(x[:, None] + (0.0, *AHEAD))
        cos, sin = self._rotation[:, :, 0], self._rotation[:, :, 1]
        before = self._parents
        across = cos[:, before] * sin[:, 2:] - sin[:, before] * cos[:, 2:]
        along = cos[:, before] * cos[:, 2:] + sin[:, before] * sin[:, 2:]
        rates = np.column_stack([self._velocity, self._turning[:, 1], self._turning[:, 2:] - self._turning[:, before]])
        columns = [
            y - ground[:, 0],
            np.arctan2(sin[:, 1], cos[:, 1]),
            np.arctan2(across, along),
            np.clip(rates, -10.0, 10.0),
            self._touching,
            ground[:, 1:] - ground[:, :1],
        ]
        return np.column_stack(columns).astype(np.float32)

    def begun(self, mask: NDArray[np.bool_], observations: NDArray[np.float32]) -> None:
        self._x[mask] = self._position[mask, 1, 0]

    def healthy(self, observations: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Which creatures are healthy."""
        return np.asarray((observations[:, 0] >= self.LOWEST) & (np.abs(observations[:, 1]) <= self.STEEPEST))

    def reward(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        x = self._position[:, 1, 0].copy()
        healthy = self.healthy(observations)
        rewards = (x - self._x) * self.FPS - self.COST * self._effort + self.HEALTHY * healthy
        self._x = x
        return rewards, ~healthy & self.end_unhealthy

    def episode_arrays(self) -> list[NDArray[Any]]:
        return [self._ground, self._x]

    def view(self, index: int) -> tuple[float, float, float, float]:
        x, y = self._position[index, 1]
        return x - 3.0, y - 1.8, x + 3.0, y + 1.2


class Hopper(Locomotion):
    """A torso on one leg that hops: 3 motors, 16 numbers observed; see `Locomotion`. It is healthy while its torso is
    upright within 0.4 rad and at least 0.8 m above the ground."""

    LIMBS: ClassVar[list[Limb]] = HOPPER
    LOWEST: ClassVar[float] = 0.8
    STEEPEST: ClassVar[float] = 0.4


class Walker(Locomotion):
    """A torso on two legs: 6 motors, 23 numbers observed; see `Locomotion`. It is healthy while its torso is upright
    within 1 rad and at least 0.8 m above the ground."""

    LIMBS: ClassVar[list[Limb]] = WALKER
    LOWEST: ClassVar[float] = 0.8
    STEEPEST: ClassVar[float] = 1.0


class Cheetah(Locomotion):
    """A torso with a leg at each end: 6 motors, 23 numbers observed; see `Locomotion`. Its episodes do not end early,
    it has no reward for health, and actions cost 0.1 times their squares."""

    LIMBS: ClassVar[list[Limb]] = CHEETAH
    HEALTHY: ClassVar[float] = 0.0
    COST: ClassVar[float] = 0.1
    LOWEST: ClassVar[float] = -math.inf
