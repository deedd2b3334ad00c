"""Finalizers of the user in a garbage cycle with a world: the C world outlives every handle that can still call it."""

from __future__ import annotations

import gc
from typing import Any

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
