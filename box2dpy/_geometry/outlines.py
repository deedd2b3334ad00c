"""Geometry from outlines: hulls, simpler lines, convex pieces of any outline, outlines of bitmaps.

`hull` and `simplify` need nothing; `convex_pieces` triangulates with mapbox_earcut and `bitmap_outlines` walks with
contourpy, both in the extra `box2dpy[outlines]`.
"""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import bounded, finite, finite_pair, flag, flags, floats, integer, number, pair, points
from .._bridge.errors import missing, raise_error, short_repr
from .._bridge.handles import INT_POINTER
from .._bridge.library import ffi, lib
from .._bridge.vectors import Vec2
from .geometry import ORIGIN
from .shapes import Polygon

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

    It is exact for the given numbers, in any order; equal points count once, and points on a side are left out. It is
    one call of the C core, without the GIL (Andrew's monotone chain with exact signs). A `Polygon` makes the hull of up
    to 8 points itself.

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
    return rows[_kept(rows, limit, flag(closed, "closed"))]


def _kept(rows: NDArray[np.float64], limit: float, closed: bool) -> NDArray[np.int64]:
    if len(rows) < 3:
        return np.arange(len(rows))
    if not closed:
        return _thinned(rows, limit)
    far = int(
        np.argmax(np.hypot(*(rows - rows[0]).T))
    )  # two lines, between the first point and the one farthest from it
    parts = [_thinned(rows[: far + 1], limit), far + _thinned(np.vstack([rows[far:], rows[:1]]), limit)]
    return np.concatenate([part[:-1] for part in parts])


def _distances(between: NDArray[np.float64], way: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far points are from the line from (0, 0) to `way`; a line for each point, or one for all."""
    squared = (way * way).sum(axis=-1)
    share = np.clip((between * way).sum(axis=1) / np.where(squared > 0.0, squared, 1.0), 0, 1)
    return np.asarray(np.hypot(*(between - share[:, None] * way).T))


def _thinned(rows: NDArray[np.float64], limit: float) -> NDArray[np.int64]:
    keep = np.zeros(len(rows), bool)
    keep[[0, -1]] = True
    # A corner that is farther than twice the limit from the line between its neighbours is kept in any case. Without
    # this a comb, whose teeth part it one by one, would take a time of n^2.
    keep[1:-1] = _distances(rows[1:-1] - rows[:-2], rows[2:] - rows[:-2]) > 2.0 * limit
    stack = [(int(a), int(b)) for a, b in pairwise(np.flatnonzero(keep)) if b - a > 1]
    while stack:
        first, last = stack.pop()
        distances = _distances(rows[first + 1 : last] - rows[first], rows[last] - rows[first])
        worst = first + 1 + int(np.argmax(distances))
        if distances[worst - first - 1] > limit:
            keep[worst] = True
            stack += [(a, b) for a, b in ((first, worst), (worst, last)) if b - a > 1]
    return np.flatnonzero(keep)


def _ring(value: Any, name: str) -> NDArray[np.float64]:
    """The corners of a closed outline as libraries give them: without points that repeat the one before them, of which
    the last may be the first."""
    rows = _rows(value, name)
    if len(rows):
        rows = rows[(rows != np.roll(rows, 1, axis=0)).any(axis=1)]
    if len(rows) < 3:
        raise ValueError(f"{name}={short_repr(value)} must be at least 3 points with an area")
    return rows


class ConvexPieces(list[Polygon]):
    """The polygons that `convex_pieces` makes of an outline: a list, with the `origin` that their body belongs at."""

    __slots__ = ("origin",)
    origin: Vec2
    """The point of the outline's coordinates that is (0, 0) in the pieces."""


def convex_pieces(
    outline: Any, holes: Iterable[Any] = (), *, max_vertices: int = 8, origin: Vec2Like | None = None
) -> ConvexPieces:
    """Convex polygons that fill an outline: triangles of mapbox_earcut, made Delaunay by flips and merged while they
    stay convex, in O(n log n) for n points.

    The pieces have the area of the outline less the holes, to a millionth. Where the outline bends by less than 0.5 mm,
    the flatness of a `Polygon` (2 mm where that is not enough), it gets fewer points, and the sides between them are
    moved so that this holds.

    Args:
        outline: shape (n, 2), metres, at least 3 points, in either direction, the last of which may repeat the first;
            it must not cross itself.
        holes: outlines of the holes; they must lie inside and not cross.
        max_vertices: of a piece, 3 to 8.
        origin: the point that becomes (0, 0) in the pieces, for a body at that position. When absent it is (0, 0), and
            for an outline that is more than 10 km away, as in coordinates of maps, a point near its middle, with a
            warning.

    Returns:
        A list of polygons; its `origin` is where their body belongs.

    Raises:
        ModuleNotFoundError: without mapbox_earcut; the extra `box2dpy[outlines]` has it.
        ValueError: not finite, too few points, no area, more than 10 km from the origin given or 1,000 km from its own
            middle; outlines that cross (the message says where); the pieces would lose more than a millionth of the
            area, in parts thinner than 0.5 mm.
        TypeError: a wrong type.

    >>> pieces = convex_pieces([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)])
    >>> len(pieces), sum(piece.mass_data().mass for piece in pieces)
    (2, 6.0)
    >>> convex_pieces([(0, 0), (2, 2), (2, 0), (0, 2)])
    Traceback (most recent call last):
    ValueError: the outline crosses itself at (1, 1): its side from point 0 to 1 and that from point 2 to 3
    """
    try:
        import mapbox_earcut
    except ModuleNotFoundError:
        raise missing("convex_pieces", "mapbox_earcut", "outlines") from None
    most = integer(max_vertices, "max_vertices", 3, 8)
    given = [_ring(outline, "outline"), *(_ring(hole, "holes") for hole in holes)]
    at = ORIGIN if origin is None else finite_pair(origin, "origin")
    far = max(float(np.abs(ring - at).max()) for ring in given)
    if not far <= _FARTHEST:
        if origin is not None:
            raise ValueError(f"outline={short_repr(outline)} is {far:.6g} m from origin={origin}, over {_FARTHEST:g}")
        middle = np.round(given[0].mean(axis=0))
        at = float(middle[0]), float(middle[1])
        warnings.warn(
            f"the outline is {far:.6g} m from (0, 0), where float32 is too coarse for shapes: the pieces are relative "
            f"to origin={at}, for a body at that position",
            stacklevel=2,
        )
    rings = [ring - at for ring in given]
    size = max(float(np.abs(ring).max()) for ring in rings)
    if not size <= _LARGEST:
        raise ValueError(
            f"outline={short_repr(outline)} reaches {size:.6g} m from its middle: vertices are out of range: "
            f"{-_LARGEST:g} to {_LARGEST:g}"
        )
    _check_crossings(rings, at)
    areas = [abs(_area(ring)) for ring in rings]
    if not all(areas):
        raise ValueError(f"outline={short_repr(outline)} and its holes must have an area")
    wanted = areas[0] - sum(areas[1:])
    for flat, longest in _ATTEMPTS:
        thinned = [_divided(_without_flat(ring, flat), longest) for ring in rings]
        pieces, area = _pieces(thinned, most, mapbox_earcut.triangulate_float64)
        if abs(area - wanted) <= _AREA_ERROR * wanted:
            pieces.origin = Vec2(*at)
            return pieces
    raise ValueError(
        f"the pieces of outline={short_repr(outline)} would have an area of {area:.9g} m^2 instead of {wanted:.9g}: it "
        "touches or passes itself at a corner, a hole is not inside, or parts are thinner than 0.5 mm (`simplify` it, "
        "or scale it up)"
    )


def _pieces(rings: list[NDArray[np.float64]], most: int, triangulate: Any) -> tuple[ConvexPieces, float]:
    vertices = np.vstack(rings)
    ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
    triangles = triangulate(vertices, ends).reshape(-1, 3).tolist()
    points = [(float(px), float(py)) for px, py in vertices]
    pieces, area = ConvexPieces(), 0.0
    for face in _merged(_delaunay(triangles, points), points, most):
        try:
            piece = Polygon([points[k] for k in face])
        except ValueError:  # thinner than 0.5 mm; the area tells whether that matters
            continue
        pieces.append(piece)
        area += _area(np.array(piece.vertices))
    return pieces, area


_FARTHEST = 1e4  # m: as far as a shape should be from the origin of its body
_AREA_ERROR = 1e-6  # relative; float32 vertices make a hundredth of it in shapes of metres
# m: a Polygon drops vertices that are flatter than the first of these. Triangles between points that are hardly farther
# apart lose some too; then the outline gets fewer points.
_FLAT = (5e-4, 1e-3, 2e-3)
# With these, and at last with long sides divided: many corners over one side of kilometres make slivers.
_ATTEMPTS = (*((flat, math.inf) for flat in _FLAT), (_FLAT[0], 100.0))
_LARGEST = 1e6  # m: of the vertices of a Polygon


def _divided(ring: NDArray[np.float64], longest: float) -> NDArray[np.float64]:
    """The outline with points on the sides that are longer. A side gets no more of them than one of 20 km."""
    longest = max(longest, float(np.ptp(ring, axis=0).max()) * longest / (2 * _FARTHEST))
    way = np.roll(ring, -1, axis=0) - ring
    parts = np.maximum(np.ceil(np.hypot(*way.T) / longest), 1).astype(np.int64)
    of = np.repeat(np.arange(len(ring)), parts)
    share = (np.arange(len(of)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[of]
    return np.asarray(ring[of] + share[:, None] * way[of])


def _without_flat(ring: NDArray[np.float64], flat: float) -> NDArray[np.float64]:
    """The outline without corners that are flatter. Each side between the remaining ones moves along its
    normal by what was cut off there divided by its length, so that the area stays."""
    at = _kept(ring, flat, True)
    if len(at) < 3 or len(at) == len(ring):
        return ring
    less = ring[at]
    x, y = (ring - ring[0]).T
    twice = np.concatenate([[0.0], np.cumsum(x * np.roll(y, -1) - y * np.roll(x, -1))])
    stop = np.append(at[1:], len(ring))
    corner = less - ring[0]
    way = np.roll(corner, -1, axis=0) - corner
    chord = corner[:, 0] * np.roll(corner[:, 1], -1) - corner[:, 1] * np.roll(corner[:, 0], -1)
    length = np.hypot(*way.T)
    out = np.stack([way[:, 1], -way[:, 0]], axis=1) / length[:, None]  # to the right: outwards where it turns left
    shift = 0.5 * (twice[stop] - twice[at] - chord) / length
    before, shift_before = np.roll(out, 1, axis=0), np.roll(shift, 1)
    cross = before[:, 0] * out[:, 1] - before[:, 1] * out[:, 0]
    meets = np.abs(cross) > 0.1  # the moved sides meet near their corner
    safe = np.where(meets, cross, 1.0)[:, None]
    exact = np.stack(
        [shift_before * out[:, 1] - shift * before[:, 1], before[:, 0] * shift - out[:, 0] * shift_before], axis=1
    )
    mean = 0.5 * (shift[:, None] * out + shift_before[:, None] * before)
    moved: NDArray[np.float64] = less + np.where(meets[:, None], exact / safe, mean)
    middle = moved.mean(axis=0)
    rest = _area(ring) / _area(moved)
    result: NDArray[np.float64] = middle + (moved - middle) * np.sqrt(rest) if rest > 0.0 else moved
    return result


def _check_crossings(rings: list[NDArray[np.float64]], origin: tuple[float, float]) -> None:
    """Raises if two sides cross. Sides that touch are no crossing.

    The sides are sorted along a curve through the plane and paired off by a binary tree of boxes, level by level.
    """
    start, stop = np.vstack(rings), np.vstack([np.roll(ring, -1, axis=0) for ring in rings])
    middle = 0.5 * (start + stop)
    size = float(np.ptp(middle, axis=0).max()) or 1.0
    order = np.argsort(_interleaved(((middle - middle.min(axis=0)) / size * 65535).astype(np.uint64)), kind="stable")
    room = 1 << (len(order) - 1).bit_length()
    lower, upper = np.full((room, 2), np.inf), np.full((room, 2), -np.inf)
    lower[: len(order)], upper[: len(order)] = np.minimum(start, stop)[order], np.maximum(start, stop)[order]
    levels = [(lower, upper)]
    while len(lower) > 1:
        lower, upper = np.minimum(lower[::2], lower[1::2]), np.maximum(upper[::2], upper[1::2])
        levels.append((lower, upper))
    one = other = np.zeros(1, np.int64)
    for lower, upper in reversed(levels[:-1]):
        one, other = (
            np.concatenate([2 * k + i for i in picks]) for k, picks in ((one, (0, 0, 1, 1)), (other, (0, 1, 0, 1)))
        )
        keep = (one <= other) & (lower[one] <= upper[other]).all(axis=1) & (lower[other] <= upper[one]).all(axis=1)
        one, other = one[keep], other[keep]
    one, other = order[one[one < other]], order[other[one < other]]
    p, q, r, s = start[one], stop[one], start[other], stop[other]

    def side(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
        ab, ac = b - a, c - a
        result: NDArray[np.float64] = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]
        return result

    from_r, from_s = side(p, q, r), side(p, q, s)
    crossing = np.flatnonzero((from_r * from_s < 0.0) & (side(r, s, p) * side(r, s, q) < 0.0))
    if not len(crossing):
        return
    k = crossing[np.lexsort((np.maximum(one, other)[crossing], np.minimum(one, other)[crossing]))[0]]
    x, y = r[k] + (s[k] - r[k]) * from_r[k] / (from_r[k] - from_s[k]) + origin
    ends = np.cumsum([len(ring) for ring in rings])
    names = []
    for index in sorted((int(one[k]), int(other[k]))):
        ring = int(np.searchsorted(ends, index, side="right"))
        first = index - int(ends[ring]) + len(rings[ring])
        names.append(("the outline" if ring == 0 else f"hole {ring - 1}", first, (first + 1) % len(rings[ring])))
    (whose, a, b), (other_one, c, d) = names
    count = f" ({len(crossing)} crossings in all)" if len(crossing) > 1 else ""
    raise ValueError(
        f"{whose} crosses {'itself' if whose == other_one else other_one} at ({x:.6g}, {y:.6g}): its side from point "
        f"{a} to {b} and that from point {c} to {d}{count}"
    )


def _interleaved(cells: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The bits of x and y in turns (Morton order)."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        cells = (cells | cells << np.uint64(shift)) & np.uint64(mask)
    result: NDArray[np.uint64] = cells[:, 0] | cells[:, 1] << np.uint64(1)
    return result


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _delaunay(triangles: list[list[int]], points: list[tuple[float, float]]) -> list[list[int]]:
    """The triangles, counter-clockwise, without slivers: inner edges that are not Delaunay are flipped (Lawson)."""
    faces = [t if _turn(*(points[k] for k in t)) >= 0.0 else t[::-1] for t in triangles]
    owner = {(face[k - 1], face[k]): index for index, face in enumerate(faces) for k in range(3)}
    stack = [edge for edge in owner if edge[0] < edge[1]]
    room = 20 * len(faces)  # flips; rounding could go round in circles
    while stack and room:
        a, b = stack.pop()
        one, two = owner.get((a, b)), owner.get((b, a))
        if one is None or two is None:
            continue
        (c,), (d,) = set(faces[one]) - {a, b}, set(faces[two]) - {a, b}
        if c == d:
            continue
        pa, pb, pc, pd = points[a], points[b], points[c], points[d]
        if _turn(pd, pb, pc) <= 0.0 or _turn(pc, pa, pd) <= 0.0:
            continue  # the four are not convex
        ux, uy, vx, vy = pa[0] - pc[0], pa[1] - pc[1], pb[0] - pc[0], pb[1] - pc[1]
        sx, sy, tx, ty = pb[0] - pd[0], pb[1] - pd[1], pa[0] - pd[0], pa[1] - pd[1]
        sine_c, cosine_c, sine_d, cosine_d = ux * vy - uy * vx, ux * vx + uy * vy, sx * ty - sy * tx, sx * tx + sy * ty
        size = (abs(sine_c) + abs(cosine_c)) * (abs(sine_d) + abs(cosine_d))
        if sine_c * cosine_d + cosine_c * sine_d >= -1e-12 * size:  # the angles at c and d make at most half a turn
            continue
        room -= 1
        del owner[a, b], owner[b, a]
        faces[one], faces[two] = [c, d, b], [d, c, a]
        for index in (one, two):
            face = faces[index]
            for k in range(3):
                owner[face[k - 1], face[k]] = index
        stack += [(min(e), max(e)) for e in ((b, c), (c, a), (a, d), (d, b))]
    return faces


def _is_convex(face: list[int], points: list[tuple[float, float]]) -> bool:
    """Whether a polygon of these corners keeps all of them."""
    for k in range(len(face)):
        a, b, c = points[face[k - 2]], points[face[k - 1]], points[face[k]]
        if _turn(a, b, c) <= 1.01 * _FLAT[0] * math.hypot(c[0] - a[0], c[1] - a[1]):
            return False
    return True


def _merged(faces: list[list[int]], points: list[tuple[float, float]], most: int) -> list[list[int]]:
    """Joins neighbours across their common edge, longest edges first, while the union is convex and small enough."""
    owner = {(face[k - 1], face[k]): index for index, face in enumerate(faces) for k in range(len(face))}
    inner = sorted(
        ((a, b) for a, b in owner if a < b and (b, a) in owner),
        key=lambda edge: (
            -math.hypot(points[edge[0]][0] - points[edge[1]][0], points[edge[0]][1] - points[edge[1]][1]),
            edge,
        ),
    )
    for a, b in inner:
        one, two = owner[a, b], owner[b, a]
        if one == two:
            continue
        first, second = faces[one], faces[two]
        if len(first) + len(second) - 2 > most:
            continue
        i, j = first.index(b), second.index(a)
        joined = first[i:] + first[:i] + (second[j:] + second[:j])[1:-1]  # from b round to a, then from a round to b
        if len(set(joined)) < len(joined) or not _is_convex(joined, points):
            continue
        faces[one], faces[two] = joined, []
        for k in range(len(joined)):
            owner[joined[k - 1], joined[k]] = one
    return [face for face in faces if face]


def bitmap_outlines(
    bitmap: Any,
    *,
    level: float = 0.5,
    scale: float = 1.0,
    position: Vec2Like = ORIGIN,
    tolerance: float = 0.0,
    exact: bool | None = None,
) -> list[NDArray[np.float64]]:
    """The outlines of what is solid in a picture or in a map of tiles: terrain from bitmaps.

    Each is a closed line with the solid on its left: counter-clockwise round what is solid and clockwise round holes,
    as `Body.create_chain(outline, loop=True)` needs it for a solid and `convex_pieces` accepts it. A pixel is `scale`
    wide. What is solid at the edge of the picture ends exactly there, so that pictures side by side leave no gap.

    Exact outlines go along the sides of the solid pixels, with a point at each corner and nowhere else; of pixels that
    touch at a corner alone, each side has an outline of its own. The others run between the centres of pixels, by
    marching squares of contourpy: they are smooth for pictures in grey, and cut the corners of tiles.

    Args:
        bitmap: numbers or a mask, shape (rows, columns), the first row is the top; solid is what is above the level.
        level: where the outline runs between the values of neighbouring pixels.
        scale: metres a pixel.
        position: of the lower left corner of the picture, metres.
        tolerance: metres; `simplify` with it.
        exact: when absent, for masks: booleans, and integers of which none is other than 0 and 1.

    Raises:
        ModuleNotFoundError: not exact and without contourpy; the extra `box2dpy[outlines]` has it.
        ValueError: not finite, no picture, or a scale that is not positive.
        TypeError: a wrong type.

    >>> picture = [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    >>> bitmap_outlines(picture)[0].tolist()
    [[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]]
    """
    kind = np.asarray(bitmap).dtype
    pixels = flags(bitmap, "bitmap") if kind.kind == "b" else floats(bitmap, "bitmap")
    size, (x, y) = number(scale, "scale"), pair(position, "position")
    edge, least = number(level, "level"), bounded(tolerance, "tolerance", 0.0, 1e12)
    if pixels.ndim != 2 or not pixels.size:
        raise ValueError(f"bitmap={short_repr(bitmap)} must have shape (rows, columns), not {pixels.shape}")
    finite(pixels, bitmap, "bitmap")
    if not 0 < size < np.inf or not np.isfinite([x, y, edge]).all():
        raise ValueError(
            f"scale={short_repr(scale)} must be positive, level={short_repr(level)} and "
            f"position={short_repr(position)} must be finite"
        )
    if exact is None:
        along_cells = kind.kind in "bui" and bool(np.isin(pixels, (0, 1)).all())
    else:
        along_cells = flag(exact, "exact")
    lines = _cell_outlines(pixels[::-1] > edge) if along_cells else _smooth_outlines(pixels[::-1], edge)
    corner = np.array([x, y])
    result = []
    for line in lines:
        outline = line * size + corner
        if least > 0.0:
            outline = simplify(outline, least, closed=True)
        spaced = np.hypot(*(outline - np.roll(outline, 1, axis=0)).T) > WELD
        if spaced.sum() >= 3 and _area(outline[spaced]):
            result.append(outline[spaced])
    return result


def _smooth_outlines(pixels: NDArray[Any], level: float) -> list[NDArray[np.float64]]:
    try:
        import contourpy
    except ModuleNotFoundError:
        raise missing("bitmap_outlines", "contourpy", "outlines") from None
    # Beyond the centres of the outermost pixels the picture goes on unchanged as far as its edge, and there it ends:
    # two rings of samples at the same place, the pixels' own and one below the level.
    outside = 2 * min(level, float(pixels.min())) - level - 1.0
    around = np.pad(np.pad(pixels, 1, mode="edge"), 1, constant_values=outside)
    rows, columns = (np.concatenate([[0.0, 0.0], np.arange(count) + 0.5, [count, count]]) for count in pixels.shape)
    return [np.asarray(line)[:-1] for line in contourpy.contour_generator(x=columns, y=rows, z=around).lines(level)]


def _cell_outlines(solid: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """Outlines along the sides of the cells; row 0 is the lowest."""
    cells = np.pad(solid, 1).astype(np.int8)
    # The straight runs with the solid on their left, from their begin: where the sides of cells start and stop. +1 is
    # a run to the right (or up), -1 one to the left (or down).
    runs: dict[tuple[int, int], list[tuple[int, int]]] = {}  # by begin, its ends
    for sides, turned in ((cells[1:, 1:-1] - cells[:-1, 1:-1], False), ((cells[1:-1, :-1] - cells[1:-1, 1:]).T, True)):
        for sign in (1, -1):
            change = np.diff(np.pad((sides == sign).astype(np.int8), ((0, 0), (1, 1))), axis=1)
            (line, first), (_, last) = np.nonzero(change == 1), np.nonzero(change == -1)
            for at, low, high in zip(line.tolist(), first.tolist(), last.tolist(), strict=True):
                begin, end = (low, high) if sign > 0 else (high, low)
                if turned:
                    runs.setdefault((at, begin), []).append((at, end))
                else:
                    runs.setdefault((begin, at), []).append((end, at))
    result = []
    for start in sorted(runs, key=lambda corner: (corner[1], corner[0])):
        while runs.get(start):
            path, at = [start], runs[start].pop()
            seen = {start: 0}
            while True:
                if at in seen:  # a corner that it meets twice divides it into two outlines
                    cut = seen[at]
                    result.append(np.array(path[cut:], np.float64))
                    for corner in path[cut + 1 :]:
                        del seen[corner]
                    del path[cut + 1 :]
                    if cut == 0:
                        break
                else:
                    seen[at] = len(path)
                    path.append(at)
                at = runs[at].pop()
    return result
