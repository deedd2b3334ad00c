"""Two geometries without a world: their distance, their contact points, their time of impact.

Each is placed by `position_a`, `angle_a` and `position_b`, `angle_b`, at the origin when absent. Results are in world
coordinates; normals point from `a` to `b`.

Each function has a form for many pairs at once, in one call that releases the GIL: `distances`, `manifolds`,
`shape_casts`, `times_of_impact`. There `positions_b` has shape (n, 2), every other argument is one for all or n of them
(geometries in a sequence), and row k of the answer is to the bit what the single call gives for pair k. `mass_data` is
the form of `Geometry.mass_data` for many geometries.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from .._bridge.arguments import number, pair
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import record_dtype
from .._bridge.library import ffi, lib
from .._bridge.vectors import Vec2
from .geometry import (
    GEOMETRY_HIT,
    GEOMETRY_HIT_DTYPE,
    GEOMETRY_HITS,
    ORIGIN,
    Geometry,
    GeometryHit,
    as_geometry,
    one_or_each,
    poses_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._bridge.vectors import Vec2Like

    Geometries = Geometry | Sequence[Geometry]

_POSES = ffi.typeof("double[6]")
_DISTANCES = ffi.typeof("b2d_distance_data[]")
_MANIFOLDS = ffi.typeof("b2d_manifold_data[]")
_MOTIONS = ffi.typeof("b2d_geometry_motion[]")
_IMPACTS = ffi.typeof("b2d_impact_data[]")
_TWO = ("f8", 2)
DISTANCE_DTYPE = record_dtype(
    "b2d_distance_data",
    distance=("distance", "f8"), point_a=("ax", _TWO), point_b=("bx", _TWO), normal=("nx", ("f4", 2)),
)  # fmt: skip
MANIFOLD_DTYPE = record_dtype(
    "b2d_manifold_data",
    count=("count", "i4"), normal=("nx", ("f4", 2)), point=("point", ("f8", (2, 2))),
    separation=("separation", ("f4", 2)), feature=("feature", ("i4", 2)),
)  # fmt: skip
IMPACT_DTYPE = record_dtype(
    "b2d_impact_data", state=("state", "i4"), fraction=("fraction", "f8"), point=("px", _TWO), normal=("nx", ("f4", 2))
)


MASS_DTYPE = np.dtype([("mass", "f8"), ("inertia", "f8"), ("center", _TWO)])


class ImpactState(IntEnum):
    """The numbers in `state` of `times_of_impact`; the `state` of a `TimeOfImpact` is the name in lower case."""

    SEPARATED = lib.B2D_IMPACT_SEPARATED
    """They do not meet."""
    HIT = lib.B2D_IMPACT_HIT
    """They meet, at the fraction."""
    OVERLAPPED = lib.B2D_IMPACT_OVERLAPPED
    """They overlap from the start."""
    FAILED = lib.B2D_IMPACT_FAILED
    """The search gave up at the fraction, which is before the impact."""


_STATES = {state.value: state.name.lower() for state in ImpactState}


class Distance(NamedTuple):
    """Of two geometries: `distance` in metres, the closest points of their surfaces, and the unit normal from a to b.

    A distance is negative where rounded rims overlap. Where the cores overlap too, the normal is zero and the distance
    has no meaning but its sign; `collide` gives the depth.
    """

    distance: float
    point_a: Vec2
    point_b: Vec2
    normal: Vec2


class ManifoldPoint(NamedTuple):
    """One point of a manifold: midway between the surfaces; `separation` in metres, negative where they overlap;
    `feature` names the corners and edges that made it."""

    point: Vec2
    separation: float
    feature: int


class Manifold(NamedTuple):
    """Where two geometries touch: the unit normal from a to b and none, one or two points."""

    normal: Vec2
    points: tuple[ManifoldPoint, ...]


class TimeOfImpact(NamedTuple):
    """When two moving geometries meet.

    `state` is "separated" (they do not), "hit" (at `fraction` of the motion, at `point` with `normal` from a to b),
    "overlapped" (from the start) or "failed" (the search gave up at `fraction`, which is before the impact).
    """

    state: str
    fraction: float
    point: Vec2
    normal: Vec2


def _pose(position: Vec2Like, angle: float, side: str) -> tuple[float, float, float]:
    return (*pair(position, f"position_{side}"), number(angle, f"angle_{side}"))


def distance(
    a: Geometry,
    b: Geometry,
    *,
    position_a: Vec2Like = ORIGIN,
    angle_a: float = 0.0,
    position_b: Vec2Like = ORIGIN,
    angle_b: float = 0.0,
) -> Distance:
    """How far apart two geometries are.

    Raises:
        ValueError: not finite.
        TypeError: a wrong type.

    >>> distance(Circle(1), Box(1, 1), position_b=(5, 0))
    Distance(distance=3.0, point_a=Vec2(1.0, 0.0), point_b=Vec2(4.0, 0.0), normal=Vec2(1.0, 0.0))
    """
    c_a, c_b = as_geometry(a, "a"), as_geometry(b, "b")
    poses = ffi.new(_POSES, (*_pose(position_a, angle_a, "a"), *_pose(position_b, angle_b, "b")))
    out = ffi.new(_DISTANCES, 1)
    status = lib.b2d_geometry_distances(c_a, 1, ffi.NULL, c_b, 1, ffi.NULL, 1, poses, out)
    if status:
        _fail(status, position_a=position_a, angle_a=angle_a, position_b=position_b, angle_b=angle_b)
    d = out[0]
    return Distance(d.distance, Vec2(d.ax, d.ay), Vec2(d.bx, d.by), Vec2(d.nx, d.ny))


def distances(
    a: Geometries,
    b: Geometries,
    positions_b: Any,
    angles_b: Any = None,
    *,
    positions_a: Any = ORIGIN,
    angles_a: Any = None,
) -> NDArray[np.void]:
    """`distance` of many pairs, in one call.

    Args:
        a, b: a geometry for all pairs, or a sequence of n.
        positions_b: shape (n, 2), metres.
        angles_b: one for all or shape (n,), radians; None for no rotation.
        positions_a, angles_a: the same of a; one position for all or shape (n, 2).

    Returns:
        A structured array of n rows: `distance`, `point_a`, `point_b`, `normal`.

    Raises:
        ValueError: not finite or a wrong array shape.
        TypeError: not an array of numbers, or no geometry.

    >>> distances(Circle(1), Circle(1), [(3, 0), (5, 0)])["distance"].tolist()
    [1.0, 3.0]
    >>> distances([Circle(1), Box(2, 1)], Circle(1), [(5, 0), (5, 0)])["distance"].tolist()
    [3.0, 2.0]
    """
    poses = _poses(positions_a, angles_a, positions_b, angles_b)
    return _each(
        lib.b2d_geometry_distances, a, b, len(poses), (_doubles(poses),), _DISTANCES, DISTANCE_DTYPE,
        positions_a=positions_a, angles_a=angles_a, positions_b=positions_b, angles_b=angles_b,
    )  # fmt: skip


def collide(
    a: Geometry,
    b: Geometry,
    *,
    position_a: Vec2Like = ORIGIN,
    angle_a: float = 0.0,
    position_b: Vec2Like = ORIGIN,
    angle_b: float = 0.0,
    speculative_distance: float = 0.0,
) -> Manifold:
    """The contact points of two geometries, as the engine finds them.

    Args:
        a, b: the geometries.
        position_a, angle_a, position_b, angle_b: where they are.
        speculative_distance: metres up to which points count that do not touch yet; a world uses 0.02.

    Raises:
        ValueError: not finite, or a negative distance.
        TypeError: a wrong type.

    >>> manifold = collide(Box(1, 1), Box(1, 1), position_b=(0, 1.5))
    >>> manifold.normal, [round(point.separation, 6) for point in manifold.points]
    (Vec2(0.0, 1.0), [-0.5, -0.5])
    >>> collide(Circle(1), Circle(1), position_b=(3, 0)).points
    ()
    """
    c_a, c_b = as_geometry(a, "a"), as_geometry(b, "b")
    poses = ffi.new(_POSES, (*_pose(position_a, angle_a, "a"), *_pose(position_b, angle_b, "b")))
    margin, found = number(speculative_distance, "speculative_distance"), ffi.new(_MANIFOLDS, 1)
    status = lib.b2d_geometry_manifolds(c_a, 1, ffi.NULL, c_b, 1, ffi.NULL, 1, poses, margin, found)
    if status:
        _fail(
            status, position_a=position_a, angle_a=angle_a, position_b=position_b, angle_b=angle_b,
            speculative_distance=speculative_distance,
        )  # fmt: skip
    m = found[0]
    rows = (
        ManifoldPoint(Vec2(m.point[2 * k], m.point[2 * k + 1]), m.separation[k], m.feature[k]) for k in range(m.count)
    )
    return Manifold(Vec2(m.nx, m.ny), tuple(rows))


def manifolds(
    a: Geometries,
    b: Geometries,
    positions_b: Any,
    angles_b: Any = None,
    *,
    positions_a: Any = ORIGIN,
    angles_a: Any = None,
    speculative_distance: float = 0.0,
) -> NDArray[np.void]:
    """`collide` of many pairs, in one call; arguments as in `distances`.

    Returns:
        A structured array of n rows: `count` of points, `normal`, and of each point `point`, `separation` and
            `feature`, zero where there is none.

    Raises:
        ValueError: not finite, a wrong array shape, or a negative distance.
        TypeError: not an array of numbers, or no geometry.

    >>> found = manifolds(Box(1, 1), Box(1, 1), [(0, 1.5), (0, 3)])
    >>> found["count"].tolist(), found["separation"].tolist()
    ([2, 0], [[-0.5, -0.5], [0.0, 0.0]])
    """
    poses = _poses(positions_a, angles_a, positions_b, angles_b)
    margin = number(speculative_distance, "speculative_distance")
    return _each(
        lib.b2d_geometry_manifolds, a, b, len(poses), (_doubles(poses), margin), _MANIFOLDS, MANIFOLD_DTYPE,
        positions_a=positions_a, angles_a=angles_a, positions_b=positions_b, angles_b=angles_b,
        speculative_distance=speculative_distance,
    )  # fmt: skip


def shape_cast(
    a: Geometry,
    b: Geometry,
    translation: Vec2Like,
    *,
    position_a: Vec2Like = ORIGIN,
    angle_a: float = 0.0,
    position_b: Vec2Like = ORIGIN,
    angle_b: float = 0.0,
) -> GeometryHit | None:
    """Moves b, without turning it, by `translation` until it touches a; None if it does not. The normal points out of
    a.

    A `ChainSegment` a is met from its front only: when the centroid of b starts there.

    Raises:
        ValueError: not finite.
        TypeError: a wrong type.

    >>> hit = shape_cast(Box(1, 1), Circle(0.5), (-10, 0), position_b=(5, 0))
    >>> hit.normal, round(hit.fraction, 4)
    (Vec2(1.0, 0.0), 0.35)
    """
    c_a, c_b = as_geometry(a, "a"), as_geometry(b, "b")
    poses = ffi.new(_POSES, (*_pose(position_a, angle_a, "a"), *_pose(position_b, angle_b, "b")))
    way, out = pair(translation, "translation"), ffi.new(GEOMETRY_HIT)
    status = lib.b2d_geometry_casts(c_a, 1, ffi.NULL, c_b, 1, ffi.NULL, 1, poses, way, out)
    if status:
        _fail(
            status, position_a=position_a, angle_a=angle_a, position_b=position_b, angle_b=angle_b,
            translation=translation,
        )  # fmt: skip
    return GeometryHit(Vec2(out.px, out.py), Vec2(out.nx, out.ny), out.fraction) if out.hit else None


def shape_casts(
    a: Geometries,
    b: Geometries,
    translations: Any,
    positions_b: Any,
    angles_b: Any = None,
    *,
    positions_a: Any = ORIGIN,
    angles_a: Any = None,
) -> NDArray[np.void]:
    """`shape_cast` of many pairs, in one call; arguments as in `distances`, and one translation for all or shape (n,
    2).

    Returns:
        A structured array of n rows: `hit` (bool), `point`, `normal`, `fraction`; all zero where nothing is met.

    Raises:
        ValueError: not finite or a wrong array shape.
        TypeError: not an array of numbers, or no geometry.

    >>> hits = shape_casts(Box(1, 1), Circle(0.5), (-10, 0), [(5, 0), (5, 9)])
    >>> hits["hit"].tolist(), hits["fraction"].round(4).tolist()
    ([True, False], [0.35, 0.0])
    """
    poses = _poses(positions_a, angles_a, positions_b, angles_b)
    ways = np.ascontiguousarray(one_or_each(translations, "translations", len(poses), 2))
    return _each(
        lib.b2d_geometry_casts, a, b, len(poses), (_doubles(poses), _doubles(ways)), GEOMETRY_HITS, GEOMETRY_HIT_DTYPE,
        positions_a=positions_a, angles_a=angles_a, positions_b=positions_b, angles_b=angles_b,
        translations=translations,
    )  # fmt: skip


def time_of_impact(
    a: Geometry,
    b: Geometry,
    *,
    position_a: Vec2Like = ORIGIN,
    angle_a: float = 0.0,
    translation_a: Vec2Like = ORIGIN,
    rotation_a: float = 0.0,
    center_a: Vec2Like = ORIGIN,
    position_b: Vec2Like = ORIGIN,
    angle_b: float = 0.0,
    translation_b: Vec2Like = ORIGIN,
    rotation_b: float = 0.0,
    center_b: Vec2Like = ORIGIN,
) -> TimeOfImpact:
    """When two geometries that move and turn at constant speed touch, to within 4 mm.

    Args:
        a, b: the geometries.
        position_a, angle_a, position_b, angle_b: where they start.
        translation_a, translation_b: how far their centres move, metres.
        rotation_a, rotation_b: how far they turn meanwhile, radians.
        center_a, center_b: the points about which they turn, in their own coordinates.

    Raises:
        ValueError: not finite.
        TypeError: a wrong type.

    >>> impact = time_of_impact(Box(1, 1), Circle(0.5), position_b=(5, 0), translation_b=(-10, 0))
    >>> impact.state, round(impact.fraction, 2)
    ('hit', 0.35)
    """
    c_a, c_b = as_geometry(a, "a"), as_geometry(b, "b")
    motions = [
        (
            *_pose(position, angle, side),
            *pair(translation, f"translation_{side}"),
            number(rotation, f"rotation_{side}"),
            *pair(center, f"center_{side}"),
        )
        for side, position, angle, translation, rotation, center in (
            ("a", position_a, angle_a, translation_a, rotation_a, center_a),
            ("b", position_b, angle_b, translation_b, rotation_b, center_b),
        )
    ]
    out = ffi.new(_IMPACTS, 1)
    status = lib.b2d_geometry_impacts(c_a, 1, ffi.NULL, c_b, 1, ffi.NULL, 1, ffi.new(_MOTIONS, motions), out)
    if status:
        _fail(
            status, position_a=position_a, angle_a=angle_a, position_b=position_b, angle_b=angle_b,
            translation_a=translation_a, translation_b=translation_b, rotation_a=rotation_a, rotation_b=rotation_b,
            center_a=center_a, center_b=center_b,
        )  # fmt: skip
    found = out[0]
    return TimeOfImpact(_STATES[found.state], found.fraction, Vec2(found.px, found.py), Vec2(found.nx, found.ny))


def times_of_impact(
    a: Geometries,
    b: Geometries,
    positions_b: Any,
    angles_b: Any = None,
    *,
    translations_b: Any = ORIGIN,
    rotations_b: Any = 0.0,
    centers_b: Any = ORIGIN,
    positions_a: Any = ORIGIN,
    angles_a: Any = None,
    translations_a: Any = ORIGIN,
    rotations_a: Any = 0.0,
    centers_a: Any = ORIGIN,
) -> NDArray[np.void]:
    """`time_of_impact` of many pairs, in one call; each argument but `positions_b` is one for all or n of them.

    Returns:
        A structured array of n rows: `state` (an `ImpactState`), `fraction`, `point`, `normal`.

    Raises:
        ValueError: not finite or a wrong array shape.
        TypeError: not an array of numbers, or no geometry.

    >>> impacts = times_of_impact(Box(1, 1), Circle(0.5), [(5, 0), (5, 9)], translations_b=(-10, 0))
    >>> (impacts["state"] == ImpactState.HIT).tolist(), impacts["fraction"].round(2).tolist()
    ([True, False], [0.35, 1.0])
    """
    poses = _poses(positions_a, angles_a, positions_b, angles_b)
    n = len(poses)
    motions = np.zeros((n, 2, 8))
    for k, (side, translations, rotations, centers) in enumerate(
        (("a", translations_a, rotations_a, centers_a), ("b", translations_b, rotations_b, centers_b))
    ):
        motions[:, k, 0:3] = poses[:, 3 * k : 3 * k + 3]
        motions[:, k, 3:5] = one_or_each(translations, f"translations_{side}", n, 2)
        motions[:, k, 5] = one_or_each(rotations, f"rotations_{side}", n)
        motions[:, k, 6:8] = one_or_each(centers, f"centers_{side}", n, 2)
    return _each(
        lib.b2d_geometry_impacts, a, b, n, (_rows(_MOTIONS, motions),), _IMPACTS, IMPACT_DTYPE,
        positions_a=positions_a, angles_a=angles_a, positions_b=positions_b, angles_b=angles_b,
        translations_a=translations_a, translations_b=translations_b, rotations_a=rotations_a, rotations_b=rotations_b,
        centers_a=centers_a, centers_b=centers_b,
    )  # fmt: skip


def mass_data(geometries: Sequence[Geometry], densities: Any = 1.0) -> NDArray[np.void]:
    """`Geometry.mass_data` of many geometries, in one call.

    Args:
        geometries: a sequence of n.
        densities: kg/m^2, one for all or shape (n,).

    Returns:
        A structured array of n rows: `mass` (kg), `inertia` (kg m^2, about the centre of mass), `center` (metres).

    Raises:
        ValueError: a density is negative or not finite, or a wrong array shape.
        TypeError: not an array of numbers, or no geometry.

    >>> mass_data([Box(1, 0.5), Box(2, 1, center=(3, 0))], [2.0, 1.0])["mass"].tolist()
    [4.0, 8.0]
    """
    if isinstance(geometries, Geometry) or not isinstance(geometries, Iterable):
        raise TypeError(f"geometries={short_repr(geometries)} must be a sequence of geometries")
    given = ffi.new("b2d_geometry[]", [as_geometry(each, "geometries")[0] for each in geometries])
    weights = np.ascontiguousarray(one_or_each(densities, "densities", len(given)))
    found = np.zeros(len(given), MASS_DTYPE)
    status = lib.b2d_geometry_mass_data(given, len(given), _doubles(weights), _rows("double[]", found))
    if status:
        raise_error(status, None, densities=densities)
    return found


def _poses(positions_a: Any, angles_a: Any, positions_b: Any, angles_b: Any) -> NDArray[np.float64]:
    """Rows of x, y, angle of a, then of b: as many as there are positions of b."""
    poses_b = poses_of(positions_b, angles_b, "_b")
    poses = np.zeros((len(poses_b), 6))
    poses[:, 0:2] = one_or_each(positions_a, "positions_a", len(poses), 2)
    poses[:, 2] = one_or_each(0.0 if angles_a is None else angles_a, "angles_a", len(poses))
    poses[:, 3:] = poses_b
    return poses


def _each(
    function: Any, a: Geometries, b: Geometries, n: int, motion: tuple[Any, ...], kind: Any, dtype: Any, **given: Any
) -> NDArray[np.void]:
    """What a function of the core finds for n pairs."""
    found = np.zeros(n, dtype)
    status = function(*_side(a, "a", n), *_side(b, "b", n), n, *motion, _rows(kind, found))
    if status:
        _fail(status, **given)
    return found


def _side(value: Geometries, name: str, n: int) -> tuple[Any, int, Any]:
    """A geometry for all pairs, or n: each different object once, and which of them is whose."""
    if isinstance(value, Geometry):
        return value._c, 1, ffi.NULL
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        raise TypeError(f"{name}={short_repr(value)} must be a geometry or a sequence of {n}")
    given = list(value)
    if len(given) != n:
        raise ValueError(f"{name}={short_repr(value)} must be one geometry or {n}, not {len(given)}")
    different = {id(each): as_geometry(each, name) for each in given}
    places = {key: place for place, key in enumerate(different)}
    which = ffi.new("int32_t[]", [places[id(each)] for each in given])
    return ffi.new("b2d_geometry[]", [c[0] for c in different.values()]), len(different), which


def _doubles(rows: NDArray[np.float64]) -> Any:
    return ffi.from_buffer("double[]", rows)


def _rows(kind: Any, rows: NDArray[Any]) -> Any:
    return ffi.from_buffer(kind, rows, require_writable=True)


def _fail(status: int, **given: Any) -> NoReturn:
    """Raises for a status. C names `position` or `angle` without a side: the wrong one is beyond the limits."""
    for name, value in given.items():
        limit = 1.0e9 if name.startswith(("angle", "rotation")) else 1.0e12
        if value is not None and not (np.abs(np.asarray(value, dtype=np.float64)) <= limit).all():
            raise_error(status, None, **{name: value})
    raise_error(status, None, **given)
