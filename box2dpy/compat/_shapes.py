"""The shapes of the bindings, and the definition of a fixture. A shape becomes one or more geometries of box2dpy."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from .. import Box, Capsule, Circle, Filter, Geometry, Polygon, Segment
from ..arguments import finite_pair, flag, integer, number, pair, short_repr
from ._passed import WithUserData
from ._vectors import Kept, b2AABB, b2Transform, b2Vec2, linked, vector

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..arguments import Vec2Like
    from ._fixtures import b2Fixture

    Point = tuple[float, float]

MAX_POLYGON_VERTICES = 16
GEOMETRY_VERTICES = 8  # of a polygon of box2dpy
SHORTEST = 0.005  # metres: shorter segments are no segments of box2dpy
POLYGON_RADIUS = 0.01  # of polygons and edges in collisions, metres; rays, points and masses know the core only


def refuse_keywords(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises TypeError where a keyword is not known."""
    for name in given:
        if name not in known:
            raise TypeError(f"{kind} has no {name!r}; it has {', '.join(sorted(known))}")


class b2MassData:
    """Mass, centre of mass, and inertia about the origin of the body."""

    __slots__ = ("I", "_center", "mass")
    center = Kept("The centre of mass, body coordinates, metres.")

    def __init__(self, mass: float = 0.0, center: Vec2Like | b2Vec2 = (0.0, 0.0), I: float = 0.0) -> None:  # noqa: E741
        self.mass, self.I = number(mass, "mass"), number(I, "I")
        self.center = center

    def __repr__(self) -> str:
        return f"b2MassData(mass={self.mass:g}, center={self.center!r}, I={self.I:g})"


class b2RayCastInput:
    """A ray from p1 to p1 + maxFraction * (p2 - p1)."""

    def __init__(
        self, p1: Vec2Like | b2Vec2 = (0.0, 0.0), p2: Vec2Like | b2Vec2 = (0.0, 0.0), maxFraction: float = 1.0
    ) -> None:
        self.p1, self.p2 = b2Vec2(*pair(p1, "p1")), b2Vec2(*pair(p2, "p2"))
        self.maxFraction = number(maxFraction, "maxFraction")


class b2RayCastOutput:
    """Where a ray met a shape: the fraction of its length, and the normal of the surface."""

    def __init__(self) -> None:
        self.fraction = 0.0
        self.normal = b2Vec2()


class b2Shape:
    """Base of all shapes. Changing the shape of a fixture changes the fixture; its mass follows `ResetMassData`."""

    e_circle, e_edge, e_polygon, e_chain, e_typeCount = 0, 1, 2, 3, 4
    type: ClassVar[int] = -1
    _fixture: b2Fixture | None = None
    _made: list[Geometry] | None = None
    _grown: list[Geometry] | None = None

    def _cores(self) -> list[Geometry]:
        """What the shape is made of, for rays, points and masses."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def _geometries(self) -> list[Geometry]:
        """What collides: the cores, of which polygons and edges have a rounding as in Box2D 2.3."""
        if self._grown is None:
            self._grown = [_grow(core) for core in self._cores()]
        return self._grown

    def _make(self) -> list[Geometry]:
        raise ValueError(f"a {type(self).__name__} is no form: use b2CircleShape, b2PolygonShape or another")

    def _copy(self) -> Any:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._fixture = None
        return other

    def _changed(self) -> None:
        self._made = self._grown = None
        if self._fixture is not None:
            self._fixture._replace_geometry()

    @property
    def childCount(self) -> int:
        """How many parts collide on their own: 1, or the edges of a chain."""
        return 1

    def TestPoint(self, xf: b2Transform, p: Vec2Like | b2Vec2) -> bool:
        """Whether a point of the world lies in the shape at a transform."""
        (x, y), (c, s), (px, py) = pair(p, "p"), (xf.q.c, xf.q.s), xf.position
        local = c * (x - px) + s * (y - py), c * (y - py) - s * (x - px)
        return any(each.contains(local) for each in self._cores())

    def RayCast(self, output: b2RayCastOutput, input: b2RayCastInput, transform: b2Transform, childIndex: int) -> bool:
        """Whether a ray enters the shape at a transform; `output` receives the place."""
        part = self._child(self._cores(), childIndex)
        (px, py), (c, s) = transform.position, (transform.q.c, transform.q.s)
        (x, y), (dx, dy) = input.p1 - (px, py), (input.p2 - input.p1) * input.maxFraction
        hit, start = None, (c * x + s * y, c * y - s * x)
        if len(part) > 1 and any(each.contains(start) for each in part):  # it leaves one piece and enters no other
            return False
        for each in part:
            found = each.ray_cast(start, (c * dx + s * dy, c * dy - s * dx))
            if found is not None and (hit is None or found.fraction < hit.fraction):
                hit = found
        if hit is None:
            return False
        output.fraction = hit.fraction * input.maxFraction
        output.normal = transform.q * hit.normal
        return True

    def _child(self, forms: list[Geometry], index: int) -> list[Geometry]:
        integer(index, "childIndex", 0, self.childCount - 1)
        return forms if self.childCount == 1 else [forms[index]]

    def getAABB(self, transform: b2Transform, childIndex: int = 0) -> b2AABB:
        """The smallest box around one part of the shape at a transform."""
        boxes = [
            each.aabb(transform.position.tuple, transform.angle) for each in self._child(self._geometries(), childIndex)
        ]
        return b2AABB(
            (min(box.lower.x for box in boxes), min(box.lower.y for box in boxes)),
            (max(box.upper.x for box in boxes), max(box.upper.y for box in boxes)),
        )

    def getMass(self, density: float) -> b2MassData:
        """The mass data of the shape at a density, kg/m^2."""
        return mass_of(self._cores(), density)


def _grow(core: Geometry) -> Geometry:
    if isinstance(core, Polygon):
        return Polygon(core.vertices, POLYGON_RADIUS)
    return Capsule(core.p1, core.p2, POLYGON_RADIUS) if isinstance(core, Segment) else core


def mass_of(geometries: Iterable[Geometry], density: float) -> b2MassData:
    """Mass, centre and inertia about the origin of several geometries."""
    mass = x = y = inertia = 0.0
    for each in geometries:
        part, turning, (cx, cy) = each.mass_data(density)
        mass, x, y = mass + part, x + part * cx, y + part * cy
        inertia += turning + part * (cx * cx + cy * cy)
    return b2MassData(mass, (x / mass, y / mass) if mass else (0.0, 0.0), inertia)


class b2CircleShape(b2Shape):
    """A solid circle."""

    type = b2Shape.e_circle

    def __init__(self, pos: Vec2Like | b2Vec2 = (0.0, 0.0), radius: float = 0.0, **options: Any) -> None:
        refuse_keywords("b2CircleShape", options, ("p",))
        self._pos = pair(options.get("p", pos), "pos")
        self._radius = number(radius, "radius")

    def _make(self) -> list[Geometry]:
        return [Circle(self._radius, self._pos)]

    @property
    def radius(self) -> float:
        """Metres."""
        return self._radius

    @radius.setter
    def radius(self, value: float) -> None:
        self._radius = number(value, "radius")
        self._changed()

    @property
    def pos(self) -> b2Vec2:
        """The centre, body coordinates, metres."""
        return linked(self, "pos", self._pos)

    @pos.setter
    def pos(self, value: Vec2Like | b2Vec2) -> None:
        self._pos = pair(value, "pos")
        self._changed()

    def __repr__(self) -> str:
        return f"b2CircleShape(pos={self.pos!r}, radius={self._radius:g})"


def convex_hull(points: Sequence[Any]) -> list[Point]:
    """The corners of the convex hull, counter-clockwise from the rightmost, the lower one of two."""
    rows = sorted({finite_pair(point, "vertex") for point in points})
    half: list[list[Point]] = []
    for ordered in (rows, rows[::-1]):
        side: list[Point] = []
        for x, y in ordered:
            while len(side) > 1 and (
                (side[-1][0] - side[-2][0]) * (y - side[-2][1]) - (side[-1][1] - side[-2][1]) * (x - side[-2][0]) <= 0.0
            ):
                side.pop()
            side.append((x, y))
        half.append(side[:-1])
    corners = half[0] + half[1]
    if len(corners) < 3:
        raise ValueError(f"vertices={short_repr(points)} must not lie on a line")
    start = max(range(len(corners)), key=lambda k: (corners[k][0], -corners[k][1]))
    return corners[start:] + corners[:start]


class b2PolygonShape(b2Shape):
    """A convex polygon: the hull of up to 16 vertices, or a box."""

    type = b2Shape.e_polygon
    radius = POLYGON_RADIUS

    def __init__(self, vertices: Sequence[Any] | None = None, box: Sequence[Any] | None = None) -> None:
        self._vertices: list[Point] = []
        if vertices is not None:
            self.vertices = vertices
        if box is not None:
            self.box = box

    def _make(self) -> list[Geometry]:
        corners = self._vertices
        if not corners:
            raise ValueError("a b2PolygonShape without vertices is no form")
        step = GEOMETRY_VERTICES - 2  # pieces of a fan around the first corner
        return [
            Polygon([corners[0], *corners[k : k + step + 1]]) for k in range(1, max(len(corners) - 1, 2), step)
        ]  # fmt: skip

    @property
    def vertices(self) -> list[Point]:
        """The corners, counter-clockwise; assigning takes the convex hull of 3 to 16 points."""
        return list(self._vertices)

    @vertices.setter
    def vertices(self, value: Sequence[Any]) -> None:
        points = list(value)
        if not 3 <= len(points) <= MAX_POLYGON_VERTICES:
            raise ValueError(f"vertices={short_repr(value)} must be 3 to {MAX_POLYGON_VERTICES} points")
        self._vertices = convex_hull(points)
        self._changed()

    @property
    def box(self) -> Any:
        """Only to be assigned: (half width, half height) with a centre and an angle, if wanted."""
        raise AttributeError("the box of a b2PolygonShape can only be assigned: read its vertices")

    @box.setter
    def box(self, value: Sequence[Any]) -> None:
        if len(value) not in (2, 3, 4):
            raise ValueError(f"box={short_repr(value)} must be (hx, hy), (hx, hy, center) or (hx, hy, center, angle)")
        self.SetAsBox(*value)

    def SetAsBox(self, hx: float, hy: float, center: Vec2Like | b2Vec2 = (0.0, 0.0), angle: float = 0.0) -> None:
        """A box of half width and half height around a centre, turned by an angle."""
        hx, hy, (x, y) = number(hx, "hx"), number(hy, "hy"), finite_pair(center, "center")
        Box(hx, hy)  # raises where they are not positive
        c, s = math.cos(angle), math.sin(angle)
        corners = ((-hx, -hy), (hx, -hy), (hx, hy), (-hx, hy))
        self._vertices = [(x + c * px - s * py, y + s * px + c * py) for px, py in corners]
        self._changed()

    @property
    def vertexCount(self) -> int:
        """How many corners it has."""
        return len(self._vertices)

    @property
    def normals(self) -> list[Point]:
        """Of each edge, from its corner to the next, the direction outward."""
        found = []
        for (ax, ay), (bx, by) in zip(self._vertices, self._vertices[1:] + self._vertices[:1], strict=True):
            length = math.hypot(bx - ax, by - ay)
            found.append(((by - ay) / length, (ax - bx) / length))
        return found

    @property
    def centroid(self) -> b2Vec2:
        """The centre of area, body coordinates."""
        return mass_of(self._cores(), 1.0).center

    @property
    def valid(self) -> bool:
        """Whether it has vertices: they are checked when they are assigned."""
        return bool(self._vertices)

    def Validate(self) -> bool:
        """The same as `valid`."""
        return self.valid

    def __repr__(self) -> str:
        return f"b2PolygonShape(vertices={self._vertices})"


def _vertex(position: int) -> property:
    def get(self: b2EdgeShape) -> b2Vec2:
        return vector(*(self._points[position] or (0.0, 0.0)))

    def assign(self: b2EdgeShape, value: Vec2Like | b2Vec2) -> None:
        self._points[position] = pair(value, "vertex")
        self._changed()

    return property(get, assign)


def _has_vertex(position: int) -> property:
    def get(self: b2EdgeShape) -> bool:
        return self._points[position] is not None

    return property(get)


class b2EdgeShape(b2Shape):
    """A line that collides from both sides. One that is shorter than 5 mm, a point too, collides as one of 6 mm.

    The neighbouring vertices 0 and 3 are kept and have no effect: box2dpy finds the neighbours of an edge on its own.
    """

    type = b2Shape.e_edge
    radius = POLYGON_RADIUS

    def __init__(
        self,
        vertices: Sequence[Any] | None = None,
        vertex0: Vec2Like | b2Vec2 | None = None,
        vertex1: Vec2Like | b2Vec2 = (0.0, 0.0),
        vertex2: Vec2Like | b2Vec2 = (0.0, 0.0),
        vertex3: Vec2Like | b2Vec2 | None = None,
    ) -> None:
        ends = [None if end is None else pair(end, "vertex") for end in (vertex0, vertex1, vertex2, vertex3)]
        self._points: list[Point | None] = ends
        if vertices is not None:
            self.vertices = vertices

    def _copy(self) -> Any:
        other = super()._copy()
        other._points = list(self._points)
        return other

    def _make(self) -> list[Geometry]:
        (ax, ay), (bx, by) = self.vertices
        length = math.hypot(bx - ax, by - ay)
        if length <= SHORTEST:
            x, y, half = 0.5 * (ax + bx), 0.5 * (ay + by), 0.6 * SHORTEST
            c, s = ((bx - ax) / length, (by - ay) / length) if length else (1.0, 0.0)
            return [Segment((x - half * c, y - half * s), (x + half * c, y + half * s))]
        return [Segment((ax, ay), (bx, by))]

    vertex0, vertex1, vertex2, vertex3 = (_vertex(k) for k in range(4))
    hasVertex0, hasVertex3 = _has_vertex(0), _has_vertex(3)

    @property
    def vertices(self) -> list[Point]:
        """Both ends. Assigning takes 2 points, or 3 or 4 with neighbours, which may be None."""
        return [self._points[1] or (0.0, 0.0), self._points[2] or (0.0, 0.0)]

    @vertices.setter
    def vertices(self, value: Sequence[Any]) -> None:
        points = [None if point is None else pair(point, "vertex") for point in value]
        if len(points) == 2:
            points = [None, *points, None]
        elif len(points) == 3:
            points = [*points, None]
        if len(points) != 4 or points[1] is None or points[2] is None:
            raise ValueError(f"vertices={short_repr(value)} must be the two ends, or these between their neighbours")
        self._points = points
        self._changed()

    @property
    def all_vertices(self) -> list[Point]:
        """The ends between their neighbours; (0, 0) where there is none."""
        return [point or (0.0, 0.0) for point in self._points]

    @property
    def vertexCount(self) -> int:
        """2."""
        return 2

    def __repr__(self) -> str:
        return f"b2EdgeShape(vertices={self.vertices})"


class b2ChainShape(b2Shape):
    """A line through many points, open or closed, that collides from both sides: each edge is a capsule of box2dpy.

    As in the bindings, `vertices` closes the line; `vertices_chain` leaves it open.
    """

    type = b2Shape.e_chain
    radius = POLYGON_RADIUS

    def __init__(
        self,
        vertices: Sequence[Any] | None = None,
        vertices_chain: Sequence[Any] | None = None,
        vertices_loop: Sequence[Any] | None = None,
    ) -> None:
        self._points: list[Point] = []
        if vertices_chain is not None:
            self.CreateChain(vertices_chain)
        loop = vertices if vertices is not None else vertices_loop
        if loop is not None:
            self.CreateLoop(loop)

    def _make(self) -> list[Geometry]:
        if not self._points:
            raise ValueError("a b2ChainShape without vertices is no form")
        return [Segment(a, b) for a, b in zip(self._points, self._points[1:], strict=False)]

    def CreateChain(self, vertices: Sequence[Any]) -> None:
        """Makes it an open line of at least 2 points."""
        points = [finite_pair(point, "vertex") for point in vertices]
        if len(points) < 2:
            raise ValueError(f"vertices={short_repr(vertices)} must be 2 points or more")
        self._points = points
        self._changed()

    def CreateLoop(self, vertices: Sequence[Any]) -> None:
        """Makes it a closed line of at least 3 points; the last is joined to the first."""
        points = [finite_pair(point, "vertex") for point in vertices]
        if len(points) < 3:
            raise ValueError(f"vertices={short_repr(vertices)} must be 3 points or more")
        self._points = [*points, points[0]]
        self._changed()

    vertices_chain = property(None, CreateChain)
    vertices_loop = property(None, CreateLoop)

    @property
    def vertices(self) -> list[Point]:
        """All points; of a closed line the first is repeated at the end. Assigning closes the line."""
        return list(self._points)

    @vertices.setter
    def vertices(self, value: Sequence[Any]) -> None:
        self.CreateLoop(value)

    @property
    def vertexCount(self) -> int:
        """How many points there are."""
        return len(self._points)

    @property
    def childCount(self) -> int:
        """How many edges there are."""
        return max(len(self._points) - 1, 0)

    def getChildEdge(self, childIndex: int) -> b2EdgeShape:
        """One edge."""
        integer(childIndex, "childIndex", 0, self.childCount - 1)
        return b2EdgeShape(self._points[childIndex : childIndex + 2])

    @property
    def edges(self) -> list[b2EdgeShape]:
        """All edges."""
        return [self.getChildEdge(k) for k in range(self.childCount)]

    def __repr__(self) -> str:
        return f"b2ChainShape(vertices={self._points})"


b2LoopShape = b2ChainShape


def _bits(slot: str, lower: int, upper: int, doc: str) -> property:
    def assign(self: b2Filter, value: int) -> None:
        setattr(self, slot, integer(value, slot[1:], lower, upper))
        self._changed()

    return property(attrgetter(slot), assign, doc=doc)


class b2Filter:
    """What a fixture collides with: bits of its category, bits of the categories that it accepts, and its group."""

    __slots__ = ("_categoryBits", "_fixture", "_groupIndex", "_maskBits")

    _fixture: b2Fixture | None

    def __init__(self, categoryBits: int = 1, maskBits: int = 0xFFFF, groupIndex: int = 0) -> None:
        self._fixture = None
        self._categoryBits, self._maskBits, self._groupIndex = 1, 0xFFFF, 0
        if (categoryBits, maskBits, groupIndex) != (1, 0xFFFF, 0):
            self.categoryBits, self.maskBits, self.groupIndex = categoryBits, maskBits, groupIndex

    def _native(self) -> Filter:
        return Filter(self._categoryBits, self._maskBits, self._groupIndex)

    def _changed(self) -> None:
        if self._fixture is not None:
            self._fixture.filterData = self

    categoryBits = _bits("_categoryBits", 0, 0xFFFF, "The bits of the category of the fixture.")
    maskBits = _bits("_maskBits", 0, 0xFFFF, "The categories that the fixture collides with.")
    groupIndex = _bits(
        "_groupIndex", -0x8000, 0x7FFF,
        "Fixtures of the same group always collide if it is positive, and never if it is negative.",
    )  # fmt: skip

    def __repr__(self) -> str:
        return f"b2Filter(categoryBits={self._categoryBits}, maskBits={self._maskBits}, groupIndex={self._groupIndex})"


_FILTER = ("categoryBits", "maskBits", "groupIndex")


class b2FixtureDef(WithUserData):
    """A shape with its material, from which fixtures are made; it may be used many times."""

    def __init__(
        self,
        shape: b2Shape | None = None,
        userData: Any = None,
        friction: float = 0.2,
        restitution: float = 0.0,
        density: float = 0.0,
        isSensor: bool = False,
        filter: b2Filter | None = None,
        **bits: int,
    ) -> None:
        refuse_keywords("b2FixtureDef", bits, _FILTER)
        self.shape = shape
        self.userData = userData
        self.friction = number(friction, "friction")
        self.restitution = number(restitution, "restitution")
        self.density = number(density, "density")
        self.isSensor = flag(isSensor, "isSensor")
        self.filter = b2Filter() if filter is None else as_filter(filter)
        for name, value in bits.items():
            setattr(self.filter, name, value)

    categoryBits = property(lambda self: self.filter.categoryBits, lambda self, v: setattr(self.filter, _FILTER[0], v))
    maskBits = property(lambda self: self.filter.maskBits, lambda self, v: setattr(self.filter, _FILTER[1], v))
    groupIndex = property(lambda self: self.filter.groupIndex, lambda self, v: setattr(self.filter, _FILTER[2], v))

    def __repr__(self) -> str:
        return (
            f"b2FixtureDef(shape={self.shape!r}, density={self.density:g}, friction={self.friction:g}, "
            f"restitution={self.restitution:g}, isSensor={self.isSensor}, filter={self.filter!r})"
        )


def as_filter(value: Any) -> b2Filter:
    """A copy of a filter."""
    if not isinstance(value, b2Filter):
        raise TypeError(f"{short_repr(value)} must be a b2Filter")
    copy = object.__new__(b2Filter)
    copy._fixture = None
    copy._categoryBits, copy._maskBits, copy._groupIndex = value._categoryBits, value._maskBits, value._groupIndex
    return copy
