"""Recordings: files of poses that can be read, simulated again and cut off anywhere."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import scenes
from box2dpy._bridge.lists import shared_list
from box2dpy._world.record_format import Poses
from tests.counting import lines_run

from ..patience import PATIENCE
from ..seeds import draws


def pile(world: b2.World, count: int = 20) -> list[b2.Body]:
    """A heap of boxes and balls on a floor."""
    world.create_static_body((0, -1)).create_shape(b2.Box(40, 1))
    bodies = []
    for k in range(count):
        body = world.create_dynamic_body((0.3 * (k % 5), 1 + 1.1 * (k // 5)), angle=0.1 * k)
        body.create_shape(b2.Box(0.4, 0.4) if k % 2 else b2.Circle(0.4))
        bodies.append(body)
    return bodies


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "world.b2d"


def recorded(path: Path, steps: int = 60, **options: Any) -> list[int]:
    """A recording of a pile; the hashes of its frames."""
    with b2.World() as world:
        pile(world)
        with world.record(path, **options):
            hashes = [world.state_hash()]
            for _ in range(steps):
                world.step()
                hashes.append(world.state_hash())
    return hashes


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
    benchmarks recording` measures the time.
    """
    with b2.World() as world:
        scenes.get("large_pyramid").build(world, 1.0)
        with world.record(path):
            for _ in range(40):
                world.step()
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


def changes(world: b2.World, bodies: list[b2.Body]) -> Iterator[Callable[[], Any]]:
    """Calls of every kind that a log can hold, each to be made between two steps."""
    made: dict[str, Any] = {}

    def create_joint() -> None:
        made["joint"] = world.create_revolute_joint(bodies[0], bodies[1], anchor=(0, 3))
        made["weld"] = world.create_weld_joint(bodies[2], bodies[3], anchor=(0, 3))

    def create_chain() -> None:
        points = [(9, 0), (5, -0.5), (-5, -0.5), (-9, 0)]
        made["chain"] = world.body(0).create_chain(points, friction=0.4)

    yield lambda: setattr(bodies[0], "position", (0.1, 7))
    yield lambda: setattr(bodies[0], "linear_velocity", (1, -1))
    yield lambda: bodies[1].apply_force((30, 40), point=(0, 1))
    yield lambda: bodies[1].apply_torque(3)
    yield lambda: bodies[2].apply_impulse((0.5, 1), point=(0, 1))
    yield lambda: bodies[2].apply_angular_impulse(0.2)
    yield lambda: setattr(bodies[3], "mass", 3.0)
    yield lambda: bodies[3].update_mass()
    yield lambda: made.update(lift=world.create_kinematic_body((6, 0), angle=0.1))
    yield lambda: made["lift"].create_shape(b2.Box(1, 0.2))
    yield lambda: made["lift"].set_target((6, 1), 0.2, 0.5)
    yield lambda: made.update(many=world.create_bodies([(k, 12) for k in range(4)], geometry=b2.Circle(0.3)))
    yield lambda: setattr(made["many"], "linear_velocity", [(1, k) for k in range(4)])
    yield lambda: setattr(made["many"], "friction", [0.1, 0.2, 0.3, 0.4])
    yield lambda: made["many"].apply_force([(0, 9)] * 4)
    yield lambda: made["many"].apply_angular_impulse([0.1] * 4)
    yield lambda: setattr(world.arrays, "angular_velocity", np.full(len(world.arrays.position), 0.0))
    yield lambda: world.arrays.set([b.index for b in bodies[:3]], gravity_scale=0.5)
    yield lambda: setattr(bodies[4].shapes[0], "friction", 0.1)
    yield lambda: setattr(bodies[5].shapes[0], "geometry", b2.Polygon([(0, 0.5), (-0.5, -0.4), (0.5, -0.4)]))
    yield lambda: setattr(bodies[6].shapes[0], "filter", b2.Filter(category=2))
    yield lambda: bodies[7].shapes[0].destroy()
    yield create_joint
    yield lambda: setattr(made["joint"], "motor_speed", 2.0)
    yield lambda: setattr(made["joint"], "enable_motor", True)
    yield lambda: made["weld"].destroy()
    yield create_chain
    yield lambda: setattr(made["chain"], "friction", 0.2)
    yield lambda: setattr(made["chain"], "filter", b2.Filter(mask=7))
    yield lambda: made["chain"].destroy()
    yield lambda: setattr(world, "gravity", (1, -9))
    yield lambda: world.set_material_pair(0, 1, friction=0.9)
    yield lambda: world.remove_material_pair(0, 1)
    yield lambda: world.explode((0, 0), 2, impulse_per_length=0.5)
    yield lambda: world.apply_wind((4, 0))
    yield lambda: bodies[9].shapes[0].apply_wind((0, 4))
    yield lambda: world.apply_buoyancy(b2.Box(20, 1), density=900)
    yield lambda: world.resolve_overlaps(3)
    yield world.split_islands
    yield lambda: bodies[8].destroy()
    yield lambda: setattr(world, "workers", 2)
    yield lambda: world.reserve(bodies=100)
    yield world.validate
    yield world.clear
    yield lambda: pile(world, 5)


def test_calls_between_steps_are_logged(path: Path) -> None:
    """No call of this test needs a keyframe: the file has the first one only."""
    with b2.World() as world:
        bodies = pile(world)
        with world.record(path, keyframe_interval=1000):
            for change in changes(world, bodies):
                change()
                world.step(1 / 90, 3)
            for _ in range(5):
                world.step()
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


def logs(recording: b2.Recording) -> Iterator[bytes]:
    import zlib

    from box2dpy._world import record_format

    inflate = zlib.decompressobj()
    for chunk in recording._frames[1:]:
        yield inflate.decompress(record_format.read_parts(recording._data, chunk)[1])


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
            for _ in range(10):
                world.step()
            state, data, back = world.save(), world.snapshot(), world.state_hash()
            for _ in range(10):
                world.step()
            world.restore(state)
            world.gravity = (0, 3)
            for _ in range(10):
                world.step()
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
            for _ in range(5):
                world.step()
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
        thread = threading.Thread(target=close)
        thread.start()
        thread.join()

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
            for _ in range(3):
                world.step()
            child = os.fork()
            if child == 0:
                try:
                    assert recorder.closed
                    assert world.recorder is None
                    with pytest.raises(b2.Box2DError, match="ended"):
                        recorder.keyframe()
                    if ends:
                        recorder.close()
                    for _ in range(3):
                        world.step()
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
            for _ in range(200):
                world.step()
            assert world.counters.awake_bodies == 0
            size = recorder.nbytes
            for _ in range(60):
                world.step()
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


# -- files


def test_a_file_that_is_cut_off_anywhere_has_its_whole_frames(path: Path) -> None:
    hashes = recorded(path, 30, keyframe_interval=0.2)
    whole = path.read_bytes()
    with b2.Recording(path) as recording:
        ends = [chunk.end for chunk in recording._frames]
    offsets = sorted({*range(0, len(whole), 97), *ends, *(end - 1 for end in ends), *(end + 1 for end in ends)})
    cut = path.with_name("cut.b2d")
    for offset in offsets:
        cut.write_bytes(whole[:offset])
        count = sum(end <= offset for end in ends)
        if count == 0:
            with pytest.raises(b2.RecordingError):
                b2.Recording(cut)
            continue
        with b2.Recording(cut) as recording:
            assert len(recording) == count
            assert recording[-1].hash == hashes[count - 1]
            assert len(recording[-1].shapes) == 21
    for offset in offsets[:: len(offsets) // 6]:
        if offset < ends[0]:
            continue
        cut.write_bytes(whole[:offset])
        with b2.Recording(cut) as recording:
            assert recording.verify() == b2.Verification(len(recording) - 1, 0, None)


def test_a_recording_can_be_read_while_it_is_written(path: Path) -> None:
    with b2.World() as world:
        pile(world)
        recorder = world.record(path)
        for _ in range(10):
            world.step()
        with b2.Recording(path) as recording:
            assert len(recording) == 11
            assert recording.verify().equal
        recorder.close()


def test_damaged_files_raise_one_exception(path: Path) -> None:
    recorded(path, 12, keyframe_interval=0.1)
    whole = path.read_bytes()
    broken = path.with_name("broken.b2d")
    flips = draws(5)
    for _ in range(150):
        at = flips.randrange(len(whole))
        data = bytearray(whole)
        data[at] ^= 1 << flips.randrange(8)
        broken.write_bytes(data)
        try:
            with b2.Recording(broken) as recording:
                for frame in recording:
                    _ = frame.position, frame.shapes, frame.joints
                assert recording.verify().equal
        except b2.RecordingError:
            continue
        pytest.fail(f"a changed bit in byte {at} was not noticed")


@pytest.mark.parametrize("data", [b"", b"b2d", b"no recording at all", b"b2drec\r\n", b"b2drec\r\n" + bytes(200)])
def test_other_files_are_no_recordings(data: bytes, path: Path) -> None:
    path.write_bytes(data)
    with pytest.raises(b2.RecordingError):
        b2.Recording(path)


def test_wrong_arguments_leave_the_world_unchanged(path: Path) -> None:
    with b2.World() as world:
        pile(world)
        before = world.snapshot()
        for wrong in (3, None, b"bytes.b2d", 1.5):
            with pytest.raises(TypeError, match="path"):
                world.record(wrong)  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="path"):
                b2.Recording(wrong)  # type: ignore[arg-type]
        for name in ("precision", "keyframe_interval"):
            for value in (0, -1, float("nan"), float("inf")):
                with pytest.raises(ValueError, match=name):
                    world.record(path, **{name: value})
            with pytest.raises(TypeError, match=name):
                world.record(path, **{name: "x"})  # type: ignore[arg-type]
        with pytest.raises(OSError):
            world.record(path.parent / "missing" / "file.b2d")
        with pytest.raises(OSError):
            b2.Recording(path.parent / "missing.b2d")
        assert world.recorder is None
        assert not path.exists()
        assert world.snapshot() == before
        with world.record(path) as recorder:
            assert world.recorder is recorder
            with pytest.raises(b2.Box2DError, match="already"):
                world.record(path.with_name("other.b2d"))
            assert not path.with_name("other.b2d").exists()
        with pytest.raises(b2.Box2DError, match="ended"):
            recorder.keyframe()
        with pytest.raises(b2.Box2DError, match="ended"):
            recorder.__enter__()
        recorder.close()
        assert world.snapshot() == before
    with pytest.raises(b2.DestroyedError):
        world.record(path)
    for made in (b2.Recorder,):
        with pytest.raises(TypeError):
            made()


def test_a_closed_recording_raises(path: Path) -> None:
    recorded(path, 5)
    recording = b2.Recording(path)
    frame = recording[3]
    with pytest.raises(IndexError):
        recording[6]
    with pytest.raises(IndexError):
        recording.world_at(-7)
    with pytest.raises(TypeError):
        recording["3"]  # type: ignore[index]
    with pytest.raises(TypeError):
        recording.verify(speed=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError):
        recording.frame_at(float("nan"))
    recording.close()
    recording.close()
    assert recording.closed
    assert len(frame.position) == 21
    for call in (lambda: recording[2], recording.verify, lambda: recording.world_at(1), recording.__enter__):
        with pytest.raises(b2.DestroyedError):
            call()


def test_closing_the_world_ends_the_recording(path: Path) -> None:
    with b2.World() as world:
        pile(world)
        recorder = world.record(path)
        world.step()
    assert recorder.closed
    with b2.Recording(path) as recording:
        assert len(recording) == 2


def test_recording_inside_a_callback_is_refused(path: Path) -> None:
    with b2.World() as world:
        pile(world)
        world.on_body_move = lambda event: world.record(path)
        with pytest.raises(b2.WorldLockedError):
            world.step()
        assert world.recorder is None


def test_copies_of_a_recorded_world_are_not_recorded(path: Path) -> None:
    with b2.World() as world:
        pile(world)
        with world.record(path) as recorder, world.clone() as other:
            assert other.recorder is None
            other.step()
            assert recorder.frames == 1
            world.step()
            assert recorder.frames == 2
            assert other.state_hash() == world.state_hash()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, a device that is always full")
def test_a_full_disk_raises_and_ends_the_recording() -> None:
    with b2.World() as world:
        pile(world)
        with pytest.raises(OSError):
            world.record("/dev/full")
        assert world.recorder is None
        world.step()


def test_changed_logs_are_safe_to_replay(path: Path) -> None:
    """A log from anywhere is refused or ends in another world; it never does harm. Its checksums are assumed right."""
    from box2dpy._bridge.library import ffi, lib

    with b2.World() as world:
        bodies = pile(world)
        with world.record(path, keyframe_interval=1000):
            for change in changes(world, bodies):
                change()
                world.step()
    with b2.Recording(path) as recording:
        whole = list(logs(recording))
        start = recording.world_at(0)
    flips, refused, replay = draws(7), 0, ffi.new("b2d_replay *")
    state = start.save()
    for _ in range(400):
        start.restore(state)
        replay.calls = 0
        for log in flips.sample(whole, 5):
            data = bytearray(log)
            for _ in range(flips.randrange(1, 4)):
                at = flips.randrange(len(data) // 4) * 4
                data[at : at + 4] = flips.choice([b"\0\0\0\0", b"\xff\xff\xff\xff", flips.randbytes(4)])
            data = data[: flips.choice([len(data), flips.randrange(len(data))])]
            status = lib.b2d_world_replay(start._ptr, ffi.from_buffer("uint8_t[]", bytes(data)), len(data), replay)
            refused += status & 0xFF == lib.B2D_SNAPSHOT
    start._refresh()
    start.validate()
    assert refused > 100
    start.close()


def test_a_write_error_in_a_step_leaves_the_step_complete(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with b2.World() as plain, b2.World() as world:
        pile(plain)
        pile(world)
        recorder = world.record(path)

        def fail(_: b2.Recorder, chunks: bytes) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(b2.Recorder, "_write", fail)
        with pytest.raises(OSError, match="no space left"):
            world.step()
        plain.step()
        assert recorder.closed
        assert world.recorder is None
        assert plain.state_hash() == world.state_hash()


def test_properties_of_the_shapes_of_many_bodies_are_in_the_recording(path: Path) -> None:
    with b2.World() as world, world.record(path):
        world.create_static_body().create_shape(b2.Box(20, 0.5))
        row = world.create_bodies([(0, 2), (3, 2)], geometry=b2.Circle(0.5), restitution=[0.2, 0.8])
        for _ in range(40):
            world.step()
        row.restitution = 0.5
        for _ in range(60):
            world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(100, 0, None)


# -- other recorders, threads and programs


def test_a_file_that_is_overwritten_while_it_is_read_raises(path: Path) -> None:
    """It is no mapping of memory, which would end the process."""
    recorded(path, 300)
    with b2.Recording(path) as recording, b2.World() as world:
        assert recording[0].living.any()
        with world.record(path), pytest.raises(b2.RecordingError):
            _ = recording[250].position


def positions_of(path: Path) -> list[bytes]:
    with b2.Recording(path) as recording:
        return [frame.position.tobytes() for frame in recording]


def test_threads_may_read_one_recording(path: Path) -> None:
    recorded(path, 200)
    expected, wrong = positions_of(path), list[object]()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with b2.Recording(path) as recording:

            def work(seed: int) -> None:
                draw = draws(seed)
                try:
                    for _ in range(40):
                        k = draw.randrange(len(recording))
                        if recording[k].position.tobytes() != expected[k]:
                            wrong.append(k)
                except b2.RecordingError as error:
                    wrong.append(error)

            threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


def test_reading_that_was_interrupted_is_right_the_next_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by a signal handler that reads another frame."""
    recorded(path, 100)
    expected = positions_of(path)
    with b2.Recording(path) as recording:
        assert recording[5].position.tobytes() == expected[5]
        original = Poses.decoded

        def interrupted(*arguments: Any) -> Poses:
            monkeypatch.setattr(Poses, "decoded", original)
            assert recording[70].position.tobytes() == expected[70]
            raise KeyboardInterrupt

        monkeypatch.setattr(Poses, "decoded", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _ = recording[40]
        for k in (41, 6, 40, 99):
            assert recording[k].position.tobytes() == expected[k]


@pytest.mark.parametrize("change", ["nothing", "half", "other", "longer", "removed", "folder"])
def test_what_another_program_does_to_a_file_that_is_read_raises_recording_error(change: str, path: Path) -> None:
    recorded(path, 300)
    with b2.Recording(path) as recording:
        assert recording[0].living.any()
        size = path.stat().st_size
        if change in ("nothing", "half", "longer"):
            os.truncate(path, {"nothing": 0, "half": size // 2, "longer": 2 * size}[change])
        elif change == "other":
            with open(path, "r+b") as opened:
                opened.write(draws(1).randbytes(size))
        else:
            path.unlink()
            if change == "folder":
                path.mkdir()
        whole = change in ("longer", "removed", "folder")
        calls: list[Callable[[], object]] = [
            lambda: recording[250].position, lambda: recording[299].shapes, lambda: recording.world_at(299).close(),
            recording.verify, lambda: recording.bounds, lambda: recording.save_html(path.with_name("page.html")),
        ]  # fmt: skip
        for call in calls:
            with contextlib.nullcontext() if whole else contextlib.suppress(b2.RecordingError):
                call()
        if not whole:
            with pytest.raises(b2.RecordingError):
                _ = recording[250].position


def test_a_second_recorder_of_a_file_is_refused(path: Path) -> None:
    with b2.World() as first, b2.World() as second:
        pile(first)
        with first.record(path):
            first.step()
            with pytest.raises(b2.Box2DError, match="being recorded to already"):
                second.record(path)
            assert second.recorder is None
            first.step()
        with b2.Recording(path) as recording:
            assert recording.verify() == b2.Verification(2, 0, None)
        with second.record(path):
            second.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(1, 0, None)


def test_of_threads_that_begin_to_record_one_world_one_does(path: Path) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(30):
            with b2.World() as world:
                pile(world)
                made, ready = list[b2.Recorder](), threading.Barrier(3)

                def work(k: int, world: b2.World = world, made: list[Any] = made, ready: Any = ready) -> None:
                    ready.wait(PATIENCE)
                    with contextlib.suppress(b2.Box2DError):
                        made.append(world.record(path.with_name(f"{k}.b2d")))

                threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                (recorder,) = made
                assert world.recorder is recorder
                world.step()
            with b2.Recording(recorder.path) as recording:
                assert recording.verify() == b2.Verification(1, 0, None)
    finally:
        sys.setswitchinterval(interval)


def test_keyframes_of_other_threads_damage_nothing(path: Path) -> None:
    for _ in range(3):
        with b2.World() as world, world.record(path) as recorder:
            pile(world, 60)
            ended = threading.Event()
            others: list[BaseException] = []

            def work(recorder: b2.Recorder = recorder, ended: threading.Event = ended) -> None:
                while not ended.is_set():
                    try:
                        recorder.keyframe()
                    except b2.WorldLockedError:
                        pass
                    except BaseException as error:
                        others.append(error)
                        return

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for _ in range(60):
                with contextlib.suppress(b2.WorldLockedError):
                    world.step()
            ended.set()
            for thread in threads:
                thread.join()
            assert not others
        with b2.Recording(path) as recording:
            assert recording.verify().equal


@pytest.mark.parametrize("change", ["create", "destroy", "reserve", "restore", "staged"])
def test_changes_of_other_threads_are_in_the_recording(change: str, path: Path) -> None:
    """Also those between the bytes of a keyframe and the log that starts there: both are made at once."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(2):
            with b2.World() as world, world.record(path, keyframe_interval=0.05):
                pile(world, 30)

                def staged(world: b2.World = world) -> None:
                    with world.staged_step():
                        pass

                calls: dict[str, Callable[[], object]] = {
                    "create": lambda world=world: world.create_dynamic_body((0, 30)).create_shape(b2.Circle(0.1)),
                    "destroy": lambda world=world: [*world.bodies][-1].destroy(),
                    "reserve": lambda world=world: world.reserve(bodies=100),
                    "restore": lambda world=world: world.restore(world.save()),
                    "staged": staged,
                }

                def work(call: Callable[[], object] = calls[change], step: Callable[[], None] = world.step) -> None:
                    for k in range(60):
                        with contextlib.suppress(b2.Box2DError, IndexError):
                            (call, step)[k % 2]()

                threads = [threading.Thread(target=work) for _ in range(3)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            with b2.Recording(path) as recording:
                assert recording.verify().equal
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("end", ["step", "close", "restore"])
def test_a_program_that_closes_all_its_files_ends_the_recording(end: str, path: Path) -> None:
    with b2.World() as world:
        pile(world)
        recorder = world.record(path)
        state = world.save()
        world.step()
        os.close(recorder._file.fileno())
        call = {"step": world.step, "close": recorder.close, "restore": lambda: world.restore(state)}[end]
        with pytest.raises(OSError, match="Bad file descriptor"):
            call()
        assert recorder.closed
        assert world.recorder is None
        recorder.close()
        world.step()
        with b2.Recording(path) as recording:
            assert recording.verify().equal


@pytest.mark.parametrize("call", ["step", "restore"])
def test_a_call_whose_frame_waits_for_another_thread_has_been_done(
    call: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other thread begins a step when the call has changed the world, and before its frame is written."""
    name = {"step": "_after_step", "restore": "_after_restore"}[call]
    original, seen = getattr(b2.Recorder, name), list[int]()

    def after(recorder: b2.Recorder, world: b2.World) -> None:
        seen.append(len(seen))
        if len(seen) != 3:
            original(recorder, world)
            return
        begun, over = threading.Event(), threading.Event()

        def work() -> None:
            with world.staged_step():
                begun.set()
                over.wait(PATIENCE)

        thread = threading.Thread(target=work)
        thread.start()
        assert begun.wait(PATIENCE)
        try:
            original(recorder, world)
        finally:
            over.set()
            thread.join()

    monkeypatch.setattr(b2.Recorder, name, after)
    with b2.World() as world, world.record(path):
        pile(world)
        state = world.save()
        for _ in range(5):
            if call == "restore":
                world.restore(state)
            world.step()
    assert len(seen) >= 5
    with b2.Recording(path) as recording:
        assert recording.verify().equal


@pytest.mark.parametrize("precision", [1e-12, 1e-4, 1e3])
def test_no_coordinate_is_too_large_for_a_precision(precision: float, path: Path) -> None:
    with b2.World(gravity=(0, 0)) as world:
        places = [(sign * 10.0**k, sign * 7.3**k) for k in range(-3, 13) for sign in (-1, 1)]
        for place in places:
            world.create_dynamic_body(place, linear_velocity=(3, -2))
        seen = []
        with world.record(path, precision=precision):
            for _ in range(5):
                world.step()
                seen.append(world.arrays.position.copy())
    with b2.Recording(path) as recording:
        for frame, position in zip(list(recording)[1:], seen, strict=True):
            np.testing.assert_allclose(frame.position, position, rtol=1e-15, atol=0.51 * precision)
        recording.save_html(path.with_suffix(".html"))


def test_closing_writes_the_logs_of_all_interrupted_steps(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with b2.World() as world:
        pile(world)
        recorder = world.record(path)
        with monkeypatch.context() as patch:

            def interrupt(*_: Any) -> None:
                raise KeyboardInterrupt

            patch.setattr(b2.Recorder, "_frame", interrupt)
            for _ in range(15):
                with pytest.raises(KeyboardInterrupt):
                    world.step()
        recorder.close()
        digest = world.state_hash()
    with b2.Recording(path) as recording:
        assert recording[-1].hash == digest
        assert recording.duration == pytest.approx(15 / 60)
        assert recording.verify().equal


def test_a_frame_that_was_not_written_is_not_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with b2.World() as world:
        recorder = world.record(path)
        world.step()

        def fail(_: b2.Recorder, chunks: bytes) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(b2.Recorder, "_write", fail)
        with pytest.raises(OSError):
            world.step()
        assert recorder.frames == 2
    with b2.Recording(path) as recording:
        assert len(recording) == 2


def test_a_title_may_have_the_words_of_the_template(path: Path) -> None:
    recorded(path, 3)
    with b2.Recording(path) as recording:
        recording.save_html(path.with_suffix(".html"), title="__DATA__ and __TITLE__")
    assert "<title>__DATA__ and __TITLE__</title>" in path.with_suffix(".html").read_text(encoding="utf-8")


def test_a_call_that_loses_an_event_for_want_of_memory_gets_a_keyframe(path: Path) -> None:
    """The call is done, but a replay has the event, and so another callback."""
    from box2dpy._bridge.library import lib

    with b2.World() as world:
        ground = world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        world.create_dynamic_body((0, 0.5)).create_shape(b2.Circle(0.5))
        world.on_contact_end = lambda end: None
        with world.record(path):
            for _ in range(5):
                world.step()
            for _ in range(20):
                ground.color = "red"  # the log has room for the next call
            world.step()
            lib.b2d_world_fail_allocation(world._ptr, 0)
            ground.geometry = b2.Box(20, 0.9)
            lib.b2d_world_fail_allocation(world._ptr, -1)
            for _ in range(5):
                world.step()
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(10, 1, None)
