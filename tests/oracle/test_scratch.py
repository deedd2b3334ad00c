"""Scratch memory belongs to workers: worlds are small, and worlds that share scratch do not influence each other."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import partial

import pytest

import box2dpy as b2

from ..patience import finished, in_threads
from ..stepping import advance
from .lockstep import DT, make_ground


def pile(count: int, **options: object) -> b2.World:
    """Boxes in rows of five on the ground."""
    world = b2.World(**options)  # type: ignore[arg-type]
    make_ground(world)
    for k in range(count):
        world.create_dynamic_body((1.1 * (k % 5), 0.5 + k // 5)).create_shape(b2.Box(0.5, 0.5))
    return world


def alone(count: int, steps: int) -> int:
    """The hash of a pile after some steps."""
    with pile(count) as world:
        advance(world, steps, DT, 4)
        return world.state_hash()


def test_a_world_of_twenty_bodies_is_small() -> None:
    with pile(20) as world:
        advance(world, 60, DT, 4)
        assert world.counters.bytes < 43_000
        with world.clone() as clone:
            clone.step(DT, 4)
            assert clone.counters.bytes < 43_000


def test_an_empty_world_is_smaller() -> None:
    with b2.World() as world:
        world.step(DT, 4)
        assert world.counters.bytes < 16_000


def test_a_large_world_counts_the_scratch_that_it_keeps() -> None:
    with pile(3000) as world:
        before = world.counters.bytes
        world.step(DT, 4)
        assert world.counters.bytes - before > 256 << 10


@pytest.mark.parametrize("workers", [1, 2])
def test_worlds_that_step_in_turn_allocate_nothing(workers: int) -> None:
    scheduler = b2.Scheduler(workers)
    worlds = [pile(count, workers=scheduler, sleeping=False) for count in (3, 60, 900)]
    for _ in range(40):
        for world in worlds:
            world.step(DT, 4)
    for _ in range(20):
        for world in worlds:
            world.step(DT, 4)
            assert world.counters.step_allocations == 0
    for world in worlds:
        world.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_callback_may_step_other_worlds(workers: int) -> None:
    expected = [alone(count, 60) for count in (20, 7, 3)]
    scheduler = b2.Scheduler(workers)
    worlds = [pile(count, workers=scheduler) for count in (20, 7, 3)]
    worlds[0].on_presolve = lambda contact: nest(1)
    worlds[1].on_presolve = lambda contact: nest(2)
    for world in worlds[:2]:
        for shape in world.shapes:
            shape.presolve = True
    left = [0, 60, 60]

    def nest(level: int) -> bool:
        if left[level] > 0:
            left[level] -= 1
            worlds[level].step(DT, 4)
        return True

    for _ in range(60):
        worlds[0].step(DT, 4)
    assert left == [0, 0, 0]
    assert [world.state_hash() for world in worlds] == expected
    for world in worlds:
        world.close()


@pytest.mark.parametrize("shared", [False, True])
def test_worlds_that_step_in_several_threads_do_not_influence_each_other(shared: bool) -> None:
    sizes = (3, 20, 45, 100)
    expected = {count: alone(count, 60) for count in sizes}
    scheduler = b2.Scheduler(2)

    def work(count: int) -> None:
        for _ in range(3):
            with pile(count, workers=scheduler if shared else 1) as world:
                advance(world, 60, DT, 4)
                assert world.state_hash() == expected[count], f"a pile of {count} differs"

    in_threads([partial(work, count) for count in sizes for _ in range(2)])


def allocated() -> int:
    """Bytes that the program has from malloc now."""

    class Info(ctypes.Structure):
        _fields_ = [
            (name, ctypes.c_size_t)
            for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks")
        ] + [("fordblks", ctypes.c_size_t), ("keepcost", ctypes.c_size_t)]

    function = ctypes.CDLL(None).mallinfo2
    function.restype = Info
    info = function()
    return int(info.uordblks + info.hblkhd)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="the C library does not count its memory")
def test_the_pool_of_a_thread_ends_with_the_thread() -> None:
    world = pile(60, sleeping=False)

    def work() -> None:
        advance(world, 3, DT, 4)

    def run(threads: int) -> int:
        for _ in range(threads):
            in_threads([work])
        return allocated()

    before = run(50)
    assert run(200) - before < 200 * 2000  # a scratch of this world has more than 20 KB
    world.close()


def in_child(work: Callable[[], bool]) -> bool:
    """Whether `work` is true in a forked process."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if work() else 1
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_forked_process_steps_worlds(workers: int) -> None:
    expected = alone(20, 60)
    with pile(20, workers=workers) as world:
        advance(world, 30, DT, 4)

        def go_on() -> bool:
            advance(world, 30, DT, 4)
            return world.state_hash() == expected and alone(20, 60) == expected

        assert in_child(go_on)
        assert go_on()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_process_may_be_forked_in_a_callback() -> None:
    expected = alone(20, 60)
    answers = []
    with pile(20) as world:
        world.on_contact_begin = lambda event: answers.append(in_child(lambda: alone(20, 60) == expected))
        world.step(DT, 4)
        world.on_contact_begin = None
        advance(world, 59, DT, 4)
        assert answers and all(answers)
        assert world.state_hash() == expected


PROGRAM = """
import threading, box2dpy as b2
stepping = threading.Barrier(4)
def work():
    world = b2.World(sleeping=False)
    world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
    for k in range(40):
        world.create_dynamic_body((0, 0.5 + k)).create_shape(b2.Box(0.5, 0.5))
    for _ in range(20):
        world.step()
    stepping.wait()
    while True:
        world.step()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
world = b2.World()
world.create_dynamic_body()
world.step()
stepping.wait()
"""


def test_a_program_may_end_while_threads_step() -> None:
    for _ in range(3):
        done = finished([sys.executable, "-c", PROGRAM])
        assert (done.returncode, done.stderr) == (0, "")
