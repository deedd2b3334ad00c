"""`Recorder`: writes what happens in a world to a file.

The core logs the calls that change the world, the answers of callbacks and the hash after each step (see
csrc/objects/call_log.h). After each step the recorder moves that log to the file, together with the poses that have
changed. A state that no log leads to becomes a keyframe. The memory that is needed does not grow with the recording.

An exception may leave a frame half written: an interrupt, too little memory, a full stack. Then the next frame has no
log, begins a group, takes the place of the half one in the file, and a keyframe follows it.

One thread at a time writes: the calls of C release the GIL, and a keyframe of another thread would use the same
compressors.
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
from . import record_format as file
from .counters import shape_version

if TYPE_CHECKING:
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
        if _is_regular(opened):  # a device or a pipe may have any number of writers
            if not _locked(opened):
                raise Box2DError(f"{path!r} is being recorded to already")
            opened.truncate(0)
    except BaseException:
        opened.close()
        raise
    return opened


def _is_regular(opened: Any) -> bool:
    return stat.S_ISREG(os.fstat(opened.fileno()).st_mode)


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


class _Written(NamedTuple):
    """What the file has."""

    frames: int = 0
    end: int = 0  # bytes
    objects: _Objects = _Objects()


class Recorder:
    """A recording that is being written; made by `World.record`.

    It ends with `close`, at the end of its `with` block, or when the world is closed. What has been written until then
    can be read at any time.
    """

    __slots__ = (
        "__weakref__", "_cost", "_ended", "_file", "_lock", "_log_stream", "_path", "_pose_stream", "_poses",
        "_precision", "_process", "_room", "_since_keyframe", "_spacing", "_steps", "_time", "_whole", "_world",
        "_written",
    )  # fmt: skip

    def __init__(self) -> None:
        raise TypeError("a Recorder is made by World.record()")

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    @property
    def frames(self) -> int:
        """Frames in the file: one for the moment when the recording began, and one for each step since.

        Two steps share a frame if an exception, such as Ctrl-C, kept the first of them from writing its own.
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
            OSError: an interrupted step has no frame yet, and the file cannot be written. The recording has ended.
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

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "ended" if self.closed else "running"
        return f"<Recorder {self._path!r} {state}, {self.frames} frames>"

    # -- writing

    _ended: bool
    _file: Any
    _path: str
    _precision: float
    _process: int
    _spacing: float
    _world: weakref.ref[States]
    _written: _Written
    _lock: Any
    _cost: int  # of the present group
    _log_stream: Any  # compressor of the logs since the last keyframe
    _pose_stream: Any  # compressor of the present group, or None: the next frame begins one
    _poses: file.Poses  # of the last frame
    _since_keyframe: float  # seconds

    def _begin(self, world: States, opened: Any, path: str, precision: float, spacing: float) -> None:
        import json

        self._world = weakref.ref(world)
        self._path, self._precision, self._spacing = path, precision, spacing
        self._file, self._process, self._lock = opened, os.getpid(), RLock()
        self._ended, self._room = False, 1 << 12
        self._steps, self._time = 0, 0.0  # of the logs that were taken and have no frame
        self._whole = True  # no frame is half written, and the logs lack nothing
        self._pose_stream = None
        about = json.dumps(about_recording(world, precision))
        head = file.MARK + file.chunk_bytes(file.HEAD, about.encode())
        keyframe, digest = self._keyframe(world, 0)
        head += keyframe
        frame, objects = self._frame(world, _Objects(), b"", 0.0, digest)
        self._write(head + frame)
        self._written = _Written(1, len(head + frame), objects)

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
        except WorldLockedError:  # another thread uses the world already: the next frame has a state
            pass
        except OSError:
            self._end()
            raise

    def _end(self) -> None:
        """Ends the recording as it is. May be interrupted and called again; it writes nothing."""
        self._ended = True
        try:
            if self._process == os.getpid() and not self._file.closed:
                release(self._file)
        finally:
            try:
                self._file.close()
            finally:  # also when the program has closed all of its files
                world = self._world()
                if world is not None and world._recorder is self:
                    status = lib.b2d_world_log_stop(world._ptr)
                    if not status:  # otherwise the world is busy, and the end of the step, or the next one, does it
                        world._recorder, world._hooked = None, bool(world._functions or world._late)

    def _add(self, world: States, keyframe: int | None = None) -> None:
        """As `_go_on`, after what another thread is writing; that takes no longer than a frame or a keyframe."""
        if self._lock._is_owned():  # this is a signal handler, and the call that it interrupted has the lock
            raise WorldLockedError("the recorder is writing a frame")
        with self._lock:
            if not self.closed:
                self._go_on(world, keyframe)

    def _go_on(self, world: States, keyframe: int | None = None) -> None:
        """Adds the frame of the steps since the last one, and a keyframe where it is needed or `keyframe` has flags."""
        whole, self._whole = self._whole, False
        found = ffi.new(_LOG)
        while True:
            log = bytearray(self._room)
            status = lib.b2d_world_log_take(world._ptr, ffi.from_buffer(log), len(log), found)
            if status:
                self._whole = whole
                raise_error(status, world)
            if found.size <= len(log):
                break
            self._room = 2 * found.size  # nothing was taken
        self._steps += found.steps
        self._time += found.time
        incomplete = found.incomplete or not whole
        if not self._steps and keyframe is None:
            self._whole = not incomplete
            return
        frames, end, objects = self._written
        if not whole:
            self._pose_stream = None
            if _is_regular(self._file):
                self._file.seek(end)
                self._file.truncate()
        chunks = b""
        if self._steps:
            calls = None if incomplete else log[: found.size]
            digest = found.hash if found.steps else world.state_hash()
            chunks, objects = self._frame(world, objects, calls, self._time, digest)
            frames += 1
        if keyframe is not None or incomplete or self._since_keyframe >= self._spacing:
            chunks += self._keyframe(world, keyframe or 0)[0]
        self._write(chunks)
        self._written = _Written(frames, end + len(chunks), objects)
        self._steps, self._time, self._whole = 0, 0.0, True

    def _write(self, chunks: bytes) -> None:
        rest = memoryview(chunks)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except BaseException:
            if not _is_regular(self._file):  # what a pipe has got stays there
                self._ended = True
            raise

    def _keyframe(self, world: States, flags: int) -> tuple[bytes, int]:
        """The chunk of a keyframe, and the hash of its state. The log goes on from there."""
        whole, digest = world._start_log()
        state = zlib.compress(whole, _FAST)
        self._log_stream, self._since_keyframe = zlib.compressobj(6), 0.0
        return file.chunk_bytes(file.STATE, state, b"", flags), digest

    def _frame(
        self, world: States, before: _Objects, log: bytes | bytearray | None, dt: float, digest: int
    ) -> tuple[bytes, _Objects]:
        """The chunks of a frame, and the objects that the file then has. Without a log it needs a keyframe behind
        it."""
        flags = 0
        poses, raw = self._encode_poses(world, file.Poses() if self._pose_stream is None else self._poses)
        cost = file.decoding_cost(len(raw), len(poses.x))
        if self._pose_stream is None or self._cost + cost > file.MOST_COST:
            flags |= file.FIRST_OF_GROUP
            poses, raw = self._encode_poses(world, file.Poses())
            poses = poses.resting()
            self._pose_stream, self._cost = zlib.compressobj(_LEVEL), 0
        objects, chunk = _changed_objects(world, before)
        packed, calls = self._pose_stream.compress(raw) + self._pose_stream.flush(zlib.Z_SYNC_FLUSH), b""
        if log is None:
            flags |= file.INCOMPLETE
        elif log:
            calls = self._log_stream.compress(log) + self._log_stream.flush(zlib.Z_SYNC_FLUSH)
        self._poses = poses
        self._cost += cost
        self._since_keyframe += dt
        return chunk + file.chunk_bytes(file.FRAME, packed, calls, flags, dt, digest), objects

    def _encode_poses(self, world: States, before: file.Poses) -> tuple[file.Poses, bytes]:
        bodies = world.arrays.bodies
        world._refresh()  # the tables are otherwise fetched when somebody reads them
        rows = np.frombuffer(world._tables[0], _POSE)[: len(bodies)]  # type: ignore[arg-type]
        if len(rows) < len(bodies):
            raise WorldLockedError("the world is being changed by another thread")
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
    if shape_version(world) != version:
        version = shape_version(world)
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
    # As bytes: numpy compares records in Python
    old_bytes, new_bytes = (rows.view(np.uint8).reshape(count, before.itemsize) for rows in (old, new))
    return new, new[(old_bytes != new_bytes).any(axis=1)]
