"""Characters on terrain of every kind, driven as in docs/guide/characters.md: they walk over seams and vertices, fall
along walls of pieces, do not climb what is steeper than their limit and do not creep on what is not, whatever the
direction of gravity. Casts along flush surfaces do not meet the next piece."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import pytest

import box2dpy as b2

from ..sweeps import part

DT, GRAVITY = 1 / 60, 20.0
SHAPES: dict[str, b2.Geometry] = {
    "capsule": b2.Capsule((0, 0.3), (0, 1.5), 0.3),
    "circle": b2.Circle(0.5, (0, 0.5)),
    "box": b2.Box(0.3, 0.8, center=(0, 0.8)),
    "rounded box": b2.Box(0.25, 0.75, center=(0, 0.8), radius=0.05),
}
KINDS = ("boxes", "rounded boxes", "segments", "capsules", "chain")


class Place(NamedTuple):
    """A frame whose y axis is against gravity, and whether terrain is placed by its body or by its vertices."""

    angle: float
    x: float = 0.0
    y: float = 0.0
    by_body: bool = False

    def vector(self, x: float, y: float) -> b2.Vec2:
        c, s = math.cos(self.angle), math.sin(self.angle)
        return b2.Vec2(c * x - s * y, s * x + c * y)

    def point(self, x: float, y: float) -> b2.Vec2:
        return self.vector(x, y) + b2.Vec2(self.x, self.y)

    def local(self, v: b2.Vec2) -> b2.Vec2:
        return Place(-self.angle).vector(v.x, v.y)

    def local_point(self, p: b2.Vec2) -> b2.Vec2:
        return self.local(p - (self.x, self.y))

    def turned(self, angle: float, x: float = 0.0, y: float = 0.0) -> Place:
        at = self.point(x, y)
        return Place(self.angle + angle, at.x, at.y, self.by_body)

    def geometry(self, g: b2.Geometry, at: bool = False) -> b2.Geometry:
        move = self.point if at else self.vector
        if isinstance(g, b2.Circle):
            return b2.Circle(g.radius, move(*g.center))
        if isinstance(g, b2.Capsule):
            return b2.Capsule(move(*g.p1), move(*g.p2), g.radius)
        if isinstance(g, b2.Segment):
            return b2.Segment(move(*g.p1), move(*g.p2))
        assert isinstance(g, b2.Polygon)
        return b2.Polygon([move(*v) for v in g.vertices], g.radius)


PLACES = (Place(0.0), Place(math.pi, by_body=True), Place(0.7, 800, -500), Place(-1.2, 3000, 2000, by_body=True))


def lay(world: b2.World, place: Place, kind: str, spacing: float, begin: float, end: float) -> None:
    """Terrain below y = 0 of the place, of pieces from x = begin to beyond the end."""
    xs = [begin + spacing * k for k in range(math.ceil((end - begin) / spacing) + 2)]
    body = world.create_static_body((place.x, place.y), place.angle) if place.by_body else world.create_static_body()
    if kind == "chain":
        points = [b2.Vec2(x, 0) if place.by_body else place.point(x, 0) for x in reversed(xs)]
        body.create_chain([points[0] + points[0] - points[1], *points])
        return
    r = min(0.05, 0.2 * spacing)
    pieces: list[b2.Geometry] = []
    for x in xs:
        to = x + spacing
        if kind == "boxes":
            pieces.append(b2.Polygon([(x, -1), (to, -1), (to, 0), (x, 0)]))
        elif kind == "rounded boxes":
            pieces.append(b2.Polygon([(x + r, -1), (to - r, -1), (to - r, -r), (x + r, -r)], r))
        elif kind == "segments":
            pieces.append(b2.Segment((x, 0), (to, 0)))
        else:
            pieces.append(b2.Capsule((x, -0.1), (to, -0.1), 0.1))
    body.create_shapes(pieces if place.by_body else [place.geometry(piece, at=True) for piece in pieces])


class Run:
    """A world with gravity along -y of a place, and a mover in it, which no other mover of the world meets."""

    def __init__(
        self, place: Place, shape: str, x: float, y: float, dt: float = DT, world: b2.World | None = None
    ) -> None:
        self.place, self.dt = place, dt
        self.world = world or b2.World(gravity=place.vector(0, -GRAVITY))
        self.hero = b2.Mover(self.world, place.geometry(SHAPES[shape]), place.point(x, y))

    def frame(self, speed: float) -> b2.Vec2:
        """One frame of the guide; returns the position in the place."""
        hero, local = self.hero, self.place.local
        self.world.step(self.dt)
        vy = local(hero.velocity).y
        if hero.ground is not None:
            vy = 0.0
        hero.velocity = self.place.vector(speed, vy - GRAVITY * self.dt)
        hero.move(self.dt)
        return self.place.local_point(hero.position)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_walks_99_percent_of_its_way_over_flat_terrain(kind: str, place: Place) -> None:
    for row, spacing in enumerate((0.1, 0.37, 1.0, 4.3, 20.0)):
        world = b2.World(gravity=place.vector(0, -GRAVITY))
        lay(world, place, kind, spacing, -3, 8)
        for column, shape in enumerate(SHAPES):
            speed = (0.5, 3.0, 10.0)[(row + column + PLACES.index(place)) % 3]
            run = Run(place, shape, 0.013, 0.02, world=world)
            for frame in range(30):
                at = run.frame(speed)
                assert frame < 5 or run.hero.ground is not None, (spacing, shape, speed, frame)
            assert at.x - 0.013 >= 0.99 * speed * 30 * DT, (spacing, shape, speed)
            assert abs(at.y) < 0.005


@pytest.mark.parametrize(("kind", "place"), part(list(itertools.product(KINDS, PLACES)), 0.4))
def test_it_falls_freely_along_walls_of_pieces(kind: str, place: Place) -> None:
    # Walls that lean to either side are sharp pieces: a corner falls into the grooves of rounded ones.
    for lean in (0.0,) if kind == "rounded boxes" else (0.0, -0.08, 0.1):
        wall = place.turned(math.pi / 2 + lean)
        for row, spacing in enumerate((0.1, 0.37, 1.0, 4.3)):
            world = b2.World(gravity=place.vector(0, -GRAVITY))
            lay(world, wall, kind, spacing, -9, 3)
            for column, shape in enumerate(SHAPES):
                press = (0.5, 8.0)[(row + column + PLACES.index(place)) % 2]
                run = Run(place, shape, -0.8, 0.0, world=world)
                for _ in range(30):  # to the wall
                    run.hero.velocity = place.vector(3, 0)
                    run.hero.move(DT)
                top = place.local_point(run.hero.position).y
                run.hero.velocity = (0, 0)
                for _ in range(45):
                    at = run.frame(press)
                assert top - at.y >= 0.99 * 0.5 * GRAVITY * DT**2 * 45 * 46, (lean, spacing, shape, press)


@pytest.mark.parametrize(("degrees", "place"), part(list(itertools.product([61, 65, 72, 80, 86, 89], PLACES)), 0.4))
def test_it_does_not_climb_what_is_steeper_than_its_limit(degrees: float, place: Place) -> None:
    slope = place.turned(math.radians(degrees), 2, 0)
    for kind, spacing in (("boxes", 20.0), ("segments", 0.3), ("chain", 0.1), ("chain", 2.0)):
        world = b2.World(gravity=place.vector(0, -GRAVITY))
        lay(world, place, "boxes", 4, -6, 6)
        lay(world, slope, kind, spacing, 0, 8)
        for shape in SHAPES:
            for speed in (2.0, 10.0):
                run = Run(place, shape, 0, 0.01, world=world)
                top = max(run.frame(speed).y for _ in range(60))
                assert top < 0.02, (kind, spacing, shape, speed)


@pytest.mark.parametrize(("degrees", "place"), part(list(itertools.product([2, 10, 25, 45, 59], PLACES)), 0.4))
def test_it_neither_creeps_nor_slows_on_slopes_that_it_stands_on(degrees: float, place: Place) -> None:
    angle = math.radians(degrees)
    for kind, spacing in (("boxes", 3.0), ("segments", 0.3), ("chain", 0.1), ("chain", 5.0)):
        world = b2.World(gravity=place.vector(0, -GRAVITY))
        lay(world, place.turned(angle), kind, spacing, -12, 12)
        for shape in SHAPES:
            run = Run(place, shape, 0, 0.35 * math.tan(angle) + 0.5 / math.cos(angle) - 0.3, world=world)
            for _ in range(60):
                stood = run.frame(0)
            for _ in range(60):
                at = run.frame(0)
            assert at == pytest.approx(stood, abs=1e-6), (kind, spacing, shape)
            for speed in (3.0, -6.0):  # up, and down again
                begin = at
                for _ in range(30):
                    at = run.frame(speed)
                    assert run.hero.ground is not None
                assert at.x - begin.x == pytest.approx(speed * 30 * DT, rel=0.01), (kind, spacing, shape)


def test_length_of_frames_and_speeds_do_not_matter() -> None:
    for dt in (1 / 20, 1 / 30, 1 / 144, 1 / 500):
        for speed in (0.5, 25.0):
            run = Run(PLACES[2], "box", 0, 0.01, dt)
            lay(run.world, PLACES[2], "chain", 0.1, -3, 3 + 30 * dt * speed)
            at = [run.frame(speed) for _ in range(30)][-1]
            assert at.x >= 0.99 * 30 * dt * speed


def test_between_steep_slopes_it_stands_and_can_jump() -> None:
    world = b2.World(gravity=(0, -GRAVITY))
    for side in (1, -1):
        lay(world, Place(side * math.radians(75)), "boxes", 5, 0 if side > 0 else -5, 5 if side > 0 else 0)
    hero = b2.Mover(world, SHAPES["circle"], (0, 2))
    for _ in range(90):
        hero.velocity += (0, -GRAVITY * DT)
        hero.move(DT)
    assert hero.ground is not None
    assert hero.velocity == (0, 0)
    low = hero.position.y
    hero.velocity = (0, 6)
    hero.move(DT)
    assert hero.ground is None
    assert hero.position.y == pytest.approx(low + 6 * DT, abs=1e-3)


def test_it_stays_on_ground_that_falls_away_and_leaves_it_for_a_jump() -> None:
    run = Run(Place(0.0), "capsule", -2, 0.01)
    run.world.create_static_body().create_chain([(20, 0), (9, 0), (6, 2), (3, -2), (0, 0), (-5, 0), (-6, 0)])
    for _ in range(100):
        run.frame(6)
        assert run.hero.ground is not None
    run.hero.velocity = (0, 8)
    run.hero.move(DT)
    assert run.hero.ground is None
    assert run.hero.velocity.y == 8


def test_up_and_the_steepest_slope_are_chosen() -> None:
    world = b2.World(gravity=(0, 0))
    hero = b2.Mover(world, SHAPES["circle"], (0, 0))
    assert hero.up == (0, 1)
    world.gravity = (3, 0)
    assert hero.up == (-1, 0)
    hero.up = (0, -2)
    assert hero.up == (0, -1)
    world.create_static_body((0, -1)).create_shape(b2.Box(9, 1))
    hero.velocity = (0, -1)
    hero.move(DT)
    assert hero.ground is None  # a floor is a ceiling for it
    hero.up = None
    hero.move(0)
    assert hero.up == (-1, 0)
    with pytest.raises(ValueError, match="up"):
        hero.up = (0, 0)
    with pytest.raises(ValueError, match="max_slope"):
        hero.max_slope = 1.6
    for limit, stands in ((0.3, False), (0.5, True)):
        run = Run(Place(0.0), "circle", 0, 0.5)
        lay(run.world, Place(0.4), "boxes", 20, -30, 30)
        run.hero.max_slope = limit
        assert run.hero.max_slope == limit
        at = [run.frame(0) for _ in range(60)][-1]
        assert (run.hero.ground is not None) == stands
        assert (at.x > -0.01) == stands


@pytest.mark.parametrize("place", [*PLACES[:2], Place(0.7, 8, -5), Place(-1.2, 30, 20, by_body=True)])
@pytest.mark.parametrize("kind", ["boxes", "segments", "chain"])
def test_casts_along_flush_surfaces_do_not_meet_the_next_piece(kind: str, place: Place) -> None:
    for spacing in (0.1, 0.37, 1.0, 4.3):
        world = b2.World()
        lay(world, place, kind, spacing, -3, 12)
        step = world.create_static_body().create_shape(
            place.geometry(b2.Polygon([(8, -1), (11, -1), (11, 1e-4), (8, 1e-4)]), at=True)
        )
        for shape in SHAPES.values():
            geometry = place.geometry(shape)
            left = max(-place.local(p).x for p in geometry_points(geometry))
            for gap in (0.0, 1e-6, 3e-6, 5e-6, 1e-5, 2e-5):
                start, way = place.point(0.013, gap), place.vector(5, 0)
                assert world.cast_mover(geometry, start, way) == 1
                if gap:
                    hits = world.shape_cast_all(geometry, start, 0, way)
                    assert all(hit.fraction == 0 for hit in hits), (spacing, gap)  # rounding may let it touch there
                    assert gap < 3e-6 or not hits
            # A step of a tenth of a millimetre is no seam.
            hit = world.cast_mover(geometry, place.point(0.013, 2e-5), place.vector(9, 0))
            assert 7.5 - left < 9 * hit < 8
            assert world.shape_cast_all(geometry, place.point(0.013, 2e-5), 0, place.vector(9, 0))[0].shape == step


def geometry_points(geometry: b2.Geometry) -> list[b2.Vec2]:
    if isinstance(geometry, b2.Circle):
        return [geometry.center]
    if isinstance(geometry, b2.Capsule):
        return [geometry.p1, geometry.p2]
    assert isinstance(geometry, b2.Polygon)
    return list(geometry.vertices)


def test_a_cast_from_a_touch_is_stopped_by_what_it_leads_into() -> None:
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(9, 1))
    for shape in (b2.Box(0.5, 0.5), b2.Circle(0.5), b2.Box(0.4, 0.4, radius=0.1)):
        for depth, blocked in ((0.0, 0), (5e-6, 0)):
            start = (0, 0.5 - depth)
            assert world.cast_mover(shape, start, (1, -0.01)) == blocked, (shape, depth)
            assert world.cast_mover(shape, start, (1, 0)) == 1
            assert world.cast_mover(shape, start, (0, 2)) == 1
