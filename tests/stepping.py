"""Steps of whatever has steps: a world, a batch, a scene."""

from __future__ import annotations

from typing import Any


def advance(world: Any, count: int, *arguments: Any) -> None:
    """Makes steps, all with the same arguments."""
    for _ in range(count):
        world.step(*arguments)
