"""Random calls of the whole public API raise only what is documented, and leave a valid world."""

from __future__ import annotations

import pytest

import box2dpy as b2

from .calls import public_attributes, run


@pytest.mark.parametrize("seed", [1, 5, 9, 13, 16])
def test_random_calls_raise_only_documented_exceptions(seed: int) -> None:
    assert run(6000, seed).failures == []


def test_the_random_calls_reach_the_whole_interface_of_worlds_bodies_and_shapes() -> None:
    """What is never drawn in a way that works would not be tested: each attribute gave a value at least once."""
    classes = {each.__name__ for each in (b2.World, b2.Body, b2.Shape, b2.Vec2, b2.DrawList, b2.Chain)}
    reached = set()
    for seed in range(100, 160, 6):
        reached |= run(12_000, seed).returned
    missing = {each for each in public_attributes() - reached if each[0] in classes}
    assert missing == set()
