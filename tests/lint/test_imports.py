"""The layers of the Python side: _core <- private modules <- the package <- scenes <- benchmarks and samples."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import box2dpy

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "box2dpy"

# The modules that may touch the compiled module. A new one is added here on purpose.
MAY_USE_CORE = {
    "_arrays", "_body", "_body_array", "_callbacks", "_chain", "_cli", "_collision", "_contact", "_counters", "_definition", "_errors", "_events", "_fluids", "_geometry",
    "_handle", "_hits", "_island", "_joint", "_joint_types", "_lists", "_make_body", "_make_joint", "_make_special_joint", "_materials", "_objects",
    "_options", "_outlines", "_overlaps", "_queries", "_scheduler", "_shape", "_special_joint", "_tables", "_world",
}  # fmt: skip
# Private modules that programs outside the package use until they have a public face.
SHARED_PRIVATE = {"_draw"}


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports(path: Path, *, at_import: bool = False) -> Iterator[str]:
    """Full dotted names that a file of the package, of `benchmarks` or of `samples` imports; with `at_import` only those that
    run when it is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    home = list(parts if path.name == "__init__.py" else parts[:-1])
    home = home[:-1] if path.name == "__init__.py" else home

    def walk(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if at_import and (is_type_checking(child) or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)):
                continue
            if isinstance(child, ast.Import):
                yield from (alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = home[: len(home) - child.level + 1] if child.level else []
                module = [*base, *(child.module.split(".") if child.module else [])]
                yield from (".".join([*module, alias.name]) for alias in child.names)
            else:
                yield from walk(child)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")))


def private_part(name: str) -> str | None:
    """`_world` of `box2dpy._world.world.World`."""
    parts = name.split(".")
    return (
        parts[1]
        if parts[0] == "box2dpy" and len(parts) > 1 and parts[1].startswith("_") and not parts[1].startswith("__")
        else None
    )


def test_only_listed_modules_touch_the_compiled_module() -> None:
    users = {path.stem for path in PACKAGE.glob("*.py") if any(private_part(name) == "_core" for name in imports(path))}
    assert users <= MAY_USE_CORE, f"these import _core: {sorted(users - MAY_USE_CORE)}"


def test_scenes_use_the_public_package_only() -> None:
    wrong = []
    for path in sorted((PACKAGE / "scenes").glob("*.py")):
        for name in imports(path):
            if not name.startswith("box2dpy."):
                continue
            parts = name.split(".")
            if parts[1] != "scenes" and parts[1] not in box2dpy.__all__:
                wrong.append(f"{path.name}: {name}")
    assert wrong == []


def test_benchmarks_and_samples_use_the_public_package_only() -> None:
    wrong = []
    for path in sorted([*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "samples").rglob("*.py")]):
        for name in imports(path):
            private = private_part(name)
            if private is not None and private not in SHARED_PRIVATE:
                wrong.append(f"{path.relative_to(ROOT)}: {name}")
    assert wrong == []


def test_package_does_not_import_its_users() -> None:
    users = ("benchmarks", "samples", "tests", "box2dpy.benchmarks", "box2dpy.samples", "box2dpy.scenes")
    wrong = [
        f"{path.name}: {name}"
        for path in sorted(PACKAGE.glob("*.py"))
        for name in imports(path, at_import=True)
        if any(name == user or name.startswith(user + ".") for user in users)
    ]
    assert wrong == []


def test_modules_import_each_other_without_cycles() -> None:
    modules = {path.stem: path for path in PACKAGE.glob("_*.py") if not path.stem.startswith("__")}
    graph = {
        stem: {
            part for name in imports(path, at_import=True) if (part := private_part(name)) in modules and part != stem
        }
        for stem, path in modules.items()
    }
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError with the cycle


def test_exports_are_there_sorted_and_public() -> None:
    names = [name for name in box2dpy.__all__ if not name.startswith("__")]
    assert names == sorted(names, key=lambda name: (name.lower(), name)) or names == sorted(names)
    assert len(set(names)) == len(names)
    for name in box2dpy.__all__:
        assert hasattr(box2dpy, name), name


def test_every_module_is_named_in_the_map_of_the_package() -> None:
    """`box2dpy/__init__.py` says which module has what."""
    text = box2dpy.__doc__ or ""
    named = {
        line.split()[0] for line in text.splitlines() if line.startswith("    ") and line.split()[0].startswith("_")
    }
    modules = {path.stem for path in PACKAGE.glob("_*.py") if not path.stem.startswith("__")} - {"_build"}
    modules -= SHARED_PRIVATE
    assert modules - named == set()
