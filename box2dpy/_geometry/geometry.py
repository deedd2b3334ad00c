"""`Geometry`: what all forms can do, how C takes and gives them, and what is wrong with one that C refuses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

import numpy as np

from .._bridge.arguments import finite, finite_pair, floats, number, pair, points
from .._bridge.errors import raise_error, raise_if, short_repr
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
GEOMETRY_HIT_DTYPE = record_dtype(
    "b2d_geometry_hit", hit=("hit", "?"), point=("px", ("f8", 2)), normal=("nx", ("f4", 2)), fraction=("fraction", "f8")
)
ORIGIN = (0.0, 0.0)
_new, _check = tuple.__new__, lib.b2d_geometry_check


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
            A structured array: `hit` (bool), `point` (two float64), `normal` (two float32), `fraction` (float64);
                zeros where nothing is hit.

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


def refuse(status: int, geometry: Geometry, **values: Any) -> NoReturn:
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
    way."""

    point: Vec2
    normal: Vec2
    fraction: float


CLASSES: dict[int, type[Geometry]] = {}  # by type; shapes.py fills it


def from_c(c: Any) -> Geometry:
    """The geometry value of a `b2d_geometry*` that C has filled; it keeps the struct."""
    geometry = object.__new__(CLASSES[c.type])
    geometry._c = c
    return geometry


def _from_bytes(raw: bytes) -> Geometry:
    c = ffi.new(GEOMETRY)
    ffi.memmove(c, raw, min(len(raw), ffi.sizeof("b2d_geometry")))
    raise_if(_check(c), None, geometry=raw)
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


class _FrameFields(NamedTuple):
    point: Vec2
    angle: float


class Frame(_FrameFields):
    """The place of a joint on a body: a point and a direction in body coordinates, which must be finite; immutable.

    >>> Frame((1, 0), 0.5)
    Frame(point=Vec2(1.0, 0.0), angle=0.5)
    """

    __slots__ = ()

    def __new__(cls, point: Vec2Like = ORIGIN, angle: float = 0.0) -> Frame:
        return _new(cls, (_new(Vec2, pair(point, "point")), number(angle, "angle")))

    def __repr__(self) -> str:
        return f"Frame(point={self.point!r}, angle={self.angle!r})"
