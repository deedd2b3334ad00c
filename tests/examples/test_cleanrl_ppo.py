"""`examples/cleanrl_ppo.py` trains with discrete and continuous actions, where torch is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium", minversion="1.1")
pytest.importorskip("torch")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import cleanrl_ppo  # noqa: E402  (it is no package)


@pytest.mark.parametrize("env", ["box2dpy/LunarLander-v0", "box2dpy/BipedalWalker-v0"])
def test_it_trains(env: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--steps", "32768", "--worlds", "64", "--length", "64", "--device", "cpu"]
    monkeypatch.setattr(sys, "argv", ["cleanrl_ppo.py", "--env", env, *options])
    history = cleanrl_ppo.train(cleanrl_ppo.options())
    assert len(history) == 8
    assert np.isfinite(history[-1])
