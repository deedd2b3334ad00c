"""Comparison with closed forms: each test states its formula and tolerance."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

DT = 1 / 60


def ground_world(**options: object) -> tuple[b2.World, b2.Body]:
    world = b2.World(**options)  # type: ignore[arg-type]
    ground = world.create_static_body(position=(0, -1))
    ground.create_shape(b2.Box(200, 1), friction=0.6)
    return world, ground


def test_free_fall_follows_the_substep_sum() -> None:
    # Semi-implicit Euler over n substeps: y = y0 - g h^2 n (n + 1) / 2; velocity is exact.
    with b2.World(gravity=(0, -10)) as world:
        body = world.create_dynamic_body(position=(0, 100))
        body.create_shape(b2.Circle(0.5))
        for _ in range(60):
            world.step(DT, substeps=4)
        n, h = 240, DT / 4
        assert body.position.y == pytest.approx(100 - 10 * h * h * n * (n + 1) / 2, abs=1e-3)
        assert body.linear_velocity.y == pytest.approx(-10.0, rel=1e-5)
        # and the parabola itself within the first-order error g h t / 2
        assert body.position.y == pytest.approx(100 - 5.0, abs=10 * h * 1.0 / 2 + 1e-3)


def test_gravity_scale_and_damping_follow_the_closed_form() -> None:
    with b2.World(gravity=(0, -10)) as world:
        floats = world.create_dynamic_body(
            position=(0, 0), gravity_scale=0.0, linear_velocity=(1, 0), linear_damping=0.5
        )
        floats.create_shape(b2.Circle(0.5))
        for _ in range(120):
            world.step(DT, substeps=4)
        h = DT / 4
        assert floats.linear_velocity.x == pytest.approx((1 - 0.5 * h) ** 480, rel=1e-4)
        assert floats.linear_velocity.x == pytest.approx(math.exp(-1.0), rel=2e-3)
        assert floats.linear_velocity.y == 0


@pytest.mark.parametrize("damping", [0.1, 1.0, 5.0, 50.0])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 240, 4), (1 / 60, 1), (1 / 60, 4), (1 / 60, 16), (1 / 30, 4)])
@pytest.mark.parametrize("gravity", [(0, -10), (3, 4)])
def test_damped_bodies_at_rest_have_their_whole_weight(
    damping: float, dt: float, substeps: int, gravity: tuple[float, float]
) -> None:
    """They were 2 to 8 % lighter. What falls reaches the speed at which damping and weight are in balance."""
    with b2.World(gravity=gravity, sleeping=False) as world:
        down = b2.Vec2(*gravity).normalized()
        wall = world.create_static_body()
        wall.create_shape(b2.Box(1, 5), filter=b2.Filter(group=-1))
        floor = world.create_static_body(down * 10, angle=math.atan2(down.y, down.x))
        floor.create_shape(b2.Box(0.5, 5))
        options = {"linear_damping": damping, "angular_damping": damping}
        box = world.create_dynamic_body(down * 9, angle=math.atan2(down.y, down.x), **options)
        box.create_shape(b2.Box(0.5, 0.5), density=3)
        hung = world.create_dynamic_body(down * 2, **options)
        hung.create_shape(b2.Circle(0.3), density=20, filter=b2.Filter(group=-1))
        hinge = world.create_revolute_joint(wall, hung, anchor=down * 2)
        falls = world.create_dynamic_body((500, 0), **options)
        falls.create_shape(b2.Circle(0.3))
        weight = b2.Vec2(*gravity).length
        advance(world, int(2 / dt), dt, substeps)
        assert b2.Vec2(*box.contact_force).length == pytest.approx(weight * box.mass, rel=1e-3)
        assert b2.Vec2(*hinge.constraint_force).length == pytest.approx(weight * hung.mass, rel=1e-3)
        limit = weight / damping * (1 - math.exp(-2 * damping))
        assert falls.linear_velocity.length == pytest.approx(limit, rel=1.1 * damping * dt / substeps + 1e-3)


@pytest.mark.parametrize("rate", [1.0, 100.0, 1e3, 1e6, 1e30])
def test_damping_never_turns_a_motion_back(rate: float) -> None:
    with b2.World(gravity=(0, 0)) as world:
        body = world.create_dynamic_body(
            linear_velocity=(5, -3), angular_velocity=2, linear_damping=rate, angular_damping=rate
        )
        body.create_shape(b2.Circle(0.5))
        last = (5.0, 3.0, 2.0)
        for _ in range(20):
            world.step(DT, 1)
            now = (body.linear_velocity.x, -body.linear_velocity.y, body.angular_velocity)
            assert all(0 <= a <= b for a, b in zip(now, last, strict=True))
            last = now


@pytest.mark.parametrize("friction", [0.2, 0.5, 0.8])
def test_box_on_a_slope_stays_below_the_friction_angle_and_slides_above(friction: float) -> None:
    # On a slope of angle a: static while tan a < mu; beyond, the acceleration is g (sin a - mu cos a).
    limit = math.atan(friction)
    for angle, slides in ((limit - 0.04, False), (limit + 0.08, True)):
        with b2.World(gravity=(0, -10), sleeping=False) as world:
            slope = world.create_static_body(angle=angle)
            slope.create_shape(b2.Box(100, 1), friction=friction)
            up = b2.Vec2(-math.sin(angle), math.cos(angle))
            box = world.create_dynamic_body(position=up * 1.5, angle=angle)
            box.create_shape(b2.Box(0.5, 0.5), friction=friction)
            advance(world, 30, DT)
            v0 = math.hypot(*box.linear_velocity)
            advance(world, 60, DT)
            v1 = math.hypot(*box.linear_velocity)
            if slides:
                expected = 10 * (math.sin(angle) - friction * math.cos(angle))
                assert v1 - v0 == pytest.approx(expected, rel=0.02)
            else:
                assert v1 < 1e-3


@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9])
def test_a_ball_rebounds_to_its_height_times_restitution_squared(restitution: float) -> None:
    # A drop from height h (of the lowest point) returns to e^2 h.
    world, _ = ground_world()
    with world:
        ball = world.create_dynamic_body(position=(0, 5.5))
        ball.create_shape(b2.Circle(0.5), restitution=restitution)
        low = False
        peak = 0.0
        for _ in range(240):
            world.step(1 / 120, substeps=4)
            low = low or ball.linear_velocity.y > 0
            if low:
                peak = max(peak, ball.position.y - 0.5)
            if low and ball.linear_velocity.y < 0:
                break
        assert peak == pytest.approx(restitution**2 * 5.0, rel=0.06, abs=0.03)


def test_slow_impacts_do_not_bounce() -> None:
    world, _ = ground_world(restitution_threshold=1.0)
    with world:
        ball = world.create_dynamic_body(position=(0, 0.53))  # lands at 0.77 m/s
        ball.create_shape(b2.Circle(0.5), restitution=0.9)
        for _ in range(60):
            world.step(DT)
            assert ball.position.y < 0.54
        assert abs(ball.linear_velocity.y) < 1e-2


def test_collision_conserves_momentum_and_elastic_energy() -> None:
    with b2.World(gravity=(0, 0)) as world:
        a = world.create_dynamic_body(position=(-2, 0), linear_velocity=(4, 0))
        a.create_shape(b2.Circle(0.5), density=2.0, restitution=1.0, friction=0)
        b = world.create_dynamic_body(position=(2, 0.1), linear_velocity=(-1, 0))
        b.create_shape(b2.Circle(0.7), density=1.0, restitution=1.0, friction=0)

        def momentum() -> tuple[float, float]:
            return tuple(a.mass * va + b.mass * vb for va, vb in zip(a.linear_velocity, b.linear_velocity))

        def energy() -> float:
            return sum(0.5 * q.mass * (q.linear_velocity.x**2 + q.linear_velocity.y**2) for q in (a, b))

        before, e0 = momentum(), energy()
        advance(world, 120, DT)
        assert momentum() == pytest.approx(before, abs=1e-4)
        assert energy() == pytest.approx(e0, rel=0.01)
        assert b.linear_velocity.x > 0  # the collision took place


def test_a_pendulum_has_the_period_of_a_physical_pendulum() -> None:
    # Physical pendulum of a disc at the end of a massless arm: T = 2 pi sqrt((I / m + L^2) / (g L)) for small swings.
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        pivot = world.create_static_body(position=(0, 0))
        length, radius, swing = 2.0, 0.2, 0.05
        bob = world.create_dynamic_body(position=(length * math.sin(swing), -length * math.cos(swing)))
        bob.create_shape(b2.Circle(radius))
        world.create_revolute_joint(pivot, bob, anchor=(0, 0))
        crossings = []
        last = bob.position.x
        for k in range(1, 2400):
            world.step(1 / 240, substeps=4)
            x = bob.position.x
            if last > 0 >= x:
                crossings.append((k - x / (x - last)) / 240)
            last = x
        period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
        expected = 2 * math.pi * math.sqrt((radius**2 / 2 + length**2) / (10 * length)) * (1 + swing**2 / 16)
        assert period == pytest.approx(expected, rel=2e-3)
        assert math.hypot(*bob.position) == pytest.approx(length, abs=2e-3)


def test_revolute_motor_reaches_its_speed_at_its_torque() -> None:
    # Constant torque until the speed is reached: t = I w / tau.
    with b2.World(gravity=(0, 0)) as world:
        base = world.create_static_body()
        wheel = world.create_dynamic_body()
        wheel.create_shape(b2.Circle(1.0), density=1.0)
        torque, speed = 2.0, 3.0
        joint = world.create_revolute_joint(
            base, wheel, anchor=(0, 0), enable_motor=True, motor_speed=speed, max_motor_torque=torque
        )
        time = wheel.inertia * speed / torque
        steps = int(0.5 * time * 240)
        for _ in range(steps):
            world.step(1 / 240, substeps=4)
        assert wheel.angular_velocity == pytest.approx(torque / wheel.inertia * steps / 240, rel=1e-3)
        assert joint.motor_torque == pytest.approx(torque, rel=1e-3)
        for _ in range(steps + 240):
            world.step(1 / 240, substeps=4)
        assert wheel.angular_velocity == pytest.approx(speed, rel=1e-4)
        assert joint.speed == pytest.approx(speed, rel=1e-4)


def test_revolute_limits_hold_under_load() -> None:
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        base = world.create_static_body()
        arm = world.create_dynamic_body(position=(1, 0))
        arm.create_shape(b2.Box(1, 0.1), density=5.0)
        joint = world.create_revolute_joint(
            base, arm, anchor=(0, 0), enable_limit=True, lower_angle=-0.5, upper_angle=0.25
        )
        advance(world, 240, DT)
        assert joint.angle == pytest.approx(-0.5, abs=0.01)


def test_a_revolute_spring_has_its_frequency_and_damping() -> None:
    # Torsion spring of f hertz: the disc swings at f; with damping ratio z the envelope falls by exp(-2 pi z f t).
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        base = world.create_static_body()
        disc = world.create_dynamic_body()
        disc.create_shape(b2.Circle(0.5))
        hertz = 2.0
        world.create_revolute_joint(base, disc, anchor=(0, 0), enable_spring=True, hertz=hertz, damping_ratio=0.0)
        disc.angle = 0.3
        crossings = []
        last = disc.angle
        for k in range(1, 2400):
            world.step(1 / 960, substeps=4)
            if last > 0 >= disc.angle:
                crossings.append((k - disc.angle / (disc.angle - last)) / 960)
            last = disc.angle
        period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
        assert period == pytest.approx(1 / hertz, rel=0.01)


def test_stack_of_twenty_boxes_stands_and_sleeps() -> None:
    world, _ = ground_world()
    with world:
        boxes = []
        for i in range(20):
            box = world.create_dynamic_body(position=(0, 0.5 + i))
            box.create_shape(b2.Box(0.5, 0.5))
            boxes.append(box)
        for _ in range(300):
            world.step(DT)
            if not boxes[0].awake:
                break
        assert all(not box.awake for box in boxes), "asleep within 5 s"
        assert abs(boxes[-1].position.x) < 0.01
        assert abs(boxes[-1].angle) < 0.01
        sink = 19.5 - boxes[-1].position.y
        assert 0 <= sink < 0.10, f"the stack sank by {sink:.3f} m at the top"


def test_far_from_the_origin_a_stack_still_stands() -> None:
    with b2.World() as world:
        ground = world.create_static_body(position=(1e7, 1e7 - 1))
        ground.create_shape(b2.Box(20, 1))
        boxes = []
        for i in range(20):
            box = world.create_dynamic_body(position=(1e7, 1e7 + 0.5 + i))
            box.create_shape(b2.Box(0.5, 0.5))
            boxes.append(box)
        advance(world, 300, DT)
        assert abs(boxes[-1].position.x - 1e7) < 0.01
        assert 1e7 + 19.5 - boxes[-1].position.y < 0.10


def test_a_sleeping_row_wakes_completely_in_one_step() -> None:
    world, _ = ground_world()
    with world:
        row = []
        for i in range(100):
            box = world.create_dynamic_body(position=(0.995 * i, 0.5))
            box.create_shape(b2.Box(0.5, 0.5))
            row.append(box)
        lonely = world.create_dynamic_body(position=(150, 0.5))
        lonely.create_shape(b2.Box(0.5, 0.5))
        advance(world, 300, DT)
        assert not any(box.awake for box in row) and not lonely.awake
        hammer = world.create_dynamic_body(position=(-1.05, 0.6), linear_velocity=(10, 0))
        hammer.create_shape(b2.Circle(0.3))
        woken_at = []
        for _ in range(30):
            world.step(DT)
            woken_at.append(sum(box.awake for box in row))
            if woken_at[-1]:
                break
        assert woken_at[-1] == 100 and set(woken_at[:-1]) <= {0}
        assert not lonely.awake


def test_a_heavy_box_sinks_into_a_light_one_less_than_in_box2d() -> None:
    # Half 2, density 25 on half 0.5, density 1: Box2D 3.1 sinks by 22 cm.
    world, _ = ground_world()
    with world:
        light = world.create_dynamic_body(position=(0, 0.5))
        light.create_shape(b2.Box(0.5, 0.5))
        heavy = world.create_dynamic_body(position=(0, 3.0))
        heavy.create_shape(b2.Box(2, 2), density=25.0)
        advance(world, 120, DT)
        sink = 3.0 - heavy.position.y
        assert sink < 0.13, f"sank by {sink:.3f} m"


def test_a_fast_spinning_wheel_stays_on_the_ground_and_rolls() -> None:
    world, _ = ground_world()
    with world:
        wheel = world.create_dynamic_body(position=(0, 0.5), angular_velocity=-1000.0, allow_fast_rotation=True)
        wheel.create_shape(b2.Circle(0.5), friction=0.9)
        for _ in range(120):
            world.step(DT)
            assert 0.45 < wheel.position.y < 0.7
        assert wheel.linear_velocity.x > 5


def test_very_fast_boxes_do_not_pass_thin_walls() -> None:
    with b2.World(gravity=(0, 0)) as world:
        wall = world.create_static_body()
        wall.create_shape(b2.Box(0.05, 20))
        boxes = []
        for i in range(20):
            box = world.create_dynamic_body(
                position=(-5 - 0.37 * i, 0.9 * i - 9), linear_velocity=(380, 0), angular_velocity=3 * i
            )
            box.create_shape(b2.Box(0.1, 0.1))
            boxes.append(box)
        advance(world, 60, DT)
        assert all(box.position.x < 0.05 for box in boxes)


def test_rolling_resistance_stops_a_ball_that_otherwise_keeps_rolling() -> None:
    for resistance, rolls in ((0.0, True), (0.2, False)):
        world, _ = ground_world(sleeping=False)
        with world:
            ball = world.create_dynamic_body(position=(0, 0.5), linear_velocity=(2, 0), angular_velocity=-4)
            ball.create_shape(b2.Circle(0.5), rolling_resistance=resistance)
            advance(world, 240, DT)
            assert (abs(ball.linear_velocity.x) > 1.8) == rolls


def test_a_conveyor_carries_a_box_at_its_tangent_speed() -> None:
    with b2.World() as world:
        belt = world.create_static_body(position=(0, -1))
        belt.create_shape(b2.Box(100, 1), friction=0.8, tangent_speed=3.0)
        box = world.create_dynamic_body(position=(0, 0.5))
        box.create_shape(b2.Box(0.5, 0.5), friction=0.8)
        advance(world, 180, DT)
        assert abs(box.linear_velocity.x) == pytest.approx(3.0, rel=0.02)


def test_motion_locks_hold_against_forces_and_contacts() -> None:
    world, _ = ground_world()
    with world:
        box = world.create_dynamic_body(position=(0, 5), lock_x=True, lock_rotation=True)
        box.create_shape(b2.Box(0.5, 0.5))
        hit = world.create_dynamic_body(position=(-3, 1.2), linear_velocity=(20, 5))
        hit.create_shape(b2.Circle(0.4), density=20)
        for _ in range(120):
            world.step(DT)
            assert box.position.x == 0 and box.angle == 0


def test_the_mass_of_a_compound_is_that_of_the_parallel_axis_theorem() -> None:
    """Also while shapes are added and removed, with the mass computed at once or at the end."""
    draw = draws(5)
    with b2.World() as world:
        body = world.create_dynamic_body((3, -2), angle=0.4)
        parts: dict[b2.Shape, tuple[float, float, tuple[float, float]]] = {}
        for round_ in range(40):
            if parts and draw.random() < 0.4:
                shape = draw.choice(list(parts))
                del parts[shape]
                shape.destroy()
            center = draw.uniform(-2, 2), draw.uniform(-2, 2)
            density, later = draw.uniform(0.5, 3), round_ % 3 == 0
            if draw.random() < 0.5:
                radius = draw.uniform(0.1, 1)
                mass = density * math.pi * radius**2
                shape = body.create_shape(b2.Circle(radius, center), density=density, update_mass=not later)
                parts[shape] = mass, mass * radius**2 / 2, center
            else:
                hx, hy = draw.uniform(0.1, 1), draw.uniform(0.1, 1)
                mass = density * 4 * hx * hy
                box = b2.Box(hx, hy, center, draw.uniform(-3, 3))
                shape = body.create_shape(box, density=density, update_mass=not later)
                parts[shape] = mass, mass * (hx**2 + hy**2) / 3, center
            if later:
                body.update_mass()
            total = sum(mass for mass, _, _ in parts.values())
            x = sum(mass * center[0] for mass, _, center in parts.values()) / total
            y = sum(mass * center[1] for mass, _, center in parts.values()) / total
            inertia = sum(own + mass * ((cx - x) ** 2 + (cy - y) ** 2) for mass, own, (cx, cy) in parts.values())
            assert body.mass == pytest.approx(total, rel=1e-5)
            assert body.local_center == pytest.approx((x, y), abs=1e-5)
            assert body.inertia == pytest.approx(inertia, rel=1e-4)
