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


# ---- what rolls on something round


def cradle(world: b2.World, kind: str, radius: float, down: float) -> float:
    """A support whose top is round, and the distance of that from the origin."""
    fixed = world.create_static_body((0, 0), down)
    if kind == "disc":
        fixed.create_shape(b2.Circle(radius), friction=1)
        return radius
    if kind == "capsule":
        fixed.create_shape(b2.Capsule((0, -3 * radius), (0, 0), radius), friction=1)
        return radius
    if kind == "rounded corner":
        corners = [(0, 0), (-radius, -2 * radius), (radius, -2 * radius)]
        fixed.create_shape(b2.Polygon(corners, radius=radius), friction=1)
        return radius
    up = radius * (math.sqrt(2) if kind == "wedge" else math.sqrt(3.36))
    for side in (-1, 1):
        if kind == "wedge":
            fixed.create_shape(b2.Segment((0, 0), (9 * side * radius, 9 * radius)), friction=1)
        else:
            fixed.create_shape(b2.Circle(radius, (0.8 * side * radius, 0)), friction=1)
    ball = world.create_dynamic_body((-up * math.sin(down), up * math.cos(down)), down)
    ball.create_shape(b2.Circle(radius), friction=1)
    return up + radius


def rocks(
    kind: str, half: tuple[float, float], radius: float, tilt: float, dt: float = 1 / 60, substeps: int = 4,
    down: float = 0.0, unit: float = 1.0,
) -> tuple[float, float]:  # fmt: skip
    """The greatest tilt of a box on a round support in the first and in the last 5 of 30 s, over that at the start."""
    half, radius, (s, c) = (half[0] * unit, half[1] * unit), radius * unit, (math.sin(down), math.cos(down))
    with b2.World(gravity=(10 * unit * s, -10 * unit * c), sleeping=False, length_unit=unit) as world:
        center, angle = cradle(world, kind, radius, down) - radius, down + tilt
        rise, along = radius + half[1], radius * tilt
        place = (
            -center * s - rise * math.sin(angle) + along * math.cos(angle),
            center * c + rise * math.cos(angle) + along * math.sin(angle),
        )
        box = world.create_dynamic_body(place, angle)
        box.create_shape(b2.Box(*half), friction=1)
        widest = []
        for _ in range(6):
            widest.append(0.0)
            for _ in range(round(5 / dt)):
                world.step(dt, substeps)
                widest[-1] = max(widest[-1], abs(box.angle - down))
        return widest[0] / tilt, widest[-1] / tilt


ROCKERS = (((0.5, 0.1), 0.4), ((0.3, 0.15), 0.4), ((0.3, 0.25), 0.4), ((1, 0.2), 1))
WAYS: dict[str, dict[str, float]] = {
    "60 Hz": {},
    "30 Hz": {"dt": 1 / 30},
    "240 Hz": {"dt": 1 / 240},
    "2 substeps": {"substeps": 2},
    "16 substeps": {"substeps": 16},
    "turned": {"down": 2.0},
    "large units": {"unit": 30},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["disc", "capsule", "rounded corner", "wedge", "discs"])
def test_a_box_that_rocks_on_something_round_gains_nothing(kind: str, way: str) -> None:
    """It gained 50 to 170 % in 5 s, because the place of contact had moved on when the impulses acted."""
    found = {
        (half, radius, tilt): rocks(kind, half, radius, tilt, **WAYS[way])  # type: ignore[arg-type]
        for half, radius in ROCKERS
        for tilt in (0.02, 0.1, 0.3)
    }
    assert max(max(pair) for pair in found.values()) < 1.12, found
    assert min(last for _, last in found.values()) > (0.45 if "dt" in WAYS[way] else 0.65), found
