"""`Recording`: reads a file that `World.record` has written."""

from __future__ import annotations

import os
import zlib
from _thread import RLock
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from .._bridge.arguments import file_path, integer, number
from .._bridge.errors import DestroyedError, RecordingError, SnapshotError, raise_error, short_repr
from .._bridge.library import ffi, lib
from .._bridge.vectors import AABB, Vec2
from .._world import record_format as file
from .._world.pages import camera_of, written
from .._world.record_format import Chunk, Poses
from .._world.world import World
from .frame import RecordedFrame

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .._world.world_options import WorldOptions


class Verification(NamedTuple):
    """What `Recording.verify` has found."""

    steps: int
    """Steps that were simulated again and compared."""
    skipped: int
    """Steps that cannot be compared, because something changed that a recording cannot hold."""
    first_difference: int | None
    """The first frame that differs from the recording, or None."""

    @property
    def equal(self) -> bool:
        """Whether no step differs."""
        return self.first_difference is None


class _Versions:
    """Rows of objects with the frames in which they are valid: from `since` up to, but without, `until`."""

    def __init__(self, parts: list[tuple[int, NDArray[np.void]]], key: str, dtype: Any) -> None:
        rows = [part for _, part in parts] or [np.zeros(0, dtype)]
        self.rows = np.concatenate(rows)
        self.since = np.repeat([frame for frame, _ in parts], [len(part) for _, part in parts]).astype(np.int64)
        self.until = np.full(len(self.rows), np.iinfo(np.int64).max)
        order = np.lexsort((self.since, self.rows[key]))
        same = self.rows[key][order][1:] == self.rows[key][order][:-1]
        self.until[order[:-1][same]] = self.since[order[1:][same]]
        self.living = self.rows["type"] >= 0
        self.key = key

    def at(self, frame: int) -> NDArray[np.void]:
        found = self.rows[self.living & (self.since <= frame) & (frame < self.until)]
        return found[np.argsort(found[self.key], kind="stable")]


class _Data:
    """The bytes of a file. It is not mapped: a process that reads what another program has cut off gets SIGBUS."""

    def __init__(self, name: str) -> None:
        self._file = open(name, "rb")  # noqa: SIM115  closed by the recording
        self._size = os.fstat(self._file.fileno()).st_size
        self._lock = RLock()  # of the place in the file

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, end, _ = part.indices(self._size)
        with self._lock:
            self._file.seek(start)
            found = self._file.read(max(0, end - start))
        if len(found) < end - start:
            raise RecordingError(f"the file was cut off at byte {start + len(found)} while it was open")
        return found

    @property
    def closed(self) -> bool:
        return self._file.closed

    def close(self) -> None:
        self._file.close()


_MOST_GROUPS = 4  # that are kept: one for each thread that reads


class _Group:
    """Frames that were decoded one after the other, from one that needs no other."""

    def __init__(self, start: int) -> None:
        self.start, self.poses, self._cost = start, list[Poses](), 0
        self._inflate = zlib.decompressobj()

    def decode_next(self, data: Any, chunk: Chunk) -> None:
        most_rows = file.MOST_ROWS_OF_BYTE * len(data)
        raw = file.inflated_poses(self._inflate, file.read_parts(data, chunk)[0], most_rows)
        before = self.poses[-1] if self.poses else Poses()
        poses = before.decoded(raw, most_rows)
        self._cost += file.decoding_cost(len(raw), len(poses.x))
        if self.poses and self._cost > file.MOST_COST_READ:
            raise RecordingError("its group has too many frames")
        self.poses.append(poses if self.poses else poses.resting())


class Recording:
    """A file that `World.record` has written: a sequence of frames, and the means to simulate them again.

    A file that was cut off, or that is still being written, has the frames that are complete.

    Args:
        path: the file. It stays open until `close`, or the end of the `with` block.

    Raises:
        RecordingError: it is no recording, is damaged, comes from a newer version, or ends before its first frame.
        OSError: it cannot be read.
        TypeError: a wrong type.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "fall.b2d")
    >>> with World() as world, world.record(path):
    ...     shape = world.create_dynamic_body((0, 4)).create_shape(Circle(0.5))
    ...     for _ in range(60):
    ...         world.step()
    >>> with Recording(path) as recording:
    ...     len(recording), round(recording.duration, 3), recording.verify().equal
    ...     bool(recording[30].position[0, 1] < recording[10].position[0, 1])
    (61, 1.0, True)
    True
    """

    __slots__ = (
        "__weakref__", "_about", "_data", "_decoded", "_frames", "_groups", "_path", "_precision", "_shape_chunks",
        "_states", "_times", "_versions",
    )  # fmt: skip

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = file_path(path)
        self._data = _Data(name)
        self._path = name
        try:
            self._read_chunks()
        except BaseException:
            self._data.close()
            raise

    def _read_chunks(self) -> None:
        data = self._data
        if data[: len(file.MARK)] != file.MARK:
            raise RecordingError(f"{self._path!r} is no recording of box2dpy")
        self._about: dict[str, Any] = {}
        self._frames: list[Chunk] = []
        self._states: list[tuple[int, Chunk]] = []  # keyframes, with the frame that they follow
        self._shape_chunks: list[tuple[int, Chunk]] = []  # with the frame that they belong to
        at = len(file.MARK)
        while (chunk := file.read_head(data, at)) is not None:
            if chunk.tag == file.HEAD:
                self._read_about(chunk)
            elif chunk.tag == file.STATE:
                self._states.append((len(self._frames) - 1 if self._frames else 0, chunk))
            elif chunk.tag == file.SHAPES:
                self._shape_chunks.append((len(self._frames), chunk))
            elif chunk.tag == file.FRAME:
                self._frames.append(chunk)
            at = chunk.end
        if not self._about or not self._frames or not self._states:
            raise RecordingError(f"{self._path!r} ends before its first frame")
        if not self._frames[0].flags & file.FIRST_OF_GROUP or self._states[0][0] != 0:
            raise RecordingError(f"the first frame of {self._path!r} needs frames before it")
        for number_of, chunk in enumerate(self._frames):
            if not 0 <= chunk.dt < float("inf"):
                raise RecordingError(f"frame {number_of} of {self._path!r} has dt={chunk.dt!r}")
        self._times = np.cumsum([chunk.dt for chunk in self._frames])
        self._groups = np.array([k for k, chunk in enumerate(self._frames) if chunk.flags & file.FIRST_OF_GROUP])
        self._versions: tuple[_Versions, _Versions] | None = None
        self._decoded: list[_Group] = []

    def _read_about(self, chunk: Chunk) -> None:
        import json

        if chunk.sizes[0] > file.MOST_HEAD:
            raise RecordingError(f"the head of {self._path!r} is too large")
        try:
            about = json.loads(file.read_parts(self._data, chunk)[0])
            if int(about["version"]) > file.VERSION:
                raise RecordingError(f"{self._path!r} comes from a newer version of box2dpy")
            self._precision = float(about["precision"])
            if not file.LEAST_PRECISION <= self._precision <= file.MOST_PRECISION:
                raise ValueError(f"precision={self._precision!r}")
            if not 0 < float(about.get("length_unit", 1.0)) < float("inf"):
                raise ValueError(f"length_unit={about['length_unit']!r}")
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            if isinstance(error, RecordingError):
                raise
            raise RecordingError(f"the head of {self._path!r} is damaged: {error}") from None
        self._about = about

    # -- the sequence of frames

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    @property
    def precision(self) -> float:
        """Metres to which positions are rounded."""
        return self._precision

    @property
    def times(self) -> NDArray[np.float64]:
        """The simulated time of each frame since the recording began, s: shape (frames,)."""
        return np.array(self._times)

    @property
    def duration(self) -> float:
        """The simulated time of the last frame, s."""
        return float(self._times[-1])

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._data.closed

    def close(self) -> None:
        """Closes the file. Closing again does nothing; frames that have been read stay valid, except their shapes."""
        self._data.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Recording holds an open file: it cannot be copied or pickled")

    def __enter__(self) -> Recording:
        self._open_data()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, index: int) -> RecordedFrame:
        """The frame with this number; negative numbers count from the end.

        Raises:
            IndexError: there is no such frame.
            RecordingError: the file is damaged.
            DestroyedError: the recording is closed.
        """
        index = self._frame_number(index)
        time, digest, poses = float(self._times[index]), self._frames[index].hash, self._poses_at(index)
        return RecordedFrame(index, time, digest, poses, self._precision, self._objects)

    def __iter__(self) -> Iterator[RecordedFrame]:
        return (self[k] for k in range(len(self)))

    def frame_at(self, time: float) -> RecordedFrame:
        """The last frame at or before a simulated time, s; the first frame for times before it.

        Raises:
            ValueError: not finite.
            RecordingError: the file is damaged.
            DestroyedError: the recording is closed.
        """
        time = number(time, "time")
        if not np.isfinite(time):
            raise ValueError(f"time={time!r} must be finite")
        return self[max(0, int(np.searchsorted(self._times, time + 1e-9, side="right")) - 1)]

    @property
    def bounds(self) -> AABB:
        """A box around the origins of all bodies that ever moved, and around all shapes of the first frame, m."""
        first = self[0]
        lower, upper = np.full(2, np.inf), np.full(2, -np.inf)
        for start in self._groups.tolist():
            frame = self[start]
            points = frame.position[frame.living & (frame.body_type != lib.B2D_STATIC)]
            if len(points):
                lower, upper = np.minimum(lower, points.min(0)), np.maximum(upper, points.max(0))
        corners = first._corners()
        if len(corners):
            lower, upper = np.minimum(lower, corners.min(0)), np.maximum(upper, corners.max(0))
        if not np.isfinite(lower).all():
            lower, upper = np.full(2, -1.0), np.full(2, 1.0)
        return AABB(Vec2(*lower.tolist()), Vec2(*upper.tolist()))

    def __repr__(self) -> str:
        return f"<Recording {self._path!r}, {len(self)} frames, {self.duration:g} s>"

    def _open_data(self) -> Any:
        if self._data.closed:
            raise DestroyedError("the recording has been closed")
        return self._data

    def _frame_number(self, index: int) -> int:
        found = integer(index, "frame")
        if not -len(self) <= found < len(self):
            raise IndexError(f"frame={index} is out of range: 0 to {len(self) - 1}")
        return found % len(self)

    def _poses_at(self, index: int) -> Poses:
        """The poses of a frame. Those of its group are kept, so that stepping in both directions is fast."""
        data = self._open_data()
        start = int(self._groups[np.searchsorted(self._groups, index, side="right") - 1])
        # Taken out while it is used: other threads and signal handlers use others, and an interrupt leaves none half
        # decoded
        try:
            group = self._decoded.pop()
        except IndexError:
            group = _Group(start)
        if group.start != start:
            group = _Group(start)
        try:
            while len(group.poses) <= index - start:
                group.decode_next(data, self._frames[start + len(group.poses)])
        except (RecordingError, zlib.error) as error:
            raise RecordingError(f"frame {start + len(group.poses)} is damaged: {error}") from None
        if len(self._decoded) < _MOST_GROUPS:
            self._decoded.append(group)
        return group.poses[index - start]

    def _objects(self, index: int) -> tuple[NDArray[np.void], NDArray[np.void]]:
        versions = self._versions or self._read_versions()
        shapes, joints = versions[0].at(index), versions[1].at(index)
        rows = len(self._poses_at(index).x)
        if any((bodies >= rows).any() for bodies in (shapes["body"], joints["body_a"], joints["body_b"])):
            raise RecordingError(f"a shape or joint of frame {index} is on a body that does not exist")
        return shapes, joints

    def _read_versions(self) -> tuple[_Versions, _Versions]:
        data = self._open_data()
        shapes: list[tuple[int, NDArray[np.void]]] = []
        joints: list[tuple[int, NDArray[np.void]]] = []
        for frame, chunk in self._shape_chunks:
            try:
                changed = file.read_objects(file.read_parts(data, chunk)[0])
            except (RecordingError, zlib.error, ValueError) as error:
                raise RecordingError(f"the shapes of frame {frame} are damaged: {error}") from None
            shapes.append((frame, changed[0]))
            joints.append((frame, changed[1]))
        self._versions = (_Versions(shapes, "shape", file.SHAPE_ROW), _Versions(joints, "joint", file.JOINT_ROW))
        return self._versions

    # -- the player

    def save_html(
        self,
        path: str | os.PathLike[str],
        *,
        fps: float = 60.0,
        precision: float | None = None,
        camera: tuple[float, float, float, float] | None = None,
        title: str | None = None,
    ) -> None:
        """Writes one HTML file that plays the recording in a browser, also without a network or a server.

        Mouse or fingers: drag to pan, wheel or two fingers to zoom, double click to follow a body. Keys: space plays
        and pauses, left and right step (with Shift by 60 frames), up and down change the speed, + and - zoom, 0 shows
        everything, Home and End go to the ends, Escape stops following.

        Args:
            path: the file; an existing file is overwritten.
            fps: the most frames for a second of the recording; the player fills in between.
            precision: metres to which positions are rounded; None: 1 mm times the length unit of the world, or the
                precision of the recording if that is coarser.
            camera: what is shown first: left, bottom, right, top, in metres. None: everything.
            title: of the page; None: the name of the file of the recording.

        Raises:
            ValueError: `fps` or `precision` is not positive and finite, the camera shows nothing, or the title is no
                text in UTF-8. No file has been written.
            TypeError: a wrong type.
            OSError: the file cannot be written.
            RecordingError: the recording is damaged.
            DestroyedError: the recording is closed.
        """
        name = file_path(path)
        written(name, self._page(fps, precision, camera, title), title or "")

    def _page(
        self,
        fps: float = 60.0,
        precision: float | None = None,
        camera: tuple[float, float, float, float] | None = None,
        title: str | None = None,
    ) -> str:
        from .player import page_of_recording

        unit = float(self._about.get("length_unit", 1.0))
        step = max(1e-3 * unit, self.precision) if precision is None else number(precision, "precision")
        for value, word in ((number(fps, "fps"), "fps"), (step, "precision")):
            if not 0 < value < float("inf"):
                raise ValueError(f"{word}={value!r} is out of range: a positive number")
        if title is not None and not isinstance(title, str):
            raise TypeError(f"title={short_repr(title)} must be a str")
        camera = camera_of(camera)
        self._open_data()
        return page_of_recording(
            self, float(fps), float(step), camera, os.path.basename(self._path) if title is None else title
        )

    def _repr_html_(self) -> str:
        """The player, for notebooks."""
        from .._page.page import frame_of_page

        return frame_of_page(self._page(fps=30.0))

    # -- simulating again

    def world_at(self, frame: int, **options: Unpack[WorldOptions]) -> World:
        """A new world in the exact state of a frame. Steps that follow give the same bits as in the recorded world.

        It is simulated from the keyframe before the frame. It has no callbacks and no `data`. With callbacks the
        continuation is that of the recorded world if the same functions are assigned; assigning `on_filter` also
        makes the world call it again for all pairs that it refused.

        Args:
            frame: its number; negative numbers count from the end.
            options: as in `World.from_snapshot`.

        Raises:
            IndexError: there is no such frame.
            RecordingError: the file is damaged, comes from a machine with another layout of structs, or the simulation
                differs from the recording: see `verify`.
            DestroyedError: the recording is closed.
            ValueError, TypeError: wrong options.
            MemoryError: no memory.
        """
        index = self._frame_number(frame)
        before = [
            k
            for k, (at, chunk) in enumerate(self._states)
            if at < index or (at == index and not chunk.flags & file.BETWEEN)
        ]
        if not before:
            raise RecordingError(f"frame {index} has no whole state before it")
        position = before[-1]
        world = self._world_of(position, options)
        try:
            for number, equal in self._simulate(world, position, index):
                if not equal:
                    reason = "the file ends before its whole state" if equal is None else "the simulation differs"
                    raise RecordingError(f"frame {number} cannot be simulated: {reason}")
        except BaseException:
            world.close()
            raise
        return world

    def verify(self, **options: Unpack[WorldOptions]) -> Verification:
        """Simulates the recording again and compares the hash after each step: `first_difference` is the first frame
        that differs.

        A difference means that another build or version computes other bits, or that the file was changed.

        Args:
            options: as in `World.from_snapshot`; no result depends on `workers`, `simd`, `broadphase` and
                `narrowphase`.

        Raises:
            RecordingError: the file is damaged, or comes from a machine with another layout of structs.
            DestroyedError: the recording is closed.
            ValueError, TypeError: wrong options.
            MemoryError: no memory.
        """
        steps = skipped = 0
        for position in range(len(self._states)):
            last = self._states[position + 1][0] if position + 1 < len(self._states) else len(self) - 1
            with self._world_of(position, options) as world:
                if position == 0 and world.state_hash() != self._frames[0].hash:
                    return Verification(0, 0, 0)
                for frame, equal in self._simulate(world, position, last):
                    if equal is None:
                        skipped += 1
                    elif equal:
                        steps += 1
                    else:
                        return Verification(steps, skipped, frame)
        return Verification(steps, skipped, None)

    def _world_of(self, position: int, options: WorldOptions) -> World:
        """A world in the state of a keyframe."""
        if self._about.get("layout") != file.LAYOUT:
            raise RecordingError("the recording comes from a machine with another layout of structs")
        frame, chunk = self._states[position]
        try:
            state = file.inflated_state(file.read_parts(self._open_data(), chunk)[0])
            return World.from_snapshot(state, **options)
        except (SnapshotError, RecordingError, zlib.error) as error:
            raise RecordingError(f"the state of frame {frame} is damaged: {error}") from None

    def _simulate(self, world: World, position: int, last: int) -> Iterator[tuple[int, bool | None]]:
        """Makes the calls from a keyframe to a frame. Gives the number of each frame, and whether it is equal, or None
        where the log lacks something: there it ends."""
        data, inflate = self._open_data(), zlib.decompressobj()
        replay = ffi.new("b2d_replay *")
        for frame in range(self._states[position][0] + 1, last + 1):
            chunk = self._frames[frame]
            if chunk.flags & file.INCOMPLETE:
                yield frame, None
                return
            try:
                log = inflate.decompress(file.read_parts(data, chunk)[1])
            except (RecordingError, zlib.error) as error:
                raise RecordingError(f"the log of frame {frame} is damaged: {error}") from None
            status = lib.b2d_world_replay(world._ptr, ffi.from_buffer("uint8_t[]", log), len(log), replay)
            if status & 0xFF == lib.B2D_SNAPSHOT:
                raise RecordingError(f"the log of frame {frame} is damaged")
            if status:
                raise_error(status, world)
            yield frame, bool(replay.equal) and replay.hash == chunk.hash and replay.steps > 0
        world._refresh()
