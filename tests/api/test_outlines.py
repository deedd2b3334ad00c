"""Geometry from outlines: areas are kept, pieces are convex and disjoint, terrain from bitmaps holds falling balls."""

from __future__ import annotations

import itertools
import math
import sys
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._geometry import outlines

from ..seeds import arrays, draws
from ..stepping import advance
from ..sweeps import part

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
        x, y = (np.array(points) - a).T
        assert ((b[0] - a[0]) * y - (b[1] - a[1]) * x).min() >= -1e-9
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
        advance(world, 90)
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
        advance(world, 300)
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
        getattr(b2, call)([(0, 0), (1, 0), (0, 1.5)])


def filled(pieces: list[b2.Polygon]) -> float:
    return sum(piece.mass_data().mass for piece in pieces)


def is_simple(outline: np.ndarray) -> bool:
    return len({tuple(point) for point in outline.tolist()}) == len(outline)


def test_exact_outlines_have_the_corners_of_cells_alone() -> None:
    pytest.importorskip("contourpy")
    random_ = draws(8)
    for share in (0.1, 0.4, 0.5, 0.6, 0.9):
        for rows, columns in ((1, 1), (1, 9), (7, 1), (12, 17)):
            mask = np.array([[random_.random() < share for _ in range(columns)] for _ in range(rows)])
            outlines = b2.bitmap_outlines(mask, scale=0.5, position=(-2, 3))
            assert sum(map(area, outlines)) == pytest.approx(0.25 * mask.sum())
            for outline in outlines:
                assert is_simple(outline)
                cells = (outline - (-2, 3)) / 0.5
                assert (cells == np.round(cells)).all()
                way = np.diff(np.vstack([outline, outline[:1]]), axis=0)
                assert ((way[:, 0] == 0) != (way[:, 1] == 0)).all()
                turned = np.roll(way, -1, axis=0)
                assert (way[:, 0] * turned[:, 0] + way[:, 1] * turned[:, 1] == 0).all()  # a right angle at each point
    tile = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert area(b2.bitmap_outlines(np.array(tile, float))[0]) == 0.5  # smooth: numbers may be grey
    for exact in (tile, np.array(tile, bool), np.array(tile, np.uint8)):
        assert b2.bitmap_outlines(exact)[0].tolist() == [[1, 1], [2, 1], [2, 2], [1, 2]]
    grid = [[0, 0, 0], [0, 5, 3], [2, 0, 0]]
    assert sum(map(area, b2.bitmap_outlines(grid, exact=True))) == 3
    assert b2.bitmap_outlines(tile, exact=False)[0].tolist() != b2.bitmap_outlines(tile)[0].tolist()


def test_tiles_that_touch_at_a_corner_have_outlines_of_their_own() -> None:
    assert len(b2.bitmap_outlines([[1, 0], [0, 1]])) == 2
    ring = b2.bitmap_outlines([[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]])
    assert sorted(map(area, ring)) == [-1, -1, 16]


@pytest.mark.parametrize(
    ("outline", "holes", "where"),
    [
        ([(0, 0), (2, 2), (2, 0), (0, 2)], [], r"the outline crosses itself at \(1, 1\)"),
        ([(math.cos(0.8 * math.pi * k), math.sin(0.8 * math.pi * k)) for k in range(5)], [], "5 crossings in all"),
        ([(0, 0), (4, 0), (4, 4), (0, 4)], [[(3.5, 1), (4.5, 1), (4.5, 2), (3.5, 2)]], "the outline crosses hole 0"),
        (
            [(0, 0), (9, 0), (9, 9), (0, 9)],
            [[(1, 1), (2, 1), (2, 2), (1, 2)], [(1.5, 1.5), (3, 1.5), (3, 3), (1.5, 3)]],
            "hole 0 crosses hole 1",
        ),
        ([(0, 0), (4, 0), (4, 4), (0, 4)], [[(5, 5), (6, 5), (6, 6), (5, 6)]], "a hole is not inside"),
        ([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 1), (0, 0.5)], [], "."),
        ([(0, 0), (0, 0), (1, 1)], [], "at least 3 points"),
    ],
)
def test_outlines_that_cross_are_refused_and_the_message_says_where(
    outline: list[tuple[float, float]], holes: list[list[tuple[float, float]]], where: str
) -> None:
    pytest.importorskip("mapbox_earcut")
    for at in ((0, 0), (-70, 300)):
        for turn in (1, -1):
            moved = [(x + at[0], y + at[1]) for x, y in outline][::turn]
            if where == ".":  # it touches itself at a corner: its area, or an error
                try:
                    assert filled(b2.convex_pieces(moved)) == pytest.approx(abs(area(moved)), rel=1e-5)
                except ValueError as error:
                    assert "touches" in str(error)
                continue
            with pytest.raises(ValueError, match=where if at == (0, 0) else where.partition(" at ")[0]):
                b2.convex_pieces(moved, [[(x + at[0], y + at[1]) for x, y in hole] for hole in holes])


def wavy(count: int, size: float, seed: int) -> np.ndarray:
    """An outline as a coast: waves of three lengths, and noise that never makes it cross itself."""
    random_, angle = arrays(seed), 2 * np.pi * np.arange(count) / count
    radius = size * (1 + 0.3 * np.sin(5 * angle) + 0.1 * np.sin(23 * angle) + 0.02 * np.sin(301 * angle))
    radius *= 1 + (random_.random(count) - 0.5) * min(0.002, 4 / count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


@pytest.mark.parametrize("size", [3.0, 30.0, 1000.0])
@pytest.mark.parametrize("count", [10, 300, 4000])
def test_pieces_have_the_area_of_the_outline_to_a_millionth(count: int, size: float) -> None:
    pytest.importorskip("mapbox_earcut")
    angle = 2 * np.pi * np.arange(count) / count
    circle = size * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    comb = size * np.array([(x, y) for k in range(count // 4) for x, y in ((k, 0), (k, 1), (k + 0.5, 1), (k + 0.5, 0))])
    comb = np.vstack([comb / (count / 4), [(size, -size), (0, -size)]])
    coast = wavy(count, size, 5)
    for outline in (circle, coast, comb):
        wanted = abs(area(outline))
        for ring in (outline, outline[::-1], np.vstack([outline, outline[:1]]), np.repeat(outline, 2, axis=0)):
            try:
                pieces = b2.convex_pieces(ring)
            except ValueError as refused:  # of a coast of 5 mm steps, some have capes thinner than 0.5 mm
                assert outline is coast and (count, size) == (4000, 3.0) and "thinner than 0.5 mm" in str(refused)
                continue
            assert filled(pieces) == pytest.approx(wanted, rel=1.1e-6)


def test_a_hundred_thousand_points_are_cut_in_a_number_of_steps_that_grows_as_they_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("mapbox_earcut")
    from box2dpy._geometry import outlines

    turns, right = [0], outlines._turn

    def counted(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
        turns[0] += 1
        return right(a, b, c)

    monkeypatch.setattr(outlines, "_turn", counted)
    for size, most in ((1000, 10_000), (10, 100_000)):
        counts = []
        for count in (most // 100, most // 10, most):
            turns[0], outline = 0, wavy(count, size, 3)
            pieces = b2.convex_pieces(outline)
            assert filled(pieces) == pytest.approx(abs(area(outline)), rel=1.1e-6)
            counts.append(turns[0] / count)
        assert max(counts) < 60
    with pytest.raises(ValueError, match="thinner than 0.5 mm"):
        b2.convex_pieces(wavy(4000, 1, 5))


def test_maps_are_cut_about_an_origin() -> None:
    pytest.importorskip("mapbox_earcut")
    field, at = np.array([(0, 0), (400, 0), (400, 300), (200, 100), (0, 300)]), (450_000, 5_400_000)
    pieces = b2.convex_pieces(field + at, origin=at)
    assert (filled(pieces), pieces.origin) == (pytest.approx(80_000, rel=1e-6), at)
    with pytest.warns(UserWarning, match="origin="):
        pieces = b2.convex_pieces(field + at)
    assert filled(pieces) == pytest.approx(80_000, rel=1e-6)
    world = b2.World()
    land = world.create_static_body(pieces.origin)
    land.create_shapes(pieces)
    assert world.point_query((450_010, 5_400_200))
    assert not world.point_query((450_200, 5_400_200))
    with pytest.raises(ValueError, match="origin"):
        b2.convex_pieces(field + at, origin=(0, 0))


@pytest.mark.parametrize("turn", [1, -1])
def test_chains_take_the_rings_of_libraries(turn: int) -> None:
    ring = [(0, 0), (4, 0), (4, 0.003), (4, 3), (4, 3), (3.998, 3.001), (0, 3), (0, 0.002), (0, 0)][::turn]
    for front, inside in (("outside", False), ("inside", True)):
        world = b2.World(gravity=(0, 0))
        chain = world.create_static_body().create_chain(ring, loop=True, front=front)  # type: ignore[arg-type]
        assert len(chain.points) == 4
        hit = world.ray_cast((2, 1), (9, 0))
        assert (hit is not None) == inside
        assert (world.ray_cast((9, 1), (-8, 0)) is None) == inside
    body = b2.World().create_static_body()
    assert len(body.create_chain([(0, 0), (0, 0.001), (0.004, 0), (0.009, 0), (1, 0), (1, 0)]).points) == 3
    for bad, message in (
        ([(0, 0), (0, 0.001), (0.004, 0)], r"has 1 points .* points \[1, 2\] are within 5 mm"),
        ([(0, 0)], "a chain needs 2"),
        ([(0, 0), (1, 0), (math.nan, 2)], "row 2"),
    ):
        with pytest.raises(ValueError, match=message):
            body.create_chain(bad)
    with pytest.raises(ValueError, match="front"):
        body.create_chain([(0, 0), (1, 0)], front="inside")
    with pytest.raises(ValueError, match="front"):
        body.create_chain([(0, 0), (1, 0), (1, 1)], loop=True, front="up")  # type: ignore[arg-type]
    octagon = [(math.cos(k), math.sin(k)) for k in np.arange(8) * math.pi / 4][::turn]
    assert len(b2.Polygon([*octagon, octagon[0]]).vertices) == 8


FORMS = itertools.product(["comb", "growing", "profile", "spiral", "gear"], [(500, 4.0), (4000, 0.4), (12000, 0.2)])


@pytest.mark.parametrize(("form", "size"), part(list(FORMS), 0.5))
def test_outlines_with_thousands_of_teeth_over_one_side_are_divided(
    form: str, size: tuple[int, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    n, scale = size
    k, xs = np.arange(n), 0.5 * np.arange(n)
    if form == "spiral":
        r, a = 5 + 0.01 * k, 0.02 * k
        inner = np.column_stack([r * np.cos(a), r * np.sin(a)])
        points = np.concatenate([inner, inner[::-1] * ((r + 1) / r)[::-1, None]])
    elif form == "gear":
        r, a = np.where(k % 2, 0.2 * n, 0.2 * n + 2), 2 * np.pi * k / n
        points = np.column_stack([r * np.cos(a), r * np.sin(a)])
    else:
        heights = {
            "comb": np.where(k % 2, 5.0, 1.0),
            "growing": np.where(k % 2, 5.0, 1.0) * (1 + k / n),
            "profile": 4 + np.abs(np.cumsum(arrays(n).normal(0, 0.3, n))),
        }[form]
        points = np.concatenate([np.column_stack([xs, heights]), [(xs[-1], 0), (0, 0)]])
    points = points * scale
    looked, distances = 0, outlines._distances

    def counted(between: Any, way: Any) -> Any:
        nonlocal looked
        looked += len(between)
        return distances(between, way)

    monkeypatch.setattr(outlines, "_distances", counted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # far from (0, 0)
        pieces = b2.convex_pieces(points)
    assert sum(piece.mass_data().mass for piece in pieces) == pytest.approx(abs(area(points)), rel=2e-6)
    assert looked <= 40 * n  # the teeth of a comb would part it one by one


@pytest.mark.filterwarnings("ignore:the outline is")
@pytest.mark.parametrize("size", [2.1e6, 1e17, 1e154, 1e300, 1e308])
def test_outlines_larger_than_polygons_are_refused_with_the_range(size: float) -> None:
    outline = np.array([(0, 0), (1, 0), (1, 0.1), (0.5, 0.3), (0, 1)])
    with pytest.raises(ValueError, match=r"middle: vertices are out of range: -1e\+06 to 1e\+06"):
        b2.convex_pieces(outline * size)


@pytest.mark.filterwarnings("ignore:the outline is")
@pytest.mark.parametrize("size", [1e3, 1e5, 1e7, 1e9, 1e11, 1e13])
def test_an_outline_of_any_size_is_divided_or_refused_in_little_memory(size: float) -> None:
    """Random calls found one of 3e13 m whose sides were to get points every 100 m: 5 TB."""
    tracemalloc.start()
    try:
        pieces = b2.convex_pieces([(0, 0), (0.3 * size, size), (34, 1e-12)])
        assert sum(piece.mass_data().mass for piece in pieces) == pytest.approx(17 * size, rel=1e-5)
    except ValueError as error:
        assert size > 1e6, error
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 4_000_000
