"""Two geometries without a world: how far apart they are, where they touch, when they meet.

Each is placed by `position_a`, `angle_a` and `position_b`, `angle_b`, at the origin when absent. What comes back is in world
coordinates; normals point from `a` to `b`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ._core import ffi, lib
from ._errors import fail, shown
from ._geometry import ORIGIN, GeometryHit, as_geometry
from ._handle import struct_dtype
from ._values import finite, floats, number, pair, points
from ._vec2 import Vec2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._geometry import Geometry
    from ._vec2 import Vec2Like

_POSE = ffi.typeof("double[3]")
_DISTANCES = ffi.typeof("b2d_distance_data[]")
_DISTANCE_DTYPE = struct_dtype("b2d_distance_data")
DISTANCE_DTYPE = np.dtype([("distance", "f8"), ("point_a", "f8", 2), ("point_b", "f8", 2), ("normal", "f4", 2)])
_STATES = {
    lib.B2D_IMPACT_SEPARATED: "separated",
    lib.B2D_IMPACT_HIT: "hit",
    lib.B2D_IMPACT_OVERLAPPED: "overlapped",
    lib.B2D_IMPACT_FAILED: "failed",
}


class Distance(NamedTuple):
    """Of two geometries: `distance` in metres, the closest points of their surfaces, and the unit normal from a to b.

    Negative distances are those of rounded rims that overlap. Where the cores overlap too the normal is zero, and the distance
    tells only that they do; `collide` says how deep.
    """

    distance: float
    point_a: Vec2
    point_b: Vec2
    normal: Vec2


class ManifoldPoint(NamedTuple):
    """One point of a manifold: midway between the surfaces; `separation` in metres, negative where they overlap; `feature`
    names the corners and edges that made it."""

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
    pose_a, pose_b = _pose(position_a, angle_a, "a"), _pose(position_b, angle_b, "b")
    out = ffi.new(_DISTANCES, 1)
    status = lib.b2d_geometry_distances(c_a, pose_a, c_b, 1, ffi.new(_POSE, pose_b), out)
    if status:
        _fail_poses(status, position_a, angle_a, position_b, angle_b)
    d = out[0]
    return Distance(d.distance, Vec2(d.ax, d.ay), Vec2(d.bx, d.by), Vec2(d.nx, d.ny))


def distances(
    a: Geometry,
    b: Geometry,
    positions_b: Any,
    angles_b: Any = None,
    *,
    position_a: Vec2Like = ORIGIN,
    angle_a: float = 0.0,
) -> NDArray[np.void]:
    """`distance` for many places of b, in one call.

    Args:
        a, b: the geometries.
        positions_b: shape (n, 2), metres.
        angles_b: shape (n,), radians, or None for no rotation.
        position_a, angle_a: of a.

    Returns:
        A structured array: `distance`, `point_a`, `point_b`, `normal`.

    Raises:
        ValueError: not finite or a wrong array shape.
        TypeError: not an array of numbers.

    >>> distances(Circle(1), Circle(1), [(3, 0), (5, 0)])["distance"].tolist()
    [1.0, 3.0]
    """
    c_a, c_b, pose_a = as_geometry(a, "a"), as_geometry(b, "b"), _pose(position_a, angle_a, "a")
    rows = points(positions_b, "positions_b")
    finite(rows, positions_b, "positions_b")
    n = len(rows)
    poses = np.zeros((n, 3))
    poses[:, :2] = rows
    if angles_b is not None:
        turns = floats(angles_b, "angles_b")
        if turns.shape != (n,):
            raise ValueError(f"angles_b={shown(angles_b)} must have shape ({n},), not {turns.shape}")
        finite(turns, angles_b, "angles_b")
        poses[:, 2] = turns
    found, result = np.zeros(n, _DISTANCE_DTYPE), np.zeros(n, DISTANCE_DTYPE)
    if n:
        out = ffi.from_buffer(_DISTANCES, found, require_writable=True)
        status = lib.b2d_geometry_distances(c_a, pose_a, c_b, n, ffi.from_buffer("double[]", poses), out)
        if status:
            _fail_poses(status, position_a, angle_a, positions_b, angles_b)
    result["distance"] = found["distance"]
    for name, x, y in (("point_a", "ax", "ay"), ("point_b", "bx", "by"), ("normal", "nx", "ny")):
        result[name][:, 0], result[name][:, 1] = found[x], found[y]
    return result


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
    pose_a, pose_b = _pose(position_a, angle_a, "a"), _pose(position_b, angle_b, "b")
    out = ffi.new("b2d_manifold_data *")
    status = lib.b2d_geometry_collide(c_a, pose_a, c_b, pose_b, number(speculative_distance, "speculative_distance"), out)
    if status:
        _fail_poses(status, position_a, angle_a, position_b, angle_b, speculative_distance=speculative_distance)
    found = (ManifoldPoint(Vec2(out.px[k], out.py[k]), out.separation[k], out.feature[k]) for k in range(out.count))
    return Manifold(Vec2(out.nx, out.ny), tuple(found))


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
    """Moves b, without turning it, by `translation` until it touches a; None if it does not. The normal points out of a.

    Raises:
        ValueError: not finite.
        TypeError: a wrong type.

    >>> hit = shape_cast(Box(1, 1), Circle(0.5), (-10, 0), position_b=(5, 0))
    >>> hit.normal, round(hit.fraction, 4)
    (Vec2(1.0, 0.0), 0.35)
    """
    c_a, c_b = as_geometry(a, "a"), as_geometry(b, "b")
    pose_a, pose_b = _pose(position_a, angle_a, "a"), _pose(position_b, angle_b, "b")
    out = ffi.new("b2d_query_hit *")
    status = lib.b2d_geometry_cast(c_a, pose_a, c_b, pose_b, *pair(translation, "translation"), out)
    if status:
        _fail_poses(status, position_a, angle_a, position_b, angle_b, translation=translation)
    return None if out.shape < 0 else GeometryHit(Vec2(out.px, out.py), Vec2(out.nx, out.ny), out.fraction)


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
    """When two geometries that move and turn at constant speed come to touch, within half a millimetre's play of 5 mm.

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
    out = ffi.new("b2d_impact_data *")
    status = lib.b2d_geometry_impact(
        c_a, ffi.new("b2d_geometry_motion *", motions[0]), c_b, ffi.new("b2d_geometry_motion *", motions[1]), out
    )
    if status:
        _fail_poses(
            status, position_a, angle_a, position_b, angle_b, translation_a=translation_a, translation_b=translation_b,
            rotation_a=rotation_a, rotation_b=rotation_b, center_a=center_a, center_b=center_b,
        )  # fmt: skip
    return TimeOfImpact(_STATES[out.state], out.fraction, Vec2(out.px, out.py), Vec2(out.nx, out.ny))


def _fail_poses(status: int, position_a: Any, angle_a: Any, position_b: Any, angle_b: Any, **more: Any) -> NoReturn:
    """C names `position`, `angle` and so on without a side: the culprit is the side whose value is the worse one."""
    given = {"position_a": position_a, "angle_a": angle_a, "position_b": position_b, "angle_b": angle_b, **more}
    worst = {}
    for name, value in given.items():
        if value is None:
            continue
        rows = np.abs(np.asarray(value, dtype=np.float64))
        limit = 1.0e9 if name.startswith(("angle", "rotation")) else 1.0e12
        if not (rows <= limit).all():
            worst[name] = value
    if worst:
        name = next(iter(worst))
        fail(status, None, **{name: worst[name]})
    fail(status, None, **given)
