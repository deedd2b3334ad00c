"""Environments of `box2dpy.envs`: Gymnasium's interface, seeds, autoreset, bad input, and the physics of the tasks."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", minversion="1.1")

from gymnasium.error import ResetNeeded  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

from benchmarks.commands.envs import heuristic  # noqa: E402
from box2dpy.envs import BatchEnv, LunarLander  # noqa: E402

from ..seeds import arrays, shifted  # noqa: E402

MODES = ("NextStep", "SameStep", "Disabled")


def actions_of(step: int, n: int) -> np.ndarray:
    return arrays(step).integers(0, 4, n)


@pytest.mark.parametrize("name", ["LunarLander", "LunarLanderContinuous"])
def test_gymnasiums_checker_passes(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(f"box2dpy.envs:box2dpy/{name}-v0").unwrapped, skip_render_check=True)


def test_both_registrations_make_environments() -> None:
    env = gymnasium.make("box2dpy/LunarLander-v0", deterministic=True)
    assert env.reset(seed=shifted(1))[0].shape == (8,)
    assert [env.step(0)[3] for _ in range(3)] == [False] * 3
    assert env.spec.max_episode_steps == 1000
    env.close()
    envs = gymnasium.make_vec("box2dpy/LunarLanderContinuous-v0", num_envs=3, wind_power=[0, 5, 9], enable_wind=True)
    observations, _ = envs.reset(seed=shifted(1))
    assert observations.shape == (3, 8)
    assert observations.dtype == np.float32
    envs.action_space.seed(shifted(2))
    assert envs.step(envs.action_space.sample())[1].shape == (3,)
    envs.close()


def test_the_episode_of_a_seed_depends_on_nothing_else() -> None:
    """A world gives the same episode alone, in a batch, at another place in it, and in every mode."""
    many, one = LunarLander(5, enable_wind=True), LunarLander(1, enable_wind=True, workers=2)
    first, second = many.reset(seed=[7, 3, 8, 3, 9])[0], one.reset(seed=3)[0]
    assert (first[1] == first[3]).all()
    assert (first[1] == second[0]).all()
    assert not (first[0] == first[1]).all()
    for step in range(150):
        action = actions_of(step, 1)
        first, _, ends, cuts, _ = many.step(np.repeat(action, 5))
        second, _, end, cut, _ = one.step(action)
        assert (first[[1, 3]] == second).all()
        assert ends[1] == end[0]
        assert cuts[1] == cut[0]
    many.close()
    one.close()


def rollout(mode: str, steps: int) -> tuple[list[np.ndarray], list[float]]:
    """The observations and rewards of four worlds, without the steps that only reset."""
    env = LunarLander(4, autoreset_mode=mode, max_episode_steps=60)
    seen: list[list[np.ndarray]] = [[] for _ in range(4)]
    returns = np.zeros(4)
    observations, _ = env.reset(seed=shifted(5))
    over = np.zeros(4, bool)
    for _ in range(steps):
        before = over
        observations, rewards, ends, cuts, info = env.step(np.full(4, 2))
        over = ends | cuts
        for k in range(4):
            if mode == "NextStep" and before[k]:
                assert rewards[k] == 0
                seen[k].append(observations[k])
                continue
            returns[k] += rewards[k]
            seen[k].append(info["final_obs"][k] if mode == "SameStep" and over[k] else observations[k])
            if mode == "SameStep" and over[k]:
                assert info["_final_obs"][k] and info["_final_info"][k] and info["final_info"] == {}
                seen[k].append(observations[k])
        if mode == "Disabled" and over.any():
            with pytest.raises(ResetNeeded, match=f"{over.sum()} worlds"):
                env.step(np.zeros(4, int))
            observations, _ = env.reset(options={"reset_mask": over})
            for k in np.flatnonzero(over):
                seen[k].append(observations[k])
    env.close()
    return [np.array(rows) for rows in seen], returns.tolist()


def test_the_three_modes_of_autoreset_give_the_same_episodes() -> None:
    found = {mode: rollout(mode, 100) for mode in MODES}
    for mode in ("SameStep", "Disabled"):
        for k in range(4):
            common = min(len(found[mode][0][k]), len(found["NextStep"][0][k]))
            assert common >= 100
            assert (found[mode][0][k][:common] == found["NextStep"][0][k][:common]).all()
    assert found["SameStep"][1] == found["Disabled"][1]


def test_most_heuristic_landings_succeed_and_come_to_rest() -> None:
    n = 300
    env = LunarLander(n)
    observations, _ = env.reset(seed=shifted(0))
    returns, last, lengths, over = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, bool)
    for _ in range(1000):
        observations, rewards, ends, cuts, _ = env.step(heuristic(observations))
        returns[~over] += rewards[~over]
        last[~over], lengths[~over] = rewards[~over], lengths[~over] + 1
        over |= ends | cuts
        if over.all():
            break
    env.close()
    assert np.mean(last == 100) > 0.86
    assert np.mean(lengths >= 1000) < 0.03
    assert 210 < returns.mean() < 285  # Gymnasium: 240 +- 5; here hard landings do not bounce


def test_free_flight_is_that_of_gymnasium() -> None:
    """Its first observation at rest, then 40 steps of the main and the left engine, from Gymnasium 1.4 on Box2D 2.3.10
    with its random numbers replaced by zero."""
    env = LunarLander(1, deterministic=True)
    first, _ = env.reset(seed=shifted(0))
    np.testing.assert_allclose(first[0], [0, 1.41, 0, -0.027, 0, 0, 0, 0], atol=0.003)
    for k in range(40):
        last = env.step([[2, 3, 2, 1, 1][k % 5]])[0][0]
    np.testing.assert_allclose(last, [-0.018, 1.255, -0.155, -0.357, 0.262, 0.319, 0, 0], atol=0.01)
    env.close()


def test_parameters_are_those_of_each_world() -> None:
    env = LunarLander(
        3, deterministic=True, gravity=[-10, -5, -10], main_engine_power=[13, 13, 26], hull_mass=[1, 1, 4]
    )
    env.reset(seed=shifted(0))
    speeds = env.batch.linear_velocity[:, 1, 1].copy()
    env.step([0, 0, 0])
    fall = env.batch.linear_velocity[:, 1, 1] - speeds
    np.testing.assert_allclose(fall, [-0.2, -0.1, -0.2], rtol=0.05)
    before = env.batch.linear_velocity[:, 1, 1].copy()
    env.step([2, 2, 2])
    push = env.batch.linear_velocity[:, 1, 1] - before - fall
    np.testing.assert_allclose(push / push[0], [1, 1, 0.5], rtol=0.05)
    env.main_engine_power[:] = 0.0
    env.gravity[:] = -1.0
    env.reset()
    before = env.batch.linear_velocity[:, 1, 1].copy()
    env.step([2, 2, 2])
    np.testing.assert_allclose(env.batch.linear_velocity[:, 1, 1] - before, -0.02, rtol=0.1)
    env.close()


BAD_ACTIONS: dict[str, Any] = {
    "shape": [0, 1], "range": [0, 1, 4], "negative": [0, -1, 0], "numbers": [0.0, 1.0, 2.0], "nothing": None,
    "flags": [True, False, True],
}  # fmt: skip


@pytest.mark.parametrize("actions", list(BAD_ACTIONS.values()), ids=list(BAD_ACTIONS))
def test_bad_actions_raise_and_change_nothing(actions: Any) -> None:
    env = LunarLander(3)
    env.reset(seed=shifted(0))
    before, steps = env.batch.state_hash(), env.steps.copy()
    with pytest.raises(ValueError, match="actions="):
        env.step(actions)
    assert (env.batch.state_hash() == before).all()
    assert (env.steps == steps).all()
    env.close()


def test_other_bad_input_raises_and_changes_nothing() -> None:
    env = LunarLander(2, continuous=True)
    with pytest.raises(ResetNeeded):
        env.step(np.zeros((2, 2)))
    with pytest.raises(ResetNeeded, match="first"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(seed=shifted(0))
    before = env.batch.state_hash()
    bad: list[Any] = [[[0, np.nan], [0, 0]], [[0, np.inf], [0, 0]], np.zeros((3, 2)), np.zeros(2), [["a", "b"]] * 2]
    for actions in bad:
        with pytest.raises(ValueError, match="actions="):
            env.step(actions)
    masks: list[Any] = [[True], [1, 0], np.ones((2, 1), bool), "mask"]
    for mask in masks:
        with pytest.raises(ValueError, match="reset_mask="):
            env.reset(options={"reset_mask": mask})
    for seed, error in ((-1, ValueError), ([1], ValueError), ("seed", TypeError), (0.5, TypeError)):
        with pytest.raises(error, match="seed="):
            env.reset(seed=seed)  # type: ignore[arg-type]
    assert (env.batch.state_hash() == before).all()
    env.close()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"gravity": 1}, ValueError, "gravity=1"),
        ({"gravity": [-1, -2, -3]}, ValueError, r"gravity=.*\(2,\)"),
        ({"wind_power": float("nan")}, ValueError, "wind_power"),
        ({"continuous": 2}, TypeError, "continuous"),
        ({"num_envs": 0}, ValueError, "num_envs"),
        ({"autoreset_mode": "never"}, ValueError, "autoreset_mode"),
        ({"render_mode": "ansi"}, ValueError, "render_mode"),
        ({"max_episode_steps": 0}, ValueError, "max_episode_steps"),
        ({"main_engine_power": "much"}, TypeError, "main_engine_power"),
    ],
)
def test_bad_parameters_raise(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        LunarLander(**{"num_envs": 2, **options})


def test_an_invalid_world_is_truncated_alone() -> None:
    class Breaking(LunarLander):
        def act(self, actions: np.ndarray) -> None:
            super().act(actions)
            if self.steps[0] == 3:
                self.batch.mass[0, 1] = 1e-10
                self.batch.force[0, 1] = (1e30, 0)  # the acceleration is no float32

    env, other = Breaking(2), LunarLander(2)
    env.reset(seed=shifted(0))
    other.reset(seed=shifted(0))
    cuts = []
    for _ in range(6):
        found, expected = env.step([0, 0]), other.step([0, 0])
        assert (found[0][1] == expected[0][1]).all()
        assert np.isfinite(found[0]).all()
        cuts.append(found[3].tolist())
    assert np.flatnonzero(np.array(cuts)[:, 0]).tolist() == [3]
    assert not np.array(cuts)[:, 1].any()
    env.close()
    other.close()


def test_truncation_after_the_most_steps() -> None:
    env = LunarLander(2, max_episode_steps=5)
    env.reset(seed=shifted(0))
    cuts = [env.step([0, 0])[3].tolist() for _ in range(12)]
    assert [k for k, cut in enumerate(cuts) if any(cut)] == [4, 10]  # a reset takes a step of its own
    env.close()


def test_pictures_of_all_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("box2dpy/LunarLander-v0", render_mode="rgb_array")
    env.reset(seed=shifted(0))
    picture = env.render()
    assert picture.shape == (400, 600, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 3
    env.close()
    vector = LunarLander(2, render_mode="rgb_array")
    vector.reset(seed=[0, 4])
    assert len(vector.marks(0).line_ends) == 2, "the poles of two flags"
    both = vector.render()
    assert both is not None
    assert not (both[0] == both[1]).all()
    vector.close()
    for continuous, actions in ((False, [0, 1, 2, 3]), (True, [[-1, 0], [-1, -0.8], [0.2, 0], [-1, 0.8]])):
        flames = LunarLander(4, continuous=continuous, render_mode="rgb_array")
        flames.reset(seed=shifted(0))
        flames.step(np.asarray(actions))
        for k, action in enumerate(actions):  # the environment of one world has a path of its own
            main, side = flames._flames[:, k].tolist()
            assert (main > 0, np.sign(side)) == (k == 2, (0, -1, 0, 1)[k])
            single = gymnasium.make("box2dpy/LunarLander-v0", continuous=continuous, render_mode="rgb_array").unwrapped
            single.reset(seed=shifted(0) + k)
            single.step(np.asarray(action, np.float32) if continuous else action)
            assert (single.render() == flames.picture(k)).all()
            single.close()
        flames.close()
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown = LunarLander(3, render_mode="human")
    shown.reset(seed=shifted(0))
    shown.step([0, 0, 0])
    assert shown.render() is None
    shown.close()


def test_stable_baselines_takes_the_environment() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env as check_sb3
    from stable_baselines3.common.vec_env import VecMonitor

    check_sb3(gymnasium.make("box2dpy/LunarLander-v0").unwrapped)
    envs = VecMonitor(LunarLander(4, max_episode_steps=20).to_sb3())
    envs.seed(3)
    envs.reset()
    for k in range(20):
        observations, rewards, over, infos = envs.step(np.zeros(4, int))
        assert over.all() == (k == 19)
    assert observations.shape == (4, 8)
    assert rewards.dtype == np.float32
    assert all(info["TimeLimit.truncated"] and info["episode"]["l"] == 20 for info in infos)
    assert not any((info["terminal_observation"] == row).all() for info, row in zip(infos, observations))
    envs.close()


class Ball(BatchEnv):
    """The shortest environment: keep a ball in the air."""

    single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))
    single_action_space = gymnasium.spaces.MultiBinary(1)

    def templates(self) -> list[Any]:
        import box2dpy as b2

        world = b2.World()
        world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
        world.create_dynamic_body((0, 4)).create_shape(b2.Circle(0.5))
        return [world]

    def act(self, actions: np.ndarray) -> None:
        self.batch.force[:, 1, 1] = 15.0 * actions[:, 0]

    def observe(self) -> np.ndarray:
        return np.stack([self.batch.position[:, 1, 1], self.batch.linear_velocity[:, 1, 1]], axis=1)

    def reward(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.ones(self.num_envs), observations[:, 0] < 1


def test_an_environment_of_ones_own() -> None:
    env = Ball(3)
    observations, _ = env.reset(seed=shifted(0))
    assert observations.dtype == np.float32
    assert (observations[:, 0] == 4).all()
    for _ in range(60):
        ends = env.step([[0], [1], [0]])[2]
        if ends.any():
            break
    assert ends.tolist() == [True, False, True]
    observations, rewards, _, _, _ = env.step([[0], [1], [0]])
    assert observations[:, 0].tolist()[::2] == [4.0, 4.0]
    assert rewards.tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="integers"):
        env.step([[0], [2], [0]])
    env.close()
