"""The load of a joint is the mean over the whole step: it is what changes the momentum of its bodies."""

from __future__ import annotations

import math
from typing import Any

import pytest

import box2dpy as b2
from tests.seeds import draws

SPRING: Any = {"enable_spring": True, "hertz": 4.0, "damping_ratio": 0.1}
KINDS = ("revolute", "hinge with all", "weld", "soft weld", "prismatic", "wheel", "rod", "rope", "spring", "motor")


def join(kind: str, world: b2.World, a: b2.Body, b: b2.Body, solver: Any) -> b2.Joint:
    at: Any = {"anchor": (0.5, 0.2), "joint_solver": solver}
    ends: Any = {"local_anchor_a": a.local_point((0, 0)), "local_anchor_b": b.local_point((1, 0.1))}
    match kind:
        case "revolute":
            return world.create_revolute_joint(a, b, **at)
        case "hinge with all":
            motor: Any = {"enable_motor": True, "motor_speed": 2.0, "max_motor_torque": 5.0}
            limits: Any = {"enable_limit": True, "lower_angle": -0.3, "upper_angle": 0.2}
            return world.create_revolute_joint(a, b, **at, **motor, **limits, **SPRING)
        case "weld":
            return world.create_weld_joint(a, b, **at)
        case "soft weld":
            return world.create_weld_joint(a, b, **at, linear_hertz=5, angular_hertz=3)
        case "prismatic":
            limits = {"enable_limit": True, "lower_translation": -0.3, "upper_translation": 0.2}
            return world.create_prismatic_joint(a, b, **at, axis=(1, 2), **limits, **SPRING)
        case "wheel":
            return world.create_wheel_joint(a, b, **at, axis=(1, 2), **SPRING)
        case "rod":
            return world.create_distance_joint(a, b, **ends, joint_solver=solver)
        case "rope":
            return world.create_rope_joint(a, b, **ends, max_length=1.2, joint_solver=solver)
        case "spring":
            return world.create_distance_joint(a, b, **ends, **SPRING, joint_solver=solver)
        case _:
            return world.create_motor_joint(a, b, **at, linear_velocity=(1, 2), max_velocity_force=30)


def turned_momentum(body: b2.Body) -> float:
    return body.mass * body.world_center.cross(body.linear_velocity) + body.inertia * body.angular_velocity


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", ["iterative", "direct"])
def test_the_load_of_a_joint_is_the_change_of_momentum(kind: str, solver: Any) -> None:
    """The force showed the last substep alone. In each step, whichever side is fixed, and from two moving bodies."""
    turning = solver == "direct" and kind in ("wheel", "rod", "rope", "spring")
    # Of each substep the direct solver knows the last directions alone
    for substeps, side in ((1, 0), (2, 1), (4, 0), (4, 1), (8, 2), (16, 1)):
        draw = draws(31 * substeps + side)
        with b2.World(gravity=(3, -10), sleeping=False) as world:
            fixed = world.create_static_body() if side < 2 else world.create_dynamic_body((0, -0.3))
            body = world.create_dynamic_body((1, 0))
            for one in (fixed, body):
                one.create_shape(b2.Box(0.4, 0.2), density=2, filter=b2.Filter(mask=0))
            body.linear_velocity, body.angular_velocity = (draw.uniform(-2, 2), draw.uniform(-2, 2)), 3
            a, b = (fixed, body) if side != 1 else (body, fixed)
            joint = join(kind, world, a, b, solver)
            sign = -1 if side == 1 else 1
            for _ in range(60):
                before = body.linear_velocity
                world.step(1 / 60, substeps)
                change = body.mass * (60 * (body.linear_velocity - before) - world.gravity)
                error = change - sign * joint.constraint_force
                if turning:
                    assert abs(change.length - joint.constraint_force.length) < 0.05 * max(
                        change.length, 10 * body.mass
                    )
                else:
                    assert error.length < 1e-3 * max(change.length, 10 * body.mass), (substeps, side)


@pytest.mark.parametrize("ratio", [0.5, 3, 30])
@pytest.mark.parametrize("solver", ["iterative", "direct", "auto"])
def test_impacts_load_the_joints(ratio: float, solver: Any) -> None:
    """A box falls on a plank that is held at both ends: 45 to 91 % of the impulse showed, depending on the substeps."""
    for substeps in (1, 2, 4, 8, 16):
        for hertz in (60, 240):
            with b2.World(gravity=(0, -10), sleeping=False) as world:
                ground, plank = world.create_static_body(), world.create_dynamic_body()
                plank.create_shape(b2.Box(1, 0.1))
                pins = [world.create_revolute_joint(ground, plank, anchor=(x, 0), joint_solver=solver) for x in (-1, 1)]
                box = world.create_dynamic_body((0, 1.35))
                box.create_shape(b2.Box(0.25, 0.25), density=1.6 * ratio)
                impulse = 0.0
                for _ in range(round(1.5 * hertz)):
                    world.step(1 / hertz, substeps)
                    impulse += sum(pin.constraint_force.y for pin in pins) / hertz
                momentum = sum(body.mass * (body.linear_velocity.y + 15) for body in (plank, box))
                assert impulse == pytest.approx(momentum, rel=0.01), (substeps, hertz)


def test_a_pulley_and_gears_show_their_loads() -> None:
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        ends = [world.create_dynamic_body((x, 0)) for x in (-1, 1)]
        for end, density in zip(ends, (1, 2), strict=True):
            end.create_shape(b2.Box(0.2, 0.2), density=density)
        grounds: Any = {"ground_anchor_a": (-1, 3), "ground_anchor_b": (1, 3)}
        pulley = world.create_pulley_joint(*ends, local_anchor_a=(0, 0), local_anchor_b=(0, 0), **grounds)
        before = ends[1].linear_velocity.y
        for _ in range(20):
            world.step(1 / 60)
            force = ends[1].mass * (60 * (ends[1].linear_velocity.y - before) + 10)
            before = ends[1].linear_velocity.y
            assert pulley.constraint_force.y == pytest.approx(force, rel=1e-3)
        assert math.isclose(pulley.constraint_torque, 0)


def test_sleep_and_copies_keep_the_load() -> None:
    with b2.World(gravity=(0, -10)) as world:
        lamp = world.create_dynamic_body((0, -1))
        lamp.create_shape(b2.Circle(0.2))
        world.create_weld_joint(lamp, world.create_static_body(), anchor=(0, 0))
        while lamp.awake:
            world.step(1 / 60)
            load = world.joint(0).constraint_force
        assert world.joint(0).constraint_force == load == pytest.approx((0, -10 * lamp.mass), rel=1e-4)
        with world.clone() as copy, b2.World.from_snapshot(world.snapshot()) as read:
            assert copy.joint(0).constraint_force == read.joint(0).constraint_force == load
