"""Limits of revolute joints over any number of turns, pulleys near their wheels, joints whose bodies are far apart."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import box2dpy as b2
from box2dpy.compat._world import b2World

TURN = math.tau


def wheel_with_limits(lower: float, upper: float, *, reverse: bool, solver: str, **motor: float) -> b2.RevoluteJoint:
    world = b2.World(sleeping=False)
    wall, wheel = world.create_static_body(), world.create_dynamic_body()
    wheel.create_shape(b2.Circle(0.5))
    pair = (wheel, wall) if reverse else (wall, wheel)
    return world.create_revolute_joint(
        *pair, anchor=(0, 0), lower_angle=lower, upper_angle=upper, joint_solver=solver, **motor
    )


@pytest.mark.parametrize("solver", ["iterative", "direct"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dt", [1 / 240, 1 / 60, 1 / 30])
def test_a_motor_stops_at_a_limit_of_any_number_of_turns(solver: str, reverse: bool, dt: float) -> None:
    limits = [4.7, 2 * TURN, 7.5 * TURN, 30 * TURN]
    for limit, sign in itertools.product(limits, (-1, 1)):
        lower, upper = (-limit, math.inf) if sign < 0 else (-math.inf, limit)
        joint = wheel_with_limits(
            lower, upper, reverse=reverse, solver=solver, motor_speed=sign * 25, max_motor_torque=1e3
        )
        world = joint.world
        seen = []
        for _ in range(int((limit / 25 + 1) / dt)):
            world.step(dt)
            seen.append(joint.angle)
        assert joint.angle == pytest.approx(sign * limit, abs=2e-3)
        assert max(sign * angle for angle in seen) < limit + 25 * dt
        assert joint.angular_separation < 2e-3
        assert joint.lower_angle == pytest.approx(lower)
        assert joint.upper_angle == pytest.approx(upper)
        world.debug_draw()
        copy = b2.World.from_snapshot(world.snapshot())
        copy.step(dt)
        world.step(dt)
        assert copy.state_hash() == world.state_hash()
        joint.motor_speed = -sign * 25  # the other way there is no limit
        for _ in range(int((limit / 25 + 2) / dt)):
            world.step(dt)
        assert sign * joint.angle < -20


def test_limits_on_both_sides_are_infinite_only_outwards() -> None:
    joint = wheel_with_limits(-math.inf, math.inf, reverse=False, solver="auto", motor_speed=5, max_motor_torque=1e3)
    for _ in range(600):
        joint.world.step()
    assert joint.angle == pytest.approx(50, abs=0.5)
    for name, value in (("lower_angle", math.inf), ("upper_angle", -math.inf), ("upper_angle", math.nan)):
        with pytest.raises(ValueError, match=name):
            setattr(joint, name, value)


@pytest.mark.parametrize("turns", [-3, 0, 1, 5])
def test_limits_of_compat_count_the_turns_that_a_body_has_made_before(turns: int) -> None:
    world = b2World(gravity=(0, 0))
    wall = world.CreateStaticBody()
    wheel = world.CreateDynamicBody(angle=turns * TURN)
    wheel.CreateCircleFixture(radius=0.5, density=1)
    joint = world.CreateRevoluteJoint(
        bodyA=wall, bodyB=wheel, anchor=(0, 0), enableLimit=True, lowerAngle=-100, upperAngle=turns * TURN + 9,
        referenceAngle=0, enableMotor=True, motorSpeed=10, maxMotorTorque=1e3,
    )  # fmt: skip
    assert joint.angle == pytest.approx(turns * TURN, abs=1e-4)
    for _ in range(120):
        world.Step(1 / 60, 8, 3)
    assert joint.angle == pytest.approx(turns * TURN + 9, abs=2e-3)


@pytest.mark.parametrize("solver", ["iterative", "direct"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 120, 4), (1 / 60, 1), (1 / 60, 4), (1 / 60, 16), (1 / 30, 4)])
def test_an_end_of_a_pulley_at_its_wheel_holds_the_other_end(solver: str, dt: float, substeps: int) -> None:
    """Otherwise the direction of a rope of length 0 is arbitrary, and the heavy end falls on (98 m here)."""
    for mass, aside, ratio in itertools.product((2, 10, 100), (0, 1e-3, 0.05, 0.5), (0.5, 1, 2)):
        world = b2.World(sleeping=False)
        light, heavy = (world.create_dynamic_body((x, -3)) for x in (-2 + aside, 2))
        light.create_shape(b2.Box(0.2, 0.2), density=1 / 0.16)
        heavy.create_shape(b2.Box(0.2, 0.2), density=mass / 0.16)
        pulley = world.create_pulley_joint(
            light, heavy, ground_anchor_a=(-2, 0), ground_anchor_b=(2, 0), local_anchor_a=(0, 0.2),
            local_anchor_b=(0, 0.2), ratio=ratio, joint_solver=solver,
        )  # fmt: skip
        rope = pulley.length_a + ratio * pulley.length_b
        worst = fastest = 0.0
        for _ in range(int(4 / dt)):
            world.step(dt, substeps)
            worst = max(worst, abs(pulley.length_a + ratio * pulley.length_b - rope))
            fastest = max(fastest, light.linear_velocity.length)
        assert worst < max(1.2, 6 * dt * fastest), (mass, aside, ratio)
        assert fastest < math.hypot(2 * 10 * (rope / ratio), 20)


def far_links(kind: str, solver: str, links: int, mass: float) -> list[b2.Body]:
    world = b2.World(sleeping=False)
    last: b2.Body = world.create_static_body()
    bodies = []
    for k in range(links):
        link = world.create_dynamic_body((k + 1, 0))
        link.create_shape(b2.Box(0.4, 0.1), density=mass / 0.16)
        ends = {"local_anchor_a": (0.4 if k else 0, 0), "local_anchor_b": (-0.4, 0), "joint_solver": solver}
        if kind == "rope":
            world.create_rope_joint(last, link, max_length=0.3, **ends)
        elif kind == "rod":
            world.create_distance_joint(last, link, length=0.3, **ends)
        elif kind == "weld":
            world.create_weld_joint(last, link, **ends)
        elif kind == "slider":
            world.create_prismatic_joint(last, link, axis=(0, 1), lower_translation=-0.1, upper_translation=0.1, **ends)
        else:
            world.create_revolute_joint(last, link, **ends)
        bodies.append(link)
        last = link
    return bodies


@pytest.mark.parametrize("solver", ["iterative", "direct"])
@pytest.mark.parametrize("kind", ["rope", "rod", "revolute", "weld", "slider"])
def test_a_link_that_is_enabled_far_away_is_pulled_gently(kind: str, solver: str) -> None:
    """It was pulled at up to 400 m/s, the greatest speed of bodies. Without gravity it comes at the speed of pushes."""
    points = solver == "iterative" and kind in ("revolute", "weld")  # they have eight times the bound
    for links, distance, mass, dt in itertools.product((1, 2), (2, 20, 100), (0.1, 50), (1 / 120, 1 / 60, 1 / 30)):
        bodies = far_links(kind, solver, links, mass)
        world = bodies[0].world
        world.gravity = 0, 0
        link = bodies[-1]
        world.step(dt)
        link.enabled = False
        link.position = (distance * 0.8, distance * 0.6)
        world.step(dt)
        link.enabled = True
        joint = link.joints[0]
        first = joint.linear_separation
        push = world.contact_push_speed
        for _ in range(int(1 / dt)):
            before = [body.position for body in bodies]
            world.step(dt)
            moved = max((a.position - b).length for a, b in zip(bodies, before, strict=True))
            assert moved < (15 * links if points else 3) * push * dt, (links, distance, mass, dt)
            assert max(body.linear_velocity.length for body in bodies) < (15 * links if points else 3) * push
        assert joint.linear_separation < first - (0.02 if kind == "weld" else 0.3) * min(push, first)


@pytest.mark.parametrize("kind", ["revolute", "weld"])
@pytest.mark.parametrize("solver", ["iterative", "auto"])
def test_points_that_are_torn_far_close_as_ropes_do(kind: str, solver: str) -> None:
    """Three free links, two of them moved and turned, reached 400 m/s: impulses midway spun them. Now their anchors are
    pulled along the line between them, each link at eight times the speed of pushes against the one before."""
    cases = itertools.product((1, 2, 3), (2, 20, 100), (0, 0.7, 1.2), (0, 2), (0.1, 5))
    for links, distance, angle, turn, mass in cases:
        bodies = far_links(kind, solver, links, mass)
        world = bodies[0].world
        world.gravity = 0, 0
        base = world.create_dynamic_body((-1, 0))  # the chain hangs on it
        base.create_shape(b2.Box(0.4, 0.1), density=1)
        world.create_revolute_joint(base, bodies[0], anchor=(-0.4, 0), joint_solver=solver)
        for joint in bodies[0].joints:
            if joint.body_a.type == b2.BodyType.STATIC:
                joint.destroy()
        for k, body in enumerate(bodies, 1):
            body.position += b2.Vec2(math.cos(angle), math.sin(angle)) * (k * distance)
            body.angle = k * turn
        for _ in range(1500):
            world.step()
            fastest = np.hypot(*world.arrays.linear_velocity.T).max()
            assert fastest < 40 * max(links, 1.5), (links, distance, angle, turn, mass)
        if solver == "iterative":  # solved directly, welds of a chain 100 m apart take a minute
            assert max(joint.linear_separation for body in bodies for joint in body.joints) < 0.05
