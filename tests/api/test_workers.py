"""The workers of a world, a number or a shared `Scheduler`, can change between steps without changing results."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import box2dpy as b2

from ..patience import PATIENCE, in_threads
from ..seeds import draws

ROOT = Path(b2.__file__).resolve().parent.parent
DT = 1 / 60


def heap(**options: Any) -> b2.World:
    """Boxes and balls with a sensor, a bullet and a joint: every stage has work."""
    world = b2.World(**options)
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(40, 1), hit_events=True)
    world.create_static_body((0, 3)).create_shape(b2.Box(4, 0.5), sensor=True)
    draw = draws(1)
    for k in range(160):
        body = world.create_dynamic_body((draw.uniform(-9, 9), 1 + 0.2 * k), draw.uniform(-3, 3), bullet=k % 7 == 0)
        body.create_shape(b2.Circle(0.3) if k % 2 else b2.Box(0.3, 0.25), sensor_events=True)
        body.linear_velocity = draw.uniform(-60, 60), draw.uniform(-60, 0)
    world.create_distance_joint(ground, world.body(5), local_anchor_a=(0, 9), local_anchor_b=(0, 0))
    return world


def hashes(world: b2.World, plan: dict[int, int | b2.Scheduler], steps: int = 90) -> list[tuple[int, bytes]]:
    trace = []
    for k in range(steps):
        if k in plan:
            world.workers = plan[k]
            assert world.workers == getattr(plan[k], "workers", plan[k])
        world.step(DT)
        trace.append((world.state_hash(), world.events.sensor_begin.as_array().tobytes()))
    world.validate()
    return trace


def test_results_do_not_depend_on_when_the_workers_change() -> None:
    pool, other = b2.Scheduler(3), b2.Scheduler(2)
    with heap() as world:
        first = hashes(world, {})
    plans: list[dict[int, int | b2.Scheduler]] = [
        {0: pool, 10: 1, 20: other, 30: pool, 40: 4, 41: pool, 60: 2},
        {k: (pool, 1, other, 5)[k % 4] for k in range(90)},
    ]
    for plan in plans:
        with heap(workers=2) as world:
            assert hashes(world, plan) == first
    with heap(workers=pool) as world:
        assert hashes(world, {45: 1}) == first


def test_a_world_with_a_shared_scheduler_can_return_to_its_own_workers() -> None:
    pool = b2.Scheduler(2)
    with b2.World(workers=pool) as world, b2.World(workers=pool) as neighbor:
        world.workers = 2  # as many, and its own
        world.step()
        neighbor.step()
        world.workers = pool
        world.workers = pool
        del pool
        gc.collect()
        world.step()
        assert (world.workers, neighbor.workers) == (2, 2)


def test_a_scheduler_lives_as_long_as_its_worlds_in_any_order_of_destruction() -> None:
    for order in range(3):
        pool = b2.Scheduler(3)
        one, two = heap(workers=1), heap(workers=pool)
        one.workers = pool
        for _ in range(5):
            one.step()
            two.step()
        if order == 0:
            del pool
            one.close()
            two.step()
        elif order == 1:
            two.workers = 1
            del pool
            gc.collect()
            one.step()
            two.step()
        else:
            one.workers = two.workers = 1
            assert pool.workers == 3
            one.workers = pool
            one.step()
        one.close()
        two.close()


def test_a_value_that_is_no_scheduler_is_refused_and_changes_nothing() -> None:
    with heap(workers=2) as world:
        world.step()
        before = world.state_hash()
        for bad in (None, "2", 2.0, True, [1], object(), b2.Scheduler, world):
            with pytest.raises(TypeError, match="workers="):
                world.workers = bad  # type: ignore[assignment]
        for bad in (0, -1, 65, 2**40):
            with pytest.raises(ValueError, match="workers="):
                world.workers = bad
        raw = b2.Scheduler.__new__(b2.Scheduler)
        with pytest.raises(TypeError, match="__init__"):
            world.workers = raw
        with pytest.raises(TypeError, match="__init__"):
            b2.World(workers=raw)
        with pytest.raises(TypeError, match="__init__"):
            raw.workers
        assert world.workers == 2 and world.state_hash() == before
    for value in (1, b2.Scheduler(2)):
        with pytest.raises(b2.DestroyedError):
            world.workers = value


@pytest.mark.parametrize("shared", [False, True])
def test_changing_the_workers_during_a_step_raises_world_locked(shared: bool) -> None:
    pool = b2.Scheduler(2)
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(5, 1))
        world.create_dynamic_body((0, 0.5)).create_shape(b2.Circle(0.5))
        tried = []

        def change(event: Any) -> None:
            def elsewhere() -> None:
                with pytest.raises(b2.WorldLockedError):
                    world.workers = pool if shared else 2
                tried.append(1)

            elsewhere()
            in_threads([elsewhere])

        world.on_contact_begin = change
        world.step()
        assert len(tried) == 2 and world.workers == 1
        world.workers = pool if shared else 2
        world.step()
        assert world.workers == 2


def test_counted_memory_does_not_grow_when_workers_change_repeatedly() -> None:
    pool = b2.Scheduler(3)
    with heap() as world, heap() as alone:
        for step in range(300):
            if step % 5 == 0:
                world.workers = (pool, 2, 1)[step // 5 % 3]
            world.step()
            alone.step()
            assert world.counters.bytes == alone.counters.bytes  # what workers need belongs to the scheduler


def test_threads_can_exchange_a_shared_scheduler_between_their_worlds() -> None:
    pool = b2.Scheduler(3)
    with heap() as world:
        expected = hashes(world, {})[-1]
    found: list[Any] = []

    def loop(seed: int) -> None:
        with heap() as world:
            found.append(hashes(world, {k: (pool, 1, pool, 2)[(k + seed) % 4] for k in range(0, 90, 3)})[-1])

    in_threads([partial(loop, k) for k in range(3)])
    assert found == 3 * [expected]


def test_a_process_exits_cleanly_with_worlds_that_share_a_scheduler() -> None:
    code = (
        "import box2dpy as b2\n"
        "pool = b2.Scheduler(3); world = type('Own', (b2.World,), {})(); world.step()\n"
        "world.workers = pool; world.step()\n"
        "world.cycle = world; pool = None; other = b2.World(workers=2); other.workers = 3; other.step()"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE, env=environment)
