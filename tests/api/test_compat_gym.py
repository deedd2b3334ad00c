"""Gymnasium's Box2D environments, unmodified, on `box2dpy.compat`.

The figures of the bindings (Box2D 2.3.10, Gymnasium 1.4) that these tests compare with were measured by
`python -m benchmarks compat`; docs/results.md has more episodes. An episode depends on its first contact, so
that single episodes differ and their distributions agree.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import mean, median

import pytest

from ..patience import finished
from ..seeds import shifted

pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")
pytest.importorskip("pygame", reason="the extra 'gym' is not installed")
ROOT = Path(__file__).resolve().parents[2]


def episodes(name: str, policy: str, count: int) -> list[tuple[float, int, bool]]:
    """Return, length and end of the episodes of the first seeds."""
    words = ["-m", "box2dpy.benchmarks", "compat", "--child", "1", name, policy, str(count)]
    done = finished([sys.executable, *words], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return [tuple(row) for row in json.loads(done.stdout)["rows"]]


def test_the_heuristic_lands_the_lander() -> None:
    rows = episodes("lander", "heuristic", 10)
    assert 240 < median(row[0] for row in rows) < 290  # the bindings: 260
    assert sum(row[0] >= 200 for row in rows) >= 7  # 9
    assert sum(row[2] for row in rows) >= 8  # 10: it falls asleep on the ground
    assert 180 < median(row[1] for row in rows) < 300  # 215


def test_the_lander_falls_with_a_random_policy() -> None:
    rows = episodes("lander", "random", 10)
    assert -220 < median(row[0] for row in rows) < -80  # the bindings: -190
    assert 80 < median(row[1] for row in rows) < 125  # 99
    assert sum(row[2] for row in rows) >= 9  # of 500 episodes one lands by chance, and plays on to the limit of time


def test_the_walker_starts_on_its_feet_and_walks() -> None:
    rows = episodes("walker", "heuristic", 4)
    assert mean(row[0] for row in rows) > -100  # the bindings: 31; a walker that falls at once has -120
    assert max(row[1] for row in rows) > 300  # 1600


def test_the_car_follows_the_track() -> None:
    [row] = episodes("car", "heuristic", 1)
    assert row[0] == pytest.approx(276.6, abs=35)  # of the bindings
    assert row[1] == 400


def test_pictures_are_drawn() -> None:
    program = (
        "import os; os.environ['SDL_VIDEODRIVER'] = 'dummy'\n"
        "import box2dpy.compat; box2dpy.compat.install()\n"
        "import gymnasium\n"
        "for name in ('LunarLander-v3', 'BipedalWalkerHardcore-v3', 'CarRacing-v3'):\n"
        "    env = gymnasium.make(name, render_mode='rgb_array')\n"
        "    env.reset(seed=1)\n"
        f"    env.action_space.seed({shifted(2)})\n"
        "    for _ in range(3):\n"
        "        env.step(2 if name.startswith('Lunar') else env.action_space.sample())\n"
        "    print(env.render().std() > 10)\n"
    )
    done = finished([sys.executable, "-c", program])
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-3:] == ["True"] * 3
