"""`Recorder`: writes what happens in a world to a file.

The core logs the calls that change the world, the answers of callbacks and the hash after each step (see
csrc/objects/call_log.h). After each step the recorder moves that log to the file, together with the poses that have
changed. A state that no log leads to becomes a keyframe. The memory that is needed does not grow with the recording.

A signal handler may raise between any two calls of Python, so nothing is lost between them. A log that was taken is
kept until a frame has it. All that the next frame depends on is in one tuple, `_Point`, which a single assignment
replaces. The chunks of the point are written to their own place in the file until it has them. Only the compressors
change in between: if they may have got bytes that no point has, the frame has no log, and a keyframe follows it.

One thread at a time writes: the calls of C release the GIL, and a keyframe of another thread would use the same point
and the same compressors.
"""

from __future__ import annotations

import os
import stat
import weakref
import zlib
from _thread import RLock, get_ident
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from .._bridge.errors import Box2DError, DestroyedError, WorldLockedError, raise_error
from .._bridge.library import ffi, lib
from .._bridge.world_base import TABLE_ROW
from . import recording_file as file

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

    from .state import States

_LEVEL = 3  # of the compression of frames: 6 takes half as long again for 3 % less
_FAST = 1  # of that of keyframes, which are large
_POSE = np.dtype(
    {
        "names": ["x", "y", "cos", "sin"],
        "formats": ["f8", "f8", "f4", "f4"],
        "offsets": [0, 8, 16, 20],
        "itemsize": TABLE_ROW,
    }
)
_LOG = ffi.typeof("b2d_log *")
_AT_LOCK = 1 << 62  # a byte that no file has: a lock there hinders no reader


def open_alone(path: str) -> Any:
    """The file, empty, for one recorder.

    Raises:
        Box2DError: another recorder writes to it, here or in another process.
        OSError: it cannot be written.
    """
    opened = open(  # noqa: SIM115  closed by the recorder
        path, "wb", buffering=0, opener=lambda name, flags: os.open(name, flags & ~os.O_TRUNC, 0o666)
    )
    try:
        if stat.S_ISREG(os.fstat(opened.fileno()).st_mode):  # a device or a pipe may have any number of writers
            if not _locked(opened):
                raise Box2DError(f"{path!r} is being recorded to already")
            opened.truncate(0)
    except BaseException:
        opened.close()
        raise
    return opened


if os.name == "nt":
    import msvcrt

    def _locked(opened: Any) -> bool:
        """Locks the file until it is closed; False if another recorder has it."""
        opened.seek(_AT_LOCK)
        try:
            msvcrt.locking(opened.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except PermissionError:
            return False
        finally:
            opened.seek(0)
        return True

    def release(opened: Any) -> None:
        """Closing does it."""

else:
    import fcntl

    def _locked(opened: Any) -> bool:
        """Locks the file until it is closed; False if another recorder has it."""
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            pass
        return True

    def release(opened: Any) -> None:
        """Unlocks the file, which a forked child still has open."""
        fcntl.flock(opened, fcntl.LOCK_UN)


def about_recording(world: States, precision: float) -> dict[str, Any]:
    """The head of a recording."""
    return {
        "version": file.VERSION,
        "precision": precision,
        "length_unit": world.length_unit,
        "gravity": list(world.gravity),
        "layout": file.LAYOUT,
    }


class _Objects(NamedTuple):
    """The shapes and joints as the file has them, by index."""

    shape_version: int = -1
    shapes: NDArray[np.void] = np.zeros(0, file.SHAPE_ROW)
    joint_generations: bytes = b""
    joints: NDArray[np.void] = np.zeros(0, file.JOINT_ROW)


class _Point(NamedTuple):
    """How far the recording is: all that the next frame depends on."""

    frames: int = 0
    end: int = 0  # bytes of the file
    chunks: bytes = b""  # the last of these bytes, which the file may lack
    taken: Any = None  # the last logs that the frames have
    since_keyframe: float = 0.0  # seconds
    log_stream: Any = None  # compressor of the logs since the last keyframe
    pose_stream: Any = None  # of the present group
    cost: int = 0  # of the present group
    poses: file.Poses = file.Poses()
    objects: _Objects = _Objects()


class Recorder:
    """A recording that is being written; made by `World.record`.

    It ends with `close`, at the end of its `with` block, or when the world is closed. What has been written until then
    can be read at any time.
    """

    __slots__ = (
        "__weakref__",
        "_ended",
        "_file",
        "_lock",
        "_path",
        "_point",
        "_precision",
        "_process",
        "_room",
        "_seekable",
        "_spacing",
        "_taken",
        "_used",
        "_world",
        "_writing",
        "_written",
    )

    def __init__(self) -> None:
        raise TypeError("a Recorder is made by World.record()")

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    @property
    def frames(self) -> int:
        """Frames in the file: one for the moment when the recording began, and one for each step since.

        Two steps share a frame if a signal, or a full stack, kept the first of them from writing its own.
        """
        return self._written.frames

    @property
    def nbytes(self) -> int:
        """Bytes that have been written."""
        return self._written.end

    @property
    def closed(self) -> bool:
        """Whether the recording has ended. In a child process that `os.fork` has made it has."""
        return self._ended or self._process != os.getpid()

    def keyframe(self) -> None:
        """Writes the whole state now, so that `Recording.world_at` has less to simulate from here on.

        Raises:
            Box2DError: the recording has ended.
            WorldLockedError: another thread is using the world, or this is a callback.
            DestroyedError: the world is gone.
            OSError: the file cannot be written.
        """
        if self.closed:
            raise Box2DError("the recording has ended")
        world = self._living_world()
        thread = get_ident()
        if world._stepper == thread:
            raise WorldLockedError("the world is being stepped")
        try:
            with world._lock:  # a step of another thread would be in neither the log that is taken nor the state
                if world._stepper:
                    raise WorldLockedError("the world is being stepped by another thread")
                world._stepper = thread
            self._add(world, file.BETWEEN)
        finally:
            if world._stepper == thread:
                world._stepper = 0

    def close(self) -> None:
        """Ends the recording. Closing again does nothing.

        In a callback it ends before the present step, which then has no frame.

        Raises:
            WorldLockedError: another thread is using the world.
            OSError: interrupted calls have left something to write, and the file cannot be written. The recording has
                ended.
        """
        world = self._world()
        if world is not None and not self.closed and not world._in_callback():
            try:
                self._add(world)
            except WorldLockedError:
                raise
            except Exception:
                self._end()
                raise
        self._end()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Recorder holds an open file: it cannot be copied or pickled")

    def __enter__(self) -> Recorder:
        if self.closed:
            raise Box2DError("the recording has ended")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "ended" if self.closed else "running"
        return f"<Recorder {self._path!r} {state}, {self.frames} frames>"

    # -- writing

    _ended: bool
    _file: Any
    _path: str
    _point: _Point
    _precision: float
    _process: int
    _spacing: float
    _world: weakref.ref[States]
    _written: _Point
    _lock: Any

    def _begin(self, world: States, opened: Any, path: str, precision: float, spacing: float) -> None:
        import json

        self._world = weakref.ref(world)
        self._path, self._precision, self._spacing = path, precision, spacing
        self._file, self._seekable, self._process = opened, opened.seekable(), os.getpid()
        self._ended = self._writing = False
        self._lock = RLock()
        self._written = _Point()  # the last point whose chunks the file has
        self._taken: tuple[
            Any, ...
        ] = ()  # logs and what they have, from before they are taken until the point has them
        self._used: Any = None  # the point whose compressors were used
        self._room = 1 << 12
        about = json.dumps(about_recording(world, precision))
        head = file.MARK + file.chunk_bytes(file.HEAD, about.encode())
        self._point = _Point()
        keyframe, point = self._with_keyframe(world, self._point, 0)
        frame, point = self._with_frame(world, point, bytearray(), 0.0, world.state_hash())
        self._keep(point, head + keyframe + frame, None)

    def _living_world(self) -> States:
        world = self._world()
        if world is None:
            raise DestroyedError("the recorded world is gone")
        return world

    def _after_step(self, world: States) -> None:
        """Adds the frame of a step, if there was one."""
        if self.closed:
            self._end()
        elif not self._lock._is_owned():  # otherwise this is a step of a signal handler: the next one writes its frame
            self._add(world)

    def _after_restore(self, world: States) -> None:
        if self.closed:
            return
        try:
            self._add(world, file.BETWEEN)
        except OSError:
            self._end()
            raise

    def _end(self) -> None:
        """Ends the recording as it is. May be interrupted and called again; it writes nothing."""
        self._ended = True
        world = self._world()
        if world is not None and world._recorder is self:
            status = lib.b2d_world_log_stop(world._ptr)
            if not status:  # otherwise the world is busy, and the end of the step, or the next one, does it
                world._recorder, world._hooked = None, bool(world._functions)
        opened = self._file
        if opened is not None:
            if self._process == os.getpid() and not opened.closed:
                release(opened)
            opened.close()
            self._file = None

    def _add(self, world: States, keyframe: int | None = None) -> None:
        """As `_go_on`, after what another thread is writing; that takes no longer than a frame or a keyframe."""
        if self._lock._is_owned():  # this is a signal handler, and the call that it interrupted has the lock
            raise WorldLockedError("the recorder is writing a frame")
        with self._lock:
            if not self.closed:
                self._go_on(world, keyframe)

    def _go_on(self, world: States, keyframe: int | None = None) -> None:
        """Adds the frame of the steps since the last one, and a keyframe where it is needed or `keyframe` has flags."""
        self._write()
        before = point = self._point
        taken = self._take_logs(world)
        torn = self._used is before
        parts = [found for _, found in taken if found.steps or found.incomplete]
        stepped = [found for found in parts if found.steps]
        if not stepped and keyframe is None:
            return
        chunks = b""
        incomplete = torn or any(found.incomplete for found in parts)
        if stepped:
            if torn:
                point = point._replace(pose_stream=None)
            calls = None if incomplete else b"".join(log[: found.size] for log, found in taken)
            time = sum(found.time for found in stepped)
            chunks, point = self._with_frame(world, point, calls, time, stepped[-1].hash)
        if keyframe is not None or incomplete or point.since_keyframe >= self._spacing:
            state, point = self._with_keyframe(world, point, keyframe or 0)
            chunks += state
        self._keep(point, chunks, taken)

    def _take_logs(self, world: States) -> tuple[Any, ...]:
        """The logs since the last frame: bytes, and what they have. Those of an interrupted call come first."""
        while True:
            kept = () if self._taken is self._point.taken else self._taken
            kept = tuple(
                (log, found) for log, found in kept if found.size <= len(log) and (found.steps or found.incomplete)
            )
            log, found = bytearray(self._room), ffi.new(_LOG)
            self._taken = *kept, (log, found)
            status = lib.b2d_world_log_take(world._ptr, ffi.from_buffer(log), len(log), found)
            if status:
                raise_error(status, world)
            if found.size > len(log):
                self._room = 2 * found.size  # nothing was taken
            elif found.steps or not found.incomplete:
                return self._taken
            else:  # a change between steps that a log cannot hold: the next frame needs a keyframe
                self._used = self._point

    def _keep(self, point: _Point, chunks: bytes, taken: Any) -> None:
        """Goes on to a point, and adds the chunks that lead to it, which have the log that was taken."""
        self._point = _Point(point.frames, point.end + len(chunks), chunks, taken, *point[4:])
        self._write()

    def _write(self) -> None:
        """Writes the chunks that the file lacks, at their place: an interrupted write is simply done again."""
        point = self._point
        if self._written is point:
            return
        if self._seekable:
            self._file.seek(point.end - len(point.chunks))
        elif self._writing:
            raise OSError(f"a frame was interrupted while it was written to {self._path!r}, which has no places")
        self._writing = True
        rest = memoryview(point.chunks)
        while rest:
            rest = rest[self._file.write(rest) :]
        self._written, self._writing = point, False

    def _with_keyframe(self, world: States, point: _Point, flags: int) -> tuple[bytes, _Point]:
        """The chunk of a keyframe, and the point after it."""
        revivable = world._has_snapshots
        state = zlib.compress(world.snapshot(compress=False), _FAST)
        world._has_snapshots = revivable  # these bytes go to a file, and the world does not return to them
        self._used = self._point
        status = lib.b2d_world_log_start(world._ptr)
        if status:
            raise_error(status, world)
        chunk = file.chunk_bytes(file.STATE, state, b"", flags)
        return chunk, point._replace(log_stream=zlib.compressobj(6), since_keyframe=0.0)

    def _with_frame(
        self, world: States, point: _Point, log: bytes | bytearray | None, dt: float, digest: int
    ) -> tuple[bytes, _Point]:
        """The chunks of a frame, and the point after it. Without a log it needs a keyframe behind it."""
        poses, raw = self._encode_poses(world, point.poses)
        stream, total, flags = point.pose_stream, point.cost, 0
        cost = file.decoding_cost(len(raw), len(poses.x))
        if stream is None or total + cost > file.MOST_COST:
            flags |= file.FIRST_OF_GROUP
            poses, raw = self._encode_poses(world, file.Poses())
            poses = poses.resting()
            stream, total = zlib.compressobj(_LEVEL), 0
        objects, chunk = _changed_objects(world, point.objects)
        self._used = self._point  # from here on, and until the point is another one
        packed, calls = stream.compress(raw) + stream.flush(zlib.Z_SYNC_FLUSH), b""
        if log is None:
            flags |= file.INCOMPLETE
        elif log:
            calls = point.log_stream.compress(log) + point.log_stream.flush(zlib.Z_SYNC_FLUSH)
        chunk += file.chunk_bytes(file.FRAME, packed, calls, flags, dt, digest)
        time = point.since_keyframe + dt
        return chunk, _Point(
            point.frames + 1, *point[1:4], time, point.log_stream, stream, total + cost, poses, objects
        )  # fmt: skip

    def _encode_poses(self, world: States, before: file.Poses) -> tuple[file.Poses, bytes]:
        bodies = world.arrays.bodies
        world._refresh()  # the tables are otherwise fetched when somebody reads them
        rows = np.frombuffer(world._tables[0], _POSE)[: len(bodies)]  # type: ignore[arg-type]
        living = bodies["type"] >= 0
        kind = np.where(living, bodies["type"], 0).astype(np.uint8)
        flags = kind | living * np.uint8(file.LIVING) | bodies["awake"] * np.uint8(file.AWAKE)
        flags |= bodies["enabled"] * np.uint8(file.ENABLED)
        x, y = (file.to_whole(np.where(living, rows[name], 0.0), self._precision) for name in "xy")
        turn = np.arctan2(rows["sin"], rows["cos"]) * np.float32(file.TURN / (2 * np.pi))
        angle = np.rint(np.where(living, turn, 0.0)).astype(np.int64)
        angle[angle >= file.TURN // 2] = -file.TURN // 2
        return before.encoded(x, y, angle, flags)


def _changed_objects(world: States, before: _Objects) -> tuple[_Objects, bytes]:
    """The shapes and joints now, and a chunk with those that have changed; empty if none has."""
    version, all_shapes, generations, all_joints = before
    shapes, joints = all_shapes[:0], all_joints[:0]
    if world.shape_version != version:
        version = world.shape_version
        all_shapes, shapes = _changes(all_shapes, _shape_rows(world.arrays.shapes), "shape")
    count = ffi.new("int32_t *")
    pointer = lib.b2d_world_generations(world._ptr, lib.B2D_KIND_JOINT, count)
    now = bytes(ffi.buffer(pointer, 8 * count[0])) if count[0] else b""
    if now != generations:
        generations = now
        all_joints, joints = _changes(all_joints, _joint_rows(world), "joint")
    after = _Objects(version, all_shapes, generations, all_joints)
    if not len(shapes) and not len(joints):
        return after, b""
    data = len(shapes).to_bytes(4, "little") + shapes.tobytes() + joints.tobytes()
    return after, file.chunk_bytes(file.SHAPES, zlib.compress(data, _LEVEL))


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
    # As bytes: numpy compares records in Python, and makes a TypeError of what a signal handler raises there
    old_bytes, new_bytes = (rows.view(np.uint8).reshape(count, before.itemsize) for rows in (old, new))
    return new, new[(old_bytes != new_bytes).any(axis=1)]
