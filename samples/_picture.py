"""Pictures and animations of samples without a screen and without GL, drawn by pillow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import box2dpy as b2
from box2dpy._draw.render import Picture
from box2dpy._draw.style import DARK

from ._run import Run
from ._sample import Camera

FRAME_MS = 40  # milliseconds between the pictures of an animation: 25 a second
Progress = Callable[[int, int], None]


def picture(run: Run, *, size: tuple[int, int] = (960, 600), supersample: int = 2, camera: Camera | None = None) -> Any:
    """A pillow image of the present state of a sample. Without `camera`, the camera of the sample is used."""
    camera, target = camera or run.camera(), run.sample.look_at()
    if target is not None:
        dx, dy = target.x - 0.5 * (camera[0] + camera[2]), target.y - 0.5 * (camera[1] + camera[3])
        camera = (camera[0] + dx, camera[1] + dy, camera[2] + dx, camera[3] + dy)
    status = run.status()
    lines = status.split("\n") if status else []
    fits = 1.9 * size[0] / max(map(len, lines), default=1)  # letters are about half as wide as high
    letters = min(14, max(fits, 7))
    band = 20.0 * len(lines) + 10 if lines else 0.0  # the scene begins under the figures
    left, bottom, right, top = camera
    scale = min(size[0] / (right - left), (size[1] - band) / (top - bottom))
    middle = 0.5 * (left + right)
    half = 0.5 * size[0] / scale
    rest = 0.5 * ((size[1] - band) / scale - (top - bottom))
    camera = (middle - half, bottom - rest, middle + half, top + rest + band / scale)
    made = Picture(camera, size, supersample=supersample, theme=DARK)
    for world, offset in [(run.world, (0.0, 0.0)), *run.sample.others]:
        made.world(world, offset=offset, by=run.kind.color_by)
        if not run.kind.hide_joints:
            made.draw(world.debug_draw(None, "joints", offset=offset))
    own = b2.DrawList()
    run.sample.draw(own)
    made.draw(own)
    if status:
        made.text((12 * supersample, 8 * supersample), status, size=letters)
    return made.finish()


def save(
    run: Run,
    path: str | Path,
    steps: int,
    *,
    size: tuple[int, int] = (960, 600),
    frame_ms: int = FRAME_MS,
    progress: Progress | None = None,
) -> None:
    """Runs a sample and saves its last frame, or all of them when the name ends in .gif or .mp4, one every `frame_ms`.

    Raises:
        ModuleNotFoundError: pillow is not installed, or imageio-ffmpeg for .mp4.
        ValueError: pillow does not know the ending of the file name.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".mp4":
        size = size[0] + size[0] % 2, size[1] + size[1] % 2  # the format needs even numbers
        with b2.MovieWriter(path, size=size, fps=1000 / frame_ms) as film:
            for number in range(steps):
                run.step()
                if (number + 1) * 1000 / run.hertz >= frame_ms * film.frames:
                    film.add_image(picture(run, size=size))
                if progress is not None:
                    progress(number + 1, steps)
        return
    if path.suffix.lower() != ".gif":
        for number in range(steps):
            run.step()
            if progress is not None:
                progress(number + 1, steps)
        picture(run, size=size).save(path)
        return
    frames: list[Any] = []
    clock = 0.0
    for number in range(steps):
        run.step()
        clock += 1000 / run.hertz
        if clock >= frame_ms * len(frames):
            image = picture(run, size=size)  # with the colours of the first picture, so that only what moves is written
            frames.append(image.quantize(palette=frames[0], dither=0) if frames else image.quantize(64))
        if progress is not None:
            progress(number + 1, steps)
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=frame_ms, loop=0, optimize=False)
