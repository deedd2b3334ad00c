"""`MovieWriter`: films of worlds as GIF, MP4 or PNG pictures, drawn by pillow without a screen.

Cost: about 15 ms for a picture of 640 x 400 pixels, and a byte of memory for each pixel of a GIF until it is closed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .._bridge.arguments import bounded, choice, file_path, function_or_none, instance, integer, make_folder
from .._bridge.errors import missing, short_repr
from .._bridge.files import replacing
from .camera import DrawableWorld, camera_now
from .debug_draw import FLAGS, add_to_list
from .draw_list import DrawList
from .render import Picture, save_whole
from .style import BY, THEMES

if TYPE_CHECKING:
    from PIL.Image import Image

    from .camera import CameraLike, Poses
    from .style import ColorBy, ThemeName

GIF_UNIT_MS = 10  # a GIF counts time in hundredths of a second
COLOR_ERROR = 40  # of 255, in one channel: a pixel farther from its colour in the palette looks wrong
WRONG_PIXELS = 0.001  # the share of such pixels above which a picture gets a palette of its own


class SteppableWorld(DrawableWorld, Protocol):
    """The attributes of a world that films read, and its step."""

    def step(self, dt: float = ..., substeps: int = ...) -> None: ...


class MovieWriter:
    """Writes a film of a world: an animated GIF, an MP4 or numbered pictures.

    Close it, or use it in a `with` statement: a GIF and a single picture are written when it is closed. An exception
    inside the statement keeps the pictures so far.

    Args:
        path: the file, whose ending chooses the format. `.gif`: an animation that repeats. `.mp4`: a film, H.264.
            `.png`: the last picture, or all of them if the name has a place for their number, as in
            `out/frame-%04d.png`. Folders are made.
        camera: left, bottom, right, top in metres, fitted into the picture and centred; a function that returns them
            for each picture, as a `FollowCamera` does; or None for all shapes in the first picture.
        size: width and height in pixels; even numbers for `.mp4`.
        fps: pictures a second, up to 240, of a GIF up to 50.
        theme: "light" or "dark".
        by: what colours moving bodies: "kind" of shape, "island" or "body".
        flags: what `World.debug_draw` adds to each picture, such as "joints".

    Raises:
        ModuleNotFoundError: pillow is not installed; the extra `box2dpy[film]` has it. Or imageio-ffmpeg for `.mp4`;
            the extra `box2dpy[mp4]` has both.
        ValueError: another ending, a number out of range, an unknown name.
        TypeError: a wrong type.
        OSError: a file cannot be written.

    ```
    with b2.MovieWriter("car.mp4", camera=b2.FollowCamera(car, width=30)) as film:
        film.record(world, 150)
    ```
    """

    __slots__ = ("__weakref__", "_by", "_count", "_file", "_flags", "_size", "_theme", "camera", "fps", "path")

    def __init__(
        self,
        path: str | Path,
        *,
        camera: CameraLike = None,
        size: tuple[int, int] = (640, 400),
        fps: float = 30.0,
        theme: ThemeName = "light",
        by: ColorBy = "kind",
        flags: tuple[str, ...] = (),
    ) -> None:
        self.path = Path(file_path(path))
        self.fps = bounded(fps, "fps", 1.0, 240.0)
        self.camera = camera
        self._theme = THEMES[choice(theme, "theme", THEMES)]
        self._by = choice(by, "by", BY)
        self._flags = tuple(choice(flag, "flag", FLAGS) for flag in flags)
        self._size = Picture((0, 0, 1, 1), size, supersample=1).image.size  # checks the size, and that pillow is there
        self._count = 0
        ending = self.path.suffix.lower()
        if ending not in _FILES:
            raise ValueError(f"path={short_repr(str(path))} must end in {', '.join(_FILES)}")
        make_folder(self.path.parent)
        self._file: _File | None = _FILES[ending](self.path, self.fps, self._size)

    @property
    def frames(self) -> int:
        """How many pictures have been added."""
        return self._count

    def add(self, world: DrawableWorld, *, draw: DrawList | None = None, poses: Poses | None = None) -> None:
        """Adds a picture of a world as it is.

        Args:
            world: any world that is not being stepped.
            draw: what else to draw over it.
            poses: what `FixedStepper.interpolated` returned, to show the bodies between two steps; None shows their
                present poses.

        Raises:
            ValueError: the writer is closed, or the camera is empty.
            TypeError: a wrong type.
        """
        if self._file is None:
            raise ValueError("the MovieWriter is closed")
        draw = instance(draw, DrawList, "draw")
        camera = camera_now(self.camera, world, poses)
        if self.camera is None:
            self.camera = camera
        picture = Picture(camera, self._size, theme=self._theme)
        picture.world(world, by=self._by, poses=poses)
        if self._flags:
            own = DrawList()
            add_to_list(world, own, self._flags, picture.view.camera, (0.0, 0.0), 1.0)
            picture.draw(own)
        if draw is not None:
            picture.draw(draw)
        self._file.add(picture.finish())
        self._count += 1

    def add_image(self, image: Image) -> None:
        """Adds a pillow picture of the program's own. It must have the size of the film.

        Raises:
            ValueError: the writer is closed, or the picture has another size.
        """
        if self._file is None:
            raise ValueError("the MovieWriter is closed")
        if image.size != self._size:
            raise ValueError(f"image={short_repr(image)} must have the size {self._size}, not {image.size}")
        self._file.add(image)
        self._count += 1

    def record(
        self,
        world: SteppableWorld,
        frames: int,
        *,
        speed: float = 1.0,
        dt: float = 1 / 60,
        substeps: int = 4,
        before_step: Callable[[int], object] | None = None,
        draw: Callable[[DrawList], object] | None = None,
    ) -> None:
        """Steps a world and adds a picture whenever it is time for one, the first after the first steps.

        Args:
            world: the world to step.
            frames: number of pictures, at least 1.
            speed: seconds of the world in a second of the film; 0.25 is slow motion.
            dt, substeps: of each step, as in `World.step`.
            before_step: called before each step with its number, from 0; drives motors and creates bodies.
            draw: called for each picture with a `DrawList`; what it adds is drawn over the picture.

        Raises:
            ValueError: a number out of range.
            TypeError: a wrong type.
            any exception: a function raised it.
        """
        frames = integer(frames, "frames", 1)
        function_or_none(before_step, "before_step")
        function_or_none(draw, "draw")
        steps_per_frame = bounded(speed, "speed", 1e-3, 1e3) / self.fps / bounded(dt, "dt", 1e-9, 1.0)
        done = 0
        for frame in range(1, frames + 1):
            while done < round(frame * steps_per_frame):
                if before_step is not None:
                    before_step(done)
                world.step(dt, substeps)
                done += 1
            extra = None
            if draw is not None:
                extra = DrawList()
                draw(extra)
            self.add(world, draw=extra)

    def close(self) -> None:
        """Completes the file. Closing again does nothing.

        Raises:
            ValueError: no picture was added.
            OSError: the file cannot be written.
        """
        if self._file is None:
            return
        file, self._file = self._file, None
        file.close()
        if not self._count:
            raise ValueError(f"no picture was added to {self.path}")

    def __enter__(self) -> MovieWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None or self._count:
            self.close()

    def __repr__(self) -> str:
        return f"<MovieWriter of {self.path}, {self._count} pictures{', closed' if self._file is None else ''}>"


class _File(Protocol):
    """Writes the pictures of a film in one format."""

    def __init__(self, path: Path, fps: float, size: tuple[int, int]) -> None: ...
    def add(self, image: Image) -> None: ...
    def close(self) -> None: ...


class _Gif:
    """Pictures share a palette while its colours are near enough, so that only what has changed is written."""

    def __init__(self, path: Path, fps: float, size: tuple[int, int]) -> None:
        self.path, self.images = path, list[Any]()
        self.frame_ms = 1000 / bounded(fps, "fps of a GIF", 1.0, 50.0)
        self.palette: Any = None

    def add(self, image: Image) -> None:
        from PIL.Image import Dither

        if self.palette is not None:
            small = image.quantize(palette=self.palette, dither=Dither.NONE)
            if _share_of_wrong_pixels(image, small) <= WRONG_PIXELS:
                self.images.append(small)
                return
        self.palette = image.quantize(255)
        self.images.append(self.palette)

    def close(self) -> None:
        if not self.images:
            return
        # Whole units, as near to the true times as they can be: 30 a second are 30, 40, 30, 30, 40 ... ms
        ends = [GIF_UNIT_MS * round(self.frame_ms * k / GIF_UNIT_MS) for k in range(len(self.images) + 1)]
        durations = np.diff(ends).tolist()
        with replacing(str(self.path)) as name:
            self.images[0].save(
                name, format="GIF", save_all=True, append_images=self.images[1:], duration=durations, loop=0,
                optimize=False,
            )  # fmt: skip


def _share_of_wrong_pixels(image: Image, small: Image) -> float:
    """The share of pixels that are far from their colours in the palette, from every third pixel of every third row."""
    table = np.array(small.getpalette() or [], np.int16).reshape(-1, 3)
    true, shown = np.asarray(image)[::3, ::3].astype(np.int16), table[np.asarray(small)[::3, ::3]]
    return float((np.abs(true - shown).max(axis=-1) > COLOR_ERROR).mean())


class _Mp4:
    """H.264 by the program ffmpeg, which imageio-ffmpeg brings along."""

    def __init__(self, path: Path, fps: float, size: tuple[int, int]) -> None:
        try:
            import imageio_ffmpeg
        except ModuleNotFoundError:
            raise missing("an MP4", "imageio-ffmpeg", "mp4", "imageio_ffmpeg") from None
        if size[0] % 2 or size[1] % 2:
            raise ValueError(f"size={size} of an MP4 must be even numbers")
        self.writer: Any = imageio_ffmpeg.write_frames(
            str(path), size, fps=fps, quality=8, macro_block_size=2, ffmpeg_log_level="error"
        )
        self.writer.send(None)

    def add(self, image: Image) -> None:
        self.writer.send(image.tobytes())

    def close(self) -> None:
        self.writer.close()


class _Png:
    """A file for each picture if the name has a place for a number, otherwise one for the last picture."""

    def __init__(self, path: Path, fps: float, size: tuple[int, int]) -> None:
        self.path, self.count = path, 0
        self.last: Image | None = None
        self.numbered = "%" in path.name
        if self.numbered:
            try:
                path.name % 0
            except (TypeError, ValueError):
                raise ValueError(f"path={short_repr(str(path))} must have one place for a number, as %04d") from None

    def add(self, image: Image) -> None:
        if self.numbered:
            save_whole(image, self.path.with_name(self.path.name % self.count))
            self.count += 1
        else:
            self.last = image

    def close(self) -> None:
        if self.last is not None:
            save_whole(self.last, self.path)


_FILES: dict[str, type[_File]] = {".gif": _Gif, ".mp4": _Mp4, ".png": _Png}
