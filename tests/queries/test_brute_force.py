"""Every query on random worlds agrees with brute force, and all broad phases give the same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import arrays, draws
from .reference import FILTERS, Placed, check_found, grazes, random_geometry, random_world, seen

BROADPHASES = b2.lab.NAMES["broadphase"][1:]


def agreed(worlds: list[b2.World], query: Callable[[b2.World], Any]) -> Any:
    """The answer of the first world, after those of all others were compared with it: they have the same bits."""
    answers = [query(world) for world in worlds]
    for broadphase, answer in zip(BROADPHASES, answers, strict=True):
        assert bits(answer) == bits(answers[0]), broadphase
    return answers[0]


def bits(answer: Any) -> Any:
    if isinstance(answer, list):
        return [bits(each) for each in answer]
    if isinstance(answer, b2.Shape):
        return answer.index
    if isinstance(answer, b2.RayHit):
        return answer.shape.index, tuple(answer.point), tuple(answer.normal), answer.fraction
    if isinstance(answer, b2.NearestHit):
        return answer.shape.index, tuple(answer.point), tuple(answer.normal), answer.distance
    assert answer is None or isinstance(answer, bool)
    return answer


CASES = [(seed, 0.0) for seed in range(6)] + [(100, 1.0e7), (101, -1.0e7)]


@pytest.mark.parametrize(("seed", "far"), CASES)
def test_ray_casts_agree_with_brute_force(seed: int, far: float) -> None:
    worlds = [random_world(seed, broadphase, far=far) for broadphase in BROADPHASES]
    world = worlds[0]
    draw = draws(seed + 1)
    shapes = {f: [(s, Placed.shape(s)) for s in seen(world, f)] for f in [None, *FILTERS]}
    for _ in range(120):
        reach = draw.choice([0.5, 5.0, 60.0])
        origin = far + draw.uniform(-25, 25), far + draw.uniform(-25, 25)
        way = draw.choice([(0.0, reach), (-reach, 0.0), (draw.uniform(-reach, reach), draw.uniform(-reach, reach))])
        chosen = draw.choice(list(shapes))
        expected = {s: t for s, placed in shapes[chosen] if (t := placed.ray(origin, way)) is not None}
        hits = agreed(worlds, lambda w: w.ray_cast_all(origin, way, filter=chosen))
        length = np.hypot(*way)
        grazing = 2e-6 if far == 0 else 1e-5  # the engine's rotations are float32
        for shape in set(expected) ^ {hit.shape for hit in hits}:
            assert grazes(Placed.shape(shape), origin, way, grazing), (seed, origin, way, shape)
        for hit in hits:
            if hit.shape in expected:
                assert abs(hit.fraction - expected[hit.shape]) * length < 1e-3 or grazes(
                    Placed.shape(hit.shape), origin, way, grazing
                )
            placed = Placed.shape(hit.shape)
            assert placed.distance(hit.point) < 1e-5
            assert abs(hit.normal.length - 1) < 1e-5
            assert hit.normal.dot(way) < 1e-6 * length
            assert (
                np.hypot(*(hit.point - (origin[0] + hit.fraction * way[0], origin[1] + hit.fraction * way[1]))) < 1e-8
            )
        assert [(h.fraction, h.shape.index) for h in hits] == sorted((h.fraction, h.shape.index) for h in hits)
        first = agreed(worlds, lambda w: w.ray_cast(origin, way, filter=chosen))
        assert first == (hits[0] if hits else None)
        assert agreed(worlds, lambda w: w.ray_cast_any(origin, way, filter=chosen)) == bool(hits)


@pytest.mark.parametrize(("seed", "far"), CASES)
def test_overlap_point_and_nearest_queries_agree_with_brute_force(seed: int, far: float) -> None:
    worlds = [random_world(seed, broadphase, far=far) for broadphase in BROADPHASES]
    world = worlds[0]
    draw = draws(seed + 2)
    close = 1e-5
    for _ in range(60):
        chosen = draw.choice([None, *FILTERS])
        shapes = [(s, Placed.shape(s)) for s in seen(world, chosen)]
        x, y = far + draw.uniform(-25, 25), far + draw.uniform(-25, 25)
        width, height = draw.choice([(0, 0), (3, 1), (30, 30), (0, 10)])
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        box = Placed(corners if width and height else [(x, y), (x + width, y + height)], 0.0)
        check_found(
            agreed(worlds, lambda w: w.overlap_aabb((x, y), (x + width, y + height), filter=chosen)),
            {s: p.gap(box) for s, p in shapes},
            close,
        )

        geometry, angle = random_geometry(draw), draw.uniform(-3, 3)
        rotation = world_rotation(angle)
        placed = Placed.of(geometry, (x, y), rotation)
        check_found(
            agreed(worlds, lambda w: w.overlap_shape(geometry, (x, y), angle, filter=chosen)),
            {s: p.gap(placed) for s, p in shapes},
            close,
        )

        solid = {s: p.distance((x, y)) for s, p in shapes if not p.segment}
        check_found(agreed(worlds, lambda w: w.point_query((x, y), filter=chosen)), solid, close)

        limit = draw.choice([0.0, 1.0, 7.0, 200.0])
        distances = {s: p.distance((x, y)) for s, p in shapes}
        near = agreed(worlds, lambda w: w.nearest((x, y), limit, filter=chosen))
        least = min(distances.values(), default=np.inf)
        if near is None:
            assert least > limit - close
        else:
            assert abs(near.distance - least) < close
            assert abs(distances[near.shape] - least) < close
            assert near.distance <= limit
            assert Placed.shape(near.shape).distance(near.point) < close
            assert abs((near.point - (x, y)).length - near.distance) < close
            if near.distance > 0:
                assert (near.point + near.normal * near.distance - (x, y)).length < close


def world_rotation(angle: float) -> b2.Vec2:
    return b2.World().create_static_body(angle=angle).rotation


@pytest.mark.parametrize("seed", range(6))
def test_shape_casts_agree_with_brute_force(seed: int) -> None:
    worlds = [random_world(seed, broadphase, count=40) for broadphase in BROADPHASES]
    world = worlds[0]
    draw = draws(seed + 3)
    for _ in range(50):
        chosen = draw.choice([None, *FILTERS])
        geometry, angle = random_geometry(draw), draw.uniform(-3, 3)
        start = draw.uniform(-25, 25), draw.uniform(-25, 25)
        way = draw.choice([(0.0, 0.0), (30.0, 0.0), (draw.uniform(-40, 40), draw.uniform(-40, 40))])
        moving = Placed.of(geometry, start, world_rotation(angle))
        hits = agreed(worlds, lambda w: w.shape_cast_all(geometry, start, angle, way, filter=chosen))
        length = np.hypot(*way)
        met = {hit.shape: hit for hit in hits}
        for shape in seen(world, chosen):
            placed = Placed.shape(shape)
            fraction = met[shape].fraction if shape in met else 1.0
            # Before the fraction the shapes are apart; at the fraction they touch.
            for k in range(20):
                t = fraction * k / 20
                gap = placed.gap(moving.moved(t * way[0], t * way[1]))
                assert gap > 0 or (t == 0 and shape in met and fraction == 0) or fraction * length < 1e-3, (
                    shape,
                    t,
                    fraction,
                )
            if shape in met:
                hit = met[shape]
                there = moving.moved(fraction * way[0], fraction * way[1])
                assert placed.gap(there) < 3e-5
                assert placed.distance(hit.point) < 3e-5
                if fraction > 0:
                    assert abs(hit.normal.length - 1) < 1e-5
                    assert there.distance(hit.point) < 3e-5
        assert [(h.fraction, h.shape.index) for h in hits] == sorted((h.fraction, h.shape.index) for h in hits)
        assert agreed(worlds, lambda w: w.shape_cast(geometry, start, angle, way, filter=chosen)) == (
            hits[0] if hits else None
        )
        assert agreed(worlds, lambda w: w.shape_cast_any(geometry, start, angle, way, filter=chosen)) == bool(hits)


@pytest.mark.parametrize(("seed", "far"), CASES)
@pytest.mark.parametrize("workers", [1, 3])
def test_all_broad_phases_and_array_queries_give_the_same_bits(seed: int, far: float, workers: int) -> None:
    draw = arrays(seed)
    n = 200
    starts, ways = far + draw.uniform(-25, 25, (n, 2)), draw.uniform(-30, 30, (n, 2))
    turns = draw.uniform(-3, 3, n)
    capsule = b2.Capsule((-0.5, 0), (0.5, 0.2), 0.3)
    answers = []
    for broadphase in BROADPHASES:
        world = random_world(seed, broadphase, far=far, workers=workers)
        rays, casts = world.ray_casts(starts, ways), world.shape_casts(capsule, starts, turns, ways)
        nears = world.nearests(starts, 5.0)
        boxes, touching = world.overlap_aabbs(starts, starts + abs(ways)), world.overlap_shapes(capsule, starts, turns)
        inside = world.point_queries(starts)
        answers.append([array.tobytes() for array in (rays, casts, nears, boxes, touching, inside)])
        for k in range(0, n, 5):
            o, d = starts[k], ways[k]
            same_hit(rays[k], world.ray_cast(o, d), "fraction")
            same_hit(casts[k], world.shape_cast(capsule, o, turns[k], d), "fraction")
            same_hit(nears[k], world.nearest(o, 5.0), "distance")
            assert of(boxes, k) == [s.index for s in world.overlap_aabb(o, o + abs(d))]
            assert of(touching, k) == [s.index for s in world.overlap_shape(capsule, o, turns[k])]
            assert of(inside, k) == [s.index for s in world.point_query(o)]
    assert answers == [answers[0]] * len(BROADPHASES)


def of(rows: np.ndarray, query: int) -> list[int]:
    return rows["shape"][rows["query"] == query].tolist()


def same_hit(row: np.void, hit: b2.RayHit | b2.NearestHit | None, amount: str) -> None:
    if hit is None:
        assert row["shape"] == row["body"] == -1
        assert row[amount] == row["generation"] == 0
        return
    assert row["shape"] == hit.shape.index
    assert row["body"] == hit.shape.body.index
    assert tuple(row["point"]) == hit.point
    assert tuple(row["normal"].astype(float)) == hit.normal
    assert row[amount] == getattr(hit, amount)


@pytest.mark.parametrize(
    ("spread", "far", "size"), [(40.0, 0.0, 0.3), (400.0, 0.0, 0.3), (40.0, 1.0e6, 0.5), (4000.0, -1.0e5, 2.0)]
)
def test_ray_and_shape_casts_through_many_moving_bodies_agree_with_brute_force(
    spread: float, far: float, size: float
) -> None:
    """Enough that the grid walks its cells; some have left the cells of the last build, some rays go far outside."""
    draw = arrays(11)
    places = far + draw.uniform(-spread, spread, (1500, 2))
    speeds = draw.uniform(-30, 30, (1500, 2))
    starts = far + draw.uniform(-1.2 * spread, 1.2 * spread, (400, 2))
    ways = draw.uniform(-spread, spread, (400, 2)) * draw.choice([0.05, 1.0, 3.0], (400, 1))
    ways[:40, 0] = 0
    ways[40:80, 1] = 0
    ways[80:90] *= 1.0e6
    answers = []
    for broadphase in BROADPHASES:
        world = b2.World(gravity=(0, 0), broadphase=broadphase)
        bodies = world.create_bodies(places, geometry=b2.Box(size, size / 2), linear_velocities=speeds)
        found = []
        for k in range(4):
            rays = world.ray_casts(starts, ways)
            found += [
                rays,
                world.shape_casts(b2.Circle(size), starts, None, ways),
                world.overlap_aabbs(starts, starts + 1),
            ]
            if k == 2:
                for body in list(bodies)[:60]:
                    x, y = body.position
                    body.position = x + 5, y + 3
            else:
                world.step()
        assert (rays["shape"] >= 0).sum() > 3
        answers.append([array.tobytes() for array in found])
    assert answers == [answers[0]] * len(BROADPHASES)


def test_a_hundred_thousand_casts_agree_with_closed_forms() -> None:
    """Rays and casts of a circle among circles, with every broad phase, against the quadratic equation."""
    draw = arrays(17)
    centers, radii = draw.uniform(-40, 40, (100, 2)), draw.uniform(0.1, 1.5, 100)
    worlds = [b2.World(broadphase=name) for name in BROADPHASES]  # type: ignore[arg-type]
    for world in worlds:
        for center, radius in zip(centers.tolist(), radii.tolist(), strict=True):
            world.create_static_body(center).create_shape(b2.Circle(radius))
        world.step()
    for part in range(20):
        moving = 0.0 if part < 10 else 0.4
        starts, ways = draw.uniform(-45, 45, (5000, 2)), draw.uniform(-30, 30, (5000, 2))
        offset, way = starts[:, None] - centers, ways[:, None]
        a, b, c = (way**2).sum(-1), (way * offset).sum(-1), (offset**2).sum(-1) - (radii + moving) ** 2
        with np.errstate(invalid="ignore"):
            meets = (-b - np.sqrt(b * b - a * c)) / a
        nearest = np.where((meets >= 0) & (meets <= 1), meets, np.inf).min(-1)
        # Casts that start inside, graze or end at a border are left to the other tests.
        clear = (c > 1e-3).all(-1) & (np.abs(b * b - a * c) > 1e-2 * a).all(-1) & ~(np.abs(meets - 1) <= 1e-4).any(-1)
        assert clear.mean() > 0.5
        for world in worlds:
            found = (
                world.ray_casts(starts, ways)
                if moving == 0
                else world.shape_casts(b2.Circle(moving), starts, None, ways)
            )
            hits = found["shape"] >= 0
            assert (hits == np.isfinite(nearest))[clear].all()
            assert np.abs(found["fraction"] - nearest)[clear & hits].max() < 1e-4
    for world in worlds:
        world.close()
