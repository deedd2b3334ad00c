"""Geometry from outlines: areas are kept, pieces are convex and disjoint, terrain from bitmaps holds falling balls."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import draws

GEAR = [
    ((2 if k % 4 < 2 else 1.4) * math.cos(k * math.pi / 20), (2 if k % 4 < 2 else 1.4) * math.sin(k * math.pi / 20))
    for k in range(40)
]
LETTER = [(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)]


def area(outline: object) -> float:
    rows = np.asarray(outline, float)
    x, y = rows.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def test_a_hull_contains_all_points_and_is_counter_clockwise() -> None:
    random_ = draws(3)
    points = [(random_.gauss(0, 2), random_.gauss(1, 1)) for _ in range(500)]
    corners = b2.hull(points)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        for p in points:
            assert (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= -1e-9
    assert area(corners) > 0
    assert {tuple(corner) for corner in corners} <= set(points)
    for flat in ([(0, 0), (1, 1)], [(0, 0), (1, 1), (2, 2)], []):
        with pytest.raises(ValueError, match="points"):
            b2.hull(flat)
    with pytest.raises(ValueError, match="points"):
        b2.hull([(0, 0), (1, math.nan), (1, 1)])


@pytest.mark.parametrize("closed", [False, True])
def test_simplified_outlines_stay_within_the_tolerance(closed: bool) -> None:
    line = np.array([(math.cos(t) * (3 + 0.1 * math.sin(9 * t)), math.sin(t) * 3) for t in np.linspace(0, 6, 400)])
    counts = []
    for tolerance in (0.01, 0.05, 0.2):
        less = b2.simplify(line, tolerance, closed=closed)
        counts.append(len(less))
        ends = np.vstack([less, less[:1]]) if closed else less
        for point in line:
            a, way = ends[:-1], np.diff(ends, axis=0)
            t = np.clip(((point - a) * way).sum(1) / (way * way).sum(1), 0, 1)
            assert np.hypot(*(a + t[:, None] * way - point).T).min() <= tolerance + 1e-12
    assert 400 > counts[0] > counts[1] > counts[2]
    with pytest.raises(ValueError, match="tolerance"):
        b2.simplify(line, -1)


@pytest.mark.parametrize("outline", [GEAR, GEAR[::-1], LETTER])
@pytest.mark.parametrize("most", [3, 5, 8])
def test_convex_pieces_cover_exactly_the_outline(outline: list[tuple[float, float]], most: int) -> None:
    pytest.importorskip("mapbox_earcut")
    pieces = b2.convex_pieces(outline, max_vertices=most)
    assert sum(piece.mass_data().mass for piece in pieces) == pytest.approx(abs(area(outline)), rel=1e-5)
    assert max(len(piece.vertices) for piece in pieces) <= most
    if most == 8:
        assert len(pieces) < len(outline) - 2  # fewer than the triangles
    random_ = draws(1)
    for _ in range(2000):
        point = random_.uniform(-2, 4), random_.uniform(-2, 4)
        assert sum(piece.contains(point) for piece in pieces) <= 1


def test_convex_pieces_leave_holes_free() -> None:
    pytest.importorskip("mapbox_earcut")
    square, hole = [(0, 0), (4, 0), (4, 4), (0, 4)], [(1, 1), (1, 2), (3, 2), (3, 1)]
    pieces = b2.convex_pieces(square, [hole])
    assert sum(piece.mass_data().mass for piece in pieces) == pytest.approx(14, rel=1e-6)
    assert not any(piece.contains((2, 1.5)) for piece in pieces)
    for bad in ([(0, 0), (1, 0)], [(0, 0), (1, 0), (2, 0)], [(0, 0), (1, 0), (math.inf, 1)]):
        with pytest.raises(ValueError, match="outline"):
            b2.convex_pieces(bad)
    with pytest.raises(ValueError, match="max_vertices"):
        b2.convex_pieces(square, max_vertices=9)


def test_outlines_of_a_bitmap_have_the_solid_on_their_left() -> None:
    pytest.importorskip("contourpy")
    picture = np.zeros((40, 60))
    picture[10:30, 10:50] = 1
    picture[15:25, 20:40] = 0
    outer, inner = sorted(b2.bitmap_outlines(picture, scale=0.1, position=(-3, -2)), key=area, reverse=True)
    assert area(outer) == pytest.approx(4 * 2, rel=0.02)
    assert area(inner) == pytest.approx(-2 * 1, rel=0.02)
    assert (outer.min(0), outer.max(0)) == (pytest.approx((-2, -1)), pytest.approx((2, 1)))
    thin = b2.bitmap_outlines(picture, scale=0.1, position=(-3, -2), tolerance=0.05)
    assert max(map(len, thin)) <= 8
    assert b2.bitmap_outlines(np.ones((5, 5)))  # solid to the edge is closed there
    assert b2.bitmap_outlines(np.zeros((5, 5))) == []
    with pytest.raises(ValueError, match="bitmap"):
        b2.bitmap_outlines([1, 2, 3])
    with pytest.raises(ValueError, match="scale"):
        b2.bitmap_outlines(picture, scale=0)


def test_solid_pixels_at_the_edge_of_a_picture_end_exactly_there() -> None:
    pytest.importorskip("contourpy")
    (full,) = b2.bitmap_outlines(np.ones((3, 5)), scale=0.5, position=(-1, 2))
    assert area(full) == pytest.approx(2.5 * 1.5)
    assert full.min(0).tolist() == [-1, 2]
    assert full.max(0) == pytest.approx([1.5, 3.5])
    for level, low, high in ((0.5, 0.0, 1.0), (0.1, 0.0, 1.0), (100.0, -20.0, 255.0)):
        picture = np.full((6, 6), low)
        picture[3:] = high  # the lower half, from edge to edge
        picture[:, 0] = high
        (outline,) = b2.bitmap_outlines(picture, level=level)
        assert outline.min(0).tolist() == [0, 0]
        assert outline.max(0) == pytest.approx([6, 6])


def test_tiles_of_terrain_side_by_side_leave_no_gap_that_a_small_ball_falls_through() -> None:
    pytest.importorskip("contourpy")
    with b2.World() as world:
        ground = world.create_static_body()
        for column in range(-2, 2):
            for outline in b2.bitmap_outlines(np.ones((4, 4)), position=(4 * column, -4)):
                ground.create_chain(outline, loop=True)
        balls = [world.create_dynamic_body((0.25 * k - 5, 0.5)) for k in range(41)]
        for ball in balls:
            ball.create_shape(b2.Circle(0.1))
        for _ in range(90):
            world.step()
        assert min(ball.position.y for ball in balls) > 0.05


def test_terrain_from_a_bitmap_holds_balls_by_chains_and_by_pieces() -> None:
    pytest.importorskip("contourpy")
    pytest.importorskip("mapbox_earcut")
    columns = np.arange(120)
    heights = 14 + 6 * np.sin(columns / 9)
    picture = (40 - np.arange(40)[:, None] <= heights).astype(float)
    picture[:, :4] = picture[:, -4:] = 1  # walls
    for chains in (True, False):
        world = b2.World()
        ground = world.create_static_body()
        outlines = b2.bitmap_outlines(picture, scale=0.25, tolerance=0.05)
        for outline in outlines:
            if chains:
                ground.create_chain(outline, loop=True)
            else:
                ground.create_shapes(b2.convex_pieces(outline), friction=0.7)
        balls = [world.create_dynamic_body((2 + 2.6 * k, 9)) for k in range(10)]
        for ball in balls:
            ball.create_shape(b2.Circle(0.4), rolling_resistance=0.3)
        for _ in range(300):
            world.step()
        for ball in balls:
            column = int(ball.position.x / 0.25)
            assert 4 <= column < 116
            assert ball.position.y > 0.25 * (heights[max(column - 2, 0) : column + 3].min() - 1)
        world.validate()


def test_create_shapes_updates_the_mass_once_and_creates_all_or_none() -> None:
    world = b2.World()
    body = world.create_dynamic_body()
    shapes = body.create_shapes([b2.Box(1, 1), b2.Circle(1, center=(3, 0))], density=2, friction=0.1)
    assert body.mass == pytest.approx(2 * (4 + math.pi), rel=1e-6)
    assert [shape.friction for shape in shapes] == [pytest.approx(0.1)] * 2
    with pytest.raises(TypeError, match="geometry"):
        body.create_shapes([b2.Box(1, 1), "box"])  # type: ignore[list-item]
    assert body.shapes == shapes
    assert body.mass == pytest.approx(2 * (4 + math.pi), rel=1e-6)


@pytest.mark.parametrize(("call", "package"), [("convex_pieces", "mapbox_earcut"), ("bitmap_outlines", "contourpy")])
def test_a_missing_package_is_named_in_the_error_with_its_extra(
    call: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=r"box2dpy\[outlines\]"):
        getattr(b2, call)([(0, 0), (1, 0), (0, 1)])
