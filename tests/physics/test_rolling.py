"""Balls that land obliquely: friction turns them until they roll."""

import itertools
import math

import pytest

import box2dpy as b2

TOLERANCE = 0.07  # the lever of friction ends midway in what the surfaces overlap in the step of the impact


def land(speed: float, radius: float, height: float, friction: float, dt: float, substeps: int) -> tuple[float, float]:
    """The velocity and the spin at which the ball leaves the step of the impact."""
    with b2.World(gravity=(0, -10)) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(500, 1), friction=friction)
        ball = world.create_dynamic_body((-400, radius + height), linear_velocity=(speed, 0))
        ball.create_shape(b2.Circle(radius), friction=friction)
        for _ in range(round(2 * math.sqrt(height / 5) / dt)):
            world.step(dt, substeps)
        return ball.linear_velocity.x, ball.angular_velocity


@pytest.mark.parametrize(("rate", "substeps"), [(60, 1), (60, 4), (60, 8), (30, 4), (120, 4), (240, 2)])
def test_a_ball_that_lands_rolls_on(rate: int, substeps: int) -> None:
    """With two thirds of its speed, for every spin under the bound of an eighth of a turn in a step."""
    for speed, radius, height in itertools.product((1, 5, 10, 20, 30), (0.1, 0.35, 1), (0.5, 2, 10)):
        rolls = 2 / 3 * speed
        if rolls / radius > 0.9 * math.pi / 4 * max(rate, 60) or speed / 3 > 0.9 * math.sqrt(20 * height):
            continue  # the spin is bounded, or the ball slides on
        velocity, spin = land(speed, radius, height, 1.0, 1 / rate, substeps)
        assert velocity == pytest.approx(rolls, rel=TOLERANCE), (speed, radius, height)
        assert spin == pytest.approx(-rolls / radius, rel=TOLERANCE), (speed, radius, height)


@pytest.mark.parametrize("substeps", [1, 4, 8])
def test_a_belt_spins_a_ball_with_a_locked_axis_its_own_way(substeps: int) -> None:
    """By the impulse of the landing: friction * mass * speed of the fall."""
    with b2.World(gravity=(0, -10)) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(5, 1), friction=1, tangent_speed=30)
        ball = world.create_dynamic_body((0, 2), lock_x=True)
        ball.create_shape(b2.Circle(0.3), friction=1)
        while ball.angular_velocity == 0:
            fall = -ball.linear_velocity.y
            world.step(1 / 60, substeps)
        assert ball.position.x == 0
        assert ball.angular_velocity == pytest.approx(2 * fall / 0.3, rel=0.07)
