"""PushT: a round pusher slides a block shaped like a T over a table onto a goal. The task is that of Florence et al.,
"Implicit behavioral cloning", arXiv:2109.00137, and Chi et al., "Diffusion policy", arXiv:2303.04137, in metres."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from .. import Box, Circle, DrawList, Polygon, World
from .batch_env import BatchEnv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

HALF = 2.56  # of the table's side, metres
RADIUS = 0.15  # of the pusher
# The rectangles of the T, the bar and the stem, from its centre of mass: left, bottom, right, top, metres
PARTS = np.array([[-0.6, 0.107, 0.6, 0.407], [-0.15, -0.793, 0.15, 0.107]])
AREA = float(((PARTS[:, 2] - PARTS[:, 0]) * (PARTS[:, 3] - PARTS[:, 1])).sum())
CORNERS = PARTS[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]  # counter-clockwise, shape (2, 4, 2)
GOAL = (0.0, 0.0, math.pi / 4)  # x, y and angle of the block
BLOCK_MASS, FRICTION = 1.0, 0.4
WEIGHT = 9.81  # N of a kilogram
GRIP = 0.399  # m: the mean distance of the points of the T from its centre, where friction resists a rotation
# A spring with critical damping pulls the pusher, whose mass is 1 kg, to the wanted position: N/m, N s/m, N at most
STIFFNESS, DAMPING, MOST_FORCE = 50.0, 14.0, 20.0
PUSHER, BLOCK = 1, 2
AWAY, NEAR, FAR = 1.2, 1.0, 1.2  # m at the start: of the block from the middle at most; of the pusher from the block
SOLVED = 0.95


def make_world() -> World:
    """The table, seen from above, with the block at the goal."""
    world = World((0.0, 0.0), sleeping=False, continuous=False, profiling="off")
    table = world.create_static_body()
    for x, y in ((-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)):  # thick walls, which nothing passes in one step
        wall = Box(0.5 + HALF * abs(y), 0.5 + HALF * abs(x), ((HALF + 0.5) * x, (HALF + 0.5) * y))
        table.create_shape(wall, friction=0.2)
    pusher = world.create_dynamic_body((-2.0, -2.0), lock_rotation=True)
    pusher.create_shape(Circle(RADIUS), friction=0.3)
    pusher.mass = 1.0
    block = world.create_dynamic_body(GOAL[:2], GOAL[2])
    for corners in CORNERS:
        block.create_shape(Polygon(corners), density=BLOCK_MASS / AREA, friction=0.3)
    force = FRICTION * BLOCK_MASS * WEIGHT
    world.create_motor_joint(
        table, block, max_velocity_force=force, max_velocity_torque=force * GRIP, local_anchor_a=(0.0, 0.0),
        local_anchor_b=(0.0, 0.0), collide_connected=True,
    )  # fmt: skip
    return world


def overlap(poses: NDArray[np.float64], goal: tuple[float, float, float] = GOAL) -> NDArray[np.float64]:
    """The share of the area of each T that lies on the T of the goal; exact.

    Args:
        poses: x, y and angle, shape (n, 3).

    The outline of a rectangle, every point of it moved to the nearest point of a rectangle of the goal, encloses the
    intersection of both. So its area is the sum over the sides of the integral of the bounded x over the bounded y,
    where the integral of x, bounded to b, is b x - b b / 2.
    """
    x, y, angle = poses.T - np.array(goal)[:, None]
    cos, sin = math.cos(goal[2]), math.sin(goal[2])
    x, y, c, s = cos * x + sin * y, cos * y - sin * x, np.cos(angle), np.sin(angle)
    u, v = CORNERS[:, :, 0, None], CORNERS[:, :, 1, None]
    starts_x, starts_y = x + c * u - s * v, y + s * u + c * v  # in axes of the goal: parts, sides, worlds
    wide, high = np.roll(starts_x, -1, axis=1) - starts_x, np.roll(starts_y, -1, axis=1) - starts_y
    slope = wide / np.where(np.abs(high) < 1e-12, 1e-12, high)
    total = np.zeros(len(poses))
    for left, bottom, right, top in PARTS:
        low, up = np.clip(starts_y, bottom, top), np.clip(starts_y + high, bottom, top)
        from_x, to_x = starts_x + (low - starts_y) * slope, starts_x + (up - starts_y) * slope
        first, last, way = np.clip(from_x, left, right), np.clip(to_x, left, right), to_x - from_x
        steep = np.abs(way) < 1e-6
        integral = last * to_x - 0.5 * last * last - first * from_x + 0.5 * first * first
        mean = np.where(steep, 0.5 * (first + last), integral / np.where(steep, 1.0, way))
        for row in (mean * (up - low)).reshape(-1, len(poses)):  # numpy's sum adds in another order for one world
            total += row
    return np.clip(total / AREA, 0.0, 1.0)


class PushT(BatchEnv):
    """Pushes a block shaped like a T onto a goal, on a table seen from above, with dry friction.

    An action is the position that the pusher goes to, as on a spring with critical damping: x and y, -1 to 1 of half
    the side of the table. An observation has the position and the velocity of the pusher; the position of the
    block, cosine and sine of its angle, its velocity and its rate of rotation: 11 numbers, metres, seconds and radians.
    The goal is at (0, 0), turned by pi / 4. The reward is the share of the goal that the block covers; the episode ends
    where it is 0.95 or more.

    Args:
        num_envs: how many worlds.
        block_mass: kg, 0.05 to 20.
        friction: coefficient between block and table, 0 to 10.

    Parameters with numbers are one for all worlds or an array, shape (n,). They are attributes, arrays of shape (n,);
    values written into them apply from the next episode of each world. The other arguments are those of `BatchEnv`.

    Raises:
        ValueError: a value is out of range.
        TypeError: a wrong type.
    """

    FPS: ClassVar[int] = 25
    SUBSTEPS: ClassVar[int] = 8
    VIEW: ClassVar[tuple[float, float, float, float]] = (-HALF - 0.05, -HALF - 0.05, HALF + 0.05, HALF + 0.05)
    SIZE: ClassVar[tuple[int, int]] = (400, 400)
    single_observation_space = spaces.Box(-np.inf, np.inf, (11,), np.float32)
    single_action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        block_mass: ArrayLike = BLOCK_MASS,
        friction: ArrayLike = FRICTION,
        max_episode_steps: int | None = 500,
        **options: Any,
    ) -> None:
        super().__init__(num_envs, max_episode_steps=max_episode_steps, **options)
        self.block_mass = self.each(block_mass, "block_mass", 0.05, 20.0)
        self.friction = self.each(friction, "friction", 0.0, 10.0)
        batch = self.batch
        self._inertia = batch.inertia.read()[0, BLOCK] / BLOCK_MASS
        self._position, self._velocity = batch.position[:, PUSHER:], batch.linear_velocity[:, PUSHER:]
        self._rotation, self._turning = batch.rotation[:, BLOCK], batch.angular_velocity[:, BLOCK]

    def templates(self) -> list[World]:
        return [make_world()]

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        batch, n = self.batch, self.num_envs
        batch.restore(self.starts[0], mask)
        draws = batch.random(5, mask)
        places, angles = np.zeros((n, 2, 2)), np.zeros((n, 2))
        angles[mask, 1] = math.tau * draws[:, 0]
        places[mask, 1] = AWAY * (2.0 * draws[:, 1:3] - 1.0)
        way, distance = math.tau * draws[:, 3], NEAR + (FAR - NEAR) * draws[:, 4]
        places[mask, 0] = places[mask, 1] + np.stack([distance * np.cos(way), distance * np.sin(way)], axis=1)
        batch.set((PUSHER, BLOCK), mask, position=places, angle=angles)
        if (self.block_mass != BLOCK_MASS).any():
            batch.mass[mask, BLOCK] = self.block_mass[mask]
            batch.inertia[mask, BLOCK] = self._inertia * self.block_mass[mask]
        if (self.block_mass * self.friction != BLOCK_MASS * FRICTION).any():
            force = (self.block_mass * self.friction * WEIGHT)[mask, None]
            batch.joints.max_velocity_force[mask] = force
            batch.joints.max_velocity_torque[mask] = force * GRIP

    def act(self, actions: NDArray[Any]) -> None:
        target = HALF * np.clip(np.asarray(actions, np.float64), -1.0, 1.0)
        force = STIFFNESS * (target - self._position[:, 0]) - DAMPING * self._velocity[:, 0]
        force *= np.minimum(1.0, MOST_FORCE / np.maximum(np.hypot(*force.T), 1e-9))[:, None]
        self.batch.force[:, PUSHER] = force

    def observe(self) -> NDArray[np.float32]:
        columns: list[NDArray[Any]] = [
            self._position[:, 0],
            self._velocity[:, 0],
            self._position[:, 1],
            self._rotation,
            self._velocity[:, 1],
            self._turning,
        ]
        return np.column_stack(columns).astype(np.float32)

    def overlap(self) -> NDArray[np.float64]:
        """The share of the goal that the block of each world covers, shape (n,)."""
        angle = np.arctan2(self._rotation[:, 1], self._rotation[:, 0])
        return overlap(np.column_stack([self._position[:, 1], angle]))

    def reward(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        covered = self.overlap()
        return covered, covered >= SOLVED

    def marks(self, index: int) -> DrawList:
        marks = DrawList()
        cos, sin = math.cos(GOAL[2]), math.sin(GOAL[2])
        for corners in CORNERS:
            marks.fill(corners @ [[cos, sin], [-sin, cos]] + GOAL[:2], "green", 0.4)
        return marks
