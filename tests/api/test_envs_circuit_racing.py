"""CircuitRacing: tracks, tyres, laps and pictures."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")

from box2dpy.envs import CircuitRacing
from box2dpy.envs.circuit_racing import GRASS, HALF_WIDTH, LAP, RADIUS, TILES, directions, tracks

from ..seeds import arrays, shifted


def steer(observations: np.ndarray) -> np.ndarray:
    """Steers towards a point ahead, slower where the road bends."""
    points = observations[:, :20].reshape(-1, 10, 2)
    angles = np.arctan2(points[..., 1], points[..., 0])
    target = np.clip(26 - 30 * np.abs(angles[:, 6] - angles[:, 1]), 9, 26)
    slower = observations[:, 22] - target
    gas, brake = np.clip(-0.3 * slower, 0, 1), np.clip(0.2 * slower, 0, 1)
    return np.stack([np.clip(-2 * angles[:, 2], -1, 1), gas, brake], axis=1)


def test_tracks_are_closed_roads_that_a_car_can_follow() -> None:
    middles = tracks(arrays(0).uniform(size=(200, 11)))
    gaps = np.hypot(*np.moveaxis(np.roll(middles, -1, axis=1) - middles, -1, 0))
    assert (np.ptp(gaps, axis=1) < 0.1).all()  # the last tile is as near to the first as all others
    way = directions(middles)
    after = np.roll(way, -1, axis=1)
    turn = np.abs(np.arctan2(way[..., 0] * after[..., 1] - way[..., 1] * after[..., 0], (way * after).sum(axis=2)))
    # The inner side does not fold. It would where all waves have their greatest trough in one place (3.4 m); the
    # sharpest of 20,000 tracks has 5.7 m
    assert (gaps / turn).min() > HALF_WIDTH
    x, y = np.moveaxis(middles, -1, 0)
    area = 0.5 * (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)
    assert 50 < (area > 0).sum() < 150  # both ways round
    apart = np.abs(np.arange(TILES)[:, None] - np.arange(TILES))
    far = np.minimum(apart, TILES - apart) > 25
    for k in range(20):  # no two parts of the road touch
        distances = np.hypot(*(middles[k][:, None] - middles[k]).T)
        assert distances[far].min() > 2 * HALF_WIDTH
    assert np.hypot(x, y).min() > 0.3 * RADIUS


def test_a_simple_rule_drives_round_the_track() -> None:
    env = CircuitRacing(6, autoreset_mode="Disabled")
    observations, _ = env.reset(seed=shifted(0))
    returns, lengths, over = np.zeros(6), np.zeros(6), np.zeros(6, bool)
    while not over.all():
        observations, rewards, ends, cuts, _ = env.step(steer(observations))
        returns, lengths = returns + rewards * ~over, lengths + ~over
        assert not (cuts & ~over).any()
        over |= ends
        env._over[:] = False  # those that have arrived go on
    assert (lengths < 1500).all()
    assert (returns > 1000 * LAP - 0.1 * lengths - 1e-6).all()
    assert (returns < 1000 - 0.1 * lengths + 1e-6).all()
    assert env.visited.mean() > LAP
    env.close()


def test_straight_on_is_lost() -> None:
    env = CircuitRacing(6, autoreset_mode="Disabled")
    env.reset(seed=shifted(1))
    for _ in range(1000):
        observations, rewards, ends, _, _ = env.step(np.tile([0.0, 1.0, 0.0], (6, 1)))
        if ends.any():
            break
    assert (rewards[ends] == -100).all()
    assert not observations[ends, -4:].any()  # no wheel is on the road
    assert (np.abs(observations[ends, 20]) > 3 * HALF_WIDTH).all()
    env.close()


def test_the_way_of_braking_is_that_of_the_grip() -> None:
    """v^2 / (2 mu g), whatever the mass; on grass the grip is half."""
    grip = np.array([0.5, 1.0, 1.0, 1.0])
    env = CircuitRacing(4, grip=grip, mass=[1200, 1200, 1500, 1200])
    env.reset(seed=[3, 3, 3, 3])
    env.batch.set(0, position=[(0, 0)] * 3 + [(0, 0.5)], angle=0.0, linear_velocity=(12, 0))
    env.track[:3] = np.stack([np.arange(TILES), np.zeros(TILES)], axis=1)  # a straight road
    env._along[:3], env._spacing[:] = (1, 0), 1.0
    env._track_x[:], env._track_y[:] = env.track[..., 0], env.track[..., 1]
    env.track[3, :, 1], env._track_y[3] = 20.0, 20.0
    env._spin[:] = 12 / 0.33
    env.observe()
    start = env.batch.position[:, 0, 0].copy()
    for _ in range(300):
        observations = env.step(np.tile([0.0, 0.0, 1.0], (4, 1)))[0]
    np.testing.assert_allclose(observations[:, 22:25], 0, atol=0.01)
    grip[3] *= GRASS
    np.testing.assert_allclose(env.batch.position[:, 0, 0] - start, 12**2 / (2 * grip * 9.81), rtol=0.06)
    env.close()


def test_the_wheels_steer_slip_and_hold() -> None:
    env = CircuitRacing(3, power=[120e3, 120e3, 1e6], grip=[1, 1, 0.2])
    env.reset(seed=[3, 3, 3])
    observations = env.step([[-1.0, 0.2, 0], [1.0, 0.2, 0], [0, 1, 0]])[0]
    for _ in range(40):
        observations = env.step([[-1.0, 0.2, 0], [1.0, 0.2, 0], [0, 1, 0]])[0]
    assert observations[0, 25] > 0.4 > -0.4 > observations[1, 25]  # left is positive
    assert observations[0, 24] > 0.1 > -0.1 > observations[1, 24]
    assert (observations[2, 28:30] > 3).all()  # the driven wheels spin on a slippery road
    assert (np.abs(observations[2, 26:28]) < 0.5).all()
    speed, turning = np.hypot(observations[:2, 22], observations[:2, 23]), np.abs(observations[:2, 24])
    np.testing.assert_allclose(speed / turning, 2.8 / np.tan(0.45), rtol=0.2)  # the circle of the wheels' axes
    env.close()


def test_pixels_show_the_road_that_the_state_describes() -> None:
    state, pixels = CircuitRacing(8), CircuitRacing(8, obs="pixels")
    state.reset(seed=shifted(5))
    picture = pixels.reset(seed=shifted(5))[0]
    assert picture.shape == (8, 96, 96, 3)
    rng = arrays(0)
    for _ in range(80):
        actions = rng.uniform(-1, 1, (8, 3)) * (0.3, 1, 0) + (0, 0.3, 0)
        observations, rewards, _, _, _ = state.step(actions)
        picture, same, _, _, _ = pixels.step(actions)
        assert (rewards == same).all()
    assert (state.batch.state_hash() == pixels.batch.state_hash()).all()
    for k in range(8):
        assert tuple(picture[k, 62, 48]) == (204, 30, 30)  # the car
        for point in observations[k, :20].reshape(10, 2):  # the middle of the road ahead is grey
            row, column = np.rint([62 - point[0] / 0.5, 48 - point[1] / 0.5]).astype(int)
            if 0 <= row < 55 and 0 <= column < 96:
                red, green, blue = picture[k, row, column].astype(int)
                assert abs(red - green) < 10
                assert abs(blue - green) < 10
    green = (picture[:, :84, :, 1] > picture[:, :84, :, 0].astype(int) + 40).mean()
    assert 0.5 < green < 0.95
    assert picture[:, 84:].any()  # the bars
    state.close()
    pixels.close()
