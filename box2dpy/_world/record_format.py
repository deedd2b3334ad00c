"""The format of recordings: chunks, and the tables in them.

A file is a mark of 8 bytes and a list of chunks. A chunk has a head of 40 bytes and two parts of data. Its tag says
what it is:

    HEAD    what belongs to the whole recording, as JSON
    STAT    a keyframe: `World.snapshot`, compressed; a replay can start after it
    SHAP    the shapes and joints that have changed since the last such chunk, compressed
    FRAM    a frame: its poses, and the log of the calls since the frame before

The poses of a group of frames are one zlib stream, and so are the logs from one keyframe to the next. The compressor is
flushed after each frame, so that a frame can be read as soon as its chunk is in the file. Positions and angles are
whole numbers. A frame has their changes, or the changes of these changes if those are smaller, in as few bytes as hold
them all; the first frame of a group has the numbers themselves. Everything is little-endian.

A file may come from anywhere, with checksums that are right. The reader checks every field before it uses it, and what
it allocates is bounded by the size of the file. Compressed bytes make no more than the sizes that they declare; rows of
objects are checked in pieces, and ascend, so that they cannot be compressed much. A group takes little time to decode.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._bridge.errors import RecordingError
from .._bridge.library import ffi, lib

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARK = b"b2drec\r\n"
VERSION = 1
TURN = 65536  # angles are whole parts of a turn
HEAD, STATE, SHAPES, FRAME = b"HEAD", b"STAT", b"SHAP", b"FRAM"
FIRST_OF_GROUP, INCOMPLETE, BETWEEN = 1, 2, 4  # flags of a chunk; see `Chunk`
CHUNK = struct.Struct("<4sIIIdQII")
_POSES = struct.Struct("<I4B")  # rows, and for each column the bytes of a number, with _SECOND
_SECOND = 16  # changes of changes: what is left of a constant velocity
_TYPES: dict[int, np.dtype[Any]] = {1: np.dtype("<i1"), 2: np.dtype("<i2"), 4: np.dtype("<i4"), 8: np.dtype("<i8")}
MOST_INFLATED = 1032  # bytes that zlib makes of one
MOST_ROWS_OF_BYTE = MOST_INFLATED // 16
"""Bodies for each byte of a file: a log has at least 16 bytes of a body."""
MOST_COST = 5_000_000
"""ns to decode a group of more than one frame: half of what a seek may take."""
MOST_COST_READ = 4 * MOST_COST
"""The same, with the first frame, which the recorder counts as if it had changes only: a bound of memory."""
SNAPSHOT_HEAD = 24  # bytes; the last eight are the size of the core's part
SNAPSHOT_TAIL = struct.Struct("<II")  # bytes of the texts behind it, and their checksum
MOST_HEAD = 1 << 16  # bytes of the first chunk
LEAST_PRECISION, MOST_PRECISION = 1e-30, 1e30  # metres
_MOST_LENGTH = 1e300  # metres

LIVING, AWAKE, ENABLED = 4, 8, 16  # bits of the flags of a body; the two lowest are its type

SHAPE_ROW = np.dtype(
    [
        ("shape", "<i4"),
        ("body", "<i4"),
        ("type", "<i4"),
        ("count", "<i4"),
        ("radius", "<f4"),
        ("x", "<f4", 8),
        ("y", "<f4", 8),
        ("color", "<u4"),
        ("material", "<i4"),
        ("sensor", "?"),
    ]
)
"""A shape: `type` -1 when it is gone, vertices in body coordinates."""
JOINT_ROW = np.dtype(
    [
        ("joint", "<i4"),
        ("type", "<i4"),
        ("body_a", "<i4"),
        ("body_b", "<i4"),
        ("anchor_a", "<f4", 2),
        ("anchor_b", "<f4", 2),
    ]
)
"""A joint: `type` -1 when it is gone, anchors in coordinates of the bodies."""

LAYOUT = [
    ffi.sizeof(name) for name in ("b2d_body_def", "b2d_geometry", "b2d_shape_def", "b2d_joint_def", "b2d_material_pair")
]
"""Sizes of the structs in a log: only a machine with the same ones can replay it."""


class Chunk(NamedTuple):
    """The head of a chunk, and where its data is in the file."""

    tag: bytes
    sizes: tuple[int, int]
    flags: int  # FIRST_OF_GROUP; INCOMPLETE: the log lacks a change; BETWEEN: a state that was restored after a frame
    dt: float
    hash: int
    checksum: int
    start: int

    @property
    def end(self) -> int:
        return self.start + sum(self.sizes)


def chunk_bytes(
    tag: bytes, first: bytes, second: bytes = b"", flags: int = 0, dt: float = 0.0, digest: int = 0
) -> bytes:
    """A whole chunk."""
    checksum = zlib.crc32(second, zlib.crc32(first))
    head = CHUNK.pack(tag, len(first), len(second), flags, dt, digest, checksum, 0)[:-4]
    return head + zlib.crc32(head).to_bytes(4, "little") + first + second


def read_head(data: Any, at: int) -> Chunk | None:
    """The head of the chunk at a place, or None if the file ends inside the chunk.

    Raises:
        RecordingError: it is damaged.
    """
    if len(data) - at < CHUNK.size:
        return None
    head = data[at : at + CHUNK.size]
    tag, first, second, flags, dt, digest, checksum, own = CHUNK.unpack(head)
    if zlib.crc32(head[:-4]) != own:
        raise RecordingError(f"the recording is damaged at byte {at}")
    chunk = Chunk(tag, (first, second), flags, dt, digest, checksum, at + CHUNK.size)
    return chunk if chunk.end <= len(data) else None


def read_parts(data: Any, chunk: Chunk) -> tuple[bytes, bytes]:
    """The data of a chunk.

    Raises:
        RecordingError: it is damaged.
    """
    middle = chunk.start + chunk.sizes[0]
    first, second = bytes(data[chunk.start : middle]), bytes(data[middle : chunk.end])
    if zlib.crc32(second, zlib.crc32(first)) != chunk.checksum:
        raise RecordingError(f"the recording is damaged between bytes {chunk.start} and {chunk.end}")
    return first, second


_LINEAR = 1 << 52
_OFFSET = int(np.float64(_LINEAR).view(np.int64)) - _LINEAR
_MOST_WHOLE = int(np.float64(np.finfo(np.float64).max).view(np.int64)) - _OFFSET


def to_whole(lengths: NDArray[np.float64], precision: float) -> NDArray[np.int64]:
    """Coordinates as whole numbers of the precision.

    From 2**52 on, where a float64 has no fraction, a number is the bits of the float64 less an offset: these go up with
    it, join the whole numbers below, and hold every float64. So no coordinate is too large for a precision.
    """
    with np.errstate(over="ignore"):
        scaled = lengths / precision
    size = np.abs(scaled)
    large = size > _LINEAR
    if not large.any():
        return np.rint(scaled).astype(np.int64)
    bits = np.minimum(size, np.finfo(np.float64).max).view(np.int64) - _OFFSET
    return np.where(large, np.where(scaled < 0, -bits, bits), np.rint(np.where(large, 0.0, scaled)).astype(np.int64))


def to_lengths(whole: NDArray[np.int64], precision: float) -> NDArray[np.float64]:
    """The inverse of `to_whole`; finite for any numbers."""
    size = np.abs(whole)
    large = size > _LINEAR
    scaled = whole.astype(np.float64)
    if large.any():
        values = (np.minimum(size, _MOST_WHOLE) + _OFFSET).view(np.float64)
        scaled = np.where(large, np.copysign(values, scaled), scaled)
    with np.errstate(over="ignore"):
        return np.clip(scaled * precision, -_MOST_LENGTH, _MOST_LENGTH)


class Poses:
    """Positions, angles and flags of all bodies by index, as whole numbers, and how fast they change."""

    __slots__ = ("angle", "angle_rate", "flags", "x", "x_rate", "y", "y_rate")

    def __init__(self) -> None:
        none = np.zeros(0, np.int64)
        self.x = self.y = self.angle = self.x_rate = self.y_rate = self.angle_rate = none
        self.flags = np.zeros(0, np.uint8)

    def resized(self, rows: int) -> Poses:
        """The same, with more rows of zeros or fewer rows."""
        made = Poses()
        for name in Poses.__slots__:
            old = getattr(self, name)
            if len(old) != rows:
                new = np.zeros(rows, old.dtype)
                new[: len(old)] = old[:rows]
                old = new
            setattr(made, name, old)
        return made

    def resting(self) -> Poses:
        """The same without rates: the numbers of the first frame of a group are no velocities."""
        made = self.resized(len(self.x))
        made.x_rate = made.y_rate = made.angle_rate = np.zeros(len(self.x), np.int64)
        return made

    def encoded(
        self, x: NDArray[np.int64], y: NDArray[np.int64], angle: NDArray[np.int64], flags: NDArray[np.uint8]
    ) -> tuple[Poses, bytes]:
        """These poses as the successor of the present ones, and their bytes."""
        before = self.resized(len(x))
        after = Poses()
        after.x, after.y, after.angle, after.flags = x, y, angle, flags
        after.x_rate, after.y_rate = x - before.x, y - before.y
        after.angle_rate = _wrapped(angle - before.angle)
        heads, parts = [], []
        flips = (flags ^ before.flags).view(np.int8)
        for first, second in (
            (after.x_rate, after.x_rate - before.x_rate),
            (after.y_rate, after.y_rate - before.y_rate),
            (after.angle_rate, _wrapped(after.angle_rate - before.angle_rate)),
            (flips, flips),
        ):
            smaller = np.abs(second).sum() < np.abs(first).sum()
            column: NDArray[Any] = second if smaller else first
            width = _width(column)
            heads.append(width | (_SECOND if smaller else 0))
            parts.append(_planes(column, width))
        return after, b"".join([_POSES.pack(len(x), *heads), *parts])

    def decoded(self, data: bytes, most_rows: int) -> Poses:
        """The successor of these poses, from its bytes.

        Raises:
            RecordingError: they are damaged.
        """
        if len(data) != poses_size(data, most_rows):
            raise RecordingError("a frame is damaged")
        rows, *heads = _POSES.unpack_from(data)
        widths = [head & ~_SECOND for head in heads]
        before = self.resized(rows)
        if not any(heads):
            return before.resting()
        changes, at = [], _POSES.size
        rates = (before.x_rate, before.y_rate, before.angle_rate, np.zeros(rows, np.int64))
        for head, width, rate in zip(heads, widths, rates, strict=True):
            change = _joined(data, at, rows, width)
            changes.append(change + rate if head & _SECOND else change)
            at += rows * width
        after = Poses()
        after.x_rate, after.y_rate, after.angle_rate = changes[0], changes[1], _wrapped(changes[2])
        after.x, after.y = before.x + after.x_rate, before.y + after.y_rate
        after.angle = _wrapped(before.angle + after.angle_rate)
        after.flags = before.flags ^ changes[3].astype(np.uint8)
        return after


def decoding_cost(size: int, rows: int) -> int:
    """ns to decode a frame of so many bytes and bodies."""
    return 60_000 + 5 * size + 60 * rows


def poses_size(data: bytes, most_rows: int) -> int:
    """How many bytes the poses of a frame have, by their first ones.

    Raises:
        RecordingError: they are damaged.
    """
    if len(data) < _POSES.size:
        raise RecordingError("a frame is damaged")
    rows, *heads = _POSES.unpack_from(data)
    widths = [head & ~_SECOND for head in heads]
    if rows > most_rows or any(head & ~31 for head in heads) or not set(widths) <= {0, 1, 2, 4, 8}:
        raise RecordingError("a frame is damaged")
    size: int = _POSES.size + rows * sum(widths)
    return size


def inflated_poses(stream: Any, data: bytes, most_rows: int) -> bytes:
    """The poses of a frame, the next part of a zlib stream. No more bytes are made than the first ones say.

    Raises:
        RecordingError: they are damaged.
    """
    head: bytes = stream.decompress(data, _POSES.size)
    size = poses_size(head, most_rows)
    return head + inflated(stream, stream.unconsumed_tail, size - len(head))


def inflated_state(data: bytes) -> bytes:
    """A snapshot that has been compressed as one stream. No more bytes are made than its head and its tail say.

    Raises:
        RecordingError: they are damaged.
    """
    stream = zlib.decompressobj()
    head: bytes = stream.decompress(data, SNAPSHOT_HEAD)
    end = int.from_bytes(head[-8:], "little") + SNAPSHOT_TAIL.size - len(head)
    if len(head) < SNAPSHOT_HEAD or not 0 < end <= MOST_INFLATED * len(data):
        raise RecordingError("its head is damaged")
    core: bytes = stream.decompress(stream.unconsumed_tail, end)
    if len(core) < end:
        raise RecordingError("it is cut off")
    texts, _ = SNAPSHOT_TAIL.unpack(core[-SNAPSHOT_TAIL.size :])
    return b"".join((head, core, inflated(stream, stream.unconsumed_tail, texts)))


def inflated(stream: Any, data: bytes, size: int) -> bytes:
    """The next bytes of a zlib stream, which must be `size`.

    Raises:
        RecordingError: they are more or fewer.
    """
    made: bytes = stream.decompress(data, size + 1)  # no more, whatever the bytes say
    if len(made) != size:
        raise RecordingError(f"{size} bytes do not have this size")
    return made


def _wrapped(angle: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parts of a turn from -half a turn to half a turn."""
    wrapped: NDArray[np.int64] = ((angle + TURN // 2) & (TURN - 1)) - TURN // 2
    return wrapped


def _width(column: NDArray[Any]) -> int:
    """The least bytes that hold all numbers; 0 if all are zero."""
    if not column.any():
        return 0
    least, most = int(column.min()), int(column.max())
    return next(width for width in _TYPES if -(1 << (8 * width - 1)) <= least and most < 1 << (8 * width - 1))


def _planes(column: NDArray[Any], width: int) -> bytes:
    """The numbers in bytes, all lowest bytes first: equal bytes stand together and compress better."""
    if width == 0:
        return b""
    numbers = column.astype(_TYPES[width])
    return bytes(numbers.view(np.uint8).reshape(-1, width).T.tobytes())


def _joined(data: bytes, at: int, rows: int, width: int) -> NDArray[np.int64]:
    if width == 0:
        return np.zeros(rows, np.int64)
    planes = np.frombuffer(data, np.uint8, rows * width, at).reshape(width, rows)
    numbers: NDArray[np.int64] = np.ascontiguousarray(planes.T).view(_TYPES[width]).ravel().astype(np.int64)
    return numbers


def check_objects(shapes: NDArray[np.void], joints: NDArray[np.void]) -> None:
    """Raises ValueError unless the rows, which come from a file, are those of shapes and joints."""
    shapes, joints = shapes[shapes["type"] >= 0], joints[joints["type"] >= 0]
    numbers = [shapes["radius"], shapes["x"], shapes["y"], joints["anchor_a"], joints["anchor_b"]]
    bodies = [shapes["body"], joints["body_a"], joints["body_b"]]
    if (
        (shapes["type"] >= lib.B2D_GEOMETRY_COUNT).any()
        or ((shapes["count"] < 0) | (shapes["count"] > 8)).any()
        or any((each < 0).any() for each in bodies)
        or not all(np.isfinite(each).all() for each in numbers)
    ):
        raise ValueError("a row is out of range")


_PIECE = 1024  # rows that are checked at once


def read_objects(data: bytes) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """The rows of shapes and of joints in a compressed chunk.

    Raises:
        RecordingError, zlib.error, ValueError: they are damaged. The rest of the bytes has not been made then.
    """
    stream = zlib.decompressobj()
    count = int.from_bytes(stream.decompress(data, 4), "little")
    shapes = _read_rows(stream, SHAPE_ROW, count)
    joints = _read_rows(stream, JOINT_ROW, None)
    if len(shapes) != count or not stream.eof:
        raise RecordingError("rows are missing")
    return shapes, joints


def _read_rows(stream: Any, dtype: np.dtype[Any], count: int | None) -> NDArray[np.void]:
    """The next rows of a stream, all or at most `count`; the number of each is greater than that of the one before."""
    parts, found, last, key = [np.zeros(0, dtype)], 0, -1, (dtype.names or ("",))[0]
    while wanted := _PIECE if count is None else min(_PIECE, count - found):
        rows = np.frombuffer(stream.decompress(stream.unconsumed_tail, wanted * dtype.itemsize), dtype)
        if not len(rows):
            break
        numbers = rows[key]
        if numbers[0] <= last or (numbers[1:] <= numbers[:-1]).any():
            raise RecordingError("rows are not in order")
        if dtype is SHAPE_ROW:
            check_objects(rows, np.zeros(0, JOINT_ROW))
        else:
            check_objects(np.zeros(0, SHAPE_ROW), rows)
        parts.append(rows)
        found, last = found + len(rows), int(numbers[-1])
    return np.concatenate(parts)
