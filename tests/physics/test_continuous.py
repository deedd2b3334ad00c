"""Continuous collision: nothing tunnels, nothing sticks."""

from __future__ import annotations

import random

import pytest

import box2dpy as b2

DT = 1 / 60


def test_slivers_never_pass_a_thin_wall() -> None:
    # 0.2 x 0.04 m against 0.1 m, 60 launches at 100 .. 460 m/s, spin 0 .. 59 rad/s (Box2D 3.1 lets 2 through).
    random_ = random.Random(7)
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
            sliver.create_shape(b2.Box(0.1, 0.02))
            slivers.append(sliver)
        for _ in range(60):
            world.step(DT)
        assert [k for k, sliver in enumerate(slivers) if sliver.position.x > 0] == []


@pytest.mark.parametrize("workers", [1, 3])
def test_a_bullet_hits_a_thin_dynamic_plate_and_others_pass(workers: int) -> None:
    with b2.World(gravity=(0, 0), max_linear_speed=1000, workers=workers) as world:
        hits = []
        for row, bullet in enumerate((True, False)):
            plate = world.create_dynamic_body(position=(0, 20 * row))
            plate.create_shape(b2.Box(0.02, 2), density=5.0)
            ball = world.create_dynamic_body(position=(-3.7, 20 * row), linear_velocity=(300, 0), bullet=bullet)
            ball.create_shape(b2.Circle(0.05), density=5.0)
            for _ in range(10):
                world.step(DT)
            hits.append(plate.linear_velocity.x > 0.1)
            world.validate()
        assert hits == [True, False]


def test_bullets_stop_at_kinematic_bodies() -> None:
    with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
        door = world.create_kinematic_body(linear_velocity=(0, 0.5))
        door.create_shape(b2.Box(0.02, 5))
        ball = world.create_dynamic_body(position=(-3, 0), linear_velocity=(350, 0), bullet=True)
        ball.create_shape(b2.Circle(0.05))
        for _ in range(10):
            world.step(DT)
        assert ball.position.x < 0


def test_a_fast_box_slides_on_without_sticking() -> None:
    # Friction 0: sliding along the ground at 60 m/s, a metre a step, loses nothing.
    with b2.World() as world:
        ground = world.create_static_body(position=(0, -1))
        ground.create_shape(b2.Box(500, 1), friction=0)
        box = world.create_dynamic_body(position=(-200, 0.25), linear_velocity=(60, 0))
        box.create_shape(b2.Box(0.25, 0.25), friction=0)
        for _ in range(240):
            world.step(DT)
        assert world.counters.continuous_bodies == 1
        assert box.linear_velocity.x == pytest.approx(60, rel=1e-3)
        assert box.position.x == pytest.approx(-200 + 240, abs=1.0)


def test_continuous_off_lets_things_through() -> None:
    passed = []
    for continuous in (True, False):
        with b2.World(gravity=(0, 0), continuous=continuous) as world:
            world.create_static_body().create_shape(b2.Box(0.02, 10))
            ball = world.create_dynamic_body(position=(-3.1, 0), linear_velocity=(390, 0))
            ball.create_shape(b2.Circle(0.05))
            for _ in range(10):
                world.step(DT)
            passed.append(ball.position.x > 0)
    assert passed == [False, True]


def test_more_candidates_than_any_fixed_buffer() -> None:
    with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
        wall = world.create_static_body()
        for k in range(3000):
            wall.create_shape(b2.Box(0.01, 0.01, center=(3 + 0.001 * (k % 50), 0.02 * (k - 1500))))
        ball = world.create_dynamic_body(position=(0, 0), linear_velocity=(900, 0))
        ball.create_shape(b2.Box(0.3, 20))
        for _ in range(3):
            world.step(DT)
        assert ball.position.x < 3
