"""Environments of one world, single or vector, give the bits of a world of a vector environment of many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from gymnasium.error import ResetNeeded

from box2dpy import envs

from ..seeds import arrays, shifted

SINGLES: list[tuple[Any, Any, dict[str, Any]]] = [
    (envs.LunarLanderEnv, envs.LunarLander, {}),
    (envs.LunarLanderEnv, envs.LunarLander, {"continuous": True}),
    (envs.LunarLanderEnv, envs.LunarLander, {"enable_wind": True}),
    (envs.LunarLanderEnv, envs.LunarLander, {"max_episode_steps": 40}),
    (envs.BipedalWalkerEnv, envs.BipedalWalker, {}),
    (envs.BipedalWalkerEnv, envs.BipedalWalker, {"hardcore": True}),
]


@pytest.mark.parametrize(("single", "vector", "options"), SINGLES)
@pytest.mark.parametrize("idle", [False, True])
def test_a_single_environment_has_the_bits_of_a_vector(
    single: Any, vector: Any, options: dict[str, Any], idle: bool
) -> None:
    options = {"max_episode_steps": 300, **options}
    one, many = single(**options), vector(3, autoreset_mode="Disabled", **options)
    space = one.action_space
    space.seed(shifted(3))
    for episode in range(4):
        first, all_first = one.reset(seed=episode)[0], many.reset(seed=episode)[0]
        assert first.tobytes() == all_first[0].tobytes()
        ended = False
        while not ended:
            action = np.zeros_like(space.sample()) if idle else space.sample()
            if many._over.any():
                many.reset(options={"reset_mask": many._over.copy()})
            seen, reward, terminated, truncated, _ = one.step(action)
            found = many.step(np.stack([action, space.sample(), space.sample()]))
            assert seen.tobytes() == found[0][0].tobytes()
            assert np.float64(reward).tobytes() == found[1][0].tobytes()
            assert (terminated, truncated) == (bool(found[2][0]), bool(found[3][0]))
            ended = terminated or truncated
    one.close()
    many.close()


@pytest.mark.parametrize(("vector", "options"), [each[1:] for each in SINGLES])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_vector_of_one_has_the_bits_of_a_vector(vector: Any, options: dict[str, Any], mode: str) -> None:
    """Also in the step that resets, where other worlds reset in other steps, and where a body is no longer finite."""
    options = {"max_episode_steps": 150, "autoreset_mode": mode, **options}
    one, many = vector(1, **options), vector(3, **options)
    assert one.reset(seed=4)[0].tobytes() == many.reset(seed=4)[0][:1].tobytes()
    draw, ends = arrays(4), 0
    for step in range(400):
        shape = many.action_space.shape
        actions = draw.uniform(-1.0, 1.0, shape).astype(np.float32) if shape[1:] else draw.integers(0, 4, shape)
        if step == 60:
            for env in (one, many):  # the acceleration is no float32
                env.batch.mass[0, 1] = 1e-10
                env.batch.force[0, 1] = 0, 1e30
        if step in (60, 61):  # an engine could not push so small a mass
            actions[0] = 0
        given: Any = actions if step % 5 else actions.tolist()
        one_found, found = one.step(given[:1]), many.step(given)
        for single, rows in zip(one_found[:4], found[:4], strict=True):
            assert (single.dtype, single.shape) == (rows.dtype, rows[:1].shape)
            assert single.tobytes() == rows[:1].tobytes()
            assert single.flags.writeable
        over = found[2] | found[3]
        ends += int(over[0])
        assert ("final_obs" in one_found[4]) == (mode == "SameStep" and bool(over[0]))
        if mode == "SameStep" and over[0]:
            assert one_found[4]["final_obs"].tobytes() == found[4]["final_obs"][:1].tobytes()
            assert one_found[4]["_final_obs"].tolist() == one_found[4]["_final_info"].tolist() == [True]
        if mode == "Disabled" and over.any():
            if over[0]:
                with pytest.raises(ResetNeeded):
                    one.step(actions[:1])
                first = one.reset(options={"reset_mask": over[:1]})[0]
            again = many.reset(options={"reset_mask": over})[0]
            assert not over[0] or first.tobytes() == again[:1].tobytes()
        assert one.batch.state_hash()[0] == many.batch.state_hash()[0]
    assert ends > 1
    one.close()
    many.close()


def test_a_vector_of_one_takes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    env = envs.LunarLander(1)
    env.reset(seed=1)
    monkeypatch.setattr(env, "observe", None)
    assert [env.step([action])[0].shape for action in range(4)] == [(1, 8)] * 4
    for wrong in ([4], [True], [0.5], [[1]], [1, 2], 1, None):
        with pytest.raises(ValueError, match="actions="):
            env.step(wrong)
    env.close()
