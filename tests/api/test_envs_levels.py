"""Levels: any world is a level; roles, motors and ends; what an observation is made of."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")

import gymnasium

import box2dpy as b2
from box2dpy.envs import Levels, LevelsEnv
from box2dpy.envs.levels import COLORS, MOVING, ROLES, random_level

from ..seeds import arrays


def lever(red: bool = False, far: float = 2.0) -> b2.World:
    """A green arm that a motor turns about its left end, and what is to its right: blue, or red."""
    world = b2.World(profiling="off")
    base = world.create_static_body()
    arm = world.create_dynamic_body((1, 0), name="green arm")
    arm.create_shape(b2.Box(1, 0.1))
    world.create_revolute_joint(base, arm, anchor=(0, 0), enable_motor=True, motor_speed=2, max_motor_torque=1000)
    aim = world.create_static_body((0, far), name="red" if red else "blue")
    aim.create_shape(b2.Box(0.1, 0.5))
    if red:
        world.create_static_body((0, -9), name="blue").create_shape(b2.Circle(0.5))
    return world


def drive(env: Levels, speed: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Sums of rewards, and which worlds have ended, of actions that are the same in all steps."""
    returns, over = np.zeros(env.num_envs), np.zeros(env.num_envs, bool)
    actions = np.full(env.action_space.shape, speed, np.float32)
    for _ in range(steps):
        _, rewards, ended, _, _ = env.step(actions)
        returns += np.where(over, 0, rewards)
        over |= ended
    return returns, over


@pytest.mark.parametrize(("red", "sign"), [(False, 1), (True, -1)])
def test_the_arm_reaches_what_its_motor_turns_it_to(red: bool, sign: int) -> None:
    env = Levels(3, [lever(red)], room={})
    env.reset(seed=0)
    returns, over = drive(env, 0.0, 60)
    assert not over.any()
    assert np.abs(returns).max() < 1e-3
    returns, over = drive(env, 1.0, 60)
    assert over.all()
    assert (sign * returns > 5).all()
    env.close()


def test_levels_of_many_kinds_end_and_begin_again() -> None:
    draw = arrays(9)
    env = Levels(16, max_episode_steps=40)
    env.reset(seed=3)
    counts = set()
    for _ in range(120):
        observations, rewards, _, _, _ = env.step(draw.uniform(-1, 1, env.action_space.shape).astype(np.float32))
        assert np.isfinite(observations).all()
        assert np.isfinite(rewards).all()
        counts |= set(env.entities.body_mask.sum(1).tolist())
        where, shape = env.parts["bodies"]
        assert (observations[:, where].reshape(16, *shape) == env.entities.bodies).all()
    assert len(counts) > 3  # levels with different numbers of bodies
    env.close()


def test_a_level_from_a_file_a_dictionary_and_a_world_is_the_same(tmp_path: Path) -> None:
    with lever() as world:
        world.save_level(str(tmp_path / "level.json"))
        kinds = [world, world.to_dict(), str(tmp_path / "level.json")]
        seen = []
        for level in kinds:
            env = Levels(2, [level], room={})
            env.reset(seed=1)
            drive(env, 1.0, 10)
            seen.append(env.batch.state_hash().tolist())
            env.close()
        assert seen[0] == seen[1] == seen[2]


class Mixed(Levels):
    """Levels of a class whose argument is something else."""

    def __init__(self, first: b2.World, *, names: tuple[str, ...]) -> None:
        super().__init__(2, [first, *names], room={})


def copies(env: Any) -> list[Any]:
    return [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), pickle.loads(pickle.dumps(copy.deepcopy(env)))]


def test_copies_have_the_levels_as_they_were(tmp_path: Path) -> None:
    """The worlds have been stepped and closed, the dictionary has been changed, and the file has gone."""
    path, closed, stepped = tmp_path / "level.json", lever(), lever()
    closed.save_level(str(path))
    changed = closed.to_dict()
    env = Levels(2, [closed, changed, str(path), stepped], room={})
    others: list[Any] = [
        LevelsEnv(levels=[closed, stepped], room={}),
        gymnasium.make("box2dpy/Levels-v0", levels=[stepped, closed], room={}),
        gymnasium.make_vec("box2dpy/Levels-v0", num_envs=2, levels=(closed, str(path)), room={}),
        Mixed(closed, names=(str(path),)),
    ]
    closed.close()
    stepped.step()
    changed.clear()
    path.unlink()
    for each in (env, *others):
        for other in copies(each):
            expected, found = each.reset(seed=4)[0], other.reset(seed=4)[0]
            assert found.tolist() == expected.tolist()
            assert (other.unwrapped.spec is None) == (each.unwrapped.spec is None)
            other.close()
        each.close()


def test_worlds_of_a_mask_get_a_level_that_is_named() -> None:
    env = Levels(4)
    env.reset(seed=1)
    mask = np.array([False, True, False, True])
    before = env.batch.state_hash()
    with lever() as level:
        env.reset_to_level(level, mask)
        assert (env.batch.state_hash()[mask] == np.uint64(level.state_hash())).all()
    assert (env.batch.state_hash()[~mask] == before[~mask]).all()
    assert env.roles[1].tolist()[:3] == [0, 1, 2]
    returns, over = drive(env, 1.0, 60)
    assert over[mask].all()
    assert (returns[mask] > 5).all()
    with pytest.raises(ValueError, match="2 levels, not 1"), lever() as level:
        env.reset_to_level([level], mask)
    env.close()


def test_what_is_no_level_is_named() -> None:
    with b2.World() as world, pytest.raises(ValueError, match="no body whose name begins with 'green'"):
        Levels(1, [world])
    with pytest.raises(ValueError, match="at least one level"):
        Levels(1, [])
    for wrong in ([3], "a.json", 3):
        with pytest.raises(TypeError, match="levels.*must be a"):
            Levels(1, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must return a World, not 3"):
        Levels(1, lambda _: 3).reset(seed=0)  # type: ignore[arg-type, return-value]
    with random_level(arrays(0)) as world, pytest.raises(ValueError, match="each world has room"):
        Levels(1, [lever(), world], room={}).reset_to_level(world)


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
def test_a_pixel_has_the_color_of_the_body_at_its_middle(angle: float) -> None:
    rounded = b2.Polygon([(0, 0), (1, 0), (0, 1)], 0.2)
    shapes = [b2.Circle(0.7), b2.Capsule((-0.4, 0.1), (0.5, 0), 0.3), b2.Box(0.8, 0.3), rounded]
    names, expected = ("green", "blue", "red", ""), np.zeros((64, 128), np.int64)
    x, y = np.meshgrid((np.arange(128) + 0.5) / 16 - 4, 3 - (np.arange(64) + 0.5) / 16)
    close = np.zeros((64, 128), bool)
    with b2.World() as world:
        world.create_static_body((0, 1), enabled=False).create_shape(b2.Box(3, 3))
        for k, shape in enumerate(shapes):
            body = world.create_static_body((2 * k - 3, 1), angle=angle, name=names[k])
            body.create_shape(shape)
            found = []
            for aside in (0.0, 1e-4, -1e-4):
                points = np.stack([x + aside, y], axis=-1).reshape(-1, 2) - body.position
                turned = points @ np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
                found.append(shape.contains_points(turned).reshape(64, 128))
            expected[found[0]] = ROLES.index(names[k]) or 4
            close |= (found[1] != found[0]) | (found[2] != found[0])
        env = Levels(65, [world], room={}, obs="pixels", view=(-4, -1, 4, 3))
    seen, _ = env.reset(seed=0)
    colors = np.concatenate([COLORS, COLORS[:1]])
    colors[0] = 0  # where nothing is
    assert close.mean() < 0.01
    assert len(np.unique(expected)) == 5
    assert (seen[0] == colors[expected])[~close].all()
    assert (seen == seen[0]).all()
    assert env.view(0) == (-4, -1, 4, 3)
    env.close()


def test_pixels_show_segments_joints_and_what_can_move() -> None:
    with lever() as world:
        world.create_static_body((3.03, 0)).create_shape(b2.Segment((0, -0.95), (0, 0.95)))
        world.create_dynamic_body((-3, 0)).create_shape(b2.Circle(0.5))
        env = Levels(1, [world], room={}, obs="pixels", view=(-4, -2, 4, 2))
    seen, _ = env.reset(seed=0)
    rows, columns = np.nonzero((seen[0] == COLORS[0]).all(axis=-1))
    assert set(columns) == {112}
    assert set(rows) == set(range(16, 48))
    assert seen[0, 32, 16].tolist() == (COLORS[0] + np.uint8(MOVING)).tolist()
    assert seen[0, 32, 64].tolist() == [255, 220, 0]  # the motor
    env.close()


@pytest.mark.parametrize("view", [(0, 0, 0, 1), (0, 1, 1, 0), (0, 0, float("inf"), 1), (0, 0, float("nan"), 1)])
def test_a_view_without_an_area_is_named(view: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="view=.*left < right"):
        Levels(1, obs="pixels", view=view)


def test_a_single_environment_begins_a_level() -> None:
    with lever() as world:
        env, envs = gymnasium.make("box2dpy/Levels-v0").unwrapped, Levels(1)
        env.reset(seed=3), envs.reset(seed=3)
        assert (env.reset_to_level(world) == envs.reset_to_level(world)[0]).all()
        action = np.full(env.action_space.shape, 0.5, np.float32)
        assert (env.step(action)[0] == envs.step(action[None])[0][0]).all()
        env.close(), envs.close()
