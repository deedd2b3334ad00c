"""Worlds that share a scheduler, threads that step different worlds, and a process that forks: every world gets the
same bits."""

from __future__ import annotations

import gc
import os

import pytest

import box2dpy as b2

from ..patience import in_threads
from ..seeds import draws
from .lockstep import DT, make_ground


def fill(world: b2.World, seed: int) -> b2.World:
    make_ground(world)
    draw = draws(seed)
    for k in range(80):
        body = world.create_dynamic_body((draw.uniform(-3, 3), 0.6 + 0.2 * k), draw.uniform(-3, 3))
        body.create_shape(b2.Box(0.3, 0.3) if k % 2 else b2.Circle(0.3))
    return world


def steps(world: b2.World, count: int) -> None:
    for _ in range(count):
        world.step(DT, 4)


def reference(seed: int, count: int) -> int:
    with b2.World(simd="scalar") as world:
        steps(fill(world, seed), count)
        return world.state_hash()


@pytest.mark.parametrize("shared", [False, True])
def test_worlds_stepped_by_several_threads_give_the_bits_of_one_thread(shared: bool) -> None:
    pool = b2.Scheduler(3)
    wanted = {seed: reference(seed, 60) for seed in range(4)}
    worlds = {seed: fill(b2.World(workers=pool if shared else 2), seed) for seed in wanted}
    in_threads([lambda world=world: steps(world, 60) for world in worlds.values()])
    for seed, world in worlds.items():
        world.validate()
        assert world.state_hash() == wanted[seed]


def test_one_scheduler_serves_worlds_in_turn() -> None:
    pool = b2.Scheduler(2)
    worlds = [fill(b2.World(workers=pool), seed) for seed in range(3)]
    for _ in range(40):
        for world in worlds:
            world.step(DT, 4)
    assert [world.state_hash() for world in worlds] == [reference(seed, 40) for seed in range(3)]


def test_a_scheduler_lives_as_long_as_its_worlds() -> None:
    pool = b2.Scheduler(3)
    world = fill(b2.World(workers=pool), 1)
    del pool
    gc.collect()
    steps(world, 20)
    assert world.state_hash() == reference(1, 20)
    world.close()


def test_changing_the_number_of_workers_during_a_run_does_not_change_results() -> None:
    with b2.World() as world:
        fill(world, 5)
        for workers in (1, 3, 2, 4, 1, 2):
            world.workers = workers
            steps(world, 10)
        assert world.state_hash() == reference(5, 60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_and_its_parent_continue_with_the_same_bits() -> None:
    pool = b2.Scheduler(3)
    own, sharing = fill(b2.World(workers=3), 2), fill(b2.World(workers=pool), 3)
    steps(own, 20)
    steps(sharing, 20)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # threads are not inherited: the worlds must notice
        try:
            os.close(reader)
            steps(own, 20)
            steps(sharing, 20)
            fresh = fill(b2.World(workers=2), 4)
            steps(fresh, 20)
            hashes = [world.state_hash() for world in (own, sharing, fresh)]
            own.close()
            sharing.close()
            os.write(writer, repr(hashes).encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    steps(own, 20)
    steps(sharing, 20)
    with os.fdopen(reader) as pipe:
        output = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert output == repr([own.state_hash(), sharing.state_hash(), reference(4, 20)])
    assert own.state_hash() == reference(2, 40)


def test_many_more_workers_than_processors_give_the_same_bits() -> None:
    with b2.World(workers=16) as world:
        steps(fill(world, 6), 20)
        world.validate()
        assert world.state_hash() == reference(6, 20)


def test_a_world_created_in_one_thread_continues_in_another() -> None:
    worlds: list[b2.World] = []
    in_threads([lambda: worlds.append(fill(b2.World(workers=2), 7))])
    in_threads([lambda: steps(worlds[0], 10)])
    steps(worlds[0], 10)
    in_threads([lambda: steps(worlds[0], 10)])
    assert worlds[0].state_hash() == reference(7, 30)
    worlds[0].close()
