"""Geometry values: what a shape looks like in the coordinates of its body. Immutable, checked when made, shareable."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

import numpy as np

from .._bridge.arguments import finite, finite_pair, floats, integer, number, pair, points
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import record_dtype
from .._bridge.library import ffi, lib
from .._bridge.vectors import AABB, Vec2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._bridge.vectors import Vec2Like

GEOMETRY = ffi.typeof("b2d_geometry *")
DOUBLES = ffi.typeof("double[4]")
_points = points
GEOMETRY_HIT = ffi.typeof("b2d_geometry_hit *")
GEOMETRY_HITS = ffi.typeof("b2d_geometry_hit[]")
_PLAIN, _PAIRS = {float, int}, {tuple, list, Vec2}
GEOMETRY_HIT_DTYPE = record_dtype(
    "b2d_geometry_hit", hit=("hit", "?"), point=("px", ("f8", 2)), normal=("nx", ("f4", 2)), fraction=("fraction", "f8")
)
ORIGIN = (0.0, 0.0)
_new, _check = tuple.__new__, lib.b2d_geometry_check


def _template(kind: int, count: int) -> Any:
    return ffi.new(GEOMETRY, (kind, count))[0]


_CIRCLE, _CAPSULE, _SEGMENT = _template(lib.B2D_CIRCLE, 1), _template(lib.B2D_CAPSULE, 2), _template(lib.B2D_SEGMENT, 2)


def short_float(value: float) -> float:
    """A float32 as the short decimal that rounds to it, for messages and `repr`."""
    return float(f"{value:.7g}")


class Geometry:
    """Base of all forms, `Circle` to `Box`. Equal when the stored float32 numbers are."""

    __slots__ = ("_c",)
    _TYPE: ClassVar[int]
    _c: Any

    if not TYPE_CHECKING:  # otherwise type checkers would take every attribute as known

        def __getattr__(self, name: str) -> Any:
            kind = type(self).__name__
            if name == "_c":
                raise TypeError(f"a {kind} was never made: its __init__ has not called super().__init__()")
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")

    def _point(self, k: int) -> Vec2:
        return Vec2(self._c.x[k], self._c.y[k])

    def mass_data(self, density: float = 1.0) -> MassData:
        """Mass, rotational inertia and centre of mass at a density in kg/m^2; rounded corners are counted exactly.

        Raises:
            ValueError: the density is negative or not finite.
            TypeError: not a number.

        >>> Box(1, 0.5).mass_data(2.0)
        MassData(mass=4.0, inertia=1.6666666269302368, center=Vec2(0.0, 0.0))
        """
        out = ffi.new(DOUBLES)
        status = lib.b2d_geometry_mass_data(self._c, 1, ffi.new("double *", number(density, "density")), out)
        if status:
            raise_error(status, self, density=density)
        return MassData(out[0], out[1], Vec2(out[2], out[3]))

    def aabb(self, position: Vec2Like = ORIGIN, angle: float = 0.0) -> AABB:
        """The smallest axis-aligned box around it when placed somewhere: metres, float32 rounded outward.

        Raises:
            ValueError: not finite.
            TypeError: a wrong type.

        >>> Circle(1).aabb((2, 0))
        AABB(lower=Vec2(1.0, -1.0), upper=Vec2(3.0, 1.0))
        """
        out = ffi.new(DOUBLES)
        pose = (*pair(position, "position"), number(angle, "angle"))
        status = lib.b2d_geometry_boxes(self._c, 1, pose, out)
        if status:
            raise_error(status, self, position=position, angle=angle)
        return AABB(Vec2(out[0], out[1]), Vec2(out[2], out[3]))

    def aabbs(self, positions: Any, angles: Any = None) -> NDArray[np.float64]:
        """`aabb` for many places, in one call.

        Args:
            positions: shape (n, 2), metres.
            angles: one for all or shape (n,), radians; None for no rotation.

        Returns:
            Shape (n, 2, 2): of each the lower and the upper corner.

        Raises:
            ValueError: not finite or a wrong array shape.
            TypeError: not an array of numbers.

        >>> Circle(1).aabbs([(2, 0), (0, 5)])[1].tolist()
        [[-1.0, 4.0], [1.0, 6.0]]
        """
        poses = poses_of(positions, angles)
        boxes = np.zeros((len(poses), 2, 2))
        if len(poses):
            out = ffi.from_buffer("double[]", boxes, require_writable=True)
            status = lib.b2d_geometry_boxes(self._c, len(poses), ffi.from_buffer("double[]", poses), out)
            if status:
                raise_error(status, self, position=positions, positions=positions, angle=angles, angles=angles)
        return boxes

    def contains(self, point: Vec2Like) -> bool:
        """Whether a point, in its own coordinates, lies in it, rim included. A segment contains nothing.

        Raises:
            ValueError: not finite.
            TypeError: not a pair of numbers.

        >>> Box(1, 1).contains((1, 0.5)), Box(1, 1).contains((1.01, 0.5))
        (True, False)
        """
        out = ffi.new("bool[1]")
        status = lib.b2d_geometry_contains(self._c, 1, pair(point, "point"), out)
        if status:
            raise_error(status, self, point=point)
        return bool(out[0])

    def contains_points(self, points: Any) -> NDArray[np.bool_]:
        """`contains` for an array of points, shape (n, 2).

        >>> Circle(1).contains_points([(0, 0), (0, 2)]).tolist()
        [True, False]
        """
        rows = _points(points, "points")
        finite(rows, points, "points")
        inside = np.zeros(len(rows), np.bool_)
        if len(rows):
            out = ffi.from_buffer("bool[]", inside, require_writable=True)
            status = lib.b2d_geometry_contains(self._c, len(rows), ffi.from_buffer("double[]", rows), out)
            if status:
                raise_error(status, self, points=points)
        return inside

    def closest_point(self, point: Vec2Like) -> Vec2:
        """The point of it that is closest to a point, in its own coordinates: the point itself where it lies inside.

        Raises:
            ValueError: not finite.
            TypeError: not a pair of numbers.

        >>> Box(1, 1).closest_point((3, 0.5)), Circle(1).closest_point((0.5, 0))
        (Vec2(1.0, 0.5), Vec2(0.5, 0.0))
        """
        x, y = finite_pair(point, "point")
        return Vec2(*self.closest_points([(x, y)])[0].tolist())

    def closest_points(self, points: Any) -> NDArray[np.float64]:
        """`closest_point` for an array of points, shape (n, 2); the result has the same shape.

        >>> Segment((0, 0), (2, 0)).closest_points([(1, 1), (5, 0)]).tolist()
        [[1.0, 0.0], [2.0, 0.0]]
        """
        rows = _points(points, "points")
        finite(rows, points, "points")
        c = self._c
        n, radius = c.count, float(c.radius)
        first = np.column_stack((list(c.x[0:n]), list(c.y[0:n])))
        edge = np.roll(first, -1, axis=0) - first  # of a circle none, of a segment the same in both directions
        way = rows[:, None] - first
        length2 = np.maximum((edge * edge).sum(axis=1), np.finfo(float).tiny)
        along = np.clip((way * edge).sum(axis=2) / length2, 0.0, 1.0)
        off = way - along[..., None] * edge
        nearest = off[np.arange(len(rows)), (off * off).sum(axis=2).argmin(axis=1)]
        if n > 2:
            inside = (edge[:, 0] * way[..., 1] - edge[:, 1] * way[..., 0] >= 0.0).all(axis=1)
            nearest[inside] = 0.0
        distance = np.hypot(nearest[:, 0], nearest[:, 1])
        share = np.where(distance > radius, 1.0 - radius / np.maximum(distance, np.finfo(float).tiny), 0.0)
        return np.asarray(rows - share[:, None] * nearest)

    def ray_cast(self, origin: Vec2Like, translation: Vec2Like) -> GeometryHit | None:
        """Where a ray, in its own coordinates, enters it; None if it does not, also when it starts inside.

        A `ChainSegment` is entered from its front only.

        Raises:
            ValueError: not finite.
            TypeError: not a pair of numbers.

        >>> Box(1, 1).ray_cast((-5, 0), (8, 0))
        GeometryHit(point=Vec2(-1.0, 0.0), normal=Vec2(-1.0, 0.0), fraction=0.5)
        """
        out = ffi.new(GEOMETRY_HIT)
        status = lib.b2d_geometry_ray_casts(self._c, 1, pair(origin, "origin"), pair(translation, "translation"), out)
        if status:
            raise_error(status, self, origin=origin, translation=translation)
        return None if not out.hit else GeometryHit(Vec2(out.px, out.py), Vec2(out.nx, out.ny), out.fraction)

    def ray_casts(self, origins: Any, translations: Any) -> NDArray[np.void]:
        """`ray_cast` for arrays of rays, both of shape (n, 2), in one call.

        Returns:
            A structured array: `hit` (bool), `point` (two float64), `normal` (two float32), `fraction` (float64); zeros
                where
            nothing is hit.

        Raises:
            ValueError: not finite or a wrong array shape.
            TypeError: not an array of numbers.

        >>> hits = Box(1, 1).ray_casts([(-5, 0), (-5, 3)], [(8, 0), (8, 0)])
        >>> hits["hit"].tolist(), hits["fraction"].tolist()
        ([True, False], [0.5, 0.0])
        """
        starts, ways = _points(origins, "origins"), _points(translations, "translations")
        if len(ways) != len(starts):
            raise ValueError(
                f"translations={short_repr(translations)} must have shape ({len(starts)}, 2), not {ways.shape}"
            )
        finite(starts, origins, "origins")
        finite(ways, translations, "translations")
        result = np.zeros(len(starts), GEOMETRY_HIT_DTYPE)
        if len(starts):
            first, second = ffi.from_buffer("double[]", starts), ffi.from_buffer("double[]", ways)
            out = ffi.from_buffer(GEOMETRY_HITS, result, require_writable=True)
            status = lib.b2d_geometry_ray_casts(self._c, len(starts), first, second, out)
            if status:
                raise_error(
                    status, self, origin=origins, origins=origins, translation=translations, translations=translations
                )
        return result

    def _key(self) -> tuple[Any, ...]:
        c = self._c
        n = c.count
        return (c.type, c.radius, *c.x[0:n], *c.y[0:n])

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Geometry) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> Any:
        return _from_bytes, (bytes(ffi.buffer(self._c)),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._describe()})"

    def _describe(self) -> str:
        return ""

    def _point_text(self, k: int) -> str:
        return f"({short_float(self._c.x[k])!r}, {short_float(self._c.y[k])!r})"


def _place(x: float, y: float) -> str:
    return f"({short_float(x)!r}, {short_float(y)!r})"


def _coincidence(a: str, b: str, p: Vec2, q: Vec2) -> str:
    return f"{b} {_place(*q)} is {1000 * (q - p).length:.3g} mm from {a} {_place(*p)}"


def _why_degenerate(geometry: Geometry, values: dict[str, Any]) -> str:
    """Which points make the geometry degenerate. They are compared as they are stored, in float32."""
    if "hx" in values:
        narrow = min(values["hx"], values["hy"])
        where = "" if 2 * narrow <= 5e-4 else f" in float32, {math.hypot(*values['center']):.3g} m away"
        return f"a box must be more than 0.5 mm wide and high{where}"
    at = [geometry._point(k) for k in range(4 if "ghost1" in values else geometry._c.count)]
    if "vertices" not in values:
        names, sides = ("p1", "p2", "ghost1", "ghost2"), ((0, 1), (0, 2), (1, 3))[: len(at) - 1]
        near = [(a, b) for a, b in sides if (at[b] - at[a]).length <= 0.005]
        return "; ".join(_coincidence(names[a], names[b], at[a], at[b]) for a, b in near) + ", which must exceed 5 mm"
    pairs = [(a, b) for a in range(len(at)) for b in range(a + 1, len(at))]
    near = [(a, b) for a, b in pairs if (at[b] - at[a]).length <= 5e-4]
    text = [_coincidence(f"point {a}", f"point {b}", at[a], at[b]) for a, b in near[:3]]
    if len(near) < len(pairs):
        a, b = max(pairs, key=lambda pair: (at[pair[1]] - at[pair[0]]).length)
        text += [f"all points are within 0.5 mm of the line from point {a} {_place(*at[a])} to {b} {_place(*at[b])}"]
    return "; ".join(text)


def _refuse(status: int, geometry: Geometry, **values: Any) -> NoReturn:
    """Raises the error of a geometry that C has refused, and says which points are the reason."""
    try:
        raise_error(status, geometry, **values)
    except ValueError as error:
        code, c, reason = status & 0xFF, geometry._c, ""
        if code == lib.B2D_BAD_GEOMETRY:
            reason = f": {_why_degenerate(geometry, values)}"
        elif "vertices" in values and code in (lib.B2D_NOT_FINITE, lib.B2D_OUT_OF_RANGE):
            wrong = [k for k in range(c.count) if not (abs(c.x[k]) <= 1e6 and abs(c.y[k]) <= 1e6)]
            reason = "".join(f"; point {k} is {_place(c.x[k], c.y[k])}" for k in wrong[:1])
        raise ValueError(f"{error}{reason}") from None


class MassData(NamedTuple):
    """Mass in kilograms, rotational inertia about the centre of mass in kg m^2, and the centre of mass."""

    mass: float
    inertia: float
    center: Vec2


class GeometryHit(NamedTuple):
    """Where a ray or a moving geometry met a geometry: point on the surface, unit normal out of it, fraction of the
    way.
    """

    point: Vec2
    normal: Vec2
    fraction: float


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
            _refuse(status, self, p1=p1, p2=p2, radius=radius)

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
            _refuse(status, self, p1=p1, p2=p2)

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
            _refuse(status, self, p1=p1, p2=p2, ghost1=ghost1, ghost2=ghost2)

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
    Points in any other order are a cloud.
    """
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
            _refuse(status, self, vertices=vertices, radius=radius)
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
            _refuse(status, self, hx=hx, hy=hy, center=center, angle=angle, radius=radius)
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


CLASSES: dict[int, type[Geometry]] = {cls._TYPE: cls for cls in (Circle, Capsule, Segment, ChainSegment, Polygon)}


def from_c(c: Any) -> Geometry:
    """The geometry value of a `b2d_geometry*` that C has filled; it keeps the struct."""
    geometry = object.__new__(CLASSES[c.type])
    geometry._c = c
    return geometry


def _from_bytes(raw: bytes) -> Geometry:
    c = ffi.new(GEOMETRY)
    ffi.memmove(c, raw, min(len(raw), ffi.sizeof("b2d_geometry")))
    status = _check(c)
    if status:
        raise_error(status, None, geometry=raw)
    return from_c(c)


def as_geometry(value: object, name: str = "geometry") -> Any:
    """The `b2d_geometry*` of a geometry value."""
    if not isinstance(value, Geometry):
        raise TypeError(f"{name}={short_repr(value)} must be a Circle, Capsule, Segment, ChainSegment, Polygon or Box")
    return value._c


def one_or_each(value: Any, name: str, n: int, *each: int) -> NDArray[np.float64]:
    """Finite numbers: one of shape `each` for all n, or n of them."""
    rows = floats(value, name)
    if rows.shape == (1,) and np.ndim(value) == 0:
        rows = rows.reshape(())
    if rows.shape not in (each, (n, *each)):
        raise ValueError(f"{name}={short_repr(value)} must have shape {each} or {(n, *each)}, not {rows.shape}")
    finite(rows, value, name)
    return np.broadcast_to(rows, (n, *each))


def poses_of(positions: Any, angles: Any, side: str = "") -> NDArray[np.float64]:
    """Rows of x, y, angle: as many as there are positions."""
    rows = points(positions, f"positions{side}")
    finite(rows, positions, f"positions{side}")
    poses = np.zeros((len(rows), 3))
    poses[:, :2] = rows
    if angles is not None:
        poses[:, 2] = one_or_each(angles, f"angles{side}", len(rows))
    return poses


class _FilterFields(NamedTuple):
    category: int
    mask: int
    group: int


class Filter(_FilterFields):
    """Which shapes collide: immutable.

    Two shapes collide when each one's category has a bit in the other's mask. A common group that is not zero decides
    before that: positive always, negative never.

    Args:
        category: the bits that the shape is, 64-bit.
        mask: the bits that it collides with, 64-bit.
        group: 32-bit signed.

    Raises:
        ValueError: a number outside those ranges.
        TypeError: not an integer.

    >>> Filter(category=2, group=-1)
    Filter(category=0x2, mask=0xffffffffffffffff, group=-1)
    """

    __slots__ = ()

    def __new__(cls, category: int = 1, mask: int = 2**64 - 1, group: int = 0) -> Filter:
        bits = 2**64 - 1
        fields = integer(category, "category", 0, bits), integer(mask, "mask", 0, bits), integer(group, "group")
        return tuple.__new__(cls, fields)

    def __repr__(self) -> str:
        return f"Filter(category={self.category:#x}, mask={self.mask:#x}, group={self.group})"

    def accepts(self, other: Filter) -> bool:
        """Whether shapes with these two filters collide.

        >>> Filter(category=1, mask=2).accepts(Filter(category=2, mask=1))
        True
        """
        if self.group and self.group == other.group:
            return self.group > 0
        return bool(self.mask & other.category and other.mask & self.category)


class _FrameFields(NamedTuple):
    point: Vec2
    angle: float


class Frame(_FrameFields):
    """Where a joint sits on a body: a point and a direction in body coordinates; immutable. It must be
    finite.

    >>> Frame((1, 0), 0.5)
    Frame(point=Vec2(1.0, 0.0), angle=0.5)
    """

    __slots__ = ()

    def __new__(cls, point: Vec2Like = ORIGIN, angle: float = 0.0) -> Frame:
        return _new(cls, (_new(Vec2, pair(point, "point")), number(angle, "angle")))

    def __repr__(self) -> str:
        return f"Frame(point={self.point!r}, angle={self.angle!r})"
