"""Environments of one's own: what they have is in their pickles and copies, and is shown to be the copy's own."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")

import box2dpy as b2
from box2dpy.envs import BatchEnv, LunarLander, SingleEnv

WAYS = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
ways = pytest.mark.parametrize("way", WAYS, ids=["deepcopy", "pickle"])


class Radar:
    """An object that keeps views of a batch."""

    def __init__(self, batch: b2.WorldBatch) -> None:
        self.batch, self.height = batch, batch.position[:, 1, 1]


class Diary:
    """An object that refers to its environment."""

    def __init__(self, env: BatchEnv) -> None:
        self.env, self.lines = env, list[int]()


class Own(LunarLander):
    """An environment with attributes of many kinds."""

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        super().__init__(num_envs, **options)
        self.returns: list[float] = []
        self.best: dict[str, Any] = {"return": -np.inf, "actions": np.zeros(0)}
        self.seen: set[int] = set()
        self.range: tuple[Any, ...] = ()
        self.diary, self.itself = Diary(self), self
        self.shaped = self.shaped_reward
        self.numbers = np.zeros(4)
        self.half = self.numbers[:2]
        self.frozen = np.zeros(2)
        # What shows something of the worlds
        self.radar = Radar(self.batch)
        self.views: list[Any] = [self.batch.position[:, 1], {"force": self.batch.force[:, 1]}]
        self.legs = (self.batch.watch_touching([(2, 0), (3, 0)]),)
        self.masses = self.batch.mass
        with b2.World() as world:
            world.create_dynamic_body((0, 1)).create_shape(b2.Circle(0.5))
            self.model = b2.WorldBatch(world, 2)
            self.handle = world.body(0)
        self.teacher = LunarLander(num_envs, deterministic=True)
        self.model_height = self.model.position[:, 0, 1]

    def shaped_reward(self) -> float:
        return len(self.returns)

    def live(self) -> None:
        """Changes all attributes."""
        self.returns.append(3.5)
        self.best = {"return": 3.5, "actions": np.arange(3)}
        self.seen.add(7)
        self.range = (1, [2])
        self.diary.lines.append(4)
        self.numbers[:] = 1, 2, 3, 4
        self.frozen = np.ones(2)
        self.frozen.flags.writeable = False
        self.checkpoint = self.batch.save()[0]
        self.late = {"after": "__init__"}
        self.model.step()
        self.teacher.reset(seed=2)


class OneOwn(SingleEnv):
    VECTOR = Own


def check_own(copied: Own, env: Own) -> None:
    assert (copied.returns, copied.seen, copied.range) == ([3.5], {7}, (1, [2]))
    assert copied.best["return"] == 3.5
    assert copied.best["actions"].tolist() == [0, 1, 2]
    assert copied.late == {"after": "__init__"}
    assert copied.frozen.tolist() == [1, 1]
    assert copied.half.tolist() == [1, 2]
    copied.numbers[0] = 9
    assert copied.half[0] == 9
    assert copied.diary.lines == [4]
    assert copied.diary.env is copied
    assert copied.itself is copied
    assert copied.teacher.batch.state_hash().tolist() == env.teacher.batch.state_hash().tolist()
    copied.returns.append(1)
    assert copied.shaped() == 2
    assert env.returns == [3.5]
    copied.batch.restore(copied.checkpoint)
    copied.batch.step()
    for height in (copied.radar.height, copied.views[0][:, 1]):
        assert (height == copied.batch.position[:, 1, 1]).all()
    assert copied.radar.batch is copied.batch
    assert not copied.legs[0].any()
    assert (copied.masses[:, 1] == env.masses[:, 1]).all()
    copied.views[1]["force"][:] = 0, 50
    assert (copied.batch.force[:, 1, 1] == 50).all()
    assert copied.model.state_hash().tolist() == env.model.state_hash().tolist()
    copied.model.step()
    assert (copied.model_height == copied.model.position[:, 0, 1]).all()
    assert copied.model_height[0] < env.model_height[0]


@ways
def test_attributes_of_ones_own_are_in_copies(way: Callable[[Any], Any]) -> None:
    env = Own(2)
    env.reset(seed=1)
    env.live()
    check_own(way(env), env)
    check_own(way(way(env)), env)  # arrays that were read from a pickle are nobody's views


@ways
def test_attributes_of_the_class_of_a_single_environment_are_in_copies(way: Callable[[Any], Any]) -> None:
    env = OneOwn()
    env.reset(seed=1)
    env.vector.live()
    env.log = [1, 2]
    copied = way(env)
    assert copied.log == [1, 2]
    check_own(copied.vector, env.vector)
    assert copied.observation_space is copied.vector.single_observation_space


def test_what_cannot_be_pickled_is_named() -> None:
    env = LunarLander(1)
    env.lock = threading.Lock()
    with pytest.raises(TypeError, match=r"LunarLander\.lock cannot be pickled: .*lock"):
        pickle.dumps(env)
    with pytest.raises(TypeError, match=r"LunarLander\.lock cannot be copied: .*lock"):
        copy.deepcopy(env)
    assert copy.copy(env).lock is env.lock
    env.lock = [lambda: 3]
    with pytest.raises(TypeError, match=r"LunarLander\.lock cannot be pickled: .*lambda"):
        pickle.dumps(env)
    assert copy.deepcopy(env).lock[0]() == 3


class Locked(LunarLander):
    """An environment with an attribute that cannot be pickled and need not be."""

    MADE_AGAIN = LunarLander.MADE_AGAIN | {"lock"}

    def __init__(self) -> None:
        super().__init__(1)
        self.lock = threading.Lock()


@ways
def test_an_attribute_may_be_left_to_the_constructor(way: Callable[[Any], Any]) -> None:
    env = Locked()
    assert way(env).lock is not env.lock


def test_a_local_function_refers_to_the_copy() -> None:
    class Scaled(LunarLander):
        def __init__(self, rule: Callable[[], int]) -> None:
            super().__init__(1)
            self.scale, self.rule = 1, rule
            self.scaled: Callable[[], int] = lambda: self.scale

    env: Any = Scaled(lambda: 5)
    copied = copy.deepcopy(env)
    copied.scale = 2
    assert (copied.scaled(), copied.rule(), env.scaled()) == (2, 5, 1)
    env.scaled = lambda: 7
    assert copy.deepcopy(env).scaled() == 7


def test_cloudpickle_takes_functions_that_are_arguments() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    from box2dpy.envs import AirHockey

    env = AirHockey(2, opponent=lambda seen: 0.1 * seen[:, :2])
    env.reset(seed=1)
    copied = pickle.loads(cloudpickle.dumps(env))
    for each in (env, copied):
        each.step(np.zeros((2, 2)))
    assert copied.batch.state_hash().tolist() == env.batch.state_hash().tolist()


def test_a_shared_scheduler_is_shared_by_copies_and_made_again_from_pickles() -> None:
    scheduler = b2.Scheduler(2)
    env = LunarLander(3, workers=scheduler)
    env.reset(seed=1)
    twins = pickle.loads(pickle.dumps([env, LunarLander(3, workers=scheduler)]))
    copied = copy.deepcopy(env)
    assert copied._made_with[1]["workers"] is scheduler
    assert twins[0]._made_with[1]["workers"].workers == 2
    assert twins[0]._made_with[1]["workers"] is twins[1]._made_with[1]["workers"]
    for each in (env, copied, twins[0]):
        each.step([0, 2, 2])
        assert each.batch.state_hash().tolist() == env.batch.state_hash().tolist()
    assert copy.copy(scheduler) is scheduler
    assert pickle.loads(pickle.dumps(b2.Scheduler(3, executor=ThreadPoolExecutor(1)))).workers == 3
