"""Scoop: the arm holds, digs, carries and empties its bucket; what counts as in the bin."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")

from box2dpy.envs import Scoop
from box2dpy.envs.scoop import BIN, BUCKET, FIRST, HALF_WIDTH, HEIGHT, PEBBLES, SPEEDS

from ..seeds import shifted

# Angles of shoulder, elbow and wrist for one load: above the heap, into it, through it to the right, out with the open
# side up, over the bin, emptied; and how many steps each takes
POSES = [
    (0.53, -0.86, 0.33, 30), (0.89, -1.2, 0.11, 25), (0.77, -0.35, -0.33, 40), (0.66, 0.01, 0.13, 25),
    (0.25, 0.35, 0.9, 30), (-2.21, 1.88, 1.83, 70), (-2.24, 2.53, 0.0, 20), (-2.24, 2.53, -1.79, 25),
]  # fmt: skip


def to_pose(env: Scoop, pose: tuple[float, ...], steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The observations at the end, and the rewards on the way."""
    observations, returns = env.observe(), np.zeros(env.num_envs)
    for _ in range(steps):
        actions = np.clip(6 * (np.array(pose) - observations[:, :3]) / SPEEDS, -1, 1)
        observations, rewards, _, _, _ = env.step(actions)
        returns += rewards
    return observations, returns


def test_a_load_comes_from_the_heap_into_the_bin() -> None:
    env = Scoop(2, max_episode_steps=None)
    first, _ = env.reset(seed=[0, 1])
    assert (first[:, 10:12] == 0).all()
    assert (first[:, 12:18] > 0.5).all()  # the heap
    returns = np.zeros(2)
    for shoulder, elbow, wrist, steps in POSES[:-1]:
        observations, rewards = to_pose(env, (shoulder, elbow, wrist), steps)
        returns += rewards
    carried, before = observations[:, 10], observations[:, 11]
    assert (carried > 0.02).all()
    assert (np.abs(env.batch.position[:, BUCKET, 0] - 1.7) < 0.1).all()  # above the bin, where it does not count yet
    observations, rewards = to_pose(env, POSES[-1][:3], POSES[-1][3] + 10)
    returns += rewards
    assert (observations[:, 10] < 0.01).all()
    np.testing.assert_allclose(observations[:, 11], before + carried, atol=0.015)
    assert (observations[:, 22:].max(axis=1) > 0.05).all()  # they lie in the bin
    spent = 100 * observations[:, 11] - returns
    assert (spent > 0.1).all()
    assert (spent < 0.01 * sum(pose[3] + 10 for pose in POSES)).all()
    x, y = np.moveaxis(env.batch.position[:, FIRST:], -1, 0)
    assert (np.abs(x) < HALF_WIDTH).all()
    assert ((y > 0) & (y < HEIGHT)).all()
    mass = env.batch.mass[:][:, FIRST:]
    inside = (x > BIN[0]) & (x < BIN[1]) & (y < 1)
    np.testing.assert_allclose(observations[:, 11], (mass * inside).sum(axis=1) / mass.sum(axis=1), atol=1e-6)
    env.close()


def test_the_arm_holds_its_pose_and_turns_as_fast_as_it_should() -> None:
    env = Scoop(10, strength=[1, 1, *8 * [0.1]])
    first, _ = env.reset(seed=shifted(0))
    for _ in range(20):
        observations, rewards, _, _, _ = env.step(np.zeros((10, 3)))
    np.testing.assert_allclose(observations[:2, :3], first[:2, :3], atol=0.02)
    assert np.ptp(first[:, :3], axis=0).min() > 0.01  # each begins elsewhere
    assert (rewards == 0).all()
    assert np.abs(observations[2:, :3] - first[2:, :3]).max() > 0.04  # too weak, unless an arm hangs at rest
    for _ in range(10):
        observations = env.step(np.tile([-0.5, 0.5, 1.0], (10, 1)))[0]
    np.testing.assert_allclose(observations[:2, 3:6], np.tile([-0.5, 0.5, 1.0] * SPEEDS, (2, 1)), atol=0.1)
    assert env.step(np.tile([-0.5, 0.5, 1.0], (10, 1)))[1][0] == pytest.approx(-0.01 * 1.5 / 3)
    env.close()


def test_parameters_are_those_of_each_world() -> None:
    env = Scoop(2, density=[1, 4], friction=[0.5, 0.1])
    env.reset(seed=[2, 2])
    mass, friction = env.batch.mass[:], env.batch.friction[:]
    np.testing.assert_allclose(mass[1, FIRST:], 4 * mass[0, FIRST:])
    np.testing.assert_allclose(mass[1, :FIRST], mass[0, :FIRST])
    assert (friction[0] != friction[1]).sum() == PEBBLES
    env.close()
    env = Scoop(8, density=[1, 4] * 4, friction=[0.5, 0.1] * 4)
    env.reset(seed=[2, 2, 3, 3, 4, 4, 5, 5])
    for _ in range(60):
        heights = env.step(np.zeros((8, 3)))[0][:, 12:22]
    rough, slippery = heights.max(axis=1).reshape(4, 2).mean(axis=0)
    assert slippery < rough - 0.02  # a slippery heap is flatter
    env.close()


def test_a_full_bin_ends_the_episode() -> None:
    env = Scoop(2, autoreset_mode="Disabled")
    env.reset(seed=shifted(0))
    places = env.batch.position[:, FIRST:].copy()
    for k in range(60):
        places[0, k] = 1.0 + 0.13 * (k % 11), 0.1 + 0.13 * (k // 11)
    env.batch.set(range(FIRST, FIRST + PEBBLES), np.array([True, False]), position=places)
    observations, rewards, ends, _, _ = env.step(np.zeros((2, 3)))
    assert ends.tolist() == [True, False]
    assert rewards[0] == pytest.approx(100 * observations[0, 11], abs=0.1)
    assert rewards[0] > 25
    env.close()
