"""A signal handler that raises during a step: the exception arrives, and the world stays usable."""

from __future__ import annotations

import contextlib
import dis
import gc
import inspect
import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import buffers

from .interrupts import KINDS, Interrupts, pairs, step_in_parts

SANITIZED = "lib" in os.environ.get("LD_PRELOAD", "")
# Newer tracers report fewer instructions: 3.13 none of the function that is called first. So there are fewer places.
ALL_PLACES = sys.version_info < (3, 12)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timers")
@pytest.mark.parametrize("kind", KINDS)
def test_interrupts_at_random_moments_arrive_and_lock_nothing(kind: str) -> None:
    test = Interrupts(kind, seed=1)
    # Python itself swallows an exception inside a callback of the garbage collector, and hypothesis installs one.
    # Nor does one leave a finalizer: what other tests of this process have dropped is collected before.
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    gc.collect()
    try:
        test.run(100 if SANITIZED else 500)
    finally:
        gc.callbacks.extend(callbacks)
    assert test.delivered >= (100 if SANITIZED else 500)
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

    sys._getframe().f_trace_opcodes = True  # else Python 3.12 and newer report no opcodes of the functions called first
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
        before.clear()  # frames keep alive what they refer to
    return False


# -- recordings


def restored(world: b2.World) -> None:
    state = world.save()
    world.create_dynamic_body((9, 9))
    world.restore(state)


def recorded_again(world: Any) -> None:
    world.recorder.close()
    world.record(world.path)


@pytest.mark.skipif(not sys.version_info >= (3, 11), reason="Python 3.10 has other bytecodes")
@pytest.mark.parametrize(
    ("call", "places"),
    [
        (b2.World.step, 80), (step_in_parts, 100), (lambda world: world.recorder.keyframe(), 20), (restored, 40),
        (lambda world: world.recorder.close(), 5), (recorded_again, 50),
    ],
)  # fmt: skip
def test_a_recording_that_is_interrupted_anywhere_has_the_steps_and_can_be_read(
    call: Callable[[Any], object], places: int, tmp_path: Path
) -> None:
    """The step that was interrupted, if it was done, may share a frame with the next one."""

    class World(b2.World):
        path = tmp_path / "steps.b2r"

    number, interrupted = 0, True
    while interrupted:
        with World() as world:
            world.create_static_body((0, -1)).create_shape(b2.Box(40, 1))
            world.on_filter = lambda a, b: None
            world.record(world.path, keyframe_interval=1 / 30)
            for k in range(5):
                world.create_dynamic_body((3 * k, 0.6), linear_velocity=(0, -3)).create_shape(b2.Box(0.3, 0.3))
                if k == 2:
                    with warnings.catch_warnings():  # a staged step, or a file, may be dropped
                        warnings.simplefilter("ignore", ResourceWarning)
                        interrupted = raise_at_place(number, lambda world=world: call(world))
                recorder = world.recorder or world.record(world.path)
                world.step()
            recorder.close()
            assert world.recorder is None
            digest, position, shapes = world.state_hash(), world.arrays.position.copy(), len(world.shapes)
        with b2.Recording(World.path) as recording:
            assert len(recording) == recorder.frames
            assert recording.verify().equal
            assert recording[-1].hash == digest
            np.testing.assert_allclose(recording[-1].position, position, atol=1e-4)
            assert len(recording[-1].shapes) == shapes
            with recording.world_at(-1) as again:
                assert again.state_hash() == digest
        number += 1
    assert number > (places if ALL_PLACES else places // 3)


class TornFile:
    """A file that writes a part of what it should, and then is interrupted, once."""

    def __init__(self, opened: Any, part: int) -> None:
        self.opened, self.part, self.torn = opened, part, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.opened, name)

    def write(self, data: memoryview) -> int:
        if self.torn:
            return int(self.opened.write(data[: self.part or None]))  # files may write less than they are given
        self.torn = True
        self.opened.write(data[: self.part])
        raise KeyboardInterrupt


@pytest.mark.parametrize("part", [0, 1, 39, 40, 60, 1000])
@pytest.mark.parametrize("steps", [0, 1])
def test_the_next_frame_takes_the_place_of_a_torn_one(part: int, steps: int, tmp_path: Path) -> None:
    path = tmp_path / "steps.b2r"
    with pairs(callbacks=False) as world, world.record(path) as recorder:
        world.step()
        recorder._file = TornFile(recorder._file, part)
        with pytest.raises(KeyboardInterrupt):
            world.step()
        with b2.Recording(path) as recording:
            assert len(recording) in (2, 3)
        for _ in range(steps):
            world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(1, 1, None)
        assert recording.duration == pytest.approx((2 + steps) / 60)
        assert len(recording) == 3
    assert path.stat().st_size == recorder.nbytes


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_torn_frame_in_a_pipe_ends_the_recording(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with pairs(callbacks=False) as world:
        recorder = world.record(path)
        world.step()
        recorder._file = TornFile(recorder._file, 9)
        with pytest.raises(KeyboardInterrupt):
            world.step()
        assert recorder.closed
        world.step()
    (tmp_path / "copy").write_bytes(os.read(reader, 1 << 20))
    os.close(reader)
    with b2.Recording(tmp_path / "copy") as recording:
        assert recording.verify() == b2.Verification(1, 0, None)


def at_depth(depth: int, call: Callable[[], object]) -> None:
    if depth:
        at_depth(depth - 1, call)
    else:
        call()


def test_a_full_stack_damages_no_recording_and_reaches_no_other_world(tmp_path: Path) -> None:
    def fail(event: b2.BodyMove) -> None:
        raise ValueError("mine")

    limit, seen = sys.getrecursionlimit(), set()
    here = len(inspect.stack())
    try:
        sys.setrecursionlimit(here + 100)
        for depth in range(100):
            with pairs(callbacks=False) as world, pairs(callbacks=True) as other:
                world.on_body_move = fail
                recorder = world.record(tmp_path / "steps.b2r")
                try:
                    at_depth(depth, world.step)
                except Exception as error:
                    seen.add(type(error))
                except KeyboardInterrupt:  # the stack was too full to keep the exception
                    seen.add(RecursionError)
                other.step()
                world.on_body_move = None
                world.step()
                recorder.close()
            with b2.Recording(tmp_path / "steps.b2r") as recording:
                assert recording.verify().equal
    finally:
        sys.setrecursionlimit(limit)
    assert seen == {ValueError, RecursionError}


# -- staged steps


def assert_usable(world: b2.World, box: b2.Body) -> None:
    """The world can be stepped at once, in both ways, and reads are those of now."""
    for step in (world.step, lambda: step_in_parts(world)):
        box.position = (7, 3)
        box.linear_velocity = (0, -1)
        step()
        assert 2.9 < box.position.y < 3
        assert (box.position == world.arrays.position[box.index]).all()
    world.validate()


@pytest.mark.skipif(not sys.version_info >= (3, 11), reason="Python 3.10 has other bytecodes")
@pytest.mark.parametrize("step", [b2.World.step, step_in_parts])
def test_a_step_that_is_interrupted_anywhere_leaves_the_world_usable(step: Callable[[b2.World], None]) -> None:
    """Also while the exception lives on, with a traceback that refers to a staged step. There is one exception: Python
    may run the handler at the start of `__exit__`, and the step ends only when the traceback is dropped."""
    number, interrupted, locked = 0, True, 0
    while interrupted:
        with pairs(callbacks=True) as world:
            box = world.create_dynamic_body((7, 5))
            box.create_shape(b2.Circle(0.5))
            while len(world._pose) // 4 > len(world.bodies):
                world.create_dynamic_body((0, 9))
            moves_tables = iter([world.create_dynamic_body])
            world.on_contact_begin = lambda event, calls=moves_tables: [call((0, 9)) for call in calls]
            errors: list[BaseException] = []

            def keep_error(world: b2.World = world, errors: Any = errors) -> None:
                try:
                    step(world)
                except KeyboardInterrupt as error:
                    errors.append(error)
                    raise

            interrupted = raise_at_place(number, keep_error)
            try:
                world.step()
            except b2.WorldLockedError:
                locked += 1
                with pytest.warns(ResourceWarning, match="never left"):
                    errors.clear()
                    gc.collect()
            assert_usable(world, box)
        number += 1
    assert number > 50
    assert locked <= (step is step_in_parts)
    assert locked or step is b2.World.step or not ALL_PLACES


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
            assert number > (30 if ALL_PLACES else 10)


@pytest.mark.skipif(not sys.version_info >= (3, 11), reason="Python 3.10 has other bytecodes")
def test_interrupted_masses_of_many_geometries_are_right_the_next_time() -> None:
    geometries = [b2.Box(1, 0.5), b2.Circle(2)]
    expected = b2.mass_data(geometries, [2.0, 1.0])
    number = 0
    while raise_at_place(number, lambda: b2.mass_data(geometries, [2.0, 1.0])):
        assert (b2.mass_data(geometries, [2.0, 1.0]) == expected).all()
        number += 1
    assert number > 1
