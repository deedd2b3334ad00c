"""BipedalWalker: its start is that of Gymnasium, its ground, its rays, and how episodes end."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")

from box2dpy.envs import BipedalWalker
from box2dpy.envs.bipedal_walker import FLAT, GOAL, HIPS, LEVEL, PLACES, RANGE, STEP, blocks, terrain

from ..seeds import shifted

STILL = np.zeros((1, 4), np.float32)


def test_a_walker_without_power_sinks_as_that_of_gymnasium() -> None:
    """After 12 steps, from Gymnasium 1.4 on Box2D 2.3.10 without the step that lifts its walker."""
    env = BipedalWalker(1)
    env.reset(seed=shifted(0))
    for _ in range(12):
        observation = env.step(STILL)[0][0]
    expected = [-0.0097, -0.0012, -0.0068, -0.1912, 0.707, 0.4718, -0.3988, -0.6064, 1.0]
    np.testing.assert_allclose(observation[:9], expected, atol=0.04)


def test_hips_are_measured_from_the_pose_in_which_gymnasium_makes_them() -> None:
    """One leg from 0.05 rad behind the hull, the other from 0.05 rad before it; so are their limits."""
    env = BipedalWalker(1)
    observation = env.reset(seed=shifted(0))[0][0]
    angles = env.batch.angle[0, 1:]
    np.testing.assert_allclose(observation[[4, 9]], angles[[1, 3]] - angles[0] + [0.05, -0.05], atol=1e-6)
    np.testing.assert_allclose(observation[[4, 9]], HIPS, atol=1e-6)
    for forward in (1.0, -1.0):
        env.reset(seed=shifted(0))
        bodies = list(range(1, 6))
        env.batch.set(bodies, position=env.batch.position[:, bodies] + [0.0, 8.0])
        for _ in range(40):
            observation = env.step(np.array([[forward, 0.0, forward, 0.0]]))[0][0]
        np.testing.assert_allclose(observation[[4, 9]], 1.1 if forward > 0 else -0.8, atol=0.04)
    env.close()


def test_observed_angles_do_not_jump_where_a_body_turns_past_half_a_turn() -> None:
    env = BipedalWalker(1)
    first = env.reset(seed=shifted(0))[0][0]
    for angle in (2.7, 3.0, -3.0, -2.7):  # of the hull; the bodies of a leg are on both sides of half a turn
        bodies = list(range(1, 6))
        env.batch.set(bodies, angle=env.batch.angle[:, bodies] - env.batch.angle[:, 1:2] + angle)
        observation = env.observe()[0]
        np.testing.assert_allclose(observation[[4, 6, 9, 11]], first[[4, 6, 9, 11]], atol=1e-5)
        assert observation in env.single_observation_space
    env.close()
    env.close()


@pytest.mark.parametrize("hardcore", [False, True])
def test_grounds_are_flat_at_first_and_then_differ(hardcore: bool) -> None:
    heights = np.array([terrain(k, hardcore)[0] for k in range(20)])
    assert (heights[:, : FLAT + 1] == LEVEL).all()
    assert len(np.unique(heights[:, -1])) == 20
    counts = [len(terrain(k, hardcore)[1]) for k in range(20)]
    assert (min(counts) > 10) if hardcore else not any(counts)
    segments, boxes = blocks(3, hardcore)
    assert (segments[1:, 0, 0] == segments[:-1, -1, 1]).all()  # the blocks join
    assert segments[..., 0, 1].ravel().tolist() == heights[3].tolist()
    assert (boxes[..., 0] > 0).all(axis=-1).sum() == (terrain(3, hardcore)[1][:, 0] < (PLACES - 0.5) * STEP).sum()


def lidar(x: float, y: float, heights: np.ndarray) -> np.ndarray:
    """The fractions of ten rays down to a line of heights, by brute force."""
    out = np.ones(10)
    for k in range(10):
        dx, dy = RANGE * np.sin(0.15 * k), -RANGE * np.cos(0.15 * k)
        t = np.linspace(0, 1, 20001)
        below = y + t * dy < np.interp(x + t * dx, np.arange(PLACES) * STEP, heights)
        if below.any():
            out[k] = t[below.argmax()]
    return out


def test_rays_see_the_ground_wherever_the_walker_is() -> None:
    """The blocks of the ground follow the walker, forwards and backwards."""
    env = BipedalWalker(3)
    env.reset(seed=shifted(4))
    for x in (5.0, 30.0, 84.0, 50.0, 3.0):
        hulls = np.array([(x, LEVEL + 3.0), (x + 1.0, LEVEL + 2.0), (x + 2.0, LEVEL + 1.5)])
        env.batch.set(1, position=hulls, angle=0.3)
        for _ in range(16):  # a block in each observation
            observations = env.observe()
        for k in range(3):
            heights = terrain(int(env._ground[k]), False)[0]
            if LEVEL + 1.5 - heights.max() > 0.2:
                np.testing.assert_allclose(observations[k, 14:], lidar(*hulls[k], heights), atol=0.01)
    env.close()


def test_how_episodes_end() -> None:
    env = BipedalWalker(3, autoreset_mode="Disabled")
    env.reset(seed=shifted(0))
    bodies = list(range(1, 6))
    shift = np.array([0.0, GOAL, -10.0])
    env.batch.set(bodies, position=env.batch.position[:, bodies] + np.stack([shift, 0 * shift + 3], axis=1)[:, None])
    _, rewards, ends, _, _ = env.step(np.zeros((3, 4)))
    assert ends.tolist() == [False, True, True]
    assert rewards[1] > 300
    assert rewards[2] == -100
    env.reset(options={"reset_mask": ends})
    env.batch.set(1, angle=1.0)
    env.batch.set(bodies, enabled=False)
    env.batch.set(1, enabled=True)
    for _ in range(200):  # a hull without legs falls
        _, rewards, ends, _, _ = env.step(np.zeros((3, 4)))
        if ends.any():
            break
    assert (rewards[ends] == -100).all()
    assert ends.any()
    env.close()


def test_power_costs_reward() -> None:
    idle, busy = BipedalWalker(1), BipedalWalker(1)
    for env in (idle, busy):
        env.reset(seed=shifted(1))
    reward = [env.step(actions)[1][0] for env, actions in ((idle, STILL), (busy, np.array([[2.0, -0.5, 0.0, 1e-9]])))]
    moved = [env._shaping[0] for env in (idle, busy)]
    assert (reward[0] - reward[1]) - (moved[0] - moved[1]) == pytest.approx(0.028 * 1.5, abs=1e-6)
    idle.close()
    busy.close()
