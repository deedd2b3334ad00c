"""`Recorder`: writes what happens in a world to a file.

The core logs the calls that change the world, the answers of callbacks and the hash after each step (see
csrc/objects/call_log.h). After each step the recorder moves that log to the file, together with the poses that have
changed. A state that no log leads to becomes a keyframe. The memory that is needed does not grow with the recording.
"""

from __future__ import annotations

import weakref
import zlib
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._bridge.errors import Box2DError, DestroyedError, raise_error
from .._bridge.library import ffi, lib
from .._bridge.world_base import TABLE_ROW
from . import recording_file as file

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

    from .state import States

_LEVEL = 3  # of the compression of frames: 6 takes half as long again for 3 % less
_FAST = 1  # of that of keyframes, which are large
_MOST_COST = 5_000_000  # ns to decode a group of frames: half of what a seek may take
_FRAME_COST, _BYTE_COST, _ROW_COST = 60_000, 5, 60  # ns to decode a frame: each, for each byte, for each body
_POSE = np.dtype(
    {
        "names": ["x", "y", "cos", "sin"],
        "formats": ["f8", "f8", "f4", "f4"],
        "offsets": [0, 8, 16, 20],
        "itemsize": TABLE_ROW,
    }
)


class Recorder:
    """A recording that is being written; made by `World.record`.

    It ends with `close`, at the end of its `with` block, or when the world is closed. What has been written until then
    can be read at any time.
    """

    __slots__ = (
        "__weakref__",
        "_bytes",
        "_cost",
        "_file",
        "_found",
        "_frames",
        "_joint_generations",
        "_joints",
        "_log_stream",
        "_path",
        "_pose_stream",
        "_poses",
        "_precision",
        "_room",
        "_shape_changes",
        "_shapes",
        "_since_keyframe",
        "_spacing",
        "_world",
    )

    def __init__(self) -> None:
        raise TypeError("a Recorder is made by World.record()")

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    @property
    def frames(self) -> int:
        """Frames in the file: one for the moment when the recording began, and one for each step since."""
        return self._frames

    @property
    def nbytes(self) -> int:
        """Bytes that have been written."""
        return self._bytes

    @property
    def closed(self) -> bool:
        """Whether the recording has ended."""
        return self._file is None

    def keyframe(self) -> None:
        """Writes the whole state now, so that `Recording.world_at` has less to simulate from here on.

        Raises:
            Box2DError: the recording has ended.
            WorldLockedError: another thread is using the world, or this is a callback.
            DestroyedError: the world is gone.
            OSError: the file cannot be written.
        """
        if self._file is None:
            raise Box2DError("the recording has ended")
        self._add_keyframe(self._living_world(), file.BETWEEN)

    def close(self) -> None:
        """Ends the recording. Closing again does nothing."""
        opened, self._file = self._file, None
        if opened is None:
            return
        world = self._world()
        if world is not None and world._recorder is self:
            world._recorder, world._hooked = None, bool(world._functions)
            lib.b2d_world_log_stop(world._ptr)
        opened.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Recorder holds an open file: it cannot be copied or pickled")

    def __enter__(self) -> Recorder:
        if self._file is None:
            raise Box2DError("the recording has ended")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "ended" if self._file is None else "running"
        return f"<Recorder {self._path!r} {state}, {self._frames} frames>"

    # -- writing

    _file: Any
    _path: str
    _precision: float
    _spacing: float
    _world: weakref.ref[States]

    def _begin(self, world: States, opened: Any, path: str, precision: float, spacing: float) -> None:
        self._world = weakref.ref(world)
        self._path, self._precision, self._spacing = path, precision, spacing
        self._file = opened
        self._frames = self._bytes = 0
        self._since_keyframe = 0.0  # seconds
        self._poses = file.Poses()
        self._pose_stream: Any = None
        self._cost = 0  # of the present group
        self._shape_changes = -1
        self._shapes = np.zeros(0, file.SHAPE_ROW)  # by index
        self._joints = np.zeros(0, file.JOINT_ROW)
        self._joint_generations = b""
        self._found: Any = ffi.new("b2d_log *")
        self._room = 1 << 12
        self._write(file.MARK)
        import json

        about = {
            "version": file.VERSION,
            "precision": precision,
            "length_unit": world.length_unit,
            "gravity": list(world.gravity),
            "layout": file.LAYOUT,
        }
        self._write(file.chunk_bytes(file.HEAD, json.dumps(about).encode()))
        self._add_keyframe(world, 0)
        self._add_frame(world, b"", 0, 0.0, world.state_hash())

    def _living_world(self) -> States:
        world = self._world()
        if world is None:
            raise DestroyedError("the recorded world is gone")
        return world

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        self._bytes += len(data)

    def _add_keyframe(self, world: States, flags: int) -> None:
        revivable = world._has_snapshots
        state = zlib.compress(world.snapshot(), _FAST)
        world._has_snapshots = revivable  # these bytes go to a file, and the world does not return to them
        status = lib.b2d_world_log_start(world._ptr)
        if status:
            raise_error(status, world)
        self._log_stream = zlib.compressobj(6)
        self._since_keyframe = 0.0
        self._write(file.chunk_bytes(file.STATE, state, b"", flags))

    def _after_step(self, world: States) -> None:
        """Adds the frame of a step, if there was one."""
        if self._file is None:
            return
        found = self._found
        while True:
            log = bytearray(self._room)
            status = lib.b2d_world_log_take(world._ptr, ffi.from_buffer(log), self._room, found)
            if status:
                raise_error(status, world)
            if found.size <= self._room:
                break
            self._room = 2 * found.size
        if not found.steps and not found.incomplete:
            return  # the arguments of the step were wrong
        packed = self._log_stream.compress(log[: found.size]) + self._log_stream.flush(zlib.Z_SYNC_FLUSH)
        self._since_keyframe += found.time
        incomplete = bool(found.incomplete)
        digest = found.hash if found.steps else world.state_hash()
        self._add_frame(world, packed, file.INCOMPLETE if incomplete else 0, found.time, digest)
        if incomplete or self._since_keyframe >= self._spacing:
            self._add_keyframe(world, 0)

    def _after_restore(self, world: States) -> None:
        try:
            self._add_keyframe(world, file.BETWEEN)
        except OSError:
            self.close()
            raise

    def _add_frame(self, world: States, log: bytes, flags: int, dt: float, digest: int) -> None:
        poses, raw = self._encode_poses(world, self._poses)
        cost = _FRAME_COST + _BYTE_COST * len(raw) + _ROW_COST * len(poses.x)
        if self._pose_stream is None or self._cost + cost > _MOST_COST:
            flags |= file.FIRST_OF_GROUP
            poses, raw = self._encode_poses(world, file.Poses())
            poses = poses.resting()
            self._pose_stream, self._cost = zlib.compressobj(_LEVEL), 0
        self._cost += cost
        self._poses = poses
        packed = self._pose_stream.compress(raw) + self._pose_stream.flush(zlib.Z_SYNC_FLUSH)
        self._write(self._changed_objects(world) + file.chunk_bytes(file.FRAME, packed, log, flags, dt, digest))
        self._frames += 1

    def _encode_poses(self, world: States, before: file.Poses) -> tuple[file.Poses, bytes]:
        bodies = world.arrays.bodies
        if not world._table_rows:  # they are fetched when somebody reads them
            world._refresh()
        rows = np.frombuffer(world._tables[0], _POSE)[: len(bodies)]  # type: ignore[arg-type]
        living = bodies["type"] >= 0
        kind = np.where(living, bodies["type"], 0).astype(np.uint8)
        flags = kind | living * np.uint8(file.LIVING) | bodies["awake"] * np.uint8(file.AWAKE)
        flags |= bodies["enabled"] * np.uint8(file.ENABLED)
        scale = 1.0 / self._precision
        x = np.rint(np.where(living, rows["x"] * scale, 0.0)).astype(np.int64)
        y = np.rint(np.where(living, rows["y"] * scale, 0.0)).astype(np.int64)
        turn = np.arctan2(rows["sin"], rows["cos"]) * np.float32(file.TURN / (2 * np.pi))
        angle = np.rint(np.where(living, turn, 0.0)).astype(np.int64)
        angle[angle >= file.TURN // 2] = -file.TURN // 2
        return before.encoded(x, y, angle, flags)

    def _changed_objects(self, world: States) -> bytes:
        """A chunk with the shapes and joints that have changed; empty if none has."""
        shapes, joints = self._shapes[:0], self._joints[:0]
        version = world.shape_version
        if version != self._shape_changes:
            self._shape_changes = version
            self._shapes, shapes = _changes(self._shapes, _shape_rows(world.arrays.shapes), "shape")
        count = ffi.new("int32_t *")
        pointer = lib.b2d_world_generations(world._ptr, lib.B2D_KIND_JOINT, count)
        generations = bytes(ffi.buffer(pointer, 8 * count[0])) if count[0] else b""
        if generations != self._joint_generations:
            self._joint_generations = generations
            self._joints, joints = _changes(self._joints, _joint_rows(world), "joint")
        if not len(shapes) and not len(joints):
            return b""
        data = len(shapes).to_bytes(4, "little") + shapes.tobytes() + joints.tobytes()
        return file.chunk_bytes(file.SHAPES, zlib.compress(data, _LEVEL))


def _shape_rows(shapes: NDArray[np.void]) -> NDArray[np.void]:
    rows = np.zeros(len(shapes), file.SHAPE_ROW)
    for name in file.SHAPE_ROW.names or ():
        rows[name] = shapes[name]
    return rows


def _joint_rows(world: States) -> NDArray[np.void]:
    joints, arrays = world.arrays.joints, world.arrays
    rows = np.zeros(len(joints), file.JOINT_ROW)
    for name in ("joint", "type", "body_a", "body_b"):
        rows[name] = joints[name]
    for side in "ab":
        body = joints[f"body_{side}"]
        offset = np.stack([joints[f"{side}x"], joints[f"{side}y"]], axis=-1) - arrays.position[body]
        cosine, sine = arrays.rotation[body].T
        rows[f"anchor_{side}"][:, 0] = cosine * offset[:, 0] + sine * offset[:, 1]
        rows[f"anchor_{side}"][:, 1] = cosine * offset[:, 1] - sine * offset[:, 0]
    return rows


def _changes(before: NDArray[np.void], living: NDArray[np.void], key: str) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """All rows by index, and those that differ from the ones before. A row without an object has type -1."""
    count = max(len(before), int(living[key].max()) + 1 if len(living) else 0)
    old, new = np.zeros(count, before.dtype), np.zeros(count, before.dtype)
    for rows in (old, new):
        rows[key], rows["type"] = np.arange(count), -1
    old[: len(before)] = before
    new[living[key]] = living
    return new, new[old != new]
