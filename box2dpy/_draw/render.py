"""Pictures of a world without a screen: pillow draws, so this module needs `pip install pillow`. Colours and borders:
`style.py`.

Cost: about 20 us a shape, in Python. Reads the world only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .style import DARK, LIGHT, Camera, Theme, View, bounds, pieces, rgb

if TYPE_CHECKING:
    from PIL.Image import Image

    from .draw_list import DrawList
    from .style import DrawableWorld

__all__ = ["DARK", "LIGHT", "Camera", "Picture", "View", "render", "side_by_side"]


class Picture:
    """A picture that worlds and lists are drawn into, one over the other.

    Args:
        camera: left, bottom, right, top in metres, fitted into the picture and centred.
        size: width and height in pixels.
        supersample: how many times larger it is drawn before it is scaled down; 1 is rough and fast.
        theme: its colours.

    Raises:
        ModuleNotFoundError: pillow is not installed.
        ValueError: the camera, the size or the supersampling is not positive.
    """

    def __init__(self, camera: Camera, size: tuple[int, int], *, supersample: int = 2, theme: Theme = LIGHT) -> None:
        try:
            from PIL import Image, ImageDraw
        except ModuleNotFoundError:
            raise ModuleNotFoundError("pictures need pillow: pip install pillow", name="PIL") from None
        if size[0] < 1 or size[1] < 1:
            raise ValueError(f"size must be positive, not {size}")
        if supersample < 1:
            raise ValueError(f"supersample must be at least 1, not {supersample}")
        self.size, self.thickness, self.theme = size, supersample, theme
        self.view = View(camera, size[0] * supersample, size[1] * supersample)
        self.image = Image.new("RGB", (self.view.width, self.view.height), rgb(theme.background))
        self.pen = ImageDraw.Draw(self.image, "RGBA")

    def world(self, world: DrawableWorld, *, offset: tuple[float, float] = (0.0, 0.0), by: str = "kind") -> None:
        """Draws every shape of a world, `offset` metres from where it is."""
        for piece in pieces(world, self.theme, by=by):
            corners = self.view.project(piece.points + offset)
            if not self.view.shows(corners):
                continue
            line = _flat(corners)
            if len(corners) == 2:
                self.pen.line(line, fill=piece.edge, width=max(1, self.thickness))
                continue
            self.pen.polygon(line, fill=(*piece.fill, piece.alpha))
            self.pen.line([*line, *line[:2]], fill=piece.edge, width=max(1, self.thickness), joint="curve")
            if piece.spoke is not None:
                self.pen.line(
                    _flat(self.view.project(piece.spoke + offset)), fill=piece.edge, width=max(1, self.thickness)
                )

    def draw(self, draw: DrawList) -> None:
        """Draws a list of lines, points and texts."""
        for fill in draw.fills:
            self.pen.polygon(_flat(self.view.project(fill.points)), fill=(*rgb(fill.color), round(255 * fill.alpha)))
        ends = self.view.project(draw.line_ends.reshape(-1, 2)).reshape(-1, 4)
        for line, color in zip(ends.tolist(), draw.line_colors.tolist(), strict=True):
            self.pen.line(line, fill=self._ink(color), width=max(1, self.thickness))
        dots, sizes = self.view.project(draw.points[:, :2]), draw.points[:, 2] * (0.5 * self.thickness)
        for (x, y), r, color in zip(dots.tolist(), sizes.tolist(), draw.point_colors.tolist(), strict=True):
            self.pen.ellipse([x - r, y - r, x + r, y + r], fill=self._ink(color))
        for label in draw.labels:
            x, y = self.view.project([(label.x, label.y)])[0].tolist()
            self.text((x, y - 13 * self.thickness), label.text, label.color)

    def text(self, where: tuple[float, float], text: str, color: int | None = None, size: float = 12.0) -> None:
        """A text, its upper left corner at this pixel of the large picture."""
        from PIL import ImageFont

        font = ImageFont.load_default(size * self.thickness)
        self.pen.multiline_text(where, text, fill=self._ink(self.theme.ink if color is None else color), font=font)

    def finish(self) -> Image:
        """The picture in its size."""
        from PIL import Image

        return self.image if self.thickness == 1 else self.image.resize(self.size, Image.Resampling.LANCZOS)

    def _ink(self, color: int) -> tuple[int, int, int]:
        near = np.abs(np.subtract(rgb(color), rgb(self.theme.background))).max() < 40
        return rgb(self.theme.ink if near else color)


def render(
    world: DrawableWorld,
    path: str | Path | None = None,
    *,
    camera: Camera | None = None,
    size: tuple[int, int] = (1200, 800),
    supersample: int = 2,
    theme: Theme = LIGHT,
    by: str = "island",
    draw: DrawList | None = None,
) -> Image:
    """Draws every shape of a world; saves the picture when a path is given.

    Args:
        world: any world that is not being stepped.
        path: where to save it; the ending chooses the format. Folders are made.
        camera: left, bottom, right, top in metres, fitted into the picture and centred; None shows everything.
        size: width and height in pixels.
        supersample: how many times larger it is drawn before it is scaled down; 1 is rough and fast.
        theme: its colours.
        by: what colours moving bodies: "island", "kind" or "body".
        draw: what else to draw over it.

    Raises:
        ModuleNotFoundError: pillow is not installed.
        ValueError: the camera, the size or the supersampling is not positive.
    """
    picture = Picture(camera or bounds(world), size, supersample=supersample, theme=theme)
    picture.world(world, by=by)
    if draw is not None:
        picture.draw(draw)
    image = picture.finish()
    if path is not None:
        _save(image, path)
    return image


def side_by_side(pictures: Sequence[Image], path: str | Path | None = None, *, gap: int = 8) -> Image:
    """Joins pictures of one height from left to right."""
    from PIL import Image

    width = sum(picture.width for picture in pictures) + gap * (len(pictures) - 1)
    joined = Image.new("RGB", (width, max(picture.height for picture in pictures)), (255, 255, 255))
    x = 0
    for picture in pictures:
        joined.paste(picture, (x, 0))
        x += picture.width + gap
    if path is not None:
        _save(joined, path)
    return joined


def _save(image: Image, path: str | Path) -> None:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def _flat(points: Iterable[Any]) -> list[float]:
    return [float(x) for x in np.asarray(points).ravel()]
