"""Code that follows from the lists of the core is up to date."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def load(root: Path) -> Any:
    """tools/lists.py of a checkout."""
    spec = importlib.util.spec_from_file_location("lists", root / "tools" / "lists.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_generated_from_the_lists_is_up_to_date() -> None:
    assert load(ROOT).stale() == [], "run `python tools/lists.py`"
