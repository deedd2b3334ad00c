"""Modules of the checkout that no package has: programs of the documents, scripts, tools."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any


def loaded(path: Path) -> Any:
    """A new module from a file."""
    spec = importlib.util.spec_from_file_location(f"loaded_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # NamedTuple looks its module up
    spec.loader.exec_module(module)
    return module
