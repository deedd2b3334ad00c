"""Continuous collision: bodies neither tunnel through others nor stick to them."""

from __future__ import annotations

import math
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

DT = 1 / 60


@pytest.mark.parametrize("half_width", [0.005, 0.02])
@pytest.mark.parametrize("seed", [3, 7])
def test_thin_spinning_boxes_never_pass_a_thin_wall(seed: int, half_width: float) -> None:
    # 60 launches at a wall of 0.1 m, at 100 .. 460 m/s, spin 0 .. 59 rad/s (Box2D 3.1 lets 2 of 0.2 x 0.04 m through).
    random_ = draws(seed)
    with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
        world.create_static_body().create_shape(b2.Box(0.05, 400))
        slivers = []
        for k in range(60):
            sliver = world.create_dynamic_body(
                position=(-3 - 5 * random_.random(), 10 * k - 300),
                angle=random_.uniform(-3, 3),
                linear_velocity=(100 + 6.1 * k, 0),
                angular_velocity=k,
                allow_fast_rotation=True,
            )
            sliver.create_shape(b2.Box(0.1, half_width))
            slivers.append(sliver)
        advance(world, 60, DT)
        assert [k for k, sliver in enumerate(slivers) if sliver.position.x > 0] == []


def shot(speed: float, radius: float = 0.05, jointed: bool = False, bullet: bool = False, **options: Any) -> bool:
    """Whether a ball hits a thin dynamic plate that it meets in the middle of a step."""
    with b2.World(gravity=(0, 0), max_linear_speed=1000, **options) as world:
        plate = world.create_dynamic_body(position=(0, 0))
        plate.create_shape(b2.Box(0.02, 2), density=5.0)
        place = (-3.5 * speed / 60, 0)
        ball = world.create_dynamic_body(position=place, linear_velocity=(speed, 0), bullet=bullet)
        ball.create_shape(b2.Circle(radius), density=5.0)
        if jointed:
            tail = world.create_dynamic_body(place, linear_velocity=(speed, 0))
            tail.create_shape(b2.Circle(radius), density=5.0)
            world.create_revolute_joint(ball, tail, anchor=place)
        advance(world, 10, DT)
        world.validate()
        return plate.linear_velocity.x > 0.1


@pytest.mark.parametrize("workers", [1, 3])
def test_a_ball_that_moves_by_more_than_twice_its_width_hits_a_thin_dynamic_plate(workers: int) -> None:
    # 0.2 m a step is 12 m/s for a ball of 0.1 m
    assert [speed for speed in (12.5, 20, 50, 100, 300, 500) if not shot(speed, workers=workers)] == []


def test_jointed_bodies_pass_a_thin_dynamic_plate_that_bullets_hit() -> None:
    assert not shot(100, jointed=True)
    assert shot(100, jointed=True, bullet=True)
    assert shot(100, jointed=True, continuous="all")
    assert not shot(100, continuous=False)


def test_a_fast_ball_throws_a_resting_one_where_geometry_says() -> None:
    chance = draws(5)
    for _ in range(30):
        with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
            offset = chance.uniform(-0.45, 0.45)
            rests = world.create_dynamic_body((0, 0))
            thrown = world.create_dynamic_body((chance.uniform(-5, -3), offset), linear_velocity=(100, 0))
            for ball in (rests, thrown):
                ball.create_shape(b2.Circle(0.25), restitution=1, friction=0)
            advance(world, 30, DT)
            v = rests.linear_velocity
            # A sweep ends up to half a slop within; an impact is found at up to the speculative distance, 2 cm
            least, most = sorted(math.asin(offset / apart) for apart in (0.5 - 0.0026, 0.52))
            assert least - 0.001 < -math.atan2(v.y, v.x) < most + 0.001


def test_bullets_stop_at_kinematic_bodies() -> None:
    with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
        door = world.create_kinematic_body(linear_velocity=(0, 0.5))
        door.create_shape(b2.Box(0.02, 5))
        ball = world.create_dynamic_body(position=(-3, 0), linear_velocity=(350, 0), bullet=True)
        ball.create_shape(b2.Circle(0.05))
        advance(world, 10, DT)
        assert ball.position.x < 0


def test_a_fast_box_slides_on_without_sticking() -> None:
    # Friction 0: sliding along the ground at 60 m/s, a metre a step, loses nothing.
    with b2.World() as world:
        ground = world.create_static_body(position=(0, -1))
        ground.create_shape(b2.Box(500, 1), friction=0)
        box = world.create_dynamic_body(position=(-200, 0.25), linear_velocity=(60, 0))
        box.create_shape(b2.Box(0.25, 0.25), friction=0)
        advance(world, 240, DT)
        assert world.counters.continuous_bodies == 1
        assert box.linear_velocity.x == pytest.approx(60, rel=1e-3)
        assert box.position.x == pytest.approx(-200 + 240, abs=1.0)


def test_fast_bodies_pass_walls_when_continuous_collision_is_off() -> None:
    passed = []
    for continuous in (True, False):
        with b2.World(gravity=(0, 0), continuous=continuous) as world:
            world.create_static_body().create_shape(b2.Box(0.02, 10))
            ball = world.create_dynamic_body(position=(-3.1, 0), linear_velocity=(390, 0))
            ball.create_shape(b2.Circle(0.05))
            advance(world, 10, DT)
            passed.append(ball.position.x > 0)
    assert passed == [False, True]


def test_a_sweep_handles_hundreds_of_candidates() -> None:
    with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
        wall = world.create_static_body()
        for k in range(3000):
            wall.create_shape(b2.Box(0.01, 0.01, center=(3 + 0.001 * (k % 50), 0.02 * (k - 1500))))
        ball = world.create_dynamic_body(position=(0, 0), linear_velocity=(900, 0))
        ball.create_shape(b2.Box(0.3, 20))
        advance(world, 3, DT)
        assert ball.position.x < 3


@pytest.mark.parametrize("state", ["still", "asleep", "towards", "away", "turning"])
@pytest.mark.parametrize("kind", ["kinematic", "dynamic"])
def test_bullets_hit_moving_resting_and_sleeping_bodies(kind: str, state: str) -> None:
    speed = {"towards": -40.0, "away": 40.0}.get(state, 0.0)
    with b2.World(gravity=(0, 0), max_linear_speed=1000, sleep_time=0.02) as world:
        door = getattr(world, f"create_{kind}_body")(
            (0, 0), linear_velocity=(speed, 0), angular_velocity=3 * (state == "turning")
        )
        door.create_shape(b2.Box(0.02, 5), density=50)
        if state == "asleep":
            advance(world, 5, DT)
            assert not door.awake
        ball = world.create_dynamic_body((-3.05, 0.01), linear_velocity=(350, 0), bullet=True)
        ball.create_shape(b2.Circle(0.05), restitution=0.5)
        for _ in range(12):
            world.step(DT)
            world.validate()
        local = door.local_point(ball.position)
        assert local.x < 0, "it never came through"
        if kind == "dynamic":  # it has hit: momentum was transferred
            assert door.linear_velocity.x > speed + 0.05
            total = door.mass * (door.linear_velocity.x - speed) + ball.mass * (ball.linear_velocity.x - 350)
            assert abs(total) < 0.02 * ball.mass * 350
        else:
            assert ball.linear_velocity.x < 50


def throw(kind: str, k: int, **options: Any) -> tuple[bool, int]:
    """Throws body `a` at body `b`: whether they passed without touching, and the hash of the end."""
    draw = draws(k)
    continuous = "all" if kind == "all" else True
    with b2.World(gravity=(0, 0), max_linear_speed=1000, continuous=continuous, **options) as world:
        place = (draw.uniform(-8, -4), draw.uniform(-0.15, 0.15))
        velocity = (draw.uniform(50, 200), 0)
        if kind == "wall":
            a = world.create_kinematic_body(place, linear_velocity=velocity)
            a.create_shape(b2.Box(0.02, 3))
            b = world.create_dynamic_body((0, 0))
            b.create_shape(b2.Circle(0.2))
            b.awake = k % 3 != 1
        else:
            a = world.create_dynamic_body(place, linear_velocity=velocity, bullet=kind != "all")
            a.create_shape(b2.Circle(0.2))
            if kind == "bullets":
                b = world.create_dynamic_body((6, 0), linear_velocity=(-draw.uniform(50, 200), 0), bullet=True)
                b.create_shape(b2.Circle(0.2))
            else:
                b = world.create_dynamic_body(
                    (draw.uniform(-2, 2), 0),
                    linear_velocity=(draw.uniform(-20, 20), draw.uniform(-5, 5)),
                    angular_velocity=draw.uniform(-3, 3),
                )
                b.create_shape(b2.Box(0.02, 3), density=20)
        before = tuple(b.linear_velocity)
        advance(world, 15, DT)
        world.validate()
        # Seen from the wall or the plate, which may have turned by 45 degrees; those of 30 m/s have not met yet
        passed = a.local_point(b.position).x < 0 if kind in ("wall", "bullets") else b.local_point(a.position).x > 0
        return passed and tuple(b.linear_velocity) == before, world.state_hash()


THROWS = ["bullets", "plate", "all", "wall"]


@pytest.mark.parametrize("kind", THROWS)
def test_what_moves_does_not_pass_what_moves(kind: str) -> None:
    assert [k for k in range(60) if throw(kind, k)[0]] == []


@pytest.mark.parametrize("kind", THROWS)
def test_relative_sweeps_do_not_depend_on_broad_phase_width_or_workers(kind: str) -> None:
    for k in range(6):
        first = throw(kind, k, broadphase="brute", simd="scalar")
        assert throw(kind, k, broadphase="grid", workers=3) == throw(kind, k, broadphase="tree") == first


def test_a_ball_that_a_fast_wall_meets_stays_in_front_of_it() -> None:
    for speed in (50, 100, 200):
        with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
            wall = world.create_kinematic_body((-4.3, 0), linear_velocity=(speed, 0))
            wall.create_shape(b2.Box(0.02, 3))
            balls = [world.create_dynamic_body((k, 0.1 * k)) for k in range(3)]
            for ball in balls:
                ball.create_shape(b2.Circle(0.2))
            for _ in range(20):
                world.step(DT)
                assert all(ball.position.x > wall.position.x for ball in balls)
            assert all(ball.linear_velocity.x > 0.99 * speed for ball in balls)


def test_a_ball_between_a_fast_wall_and_a_static_one_is_not_carried_through_the_static_one() -> None:
    with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
        world.create_static_body((1, 0)).create_shape(b2.Box(0.02, 5))
        wall = world.create_kinematic_body((-1, 0), linear_velocity=(200, 0))
        wall.create_shape(b2.Box(0.02, 3))
        ball = world.create_dynamic_body((0, 0))
        ball.create_shape(b2.Circle(0.2))
        world.step(DT)
        assert 0.5 < ball.position.x < 0.82


def crowd(**options: Any) -> list[int]:
    """Fast bodies of all forms fly through each other, between fast kinematic blades."""
    draw = draws(11)
    with b2.World(gravity=(0, 0), max_linear_speed=1000, continuous="all", **options) as world:
        for k in range(60):
            place = (draw.uniform(-8, 8), draw.uniform(-8, 8))
            velocity = (draw.uniform(-200, 200), draw.uniform(-200, 200))
            body = world.create_dynamic_body(
                place, draw.uniform(-3, 3), linear_velocity=velocity if k % 3 else (0, 0), angular_velocity=k % 7
            )
            body.create_shape(draw.choice([b2.Circle(0.3), b2.Box(0.02, 0.4), b2.Capsule((-0.2, 0), (0.2, 0), 0.05)]))
        for k in range(4):
            blade = world.create_kinematic_body((6 * k - 9, 0), linear_velocity=(0, 90), angular_velocity=20 * k)
            blade.create_shape(b2.Box(1, 0.05))
        hashes = []
        for _ in range(8):
            world.step(DT)
            world.validate()
            hashes.append(world.state_hash())
        return hashes


def test_a_crowd_of_fast_bodies_gives_the_same_bits_for_all_broad_phases_and_workers() -> None:
    first = crowd(broadphase="brute", simd="scalar")
    for broadphase, workers in (("grid", 1), ("tree", 3), ("grid", 4)):
        assert crowd(broadphase=broadphase, workers=workers) == first, (broadphase, workers)


def test_continuous_takes_true_false_or_all() -> None:
    with b2.World(continuous="all") as world:
        assert world.continuous == "all"
        for value in (False, True, "all"):
            world.continuous = value  # type: ignore[assignment]
            assert world.continuous is value or world.continuous == value == "all"
        with pytest.raises(ValueError, match="all"):
            world.continuous = "some"  # type: ignore[assignment]
    with pytest.raises(ValueError, match="all"):
        b2.World(continuous="some")  # type: ignore[arg-type]


@pytest.mark.parametrize("factor", [0.1, 0.25, 0.5, 1.0])
def test_a_body_is_swept_when_it_moves_farther_than_the_safety_factor_allows(factor: float) -> None:
    # A disc of radius 0.5 m is swept when it moves farther in a step than factor x 0.5 m.
    for share, swept in ((0.97, 0), (1.03, 1)):
        with b2.World(gravity=(0, 0)) as world:
            world.create_static_body((20, 0)).create_shape(b2.Box(40, 1))
            disc = world.create_dynamic_body(
                (0, 1.53), linear_velocity=(share * factor * 0.5 / DT, 0), safety_factor=factor
            )
            disc.create_shape(b2.Circle(0.5))
            world.step(DT)
            assert world.counters.continuous_bodies == swept
            disc.safety_factor = 0.5 * factor  # changed between steps
            world.step(DT)
            assert world.counters.continuous_bodies == 1


def test_a_smaller_safety_factor_gives_less_penetration() -> None:
    deepest = {}
    for factor in (0.1, 1.0):
        with b2.World(gravity=(0, 0)) as world:
            world.create_static_body((0, 0)).create_shape(b2.Box(0.5, 5))
            disc = world.create_dynamic_body((-1.3, 0), linear_velocity=(27, 0), safety_factor=factor)  # 0.45 m a step
            disc.create_shape(b2.Circle(0.5))
            deepest[factor] = 0.0
            for _ in range(6):
                world.step(DT)
                deepest[factor] = max(deepest[factor], disc.position.x + 0.5 + 0.5)
    assert deepest[0.1] < 0.025 < 0.1 < deepest[1.0]


GEOMETRIES = [
    b2.Circle(0.25),
    b2.Box(0.25, 0.25),
    b2.Capsule((-0.2, 0), (0.2, 0), 0.15),
    b2.Polygon([(-0.3, -0.2), (0.3, -0.2), (0, 0.4)]),
]


def floor_of(world: b2.World, kind: str) -> None:
    """Level with y = 0 from -60 to 260 m."""
    ground = world.create_static_body()
    if kind == "chain":
        ground.create_chain([(2.0 * k, 0) for k in range(130, -31, -1)], friction=0)
    elif kind == "tiles":
        for k in range(-15, 66):
            ground.create_shape(b2.Box(2, 0.5, center=(4 * k, -0.5)), friction=0)
    else:
        ground.create_shape(b2.Box(160, 0.5, center=(100, -0.5)), friction=0)


@pytest.mark.parametrize("bullet", [False, True])
@pytest.mark.parametrize("kind", ["box", "chain", "tiles"])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=lambda g: type(g).__name__)
def test_fast_sliding_bodies_lose_no_time(geometry: b2.Geometry, kind: str, bullet: bool) -> None:
    # Where a sweep stopped at the floor it lies on, or at the next segment, a step would be lost.
    with b2.World() as world:
        floor_of(world, kind)
        body = world.create_dynamic_body((-40, -geometry.aabb().lower.y), linear_velocity=(120, 0), bullet=bullet)
        body.create_shape(geometry, friction=0)
        for _ in range(120):
            x = body.position.x
            world.step(DT)
            assert body.position.x - x == pytest.approx(2.0, rel=0.01)
            assert world.counters.continuous_bodies == 1
        assert body.position.x == pytest.approx(200, abs=0.5)
        assert body.position.y == pytest.approx(-geometry.aabb().lower.y, abs=0.02)


@pytest.mark.parametrize("kind", ["box", "chain", "tiles"])
def test_a_fast_body_does_not_stick_after_a_bounce_or_a_graze(kind: str) -> None:
    for angle, restitution in ((0.02, 0.0), (0.3, 1.0), (1.2, 1.0)):
        with b2.World(gravity=(0, 0)) as world:
            floor_of(world, kind)
            direction = b2.Vec2(math.cos(angle), -math.sin(angle))
            ball = world.create_dynamic_body(-6 * direction + b2.Vec2(0, 0.2), linear_velocity=150 * direction)
            ball.create_shape(b2.Circle(0.2), friction=0, restitution=restitution)
            advance(world, 20, DT)
            assert ball.linear_velocity.x == pytest.approx(150 * direction.x, rel=1e-3)
            assert ball.linear_velocity.y == pytest.approx(-restitution * 150 * direction.y, abs=0.01 * 150)
            assert ball.position.x > -6 * direction.x + (20 - 1.05) * 150 * DT * direction.x, (
                "at most the step of the impact is cut"
            )


def volley(**options: Any) -> list[int]:
    """Fast spinning bodies of every form fly through many shapes that were created in random order; equal fractions are
    common."""
    draw = draws(4)
    with b2.World(gravity=(0, 0), max_linear_speed=1000, **options) as world:
        places = [(0.5 * i, 0.5 * j) for i in range(16) for j in range(-8, 8)]
        draw.shuffle(places)
        thicket = world.create_static_body()
        for k, place in enumerate(places):
            if k % 3 == 0:
                world.create_kinematic_body(place).create_shape(b2.Circle(0.05))
            else:
                thicket.create_shape(b2.Circle(0.05, place) if k % 2 else b2.Box(0.05, 0.05, center=place))
        for k in range(48):
            body = world.create_dynamic_body(
                (-4, 0.25 * k - 6), draw.choice((0.0, draw.uniform(-3, 3))), linear_velocity=(300 + 5 * k, 0),
                bullet=k % 2 == 0,
                angular_velocity=draw.choice((0.0, 40.0)), allow_fast_rotation=True,
            )  # fmt: skip
            body.create_shape(
                draw.choice(
                    [b2.Circle(0.3), b2.Box(0.02, 0.4), b2.Box(0.4, 0.02), b2.Capsule((-0.2, 0), (0.2, 0), 0.05)]
                )
            )
        hashes, swept = [], 0
        for _ in range(12):
            world.step(DT)
            hashes.append(world.state_hash())
            swept += world.counters.continuous_bodies
        assert swept > 60
        return hashes


def test_results_do_not_depend_on_the_order_of_the_sweep_candidates() -> None:
    first = volley(broadphase="brute", simd="scalar")
    for broadphase in ("grid", "tree"):
        for workers in (1, 3):
            assert volley(broadphase=broadphase, workers=workers) == first, (broadphase, workers)


@pytest.mark.parametrize("awake", [True, False])
def test_a_sensor_sees_a_body_that_a_fast_wall_carries_through_it(awake: bool) -> None:
    with b2.World(gravity=(0, 0)) as world:
        sensor = world.create_static_body((3, 0)).create_shape(b2.Circle(0.1), sensor=True)
        wall = world.create_kinematic_body((-3, 0), linear_velocity=(480, 0))
        wall.create_shape(b2.Box(0.1, 1))
        visitor = world.create_dynamic_body(awake=awake).create_shape(b2.Circle(0.2), sensor_events=True)
        world.step(1 / 60)
        assert visitor.body.position.x > 4
        assert [(event.sensor, event.visitor) for event in world.events.sensor_begin] == [(sensor, visitor)]
        world.step(1 / 60)
        assert [(event.sensor, event.visitor) for event in world.events.sensor_end] == [(sensor, visitor)]


@pytest.mark.parametrize("axis", ["lock_x", "lock_y"])
def test_a_blade_that_is_stopped_with_its_tip_in_a_wall_gains_no_speed_along_a_locked_axis(axis: str) -> None:
    """Its centroid would enter the wall, so it loses the speed along the normal, but for the locked part."""
    turn = 0.0 if axis == "lock_x" else math.pi / 2
    with b2.World(gravity=(0, 0)) as world:
        normal = b2.Vec2(0, 1).rotated(turn)
        world.create_static_body(-1 * normal, turn - 0.52).create_shape(b2.Box(20, 1))
        blade = world.create_dynamic_body(
            1.062 * normal, turn - 1.168, angular_velocity=30.25, linear_velocity=-73.3 * normal, **{axis: True}
        )
        blade.create_shape(b2.Box(2, 0.02))
        advance(world, 2)
        assert blade.linear_velocity[axis == "lock_y"] == 0
        assert blade.position[axis == "lock_y"] == pytest.approx(0, abs=1e-6)
        assert abs(blade.linear_velocity.dot(normal)) < 50
