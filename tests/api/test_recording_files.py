"""Files of recordings: cut off, damaged, full disks, wrong arguments."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance
from .recorded import changes, logs, pile, recorded


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
        advance(world, 10)
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
        advance(world, 40)
        row.restitution = 0.5
        advance(world, 60)
    with b2.Recording(path) as recording:
        assert recording.verify() == b2.Verification(100, 0, None)
