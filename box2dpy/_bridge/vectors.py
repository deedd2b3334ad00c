"""`Vec2`: the immutable pair that every vector comes out as, and `AABB`, two of them."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from .arguments import bounded, number, pair
from .errors import short_repr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

Vec2Like: TypeAlias = "Sequence[float] | NDArray[np.floating[Any]] | NDArray[np.integer[Any]]"

_new = tuple.__new__
_MAX = sys.float_info.max


class _Pair(NamedTuple):
    x: float
    y: float


class Vec2(_Pair):
    """An immutable 2D vector: a tuple `(x, y)` with arithmetic.

    `+`, `-` take any pair, `*` and `/` a number; comparison, hash and unpacking are the tuple's.

    Components may be NaN and infinite, and overflow gives infinity, as in the arithmetic of floats.

    Raises:
        TypeError: a component or an operand is not a number or not a pair.
        ValueError: an integer is beyond the range of a float, or an angle is not finite.
        ZeroDivisionError: a division by 0.

    >>> a = Vec2(3, 4)
    >>> a + (1, 1), 2 * a, a / 2, -a
    (Vec2(4.0, 5.0), Vec2(6.0, 8.0), Vec2(1.5, 2.0), Vec2(-3.0, -4.0))
    >>> a.length, a.dot((1, 0)), a.cross((0, 1))
    (5.0, 3.0, 3.0)
    >>> x, y = a
    """

    __slots__ = ()

    def __new__(cls, x: float = 0.0, y: float = 0.0) -> Vec2:
        if type(x) is float and type(y) is float:
            return _new(cls, (x, y))
        return _new(cls, (number(x, "x of Vec2"), number(y, "y of Vec2")))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        if name not in ("x", "y"):
            raise AttributeError(f"'Vec2' object has no attribute {name!r}")
        pair_ = f"({short_repr(value)}, y)" if name == "x" else f"(x, {short_repr(value)})"
        raise AttributeError(
            f"a Vec2 cannot be changed: assign a whole one to what it was read from, as in body.position = {pair_} or "
            f"world.gravity = {pair_}"
        )

    def __repr__(self) -> str:
        return f"Vec2({self[0]!r}, {self[1]!r})"

    def __getnewargs__(self) -> tuple[float, float]:
        return self[0], self[1]

    def __add__(self, other: Vec2Like) -> Vec2:  # type: ignore[override]
        """Component by component; never joins tuples.

        >>> Vec2(1, 2) + [3, 4]
        Vec2(4.0, 6.0)
        """
        x, y = other if type(other) is Vec2 else pair(other, "operand")
        return _new(Vec2, (self[0] + x, self[1] + y))

    __radd__ = __add__

    def __sub__(self, other: Vec2Like) -> Vec2:
        x, y = other if type(other) is Vec2 else pair(other, "operand")
        return _new(Vec2, (self[0] - x, self[1] - y))

    def __rsub__(self, other: Vec2Like) -> Vec2:
        x, y = pair(other, "operand")
        return _new(Vec2, (x - self[0], y - self[1]))

    def __mul__(self, factor: float) -> Vec2:  # type: ignore[override]
        factor = factor if type(factor) is float else number(factor, "factor")
        return _new(Vec2, (self[0] * factor, self[1] * factor))

    __rmul__ = __mul__  # type: ignore[assignment]

    def __truediv__(self, divisor: float) -> Vec2:
        divisor = divisor if type(divisor) is float else number(divisor, "divisor")
        return _new(Vec2, (self[0] / divisor, self[1] / divisor))

    def __neg__(self) -> Vec2:
        return _new(Vec2, (-self[0], -self[1]))

    def __pos__(self) -> Vec2:
        return self

    def __abs__(self) -> float:
        return math.hypot(self[0], self[1])

    @property
    def length(self) -> float:
        """Euclidean length.

        >>> Vec2(3, 4).length
        5.0
        """
        return math.hypot(self[0], self[1])

    @property
    def length_squared(self) -> float:
        """Square of the length."""
        return self[0] * self[0] + self[1] * self[1]

    @property
    def angle(self) -> float:
        """Direction in radians, in (-pi, pi]; 0 for the zero vector.

        >>> Vec2(0, 2).angle == math.pi / 2
        True
        """
        return math.atan2(self[1] + 0.0, self[0])

    def dot(self, other: Vec2Like) -> float:
        """Scalar product.

        >>> Vec2(1, 2).dot((3, 4))
        11.0
        """
        x, y = other if type(other) is Vec2 else pair(other, "other")
        return self[0] * x + self[1] * y

    def cross(self, other: Vec2Like) -> float:
        """The z component of the cross product: positive when `other` is counter-clockwise of this.

        >>> Vec2(1, 0).cross((0, 1))
        1.0
        """
        x, y = other if type(other) is Vec2 else pair(other, "other")
        return self[0] * y - self[1] * x

    def perpendicular(self) -> Vec2:
        """Turned by a quarter, counter-clockwise.

        >>> Vec2(1, 0).perpendicular()
        Vec2(-0.0, 1.0)
        """
        return _new(Vec2, (-self[1], self[0]))

    def rotated(self, angle: float) -> Vec2:
        """Turned counter-clockwise by `angle` radians.

        >>> round(Vec2(1, 0).rotated(math.pi / 2).y, 6)
        1.0
        """
        angle = bounded(angle, "angle", -_MAX, _MAX)
        c, s = math.cos(angle), math.sin(angle)
        return _new(Vec2, (c * self[0] - s * self[1], s * self[0] + c * self[1]))

    def normalized(self) -> Vec2:
        """Of length one, same direction; the zero vector stays as it is.

        >>> Vec2(0, 5).normalized()
        Vec2(0.0, 1.0)
        """
        length = math.hypot(self[0], self[1])
        return self / length if length > 0.0 else self

    def distance(self, other: Vec2Like) -> float:
        """Distance between two points.

        >>> Vec2(1, 1).distance((4, 5))
        5.0
        """
        x, y = other if type(other) is Vec2 else pair(other, "other")
        return math.hypot(self[0] - x, self[1] - y)

    def lerp(self, other: Vec2Like, t: float) -> Vec2:
        """The point at fraction `t` of the way to `other`.

        >>> Vec2(0, 0).lerp((4, 8), 0.25)
        Vec2(1.0, 2.0)
        """
        x, y = other if type(other) is Vec2 else pair(other, "other")
        t = t if type(t) is float else number(t, "t")
        return _new(Vec2, (self[0] + t * (x - self[0]), self[1] + t * (y - self[1])))


class AABB(NamedTuple):
    """An axis-aligned box: its lower left and upper right corners, in metres."""

    lower: Vec2
    upper: Vec2
