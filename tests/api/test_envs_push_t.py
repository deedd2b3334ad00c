"""PushT: the share of the goal that is covered, dry friction, and plans that start from snapshots."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")

from box2dpy.envs import PushT
from box2dpy.envs.push_t import AREA, BLOCK, GOAL, HALF, PARTS, PUSHER, RADIUS, overlap

from ..seeds import arrays, shifted


def in_t(points: np.ndarray, pose: np.ndarray) -> np.ndarray:
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    local = (points - pose[:2]) @ np.array([[cos, -sin], [sin, cos]])
    return ((local[:, None] >= PARTS[:, :2]) & (local[:, None] <= PARTS[:, 2:])).all(axis=2).any(axis=1)


def test_the_overlap_is_the_area_of_the_intersection() -> None:
    rng = arrays(0)
    poses = np.column_stack([rng.uniform(-0.6, 0.6, (20, 2)), rng.uniform(-9, 9, 20)])
    axis = np.linspace(-1.5, 1.5, 301)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    goal = in_t(points, np.array(GOAL))
    expected = [float((goal & in_t(points, pose)).sum()) * (axis[1] - axis[0]) ** 2 / AREA for pose in poses]
    np.testing.assert_allclose(overlap(poses), expected, atol=0.01)
    assert np.ptp(expected) > 0.3
    special = [GOAL, (0, 0, GOAL[2] + math.tau), (0, 0, GOAL[2] + math.pi / 2), (1.7, 0, 0), (0, 3, 1)]
    # a quarter turn leaves the square in the middle of the bar and the stem, and what the bars cover of each other
    np.testing.assert_allclose(overlap(np.array(special))[[0, 1, 3, 4]], [1, 1, 0, 0], atol=1e-9)


def test_the_reward_is_one_at_the_goal_and_ends_the_episode() -> None:
    env = PushT(3)
    env.reset(seed=shifted(0))
    env.batch.set(BLOCK, position=[GOAL[:2], (0.02, 0), (1.5, -1)], angle=[GOAL[2], GOAL[2], 0.0])
    env.batch.set(PUSHER, position=(2.3, 2.3))
    _, rewards, ends, cuts, _ = env.step(np.full((3, 2), 2.3 / HALF))
    np.testing.assert_allclose(rewards, [1, 0.95, 0], atol=0.03)
    assert ends.tolist() == [True, bool(rewards[1] >= 0.95), False]
    assert not cuts.any()
    env.close()


def test_the_block_slides_as_dry_friction_says() -> None:
    """It stops after v^2 / (2 mu g), whatever its mass."""
    friction = np.array([0.2, 0.4, 0.8, 0.4])
    env = PushT(4, friction=friction, block_mass=[1, 1, 1, 5])
    env.reset(seed=shifted(0))
    env.batch.set(BLOCK, position=(-2, 0), angle=0.0, linear_velocity=(2, 0))
    env.batch.set(PUSHER, position=(-2.2, 2.2))
    for _ in range(60):
        observations = env.step(np.tile([[-2.2 / HALF, 2.2 / HALF]], (4, 1)))[0]
    np.testing.assert_allclose(observations[:, 4] + 2, 2**2 / (2 * friction * 9.81), rtol=0.03)
    np.testing.assert_allclose(observations[:, 8:], 0, atol=1e-3)
    env.close()


def test_the_pusher_goes_where_it_should_and_pushes_the_block() -> None:
    env = PushT(2)
    env.reset(seed=shifted(0))
    env.batch.set(BLOCK, position=[(0, 0), (0, 1.6)], angle=0.0)
    env.batch.set(PUSHER, position=(-1.5, 0))
    for _ in range(60):
        observations = env.step(np.tile([[0.5, 0.0]], (2, 1)))[0]
    np.testing.assert_allclose(observations[1, :2], [0.5 * HALF, 0], atol=0.01)  # free
    assert observations[0, 4] > 1.0  # pushed in front of it
    for _ in range(60):
        observations = env.step(np.array([[5.0, 5.0], [-1.0, -1.0]]))[0]
    assert (np.abs(observations[:, :2]) <= HALF - RADIUS + 0.01).all()  # the walls hold
    assert (np.abs(observations[:, 4:6]) <= HALF).all()
    env.close()


def test_plans_from_a_snapshot_come_true() -> None:
    """64 worlds try pushes from the episode of one world; the best of them, repeated there, gives what it promised."""
    env, lab, rng = PushT(1), PushT(64), arrays(1)
    env.reset(seed=shifted(3))
    far = float(np.hypot(*env.observe()[0, 4:6]))
    nearest: list[float] = []
    for _ in range(8):
        lab.restore_episodes(env.save_episodes()[0])
        targets = np.repeat(rng.uniform(-1, 1, (64, 2, 2)), (12, 24), axis=1)
        targets[0] = env.observe()[0, :2] / HALF  # nothing
        for step in range(36):
            observations, rewards, _, _, _ = lab.step(targets[:, step])
        best = int((rewards - np.hypot(*observations[:, 4:6].T)).argmax())
        for step in range(36):
            last, reward, _, _, _ = env.step(targets[best, None, step])
        assert reward[0] == rewards[best]
        assert env.batch.state_hash()[0] == lab.batch.state_hash()[best]
        nearest.append(float(np.hypot(*last[0, 4:6])))
    assert min(nearest) < 0.5 * far  # a block that still slides when a plan ends may be away again later
    env.close()
    lab.close()
