"""Finalizers of the user in a garbage cycle with a world: the C world outlives every handle that can still call it."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from typing import Any

import pytest

import box2dpy as b2


class Player:
    """An object in a cycle with its world, whose finalizer uses the body and every other kind of C object."""

    log: list[Any] = []  # noqa: RUF012

    def __init__(self, world: b2.World, scheduler: b2.Scheduler) -> None:
        self.body = world.create_dynamic_body((1, 2))
        self.scheduler = scheduler
        self.positions = world.arrays.position
        world.on_contact_begin = self.hit

    def hit(self, event: b2.ContactBegin) -> None: ...

    def __del__(self) -> None:
        self.log.append((self.body.position, self.scheduler.workers, self.positions.tolist()))
        self.body.destroy()
        self.log.append(self.body.alive)
        world = self.body.world
        world.create_dynamic_body().create_shape(b2.Circle(1))
        world.step()
        self.log.append(len(world.bodies))


def test_a_finalizer_in_a_garbage_cycle_may_use_the_world() -> None:
    gc.collect()
    Player.log.clear()
    others = []
    for _ in range(50):
        player = Player(b2.World(), b2.Scheduler(1))
        del player
        gc.collect()
        # A freed C world would be used again for these.
        others.append(b2.World())
        others[-1].create_dynamic_body((7, 7))
    assert len(Player.log) == 150
    assert Player.log[:3] == [((1.0, 2.0), 1, [[1.0, 2.0]]), False, 1]
    assert all(each == Player.log[k % 3] for k, each in enumerate(Player.log))
    assert all(len(each.bodies) == 1 for each in others)


def test_a_world_in_a_garbage_cycle_is_freed() -> None:
    gc.collect()
    before = [type(each).__name__ for each in gc.get_objects()].count("__CDataGCP")
    for _ in range(20):
        world = b2.World()
        world.on_contact_begin = world.create_dynamic_body((1, 1)).apply_force
        assert world.arrays.position.shape == (1, 2)
        del world
    gc.collect()
    after = [type(each).__name__ for each in gc.get_objects()].count("__CDataGCP")
    assert after <= before


class Garbage:
    """In a circle, so that the collector finds it, at any allocation; its finalizer changes the world, and so on."""

    def __init__(self, world: b2.World, left: int) -> None:
        self.world, self.left, self.circle = world, left, self

    def __del__(self) -> None:
        if self.left and not self.world.closed:
            Garbage(self.world, self.left - 1)
            try:
                [*self.world.bodies][-1].destroy()
                self.world.create_dynamic_body(name="new", data=self.left).create_shape(b2.Circle(1), data=self.left)
            except b2.WorldLockedError:
                pass


@pytest.mark.parametrize("call", [
    b2.World.step, b2.World.save, b2.World.clone, copy.deepcopy, lambda world: world.snapshot(data=True),
    lambda world: world.restore(world.snapshot(data=True)), lambda world: world.body(9).destroy(),
    lambda world: world.restore(world.save()), b2.World.to_dict,
])  # fmt: skip
def test_the_collector_may_change_the_world_at_any_allocation_of_a_call(call: Callable[[b2.World], object]) -> None:
    """Up to Python 3.11 it also runs where a list of pairs is made of a dictionary."""
    thresholds = gc.get_threshold()
    try:
        with b2.World() as world:
            for k in range(40):
                world.create_dynamic_body((k, 0), name=f"body {k}", data=k).create_shape(b2.Circle(0.3), data=k)
            handles = [*world.bodies]
            for collected in range(1, 12):
                world.step()
                [*world.bodies][-1].destroy()
                Garbage(world, 30)
                gc.set_threshold(collected, 1, 1)
                try:
                    call(world)
                except (b2.DestroyedError, KeyError):
                    pass
                finally:
                    gc.set_threshold(*thresholds)
                world.validate()
            assert len(handles) == 40
    finally:
        gc.set_threshold(*thresholds)
