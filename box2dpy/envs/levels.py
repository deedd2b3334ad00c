"""Levels: one task over any worlds, as in Kinetix: the green body is to touch the blue one, and no red one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from gymnasium import spaces

from .. import Box, Capsule, Circle, Entities, State, Vec2, World
from ..arguments import choice, integer, masked, number, short_repr
from .batch_env import BatchEnv
from .pixels import pixels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

ROOM = {"bodies": 16, "shapes": 24, "joints": 12, "chains": 1}
ROLES = ("", "green", "blue", "red")
WON, LOST, APPROACH = 10.0, -10.0, 1.0  # rewards: at the end, and for a metre nearer
SIZE = 8.0  # m of random levels
ATTEMPTS = 50  # to find a free place
PIXELS = (128, 64)  # width and height of observations
COLORS = np.array([(110, 110, 110), (60, 200, 60), (70, 110, 255), (230, 50, 50)], np.uint8)  # by role
WITH_MOTOR = np.array((255, 220, 0), np.uint8)
MOVING = 90  # brighter are bodies without a role that can move


class Level(NamedTuple):
    """The state of a world and the roles of its bodies."""

    state: State
    roles: NDArray[np.int8]


def level_of(value: object) -> Level:
    """A level of a world whose bodies have names that begin with "green", "blue" or "red", or of the dictionary or the
    path of one."""
    if isinstance(value, Level):
        return value
    if isinstance(value, World):
        return _read(value)
    if isinstance(value, Mapping):
        made = World.from_dict(dict(value))
    elif isinstance(value, str):
        made = World.load_level(value)
    else:
        raise TypeError(f"levels: {short_repr(value)} must be a World, the dictionary or the path of one")
    with made as world:
        return _read(world)


def _read(world: World) -> Level:
    roles = np.zeros(1 + max((body.index for body in world.bodies), default=-1), np.int8)
    for body in world.bodies:
        roles[body.index] = next((k for k, name in enumerate(ROLES) if name and (body.name or "").startswith(name)), 0)
    for name in ROLES[1:3]:
        if ROLES.index(name) not in roles:
            raise ValueError(f"levels: {short_repr(world)} has no body whose name begins with {name!r}")
    return Level(world.save(), roles)


def random_level(rng: np.random.Generator) -> World:
    """A room with a green, a blue and perhaps a red body among a few others, some hinged to each other with motors.

    >>> world = envs.levels.random_level(np.random.default_rng(1))
    >>> sorted(body.name for body in world.bodies if body.name)
    ['blue', 'green', 'red']
    >>> world.close()
    """
    world, places = World(profiling="off"), list[tuple[Vec2, float]]()
    room = world.create_static_body()
    for x, y, width, height in ((0, -SIZE / 2, SIZE, 0.2), (0, SIZE / 2, SIZE, 0.2), (-SIZE, 0, 0.2, SIZE / 2),
                                (SIZE, 0, 0.2, SIZE / 2)):  # fmt: skip
        room.create_shape(Box(width, height, (x, y)), friction=0.8)
    names = ["green", "blue", *(["red"] if rng.random() < 0.7 else []), *[""] * rng.integers(2, 8)]
    for name in names:
        radius = rng.uniform(0.3, 0.8)
        place = _free_place(rng, places, radius)
        if place is None and name in ROLES[1:3]:
            places.clear()  # hardly ever: it may overlap
            place = _free_place(rng, places, radius)
        if place is None:
            continue
        fixed = name in ("blue", "red") and rng.random() < 0.6
        body = world.create_body("static" if fixed else "dynamic", position=place, angle=rng.uniform(-3, 3), name=name)
        outline = [Circle(radius), Box(radius, radius / 2), Capsule((-radius / 2, 0), (radius / 2, 0), radius / 2)]
        body.create_shape(outline[rng.integers(3)], friction=0.8)
        places.append((body.position, radius))
        others = [each for each in world.bodies if each is not room and each is not body]
        if others and rng.random() < 0.6:
            other = min(others, key=lambda each: (each.position - body.position).length)
            world.create_revolute_joint(
                other, body, anchor=(other.position + body.position) / 2, enable_motor=bool(rng.random() < 0.7),
                motor_speed=rng.uniform(2, 6), max_motor_torque=rng.uniform(20, 100),
            )  # fmt: skip
    return world


def _free_place(rng: np.random.Generator, taken: list[tuple[Vec2, float]], radius: float) -> Vec2 | None:
    for _ in range(ATTEMPTS):
        place = Vec2(rng.uniform(1 - SIZE, SIZE - 1), rng.uniform(1 - SIZE / 2, SIZE / 2 - 1))
        if all((place - other).length > radius + size + 0.1 for other, size in taken):
            return place
    return None


class Levels(BatchEnv):
    """Makes the green body touch the blue one, and no red one, in any world: each episode has a level of its own.

    The levels are worlds with other bodies, shapes and joints each; names of bodies that begin with "green", "blue" or
    "red" are their roles. The actions are the speeds of the joints with a motor, -1 to 1 of the speed that the level
    gives them; those of other joints do nothing. The reward of a step is by how many metres the nearest green and blue
    bodies came nearer, plus 10 when they touch, minus 10 when a green and a red one touch; both end the episode.

    An observation has all entities (`WorldBatch.entities`) one after the other, as numbers; `parts` tells where each
    of them is, and `entities` has those of the last observation. The roles are 1 green, 2 blue, 3 red, else 0. With
    `obs="pixels"` it is a picture, uint8, shape (64, 128, 3), in the colours of the roles; other bodies are grey,
    lighter where they can move, and anchors of joints are white, yellow with a motor.

    Source: Matthews, Beukman, Lu and Foerster, "Kinetix" (2024), whose task and idea of training over levels this is.

    Args:
        num_envs: how many worlds.
        levels: worlds, dictionaries of `World.to_dict` or paths of levels, of which each episode draws one; or a
            function that makes a world from a `numpy.random.Generator`. None: `random_level`. They agree in all options
            of `World` but gravity (and what follows from a gravity of zero). They are copied at once, so that copies of
            the environment have the same levels, even if a world is stepped or closed, or a file changes.
        room: the most "bodies", "shapes", "joints" and "chains" of a level.
        contacts: how many contacts of each world an observation has.
        obs: "entities" or "pixels".
        view: what pictures show: left, bottom, right, top, metres. The standard is the room of `random_level`.

    The other arguments are those of `BatchEnv`.

    Raises:
        ValueError: a level has no green or blue body, or no room.
        TypeError: a wrong type.
    """

    DIFFER: ClassVar[bool] = True
    MADE_AGAIN: ClassVar[frozenset[str]] = BatchEnv.MADE_AGAIN | {"_levels"}
    VIEW: ClassVar[tuple[float, float, float, float]] = (-SIZE, -SIZE / 2, SIZE, SIZE / 2)
    parts: dict[str, tuple[slice, tuple[int, ...]]]
    """Of each field of `Entities` and of "roles": where it is in a row of entities, and its shape."""

    def __init__(
        self,
        num_envs: int = 1,
        levels: Sequence[Any] | Callable[[np.random.Generator], World] | None = None,
        *,
        room: Mapping[str, int] = ROOM,
        contacts: int = 16,
        obs: str = "entities",
        view: tuple[float, float, float, float] = VIEW,
        **options: Any,
    ) -> None:
        self.obs = choice(obs, "obs", ("entities", "pixels"))
        left, bottom, right, top = (number(each, "view") for each in view)
        if not (-np.inf < left < right < np.inf and -np.inf < bottom < top < np.inf):
            raise ValueError(f"view={short_repr(view)} must be left < right and bottom < top, all finite")
        self._view = left, bottom, right, top
        self._make = random_level if levels is None else levels if callable(levels) else None
        self._levels: list[Level] = []
        if self._make is None:
            if isinstance(levels, str) or not isinstance(levels, Sequence):
                raise TypeError(
                    f"levels={short_repr(levels)} must be a sequence of levels, or a function that makes a World"
                )
            given = list(levels)
            self._levels = [level_of(each) for each in given]
            self._keep({id(levels): self._levels, **dict(zip(map(id, given), self._levels, strict=True))})
            if not given:
                raise ValueError("levels=[] must have at least one level")
        self._room, self._contacts = dict(room), integer(contacts, "contacts", 0, 65536)
        super().__init__(num_envs, **options)
        most = self.batch.room
        self.roles = np.zeros((self.num_envs, most["bodies"]), np.int8)
        self._speeds = np.zeros((self.num_envs, most["joints"]))
        self._distance = np.zeros(self.num_envs)
        self.parts, count = {}, 0
        for name, array in self._arrays().items():
            shape = array.shape[1:]
            size = int(np.prod(shape))
            self.parts[name] = slice(count, count + size), shape
            count += size
        self._take_spaces(
            spaces.Box(-np.inf, np.inf, (count,), np.float32)
            if self.obs == "entities"
            else spaces.Box(0, 255, (*PIXELS[::-1], 3), np.uint8),
            spaces.Box(-1.0, 1.0, (most["joints"],), np.float32),
        )

    def templates(self) -> Sequence[World]:
        world = World(profiling="off")
        if self._levels:
            world.restore(self._levels[0].state)
        return [world]

    def room(self) -> Mapping[str, int]:
        return self._room

    # -- episodes

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        self.batch.next_episode(mask)
        drawn = self.batch.random(1, mask)[:, 0]
        if self._make is None:
            self._begin_levels([self._levels[int(each * len(self._levels))] for each in drawn], mask)
            return
        made = []
        for each in drawn:
            world = self._make(np.random.default_rng(int(each * 2**53)))
            if not isinstance(world, World):
                raise TypeError(f"levels: the function must return a World, not {short_repr(world)}")
            with world:
                made.append(level_of(world))
        self._begin_levels(made, mask)

    def reset_to_level(self, level: object, mask: ArrayLike | None = None) -> NDArray[Any]:
        """Begins an episode of a level in the worlds of a mask (bool, shape (n,); None: all).

        Args:
            level: a world, the dictionary of one or the path of its file; or a sequence with one for each world of the
                mask, in their order.

        Returns:
            The observations of all worlds.
        """
        chosen = masked(mask, self.num_envs)
        chosen = np.ones(self.num_envs, bool) if chosen is None else chosen
        if isinstance(level, Sequence) and not isinstance(level, (str, Level)):
            given = [level_of(each) for each in level]
        else:
            given = [level_of(level)] * int(chosen.sum())
        if len(given) != chosen.sum():
            raise ValueError(f"level={short_repr(level)} must have {int(chosen.sum())} levels, not {len(given)}")
        self.batch.next_episode(chosen)
        self._begin_levels(given, chosen)
        self.steps[chosen], self._over[chosen] = 0, False
        self._seeded = self._ready = True
        observations: NDArray[Any] = self._observe()
        self.begun(chosen, observations)
        return observations

    def _begin_levels(self, levels: list[Level], mask: NDArray[np.bool_]) -> None:
        self.batch.restore([level.state for level in levels], mask, random=None, replace=True)
        self.roles[mask] = 0
        for world, level in zip(np.flatnonzero(mask).tolist(), levels, strict=True):
            self.roles[world, : len(level.roles)] = level.roles
        motors = np.nan_to_num(self.batch.joints.enable_motor[:])
        self._speeds[mask] = (np.nan_to_num(self.batch.joints.motor_speed[:]) * motors)[mask]

    def episode_arrays(self) -> Sequence[NDArray[Any]]:
        return self.roles, self._speeds, self._distance

    def begun(self, mask: NDArray[np.bool_], observations: NDArray[Any]) -> None:
        self._distance[mask] = self._distances()[mask]

    # -- steps

    def act(self, actions: NDArray[Any]) -> None:
        speeds = np.clip(actions, -1.0, 1.0) * self._speeds
        self.batch.joints.motor_speed[:] = np.where(self._speeds != 0, speeds, self.batch.joints.motor_speed[:])

    def _arrays(self) -> dict[str, NDArray[Any]]:
        self.entities: Entities = self.batch.entities(self._contacts)
        return {**self.entities._asdict(), "roles": self.roles}

    def observe(self) -> NDArray[Any]:
        if self.obs == "pixels":
            self.entities = self.batch.entities(0)
            return self._pixels()
        rows = [np.reshape(array, (self.num_envs, -1)) for array in self._arrays().values()]
        return np.concatenate(rows, axis=1, dtype=np.float32, casting="unsafe")

    def _pixels(self) -> NDArray[np.uint8]:
        seen = self.entities
        colors = COLORS[self.roles]
        colors[(self.roles == 0) & (seen.bodies[..., 7] > 0)] += np.uint8(MOVING)
        out = pixels(seen, colors, self._view, PIXELS)
        left, bottom, right, top = self._view
        columns = np.floor((seen.joints[..., 0] - left) * (PIXELS[0] / (right - left))).astype(np.int64)
        rows = np.floor((top - seen.joints[..., 1]) * (PIXELS[1] / (top - bottom))).astype(np.int64)
        inside = seen.joint_mask & (columns >= 1) & (columns < PIXELS[0] - 1) & (rows >= 1) & (rows < PIXELS[1] - 1)
        worlds, joints = np.nonzero(inside)
        shades = np.where(seen.joints[worlds, joints, 9, None] > 0, WITH_MOTOR, np.uint8(255))
        for aside, below in np.ndindex(2, 2):
            out[worlds, rows[worlds, joints] - below, columns[worlds, joints] - aside] = shades
        return out

    def view(self, index: int) -> tuple[float, float, float, float]:
        return self._view

    def _distances(self) -> NDArray[np.float64]:
        """Between the nearest green and blue bodies, m."""
        ways = self.batch.position[:, :, None] - self.batch.position[:, None]
        pairs = (self.roles[:, :, None] == 1) & (self.roles[:, None] == 2)
        nearest: NDArray[np.float64] = np.where(pairs, np.hypot(ways[..., 0], ways[..., 1]), np.inf).min((1, 2))
        return nearest

    def _touch(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether a green body touches a blue one, and a red one."""
        seen = self.batch.entities(None)
        worlds, places = np.nonzero(seen.contact_mask)
        shapes = seen.contact_shapes[worlds, places]
        roles = np.sort(self.roles[worlds[:, None], seen.shape_body[worlds[:, None], shapes]], axis=1)
        found = np.zeros((2, self.num_envs), bool)
        for row, role in zip(found, (2, 3), strict=True):
            row[worlds[(roles[:, 0] == 1) & (roles[:, 1] == role)]] = True
        return found[0], found[1]

    def reward(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        won, lost = self._touch()
        before, self._distance[:] = self._distance.copy(), self._distances()
        rewards = APPROACH * (before - self._distance) + WON * (won & ~lost) + LOST * lost
        return rewards, won | lost
