"""`examples/lunar_lander_ppo.py` learns: its mean return rises in the first steps (the whole run: `make nightly`)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import lunar_lander_ppo  # noqa: E402  (it is no package)

from ..seeds import arrays  # noqa: E402


@pytest.mark.slow
def test_the_mean_return_rises() -> None:
    """From -180 to -80, in 200,000 steps."""
    history = lunar_lander_ppo.train(3_000_000, seed=0, goal=-80.0)
    assert history[0][1] < -120
    assert history[-1][1] >= -80
    assert history[-1][0] < 500_000


def test_the_gradient_is_that_of_finite_differences() -> None:
    rng = arrays(0)
    net = lunar_lander_ppo.Net((3, 4, 5, 2), 1.0, rng)
    net.weights = [weights.astype(np.float64) for weights in net.weights]
    x, slopes = rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
    net(x)
    gradients = net.gradients(slopes)
    for weights, found in zip(net.weights, gradients):
        place = tuple(0 for _ in weights.shape)
        before = weights[place]
        sums = []
        for change in (1e-5, -1e-5):
            weights[place] = before + change
            sums.append((net(x) * slopes).sum())
        weights[place] = before
        np.testing.assert_allclose(found[place], (sums[0] - sums[1]) / 2e-5, rtol=1e-5, atol=1e-8)
