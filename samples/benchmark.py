"""Benchmark: one sample for each scene of the registry that benchmarks and golden tests use."""

from __future__ import annotations

from functools import cache
from typing import Any

import box2dpy as b2
from box2dpy.scenes import SCENES, Scene

from ._sample import Sample, Slider
from ._script import source_of


class Benchmark(Sample):
    """A scene of `box2dpy.scenes`, in full size or reduced."""

    scene: Scene
    size = Slider(1.0, 0.05, 1.0, restart=True)

    def build(self, world: b2.World) -> None:
        self.state: Any = self.scene.build(world, self.size * self.scale)
        self.number = 0

    def step(self, world: b2.World) -> None:
        self.scene.advance(world, self.state, self.number)
        self.number += 1

    @classmethod
    @cache
    def source(cls) -> str:
        """The functions of the scene."""
        return source_of(*(part for part in (cls.scene.build, cls.scene.step) if part is not None))

    def status(self) -> str:
        counters = self.world.counters
        return (
            f"{counters.bodies} bodies, {counters.touching} touching contacts, {self.world.profile.step:.2f} ms a step"
        )


for _scene in SCENES.values():
    type(
        f"Benchmark_{_scene.name}",
        (Benchmark,),
        {
            "__doc__": _scene.sentence,
            "__module__": __name__,
            "name": _scene.name.replace("_", " ").capitalize(),
            "category": "Benchmark",
            "scene": _scene,
            "options": dict(_scene.options),
            "camera": _scene.camera,
        },
    )
