"""Properties changed under resting, sleeping and touching bodies take effect in the next step."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2

from ..oracle.lockstep import DT, make_ground, run, run_until_asleep

STATES = pytest.mark.parametrize("state", ["resting", "asleep"])


def settled(state: str, **options: object) -> tuple[b2.World, b2.Body, b2.Body, b2.Body]:
    """Ground and two unit boxes on it, one on the other; awake, or asleep."""
    world = b2.World(**options)  # type: ignore[arg-type]
    ground = make_ground(world)
    lower, upper = world.create_dynamic_body((0, 0.5)), world.create_dynamic_body((0, 1.5))
    for body in (lower, upper):
        body.create_shape(b2.Box(0.5, 0.5))
    if state == "asleep":
        run_until_asleep(world)
    else:
        run(world, 15)
        assert lower.awake
        assert world.counters.touching == 2
    return world, ground, lower, upper


def rest(world: b2.World, state: str, steps: int) -> None:
    if state == "asleep":
        run_until_asleep(world)
    else:
        run(world, steps)


def sloped(state: str, friction: float = 1.0) -> tuple[b2.World, b2.Body, b2.Body]:
    """A box at rest on a slope of 0.3 rad."""
    world = b2.World()
    slope = world.create_static_body(angle=0.3)
    slope.create_shape(b2.Box(40, 1), friction=friction)
    up = b2.Vec2(-math.sin(0.3), math.cos(0.3))
    box = world.create_dynamic_body(up * 1.5, 0.3)
    box.create_shape(b2.Box(0.5, 0.5), friction=friction)
    rest(world, state, 15)
    return world, slope, box


@STATES
@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_a_body_that_becomes_static_stops_and_carries_its_load(state: str, kind: str) -> None:
    world, _, lower, upper = settled(state)
    with world:
        lower.linear_velocity = (3, 0)
        lower.type = kind
        world.validate()
        assert upper.awake
        assert lower.mass == 0
        if kind == "static":
            assert tuple(lower.linear_velocity) == (0, 0)
        lower.linear_velocity = (0, 0)
        at = lower.position
        run(world, 60)
        assert lower.position == at
        assert upper.position.y == pytest.approx(1.5, abs=0.01)
        assert len(world.islands) == (1 if kind == "static" else 2)
        lower.type = "dynamic"
        world.validate()
        assert lower.mass == pytest.approx(1)
        assert upper.awake
        lower.linear_velocity = (2, 0)
        run(world, 5)
        assert lower.position.x > at.x + 0.05


@STATES
def test_a_static_body_that_becomes_dynamic_falls(state: str) -> None:
    world, ground, lower, _ = settled(state)
    with world:
        ground.type = "dynamic"
        world.validate()
        run(world, 30)
        assert ground.position.y < -1.5
        assert lower.position.y < 0.2


@STATES
def test_a_disabled_support_drops_its_load_and_carries_again_when_enabled(state: str) -> None:
    world, _, lower, upper = settled(state)
    with world:
        lower.enabled = False
        world.validate()
        assert lower.island is None
        assert upper.awake
        run(world, 60)
        assert upper.position.y == pytest.approx(0.5, abs=0.02)
        assert tuple(lower.position) == pytest.approx((0, 0.5), abs=0.02)
        upper.position = (5, 0.5)
        lower.enabled = True
        world.validate()
        run(world, 10)
        assert lower.awake
        assert world.counters.touching == 2


@STATES
def test_a_larger_geometry_lifts_the_body_on_it(state: str) -> None:
    world, _, lower, upper = settled(state)
    with world:
        lower.shapes[0].geometry = b2.Box(0.5, 1.0)
        assert lower.mass == pytest.approx(2)
        lower.position = (0, 1.0)
        upper.position = (0, 2.5)
        world.validate()
        run(world, 90)
        assert lower.position.y == pytest.approx(1.0, abs=0.02)
        assert upper.position.y == pytest.approx(2.5, abs=0.02)
        lower.shapes[0].geometry = b2.Circle(0.25)
        assert upper.awake
        world.validate()
        run(world, 90)
        assert upper.position.y < 1.3


@STATES
def test_a_new_mass_changes_the_acceleration_by_a_force(state: str) -> None:
    world, _, _, upper = settled(state, gravity=(0, -10))
    with world:
        upper.mass = 10
        assert upper.awake
        upper.apply_force((0, 200))  # 10 m/s^2 up after gravity
        world.step(DT, 4)
        assert upper.linear_velocity.y == pytest.approx(10 * DT, rel=0.02)
        world.validate()
        upper.update_mass()
        assert upper.mass == pytest.approx(1)


@STATES
def test_a_new_density_changes_mass_inertia_and_the_load_on_the_ground(state: str) -> None:
    world, _, lower, upper = settled(state)
    with world:
        inertia = upper.inertia
        upper.shapes[0].density = 4.0
        world.validate()
        assert upper.awake
        assert upper.mass == pytest.approx(4)
        assert upper.inertia == pytest.approx(4 * inertia)
        run(world, 30)
        load = sum(
            point.normal_impulse
            for contact in lower.contacts
            for point in contact.points
            if upper in (contact.body_a, contact.body_b)
        )
        assert load / (DT / 4) == pytest.approx(40, rel=0.05)


def test_a_density_change_tips_a_sleeping_balance() -> None:
    with b2.World() as world:
        pivot = world.create_static_body((0, 3))
        beam = world.create_dynamic_body((0, 3))
        beam.create_shape(b2.Box(2, 0.1))
        left = beam.create_shape(b2.Box(0.2, 0.2, center=(-1.8, 0)))
        beam.create_shape(b2.Box(0.2, 0.2, center=(1.8, 0)))
        world.create_revolute_joint(pivot, beam, anchor=(0, 3))
        run_until_asleep(world)
        left.density = 10.0
        assert beam.awake
        run(world, 30)
        assert beam.angle > 0.1


@STATES
def test_less_friction_lets_a_box_slide(state: str) -> None:
    world, slope, box = sloped(state)
    with world:
        x = box.position.x
        slope.shapes[0].friction = 0.0
        world.validate()
        assert box.awake
        run(world, 30)
        assert box.position.x < x - 0.2
        assert all(contact.friction == 0 for contact in box.contacts)
        slope.shapes[0].friction = 1.0
        run(world, 90)
        assert math.hypot(*box.linear_velocity) < 0.05


@STATES
def test_more_friction_holds_a_sliding_box(state: str) -> None:
    world, slope, box = sloped(state)
    with world:
        box.shapes[0].friction = 0.0
        run(world, 10)
        assert math.hypot(*box.linear_velocity) > 0.2
        box.shapes[0].friction = 1.0
        run(world, 30)
        assert math.hypot(*box.linear_velocity) < 0.05
        assert slope.touching_bodies == [box]


@STATES
def test_a_conveyor_that_starts_carries_its_load_along(state: str) -> None:
    world, ground, lower, _ = settled(state)
    with world:
        ground.shapes[0].tangent_speed = 1.0
        world.validate()
        assert lower.awake
        run(world, 30)
        assert abs(lower.position.x) > 0.1
        ground.shapes[0].tangent_speed = 0.0
        run(world, 60)
        assert math.hypot(*lower.linear_velocity) < 0.05


def test_rolling_resistance_set_later_stops_a_ball_and_zero_releases_it() -> None:
    with b2.World() as world:
        make_ground(world)
        ball = world.create_dynamic_body((0, 0.5), linear_velocity=(2, 0), angular_velocity=-4)
        shape = ball.create_shape(b2.Circle(0.5))
        run(world, 30)
        assert ball.linear_velocity.x > 1.8
        shape.rolling_resistance = 0.2
        run(world, 90)
        assert abs(ball.linear_velocity.x) < 0.05
        shape.rolling_resistance = 0.0
        run(world, 3)
        ball.linear_velocity = (2, 0)
        run(world, 60)
        assert ball.linear_velocity.x > 1.0


@STATES
def test_restitution_set_under_a_resting_ball_bounces_the_next_fall(state: str) -> None:
    with b2.World() as world:
        make_ground(world)
        ball = world.create_dynamic_body((0, 0.5))
        shape = ball.create_shape(b2.Circle(0.5))
        rest(world, state, 10)
        shape.restitution = 0.8
        world.validate()
        run(world, 5)
        assert abs(ball.linear_velocity.y) < 0.05
        ball.position = (0, 3.5)
        top = 0.0
        fell = False
        for _ in range(120):
            run(world, 1)
            fell = fell or ball.position.y < 0.6
            top = max(top, ball.position.y) if fell else top
        assert top == pytest.approx(0.5 + 3 * 0.64, rel=0.1)
        shape.restitution = 0.0
        run(world, 200)
        assert not ball.awake


@STATES
def test_motion_locks_act_at_once_when_set_and_when_cleared(state: str) -> None:
    world, _, lower, upper = settled(state)
    with world:
        upper.lock_x = True
        lower.lock_rotation = True
        x, angle = upper.position.x, lower.angle
        assert upper.awake
        world.validate()
        for _ in range(30):
            upper.apply_force((50, 0))
            run(world, 1)
        assert upper.position.x == x
        assert lower.angle == angle
        run_until_asleep(world)
        upper.lock_x = False
        assert upper.awake
        upper.apply_impulse((3, 0))
        run(world, 10)
        assert upper.position.x > 0.1


def test_a_lock_stops_a_body_in_flight() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body((0, 10), linear_velocity=(3, -4), angular_velocity=5)
        body.create_shape(b2.Box(0.5, 0.2))
        run(world, 5)
        body.lock_y = body.lock_rotation = True
        assert body.linear_velocity.y == 0
        assert body.angular_velocity == 0
        y, angle = body.position.y, body.angle
        run(world, 30)
        assert body.position.y == y
        assert body.angle == angle
        assert body.linear_velocity.x == pytest.approx(3)
        body.lock_y = False
        run(world, 10)
        assert body.position.y < y


@STATES
def test_a_new_gravity_or_gravity_scale_lifts_resting_bodies(state: str) -> None:
    world, _, _, upper = settled(state)
    with world:
        upper.gravity_scale = -1.0
        assert upper.awake
        run(world, 30)
        assert upper.position.y > 2
        upper.gravity_scale = 1.0
        run_until_asleep(world)
        world.gravity = (0, 10)
        assert world.counters.awake_bodies == 2
        run(world, 30)
        assert upper.position.y > 2.2


@STATES
def test_a_motor_that_is_switched_on_moves_a_resting_body(state: str) -> None:
    with b2.World(gravity=(0, 0)) as world:
        base, arm = world.create_static_body(), world.create_dynamic_body((1, 0))
        arm.create_shape(b2.Box(1, 0.1))
        joint = world.create_revolute_joint(base, arm, anchor=(0, 0))
        rest(world, state, 5)
        joint.max_motor_torque = 1000.0
        joint.motor_speed = 1.0
        joint.enable_motor = True
        assert arm.awake
        run(world, 60)
        assert joint.angle == pytest.approx(1.0, abs=0.05)
        joint.enable_motor = False
        joint.upper_angle, joint.lower_angle = 1.2, -1.2
        joint.enable_limit = True
        run(world, 60)
        assert joint.angle < 1.25
        joint.local_anchor_a = (0, 2)
        world.validate()
        run(world, 60)  # a correction is bounded by the speed of a push-out
        assert joint.linear_separation < 0.01


@STATES
def test_shapes_can_be_added_and_removed_under_load(state: str) -> None:
    world, _, lower, upper = settled(state)
    with world:
        wing = upper.create_shape(b2.Box(1.0, 0.1, center=(1.5, 0)), density=5)
        world.validate()
        assert upper.mass == pytest.approx(3)
        assert upper.local_center.x > 0.4
        run(world, 60)
        assert abs(upper.angle) > 0.05, "it tips over"
        wing.destroy()
        assert upper.mass == pytest.approx(1)
        assert upper.local_center.x == pytest.approx(0, abs=1e-6)
        lower.shapes[0].destroy(update_mass=False)
        assert lower.mass == pytest.approx(1)
        world.validate()
        run(world, 60)


@STATES
def test_a_new_center_of_mass_keeps_the_velocity_of_material_points(state: str) -> None:
    world, _, _, upper = settled(state)
    with world:
        upper.position = (0, 5)
        upper.angular_velocity = 2.0
        speed = upper.velocity_at((0.3, 5.2))
        upper.local_center = (0.2, -0.1)
        after = upper.velocity_at((0.3, 5.2))
        assert tuple(after) == pytest.approx(tuple(speed), abs=1e-5)
        run(world, 5)


@STATES
def test_every_shape_flag_can_be_toggled_during_contact(state: str) -> None:
    world, ground, lower, upper = settled(state)
    with world:
        for body in (ground, lower, upper):
            for shape in body.shapes:
                for name in ("hit_events", "contact_events", "sensor_events", "hit_events", "contact_events"):
                    setattr(shape, name, not getattr(shape, name))
                    run(world, 1)
        assert upper.position.y == pytest.approx(1.5, abs=0.01)


def test_end_events_of_changes_between_steps_come_once_with_the_next_step() -> None:
    world, _, lower, upper = settled("asleep")
    with world:
        pair = {lower.shapes[0], upper.shapes[0]}
        upper.shapes[0].sensor = True
        run(world, 1)
        assert [{e.shape_a, e.shape_b} for e in world.events.contact_end] == [pair]
        run(world, 1)
        assert len(world.events.contact_end) == 0


def test_a_body_without_mass_stores_no_impulse_for_its_first_mass() -> None:
    with b2.World() as world:
        make_ground(world)
        body = world.create_dynamic_body((0, 0.45), linear_velocity=(-2, -2))
        body.create_shape(b2.Box(0.5, 0.5), density=0)
        run(world, 10)
        assert (world.arrays.contacts["normal_impulse"] == 0).all()
        assert (world.arrays.contacts["tangent_impulse"] == 0).all()
        body.position = (0, 0.45)
        body.shapes[0].density = 1.0
        for _ in range(30):
            run(world, 1)
            assert math.hypot(*body.linear_velocity) < 4
            assert abs(body.angular_velocity) < 10


@pytest.mark.parametrize("sensor", [True, False])
def test_shapes_outside_of_the_broad_phase_let_it_grow_beyond_few_shapes(sensor: bool) -> None:
    """They raised a MemoryError in the next step, because the structure for many shapes had not been built."""
    with b2.World(gravity=(0, 0)) as world:
        for k in range(60):
            world.create_dynamic_body((k, 0)).create_shape(b2.Circle(0.3))
        world.step()
        body = world.create_static_body((0, 5), enabled=sensor)
        for _ in range(20):
            body.create_shape(b2.Circle(0.3), sensor=sensor)
        for _ in range(3):
            world.step()
        assert world.ray_cast((59, 5), (0, -9)) is not None
        world.validate()
