"""Characters of any size on terrain of any piece, with random lengths of steps, units, speeds, places and starts:
slopes of rounded pieces too, hills, rooms with walls and ceilings, and ground that moves."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random
from typing import NamedTuple

import pytest

import box2dpy as b2

from ..seeds import draws
from ..sweeps import part
from .test_mover_terrain import KINDS, SHAPES, Place, lay

FAR = 300.0  # units of length; vertices have 24 bits


def scaled(geometry: b2.Geometry, by: float) -> b2.Geometry:
    if isinstance(geometry, b2.Circle):
        return b2.Circle(geometry.radius * by, geometry.center * by)
    if isinstance(geometry, b2.Capsule):
        return b2.Capsule(geometry.p1 * by, geometry.p2 * by, geometry.radius * by)
    assert isinstance(geometry, b2.Polygon)
    return b2.Polygon([v * by for v in geometry.vertices], geometry.radius * by)


class Draw(NamedTuple):
    """A world with a mover in it. Lengths of the test are in units of length of the world."""

    random: Random
    unit: float
    place: Place
    dt: float
    speed: float
    size: float
    shape: str
    world: b2.World
    geometry: b2.Geometry

    @classmethod
    def of(cls, number: int, by_body: bool | None = None) -> Draw:
        r = draws(number)
        unit = r.choice((1.0, 1.0, 0.1, 100.0))
        x, y = (r.choice((0, unit)) * r.uniform(-FAR, FAR) for _ in range(2))
        place = Place(r.uniform(-3.2, 3.2), x, y, r.random() < 0.5 if by_body is None else by_body)
        shape, size = r.choice(list(SHAPES)), r.choice((0.25, 0.5, 1.0, 2.0))
        world = b2.World(gravity=place.vector(0, -20 * unit), length_unit=unit)
        dt, speed = r.choice((1 / 30, 1 / 60, 1 / 120, 1 / 240)), unit * r.uniform(0.5, 10)
        return cls(r, unit, place, dt, speed, size, shape, world, place.geometry(scaled(SHAPES[shape], size * unit)))

    def lay(self, place: Place, kind: str, spacing: float, begin: float, end: float) -> None:
        """As `lay` in the unit: the thickness and the rounding of its pieces are constants there."""
        u, at = self.unit, place
        if kind == "chain" or u == 1.0:
            lay(self.world, at, kind, spacing * u, begin * u, end * u)
            return
        with b2.World() as other:
            lay(other, Place(at.angle, at.x / u, at.y / u, at.by_body), kind, spacing, begin, end)
            (body,) = other.bodies
            copy = self.world.create_static_body(body.position * u, body.angle)
            for shape in body.shapes:
                g = shape.geometry
                if isinstance(g, b2.Segment):
                    copy.create_shape(b2.Segment(g.p1 * u, g.p2 * u))
                else:
                    copy.create_shape(scaled(g, u))

    def mover(self, x: float, y: float) -> b2.Mover:
        return b2.Mover(self.world, self.geometry, self.place.point(x * self.unit, y * self.unit))

    def frame(self, hero: b2.Mover, speed: float, jump: float = 0.0) -> b2.Vec2:
        self.world.step(self.dt)
        vy = self.place.local(hero.velocity).y if hero.ground is None else jump
        hero.velocity = self.place.vector(speed, vy - 20 * self.unit * self.dt)
        hero.move(self.dt)
        return self.place.local_point(hero.position) / self.unit

    def clearance(self, angle: float) -> float:
        """How high its origin is on a slope, less 2 cm."""
        g = scaled(SHAPES[self.shape], self.size)
        points = [g.center] if isinstance(g, b2.Circle) else [g.p1, g.p2] if isinstance(g, b2.Capsule) else None
        if points is None:
            assert isinstance(g, b2.Polygon)
            points = list(g.vertices)
        low = min(math.cos(angle) * p.y - math.sin(angle) * p.x for p in points)
        return (getattr(g, "radius", 0.0) - low) / math.cos(angle) + 0.02

    def idles(self, hero: b2.Mover) -> bool:
        """Whether it does not creep after it has stopped."""
        for _ in range(max(10, int(0.3 / self.dt))):
            stood = self.frame(hero, 0)
        for _ in range(30):
            at = self.frame(hero, 0)
        return math.dist(stood, at) < 5e-5  # five times the error of a cast

    def about(self) -> str:
        return f"{self.shape} of {self.size}, unit {self.unit}, speed {self.speed / self.unit}, dt 1/{1 / self.dt:.0f}"


@pytest.mark.parametrize("kind", KINDS)
def test_it_walks_up_and_down_slopes_of_any_piece(kind: str) -> None:
    for number in part(range(60), 0.4):
        run = Draw.of(9000 + number)
        angle = math.radians(run.random.uniform(-57, 57))
        frames, to = max(30, int(0.5 / run.dt)), run.random.choice((1, -1)) * run.speed
        end = (run.speed / run.unit * run.dt * frames + 4) / math.cos(angle) + 4
        run.lay(run.place.turned(angle), kind, 10 ** run.random.uniform(-1, 1.3), -end, end)
        x = run.random.uniform(-0.5, 0.5)
        hero = run.mover(x, x * math.tan(angle) + run.clearance(angle))
        for _ in range(20):
            begin = run.frame(hero, 0)
        for _ in range(frames):
            at = run.frame(hero, to)
            assert hero.ground is not None, (number, run.about())
        way = to / run.unit * run.dt * frames
        assert at.x - begin.x == pytest.approx(way, rel=0.01), (number, run.about(), math.degrees(angle))
        assert run.idles(hero), (number, run.about(), math.degrees(angle))


@pytest.mark.parametrize("kind", KINDS)
def test_it_falls_along_walls_and_does_not_climb_steep_slopes_of_any_piece(kind: str) -> None:
    for number in part(range(40), 0.4):
        run = Draw.of(9100 + number)
        lean, spacing = run.random.choice((0.0, run.random.uniform(-0.1, 0.15))), 10 ** run.random.uniform(-1, 1)
        run.lay(run.place.turned(math.pi / 2 + lean), kind, spacing, -9, 3)
        hero = run.mover(-2.4, 0)
        for _ in range(60):  # to the wall
            hero.velocity = run.place.vector(6 * run.unit, 0)
            hero.move(1 / 60)
        top, frames = run.place.local_point(hero.position).y / run.unit, int(0.6 / run.dt)
        hero.velocity = (0, 0)
        for _ in range(frames):
            at = run.frame(hero, run.speed)
        assert top - at.y >= 0.99 * 0.5 * 20 * run.dt**2 * frames * (frames + 1), (number, run.about(), lean)
    for number in part(range(30), 0.4):
        run = Draw.of(9200 + number)
        angle, u = math.radians(run.random.uniform(61, 90)), run.unit
        run.lay(run.place, run.random.choice(KINDS), 10 ** run.random.uniform(-1, 1), -6, 6)
        slope = run.place.turned(angle, 2 * u, 0)
        run.lay(slope, kind, 10 ** run.random.uniform(-1, 0.7), run.random.uniform(-0.5, 0), 12)
        hero = run.mover(0, 0.02)
        rise = max(run.frame(hero, run.speed).y for _ in range(max(60, int(1 / run.dt))))
        assert rise < 0.02, (number, run.about(), math.degrees(angle))


def test_it_walks_over_hills_with_vertices_of_any_distance() -> None:
    for number in part(range(150), 0.4):
        run = Draw.of(9300 + number)
        frames = max(60, int(1 / run.dt))
        points, mean = [b2.Vec2(-3, 0), b2.Vec2(3, 0)], 10 ** run.random.uniform(-1, 0.7)
        while points[-1].x < run.speed / run.unit * run.dt * frames + 10:
            angle = math.radians(run.random.uniform(-55, 55))
            points.append(points[-1] + b2.Vec2(math.cos(angle), math.sin(angle)) * max(0.1, mean * run.random.random()))
        p = run.place
        body = run.world.create_static_body((p.x, p.y), p.angle) if p.by_body else run.world.create_static_body()
        line = [point * run.unit if p.by_body else p.point(*(point * run.unit)) for point in points]
        if run.random.random() < 0.5:
            body.create_chain([line[-1] * 2 - line[-2], *reversed(line), line[0] * 2 - line[1]])
        else:
            body.create_shapes([b2.Segment(a, b) for a, b in pairwise(line)])
        hero = run.mover(0, 0.005)
        for _ in range(10):
            begin = run.frame(hero, 0)
        for _ in range(frames):
            at = run.frame(hero, run.speed)
            assert hero.ground is not None, (number, run.about())
        way = run.speed / run.unit * run.dt * frames
        assert at.x - begin.x == pytest.approx(way, rel=0.01), (number, run.about())
        assert run.idles(hero), (number, run.about())


def test_it_stays_in_rooms_of_any_shape_and_can_always_walk_away() -> None:
    for number in part(range(60), 0.4):
        run = Draw.of(9400 + number, by_body=False)
        r, u = run.random, run.unit
        if run.size == 2.0:  # has no room
            continue
        count = r.randint(4, 12)
        angles = [2 * math.pi * (k + r.uniform(0, 0.8)) / count for k in range(count)]
        room = [b2.Vec2(1.5 * math.cos(a), math.sin(a)) * r.uniform(3.5, 6) * u for a in angles]
        corners = [run.place.point(*p) for p in room]
        body = run.world.create_static_body()
        if r.random() < 0.5:
            body.create_chain(list(reversed(corners)), loop=True)
        else:
            body.create_shapes([b2.Segment(corners[k - 1], corners[k]) for k in range(count)])
        hero, direction = run.mover(0, 0), 0
        for _ in range(int(4 / run.dt)):
            if r.random() < 2 * run.dt:
                direction = r.choice((-1, 0, 1))
            run.frame(hero, direction * run.speed, 9 * u if r.random() < 0.05 else 0.0)
            planes = run.world.collide_mover(run.geometry, hero.position)
            assert min((plane.separation for plane in planes), default=0.0) > -2e-4 * u, (number, run.about())
        assert run.place.local_point(hero.position).length < 10 * u
        begin, ways = run.place.local_point(hero.position).x, []
        for side in (1, -1):
            for _ in range(int(1.5 / run.dt)):
                run.frame(hero, side * run.speed)
                ways.append(abs(run.place.local_point(hero.position).x - begin))
        assert max(ways) > 0.05 * u, (number, run.about())


def test_it_walks_on_moving_ground_as_on_ground_at_rest() -> None:
    for number in part(range(150), 0.4):
        run = Draw.of(9500 + number, by_body=True)
        r, u, p = run.random, run.unit, run.place
        frames = max(60, int(1 / run.dt))
        end = 1.4 * run.speed / u * run.dt * frames + 12
        run.lay(p, r.choice(KINDS), max(10 ** r.uniform(-1, 1.3), end / 100), -end, end)
        (ground,) = run.world.bodies
        ground.type = b2.BodyType.KINEMATIC
        ground.angle += math.radians(r.uniform(-40, 40))
        ground.linear_velocity = p.vector(r.uniform(-4, 4) * u, r.uniform(-3, 3) * u)
        hero, to = run.mover(0, 1.5 * run.size), r.choice((-1, 0, 1)) * run.speed
        for _ in range(int(3 / run.dt)):
            run.frame(hero, 0)
            if hero.ground is not None:
                break
        for _ in range(int(0.2 / run.dt)):
            run.frame(hero, 0)
        begin = hero.position - ground.position
        for _ in range(frames):
            run.frame(hero, to)
            assert hero.ground is not None, (number, run.about())
        way = p.local(hero.position - ground.position - begin).x
        assert way == pytest.approx(to * run.dt * frames, rel=0.01, abs=1e-4 * u), (number, run.about())


def test_casts_along_flush_surfaces_pass_all_seams() -> None:
    for number in range(200):
        run = Draw.of(9600 + number)
        r, u = run.random, run.unit
        kind = r.choice(KINDS)
        run.lay(run.place, kind, 10 ** r.uniform(-1, 1), -6, 14)
        start = run.place.point(r.uniform(-0.5, 0.5) * u, r.choice((0, 1e-6, 5e-6, 2e-5, 1e-4)) * u)
        way = run.place.vector(r.uniform(1, 6) * r.choice((-1, 1)) * u, 0)
        assert run.world.cast_mover(run.geometry, start, way) == 1, (number, run.about(), kind)
        if kind != "rounded boxes":  # other casts enter their grooves
            hits = run.world.shape_cast_all(run.geometry, start, 0, way)
            assert all(hit.fraction == 0 for hit in hits), (number, run.about(), kind)  # rounding may let it touch
