"""The rules of queries: ties, rays that start inside a shape, filters, immediate visibility of changes, bad input,
threads."""

from __future__ import annotations

import itertools
import math
import threading

import numpy as np
import pytest

import box2dpy as b2

from ..patience import in_threads
from ..seeds import arrays
from .reference import random_world

INFINITY, NAN = math.inf, math.nan


@pytest.fixture(params=["grid", "tree", "brute"])
def world(request: pytest.FixtureRequest) -> b2.World:
    return b2.World(gravity=(0, 0), broadphase=request.param)


def box(world: b2.World, x: float, y: float = 0.0, half: float = 1.0, **options: object) -> b2.Shape:
    return world.create_static_body((x, y)).create_shape(b2.Box(half, half), **options)  # type: ignore[arg-type]


def test_of_hits_at_equal_fractions_the_lower_shape_index_is_returned(world: b2.World) -> None:
    shapes = [box(world, x, half=half) for x, half in ((-3, 1), (1, 1), (-1, 1), (3, 1), (0, 1))]
    hits = world.ray_cast_all((0, 5), (0, -10))
    assert [hit.shape for hit in hits] == [shapes[1], shapes[2], shapes[4]]
    assert len({hit.fraction for hit in hits}) == 1
    first = world.ray_cast((0, 5), (0, -10))
    assert first == hits[0]
    casts = world.shape_cast_all(b2.Box(1, 0.5), (0, 5), 0, (0, -10))
    assert [hit.shape for hit in casts] == [shapes[1], shapes[2], shapes[4]]
    near = world.nearest((0, 2), 10)
    assert near is not None
    assert near.shape == shapes[1]


def test_a_ray_does_not_hit_shapes_in_which_or_on_which_it_starts(world: b2.World) -> None:
    box(world, 0)
    other = box(world, 5)
    for start in ((0, 0), (0.9, 0.3), (1, 0), (-1, 0)):
        hit = world.ray_cast(start, (10, 0))
        assert hit is not None
        assert hit.shape == other
    disc = world.create_static_body((20, 0)).create_shape(b2.Circle(2))
    assert world.ray_cast((20, 1), (5, 0)) is None
    hit = world.ray_cast((30, 0), (-20, 0))
    assert hit is not None
    assert (hit.shape, hit.point) == (disc, (22, 0))


def test_a_ray_without_length_hits_nothing_and_the_end_of_a_ray_counts(world: b2.World) -> None:
    box(world, 5)
    assert world.ray_cast((0, 0), (0, 0)) is None
    assert world.ray_cast((5, 0), (0, 0)) is None
    assert world.ray_cast_all((4, 0), (0, 0)) == []
    assert world.ray_cast((0, 0), (1e-300, 0)) is None
    assert world.ray_casts([(0, 0)], [(0, 0)])["shape"].tolist() == [-1]
    hit = world.ray_cast((0, 0), (4, 0))
    assert hit is not None
    assert hit.fraction == 1.0
    assert world.ray_cast((0, 0), (3.999999, 0)) is None


def test_a_cast_without_translation_is_an_overlap(world: b2.World) -> None:
    shape = box(world, 5)
    hit = world.shape_cast(b2.Circle(1), (5, 0))
    assert hit is not None
    assert (hit.shape, hit.fraction, hit.normal) == (shape, 0.0, (0, 0))
    assert world.shape_cast(b2.Circle(1), (2, 0)) is None
    assert [h.shape for h in world.shape_cast_all(b2.Circle(1), (5, 0), 0, (10, 0))] == [shape]


def test_rays_hit_segments_from_both_sides_and_segments_contain_no_point(world: b2.World) -> None:
    segment = world.create_static_body((0, 0)).create_shape(b2.Segment((-1, 0), (1, 0)))
    for y, normal in ((1, (0, 1)), (-1, (0, -1))):
        hit = world.ray_cast((0, y), (0, -3 * y))
        assert hit is not None
        assert (hit.shape, hit.point, hit.normal) == (segment, (0, 0), normal)
    assert world.ray_cast((-5, 0), (10, 0)) is None
    assert world.point_query((0, 0)) == []
    assert world.overlap_aabb((0, 0), (0, 0)) == [segment]
    assert world.overlap_shape(b2.Circle(0.5), (0, 0.5)) == [segment]


def test_query_filters_are_checked_in_both_directions(world: b2.World) -> None:
    red = box(world, 2, filter=b2.Filter(category=2, mask=0b0101))
    blue = box(world, 5, filter=b2.Filter(category=4, mask=0b1000))
    none = box(world, 8, filter=b2.Filter(mask=0))
    grouped = box(world, 11, filter=b2.Filter(category=16, mask=1, group=-3))

    def sees(filter: b2.Filter | None) -> list[b2.Shape]:
        found = [hit.shape for hit in world.ray_cast_all((0, 0), (20, 0), filter=filter)]
        first = world.ray_cast((0, 0), (20, 0), filter=filter)
        assert (first.shape if first else None) == (found[0] if found else None)
        assert world.overlap_aabb((0, -1), (20, 1), filter=filter) == found
        assert world.overlap_shape(b2.Box(20, 1), filter=filter) == found
        assert [h.shape for h in world.shape_cast_all(b2.Circle(0.1), (0, 0), 0, (20, 0), filter=filter)] == found
        near = world.nearest((0, 0), 50, filter=filter)
        assert (near.shape if near else None) == (found[0] if found else None)
        assert [s for x in (2, 5, 8, 11) for s in world.point_query((x, 0), filter=filter)] == found
        return found

    assert sees(None) == [red, blue, grouped]
    assert sees(b2.Filter()) == [red, grouped]
    assert sees(b2.Filter(category=4)) == [red]
    assert sees(b2.Filter(category=8)) == [blue]
    assert sees(b2.Filter(category=12, mask=4)) == [blue]
    assert sees(b2.Filter(category=1, mask=16, group=-3)) == [grouped]
    assert sees(b2.Filter(mask=0)) == []
    assert none not in sees(None)


def test_queries_ignore_sensors_and_disabled_bodies(world: b2.World) -> None:
    shape = box(world, 5)
    assert world.ray_cast_any((0, 0), (10, 0))
    shape.sensor = True
    assert not world.ray_cast_any((0, 0), (10, 0))
    assert world.point_query((5, 0)) == []
    shape.sensor = False
    shape.body.enabled = False
    assert world.overlap_aabb((0, -1), (9, 1)) == []
    shape.body.enabled = True
    assert world.overlap_aabb((0, -1), (9, 1)) == [shape]


@pytest.mark.parametrize("far", [0.0, 84.0, 1000.0])
@pytest.mark.parametrize("chain", [False, True])
def test_no_ray_passes_between_two_segments_that_share_an_end(far: float, chain: bool) -> None:
    """One of six did, because a rounded normal decided where the ray crosses the line of a segment."""
    rng = arrays(12)
    for _ in range(10):
        with b2.World() as world:
            places = np.column_stack([far + 0.4667 * np.arange(41), rng.uniform(-0.2, 0.2, 41)])
            ends = places.astype(np.float32).astype(np.float64)
            ground = world.create_static_body()
            if chain:
                ground.create_chain(ends[::-1])
            else:
                for a, b in itertools.pairwise(ends.tolist()):
                    ground.create_shape(b2.Segment(a, b))
            inner = ends[2:-2]
            for way in ((0, -8), (3, -8), (-5, -8), (6, -8)):
                hits = world.ray_casts(inner - np.array(way) / 2, np.tile(np.array(way, np.float64), (len(inner), 1)))
                assert (hits["shape"] >= 0).all()
                np.testing.assert_allclose(hits["point"], inner, atol=1e-6 * (1 + far))


@pytest.mark.parametrize("seed", range(4))
def test_sensors_are_found_as_solid_shapes_are_when_the_query_wants_them(seed: int) -> None:
    world = random_world(seed, "grid", workers=2)
    world.create_dynamic_body().create_shape(b2.Circle(1), sensor=True)
    world.create_dynamic_body(enabled=False).create_shape(b2.Circle(1))
    draw = arrays(seed)
    points, ways = draw.uniform(-25, 25, (300, 2)), draw.uniform(-30, 30, (300, 2))
    ways[::10] = 0.0
    shape, mask = b2.Capsule((0, 0), (0.5, 0.5), 0.3), b2.Filter(2)

    def answers(**wanted: bool) -> list[object]:
        found: list[object] = [
            world.ray_casts(points, ways, **wanted).tobytes(),
            world.ray_casts(points, ways, filter=mask, **wanted).tobytes(),
            world.shape_casts(shape, points, None, ways, **wanted).tobytes(),
            world.nearests(points, 3.0, **wanted).tobytes(),
            world.overlap_aabbs(points, points + 2.0, **wanted).tobytes(),
            world.overlap_shapes(shape, points, **wanted).tobytes(),
            world.point_queries(points, **wanted).tobytes(),
        ]
        for point, way in zip(points[:30].tolist(), ways[:30].tolist(), strict=True):
            one = world.ray_cast(point, way, **wanted), world.shape_cast(shape, point, 0, way, **wanted)
            everything = world.ray_cast_all(point, way, **wanted), world.shape_cast_all(shape, point, 0, way, **wanted)
            found += [
                [*one, *everything, world.nearest(point, 3.0, **wanted)],
                [world.ray_cast_any(point, way, **wanted), world.shape_cast_any(shape, point, 0, way, **wanted)],
                [world.overlap_aabb(point, (point[0] + 2, point[1] + 2), **wanted), world.point_query(point, **wanted)],
                world.overlap_shape(shape, point, **wanted),
            ]
        return found

    sensors = [each for each in world.shapes if each.sensor]
    without, found = answers(), answers(sensors=True)
    assert without != found
    for each in sensors:
        each.sensor = False
    assert answers() == found
    for each in sensors:
        each.filter = b2.Filter(0)
    assert answers() == without


def test_the_rays_of_a_batch_meet_the_sensors_of_their_world_alone() -> None:
    template = b2.World(gravity=(0, 0))
    template.create_static_body((5, 0)).create_shape(b2.Box(1, 1), sensor=True)
    template.create_static_body((8, 0)).create_shape(b2.Box(1, 1))
    batch = b2.WorldBatch(template, 3)
    rays = [(0, 0), (6.5, 0)], [(10, 0), (10, 0)]
    assert batch.ray_casts(*rays).shape.tolist() == [[1, 1]] * 3
    assert batch.ray_casts(*rays, sensors=True).shape.tolist() == [[0, 1]] * 3


def test_every_query_says_what_it_skips(world: b2.World) -> None:
    names = "ray_cast shape_cast nearest overlap_ point_quer cast_mover collide_mover explode apply_wind apply_buoyancy"
    queries = [getattr(world, name) for name in dir(world) if name.startswith(tuple(names.split()))]
    assert len(queries) == 21
    for query in [*queries, b2.WorldBatch.ray_casts]:
        assert "sensors" in query.__doc__.lower(), query
        assert "disabled" in query.__doc__, query
    with pytest.raises(TypeError, match="sensors=None must be True or False"):
        world.ray_cast((0, 0), (1, 0), sensors=None)  # type: ignore[arg-type]


def test_queries_see_changes_at_once(world: b2.World) -> None:
    shape = box(world, 5)
    assert world.ray_cast_any((0, 0), (10, 0))
    shape.body.position = 5, 10
    assert not world.ray_cast_any((0, 0), (10, 0))
    assert world.ray_cast_any((0, 10), (10, 0))
    shape.geometry = b2.Circle(0.5)
    hit = world.ray_cast((0, 10), (10, 0))
    assert hit is not None
    assert hit.point == (4.5, 10)
    shape.destroy()
    assert world.ray_cast((0, 10), (10, 0)) is None
    again = box(world, 5, 10)
    assert again.index == 0
    assert world.point_query((5, 10)) == [again]


def test_queries_find_sleeping_bodies_at_their_pose() -> None:
    world = b2.World()
    ground = box(world, 0, -1, half=1)
    body = world.create_dynamic_body((0, 0.5))
    body.create_shape(b2.Box(0.5, 0.5))
    for _ in range(120):
        world.step()
    assert not body.awake
    hit = world.ray_cast((0, 5), (0, -10))
    assert hit is not None
    assert hit.shape.body is body
    assert not body.awake
    assert [h.shape.body for h in world.ray_cast_all((0, 5), (0, -10))] == [body, ground.body]


def test_queries_do_not_change_the_world() -> None:
    def run(ask: bool) -> int:
        world = b2.World()
        box(world, 0, -1, half=5)
        for k in range(30):
            world.create_dynamic_body((0.3 * (k % 3), 1 + k)).create_shape(b2.Box(0.4, 0.4))
        for _ in range(40):
            if ask:
                world.ray_casts([(-5, 1)] * 5, [(10, 0)] * 5)
                world.overlap_aabb((-9, -9), (9, 99))
            world.step()
        world.validate()
        return world.state_hash()

    assert run(True) == run(False)


def test_queries_are_exact_to_a_millimetre_far_from_the_origin(world: b2.World) -> None:
    for far in (1.0e7, -1.0e7):
        shape = box(world, far, far, half=0.5)
        hit = world.ray_cast((far - 2, far), (4, 0))
        assert hit is not None
        assert hit.shape == shape
        assert abs(hit.point.x - (far - 0.5)) < 1e-6
        assert world.point_query((far + 0.499, far)) == [shape]
        assert world.point_query((far + 0.501, far)) == []
        near = world.nearest((far + 1.5, far), 5)
        assert near is not None
        assert abs(near.distance - 1) < 1e-6
        assert world.overlap_aabb((far + 0.501, far), (far + 1, far + 1)) == []
        assert world.overlap_aabb((far + 0.499, far), (far + 1, far + 1)) == [shape]
        long = world.ray_cast((0, far), (2 * far, 0))
        assert long is not None
        assert abs(abs(long.point.x) - (1.0e7 - 0.5)) < 1e-6
        cast = world.shape_cast(b2.Circle(0.25), (0, far), 0, (2 * far, 0))
        assert cast is not None
        assert abs(cast.fraction * 2.0e7 - (1.0e7 - 0.75)) < 1e-4


def test_query_results_have_the_handles_that_the_user_holds(world: b2.World) -> None:
    shape = box(world, 5)
    hit = world.ray_cast((0, 0), (10, 0))
    assert hit is not None
    assert hit.shape is shape
    found, point, normal, fraction = hit
    assert (found, point, normal, fraction) == (shape, (4, 0), (-1, 0), 0.4)
    row = world.ray_casts([(0, 0)], [(10, 0)])[0]
    assert row.dtype.names == ("shape", "body", "generation", "point", "normal", "fraction")
    assert world.shape(row["shape"]) is shape


def test_array_queries_without_rows_return_no_rows(world: b2.World) -> None:
    empty = np.zeros((0, 2))
    assert world.ray_casts(empty, empty).shape == (0,)
    assert world.shape_casts(b2.Circle(1), empty, None, empty).shape == (0,)
    assert world.nearests(empty, 1).shape == (0,)
    assert world.overlap_aabbs(empty, empty).shape == (0,)
    assert world.overlap_shapes(b2.Circle(1), []).shape == (0,)
    assert world.point_queries([]).shape == (0,)
    assert world.point_query((0, 0)) == []


def test_a_query_can_return_very_many_shapes(world: b2.World) -> None:
    world.create_bodies([(0.001 * k, 0) for k in range(500)], geometry=b2.Circle(1))
    assert len(world.point_query((0.25, 0))) == 500
    assert len(world.ray_cast_all((-5, 0), (10, 0))) == 500
    assert len(world.point_queries([(0.25, 0)] * 300)) == 150_000


BAD = [
    ("origin", lambda w: w.ray_cast((NAN, 0), (1, 0)), ValueError),
    ("translation", lambda w: w.ray_cast((0, 0), (INFINITY, 0)), ValueError),
    ("translation", lambda w: w.ray_cast((0, 0), (1e13, 0)), ValueError),
    ("origin", lambda w: w.ray_cast((1, 2, 3), (1, 0)), ValueError),
    ("origin", lambda w: w.ray_cast(7, (1, 0)), TypeError),
    ("translation", lambda w: w.ray_cast((0, 0), ("a", "b")), TypeError),
    ("filter", lambda w: w.ray_cast((0, 0), (1, 0), filter=3), TypeError),
    ("origin", lambda w: w.ray_cast_all((0, NAN), (1, 0)), ValueError),
    ("origins", lambda w: w.ray_casts([(NAN, 0)], [(1, 0)]), ValueError),
    ("origins", lambda w: w.ray_casts([1, 2, 3], [(1, 0)]), ValueError),
    ("origins", lambda w: w.ray_casts(np.zeros((2, 3)), np.zeros((2, 2))), ValueError),
    ("translations", lambda w: w.ray_casts(np.zeros((2, 2)), np.zeros((3, 2))), ValueError),
    ("translations", lambda w: w.ray_casts(np.zeros((2, 2)), np.full((2, 2), INFINITY)), ValueError),
    ("position", lambda w: w.shape_cast(b2.Circle(1), (NAN, 0), 0, (1, 0)), ValueError),
    ("angle", lambda w: w.shape_cast(b2.Circle(1), (0, 0), NAN, (1, 0)), ValueError),
    ("translation", lambda w: w.shape_cast(b2.Circle(1), (0, 0), 0, (NAN, 0)), ValueError),
    ("geometry", lambda w: w.shape_cast(1, (0, 0), 0, (1, 0)), TypeError),
    ("angles", lambda w: w.shape_casts(b2.Circle(1), [(0, 0)], [1, 2], [(1, 0)]), ValueError),
    ("lower", lambda w: w.overlap_aabb((NAN, 0), (1, 1)), ValueError),
    ("lower", lambda w: w.overlap_aabb((2, 0), (1, 1)), ValueError),
    ("upper", lambda w: w.overlap_aabb((0, 0), (INFINITY, 1)), ValueError),
    ("lowers", lambda w: w.overlap_aabbs([(2, 0)], [(1, 1)]), ValueError),
    ("position", lambda w: w.overlap_shape(b2.Circle(1), (INFINITY, 0)), ValueError),
    ("points", lambda w: w.point_queries(np.zeros((2, 2, 2))), ValueError),
    ("point", lambda w: w.point_query((NAN, 1)), ValueError),
    ("max_distance", lambda w: w.nearest((0, 0), -1), ValueError),
    ("max_distance", lambda w: w.nearest((0, 0), INFINITY), ValueError),
    ("max_distance", lambda w: w.nearests([(0, 0)], NAN), ValueError),
    ("radius", lambda w: w.explode((0, 0), -1), ValueError),
    ("falloff", lambda w: w.explode((0, 0), 1, -1), ValueError),
    ("impulse_per_length", lambda w: w.explode((0, 0), 1, 1, NAN), ValueError),
    ("center", lambda w: w.explode((NAN, 0), 1), ValueError),
]


@pytest.mark.parametrize(("name", "ask", "error"), BAD)
def test_bad_query_arguments_are_named_in_the_error(name: str, ask: object, error: type[Exception]) -> None:
    world = b2.World()
    box(world, 5)
    with pytest.raises(error, match=rf"\b{name}\b"):
        ask(world)  # type: ignore[operator]
    assert world.ray_cast_any((0, 0), (10, 0))


@pytest.mark.parametrize("rows", [1, 2])
def test_errors_name_arrays_also_of_one_row(rows: int) -> None:
    world, here, far, disc = b2.World(), [(0, 0)] * rows, [(1e13, 0)] * rows, b2.Circle(1)
    for name, ask in (
        ("origins", lambda: world.ray_casts(far, here)),
        ("translations", lambda: world.ray_casts(here, far)),
        ("positions", lambda: world.shape_casts(disc, far, None, here)),
        ("angles", lambda: world.shape_casts(disc, here, [1e10] * rows, here)),
        ("translations", lambda: world.shape_casts(disc, here, None, far)),
        ("lowers", lambda: world.overlap_aabbs([(-1e13, 0)] * rows, here)),
        ("uppers", lambda: world.overlap_aabbs(here, far)),
        ("positions", lambda: world.overlap_shapes(disc, far)),
        ("angles", lambda: world.overlap_shapes(disc, here, [1e10] * rows)),
        ("points", lambda: world.point_queries(far)),
        ("points", lambda: world.nearests(far, 1)),
        ("points", lambda: disc.contains_points(far)),
    ):
        with pytest.raises(ValueError, match=rf"^{name}=.* is out of range: -1e\+"):
            ask()


def test_queries_of_a_closed_world_raise_destroyed_error() -> None:
    world = b2.World()
    world.close()
    for ask in (
        lambda: world.ray_cast((0, 0), (1, 0)),
        lambda: world.point_queries([(0, 0)]),
        lambda: world.explode((0, 0), 1),
    ):
        with pytest.raises(b2.DestroyedError):
            ask()


@pytest.mark.parametrize("workers", [1, 3])
def test_several_threads_can_query_one_world_at_once(workers: int) -> None:
    """Also right after a change, when the first of them has to bring the broad phase up to date."""
    world = b2.World(workers=workers)
    draw = arrays(5)
    world.create_bodies(draw.uniform(-20, 20, (300, 2)), geometry=b2.Box(0.3, 0.3))
    mover = world.create_static_body()
    mover.create_shape(b2.Circle(2))
    starts, ways = draw.uniform(-20, 20, (100, 2)), draw.uniform(-20, 20, (100, 2))
    for round in range(30):
        mover.position = round, 0
        expected: list[bytes] = []
        gate = threading.Barrier(4)

        def ask(gate: threading.Barrier = gate, expected: list[bytes] = expected) -> None:
            gate.wait()
            for k in range(5):
                expected.append(world.ray_casts(starts, ways).tobytes())
                world.ray_cast(starts[k], ways[k])
                world.overlap_aabb((-5, -5), (5, 5))
                assert world.counters.shapes == 301
                assert mover.position.y == 0

        in_threads([ask] * 4)
        assert len(expected) == 20
        assert len(set(expected)) == 1


def test_a_query_during_a_step_of_another_thread_is_right_or_raises_world_locked() -> None:
    world = b2.World()
    draw = arrays(5)
    world.create_bodies(draw.uniform(-10, 10, (2000, 2)), geometry=b2.Box(0.4, 0.4))
    asked, done = threading.Event(), threading.Event()

    def run() -> None:
        asked.wait()
        for _ in range(20):
            try:
                world.step()
            except b2.WorldLockedError:
                continue
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    locked = answered = 0
    while not done.is_set():
        try:
            world.ray_casts(draw.uniform(-10, 10, (10, 2)), draw.uniform(-10, 10, (10, 2)))
            answered += 1
        except b2.WorldLockedError:
            locked += 1
        asked.set()
    thread.join()
    assert locked + answered > 0
    world.validate()
