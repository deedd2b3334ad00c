"""`examples/continuous_ppo.py` learns: a Hopper's mean return rises in the first steps."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import continuous_ppo  # noqa: E402  (it is no package)

from ..seeds import arrays  # noqa: E402


@pytest.mark.slow
def test_the_mean_return_rises() -> None:
    """From 20 to beyond 60, in 300,000 steps."""
    history, _, _ = continuous_ppo.train("Hopper", 300_000, seed=0)
    assert history[0][1] < 35
    assert history[-1][1] > 60


def test_observations_are_brought_to_mean_0_and_deviation_1() -> None:
    rng, normal = arrays(0), continuous_ppo.Normal(3)
    rows = rng.normal((1, -5, 100), (0.1, 3, 20), (1000, 3))
    for part in np.split(rows, [10, 200, 777]):
        normal.see(part)
    np.testing.assert_allclose(normal.mean, rows.mean(axis=0), rtol=1e-4)
    np.testing.assert_allclose(normal.variance, rows.var(axis=0), rtol=1e-3)
    seen = normal(rows)
    np.testing.assert_allclose([seen.mean(axis=0), seen.std(axis=0)], [[0] * 3, [1] * 3], atol=0.01)


def test_the_deviations_shrink_where_that_is_better() -> None:
    spread = continuous_ppo.Spread(2)
    before = spread.log.copy()
    for _ in range(10):
        spread.learn(np.array([1.0, -1.0]), 0.01)
    assert spread.log[0] < before[0] - 0.05
    assert spread.log[1] > before[1] + 0.05
