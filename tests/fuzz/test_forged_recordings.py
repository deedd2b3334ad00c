"""Recordings with right checksums and wrong content raise RecordingError, or are read as what they say."""

from __future__ import annotations

import tracemalloc
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._world import recording_file as file

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


def test_what_a_small_file_takes_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames of many bodies that rest take a few bytes each, and all of a group were kept."""
    path = tmp_path / "crowd.b2r"
    with b2.World() as world:
        world.create_bodies([(2.0 * k, 0.0) for k in range(20_000)], geometry=b2.Circle(0.5))
        with world.record(path):
            for _ in range(60):
                world.step()
    assert path.stat().st_size < 3_000_000
    monkeypatch.setattr("box2dpy._recording.recording._MOST_KEPT_ROWS", 100_000)
    with b2.Recording(path) as recording:
        expected = [recording[k].position for k in (59, 3, 58)]
        assert sum(len(poses.x) for poses in recording._group) <= 100_000
    with b2.Recording(path) as recording:
        assert all((recording[k].position == there).all() for k, there in zip((59, 3, 58), expected, strict=True))
        tracemalloc.start()
        recording[30]
        recording[10]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 100_000 * 49 + 20_000 * 400


def test_a_chunk_that_inflates_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "small.b2r"
    with b2.World() as world, world.record(path):
        world.step()
    monkeypatch.setattr(file, "MOST_INFLATED", 100)
    with b2.Recording(path) as recording, pytest.raises(b2.RecordingError, match="more than 100 bytes"):
        recording.verify()
