"""Scoop: an arm with a bucket carries pebbles from a heap into a bin."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from .. import Box, Capsule, Circle, DrawList, Filter, Polygon, World
from .batch_env import BatchEnv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .. import Body, State

PEBBLES = 200
SMALLEST, LARGEST, DENSITY, FRICTION = 0.04, 0.06, 100.0, 0.5  # m of their radii, kg/m^2
HEAPS = 8  # different heaps; each episode draws one
SETTLING = 150  # steps in which a heap comes to rest
HALF_WIDTH, HEIGHT = 3.2, 4.0  # m of the room
HEAP, BIN, BIN_HEIGHT, SILL = (-3.1, -0.8), (0.9, 2.5), 0.5, 0.4  # m: left and right ends, heights
SHOULDER, ELBOW, WRIST = (0.0, 2.4), (-1.5, 3.4), (-1.9, 2.1)  # m, in the pose at the start
RADIUS = 0.08  # m of the arm
# Plates of the bucket from the wrist, as boxes: left, bottom, right, top, metres. It is open to the right at the start
PLATES = ((-0.08, -0.58, 0.0, 0.08), (0.0, -0.58, 0.6, -0.5), (0.0, 0.0, 0.3, 0.08))
INSIDE = (0.0, -0.5, 0.6, 0.15)  # where a pebble counts as being in the bucket
SPEEDS = np.array([1.0, 1.2, 2.0])  # rad/s of shoulder, elbow and wrist, at most
TORQUES = (5000.0, 2500.0, 800.0)  # N m
LIMITS = ((-2.6, 0.9), (-1.2, 2.8), (-2.4, 2.4))  # rad, from the pose at the start
ARM, BUCKET, FIRST = (1, 2, 3), 3, 4  # bodies; the pebbles come after them
NOISE = 0.1  # rad of the joints at the start, at most
GROUND, TOOL, STONE = 0x1, 0x2, 0x4
COLUMNS = 10  # of the heap, and half as many of the bin, whose heights are observed
EFFORT, FULL = 0.01, 0.25  # what a step with all motors at full speed costs; share in the bin that ends the episode


@functools.cache
def heap(number: int, dt: float, substeps: int) -> State:
    """The room with arm, bin and a heap at rest."""
    # The arm by iteration: half the time of a step
    world, rng = World(profiling="off", joint_solver="iterative"), np.random.default_rng(number)
    radii = np.random.default_rng(0).uniform(SMALLEST, LARGEST, PEBBLES).tolist()  # the same in all heaps
    room = world.create_static_body()
    walls = [(0.0, -0.5, HALF_WIDTH + 1.0, 0.5)]
    walls += [(side * (HALF_WIDTH + 0.5), HEIGHT / 2, 0.5, HEIGHT / 2) for side in (-1.0, 1.0)]
    walls += [(end, BIN_HEIGHT / 2, 0.05, BIN_HEIGHT / 2) for end in BIN]
    walls += [(HEAP[1], SILL / 2, 0.05, SILL / 2)]
    for x, y, width, height in walls:
        room.create_shape(Box(width, height, (x, y)), friction=FRICTION, filter=Filter(GROUND, TOOL | STONE))
    below: Body = room
    for place, end, torque, limits in zip((SHOULDER, ELBOW, WRIST), (ELBOW, WRIST, None), TORQUES, LIMITS, strict=True):
        part = world.create_dynamic_body(place, can_sleep=False)
        if end is None:
            for left, bottom, right, top in PLATES:
                part.create_shape(
                    Polygon([(left, bottom), (right, bottom), (right, top), (left, top)]),
                    density=60.0,
                    friction=0.3,
                    filter=Filter(TOOL, GROUND | STONE),
                )
        else:
            beam = Capsule((0.0, 0.0), np.subtract(end, place), RADIUS)
            part.create_shape(beam, density=60.0, filter=Filter(TOOL, 0))
        world.create_revolute_joint(
            below, part, anchor=place, lower_angle=limits[0], upper_angle=limits[1], enable_motor=True,
            max_motor_torque=torque,
        )  # fmt: skip
        below = part
    across = 18
    for k in range(PEBBLES):
        x = HEAP[0] + 0.1 + (HEAP[1] - HEAP[0] - 0.3) * (k % across + rng.uniform(0.4, 0.6)) / across
        pebble = world.create_dynamic_body((x, 0.08 + 0.12 * (k // across)))
        pebble.create_shape(
            Circle(radii[k]),
            density=DENSITY,
            friction=FRICTION,
            rolling_resistance=0.05,
            filter=Filter(STONE, GROUND | TOOL | STONE),
        )
    for _ in range(SETTLING):
        world.step(dt, substeps)
    state = world.save()
    world.close()
    return state


class Scoop(BatchEnv):
    """Carries pebbles from a heap into a bin with a bucket on an arm with three motors.

    Actions are the speeds of shoulder, elbow and wrist, -1 to 1 of the fastest; at 0 the arm holds its pose. The reward
    is 100 times the share of the mass of all pebbles that has come into the bin in this step, less 0.01 times the mean
    of the squared actions; pebbles in the bucket do not count. The episode ends when a quarter of the mass is in the
    bin. Each episode draws one of eight heaps, and the pose of the arm at the start.

    An observation has the angles of the joints, rad, and their rates, rad/s; position of the wrist, m, and cosine and
    sine of the angle of the bucket; the shares of the mass in the bucket and in the bin; the heights of the
    heap at ten places and of the pebbles in the bin at five: 27 numbers.

    Args:
        num_envs: how many worlds. Each has 200 pebbles, so one steps as slowly as some dozen landers.
        strength: a factor of the torques of all motors, 0.1 to 10.
        friction: coefficient of the pebbles, 0 to 2.
        density: a factor of the masses of the pebbles, 0.1 to 10.

    Parameters with numbers are one for all worlds or an array, shape (n,). They are attributes, arrays of shape (n,);
    values written into them apply from the next episode of each world. The other arguments are those of `BatchEnv`.

    Raises:
        ValueError: a value is out of range.
        TypeError: a wrong type.
    """

    FPS: ClassVar[int] = 25
    SUBSTEPS: ClassVar[int] = 6
    VIEW: ClassVar[tuple[float, float, float, float]] = (-HALF_WIDTH - 0.2, -0.3, HALF_WIDTH + 0.2, HEIGHT + 0.3)
    SIZE: ClassVar[tuple[int, int]] = (600, 400)
    single_observation_space = spaces.Box(-np.inf, np.inf, (12 + COLUMNS + COLUMNS // 2,), np.float32)
    single_action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        strength: ArrayLike = 1.0,
        friction: ArrayLike = FRICTION,
        density: ArrayLike = 1.0,
        max_episode_steps: int | None = 1500,
        **options: Any,
    ) -> None:
        super().__init__(num_envs, max_episode_steps=max_episode_steps, **options)
        self.strength = self.each(strength, "strength", 0.1, 10.0)
        self.friction = self.each(friction, "friction", 0.0, 2.0)
        self.density = self.each(density, "density", 0.1, 10.0)
        batch, n = self.batch, self.num_envs
        self._position, self._rotation = batch.position, batch.rotation
        self._turning = batch.angular_velocity
        self._effort, self._full = np.zeros(n), np.zeros(n, np.int64)
        self._pebbles = self._position[:, FIRST:]
        self._stone_shapes = self._first_shape + np.arange(PEBBLES)
        self._stone_masses, self._stone_inertias = batch.mass.read()[0, FIRST:], batch.inertia.read()[0, FIRST:]
        # integers, milligrams: their sum does not depend on the order in which numpy adds them
        self._mass = np.rint(1e6 * self._stone_masses).astype(np.int64)
        self._all = int(self._mass.sum())

    def templates(self) -> list[World]:
        worlds = [World() for _ in range(HEAPS)]
        for k, world in enumerate(worlds):
            world.restore(heap(k, 1.0 / self.FPS, self.SUBSTEPS))
        self._first_shape = worlds[0].body(FIRST).shapes[0].index
        return worlds

    def episode_arrays(self) -> list[NDArray[Any]]:
        return [self._full]

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        batch = self.batch
        batch.next_episode(mask)
        heaps = (batch.random(1, mask)[:, 0] * HEAPS).astype(np.int64)
        batch.restore([self.starts[k] for k in heaps.tolist()], mask, random=None)
        self._place_arm(NOISE * (2.0 * batch.random(3, mask) - 1.0), mask)
        torques = np.array(TORQUES) * self.strength[:, None]
        batch.joints.max_motor_torque[mask] = torques[mask]
        if (self.friction != FRICTION).any():
            friction = batch.friction.read()
            friction[np.ix_(mask, self._stone_shapes)] = self.friction[mask, None]
            batch.friction = friction
        if (self.density != 1.0).any():
            for column, values in ((batch.mass, self._stone_masses), (batch.inertia, self._stone_inertias)):
                rows = column.read()
                rows[mask, FIRST:] = self.density[mask, None] * values
                column[:] = rows

    def _place_arm(self, bend: NDArray[np.float64], mask: NDArray[np.bool_]) -> None:
        """Gives the joints of the worlds of a mask angles from the pose at the start, shape (worlds, 3), radians."""
        places, angles = np.zeros((self.num_envs, 3, 2)), np.zeros((self.num_envs, 3))
        place, angle, before = np.tile(SHOULDER, (len(bend), 1)), np.zeros(len(bend)), SHOULDER
        for k, joint in enumerate((SHOULDER, ELBOW, WRIST)):
            x, y = np.subtract(joint, before)
            cos, sin = np.cos(angle), np.sin(angle)
            place, angle, before = (
                place + np.stack([cos * x - sin * y, sin * x + cos * y], axis=1),
                angle + bend[:, k],
                joint,
            )
            places[mask, k], angles[mask, k] = place, angle
        self.batch.set(ARM, mask, position=places, angle=angles)

    def act(self, actions: NDArray[Any]) -> None:
        given = np.clip(np.asarray(actions, np.float64), -1.0, 1.0)
        self._effort = (given[:, 0] ** 2 + given[:, 1] ** 2 + given[:, 2] ** 2) / 3.0
        self.batch.joints.motor_speed[:] = given * SPEEDS

    def in_bucket(self) -> NDArray[np.bool_]:
        """Which pebbles are in the bucket, shape (n, 200)."""
        away = self._pebbles - self._position[:, BUCKET, None]
        cos, sin = self._rotation[:, BUCKET, None].transpose(2, 0, 1).astype(np.float64)
        x, y = cos * away[..., 0] + sin * away[..., 1], cos * away[..., 1] - sin * away[..., 0]
        left, bottom, right, top = INSIDE
        return np.asarray((x > left) & (x < right) & (y > bottom) & (y < top))

    def in_bin(self) -> NDArray[np.bool_]:
        """Which pebbles are in the bin and not in the bucket, shape (n, 200)."""
        x, y = self._pebbles[..., 0], self._pebbles[..., 1]
        return np.asarray((x > BIN[0]) & (x < BIN[1]) & (y < 2.0 * BIN_HEIGHT) & ~self.in_bucket())

    def _mass_of(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.asarray((chosen * self._mass).sum(axis=1))

    def _heights(self, left: float, right: float, count: int) -> list[NDArray[np.float64]]:
        """The heights of the highest pebbles that are not in the bucket, in columns between two places."""
        x, y = self._pebbles[..., 0], np.where(self.in_bucket(), 0.0, self._pebbles[..., 1])
        column = np.floor((x - left) * (count / (right - left)))
        return [(y * (column == k)).max(axis=1) for k in range(count)]

    def observe(self) -> NDArray[np.float32]:
        cos, sin = self._rotation[:, : BUCKET + 1, 0], self._rotation[:, : BUCKET + 1, 1]
        along = cos[:, :-1] * cos[:, 1:] + sin[:, :-1] * sin[:, 1:]
        angles = np.arctan2(cos[:, :-1] * sin[:, 1:] - sin[:, :-1] * cos[:, 1:], along)
        turning = self._turning[:, : BUCKET + 1]
        columns: list[NDArray[Any]] = [
            angles, turning[:, 1:] - turning[:, :-1], self._position[:, BUCKET], self._rotation[:, BUCKET],
            self._mass_of(self.in_bucket()) / self._all, self._mass_of(self.in_bin()) / self._all,
            *self._heights(*HEAP, COLUMNS), *self._heights(*BIN, COLUMNS // 2),
        ]  # fmt: skip
        return np.column_stack(columns).astype(np.float32)

    def begun(self, mask: NDArray[np.bool_], observations: NDArray[np.float32]) -> None:
        self._full[mask] = self._mass_of(self.in_bin())[mask]

    def reward(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        full = self._mass_of(self.in_bin())
        rewards = (full - self._full) * (100.0 / self._all) - EFFORT * self._effort
        self._full = full
        return rewards, full >= FULL * self._all

    def marks(self, index: int) -> DrawList:
        marks = DrawList()
        (left, right), top = BIN, BIN_HEIGHT
        marks.fill([(left, 0.0), (right, 0.0), (right, top), (left, top)], "green", 0.25)
        return marks
