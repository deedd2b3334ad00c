"""Brief steps: a small world is stepped with the GIL held, because giving it away takes longer than the step."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

import box2dpy as b2
from box2dpy._bridge.library import lib
from box2dpy._bridge.world_base import NO_GIL


def heap(shapes: int = 3, **options: object) -> b2.World:
    """A ground and boxes on it, far enough apart to have a contact each."""
    world = b2.World(sleeping=False, **options)  # type: ignore[arg-type]
    world.create_static_body((0, -1)).create_shape(b2.Box(1000, 1))
    for k in range(shapes - 1):
        world.create_dynamic_body((2.0 * k, 0.5)).create_shape(b2.Box(0.5, 0.5))
    return world


def briefly(world: b2.World, substeps: int = 4, dt: float = 1 / 60) -> bool:
    """Whether C takes a step for a brief one; it has made the step then, and else nothing."""
    before = world.counters.steps
    brief = bool(lib.b2d_world_step_brief(world._ptr, dt, substeps, world._version) >= 0)
    assert world.counters.steps == before + brief
    return brief


@pytest.mark.parametrize("substeps", [1, 4, 8])
@pytest.mark.parametrize("shapes", [2, 9, 32])
def test_a_brief_step_gives_the_same_bits(shapes: int, substeps: int) -> None:
    with heap(shapes) as world, heap(shapes) as other:
        for number in range(60):
            assert briefly(world, substeps)
            seen = lib.b2d_world_step_watched(other._ptr, 1 / 60, substeps, other._version)
            assert seen & lib.B2D_STEP_BRIEF
            assert world.state_hash() == other.state_hash(), number
        world.validate()


def test_what_is_large_long_or_shared_is_not_brief() -> None:
    with heap(32) as world:
        assert briefly(world, 8)
        assert not briefly(world, 9)
        assert briefly(world, 4, 1 / 50)
        assert briefly(world, 4, 1 / 30)
        assert not briefly(world, 4, 1 / 20)  # which has 12 substeps
        world.create_dynamic_body((-9, 9))
        assert not briefly(world)
    with heap(33) as world:
        assert not briefly(world)
    with heap(workers=2) as world:
        assert not briefly(world)
    with heap() as world:
        assert briefly(world)
        world.on_contact_begin = lambda _: None
        assert not briefly(world)
        world.on_contact_begin = None
        assert briefly(world)


def test_constraints_are_bounded() -> None:
    with heap() as world:
        a, b = list(world.bodies)[1:]
        for _ in range(64):
            world.create_revolute_joint(a, b, anchor=(1, 0.5))
        assert briefly(world)  # which creates two contacts
        assert not briefly(world)
        next(iter(world.joints)).destroy()
        assert not briefly(world)
        next(iter(world.joints)).destroy()
        assert briefly(world)


def test_a_wrong_argument_changes_nothing() -> None:
    with heap() as world:
        for dt, substeps in ((-1.0, 4), (2.0, 4), (1 / 60, 0), (1 / 60, 65), (float("nan"), 4)):
            assert not briefly(world, substeps, dt)
            with pytest.raises(ValueError):
                world.step(dt, substeps)
        with pytest.raises(ValueError):
            world.step(1 / 60, 2**40)
        assert world.counters.steps == 0


def test_a_world_that_grows_leaves_brief_steps_and_comes_back() -> None:
    with heap() as world:
        for count in (0, 40, 0, 3):
            more = [world.create_dynamic_body((5.0 * k, 50), linear_velocity=(0, -1)) for k in range(count)]
            steps = world.counters.steps
            for _ in range(3):
                world.step()
            assert world.counters.steps == steps + 3
            assert world._brief == (count < 40)
            assert all(body.position.y < 50 for body in more)  # fast reads find the tables
            for body in more:
                body.destroy()


@pytest.mark.skipif(NO_GIL, reason="there is no GIL")
def test_no_other_thread_runs_during_brief_steps() -> None:
    ran, go = threading.Event(), threading.Lock()
    go.acquire()

    def other() -> None:
        with go:
            ran.set()

    interval, thread = sys.getswitchinterval(), threading.Thread(target=other)
    with heap() as world:
        world.step()
        step: Callable[[], None] = world.step
        # Seconds for which a thread keeps the GIL unless it gives it away. Set before the other thread starts: that
        # one keeps it until it waits for the lock, so none waits for the GIL with the shorter interval of before.
        sys.setswitchinterval(1000)
        try:
            thread.start()
            go.release()
            for _ in range(300):
                step()
            assert not ran.is_set()
        finally:
            sys.setswitchinterval(interval)
            thread.join()
