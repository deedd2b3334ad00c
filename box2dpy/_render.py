"""Pictures of a world without a screen: pillow draws, so this module needs the extra `pillow`.

Colours: static bodies are slate, kinematic ones blue, sleeping ones grey; awake ones have the hue of their island, a
little lighter or darker from body to body so that single boxes can be told apart.
Cost: about 10 us a shape, in Python. Reads the world only.
"""

from __future__ import annotations

import colorsys
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._geometry import Capsule, ChainSegment, Circle, Segment

if TYPE_CHECKING:
    from PIL.Image import Image

    from ._world import World

Camera = tuple[float, float, float, float]
"""The part of the world to show: left, bottom, right, top, in metres."""

Color = tuple[int, int, int]

BACKGROUND: Color = (247, 245, 240)
STATIC: Color = (96, 104, 112)
KINEMATIC: Color = (70, 110, 170)
ASLEEP: Color = (176, 178, 180)
GOLDEN = 0.618033988749895  # successive multiples spread over the colour wheel
MARGIN = 0.04  # of the larger side, around a world whose camera is not given


def render(
    world: World,
    path: str | Path | None = None,
    *,
    camera: Camera | None = None,
    size: tuple[int, int] = (1200, 800),
    supersample: int = 2,
) -> Image:
    """Draws every shape of a world; saves the picture when a path is given.

    Args:
        world: any world that is not being stepped.
        path: where to save it; the ending chooses the format. Folders are made.
        camera: left, bottom, right, top in metres, fitted into the picture and centred; None shows everything.
        size: width and height in pixels.
        supersample: how many times larger it is drawn before it is scaled down; 1 is rough and fast.

    Raises:
        ModuleNotFoundError: pillow is not installed.
        ValueError: the camera, the size or the supersampling is not positive.
    """
    try:
        from PIL import Image, ImageDraw
    except ModuleNotFoundError:
        raise ModuleNotFoundError("pictures need pillow: pip install pillow", name="PIL") from None
    width, height = size
    if width < 1 or height < 1:
        raise ValueError(f"size must be positive, not {size}")
    if supersample < 1:
        raise ValueError(f"supersample must be at least 1, not {supersample}")
    shapes = list(world.shapes)
    view = View(camera or bounds(shapes), width * supersample, height * supersample)
    image = Image.new("RGB", (view.width, view.height), BACKGROUND)
    pen = ImageDraw.Draw(image)
    islands = _islands(world)
    for shape in shapes:
        body = shape.body
        color = body_color(body, islands)
        edge = _shade(color, 0.62)
        points = view.project(shape_outline(shape.geometry), body)
        if len(points) == 2:
            pen.line(points, fill=edge, width=max(1, supersample))
        elif view.shows(points):
            pen.polygon(points, fill=color, outline=edge)
            if isinstance(shape.geometry, Circle):  # a spoke shows how it is turned
                center, radius = shape.geometry.center, shape.geometry.radius
                pen.line(view.project([center, (center[0] + radius, center[1])], body), fill=edge)
    if supersample > 1:
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    if path is not None:
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(path)
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
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        joined.save(path)
    return joined


class View:
    """From metres, y upwards, to pixels, y downwards; the camera's centre is the picture's."""

    def __init__(self, camera: Camera, width: int, height: int) -> None:
        left, bottom, right, top = camera
        if not (right > left and top > bottom):
            raise ValueError(f"camera must have left < right and bottom < top, not {camera}")
        self.width, self.height = width, height
        self.scale = min(width / (right - left), height / (top - bottom))
        self.x = 0.5 * width - self.scale * 0.5 * (left + right)
        self.y = 0.5 * height + self.scale * 0.5 * (bottom + top)

    def project(self, local: Iterable[Sequence[float]], body: Any) -> list[tuple[float, float]]:
        """Points in body coordinates as pixels."""
        x, y = body.position
        c, s = body.rotation
        k = self.scale
        x, y = self.x + k * x, self.y - k * y
        return [(x + k * (c * px - s * py), y - k * (s * px + c * py)) for px, py in local]

    def shows(self, points: Sequence[tuple[float, float]]) -> bool:
        """False when all points lie beyond one side of the picture."""
        xs = [x for x, _ in points]
        ys = [y for _, y in points]
        return max(xs) >= 0 and min(xs) <= self.width and max(ys) >= 0 and min(ys) <= self.height


def shape_outline(geometry: Any, arc: int = 16) -> list[tuple[float, float]]:
    """The border in body coordinates, counter-clockwise; `arc` points to a full turn. A segment has two points."""
    radius = 0.0
    if isinstance(geometry, Circle):
        radius, core = geometry.radius, [geometry.center]
    elif isinstance(geometry, Capsule):
        radius, core = geometry.radius, [geometry.p1, geometry.p2]
    elif isinstance(geometry, (Segment, ChainSegment)):
        core = [geometry.p1, geometry.p2]
    else:
        radius, core = geometry.radius, list(geometry.vertices)
    points = [(float(x), float(y)) for x, y in core]
    if radius <= 0:
        return points
    if len(points) == 1:
        return [_around(points[0], radius, 2 * math.pi * k / arc) for k in range(arc)]
    border = []
    for i, (x, y) in enumerate(points):
        before, after = points[i - 1], points[(i + 1) % len(points)]
        first = math.atan2(before[0] - x, y - before[1])  # outward normal of the edge that ends here
        last = math.atan2(x - after[0], after[1] - y)  # and of the edge that starts here
        turn = (last - first) % (2 * math.pi)
        pieces = max(1, round(arc * turn / (2 * math.pi)))
        border += [_around((x, y), radius, first + turn * k / pieces) for k in range(pieces + 1)]
    return border


def bounds(shapes: Iterable[Any]) -> Camera:
    """A camera that shows all shapes with a margin."""
    xs, ys = [], []
    for shape in shapes:
        (x, y), (c, s) = shape.body.position, shape.body.rotation
        for px, py in shape_outline(shape.geometry):
            xs.append(x + c * px - s * py)
            ys.append(y + s * px + c * py)
    if not xs:
        return (-1.0, -1.0, 1.0, 1.0)
    margin = MARGIN * max(max(xs) - min(xs), max(ys) - min(ys), 1.0)
    return (min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin)


def body_color(body: Any, islands: dict[int, int]) -> Color:
    """Colour of a body from its type, whether it is awake, and its island."""
    kind = str(getattr(body.type, "name", body.type)).lower()
    if kind == "static":
        return STATIC
    if kind == "kinematic":
        return KINEMATIC
    index = getattr(body, "index", 0)
    shade = 0.93 + 0.14 * (index * GOLDEN % 1)
    if not body.awake:
        return _shade(ASLEEP, shade)
    hue = (0.09 + GOLDEN * islands.get(index, 0)) % 1
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.45, 0.88)
    return _shade((round(255 * red), round(255 * green), round(255 * blue)), shade)


def _islands(world: Any) -> dict[int, int]:
    """Body index to the place of its island, in id order."""
    places: dict[int, int] = {}
    for place, island in enumerate(getattr(world, "islands", ())):
        for body in island.bodies:
            places[body.index] = place
    return places


def _around(center: tuple[float, float], radius: float, angle: float) -> tuple[float, float]:
    return center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle)


def _shade(color: Color, factor: float) -> Color:
    red, green, blue = (min(255, round(factor * part)) for part in color)
    return red, green, blue
