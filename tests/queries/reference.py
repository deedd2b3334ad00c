"""Brute-force queries in float64: every shape is tested, with other formulas than those of the engine."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import box2dpy as b2

from ..seeds import draws

Point = tuple[float, float]


@dataclass
class Placed:
    """Core corners in world coordinates and a radius."""

    points: list[Point]
    radius: float
    segment: bool = False
    one_sided: bool = False  # a chain segment: rays meet its right side only

    @classmethod
    def of(cls, geometry: b2.Geometry, position: Point, rotation: Point) -> Placed:
        if isinstance(geometry, b2.Circle):
            local, radius = [geometry.center], geometry.radius
        elif isinstance(geometry, b2.Polygon):
            local, radius = list(geometry.vertices), geometry.radius
        else:
            local, radius = [geometry.p1, geometry.p2], getattr(geometry, "radius", 0.0)
        c, s = rotation
        norm = math.hypot(c, s)
        c, s = c / norm, s / norm
        points = [(position[0] + c * x - s * y, position[1] + s * x + c * y) for x, y in local]
        chain = isinstance(geometry, b2.ChainSegment)
        return cls(points, radius, chain or isinstance(geometry, b2.Segment), chain)

    @classmethod
    def shape(cls, shape: b2.Shape) -> Placed:
        return cls.of(shape.geometry, shape.body.position, shape.body.rotation)

    def edges(self) -> list[tuple[Point, Point]]:
        n = len(self.points)
        return (
            [(self.points[k], self.points[(k + 1) % n]) for k in range(n)]
            if n > 2
            else [(self.points[0], self.points[-1])]
        )

    def inside_core(self, p: Point) -> bool:
        return len(self.points) > 2 and all(
            (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= 0 for a, b in self.edges()
        )

    def distance(self, p: Point) -> float:
        """To the solid shape; 0 inside."""
        if self.inside_core(p):
            return 0.0
        return max(0.0, min(point_to_segment(p, a, b) for a, b in self.edges()) - self.radius)

    def gap(self, other: Placed) -> float:
        """Distance of two solid shapes; 0 when they overlap."""
        if self.inside_core(other.points[0]) or other.inside_core(self.points[0]):
            return 0.0
        least = min(segment_to_segment(*e, *f) for e in self.edges() for f in other.edges())
        return max(0.0, least - self.radius - other.radius)

    def moved(self, x: float, y: float) -> Placed:
        return Placed([(px + x, py + y) for px, py in self.points], self.radius, self.segment, self.one_sided)

    def ray(self, o: Point, d: Point) -> float | None:
        """The fraction at which a ray enters, by the candidates on all edges and arcs."""
        if self.distance(o) == 0.0 and not self.segment:
            return None
        if self.one_sided:
            (ax, ay), (bx, by) = self.points
            if (bx - ax) * (o[1] - ay) - (by - ay) * (o[0] - ax) >= 0:
                return None
        found = []
        for a, b in self.edges():
            ex, ey = b[0] - a[0], b[1] - a[1]
            length = math.hypot(ex, ey)
            offsets = [(0.0, 0.0)] if self.radius == 0 else []
            if self.radius and length:
                nx, ny = ey / length * self.radius, -ex / length * self.radius
                offsets = [(nx, ny), (-nx, -ny)]
            for ox, oy in offsets:
                t = ray_segment(o, d, (a[0] + ox, a[1] + oy), (b[0] + ox, b[1] + oy))
                if t is not None:
                    found.append(t)
        if self.radius:
            for c in self.points:
                found += ray_circle(o, d, c, self.radius)
        found = [t for t in found if 0 < t <= 1]
        return min(found) if found else None


def grazes(placed: Placed, origin: tuple[float, float], way: tuple[float, float], by: float) -> bool:
    """Whether the answer changes when the shape grows or shrinks a little, or the ray starts on the surface."""
    wide = Placed(placed.points, placed.radius + by)
    if placed.one_sided:
        return (
            placed.distance(origin) < by
            or min(point_to_segment(p, origin, (origin[0] + way[0], origin[1] + way[1])) for p in placed.points) < by
        )
    if placed.distance(origin) < by:
        return True
    outer = wide.ray(origin, way)
    if placed.radius > by:
        inner = Placed(placed.points, placed.radius - by).ray(origin, way)
        return (inner is None) != (outer is None) or (outer is not None and (outer > 1 - 1e-6 or inner > 1 - 1e-6))
    return outer is not None  # a sharp one: its rim is met


def check_found(found: list[b2.Shape], gaps: dict[b2.Shape, float], close: float) -> None:
    """By index, all that overlap, none that is farther than `close`."""
    assert [s.index for s in found] == sorted({s.index for s in found})
    assert {s for s, gap in gaps.items() if gap == 0.0} <= set(found)
    assert set(found) <= {s for s, gap in gaps.items() if gap < close}


def point_to_segment(p: Point, a: Point, b: Point) -> float:
    ex, ey = b[0] - a[0], b[1] - a[1]
    squared = ex * ex + ey * ey
    t = 0.0 if squared == 0 else max(0.0, min(1.0, ((p[0] - a[0]) * ex + (p[1] - a[1]) * ey) / squared))
    return math.hypot(p[0] - a[0] - t * ex, p[1] - a[1] - t * ey)


def segment_to_segment(a: Point, b: Point, c: Point, d: Point) -> float:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    if side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
        return 0.0
    return min(
        point_to_segment(a, c, d), point_to_segment(b, c, d), point_to_segment(c, a, b), point_to_segment(d, a, b)
    )


def ray_segment(o: Point, d: Point, a: Point, b: Point) -> float | None:
    ex, ey = b[0] - a[0], b[1] - a[1]
    det = d[0] * ey - d[1] * ex
    if det == 0:
        return None
    ax, ay = a[0] - o[0], a[1] - o[1]
    t, u = (ax * ey - ay * ex) / det, (ax * d[1] - ay * d[0]) / det
    return t if 0 <= u <= 1 else None


def ray_circle(o: Point, d: Point, c: Point, r: float) -> list[float]:
    mx, my = o[0] - c[0], o[1] - c[1]
    a, b, e = d[0] ** 2 + d[1] ** 2, mx * d[0] + my * d[1], mx * mx + my * my - r * r
    disc = b * b - a * e
    return [] if a == 0 or disc < 0 else [(-b - math.sqrt(disc)) / a, (-b + math.sqrt(disc)) / a]


def random_geometry(draw: random.Random) -> b2.Geometry:
    kind = draw.randrange(6)
    if kind == 0:
        return b2.Circle(draw.uniform(0.1, 1.0), (draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5)))
    if kind == 1:
        return b2.Capsule(
            (-draw.uniform(0.2, 1), 0), (draw.uniform(0.2, 1), draw.uniform(-1, 1)), draw.uniform(0.1, 0.5)
        )
    if kind == 2:
        return b2.Segment((-draw.uniform(0.2, 2), draw.uniform(-1, 1)), (draw.uniform(0.2, 2), draw.uniform(-1, 1)))
    if kind == 3:
        return b2.Box(draw.uniform(0.2, 1.5), draw.uniform(0.2, 1.5), angle=draw.uniform(-2, 2))
    if kind == 4:
        return b2.Box(draw.uniform(0.2, 1.0), draw.uniform(0.2, 1.0), radius=draw.uniform(0.05, 0.4))
    corners = draw.randrange(3, 9)
    turns = sorted(2 * math.pi * (k + draw.uniform(-0.2, 0.2)) / corners for k in range(corners))
    return b2.Polygon([(1.2 * math.cos(t), 0.8 * math.sin(t)) for t in turns])


FILTERS = [b2.Filter(), b2.Filter(2), b2.Filter(4, 6), b2.Filter(8, 1), b2.Filter(1, 0)]


def random_world(
    seed: int, broadphase: str, *, count: int = 60, size: float = 20.0, far: float = 0.0, workers: int = 1
) -> b2.World:
    """Bodies of all types, some of several shapes, asleep, disabled, destroyed, moved or sensors; the same for every
    broad phase."""
    draw = draws(seed)
    world = b2.World(gravity=(0, 0), broadphase=broadphase, workers=workers)
    bodies = []
    for k in range(count):
        make = draw.choice([world.create_static_body, world.create_kinematic_body, world.create_dynamic_body])
        place = far + draw.uniform(-size, size), far + draw.uniform(-size, size)
        angle, awake, enabled = draw.uniform(-4, 4), draw.random() < 0.7, draw.random() < 0.9
        body = make(place, angle, enabled=enabled)
        body.awake = awake
        for _ in range(draw.choice([1, 1, 2, 3])):
            body.create_shape(random_geometry(draw), filter=draw.choice(FILTERS), sensor=draw.random() < 0.1)
        bodies.append(body)
        if k == count // 2 and draw.random() < 0.7:
            world.step()
    if draw.random() < 0.5:
        world.step()
    for body in draw.sample(bodies, count // 6):
        body.destroy()
    living = [body for body in bodies if body.alive]
    for body in draw.sample(living, count // 6):
        body.position = far + draw.uniform(-size, size), far + draw.uniform(-size, size)
    return world


def seen(world: b2.World, filter: b2.Filter | None = None) -> list[b2.Shape]:
    """The shapes that a query may find, by index."""
    category, mask = (2**64 - 1, 2**64 - 1) if filter is None else filter[:2]
    return [
        shape
        for shape in world.shapes
        if not shape.sensor and shape.body.enabled and mask & shape.filter.category and shape.filter.mask & category
    ]
