"""The records that queries return, and their arguments that are arrays."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np

from .._bridge.arguments import column, finite, points
from .._bridge.errors import short_repr
from .._bridge.library import ffi
from .._bridge.made_by_world import MadeByWorld
from .._bridge.struct_pool import StructPool
from .._bridge.vectors import Vec2
from .._objects.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_new, _bare = tuple.__new__, object.__new__
PAIR_POINTER = ffi.typeof("double[2]")


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


class _Hit(MadeByWorld):
    """Base of the records: they unpack and compare as their fields."""

    __slots__ = {
        "_amount": "",
        "_destroyed_count": "what `world._destroyed_count` was before the query",
        "_row": "what HIT_ROW unpacks",
        "_shape": "the handle; None after `ray_cast` if there was no handle yet",
        "_world": "",
        "point": "On the surface of the shape: metres, world coordinates.",
    }
    _FIELDS: ClassVar[tuple[str, ...]]
    point: Vec2
    _amount: float
    _destroyed_count: int
    _row: tuple[Any, ...]
    _shape: Shape | None
    _world: Any

    @property
    def shape(self) -> Shape:
        """The shape; its handle is not alive when the shape has been destroyed since."""
        shape = self._shape
        if shape is None:
            generation, index = self._row[0], self._row[6]
            shape = self._world._cached(Shape, index, generation)
            if shape is None:
                shape = self._world._new_handle(Shape, index, generation, self._destroyed_count)
            self._shape = shape
        return shape

    @property
    def normal(self) -> Vec2:
        """Unit vector out of the shape; zero where there is none."""
        return _new(Vec2, self._row[4:6])

    def __iter__(self) -> Iterator[Any]:
        return iter((self.shape, self.point, self.normal, self._amount))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Hit) or type(other) is not type(self):
            return NotImplemented
        return tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        fields = zip(self._FIELDS, self, strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in fields)})"


class RayHit(_Hit):
    """Where a ray or a cast shape met a shape; unpacks as `(shape, point, normal, fraction)`.

    `fraction` is how much of the translation was used, 0 to 1. The normal is zero when a cast started overlapping.
    """

    __slots__ = ()
    _FIELDS = ("shape", "point", "normal", "fraction")
    fraction: float = _Hit.__dict__["_amount"]  # the slot itself: a property takes three times as long


class NearestHit(_Hit):
    """The shape nearest to a point; unpacks as `(shape, point, normal, distance)`, `distance` in metres.

    `point` is its nearest point, `normal` points from there to the point of the query. Inside the shape the distance is
    0, `point` is the point of the query, and the normal is zero.
    """

    __slots__ = ()
    _FIELDS = ("shape", "point", "normal", "distance")
    distance: float = _Hit.__dict__["_amount"]


H = TypeVar("H", bound=_Hit)
HIT_ROW = struct.Struct("Q3d2f2i")  # b2d_query_hit: generation, x, y, amount, nx, ny, shape, body


def _new_hit() -> tuple[Any, Any]:
    out = ffi.new("b2d_query_hit *")
    return out, ffi.buffer(out)


HIT_POOL = StructPool(_new_hit)  # with their bytes


def make_hits(kind: type[H], world: Any, rows: Any, deaths: int) -> list[H]:
    """The records of what C wrote; `deaths` is what `world._destroyed_count` was before."""
    hits, known = [], world._handles.get
    for row in HIT_ROW.iter_unpack(rows):
        generation, x, y, amount, _, _, index, _ = row
        reference = known(generation)
        shape = reference and reference()
        hit = _bare(kind)
        hit._shape = shape if shape is not None else world._new_handle(Shape, index, generation, deaths)
        hit.point = _new(Vec2, (x, y))
        hit._amount = amount
        hit._row = row
        hits.append(hit)
    return hits


def point_rows(value: Any, name: str, like: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Finite rows of two; as many as `like` has."""
    rows = points(value, name)
    if like is not None and len(rows) != len(like):
        raise ValueError(f"{name}={short_repr(value)} must have shape ({len(like)}, 2), not {rows.shape}")
    finite(rows, value, name)
    return rows


def angles_of(value: Any, name: str, count: int) -> NDArray[np.float64] | None:
    return None if value is None else column(value, name, count)


def doubles(rows: NDArray[np.float64] | None) -> Any:
    return ffi.NULL if rows is None or not rows.size else ffi.from_buffer("double[]", rows)
