"""What all environments of `box2dpy.envs` have in common: Gymnasium's checker, seeds, autoreset, bad input, snapshots,
pictures. Their physics: test_envs_*.py."""

from __future__ import annotations

import copy
import functools
import pickle
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", minversion="1.1")

from gymnasium.error import ResetNeeded  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

from box2dpy import envs  # noqa: E402
from box2dpy.envs import BatchEnv  # noqa: E402

from ..patience import finished  # noqa: E402
from ..seeds import arrays, shifted  # noqa: E402

ENVS: dict[str, Callable[..., BatchEnv]] = {
    "Hopper": envs.Hopper,
    "Walker": envs.Walker,
    "Cheetah": envs.Cheetah,
    "PushT": envs.PushT,
    "CircuitRacing": envs.CircuitRacing,
    "CircuitRacingPixels": functools.partial(envs.CircuitRacing, obs="pixels"),
    "AirHockey": envs.AirHockey,
    "Scoop": envs.Scoop,
    "Levels": envs.Levels,
    "LevelsPixels": functools.partial(envs.Levels, obs="pixels"),
    "BipedalWalker": envs.BipedalWalker,
    "BipedalWalkerHardcore": functools.partial(envs.BipedalWalker, hardcore=True),
}
LUNAR: dict[str, Callable[..., BatchEnv]] = {
    "LunarLander": functools.partial(envs.LunarLander, enable_wind=True, continuous=True)
}
each = pytest.mark.parametrize("name", list(ENVS))


def actions_of(env: BatchEnv, step: int, n: int) -> np.ndarray:
    rows = arrays(step).uniform(-1.0, 1.0, (1, *env.single_action_space.shape))
    return np.repeat(rows, n, axis=0).astype(np.float32)


@each
def test_gymnasiums_checker_passes(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "A Box observation space", UserWarning)  # its bounds may be infinite
        warnings.filterwarnings("ignore", ".*(infinity|infinite)", UserWarning)
        check_env(gymnasium.make(f"box2dpy.envs:box2dpy/{name}-v0").unwrapped, skip_render_check=True)
    many = gymnasium.make_vec(f"box2dpy/{name}-v0", num_envs=3)
    observations, _ = many.reset(seed=shifted(1))
    assert observations in many.observation_space
    many.action_space.seed(shifted(2))
    observations, rewards, _, _, _ = many.step(many.action_space.sample())
    assert observations in many.observation_space
    assert rewards.shape == (3,)
    many.close()


ALL = ["LunarLander", "LunarLanderContinuous", *ENVS]


@pytest.mark.parametrize("name", ALL)
def test_stable_baselines_checker_passes(name: str) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env as check_sb3

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # gas and brake of CircuitRacing are from 0 to 1, as in Gymnasium's
        warnings.filterwarnings("ignore", "We recommend you to use a symmetric", UserWarning)
        check_sb3(gymnasium.make(f"box2dpy/{name}-v0", render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", ALL)
def test_stable_baselines_learns_on_the_batch(name: str) -> None:
    """Its PPO with its wrappers, which look at every value, on an environment with episodes that end and are cut."""
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.vec_env import VecCheckNan, VecFrameStack, VecMonitor, VecNormalize

    options = {"continuous": True} if name == "LunarLanderContinuous" else {}
    kind: Any = ENVS.get(name, envs.LunarLander)
    env = kind(4, max_episode_steps=20, **options).to_sb3()
    assert env.metadata["render_fps"] == env.env.FPS
    assert env.get_attr("num_envs", [0, -1]) == [4, 4]
    with pytest.raises(IndexError):
        env.get_attr("num_envs", 4)
    pixels = "Pixels" in name
    wrapped: Any = VecCheckNan(VecMonitor(env), raise_exception=True)
    wrapped = VecFrameStack(wrapped, 2) if pixels else VecNormalize(wrapped)
    policy = PPO("CnnPolicy" if pixels else "MlpPolicy", wrapped, n_steps=32, n_epochs=1, device="cpu", seed=3)
    policy.learn(128 if pixels else 256)
    assert 0 < max(episode["l"] for episode in policy.ep_info_buffer or []) <= 20
    mean, _ = evaluate_policy(policy, wrapped, n_eval_episodes=4)
    assert np.isfinite(mean)
    wrapped.close()


@each
def test_the_episode_of_a_seed_depends_on_nothing_else(name: str) -> None:
    """A world gives the same episode alone, in a batch and at another place in it, with more workers."""
    many, one = ENVS[name](5), ENVS[name](1, workers=2)
    first, second = many.reset(seed=[7, 3, 8, 3, 9])[0], one.reset(seed=3)[0]
    assert (first[1] == second[0]).all()
    assert not (first[0] == first[1]).all()
    for step in range(60):
        first, rewards, ends, _, _ = many.step(actions_of(many, step, 5))
        second, reward, end, _, _ = one.step(actions_of(one, step, 1))
        assert (first[[1, 3]] == second).all()
        assert rewards[1] == reward[0]
        assert ends[1] == end[0]
    assert (many.batch.state_hash()[[1, 3]] == one.batch.state_hash()).all()
    many.close()
    one.close()


def rollout(name: str, mode: str) -> list[np.ndarray]:
    """The observations of two worlds, without the steps that only reset."""
    env = ENVS[name](2, autoreset_mode=mode, max_episode_steps=12)
    seen: list[list[np.ndarray]] = [[], []]
    observations, _ = env.reset(seed=shifted(5))
    over = np.zeros(2, bool)
    for _ in range(40):
        before = over
        observations, rewards, ends, cuts, info = env.step(actions_of(env, 7, 2))
        over = ends | cuts
        for k in range(2):
            if mode == "NextStep" and before[k]:
                assert rewards[k] == 0
            if mode == "SameStep" and over[k]:
                seen[k].append(info["final_obs"][k])
            seen[k].append(observations[k])
        if mode == "Disabled" and over.any():
            with pytest.raises(ResetNeeded):
                env.step(actions_of(env, 7, 2))
            observations, _ = env.reset(options={"reset_mask": over})
            for k in np.flatnonzero(over):
                seen[k].append(observations[k])
    env.close()
    return [np.array(rows[:40]) for rows in seen]


@each
def test_the_three_modes_of_autoreset_give_the_same_episodes(name: str) -> None:
    expected = rollout(name, "NextStep")
    for mode in ("SameStep", "Disabled"):
        for one, other in zip(rollout(name, mode), expected):
            assert (one == other).all()


@each
def test_bad_actions_raise_and_change_nothing(name: str) -> None:
    env = ENVS[name](3)
    with pytest.raises(ResetNeeded):
        env.step(actions_of(env, 0, 3))
    env.reset(seed=shifted(0))
    before, steps = env.batch.state_hash(), env.steps.copy()
    good = actions_of(env, 0, 3)
    nan, infinite = good.copy(), good.copy()
    nan[1, 0], infinite[2, -1] = np.nan, np.inf
    bad: list[Any] = [nan, infinite, good[:2], good[:, :-1], good[0], None, [["a"] * good.shape[1]] * 3]
    for actions in bad:
        with pytest.raises(ValueError, match="actions="):
            env.step(actions)
    assert (env.batch.state_hash() == before).all()
    assert (env.steps == steps).all()
    env.close()


def test_environments_do_not_share_the_random_numbers_of_their_spaces() -> None:
    one, other = envs.PushT(1), envs.PushT(1)
    one.action_space.seed(shifted(3))
    one.single_action_space.seed(shifted(3))
    first = one.single_action_space.sample()
    one.single_action_space.seed(shifted(3))
    other.single_action_space.seed(shifted(4))
    other.single_action_space.sample()
    assert (one.single_action_space.sample() == first).all()
    one.close()
    other.close()


BAD: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("Hopper", {"mass": 0}, ValueError, "mass=0"),
    ("Hopper", {"roughness": -1}, ValueError, "roughness=-1"),
    ("Walker", {"friction": [0.5, np.nan]}, ValueError, "friction"),
    ("Walker", {"strength": "much"}, TypeError, "strength"),
    ("Cheetah", {"gravity": [-9, -8, -7]}, ValueError, "gravity"),
    ("Cheetah", {"end_unhealthy": 2}, TypeError, "end_unhealthy"),
    ("PushT", {"block_mass": -1}, ValueError, "block_mass=-1"),
    ("PushT", {"friction": np.inf}, ValueError, "friction"),
    ("AirHockey", {"opponent": "strong"}, TypeError, "opponent="),
    ("AirHockey", {"restitution": 1.1}, ValueError, "restitution=1.1"),
    ("AirHockey", {"opponent_speed": [1, 2, 3]}, ValueError, "opponent_speed"),
    ("AirHockey", {"puck_mass": 0}, ValueError, "puck_mass=0"),
    ("Scoop", {"density": 0}, ValueError, "density=0"),
    ("Scoop", {"strength": [1, 2, 3]}, ValueError, "strength"),
    ("CircuitRacing", {"obs": "sound"}, ValueError, "obs="),
    ("CircuitRacing", {"grip": 0}, ValueError, "grip=0"),
    ("CircuitRacing", {"mass": [1000, "heavy"]}, TypeError, "mass"),
    ("CircuitRacing", {"power": -1}, ValueError, "power=-1"),
]


@pytest.mark.parametrize(("name", "options", "error", "message"), BAD)
def test_bad_parameters_raise(name: str, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ENVS[name](2, **options)


@pytest.mark.parametrize("name", [*ENVS, *LUNAR])
def test_a_restored_episode_goes_on_with_the_same_bits(name: str) -> None:
    """Also in a new environment, at another place, and several times."""
    make = {**ENVS, **LUNAR}[name]
    env = make(3, max_episode_steps=20)
    env.reset(seed=shifted(1))
    for step in range(7):
        env.step(actions_of(env, step, 3))
    saved = env.save_episodes(np.array([False, True, False]))
    assert len(saved) == 1
    observations = env._observe()[1]

    def future(other: BatchEnv, row: int) -> list[Any]:
        rows = []
        for step in range(7, 40):
            found = other.step(actions_of(other, step, other.num_envs))
            rows.append([found[0][row].copy(), *(part[row] for part in found[1:4]), other.batch.state_hash()[row]])
        return rows

    expected = future(env, 1)
    assert any(row[2] or row[3] for row in expected)  # an end that both see
    fresh = make(2, max_episode_steps=20)
    assert (fresh.restore_episodes(saved[0])[1] == observations).all()
    mask = np.array([True, False, False])
    env.reset(seed=shifted(9))
    env.restore_episodes(saved, mask)
    for other, row in ((fresh, 1), (env, 0)):
        for one, two in zip(future(other, row), expected, strict=True):
            assert (one[0] == two[0]).all()
            assert one[1:] == two[1:]
    env.close()
    fresh.close()


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("name", [*ENVS, *LUNAR])
def test_copies_and_pickles_go_on_with_the_same_bits(name: str, way: Callable[[BatchEnv], BatchEnv]) -> None:
    """Fresh, in the middle of episodes and after them; also of spaces and random streams."""
    env = {**ENVS, **LUNAR}[name](3, max_episode_steps=12)
    env.action_space.seed(shifted(5))
    for steps in (0, 7, 9, 3):
        other = way(env)
        assert other.action_space.sample().tolist() == way(env).action_space.sample().tolist()
        if steps == 0:
            assert env.reset(seed=4)[0].tolist() == other.reset(seed=4)[0].tolist()
            continue
        for step in range(20):
            if step == steps:
                further = way(other)
            found, again = (each.step(actions_of(env, step, 3)) for each in (env, other))
            for one, two in zip(found[:4], again[:4], strict=True):
                assert np.array_equal(one, two)
            assert env.batch.state_hash().tolist() == other.batch.state_hash().tolist()
            if step >= steps:
                assert np.array_equal(further.step(actions_of(env, step, 3))[0], found[0])
        other.close()
    env.close()


def test_a_single_environment_travels_with_its_wrappers() -> None:
    env = gymnasium.make("box2dpy.envs:box2dpy/LunarLander-v0")
    env.reset(seed=3)
    for _ in range(20):
        env.step(2)
    other, deep = pickle.loads(pickle.dumps(env)), copy.deepcopy(env)
    assert other.spec.id == "box2dpy/LunarLander-v0"
    for step in range(300):
        results = [each.step(step % 4) for each in (env, other, deep)]
        assert len({(str(found[0].tolist()), *found[1:4]) for found in results}) == 1
        if any(results[0][2:4]):
            resets = [each.reset()[0].tolist() for each in (env, other, deep)]
            assert resets[0] == resets[1] == resets[2]


def test_an_episode_goes_on_in_another_process(tmp_path: Path) -> None:
    env = envs.LunarLander(2)
    env.reset(seed=1)
    for _ in range(20):
        env.step([2, 0])
    (tmp_path / "episode").write_bytes(pickle.dumps(env.save_episodes()))
    code = (
        "import pickle, sys; from box2dpy import envs; env = envs.LunarLander(2); "
        "env.restore_episodes(pickle.load(open(sys.argv[1], 'rb'))); [env.step([1, 3]) for _ in range(50)]; "
        "print(env.batch.state_hash().tolist(), env.batch.random(2).tolist())"
    )
    run = finished([sys.executable, "-c", code, str(tmp_path / "episode")], check=True)
    for _ in range(50):
        env.step([1, 3])
    assert run.stdout.strip() == f"{env.batch.state_hash().tolist()} {env.batch.random(2).tolist()}"


@pytest.mark.parametrize("name", [*ENVS, *LUNAR])
def test_a_reset_of_no_world_changes_nothing(name: str) -> None:
    env = {**ENVS, **LUNAR}[name](2)
    env.reset(seed=1)
    env.step(actions_of(env, 0, 2))
    before = env.batch.state_hash().tolist(), env.steps.tolist()
    observations, _ = env.reset(options={"reset_mask": np.zeros(2, bool)})
    assert (env.batch.state_hash().tolist(), env.steps.tolist()) == before
    assert observations.shape == env.observation_space.shape
    env.close()


def test_snapshots_that_do_not_fit_raise_and_change_nothing() -> None:
    hopper, push, walker = envs.Hopper(2), envs.PushT(2), envs.Walker(2)
    with pytest.raises(ResetNeeded):
        push.save_episodes()
    for env in (hopper, push, walker):
        env.reset(seed=shifted(0))
    before = push.batch.state_hash()
    episodes = push.save_episodes()
    wrong: list[tuple[Any, Any, type[Exception]]] = [
        (hopper.save_episodes(), None, ValueError),
        (episodes[:1], None, ValueError),
        ([each._replace(arrays=[row.astype(complex) for row in each.arrays]) for each in episodes], None, ValueError),
        (episodes, [True], ValueError),
        (episodes, [1, 0], TypeError),
        ([1, 2], None, TypeError),
        (3, None, TypeError),
    ]
    for given, mask, error in wrong:
        with pytest.raises(error):
            push.restore_episodes(given, mask)
    with pytest.raises(ValueError, match="fit"):
        walker.restore_episodes(hopper.save_episodes())
    with pytest.raises(ResetNeeded):
        envs.PushT(2).restore_episodes(episodes[0], [True, False])
    assert (push.batch.state_hash() == before).all()
    one = envs.PushTEnv()
    first, _ = one.reset(seed=shifted(4))
    episode = one.save_episode()
    one.step([1.0, 1.0])
    assert (one.restore_episode(episode) == first).all()


@each
def test_pictures_show_the_worlds(name: str) -> None:
    pytest.importorskip("PIL")
    env = ENVS[name](2, render_mode="rgb_array")
    env.reset(seed=[0, 4])
    pictures = env.render()
    assert pictures is not None
    assert pictures[0].shape == (*env.SIZE[::-1], 3)
    assert len(np.unique(pictures[0].reshape(-1, 3), axis=0)) > 3
    for step in range(8):
        env.step(actions_of(env, step, 2))
    after = env.render()
    assert after is not None
    assert not (after[0] == pictures[0]).all()
    env.close()
