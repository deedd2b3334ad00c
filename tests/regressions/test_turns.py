"""`Body.turns` and the angles of joints while bodies turn by more than a quarter turn in a step."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2

DT = 1 / 60


def whole_angle(body: b2.Body) -> float:
    return body.angle + 2 * math.pi * body.turns


@pytest.mark.parametrize("speed", [-1000.0, -189.0, -100.0, -50.0, 50.0, 95.0, 100.0, 180.0, 200.0, 377.0, 5000.0])
@pytest.mark.parametrize("kind", ["dynamic", "kinematic", "swept"])
def test_turns_count_at_any_speed(kind: str, speed: float) -> None:
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        if kind == "kinematic":
            body = world.create_kinematic_body()
        else:
            body = world.create_dynamic_body(allow_fast_rotation=True)
        body.create_shape(b2.Box(0.5, 0.1))
        if kind == "swept":  # something to hit is near, so the continuous stage moves the body
            world.create_static_body((0.0, -3.0)).create_shape(b2.Box(5, 0.5))
        body.angular_velocity = speed
        for step in range(1, 61):
            world.step(DT, 4)
            assert whole_angle(body) == pytest.approx(speed * DT * step, rel=1e-4, abs=1e-3)


def test_a_joint_angle_follows_a_fast_wheel() -> None:
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        wheel = world.create_dynamic_body(allow_fast_rotation=True)
        wheel.create_shape(b2.Circle(0.5))
        joint = world.create_revolute_joint(world.create_static_body(), wheel, anchor=(0, 0))
        wheel.angular_velocity = 100
        for _ in range(60):
            world.step(DT, 4)
        assert joint.angle == pytest.approx(100, rel=1e-3)
