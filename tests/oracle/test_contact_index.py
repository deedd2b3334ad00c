"""After many searches the contacts of a shape are found in a list by shape; the results are those of searches."""

from __future__ import annotations

import copy

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance


def ground(seed: int) -> b2.World:
    """Tiles with balls on them, and a compound body on other tiles."""
    choose = draws(seed)
    world = b2.World()
    floor = world.create_static_body()
    for k in range(120):
        floor.create_shape(b2.Box(0.5, 0.5, center=(k, 0)), friction=choose.random())
    for k in range(60):
        world.create_dynamic_body((0.5 + k, 0.9)).create_shape(b2.Circle(0.4))
    long = world.create_dynamic_body((90, 1))
    for k in range(50):
        long.create_shape(b2.Box(0.5, 0.5, center=(k - 25, 0)))
    advance(world, 10)
    return world


@pytest.mark.parametrize("seed", range(4))
def test_changes_of_many_shapes_give_the_same_bits_as_in_worlds_that_search_each_time(seed: int) -> None:
    choose, listed = draws(seed), ground(seed)
    searched = copy.copy(listed)  # copied again before each change: a copy has no list
    for turn in range(3):
        for _ in range(60):
            shape = choose.choice(list(listed.shapes))
            what = choose.choice(["destroy", "friction", "filter", "geometry", "sensor", "presolve"])
            searched = copy.copy(searched)
            for world in (listed, searched):
                each = world.shape(shape.index)
                if what == "destroy":
                    each.destroy()
                elif what == "friction":
                    each.friction = 0.1 * turn
                elif what == "filter":
                    each.filter = b2.Filter(mask=1 << turn)
                elif what == "geometry":
                    each.geometry = b2.Box(0.4, 0.4, center=(each.index % 100, 0.1))
                elif what == "sensor":
                    each.sensor = not each.sensor
                else:
                    each.presolve = not each.presolve
            assert listed.state_hash() == searched.state_hash()
        for _ in range(10):
            listed.step()
            searched.step()
            assert listed.state_hash() == searched.state_hash()
        assert [c.index for c in listed.contacts] == [c.index for c in searched.contacts]
        listed.validate()


def test_a_list_by_shape_is_not_used_after_a_restore() -> None:
    world = ground(0)
    state, start = world.save(), world.state_hash()
    hashes = set()
    for _ in range(3):
        tiles = [shape for shape in world.shapes if shape.body.index == 0]
        for tile in tiles[:100]:
            tile.destroy()
        advance(world, 10)
        hashes.add(world.state_hash())
        world.validate()
        world.restore(state)
        assert world.state_hash() == start
    assert len(hashes) == 1
