"""`examples/ray_rollouts.py`: it learns, and the same weights and hashes come from every number and kind of actors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ..patience import PATIENCE

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


def test_a_cluster_of_two_nodes_gives_the_same_bits() -> None:
    """In a process of its own, because Ray leaves threads and environment variables behind."""
    pytest.importorskip("ray", reason="ray is not installed (make nightly installs it)")
    program = """
import numpy as np, ray, ray_rollouts
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
ray.init(address=cluster.address)
assert len(ray.nodes()) == 2
alone, spread = ray_rollouts.learn("here", 1, 60, 3), ray_rollouts.learn("ray", 2, 60, 3)
print("equal", np.array_equal(spread.hashes, alone.hashes) and np.array_equal(spread.weights, alone.weights))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(EXAMPLES), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert "equal True" in done.stdout, done.stderr[-2000:]
