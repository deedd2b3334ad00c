"""A signal handler that raises during a step: the exception arrives, and the world stays usable."""

from __future__ import annotations

import contextlib
import dis
import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import buffers

from .interrupts import Interrupts

SANITIZED = "lib" in os.environ.get("LD_PRELOAD", "")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timers")
def test_interrupts_at_random_moments_arrive_and_lock_nothing() -> None:
    test = Interrupts(seed=1)
    # Python itself swallows an exception inside a callback of the garbage collector, and hypothesis installs one.
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    try:
        test.run(100 if SANITIZED else 1000)
    finally:
        gc.callbacks.extend(callbacks)
    assert test.failures == dict.fromkeys(test.failures, 0)


def raise_at_call(world: b2.World, target: str) -> None:
    """Lets an exception be raised at the start of the function `target`, where a signal handler can be run too."""

    def trace(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name == target:
            sys.settrace(None)
            raise KeyboardInterrupt

    sys.settrace(trace)
    try:
        world.step()
    finally:
        sys.settrace(None)


@pytest.mark.parametrize("target", ["b2d_call_python", "_call", "_ask", "_shape", "_refresh", "_finish_callbacks"])
def test_an_interrupt_in_a_function_of_the_step_arrives_and_allows_the_pair(target: str) -> None:
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(40, 1))
        ball = world.create_dynamic_body((0, 0.5))
        ball.create_shape(b2.Circle(0.5))
        world.on_filter = lambda a, b: True
        with pytest.raises(KeyboardInterrupt):
            raise_at_call(world, target)
        assert ball.position.y == pytest.approx(0.5, abs=0.01)
        world.step()
        assert len(ball.contacts) == 1
        world.validate()


def raise_at_place(number: int, call: Callable[[], object]) -> bool:
    """Lets an exception be raised at the `number`-th place of the call where signal handlers may run: in the package
    after a call, at the start of a function and in a loop. Returns False when there are fewer places."""
    left, before = number, dict[Any, str]()

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_globals.get("__name__", "").startswith("box2dpy"):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            last, now = before.get(frame, "RESUME"), dis.opname[frame.f_code.co_code[frame.f_lasti]]
            before[frame] = now
            if last.startswith(("CALL", "RESUME")) or now == "JUMP_BACKWARD":
                if left == 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt
                left -= 1
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def full() -> tuple[b2.World, list[Any]]:
    """A world whose tables are full, so that the next body moves them, and its objects."""
    world = b2.World()
    ground = world.create_static_body((0, -1), name="ground", data="ground")
    shape = ground.create_shape(b2.Box(20, 1), data="shape")
    chain = ground.create_chain([(3, 3), (2, 3), (1, 3)], data="chain")
    a, b = world.create_dynamic_body((0, 1), name="a"), world.create_dynamic_body((1, 1), data="b")
    joints = [world.create_revolute_joint(ground, body, anchor=(0, 1)) for body in (a, b)]
    gear = world.create_gear_joint(*joints)
    rows = world.arrays.position.base
    objects = [ground, shape, chain, a, b, *joints, gear, *chain.shapes]
    assert rows is not None
    while len(world._pose) // 4 > len(world.bodies):
        objects.append(world.create_dynamic_body((0, 5)))
    return world, objects


def pair() -> b2.Template:
    with b2.World() as world:
        ends = [world.create_dynamic_body((k, 0)) for k in range(2)]
        world.create_weld_joint(*ends, anchor=(0, 0))
        return b2.Template(ends)


PAIR = pair()

CALLS: dict[str, Callable[[b2.World, list[Any]], object]] = {
    "create_dynamic_body": lambda w, o: w.create_dynamic_body((7, 7)),
    "create_static_body": lambda w, o: w.create_static_body((7, 7), name="new", data=5),
    "create_many": lambda w, o: w.create_many(PAIR, [(7, 7)] * 70),
    "create_bodies": lambda w, o: w.create_bodies([(7, 7)] * 70, geometry=b2.Circle(1)),
    "create_shape": lambda w, o: o[3].create_shape(b2.Circle(1), data=5),
    "create_gear_joint": lambda w, o: w.create_gear_joint(o[5], o[6]),
    "Body.destroy": lambda w, o: o[0].destroy(),
    "Shape.destroy": lambda w, o: o[1].destroy(),
    "Chain.destroy": lambda w, o: o[2].destroy(),
    "Joint.destroy": lambda w, o: o[5].destroy(),
    "clear": lambda w, o: w.clear(),
    "reserve": lambda w, o: w.reserve(5000),
}


def assert_consistent(world: b2.World, objects: list[Any]) -> None:
    """What Python knows agrees with the C world: which objects live, their data, and the tables for fast reads."""
    world.validate()
    living = {each for kind in (world.bodies, world.shapes, world.joints, world.chains) for each in kind}
    for each in objects:
        assert each.alive == (each in living), each
        if not each.alive:
            with pytest.raises(b2.DestroyedError):
                each.data
    assert {key[2] for key in world._data} <= {each._generation for each in living}
    assert {key[1] for key in world._names} <= {body._generation for body in world.bodies}
    assert {key[1] for key in world._gears} == {j.index for j in world.joints if isinstance(j, b2.GearJoint)}
    for body in world.bodies:
        body.position = (body.index, 3)
        assert body.position == (body.index, 3)
    world.step()
    world.validate()


@pytest.mark.skipif(not sys.version_info >= (3, 11), reason="Python 3.10 has other bytecodes")
@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_is_interrupted_anywhere_has_happened_or_not(name: str) -> None:
    number, interrupted = 0, True
    while interrupted:
        world, objects = full()
        with world:
            interrupted = raise_at_place(number, lambda: CALLS[name](world, objects))
            assert_consistent(world, objects)
        number += 1
    assert number > 3


@pytest.mark.skipif(not sys.version_info >= (3, 11), reason="Python 3.10 has other bytecodes")
@pytest.mark.parametrize("as_bytes", [False, True])
def test_an_interrupted_restore_has_happened_or_not(as_bytes: bool) -> None:
    number, interrupted = 0, True
    while interrupted:
        world, objects = full()
        with world:
            state = world.snapshot() if as_bytes else world.save()
            saved, names = world.state_hash(), dict(world._names)
            objects[3].destroy()
            late = world.create_static_body((9, 9), name="late")
            changed = world.state_hash()
            interrupted = raise_at_place(number, lambda: world.restore(state))
            assert world.state_hash() in ((changed, saved) if interrupted else (saved,))
            restored = world.state_hash() == saved
            assert (world._names == names) == restored
            assert objects[3].alive == restored != late.alive
            assert_consistent(world, [*objects, late])
        number += 1
    assert number > 5


def still_life() -> tuple[Any, ...]:
    """The arrays of a moving body, without contacts, and the arguments of a step on them."""
    bodies = buffers.new_bodies(1)
    bodies.masses["mass"] = 1
    empty = np.empty(0, buffers.CONTACT), np.empty(0, np.uint64)
    return bodies, np.zeros(1, np.int32), *empty, buffers.new_cache(0)


def push(step: buffers.StagedSimulation) -> None:
    for _ in step.substeps():
        step.linear_velocity[:, 0] = 2
    step.finish()


@pytest.mark.skipif(not sys.version_info >= (3, 11), reason="Python 3.10 has other bytecodes")
def test_an_interrupted_step_on_arrays_has_happened_or_not_and_goes_on() -> None:
    arrays = still_life()
    push(buffers.StagedSimulation(*arrays))
    start, end = still_life()[0].poses, arrays[0].poses
    number, interrupted, goes_on = 0, True, 0
    while interrupted:
        arrays = still_life()
        steps: list[buffers.StagedSimulation] = []

        def call(arrays: Any = arrays, steps: Any = steps) -> None:
            steps.append(buffers.StagedSimulation(*arrays))
            push(steps[0])

        interrupted = raise_at_place(number, call)
        assert arrays[0].poses in (start, end) if interrupted else arrays[0].poses == end
        if steps and arrays[0].poses == start and steps[0]._run is not None:
            push(steps[0])
            assert np.isfinite(arrays[0].poses["position"]).all()
            goes_on += arrays[0].poses != start
        number += 1
    assert number > 30
    assert goes_on > 10


@pytest.mark.skipif(not sys.version_info >= (3, 11), reason="Python 3.10 has other bytecodes")
def test_an_interrupted_environment_begins_anew() -> None:
    pytest.importorskip("gymnasium")
    from box2dpy.envs import LunarLander

    def episode(env: LunarLander) -> list[Any]:
        seen = [env.reset(seed=5)[0]]
        return seen + [env.step(np.full(2, k % 4))[0] for k in range(4)]

    with contextlib.closing(LunarLander(2)) as env:
        expected = episode(env)
        for call in (lambda: env.reset(seed=9), lambda: env.step(np.ones(2, int))):
            number, interrupted = 0, True
            while interrupted:
                interrupted = raise_at_place(number, call)
                assert np.array_equal(episode(env), expected)
                number += 3
            assert number > 30


@pytest.mark.skipif(not sys.version_info >= (3, 11), reason="Python 3.10 has other bytecodes")
def test_interrupted_masses_of_many_geometries_are_right_the_next_time() -> None:
    geometries = [b2.Box(1, 0.5), b2.Circle(2)]
    expected = b2.mass_data(geometries, [2.0, 1.0])
    number = 0
    while raise_at_place(number, lambda: b2.mass_data(geometries, [2.0, 1.0])):
        assert (b2.mass_data(geometries, [2.0, 1.0]) == expected).all()
        number += 1
    assert number > 1
