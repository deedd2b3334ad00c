"""CircuitRacing: a car with four wheels drives round a closed track, seen from above. The task and its reward are those
of Gymnasium's CarRacing-v3, after its documentation; car, tyres, tracks and the length of an episode (1,500 steps) are
our own, so it has another name.

The engine moves the car as one rigid body; the forces of the tyres are computed here. A tyre pushes against the slip of
its wheel over the ground with as much force as would end it in one step, up to its grip: the friction circle, see
Pacejka, "Tire and vehicle dynamics" (2012), chapter 1. So it is stable at every speed and at rest.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from .. import Box, World
from ..arguments import choice
from .batch_env import BatchEnv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

TILES = 256  # of a track
HALF_WIDTH = 4.0  # m of the road
RADIUS, WAVES = 50.0, (2, 3, 4, 5, 6)  # m of a track, and the waves of its radius over a lap
WAVINESS = 0.3  # greatest share of the radius of a wave, times its number
POINTS = 720  # of a track before it is cut into tiles of equal length
LENGTH, BREADTH = 4.2, 1.9  # m of the car
MASS, GRIP, POWER = 1200.0, 1.0, 120e3  # kg; coefficient of friction on the road; W
GRASS = 0.5  # share of the grip on grass
WEIGHT = 9.81  # N of a kilogram
# Where the wheels are, metres to the front and to the left: the first two steer, the others are driven
WHEELS = np.array([[1.4, 0.8], [1.4, -0.8], [-1.4, 0.8], [-1.4, -0.8]])
WHEEL_RADIUS, WHEEL_INERTIA = 0.33, 1.5  # m, kg m^2
MOST_STEERING, STEERING_RATE = 0.45, 3.0  # rad, rad/s
MOST_TORQUE, BRAKE = 1000.0, 2000.0  # N m of a driven wheel and of the brake of each wheel
DRAG = 0.9  # N s^2/m^2 of the air
RELAXATION = 0.8  # share of the slip that a tyre ends in one step
AHEAD = np.arange(1, 11) * 4  # tiles ahead whose middles are observed
LAP = 0.95  # share of the tiles of a lap
LOST = 25.0  # m from the middle of the road
# Pixels: metres of a cell of the map and of a pixel, half side of the map in metres, side of the picture, rows of it
# that show the map, and the pixel where the middle of the car is
CELL, PIXEL, REACH, SIDE, ROWS, CAR_AT = 0.5, 0.5, 100.0, 96, 84, (62, 48)
GRASS_COLORS, ROAD_COLORS = [(96, 178, 92), (104, 190, 100)], [(104, 104, 108), (112, 112, 116)]
COLORS = np.array([*GRASS_COLORS, *ROAD_COLORS, (235, 235, 235)], np.uint8)


def make_world() -> World:
    world = World((0.0, 0.0), sleeping=False, continuous=False, profiling="off")
    car = world.create_dynamic_body()
    car.create_shape(Box(LENGTH / 2, BREADTH / 2), density=MASS / (LENGTH * BREADTH))
    return world


def tracks(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """The middles of the tiles of closed tracks, metres, shape (m, tiles, 2), from numbers in [0, 1), shape (m, 11)."""
    angle = math.tau * np.arange(POINTS + 1) / POINTS
    radius = np.ones((len(draws), POINTS + 1))
    for k, wave in enumerate(WAVES):
        size, phase = WAVINESS * draws[:, k, None] / wave, math.tau * draws[:, 5 + k, None]
        radius += size * np.cos(wave * angle + phase)
    way = np.where(draws[:, 10, None] < 0.5, -1.0, 1.0)  # to the right or to the left
    x, y = RADIUS * radius * np.cos(angle), RADIUS * radius * np.sin(angle) * way
    out = np.empty((len(draws), TILES, 2))
    for k in range(len(draws)):
        length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x[k]), np.diff(y[k])))])
        places = length[-1] * np.arange(TILES) / TILES
        out[k, :, 0], out[k, :, 1] = np.interp(places, length, x[k]), np.interp(places, length, y[k])
    return out


def directions(middles: NDArray[np.float64]) -> NDArray[np.float64]:
    """The unit vectors along tracks at their tiles, shape (m, tiles, 2)."""
    way = np.roll(middles, -1, axis=1) - np.roll(middles, 1, axis=1)
    return np.asarray(way / np.hypot(way[..., 0], way[..., 1])[..., None])


class CircuitRacing(BatchEnv):
    """Drives a car with four wheels and rear drive round a closed track, which every episode makes anew.

    Actions are the steering, -1 (left) to 1 (right), the gas and the brake, 0 to 1. The reward is 1000 for all tiles
    of the track, each when a wheel first comes upon it, less 0.1 in every step. An episode ends when 0.95 of the tiles
    have been visited and the car is back at the first one, or with a reward of -100 where it is 25 m from the middle of
    the road.

    Observations with `obs="state"`, in axes of the car (x to the front, y to the left), 34 numbers: ten points in the
    middle of the road ahead; the distance to the left of the middle of the road and the angle to it; velocity, rate of
    rotation and angle of the front wheels; for each wheel the slip along it, and whether it is on the road. Units are
    metres, radians and seconds. With `obs="pixels"`: a picture, uint8, shape (96, 96, 3), with the car's front up and
    bars for speed, turning of the wheels, steering and rate of rotation below.

    Args:
        num_envs: how many worlds.
        obs: "state" or "pixels".
        grip: coefficient of friction of the tyres on the road, 0.05 to 5; on grass it is half of that.
        mass: of the car, kg, 100 to 10,000.
        power: of the engine, W, 0 to 1e7.

    Parameters with numbers are one for all worlds or an array, shape (n,). They are attributes, arrays of shape (n,);
    values written into them apply from the next step, the mass from the next episode of each world. The other arguments
    are those of `BatchEnv`.

    Raises:
        ValueError: a value is out of range.
        TypeError: a wrong type.
    """

    SIZE: ClassVar[tuple[int, int]] = (4 * SIDE, 4 * SIDE)
    single_action_space = spaces.Box(np.array([-1, 0, 0], np.float32), np.array([1, 1, 1], np.float32))

    def __init__(
        self,
        num_envs: int = 1,
        *,
        obs: str = "state",
        grip: ArrayLike = GRIP,
        mass: ArrayLike = MASS,
        power: ArrayLike = POWER,
        max_episode_steps: int | None = 1500,
        **options: Any,
    ) -> None:
        self.obs = choice(obs, "obs", ("state", "pixels"))
        size = 2 * len(AHEAD) + 14
        self.single_observation_space = (
            spaces.Box(-np.inf, np.inf, (size,), np.float32)
            if self.obs == "state"
            else spaces.Box(0, 255, (SIDE, SIDE, 3), np.uint8)
        )
        super().__init__(num_envs, max_episode_steps=max_episode_steps, **options)
        self.grip = self.each(grip, "grip", 0.05, 5.0)
        self.mass = self.each(mass, "mass", 100.0, 10000.0)
        self.power = self.each(power, "power", 0.0, 1e7)
        n, batch = self.num_envs, self.batch
        self._position, self._velocity = batch.position[:, 0], batch.linear_velocity[:, 0]
        self._rotation, self._turning = batch.rotation[:, 0], batch.angular_velocity[:, 0]
        self._inertia = batch.inertia.read()[0, 0] / MASS
        self.track = np.zeros((n, TILES, 2))
        """The middles of the tiles of each track, metres, shape (n, tiles, 2)."""
        self._track_x, self._track_y = np.zeros((2, n, TILES), np.float32)  # of the track, for the search
        self._away = np.zeros((2, n, TILES), np.float32)  # memory of the search
        self._along = np.zeros((n, TILES, 2))
        self.visited = np.zeros((n, TILES), bool)
        """Which tiles of each track have been visited, shape (n, tiles)."""
        self._spacing = np.ones(n)  # of tiles, m
        self._tile = np.zeros(n, np.int64)  # nearest to the car
        self._wheel_tile, self._on_road = np.zeros((n, 4), np.int64), np.zeros((n, 4), bool)
        self._spin = np.zeros((n, 4))  # of the wheels, rad/s
        self._slip = np.zeros((n, 4))  # along the wheels, m/s
        self._steering = np.zeros(n)  # to the left, rad
        self._mass = np.full(n, MASS)  # of this episode
        side = int(2 * REACH / CELL)
        checks = np.arange(side) // 16 & 1
        self._grass = (checks[:, None] ^ checks).astype(np.uint8)
        self._maps: NDArray[np.uint8] = np.zeros((n if self.obs == "pixels" else 0, side, side), np.uint8)

    def templates(self) -> list[World]:
        return [make_world()]

    def episode_arrays(self) -> list[NDArray[Any]]:
        place: list[NDArray[Any]] = [self.track, self._along, self._track_x, self._track_y, self.visited, self._spacing]
        maps = [self._maps] if len(self._maps) else []
        return [*place, self._spin, self._slip, self._steering, self._mass, *maps]

    def reset_worlds(self, mask: NDArray[np.bool_]) -> None:
        batch = self.batch
        batch.restore(self.starts[0], mask)
        worlds = np.flatnonzero(mask)
        self.track[mask] = tracks(batch.random(11, mask))
        self._along[mask] = directions(self.track[mask])
        self._track_x[mask], self._track_y[mask] = self.track[mask, :, 0], self.track[mask, :, 1]
        self._spacing[mask] = np.hypot(*(self.track[mask, 1] - self.track[mask, 0]).T)
        self.visited[mask] = False
        for array in (self._spin, self._slip, self._steering):
            array[mask] = 0.0
        way = self._along[:, 0]
        batch.set(0, mask, position=self.track[:, 0], angle=np.arctan2(way[:, 1], way[:, 0]))
        self._mass[mask] = self.mass[mask]
        if (self.mass != MASS).any():
            batch.mass[mask, 0] = self._mass[mask]
            batch.inertia[mask, 0] = self._inertia * self._mass[mask]
        if self.obs == "pixels":
            for k in worlds.tolist():
                self._maps[k] = self._map_of(k)

    def act(self, actions: NDArray[Any]) -> None:
        dt = 1.0 / self.FPS
        low, high = self.single_action_space.low, self.single_action_space.high
        steer, gas, brake = np.clip(np.asarray(actions, np.float64), low, high).T
        wanted = -MOST_STEERING * steer
        self._steering += np.clip(wanted - self._steering, -STEERING_RATE * dt, STEERING_RATE * dt)
        self._spin[:, 2:] += (gas * self._drive())[:, None] * (dt / WHEEL_INERTIA)
        stop = (brake * (BRAKE * dt / WHEEL_INERTIA))[:, None]
        stopped = np.clip(self._spin, -stop, stop)
        self._spin -= stopped
        left = (stop - np.abs(stopped)) * (WHEEL_INERTIA / WHEEL_RADIUS / dt)  # N with which the brakes still hold
        cos, sin = self._rotation.T.astype(np.float64)
        vx, vy = self._velocity.T.astype(np.float64)
        forward, aside, turning = cos * vx + sin * vy, cos * vy - sin * vx, self._turning.astype(np.float64)
        share = self._mass / 4.0
        limit = share * WEIGHT * self.grip
        force_x, force_y, torque = np.zeros((3, self.num_envs))
        for k, (x, y) in enumerate(WHEELS.tolist()):
            c, s = (np.cos(self._steering), np.sin(self._steering)) if k < 2 else (1.0, 0.0)
            u, v = forward - turning * y, aside + turning * x  # of the ground contact
            slip, skid = self._spin[:, k] * WHEEL_RADIUS - (c * u + s * v), c * v - s * u
            self._slip[:, k] = slip
            rolling = RELAXATION / dt * slip / (1.0 / share + WHEEL_RADIUS**2 / WHEEL_INERTIA)
            brakes = np.clip(RELAXATION / dt * slip * share - rolling, -left[:, k], left[:, k])  # as if it were locked
            push, hold = rolling + brakes, -RELAXATION / dt * skid * share
            most = limit * np.where(self._on_road[:, k], 1.0, GRASS)
            scale = np.minimum(1.0, most / np.maximum(np.hypot(push, hold), 1e-9))
            push, hold = push * scale, hold * scale
            turned = np.copysign(np.maximum(np.abs(push) - np.abs(brakes), 0.0), push)
            self._spin[:, k] -= turned * (WHEEL_RADIUS * dt / WHEEL_INERTIA)
            fx, fy = c * push - s * hold, s * push + c * hold
            force_x, force_y, torque = force_x + fx, force_y + fy, torque + x * fy - y * fx
        drag = DRAG * np.hypot(vx, vy)
        self.batch.force[:, 0, 0] = cos * force_x - sin * force_y - drag * vx
        self.batch.force[:, 0, 1] = sin * force_x + cos * force_y - drag * vy
        self.batch.torque[:, 0] = torque

    def _drive(self) -> NDArray[np.float64]:
        """Torque of each driven wheel at full gas, N m."""
        fastest = np.maximum(np.abs(self._spin[:, 2] + self._spin[:, 3]) / 2.0, 1e-3)
        return np.asarray(np.minimum(MOST_TORQUE, self.power / 2.0 / fastest))

    def _locate(self) -> None:
        """Finds the tiles on which the car and its wheels are."""
        rows, place = np.arange(self.num_envs), self._position
        x, y = place.astype(np.float32).T[:, :, None]
        away_x, away_y = self._away
        np.square(np.subtract(self._track_x, x, out=away_x), out=away_x)
        np.square(np.subtract(self._track_y, y, out=away_y), out=away_y)
        tile = np.add(away_x, away_y, out=away_x).argmin(axis=1)
        self._tile = tile
        middle, way = self.track[rows, tile], self._along[rows, tile]
        cos, sin = self._rotation.T.astype(np.float64)
        for k, (x, y) in enumerate(WHEELS.tolist()):
            wheel_x, wheel_y = place[:, 0] + cos * x - sin * y, place[:, 1] + sin * x + cos * y
            along = (wheel_x - middle[:, 0]) * way[:, 0] + (wheel_y - middle[:, 1]) * way[:, 1]
            number = (tile + np.rint(along / self._spacing).astype(np.int64)) % TILES
            self._wheel_tile[:, k] = number
            its, its_way = self.track[rows, number], self._along[rows, number]
            out_x, out_y = wheel_x - its[:, 0], wheel_y - its[:, 1]
            near = np.abs(out_x * its_way[:, 0] + out_y * its_way[:, 1]) < 2.0 * self._spacing
            self._on_road[:, k] = near & (np.abs(out_y * its_way[:, 0] - out_x * its_way[:, 1]) <= HALF_WIDTH)

    def observe(self) -> NDArray[Any]:
        self._locate()
        if self.obs == "pixels":
            return np.asarray(self.pixels())
        rows = np.arange(self.num_envs)
        cos, sin = self._rotation.T.astype(np.float64)
        ahead = self.track[rows[:, None], (self._tile[:, None] + AHEAD) % TILES] - self._position[:, None]
        c, s = cos[:, None], sin[:, None]
        points = np.stack([c * ahead[..., 0] + s * ahead[..., 1], c * ahead[..., 1] - s * ahead[..., 0]], axis=-1)
        offset, way = self._position - self.track[rows, self._tile], self._along[rows, self._tile]
        left = offset[:, 1] * way[:, 0] - offset[:, 0] * way[:, 1]
        turn = np.arctan2(sin * way[:, 0] - cos * way[:, 1], cos * way[:, 0] + sin * way[:, 1])
        vx, vy = self._velocity.T.astype(np.float64)
        columns: list[NDArray[Any]] = [
            points.reshape(self.num_envs, -1), left, turn, cos * vx + sin * vy, cos * vy - sin * vx, self._turning,
            self._steering, self._slip, self._on_road,
        ]  # fmt: skip
        return np.column_stack(columns).astype(np.float32)

    def reward(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        rows = np.arange(self.num_envs)
        gained = np.zeros(self.num_envs, np.int64)
        for k in range(4):
            tile = self._wheel_tile[:, k]
            new = self._on_road[:, k] & ~self.visited[rows, tile]
            self.visited[rows, tile] |= new
            gained += new
        rewards = gained.astype(np.float64) * (1000.0 / TILES) - 0.1
        ended: NDArray[np.bool_] = (self._on_road & (self._wheel_tile == 0)).any(axis=1)  # back at the first tile
        ended[ended] = self.visited[ended].sum(axis=1) >= LAP * TILES
        away = self._position - self.track[rows, self._tile]
        lost = np.hypot(away[:, 0], away[:, 1]) > LOST
        rewards[lost] = -100.0
        return rewards, lost | ended

    # -- pictures

    def _map_of(self, index: int) -> NDArray[np.uint8]:
        """The ground of a world as cells: numbers of `COLORS`, shape (rows, columns), from the lower left corner."""
        out: NDArray[np.uint8] = self._grass.copy()
        middles, way, fine = self.track[index], self._along[index], 6
        part = np.linspace(0.0, 1.0, fine, endpoint=False)[:, None, None]
        across = np.arange(-HALF_WIDTH, HALF_WIDTH + 0.01, 0.6 * CELL)[:, None, None, None]
        line = middles + part * (np.roll(middles, -1, axis=0) - middles)
        normal = np.stack([-way[:, 1], way[:, 0]], axis=1)
        cells = ((line + across * normal + REACH) / CELL).astype(np.int64)
        shade = np.broadcast_to(2 + (np.arange(TILES) // 4 & 1), cells.shape[:-1])
        np.clip(cells, 0, len(out) - 1, out=cells)
        out[cells[..., 1], cells[..., 0]] = shade
        out[cells[:, :, 0, 1], cells[:, :, 0, 0]] = 4
        return out

    def pixels(self, scale: int = 1, worlds: NDArray[np.int64] | None = None) -> NDArray[np.uint8]:
        """Pictures of worlds, uint8, shape (worlds, 96 * scale, 96 * scale, 3)."""
        chosen = np.arange(self.num_envs) if worlds is None else worlds
        rows, columns = scale * ROWS, scale * SIDE
        front = (scale * CAR_AT[0] - np.arange(rows, dtype=np.float32))[:, None] * np.float32(PIXEL / scale)
        left = (scale * CAR_AT[1] - np.arange(columns, dtype=np.float32)) * np.float32(PIXEL / scale)
        cells_front, cells_left = front * np.float32(1.0 / CELL), left * np.float32(1.0 / CELL)
        places = ((self._position[chosen] + REACH) / CELL).astype(np.float32)
        out = np.zeros((len(chosen), columns, columns, 3), np.uint8)
        for k, (shown, place, (cos, sin)) in enumerate(zip(out, places, self._rotation[chosen], strict=True)):
            ground = self._maps[chosen[k]] if len(self._maps) else self._map_of(int(chosen[k]))
            x = (cos * cells_front + place[0]) - sin * cells_left
            y = (sin * cells_front + place[1]) + cos * cells_left
            for axis in (x, y):  # beyond the map all is grass, as at its border
                np.clip(axis, 0, len(ground) - 1, out=axis)
            cells = y.astype(np.intp) * len(ground) + x.astype(np.intp)
            shown[:rows] = COLORS.take(ground.ravel().take(cells), axis=0)
        self._draw_car(out, chosen, front, left)
        self._draw_bars(out, chosen, scale)
        return np.asarray(out)

    def _draw_car(
        self, out: NDArray[np.uint8], worlds: NDArray[np.int64], front: NDArray[np.float32], left: NDArray[np.float32]
    ) -> None:
        rows, columns = (
            np.flatnonzero(np.abs(front) <= LENGTH / 2 + 0.1),
            np.flatnonzero(np.abs(left) <= BREADTH / 2 + 0.4),
        )
        front, left = front[rows], left[columns]
        shown = out[:, rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        angles = self._steering[worlds][:, None, None]
        for k, (x, y) in enumerate(WHEELS.tolist()):
            c, s = (np.cos(angles), np.sin(angles)) if k < 2 else (np.ones((1, 1, 1)), np.zeros((1, 1, 1)))
            u, v = c * (front - x) + s * (left - y), c * (left - y) - s * (front - x)
            shown[np.broadcast_to((np.abs(u) <= 0.5) & (np.abs(v) <= 0.3), shown.shape[:3])] = (20, 20, 20)
        shown[:, np.broadcast_to(np.abs(left) <= BREADTH / 2 - 0.25, shown.shape[1:3])] = (204, 30, 30)

    def _draw_bars(self, out: NDArray[np.uint8], worlds: NDArray[np.int64], scale: int) -> None:
        """Bars below the map: the speed, the turning of the four wheels, the steering and the rate of rotation."""
        side, top = out.shape[1], scale * ROWS
        speed = np.hypot(self._velocity[worlds, 0], self._velocity[worlds, 1]) / 40.0
        upright = [speed, *np.abs(self._spin[worlds] * WHEEL_RADIUS / 40.0).T]
        height = np.arange(side - top)[::-1, None] / (side - top)
        for k, value in enumerate(upright):
            at = slice(scale * (6 + 5 * k), scale * (9 + 5 * k))
            lit = height < np.clip(value, 0.0, 1.0)[:, None, None]
            out[:, top:, at][np.broadcast_to(lit, (*lit.shape[:2], 3 * scale))] = (
                (255, 255, 255) if not k else (70, 90, 255)
            )
        offset = (np.arange(scale * 24) - scale * 12) / (scale * 12.0)
        level = [
            (-self._steering[worlds] / MOST_STEERING, (80, 220, 80)),
            (-self._turning[worlds] / 3.0, (230, 70, 70)),
        ]
        for k, (value, color) in enumerate(level):
            v = np.clip(value, -1.0, 1.0)[:, None]
            lit = np.where(v >= 0, (offset >= 0) & (offset < v), (offset < 0) & (offset >= v))[:, None]
            at = slice(scale * (38 + 28 * k), scale * (62 + 28 * k))
            area = out[:, top + scale * 4 : top + scale * 8, at]
            area[np.broadcast_to(lit, area.shape[:3])] = color

    def picture(self, index: int) -> NDArray[np.uint8]:
        """A picture of one world, uint8, shape (384, 384, 3)."""
        return np.array(self.pixels(4, np.array([index]))[0])
