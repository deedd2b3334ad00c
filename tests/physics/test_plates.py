"""Bodies do not pass plates that move, lie, stand or hang in joints, however far they move in a step."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

HOLDS = ("free", "hinge", "weld", "ends", "standing", "lying")
MOVERS = ("ball", "box", "capsule")


def moving(kind: str, width: float) -> b2.Geometry:
    if kind == "ball":
        return b2.Circle(width / 2)
    return b2.Box(width / 2, width / 2) if kind == "box" else b2.Capsule((-width, 0), (width, 0), width / 2)


def hold(world: b2.World, plate: b2.Body, how: str, half: float, length: float, width: float) -> None:
    """By joints to the world, or by what it stands or lies on."""
    ground = world.create_static_body((0, 0))
    if how == "weld":
        world.create_weld_joint(ground, plate, anchor=(0, length))
    elif how in ("hinge", "ends"):
        for end in (1, -1) if how == "ends" else (1,):
            world.create_revolute_joint(ground, plate, anchor=(0, end * length))
    elif how == "standing":
        ground.create_shape(b2.Box(100 * width, 1, center=(0, -length - 1)))
    elif how == "lying":
        for side in (-1, 1):
            place = (side * (length - 0.3 * width), -half - 2 * width)
            ground.create_shape(b2.Box(0.3 * width, 2 * width, center=place))


def passes(how: str, kind: str, draw: Random, **options: Any) -> bool:
    """Whether a body gets to the other side of a plate between its ends; at 0.3 to 5 of its widths a step."""
    width, speed, dt = 10 ** draw.uniform(-1, 0), 0.3 * 17 ** draw.random(), draw.choice((1 / 30, 1 / 60, 1 / 120))
    substeps, share = draw.choice((4, 8)), draw.choice((0.05, 0.1, 0.2, 0.35, 0.5))
    half, length = share * width / 2, width * draw.uniform(2, 5)
    # A plate of at least 0.3 times the mass for its area: what presses a lighter one, a step does not solve
    density = max(draw.choice((0.3, 1.0, 3.0, 10.0)), 0.3 / share if how not in ("free", "standing") else 0)
    gravity = (0, -9.81) if how in ("standing", "lying") else (0, 0)
    with b2.World(gravity=gravity, max_linear_speed=1.0e5, **options) as world:
        plate = world.create_dynamic_body((0, 0), -math.pi / 2 if how == "lying" else 0)
        plate.create_shape(b2.Box(half, length), density=density)
        hold(world, plate, how, half, length, width)
        world.step(dt, substeps)
        away, along = width + half + draw.uniform(3, 6) * speed * width, draw.uniform(-0.4, 0.4) * length
        mover = world.create_dynamic_body(plate.world_point((-away, along)), draw.uniform(-3, 3))
        mover.create_shape(moving(kind, width))
        mover.linear_velocity = plate.world_vector((speed * width / dt, 0))
        if draw.random() < 0.5:
            plate.awake = False
        before = plate.local_point(mover.position)
        for _ in range(12):
            world.step(dt, substeps)
            now = plate.local_point(mover.position)
            if before.x < 0 < now.x and abs(before.y + before.x / (before.x - now.x) * (now.y - before.y)) < length:
                return True
            before = now
        world.validate()
        return False


@pytest.mark.parametrize("kind", MOVERS)
@pytest.mark.parametrize("how", HOLDS)
def test_no_body_passes_a_plate(how: str, kind: str) -> None:
    # Contacts may move the plate out of the way, or the floor may stop the plate alone: 5 of 4320 pass
    draw = draws(10 * HOLDS.index(how) + MOVERS.index(kind))
    assert sum(passes(how, kind, draw) for _ in range(120)) <= (how in ("standing", "lying"))


def test_a_plate_that_many_bodies_hit_stops_each_of_them() -> None:
    # Few movers search for plates; before many, plates search
    for count, width in ((1, 0.5), (3, 0.2), (60, 0.2), (200, 0.1)):
        draw = draws(count)
        with b2.World(gravity=(0, 0), max_linear_speed=1000) as world:
            plates = [world.create_dynamic_body((5 * k, 0)) for k in range(70)]
            for plate in plates:
                plate.create_shape(b2.Box(0.02, 30), density=1000)
            balls = []
            for k in range(count):
                place = (5 * draw.randrange(70) - draw.uniform(1, 4), 28 * (2 * k + 1 - count) / count)
                ball = world.create_dynamic_body(place, linear_velocity=(60 * draw.uniform(0.6, 1.9) * width, 0))
                ball.create_shape(b2.Circle(width / 2))
                balls.append((ball, math.ceil(place[0] / 5)))
            for _ in range(30):
                world.step(1 / 60)
            assert all(ball.position.x < plates[k].position.x for ball, k in balls)


def rainfall(**options: Any) -> list[int]:
    """Bodies of all forms fall on planks that hang, lie and fly."""
    draw = draws(5)
    with b2.World(max_linear_speed=1000, **options) as world:
        ground = world.create_static_body((0, 0))
        ground.create_shape(b2.Box(40, 1, center=(0, -1)))
        for k in range(20):
            plank = world.create_dynamic_body((3 * k - 30, 2 + k % 3), angular_velocity=k % 4)
            plank.create_shape(b2.Box(1, 0.05))
            if k % 3 == 0:
                world.create_revolute_joint(ground, plank, anchor=plank.position)
        for _ in range(150):
            body = world.create_dynamic_body(
                (draw.uniform(-30, 30), draw.uniform(4, 14)), draw.uniform(-3, 3),
                linear_velocity=(draw.uniform(-9, 9), draw.uniform(-40, 0)), angular_velocity=draw.uniform(-9, 9),
            )  # fmt: skip
            body.create_shape(draw.choice([b2.Circle(0.2), b2.Box(0.3, 0.2), b2.Capsule((-0.2, 0), (0.2, 0), 0.1)]))
        hashes = []
        for _ in range(40):
            world.step(1 / 60)
            world.validate()
            hashes.append(world.state_hash())
        return hashes


def test_plates_give_the_same_bits_for_all_broad_phases_widths_and_workers() -> None:
    first = rainfall(broadphase="brute", simd="scalar")
    for broadphase, workers in (("grid", 1), ("tree", 3), ("grid", 4)):
        assert rainfall(broadphase=broadphase, workers=workers) == first, (broadphase, workers)


def test_a_restored_world_knows_its_plates() -> None:
    with b2.World(gravity=(0, 0)) as world:
        world.create_dynamic_body((0, 0)).create_shape(b2.Box(0.02, 2), density=20)
        ball = world.create_dynamic_body((-1.17, 0), linear_velocity=(20, 0))
        ball.create_shape(b2.Circle(0.15))
        for copy in (world.clone(), b2.World.from_snapshot(world.snapshot())):
            with copy:
                for _ in range(10):
                    copy.step(1 / 60)
                copy.validate()
                assert copy.body(1).position.x < copy.body(0).position.x


def test_a_ball_that_rolls_along_a_plank_is_not_stopped() -> None:
    with b2.World() as world:
        plank = world.create_dynamic_body((0, 0))
        plank.create_shape(b2.Box(40, 0.05), density=100)
        for x in (-35, 0, 35):
            world.create_static_body((x, -1.05)).create_shape(b2.Box(1, 1))
        ball = world.create_dynamic_body((-38, 0.25), linear_velocity=(30, 0), angular_velocity=-150)
        ball.create_shape(b2.Circle(0.2))
        way = 0.5
        for _ in range(120):
            x = ball.position.x
            world.step(1 / 60)
            assert ball.position.x - x == pytest.approx(way, rel=0.01)
            way = ball.position.x - x


@pytest.mark.parametrize("speed", [15.0, 20.0, 30.0])
def test_a_flipper_turns_on_with_a_ball_on_it(speed: float) -> None:
    """It stopped at the ball that it carries: 0.07 rad in the first step."""
    turns = []
    for laden in (False, True):
        with b2.World(gravity=(0, -10), sleeping=False) as world:
            flipper = world.create_dynamic_body((0.5, 0))
            flipper.create_shape(b2.Box(0.5, 0.05), density=5)
            options: Any = {"enable_limit": True, "lower_angle": 0, "upper_angle": 1, "enable_motor": True}
            joint = world.create_revolute_joint(
                world.create_static_body(), flipper, anchor=(0, 0), max_motor_torque=1000, **options
            )
            if laden:
                world.create_dynamic_body((0.8, 0.16)).create_shape(b2.Circle(0.1))
            advance(world, 30)
            joint.motor_speed = speed
            world.step(1 / 60)
            turns.append(joint.angle)
    assert turns[1] > 0.95 * turns[0]
