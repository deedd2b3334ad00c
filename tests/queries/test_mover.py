"""The geometric character mover on slopes, steps and internal edges, along walls, in corners, and out of overlaps."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2

from ..seeds import draws

DT = 1 / 60
HERO = b2.Capsule((0, 0.3), (0, 1.2), 0.3)  # its foot is at its origin
UP = b2.Vec2(0.0, 1.0)


def box(world: b2.World, x: float, y: float, hx: float, hy: float, angle: float = 0) -> b2.Shape:
    return world.create_static_body((x, y), angle).create_shape(b2.Box(hx, hy))


def walk(hero: b2.Mover, speed: float, steps: int) -> None:
    for _ in range(steps):
        hero.velocity = speed, hero.velocity.y - 10 * DT
        hero.move(DT)


def test_a_mover_falls_stands_and_walks() -> None:
    world = b2.World()
    box(world, 0, -1, 50, 1)
    hero = b2.Mover(world, HERO, (0, 2))
    walk(hero, 0, 20)
    assert hero.position.y == pytest.approx(2 - 0.5 * 10 * (20 * DT) ** 2, rel=0.06)
    assert hero.ground_normal is None
    walk(hero, 0, 40)
    assert hero.position == pytest.approx((0, 0), abs=0.006)
    assert (hero.velocity.y, hero.ground_normal) == (0, UP)
    walk(hero, 3, 120)
    assert hero.position == pytest.approx((6, 0), abs=0.01)


@pytest.mark.parametrize("degrees", [20, 45])
def test_a_mover_walks_up_and_down_slopes(degrees: float) -> None:
    angle = math.radians(degrees)
    world = b2.World()
    box(world, 0, -1, 10, 1)
    slope = world.create_static_body((2, 0))
    slope.create_shape(b2.Polygon([(0, 0), (8, 8 * math.tan(angle)), (8, 0)]))
    hero = b2.Mover(world, HERO, (0, 0))
    walk(hero, 3, 150)
    climbed = hero.position.x - 2
    assert climbed > 1
    # The round foot touches the slope beside its lowest point.
    assert hero.position.y == pytest.approx(climbed * math.tan(angle) + 0.3 * (1 / math.cos(angle) - 1), abs=0.03)
    assert hero.ground_normal == pytest.approx((-math.sin(angle), math.cos(angle)), abs=1e-3)
    walk(hero, -3, 240)
    assert hero.position.x < 0
    assert hero.position.y == pytest.approx(0, abs=0.02)


def test_a_mover_climbs_low_steps_and_not_high_ones() -> None:
    for height, climbs in ((0.1, True), (0.6, False)):
        world = b2.World()
        box(world, 0, -1, 10, 1)
        box(world, 6, height / 2, 3, height / 2)
        hero = b2.Mover(world, HERO, (0, 0))
        walk(hero, 3, 120)
        assert (hero.position.x > 3) == climbs
        assert hero.position.y == pytest.approx(height if climbs else 0, abs=0.02)
        if not climbs:
            assert hero.position.x == pytest.approx(3 - 0.3, abs=0.01)


def test_a_mover_slides_along_walls_and_stops_in_corners() -> None:
    world = b2.World()
    box(world, 5, 0, 1, 10)  # wall at x = 4
    hero = b2.Mover(world, b2.Circle(0.5), (0, 0), velocity=(6, 2))
    for _ in range(120):
        hero.velocity = 6, 2
        hero.move(DT)
    assert hero.position == pytest.approx((3.5, 4), abs=0.02)
    assert hero.velocity == pytest.approx((0, 2), abs=1e-3)
    box(world, 0, 8, 10, 1, math.radians(20))
    for _ in range(240):
        hero.velocity = 6, 2
        hero.move(DT)
    assert math.hypot(*hero.velocity) < 1e-3
    for plane in hero.planes:
        assert plane.separation > -0.005


def test_a_fast_mover_does_not_pass_a_thin_wall() -> None:
    world = b2.World()
    wall = world.create_static_body((5, 0)).create_shape(b2.Segment((0, -5), (0, 5)))
    hero = b2.Mover(world, b2.Circle(0.2), velocity=(500, 30))
    hero.move(DT)
    assert hero.position.x == pytest.approx(4.8, abs=0.01)
    assert [plane.shape for plane in hero.planes] == [wall]


def test_a_mover_leaves_shapes_that_it_overlaps_and_walks_over_internal_edges() -> None:
    world = b2.World()
    for k in range(40):
        box(world, k - 20, -0.5, 0.5, 0.5)
    hero = b2.Mover(world, HERO, (-10, -0.2))
    walk(hero, 0, 5)
    assert hero.position.y == pytest.approx(0, abs=0.01)
    for _ in range(300):
        walk(hero, 3, 1)
        assert abs(hero.position.y) < 0.012
    assert hero.position.x == pytest.approx(5, abs=0.1)


def test_mover_queries_respect_filters() -> None:
    world = b2.World()
    wall = box(world, 5, 0, 1, 5)
    wall.filter = b2.Filter(category=4)
    assert world.cast_mover(b2.Circle(0.5), (0, 0), (7, 0)) == pytest.approx(0.5, abs=1e-4)
    assert world.cast_mover(b2.Circle(0.5), (0, 0), (7, 0), filter=b2.Filter(mask=3)) == 1
    assert world.cast_mover(b2.Circle(0.5), (3.5, 0), (0, 3)) == 1  # along it
    assert world.cast_mover(b2.Circle(0.5), (4, 0), (-3, 0)) == 1  # out of it
    ghost = b2.Mover(world, b2.Circle(0.5), velocity=(60, 0), filter=b2.Filter(mask=3))
    for _ in range(12):
        ghost.move(DT)
    assert ghost.position.x == pytest.approx(12)


def test_the_plane_solver_finds_the_nearest_allowed_point() -> None:
    """The result is the point of a convex region nearest to the target: it violates no plane, and no allowed point is
    nearer."""
    random_ = draws(5)
    for _ in range(50):
        planes = []
        for _ in range(random_.randint(1, 4)):
            angle = random_.uniform(0, 2 * math.pi)
            planes.append(
                b2.MoverPlane(b2.Vec2(math.cos(angle), math.sin(angle)), random_.uniform(0.1, 1))
            )  # zero is allowed
        wish = random_.uniform(-3, 3), random_.uniform(-3, 3)
        x, y = b2.solve_planes(wish, planes, iterations=2000)
        slack = [plane.separation + plane.normal.x * x + plane.normal.y * y for plane in planes]
        assert min(slack) > -1e-4
        best = math.dist((x, y), wish)
        for _ in range(500):
            p = random_.uniform(-3, 3), random_.uniform(-3, 3)
            if all(plane.separation + plane.normal.x * p[0] + plane.normal.y * p[1] >= 0 for plane in planes):
                assert math.dist(p, wish) >= best - 1e-3
    soft = b2.MoverPlane(UP, -1.0, push_limit=0.25)
    assert b2.solve_planes((0, 0), [soft]) == (0, 0.25)


def test_clipped_vectors_do_not_point_into_a_plane() -> None:
    left, floor = b2.MoverPlane(b2.Vec2(1.0, 0.0), 0.0), b2.MoverPlane(UP, -0.001)
    assert b2.clip_vector((-1, 2), [left, floor]) == (0, 2)
    assert b2.clip_vector((-1, -2), [left, floor]) == (0, 0)
    assert b2.clip_vector((-1, -2), [left._replace(clip_velocity=False), floor]) == (-1, 0)
    assert b2.clip_vector((-1, -2), [left, floor._replace(separation=1.0)]) == (0, -2)
    assert b2.clip_vector((3, 4), []) == (3, 4)


def test_bad_mover_arguments_are_refused() -> None:
    world = b2.World()
    plane = b2.MoverPlane(UP, 0.0)
    with pytest.raises(ValueError, match="translation"):
        b2.solve_planes((math.nan, 0), [plane])
    for bad in (
        plane._replace(normal=b2.Vec2(0, 3)),
        plane._replace(separation=math.inf),
        plane._replace(push_limit=-1),
    ):
        with pytest.raises(ValueError, match="planes"):
            b2.clip_vector((1, 0), [bad])
    for call in (b2.solve_planes, b2.clip_vector):
        with pytest.raises(TypeError, match="planes"):
            call((0, 0), 3)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="planes"):
            call((0, 0), [(0, 1)])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="geometry"):
        b2.Mover(world, b2.Segment((0, 0), (1, 0)))
    with pytest.raises(ValueError, match="position"):
        b2.Mover(world, HERO, (math.inf, 0))
    hero = b2.Mover(world, HERO)
    with pytest.raises(ValueError, match="velocity"):
        hero.velocity = math.nan, 0
    for dt in (-1, math.nan):
        with pytest.raises(ValueError, match="dt"):
            hero.move(dt)
    with pytest.raises(ValueError, match="margin"):
        world.collide_mover(HERO, (0, 0), margin=-1)
    world.close()
    with pytest.raises(b2.DestroyedError):
        hero.move(DT)
