"""Frozen programs: where PyInstaller finds `hook-box2dpy.py` (the entry point `pyinstaller40` in pyproject.toml)."""

from __future__ import annotations

from pathlib import Path


def hook_dirs() -> list[str]:
    return [str(Path(__file__).parent)]
