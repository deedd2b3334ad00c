"""`examples/ray_rollouts.py`: it learns, and the same weights and hashes come from every number and kind of actors."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..patience import finished

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import ray_rollouts  # noqa: E402  (it is no package)


@pytest.fixture(scope="module")
def alone() -> ray_rollouts.Result:
    return ray_rollouts.learn("here", 1, 60, 4)


def test_the_poles_stand_longer(alone: ray_rollouts.Result) -> None:
    assert alone.returns[-1] > 1.2 * alone.returns[0]


@pytest.mark.parametrize(("place", "actors"), [("here", 3), ("processes", 2)])
def test_actors_in_other_processes_give_the_same_bits(alone: ray_rollouts.Result, place: str, actors: int) -> None:
    result = ray_rollouts.learn(place, actors, 60, 4)
    assert np.array_equal(result.hashes, alone.hashes)
    assert np.array_equal(result.weights, alone.weights)


def test_an_actor_that_dies_is_made_again_and_gives_the_same_bits() -> None:
    parts, weights = [(0, 5), (5, 5)], np.ones(ray_rollouts.WEIGHTS)
    with ray_rollouts.in_this_process(parts) as here, ray_rollouts.in_processes(parts) as away:
        for episode in (0, 1, 2, 1):  # the last: the answer was lost
            expected = here(weights, episode)
            if episode == 2:
                victim = multiprocessing.active_children()[0]
                victim.kill()
                victim.join()
            for one, other in zip(away(weights, episode), expected, strict=True):
                assert np.array_equal(one.hashes, other.hashes)
                assert np.array_equal(one.noise, other.noise)


def landers() -> Any:
    """Two landers in the middle of their episodes."""
    from box2dpy.envs import LunarLander

    env = LunarLander(2)
    env.reset(seed=1)
    for _ in range(20):
        env.step([2, 0])
    return env


def hashes_later(episodes: Any) -> list[int]:
    """The hashes of the worlds of two saved episodes after further steps in a new environment."""
    from box2dpy.envs import LunarLander

    env = LunarLander(2)
    env.restore_episodes(episodes)
    for _ in range(50):
        env.step([1, 3])
    hashes: list[int] = env.batch.state_hash().tolist()
    return hashes


def test_saved_episodes_go_on_with_the_same_bits() -> None:
    """By pickle here, and by the object store of Ray in the cluster below."""
    pytest.importorskip("gymnasium")
    env = landers()
    hashes = hashes_later(pickle.loads(pickle.dumps(env.save_episodes())))
    for _ in range(50):
        env.step([1, 3])
    assert hashes == env.batch.state_hash().tolist()


def test_a_cluster_of_two_nodes_gives_the_same_bits() -> None:
    """In a process of its own, because Ray leaves threads and environment variables behind."""
    pytest.importorskip("ray", reason="ray is not installed (make nightly installs it)")
    pytest.importorskip("gymnasium")
    program = "from __future__ import annotations\n" + inspect.getsource(landers) + inspect.getsource(hashes_later)
    program += """
import numpy as np, ray, ray_rollouts
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
ray.init(address=cluster.address)
assert len(ray.nodes()) == 2
alone, spread = ray_rollouts.learn("here", 1, 60, 3), ray_rollouts.learn("ray", 2, 60, 3)

parts, weights = [(100, 5), (105, 5)], np.ones(4)
with ray_rollouts.in_this_process(parts) as here, ray_rollouts.on_ray(parts) as away:
    for episode in range(3):
        if episode == 2:
            ray.kill(ray.get_actor("worlds from 105"), no_restart=False)
        expected, got = here(weights, episode), away(weights, episode)
        assert all(np.array_equal(a.hashes, b.hashes) for a, b in zip(expected, got)), episode

env = landers()
away = ray.remote(num_cpus=1)(hashes_later).remote(ray.put(env.save_episodes()))
for _ in range(50):
    env.step([1, 3])
assert ray.get(away) == env.batch.state_hash().tolist()
print("equal", np.array_equal(spread.hashes, alone.hashes) and np.array_equal(spread.weights, alone.weights))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(EXAMPLES), os.environ.get("PYTHONPATH", "")])}
    done = finished([sys.executable, "-c", program], env=environment)
    assert "equal True" in done.stdout, done.stderr[-2000:]
