"""Standalone geometry: methods of the values, and functions of two of them."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import arrays, draws
from .reference import Placed, random_geometry


def rotation(angle: float) -> tuple[float, float]:
    return math.cos(angle), math.sin(angle)


@pytest.mark.parametrize("seed", range(20))
def test_distance_agrees_with_brute_force(seed: int) -> None:
    draw = draws(seed)
    a, b = random_geometry(draw), random_geometry(draw)
    pa, pb = (draw.uniform(-3, 3), draw.uniform(-3, 3)), (draw.uniform(-3, 3), draw.uniform(-3, 3))
    ta, tb = draw.uniform(-3, 3), draw.uniform(-3, 3)
    found = b2.distance(a, b, position_a=pa, angle_a=ta, position_b=pb, angle_b=tb)
    placed_a, placed_b = Placed.of(a, pa, rotation(ta)), Placed.of(b, pb, rotation(tb))
    gap = placed_a.gap(placed_b)
    assert max(found.distance, 0) == pytest.approx(gap, abs=2e-6)
    if gap > 0:
        assert placed_a.distance(found.point_a) < 2e-6
        assert placed_b.distance(found.point_b) < 2e-6
        assert (found.point_b - found.point_a).length == pytest.approx(gap, abs=2e-6)
        assert (found.point_a + found.normal * found.distance - found.point_b).length < 2e-6
    many = b2.distances(a, b, [pb, pa], [tb, ta], positions_a=pa, angles_a=ta)
    assert many["distance"][0] == found.distance
    assert tuple(many["point_b"][0]) == found.point_b
    manifold = b2.collide(a, b, position_a=pa, angle_a=ta, position_b=pb, angle_b=tb)
    if not (isinstance(a, b2.Segment) and isinstance(b, b2.Segment)):
        assert bool(manifold.points) == (found.distance <= 0) or abs(found.distance) < 1e-4


@pytest.mark.parametrize("seed", range(20))
def test_bounds_points_and_rays_of_a_geometry_agree_with_those_of_a_shape(seed: int) -> None:
    draw = draws(seed)
    geometry = random_geometry(draw)
    place, angle = (draw.uniform(-5, 5), draw.uniform(-5, 5)), draw.uniform(-3, 3)
    placed = Placed.of(geometry, place, rotation(angle))
    box = geometry.aabb(place, angle)
    for k in range(2):
        assert box.lower[k] == pytest.approx(min(p[k] for p in placed.points) - placed.radius, abs=2e-6)
        assert box.upper[k] == pytest.approx(max(p[k] for p in placed.points) + placed.radius, abs=2e-6)
    local = Placed.of(geometry, (0, 0), (1, 0))
    rows = np.array([(draw.uniform(-2, 2), draw.uniform(-2, 2)) for _ in range(50)])
    inside = geometry.contains_points(rows)
    assert inside.tolist() == [geometry.contains(row) for row in rows]
    for row, answer in zip(rows, inside):
        assert bool(answer) == (local.distance(row) == 0 and not local.segment)
        hit = geometry.ray_cast(row, -2 * row)
        expected = local.ray(tuple(row), tuple(-2 * row))
        assert (hit is None) == (expected is None)
        if hit is not None:
            assert hit.fraction == pytest.approx(expected, abs=1e-6)
            assert local.distance(hit.point) < 1e-6


def test_the_mass_of_a_geometry_is_that_of_a_body_with_it() -> None:
    for geometry in (b2.Circle(0.5, (1, 0)), b2.Box(1, 2, radius=0.1), b2.Capsule((0, 0), (2, 0), 0.5)):
        body = b2.World().create_dynamic_body()
        body.create_shape(geometry, density=3)
        mass, inertia, center = geometry.mass_data(3)
        assert (body.mass, body.local_center) == (mass, center)
        assert body.inertia == pytest.approx(inertia, rel=1e-5)
    assert b2.Segment((0, 0), (1, 0)).mass_data().mass == 0


def test_the_masses_of_many_geometries_are_those_of_each() -> None:
    draw = draws(1)
    geometries, densities = [random_geometry(draw) for _ in range(20)], np.arange(20.0)
    rows = b2.mass_data(geometries, densities)
    for row, geometry, density in zip(rows, geometries, densities, strict=True):
        assert (row["mass"], row["inertia"], tuple(row["center"])) == geometry.mass_data(density)
    assert (b2.mass_data(geometries, 2.0)["mass"] == [each.mass_data(2.0).mass for each in geometries]).all()
    assert len(b2.mass_data([])) == 0


def test_shape_cast_and_time_of_impact_agree_for_a_straight_motion() -> None:
    hit = b2.shape_cast(b2.Box(1, 1), b2.Circle(0.5), (-10, 0), position_b=(6, 0.3))
    assert hit is not None
    assert hit.fraction == pytest.approx(0.45, abs=1e-5)
    assert hit.point == pytest.approx((1, 0.3), abs=1e-5)
    impact = b2.time_of_impact(b2.Box(1, 1), b2.Circle(0.5), position_b=(6, 0.3), translation_b=(-10, 0))
    assert impact.state == "hit"
    assert impact.fraction == pytest.approx(0.45, abs=1e-3)
    assert impact.normal == pytest.approx((1, 0), abs=1e-5)
    assert b2.shape_cast(b2.Box(1, 1), b2.Circle(0.5), (0, 10), position_b=(6, 0)) is None
    missed = b2.time_of_impact(b2.Box(1, 1), b2.Circle(0.5), position_b=(6, 0), translation_b=(0, 10))
    assert (missed.state, missed.fraction) == ("separated", 1.0)
    assert b2.time_of_impact(b2.Box(1, 1), b2.Circle(0.5)).state == "overlapped"


def test_time_of_impact_of_a_rotating_bar_and_a_disc_is_right() -> None:
    bar = b2.Box(2, 0.05)
    impact = b2.time_of_impact(b2.Circle(0.2), bar, position_a=(0, 1.5), rotation_b=math.pi)
    assert impact.state == "hit"
    assert impact.fraction == pytest.approx(0.5 - math.asin(0.25 / 1.5) / math.pi, abs=5e-3)
    about_its_end = b2.time_of_impact(b2.Circle(0.2), bar, position_a=(-2, 3), rotation_b=math.pi, center_b=(-2, 0))
    assert about_its_end.state == "hit"


def test_geometry_far_from_the_origin_is_as_exact() -> None:
    far = 1.0e7
    found = b2.distance(b2.Circle(1), b2.Circle(1), position_a=(far, far), position_b=(far + 3, far))
    assert found.distance == pytest.approx(1)
    assert found.point_a == (far + 1, far)
    manifold = b2.collide(b2.Box(1, 1), b2.Box(1, 1), position_a=(far, far), position_b=(far, far + 1.5))
    assert [point.separation for point in manifold.points] == pytest.approx([-0.5, -0.5])
    assert {point.point.x - far for point in manifold.points} == {-1, 1}


def rows_of(found: np.ndarray) -> list[bytes]:
    return [row.tobytes() for row in found]


@pytest.mark.parametrize("seed", range(4))
def test_array_functions_equal_single_calls_bit_by_bit(seed: int) -> None:
    draw, n = draws(seed), 60
    stock = [random_geometry(draw) for _ in range(7)] + [
        b2.ChainSegment((1, 0), (-1, 0.2), ghost1=(3, 0), ghost2=(-2, 1))
    ]
    side_a, side_b = [draw.choice(stock) for _ in range(n)], [draw.choice(stock) for _ in range(n)]

    def pairs(reach: float) -> np.ndarray:
        return np.array([(draw.uniform(-reach, reach), draw.uniform(-reach, reach)) for _ in range(n)])

    def turns() -> np.ndarray:
        return np.array([draw.uniform(-4, 4) for _ in range(n)])

    pa, pb, ta, tb, way = pairs(2), pairs(2), turns(), turns(), pairs(6)
    places = {"positions_a": pa, "angles_a": ta}
    gaps = b2.distances(side_a, side_b, pb, tb, **places)
    touches = b2.manifolds(side_a, side_b, pb, tb, **places, speculative_distance=0.02)
    casts = b2.shape_casts(side_a, side_b, way, 2 * pb, tb, **places)
    wa, wb, ra, rb, ca, cb = pairs(3), pairs(3), turns(), turns(), pairs(1), pairs(1)
    impacts = b2.times_of_impact(
        side_a, side_b, 2 * pb, tb, translations_b=wb, rotations_b=rb, centers_b=cb, **places, translations_a=wa,
        rotations_a=ra, centers_a=ca,
    )  # fmt: skip
    assert 0 < (touches["count"] > 0).sum() < n
    assert 0 < casts["hit"].sum() < n
    assert len(set(impacts["state"].tolist())) > 1
    for k in range(n):
        a, b = side_a[k], side_b[k]
        here = {"position_a": pa[k], "angle_a": ta[k], "angle_b": tb[k]}
        gap = b2.distance(a, b, position_b=pb[k], **here)
        assert [gaps[name][k].tolist() for name in gap._fields] == [gap.distance, *map(list, gap[1:])]
        normal, points = b2.collide(a, b, position_b=pb[k], speculative_distance=0.02, **here)
        assert touches["count"][k] == len(points)
        assert tuple(touches["normal"][k].tolist()) == normal
        for j, point in enumerate(points):
            assert (tuple(touches["point"][k, j]), touches["separation"][k, j], touches["feature"][k, j]) == point
        hit = b2.shape_cast(a, b, way[k], position_b=2 * pb[k], **here)
        assert casts["hit"][k] == (hit is not None)
        if hit is not None:
            assert tuple(casts["point"][k]) == hit.point
            assert tuple(casts["normal"][k].tolist()) == hit.normal
            assert casts["fraction"][k] == hit.fraction
        impact = b2.time_of_impact(
            a, b, position_b=2 * pb[k], translation_b=wb[k], rotation_b=rb[k], center_b=cb[k], translation_a=wa[k],
            rotation_a=ra[k], center_a=ca[k], **here,
        )  # fmt: skip
        assert b2.ImpactState(impacts["state"][k]).name.lower() == impact.state
        assert (impacts["fraction"][k], tuple(impacts["point"][k])) == (impact.fraction, impact.point)
        assert tuple(impacts["normal"][k].tolist()) == impact.normal
    # A single geometry, position or motion is used for all pairs.
    one = b2.manifolds(stock[3], stock[0], pb, 0.5, positions_a=pa[0], angles_a=0.25)
    each = b2.manifolds([stock[3]] * n, [stock[0]] * n, pb, [0.5] * n, positions_a=[pa[0]] * n, angles_a=[0.25] * n)
    assert rows_of(one) == rows_of(each)
    boxes = stock[4].aabbs(pb, tb)
    assert [(tuple(low), tuple(high)) for low, high in boxes] == [stock[4].aabb(p, t) for p, t in zip(pb, tb)]


def test_array_functions_accept_no_pairs_and_many_threads() -> None:
    circle, nothing = b2.Circle(1), np.zeros((0, 2))
    for found in (
        b2.distances(circle, circle, nothing),
        b2.manifolds(circle, [], nothing),
        b2.shape_casts([], circle, (1, 0), nothing),
        b2.times_of_impact(circle, circle, nothing, []),
        circle.aabbs(nothing),
        circle.ray_casts(nothing, nothing),
    ):
        assert len(found) == 0
    shared = [b2.Polygon([(0, 0), (2, 0.1 * k), (1, 2)]) for k in range(5)]
    places = arrays(3).uniform(-3, 3, (5000, 2))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda k: b2.manifolds(shared[k % 5], shared[2], places).tobytes(), range(20)))
    assert len(set(answers)) == 5
    assert answers[:5] * 4 == answers


NAN = math.nan
BAD = [
    ("position_b", lambda: b2.distance(b2.Circle(1), b2.Circle(1), position_b=(NAN, 0)), ValueError),
    ("angle_a", lambda: b2.distance(b2.Circle(1), b2.Circle(1), angle_a=NAN), ValueError),
    ("a", lambda: b2.distance(1, b2.Circle(1)), TypeError),  # type: ignore[arg-type]
    ("positions_b", lambda: b2.distances(b2.Circle(1), b2.Circle(1), [(1, 2, 3)]), ValueError),
    ("angles_b", lambda: b2.distances(b2.Circle(1), b2.Circle(1), [(1, 2)], [1, 2]), ValueError),
    ("angles_b", lambda: b2.manifolds(b2.Circle(1), b2.Circle(1), [(1, 2)], [NAN]), ValueError),
    ("positions_a", lambda: b2.manifolds(b2.Circle(1), b2.Circle(1), [(1, 2)], positions_a=[(1, 2)] * 2), ValueError),
    ("positions_a", lambda: b2.distances(b2.Circle(1), b2.Circle(1), [(1, 2)] * 3, positions_a=(1e13, 2)), ValueError),
    ("angles_a", lambda: b2.distances(b2.Circle(1), b2.Circle(1), [(1, 2)] * 3, angles_a="north"), TypeError),
    ("a", lambda: b2.manifolds([b2.Circle(1)] * 2, b2.Circle(1), [(1, 2)]), ValueError),
    ("b", lambda: b2.manifolds(b2.Circle(1), 3, [(1, 2)]), TypeError),  # type: ignore[arg-type]
    ("b", lambda: b2.manifolds(b2.Circle(1), [None], [(1, 2)]), TypeError),  # type: ignore[list-item]
    (
        "speculative_distance",
        lambda: b2.manifolds(b2.Circle(1), b2.Circle(1), [], speculative_distance=NAN),
        ValueError,
    ),
    ("translations", lambda: b2.shape_casts(b2.Circle(1), b2.Circle(1), [(1, 2, 3)], [(1, 2)]), ValueError),
    ("translations", lambda: b2.shape_casts(b2.Circle(1), b2.Circle(1), (1e13, 0), [(1, 2)]), ValueError),
    ("rotations_b", lambda: b2.times_of_impact(b2.Circle(1), b2.Circle(1), [(1, 2)], rotations_b=[1, 2]), ValueError),
    ("centers_a", lambda: b2.times_of_impact(b2.Circle(1), b2.Circle(1), [(1, 2)], centers_a=(NAN, 2)), ValueError),
    ("translations_a", lambda: b2.times_of_impact(b2.Circle(1), b2.Circle(1), [(1, 2)], translations_a=3), ValueError),
    ("positions", lambda: b2.Circle(1).aabbs([(1e13, 2), (3, 4)]), ValueError),
    ("angles", lambda: b2.Circle(1).aabbs([(1, 2), (3, 4)], [1, 2, 3]), ValueError),
    ("speculative_distance", lambda: b2.collide(b2.Circle(1), b2.Circle(1), speculative_distance=-1), ValueError),
    ("translation", lambda: b2.shape_cast(b2.Circle(1), b2.Circle(1), (NAN, 0)), ValueError),
    ("rotation_b", lambda: b2.time_of_impact(b2.Circle(1), b2.Circle(1), rotation_b=NAN), ValueError),
    ("center_a", lambda: b2.time_of_impact(b2.Circle(1), b2.Circle(1), center_a=(0, NAN)), ValueError),
    ("density", lambda: b2.Circle(1).mass_data(-1), ValueError),
    ("densities", lambda: b2.mass_data([b2.Circle(1), b2.Circle(1)], [1, -1]), ValueError),
    ("densities", lambda: b2.mass_data([b2.Circle(1), b2.Circle(1)], [1, 2, 3]), ValueError),
    ("geometries", lambda: b2.mass_data(b2.Circle(1)), TypeError),  # type: ignore[arg-type]
    ("angle", lambda: b2.Circle(1).aabb((0, 0), NAN), ValueError),
    ("point", lambda: b2.Circle(1).contains((0, NAN)), ValueError),
    ("points", lambda: b2.Circle(1).contains_points([1, 2]), ValueError),
    ("origin", lambda: b2.Circle(1).ray_cast((0, NAN), (1, 0)), ValueError),
]


@pytest.mark.parametrize(("name", "ask", "error"), BAD)
def test_bad_geometry_arguments_are_named_in_the_error(name: str, ask: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"\b{name}\b"):
        ask()  # type: ignore[operator]
