"""World.check names what is probably a mistake, and nothing else."""

from __future__ import annotations

import math
from typing import Any

import pytest

import box2dpy as b2


def good_world() -> b2.World:
    world = b2.World()
    ground = world.create_static_body()
    ground.create_chain([(10, 0), (0, 0), (-10, 0)])
    ground.create_shape(b2.Box(1, 1, (0, 5)), sensor=True)
    ball = world.create_dynamic_body((0, 1))
    ball.create_shape(b2.Circle(0.5), sensor_events=True)
    world.create_revolute_joint(ground, ball, anchor=(0, 1), motor_speed=1, max_motor_torque=1)
    return world


def test_a_good_world_has_nothing_to_say() -> None:
    with good_world() as world:
        for _ in range(30):
            world.step()
        assert world.check() == []


def test_each_mistake_is_named() -> None:
    with good_world() as world:
        ball = list(world.bodies)[1]
        world.create_dynamic_body((3, 3))
        world.create_static_body((0, 0)).create_chain([(-10, -1), (0, -1), (10, -1)])  # solid side downwards
        world.create_static_body().create_shape(b2.Circle(1), sensor=True, filter=b2.Filter(mask=0))
        world.create_revolute_joint(world.create_static_body(), ball, anchor=(0, 1), motor_speed=1)
        world.step(0.5)
        text = world.check()
        assert len(text) == 5, text
        for sentence, words in zip(text, ("no mass", "its back", "sensor", "0.5 s", "without strength"), strict=True):
            assert words in sentence


@pytest.mark.parametrize(
    ("maker", "value", "bound"),
    [
        ("motor", {"linear_velocity": (1, 0)}, {"max_velocity_force": 3}),
        ("motor", {"angular_velocity": 2}, {"max_velocity_torque": 3}),
        ("motor", {"linear_hertz": 2}, {"max_spring_force": 3}),
        ("motor", {"linear_stiffness": 20}, {"max_spring_force": math.inf}),
        ("motor", {"angular_hertz": 2}, {"max_spring_torque": 3}),
        ("motor", {"angular_stiffness": 20}, {"max_spring_torque": 3}),
        ("mover", {"linear_velocity": (0, 2)}, {"max_velocity_force": (0, 3)}),
    ],
)
def test_a_joint_that_strives_without_strength_is_named(maker: str, value: Any, bound: Any) -> None:
    for given in ({}, bound):
        with good_world() as world:
            ground, ball = world.bodies
            getattr(world, f"create_{maker}_joint")(ground, ball, anchor=(0, 1), **value, **given)
            text = world.check()
            assert len(text) == (not given), text
            assert given or text[0].endswith(f"without strength: give it {next(iter(bound))}")


def test_values_of_joints_that_are_switched_off_are_named() -> None:
    with good_world() as world:
        (hinge,) = world.joints
        hinge.upper_angle = 1
        hinge.hertz = 2
        spring, limit = world.check()
        assert "hertz=2, which enable_spring=False" in spring
        assert "upper_angle=1, which enable_limit=False" in limit
        hinge.enable_motor = False
        assert "motor_speed=1, which enable_motor=False" in world.check()[-1]
        hinge.enable_spring = hinge.enable_limit = hinge.enable_motor = True
        assert world.check() == []


def test_the_spring_of_a_wheel_may_be_switched_off() -> None:
    with good_world() as world:
        ground, ball = world.bodies
        world.create_wheel_joint(ground, ball, anchor=(0, 1), enable_spring=False)
        assert world.check() == []


def test_a_new_static_shape_over_a_sleeper_is_named() -> None:
    with b2.World() as world:
        world.create_static_body((0, -0.5)).create_shape(b2.Box(5, 0.5))
        box = world.create_dynamic_body((0, 0.5))
        box.create_shape(b2.Box(0.5, 0.5))
        for _ in range(120):
            world.step()
        assert not box.awake
        assert world.check() == []
        world.create_static_body((0.3, 0.5)).create_shape(b2.Box(0.5, 0.5))
        assert "sleeping" in world.check()[0]
        box.awake = True
        assert world.check() == []


def test_a_closed_world_is_refused() -> None:
    world = good_world()
    world.close()
    with pytest.raises(b2.DestroyedError):
        world.check()
