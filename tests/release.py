"""Whether a version may be released: `python tests/release.py v0.1.0` names what is still missing."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def found(pattern: str, name: str) -> str:
    match = re.search(pattern, text(name), flags=re.MULTILINE)
    return match[1] if match else ""


def versions() -> dict[str, str]:
    """The version of each file that names it."""
    return {
        "pyproject.toml": found(r'^version = "(.+)"', "pyproject.toml"),
        "CITATION.cff": found(r"^version: (.+)", "CITATION.cff"),
        "conda/recipe.yaml": found(r"^  version: (.+)", "conda/recipe.yaml"),
    }


def missing(tag: str) -> list[str]:
    """What keeps this tag from being released, one sentence each."""
    wrong = [f"{name} has version {number}" for name, number in versions().items() if f"v{number}" != tag]
    if found(r'^REPOSITORY = "(.+)"', "setup.py").endswith(".invalid/box2dpy"):
        wrong.append("REPOSITORY in setup.py is a placeholder")
    if not re.search(rf"^## {re.escape(tag[1:])} \(\d{{4}}-\d\d-\d\d\)$", text("CHANGELOG.md"), flags=re.MULTILINE):
        wrong.append(f"CHANGELOG.md has no heading '## {tag[1:]} (YYYY-MM-DD)'")
    return wrong


if __name__ == "__main__":
    sentences = missing(sys.argv[1])
    print("\n".join(sentences) or "ready")
    sys.exit(bool(sentences))
