"""Folders of benchmarks/: `engines` runs scenes, `quality` measures the physics, `output` shows results, `lab` measures
claims, `commands` uses all.

Imports go one way.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"

# A folder imports from itself and from these. The modules outside of the folders are what the user starts.
ALLOWED = {
    "engines": set(),
    "quality": {"engines"},
    "output": {"engines"},
    "lab": {"engines", "output"},
    "commands": {"engines", "quality", "output", "lab"},
}
STARTED = {"__init__.py", "__main__.py", "demo.py", "pyramid.py", "tumbler.py"}
MODULES = sorted(path for folder in ALLOWED for path in (BENCHMARKS / folder).glob("*.py"))


def imported_modules(path: Path) -> Iterator[tuple[str, ...]]:
    """Path within benchmarks/ of every name that a module imports from there, in functions and for types too."""
    folder = path.relative_to(BENCHMARKS).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ["benchmarks", *folder[: len(folder) - node.level + 1]] if node.level else []
            module = [*base, *(node.module.split(".") if node.module else [])]
            names = [[*module, alias.name] for alias in node.names]
        else:
            continue
        for parts in names:
            inside = parts[1:] if parts[0] == "box2dpy" else parts
            if inside[:1] == ["benchmarks"]:
                yield tuple(inside[1:])


def test_every_benchmark_module_is_in_a_folder() -> None:
    assert {path.name for path in BENCHMARKS.glob("*.py")} == STARTED
    folders = {path.parent.name for path in BENCHMARKS.rglob("*.py") if path.parent != BENCHMARKS}
    assert folders == set(ALLOWED)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(BENCHMARKS).as_posix())
def test_a_folder_imports_only_from_the_folders_below_it(path: Path) -> None:
    folder = path.parent.name
    assert {parts[0] for parts in imported_modules(path)} <= ALLOWED[folder] | {folder}


def test_modules_of_a_folder_import_each_other_without_cycles() -> None:
    graph = {}
    for path in MODULES:
        own = (path.parent.name, path.stem)
        graph[own] = {parts[:2] for parts in imported_modules(path)} - {own}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle


def test_programs_that_the_user_starts_import_only_commands() -> None:
    for name in STARTED:
        assert {parts[0] for parts in imported_modules(BENCHMARKS / name)} <= {"commands"}, name


def test_every_folder_is_a_package_that_is_installed() -> None:
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    for folder in ALLOWED:
        assert f'"box2dpy.benchmarks.{folder}": "benchmarks/{folder}"' in text
