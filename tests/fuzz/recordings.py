"""Random recordings: `python -m tests.fuzz.recordings [calls] [first seed]`.

A world gets the calls of `tests.fuzz.calls` while it is recorded. Its file has the poses of the last step, and the
simulation of the file gives the same bits. Then the file is cut off, or its content is changed under right checksums:
it is read as what it says, or raises RecordingError. The same seed repeats the same calls.
"""

from __future__ import annotations

import math
import random
import tempfile
import warnings
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy._world import record_format as file

from .calls import Calls, play
from .command import main
from .snapshots import repair, split

Chunks = list[tuple[file.Chunk, bytes, bytes]]


def chunks_of(raw: bytes) -> Chunks:
    """The chunks of a file with both parts, which are not compressed any more."""
    at, chunks, poses, logs = len(file.MARK), list[Any](), zlib.decompressobj(), zlib.decompressobj()
    while (chunk := file.read_head(raw, at)) is not None:
        first, second = file.read_parts(raw, chunk)
        if chunk.flags & file.FIRST_OF_GROUP:
            poses = zlib.decompressobj()
        if chunk.tag == file.STATE:
            logs = zlib.decompressobj()
        if chunk.tag == file.FRAME:
            first, second = poses.decompress(first), logs.decompress(second)
        elif chunk.tag != file.HEAD:
            first = zlib.decompress(first)
        chunks.append((chunk, first, second))
        at = chunk.end
    return chunks


def file_of(chunks: Chunks, level: int = 1) -> bytes:
    """The file that has these chunks, with right checksums."""
    parts, poses, logs = [file.MARK], zlib.compressobj(level), zlib.compressobj(level)
    for chunk, first, second in chunks:
        if chunk.flags & file.FIRST_OF_GROUP:
            poses = zlib.compressobj(level)
        if chunk.tag == file.STATE:
            logs = zlib.compressobj(level)
        if chunk.tag == file.FRAME:
            first = poses.compress(first) + poses.flush(zlib.Z_SYNC_FLUSH)
            second = second and logs.compress(second) + logs.flush(zlib.Z_SYNC_FLUSH)
        elif chunk.tag != file.HEAD:
            first = zlib.compress(first, level)
        parts.append(file.chunk_bytes(chunk.tag, first, second, chunk.flags, chunk.dt, chunk.hash))
    return b"".join(parts)


def damaged(content: bytes, draw: random.Random) -> bytes:
    """With other bytes, often those that count, and sometimes shorter or longer."""
    changed = bytearray(content or b"\0")
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(min(len(changed), draw.choice((8, 64, 1 << 30))))
        changed[at] = draw.choice((0, 1, 127, 128, 255, changed[at] ^ 1 << draw.randrange(8)))
    if draw.random() < 0.1:
        changed = changed[: draw.randrange(len(changed) + 1)] + changed[draw.randrange(len(changed)) :]
    return bytes(changed)


def forged(chunks: Chunks, draw: random.Random) -> Chunks:
    """One chunk is wrong, missing, twice there or in another place."""
    chunks, k, what = [*chunks], draw.randrange(len(chunks)), draw.randrange(9)
    chunk, first, second = chunks[k]
    if what == 0:
        chunks[k] = chunk._replace(flags=draw.randrange(8)), first, second
    elif what == 1:
        chunks[k] = chunk._replace(dt=draw.choice((math.nan, math.inf, -1.0, 1e300))), first, second
    elif what == 2:
        del chunks[k]
    elif what == 3:
        chunks.insert(draw.randrange(len(chunks)), chunks[k])
    elif what < 7 or not second:
        new = damaged(first, draw)
        if chunk.tag == file.STATE and draw.random() < 0.8:
            core, texts = (bytearray(each) for each in split(new))
            repair(core)  # its own checksums
            new = bytes(core + texts)
        chunks[k] = chunk, new, second
    else:
        chunks[k] = chunk, first, damaged(second, draw)
    return chunks


def read_all(path: Path) -> None:
    with b2.Recording(path) as recording, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in {0, len(recording) // 2, len(recording) - 1}:
            frame = recording[k]
            assert np.isfinite(frame.position).all() and np.isfinite(frame.angle).all()
            assert len(frame.shapes) >= 0 <= len(frame.joints)
        assert all(np.isfinite(recording.bounds.lower)) and all(np.isfinite(recording.bounds.upper))
        recording.save_html(path.with_suffix(".html"))
        recording.verify()
        recording.world_at(len(recording) - 1).close()


class Recorded(Calls):
    """Random calls on worlds of which one is recorded."""

    def __init__(self, seed: int, folder: str) -> None:
        super().__init__(seed)
        self.path = Path(folder) / f"{seed}.b2d"
        world = self.worlds[0]
        if world.recorder is not None:
            world.recorder.close()
        self.recorder = world.record(
            self.path, precision=self.draw.choice((None, 1e-12, 1e3)), keyframe_interval=self.draw.choice((0.1, 1, 10))
        )
        self.keep(self.recorder)

    def end(self) -> None:
        world, recorder = self.worlds[0], self.recorder
        self.step(world)
        last = None if recorder.closed or world._functions else world.state_hash()
        where = {body.index: body.position for body in world.bodies}
        frames = recorder.frames
        super().end()
        with b2.Recording(self.path) as recording:
            frame = recording[-1]
            if len(recording) != frames:
                self.fail(f"{len(recording)} of {frames} frames are in the file")
            if last is not None:
                if frame.hash != last:
                    self.fail("the last frame has another hash")
                rows = [*where]
                places, bound = np.reshape([*where.values()], (-1, 2)), 0.51 * recording.precision
                if set(np.flatnonzero(frame.living)) != set(rows):
                    self.fail("the last frame has other bodies")
                elif not np.allclose(frame.position[rows], places, rtol=1e-15, atol=bound):
                    self.fail("the last frame has other positions")
            if not (found := recording.verify()).equal:
                self.fail(f"frame {found.first_difference} is simulated with other bits")
        self.damage()

    def damage(self) -> None:
        """Reads the file when it is cut off, and with wrong content."""
        raw = self.path.read_bytes()
        chunks = chunks_of(raw)
        for _ in range(20):
            cut = self.draw.random() < 0.3
            self.path.write_bytes(raw[: self.draw.randrange(len(raw))] if cut else file_of(forged(chunks, self.draw)))
            with suppress(b2.RecordingError):
                read_all(self.path)
        self.path.unlink()


def run(calls: int, first_seed: int) -> list[str]:
    """Recordings of 400 calls each, which are damaged 20 times. Returns what should not have happened."""
    with tempfile.TemporaryDirectory() as folder:
        return play(lambda seed: Recorded(seed, folder), calls, 400, first_seed).failures


if __name__ == "__main__":
    main(run, 20_000, "calls of recorded worlds")
