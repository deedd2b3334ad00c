"""What queries give and take: the records of what was hit, and the arguments that all queries share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np

from ._core import ffi
from ._errors import shown
from ._shape import as_filter
from ._values import finite, floats, points
from ._vec2 import Vec2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ._geometry import Filter
    from ._shape import Shape

ALL_BITS = 2**64 - 1
_new = tuple.__new__
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


class _Hit:
    """A light record, like those of events: it unpacks and compares as its fields, and reads them when they are asked for."""

    __slots__ = ("_c", "_owner", "_world")  # _owner: of the array that _c points into, where it is not alone
    _c: Any
    _owner: Any
    _world: Any
    _FIELDS: ClassVar[tuple[str, ...]] = ("shape", "point", "normal", "fraction")

    @property
    def shape(self) -> Shape:
        """Which shape; a dead handle when it has been destroyed since."""
        generation = self._c.generation
        reference = self._world._handles.get(generation)
        known = None if reference is None else reference()
        return known if known is not None else self._world._shape(self._c.shape, generation)  # type: ignore[no-any-return]

    @property
    def point(self) -> Vec2:
        """On the surface of the shape: metres, world coordinates."""
        c = self._c
        return _new(Vec2, (c.px, c.py))

    @property
    def normal(self) -> Vec2:
        """Unit vector out of the shape; zero where there is none."""
        c = self._c
        return _new(Vec2, (c.nx, c.ny))

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


def make_hit(kind: type[H], world: Any, c: Any) -> H:
    hit = object.__new__(kind)
    hit._c, hit._world = c, world
    return hit


def bits_of(filter: Filter | None) -> tuple[int, int]:
    if filter is None:
        return ALL_BITS, ALL_BITS
    category, mask, _ = as_filter(filter)
    return category, mask


def rows_of(value: Any, name: str, like: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Finite rows of two; as many as `like` has."""
    rows = points(value, name)
    if like is not None and len(rows) != len(like):
        raise ValueError(f"{name}={shown(value)} must have shape ({len(like)}, 2), not {rows.shape}")
    finite(rows, value, name)
    return rows


def angles_of(value: Any, name: str, count: int) -> NDArray[np.float64] | None:
    if value is None:
        return None
    turns = floats(value, name)
    if turns.shape != (count,):
        raise ValueError(f"{name}={shown(value)} must have shape ({count},), not {turns.shape}")
    finite(turns, value, name)
    return turns


def doubles(rows: NDArray[np.float64] | None) -> Any:
    return ffi.NULL if rows is None or not rows.size else ffi.from_buffer("double[]", rows)
