"""The appearance of worlds in all renderers: the colour of each shape, and its border as points.

Colours of awake moving bodies go by the kind of shape, a little lighter or darker from body to body so that single
boxes can be told apart, or by island; static ones are slate, kinematic ones blue, sleeping ones dim. A shape's own
`color` goes first. Cost: about 1 ms for 20,000 shapes. Reads the world only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from .._bridge.vectors import Vec2
from .draw_list import COLORS, rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._bridge.vectors import AABB
    from .._objects.arrays import Arrays

Camera = tuple[float, float, float, float]
"""The part of the world to show: left, bottom, right, top, in metres."""


class DrawableWorld(Protocol):
    """The attributes of a world that drawing reads."""

    @property
    def arrays(self) -> Arrays: ...
    @property
    def bounds(self) -> AABB: ...


GOLDEN = 0.618033988749895  # successive multiples spread over the colour wheel
MARGIN = 0.04  # of the larger side, around a world whose camera is not given
CIRCLE, CAPSULE, SEGMENT, POLYGON, CHAIN = range(5)


@dataclass(frozen=True)
class Theme:
    """Colours of a picture, 0xRRGGBB; `fill` and `edge` are factors from a shape's colour to what is drawn."""

    background: int
    ink: int
    static: int
    kinematic: int
    asleep: int
    kinds: tuple[int, int, int, int, int]  # circles, capsules, lines, boxes, other polygons
    fill: float
    edge: float


DARK = Theme(
    0x16191F, 0xE6E6E0, 0x6C7683, 0x5B8DD6, 0x5A616B, (0x56B5AC, 0xE4876F, 0xC9CED6, 0xE2B35B, 0xB58CDB), 0.66, 1.0
)
LIGHT = Theme(
    0xF7F5F0, 0x2A2D33, 0x606870, 0x466EAA, 0xB0B2B4, (0x6FC2BA, 0xEFA38E, 0x55595F, 0xE9C070, 0xC3A3E2), 1.0, 0.62
)


def rgb(color: int) -> tuple[int, int, int]:
    return color >> 16 & 255, color >> 8 & 255, color & 255


def _columns(colors: Any) -> Any:
    """(n, 3) of 0xRRGGBB."""
    column = np.asarray(colors, np.int64)
    return np.stack([column >> 16 & 255, column >> 8 & 255, column & 255], axis=-1).astype(np.float32)


def _hues(count: int) -> NDArray[np.float32]:
    hue = (0.09 + GOLDEN * np.arange(count)) % 1
    k = (hue[:, None] * 6 + np.array([5.0, 3.0, 1.0])) % 6
    wave = np.clip(np.minimum(k, 4 - k), 0, 1)
    return np.asarray(255 * 0.9 * (1 - 0.55 * wave), np.float32)


_known_hues = _hues(1024)


def island_color(islands: Any) -> NDArray[np.float32]:
    """A hue for each index, neighbours far apart: (n, 3), 0 to 255; for -1 any."""
    global _known_hues
    rows = np.asarray(islands, np.int64)
    if rows.size and rows.max() >= len(_known_hues):
        _known_hues = _hues(2 * int(rows.max()))
    return _known_hues[rows]


def base_colors(shapes: NDArray[np.void], bodies: NDArray[np.void], theme: Theme, by: str) -> NDArray[np.float32]:
    """Colour of each shape while it is awake: (n, 3), 0 to 255. By "kind" or "body" no step changes it."""
    body = shapes["body"]
    types = bodies["type"][body]
    kind = shapes["type"].astype(np.int64)
    kind[kind == CHAIN] = SEGMENT
    kind[(kind == POLYGON) & ((shapes["count"] != 4) | (shapes["radius"] > 0))] = 4
    base = _columns(np.array(theme.kinds))[kind]
    if by == "body":
        base = island_color(body)
    elif by == "island":
        island = bodies["island"][body]
        member = island >= 0
        base[member] = island_color(island[member])
    base *= (0.93 + 0.14 * (body * GOLDEN % 1)).astype(np.float32)[:, None]
    for number, color in ((0, theme.static), (1, theme.kinematic)):
        base[types == number] = _columns(color)
    own = (shapes["color"] != 0) & (by == "kind")
    base[own] = _columns(shapes["color"][own] & 0xFFFFFF)
    return np.asarray(np.minimum(base, 255), np.float32)


def shape_colors(
    shapes: NDArray[np.void],
    bodies: NDArray[np.void],
    theme: Theme,
    *,
    by: str = "kind",
    sleep: bool = True,
    fast: bool = False,
    base: NDArray[np.float32] | None = None,
) -> NDArray[np.uint8]:
    """Red, green, blue and alpha of each shape: uint8, shape (n, 4), for rows of `Arrays.shapes` and `Arrays.bodies`.

    Args:
        by: "kind" of shape, "island" or "body".
        sleep: whether sleeping bodies are dimmed.
        fast: whether bodies that the continuous stage swept stand out.
        base: what `base_colors` gave, if it is still true.
    """
    body = shapes["body"]
    out = np.empty((len(shapes), 4), np.uint8)
    out[:, :3] = base_colors(shapes, bodies, theme, by) if base is None else base
    if sleep:
        asleep = np.nonzero(((bodies["type"] != 0) & ~bodies["awake"])[body])[0]
        out[asleep, :3] = 0.55 * out[asleep, :3] + 0.45 * _columns(theme.asleep)
    if fast:
        out[bodies["fast"][body], :3] = _columns(COLORS["red"])
    out[:, 3] = np.where(shapes["sensor"], 64, np.where(bodies["enabled"][body], 255, 90))
    return out


class Piece(NamedTuple):
    """One shape as it is drawn."""

    points: NDArray[np.float64]
    """Border in world coordinates, shape (n, 2); two points are a line."""
    fill: tuple[int, int, int]
    edge: tuple[int, int, int]
    alpha: int
    """255 is opaque."""
    spoke: NDArray[np.float64] | None
    """Of a circle: centre and rim, which shows how it is turned."""


def local_border(row: Any, arc: int = 32) -> NDArray[np.float64]:
    """The border of a row of `Arrays.shapes` in body coordinates."""
    count = 2 if row["type"] == CHAIN else int(row["count"])
    core = [Vec2(x, y) for x, y in zip(row["x"][:count].tolist(), row["y"][:count].tolist(), strict=True)]
    return np.array(rounded(core, float(row["radius"]), arc), np.float64)


def pieces(world: DrawableWorld, theme: Theme, *, by: str = "kind", arc: int = 32) -> Iterator[Piece]:
    """All shapes of a world: lines and static ones first, sensors last, else by id."""
    arrays = world.arrays
    shapes, bodies = arrays.shapes, arrays.bodies
    if not len(shapes):
        return
    colors = shape_colors(shapes, bodies, theme, by=by)
    fills = np.clip(colors[:, :3] * np.float32(theme.fill), 0, 255).astype(np.uint8)
    edges = np.clip(colors[:, :3] * np.float32(theme.edge), 0, 255).astype(np.uint8)
    position, rotation = np.asarray(arrays.position), np.asarray(arrays.rotation).astype(np.float64)
    borders: dict[bytes, NDArray[np.float64]] = {}
    order = np.lexsort((shapes["shape"], bodies["type"][shapes["body"]], shapes["sensor"]))
    for k in order.tolist():
        row = shapes[k]
        key = row["x"].tobytes() + row["y"].tobytes() + row["radius"].tobytes() + bytes([row["type"], row["count"]])
        if key not in borders:
            borders[key] = local_border(row, arc)
        local = borders[key]
        at, (c, s) = position[row["body"]], rotation[row["body"]]
        turn = np.array([[c, s], [-s, c]])
        spoke = None
        if row["type"] == CIRCLE:
            x, y = float(row["x"][0]), float(row["y"][0])
            spoke = np.array([(x, y), (x + float(row["radius"]), y)]) @ turn + at
        yield Piece(local @ turn + at, tuple(fills[k].tolist()), tuple(edges[k].tolist()), int(colors[k, 3]), spoke)


def bounds(world: DrawableWorld) -> Camera:
    """A camera that shows all shapes with a margin."""
    lower, upper = world.bounds
    if not len(world.arrays.shapes):
        return (-1.0, -1.0, 1.0, 1.0)
    margin = MARGIN * max(upper.x - lower.x, upper.y - lower.y, 1.0)
    return lower.x - margin, lower.y - margin, upper.x + margin, upper.y + margin


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

    def project(self, points: Any) -> NDArray[np.float64]:
        """Points in the world, shape (n, 2), as pixels."""
        return np.asarray(points, np.float64) * (self.scale, -self.scale) + (self.x, self.y)

    def shows(self, pixels: NDArray[np.float64]) -> bool:
        """False when all points lie beyond one side of the picture."""
        (left, top), (right, bottom) = pixels.min(axis=0), pixels.max(axis=0)
        return bool(right >= 0 and left <= self.width and bottom >= 0 and top <= self.height)
