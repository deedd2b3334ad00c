"""Environments of one world give the bits of a world of the vector environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from box2dpy import envs

from ..seeds import shifted

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
