"""Every sample opens in a real window: 60 steps with the validator on, a picture that is not empty and that changes."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pytest

import samples

from ..patience import finished
from .screen import ROOT, missing, xvfb

ABSENT = missing()
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=f"no window to open samples in: {ABSENT}")
ALL = samples.load()


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("browser")
    with xvfb() as display:
        environment = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT), "LIBGL_ALWAYS_SOFTWARE": "1"}
        command = [sys.executable, "-m", "tests.samples.open_all", str(folder)]
        done = finished(command, cwd=ROOT, env=environment)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0, done.stderr[-3000:]
    return {row["name"]: row for row in rows}


@pytest.mark.parametrize("name", ALL, ids=[samples.slug(name) for name in ALL])
def test_every_sample_opens_in_a_window_and_its_picture_changes(name: str, seen: dict[str, dict[str, Any]]) -> None:
    row = seen[name]
    assert row["errors"] == []
    assert row["steps"] >= 50
    assert row["colors"] >= 5, row
    assert row["covered"] > 0.002, f"the picture is empty: {row}"
    assert row["changed"] > 15, f"nothing moves: {row}"


def test_every_panel_and_drawing_flag_draws(seen: dict[str, dict[str, Any]]) -> None:
    row = seen["tour"]
    assert row["errors"] == []
    assert row["tabs"] == 5 * ["Sample", "World", "Draw", "Inspect"]
    assert row["figures"] == 5 * ["Profile", "Counters", "Solver colours", "Islands", "Workers"]
