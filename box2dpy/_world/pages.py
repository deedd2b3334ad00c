"""`Pages`: the part of `World` that writes web pages in which the world goes on."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import file_path, flag, function_or_none, integer, number
from .._bridge.errors import Box2DError, raise_if, short_repr
from .._bridge.library import ffi, lib
from .record import Recorders

if TYPE_CHECKING:
    from .._page.page import HtmlPage

_BEGIN, _STEP = 24, 32  # bytes of a log that begins, and of a step before which nothing was done


class Pages(Recorders):
    """The part of `World` that writes pages."""

    __slots__ = ()

    if TYPE_CHECKING:

        def step(self, dt: float = 1 / 60, substeps: int = 4) -> None: ...

    def save_html(
        self,
        path: str | os.PathLike[str],
        live: bool = True,
        *,
        steps: int = 0,
        before_step: Callable[[int], object] | None = None,
        dt: float = 1 / 60,
        substeps: int = 4,
        camera: tuple[float, float, float, float] | None = None,
        title: str | None = None,
    ) -> HtmlPage:
        """Writes one HTML file in which the simulation continues: in any browser with WebAssembly SIMD, also without a
        network or a server, and with the same bits as here. In a notebook the result shows the page.

        Mouse or fingers: drag a body, or the background to pan; wheel or two fingers to zoom; double click to follow a
        body. Keys: space plays and pauses, right steps (with Shift by 60), Home resets, up and down change the speed,
        + and - zoom, 0 shows everything, F follows the next body, Escape ends that, T changes between dark and light, S
        saves. While it is paused the page shows `state_hash`. "Save what I did" saves a `Recording` without pictures,
        which `Recording.verify` and `Recording.world_at` simulate here.

        Args:
            path: the file; an existing file is overwritten.
            live: False: the page plays the steps and cannot continue, as that of `Recording.save_html`; it is smaller.
            steps: how many steps this world is stepped now. The page makes the same calls again. When a body is
                grabbed, or after the last of them, it continues without the program and without callbacks; pairs that
                `on_filter` has refused stay refused.
            before_step: called before each of these steps with its number, from 0; drives motors and creates bodies.
            dt, substeps: of each step, here and in the page.
            camera: what is shown first: left, bottom, right, top, in metres. None: everything.
            title: of the page; None: the name of the file.

        Raises:
            ValueError: a number out of range, a camera that shows nothing, a title that is no text in UTF-8, or a
                strategy of the lab, which pages do not have.
            TypeError: a wrong type.
            Box2DError: the world is being recorded, a step changed something that a log cannot hold, or this is a
                checkout of the sources without the compiled core, which `make wasm` builds.
            OSError: the file cannot be written.
            WorldLockedError: another thread is using the world, or this is a callback.
            DestroyedError: the world is closed.
            any exception: `before_step` or a callback raised it. The world has made the steps before it.

        >>> import os
        >>> with World() as world:
        ...     ball = world.create_dynamic_body((0, 4))
        ...     page = world.save_html(os.devnull, live=False, steps=60)
        """
        name, is_live, count = file_path(path), flag(live, "live"), integer(steps, "steps", 0)
        function_or_none(before_step, "before_step")
        self._ptr  # noqa: B018  raises when closed
        raise_if(lib.b2d_check_step(number(dt, "dt"), integer(substeps, "substeps", 1)), self, dt=dt, substeps=substeps)
        if title is not None and not isinstance(title, str):
            raise TypeError(f"title={short_repr(title)} must be a str")
        shown = os.path.basename(name) if title is None else title
        view = camera_of(camera)
        if is_live:
            text = self._live_page(count, before_step, float(dt), substeps, view, shown)
        else:
            text = self._played_page(count, before_step, dt, substeps, view, shown)
        return written(name, text, shown)

    def _played_page(self, count: int, before_step: Any, dt: float, substeps: int, view: Any, title: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "steps.b2d")
            with self.record(path):
                self._make_steps(count, before_step, dt, substeps)
            # Of a higher room, which the package loads when it is first used
            with sys.modules[__name__.partition(".")[0]].Recording(path) as recording:
                return str(recording._page(camera=view, title=title))

    def _live_page(self, count: int, before_step: Any, dt: float, substeps: int, view: Any, title: str) -> str:
        from .._page.page import LIVE, packed_core, page_of

        data = {"core": packed_core(), **live_data(self, dt, substeps, view)}
        if count:
            log = StepLog(self)
            try:
                self._make_steps(count, before_step, dt, substeps, log.take)
            finally:
                log.stop()
            if log.steps != count:
                raise Box2DError("before_step made steps of its own, which a page cannot show")
            data["log"] = log.data()
        return page_of(LIVE, data, title)

    def _make_steps(self, count: int, before_step: Any, dt: float, substeps: int, after: Any = None) -> None:
        for done in range(count):
            if before_step is not None:
                before_step(done)
            self.step(dt, substeps)
            if after is not None:
                after()


def live_data(world: Pages, dt: float, substeps: int, view: Any) -> dict[str, Any]:
    """What a live page needs to know of a world as it is now, without the core.

    Raises:
        ValueError: a strategy of the lab.
    """
    from .._page.page import packed
    from .record_write import about_recording

    for name, value in world.strategies.changes_of_results().items():
        raise ValueError(f"{name}={value!r} is a strategy of the lab, which a live page does not have")
    revivable = world._has_snapshots
    snapshot = world.snapshot(compress=False)
    world._has_snapshots = revivable  # these bytes go to a file, and the world does not return to them
    about = about_recording(world, 1e-4 * world.length_unit)
    return {"snapshot": packed(snapshot), "about": about, "dt": dt, "substeps": substeps, "view": view}


class StepLog:
    """The log of the calls of a world, step by step, for `b2d_world_replay`. It begins now."""

    def __init__(self, world: Pages) -> None:
        if world.recorder is not None:
            raise Box2DError("the world is being recorded, and has one log")
        raise_if(lib.b2d_world_log_start(world._ptr), world)
        self._world, self._found, self._room = world, ffi.new("b2d_log *"), 1 << 12
        self.steps = 0
        self.parts: list[bytes] = []

    def take(self) -> None:
        """Adds the part that leads to the present moment, which is the end of a step.

        Raises:
            Box2DError: a log cannot hold what happened.
        """
        while True:
            log, found = bytearray(self._room), self._found
            raise_if(lib.b2d_world_log_take(self._world._ptr, ffi.from_buffer(log), len(log), found), self._world)
            if found.size <= len(log):
                break
            self._room = 2 * found.size
        if found.incomplete or not found.steps:
            raise Box2DError(f"step {self.steps} did something that the log of a page cannot hold")
        self.steps += found.steps
        self.parts.append(bytes(log[: found.size]))

    def acts(self) -> bool:
        """Whether there is more in it than steps: the program did something between them."""
        return any(len(part) > (_STEP if k else _BEGIN + _STEP) for k, part in enumerate(self.parts))

    def data(self) -> dict[str, Any]:
        """The log for a live page."""
        from .._page.page import packed

        return {"sizes": [len(part) for part in self.parts], "bytes": packed(b"".join(self.parts))}

    def stop(self) -> None:
        """Ends the log of the world."""
        lib.b2d_world_log_stop(self._world._ptr)


def camera_of(camera: object) -> tuple[float, float, float, float] | None:
    """The sides of a camera, as an argument gives them.

    Raises:
        ValueError: it shows nothing.
        TypeError: not four numbers.
    """
    if camera is None:
        return None
    if not isinstance(camera, (tuple, list)) or len(camera) != 4:
        raise TypeError(f"camera={short_repr(camera)} must be four numbers")
    left, bottom, right, top = (number(side, "camera") for side in camera)
    view = left, bottom, right, top
    if not (np.isfinite(view).all() and left < right and bottom < top):
        raise ValueError(f"camera={view!r} must be finite, with left < right and bottom < top")
    return view


def written(name: str, text: str, title: str) -> HtmlPage:
    """Writes a page and returns it.

    Raises:
        ValueError: the title cannot be written.
    """
    from .._bridge.files import replace_file
    from .._page.page import HtmlPage

    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"title={short_repr(title)} cannot be written in UTF-8") from None
    replace_file(name, data)
    return HtmlPage(name, text)
