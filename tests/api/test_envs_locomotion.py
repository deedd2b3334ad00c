"""Hopper, Walker and Cheetah: what the physics says of simple policies, and the parameters of worlds."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")

from box2dpy.envs import Cheetah, Hopper, Walker
from box2dpy.envs.locomotion import AHEAD, DENSITY, Locomotion

from ..seeds import arrays, shifted

# A gait that a random search found: amplitudes, phases and offsets of six motors, and radians a second
AMPLITUDES = (2.2, -0.3, 0.2, 0.1, 1.5, 1.8)
PHASES = (0.0, 3.0, -3.4, 2.5, 1.9, -4.7)
OFFSETS = (-0.2, -1.2, 1.3, 0.0, 0.6, -0.4)
RATE = 16.3


def gait(step: int, n: int) -> np.ndarray:
    torques = np.array(AMPLITUDES) * np.sin(RATE * step / 50 + np.array(PHASES)) + OFFSETS
    return np.tile(np.clip(torques, -1, 1), (n, 1))


@pytest.mark.parametrize("kind", [Hopper, Walker])
def test_without_control_a_creature_falls_and_the_episode_ends(kind: type[Locomotion]) -> None:
    env = kind(20, autoreset_mode="Disabled")
    env.reset(seed=shifted(0))
    still = np.zeros(env.action_space.shape)
    lengths, over = np.zeros(20), np.zeros(20, bool)
    for _ in range(150):
        observations, _, ends, _, _ = env.step(still)
        lengths += ~over
        over |= ends
        assert ((observations[:, 0] < kind.LOWEST) | (np.abs(observations[:, 1]) > kind.STEEPEST))[ends].all()
        env._over[:] = False  # look at them on the ground as well
    assert over.all()
    assert 5 < lengths.mean() < 60
    assert (env.observe()[:, 0] < kind.LOWEST).all()  # they lie or sit
    env.close()


def test_unhealthy_episodes_go_on_if_they_should() -> None:
    env = Hopper(4, end_unhealthy=False)
    env.reset(seed=shifted(0))
    for _ in range(200):
        rewards, ends = env.step(np.zeros((4, 3)))[1:3]
        assert not ends.any()
    assert (np.abs(rewards) < 0.1).all()  # it lies still, and is not healthy
    env.close()


def test_a_gait_moves_the_cheetah_forward_and_rest_does_not() -> None:
    env = Cheetah(8, roughness=0.05)
    env.reset(seed=shifted(0))
    for _ in range(120):
        observations, rewards, _, _, _ = env.step(np.zeros((8, 6)))
    assert (np.abs(env.batch.position[:, 1, 0]) < 0.3).all()
    assert (np.abs(rewards) < 0.1).all()
    assert observations[:, 17:19].all()  # both feet are on the ground
    env.reset(seed=shifted(0))
    returns = np.zeros(8)
    for step in range(250):
        returns += env.step(gait(step, 8))[1]
    forward = env.batch.position[:, 1, 0]
    # The gait is blind, and a rough place may hold one back: 7.1 m with a deviation of 0.8, the mean of eight of 0.3
    assert forward.mean() > 5
    # the reward is the way, a metre in a second is 50, less what the torques cost
    paid = 0.1 * sum(float((gait(step, 1) ** 2).sum()) for step in range(250))
    np.testing.assert_allclose(returns, 50 * forward - paid, atol=2)
    env.close()


@pytest.mark.parametrize("kind", [Hopper, Walker, Cheetah])
def test_observations_are_the_geometry_of_the_world(kind: type[Locomotion]) -> None:
    env = kind(3, roughness=0.8, end_unhealthy=False)
    env.reset(seed=shifted(2))
    batch, joints = env.batch, len(kind.LIMBS) - 1
    batch.set(0, position=np.zeros(2))  # the ground stays
    rng = arrays(0)
    x = rng.uniform(0, 80, 3)
    shift = np.zeros((3, joints + 1, 2))
    shift[:] = batch.position[:, 1:] + np.stack([x, np.full(3, 3.0)], axis=1)[:, None]
    batch.set(range(1, joints + 2), position=shift)
    for _ in range(5):
        observations = env.step(rng.uniform(-1, 1, env.action_space.shape))[0]
    place = batch.position[:, 1]
    origins = np.stack([place[:, :1] + (0.0, *AHEAD), np.full((3, 5), 9.0)], axis=2)
    from box2dpy import Filter

    hits = batch.ray_casts(origins, np.full((3, 5, 2), (0.0, -20.0)), Filter(0x4, 0x1))
    ground = 9.0 - 20.0 * hits.fraction
    np.testing.assert_allclose(observations[:, 0], place[:, 1] - ground[:, 0], atol=1e-3)
    np.testing.assert_allclose(observations[:, -4:], ground[:, 1:] - ground[:, :1], atol=1e-3)
    assert np.ptp(ground) > 0.1
    angles, speeds = batch.joints.angle[:], batch.joints.speed[:]
    np.testing.assert_allclose(observations[:, 2 : 2 + joints], angles, atol=1e-5)
    np.testing.assert_allclose(observations[:, 5 + joints : 5 + 2 * joints], np.clip(speeds, -10, 10), atol=1e-4)
    env.close()


def test_parameters_are_those_of_each_world() -> None:
    env = Hopper(4, roughness=0, mass=[1, 2, 1, 1], gravity=[-10, -10, 0, -10], strength=[1, 1, 1, 0])
    env.friction[3] = 0.2
    env.reset(seed=[5, 5, 5, 5])
    mass = env.batch.mass[:]
    np.testing.assert_allclose(mass[1], 2 * mass[0])
    torso = (0.4 * 0.1 + np.pi * 0.05**2) * DENSITY
    np.testing.assert_allclose(mass[0, 1], torso, rtol=1e-5)
    assert np.unique(env.batch.friction[:], axis=1).ravel().tolist() == pytest.approx([0.9, 0.9, 0.9, 0.2])
    torques = np.full((4, 3), 0.5)
    first = env.observe()
    observations = env.step(torques)[0]
    turned = np.abs(observations[:, 8:11] - first[:, 8:11])
    assert (turned[1] < 0.8 * turned[0]).all()  # twice the inertia
    assert (turned[3] < 0.1 * turned[0]).all()  # no strength
    env.gravity[:] = 0
    env.reset(seed=shifted(1))
    heights = env.batch.position[:, 1, 1].copy()
    for _ in range(20):
        env.step(np.zeros((4, 3)))
    assert (np.abs(env.batch.position[:, 1, 1] - heights) < 0.05).all()
    env.close()


def test_the_ground_is_one_of_an_episode() -> None:
    env, level = Cheetah(40), Cheetah(2, roughness=0)
    env.reset(seed=shifted(0))
    first = env._ground.copy()
    assert len(np.unique(first)) > 10
    env.reset()
    assert (env._ground != first).any()
    assert np.ptp(env.heights, axis=1).max() <= 0.6
    assert (env.heights[:, :6] == 0).all()
    assert (level.heights == 0).all()
    env.close()
    level.close()
