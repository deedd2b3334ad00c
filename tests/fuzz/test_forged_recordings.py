"""Recordings with right checksums and wrong content raise RecordingError, or are read as what they say."""

from __future__ import annotations

import struct
import tracemalloc
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._world import record_format as file

from ..seeds import draws


def made(path: Path) -> list[tuple[Any, bytes, bytes]]:
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
    raw = path.read_bytes()
    at, chunks = len(file.MARK), []
    while (chunk := file.read_head(raw, at)) is not None:
        chunks.append((chunk, *file.read_parts(raw, chunk)))
        at = chunk.end
    return chunks


def inflated(data: bytes) -> tuple[bytes, bool]:
    try:
        return zlib.decompress(data), True
    except zlib.error:
        return data, False


def read_all(path: Path) -> None:
    with b2.Recording(path) as recording:
        for k in {0, len(recording) // 2, len(recording) - 1}:
            frame = recording[k]
            assert np.isfinite(frame.position).all() and np.isfinite(frame.angle).all()
            assert len(frame.shapes) >= 0 <= len(frame.joints)
        assert all(np.isfinite(recording.bounds.lower)) and all(np.isfinite(recording.bounds.upper))
        recording.save_html(path.with_suffix(".html"))
        recording.verify()
        recording.world_at(len(recording) - 1).close()


@pytest.mark.parametrize("seed", range(4))
def test_forged_recordings_raise_recording_error(seed: int, tmp_path: Path) -> None:
    chance, path = draws(seed), tmp_path / "forged.b2d"
    chunks = made(path)
    read_all(path)
    refused = 0
    for _ in range(120):
        parts = []
        spoilt = chance.randrange(len(chunks))
        for k, (chunk, first, second) in enumerate(chunks):
            flags, dt = chunk.flags, chunk.dt
            if k == spoilt:
                what = chance.randrange(6)
                if what == 0:
                    flags = chance.randrange(8)
                elif what == 1:
                    dt = chance.choice((float("nan"), float("inf"), -1.0, 1e300))
                elif what == 2:
                    continue  # the chunk is missing
                else:
                    content, packed = inflated(first if what < 5 or not second else second)
                    changed = bytearray(content or b"\0")
                    for _ in range(chance.randrange(1, 4)):
                        changed[chance.randrange(len(changed))] = chance.choice((0, 1, 127, 128, 255))
                    new = zlib.compress(bytes(changed)) if packed else bytes(changed)
                    first, second = (new, second) if what < 5 or not second else (first, new)
            parts.append(file.chunk_bytes(chunk.tag, first, second, flags, dt, chunk.hash))
        path.write_bytes(file.MARK + b"".join(parts))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read_all(path)
            except b2.RecordingError:
                refused += 1
    assert refused > 30


def taken(call: Callable[[], object]) -> int:
    """The most bytes that Python and numpy had at a time in a call, which must refuse the recording."""
    tracemalloc.start()
    try:
        with pytest.raises(b2.RecordingError):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bombs() -> dict[str, tuple[bytes, bytes]]:
    """By what it claims to be: the tag of a chunk that is a small one and makes 256 MB, and what it has."""
    poses, size = struct.Struct("<I4B"), 1 << 28
    ascending = np.zeros(1 << 20, file.SHAPE_ROW)
    ascending["shape"] = np.arange(len(ascending)) % (len(ascending) // 2)
    return {
        "rows that are not there": (file.FRAME, poses.pack(40, 1, 0, 0, 0) + bytes(size)),
        "too many rows": (file.FRAME, poses.pack(size, 1, 0, 0, 0) + bytes(size)),
        "equal shapes": (file.SHAPES, (size // 92).to_bytes(4, "little") + bytes(size)),
        "shapes that begin anew": (file.SHAPES, len(ascending).to_bytes(4, "little") + ascending.tobytes()),
        "equal joints": (file.SHAPES, bytes(4) + bytes(size)),
        "a snapshot without a size": (file.STATE, bytes(size)),
        "a snapshot that is too long": (file.STATE, bytes(16) + (1000).to_bytes(8, "little") + bytes(size)),
        "a snapshot of any size": (file.STATE, b"\xff" * size),
    }


@pytest.mark.parametrize("name", bombs())
def test_a_small_file_takes_little_memory_whatever_it_says(name: str, tmp_path: Path) -> None:
    tag, content = bombs()[name]
    path, chunks, packed = tmp_path / "bomb.b2d", made(tmp_path / "whole.b2d"), zlib.compress(content, 9)
    del content
    last = max(k for k, (chunk, _, _) in enumerate(chunks) if chunk.tag == tag)
    flags = file.FIRST_OF_GROUP if tag == file.FRAME else 0
    parts = [
        file.chunk_bytes(chunk.tag, packed, b"", chunk.flags | flags, chunk.dt, chunk.hash)
        if k == last
        else file.chunk_bytes(chunk.tag, first, second, chunk.flags, chunk.dt, chunk.hash)
        for k, (chunk, first, second) in enumerate(chunks)
    ]
    path.write_bytes(file.MARK + b"".join(parts))
    del parts
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
    head = [file.chunk_bytes(c.tag, first, second, c.flags, c.dt, c.hash) for c, first, second in chunks[:4]]
    stream, rows = zlib.compressobj(9), 20_000
    frames = []
    for k in range(2_000):
        data = stream.compress(struct.pack("<I4B", rows - k % 2, 0, 0, 0, 0)) + stream.flush(zlib.Z_SYNC_FLUSH)
        frames.append(file.chunk_bytes(file.FRAME, data, b"", file.INCOMPLETE | (k == 0), 0.1))
    path.write_bytes(file.MARK + b"".join(head + frames))

    def read() -> None:
        with b2.Recording(path) as recording:
            assert recording[-1].living is not None

    assert taken(read) < 40_000_000
