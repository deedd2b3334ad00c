"""Warm starting by a sorted cache of tags gives the bits of impulses that stay in their lanes."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES

from ..golden.matrix import SIMD, has

LAB = "tags" in b2.lab.NAMES["warm_start"]
needs_lab = pytest.mark.skipif(not LAB, reason="a build without the lab")
KINDS: tuple[Any, Any] = ("persistent", "tags")
SCALES = {"large_pyramid": 0.2, "mixed_pile": 0.3, "menagerie": 1.0, "spinner": 0.05, "tumbler": 0.3, "compounds": 0.1}


@needs_lab
@pytest.mark.parametrize("name", SCALES)
def test_tags_give_the_bits_of_persistent(name: str) -> None:
    scene = SCENES[name]
    worlds = [scene.world(strategies=b2.lab.Strategies(warm_start=kind)) for kind in KINDS]
    states = [scene.build(world, SCALES[name]) for world in worlds]
    for k in range(200):
        for world, state in zip(worlds, states, strict=True):
            scene.advance(world, state, k)
            world.step(1 / 60, 4)
        if k % 10 == 9:
            assert worlds[0].state_hash() == worlds[1].state_hash(), k
    worlds[1].validate()


@needs_lab
def test_tags_survive_copies_and_changes_between_steps() -> None:
    def heap(kind: Any) -> b2.World:
        world = b2.World(strategies=b2.lab.Strategies(warm_start=kind))
        world.create_static_body((0, -1)).create_shape(b2.Box(30, 1))
        for k in range(30):
            world.create_dynamic_body((k % 5 * 1.02, 0.5 + k // 5)).create_shape(b2.Box(0.5, 0.5))
        return world

    worlds = [heap("persistent"), heap("tags")]
    for k in range(90):
        if k == 20:
            worlds = [world.clone() for world in worlds]
        if k == 40:
            worlds = [pickle.loads(pickle.dumps(world)) for world in worlds]
        assert worlds[1].strategies.warm_start == "tags"
        for world in worlds:
            if k % 30 == 10:
                world.body(3 + k // 30).shapes[0].geometry = b2.Box(0.4, 0.5)
            if k % 30 == 20:
                world.body(12 + k // 30).destroy()
            world.step(1 / 60 if k % 7 else 1 / 120)
        assert worlds[0].state_hash() == worlds[1].state_hash(), k


def test_without_warm_starting_every_width_gives_the_golden_hash() -> None:
    """Golden: the separations of the first substep come from the prepare pass then."""
    scene, found = SCENES["mixed_pile"], set()
    for simd in filter(has, SIMD):
        for workers in (1, 2):
            with scene.world(simd=simd, workers=workers, warm_starting=False) as world:
                state = scene.build(world, 0.2)
                for k in range(60):
                    scene.advance(world, state, k)
                    world.step(1 / 60, 4)
                found.add(world.state_hash())
    assert found == {0x1FAED049D47C08BC}
