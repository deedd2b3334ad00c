"""The appearance of worlds in all renderers: the colour of each shape, and its border as points.

Colours of awake moving bodies go by the kind of shape, a little lighter or darker from body to body so that single
boxes can be told apart, or by island; static ones are slate, kinematic ones blue, sleeping ones dim. A shape's own
`color` goes first. Cost: about 1 ms for 20,000 shapes. Reads the world only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from .._bridge.arguments import points
from .._bridge.colors import COLORS
from .._bridge.errors import short_repr
from .._bridge.vectors import Vec2
from .draw_list import rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .camera import Camera, DrawableWorld, Poses, View

GOLDEN = 0.618033988749895  # successive multiples spread over the colour wheel
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


THEMES = {"light": LIGHT, "dark": DARK}
ThemeName = Literal["light", "dark"]
ColorBy = Literal["kind", "island", "body"]
BY: tuple[ColorBy, ...] = ("kind", "island", "body")


def rgb(color: int) -> tuple[int, int, int]:
    return color >> 16 & 255, color >> 8 & 255, color & 255


def readable(color: int, theme: Theme) -> int:
    """0xRRGGBB of what a list draws: the ink of the theme in place of colours that are nearly those of its
    background."""
    near = np.abs(np.subtract(rgb(color), rgb(theme.background))).max() < 40
    return theme.ink if near else color


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
    """Border, shape (n, 2), in world coordinates or in pixels of the view; two points are a line."""
    fill: tuple[int, int, int]
    edge: tuple[int, int, int]
    alpha: int
    """255 is opaque."""
    spoke: NDArray[np.float64] | None
    """Of a circle: centre and rim, which shows how it is turned."""


def local_border(row: Any, arc: int = 32) -> NDArray[np.float64]:
    """The border of a row of `Arrays.shapes` in body coordinates."""
    count = 2 if row["type"] == CHAIN else int(row["count"])
    return _rounded_border(row["x"][:count].tobytes(), row["y"][:count].tobytes(), float(row["radius"]), arc)


@lru_cache(maxsize=4096)
def _rounded_border(x: bytes, y: bytes, radius: float, arc: int) -> NDArray[np.float64]:
    core = [Vec2(*p) for p in zip(np.frombuffer(x, "f4").tolist(), np.frombuffer(y, "f4").tolist(), strict=True)]
    border = np.array(rounded(core, radius, arc), np.float64)
    border.flags.writeable = False  # it is shared by all that ask again
    return border


class Borders(NamedTuple):
    """The shapes that a picture shows, in the order in which they are drawn."""

    shapes: NDArray[np.void]
    """Their rows of `Arrays.shapes`."""
    colors: NDArray[np.uint8]
    """Red, green, blue and alpha of each, shape (n, 4)."""
    starts: NDArray[np.intp]
    """Where the border of each begins in `points`, and the end of the last: shape (n + 1,)."""
    points: NDArray[np.float64]
    """The borders one after another in world coordinates, shape (m, 2)."""


def _vertices(shapes: NDArray[np.void]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices in body coordinates, shape (n, 8, 2), and how many of them each shape has: a chain segment's neighbours
    are none of them."""
    count = np.where(shapes["type"] == CHAIN, 2, shapes["count"]).astype(np.int64)
    return np.stack([shapes["x"], shapes["y"]], axis=-1).astype(np.float64), count


def _turned(points: NDArray[np.float64], position: Any, rotation: Any) -> NDArray[np.float64]:
    """Points in body coordinates, shape (n, k, 2), at the poses of their bodies."""
    c, s = rotation[:, :1], rotation[:, 1:]
    x, y = points[..., 0], points[..., 1]
    return np.stack([position[:, :1] + c * x - s * y, position[:, 1:] + s * x + c * y], axis=-1)


def _seen(shapes: NDArray[np.void], position: Any, rotation: Any, camera: Camera) -> NDArray[np.bool_]:
    """Which shapes have a bounding box that overlaps the camera."""
    core, count = _vertices(shapes)
    used = np.arange(core.shape[1]) < count[:, None]
    corners = _turned(np.where(used[..., None], core, core[:, :1]), position, rotation)
    radius = shapes["radius"].astype(np.float64)[:, None]
    lower, upper = corners.min(axis=1) - radius, corners.max(axis=1) + radius
    left, bottom, right, top = camera
    return np.asarray(
        (lower[:, 0] <= right) & (upper[:, 0] >= left) & (lower[:, 1] <= top) & (upper[:, 1] >= bottom), bool
    )


def _of_bodies(poses: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    try:
        position, rotation = poses
    except (TypeError, ValueError):
        raise TypeError(f"poses={short_repr(poses)} must be positions and rotations of all bodies") from None
    return points(position, "poses"), points(rotation, "poses")


def borders(
    world: DrawableWorld,
    theme: Theme,
    *,
    by: str = "kind",
    arc: int = 32,
    camera: Camera | None = None,
    poses: Poses | None = None,
) -> Borders:
    """The shapes of a world: lines and static ones first, sensors last, else by id.

    Args:
        by: what colours moving bodies: "kind", "island" or "body".
        arc: points of a circle.
        camera: shapes outside of it are left out; None leaves out nothing.
        poses: the poses of all bodies; None takes the present ones.

    Raises:
        ValueError: there are bodies without poses, as bodies that were created since.
        TypeError: the poses are not what `FixedStepper.interpolated` gives.
    """
    arrays = world.arrays
    shapes, bodies = arrays.shapes, arrays.bodies
    position, rotation = (arrays.position, arrays.rotation) if poses is None else _of_bodies(poses)
    position, rotation = np.asarray(position), np.asarray(rotation).astype(np.float64)
    if not len(arrays.position) <= len(position) == len(rotation):
        raise ValueError(f"poses have {len(position)} and {len(rotation)} rows, the world has {len(arrays.position)}")
    if camera is not None and len(shapes):
        shapes = shapes[_seen(shapes, position[shapes["body"]], rotation[shapes["body"]], camera)]
    shapes = shapes[np.lexsort((shapes["shape"], bodies["type"][shapes["body"]], shapes["sensor"]))]
    if not len(shapes):
        return Borders(shapes, np.empty((0, 4), np.uint8), np.zeros(1, np.intp), np.empty((0, 2)))
    # Shapes whose borders have the same number of points are turned together.
    core, count = _vertices(shapes)
    circle, sharp = shapes["type"] == CIRCLE, shapes["radius"] <= 0
    groups = [(rows := np.nonzero(sharp & (count == k))[0], core[rows, :k]) for k in np.unique(count[sharp])]
    turn = 2 * np.pi * np.arange(arc) / arc
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    rows = np.nonzero(circle & ~sharp)[0]
    groups.append((rows, core[rows, :1] + shapes["radius"].astype(np.float64)[rows, None, None] * ring))
    by_length: dict[int, list[tuple[int, NDArray[np.float64]]]] = {}
    for k in np.nonzero(~circle & ~sharp)[0].tolist():
        border = local_border(shapes[k], arc)
        by_length.setdefault(len(border), []).append((k, border))
    groups += [(np.array([k for k, _ in some]), np.array([line for _, line in some])) for some in by_length.values()]
    lengths = np.empty(len(shapes), np.intp)
    for rows, local in groups:
        lengths[rows] = local.shape[1]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    points = np.empty((starts[-1], 2))
    for rows, local in groups:
        body = shapes["body"][rows]
        points[starts[rows][:, None] + np.arange(local.shape[1])] = _turned(local, position[body], rotation[body])
    return Borders(shapes, shape_colors(shapes, bodies, theme, by=by), starts, points)


def pieces(
    world: DrawableWorld,
    theme: Theme,
    *,
    by: str = "kind",
    view: View | None = None,
    offset: tuple[float, float] = (0.0, 0.0),
    poses: Poses | None = None,
) -> Iterator[Piece]:
    """The shapes of a world one by one, `offset` metres from where they are, in the order of `borders`. With a view:
    only those that it shows, in pixels, and of very large ones only the part near the picture."""
    camera = None
    if view is not None:
        left, bottom, right, top = view.camera
        camera = left - offset[0], bottom - offset[1], right - offset[0], top - offset[1]
    shapes, colors, starts, points = borders(world, theme, by=by, camera=camera, poses=poses)
    fills = np.clip(colors[:, :3] * np.float32(theme.fill), 0, 255).astype(np.uint8).tolist()
    edges = np.clip(colors[:, :3] * np.float32(theme.edge), 0, 255).astype(np.uint8).tolist()
    circles = (shapes["type"] == CIRCLE).tolist()
    if not len(shapes):
        return
    points = points + offset if view is None else view.project(points + offset)
    far = np.zeros(len(shapes), bool) if view is None else np.logical_or.reduceat(view.far(points), starts[:-1])
    ends, alphas = starts.tolist(), colors[:, 3].tolist()
    for k, circle in enumerate(circles):
        border = points[ends[k] : ends[k + 1]]
        # The first point of a circle's border is on the x axis of its body.
        spoke = np.array([border.mean(axis=0), border[0]]) if circle else None
        if view is not None and far[k]:
            border = view.clipped(border)
            if len(border) < 2:  # only the corner of its bounding box was in the picture
                continue
        yield Piece(border, tuple(fills[k]), tuple(edges[k]), alphas[k], spoke)
