"""Queries of a world: rays, shape casts, overlaps, the nearest shape, explosions; one at a time or as arrays.

A query sees everything as it is now, also what was created or moved since the last step. It sees a shape when
`filter.mask & shape.filter.category` and `shape.filter.mask & filter.category`; groups do not count, and no filter at all
means all bits. Sensors and shapes of disabled bodies are never seen. Overlaps are closed (what touches overlaps) and use the
true forms, not boxes. Of equal fractions or distances the lower shape index comes first, whatever the broad phase.

Any number of threads may query one world at the same time; the GIL is released meanwhile. The array forms run on all workers
of the world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np

from ._core import ffi, lib
from ._errors import fail, shown
from ._geometry import ORIGIN, as_geometry
from ._handle import INT_POINTER, struct_dtype
from ._shape import as_filter
from ._values import finite, floats, number, pair, points
from ._vec2 import Vec2

if TYPE_CHECKING:
    import weakref
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ._geometry import Filter, Geometry
    from ._shape import Shape
    from ._vec2 import Vec2Like

_ALL_BITS = 2**64 - 1
_PAIR = ffi.typeof("double[2]")
_HITS = ffi.typeof("b2d_query_hit[]")
_OVERLAPS = ffi.typeof("b2d_query_overlap[]")
_OVERLAP_DTYPE = struct_dtype("b2d_query_overlap")
_HIT = ffi.typeof("b2d_query_hit *")
_new, _bare, _cast_ray = ffi.new, object.__new__, lib.b2d_world_ray_cast


def _hit_dtype(amount: str) -> np.dtype[np.void]:
    layout = {
        "names": ["shape", "body", "generation", "point", "normal", amount],
        "formats": ["i4", "i4", "u8", ("f8", 2), ("f4", 2), "f8"],
        "offsets": [40, 44, 0, 8, 32, 24],
        "itemsize": ffi.sizeof("b2d_query_hit"),
    }
    return cast("np.dtype[np.void]", np.dtype(layout))  # type: ignore[call-overload]


HIT_DTYPE = _hit_dtype("fraction")
NEAREST_DTYPE = _hit_dtype("distance")
OVERLAP_DTYPE = np.dtype([("query", "i4"), ("shape", "i4"), ("body", "i4"), ("generation", "u8")])


class _Hit:
    """A light record, like those of events: it unpacks and compares as its fields, and reads them when they are asked for."""

    __slots__ = ("_c", "_world")
    _c: Any
    _world: Any
    _FIELDS: ClassVar[tuple[str, ...]] = ("shape", "point", "normal", "fraction")

    @property
    def shape(self) -> Shape:
        """Which shape; a dead handle when it has been destroyed since."""
        return self._world._shape(self._c.shape, self._c.generation)  # type: ignore[no-any-return]

    @property
    def point(self) -> Vec2:
        """On the surface of the shape: metres, world coordinates."""
        return Vec2(self._c.px, self._c.py)

    @property
    def normal(self) -> Vec2:
        """Unit vector out of the shape; zero where there is none."""
        return Vec2(self._c.nx, self._c.ny)

    def _row(self) -> tuple[Any, ...]:
        c = self._c
        return c.shape, c.generation, c.px, c.py, c.nx, c.ny, c.fraction

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self._FIELDS)

    def __len__(self) -> int:
        return len(self._FIELDS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Hit) or type(other) is not type(self):
            return NotImplemented
        return self._world is other._world and self._row() == other._row()

    def __hash__(self) -> int:
        return hash(self._row())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._FIELDS)})"


class RayHit(_Hit):
    """Where a ray or a cast shape met a shape; unpacks as `(shape, point, normal, fraction)`.

    The normal is zero when a cast started overlapping.
    """

    __slots__ = ()

    @property
    def fraction(self) -> float:
        """How much of the translation was used, 0 to 1."""
        return self._c.fraction  # type: ignore[no-any-return]


class NearestHit(_Hit):
    """The shape nearest to a point; unpacks as `(shape, point, normal, distance)`.

    `point` is its nearest point, `normal` points from there to the point asked about. Inside the shape the distance is 0,
    `point` is the point asked about, and the normal is zero.
    """

    __slots__ = ()
    _FIELDS = ("shape", "point", "normal", "distance")

    @property
    def distance(self) -> float:
        """Metres."""
        return self._c.fraction  # type: ignore[no-any-return]


H = TypeVar("H", bound=_Hit)


def _hit(kind: type[H], world: Queries, c: Any) -> H:
    hit = object.__new__(kind)
    hit._c, hit._world = c, world
    return hit


def _bits(filter: Filter | None) -> tuple[int, int]:
    if filter is None:
        return _ALL_BITS, _ALL_BITS
    category, mask, _ = as_filter(filter)
    return category, mask


def _rows(value: Any, name: str, like: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Finite rows of two; as many as `like` has."""
    rows = points(value, name)
    if like is not None and len(rows) != len(like):
        raise ValueError(f"{name}={shown(value)} must have shape ({len(like)}, 2), not {rows.shape}")
    finite(rows, value, name)
    return rows


def _angles(value: Any, name: str, count: int) -> NDArray[np.float64] | None:
    if value is None:
        return None
    turns = floats(value, name)
    if turns.shape != (count,):
        raise ValueError(f"{name}={shown(value)} must have shape ({count},), not {turns.shape}")
    finite(turns, value, name)
    return turns


def _doubles(rows: NDArray[np.float64] | None) -> Any:
    return ffi.NULL if rows is None or not rows.size else ffi.from_buffer("double[]", rows)


class Queries:
    """What `World` can be asked; see the module."""

    if TYPE_CHECKING:
        _ptr: Any
        _handles: tuple[dict[int, weakref.ref[Any]], ...]

        def _shape(self, index: int, generation: int) -> Shape: ...

    def _seen(self, index: int, generation: int) -> Shape:
        reference = self._handles[1].get(index)
        if reference is not None:
            shape = reference()
            if shape is not None and shape._generation == generation:
                return shape  # type: ignore[no-any-return]
        return self._shape(index, generation)

    def _list_hits(self, fetch: Callable[[Any, int, Any], int], **values: object) -> list[RayHit]:
        count, room = ffi.new(INT_POINTER), 16
        while True:
            out = ffi.new(_HITS, room)
            status = fetch(out, room, count)
            if status:
                fail(status, self, **values)
            if count[0] <= room:
                return [_hit(RayHit, self, ffi.new(_HIT, out[k])) for k in range(count[0])]
            room = count[0] + count[0] // 8

    # -- rays

    def ray_cast(self, origin: Vec2Like, translation: Vec2Like, *, filter: Filter | None = None) -> RayHit | None:
        """The first shape that the ray from `origin` to `origin + translation` enters, or None.

        A shape that the ray starts in, or on the surface of, is not entered; nor is anything by a ray of no length.
        Segments are met from either side.

        Args:
            origin: metres, world coordinates.
            translation: metres; its length is that of the ray.
            filter: what the ray sees; everything when absent.

        Raises:
            ValueError: not finite, not two numbers, or beyond 1e12 m.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.
            DestroyedError: the world is closed.

        >>> with World() as world:
        ...     box = world.create_static_body((5, 0)).create_shape(Box(1, 1))
        ...     hit = world.ray_cast((0, 0), (10, 0))
        ...     hit.shape is box, hit.point, hit.normal, round(hit.fraction, 9)
        (True, Vec2(4.0, 0.0), Vec2(-1.0, 0.0), 0.4)
        """
        category, mask = (_ALL_BITS, _ALL_BITS) if filter is None else _bits(filter)
        out = _new(_HIT)
        try:
            ox, oy = origin
            dx, dy = translation
            status = _cast_ray(self._ptr, ox, oy, dx, dy, category, mask, out)
        except (TypeError, ValueError):
            (ox, oy), (dx, dy) = pair(origin, "origin"), pair(translation, "translation")
            status = _cast_ray(self._ptr, ox, oy, dx, dy, category, mask, out)
        if status:
            fail(status, self, origin=origin, translation=translation)
        if out.shape < 0:
            return None
        hit = _bare(RayHit)
        hit._c = out
        hit._world = self
        return hit

    def ray_cast_all(self, origin: Vec2Like, translation: Vec2Like, *, filter: Filter | None = None) -> list[RayHit]:
        """Every shape that the ray enters, sorted by fraction, then by index. As `ray_cast`.

        >>> with World() as world:
        ...     for x in (6, 2, 4):
        ...         shape = world.create_static_body((x, 0)).create_shape(Circle(0.5))
        ...     [hit.shape.index for hit in world.ray_cast_all((0, 0), (10, 0))]
        [1, 2, 0]
        """
        start, way, bits = pair(origin, "origin"), pair(translation, "translation"), _bits(filter)

        def fetch(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_ray_cast_all(self._ptr, *start, *way, *bits, out, room, count)  # type: ignore[no-any-return]

        return self._list_hits(fetch, origin=origin, translation=translation)

    def ray_cast_any(self, origin: Vec2Like, translation: Vec2Like, *, filter: Filter | None = None) -> bool:
        """Whether the ray enters any shape: quicker than asking which is first.

        >>> with World() as world:
        ...     shape = world.create_static_body((5, 0)).create_shape(Circle(1))
        ...     world.ray_cast_any((0, 0), (9, 0)), world.ray_cast_any((0, 0), (0, 9))
        (True, False)
        """
        out = ffi.new("bool *")
        start, way = pair(origin, "origin"), pair(translation, "translation")
        status = lib.b2d_world_ray_cast_any(self._ptr, *start, *way, *_bits(filter), out)
        if status:
            fail(status, self, origin=origin, translation=translation)
        return bool(out[0])

    def ray_casts(self, origins: Any, translations: Any, *, filter: Filter | None = None) -> NDArray[np.void]:
        """Many rays at once, on all workers: for each what `ray_cast` finds.

        Args:
            origins: shape (n, 2), metres.
            translations: shape (n, 2), metres.

        Returns:
            A structured array of n rows: `shape` and `body` (indices; -1 where nothing was met), `generation` of the shape,
            `point` (two float64), `normal` (two float32), `fraction` (float64).

        Raises:
            ValueError: not finite or a wrong array shape.
            TypeError: not an array of numbers.

        >>> with World() as world:
        ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
        ...     hits = world.ray_casts([(0, 0), (0, 5)], [(10, 0), (10, 0)])
        ...     hits["shape"].tolist(), hits["point"][0].tolist()
        ([0, -1], [4.0, 0.0])
        """
        starts = _rows(origins, "origins")
        ways = _rows(translations, "translations", starts)
        bits, hits = _bits(filter), np.zeros(len(starts), HIT_DTYPE)
        out = ffi.from_buffer(_HITS, hits, require_writable=True) if len(hits) else ffi.NULL
        status = lib.b2d_world_ray_casts(self._ptr, len(hits), _doubles(starts), _doubles(ways), *bits, out)
        if status:
            fail(status, self, origins=origins, translations=translations)
        return hits

    # -- casts

    def shape_cast(
        self,
        geometry: Geometry,
        position: Vec2Like = ORIGIN,
        angle: float = 0.0,
        translation: Vec2Like = ORIGIN,
        *,
        filter: Filter | None = None,
    ) -> RayHit | None:
        """The first shape that a geometry touches when it moves, without turning, by `translation`; or None.

        A shape that it touches at the start is met at fraction 0, with a zero normal where they overlap; so without a
        translation this finds an overlap. The fraction is right to 10 micrometres.

        Args:
            geometry: what moves.
            position, angle: where it starts: metres and radians, world coordinates.
            translation: metres.

        Raises:
            ValueError: not finite, not two numbers, or beyond 1e12 m.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.

        >>> with World() as world:
        ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
        ...     hit = world.shape_cast(Circle(0.5), (0, 0), 0, (10, 0))
        ...     hit.normal, round(hit.fraction, 4)
        (Vec2(-1.0, 0.0), 0.35)
        """
        start, way = pair(position, "position"), pair(translation, "translation")
        turn = number(angle, "angle")
        out = ffi.new(_HIT)
        status = lib.b2d_world_shape_casts(
            self._ptr, as_geometry(geometry), 1, ffi.new(_PAIR, start), ffi.new(_PAIR, (turn, 0.0)), ffi.new(_PAIR, way),
            *_bits(filter), out,
        )  # fmt: skip
        if status:
            fail(status, self, geometry=geometry, position=position, angle=angle, translation=translation)
        return None if out.shape < 0 else _hit(RayHit, self, out)

    def shape_cast_all(
        self,
        geometry: Geometry,
        position: Vec2Like = ORIGIN,
        angle: float = 0.0,
        translation: Vec2Like = ORIGIN,
        *,
        filter: Filter | None = None,
    ) -> list[RayHit]:
        """Every shape that the moving geometry touches, sorted by fraction, then by index. As `shape_cast`."""
        start, way, bits = pair(position, "position"), pair(translation, "translation"), _bits(filter)
        c, turn = as_geometry(geometry), number(angle, "angle")

        def fetch(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_shape_cast_all(self._ptr, c, *start, turn, *way, *bits, out, room, count)  # type: ignore[no-any-return]

        return self._list_hits(fetch, geometry=geometry, position=position, angle=angle, translation=translation)

    def shape_cast_any(
        self,
        geometry: Geometry,
        position: Vec2Like = ORIGIN,
        angle: float = 0.0,
        translation: Vec2Like = ORIGIN,
        *,
        filter: Filter | None = None,
    ) -> bool:
        """Whether the moving geometry touches any shape. As `shape_cast`."""
        start, way, turn = pair(position, "position"), pair(translation, "translation"), number(angle, "angle")
        out = ffi.new("bool *")
        status = lib.b2d_world_shape_cast_any(self._ptr, as_geometry(geometry), *start, turn, *way, *_bits(filter), out)
        if status:
            fail(status, self, geometry=geometry, position=position, angle=angle, translation=translation)
        return bool(out[0])

    def shape_casts(
        self, geometry: Geometry, positions: Any, angles: Any, translations: Any, *, filter: Filter | None = None
    ) -> NDArray[np.void]:
        """Many casts of one geometry at once, on all workers; rows as of `ray_casts`.

        Args:
            geometry: what moves.
            positions: shape (n, 2), metres.
            angles: shape (n,), radians, or None for no rotation.
            translations: shape (n, 2), metres.

        Raises:
            ValueError: not finite or a wrong array shape.
            TypeError: not an array of numbers.

        >>> with World() as world:
        ...     shape = world.create_static_body((5, 0)).create_shape(Box(1, 1))
        ...     hits = world.shape_casts(Circle(0.5), [(0, 0), (0, 5)], None, [(10, 0), (10, 0)])
        ...     hits["shape"].tolist()
        [0, -1]
        """
        c, starts = as_geometry(geometry), _rows(positions, "positions")
        ways, turns = _rows(translations, "translations", starts), _angles(angles, "angles", len(starts))
        bits, hits = _bits(filter), np.zeros(len(starts), HIT_DTYPE)
        out = ffi.from_buffer(_HITS, hits, require_writable=True) if len(hits) else ffi.NULL
        status = lib.b2d_world_shape_casts(
            self._ptr, c, len(hits), _doubles(starts), _doubles(turns), _doubles(ways), *bits, out
        )
        if status:
            fail(status, self, geometry=geometry, positions=positions, angles=angles, translations=translations)
        return hits

    # -- overlaps

    def _overlaps(self, ask: Callable[[Any, int, Any], int], room: int, **values: object) -> NDArray[np.void]:
        count = ffi.new(INT_POINTER)
        while True:
            rows = np.zeros(room, _OVERLAP_DTYPE)
            status = ask(ffi.from_buffer(_OVERLAPS, rows, require_writable=True), room, count)
            if status:
                fail(status, self, **values)
            if count[0] <= room:
                return rows[: count[0]]
            room = count[0] + count[0] // 8

    def _overlapping(self, ask: Callable[[Any, int, Any], int], **values: object) -> list[Shape]:
        count, room = ffi.new(INT_POINTER), 16
        while True:
            out = ffi.new(_OVERLAPS, room)
            status = ask(out, room, count)
            if status:
                fail(status, self, **values)
            if count[0] <= room:
                return [self._seen(out[k].shape, out[k].generation) for k in range(count[0])]
            room = count[0] + count[0] // 8

    def overlap_aabb(self, lower: Vec2Like, upper: Vec2Like, *, filter: Filter | None = None) -> list[Shape]:
        """The shapes that touch an axis-aligned box, by index; by their true form.

        Args:
            lower, upper: corners of the box, metres.

        Raises:
            ValueError: not finite, or lower exceeds upper.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.

        >>> with World() as world:
        ...     disc = world.create_static_body((0, 0)).create_shape(Circle(1))
        ...     world.overlap_aabb((0.9, 0.9), (2, 2)), world.overlap_aabb((0.5, 0.5), (2, 2))
        ([], [<Shape 0 circle on body 0>])
        """
        start, end, bits = pair(lower, "lower"), pair(upper, "upper"), _bits(filter)
        if start[0] > end[0] or start[1] > end[1]:
            raise ValueError(f"lower={shown(lower)} must not exceed upper={shown(upper)}")
        first, last = ffi.new(_PAIR, start), ffi.new(_PAIR, end)

        def ask(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_overlap_boxes(self._ptr, 1, first, last, *bits, out, room, count)  # type: ignore[no-any-return]

        return self._overlapping(ask, lower=lower, upper=upper)

    def overlap_aabbs(self, lowers: Any, uppers: Any, *, filter: Filter | None = None) -> NDArray[np.void]:
        """Many boxes at once, on all workers.

        Args:
            lowers, uppers: corners, shape (n, 2), metres.

        Returns:
            A structured array with a row for each box and shape that overlap, sorted by box, then by shape: `query` (row of
            the box), `shape` and `body` (indices), `generation` of the shape.

        Raises:
            ValueError: not finite, a wrong array shape, or a lower corner that exceeds the upper one.
            TypeError: not an array of numbers.

        >>> with World() as world:
        ...     disc = world.create_static_body((0, 0)).create_shape(Circle(1))
        ...     world.overlap_aabbs([(5, 5), (0, 0)], [(6, 6), (1, 1)])[["query", "shape"]].tolist()
        [(1, 0)]
        """
        first = _rows(lowers, "lowers")
        last = _rows(uppers, "uppers", first)
        bad = (first > last).any(axis=1)
        if bad.any():
            row = int(bad.argmax())
            raise ValueError(f"lowers={shown(lowers)} must not exceed uppers={shown(uppers)}; row {row} does")
        bits = _bits(filter)

        def ask(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_overlap_boxes(  # type: ignore[no-any-return]
                self._ptr, len(first), _doubles(first), _doubles(last), *bits, out, room, count
            )

        return _public(self._overlaps(ask, 2 * len(first) + 64, lowers=lowers, uppers=uppers))

    def overlap_shape(
        self, geometry: Geometry, position: Vec2Like = ORIGIN, angle: float = 0.0, *, filter: Filter | None = None
    ) -> list[Shape]:
        """The shapes that touch a geometry placed in the world, by index.

        Args:
            geometry: any.
            position, angle: where it is: metres and radians.

        Raises:
            ValueError: not finite.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.

        >>> with World() as world:
        ...     box = world.create_static_body((3, 0)).create_shape(Box(1, 1))
        ...     world.overlap_shape(Circle(1), (1, 0)), world.overlap_shape(Circle(1), (0.9, 0))
        ([<Shape 0 polygon on body 0>], [])
        """
        c, bits = as_geometry(geometry), _bits(filter)
        place, turn = ffi.new(_PAIR, pair(position, "position")), ffi.new(_PAIR, (number(angle, "angle"), 0.0))

        def ask(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_overlap_shapes(self._ptr, c, 1, place, turn, *bits, out, room, count)  # type: ignore[no-any-return]

        return self._overlapping(ask, geometry=geometry, position=position, angle=angle)

    def overlap_shapes(
        self, geometry: Geometry, positions: Any, angles: Any = None, *, filter: Filter | None = None
    ) -> NDArray[np.void]:
        """One geometry at many places at once, on all workers; rows as of `overlap_aabbs`.

        Args:
            geometry: any.
            positions: shape (n, 2), metres.
            angles: shape (n,), radians, or None for no rotation.

        Raises:
            ValueError: not finite or a wrong array shape.
            TypeError: not an array of numbers.
        """
        c, places = as_geometry(geometry), _rows(positions, "positions")
        turns, bits = _angles(angles, "angles", len(places)), _bits(filter)

        def ask(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_overlap_shapes(  # type: ignore[no-any-return]
                self._ptr, c, len(places), _doubles(places), _doubles(turns), *bits, out, room, count
            )

        return _public(self._overlaps(ask, 2 * len(places) + 64, geometry=geometry, positions=positions, angles=angles))

    def point_query(self, point: Vec2Like, *, filter: Filter | None = None) -> list[Shape]:
        """The shapes that contain a point, rim included, by index. Segments contain nothing.

        Raises:
            ValueError: not finite.
            TypeError: not a pair of numbers.
            WorldLockedError: another thread is stepping the world.

        >>> with World() as world:
        ...     box = world.create_static_body((3, 0)).create_shape(Box(1, 1))
        ...     world.point_query((2.5, 0)), world.point_query((1.9, 0))
        ([<Shape 0 polygon on body 0>], [])
        """
        place, bits = ffi.new(_PAIR, pair(point, "point")), _bits(filter)

        def ask(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_overlap_points(self._ptr, 1, place, *bits, out, room, count)  # type: ignore[no-any-return]

        return self._overlapping(ask, point=point)

    def point_queries(self, points: Any, *, filter: Filter | None = None) -> NDArray[np.void]:
        """Many points at once, on all workers; rows as of `overlap_aabbs`.

        Args:
            points: shape (n, 2), metres.

        Raises:
            ValueError: not finite or a wrong array shape.
            TypeError: not an array of numbers.

        >>> with World() as world:
        ...     box = world.create_static_body((3, 0)).create_shape(Box(1, 1))
        ...     world.point_queries([(0, 0), (3, 0)])["query"].tolist()
        [1]
        """
        places, bits = _rows(points, "points"), _bits(filter)

        def ask(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_overlap_points(self._ptr, len(places), _doubles(places), *bits, out, room, count)  # type: ignore[no-any-return]

        return _public(self._overlaps(ask, 2 * len(places) + 64, points=points))

    # -- the nearest

    def nearest(self, point: Vec2Like, max_distance: float, *, filter: Filter | None = None) -> NearestHit | None:
        """The shape nearest to a point and at most `max_distance` away, or None.

        Args:
            point: metres.
            max_distance: metres, 0 or more.

        Raises:
            ValueError: not finite, or a negative distance.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.

        >>> with World() as world:
        ...     box = world.create_static_body((3, 0)).create_shape(Box(1, 1))
        ...     hit = world.nearest((0, 0), 10)
        ...     hit.shape is box, hit.point, hit.normal, hit.distance
        (True, Vec2(2.0, 0.0), Vec2(-1.0, 0.0), 2.0)
        """
        place, limit = ffi.new(_PAIR, pair(point, "point")), number(max_distance, "max_distance")
        out = ffi.new(_HIT)
        status = lib.b2d_world_nearest(self._ptr, 1, place, limit, *_bits(filter), out)
        if status:
            fail(status, self, point=point, max_distance=max_distance)
        return None if out.shape < 0 else _hit(NearestHit, self, out)

    def nearests(self, points: Any, max_distance: float, *, filter: Filter | None = None) -> NDArray[np.void]:
        """The nearest shape of many points at once, on all workers: rows as of `ray_casts`, `distance` instead of `fraction`.

        Args:
            points: shape (n, 2), metres.
            max_distance: metres, for all of them.

        Raises:
            ValueError: not finite, a negative distance or a wrong array shape.
            TypeError: not an array of numbers.
        """
        places, limit = _rows(points, "points"), number(max_distance, "max_distance")
        bits, hits = _bits(filter), np.zeros(len(places), NEAREST_DTYPE)
        out = ffi.from_buffer(_HITS, hits, require_writable=True) if len(hits) else ffi.NULL
        status = lib.b2d_world_nearest(self._ptr, len(hits), _doubles(places), limit, *bits, out)
        if status:
            fail(status, self, points=points, max_distance=max_distance)
        return hits

    # -- explosions

    def explode(
        self,
        center: Vec2Like,
        radius: float,
        falloff: float = 0.0,
        impulse_per_length: float = 1.0,
        *,
        filter: Filter | None = None,
    ) -> None:
        """Pushes and wakes every dynamic body near a point away from it.

        Each shape gets `impulse_per_length` times the width that it shows to the centre, at its point nearest to the centre:
        all of it up to `radius`, then linearly less, nothing beyond `radius + falloff`. A shape that the centre is inside is
        pushed through its centroid. Nothing stands in the way.

        Args:
            center: metres.
            radius, falloff: metres, 0 or more.
            impulse_per_length: N s per metre; negative pulls.

        Raises:
            ValueError: not finite, or a negative length.
            TypeError: a wrong type.
            WorldLockedError: another thread uses the world.

        >>> with World(gravity=(0, 0)) as world:
        ...     body = world.create_dynamic_body((2, 0))
        ...     shape = body.create_shape(Box(0.5, 0.5))
        ...     world.explode((0, 0), radius=5, impulse_per_length=3)
        ...     body.linear_velocity
        Vec2(3.0, 0.0)
        """
        x, y = pair(center, "center")
        numbers = number(radius, "radius"), number(falloff, "falloff"), number(impulse_per_length, "impulse_per_length")
        status = lib.b2d_world_explode(self._ptr, x, y, *numbers, *_bits(filter))
        if status:
            given = {"radius": radius, "falloff": falloff, "impulse_per_length": impulse_per_length}
            fail(status, self, center=center, **given)


def _public(rows: NDArray[np.void]) -> NDArray[np.void]:
    """Without the padding and in the documented order."""
    result = np.empty(len(rows), OVERLAP_DTYPE)
    for name in ("query", "shape", "body", "generation"):
        result[name] = rows[name]
    return result
