"""Geometry values: the form of a shape in the coordinates of its body. They are immutable and checked when created."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._bridge.arguments import number, pair, points
from .._bridge.errors import raise_error, short_repr
from .._bridge.library import ffi, lib
from .._bridge.vectors import Vec2
from .geometry import CLASSES, GEOMETRY, ORIGIN, Geometry, refuse, short_float

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._bridge.vectors import Vec2Like

_points = points
_PLAIN, _PAIRS = {float, int}, {tuple, list, Vec2}
_new, _check = tuple.__new__, lib.b2d_geometry_check


def _template(kind: int, count: int) -> Any:
    return ffi.new(GEOMETRY, (kind, count))[0]


_CIRCLE, _CAPSULE, _SEGMENT = _template(lib.B2D_CIRCLE, 1), _template(lib.B2D_CAPSULE, 2), _template(lib.B2D_SEGMENT, 2)


class Circle(Geometry):
    """A solid disc.

    Args:
        radius: metres, positive.
        center: in body coordinates.

    Raises:
        ValueError: not finite, or the radius is not positive.
        TypeError: not a number or not a pair.

    >>> Circle(0.5, center=(1, 2))
    Circle(0.5, center=(1.0, 2.0))
    """

    __slots__ = ()
    _TYPE = lib.B2D_CIRCLE

    def __init__(self, radius: float, center: Vec2Like = ORIGIN) -> None:
        self._c = c = ffi.new(GEOMETRY, _CIRCLE)
        c.radius = number(radius, "radius")
        c.x[0], c.y[0] = pair(center, "center")
        status = _check(c)
        if status:
            raise_error(status, self, radius=radius, center=center)

    @property
    def radius(self) -> float:
        """Metres, as stored (float32)."""
        return float(self._c.radius)

    @property
    def center(self) -> Vec2:
        """In body coordinates, metres."""
        return self._point(0)

    def _describe(self) -> str:
        return f"{short_float(self._c.radius)!r}, center={self._point_text(0)}"


class Capsule(Geometry):
    """A solid stadium: everything within `radius` of the segment from `p1` to `p2`.

    Raises:
        ValueError: not finite, the points coincide, or the radius is not positive.
        TypeError: not a number or not a pair.

    >>> Capsule((0, 0), (1, 0), 0.25)
    Capsule((0.0, 0.0), (1.0, 0.0), 0.25)
    """

    __slots__ = ()
    _TYPE = lib.B2D_CAPSULE

    def __init__(self, p1: Vec2Like, p2: Vec2Like, radius: float) -> None:
        self._c = c = ffi.new(GEOMETRY, _CAPSULE)
        x, y = c.x, c.y
        x[0], y[0] = pair(p1, "p1")
        x[1], y[1] = pair(p2, "p2")
        c.radius = number(radius, "radius")
        status = _check(c)
        if status:
            refuse(status, self, p1=p1, p2=p2, radius=radius)

    @property
    def p1(self) -> Vec2:
        """One end of the core segment, body coordinates, metres."""
        return self._point(0)

    @property
    def p2(self) -> Vec2:
        """The other end."""
        return self._point(1)

    @property
    def radius(self) -> float:
        """Metres, as stored (float32)."""
        return float(self._c.radius)

    def _describe(self) -> str:
        return f"{self._point_text(0)}, {self._point_text(1)}, {short_float(self._c.radius)!r}"


class Segment(Geometry):
    """A line from `p1` to `p2` that collides from both sides; it has no area and no mass.

    Raises:
        ValueError: not finite, or the points coincide.
        TypeError: not a pair of numbers.

    >>> Segment((0, 0), (4, 0)).p2
    Vec2(4.0, 0.0)
    """

    __slots__ = ()
    _TYPE = lib.B2D_SEGMENT

    def __init__(self, p1: Vec2Like, p2: Vec2Like) -> None:
        self._c = c = ffi.new(GEOMETRY, _SEGMENT)
        x, y = c.x, c.y
        x[0], y[0] = pair(p1, "p1")
        x[1], y[1] = pair(p2, "p2")
        status = _check(c)
        if status:
            refuse(status, self, p1=p1, p2=p2)

    @property
    def p1(self) -> Vec2:
        """One end, body coordinates, metres."""
        return self._point(0)

    @property
    def p2(self) -> Vec2:
        """The other end."""
        return self._point(1)

    def _describe(self) -> str:
        return f"{self._point_text(0)}, {self._point_text(1)}"


class ChainSegment(Geometry):
    """One segment of a chain: a line from `p1` to `p2` that collides on its right only and stores its neighbours.

    `Body.create_chain` makes them; by itself it is useful where neighbours are of another body or are created one by
    one.

    Args:
        p1, p2: its ends, body coordinates.
        ghost1: the point before `p1`; None when it begins there.
        ghost2: the point after `p2`; None when it ends there.

    Raises:
        ValueError: not finite, or neighbouring points coincide.
        TypeError: not a pair of numbers.

    >>> ChainSegment((1, 0), (0, 0), ghost2=(-1, 0))
    ChainSegment((1.0, 0.0), (0.0, 0.0), ghost2=(-1.0, 0.0))
    """

    __slots__ = ()
    _TYPE = lib.B2D_CHAIN_SEGMENT

    def __init__(
        self, p1: Vec2Like, p2: Vec2Like, ghost1: Vec2Like | None = None, ghost2: Vec2Like | None = None
    ) -> None:
        self._c = c = ffi.new(GEOMETRY)
        c.type, c.count = lib.B2D_CHAIN_SEGMENT, 2
        c.x[0], c.y[0] = start = pair(p1, "p1")
        c.x[1], c.y[1] = end = pair(p2, "p2")
        c.x[2], c.y[2] = end if ghost1 is None else pair(ghost1, "ghost1")
        c.x[3], c.y[3] = start if ghost2 is None else pair(ghost2, "ghost2")
        status = _check(c)
        if status:
            refuse(status, self, p1=p1, p2=p2, ghost1=ghost1, ghost2=ghost2)

    def _key(self) -> tuple[Any, ...]:
        return (self._c.type, *self._c.x[0:4], *self._c.y[0:4])

    @property
    def p1(self) -> Vec2:
        """Where it begins, body coordinates, metres."""
        return self._point(0)

    @property
    def p2(self) -> Vec2:
        """Where it ends."""
        return self._point(1)

    @property
    def ghost1(self) -> Vec2 | None:
        """The point before `p1`, or None at a free end."""
        point = self._point(2)
        return None if point == self.p2 else point

    @property
    def ghost2(self) -> Vec2 | None:
        """The point after `p2`, or None at a free end."""
        point = self._point(3)
        return None if point == self.p1 else point

    def _describe(self) -> str:
        text = f"{self._point_text(0)}, {self._point_text(1)}"
        if self.ghost1 is not None:
            text += f", ghost1={self._point_text(2)}"
        return text + (f", ghost2={self._point_text(3)}" if self.ghost2 is not None else "")


def _corners(vertices: Any) -> tuple[Sequence[float], Sequence[float]]:
    """Their coordinates as numbers."""
    if type(vertices) is list or type(vertices) is tuple:  # a few pairs of plain numbers: quicker without numpy
        try:
            xs, ys = zip(*vertices, strict=True)
            if {*map(type, xs), *map(type, ys)} <= _PLAIN and {*map(type, vertices)} <= _PAIRS:
                return [*map(float, xs)], [*map(float, ys)]
        except (OverflowError, TypeError, ValueError):
            pass
    rows = points(vertices, "vertices")
    return rows[:, 0].tolist(), rows[:, 1].tolist()


def _is_concave(xs: Sequence[float], ys: Sequence[float]) -> bool:
    """Whether points are the corners of an outline that does not cross itself and has a notch, as a user would draw it.
    Points in any other order are a cloud."""
    n = len(xs)
    turns = [
        (xs[k - 1] - xs[k - 2]) * (ys[k] - ys[k - 1]) - (ys[k - 1] - ys[k - 2]) * (xs[k] - xs[k - 1]) for k in range(n)
    ]
    least = 1e-3 * max(map(abs, turns))  # of what counts as a turn
    if not (max(turns) > least and min(turns) < -least):
        return False

    def side(a: int, b: int, k: int) -> float:
        return (xs[b] - xs[a]) * (ys[k] - ys[a]) - (ys[b] - ys[a]) * (xs[k] - xs[a])

    edges = [(k, (k + 1) % n) for k in range(n)]
    return not any(
        side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0
        for a, b in edges
        for c, d in edges
        if len({a, b, c, d}) == 4
    )


class Polygon(Geometry):
    """The convex hull of some points, grown by a rounding radius.

    Points nearer than 0.5 mm are merged. The hull of the others must have 3 to 8 corners and an area. Corners of a
    concave outline raise a warning; `convex_pieces` divides such an outline.

    Args:
        vertices: pairs, or an array of shape (n, 2), in any order, body coordinates. The last may repeat the first.
        radius: metres, 0 for sharp corners.

    Raises:
        ValueError: not finite, too few or too many points, no area, or a negative radius.
        TypeError: not numbers.

    >>> Polygon([(0, 0), (1, 1), (1, 0)]).vertices
    (Vec2(0.0, 0.0), Vec2(1.0, 0.0), Vec2(1.0, 1.0))
    """

    __slots__ = ()
    _TYPE = lib.B2D_POLYGON

    def __init__(self, vertices: Sequence[Vec2Like] | NDArray[Any], radius: float = 0.0) -> None:
        xs, ys = _corners(vertices)
        if len(xs) > 3 and xs[0] == xs[-1] and ys[0] == ys[-1]:  # a ring that repeats its first point
            xs, ys = xs[:-1], ys[:-1]
        if not 3 <= len(xs) <= lib.B2D_MAX_VERTICES:
            hint = "; convex_pieces(outline) divides larger ones" if len(xs) > 3 else ""
            raise ValueError(
                f"vertices={short_repr(vertices)} must be 3 to {lib.B2D_MAX_VERTICES} points, not {len(xs)}{hint}"
            )
        self._c = c = ffi.new(GEOMETRY, (lib.B2D_POLYGON, len(xs), number(radius, "radius"), xs, ys))
        status = _check(c)
        if status:
            refuse(status, self, vertices=vertices, radius=radius)
        if c.count < len(xs) and _is_concave(xs, ys):
            warnings.warn(
                f"vertices={short_repr(vertices)} is a concave outline, and a Polygon is the hull of its points: "
                "convex_pieces(outline) divides it into convex parts, and hull(points) is the hull if that is meant",
                stacklevel=2,
            )

    @property
    def vertices(self) -> tuple[Vec2, ...]:
        """Corners of the hull, counter-clockwise, body coordinates, metres."""
        return tuple(self._point(k) for k in range(self._c.count))

    @property
    def radius(self) -> float:
        """Rounding radius in metres."""
        return float(self._c.radius)

    def _describe(self) -> str:
        corners = ", ".join(self._point_text(k) for k in range(self._c.count))
        return f"[{corners}]" + (f", radius={short_float(self._c.radius)!r}" if self._c.radius else "")


class Box(Polygon):
    """A rectangle, given by its half extents.

    Args:
        hx, hy: half width and half height in metres, positive.
        center: in body coordinates.
        angle: radians, counter-clockwise.
        radius: rounding that grows the rectangle, metres.

    Raises:
        ValueError: not finite, or an extent is not positive.
        TypeError: not a number or not a pair.

    >>> Box(2, 1).vertices[0]
    Vec2(-2.0, -1.0)
    """

    __slots__ = ("_given",)

    def __init__(
        self, hx: float, hy: float, center: Vec2Like = ORIGIN, angle: float = 0.0, radius: float = 0.0
    ) -> None:
        x, y = pair(center, "center")
        width, height = number(hx, "hx"), number(hy, "hy")
        turn, rounding = number(angle, "angle"), number(radius, "radius")
        self._c = ffi.new(GEOMETRY)
        status = lib.b2d_make_box(width, height, x, y, turn, rounding, self._c)
        if status:
            refuse(status, self, hx=hx, hy=hy, center=center, angle=angle, radius=radius)
        self._given = (width, height, _new(Vec2, (x, y)), turn)

    @property
    def hx(self) -> float:
        """Half width in metres, as given."""
        return self._given[0]

    @property
    def hy(self) -> float:
        """Half height in metres, as given."""
        return self._given[1]

    @property
    def center(self) -> Vec2:
        """Middle of the rectangle, body coordinates, as given."""
        return self._given[2]

    @property
    def angle(self) -> float:
        """Radians, as given."""
        return self._given[3]

    def __reduce__(self) -> Any:
        return Box, (*self._given, self.radius)

    def _describe(self) -> str:
        hx, hy, center, angle = self._given
        text = f"{hx!r}, {hy!r}"
        if center != ORIGIN:
            text += f", center=({center.x!r}, {center.y!r})"
        if angle:
            text += f", angle={angle!r}"
        return text + (f", radius={short_float(self._c.radius)!r}" if self._c.radius else "")


CLASSES.update({cls._TYPE: cls for cls in (Circle, Capsule, Segment, ChainSegment, Polygon)})
