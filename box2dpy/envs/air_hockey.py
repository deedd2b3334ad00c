"""AirHockey: two mallets, a puck and two goals, seen from above. Here one player learns against a rule or a policy;
in `AirHockeyParallel` of parallel.py both learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from .. import Box, Circle, DrawList, Filter, World
from ..arguments import short_repr
from .batch_env import BatchEnv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

HALF_LENGTH, HALF_BREADTH, HALF_GOAL = 1.0, 0.5, 0.18  # m of the table and of a goal
PUCK_RADIUS, MALLET_RADIUS = 0.04, 0.06
PUCK_MASS, MALLET_MASS = 0.05, 0.5
RESTITUTION, DRAG = 0.9, 0.1  # of the puck; 1/s
SPEED, MOST_FORCE = 2.5, 60.0  # m/s and N of a mallet, at most
SHAPING = 0.1  # reward of a metre that the puck comes nearer to the goal
LEFT, RIGHT, PUCK = 1, 2, 3
WALL, PUCKS, MALLETS, FENCE = 0x1, 0x2, 0x4, 0x8  # a fence holds mallets only
START = np.array([[-0.7, 0.0], [0.7, 0.0], [0.0, 0.0]])  # of the mallets and the puck
NUMBERS = 12  # of an observation


def make_world() -> World:
    """The table with mallets and puck at their places; walls are thick, so that nothing leaves them in one step."""
    world = World((0.0, 0.0), sleeping=False, profiling="off")
    table, thick = world.create_static_body(), 0.2
    beside = 0.5 * (HALF_BREADTH - HALF_GOAL)
    for side in (-1.0, 1.0):
        table.create_shape(
            Box(HALF_LENGTH + thick, thick, (0.0, side * (HALF_BREADTH + thick))),
            friction=0.0,
            filter=Filter(WALL, PUCKS | MALLETS),
        )
        for end in (-1.0, 1.0):
            post = Box(thick, beside, (side * (HALF_LENGTH + thick), end * (HALF_GOAL + beside)))
            table.create_shape(post, friction=0.0, filter=Filter(WALL, PUCKS | MALLETS))
        goal = Box(thick, HALF_GOAL, (side * (HALF_LENGTH + thick), 0.0))
        table.create_shape(goal, friction=0.0, filter=Filter(FENCE, MALLETS))
    for place in START[:2]:
        mallet = world.create_dynamic_body(place, lock_rotation=True)
        area = np.pi * MALLET_RADIUS**2
        mallet.create_shape(
            Circle(MALLET_RADIUS),
            density=MALLET_MASS / area,
            friction=0.0,
            filter=Filter(MALLETS, WALL | PUCKS | FENCE),
        )
    puck = world.create_dynamic_body(START[2], bullet=True, lock_rotation=True, linear_damping=DRAG)
    puck.create_shape(
        Circle(PUCK_RADIUS),
        density=PUCK_MASS / (np.pi * PUCK_RADIUS**2),
        friction=0.0,
        restitution=RESTITUTION,
        filter=Filter(PUCKS, WALL | MALLETS),
    )
    return world


def rule(observations: NDArray[Any]) -> NDArray[np.float64]:
    """A simple player: it waits in front of its goal and hits the puck when that is on its side and in front of it.

    Args:
        observations: shape (n, 12), as `AirHockey` gives them.

    Returns:
        Actions, shape (n, 2).
    """
    place, puck, velocity = (np.asarray(observations[:, k : k + 2], np.float64) for k in (0, 8, 10))
    home = np.column_stack([np.full(len(place), -0.8), np.clip(puck[:, 1], -HALF_GOAL, HALF_GOAL)])
    hits = (puck[:, 0] < 0.0) & (puck[:, 0] > place[:, 0] + 0.02) & (velocity[:, 0] < 0.5)
    return np.clip(8.0 * (np.where(hits[:, None], puck, home) - place), -1.0, 1.0)


class AirHockey(BatchEnv):
    """Plays air hockey on the left side of a table against an opponent.

    An action is the wanted velocity of the mallet, x and y, -1 to 1 of 2.5 m/s; mallets stay on their side. An
    observation has position and velocity of the own mallet, of the other mallet and of the puck: 12 numbers, metres and
    seconds, in axes whose origin is the middle of the table and whose x points to the goal of the opponent. A goal ends
    the episode with a reward of 1 or -1. Each metre that the puck comes nearer to the goal of the opponent gives 0.1,
    each metre the other way takes it.

    Args:
        num_envs: how many worlds.
        opponent: a function that takes the observations of the player on the right, shape (n, 12), and returns its
            actions, shape (n, 2). None: `rule`.
        opponent_speed: a factor of the greatest velocity of the opponent, 0 to 2.
        puck_mass: kg, 0.005 to 0.5.
        restitution: of the puck, 0 to 1.

    Parameters with numbers are one for all worlds or an array, shape (n,). They are attributes, arrays of shape (n,);
    values written into them apply from the next episode of each world, the speed from the next step. The other
    arguments are those of `BatchEnv`.

    Raises:
        ValueError: a value is out of range. In `step`: the opponent returned no actions of that shape, or numbers that
            are not finite; nothing has changed.
        TypeError: a wrong type.
    """

    VIEW: ClassVar[tuple[float, float, float, float]] = (-1.2, -0.6, 1.2, 0.6)
    SIZE: ClassVar[tuple[int, int]] = (600, 300)
    single_observation_space = spaces.Box(-np.inf, np.inf, (NUMBERS,), np.float32)
    single_action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponent: Callable[[NDArray[np.float32]], ArrayLike] | None = None,
        opponent_speed: ArrayLike = 1.0,
        puck_mass: ArrayLike = PUCK_MASS,
        restitution: ArrayLike = RESTITUTION,
        max_episode_steps: int | None = 500,
        **options: Any,
    ) -> None:
        if opponent is not None and not callable(opponent):
            raise TypeError(f"opponent={short_repr(opponent)} must be a function or None")
        self.opponent = rule if opponent is None else opponent
        super().__init__(num_envs, max_episode_steps=max_episode_steps, **options)
        self.opponent_speed = self.each(opponent_speed, "opponent_speed", 0.0, 2.0)
        self.puck_mass = self.each(puck_mass, "puck_mass", 0.005, 0.5)
        self.restitution = self.each(restitution, "restitution", 0.0, 1.0)
        self._position, self._velocity = self.batch.position[:, LEFT:], self.batch.linear_velocity[:, LEFT:]
        self._puck_x = np.zeros(self.num_envs)  # one step ago

    def templates(self) -> list[World]:
        world = make_world()
        self._puck_shape = world.body(PUCK).shapes[0].index
        return [world]

    def episode_arrays(self) -> list[NDArray[Any]]:
        return [self._puck_x]

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        batch = self.batch
        batch.restore(self.starts[0], mask)
        places, speeds = np.zeros((self.num_envs, 3, 2)), np.zeros((self.num_envs, 3, 2))
        draws = 2.0 * batch.random(4, mask) - 1.0
        places[mask] = START
        places[mask, 2] = draws[:, :2] * (0.1, 0.3)
        speeds[mask, 2] = draws[:, 2:] * (0.8, 0.3)
        batch.set((LEFT, RIGHT, PUCK), mask, position=places, linear_velocity=speeds)
        if (self.puck_mass != PUCK_MASS).any():
            batch.mass[mask, PUCK] = self.puck_mass[mask]
        if (self.restitution != RESTITUTION).any():
            batch.restitution[mask, self._puck_shape] = self.restitution[mask]

    def act(self, actions: NDArray[Any]) -> None:
        given = np.asarray(self.opponent(self.seen_by(1)))
        if given.shape != (self.num_envs, 2) or given.dtype.kind not in "iuf" or not np.isfinite(given).all():
            shape = (self.num_envs, 2)
            raise ValueError(f"opponent={short_repr(self.opponent)} must return finite numbers of shape {shape}")
        force = self.batch.force
        for player, wanted in enumerate((actions, given)):
            side = 1.0 if player == 0 else -1.0
            velocity = SPEED * np.clip(np.asarray(wanted, np.float64), -1.0, 1.0)
            if player == 1:
                velocity *= self.opponent_speed[:, None]
            place = side * self._position[:, player, 0]
            velocity[:, 0] = np.minimum(velocity[:, 0], (-MALLET_RADIUS - place) * self.FPS)  # as far as the middle
            push = (side * velocity - self._velocity[:, player]) * (MALLET_MASS * self.FPS)
            force[:, LEFT + player] = push * np.minimum(1.0, MOST_FORCE / np.maximum(np.hypot(*push.T), 1e-9))[:, None]

    def seen_by(self, player: int) -> NDArray[np.float32]:
        """The observations of player 0, on the left, or 1, shape (n, 12)."""
        side = np.float32(1.0 if player == 0 else -1.0)
        place, speed, other = self._position.astype(np.float32), self._velocity, 1 - player
        rows = [place[:, player], speed[:, player], place[:, other], speed[:, other], place[:, 2], speed[:, 2]]
        return np.asarray(np.concatenate(rows, axis=1) * side)

    def observe(self) -> NDArray[np.float32]:
        return self.seen_by(0)

    def begun(self, mask: NDArray[np.bool_], observations: NDArray[np.float32]) -> None:
        self._puck_x[mask] = self._position[mask, 2, 0]

    def reward(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        x = self._position[:, 2, 0].copy()
        goal = np.abs(x) > HALF_LENGTH
        rewards = SHAPING * (x - self._puck_x) + goal * np.sign(x)
        self._puck_x = x
        return rewards, goal

    def marks(self, index: int) -> DrawList:
        marks = DrawList()
        marks.line((0.0, -HALF_BREADTH), (0.0, HALF_BREADTH), "grey")
        for side, color in ((-1.0, "blue"), (1.0, "red")):
            marks.line((side * HALF_LENGTH, -HALF_GOAL), (side * HALF_LENGTH, HALF_GOAL), color)
        return marks
