"""`DrawList`: what to draw beside the shapes, as plain arrays that any renderer can show.

A list holds lines, points, filled convex polygons and texts in world coordinates. `World.debug_draw` fills one from the
state of a world; programs add their own. The sample browser, `box2dpy render` and `World.to_svg` show the same lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._bridge.arguments import finite, finite_pair, floats, number, pair, points
from .._bridge.colors import Color, as_color
from .._bridge.vectors import Vec2
from .._geometry.geometry import Geometry
from .._geometry.shapes import Capsule, ChainSegment, Circle, Segment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._bridge.vectors import Vec2Like


class Fill(NamedTuple):
    """A filled convex polygon."""

    points: NDArray[np.float64]
    """Corners, shape (n, 2), metres."""
    color: int
    """0xRRGGBB."""
    alpha: float
    """0 transparent to 1 opaque."""


class Label(NamedTuple):
    """A text that starts at a point."""

    x: float
    y: float
    text: str
    color: int
    """0xRRGGBB."""


class DrawList:
    """Lines, points, filled polygons and texts in world coordinates, in the order in which they were added.

    Every method that adds takes metres and a colour: 0xRRGGBB, "#rrggbb", a name (`white`, `grey`, `red`, `orange`,
    `yellow`, `lime`, `green`, `teal`, `cyan`, `blue`, `violet`, `magenta`, `pink`, `brown`, `black`) or three numbers
    from 0 to 255.

    Raises:
        ValueError: not finite, a wrong array shape or an unknown colour.
        TypeError: a wrong type.

    >>> draw = DrawList()
    >>> draw.line((0, 0), (1, 2), "red")
    >>> draw.circle((0, 0), 0.5, "blue")
    >>> len(draw.line_ends), hex(draw.line_colors[0])
    (33, '0xe5534b')
    """

    __slots__ = ("__weakref__", "_line_colors", "_lines", "_point_colors", "_points", "fills", "labels")

    def __init__(self) -> None:
        self._lines: list[NDArray[np.float64]] = []
        self._line_colors: list[NDArray[np.uint32]] = []
        self._points: list[NDArray[np.float64]] = []
        self._point_colors: list[NDArray[np.uint32]] = []
        self.fills: list[Fill] = []
        self.labels: list[Label] = []

    # -- adding

    def lines(self, ends: Any, color: Color | NDArray[np.uint32] = "white") -> None:
        """Many lines: array of shape (n, 4), x and y of both ends; one colour, or 0xRRGGBB for each, shape (n,)."""
        rows = floats(ends, "ends")
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise ValueError(f"ends must have shape (n, 4), not {rows.shape}")
        finite(rows, ends, "ends")
        colors = _column(color, len(rows))
        self._lines.append(rows)
        self._line_colors.append(colors)

    def dots(self, where: Any, color: Color | NDArray[np.uint32] = "white", size: float = 5.0) -> None:
        """Many points: array of shape (n, 2); one colour, or 0xRRGGBB for each, shape (n,); diameter in pixels."""
        rows = points(where, "where")
        finite(rows, where, "where")
        sized, colors = np.column_stack([rows, np.full(len(rows), number(size, "size"))]), _column(color, len(rows))
        self._points.append(sized)
        self._point_colors.append(colors)

    def line(self, a: Vec2Like, b: Vec2Like, color: Color = "white") -> None:
        """A line from `a` to `b`."""
        self.lines([(*pair(a, "a"), *pair(b, "b"))], color)

    def path(self, where: Any, color: Color = "white", *, closed: bool = False) -> None:
        """Lines along points, shape (n, 2); back to the first one if `closed`."""
        rows = points(where, "where")
        if closed and len(rows):
            rows = np.vstack([rows, rows[:1]])
        self.lines(np.hstack([rows[:-1], rows[1:]]), color)

    def arrow(self, a: Vec2Like, b: Vec2Like, color: Color = "white") -> None:
        """A line from `a` to `b` with a head that is a fifth as long."""
        ax, ay = pair(a, "a")
        bx, by = pair(b, "b")
        dx, dy = 0.2 * (bx - ax), 0.2 * (by - ay)
        head = [(bx, by, bx - dx - 0.6 * dy, by - dy + 0.6 * dx), (bx, by, bx - dx + 0.6 * dy, by - dy - 0.6 * dx)]
        self.lines([(ax, ay, bx, by), *head], color)

    def dot(self, where: Vec2Like, color: Color = "white", size: float = 5.0) -> None:
        """A point; diameter in pixels."""
        self.dots([pair(where, "where")], color, size)

    def circle(self, center: Vec2Like, radius: float, color: Color = "white") -> None:
        """A circle as 32 lines."""
        x, y = pair(center, "center")
        turn = np.linspace(0.0, 2.0 * math.pi, 33)
        r = number(radius, "radius")
        self.path(np.column_stack([x + r * np.cos(turn), y + r * np.sin(turn)]), color)

    def box(self, lower: Vec2Like, upper: Vec2Like, color: Color = "white") -> None:
        """The border of an upright box."""
        (l, b), (r, t) = pair(lower, "lower"), pair(upper, "upper")  # noqa: E741
        self.path([(l, b), (r, b), (r, t), (l, t)], color, closed=True)

    def shape(
        self,
        geometry: Geometry,
        position: Vec2Like = (0, 0),
        angle: float = 0.0,
        color: Color = "white",
        *,
        alpha: float = 0.0,
    ) -> None:
        """The border of any geometry at a pose. With an `alpha` up to 1 its inside is filled, too."""
        rows = np.array(outline(geometry), np.float64)
        x, y = pair(position, "position")
        a = number(angle, "angle")
        c, s = math.cos(a), math.sin(a)
        moved = np.column_stack([x + c * rows[:, 0] - s * rows[:, 1], y + s * rows[:, 0] + c * rows[:, 1]])
        if number(alpha, "alpha") > 0.0 and len(moved) > 2:
            self.fill(moved, color, alpha)
        self.path(moved, color, closed=len(moved) > 2)

    def fill(self, corners: Any, color: Color = "white", alpha: float = 0.25) -> None:
        """A filled convex polygon: corners in order, shape (n, 2); alpha from 0 to 1."""
        rows = points(corners, "corners")
        finite(rows, corners, "corners")
        self.fills.append(Fill(rows, as_color(color), number(alpha, "alpha")))

    def text(self, where: Vec2Like, text: str, color: Color = "white") -> None:
        """A text; its lower left corner is at the point, its size does not depend on the zoom."""
        x, y = finite_pair(where, "where")
        self.labels.append(Label(x, y, str(text), as_color(color)))

    def clear(self) -> None:
        """Removes everything."""
        for rows in (self._lines, self._line_colors, self._points, self._point_colors, self.fills, self.labels):
            del rows[:]

    # -- reading

    @property
    def line_ends(self) -> NDArray[np.float64]:
        """All lines: x and y of both ends, float64, shape (n, 4)."""
        return np.concatenate(self._lines) if self._lines else np.empty((0, 4))

    @property
    def line_colors(self) -> NDArray[np.uint32]:
        """0xRRGGBB of each line, shape (n,)."""
        return np.concatenate(self._line_colors) if self._lines else np.empty(0, np.uint32)

    @property
    def points(self) -> NDArray[np.float64]:
        """All points: x, y and diameter in pixels, float64, shape (n, 3)."""
        return np.concatenate(self._points) if self._points else np.empty((0, 3))

    @property
    def point_colors(self) -> NDArray[np.uint32]:
        """0xRRGGBB of each point, shape (n,)."""
        return np.concatenate(self._point_colors) if self._points else np.empty(0, np.uint32)

    def __bool__(self) -> bool:
        return bool(self._lines or self._points or self.fills or self.labels)

    def __repr__(self) -> str:
        counts = f"{len(self.line_ends)} lines, {len(self.points)} points"
        return f"<DrawList of {counts}, {len(self.fills)} fills, {len(self.labels)} texts>"


def _column(color: Any, n: int) -> NDArray[np.uint32]:
    if isinstance(color, np.ndarray):
        if color.shape != (n,):
            raise ValueError(f"color must have shape ({n},), not {color.shape}")
        return color.astype(np.uint32)
    return np.full(n, as_color(color), np.uint32)


def outline(geometry: Geometry, arc: int = 32) -> list[Vec2]:
    """The border of a geometry in its own coordinates, counter-clockwise; `arc` points to a full turn. A segment has
    two points."""
    radius = 0.0
    core: Iterable[Any]
    if isinstance(geometry, Circle):
        radius, core = geometry.radius, [geometry.center]
    elif isinstance(geometry, Capsule):
        radius, core = geometry.radius, [geometry.p1, geometry.p2]
    elif isinstance(geometry, (Segment, ChainSegment)):
        core = [geometry.p1, geometry.p2]
    else:
        radius, core = geometry.radius, geometry.vertices  # type: ignore[attr-defined]
    return rounded([Vec2(*p) for p in core], radius, arc)


def rounded(core: list[Vec2], radius: float, arc: int = 32) -> list[Vec2]:
    """The border of a convex polygon, line or point, counter-clockwise, grown by a radius."""
    if radius <= 0:
        return core
    if len(core) == 1:
        turns = [2 * math.pi * k / arc for k in range(arc)]
        return [core[0] + (radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]
    border = []
    for i, corner in enumerate(core):
        before, after = core[i - 1], core[(i + 1) % len(core)]
        first = math.atan2(before.x - corner.x, corner.y - before.y)  # outward normal of the edge that ends here
        last = math.atan2(corner.x - after.x, after.y - corner.y)  # and of the edge that starts here
        turn = (last - first) % (2 * math.pi)
        pieces = max(1, round(arc * turn / (2 * math.pi)))
        for k in range(pieces + 1):
            angle = first + turn * k / pieces
            border.append(corner + (radius * math.cos(angle), radius * math.sin(angle)))  # noqa: RUF005
    return border
