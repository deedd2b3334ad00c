"""Fixtures of the tests of the API."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a recording is written."""
    return tmp_path / "world.b2d"
