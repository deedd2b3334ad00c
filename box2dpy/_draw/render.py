"""Pictures of a world without a screen: pillow draws, so this module needs `pip install pillow`. Colours and borders:
`style.py`.

Cost: about 15 us for each shape that the camera sees, in Python. Reads the world only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._bridge.arguments import file_path, instance, integer, make_folder, pair
from .._bridge.errors import missing
from .._bridge.files import replacing
from .camera import CameraLike, View, camera_now, visible
from .draw_list import DrawList
from .style import LIGHT, Theme, pieces, readable, rgb

if TYPE_CHECKING:
    from PIL.Image import Image

    from .camera import Camera, DrawableWorld, Poses


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
            raise missing("a picture", "pillow", "film", "PIL") from None
        pair(size, "size")
        width, height = (integer(side, "size", 1, 1 << 15) for side in size)
        self.thickness, self.theme = integer(supersample, "supersample", 1, 8), theme
        self.view = View(camera, width * supersample, height * supersample)
        self.image = Image.new("RGB", (self.view.width, self.view.height), rgb(theme.background))
        self.pen = ImageDraw.Draw(self.image, "RGBA")

    def world(
        self,
        world: DrawableWorld,
        *,
        offset: tuple[float, float] = (0.0, 0.0),
        by: str = "kind",
        poses: Poses | None = None,
    ) -> None:
        """Draws the shapes of a world that the camera sees, `offset` metres from where they are."""
        for piece in pieces(world, self.theme, by=by, view=self.view, offset=offset, poses=poses):
            line = piece.points.ravel().tolist()
            if len(line) == 4:
                self.pen.line(line, fill=piece.edge, width=self.thickness)
                continue
            self.pen.polygon(line, fill=(*piece.fill, piece.alpha))
            self.pen.line([*line, *line[:2]], fill=piece.edge, width=self.thickness, joint="curve")
            if piece.spoke is not None:
                self.pen.line(piece.spoke.ravel().tolist(), fill=piece.edge, width=self.thickness)

    def draw(self, draw: DrawList) -> None:
        """Draws what the camera sees of a list of fills, lines, points and texts."""
        shown = visible(draw, self.view)
        for corners, fill in shown.fills:
            self.pen.polygon(corners.ravel().tolist(), fill=(*rgb(fill.color), round(255 * fill.alpha)))
        for line, color in zip(shown.lines.tolist(), shown.line_colors, strict=True):
            self.pen.line(line, fill=self._ink(color), width=self.thickness)
        for (x, y, diameter), color in zip(shown.dots.tolist(), shown.dot_colors, strict=True):
            r = 0.5 * self.thickness * diameter
            self.pen.ellipse([x - r, y - r, x + r, y + r], fill=self._ink(color))
        for x, y, label in shown.labels:
            self.text((x, y - 13 * self.thickness), label.text, label.color)

    def text(self, where: tuple[float, float], text: str, color: int | None = None, size: float = 12.0) -> None:
        """A text, its upper left corner at this pixel of the large picture."""
        from PIL import ImageFont

        font = ImageFont.load_default(size * self.thickness)
        self.pen.multiline_text(where, text, fill=self._ink(self.theme.ink if color is None else color), font=font)

    def finish(self) -> Image:
        """The picture in its size."""
        return self.image if self.thickness == 1 else self.image.reduce(self.thickness)

    def _ink(self, color: int) -> tuple[int, int, int]:
        return rgb(readable(color, self.theme))


def render(
    world: DrawableWorld,
    path: str | Path | None = None,
    *,
    camera: CameraLike = None,
    size: tuple[int, int] = (1200, 800),
    supersample: int = 2,
    theme: Theme = LIGHT,
    by: str = "island",
    draw: DrawList | None = None,
    poses: Poses | None = None,
) -> Image:
    """Draws every shape of a world; saves the picture when a path is given.

    Args:
        world: any world that is not being stepped.
        path: where to save it; the ending chooses the format. Folders are made.
        camera: left, bottom, right, top in metres, fitted into the picture and centred, or a function that returns
            them; None shows everything.
        size: width and height in pixels.
        supersample: how many times larger it is drawn before it is scaled down; 1 is rough and fast.
        theme: its colours.
        by: what colours moving bodies: "island", "kind" or "body".
        draw: what else to draw over it.
        poses: the poses of all bodies; None takes the present ones.

    Raises:
        ModuleNotFoundError: pillow is not installed.
        ValueError: the camera, the size or the supersampling is not positive.
    """
    draw = instance(draw, DrawList, "draw")
    picture = Picture(camera_now(camera, world, poses), size, supersample=supersample, theme=theme)
    picture.world(world, by=by, poses=poses)
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
    path = Path(file_path(path))
    make_folder(path.parent)
    save_whole(image, path)


def save_whole(image: Image, path: Path) -> None:
    with replacing(str(path)) as name:
        image.save(name)
