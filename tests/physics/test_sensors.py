"""Sensors and hit events: which shapes a sensor detects and when, and that begins and ends balance after any change."""

from __future__ import annotations

import itertools
import math
import random

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

DT = 1 / 60


class Book:
    """Follows the events of a world and keeps the set of visits that they describe."""

    def __init__(self, world: b2.World) -> None:
        self.world = world
        self.inside: set[tuple[b2.Shape, b2.Shape]] = set()
        self.begun = self.ended = 0

    def step(self) -> None:
        self.world.step(DT)
        self.world.validate()
        self.read()

    def read(self) -> None:
        """Every end has its begin, no begin comes twice, and the sensors agree."""
        events = self.world.events
        for end in events.sensor_end:
            self.inside.remove((end.sensor, end.visitor))
            self.ended += 1
        for begin in events.sensor_begin:
            pair = begin.sensor, begin.visitor
            assert pair not in self.inside
            self.inside.add(pair)
            self.begun += 1
        for name in ("sensor_begin", "sensor_end"):
            rows = getattr(events, name).as_array()
            order = list(zip(rows["sensor"].tolist(), rows["visitor"].tolist(), strict=True))
            assert order == sorted(order)
        listed = {(shape, other) for shape in self.world.shapes if shape.sensor for other in shape.overlaps}
        assert listed == self.inside


def zone_world(**options: object) -> tuple[b2.World, b2.Shape]:
    world = b2.World(gravity=(0, 0), **options)  # type: ignore[arg-type]
    return world, world.create_static_body().create_shape(b2.Box(1, 1), sensor=True)


def test_a_sensor_pushes_nothing_and_makes_no_contacts() -> None:
    world, zone = zone_world()
    ball = world.create_dynamic_body((-3, 0), linear_velocity=(2, 0))
    shape = ball.create_shape(b2.Circle(0.25), sensor_events=True)
    book = Book(world)
    seen = []
    for _ in range(180):
        book.step()
        seen.append(zone.overlaps == [shape])
        assert world.counters.contacts == 0
        # the exact geometry decides, not the boxes
        assert seen[-1] == (abs(ball.position.x) <= 1.25), ball.position
    assert ball.position.x == pytest.approx(3, abs=1e-4)
    assert (book.begun, book.ended) == (1, 1)


@pytest.mark.parametrize("of_zone", ["static", "kinematic", "dynamic"])
@pytest.mark.parametrize("of_visitor", ["static", "kinematic", "dynamic", "asleep"])
def test_sensors_on_every_body_type_detect_every_body_type(of_zone: str, of_visitor: str) -> None:
    world = b2.World(gravity=(0, 0))
    zone = getattr(world, f"create_{of_zone}_body")().create_shape(b2.Circle(1), sensor=True)
    make = world.create_dynamic_body if of_visitor == "asleep" else getattr(world, f"create_{of_visitor}_body")
    asleep = {"awake": False} if of_visitor == "asleep" else {}
    visitor = make((0.5, 0), **asleep).create_shape(b2.Box(0.1, 0.1), sensor_events=True)
    make((0.5, 0)).create_shape(b2.Box(0.1, 0.1))  # without sensor_events
    world.step()
    assert [tuple(event) for event in world.events.sensor_begin] == [(zone, visitor)]
    world.validate()
    for _ in range(60):  # everything falls asleep: there are no events, and the overlaps remain
        world.step()
        assert not world.events.sensor_begin
        assert not world.events.sensor_end
    assert zone.overlaps == [visitor]
    visitor.body.destroy()
    world.step()
    [end] = world.events.sensor_end
    assert end.sensor is zone
    assert end.visitor == visitor
    assert not end.visitor.alive


def test_a_sensor_does_not_detect_sensors_or_shapes_of_its_own_body() -> None:
    world = b2.World(gravity=(0, 0))
    body = world.create_dynamic_body()
    body.create_shape(b2.Circle(1), sensor=True, sensor_events=True)
    body.create_shape(b2.Circle(0.5), sensor_events=True)
    world.create_static_body().create_shape(b2.Circle(1), sensor=True, sensor_events=True)
    world.step()
    assert [event.visitor.index for event in world.events.sensor_begin] == [1]


def test_sensor_filters_can_change_at_any_time() -> None:
    world, zone = zone_world()
    visitor = world.create_static_body((0.5, 0)).create_shape(b2.Circle(0.1), sensor_events=True, filter=b2.Filter(2))
    zone.filter = b2.Filter(1, mask=4)
    book = Book(world)
    script = [(b2.Filter(1, 4), 0), (b2.Filter(1, 2), 1), (b2.Filter(1, 2, group=-3), 1), (b2.Filter(1, 4), 0)]
    for given, inside in script:
        zone.filter = given
        world.step()
        book.read()
        assert len(book.inside) == inside, given
    zone.filter, visitor.filter = b2.Filter(1, 2, group=-3), b2.Filter(2, group=-3)
    world.step()
    assert zone.overlaps == []
    zone.filter, visitor.filter = b2.Filter(1, 0, group=3), b2.Filter(2, group=3)
    world.step()
    assert zone.overlaps == [visitor]


def test_sensors_use_the_exact_geometry_and_not_the_boxes() -> None:
    world = b2.World(gravity=(0, 0))
    corner = world.create_static_body().create_shape(b2.Polygon([(0, 0), (2, 0), (0, 2)]), sensor=True)
    outside = world.create_static_body((1.5, 1.5)).create_shape(b2.Circle(0.69), sensor_events=True)
    world.step()
    assert corner.overlaps == []
    outside.geometry = b2.Circle(0.72)
    world.step()
    assert corner.overlaps == [outside]


def row_of_gates(world: b2.World) -> list[b2.Shape]:
    segment = b2.Segment((0, -1), (0, 1))
    return [world.create_static_body((x, 0)).create_shape(segment, sensor=True) for x in range(-20, 21, 4)]


def pass_gates(world: b2.World, gates: list[b2.Shape], speed: float) -> Book:
    """What moves along the row with this speed visits one gate after the other."""
    book, passed = Book(world), []
    for _ in range(int(48 / speed / DT) + 3):
        book.step()
        passed += [event.sensor for event in world.events.sensor_begin]
    assert passed == gates
    return book


@pytest.mark.parametrize("speed", [20, 100, 399])
def test_a_sensor_detects_a_fast_body_that_passes_through_in_one_step(speed: float) -> None:
    world = b2.World(gravity=(0, 0))
    gates = row_of_gates(world)
    bullet = world.create_dynamic_body((-23.1, 0), linear_velocity=(speed, 0)).create_shape(
        b2.Circle(0.1), sensor_events=True
    )
    book = pass_gates(world, gates, speed)
    assert book.inside == set()
    assert bullet.body.position.x > 20


@pytest.mark.parametrize(("geometry", "half", "surely", "never"), [
    (b2.Circle(0.1), 0.1, 0.0025, 0.0),
    (b2.Box(0.1, 0.1), 0.1, 0.0, -0.005),
    (b2.Capsule((-0.1, 0), (0.1, 0), 0.05), 0.05, 0.0025, 0.0),
], ids=["circle", "box", "capsule"])  # fmt: skip
def test_a_fast_body_that_grazes_a_sensor_is_reported_within_the_linear_slop(
    geometry: b2.Geometry, half: float, surely: float, never: float
) -> None:
    """A sweep has the tolerance of the time of impact: rounded shapes are reported when they overlap by half the linear
    slop of 5 mm, shapes without rounding when they come nearer than the slop."""

    def reported(depth: float) -> bool:
        world, _ = zone_world()
        with world:
            body = world.create_dynamic_body((-2.3, 1 + half - depth), linear_velocity=(390, 0))
            body.create_shape(geometry, sensor_events=True)
            world.step(DT)
            assert body.position.x > 2
            return len(world.events.sensor_begin) == 1

    assert reported(surely + 1e-5)
    assert not reported(never - 1e-5)


def test_a_fast_sensor_detects_bodies_that_it_passes_in_one_step() -> None:
    world = b2.World(gravity=(0, 0))
    posts = [
        world.create_static_body((x, 0)).create_shape(b2.Circle(0.05), sensor_events=True) for x in range(-9, 10, 3)
    ]
    probe = world.create_dynamic_body((-11, 0), linear_velocity=(150, 0)).create_shape(b2.Circle(0.1), sensor=True)
    book = Book(world)
    passed = []
    for _ in range(12):
        book.step()
        passed += [event.visitor for event in world.events.sensor_begin]
    assert passed == posts
    assert probe.overlaps == []


@pytest.mark.parametrize("speed", [20, 100, 390])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_sensor_detects_a_fast_kinematic_body_that_passes_in_one_step(speed: float, workers: int) -> None:
    world = b2.World(gravity=(0, 0), workers=workers)
    gates = row_of_gates(world)
    wall = world.create_static_body((1, 0))
    wall.create_shape(b2.Box(0.1, 2))  # stops no kinematic body, and does not end its sweep
    lift = world.create_kinematic_body((-23.1, 0), linear_velocity=(speed, 0))
    shape = lift.create_shape(b2.Circle(0.1), sensor_events=True)
    book = pass_gates(world, gates, speed)
    assert {event.visitor for event in world.events.sensor_begin} <= {shape}
    assert book.inside == set() and book.begun == book.ended == len(gates)
    assert lift.position.x > 20


def test_a_fast_kinematic_sensor_detects_bodies_of_every_type() -> None:
    world = b2.World(gravity=(0, 0), sleep_time=0.05)
    makers = [world.create_static_body, world.create_kinematic_body, world.create_dynamic_body]
    posts = [makers[k % 3]((3.0 * k - 9, 0)).create_shape(b2.Circle(0.05), sensor_events=True) for k in range(7)]
    advance(world, 10, DT)
    assert world.counters.awake_bodies == 0
    probe = world.create_kinematic_body((-11, 0), linear_velocity=(150, 0)).create_shape(b2.Circle(0.1), sensor=True)
    book = Book(world)
    passed = []
    for _ in range(12):
        book.step()
        passed += [event.visitor for event in world.events.sensor_begin]
        assert world.counters.awake_bodies == 1, "a sensor wakes no body"
    assert passed == posts and probe.overlaps == []


def test_a_sensor_detects_a_fast_rotating_kinematic_bar() -> None:
    world = b2.World(gravity=(0, 0))
    spot = world.create_static_body((0, 4)).create_shape(b2.Circle(0.05), sensor=True)
    bar = world.create_kinematic_body(angle=math.pi / 2 - 0.3, angular_velocity=0.6 / DT)
    bar.create_shape(b2.Capsule((3, 0), (5, 0), 0.05), sensor_events=True)
    book = Book(world)
    book.step()
    assert bar.angle == pytest.approx(math.pi / 2 + 0.3, abs=0.01)
    assert book.begun == 1 and spot.overlaps == list(bar.shapes)
    book.step()
    assert book.ended == 1


def test_sensors_do_not_detect_passing_bodies_when_continuous_is_off() -> None:
    world, zone = zone_world(continuous=False)
    for make in (world.create_kinematic_body, world.create_dynamic_body):
        make((-3, 0), linear_velocity=(390, 0)).create_shape(b2.Circle(0.1), sensor_events=True)
    world.step(DT)
    assert zone.overlaps == []


# The user's filter


def test_the_filter_callback_is_called_once_for_each_visit_of_a_sensor() -> None:
    world, zone = zone_world(sleep_time=0.1)
    ball = world.create_dynamic_body((-3, 0), linear_velocity=(4, 0)).create_shape(b2.Circle(0.25), sensor_events=True)
    asked: list[tuple[b2.Shape, b2.Shape]] = []
    answer = True

    def allow(a: b2.Shape, b: b2.Shape) -> bool:
        asked.append((a, b))
        return answer

    world.on_filter = allow
    book = Book(world)
    for k in range(90):
        book.step()
        assert len(asked) == (k >= 26)
    assert asked == [(zone, ball)] and (book.begun, book.ended) == (1, 1)
    answer = False
    ball.body.position, ball.body.linear_velocity = (0, 0), (0, 0)
    for _ in range(30):
        book.step()
    assert len(asked) == 2 and zone.overlaps == [] and world.counters.sensor_overlaps == 0 and not ball.body.awake
    answer = True
    world.step(DT)
    assert len(asked) == 2, "a refusal holds until they part"
    ball.filter = b2.Filter(category=2)  # changed: the filter is called again
    book.step()
    assert len(asked) == 3 and zone.overlaps == [ball]
    answer = False
    world.on_filter = allow  # assigned: the filter is called again, and the visit ends
    book.step()
    assert len(asked) == 4 and zone.overlaps == [] and book.ended == 2
    world.on_filter = None
    book.step()
    assert zone.overlaps == [ball] and book.begun == 3
    ball.body.destroy()
    book.step()
    assert book.begun == book.ended == 3


def test_a_refused_visitor_causes_no_events_when_it_leaves_or_is_destroyed() -> None:
    world, zone = zone_world()
    world.on_filter = lambda a, b: False
    one = world.create_dynamic_body().create_shape(b2.Circle(0.5), sensor_events=True)
    two = world.create_kinematic_body((0.5, 0), linear_velocity=(30, 0)).create_shape(
        b2.Circle(0.5), sensor_events=True
    )
    world.step(DT)
    one.destroy()
    for _ in range(10):
        world.step(DT)
        assert not world.events.sensor_begin and not world.events.sensor_end and zone.overlaps == []
    assert two.body.position.x > 2


@pytest.mark.parametrize("kind", ["kinematic", "dynamic"])
@pytest.mark.parametrize("allowed", [False, True])
def test_the_filter_callback_is_called_for_bodies_that_pass_in_one_step(kind: str, allowed: bool) -> None:
    world, zone = zone_world()
    ball = getattr(world, f"create_{kind}_body")((-3, 0), linear_velocity=(390, 0))
    shape = ball.create_shape(b2.Circle(0.1), sensor_events=True)
    asked: list[tuple[b2.Shape, b2.Shape]] = []

    def allow(a: b2.Shape, b: b2.Shape) -> bool:
        asked.append((a, b))
        return allowed

    world.on_filter = allow
    book = Book(world)
    for _ in range(3):
        book.step()
    assert asked == [(zone, shape)] and book.begun == book.ended == int(allowed)


def test_sensor_filter_calls_have_the_same_order_for_all_options() -> None:
    runs = []
    for options in ({"simd": "scalar", "broadphase": "brute"}, {"workers": 3}, {"workers": 2, "broadphase": "tree"}):
        world = b2.World(**options)  # type: ignore[arg-type]
        draw = draws(5)
        for k in range(12):
            world.create_static_body((k - 6, 2)).create_shape(b2.Box(0.7, 2), sensor=True)
        inside = 0  # bodies that begin in a sensor, of which each asks at least once
        for _ in range(60):
            make = draw.choice([world.create_dynamic_body, world.create_kinematic_body])
            x, y = draw.uniform(-6, 6), draw.uniform(-2, 8)
            inside += x < 5 and 0.1 < y < 4
            body = make((x, y), linear_velocity=(draw.uniform(-90, 90), 0))
            body.create_shape(b2.Circle(0.2), sensor_events=True, filter=b2.Filter(group=-1))
        asked: list[tuple[int, int]] = []

        def allow(a: b2.Shape, b: b2.Shape, asked: list[tuple[int, int]] = asked) -> bool:
            assert a.sensor and b.sensor_events
            asked.append((a.index, b.index))
            return (a.index + b.index) % 3 != 0

        world.on_filter = allow
        book, events = Book(world), []
        for _ in range(40):
            start = len(asked)
            world.step(DT)
            assert asked[start:] == sorted(set(asked[start:]))
            book.read()
            events.append(world.events.sensor_begin.as_array().tolist())
        assert all((a.index + b.index) % 3 for a, b in book.inside)
        runs.append((asked, events, world.state_hash()))
    assert len(runs[0][0]) >= inside > 0 and runs[1:] == runs[:-1]


def test_a_body_stopped_by_a_wall_does_not_reach_a_sensor_behind_it() -> None:
    world = b2.World(gravity=(0, 0))
    world.create_static_body((0, 0)).create_shape(b2.Box(0.1, 2))
    behind = world.create_static_body((1, 0)).create_shape(b2.Box(0.2, 2), sensor=True)
    world.create_dynamic_body((-1, 0), linear_velocity=(300, 0)).create_shape(b2.Circle(0.1), sensor_events=True)
    for _ in range(20):
        world.step(DT)
        assert behind.overlaps == []
        assert not world.events.sensor_begin


def test_a_step_with_zero_time_updates_sensors() -> None:
    world, zone = zone_world()
    visitor = world.create_dynamic_body().create_shape(b2.Circle(0.5), sensor_events=True)
    world.step(0)
    assert zone.overlaps == [visitor]


def test_a_resting_world_of_sensors_allocates_nothing_and_tests_no_pairs() -> None:
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(200, 1), sensor_events=True)
    for k in range(200):
        body = world.create_dynamic_body((k - 100, 0.26))
        body.create_shape(b2.Box(0.25, 0.25), sensor_events=True)
        body.create_shape(b2.Circle(0.6), sensor=True)
    book = Book(world)
    for number in range(120):
        book.step()
        if number == 30:
            assert world.counters.step_allocations == 0
    assert world.counters.awake_bodies == 0
    assert world.counters.sensors == 200
    assert world.counters.sensor_overlaps == len(book.inside)
    world.validate()


def random_step(draw: random.Random, world: b2.World, bodies: list[b2.Body]) -> None:
    """One arbitrary thing that a user may do between two steps."""
    kinds = ["static", "kinematic", "dynamic"]
    body = draw.choice(bodies)
    shape = draw.choice(body.shapes) if body.shapes else None
    place = draw.uniform(-4, 4), draw.uniform(-4, 4)
    match draw.randrange(16):
        case 0 if len(bodies) > 12:
            bodies.remove(body)
            body.destroy()
        case 1 | 2:
            fresh = getattr(world, f"create_{draw.choice(kinds)}_body")(place)
            bodies.append(fresh)
            if fresh.type != b2.BodyType.STATIC:
                fresh.linear_velocity = draw.uniform(-3, 3), draw.uniform(-3, 3)
            fresh.create_shape(draw_geometry(draw), sensor=draw.random() < 0.4, sensor_events=draw.random() < 0.7)
        case 3:
            body.enabled = not body.enabled
        case 4:
            body.type = draw.choice(kinds)
        case 5 | 6:
            body.position = place
        case 7:
            body.awake = not body.awake
        case 8 if shape:
            shape.filter = b2.Filter(draw.choice([1, 2, 3]), draw.choice([1, 2, 3]), draw.choice([0, 0, 1, -1]))
        case 9 if shape:
            shape.sensor = not shape.sensor
        case 10 if shape:
            shape.sensor_events = not shape.sensor_events
        case 11 if shape:
            shape.geometry = draw_geometry(draw)
        case 12 if shape:
            shape.destroy()
        case 13:
            body.create_shape(draw_geometry(draw), sensor=draw.random() < 0.5, sensor_events=draw.random() < 0.5)
        case 14 if body.type != b2.BodyType.STATIC:
            body.linear_velocity = draw.uniform(-200, 200), draw.uniform(-200, 200)
        case _:
            pass


def draw_geometry(draw: random.Random) -> b2.Geometry:
    size = draw.uniform(0.1, 1)
    return draw.choice([
        b2.Circle(size),
        b2.Box(size, 0.3),
        b2.Capsule((-size, 0), (size, 0), 0.1),
        b2.Segment((0, -size), (0, size)),
        b2.Polygon([(0, 0), (size, 0), (0, size)], radius=0.1),
    ])  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_sensor_begins_and_ends_balance_after_random_calls(seed: int) -> None:
    draw = draws(seed)
    world = b2.World(gravity=(0, -2), workers=1 + seed % 3, sleep_time=0.2)
    walls = world.create_static_body()
    for x, y, angle in ((0, -6, 0), (0, 6, 0), (-6, 0, math.pi / 2), (6, 0, math.pi / 2)):
        walls.create_shape(b2.Box(7, 0.5, (x, y), angle), sensor_events=True)
    bodies: list[b2.Body] = []
    for _ in range(40):
        bodies.append(world.create_dynamic_body((draw.uniform(-4, 4), draw.uniform(-4, 4))))
        bodies[-1].create_shape(draw_geometry(draw), sensor=draw.random() < 0.4, sensor_events=True)
    book = Book(world)
    for number in range(300):
        if number % 60 < 40:
            for _ in range(draw.randrange(3)):
                random_step(draw, world, bodies)
        book.step()
        world.validate()  # compares with brute force
    for body in list(world.bodies):
        body.destroy()
    book.step()
    assert book.inside == set()
    assert book.begun == book.ended > 40


def events_of(workers: int, simd: str, broadphase: str) -> tuple[list[list[tuple[float, ...]]], int]:
    draw = draws(3)
    world = b2.World(workers=workers, simd=simd, broadphase=broadphase)
    world.create_static_body((0, -1)).create_shape(b2.Box(20, 1), hit_events=True)
    for k in range(60):
        body = world.create_dynamic_body(
            (draw.uniform(-8, 8), draw.uniform(0, 12)), linear_velocity=(draw.uniform(-90, 90), 0)
        )
        body.create_shape(draw.choice([b2.Circle(0.3), b2.Box(0.3, 0.2)]), sensor_events=True, hit_events=k % 2 == 0)
        if k % 3 == 0:
            body.create_shape(b2.Circle(0.8), sensor=True)
    for x in range(-8, 9, 2):
        world.create_static_body((x, 1)).create_shape(b2.Segment((0, -1), (0, 3)), sensor=True)
    trace: list[list[tuple[float, ...]]] = []
    for _ in range(90):
        world.step(DT)
        names = ("sensor_begin", "sensor_end", "contact_hit")
        trace += [getattr(world.events, name).as_array().tolist() for name in names]
    return trace, world.state_hash()


def test_sensor_and_hit_events_are_equal_for_all_workers_widths_and_broad_phases() -> None:
    widths = b2.cpu_features()
    first = events_of(1, widths[0], "grid")
    assert sum(map(len, first[0])) > 100
    for workers, simd, broadphase in itertools.chain(
        [(3, widths[-1], "tree"), (2, widths[0], "brute")], [(4, w, "grid") for w in widths]
    ):
        assert events_of(workers, simd, broadphase) == first, (workers, simd, broadphase)


def test_sensors_do_not_change_the_motion() -> None:
    def run(sensors: bool) -> int:
        world = b2.World()
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        for k in range(20):
            world.create_dynamic_body((0.1 * k, 1 + k)).create_shape(b2.Circle(0.4), sensor_events=sensors)
        if sensors:
            world.create_static_body((0, 2)).create_shape(b2.Box(3, 3), sensor=True)
        advance(world, 120)
        return sum(hash((body.position, body.angle)) for body in world.bodies if body.type == b2.BodyType.DYNAMIC)

    assert run(True) == run(False)


# Hits


def drop(height: float, *, hit_events: bool = True, **options: float) -> list[b2.ContactHit]:
    world = b2.World(**options)  # type: ignore[arg-type]
    world.create_static_body((0, -1)).create_shape(b2.Box(10, 1))
    ball = world.create_dynamic_body((0, 0.5 + height))
    ball.create_shape(b2.Circle(0.5), hit_events=hit_events)
    hits: list[b2.ContactHit] = []
    for _ in range(200):
        world.step(DT)
        hits += world.events.contact_hit
    return hits


@pytest.mark.parametrize("height", [0.5, 2.0, 7.0])
def test_a_hit_event_has_the_speed_of_the_fall(height: float) -> None:
    [hit] = drop(height)
    assert hit.approach_speed == pytest.approx((2 * 10 * height) ** 0.5, abs=0.35)  # within two steps of gravity
    assert hit.point.x == pytest.approx(0, abs=1e-6)
    assert abs(hit.point.y) < hit.approach_speed * DT
    down = -1 if hit.shape_a.body.type == b2.BodyType.DYNAMIC else 1
    assert tuple(hit.normal) == pytest.approx((0, down), abs=1e-6)
    assert hit.impulse > 0.5 * 3.14 / 4 * hit.approach_speed


def test_hits_below_the_threshold_or_without_the_flag_are_not_reported() -> None:
    assert drop(0.5, hit_threshold=5) == []
    assert drop(2.0, hit_events=False) == []
    assert len(drop(2.0, hit_threshold=0.5)) == 1


def test_resting_and_passing_bodies_cause_no_hit_events() -> None:
    world = b2.World(gravity=(0, 0))
    world.create_static_body((0, -1)).create_shape(b2.Box(10, 1), hit_events=True)
    world.create_dynamic_body((-5, 0.51), linear_velocity=(30, 0)).create_shape(
        b2.Circle(0.5)
    )  # passes within the margin
    for _ in range(20):
        world.step(DT)
        assert not world.events.contact_hit


def test_hit_events_are_in_contact_order_and_stay_readable() -> None:
    world = b2.World(hit_threshold=2)
    world.create_static_body((0, -1)).create_shape(b2.Box(30, 1), hit_events=True)
    for k in range(40):
        world.create_dynamic_body(((k * 7) % 40 - 20, 1.5)).create_shape(b2.Box(0.3, 0.3))
    for _ in range(60):
        world.step(DT)
        rows = world.events.contact_hit.as_array()
        if len(rows):
            break
    assert len(rows) == 40
    assert rows["contact"].tolist() == sorted(rows["contact"].tolist())
    hits = list(world.events.contact_hit)
    for body in list(world.bodies):
        body.destroy()
    assert not hits[0].shape_a.alive
    assert len(tuple(hits[0])) == 7
    assert "ContactHit(" in repr(hits[0])


def test_a_visitor_at_the_distance_of_a_rounding_is_inside_for_the_list_and_for_the_check() -> None:
    with b2.World(gravity=(0, 0)) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1), sensor=True)
        for k in range(60):
            body = world.create_dynamic_body((k - 30, 0.5 + 4.8e-10 * (k - 30)), 8e-10)
            body.create_shape(b2.Box(0.4, 0.5), sensor_events=True)
        world.step(0)
        world.validate()


def test_a_visitor_that_a_filter_no_longer_refuses_is_seen_on_its_way_out() -> None:
    with b2.World(gravity=(0, 0)) as world:
        sensor = world.create_static_body().create_shape(b2.Box(1, 1), sensor=True)
        visitor = world.create_dynamic_body().create_shape(b2.Circle(0.1), sensor_events=True)
        world.on_filter = lambda a, b: False
        world.step(DT)
        assert sensor.overlaps == []
        world.on_filter = None
        visitor.body.linear_velocity = (300, 0)
        world.step(DT)
        assert [(begin.sensor, begin.visitor) for begin in world.events.sensor_begin] == [(sensor, visitor)]
        world.step(DT)
        assert [(end.sensor, end.visitor) for end in world.events.sensor_end] == [(sensor, visitor)]


@pytest.mark.parametrize("speed", [0, -20, -390])
@pytest.mark.parametrize("stop", [0.5, 1, 3])
def test_a_sensor_sees_what_a_fast_wall_carries_through_it(speed: float, stop: float) -> None:
    """The motion of a fast body that was carried was shortened to the part before it met the wall."""
    with b2.World(gravity=(0, 0)) as world:
        sensor = world.create_static_body((0.2, 0)).create_shape(b2.Segment((0, -1), (0, 1)), sensor=True)
        world.create_static_body((stop + 0.1, 0)).create_shape(b2.Box(0.1, 1))
        wall = world.create_kinematic_body((-3, 0), linear_velocity=(250, 0))
        wall.create_shape(b2.Circle(0.1))
        visitor = world.create_dynamic_body((-0.2, 0), linear_velocity=(speed, 0)).create_shape(
            b2.Box(0.02, 0.4), sensor_events=True
        )
        world.step(DT)
        assert visitor.body.position.x > 0.25
        assert [(begin.sensor, begin.visitor) for begin in world.events.sensor_begin] == [(sensor, visitor)]
