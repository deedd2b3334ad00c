"""`Scene`: one record that a browser, a benchmark, a test or a page of the documentation can run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .. import World

Build = Callable[["World", float], Any]
"""Fills an empty world. The number scales the scene down (1 is the whole). The step function receives the result."""

Step = Callable[["World", Any, int], bool]
"""Runs before each step with the state and the step's number; true when it created or destroyed bodies."""


@dataclass(frozen=True)
class Scene:
    """A scene of the registry `box2dpy.scenes.SCENES`.

    Attributes:
        name: its key in the registry.
        sentence: what one sees, in one sentence.
        build: fills an empty world, `build(world, scale)`, and returns the state that `step` needs, or None.
        step: what happens before each step, `step(world, state, number)`, or None; true when bodies came or went.
        steps: how many steps a benchmark runs.
        options: keywords for `World`, for example `{"sleeping": False}`.
        camera: the part to show: left, bottom, right, top, in metres.
        seed: of the random numbers that `build` draws; None when it draws none.
        bodies, shapes, joints: counts at full scale after the last step.
    """

    name: str
    sentence: str
    build: Build
    steps: int
    camera: tuple[float, float, float, float]
    bodies: int
    shapes: int
    joints: int = 0
    step: Step | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def world(self, **options: Any) -> World:
        """A new world with the scene's options and these, still empty."""
        from .. import World  # here: the package imports no scene, a scene needs the package

        return World(**{**self.options, **options})

    def advance(self, world: World, state: Any, number: int) -> bool:
        """Runs the step function, if there is one; true when bodies came or went."""
        return self.step is not None and self.step(world, state, number)


def shrunk(count: int, scale: float, least: int = 2) -> int:
    """`count` at this scale, but not under `least`."""
    return max(least, round(count * scale))
