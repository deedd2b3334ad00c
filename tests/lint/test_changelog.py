"""CHANGELOG.md: the version of the package on top, and every entry says what kind of change it is."""

from __future__ import annotations

import re
from pathlib import Path

import box2dpy

ROOT = Path(__file__).resolve().parents[2]
LINES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
KINDS = ("API: ", "BEHAVIOUR: ", "PERF: ", "FIX: ")


def test_versions_agree() -> None:
    first = next(line for line in LINES if line.startswith("## "))
    project = re.search(
        r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert project is not None
    assert first.split()[1] == project[1] == box2dpy.__version__


def test_every_entry_starts_with_its_kind() -> None:
    start = next(k for k, line in enumerate(LINES) if line.startswith("## "))
    entries = [line[2:] for line in LINES[start:] if line.startswith("- ")]
    assert entries
    assert [entry for entry in entries if not entry.startswith(KINDS)] == []


def test_there_is_nothing_but_headings_and_entries_below_the_first_version() -> None:
    start = next(k for k, line in enumerate(LINES) if line.startswith("## "))
    assert [line for line in LINES[start:] if line and not line.startswith(("## ", "- ", "  "))] == []
