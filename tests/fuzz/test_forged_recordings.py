"""Recordings with right checksums and wrong content raise RecordingError, or are read as what they say."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._world import record_format as file

from ..seeds import draws
from .recordings import Chunks, chunks_of, file_of, forged, read_all, run


def made(path: Path) -> Chunks:
    """A recording of bodies that come, move and go: its chunks with both parts."""
    with b2.World() as world, world.record(path):
        ground = world.create_static_body((0, -1))
        ground.create_shape(b2.Box(50, 1))
        for k in range(40):
            if k % 8 == 0:
                body = world.create_dynamic_body((k / 8, 3))
                body.create_shape(b2.Circle(0.4) if k % 16 else b2.Box(0.3, 0.2))
                world.create_distance_joint(ground, body, local_anchor_a=(0, 9), local_anchor_b=(0, 0))
            if k == 30:
                body.destroy()
            world.step()
    return chunks_of(path.read_bytes())


def test_forged_recordings_raise_recording_error(tmp_path: Path) -> None:
    for seed in range(4):
        draw, path = draws(seed), tmp_path / "forged.b2d"
        chunks = made(path)
        read_all(path)
        refused = 0
        for _ in range(120):
            path.write_bytes(file_of(forged(chunks, draw)))
            with suppress(b2.RecordingError):
                read_all(path)
                continue
            refused += 1
        assert refused > 30


def test_a_log_with_steps_that_no_world_makes_is_another_simulation(tmp_path: Path) -> None:
    """Each byte of the log of a step in turn, so that its dt and its substeps are out of range."""
    path, chunks = tmp_path / "forged.b2d", made(tmp_path / "whole.b2d")
    assert file_of(chunks[:5]) == file_of(chunks_of(file_of(chunks[:5])))
    k = next(k for k, (chunk, _, log) in enumerate(chunks) if chunk.tag == file.FRAME and 0 < len(log) < 100)
    chunk, poses, log = chunks[k]
    different = 0
    for at in range(len(log)):
        chunks[k] = chunk, poses, log[:at] + b"\xff" + log[at + 1 :]
        path.write_bytes(file_of(chunks))
        with b2.Recording(path) as recording, suppress(b2.RecordingError):
            different += not recording.verify().equal
    assert different > 8  # at least those of the substeps


def test_each_byte_of_a_flag_that_is_not_zero_is_true(tmp_path: Path) -> None:
    """All flags of a body and of a shape are set; each byte of them in turn is no valid bool."""
    path, whole = tmp_path / "forged.b2d", tmp_path / "whole.b2d"
    with b2.World() as world, world.record(whole):
        world.step()
        body = world.create_dynamic_body(
            bullet=True, allow_fast_rotation=True, lock_x=True, lock_y=True, lock_rotation=True
        )
        body.create_shape(b2.Circle(0.5), sensor=True, hit_events=True, sensor_events=True, presolve=True)
        world.step()
    chunks = chunks_of(whole.read_bytes())
    k = next(k for k, (_, _, log) in enumerate(chunks) if b"\1" * 8 in log)
    chunk, poses, log = chunks[k]
    body_flags, shape_flags = log.index(b"\1" * 8), log.rindex(b"\1" * 6)
    for at in (*range(body_flags, body_flags + 8), *range(shape_flags, shape_flags + 6)):
        for byte in (b"\2", b"\x80", b"\xff"):
            chunks[k] = chunk, poses, log[:at] + byte + log[at + 1 :]
            path.write_bytes(file_of(chunks))
            with b2.Recording(path) as recording:
                assert recording.verify().equal, (at, byte)


def test_random_recordings_are_read_as_they_were_made_or_refused() -> None:
    assert run(4000, 1) == []


def test_a_frame_without_a_whole_state_before_it_is_refused() -> None:
    assert run(400, 91057) == []


def taken(call: Callable[[], object]) -> int:
    """The most bytes that Python and numpy had at a time in a call, which must refuse the recording."""
    tracemalloc.start()
    try:
        with pytest.raises(b2.RecordingError):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def ascending_twice() -> bytes:
    rows = np.zeros(1 << 18, file.SHAPE_ROW)
    rows["shape"] = np.arange(len(rows)) % (len(rows) // 2)
    return len(rows).to_bytes(4, "little") + rows.tobytes()


POSES, SIZE = struct.Struct("<I4B"), 1 << 26
# By what it claims to be: the tag of a chunk that is a small one and makes 64 MB, and what it has.
BOMBS: dict[str, tuple[bytes, Callable[[], bytes]]] = {
    "rows that are not there": (file.FRAME, lambda: POSES.pack(40, 1, 0, 0, 0) + bytes(SIZE)),
    "too many rows": (file.FRAME, lambda: POSES.pack(SIZE, 1, 0, 0, 0) + bytes(SIZE)),
    "equal shapes": (file.SHAPES, lambda: (SIZE // 92).to_bytes(4, "little") + bytes(SIZE)),
    "shapes that begin anew": (file.SHAPES, ascending_twice),
    "equal joints": (file.SHAPES, lambda: bytes(4) + bytes(SIZE)),
    "a snapshot without a size": (file.STATE, lambda: bytes(SIZE)),
    "a snapshot that is too long": (file.STATE, lambda: bytes(16) + (1000).to_bytes(8, "little") + bytes(SIZE)),
    "a snapshot of any size": (file.STATE, lambda: b"\xff" * SIZE),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_takes_little_memory_whatever_it_says(name: str, tmp_path: Path) -> None:
    tag, content = BOMBS[name]
    path, chunks = tmp_path / "bomb.b2d", made(tmp_path / "whole.b2d")
    last = max(k for k, (chunk, _, _) in enumerate(chunks) if chunk.tag == tag)
    head = chunks[last][0]
    flags = head.flags | (file.FIRST_OF_GROUP if tag == file.FRAME else 0)
    chunks[last] = head._replace(flags=flags), content(), b""
    path.write_bytes(file_of(chunks, 9))
    del chunks
    size = path.stat().st_size

    def read() -> None:
        with b2.Recording(path) as recording:
            if tag == file.STATE:
                recording.world_at(len(recording) - 1)
            else:
                assert recording[len(recording) - 1].shapes is not None

    assert taken(read) < 1_000_000 + (40 if name == "shapes that begin anew" else 4) * 4 * size


def test_a_group_of_many_large_frames_is_refused(tmp_path: Path) -> None:
    """2,000 frames that say that nothing has moved, of as many bodies as the file may have."""
    path, chunks = tmp_path / "group.b2d", made(tmp_path / "whole.b2d")
    rows = 20_000
    for k in range(2_000):
        frame = file.Chunk(file.FRAME, (0, 0), file.INCOMPLETE | (k == 0), 0.1, 0, 0, 0)
        chunks.append((frame, struct.pack("<I4B", rows - k % 2, 0, 0, 0, 0), b""))
    path.write_bytes(file_of(chunks[:4] + chunks[-2000:], 9))

    def read() -> None:
        with b2.Recording(path) as recording:
            assert recording[-1].living is not None

    assert taken(read) < 40_000_000
