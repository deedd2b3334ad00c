"""The records that queries return, and the arguments that all queries share."""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, TypeVar, cast

import numpy as np

from .._bridge.arguments import column, finite, flag, points
from .._bridge.errors import short_repr
from .._bridge.library import ffi
from .._bridge.lists import shared_list
from .._bridge.made_by_world import MadeByWorld
from .._bridge.signatures import refuse
from .._bridge.struct_pool import StructPool
from .._bridge.vectors import Vec2
from .._geometry.categories import Filter
from .._objects.shape import Shape, as_filter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

ALL_BITS = 2**64 - 1
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


def filter_bits(filter: Filter | None) -> tuple[int, int]:
    if filter is None:
        return ALL_BITS, ALL_BITS
    category, mask, _ = as_filter(filter)
    return category, mask


class QueryOptions(TypedDict, total=False):
    """The keywords of every query."""

    filter: Filter | None
    # generated: types of query flags, see tools/lists.py
    sensors: bool
    # end of generated


_FLAGS = [name for name, _ in shared_list("query_flags")]
QUERY_DEFAULTS = {"filter": None, **dict.fromkeys(_FLAGS, False)}
QUERY_TEXTS = {"filter": "which shapes it can find; all when absent.", **dict(shared_list("query_flags"))}
_FILTER = ffi.typeof("b2d_query_filter *")
_EVERYTHING = ffi.new(_FILTER, (ALL_BITS, ALL_BITS))


@functools.lru_cache(64)
def _of_filter(filter: Filter) -> Any:
    return ffi.new(_FILTER, filter_bits(filter))


def query_filter(function: str, options: Mapping[str, Any]) -> Any:
    """The argument of queries of the core that says which shapes they find."""
    if not options:
        return _EVERYTHING
    if len(options) == 1 and "filter" in options:
        found = options["filter"]
        if found is None:
            return _EVERYTHING
        if type(found) is Filter:
            return _of_filter(found)
    wanted = ffi.new(_FILTER, filter_bits(options.get("filter")))
    for name, value in options.items():
        if name in _FLAGS:
            setattr(wanted, name, flag(value, name))
        elif name != "filter":
            refuse(function, (name,), QUERY_DEFAULTS)
    return wanted


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
