"""Threads and processes: a call to a world that is busy raises WorldLockedError and has no other effect."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import box2dpy as b2
from box2dpy._bridge.library import lib
from box2dpy._bridge.world_base import NO_GIL

from ..patience import PATIENCE, finished, in_threads
from ..seeds import draws
from ..stepping import advance

ROOT = Path(b2.__file__).resolve().parent.parent
ROUNDS = 10 if os.environ.get("B2D_EMULATOR") else 100  # threads that contend take hundreds of times as long there

# Numpy views are not synchronised, as the README says; nor may the thread sanitizer see them read beside a step.
WATCHED = "libtsan" in os.environ.get("LD_PRELOAD", "")


def heap(world: b2.World, count: int = 300) -> b2.World:
    world.create_static_body((0, -1)).create_shape(b2.Box(40, 1))
    world.create_bodies([(k % 20 - 10, 0.5 + k // 20) for k in range(count)], geometry=b2.Box(0.45, 0.45))
    return world


def hammer(actions: list[Callable[[], object]], rounds: int) -> list[BaseException]:
    """Runs each action repeatedly in its own thread, until each has come to its end so many times, and returns all
    exceptions except WorldLockedError."""
    errors: list[BaseException] = []
    ended = [0] * len(actions)

    def loop(number: int) -> None:
        while min(ended) < rounds and not errors:
            try:
                actions[number]()
                ended[number] += 1
            except b2.WorldLockedError:
                time.sleep(0)
            except BaseException as error:
                errors.append(error)

    in_threads([partial(loop, number) for number in range(len(actions))])
    return errors


BRIEF_STEPS = lib.b2d_world_step_brief, lib.b2d_world_step_at_rest


@pytest.mark.parametrize(("workers", "no_gil"), [(1, NO_GIL), (2, NO_GIL), (1, True)])
def test_threads_that_use_one_world_at_once_get_only_world_locked_errors(
    workers: int, no_gil: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("box2dpy._world.world.NO_GIL", no_gil)  # how Python without the GIL begins a step
    monkeypatch.setattr("box2dpy._world.world._step_briefly", BRIEF_STEPS[no_gil])
    world = heap(b2.World(workers=workers))
    body = world.body(5)
    draw = draws(1)

    def come_and_go() -> None:
        new = world.create_dynamic_body((draw.uniform(-9, 9), 20))
        try:
            new.create_shape(b2.Circle(0.4))
        finally:
            while True:  # another thread may be stepping the world
                try:
                    new.destroy()
                    break
                except b2.WorldLockedError:
                    time.sleep(0)

    crowd: list[b2.Body] = []

    def grow() -> None:
        for _ in range(100):  # so that the tables move
            where = draw.uniform(-9, 9), 30  # a thread that is held up for long must not see them fall below the ground
            crowd.append(world.create_dynamic_body(where, gravity_scale=0, data=crowd))
        while crowd:
            with contextlib.suppress(b2.WorldLockedError):
                crowd[-1].destroy()
                crowd.pop()

    def read_crowd() -> None:
        for one in crowd[:]:
            with contextlib.suppress(b2.DestroyedError):
                assert one.position.y > -1
                assert one.data in (None, crowd)

    def read() -> None:
        assert len(body.position) == 2
        assert -4 < body.angle < 4
        body.linear_velocity, body.awake, body.contacts, world.counters, world.profile, world.state_hash()

    def look() -> None:
        list(world.bodies)
        for event in world.events.contact_begin:
            event.shape_a, event.contact
        if not WATCHED:
            world.arrays.position.sum(), world.arrays.awake.sum()
        world.arrays.contacts

    def push() -> None:
        body.apply_impulse((0, 1))
        body.position = 0, 10

    def bulk() -> None:
        array = world.create_bodies([(30, 5), (32, 5)], geometry=b2.Circle(0.5))
        while True:
            try:
                array.destroy()
                break
            except b2.WorldLockedError:
                time.sleep(0)

    def step() -> None:
        world.step()

    assert hammer([step, step, come_and_go, grow, read_crowd, read, look, push, bulk], ROUNDS) == []
    for one in crowd:
        one.destroy()
    world.step()
    world.validate()
    assert len(world.bodies) == 301


def test_a_call_during_a_step_raises_world_locked() -> None:
    world = heap(b2.World(sleeping=False), 3000)  # each step takes long, however late this thread comes
    body = world.body(7)
    seen: set[str] = set()
    done = threading.Event()

    def run() -> None:
        while not done.is_set():
            with contextlib.suppress(b2.WorldLockedError):
                world.step(1 / 60, 8)

    calls: dict[str, Callable[[], object]] = {
        "position": lambda: body.position,
        "mass": lambda: body.mass,
        "step": lambda: world.step(0.0, 1),
        "create": world.create_static_body,
    }
    thread = threading.Thread(target=run)
    thread.start()
    try:
        while len(seen) < len(calls):
            for name, call in calls.items():
                try:
                    call()
                except b2.WorldLockedError as error:
                    assert "thread" in str(error)
                    seen.add(name)
    finally:
        done.set()
        thread.join()
    world.validate()


def test_a_call_during_a_callback_of_a_step_raises_world_locked() -> None:
    """The step waits in its callback, so that each call meets it; closing the world, too."""
    world = heap(b2.World())
    body = world.body(7)
    inside, go_on = threading.Event(), threading.Event()

    def wait(event: object) -> None:
        inside.set()
        go_on.wait()

    world.body(1).position = 0, 0.4  # in the ground
    world.on_contact_begin = wait
    thread = threading.Thread(target=world.step)
    thread.start()
    inside.wait()
    calls = (lambda: body.mass, world.step, world.create_static_body, world.state_hash, world.close)
    try:
        for call in calls:
            with pytest.raises(b2.WorldLockedError, match="thread"):
                call()
    finally:
        go_on.set()
        thread.join()
    world.validate()


def test_two_threads_can_use_two_worlds() -> None:
    pool = b2.Scheduler(2)
    worlds = [heap(b2.World(workers=pool)) for _ in range(3)]
    assert hammer([world.step for world in worlds], ROUNDS) == []
    for world in worlds:
        world.validate()


def test_a_world_can_be_dropped_while_another_thread_steps_it() -> None:
    for _ in range(5):
        world = heap(b2.World(workers=2))
        thread = threading.Thread(target=lambda w=world: [w.step() for _ in range(20)])
        thread.start()
        del world
        gc.collect()
        thread.join()


def test_a_world_can_be_closed_while_other_threads_read_it() -> None:
    for round in range(20):
        world = heap(b2.World(), 50)
        body = world.body(3)
        stop, started = threading.Event(), threading.Barrier(3)
        errors: list[BaseException] = []

        def read(
            world: b2.World = world,
            body: b2.Body = body,
            stop: threading.Event = stop,
            started: threading.Barrier = started,
            errors: list[BaseException] = errors,
        ) -> None:
            started.wait()
            while not stop.is_set():
                try:
                    (
                        body.position,
                        body.mass,
                        len(world.bodies),
                        WATCHED or world.arrays.position.sum(),
                        world.state_hash(),
                    )
                except (b2.DestroyedError, b2.WorldLockedError):
                    pass
                except BaseException as error:
                    errors.append(error)
                    return

        threads = [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        started.wait()
        for _ in range(round):  # while they read for the first time, or later
            time.sleep(0)
        world.close()
        stop.set()
        for thread in threads:
            thread.join()
        assert errors == []


def test_worlds_can_be_created_and_dropped_in_any_thread() -> None:
    def one() -> None:
        world = heap(b2.World(workers=2), 40)
        world.step()
        del world

    assert hammer([one, one, one], ROUNDS) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_world_can_be_stepped_in_a_forked_child() -> None:
    world = heap(b2.World(workers=2))
    advance(world, 5)
    child = os.fork()
    if child == 0:
        signal.alarm(round(PATIENCE))
        try:
            advance(world, 5)
            world.validate()
            os.write(2, b"") and None
            os._exit(world.state_hash() & 0x7F)
        except BaseException:
            os._exit(255)
    advance(world, 5)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == world.state_hash() & 0x7F


@pytest.mark.parametrize(
    "code",
    [
        "world = b2.World(workers=2); world.step()",
        "world = b2.World(workers=4); heap(world); world.step(); body = world.body(0)",
        "pool = b2.Scheduler(3); world = type('Own', (b2.World,), {})(workers=pool); world.step(); world.cycle = world",
        "world = heap(b2.World()); "
        "threading.Thread(target=lambda: [world.step() for _ in range(10**9)], daemon=True).start()",
        "world = heap(b2.World()); arrays = world.arrays.position; import atexit; atexit.register(world.close)",
        "import sys; world = b2.World(workers=2); sys.world = world; world.step(); sys.exit(0)",
    ],
)
def test_the_interpreter_exits_cleanly_with_living_worlds(code: str) -> None:
    setup = (
        "import threading, box2dpy as b2\n"
        "def heap(world):\n"
        "    world.create_bodies([(k % 9, k // 9) for k in range(90)], geometry=b2.Box(0.4, 0.4))\n"
        "    return world\n"
    )
    done = finished([sys.executable, "-c", setup + code], cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
