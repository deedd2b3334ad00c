"""Saved, restored and cloned worlds go on with the same bits, whatever happened in the meantime.

The oracle is a second world that gets the same calls and is never restored.
"""

from __future__ import annotations

import copy
import random
from typing import Any, cast

import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES, Scene

from .lockstep import DT, FASTEST, REFERENCE, TREE, Group, Mob
from .test_memory_failures import (
    failing,
    go_on,
    heavy_chain,
    nearly_asleep,
    nothing,
    pile,
    sleeping_pile,
    step,
    stepped_pile,
)


class StatefulMob(Mob):
    """Now and then one of the worlds makes a digression: it saves its state, gets random calls alone, and restores it.
    A clone of it with other options, which was in another state, may take its place. Generations differ then, so
    events are compared without them."""

    def digress(self) -> None:
        k = self.draw.randrange(len(self.worlds))
        world = self.worlds[k]
        state = world.snapshot() if self.draw.random() < 0.4 else world.save()
        alone = copy.copy(cast("Mob", self))
        alone.OPERATIONS = Mob.OPERATIONS  # type: ignore[misc]  # no digression within a digression
        alone.draw = random.Random(self.draw.random())
        alone.worlds = [world]
        alone.bodies, alone.shapes, alone.joints = (
            [(group[k],) for group in groups] for groups in (self.bodies, self.shapes, self.joints)
        )
        alone.flung, alone.log = None, []
        for _ in range(alone.draw.choice((0, 1, 4))):
            for _ in range(alone.draw.choice((0, 1, 5))):
                alone.act()
            alone.step()
        world.validate()
        twin = world.clone(**self.draw.choice((REFERENCE, FASTEST, TREE, {})))
        world.restore(state)
        twin.restore(state)
        for each in (world, twin):
            each.validate()
        assert twin.state_hash() == world.state_hash()
        assert all(group[k].alive for groups in (self.bodies, self.shapes, self.joints) for group in groups)
        if self.draw.random() < 0.5:
            self.worlds[k], twin = twin, world
            for groups in (self.bodies, self.shapes, self.joints):
                groups[:] = [self.swapped(row, k) for row in groups]
            self.flung = self.flung and self.swapped(self.flung, k)
        twin.close()

    def swapped(self, group: Group, k: int) -> Group:
        return (*group[:k], self.worlds[k]._counterpart(group[k]), *group[k + 1 :])

    OPERATIONS = {**Mob.OPERATIONS, "digress": 8}  # noqa: RUF012

    def check(self) -> None:
        hashes = set()
        for world in self.worlds:
            world.validate()
            hashes.add(world.state_hash())
        assert len(hashes) == 1, "a restored or cloned world has another hash"
        for kind in ("contact_begin", "contact_end", "contact_hit", "sensor_begin", "sensor_end", "body_move"):
            rows = [getattr(world.events, kind).as_array() for world in self.worlds]
            names = [name for name in rows[0].dtype.names or () if not name.startswith("generation")]
            assert len({str(each[names].tolist()) for each in rows}) == 1, f"worlds differ in their {kind} events"


@pytest.mark.parametrize("seed", range(8))
def test_worlds_that_are_restored_and_cloned_at_random_moments_keep_the_hash_of_a_calm_world(seed: int) -> None:
    mob = StatefulMob(seed, [REFERENCE, FASTEST, TREE], sleep_time=0.2)
    for _ in range(60):
        for _ in range(mob.draw.choice((0, 1, 2, 5))):
            mob.act()
        for _ in range(mob.draw.choice((1, 1, 6))):
            mob.step()
            mob.check()
    mob.close()


def hashes(world: b2.World, steps: int) -> list[int]:
    found = []
    for _ in range(steps):
        world.step(DT, 4)
        found.append(world.state_hash())
    return found


@pytest.mark.parametrize("scene", SCENES.values(), ids=list(SCENES))
def test_every_scene_goes_on_with_the_same_bits_after_five_moments(scene: Scene) -> None:
    with scene.world(workers=1) as world:
        fixture, number = scene.build(world, 0.12), 0
        for moment in (0, 1, 7, 20, 45):
            while number < moment:
                scene.advance(world, fixture, number)
                world.step(DT, 4)
                number += 1
            state = world.save()
            before = world.state_hash()
            wanted = hashes(world, 6)
            with world.clone(workers=2, simd="scalar", broadphase="tree") as other:
                other.restore(state)
                assert other.state_hash() == before
                other.validate()
                assert hashes(other, 6) == wanted
                other.validate()
            world.restore(state)
            assert world.state_hash() == before
            world.validate()
            assert hashes(world, 6) == wanted
            world.restore(state)


STRATEGIES = [
    *({field: value} for field, values in b2.lab.NAMES.items() for value in values if value != "auto"),
    {"schedule": "serial", "order": "per_step"},
    {"schedule": "slots", "store": "lookup"},
    {"islands": "incremental", "schedule": "islands", "warm_start": "tags", "broadphase": "sap"},
]


@pytest.mark.parametrize("options", STRATEGIES, ids=lambda options: "-".join(map(str, options.values())))
def test_every_strategy_goes_on_with_the_same_bits(options: Any) -> None:
    """Falling, in contact, and half asleep; in memory, in a clone, by bytes and in a new world."""
    strategies = b2.lab.Strategies(**options)
    with b2.World(strategies=strategies) as world, b2.World(strategies=strategies) as calm:
        for each in (world, calm):
            pile(each, 8)
            for k in range(6):
                each.create_dynamic_body((6 + 1.2 * (k % 3), 0.5 + k // 3)).create_shape(b2.Box(0.5, 0.5))
        for _ in range(4):
            state, data = world.save(), world.snapshot()
            wanted = hashes(calm, 30)
            assert hashes(world, 30) == wanted
            world.restore(state)
            with world.clone() as other:
                assert hashes(other, 30) == wanted
            world.restore(data)
            with b2.World.from_snapshot(data, strategies=strategies) as fresh:
                assert hashes(fresh, 30) == wanted
            assert hashes(world, 30) == wanted
            world.validate()


def test_ten_thousand_bodies_take_under_500_bytes_each() -> None:
    """The time is measured by `python -m benchmarks lab`."""
    with b2.World() as world:
        world.create_bodies([(1.5 * (k % 100), 1.5 * (k // 100)) for k in range(10000)], geometry=b2.Box(0.5, 0.5))
        world.step()
        state, data = world.save(), world.snapshot()
        assert len(data) < 500 * 10000
        wanted = hashes(world, 3)
        for kept in (state, data):
            world.restore(kept)
            assert hashes(world, 3) == wanted


@pytest.mark.parametrize("situation", [nothing, stepped_pile, sleeping_pile, nearly_asleep, heavy_chain])
@pytest.mark.parametrize("broadphase", b2.lab.NAMES["broadphase"][1:])
def test_a_failed_allocation_leaves_the_world_as_it_was(situation: Any, broadphase: str) -> None:
    with b2.World(broadphase=broadphase) as source:
        situation(source)
        state, wanted = source.save(), source.state_hash()
        later = hashes(source, 5)
    failures = 0
    for after in range(400):
        with b2.World(broadphase=broadphase) as world:
            pile(world, 1)
            step(world)
            before, count = world.state_hash(), len(world.bodies)
            try:
                with failing(world, after):
                    world.restore(state)
            except MemoryError:
                failures += 1
                assert world.state_hash() == before
                world.validate()
                assert len(world.bodies) == count
                step(world)
                world.restore(state)
            assert world.state_hash() == wanted
            assert hashes(world, 5) == later
            go_on(world)
            if failures <= after:
                break
    else:
        raise AssertionError("the call never succeeded")
    assert (failures > 0) == (situation is not nothing)


@pytest.mark.parametrize(
    "call", [lambda w: w.save(), lambda w: w.clone(), lambda w: w.clear()], ids=["save", "clone", "clear"]
)
def test_without_memory_there_is_no_copy_and_the_world_goes_on(call: Any) -> None:
    with b2.World() as world, b2.World() as calm:
        for each in (world, calm):
            stepped_pile(each)
        for after in range(20):
            try:
                with failing(world, after):
                    call(world)
            except MemoryError:
                world.validate()
                assert world.state_hash() == calm.state_hash()
            else:
                break
        if after:
            assert hashes(world, 10) == hashes(calm, 10)


def test_a_state_of_another_world_may_have_its_generations_for_other_kinds() -> None:
    """Handles of bodies do not become those of shapes (found by tests/fuzz/batches.py)."""
    with b2.World() as world, b2.World() as other:
        held = [world.create_dynamic_body((k, 0)) for k in range(6)]
        for body in held:
            body.data = "mine"
        ground = other.create_static_body()
        for _ in range(4):
            ground.create_shape(b2.Circle(0.3))
        other.create_revolute_joint(ground, other.create_dynamic_body((1, 0)), anchor=(0, 0))
        state = world.save()
        for given in (other.save(), other.snapshot()):
            world.restore(given)
            assert {type(each) for each in world.bodies} == {b2.Body}
            assert {type(each) for each in world.shapes} == {b2.Shape}
            assert {type(each) for each in world.joints} == {b2.RevoluteJoint}
            assert not any(body.alive for body in held)
            world.restore(state)
            assert list(world.bodies) == held
