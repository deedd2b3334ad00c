"""Writes the code that follows from the lists in csrc/include/lists: `python tools/lists.py`.

Each place is marked by the lines `generated: NAME, see tools/lists.py` and `end of generated`, in the comments of its
language. A test says when a place is out of date. What is cheap to read at import is not generated: numbers, ranges and
texts are in the string `b2d_lists` of the compiled core.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("box2dpy/_bridge/choices.py", "box2dpy/_world/options.py", "box2dpy/_world/state.py")
MARK = re.compile(
    r"(?P<head>(?P<indent>[ \t]*)(?:#|//) generated: (?P<name>[\w ]+), see tools/lists\.py\n)"
    r"(?P<body>.*?)(?P<tail>[ \t]*(?:#|//) end of generated\n)",
    re.DOTALL,
)
Rows = list[list[str]]
MAKERS: dict[str, Callable[[], Iterator[str]]] = {}


def _build() -> Any:
    spec = importlib.util.spec_from_file_location("_build", ROOT / "box2dpy" / "_build.py")
    assert spec is not None
    assert spec.loader is not None
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


BUILD = _build()


def rows(name: str) -> list[list[str]]:
    """The entries of a list, strings without their quotes."""
    path = BUILD.INCLUDE / "lists" / f"{name}.def"
    return [[BUILD.literal(field) for field in row] for row in BUILD.list_rows(path)]


def makes(name: str) -> Callable[[Callable[[], Iterator[str]]], Callable[[], Iterator[str]]]:
    """A decorator: the function gives the lines of the places of this name."""

    def add(function: Callable[[], Iterator[str]]) -> Callable[[], Iterator[str]]:
        MAKERS[name] = function
        return function

    return add


@makes("choices")
def choices() -> Iterator[str]:
    names = {row[2]: row[3] for row in rows("options") if row[3] and row[2] != "bool"}
    for kind, words in sorted(names.items()):
        values = [each for _, each in rows(words)] if words == "mixing" else words.split()
        flags = "bool | " if values[0] == "False" else ""
        shown = ", ".join(f'"{each}"' for each in values if each not in ("False", "True"))
        yield f"{kind}: TypeAlias = {flags}Literal[{shown}]"


@makes("options")
def options() -> Iterator[str]:
    for _, name, kind, *_, text in rows("options"):
        if text:
            yield f"{name}: Option[{kind}] = Option()"


@makes("types of options")
def types_of_options() -> Iterator[str]:
    for _, name, kind, *_, text in rows("options"):
        if text:
            yield f"{name}: {kind}{' | None' if name == 'restitution_threshold' else ''}"


def written(text: str) -> str:
    """A file with present places."""

    def fill(mark: re.Match[str]) -> str:
        lines = "".join(f"{mark['indent']}{line}".rstrip() + "\n" for line in MAKERS[mark["name"]]())
        return f"{mark['head']}{lines}{mark['tail']}"

    return MARK.sub(fill, text)


def stale() -> list[str]:
    """The files that have places out of date."""
    return [name for name in PLACES if (text := (ROOT / name).read_text("utf-8")) != written(text)]


if __name__ == "__main__":
    for each in stale():
        path = ROOT / each
        path.write_text(written(path.read_text("utf-8")), "utf-8")
        print(each)
