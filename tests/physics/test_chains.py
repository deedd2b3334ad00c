"""Chains are smooth and one-sided: which bodies pass them and which they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

import box2dpy as b2

from ..stepping import advance

DT = 1 / 60
OCTAGON = b2.Polygon(
    [(0.5 * math.cos(a * math.pi / 4 + math.pi / 8), 0.5 * math.sin(a * math.pi / 4 + math.pi / 8)) for a in range(8)]
)
THINGS = {
    "box": (b2.Box(0.5, 0.5), 0.5),
    "long box": (b2.Box(2.2, 0.5), 0.5),
    "small box": (b2.Box(0.1, 0.1), 0.1),
    "circle": (b2.Circle(0.5), 0.5),
    "capsule": (b2.Capsule((-0.5, 0), (0.5, 0), 0.3), 0.3),
    "rounded box": (b2.Box(0.4, 0.4, radius=0.1), 0.5),
    "octagon": (OCTAGON, 0.5 * math.cos(math.pi / 8)),
}
SQUARE = [(-5, -5), (5, -5), (5, 5), (-5, 5)]  # counter-clockwise


def ground(world: b2.World, points: Sequence[tuple[float, float]], **fields: object) -> b2.Chain:
    return world.create_static_body().create_chain(points, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("speed", [1, 5])
def test_shapes_slide_over_100_collinear_segments_without_bumps(name: str, speed: float) -> None:
    geometry, height = THINGS[name]
    world = b2.World()
    ground(world, [(50 - k, 0) for k in range(101)], friction=0)
    body = world.create_dynamic_body((-45, height))
    body.create_shape(geometry, friction=0)
    advance(world, 60, DT)
    body.linear_velocity = speed, 0
    bump = turn = 0.0
    while body.position.x < 45:
        world.step(DT)
        bump = max(bump, abs(body.linear_velocity.y))
        turn = max(turn, abs(body.angular_velocity))
    assert bump < 1e-3
    assert turn < 5e-3
    assert body.linear_velocity.x == pytest.approx(speed, rel=2e-3)
    world.validate()


def test_boxes_rest_and_sleep_on_the_vertices_between_segments() -> None:
    world = b2.World()
    ground(world, [(10 - 0.37 * k, 0) for k in range(60)])
    bodies = [world.create_dynamic_body((1.5 * k - 5, 0.5)) for k in range(8)]
    for body in bodies:
        body.create_shape(b2.Box(0.5, 0.5))
    advance(world, 120, DT)
    assert world.counters.awake_bodies == 0
    for k, body in enumerate(bodies):
        assert body.position.x == pytest.approx(1.5 * k - 5, abs=1e-3)
        assert body.position.y == pytest.approx(0.5, abs=0.006)
    world.validate()


@pytest.mark.parametrize("geometry", [b2.Circle(0.4), b2.Box(0.3, 0.4), b2.Capsule((-0.2, 0), (0.2, 0), 0.2), OCTAGON])
@pytest.mark.parametrize("turned", [False, True])
def test_a_loop_is_solid_on_the_right_of_its_direction(geometry: b2.Geometry, turned: bool) -> None:
    """Counter-clockwise outside, clockwise inside."""
    points = SQUARE[::-1] if turned else SQUARE
    for inside in (False, True):
        world = b2.World(gravity=(0, -10 if inside else 10))
        ground(world, points, loop=True)
        body = world.create_dynamic_body((0.3, -3 if inside else -8))
        body.create_shape(geometry)
        advance(world, 120, DT)
        held = body.position.y > -5 if inside else body.position.y < -5
        assert held == (inside == turned)
        assert body.awake != held


@pytest.mark.parametrize("speed", [0.5, 5, 300])
@pytest.mark.parametrize("geometry", [b2.Circle(0.2), b2.Box(0.2, 0.2)])
def test_bodies_pass_a_chain_from_behind_and_not_from_in_front(geometry: b2.Geometry, speed: float) -> None:
    world = b2.World(gravity=(0, 0))
    ground(world, [(5, 0), (1, 0), (-1, 0.1), (-5, 0)])
    rising = world.create_dynamic_body((0.1, -2), linear_velocity=(0, speed))
    falling = world.create_dynamic_body((-3, 2), linear_velocity=(0, -speed))
    for body in (rising, falling):
        body.create_shape(geometry)
    advance(world, int(6 / speed / DT) + 4, DT)
    assert rising.position.y > 2
    assert rising.linear_velocity.y > 0.99 * speed
    assert falling.position.y > 0.15


BEHIND = {"circle": b2.Circle(0.4), "box": b2.Box(0.4, 0.4), "octagon": OCTAGON, "flat": b2.Box(0.8, 0.2)}


def thrown_from_behind(geometry: b2.Geometry, top: float, **fields: object) -> tuple[list[float], b2.World]:
    """Heights of the centre of a body that is thrown up from below a chain at height 0 so that it turns back at
    `top`."""
    world = b2.World()
    ground(world, [(6, 0), (0.5, 0), (0.1, 0), (-6, 0)], **fields)
    speed = math.sqrt(20 * (2 + top))
    body = world.create_dynamic_body((0.1, -2), linear_velocity=(0, speed))
    body.create_shape(geometry)
    heights = []
    for number in range(1, 121):
        world.step(DT)
        heights.append(body.position.y)
        if max(heights) < 0 or fields:  # free flight: the sum of all substeps
            substeps = 4 * number
            fallen = 10 * (DT / 4) ** 2 * substeps * (substeps + 1) / 2
            assert heights[-1] == pytest.approx(-2 + speed * number * DT - fallen, abs=1e-3)
    world.validate()
    return heights, world


@pytest.mark.parametrize("name", BEHIND)
def test_a_body_that_turns_back_before_its_center_is_through_is_not_touched(name: str) -> None:
    """Its upper half is through, its centre is not: there is no contact, and it loses no speed."""
    heights, world = thrown_from_behind(BEHIND[name], -0.03)
    assert max(heights) == pytest.approx(-0.04, abs=0.02)
    assert heights[-1] < -5
    assert world.counters.touching == 0


@pytest.mark.parametrize("name", BEHIND)
def test_a_body_whose_center_is_through_is_pushed_out_in_front_at_limited_speed(name: str) -> None:
    """The same rule as in Box2D: a body that has sunk into the ground is pushed out, at most at
    `contact_push_speed`."""
    heights, world = thrown_from_behind(BEHIND[name], 0.1)
    box = next(body for body in world.bodies if body.type == b2.BodyType.DYNAMIC)
    bottom = min(shape.aabb.lower.y for shape in box.shapes)
    assert bottom == pytest.approx(0, abs=0.01)
    rises = np.diff([height for height in heights if height > 0.05])
    assert rises.max() <= 3.0 * DT * 1.05
    assert max(heights) < heights[-1] + 0.02  # it does not jump


@pytest.mark.parametrize("name", ["circle", "box", "octagon"])
def test_a_one_way_chain_lets_a_body_fall_back_that_turns_inside_it(name: str) -> None:
    for top in (-0.03, 0.1, 0.25):
        heights, _ = thrown_from_behind(BEHIND[name], top, one_way=(0, 1))
        assert max(heights) == pytest.approx(top, abs=0.04)
        assert heights[-1] < -4


@pytest.mark.parametrize("name", THINGS)
def test_a_one_way_chain_is_smooth_and_carries_a_body_that_jumped_through(name: str) -> None:
    geometry, height = THINGS[name]
    world = b2.World()
    ground(world, [(30 - k, 0) for k in range(61)], friction=0, one_way=(0, 1))
    body = world.create_dynamic_body((-25, -3), linear_velocity=(0, 11), lock_rotation=True)
    body.create_shape(geometry, friction=0)
    advance(world, 150, DT)
    assert body.position.y == pytest.approx(height, abs=0.01)
    body.lock_rotation = False
    body.linear_velocity = 5, 0
    for _ in range(500):
        world.step(DT)
        assert abs(body.linear_velocity.y) < 1e-3
    assert body.position.x > 15
    world.validate()


def test_one_way_and_presolve_of_a_chain_can_be_changed_at_any_time() -> None:
    world = b2.World()
    chain = ground(world, [(3, 0), (0, 0), (-3, 0)], one_way=(0, 2), presolve=True)
    assert (chain.one_way, chain.presolve) == ((0, 1), True)
    assert all(shape.one_way == (0, 1) for shape in chain.shapes)
    asked = []
    world.on_presolve = lambda contact: asked.append(contact.shape_a.chain or contact.shape_b.chain) or True
    ball = world.create_dynamic_body((0.5, 0.4))
    ball.create_shape(b2.Circle(0.4))
    advance(world, 30, DT)
    assert ball.position.y == pytest.approx(0.4, abs=0.01)
    assert set(asked) == {chain}
    chain.one_way = 0, -1  # it is now on the wrong side
    advance(world, 60, DT)
    assert ball.position.y < -1
    chain.one_way, chain.presolve = None, False
    assert (chain.one_way, chain.presolve) == (None, False)
    with pytest.raises(ValueError, match="one_way"):
        chain.one_way = 0, 0
    with pytest.raises(ValueError, match="one_way"):
        chain.body.create_chain(SQUARE, one_way=(math.nan, 1))
    with pytest.raises(TypeError, match="presolve"):
        chain.body.create_chain(SQUARE, presolve="yes")  # type: ignore[arg-type]
    world.validate()


@pytest.mark.parametrize("geometry", [b2.Circle(0.25), b2.Box(0.25, 0.25), b2.Capsule((0, 0), (0.3, 0), 0.1)])
def test_fast_bodies_stay_inside_a_chain(geometry: b2.Geometry) -> None:
    world = b2.World(gravity=(0, 0), max_linear_speed=1000)
    circle = [(8 * math.cos(-k * math.pi / 50), 8 * math.sin(-k * math.pi / 50)) for k in range(100)]
    ground(world, circle, loop=True)
    bodies = []
    for k in range(40):
        angle = 0.3 + 2.399 * k
        body = world.create_dynamic_body((4 * math.cos(angle), 4 * math.sin(angle)), angle=angle, angular_velocity=k)
        body.create_shape(geometry, restitution=1, friction=0)
        body.linear_velocity = 20 * k * math.cos(angle * 3), 20 * k * math.sin(angle * 3)
        bodies.append(body)
    for _ in range(120):
        world.step(DT)
        assert max(math.hypot(*body.world_center) for body in bodies) < 8
    world.validate()


def test_the_ends_of_an_open_chain_are_solid() -> None:
    world = b2.World()
    ground(world, [(2, 0), (0, 0), (-2, 0)])
    balls = [world.create_dynamic_body((x, 0.5)) for x in (-2, 2)]
    for ball in balls:
        ball.create_shape(b2.Circle(0.5), rolling_resistance=0.2)
    plank = world.create_dynamic_body((0, 2))
    plank.create_shape(b2.Box(3, 0.1))  # over both ends
    advance(world, 30, DT)
    for ball in balls:
        assert ball.position.y == pytest.approx(0.5, abs=0.01)


def test_a_box_balances_on_a_peak_and_slides_down_a_slope() -> None:
    peak = [(4, -4), (0, 0), (-4, -4)]
    world = b2.World()
    ground(world, peak)
    board = world.create_dynamic_body((0, 0.1))
    board.create_shape(b2.Box(2, 0.1))
    board.lock_rotation = True
    start = 2 + 0.3 / math.sqrt(2)
    slider = world.create_dynamic_body((start, start - 4), angle=-math.pi / 4)
    slider.create_shape(b2.Box(0.5, 0.3), friction=0)
    for number in range(30):
        world.step(DT)
        assert board.position.y == pytest.approx(0.1, abs=0.01), number
    fallen = 0.5 * 10 / math.sqrt(2) * (30 * DT) ** 2
    assert slider.position.x == pytest.approx(start + fallen / math.sqrt(2), abs=0.06)
    assert slider.angle == pytest.approx(-math.pi / 4, abs=0.01)


def test_a_concave_corner_holds_a_box_on_both_sides() -> None:
    """A box thrown into the corner of floor and wall comes to rest there, touching both."""
    world = b2.World()
    ground(world, [(3, 5), (3, 2), (3, 0), (2, 0), (-10, 0)])
    box = world.create_dynamic_body((1, 0.5), linear_velocity=(8, 0))
    box.create_shape(b2.Box(0.5, 0.5), friction=0)
    advance(world, 90, DT)
    assert box.position.x < 2.51
    assert box.position.y == pytest.approx(0.5, abs=0.01)


def test_a_ball_on_an_arc_of_segments_loses_no_energy_at_the_vertices() -> None:
    """On a frictionless arc of many segments energy is kept; each joint is a corner here."""
    world = b2.World(gravity=(0, -10))
    hill = [(20 * math.sin(a), 20 * math.cos(a) - 20) for a in np.linspace(0.6, -0.6, 121).tolist()]
    ground(world, hill, friction=0)
    ball = world.create_dynamic_body((0.05, 0.5), linear_velocity=(1, 0))
    ball.create_shape(b2.Circle(0.5), friction=0)
    energy = []
    while ball.position.x < 8:
        world.step(DT)
        energy.append(0.5 * sum(v * v for v in ball.linear_velocity) + 10 * ball.position.y)
        assert math.hypot(ball.position.x, ball.position.y + 20) == pytest.approx(20.5, abs=0.03)
    assert energy[-1] == pytest.approx(energy[0], rel=0.05)


def test_a_chain_on_a_kinematic_body_carries_bodies_along() -> None:
    world = b2.World()
    lift = world.create_kinematic_body(linear_velocity=(0, 1))
    lift.create_chain([(2, 0), (0, -0.2), (-2, 0)])
    ball = world.create_dynamic_body((0, 0.5))
    ball.create_shape(b2.Circle(0.5))
    advance(world, 120, DT)
    assert ball.position.y - lift.position.y == pytest.approx(0.3, abs=0.02)
    assert ball.linear_velocity.y == pytest.approx(1, abs=0.02)


def test_two_chains_do_not_collide() -> None:
    world = b2.World(gravity=(0, 0))
    ground(world, [(5, 0), (-5, 0)])
    other = world.create_dynamic_body()
    other.mass, other.inertia = 1, 1
    other.create_chain([(0, 5), (0, -5)])
    world.step(DT)
    assert world.counters.contacts == 0
    assert other.mass == 1


# The handle


def test_chain_properties_reach_every_segment_and_lists_contain_the_chain() -> None:
    world = b2.World()
    body = world.create_static_body()
    body.create_shape(b2.Circle(1))
    chain = body.create_chain(np.array(SQUARE), loop=True, friction=0.25, restitution=0.5, material=7, data="outline")
    assert chain.points == [tuple(map(float, point)) for point in SQUARE]
    assert (chain.loop, chain.data, chain.body, chain.alive) == (True, "outline", body, True)
    assert [shape.chain for shape in body.shapes] == [None, chain, chain, chain, chain]
    assert list(world.chains) == [chain] == body.chains
    assert chain.shapes[0].geometry == b2.ChainSegment((-5, -5), (5, -5), ghost1=(-5, 5), ghost2=(5, 5))
    assert world.counters.chains == 1
    values = {"friction": 0.5, "restitution": 0.25, "rolling_resistance": 0.125, "tangent_speed": -2.0,
        "hit_events": True,
              "contact_events": False, "sensor_events": True, "material": -3, "color": 0xFF00FF,
              "filter": b2.Filter(2, 4, -1)}  # fmt: skip
    for name, value in values.items():
        setattr(chain, name, value)
        assert getattr(chain, name) == value
        assert all(getattr(shape, name) == value for shape in chain.shapes)
    open_chain = body.create_chain(SQUARE)
    assert open_chain.points == chain.points
    assert len(open_chain.shapes) == 3
    assert (open_chain.shapes[0].geometry.ghost1, open_chain.shapes[-1].geometry.ghost2) == (None, None)
    world.validate()


def test_destroying_a_chain_removes_all_segments_and_wakes_the_bodies_on_them() -> None:
    world = b2.World()
    chain = ground(world, [(5, 0), (0, 0), (-5, 0)])
    body = chain.body
    shapes = chain.shapes
    ball = world.create_dynamic_body((0, 0.5))
    ball.create_shape(b2.Box(0.5, 0.5))
    advance(world, 120, DT)
    assert not ball.awake
    chain.destroy()
    chain.destroy()
    assert ball.awake
    assert (chain.alive, [shape.alive for shape in shapes], len(world.shapes), len(world.chains)) == (
        False,
        [False, False],
        1,
        0,
    )
    with pytest.raises(b2.DestroyedError):
        chain.friction
    assert "destroyed" in repr(chain)
    world.step(DT)
    assert ball.linear_velocity.y < 0
    world.validate()
    again = body.create_chain([(1, 0), (0, 0)])
    segment = again.shapes[0]
    body.destroy()
    assert not again.alive
    assert not segment.alive
    assert len(world.chains) == 0
    world.validate()


def test_a_segment_of_a_chain_cannot_be_changed_or_destroyed_alone() -> None:
    world = b2.World()
    segment = ground(world, SQUARE).shapes[1]
    with pytest.raises(ValueError, match="not allowed"):
        segment.destroy()
    with pytest.raises(ValueError, match="not allowed"):
        segment.geometry = b2.Circle(1)
    assert segment.alive
    world.validate()


def test_a_single_chain_segment_can_be_created_as_a_shape() -> None:
    world = b2.World()
    shape = world.create_static_body().create_shape(b2.ChainSegment((5, 0), (-5, 0)))
    assert shape.chain is None
    ball = world.create_dynamic_body((0, 0.5))
    ball.create_shape(b2.Circle(0.5))
    advance(world, 60, DT)
    assert ball.position.y == pytest.approx(0.5, abs=0.01)
    shape.geometry = b2.ChainSegment((-5, 0), (5, 0))  # now it faces down
    advance(world, 60, DT)
    assert ball.position.y < -1
    world.validate()


@pytest.mark.parametrize("points", [
    [], [(0, 0)], [(0, 0), (0.004, 0)], [(0, 0), (math.nan, 0)], [(0, 0), (1, math.inf)],
    [(0, 0), (1e30, 0)],
    [(0, 0, 0), (1, 1, 1)],
])  # fmt: skip
def test_bad_chain_points_are_refused(points: list[tuple[float, float]]) -> None:
    world = b2.World()
    body = world.create_static_body()
    with pytest.raises(ValueError, match="points"):
        body.create_chain(points)
    assert (len(world.shapes), len(world.chains)) == (0, 0)


def test_bad_chain_loops_are_refused() -> None:
    world = b2.World()
    body = world.create_static_body()
    for points in ([(0, 0), (1, 0)], [(0, 0), (1, 0), (0, 0)]):
        with pytest.raises(ValueError, match="points"):
            body.create_chain(points, loop=True)
    with pytest.raises(ValueError, match="friction"):
        body.create_chain(SQUARE, friction=-1)
    with pytest.raises(TypeError, match="loop"):
        body.create_chain(SQUARE, loop="yes")  # type: ignore[arg-type]
    world.validate()


def test_a_failed_allocation_leaves_no_part_of_a_chain() -> None:
    from box2dpy._core import lib

    world = b2.World()
    body = world.create_static_body()
    points = [(-k, math.sin(k)) for k in range(300)]
    failed = 0
    for after in range(60):
        lib.b2d_world_fail_allocation(world._ptr, after)
        try:
            body.create_chain(points)
        except MemoryError:
            failed += 1
            assert len(world.shapes) == 299 * len(world.chains)
        finally:
            lib.b2d_world_fail_allocation(world._ptr, -1)
        world.validate()
    assert failed


# One hash


def terrain(workers: int, simd: str, broadphase: str, narrowphase: str) -> int:
    world = b2.World(workers=workers, simd=simd, broadphase=broadphase, narrowphase=narrowphase)
    heights = [(15 - 0.25 * k, 0.3 * math.sin(1.7 * k) + 0.02 * (15 - 0.25 * k) ** 2) for k in range(121)]
    ground(world, heights, friction=0.4, restitution=0.2)
    forms = [geometry for geometry, _ in THINGS.values()]
    for k in range(70):
        body = world.create_dynamic_body((-6 + 0.9 * (k % 14), 5 + 1.2 * (k // 14)), angle=0.3 * k)
        body.create_shape(forms[k % len(forms)])
    advance(world, 150, DT)
    world.validate()
    return world.state_hash()


def test_chains_give_one_hash_for_all_options() -> None:
    widths = b2.cpu_features()
    combinations = [(1, simd, "grid", "batched") for simd in widths]
    combinations += [(3, widths[-1], "tree", "batched"), (2, widths[-1], "brute", "per_pair")]
    hashes = {combination: terrain(*combination) for combination in combinations}
    assert len(set(hashes.values())) == 1, hashes
