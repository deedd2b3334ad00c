"""Joints: failures that naive warm starting and unlimited corrections cause."""

from __future__ import annotations

import itertools
import math

import pytest

import box2dpy as b2

DT = 1 / 60


def hang(world: b2.World, n: int, both_ends: bool) -> list[b2.Body]:
    """Planks of 1 m in a row, hinged to each other and to the ground at the left, or at both ends."""
    anchor = world.create_static_body()
    planks = [world.create_dynamic_body((k + 0.5, 0)) for k in range(n)]
    for plank in planks:
        plank.create_shape(b2.Box(0.5, 0.125), filter=b2.Filter(1, 0))
    for k, (left, right) in enumerate(zip([anchor, *planks], [*planks, *[anchor] * both_ends], strict=False)):
        world.create_revolute_joint(left, right, anchor=(k, 0))
    return planks


def energy(bodies: list[b2.Body]) -> float:
    total = 0.0
    for body in bodies:
        vx, vy = body.linear_velocity
        total += (
            0.5 * body.mass * (vx * vx + vy * vy)
            + 0.5 * body.inertia * body.angular_velocity**2
            + 10 * body.mass * body.position.y
        )
    return total


@pytest.mark.parametrize("substeps", [1, 2, 4, 8])
@pytest.mark.parametrize(("n", "both_ends"), [(1, False), (2, False), (3, False), (11, False), (3, True), (11, True)])
def test_a_swinging_chain_never_gains_energy(n: int, both_ends: bool, substeps: int) -> None:
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        planks = hang(world, n, both_ends)
        for _ in range(600):
            world.step(DT, substeps)
            # Free pendulums keep their energy, but positions and velocities are half a substep of gravity apart
            assert energy(planks) < (0.1 if n in (2, 3) and not both_ends else 0.05) * n
        world.validate()


@pytest.mark.parametrize("substeps", [2, 4])
def test_rods_and_ropes_that_swing_never_gain_energy(substeps: int) -> None:
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        anchor = world.create_static_body()
        balls = [world.create_dynamic_body((k + 1.0, 0)) for k in range(6)]
        for k, (left, right) in enumerate(itertools.pairwise([anchor, *balls])):
            right.create_shape(b2.Circle(0.2), filter=b2.Filter(1, 0))
            if k % 3 == 2:
                world.create_rope_joint(left, right, max_length=1.0)
            else:
                world.create_distance_joint(left, right, local_anchor_a=(0, 0), local_anchor_b=(0.1, 0.1))
        for _ in range(600):
            world.step(DT, substeps)
            assert energy(balls) < 0.05 * len(balls)
        world.validate()


@pytest.mark.parametrize(("hertz", "rests"), [(0.0, True), (8.0, False)])
def test_a_welded_beam_gains_no_energy_and_comes_to_rest(hertz: float, rests: bool) -> None:
    with b2.World(gravity=(0, -10), sleeping=False, joint_solver="iterative") as world:
        anchor = world.create_static_body()
        planks = [world.create_dynamic_body((k + 0.5, 0)) for k in range(5)]
        for k, (left, right) in enumerate(itertools.pairwise([anchor, *planks])):
            right.create_shape(b2.Box(0.5, 0.125), filter=b2.Filter(1, 0))
            world.create_weld_joint(left, right, anchor=(k, 0), angular_hertz=hertz, angular_damping_ratio=0.7)
        for _ in range(600):
            world.step(DT, 4)
            assert energy(planks) < 0.25
        assert planks[-1].position.y < -0.1
        assert not rests or max(math.hypot(*plank.linear_velocity) for plank in planks) < 0.01


def test_a_joint_that_is_torn_apart_stays_below_the_speed_limit() -> None:
    with b2.World(gravity=(0, 0)) as world:
        anchor = world.create_static_body()
        body = world.create_dynamic_body()
        body.create_shape(b2.Box(0.2, 0.2))
        world.create_revolute_joint(anchor, body, local_anchor_a=(0, 0), local_anchor_b=(10, 3))
        body.position = (5000, -3000)
        for _ in range(240):
            before = body.position
            world.step(DT, 4)
            assert math.dist(before, body.position) <= 400 * DT * 1.01 + 0.5  # the centre turns about nothing here
        world.validate()


def test_a_jointed_body_without_mass_does_not_turn() -> None:
    with b2.World() as world:
        anchor, body = world.create_static_body(), world.create_dynamic_body((1, 0))
        body.create_shape(b2.Circle(0.5), density=0)
        body.inertia = 2.0
        world.create_revolute_joint(anchor, body, local_anchor_a=(0, 0), local_anchor_b=(-7, 3))
        for _ in range(60):
            world.step(DT, 4)
            world.validate()
        assert body.angular_velocity == 0
        assert tuple(body.position) == (1, 0)


def test_joint_impulses_of_a_body_that_became_invalid_are_cleared() -> None:
    with b2.World() as world:
        anchor, body = world.create_static_body(), world.create_dynamic_body((1, 0))
        body.create_shape(b2.Circle(0.5))
        joint = world.create_revolute_joint(anchor, body, anchor=(0, 0))
        world.step(DT, 4)
        body.mass = 1e-30
        body.inertia = 1e-30
        joint.enable_motor, joint.max_motor_torque, joint.motor_speed = True, 1e30, 1e9
        for _ in range(30):
            body.apply_force((1e30, 1e30))
            world.step(DT, 4)
            world.validate()
            if not body.enabled:
                break
        if body.enabled:
            pytest.skip("this state stays finite")
        assert tuple(joint.constraint_force) == (0, 0)
        joint.enable_motor = False
        body.mass, body.inertia = 1.0, 1.0
        body.enabled = True
        for _ in range(30):
            world.step(DT, 4)
            world.validate()
        assert body.enabled


@pytest.mark.parametrize("length", [None, 1.0])
def test_a_rod_between_bodies_that_are_farther_apart_than_a_length_can_be(length: float | None) -> None:
    """The length was the present distance, which no snapshot may have."""
    with b2.World() as world:
        bodies = [world.create_dynamic_body((x, 0)) for x in (0, 3e9)]
        joint = world.create_distance_joint(*bodies, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=length)
        assert joint.length == (1e9 if length is None else length)
        world.validate()
        with b2.World.from_snapshot(world.snapshot()) as other:
            assert other.state_hash() == world.state_hash()
