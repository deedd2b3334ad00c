"""Geometry from outlines: hulls, simpler lines, convex pieces of any outline, outlines of bitmaps.

`hull` and `simplify` need nothing; `convex_pieces` triangulates with mapbox_earcut and `bitmap_outlines` walks with
contourpy, both in the extra `box2dpy[outlines]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import bounded, finite, flag, floats, integer, number, pair, points
from .._bridge.errors import missing, raise_error, short_repr
from .._bridge.handles import INT_POINTER
from .._bridge.library import ffi, lib
from .shapes import ORIGIN, Polygon

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from .._bridge.vectors import Vec2Like

WELD = 0.005  # m: nearer points are one, as the points of a chain must be farther apart


def _rows(value: Any, name: str) -> NDArray[np.float64]:
    rows = points(value, name)
    finite(rows, value, name)
    return rows


def _area(outline: NDArray[np.float64]) -> float:
    x, y = (outline - outline[0]).T
    return 0.5 * float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def hull(points: Any) -> NDArray[np.float64]:
    """The convex hull of any number of points: counter-clockwise, from the lowest x (then lowest y).

    Exactly that of the numbers given, in whatever order: equal points count once, and points on a side not at all. One
    call of the C core, without the GIL (Andrew's monotone chain with exact signs). A `Polygon` makes the hull of up to
    8 points itself.

    Args:
        points: shape (n, 2), metres; coordinates under 1e-100 m count as zero.

    Returns:
        Shape (m, 2), m at least 3; some of the points.

    Raises:
        ValueError: not finite, beyond 1e12 m, a wrong shape, or no area.
        TypeError: not an array of numbers.

    Source: `csrc/geometry/convex_hull.c`.

    >>> hull([(0, 0), (2, 0), (1, 0), (1, 0.5), (2, 2), (0, 2)]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    rows = _rows(points, "points")  # a copy: C sorts them
    corners, count = np.empty((len(rows) + 1, 2)), ffi.new(INT_POINTER)
    room = ffi.from_buffer("double[]", corners, require_writable=True)
    status = lib.b2d_convex_hull(len(rows), ffi.from_buffer("double[]", rows, require_writable=True), room, count)
    if status:
        raise_error(status, None, points=points)
    if count[0] < 3:
        raise ValueError(f"points={short_repr(points)} have a hull without area")
    result: NDArray[np.float64] = corners[: count[0]].copy()
    return result


def simplify(points: Any, tolerance: float, *, closed: bool = False) -> NDArray[np.float64]:
    """A line through fewer of its points, nowhere farther than `tolerance` from the ones left out (Douglas and
    Peucker).

    Args:
        points: shape (n, 2), metres.
        tolerance: metres, 0 or more.
        closed: whether the last point is joined to the first.

    Raises:
        ValueError: not finite, a wrong shape, or a negative tolerance.
        TypeError: a wrong type.

    >>> simplify([(0, 0), (1, 0.01), (2, 0), (2, 2)], 0.1).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]]
    """
    rows, limit = _rows(points, "points"), number(tolerance, "tolerance")
    if not 0.0 <= limit < np.inf:
        raise ValueError(f"tolerance={short_repr(tolerance)} must be 0 or more and finite")
    if len(rows) < 3:
        return rows
    if flag(closed, "closed"):  # two lines, between the first point and the one farthest from it
        far = int(np.argmax(np.hypot(*(rows - rows[0]).T)))
        parts = [_thinned(rows[: far + 1], limit), _thinned(np.vstack([rows[far:], rows[:1]]), limit)]
        return np.vstack([part[:-1] for part in parts])
    return _thinned(rows, limit)


def _thinned(rows: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    keep = np.zeros(len(rows), bool)
    keep[[0, -1]] = True
    stack = [(0, len(rows) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        way, between = rows[last] - rows[first], rows[first + 1 : last] - rows[first]
        squared = float(way @ way)
        share = np.clip(between @ way / squared, 0, 1) if squared else np.zeros(len(between))
        distances = np.hypot(*(between - share[:, None] * way).T)
        worst = int(np.argmax(distances))
        if distances[worst] > limit:
            keep[first + 1 + worst] = True
            stack += [(first, first + 1 + worst), (first + 1 + worst, last)]
    result: NDArray[np.float64] = rows[keep]
    return result


def convex_pieces(outline: Any, holes: Iterable[Any] = (), *, max_vertices: int = 8) -> list[Polygon]:
    """Convex polygons that fill an outline: triangles of mapbox_earcut, merged while they stay convex.

    Args:
        outline: shape (n, 2), metres, at least 3 points, in either direction; it must not cross itself.
        holes: outlines of what is left free.
        max_vertices: of a piece, 3 to 8.

    Returns:
        The pieces; those too thin to be a `Polygon` (under 0.5 mm) are left out.

    Raises:
        ModuleNotFoundError: without mapbox_earcut; the extra `box2dpy[outlines]` has it.
        ValueError: not finite, too few points, or no area.
        TypeError: a wrong type.

    >>> pieces = convex_pieces([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)])
    >>> len(pieces), sum(piece.mass_data().mass for piece in pieces)
    (2, 6.0)
    """
    try:
        import mapbox_earcut
    except ModuleNotFoundError:
        raise missing("convex_pieces", "mapbox_earcut", "outlines") from None
    most = integer(max_vertices, "max_vertices", 3, 8)
    rings = [_rows(outline, "outline"), *(_rows(hole, "holes") for hole in holes)]
    for ring, name in zip(rings, ["outline"] + ["holes"] * len(rings), strict=False):
        if len(ring) < 3 or _area(ring) == 0.0:
            raise ValueError(f"{name}={short_repr(ring)} must be at least 3 points with an area")
    vertices = np.vstack(rings)
    ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
    triangles = mapbox_earcut.triangulate_float64(vertices, ends).reshape(-1, 3).tolist()
    faces = [
        list(face) if _area(vertices[face]) > 0 else list(face[::-1]) for face in triangles if _area(vertices[face])
    ]
    pieces = []
    for face in _merged(faces, vertices, most):
        try:
            pieces.append(Polygon(vertices[face]))
        except ValueError:  # thinner than welding allows
            continue
    if not pieces:
        raise ValueError(f"outline={short_repr(outline)} has no area")
    return pieces


def _is_convex(face: list[int], vertices: NDArray[np.float64]) -> bool:
    corners = vertices[face]
    before, after = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    lengths = np.hypot(*before.T) * np.hypot(*after.T)
    return bool((cross > 1e-9 * lengths).all())


def _merged(faces: list[list[int]], vertices: NDArray[np.float64], most: int) -> list[list[int]]:
    """Joins neighbours across their common edge, longest edges first, while the union is convex and small enough."""
    owner = {(face[k - 1], face[k]): index for index, face in enumerate(faces) for k in range(len(face))}
    inner = sorted(
        ((a, b) for a, b in owner if a < b and (b, a) in owner),
        key=lambda edge: (-float(np.hypot(*(vertices[edge[0]] - vertices[edge[1]]))), edge),
    )
    for a, b in inner:
        one, two = owner[a, b], owner[b, a]
        if one == two:
            continue
        first, second = faces[one], faces[two]
        i, j = first.index(b), second.index(a)
        joined = first[i:] + first[:i] + (second[j:] + second[:j])[1:-1]  # from b round to a, then from a round to b
        if len(joined) > most or len(set(joined)) < len(joined) or not _is_convex(joined, vertices):
            continue
        faces[one], faces[two] = joined, []
        for k in range(len(joined)):
            owner[joined[k - 1], joined[k]] = one
    return [face for face in faces if face]


def bitmap_outlines(
    bitmap: Any, *, level: float = 0.5, scale: float = 1.0, position: Vec2Like = ORIGIN, tolerance: float = 0.0
) -> list[NDArray[np.float64]]:
    """The outlines of what is solid in a picture, by marching squares of contourpy: terrain from bitmaps.

    Each is a closed line with the solid on its left: counter-clockwise round what is solid and clockwise round holes,
    as `Body.create_chain(outline, loop=True)` wants it for a solid and `convex_pieces` takes it. A pixel is `scale`
    wide, and its value is that of its centre. What is solid at the edge of the picture ends exactly there, so that
    pictures side by side leave no gap.

    Args:
        bitmap: shape (rows, columns), the first row is the top; solid is what is above the level.
        level: where the outline runs between the values of neighbouring pixels.
        scale: metres a pixel.
        position: of the lower left corner of the picture, metres.
        tolerance: metres; `simplify` with it.

    Raises:
        ModuleNotFoundError: without contourpy; the extra `box2dpy[outlines]` has it.
        ValueError: not finite, no picture, or a scale that is not positive.
        TypeError: a wrong type.

    >>> picture = [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    >>> len(bitmap_outlines(picture))
    1
    """
    try:
        import contourpy
    except ModuleNotFoundError:
        raise missing("bitmap_outlines", "contourpy", "outlines") from None
    pixels, size, (x, y) = floats(bitmap, "bitmap"), number(scale, "scale"), pair(position, "position")
    edge, least = number(level, "level"), bounded(tolerance, "tolerance", 0.0, 1e12)
    if pixels.ndim != 2 or not pixels.size:
        raise ValueError(f"bitmap={short_repr(bitmap)} must have shape (rows, columns), not {pixels.shape}")
    finite(pixels, bitmap, "bitmap")
    if not 0 < size < np.inf or not np.isfinite([x, y, edge]).all():
        raise ValueError(
            f"scale={short_repr(scale)} must be positive, level={short_repr(level)} and "
            f"position={short_repr(position)} must be finite"
        )
    # Beyond the centres of the outermost pixels the picture goes on unchanged as far as its edge, and there it ends:
    # two rings of samples at the same place, the pixels' own and one below the level.
    outside = 2 * min(edge, float(pixels.min())) - edge - 1.0
    around = np.pad(np.pad(pixels[::-1], 1, mode="edge"), 1, constant_values=outside)
    rows, columns = (np.concatenate([[0.0, 0.0], np.arange(count) + 0.5, [count, count]]) for count in pixels.shape)
    corner = np.array([x, y])
    result = []
    for line in contourpy.contour_generator(x=columns, y=rows, z=around).lines(edge):
        outline = np.asarray(line)[:-1] * size + corner
        if least > 0.0:
            outline = simplify(outline, least, closed=True)
        spaced = np.hypot(*(outline - np.roll(outline, 1, axis=0)).T) > WELD
        if spaced.sum() >= 3 and _area(outline[spaced]):
            result.append(outline[spaced])
    return result
