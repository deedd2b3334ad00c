"""Springs of joints against the closed form of the harmonic oscillator, at 60 steps a second of 4 substeps."""

from __future__ import annotations

import itertools
import math

import pytest

import box2dpy as b2

KINDS = ["distance", "wheel", "prismatic", "revolute", "weld"]
START = 0.3  # metres or radians


def oscillator(kind: str, hertz: float, damping_ratio: float) -> list[float]:
    """The coordinate of a body on a spring that is released at START, after each step of a minute."""
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        wall = world.create_static_body()
        body = world.create_dynamic_body()
        body.create_shape(b2.Circle(0.2))
        spring = {"enable_spring": True, "hertz": hertz, "damping_ratio": damping_ratio}
        if kind == "distance":
            world.create_distance_joint(wall, body, local_anchor_a=(-1, 0), local_anchor_b=(0, 0), length=1.0, **spring)
        elif kind == "weld":
            world.create_weld_joint(wall, body, anchor=(0, 0), linear_hertz=hertz, linear_damping_ratio=damping_ratio)
        elif kind == "revolute":
            world.create_revolute_joint(wall, body, anchor=(0, 0), **spring)
        else:
            create = world.create_wheel_joint if kind == "wheel" else world.create_prismatic_joint
            create(wall, body, anchor=(0, 0), axis=(1, 0), **spring)
        if kind == "revolute":
            body.angle = START
        else:
            body.position = (START, 0)
        path = []
        for _ in range(3600):
            world.step()
            path.append(body.angle if kind == "revolute" else body.position.x)
        return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("hertz", "kept"), [(1.0, 0.99), (4.0, 0.95)])
def test_an_undamped_spring_keeps_its_amplitude_and_its_period(kind: str, hertz: float, kept: float) -> None:
    path = oscillator(kind, hertz, 0.0)
    assert kept * START <= max(path[-60:]) <= 1.001 * START
    rises = [step for step, (a, b) in enumerate(itertools.pairwise(path)) if a < 0 <= b]
    period = (rises[-1] - rises[0]) / (len(rises) - 1) / 60
    assert period == pytest.approx(1 / hertz, rel=2e-3)


@pytest.mark.parametrize("damping_ratio", [0.01, 0.05, 0.2])
def test_a_damped_spring_loses_amplitude_as_the_closed_form_does(damping_ratio: float) -> None:
    path = oscillator("distance", 1.0, damping_ratio)
    decay, rate = damping_ratio * math.tau, math.tau * math.sqrt(1 - damping_ratio**2)
    for step in range(30, 180, 7):  # a release at rest is exact to half a substep, which is 0.013 of a radian
        time = (step + 1) / 60
        exact = START * math.exp(-decay * time) * (math.cos(rate * time) + decay / rate * math.sin(rate * time))
        assert path[step] == pytest.approx(exact, abs=0.02 * START)


@pytest.mark.parametrize("hertz", [0.5, 2.0, 8.0, 25.0])
def test_a_weight_on_a_spring_hangs_where_its_stiffness_says(hertz: float) -> None:
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        wall = world.create_static_body()
        body = world.create_dynamic_body()
        body.create_shape(b2.Circle(0.2))
        options = {"axis": (0, 1), "enable_spring": True, "hertz": hertz, "damping_ratio": 1.0}
        world.create_prismatic_joint(wall, body, anchor=(0, 0), **options)
        for _ in range(600):
            world.step()
        assert body.position.y == pytest.approx(-10 / (math.tau * hertz) ** 2, rel=2e-3)


def test_sixty_undamped_springs_on_one_body_stay_stable() -> None:
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        wall = world.create_static_body()
        body = world.create_dynamic_body()
        body.create_shape(b2.Circle(0.2))
        for k in range(60):
            end = (math.cos(k), math.sin(k))
            world.create_distance_joint(
                wall, body, local_anchor_a=end, local_anchor_b=(0, 0), enable_spring=True, hertz=9.0, length=1.0
            )
        body.position = (0.1, 0.05)
        for _ in range(600):
            world.step()
            assert body.position.length < 0.2


@pytest.mark.parametrize("belt", ["surface", "kinematic"])
@pytest.mark.parametrize("speed", [0.2, 0.5])
def test_a_block_on_a_belt_sticks_and_slips(belt: str, speed: float) -> None:
    # With one coefficient of friction the block rides to where the spring pulls as strongly as friction, and from
    # there on it swings with the speed of the belt: amplitude speed / omega about the extension friction g / omega^2.
    omega, friction = math.tau, 0.5
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        wall = world.create_static_body()
        floor = world.create_static_body() if belt == "surface" else world.create_kinematic_body()
        surface = speed if belt == "surface" else 0.0
        floor.create_shape(b2.Box(100, 0.5, center=(0, -0.5)), friction=friction, tangent_speed=surface)
        if belt == "kinematic":
            floor.linear_velocity = (speed, 0)
        block = world.create_dynamic_body((0, 0.1))
        block.create_shape(b2.Box(0.4, 0.1), friction=friction)
        world.create_distance_joint(
            wall, block, local_anchor_a=(-10, 0.1), local_anchor_b=(0, 0), length=10, enable_spring=True, hertz=1.0
        )
        path = []
        for _ in range(1200):
            world.step()
            path.append(block.position.x)
        high, low = max(path[-120:]), min(path[-120:])
        assert (high - low) / 2 == pytest.approx(speed / omega, rel=0.05)
        assert (high + low) / 2 == pytest.approx(friction * 10 / omega**2, rel=0.02)
