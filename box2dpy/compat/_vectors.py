"""The mathematics of the bindings: `b2Vec2`, rotations, transforms, boxes and the functions on vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, overload

from ..arguments import number, pair, short_repr

if TYPE_CHECKING:
    from ..arguments import Vec2Like

_bare = object.__new__


class b2Vec2:
    """A mutable pair of numbers with arithmetic; any pair of numbers is accepted where one is expected."""

    __slots__ = ("x", "y")
    __hash__ = None  # type: ignore[assignment]  # a vector may change
    x: float
    y: float

    def __init__(self, x: float | Vec2Like = 0.0, y: float | None = None) -> None:
        if y is None:
            self.x, self.y = (0.0, 0.0) if isinstance(x, (int, float)) and x == 0.0 else pair(x, "b2Vec2")
        else:
            self.x, self.y = number(x, "x of b2Vec2"), number(y, "y of b2Vec2")

    def Set(self, x: float, y: float) -> None:
        """Assigns both components."""
        self.x, self.y = number(x, "x"), number(y, "y")

    def SetZero(self) -> None:
        """Assigns (0, 0)."""
        self.Set(0.0, 0.0)

    def copy(self) -> b2Vec2:
        """Another vector with the same components."""
        return vector(self.x, self.y)

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> b2Vec2:
        return self.copy()

    def __reduce__(self) -> Any:
        return b2Vec2, (self.x, self.y)

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y))

    def __len__(self) -> int:
        return 2

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: int) -> float:
        if key == 0:
            return self.x
        if key == 1:
            return self.y
        raise IndexError(f"index {key!r} of a b2Vec2 must be 0 or 1")

    def __setitem__(self, key: int, value: float) -> None:
        if key not in (0, 1):
            raise IndexError(f"index {key!r} of a b2Vec2 must be 0 or 1")
        setattr(self, "xy"[key], number(value, "component"))

    def __eq__(self, other: Any) -> bool:
        try:
            x, y = other
        except (TypeError, ValueError):
            return NotImplemented
        return (self.x, self.y) == (x, y)

    def __add__(self, other: Vec2Like | b2Vec2) -> b2Vec2:
        x, y = other_pair(other)
        return vector(self.x + x, self.y + y)

    __radd__ = __add__

    def __sub__(self, other: Vec2Like | b2Vec2) -> b2Vec2:
        x, y = other_pair(other)
        return vector(self.x - x, self.y - y)

    def __rsub__(self, other: Vec2Like | b2Vec2) -> b2Vec2:
        x, y = other_pair(other)
        return vector(x - self.x, y - self.y)

    def __mul__(self, factor: float) -> b2Vec2:
        if isinstance(factor, b2Vec2):
            return NotImplemented
        factor = number(factor, "factor")
        return vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> b2Vec2:
        divisor = number(divisor, "divisor")
        return vector(self.x / divisor, self.y / divisor)

    def __neg__(self) -> b2Vec2:
        return vector(-self.x, -self.y)

    def __abs__(self) -> b2Vec2:
        return vector(abs(self.x), abs(self.y))

    def __iadd__(self, other: Vec2Like | b2Vec2) -> b2Vec2:
        x, y = other_pair(other)
        self.Set(self.x + x, self.y + y)
        return self

    def __isub__(self, other: Vec2Like | b2Vec2) -> b2Vec2:
        x, y = other_pair(other)
        self.Set(self.x - x, self.y - y)
        return self

    def __imul__(self, factor: float) -> b2Vec2:
        factor = number(factor, "factor")
        self.Set(self.x * factor, self.y * factor)
        return self

    def __itruediv__(self, divisor: float) -> b2Vec2:
        divisor = number(divisor, "divisor")
        self.Set(self.x / divisor, self.y / divisor)
        return self

    @property
    def length(self) -> float:
        """The Euclidean length; assigning scales the vector."""
        return math.hypot(self.x, self.y)

    @length.setter
    def length(self, value: float) -> None:
        self.Normalize()
        self *= value

    @property
    def lengthSquared(self) -> float:
        """The square of the length."""
        return self.x * self.x + self.y * self.y

    @property
    def tuple(self) -> tuple[float, float]:
        """The components as a tuple."""
        return self.x, self.y

    @tuple.setter
    def tuple(self, value: Vec2Like) -> None:
        self.Set(*pair(value, "tuple"))

    @property
    def skew(self) -> b2Vec2:
        """The vector turned by a quarter, counter-clockwise."""
        return vector(-self.y, self.x)

    @property
    def valid(self) -> bool:
        """Whether both components are finite."""
        return math.isfinite(self.x) and math.isfinite(self.y)

    def Normalize(self) -> float:
        """Scales the vector to length 1 and returns its former length; a zero vector stays as it is."""
        length = self.length
        if length > 0.0:
            self.Set(self.x / length, self.y / length)
        return length

    def dot(self, other: Vec2Like | b2Vec2) -> float:
        """The scalar product."""
        x, y = other_pair(other)
        return self.x * x + self.y * y

    @overload
    def cross(self, other: float) -> b2Vec2: ...
    @overload
    def cross(self, other: Vec2Like | b2Vec2) -> float: ...
    def cross(self, other: Any) -> Any:
        """The z component of the cross product with a vector, or the vector product with a number along z."""
        if isinstance(other, (int, float)):
            return vector(other * self.y, -other * self.x)
        x, y = other_pair(other)
        return self.x * y - self.y * x

    def __repr__(self) -> str:
        return f"b2Vec2({self.x:g},{self.y:g})"


def vector(x: float, y: float) -> b2Vec2:
    """A `b2Vec2` of two floats, without checks."""
    made = _bare(b2Vec2)
    made.x = x
    made.y = y
    return made


def other_pair(value: Any) -> tuple[float, float]:
    if isinstance(value, b2Vec2):
        return value.x, value.y
    return pair(value, "operand")


class LinkedVec2(b2Vec2):
    """A copy of a vector property: assigning a component assigns the property, as `body.linearVelocity.x = 3` does."""

    __slots__ = ("_name", "_owner", "_x", "_y")
    _name: str
    _owner: object
    _x: float
    _y: float

    def _set_x(self, value: float) -> None:
        self.Set(value, self._y)

    def _set_y(self, value: float) -> None:
        self.Set(self._x, value)

    x = property(attrgetter("_x"), _set_x)
    y = property(attrgetter("_y"), _set_y)

    def Set(self, x: float, y: float) -> None:
        self._x, self._y = number(x, "x"), number(y, "y")
        setattr(self._owner, self._name, (self._x, self._y))


def linked(owner: object, name: str, value: tuple[float, float]) -> b2Vec2:
    made = _bare(LinkedVec2)
    made._x, made._y = value
    made._owner = owner
    made._name = name
    return made


class Kept:
    """A vector attribute, kept as a `b2Vec2` in the slot of its name with an underscore."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: object, name: str) -> None:
        self.name, self.slot = name, f"_{name}"

    def __get__(self, item: Any, owner: Any = None) -> b2Vec2:
        return self if item is None else getattr(item, self.slot)  # type: ignore[return-value]

    def __set__(self, item: Any, value: Vec2Like | b2Vec2) -> None:
        setattr(item, self.slot, b2Vec2(*pair(value, self.name)))


class b2Rot:
    """A rotation, kept as sine and cosine."""

    __slots__ = ("c", "s")

    def __init__(self, angle: float = 0.0) -> None:
        angle = number(angle, "angle")
        self.s, self.c = math.sin(angle), math.cos(angle)

    @property
    def angle(self) -> float:
        """Radians, in (-pi, pi]; assigning sets the rotation."""
        return math.atan2(self.s, self.c)

    @angle.setter
    def angle(self, value: float) -> None:
        value = number(value, "angle")
        self.s, self.c = math.sin(value), math.cos(value)

    def SetIdentity(self) -> None:
        """No rotation."""
        self.s, self.c = 0.0, 1.0

    def GetXAxis(self) -> b2Vec2:
        """The x axis after the rotation."""
        return vector(self.c, self.s)

    def GetYAxis(self) -> b2Vec2:
        """The y axis after the rotation."""
        return vector(-self.s, self.c)

    x_axis = property(GetXAxis)
    y_axis = property(GetYAxis)

    def __mul__(self, v: Vec2Like | b2Vec2) -> b2Vec2:
        x, y = other_pair(v)
        return vector(self.c * x - self.s * y, self.s * x + self.c * y)

    def __repr__(self) -> str:
        return f"b2Rot(angle={self.angle:g})"


class b2Transform:
    """A position and a rotation: `transform * point` takes a point of a body to the world."""

    __slots__ = ("_position", "q")
    _position: b2Vec2
    position = Kept("The origin, metres.")

    def __init__(self, position: Vec2Like | b2Vec2 = (0.0, 0.0), rotation: b2Rot | None = None) -> None:
        self.position = position
        self.q = b2Rot() if rotation is None else rotation

    @property
    def R(self) -> b2Rot:
        """The rotation."""
        return self.q

    @property
    def angle(self) -> float:
        """Radians; assigning sets the rotation."""
        return self.q.angle

    @angle.setter
    def angle(self, value: float) -> None:
        self.q.angle = value

    def Set(self, position: Vec2Like | b2Vec2, angle: float) -> None:
        """Assigns position and angle."""
        self.position = position
        self.q.angle = angle

    def SetIdentity(self) -> None:
        """The origin without rotation."""
        self.Set((0.0, 0.0), 0.0)

    def __mul__(self, v: Vec2Like | b2Vec2) -> b2Vec2:
        x, y = other_pair(v)
        p, q = self._position, self.q
        return vector(p.x + q.c * x - q.s * y, p.y + q.s * x + q.c * y)

    def __repr__(self) -> str:
        return f"b2Transform(position={self._position!r}, angle={self.angle:g})"


class b2Mat22:
    """A 2 by 2 matrix of two columns."""

    __slots__ = ("col1", "col2")

    def __init__(self, col1: Vec2Like | b2Vec2 = (1.0, 0.0), col2: Vec2Like | b2Vec2 = (0.0, 1.0)) -> None:
        self.col1, self.col2 = b2Vec2(*pair(col1, "col1")), b2Vec2(*pair(col2, "col2"))

    @property
    def ex(self) -> b2Vec2:
        """The first column."""
        return self.col1

    @property
    def ey(self) -> b2Vec2:
        """The second column."""
        return self.col2

    @property
    def angle(self) -> float:
        """The direction of the first column, radians."""
        return math.atan2(self.col1.y, self.col1.x)

    @property
    def inverse(self) -> b2Mat22:
        """The inverse; of a singular matrix the zero matrix."""
        (a, c), (b, d) = self.col1, self.col2
        determinant = a * d - b * c
        scale = 1.0 / determinant if determinant else 0.0
        return b2Mat22((scale * d, -scale * c), (-scale * b, scale * a))

    def Solve(self, b: Vec2Like | b2Vec2) -> b2Vec2:
        """x in A x = b."""
        return self.inverse * b

    def SetIdentity(self) -> None:
        """The unit matrix."""
        self.col1, self.col2 = vector(1.0, 0.0), vector(0.0, 1.0)

    def SetZero(self) -> None:
        """The zero matrix."""
        self.col1, self.col2 = vector(0.0, 0.0), vector(0.0, 0.0)

    def __add__(self, other: b2Mat22) -> b2Mat22:
        return b2Mat22(self.col1 + other.col1, self.col2 + other.col2)

    def __sub__(self, other: b2Mat22) -> b2Mat22:
        return b2Mat22(self.col1 - other.col1, self.col2 - other.col2)

    @overload
    def __mul__(self, other: b2Mat22) -> b2Mat22: ...
    @overload
    def __mul__(self, other: Vec2Like | b2Vec2) -> b2Vec2: ...
    def __mul__(self, other: Any) -> Any:
        if isinstance(other, b2Mat22):
            return b2Mat22(self * other.col1, self * other.col2)
        x, y = other_pair(other)
        return self.col1 * x + self.col2 * y

    def __repr__(self) -> str:
        return f"b2Mat22({self.col1!r}, {self.col2!r})"


class b2AABB:
    """An axis-aligned box."""

    __slots__ = ("_lowerBound", "_upperBound")
    lowerBound, upperBound = Kept("The lower left corner, metres."), Kept("The upper right corner, metres.")

    def __init__(self, lowerBound: Vec2Like | b2Vec2 = (0.0, 0.0), upperBound: Vec2Like | b2Vec2 = (0.0, 0.0)) -> None:
        self.lowerBound, self.upperBound = lowerBound, upperBound

    @property
    def center(self) -> b2Vec2:
        """The middle."""
        return (self.lowerBound + self.upperBound) / 2.0

    @property
    def extents(self) -> b2Vec2:
        """Half the width and half the height."""
        return (self.upperBound - self.lowerBound) / 2.0

    @property
    def perimeter(self) -> float:
        """Twice the width plus twice the height."""
        width, height = self.upperBound - self.lowerBound
        return 2.0 * (width + height)

    @property
    def valid(self) -> bool:
        """Whether the corners are finite and in order."""
        low, high = self.lowerBound, self.upperBound
        return low.valid and high.valid and low.x <= high.x and low.y <= high.y

    def Combine(self, aabb: b2AABB, other: b2AABB | None = None) -> None:
        """Becomes the smallest box around itself and another, or around two others."""
        a, b = (self, aabb) if other is None else (aabb, other)
        lower = min(a.lowerBound.x, b.lowerBound.x), min(a.lowerBound.y, b.lowerBound.y)
        self.upperBound = max(a.upperBound.x, b.upperBound.x), max(a.upperBound.y, b.upperBound.y)
        self.lowerBound = lower

    def overlaps(self, other: b2AABB) -> bool:
        """Whether the two boxes have a common point."""
        a, b = self, other
        return (
            a.lowerBound.x <= b.upperBound.x
            and b.lowerBound.x <= a.upperBound.x
            and a.lowerBound.y <= b.upperBound.y
            and b.lowerBound.y <= a.upperBound.y
        )

    def __contains__(self, item: Any) -> bool:
        if isinstance(item, b2AABB):
            return item.lowerBound in self and item.upperBound in self
        x, y = other_pair(item)
        return self.lowerBound.x <= x <= self.upperBound.x and self.lowerBound.y <= y <= self.upperBound.y

    def __repr__(self) -> str:
        return f"b2AABB(lowerBound={self.lowerBound!r}, upperBound={self.upperBound!r})"


class b2Color:
    """Red, green and blue, usually from 0 to 1."""

    __slots__ = ("b", "g", "r")

    def __init__(self, r: Any = 0.0, g: float | None = None, b: float | None = None) -> None:
        if g is None or b is None:
            r, g, b = r if not isinstance(r, (int, float)) else (r, g, b)
        self.Set(r, g, b)

    def Set(self, r: float, g: float | None, b: float | None) -> None:
        """Assigns the three components."""
        self.r, self.g, self.b = number(r, "r"), number(g or 0.0, "g"), number(b or 0.0, "b")

    def copy(self) -> b2Color:
        """Another colour with the same components."""
        return b2Color(self.r, self.g, self.b)

    @property
    def bytes(self) -> list[int]:
        """The components times 255, as integers."""
        return [int(255 * part) for part in self]

    @property
    def list(self) -> Any:
        """The components as a list."""
        return [self.r, self.g, self.b]

    @list.setter
    def list(self, value: Any) -> None:
        self.Set(*value)

    def __iter__(self) -> Iterator[float]:
        return iter((self.r, self.g, self.b))

    def __len__(self) -> int:
        return 3

    def __getitem__(self, key: int) -> float:
        return (self.r, self.g, self.b)[key]

    def __eq__(self, other: Any) -> bool:
        try:
            return tuple(self) == tuple(other)
        except TypeError:
            return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> b2Color:
        return b2Color(*(a + b for a, b in zip(self, other, strict=True)))

    def __sub__(self, other: Any) -> b2Color:
        return b2Color(*(a - b for a, b in zip(self, other, strict=True)))

    def __mul__(self, factor: float) -> b2Color:
        return b2Color(*(part * factor for part in self))

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> b2Color:
        return b2Color(*(part / divisor for part in self))

    def __repr__(self) -> str:
        return f"b2Color({self.r:g},{self.g:g},{self.b:g})"


def b2Dot(a: Vec2Like | b2Vec2, b: Vec2Like | b2Vec2) -> float:
    """The scalar product of two vectors."""
    (ax, ay), (bx, by) = other_pair(a), other_pair(b)
    return ax * bx + ay * by


def b2Cross(a: Any, b: Any) -> Any:
    """The cross product: of two vectors a number; of a number along z and a vector, in either order, a vector."""
    if isinstance(a, (int, float)):
        x, y = other_pair(b)
        return vector(-a * y, a * x)
    return b2Vec2(*other_pair(a)).cross(b)


def b2Mul(a: b2Rot | b2Transform | b2Mat22, b: Vec2Like | b2Vec2) -> b2Vec2:
    """A rotation, transform or matrix applied to a vector."""
    return a * b


def b2MulT(a: Any, b: Vec2Like | b2Vec2) -> b2Vec2:
    """The inverse of a rotation or transform, or the transpose of a matrix, applied to a vector."""
    x, y = other_pair(b)
    if isinstance(a, b2Transform):
        x, y = x - a.position.x, y - a.position.y
        a = a.q
    if isinstance(a, b2Rot):
        return vector(a.c * x + a.s * y, a.c * y - a.s * x)
    if isinstance(a, b2Mat22):
        return vector(a.col1.dot((x, y)), a.col2.dot((x, y)))
    raise TypeError(f"{short_repr(a)} must be a b2Rot, b2Transform or b2Mat22")


def b2DistanceSquared(a: Vec2Like | b2Vec2, b: Vec2Like | b2Vec2) -> float:
    """The square of the distance of two points."""
    (ax, ay), (bx, by) = other_pair(a), other_pair(b)
    return (ax - bx) ** 2 + (ay - by) ** 2


def b2Abs(a: Any) -> Any:
    """The absolute value of a number or of each component of a vector."""
    return abs(a)


def b2Min(a: Any, b: Any) -> Any:
    """The smaller of two numbers, or of each component of two vectors."""
    return min(a, b) if isinstance(a, (int, float)) else vector(min(a[0], b[0]), min(a[1], b[1]))


def b2Max(a: Any, b: Any) -> Any:
    """The larger of two numbers, or of each component of two vectors."""
    return max(a, b) if isinstance(a, (int, float)) else vector(max(a[0], b[0]), max(a[1], b[1]))


def b2Clamp(a: Any, low: Any, high: Any) -> Any:
    """A number, or each component of a vector, held between two bounds."""
    return b2Max(low, b2Min(a, high))
