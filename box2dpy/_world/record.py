"""`Recorders`: the part of `World` that records it. The first recording imports the rest."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, cast
from weakref import ref

from .._bridge.arguments import file_path, number
from .._bridge.errors import Box2DError, WorldLockedError, raise_error
from .._bridge.library import lib
from .state import States

if TYPE_CHECKING:
    from .record_write import Recorder


class Recorders(States):
    """The part of `World` that records it."""

    __slots__ = ()

    @property
    def recorder(self) -> Recorder | None:
        """The recording that is running, or None."""
        self._ptr  # noqa: B018  raises when closed
        recorder = cast("Recorder | None", self._recorder)
        return None if recorder is None or recorder.closed else recorder

    def record(
        self, path: str | os.PathLike[str], *, precision: float | None = None, keyframe_interval: float = 10.0
    ) -> Recorder:
        """Records the world from now on to a file, which `Recording` reads: the poses after each step, and all that is
        needed to simulate it again.

        Poses are rounded; `Recording.world_at` gives exact states. The world goes on with the same bits as without a
        recording. A file that is cut off, for example because the program was killed, has all frames up to that
        moment. Names of bodies are those of the last keyframe, and `data` is not recorded.

        Args:
            path: the file; an existing file is overwritten.
            precision: metres to which positions are rounded; None: 0.1 mm times `length_unit`. Angles are rounded to
                1e-4 rad.
            keyframe_interval: simulated seconds between two whole states in the file. With more of them
                `Recording.world_at` is faster and the file is larger.

        Raises:
            Box2DError: the world is being recorded already, or another recorder writes to this file.
            OSError: the file cannot be written. When this occurs in a step, the step is complete and the recording
                ends.
            ValueError: a number that is not finite or not positive, or a `precision` that is not from 1e-30 to 1e30.
            TypeError: a wrong type.
            WorldLockedError: another thread is using the world, or this is a callback.
            DestroyedError: the world is closed.
            MemoryError: no memory.

        >>> import os
        >>> with World() as world, world.record(os.devnull) as recorder:
        ...     ball = world.create_dynamic_body((0, 4))
        ...     for _ in range(60):
        ...         world.step()
        ...     recorder.frames
        61
        """
        pointer = self._ptr
        name = file_path(path)
        step = 1e-4 * self.length_unit if precision is None else number(precision, "precision")
        for value, word in ((step, "precision"), (number(keyframe_interval, "keyframe_interval"), "keyframe_interval")):
            if not 0 < value < float("inf"):
                raise ValueError(f"{word}={value!r} is out of range: a positive number")
        from .record_format import LEAST_PRECISION, MOST_PRECISION

        if not LEAST_PRECISION <= step <= MOST_PRECISION:
            raise ValueError(f"precision={step!r} is out of range: {LEAST_PRECISION:g} to {MOST_PRECISION:g}")
        from .record_write import Recorder, open_alone

        recorder, opened = object.__new__(Recorder), None
        recorder._ended = False
        with self._lock:  # of several threads that call this one goes on
            other = self._beginning and self._beginning()
            if other is not None and other is not self._recorder and not other._ended:
                raise Box2DError("another thread begins to record the world")
            self._beginning = ref(recorder)
        try:
            if self._recorder is not None:
                if not self._recorder.closed:
                    raise Box2DError(f"the world is already being recorded, to {self._recorder.path!r}")
                self._recorder._end()
            status = lib.b2d_world_log_start(pointer)  # before the file: it says whether the world is busy
            if status:
                raise_error(status, self)
            opened = open_alone(name)
            recorder._begin(self, opened, name, float(step), float(keyframe_interval))
        except BaseException:
            try:
                if self._recorder is None or self._recorder.closed:
                    lib.b2d_world_log_stop(pointer)
            finally:
                recorder._ended = True  # from here on another thread may start its log
            if opened is not None:
                opened.close()
            raise
        self._recorder, self._hooked = recorder, True
        return recorder

    def _finish_step(self, error: BaseException | None) -> BaseException | None:
        """After a step with callbacks or a recording, in which `error` was raised. Returns the first exception.

        What a signal handler that raises in it leaves undone is done after the next step.
        """
        error = self._finish_callbacks(error)
        recorder = self._recorder
        if self._late:
            self._drop_late(self._steps())
        if recorder is not None:
            try:
                recorder._after_step(self)
            except WorldLockedError:  # another thread uses the world already: the next frame has this step, too
                pass
            except OSError as failure:
                error = error or failure
                with suppress(OSError):
                    recorder._end()
        return error
