"""Recordings beside other recorders, threads, programs and interrupts."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._bridge.library import lib
from box2dpy._world import record
from box2dpy._world.record_format import Poses

from ..patience import PATIENCE, in_threads
from ..seeds import draws
from ..stepping import advance
from .recorded import pile, recorded


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

            in_threads([partial(work, k) for k in range(6)])
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
                    while True:
                        try:
                            made.append(world.record(path.with_name(f"{k}.b2d")))
                        except b2.WorldLockedError:  # another one just reads the world, and may give up afterwards
                            continue
                        except b2.Box2DError:
                            pass
                        return

                in_threads([partial(work, k) for k in range(3)])
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

                in_threads([work] * 3)
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
            advance(world, 5)
            for _ in range(20):
                ground.color = "red"  # the log has room for the next call
            world.step()
            lib.b2d_world_fail_allocation(world._ptr, 0)
            ground.geometry = b2.Box(20, 0.9)
            lib.b2d_world_fail_allocation(world._ptr, -1)
            advance(world, 5)
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(10, 1, None)


def test_a_recording_that_fails_to_begin_leaves_that_of_another_thread_its_log(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other thread begins at a call of the core that the failing one makes: it is refused, or its log is whole."""
    begun: list[b2.Recorder] = []

    def begin(world: b2.World) -> None:
        def work() -> None:
            with contextlib.suppress(b2.Box2DError):
                begun.append(world.record(path))

        in_threads([work])

    for call in ("b2d_world_log_start", "b2d_world_log_stop"):
        with b2.World() as world:
            world.create_dynamic_body((0, 3)).create_shape(b2.Circle(0.5))

            class Core:
                def __getattr__(self, name: str, call: str = call, world: b2.World = world) -> Any:
                    if name == call and not begun:
                        monkeypatch.setattr(record, "lib", lib)
                        begin(world)
                    return getattr(lib, name)

            monkeypatch.setattr(record, "lib", Core())
            with pytest.raises(OSError):
                world.record(tmp_path / "no folder" / "file")
            if not begun:
                begun.append(world.record(path))
            advance(world, 20)
            begun.pop().close()
        with b2.Recording(path) as recording:
            found = recording.verify()
            assert found.equal
            assert found.steps == 20
