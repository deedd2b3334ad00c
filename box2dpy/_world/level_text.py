"""Levels as text: JSON that a person can read and edit."""

from __future__ import annotations

import json
import os
from typing import Any

from .._bridge.arguments import file_path
from .._bridge.errors import LevelError
from .._bridge.files import replace_file

_WIDTH = 120


def level_text(value: Any, indent: int = 0) -> str:
    """JSON in which whatever fits in a line is in one line."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    pad = " " * (indent + 2)
    if len(line) + indent < _WIDTH or not isinstance(value, (dict, list)):
        return line
    if isinstance(value, list):
        if all(isinstance(each, (int, float)) for each in value):
            return line
        if all(isinstance(each, list) for each in value):  # points: as many as fit in each line
            return f"[\n{_filled([json.dumps(each) for each in value], pad)}\n{' ' * indent}]"
        parts = [level_text(each, indent + 2) for each in value]
        return f"[\n{pad}" + f",\n{pad}".join(parts) + f"\n{' ' * indent}]"
    pairs = [f"{json.dumps(key, ensure_ascii=False)}: {level_text(each, indent + 2)}" for key, each in value.items()]
    return f"{{\n{_filled(pairs, pad)}\n{' ' * indent}}}"


def _filled(parts: list[str], pad: str) -> str:
    """The parts in lines; one of several lines begins a line."""
    lines = [""]
    for k, part in enumerate(parts):
        text = part + ("," if k + 1 < len(parts) else "")
        if lines[-1] and ("\n" in part or "\n" in lines[-1] or len(lines[-1]) + len(text) + 1 + len(pad) > _WIDTH):
            lines.append("")
        lines[-1] += f" {text}" if lines[-1] else text
    return "\n".join(pad + line for line in lines)


def save(level: dict[str, Any], path: str | os.PathLike[str]) -> None:
    text = level_text(level) + "\n"
    replace_file(file_path(path), text.encode(errors="backslashreplace"))  # as JSON writes what UTF-8 has no bytes for


def load(path: str | os.PathLike[str]) -> Any:
    name = file_path(path)
    with open(name, encoding="utf-8") as file:
        try:
            return json.load(file)
        except (ValueError, RecursionError) as error:
            raise LevelError(f"{name} is no JSON: {error}") from None
