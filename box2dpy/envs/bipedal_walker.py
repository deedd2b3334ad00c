"""BipedalWalker: a robot with two legs walks over a ground that it senses by rays. The task, the motors and the formula
of the reward are those of Gymnasium's BipedalWalker-v3, after its documentation; the logic is numpy over all worlds.
"""

from __future__ import annotations

import functools
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
    from numpy.typing import NDArray

SCALE = 30.0  # pixels of Gymnasium's pictures to a metre
WIDTH, HEIGHT = 600 / SCALE, 400 / SCALE
STEP, PLACES, FLAT = 14 / SCALE, 200, 20  # of the ground: metres, and how many places have a height
GOAL = 190 * STEP
LEVEL = HEIGHT / 4  # height of the ground at the start
TERRAINS = 1024  # different grounds; each episode draws one
DEPTH = 4 * STEP  # of a pit
STAIR = 4  # places
# A world holds the blocks of the ground around its walker: from 2.8 m behind it, farther than its legs, to 8.4 m ahead,
# farther than its rays. That is faster than the whole ground, because all stages and rays look at less memory
BLOCK, HELD, BEHIND = 8, 4, 6  # places of a block, blocks in a world, places behind the walker
BLOCKS = PLACES // BLOCK
BOXES = 3  # obstacles that begin in a block, at most
AWAY = -1000.0  # where the boxes are that a block does not need, metres
HULL = [(x / SCALE, y / SCALE) for x, y in ((-30, 9), (6, 9), (34, 1), (34, -8), (-30, -8))]
LEG_WIDTH, LEG_HEIGHT, HIP = 8 / SCALE, 34 / SCALE, -8 / SCALE
TORQUE, SPEEDS = 80.0, np.array([4.0, 6.0, 4.0, 6.0])  # of the motors of hips and knees, N m and rad/s
RANGE, RAYS = 160 / SCALE, 10
# Hz, of joints more than 6 substeps allow, of contacts an eighth of the substep rate. With softer ones, or other
# numbers of substeps, Gymnasium's heuristic walks farther or less far than with Box2D 2
JOINT_HERTZ, CONTACT_HERTZ, CONTACT_DAMPING = 120.0, 37.5, 10.0
# Contacts begin at 6 cm instead of 2, so that a foot that a motor swings to the ground more often stops in the step in
# which it arrives, as with Box2D 2; otherwise it sinks in and is pushed out in the next one. What shapes may overlap
# grows to 1.5 cm, so legs are rounded by that and by the 1.5 cm that Box2D 2 keeps polygons and edges apart at rest
UNIT, ROUNDING = 3.0, 0.03
OVERSHOOT = 0.02  # rad, by which joints go beyond their limits in Box2D 2, whose slop is 0.035
START_FORCE = 5.0  # N, at most, upon the hull in the first step
# The pose of Gymnasium's walker after two steps, when its feet, which begin in the ground, have come out of it
START, TURN, HIPS, KNEES = (10 * STEP, LEVEL + 2.4), -0.005, (0.435, 0.338), (-0.885, -0.883)
# Angles of the thighs to the hull at which hips count as 0: those at which Gymnasium makes the joints
ZEROS = (-0.05, 0.05)
HULL_BODY, FEET = 1, (3, 5)  # bodies
SENSED = Filter(0x2, 0x1, 0)  # by rays: the ground
# Of the joints hip, knee, hip, knee: the upper body, counted from the hull, and what observations measure angles from
UPPER, BENT = [0, 1, 0, 3], np.array([[ZEROS[0]], [-1.0], [ZEROS[1]], [-1.0]], np.float32)
TURN_ROUND = np.float32(math.tau)


def terrain(number: int, hardcore: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A ground: its heights at 200 places, metres, and boxes upon it (left, bottom, right, top), metres.

    Its slope follows a random walk that is drawn back to the level of the start. With `hardcore` an obstacle lies
    between any two stretches of it.
    """
    rng = np.random.default_rng((number, hardcore))
    heights, boxes = [LEVEL] * FLAT, []
    slope, obstacle = 0.0, hardcore
    lengths = iter(rng.integers(4, 9, PLACES).tolist())  # of stretches; drawn at once, as calls are what takes the time
    pushes = iter((rng.uniform(-1.0, 1.0, 2 * PLACES) / SCALE).tolist())
    while len(heights) < PLACES:
        if obstacle:
            new, around = OBSTACLES[rng.integers(3)](rng, len(heights) * STEP, heights[-1])
            heights += new
            boxes += around
        else:
            heights.append(heights[-1])
            for push in itertools.islice(pushes, next(lengths)):
                y = heights[-1]
                slope = 0.8 * slope + 0.01 * ((y < LEVEL) - (y > LEVEL)) + push
                heights.append(y + slope)
        obstacle = hardcore and not obstacle
    return np.array(heights[:PLACES]), np.array(boxes).reshape(-1, 4)


def pit(rng: np.random.Generator, x: float, y: float) -> tuple[list[float], list[list[float]]]:
    """The heights at the places of an obstacle that begins at (x, y), and boxes: here the walls of a pit."""
    width = int(rng.integers(3, 5))
    walls = [[left, y - DEPTH, left + STEP, y] for left in (x, x + width * STEP)]
    return [y, *[y - DEPTH] * width, y], walls


def stump(rng: np.random.Generator, x: float, y: float) -> tuple[list[float], list[list[float]]]:
    """A cube of one or two places."""
    width = int(rng.integers(1, 3))
    return [y] * width, [[x, y, x + width * STEP, y + width * STEP]]


def stairs(rng: np.random.Generator, x: float, y: float) -> tuple[list[float], list[list[float]]]:
    """Three or four steps up or down, with a ramp between them."""
    rise, count = int(rng.choice([-1, 1])), int(rng.integers(3, 5))
    ramp = [y + (k - rise) / STAIR * rise * STEP for k in range(1, count * STAIR)]
    tops = [y + k * rise * STEP for k in range(count)]
    steps = [[x + k * STAIR * STEP, top - STEP, x + (k + 1) * STAIR * STEP, top] for k, top in enumerate(tops)]
    return [y, *ramp], steps


OBSTACLES = (pit, stump, stairs)


@functools.lru_cache(2 * TERRAINS)
def blocks(number: int, hardcore: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A ground in blocks: the ends of its segments, (25, 8, 2, 2), and the corners of its boxes, (25, 3, 4, 2)."""
    heights, found = terrain(number, hardcore)
    line = np.stack([np.arange(PLACES + 1) * STEP, np.append(heights, heights[-1])], axis=1)
    boxes = np.empty((BLOCKS, BOXES, 4))
    boxes[...] = away(np.arange(BOXES))
    used = [0] * BLOCKS
    for box in found[found[:, 0] < (PLACES - 0.5) * STEP]:
        block = int(box[0] / STEP + 0.5) // BLOCK
        boxes[block, used[block]] = box
        used[block] += 1
    segments = np.stack([line[:-1], line[1:]], axis=1).reshape(BLOCKS, BLOCK, 2, 2)
    return segments, boxes[..., [[0, 1], [2, 1], [2, 3], [0, 3]]]


def away(k: Any) -> NDArray[np.float64]:
    """Box number k where it is when it is not needed."""
    left = AWAY - 2.0 * STEP * np.asarray(k, np.float64)
    return np.stack([left, np.full_like(left, AWAY), left + STEP, np.full_like(left, AWAY + STEP)], axis=-1)


def make_world(hardcore: bool) -> World:
    """The walker on the first blocks of a flat ground; with `hardcore` the boxes of the blocks are far away."""
    world = World(
        joint_hertz=JOINT_HERTZ,
        contact_hertz=CONTACT_HERTZ,
        contact_damping_ratio=CONTACT_DAMPING,
        length_unit=UNIT,
        joint_solver="iterative",  # else a hull that strikes the ground is a press with its legs, at 1.3 times the time
        sleeping=False,
        continuous=False,
        profiling="off",
    )
    ground = world.create_static_body()
    for a, b in itertools.pairwise((k * STEP, LEVEL) for k in range(HELD * BLOCK + 1)):
        ground.create_shape(Segment(a, b), friction=2.5)
    for left, bottom, right, top in away(np.arange(HELD * BOXES * hardcore)):
        ground.create_shape(Polygon([(left, bottom), (right, bottom), (right, top), (left, top)]), friction=2.5)
    only_ground = Filter(0x20, 0x1, 0)
    hull = world.create_dynamic_body(START, TURN)
    hull.create_shape(Polygon(HULL), density=5.0, friction=0.1, filter=only_ground)
    for hip, knee, hip_zero in zip(HIPS, KNEES, ZEROS, strict=True):
        upper = hull
        for angle, zero, anchor, width, limits in (
            (hip, hip_zero, HIP, 1.0, (-0.8, 1.1)),
            (knee, 0.0, -LEG_HEIGHT / 2, 0.8, (-1.6, -0.1)),
        ):
            turn = upper.angle + angle + zero
            joint = np.array(upper.world_point((0, anchor)))
            leg = world.create_dynamic_body(joint + LEG_HEIGHT / 2 * np.array((math.sin(turn), -math.cos(turn))), turn)
            box = Box(width * LEG_WIDTH / 2, LEG_HEIGHT / 2)
            # On open ground a thigh arrives with its knee, where the shin is as well: its contacts only take time
            met = only_ground if upper is not hull or hardcore else Filter(0x20, 0, 0)
            shape = leg.create_shape(box, density=1.0, friction=0.2, filter=met)
            shape.set_geometry(Polygon(box.vertices, radius=ROUNDING), update_mass=False)
            world.create_revolute_joint(
                upper, leg, frame_a=Frame((0, anchor), zero), frame_b=Frame((0, LEG_HEIGHT / 2)),
                lower_angle=limits[0] - OVERSHOOT, upper_angle=limits[1] + OVERSHOOT, motor_speed=0.0,
                max_motor_torque=TORQUE,
            )  # fmt: skip
            upper = leg
    return world


class OneWalker(OneWorld):
    """`BipedalWalker` with one world. Each line has its twin in the methods of that class."""

    UPPER: ClassVar[NDArray[np.intp]] = np.array(UPPER)
    BENT: ClassVar[NDArray[np.float32]] = BENT[:, 0]
    SPEEDS: ClassVar[list[float]] = SPEEDS.tolist()

    def __init__(self, env: BipedalWalker) -> None:
        super().__init__(env)
        self._place, self._speed, self._touching = env._place[0], env._speed[0], env._touching[0]
        self._cos, self._sin, self._turning = env._rotation[0, :, 0], env._rotation[0, :, 1], env._turning[0]
        self._hits = self.numbers.rays(env._rays, SENSED)
        self._effort = 0.0

    def taken(self, action: Any) -> Any:
        if not isinstance(action, np.ndarray) or action.shape != (4,) or action.dtype != np.float32:
            return None
        return action if all(map(math.isfinite, action.tolist())) else None

    def act(self, action: Any) -> None:
        power, set_joints = np.minimum(np.abs(action), 1.0), self.numbers.set_joints
        signs = [(each > 0.0) - (each < 0.0) for each in action.tolist()]
        set_joints("motor_speed", [speed * sign for speed, sign in zip(self.SPEEDS, signs, strict=True)])
        set_joints("max_motor_torque", (TORQUE * power).tolist())
        self._effort = float(0.00035 * TORQUE * power.sum())

    def outcome(self) -> tuple[NDArray[np.float32], float, bool]:
        env, out, turning, fps = self.env, np.empty(14 + RAYS, np.float32), self._turning, self.env.FPS
        (x, y), (left, right, hull) = self._place.tolist(), self._touching.tolist()
        wanted = min(max((int(x / STEP) - BEHIND) // BLOCK, 0), BLOCKS - HELD)
        if wanted != env._first[0]:
            env._follow()
        angles = np.arctan2(self._sin, self._cos)
        out[0] = angles[0]
        out[1] = 2.0 / fps * turning[0]
        out[2] = 0.3 * WIDTH / fps * self._speed[0]
        out[3] = 0.3 * HEIGHT / fps * self._speed[1]
        bent, rates = angles[1:] - angles[self.UPPER] - self.BENT, (turning[1:] - turning[self.UPPER]) / SPEEDS
        bent -= TURN_ROUND * np.rint(bent / TURN_ROUND)
        out[4:7:2], out[5:8:2], out[9:12:2], out[10:13:2] = bent[:2], rates[:2], bent[2:], rates[2:]
        out[8], out[13] = left, right
        np.minimum(self._hits(x, y), 1.0, out=out[14:])
        shaping = 130.0 / SCALE * x - 5.0 * abs(float(out[0]))
        reward = shaping - float(env._shaping[0]) - self._effort
        env._shaping[0] = shaping
        fallen = hull or x < 0.0
        return out, -100.0 if fallen else reward, fallen or x > GOAL


class BipedalWalker(BatchEnv):
    """Walks over rough ground, or over pits, stumps and stairs: the task of Gymnasium's BipedalWalker-v3, with
    different physics.

    An observation has the angle, the rate of rotation and the velocity of the hull, for each leg the angle and the
    speed of hip and knee and whether its foot touches the ground, and how far the ground is along ten rays. Actions are
    the torques of the four motors, -1 to 1, whose sign is the direction. An episode ends with -100 where the hull
    touches the ground or goes back behind its beginning, and after 88.7 m, which gives about 300 in all.

    Args:
        num_envs: how many worlds.
        hardcore: whether there are obstacles. Each episode draws one of 1024 grounds.

    The other arguments are those of `BatchEnv`.

    Raises:
        ValueError: a value is out of range.
        TypeError: a wrong type.
    """

    SUBSTEPS: ClassVar[int] = 6
    ONE: ClassVar[type[OneWorld]] = OneWalker

    def __init__(self, num_envs: int = 1, *, hardcore: bool = False, **options: Any) -> None:
        self.hardcore = flag(hardcore, "hardcore")
        low = [-math.pi, *[-5.0] * 3, *[-math.pi, -5.0, -math.pi, -5.0, 0.0] * 2, *[-1.0] * RAYS]
        high = [math.pi, *[5.0] * 3, *[math.pi, 5.0, math.pi, 5.0, 5.0] * 2, *[1.0] * RAYS]
        self.single_observation_space = spaces.Box(np.array(low, np.float32), np.array(high, np.float32))
        self.single_action_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        super().__init__(num_envs, **options)
        batch, count = self.batch, self.num_envs
        self._touching = batch.watch_touching([(self._bodies[k], self._bodies[0]) for k in (*FEET, HULL_BODY)])
        self._place, self._speed = batch.position[:, HULL_BODY], batch.linear_velocity[:, HULL_BODY]
        self._rotation, self._turning = batch.rotation[:, HULL_BODY:], batch.angular_velocity[:, HULL_BODY:]
        self._ground = np.zeros(count, np.int64)  # its number
        self._first = np.zeros(count, np.int64)  # of the blocks that a world holds
        angles = 1.5 / RAYS * np.arange(RAYS)
        self._rays = RANGE * np.stack([np.sin(angles), -np.cos(angles)], axis=1)
        self._shaping, self._effort = np.zeros(count), np.zeros(count)

    def templates(self) -> list[World]:
        world = make_world(self.hardcore)
        self._bodies = list(world.bodies)
        return [world]

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        batch = self.batch
        batch.restore(self.starts[0], mask)
        draws = batch.random(2, mask)
        self._ground[mask] = (draws[:, 0] * TERRAINS).astype(np.int64)
        self._first[mask] = 0
        self._lay(mask, np.full(self.num_envs, FLAT // BLOCK), HELD - FLAT // BLOCK)
        push = np.zeros((self.num_envs, 2))
        push[mask, 0] = (2.0 * draws[:, 1] - 1.0) * START_FORCE / self.FPS
        batch.apply_impulse(HULL_BODY, push, mask=mask)

    def _lay(self, mask: NDArray[np.bool_], first: NDArray[np.int64], count: int = 1) -> None:
        """Lays out blocks of the ground in each world of a mask, which all take the same places of the ring."""
        worlds = np.flatnonzero(mask)
        place = int(first[worlds[0]]) % HELD
        parts = [
            [of_ground[block : block + count] for of_ground in blocks(ground, self.hardcore)]
            for ground, block in zip(self._ground[worlds].tolist(), first[worlds].tolist(), strict=True)
        ]
        segments = np.stack([part[0] for part in parts]).reshape(len(worlds), -1, 2, 2)
        shapes = place * BLOCK + np.arange(count * BLOCK)
        self.batch.set_geometry(shapes, segments, mask)
        if self.hardcore:
            boxes = np.stack([part[1] for part in parts]).reshape(len(worlds), -1, 4, 2)
            shapes = HELD * BLOCK + place * BOXES + np.arange(count * BOXES)
            self.batch.set_geometry(shapes, boxes, mask)

    def _follow(self) -> None:
        """Moves the ground that a world holds by a block where its walker has come to another one."""
        here = (self._place[:, 0] / STEP).astype(np.int64)
        wanted = np.minimum(np.maximum((here - BEHIND) // BLOCK, 0), BLOCKS - HELD)
        change = np.sign(wanted - self._first)
        if not change.any():
            return
        new = np.where(change > 0, self._first + HELD, self._first - 1)  # enters on one side of the ring
        self._first += change
        for place in range(HELD):
            moved = (change != 0) & (new % HELD == place)
            if moved.any():
                self._lay(moved, new)

    def act(self, actions: NDArray[Any]) -> None:
        power = np.minimum(np.abs(actions), 1.0)
        self.batch.joints.motor_speed[:] = SPEEDS * np.sign(actions)
        self.batch.joints.max_motor_torque[:] = TORQUE * power
        self._effort = 0.00035 * TORQUE * power.sum(axis=1)

    def observe(self) -> NDArray[np.float32]:
        self._follow()
        out = np.empty((self.num_envs, 14 + RAYS), np.float32)
        angles = np.arctan2(self._rotation[..., 1], self._rotation[..., 0]).T.copy()  # a row for each body
        turning = self._turning.T.copy()
        out[:, 0] = angles[0]
        out[:, 1] = 2.0 / self.FPS * turning[0]
        out[:, 2] = 0.3 * WIDTH / self.FPS * self._speed[:, 0]
        out[:, 3] = 0.3 * HEIGHT / self.FPS * self._speed[:, 1]
        bent, rates = angles[1:] - angles[UPPER] - BENT, (turning[1:] - turning[UPPER]) / SPEEDS[:, None]
        bent -= TURN_ROUND * np.rint(bent / TURN_ROUND)  # the bodies of one that lies on its back differ by whole turns
        for k, column in enumerate((4, 6, 9, 11)):
            out[:, column], out[:, column + 1] = bent[k], rates[k]
        out[:, 8], out[:, 13] = self._touching[:, 0], self._touching[:, 1]
        hits = self.batch.ray_casts(self._place[:, None], self._rays, SENSED)
        out[:, 14:] = np.minimum(hits.fraction, 1.0)
        return out

    def episode_arrays(self) -> list[NDArray[Any]]:
        return [self._ground, self._first, self._shaping]

    def begun(self, mask: NDArray[np.bool_], observations: NDArray[np.float32]) -> None:
        self._shaping[mask] = self._potential(observations)[mask]

    def _potential(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """The potential whose change is the reward: far from the start, upright."""
        return np.asarray(130.0 / SCALE * self._place[:, 0] - 5.0 * np.abs(observations[:, 0], dtype=np.float64))

    def reward(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        shaping = self._potential(observations)
        rewards = shaping - self._shaping - self._effort
        self._shaping[:] = shaping
        fallen = self._touching[:, 2] | (self._place[:, 0] < 0.0)
        rewards[fallen] = -100.0
        return rewards, fallen | (self._place[:, 0] > GOAL)

    def marks(self, index: int) -> DrawList:
        """The ground in the picture that the world does not hold."""
        marks, (left, _, right, _) = DrawList(), self.view(index)
        segments, boxes = blocks(int(self._ground[index]), self.hardcore)
        for block in range(BLOCKS):
            held = 0 <= block - self._first[index] < HELD
            if not held and left < segments[block, -1, 1, 0] and segments[block, 0, 0, 0] < right:
                marks.lines(segments[block].reshape(-1, 4), "grey")
                for corners in boxes[block][boxes[block, :, 0, 0] >= 0.0]:
                    marks.fill(corners, "grey", 0.5)
        return marks

    def view(self, index: int) -> tuple[float, float, float, float]:
        x = float(self._place[index, 0])
        return x - WIDTH / 4, 0.0, x + 3 * WIDTH / 4, HEIGHT
