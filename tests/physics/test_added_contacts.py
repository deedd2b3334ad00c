"""What staged steps are for: contacts that the program edits or adds, and constraints of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

DT = 1 / 60
IMPULSES = ("normal_impulse", "tangent_impulse", "rolling_impulse")


def one_way_world() -> tuple[b2.World, b2.Body, b2.Shape]:
    world = b2.World()
    platform = world.create_static_body((0, 2)).create_shape(b2.Box(5, 0.1), presolve=True)
    world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
    ball = world.create_dynamic_body((0, 0.5), linear_velocity=(0, 9))
    ball.create_shape(b2.Circle(0.4))
    return world, ball, platform


def test_a_one_way_platform_by_edits_moves_bodies_as_on_presolve_does() -> None:
    """The platform lets a body through that moves up or is below its top."""
    worlds = one_way_world(), one_way_world()
    reference, ball, platform = worlds[0]

    def solid(contact: b2.Presolve) -> bool:
        return ball.linear_velocity.y <= 0 and ball.position.y > 2.4

    reference.on_presolve = solid
    heights = []
    for _ in range(200):
        reference.step(DT)
        world, other, shape = worlds[1]
        with world.staged_step(DT) as step:
            rows = step.contacts
            at_platform = (rows["shape_a"] == shape.index) | (rows["shape_b"] == shape.index)
            rows["enabled"] = ~at_platform | (other.linear_velocity.y <= 0 and other.position.y > 2.4)
        assert other.position == ball.position
        heights.append(other.position.y)
    assert max(heights) > 3
    assert heights[-1] == pytest.approx(2.5, abs=0.01)
    worlds[1][0].validate()
    assert platform.alive


def test_a_disabled_contact_does_not_stop_a_fast_body() -> None:
    for enabled in (True, False):
        with b2.World(gravity=(0, 0)) as world:
            world.create_static_body((1, 0)).create_shape(b2.Box(0.02, 3))
            ball = world.create_dynamic_body((0.8, 0), linear_velocity=(0.2, 0))
            ball.create_shape(b2.Circle(0.15))
            world.step(DT)
            assert world.counters.contacts == 1
            ball.linear_velocity = (200, 0)
            for _ in range(2):
                with world.staged_step(DT) as step:
                    step.contacts["enabled"] = enabled
            assert (ball.position.x > 3) == (not enabled)


@pytest.mark.parametrize("fast", [False, True])
def test_a_conveyor_by_edits_carries_like_a_shape_with_tangent_speed(fast: bool) -> None:
    speed = 8.0 if fast else 1.5
    finals = []
    for edit in (False, True):
        with b2.World() as world:
            belt = world.create_static_body((0, -1)).create_shape(b2.Box(80, 1), tangent_speed=0.0 if edit else speed)
            crate = world.create_dynamic_body((0, 0.5))
            crate.create_shape(b2.Box(0.5, 0.5))
            for _ in range(120):
                with world.staged_step(DT) as step:
                    if edit:
                        rows = step.contacts
                        rows["tangent_speed"][(rows["shape_a"] == belt.index) | (rows["shape_b"] == belt.index)] = speed
            finals.append((crate.position, crate.linear_velocity))
            assert world.contacts.as_array(touching_only=True)["tangent_speed"].max() == (0 if edit else speed)
    assert finals[0] == finals[1]
    assert finals[0][1].x == pytest.approx(speed, abs=0.01)


def terrain_rows(world: b2.World, balls: np.ndarray, radius: float, impulses: dict[str, np.ndarray]) -> np.ndarray:
    """Contacts of balls with the ground y = sin(x) / 2, to first order in the distance."""
    x, y = world.arrays.position[balls].T
    foot = x.copy()
    for _ in range(8):  # Newton's method for the nearest point of the curve
        f, df, ddf = np.sin(foot) / 2, np.cos(foot) / 2, -np.sin(foot) / 2
        foot -= ((foot - x) + (f - y) * df) / (1 + df**2 + (f - y) * ddf)
    toward = np.stack([foot - x, np.sin(foot) / 2 - y], axis=1)
    distance = np.linalg.norm(toward, axis=1)
    near = distance < radius + 0.05
    rows = b2.new_contacts(int(near.sum()))
    rows["body_a"] = balls[near]
    rows["normal"] = toward[near] / distance[near, None]
    rows["separation"] = distance[near] - radius
    rows["point"] = np.stack([foot, np.sin(foot) / 2], axis=1)[near]
    rows["radius_a"], rows["rolling_resistance"] = radius, 0.05
    for name, values in impulses.items():
        rows[name] = values[balls[near]]
    return rows


@pytest.mark.parametrize("sleeping", [True, False])
def test_bodies_rest_on_analytic_terrain_in_numpy(sleeping: bool) -> None:
    with b2.World(sleeping=sleeping) as world:
        radius = 0.2
        valleys = np.arange(4) * 2 * math.pi - math.pi / 2
        bodies = world.create_bodies([(x + 0.5, 1.0) for x in valleys], geometry=b2.Circle(radius))
        count = int(bodies.indices.max()) + 1
        impulses = {name: np.zeros(count, np.float32) for name in IMPULSES}
        at_rest = None
        for k in range(1200):
            with world.staged_step(DT) as step:
                step.add_contacts(terrain_rows(world, bodies.indices, radius, impulses))
            for name, values in impulses.items():
                values[step.added_contacts["body_a"]] = step.added_contacts[name]
            world.validate() if k % 100 == 0 else None
            if k == 599:
                at_rest = world.arrays.position.copy()
        assert at_rest is not None
        assert np.abs(world.arrays.position - at_rest).max() < 1e-3  # in ten seconds
        x, y = at_rest[bodies.indices].T
        assert np.abs(x - valleys).max() < 0.1  # where the slope is less than the rolling resistance
        assert np.abs(y - (radius - 0.5)).max() < 0.01


def test_a_stack_rests_on_added_contacts_and_its_impulses_carry_the_weight() -> None:
    with b2.World(sleeping=False) as world:
        boxes = [world.create_dynamic_body((0, 0.5 + k)) for k in range(4)]
        for box in boxes:
            box.create_shape(b2.Box(0.5, 0.5))
        lowest, kept = boxes[0], np.zeros(2, np.float32)
        for _ in range(240):
            with world.staged_step(DT, 4) as step:
                rows = b2.new_contacts(2)
                rows["body_a"], rows["normal"] = lowest.index, (0, -1)
                corners = np.array([lowest.world_point((x, -0.5)) for x in (-0.5, 0.5)])
                rows["point"], rows["separation"] = corners, corners[:, 1]
                rows["normal_impulse"] = kept
                step.add_contacts(rows)
            kept = step.added_contacts["normal_impulse"]
        assert kept.sum() / step.substep_dt == pytest.approx(10 * sum(box.mass for box in boxes), rel=1e-3)
        assert [box.position.y for box in boxes] == pytest.approx([0.5, 1.5, 2.5, 3.5], abs=0.02)
        assert abs(lowest.angle) < 1e-3


def test_a_ball_bounces_from_an_added_contact() -> None:
    for restitution in (0.0, 0.4, 0.8):
        with b2.World(gravity=(0, 0)) as world:
            ball = world.create_dynamic_body((0, 1), linear_velocity=(0, -6))
            ball.create_shape(b2.Circle(0.5))
            for _ in range(20):
                with world.staged_step(DT) as step:
                    rows = b2.new_contacts(1)
                    rows["body_a"], rows["normal"], rows["restitution"] = ball.index, (0, -1), restitution
                    rows["point"], rows["separation"] = (0, 0), ball.position.y - 0.5
                    step.add_contacts(rows)
            assert ball.linear_velocity.y == pytest.approx(6 * restitution, abs=1e-3)


def test_added_contacts_of_two_bodies_conserve_momentum_and_wake_sleepers() -> None:
    with b2.World(gravity=(0, 0)) as world:
        a, b = (world.create_dynamic_body((x, 0)) for x in (0, 3))
        for body in (a, b):
            body.create_shape(b2.Circle(0.5))
        a.linear_velocity = (5, 0)
        b.awake = False
        for flip in (False, True) * 10:
            with world.staged_step(DT) as step:
                first, second = (b, a) if flip else (a, b)
                rows = b2.new_contacts(1)
                rows["body_a"], rows["body_b"] = first.index, second.index
                rows["normal"] = (-1, 0) if flip else (1, 0)
                rows["point"], rows["separation"] = (1.5, 0), 0.0
                step.add_contacts(rows)
        assert b.awake
        assert a.linear_velocity.x + b.linear_velocity.x == pytest.approx(5, abs=1e-4)
        assert a.linear_velocity.x == pytest.approx(b.linear_velocity.x, abs=1e-4)
        world.validate()


def test_rows_without_an_awake_body_count_for_nothing() -> None:
    with b2.World() as world:
        ground, crate = world.create_static_body(), world.create_dynamic_body((0, 5), awake=False)
        for body in (ground, crate):
            body.create_shape(b2.Circle(0.5))
        before = world.state_hash()
        with world.staged_step(DT) as step:
            rows = b2.new_contacts(3)
            rows["body_a"], rows["body_b"] = [crate.index, ground.index, ground.index], [ground.index, crate.index, -1]
            rows["normal"], rows["separation"], rows["normal_impulse"] = (0, 1), -1.0, 3.0
            step.add_contacts(rows)
        assert world.state_hash() == before
        assert (step.added_contacts["normal_impulse"] == 3).all()  # kept for when they wake


@pytest.mark.parametrize(
    ("field", "value", "error", "message"),
    [
        ("body_a", 99, b2.DestroyedError, "body_a"),
        ("body_a", -2, b2.DestroyedError, "body_a"),
        ("body_b", 1, ValueError, "body_b"),
        ("point", (np.nan, 0), ValueError, "point"),
        ("normal", (0, 0), ValueError, "normal"),
        ("normal", (np.inf, 0), ValueError, "normal"),
        ("separation", np.nan, ValueError, "separation"),
        ("friction", -1, ValueError, "friction"),
        ("restitution", np.nan, ValueError, "restitution"),
        ("tangent_speed", np.inf, ValueError, "tangent_speed"),
        ("radius_a", -1, ValueError, "radius"),
        ("normal_impulse", -1, ValueError, "impulse"),
        ("tangent_impulse", np.nan, ValueError, "impulse"),
    ],
)
def test_a_bad_row_raises_and_changes_nothing(field: str, value: Any, error: type[Exception], message: str) -> None:
    with b2.World() as world, b2.World() as twin:
        for each in (world, twin):
            each.create_static_body()
            each.create_dynamic_body((0, 1)).create_shape(b2.Circle(0.5))
        with world.staged_step(DT) as step:
            rows = b2.new_contacts(2)
            rows["body_a"], rows["normal"] = 1, (0, -1)
            rows[field][1] = value
            with pytest.raises(error, match=rf"{message}.*row 1"):
                step.add_contacts(rows)
            with pytest.raises(TypeError, match="record array"):
                step.add_contacts(np.zeros(3))  # type: ignore[arg-type]
            with pytest.raises(ValueError, match="needed"):
                step.add_contacts(np.zeros(3, [("body_a", "i4")]))
        twin.step(DT)
        assert world.state_hash() == twin.state_hash()


def rope_force(built_in: bool) -> tuple[list[float], float]:
    """A pendulum on a rope of 2 m: its distances, and the angle after three seconds."""
    with b2.World() as world:
        ground = world.create_static_body((0, 5))
        bob = world.create_dynamic_body((1.5, 5))
        bob.create_shape(b2.Circle(0.1))
        if built_in:
            world.create_rope_joint(ground, bob, local_anchor_a=(0, 0), local_anchor_b=(0, 0), max_length=2.0)
        distances = []
        for _ in range(180):
            with world.staged_step(DT, 8) as step:
                for _ in step.substeps() if not built_in else ():
                    d = step.world_center[bob.index] - (0, 5)
                    length = np.linalg.norm(d)
                    n, v = d / length, step.linear_velocity[bob.index]
                    excess = v @ n + (length - 2.0) / step.substep_dt  # the speed with which it would end too long
                    if excess > 0:
                        v -= (excess * n).astype(np.float32)
            distances.append(math.dist(bob.position, (0, 5)))
        return distances, math.atan2(bob.position.x, 5 - bob.position.y)


def test_a_rope_of_ones_own_is_less_than_one_percent_off_the_built_in_one() -> None:
    own, own_angle = rope_force(built_in=False)
    built_in, angle = rope_force(built_in=True)
    assert max(own) == pytest.approx(2.0, rel=0.01)
    assert max(built_in) == pytest.approx(2.0, rel=0.01)
    assert max(abs(a - b) for a, b in zip(own, built_in, strict=True)) < 0.02
    assert own_angle == pytest.approx(angle, abs=0.02)


def gear_angles(built_in: bool) -> tuple[float, float]:
    """A wheel that is driven by a torque turns another one of half its ratio."""
    with b2.World(gravity=(0, 0)) as world:
        ground = world.create_static_body()
        wheels = [world.create_dynamic_body((3 * k, 0)) for k in range(2)]
        joints = []
        for wheel in wheels:
            wheel.create_shape(b2.Circle(1))
            joints.append(world.create_revolute_joint(ground, wheel, anchor=wheel.position))
        if built_in:
            world.create_gear_joint(joints[0], joints[1], ratio=2.0)
        else:
            world.connect(*wheels)
        a, b = (wheel.index for wheel in wheels)
        for _ in range(120):
            wheels[0].apply_torque(5.0)
            with world.staged_step(DT, 4) as step:
                for _ in step.substeps() if not built_in else ():
                    w, inverse = step.angular_velocity, step.inverse_inertia
                    impulse = -(w[a] + 2 * w[b]) / (inverse[a] + 4 * inverse[b])
                    w[a] += inverse[a] * impulse
                    w[b] += 2 * inverse[b] * impulse
        return joints[0].angle, joints[1].angle


def test_a_gear_of_ones_own_is_less_than_one_percent_off_the_built_in_one() -> None:
    own, built_in = gear_angles(built_in=False), gear_angles(built_in=True)
    assert abs(own[0]) > 1
    assert own[0] == pytest.approx(-2 * own[1], rel=0.01)
    assert own == pytest.approx(built_in, rel=0.01)


def test_a_connection_passes_no_impulse() -> None:
    with b2.World(gravity=(0, 0)) as world:
        a, b = world.create_dynamic_body(linear_velocity=(1, 0), angular_velocity=2), world.create_dynamic_body((3, 0))
        for body in (a, b):
            body.create_shape(b2.Circle(0.3))
        world.connect(a, b)
        for _ in range(30):
            world.step()
        assert (a.linear_velocity, a.angular_velocity) == ((1, 0), 2)
        assert (b.linear_velocity, b.angular_velocity) == ((0, 0), 0)
