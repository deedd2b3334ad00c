"""Strategies of csrc/lab that may not change the bits, and orders whose own bits no option may change."""

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
    ("warm_start", "tags"),
    *(("broadphase", name) for name in b2.lab.NAMES["broadphase"] if name not in (*BROADPHASES, "auto")),
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
    strategies = b2.lab.Strategies(**{option: value})  # type: ignore[arg-type]
    assert hash_after(name, strategies=strategies) == expected(name)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("islands", b2.lab.NAMES["islands"][1:])
def test_islands_do_not_change_the_bits_when_nothing_sleeps(name: str, islands: str) -> None:
    assert hash_after(name, islands=islands, sleeping=False) == expected(name, sleeping=False)


@pytest.mark.parametrize("name", SCENES)
def test_islands_in_parallel_give_the_bits_of_one_serial_order(name: str) -> None:
    serial = hash_after(name, schedule="serial")
    assert hash_after(name, schedule="islands") == serial
    assert hash_after(name, strategies=b2.lab.Strategies(schedule="islands", store="lookup")) == serial


@pytest.mark.parametrize("order", [each for each in b2.lab.NAMES["order"] if each != "arrival"])
def test_every_order_gives_the_same_bits_serially_and_in_parallel(order: str) -> None:
    islands, serial = (b2.lab.Strategies(schedule=each, order=order) for each in ("islands", "serial"))  # type: ignore
    assert hash_after("mixed_pile", strategies=islands) == hash_after("mixed_pile", strategies=serial)


def test_the_order_of_arrival_is_that_of_the_ids_with_one_worker_and_any_with_more() -> None:
    strategies = b2.lab.Strategies(schedule="islands", order="arrival")
    alone = hash_after("mixed_pile", schedule="islands")
    scene = scenes.get("mixed_pile")
    for workers in (1, 3):
        with scene.world(workers=workers, strategies=strategies) as world:
            state = scene.build(world, SCENES["mixed_pile"])
            for number in range(60):
                scene.advance(world, state, number)
                world.step(1 / 60, 4)
            world.validate()
            assert workers > 1 or world.state_hash() == alone


@pytest.mark.parametrize("name", SCENES)
def test_slots_have_one_hash_for_all_widths(name: str) -> None:
    assert len({hash_after(name, schedule="slots", simd=simd) for simd in b2.cpu_features()}) == 1


def test_an_order_without_warm_starting_is_the_same_serially_and_in_parallel() -> None:
    cold = {"warm_starting": False}
    assert hash_after("menagerie", schedule="islands", **cold) == hash_after("menagerie", schedule="serial", **cold)
