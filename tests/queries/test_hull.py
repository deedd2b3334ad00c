"""Convex hulls of any number of points are exact: they are compared with gift wrapping in rational arithmetic."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import box2dpy as b2

from ..seeds import arrays, draws

Point = tuple[float, float]


def left(a: Point, b: Point, c: Point) -> Fraction:
    ax, ay, bx, by, cx, cy = map(Fraction, (*a, *b, *c))
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def slow_hull(points: list[Point]) -> list[Point]:
    """Gift wrapping: from each corner on to the point that has none to its right, of those on one line to the
    farthest."""
    corners = [min(points)]
    while True:
        here = corners[-1]
        best = None
        for point in points:
            if point == here:
                continue
            if best is not None:
                turn = left(here, best, point)
                nearer = abs(Fraction(point[0]) - Fraction(here[0])) + abs(
                    Fraction(point[1]) - Fraction(here[1])
                ) <= abs(Fraction(best[0]) - Fraction(here[0])) + abs(Fraction(best[1]) - Fraction(here[1]))
                if turn > 0 or (turn == 0 and nearer):
                    continue
            best = point
        if best is None or best == corners[0]:
            return corners
        corners.append(best)


def check(points: list[Point]) -> None:
    expected = slow_hull([(x + 0.0, y + 0.0) for x, y in points])
    if len(expected) < 3:
        with pytest.raises(ValueError, match="points.*without area"):
            b2.hull(points)
        return
    assert [tuple(corner) for corner in b2.hull(points).tolist()] == expected


# Few different numbers give equal and collinear points; neighbouring floats give turns that float64 cannot tell.
GRID = st.integers(-3, 3).map(float)
CLOSE = st.sampled_from([0.1 + 2**-54 * k for k in range(8)] + [12.0, 24.0, 0.5 + 2**-53, 0.5])
WIDE = st.floats(-1e12, 1e12).map(lambda x: x if abs(x) > 1e-99 else 0.0)


@settings(max_examples=120)
@given(st.one_of(*(st.lists(st.tuples(number, number), min_size=1, max_size=60) for number in (GRID, CLOSE, WIDE))))
def test_hulls_equal_those_of_exact_arithmetic(points: list[Point]) -> None:
    check(points)


@pytest.mark.parametrize("seed", range(12))
def test_hulls_of_many_points_equal_those_of_exact_arithmetic(seed: int) -> None:
    """So many points that interior ones are discarded first, in critical arrangements: discs, circles, lines, squares,
    far away."""
    draw = arrays(seed)
    n = [40, 150, 400][seed % 3]
    turn, length = draw.uniform(0, 7, n), np.sqrt(draw.uniform(0, 1, n))
    cloud = np.array([np.cos(turn), np.sin(turn)]).T * (length[:, None] if seed % 4 == 0 else 1.0)
    if seed % 4 == 1:
        cloud = draw.integers(-4, 5, (n, 2)).astype(float)
    if seed % 4 == 2:
        cloud = np.round(cloud, 2) * 1e-3 + 1e7
    if seed % 4 == 3:
        cloud[:, 1] = cloud[:, 0] / 3
        cloud[n // 2] = cloud[n // 3] + (1e-17, 2e-17)
    check([(x, y) for x, y in cloud.tolist()])


def test_a_hull_does_not_depend_on_the_order_and_does_not_change_its_input() -> None:
    points = arrays(1).normal(size=(5000, 2))
    kept = points.copy()
    expected = b2.hull(points).tobytes()
    assert points.tobytes() == kept.tobytes()
    order = list(range(len(points)))
    with ThreadPoolExecutor(3) as pool:
        shuffled = [points[draws(k).sample(order, len(order))] for k in range(6)]
        assert {found.tobytes() for found in pool.map(b2.hull, shuffled)} == {expected}
    assert b2.hull(np.vstack([points, points[::-1]])).tobytes() == expected
    assert b2.hull(points[:, ::-1][:, ::-1]).tobytes() == expected
    assert b2.hull(b2.hull(points)).tobytes() == expected


def test_hull_coordinates_have_no_negative_zero_and_tiny_ones_become_zero() -> None:
    corners = b2.hull([(-0.0, 1e-200), (0.0, -0.0), (1.0, -1e-300), (1, 1)])
    assert corners.tolist() == [[0, 0], [1, 0], [1, 1]]
    assert not np.signbit(corners).any()


@pytest.mark.parametrize(
    ("points", "error"),
    [
        ([], ValueError),
        ([(1, 1)] * 50, ValueError),
        ([(k, 3 * k) for k in range(100)], ValueError),
        ([(0, 0), (1, float("nan")), (1, 1)], ValueError),
        ([(0, 0), (1, float("inf")), (1, 1)], ValueError),
        ([(0, 0), (1e13, 0), (1, 1)], ValueError),
        (np.zeros((4, 3)), ValueError),
        (np.zeros(4), ValueError),
        ([(0, 0), (1,)], ValueError),
        (3.0, ValueError),
        ([("a", "b")], TypeError),
        (np.zeros((4, 2), complex), TypeError),
        (None, TypeError),
    ],
)
def test_bad_hull_points_are_named_in_the_error(points: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"\bpoints\b"):
        b2.hull(points)
