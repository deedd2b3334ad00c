"""Restitution: impacts keep energy and momentum, whatever touches whatever, and the order of creation has no effect."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

DT = 1 / 60


def energy(bodies: list[b2.Body]) -> float:
    return sum(b.mass * b.linear_velocity.length_squared + b.inertia * b.angular_velocity**2 for b in bodies) / 2


def gas(speed: float, radius: float = 0.3, friction: float = 0.0, **options: Any) -> tuple[b2.World, list[b2.Body]]:
    """60 discs of restitution 1 with the same speed in random directions, in a box of 10 m without gravity."""
    world = b2.World(gravity=(0, 0), **options)
    walls = world.create_static_body()
    for x, y, width, height in ((0, -6, 7, 1), (0, 6, 7, 1), (-6, 0, 1, 7), (6, 0, 1, 7)):
        walls.create_shape(b2.Box(width, height, center=(x, y)), friction=friction)
    chance, discs = draws(1), []
    for k in range(60):
        angle = chance.uniform(0, math.tau)
        place = (1.25 * (k % 8) - 4.4 + chance.uniform(-0.2, 0.2), 1.25 * (k // 8) - 4.4 + chance.uniform(-0.2, 0.2))
        disc = world.create_dynamic_body(place, linear_velocity=(speed * math.cos(angle), speed * math.sin(angle)))
        disc.create_shape(b2.Circle(radius), restitution=1.0, friction=friction)
        discs.append(disc)
    return world, discs


@pytest.mark.parametrize(("speed", "radius"), [(1, 0.3), (5, 0.3), (10, 0.3), (40, 0.1)])  # the last is swept
def test_a_gas_of_elastic_discs_keeps_its_energy(speed: float, radius: float) -> None:
    world, discs = gas(speed, radius)
    with world:
        before = energy(discs)
        for _ in range(600):
            world.step(DT)
            assert energy(discs) < 1.005 * before
        assert energy(discs) > 0.995 * before
        assert all(abs(d.position.x) < 5 and abs(d.position.y) < 5 for d in discs)


def test_friction_takes_energy_from_a_gas_and_never_adds_any() -> None:
    world, discs = gas(5, friction=0.6)
    with world:
        last = energy(discs)
        for _ in range(300):
            world.step(DT)
            assert energy(discs) < 1.0001 * last
            last = energy(discs)


def row_of_balls(gap: float, speed: float, restitution: float = 1.0, backwards: bool = False) -> list[float]:
    """The velocities of five balls on a frictionless floor one second after the first was hit."""
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Box(99, 1, center=(0, -1)), friction=0)
        balls = []
        for k in reversed(range(5)) if backwards else range(5):
            ball = world.create_dynamic_body((k * (1 + gap) - (k == 0), 0.5))
            ball.create_shape(b2.Circle(0.5), restitution=restitution, friction=0)
            balls.append(ball)
        balls.sort(key=lambda ball: ball.position.x)
        balls[0].linear_velocity = (speed, 0)
        advance(world, 60, DT)
        return [ball.linear_velocity.x for ball in balls]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("gap", [0.0, 0.001, 0.01, 0.1])
def test_a_row_of_touching_balls_passes_the_whole_speed_to_the_last(gap: float, backwards: bool) -> None:
    assert row_of_balls(gap, 5.0, backwards=backwards) == pytest.approx([0, 0, 0, 0, 5], abs=0.05)


def test_a_fast_ball_gives_its_speed_to_the_last_of_a_row_too() -> None:
    assert row_of_balls(0.0, 50.0)[-1] > 0.95 * 50


def test_two_balls_part_with_the_share_of_their_approach_that_restitution_says() -> None:
    with b2.World(gravity=(0, 0)) as world:
        fast, slow = (world.create_dynamic_body((x, 0), linear_velocity=(1 - 3 * x, 0)) for x in (-2, 1))
        for ball, density in ((fast, 1), (slow, 3)):
            ball.create_shape(b2.Circle(0.5), restitution=0.5, density=density)
        advance(world, 60, DT)
        # approach 9 m/s, masses 1 : 3, momentum 7 - 6
        assert (fast.linear_velocity.x, slow.linear_velocity.x) == pytest.approx((-3.125, 1.375), rel=1e-4)


@pytest.mark.parametrize("floors", [1, 2])
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_a_box_that_lands_flat_rebounds_straight(restitution: float, floors: int) -> None:
    with b2.World() as world:
        ground = world.create_static_body()
        for k in range(floors):  # beside each other, so that the box lands on a contact with each
            ground.create_shape(b2.Box(2 / floors, 0.5, center=(4 * (k + 0.5) / floors - 2, -0.5)))
        box = world.create_dynamic_body((0, 2.5))
        box.create_shape(b2.Box(0.5, 0.5), restitution=restitution)
        top = 0.0
        for _ in range(100):
            world.step(DT)
            if box.linear_velocity.y > 0:
                top = max(top, box.position.y - 0.5)
            assert abs(box.angle) < 0.01
        assert top == pytest.approx(2 * restitution**2, rel=0.06)


@pytest.mark.parametrize("density", [1, 10])
def test_a_ball_rebounds_from_a_crate_that_stands_on_the_floor(density: float) -> None:
    # Before, part of the speed went into the crate, which the floor then stopped.
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Box(50, 1, center=(0, -1)))
        crate = world.create_dynamic_body((0, 0.5))
        crate.create_shape(b2.Box(0.5, 0.5), density=density)
        ball = world.create_dynamic_body((0, 3.5))
        ball.create_shape(b2.Circle(0.5), restitution=0.8)
        top, down = 0.0, True
        for _ in range(90):
            world.step(DT)
            down = down and ball.linear_velocity.y < 0
            top = top if down else max(top, ball.position.y - 1.5)
        assert top == pytest.approx(2 * 0.8**2, rel=0.06)


def test_an_elastic_ball_on_a_floor_keeps_its_height() -> None:
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Box(50, 1, center=(0, -1)))
        ball = world.create_dynamic_body((0, 5))
        ball.create_shape(b2.Circle(0.5), restitution=1.0)
        for _ in range(1200):
            world.step(DT)
            height = ball.position.y - 0.5 + ball.linear_velocity.length_squared / 20
            assert height == pytest.approx(4.5, rel=0.02)


def test_a_spinning_ball_with_friction_rebounds_to_the_side() -> None:
    # Coulomb's impulse stops the slip of a disc when friction suffices: v = w r / 3 for inertia m r^2 / 2
    with b2.World(gravity=(0, 0)) as world:
        world.create_static_body().create_shape(b2.Box(50, 1, center=(0, -1)), friction=1)
        ball = world.create_dynamic_body((0, 2), linear_velocity=(0, -5), angular_velocity=-6)
        ball.create_shape(b2.Circle(0.5), restitution=1, friction=1)
        advance(world, 60, DT)
        assert tuple(ball.linear_velocity) == pytest.approx((1.0, 5.0), rel=1e-3)
        assert ball.angular_velocity == pytest.approx(-2.0, rel=1e-3)


@pytest.mark.parametrize("restitution", [0.1, 0.2, 0.3, 0.4, 0.49, 0.5, 0.8, 1.0])
def test_two_discs_that_strike_each_other_have_the_friction_of_the_whole_impulse(restitution: float) -> None:
    # One disc spins, so that the normal is that of the line of the centres at any distance. 0.15 m/s before under 0.5
    for friction, ratio, speed, spin, gap in itertools.product(
        (0.05, 0.1, 0.3, 1.0), (1, 2, 5, 50), (2, 5, 20), (1, 8, 30), (1.37, 0.3, 0.021)
    ):
        with b2.World(gravity=(0, 0)) as world:
            a, b = (world.create_dynamic_body((0, y)) for y in (0, 1 + gap))
            for disc, density in ((a, 1), (b, ratio)):
                disc.create_shape(b2.Circle(0.5), friction=friction, restitution=restitution, density=density)
            b.linear_velocity, b.angular_velocity = (0, -speed), spin
            advance(world, round(gap / speed / DT) + 10, DT)
            mass = a.mass * b.mass / (a.mass + b.mass)
            normal = (1 + restitution) * mass * speed
            tangent = min(friction * normal, 0.5 * spin * mass / 3)  # a disc's edge has a third of its mass
            want = (tangent / a.mass, -normal / a.mass, -tangent / b.mass, normal / b.mass - speed)
            found = (*a.linear_velocity, *b.linear_velocity)
            assert found == pytest.approx(want, abs=1e-4 * (speed + spin)), (friction, ratio, speed, spin, gap)


def test_every_impact_of_a_row_is_a_hit_event() -> None:
    with b2.World(gravity=(0, 0)) as world:
        balls = []
        for k in range(4):
            ball = world.create_dynamic_body((k - 0.5 * (k == 0), 0))
            ball.create_shape(b2.Circle(0.5), restitution=1, friction=0, hit_events=True)
            balls.append(ball)
        balls[0].linear_velocity = (5, 0)
        hits = []
        for _ in range(20):
            world.step(DT)
            hits += world.events.contact_hit
        assert [hit.approach_speed for hit in hits] == pytest.approx([5, 5, 5])
        assert [hit.impulse for hit in hits] == pytest.approx([5 * balls[0].mass] * 3)


def test_the_threshold_is_zero_only_in_worlds_created_without_gravity() -> None:
    with b2.World() as pulled, b2.World(gravity=(0, 0)) as free, b2.World((0, 0), restitution_threshold=1) as chosen:
        assert pulled.restitution_threshold == 1.0
        assert free.restitution_threshold == 0.0
        assert chosen.restitution_threshold == 1.0


def test_each_contact_gives_more_than_it_took_at_most_once_a_step() -> None:
    # The balls that were passed by hit each other again, with restitution 1: they only exchange their speeds.
    assert row_of_balls(0.0, 5.0, restitution=2.0) == pytest.approx([-8.4375, -5.625, -3.75, -2.5, 25.3125], rel=1e-4)


@pytest.mark.parametrize("options", [{"workers": 2}, {"simd": "scalar"}, {"broadphase": "tree"}], ids=str)
def test_bounces_are_the_same_bits_in_every_configuration(options: dict[str, Any]) -> None:
    hashes = []
    for chosen in ({}, options):
        world, _ = gas(8.0, friction=0.3, **chosen)
        with world:
            advance(world, 120, DT)
            hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_a_pit_of_bouncy_balls_comes_to_rest() -> None:
    chance = draws(1)
    with b2.World() as world:
        ground = world.create_static_body()
        for x, y, width, height in ((0, -1, 9, 1), (-6, 10, 1, 20), (6, 10, 1, 20)):
            ground.create_shape(b2.Box(width, height, center=(x, y)))
        balls = []
        for k in range(200):
            ball = world.create_dynamic_body((0.65 * (k % 15) - 4.5 + chance.uniform(-0.02, 0.02), 0.5 + k // 15))
            ball.create_shape(b2.Circle(0.3), restitution=0.7)
            balls.append(ball)
        advance(world, 900)
        assert max(ball.linear_velocity.length for ball in balls) < 0.05
        assert all(abs(ball.position.x) < 5 and ball.position.y > 0.2 for ball in balls)


def ball_in_wedge(degrees: float, speed: float, restitution: float = 0.0) -> tuple[b2.World, b2.Body]:
    """A ball without friction that flies down into the middle of two slopes, without gravity."""
    world = b2.World(gravity=(0, 0))
    walls, angle = world.create_static_body(), math.radians(degrees)
    for side in (-20, 20):
        walls.create_shape(b2.Segment((0, 0), (side * math.cos(angle), 20 * math.sin(angle))), friction=0)
    ball = world.create_dynamic_body((0, 0.5 / math.cos(angle) + 0.3 * speed), linear_velocity=(0, -speed))
    ball.create_shape(b2.Circle(0.5), friction=0, restitution=restitution)
    return world, ball


@pytest.mark.parametrize("speed", [3, 10, 100])
@pytest.mark.parametrize("degrees", [15, 30, 45, 60, 75])
def test_a_ball_without_restitution_stays_in_a_wedge(degrees: float, speed: float) -> None:
    world, ball = ball_in_wedge(degrees, speed)
    with world:
        advance(world, 60, DT)
        assert ball.linear_velocity.length < 0.002 * speed
        assert ball.position.y == pytest.approx(0.5 / math.cos(math.radians(degrees)), abs=0.02)


def test_a_wedge_reports_its_hits_and_gives_back_a_little_restitution() -> None:
    world, ball = ball_in_wedge(30, 10, restitution=0.3)
    for shape in (ball.shapes[0],):
        shape.hit_events = True
    with world:
        hits: list[float] = []
        for _ in range(30):
            world.step(DT)
            hits += [hit.approach_speed for hit in world.events.contact_hit]
        assert hits == pytest.approx([10 * math.cos(math.radians(30))] * 2, rel=1e-3)
        assert tuple(ball.linear_velocity) == pytest.approx((0, 3), abs=0.001)  # both walls throw it back together


@pytest.mark.parametrize("tiles", [1, 2, 30])
def test_a_box_that_lands_on_tiles_slides_as_far_as_on_one_floor(tiles: int) -> None:
    with b2.World() as world:
        for k in range(tiles):
            width = 60 / tiles
            world.create_static_body(((k + 0.5) * width - 30, -1)).create_shape(b2.Box(width / 2, 1), friction=0.5)
        box = world.create_dynamic_body((0, 0.52), linear_velocity=(6, -2))
        box.create_shape(b2.Box(0.5, 0.5), friction=0.5)
        advance(world, 150, DT)
        assert box.position.y == pytest.approx(0.5, abs=0.01)
        assert box.position.x == pytest.approx((6 - 0.5 * 2) ** 2 / (2 * 0.5 * 9.81), rel=0.06)
