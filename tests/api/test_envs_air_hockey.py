"""AirHockey: the puck, the mallets, the goals, opponents, and PettingZoo's interface."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")

from box2dpy.envs import AirHockey
from box2dpy.envs.air_hockey import DRAG, HALF_BREADTH, HALF_GOAL, HALF_LENGTH, LEFT, PUCK, PUCK_RADIUS, RIGHT, rule

from ..seeds import arrays, shifted


def still(observations: np.ndarray) -> np.ndarray:
    return np.zeros((len(observations), 2))


def test_the_puck_glides_and_bounces_as_its_parameters_say() -> None:
    env = AirHockey(3, opponent=still, restitution=[0.9, 0.5, 1.0])
    env.reset(seed=shifted(0))
    env.batch.set((LEFT, RIGHT), position=[(-0.9, -0.4), (0.9, -0.4)])
    env.batch.set(PUCK, position=(0, 0), linear_velocity=(0, 1))
    for _ in range(10):
        observations = env.step(np.zeros((3, 2)))[0]
    np.testing.assert_allclose(observations[:, 11], np.exp(-0.2 * DRAG), rtol=0.005)
    for _ in range(20):
        observations, _, ends, _, _ = env.step(np.zeros((3, 2)))
    np.testing.assert_allclose(observations[:, 11], -np.array([0.9, 0.5, 1.0]) * np.exp(-0.6 * DRAG), rtol=0.01)
    np.testing.assert_allclose(observations[:, [8, 10]], 0, atol=1e-6)
    assert not ends.any()
    env.close()


def test_nothing_leaves_the_table_and_mallets_stay_on_their_side() -> None:
    env, rng = AirHockey(64, opponent=lambda seen: rng.choice([-1.0, 1.0], (len(seen), 2))), arrays(0)
    env.reset(seed=shifted(0))
    env.puck_mass[:32] = 0.005
    fastest = 0.0
    for step in range(400):
        if step % 4 == 0:
            actions = rng.choice([-1.0, 1.0], (64, 2))
        observations, _, ends, _, _ = env.step(actions)
        assert (observations[:, 0] < 0.05).all()
        assert (-observations[:, 4] < 0.05).any()
        assert (np.abs(observations[~ends][:, [1, 5, 9]]) < HALF_BREADTH).all()
        assert (np.abs(observations[:, [0, 4]]) < HALF_LENGTH).all()
        fastest = max(fastest, float(np.abs(observations[:, 10:]).max()))
    assert 3 < fastest < 30
    env.close()


def test_a_goal_ends_the_episode_and_the_way_to_it_counts() -> None:
    env = AirHockey(2, opponent=still, autoreset_mode="Disabled")
    env.reset(seed=shifted(0))
    env.batch.set((LEFT, RIGHT), position=[(-0.9, -0.4), (0.9, -0.4)])
    env.batch.set(PUCK, position=(0.2, 0), linear_velocity=[(3, 0), (-3, 0)])
    env.begun(np.ones(2, bool), env.observe())
    returns = np.zeros(2)
    for _ in range(60):
        _, rewards, ends, _, _ = env.step(np.zeros((2, 2)))
        returns += rewards
        env._over[:] = False
        if ends[0]:
            assert rewards[0] > 1
            place = env.batch.position[0, PUCK, 0]
            env.batch.set(PUCK, np.array([True, False]), position=(0, 0), linear_velocity=(0, 0))
            np.testing.assert_allclose(returns[0], 1 + 0.1 * (place - 0.2), atol=1e-6)
        if ends[1]:
            assert rewards[1] < -1
            break
    assert ends[1]
    env.close()


def play(left: Any, right: Any) -> tuple[int, int]:
    env = AirHockey(48, opponent=right)
    observations, _ = env.reset(seed=shifted(0))
    won = lost = 0
    for _ in range(500):
        observations, rewards, _, _, _ = env.step(left(observations))
        won, lost = won + int((rewards > 0.5).sum()), lost + int((rewards < -0.5).sum())
    env.close()
    return won, lost


def test_the_rule_beats_those_who_do_nothing_and_the_sides_are_equal() -> None:
    # It makes six of seven goals. That it makes less than two of three, of 65, has a chance of 1 in 17,000
    won, lost = play(rule, still)
    assert won > 2 * lost
    lost, won = play(still, rule)
    assert won > 2 * lost
    won, lost = play(rule, rule)
    assert won + lost > 50
    assert abs(won - lost) < 4 * (won + lost) ** 0.5  # 4 standard deviations


def test_the_speed_of_the_opponent_is_that_of_each_world() -> None:
    env = AirHockey(3, opponent=lambda seen: np.tile([1.0, 0.0], (len(seen), 1)), opponent_speed=[0, 0.5, 1])
    env.reset(seed=shifted(0))
    for _ in range(8):
        env.step(np.zeros((3, 2)))
    speeds = -env.batch.linear_velocity[:, RIGHT, 0]
    np.testing.assert_allclose(speeds, 2.5 * np.array([0, 0.5, 1]), atol=0.01)
    env.close()


def test_the_right_player_sees_the_table_turned_by_half() -> None:
    env = AirHockey(4)
    env.reset(seed=shifted(3))
    for _ in range(30):
        env.step(arrays(0).uniform(-1, 1, (4, 2)))
    left, right = env.seen_by(0), env.seen_by(1)
    np.testing.assert_array_equal(right[:, :4], -left[:, 4:8])
    np.testing.assert_array_equal(right[:, 4:8], -left[:, :4])
    np.testing.assert_array_equal(right[:, 8:], -left[:, 8:])
    np.testing.assert_allclose(left[:, 8:10], env.batch.position[:, PUCK], rtol=1e-6)
    inside, in_goal = np.abs(left[:, 8]) + PUCK_RADIUS < HALF_LENGTH + 0.005, np.abs(left[:, 9]) < HALF_GOAL
    assert (inside | in_goal).all()  # up to the slop, 5 mm
    env.close()


@pytest.mark.parametrize("value", [np.zeros((2, 3)), np.full((3, 2), np.nan), [["a", "b"]] * 3, None])
def test_an_opponent_that_returns_no_actions_raises_and_changes_nothing(value: Any) -> None:
    env = AirHockey(3, opponent=lambda _: value)
    env.reset(seed=shifted(0))
    before = env.batch.state_hash()
    with pytest.raises(ValueError, match="opponent="):
        env.step(np.zeros((3, 2)))
    assert (env.batch.state_hash() == before).all()
    env.close()


def test_pettingzoos_checks_pass() -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    from box2dpy.envs.parallel import AirHockeyParallel

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(AirHockeyParallel(max_cycles=60), num_cycles=200)
        parallel_seed_test(AirHockeyParallel, num_cycles=100)


def test_two_agents_play_the_game_of_one_and_its_opponent() -> None:
    pytest.importorskip("pettingzoo")
    from box2dpy.envs.parallel import AirHockeyParallel

    both, one = AirHockeyParallel(render_mode="rgb_array"), AirHockey(1)
    seen, infos = both.reset(seed=shifted(4))
    mine, _ = one.reset(seed=shifted(4))
    assert infos == {"left": {}, "right": {}}
    for _ in range(500):
        assert (seen["left"] == mine[0]).all()
        left, right = rule(seen["left"][None])[0], rule(seen["right"][None])[0]
        seen, rewards, ends, cuts, _ = both.step({"left": left, "right": right})
        mine, reward, end, cut, _ = one.step(left[None])
        assert rewards == {"left": reward[0], "right": -reward[0]}
        assert ends == {"left": end[0], "right": end[0]}
        if end[0] or cut[0]:
            break
        assert both.agents == ["left", "right"]
    assert both.agents == []
    assert cuts["left"] == cut[0]
    assert both.step({}) == ({}, {}, {}, {}, {})
    assert (both.table.batch.state_hash() == one.batch.state_hash()).all()
    pytest.importorskip("PIL")
    assert both.render().shape == (300, 600, 3)
    both.close()
    one.close()


def test_bad_actions_of_an_agent_raise_and_change_nothing() -> None:
    pytest.importorskip("pettingzoo")
    from box2dpy.envs.parallel import AirHockeyParallel

    env = AirHockeyParallel()
    env.reset(seed=shifted(0))
    before = env.table.batch.state_hash()
    good = np.zeros(2)
    bad: list[Any] = [
        {"left": good}, {"left": good, "right": [np.nan, 0]}, {"left": [0, 0, 0], "right": good}, [good, good], None,
        {"left": good, "right": good, "umpire": good}, {"left": "up", "right": good},
    ]  # fmt: skip
    for actions in bad:
        with pytest.raises(ValueError, match="actions"):
            env.step(actions)
    assert (env.table.batch.state_hash() == before).all()
    with pytest.raises(ValueError, match="restitution"):
        AirHockeyParallel(restitution=2)
    env.close()


def test_two_players_travel() -> None:
    pytest.importorskip("pettingzoo")
    from box2dpy.envs.parallel import AirHockeyParallel

    env = AirHockeyParallel(max_cycles=80)
    env.reset(seed=2)
    for number in range(100):
        if number == 30:
            others = [env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        if number >= 30 and not env.agents:
            assert [each.agents for each in others] == [[]] * 3
            for each in others:
                each.reset()
        actions = {agent: np.array([np.sin(number), 0.3]) for agent in ("left", "right")}
        for each in others if number >= 30 else [env]:
            each.step(actions)
        if number >= 30:
            assert len({int(each.table.batch.state_hash()[0]) for each in others}) == 1
