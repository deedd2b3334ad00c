"""Recordings: frames with poses, and worlds that are simulated again from them."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import scenes
from box2dpy._bridge.lists import shared_list
from tests.counting import lines_run

from ..patience import in_threads
from ..seeds import draws
from ..stepping import advance
from .recorded import changes, logs, pile, recorded

# -- frames


@pytest.mark.parametrize("function", [copy.copy, copy.deepcopy, pickle.dumps])
def test_recorders_and_recordings_are_not_copied(function: Callable[[Any], Any], tmp_path: Path) -> None:
    with b2.World() as world:
        with world.record(tmp_path / "one.b2r") as recorder:
            world.step()
            with pytest.raises(TypeError, match="cannot be copied"):
                function(recorder)
        with b2.Recording(tmp_path / "one.b2r") as recording, pytest.raises(TypeError, match="cannot be copied"):
            function(recording)


def test_frames_have_the_poses_of_the_steps(path: Path) -> None:
    seen = []
    with b2.World() as world:
        pile(world)
        with world.record(path) as recorder:
            for step in range(90):
                if step == 30:
                    world.create_dynamic_body((5, 5), angle=3.0).create_shape(b2.Circle(0.3))
                if step == 60:
                    world.body(3).destroy()
                world.step()
                seen.append((world.arrays.position.copy(), world.arrays.angle.copy(), world.state_hash()))
            assert recorder.frames == 91
    with b2.Recording(path) as recording:
        assert len(recording) == 91
        assert recording.duration == pytest.approx(1.5)
        assert recording.times[30] == pytest.approx(0.5)
        order = list(range(1, 91))
        draws(1).shuffle(order)
        for k in [*order, -1]:
            frame = recording[k]
            position, angle, digest = seen[frame.index - 1]
            living = frame.living
            assert frame.hash == digest
            np.testing.assert_allclose(frame.position[living], position[: len(living)][living], atol=0.51e-4)
            turn = (frame.angle - angle[: len(living)] + np.pi) % (2 * np.pi) - np.pi
            np.testing.assert_allclose(turn[living], 0, atol=0.51e-4 * np.pi)
        assert len(recording[30].living) == 21
        assert len(recording[31].living) == 22
        assert recording[61].living.tolist() == [k != 3 for k in range(22)]
        assert len(recording[30].shapes) == 21
        assert len(recording[31].shapes) == 22
        assert 3 not in recording[61].shapes["body"]
        assert recording[0].body_type.tolist() == [int(b2.BodyType.STATIC)] + 20 * [int(b2.BodyType.DYNAMIC)]


def test_a_frame_with_another_time_has_a_repr(path: Path) -> None:
    recorded(path, 1)
    with b2.Recording(path) as recording:
        frame = recording[0]
        assert repr(frame) == "<RecordedFrame 0 at 0 s, 21 bodies>"
        frame.time = 10**400
        assert repr(frame).startswith("<RecordedFrame 0 at 100")


def test_shapes_joints_and_sleep_are_those_of_the_frame(path: Path) -> None:
    with b2.World() as world:
        floor, ball = world.create_static_body((0, -1)), world.create_dynamic_body((2, 1))
        floor.create_shape(b2.Box(9, 1))
        shape = ball.create_shape(b2.Circle(0.5), color=0x123456)
        with world.record(path):
            world.step()
            joint = world.create_distance_joint(floor, ball, local_anchor_a=(0, 3), local_anchor_b=(0, 0.25))
            shape.geometry = b2.Circle(0.25)
            world.step()
            joint.destroy()
            ball.enabled = False
            world.step()
    with b2.Recording(path) as recording:
        assert recording[1].shapes["radius"][1] == 0.5
        assert recording[2].shapes["radius"][1] == 0.25
        assert recording[2].shapes["color"][1] == 0x123456
        assert [len(frame.joints) for frame in recording] == [0, 0, 1, 0]
        np.testing.assert_allclose(recording[2].joints["anchor_a"][0], (0, 3), atol=1e-4)
        np.testing.assert_allclose(recording[2].joints["anchor_b"][0], (0, 0.25), atol=1e-4)
        assert [frame.enabled[1] for frame in recording] == [True, True, True, False]
        assert recording[1].awake[1]


def test_a_recording_changes_no_bit(path: Path) -> None:
    with b2.World() as plain, b2.World() as world:
        for each in (plain, world):
            pile(each)
        with world.record(path, keyframe_interval=0.1):
            for _ in range(60):
                plain.step()
                world.step()
                assert plain.state_hash() == world.state_hash()
        assert world.recorder is None
        world.step()
        plain.step()
        assert plain.snapshot() == world.snapshot()


def test_a_frame_is_found_by_decoding_a_few_frames_before_it(path: Path) -> None:
    """Of 5,051 bodies eleven at most, each in 160 lines of Python, so without a loop over the bodies. `python -m
    benchmarks recording` measures the time."""
    with b2.World() as world:
        scenes.get("large_pyramid").build(world, 1.0)
        with world.record(path):
            advance(world, 40)
    with b2.Recording(path) as recording:
        for k in (39, 1, 20, 40, 7, 38, 0):
            assert lines_run(lambda k=k: recording[k]) < 11 * 160
            assert recording[k].index == k


def test_the_frame_at_a_time(path: Path) -> None:
    recorded(path, 10)
    with b2.Recording(path) as recording:
        assert [recording.frame_at(t).index for t in (-1, 0, 0.016, 1 / 60, 5 / 60, 9)] == [0, 0, 0, 1, 5, 10]
        box = recording.bounds
        assert box.lower[0] <= -40
        assert box.upper[1] >= 4


# -- simulating again


def test_verify_finds_no_difference_for_any_options(path: Path) -> None:
    recorded(path, 60, keyframe_interval=0.35)
    with b2.Recording(path) as recording:
        for options in ({}, {"workers": 2}, {"simd": "scalar", "broadphase": "tree"}):
            assert recording.verify(**options) == b2.Verification(60, 0, None)  # type: ignore[arg-type]


def test_verify_names_the_first_step_that_differs(path: Path) -> None:
    recorded(path, 40)
    with b2.Recording(path) as recording:
        # As if the engine had computed other bits in step 17
        chunk = recording._frames[17]
        recording._frames[17] = chunk._replace(hash=chunk.hash ^ 1)
        found = recording.verify()
    assert found == b2.Verification(16, 0, 17)
    assert not found.equal
    with b2.Recording(path) as recording:
        # Another gravity is another simulation
        assert recording.verify(gravity=(0, -9)).first_difference == 1


def test_the_world_at_a_frame_continues_with_the_same_bits(path: Path) -> None:
    hashes = recorded(path, 60, keyframe_interval=0.25)
    with b2.Recording(path) as recording:
        for k in (0, 1, 14, 15, 16, 44, 60, -1):
            with recording.world_at(k) as world:
                world.validate()
                for digest in hashes[k:] if k >= 0 else hashes[-1:]:
                    assert world.state_hash() == digest
                    world.step()


def test_calls_between_steps_are_logged(path: Path) -> None:
    """No call of this test needs a keyframe: the file has the first one only."""
    with b2.World() as world:
        bodies = pile(world)
        with world.record(path, keyframe_interval=1000):
            for change in changes(world, bodies):
                change()
                world.step(1 / 90, 3)
            advance(world, 5)
        digest = world.state_hash()
    with b2.Recording(path) as recording:
        assert len(recording._states) == 1
        found = recording.verify(workers=1)
        assert found.first_difference is None
        assert found.skipped == 0
        with recording.world_at(-1) as world:
            assert world.state_hash() == digest


def test_every_kind_of_call_is_in_that_test(tmp_path: Path) -> None:
    """The kinds that the test above logs, and the two of the next tests, are all that the list has."""
    seen = set()
    with b2.World() as world:
        bodies = pile(world)
        world.on_contact_begin = lambda event: None
        with world.record(tmp_path / "all.b2d", keyframe_interval=1000) as recorder:
            for change in changes(world, bodies):
                change()
                world.step()
            recorder.close()
    with b2.Recording(tmp_path / "all.b2d") as recording:
        seen = {call for log in logs(recording) for call in calls_of(log)}
    names = [name for name, _ in shared_list("logged_calls")]
    assert [name for k, name in enumerate(names) if k not in seen] == []


def calls_of(log: bytes) -> list[int]:
    calls, at = [], 0
    while at < len(log):
        calls.append(int.from_bytes(log[at : at + 4], "little"))
        at += 8 + int.from_bytes(log[at + 4 : at + 8], "little")
    return calls


def test_answers_of_callbacks_are_logged(path: Path) -> None:
    with b2.World() as world:
        bodies = pile(world)
        for body in bodies[::3]:
            body.shapes[0].presolve = True
        random_answers, drops = draws(3), iter(range(5))

        def presolve(contact: b2.Presolve) -> bool:
            contact.friction = random_answers.random()
            return random_answers.random() < 0.8

        def drop(event: b2.ContactEnd) -> None:
            for k in drops:
                world.create_dynamic_body((k, 9)).create_shape(b2.Circle(0.2))
                break

        with world.record(path):
            for step in range(120):
                if step == 10:
                    world.on_filter = lambda a, b: random_answers.random() < 0.7
                if step == 20:
                    world.on_presolve = presolve
                if step == 60:
                    world.on_contact_begin = lambda event: event.shape_a.body.apply_impulse((0, 0.1))
                if step == 80:
                    world.on_filter = world.on_contact_begin = None
                if step == 90:
                    world.on_contact_end = drop
                with contextlib.suppress(b2.WorldLockedError):  # callbacks may not push bodies
                    world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(120, 0, None)


def test_an_exception_of_a_callback_is_part_of_the_recording(path: Path) -> None:
    def fail(a: b2.Shape, b: b2.Shape) -> bool:
        raise KeyError("as the user wants")

    with b2.World() as world:
        pile(world)
        world.on_filter = fail
        with world.record(path):
            with pytest.raises(KeyError):
                world.step()
            for _ in range(20):
                with contextlib.suppress(KeyError):
                    world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(21, 0, None)


def test_a_restored_state_is_a_keyframe(path: Path) -> None:
    with b2.World() as world:
        pile(world)
        with world.record(path):
            advance(world, 10)
            state, data, back = world.save(), world.snapshot(), world.state_hash()
            advance(world, 10)
            world.restore(state)
            world.gravity = (0, 3)
            advance(world, 10)
            before = world.state_hash()
            world.restore(data)
            world.step()
    with b2.Recording(path) as recording:
        assert len(recording._states) == 3
        assert recording.verify() == b2.Verification(31, 0, None)
        assert recording[10].hash == back
        with recording.world_at(30) as world:  # before the second restore
            assert world.state_hash() == before
        np.testing.assert_allclose(recording[31].position, recording[11].position, atol=1e-3)


def test_a_keyframe_may_be_added_at_any_time(path: Path) -> None:
    with b2.World() as world:
        bodies = pile(world)
        with world.record(path) as recorder:
            for step in range(20):
                if step == 10:
                    before = world.state_hash()
                    bodies[0].linear_velocity = (3, 4)
                    recorder.keyframe()
                world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(20, 0, None)
        with recording.world_at(10) as world:  # before the velocity was set
            assert world.state_hash() == before


def test_a_change_that_no_log_can_hold_gets_a_keyframe(path: Path) -> None:
    """A call that ran out of memory is done in part; the recording goes on after a keyframe."""
    from box2dpy._bridge.library import lib

    with b2.World() as world:
        pile(world)
        with world.record(path):
            world.step()
            lib.b2d_world_fail_allocation(world._ptr, 0)
            with pytest.raises(MemoryError):
                world.create_bodies([(0, k) for k in range(500)], geometry=b2.Circle(0.2))
            lib.b2d_world_fail_allocation(world._ptr, -1)
            advance(world, 5)
    with b2.Recording(path) as recording:
        assert len(recording._states) == 2
        assert recording.verify() == b2.Verification(5, 1, None)


def test_staged_steps_with_callbacks_are_recorded(path: Path) -> None:
    """The answers of callbacks are logged, the edits of a staged step are not: a keyframe follows it."""
    with b2.World() as world:
        for body in pile(world):
            body.shapes[0].presolve = True
        world.on_filter = lambda a, b: True
        world.on_presolve = lambda contact: True
        with world.record(path):
            for _ in range(5):
                world.step()
                with world.staged_step() as step:
                    step.contacts["friction"] = 0.1
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(5, 5, None)


def test_a_recording_may_be_closed_in_a_callback_that_removes_itself(path: Path) -> None:
    """What the callback requests and raises belongs to this step of this world."""
    made: list[b2.Body] = []

    def begin(event: b2.ContactBegin) -> None:
        world.on_contact_begin = None
        recorder.close()
        assert recorder.closed
        assert world.recorder is None
        made.append(world.create_dynamic_body((9, 9)))
        raise RuntimeError("mine")

    with b2.World() as world, b2.World() as other:
        for each in (world, other):
            each.create_static_body((0, -1)).create_shape(b2.Box(9, 1))
            each.create_dynamic_body((0, 0.5)).create_shape(b2.Box(0.5, 0.5))
        recorder = world.record(path)
        world.on_contact_begin = begin
        with pytest.raises(RuntimeError, match="mine"):
            world.step()
        assert made[0].alive
        assert made[0].position == (9, 9)
        other.on_contact_begin = lambda event: None
        other.step()
        size = path.stat().st_size
        world.step()
        assert path.stat().st_size == size
        with world.record(path):  # the log of the core has been stopped, and starts again
            world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(1, 0, None)


def test_another_thread_cannot_close_the_recording_of_a_world_that_is_stepped(path: Path) -> None:
    errors: list[BaseException] = []

    def close() -> None:
        try:
            recorder.close()
        except BaseException as error:
            errors.append(error)

    def begin(event: b2.ContactBegin) -> None:
        in_threads([close])

    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(9, 1))
        world.create_dynamic_body((0, 0.5)).create_shape(b2.Box(0.5, 0.5))
        world.on_contact_begin = begin
        with world.record(path) as recorder:
            world.step()
            assert [type(error) for error in errors] == [b2.WorldLockedError]
            assert not recorder.closed
            world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(2, 0, None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("ends", [False, True])
def test_a_forked_child_writes_nothing_to_the_recording(ends: bool, path: Path) -> None:
    with b2.World() as world:
        pile(world)
        with world.record(path) as recorder:
            advance(world, 3)
            child = os.fork()
            if child == 0:
                try:
                    assert recorder.closed
                    assert world.recorder is None
                    with pytest.raises(b2.Box2DError, match="ended"):
                        recorder.keyframe()
                    if ends:
                        recorder.close()
                    advance(world, 3)
                    with world.record(path.with_name("child.b2d")) as own:
                        world.step()
                        assert own.frames == 2
                    world.close()
                    os._exit(0)
                except BaseException:
                    os._exit(1)
            world.step()
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 0
            assert not recorder.closed
            world.step()
    for name, steps in ((path, 5), (path.with_name("child.b2d"), 1)):
        with b2.Recording(name) as recording:
            assert recording.verify() == b2.Verification(steps, 0, None)


def test_a_step_with_wrong_arguments_is_no_frame(path: Path) -> None:
    with b2.World() as world, world.record(path) as recorder:
        pile(world)
        with pytest.raises(ValueError):
            world.step(-1)
        with pytest.raises(ValueError):
            world.body(1).linear_damping = -3
        world.step(0)
        assert recorder.frames == 2
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(1, 0, None)


def test_a_world_at_rest_is_recorded(path: Path) -> None:
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(9, 1))
        world.create_dynamic_body((0, 0.5)).create_shape(b2.Box(0.5, 0.5))
        with world.record(path) as recorder:
            advance(world, 200)
            assert world.counters.awake_bodies == 0
            size = recorder.nbytes
            advance(world, 60)
            assert recorder.nbytes - size < 60 * 120
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(260, 0, None)


@pytest.mark.parametrize("name", scenes.SCENES)
def test_scenes_are_recorded(name: str, path: Path) -> None:
    scene = scenes.get(name)
    with scene.world() as world:
        state = scene.build(world, 0.1)
        with world.record(path, keyframe_interval=0.2):
            for step in range(20):
                scene.advance(world, state, step)
                world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(20, 0, None)
