"""`Run`: a running sample with its world, its settings and its clock. It needs no window and no drawing library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import box2dpy as b2

from ._sample import Camera, Sample, tidy


class Run:
    """A sample that has been built and can be stepped. Close it, or use it as a context.

    Args:
        kind: the class of the sample.
        scale: fraction of a large scene to build.
        options: keywords for `World` that override those of the sample.
        values: values of controls, by name.
        demo: play the keys of `Sample.demo` until somebody takes over.
    """

    def __init__(
        self,
        kind: type[Sample],
        *,
        scale: float = 1.0,
        options: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
        demo: bool = False,
    ) -> None:
        self.kind = kind
        self.demo = demo and kind.has_demo()
        self.hertz, self.substeps = kind.hertz, kind.substeps
        self.steps = 0
        self.sample = kind(scale)
        names = {control.name for control in kind.controls()}
        for name, value in (values or {}).items():
            if name in names:
                setattr(self.sample, name, value)
        self.world = self.sample.world = b2.World(**{**kind.options, **(options or {})})
        try:
            self.sample.build(self.world)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes all worlds of the sample."""
        for world in self.worlds():
            world.close()

    def worlds(self) -> list[b2.World]:
        """The world of the sample and the worlds that it created with `Sample.other_world`."""
        return [self.world, *(world for world, _ in self.sample.others)]

    def step(self, count: int = 1) -> None:
        """Advances by whole frames. In each frame the sample's own `step` runs first, then its worlds are stepped."""
        dt = 1.0 / self.hertz
        for _ in range(count):
            if self.demo and not self.sample.taken_over:
                self._play()
            self.sample.step(self.world)
            for world in self.worlds():
                self.sample.advance(world, dt, self.substeps)
            self.steps += 1
            self.sample.time += dt

    def take_over(self) -> None:
        """Ends the demonstration: from now on only the user presses keys."""
        if not self.sample.taken_over:
            self.sample.taken_over = True
            if self.demo:
                self.sample.held.clear()

    def _play(self) -> None:
        """Holds the keys and moves the mouse of the demonstration."""
        sample, path = self.sample, self.kind.demo_path
        if path:
            part, share = divmod(0.5 * sample.time % len(path), 1.0)
            sample.pointer = b2.Vec2(*path[int(part)]).lerp(path[(int(part) + 1) % len(path)], share)
        before, sample.held = sample.held, set(sample.demonstrate().split())
        for name in sorted(sample.held - before):
            if name == "click":
                sample.click(sample.pointer)
            else:
                sample.key(name)

    def status(self) -> str:
        """The figures of the sample."""
        return tidy(self.sample.status())

    def set(self, name: str, value: Any) -> None:
        """Gives a control a value and informs the sample. The caller must rebuild the sample if the control has
        `restart`."""
        setattr(self.sample, name, value)
        self.sample.changed(name)

    def camera(self) -> Camera:
        """The part of the world to show: the camera of the sample, or everything if the sample has none."""
        return self.kind.camera if self.kind.camera is not None else self.bounds()

    def bounds(self) -> Camera:
        """A rectangle around everything in the worlds, with a margin."""
        boxes = [
            (lower.x + x, lower.y + y, upper.x + x, upper.y + y)
            for world, (x, y) in [(self.world, (0.0, 0.0)), *self.sample.others]
            for lower, upper in [world.bounds]
        ]
        left, bottom = min(box[0] for box in boxes), min(box[1] for box in boxes)
        right, top = max(box[2] for box in boxes), max(box[3] for box in boxes)
        margin = 0.05 * max(right - left, top - bottom, 1.0)
        return left - margin, bottom - margin, right + margin, top + margin
