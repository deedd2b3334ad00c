"""Strategies of csrc/lab that may not change the bits, each against the default on two workers."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import box2dpy as b2
from box2dpy import scenes

from .matrix import BROADPHASES

SCENES = {"large_pyramid": 0.2, "tumbler": 0.3, "mixed_pile": 0.3, "cranes": 1.0, "menagerie": 1.0}
EQUAL: list[tuple[str, str]] = [
    ("schedule", "batches"),
    *(("broadphase", name) for name in b2.strategies()["broadphase"] if name not in (*BROADPHASES, "auto")),
]


def hash_after(name: str, steps: int = 60, **options: Any) -> int:
    scene = scenes.get(name)
    with scene.world(workers=2, **options) as world:
        state = scene.build(world, SCENES[name])
        for number in range(steps):
            scene.advance(world, state, number)
            world.step(1 / 60, 4)
        world.validate()
        return world.state_hash()


@cache
def expected(name: str, **options: Any) -> int:
    return hash_after(name, **options)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(("option", "value"), EQUAL)
def test_strategies_that_decide_speed_only_give_the_bits_of_the_default(name: str, option: str, value: str) -> None:
    assert hash_after(name, **{option: value}) == expected(name)
