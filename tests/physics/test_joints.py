"""Joints compared with closed forms: each test states its formula and tolerance. Every step is validated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

import box2dpy as b2
from box2dpy.scenes.human import create_human

DT = 1 / 60


def make_world(**options: Any) -> b2.World:
    return b2.World(**{"gravity": (0, 0), "sleeping": False, **options})


def ball(world: b2.World, position: Any, radius: float = 0.25, density: float = 1.0, **options: Any) -> b2.Body:
    body = world.create_dynamic_body(position, **options)
    body.create_shape(b2.Circle(radius), density=density)
    return body


def box(world: b2.World, position: Any, hx: float, hy: float, density: float = 1.0, **options: Any) -> b2.Body:
    body = world.create_dynamic_body(position, **options)
    body.create_shape(b2.Box(hx, hy), density=density)
    return body


def run(
    world: b2.World, seconds: float, dt: float = DT, each: Callable[[], None] | None = None, substeps: int = 4
) -> None:
    for _ in range(round(seconds / dt)):
        world.step(dt, substeps)
        world.validate()
        if each is not None:
            each()


def swings(world: b2.World, value: Callable[[], float], seconds: float, dt: float) -> tuple[float, float]:
    """Period of `value` about 0, and the factor by which its peaks shrink in a period."""
    values = []
    run(world, seconds, dt, lambda: values.append(value()))
    falling = [k + a / (a - b) for k, (a, b) in enumerate(itertools.pairwise(values)) if a > 0 >= b]
    peaks = [b for a, b, c in zip(values, values[1:], values[2:]) if a < b >= c and b > 0]
    return (falling[-1] - falling[0]) / (len(falling) - 1) * dt, (peaks[-1] / peaks[0]) ** (1 / (len(peaks) - 1))


SPRINGS = ["distance", "prismatic", "wheel", "weld", "motor"]


def sprung(world: b2.World, kind: str, flip: bool, hertz: float, damping_ratio: float) -> tuple[b2.Body, b2.Joint]:
    """A ball 2 m along x on a spring from a static body whose coordinate is 0 there; flipped, the ball is body A."""
    wall, bob = world.create_static_body(), ball(world, (2, 0))
    pair = (bob, wall) if flip else (wall, bob)
    spring = {"enable_spring": True, "hertz": hertz, "damping_ratio": damping_ratio}
    if kind == "distance":
        return bob, world.create_distance_joint(*pair, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=2, **spring)
    if kind == "prismatic":
        return bob, world.create_prismatic_joint(*pair, anchor=(2, 0), axis=(1, 0), **spring)  # type: ignore[arg-type]
    if kind == "wheel":
        return bob, world.create_wheel_joint(*pair, anchor=(2, 0), axis=(1, 0), **spring)  # type: ignore[arg-type]
    if kind == "weld":
        return bob, world.create_weld_joint(
            *pair, anchor=(2, 0), linear_hertz=hertz, linear_damping_ratio=damping_ratio
        )
    return bob, world.create_motor_joint(
        *pair, anchor=(2, 0), linear_hertz=hertz, linear_damping_ratio=damping_ratio, max_spring_force=1e6
    )


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("kind", SPRINGS)
def test_linear_springs_swing_at_their_frequency(kind: str, flip: bool) -> None:
    # Undamped: period 1 / f within 1 %.
    with make_world() as world:
        bob, _ = sprung(world, kind, flip, 2.0, 0.0)
        bob.position = 2.1, 0
        period, _ = swings(world, lambda: bob.position.x - 2, 3, 1 / 960)
        assert period == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize("kind", SPRINGS)
def test_linear_springs_are_damped_by_their_damping_ratio(kind: str) -> None:
    # Ratio z: peaks shrink by exp(-2 pi z / sqrt(1 - z^2)) a period; within 5 %, for the integrator damps a little
    # itself.
    z = 0.1
    with make_world() as world:
        bob, _ = sprung(world, kind, False, 2.0, z)
        bob.position = 2.2, 0
        period, decay = swings(world, lambda: bob.position.x - 2, 3, 1 / 960)
        assert decay == pytest.approx(math.exp(-2 * math.pi * z / math.sqrt(1 - z * z)), rel=0.05)
        assert period == pytest.approx(0.5 / math.sqrt(1 - z * z), rel=0.01)


def test_angular_springs_swing_at_their_frequency() -> None:
    for kind in ("weld", "motor"):
        with make_world() as world:
            wall, disc = world.create_static_body(), ball(world, (0, 0), 0.5)
            options: dict[str, Any] = {"anchor": (0, 0), "angular_hertz": 2.0, "angular_damping_ratio": 0.0}
            if kind == "weld":
                joint: b2.Joint = world.create_weld_joint(disc, wall, **options)
            else:
                joint = world.create_motor_joint(disc, wall, max_spring_torque=1e6, **options)
            disc.angle = 0.2
            period, _ = swings(world, lambda: disc.angle, 3, 1 / 960)
            assert period == pytest.approx(0.5, rel=0.01)
            assert joint.body_a is disc


@pytest.mark.parametrize("kind", ["distance", "prismatic"])
@pytest.mark.parametrize("flip", [False, True])
def test_linear_motors_reach_their_speed_at_their_force(kind: str, flip: bool) -> None:
    # Constant force until the speed is reached: t = m v / F.
    with make_world() as world:
        wall, bob = world.create_static_body((-5, 0)), ball(world, (0, 0))
        pair = (bob, wall) if flip else (wall, bob)
        force, speed = 0.5, 2.0
        motor: dict[str, Any] = {"enable_motor": True, "motor_speed": speed, "max_motor_force": force}
        if kind == "distance":
            joint: Any = world.create_distance_joint(
                *pair, local_anchor_a=(0, 0), local_anchor_b=(0, 0), enable_spring=True, **motor
            )
        else:
            # Translation is of B along the axis of A: the ball as A moves the other way.
            joint = world.create_prismatic_joint(*pair, anchor=(0, 0), axis=(-1, 0) if flip else (1, 0), **motor)
        time = bob.mass * speed / force
        run(world, time / 2, 1 / 240)
        elapsed = round(time / 2 * 240) / 240
        assert bob.linear_velocity.x == pytest.approx(force * elapsed / bob.mass, rel=1e-3)
        assert joint.motor_force == pytest.approx(force, rel=1e-3)
        run(world, time / 2 + 0.5, 1 / 240)
        assert bob.linear_velocity.x == pytest.approx(speed, rel=1e-3)
        assert joint.speed == pytest.approx(speed, rel=1e-3)
        assert abs(joint.motor_force) < 1e-3


@pytest.mark.parametrize("flip", [False, True])
def test_wheel_motor_reaches_its_speed_at_its_torque(flip: bool) -> None:
    with make_world() as world:
        wall, wheel = world.create_static_body(), ball(world, (0, 0), 0.5)
        pair = (wheel, wall) if flip else (wall, wheel)
        torque, speed = 0.2, 3.0
        joint = world.create_wheel_joint(
            *pair, anchor=(0, 0), enable_motor=True, motor_speed=speed, max_motor_torque=torque
        )
        time = wheel.inertia * speed / torque
        run(world, time / 2, 1 / 240)
        sign = -1 if flip else 1
        assert wheel.angular_velocity == pytest.approx(
            sign * torque * round(time * 120) / 240 / wheel.inertia, rel=1e-3
        )
        assert joint.motor_torque == pytest.approx(torque, rel=1e-3)
        run(world, time / 2 + 0.5, 1 / 240)
        assert wheel.angular_velocity == pytest.approx(sign * speed, rel=1e-3)
        assert joint.speed == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("flip", [False, True])
def test_a_motor_joint_reaches_its_velocities_within_its_bounds(flip: bool) -> None:
    with make_world() as world:
        wall, bob = world.create_static_body(), ball(world, (0, 0))
        sign = -1 if flip else 1
        pair = (bob, wall) if flip else (wall, bob)
        joint = world.create_motor_joint(
            *pair, anchor=(0, 0), linear_velocity=(sign * 3, sign * 4), max_velocity_force=1.0,
            angular_velocity=sign * 2, max_velocity_torque=10
        )  # fmt: skip
        run(world, 0.1, 1 / 240)
        # The force is bounded in length: a = F / m towards the target.
        expected = 1.0 / bob.mass * 0.1
        assert bob.linear_velocity == pytest.approx((0.6 * expected, 0.8 * expected), rel=0.02)
        assert math.hypot(*joint.constraint_force) == pytest.approx(1.0, rel=1e-3)
        assert bob.angular_velocity == pytest.approx(2, rel=1e-3)
        run(world, 2)
        assert bob.linear_velocity == pytest.approx((3, 4), rel=1e-3)


def test_motor_joint_holds_a_pose_within_its_force() -> None:
    # A spring with a bound above the weight holds; below it, the body falls at g - F / m.
    for share, holds in ((1.5, True), (0.5, False)):
        with make_world(gravity=(0, -10)) as world:
            wall, bob = world.create_static_body(), ball(world, (0, 0))
            bound = share * bob.mass * 10
            world.create_motor_joint(
                wall, bob, anchor=(0, 0), linear_hertz=5, max_spring_force=bound, angular_hertz=5, max_spring_torque=10
            )
            run(world, 1.0)
            if holds:
                # sag = g / (2 pi f)^2
                assert bob.position.y == pytest.approx(-10 / (2 * math.pi * 5) ** 2, rel=0.05)
            else:
                assert bob.linear_velocity.y == pytest.approx(-5, rel=0.05)


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("kind", ["distance", "prismatic", "wheel"])
def test_joint_limits_hold_under_load(kind: str, flip: bool) -> None:
    # The weight hangs on the limit: within 1 cm of it, and the joint carries the weight within 1 %.
    with make_world(gravity=(0, -10)) as world:
        hook, bob = world.create_static_body(), ball(world, (0, -1), 0.5, 4.0)
        pair = (bob, hook) if flip else (hook, bob)
        if kind == "distance":
            joint: Any = world.create_distance_joint(
                *pair, local_anchor_a=(0, 0), local_anchor_b=(0, 0), enable_spring=True, enable_limit=True,
                min_length=0.5, max_length=1.5
            )  # fmt: skip
        else:
            make = world.create_prismatic_joint if kind == "prismatic" else world.create_wheel_joint
            joint = make(
                *pair, anchor=(0, -1), axis=(0, 1) if not flip else (0, -1), enable_spring=False, enable_limit=True,
                lower_translation=-0.5, upper_translation=0.5
            )  # fmt: skip
        run(world, 2)
        assert bob.position.y == pytest.approx(-1.5, abs=0.01)
        assert joint.constraint_force == pytest.approx((0, (-1 if flip else 1) * bob.mass * 10), rel=0.01, abs=0.05)
        assert joint.linear_separation < 0.01
        world.gravity = 0, 10
        run(world, 3)
        assert bob.position.y == pytest.approx(-0.5, abs=0.01)


def test_a_rigid_rod_keeps_its_length() -> None:
    with make_world(gravity=(0, -10)) as world:
        hook, bob = world.create_static_body(), ball(world, (2, 0))
        rod = world.create_distance_joint(hook, bob, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
        assert (rod.length, rod.current_length) == (2, 2)
        run(world, 3, each=lambda: None if abs(rod.current_length - 2) < 0.01 else pytest.fail(f"{rod.current_length}"))
        rod.length = 1.0
        run(world, 2)
        assert rod.current_length == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("solver", ["iterative", "direct"])
@pytest.mark.parametrize(("length", "wanted"), [(5.0, 1.5), (1.0, 1.0), (0.2, 0.5)])
def test_a_rod_has_the_nearest_length_that_its_limits_allow(solver: Any, length: float, wanted: float) -> None:
    """Its row and that of the limit pushed against each other, with impulses that grew to 1e9 N s."""
    with make_world(joint_solver=solver) as world:
        a, b = ball(world, (0, 0)), ball(world, (3, 0))
        ends: Any = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0)}
        limits: Any = {"enable_spring": False, "enable_limit": True, "min_length": 0.5, "max_length": 1.5}
        rod = world.create_distance_joint(a, b, length=length, **ends, **limits)
        run(world, 3)
        assert rod.current_length == pytest.approx(wanted, abs=1e-3)
        assert rod.linear_separation < 1e-3
        assert a.linear_velocity.length < 1e-3
        rod.enable_limit = False
        run(world, 3)
        assert rod.current_length == pytest.approx(length, abs=1e-3)


def test_spring_force_range_is_respected() -> None:
    # Stretched far, a spring that may pull with at most 3 N accelerates at 3 / m.
    with make_world() as world:
        wall, bob = world.create_static_body(), ball(world, (5, 0))
        spring = world.create_distance_joint(
            wall, bob, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=1, enable_spring=True, hertz=5,
            lower_spring_force=-3, upper_spring_force=0
        )  # fmt: skip
        run(world, 0.5, 1 / 240)
        assert bob.linear_velocity.x == pytest.approx(-3 / bob.mass * 0.5, rel=1e-3)
        assert spring.constraint_force == pytest.approx((-3, 0), rel=1e-3, abs=1e-3)
        bob.position, bob.linear_velocity = (0.5, 0), (0, 0)
        run(world, 0.2, 1 / 240)
        assert bob.position.x == pytest.approx(0.5, abs=1e-4), "it does not push"


def test_a_rope_is_slack_and_then_taut() -> None:
    with make_world(gravity=(0, -10)) as world:
        hook, bob = world.create_static_body(), ball(world, (0, -1))
        rope = world.create_rope_joint(hook, bob, max_length=2)
        run(world, 0.3)
        assert bob.linear_velocity.y == pytest.approx(-3, rel=1e-3), "free fall"
        run(world, 3)
        assert rope.current_length == pytest.approx(2, abs=0.01)
        assert world.create_rope_joint(hook, bob).max_length == pytest.approx(rope.current_length, abs=1e-6)


def test_a_prismatic_joint_holds_across_its_axis_and_does_not_turn() -> None:
    with make_world(gravity=(0, -10)) as world:
        wall = world.create_static_body()
        slider = box(world, (1, 0), 0.5, 0.1, 5.0)
        joint = world.create_prismatic_joint(wall, slider, anchor=(0, 0), axis=(1, 0))
        slider.linear_velocity = 1, 0
        run(world, 2)
        assert joint.translation == pytest.approx(2, rel=0.01)
        assert abs(slider.position.y) < 0.005
        assert abs(slider.angle) < 0.005
        assert joint.constraint_force.y == pytest.approx(slider.mass * 10, rel=0.01)
        assert joint.angular_separation < 0.005


def test_the_joint_axis_turns_with_body_a() -> None:
    # A turntable carries a slide: at angular velocity w, a slider on a spring of f hertz settles where k x = m w^2 (r0
    # + x).
    with make_world() as world:
        table = world.create_kinematic_body(angular_velocity=1.0)
        bob = ball(world, (1, 0), 0.1)
        bob.linear_velocity = 0, 1
        joint = world.create_prismatic_joint(
            table, bob, anchor=(1, 0), axis=(1, 0), enable_spring=True, hertz=1.0, damping_ratio=1.0
        )
        run(world, 6)
        k = (2 * math.pi) ** 2
        assert joint.translation == pytest.approx(1 / (k - 1), rel=0.05)
        assert math.hypot(*bob.position) == pytest.approx(1 + joint.translation, abs=1e-3)
        assert joint.angle == pytest.approx(0, abs=0.01)


def cantilever(world: b2.World, count: int, hertz: float) -> tuple[b2.Body, float]:
    """Pieces of 0.5 m welded to a wall with angular springs; the last one, and how far its tip sags by beam theory.

    A hinge spring is k = (2 pi f)^2 I with I the reduced inertia of its two pieces; the tip sags by the sum of moment /
    k * lever.
    """
    half, last, pieces = 0.25, world.create_static_body(), []
    for i in range(count):
        piece = box(world, (half + 2 * half * i, 0), half, 0.1)
        world.create_weld_joint(last, piece, anchor=(2 * half * i, 0), angular_hertz=hertz, angular_damping_ratio=2.0)
        pieces.append(piece)
        last = piece
    sag = 0.0
    for i in range(count):
        x = 2 * half * i
        moment = sum(last.mass * -world.gravity.y * (p * 2 * half + half - x) for p in range(i, count))
        sag += moment / ((2 * math.pi * hertz) ** 2 * last.inertia * (1 if i == 0 else 0.5)) * (2 * half * count - x)
    return last, sag


def test_a_cantilever_of_soft_welds_sags_as_beam_theory_says() -> None:
    # Four pieces at rest: within 5 % of beam theory. Eight: while the slow sway of the iteration lasts, the mean within
    # 20 %.
    with make_world(gravity=(0, -1)) as world:
        last, sag = cantilever(world, 4, 16.0)
        run(world, 12)
        assert last.world_point((0.25, 0)).y == pytest.approx(-sag, rel=0.05)
    with make_world(gravity=(0, -1)) as world:
        last, sag = cantilever(world, 8, 30.0)
        tips: list[float] = []
        run(world, 16, each=lambda: tips.append(last.world_point((0.25, 0)).y))
        mean = sum(tips[240:]) / len(tips[240:])
        assert mean == pytest.approx(-sag, rel=0.2)
        assert min(tips[240:]) > -2 * sag


@pytest.mark.parametrize("count", [1, 2, 4, 6, 8])
def test_rigid_welds_of_several_lengths_sag_as_beam_theory_says(count: int) -> None:
    # Planks of 1 m under 10 m/s^2: a rigid weld that is solved by iteration is a spring of 60 Hz (a quarter of the
    # substep rate), k = (2 pi 60)^2 I. The mean over the slow sway is within 2x of theory, from four planks on, where
    # bending beats the give of the anchors, within 10 %.
    with make_world(gravity=(0, -10)) as world:
        world.joint_solver = "iterative"
        last, sag = world.create_static_body(), 0.0
        for i in range(count):
            plank = box(world, (i + 0.5, 0), 0.5, 0.125)
            world.create_weld_joint(last, plank, anchor=(i, 0))
            last = plank
            moment = sum(plank.mass * 10 * (p + 0.5 - i) for p in range(i, count))
            sag += moment / ((2 * math.pi * 60) ** 2 * plank.inertia * (1 if i == 0 else 0.5)) * (count - i)
        tips: list[float] = []
        run(world, 6, each=lambda: tips.append(-last.world_point((0.5, 0)).y))
        mean = sum(tips[-60:]) / 60
        assert sag / 2 < mean < 2 * sag
        assert count < 4 or mean == pytest.approx(sag, rel=0.1)


def test_gears_keep_their_ratio() -> None:
    # Angle a + ratio * angle b is constant within 0.5 % of the turn, driven by a motor against a brake.
    ratio = 3.0
    with make_world() as world:
        base = world.create_static_body()
        big, small = ball(world, (0, 0), 1.0), ball(world, (2, 0), 0.5)
        a = world.create_revolute_joint(base, big, anchor=(0, 0))
        b = world.create_revolute_joint(
            small, base, anchor=(2, 0), enable_motor=True, motor_speed=4, max_motor_torque=50
        )
        gear = world.create_gear_joint(a, b, ratio=ratio)
        run(world, 3)
        assert b.speed == pytest.approx(4, rel=0.01)
        assert b.angle > 8
        assert a.angle == pytest.approx(-ratio * b.angle, rel=0.005)
        assert gear.angular_separation < 0.005 * abs(a.angle)
        assert gear.body_a is big
        assert gear.body_b is small
        a.destroy()
        assert not gear.alive
        assert len(world.joints) == 1


def test_a_rack_and_pinion_keep_their_ratio() -> None:
    with make_world(gravity=(0, -10)) as world:
        base = world.create_static_body()
        pinion, rack = ball(world, (0, 0), 0.5), box(world, (0, 2), 1, 0.1)
        a = world.create_revolute_joint(
            base, pinion, anchor=(0, 0), enable_motor=True, motor_speed=2, max_motor_torque=100
        )
        b = world.create_prismatic_joint(base, rack, anchor=(0, 2), axis=(1, 0))
        gear = world.create_gear_joint(a, b, ratio=2)
        run(world, 2)
        assert a.angle == pytest.approx(4, rel=0.02)
        assert b.translation == pytest.approx(-a.angle / 2, rel=0.005)
        base.destroy()
        assert not gear.alive


def make_gearbox(world: b2.World, ratio: float) -> tuple[b2.Body, list[b2.RevoluteJoint], b2.GearJoint]:
    chassis = box(world, (0, 0), 2, 0.5)
    wheels = [ball(world, (x, 0), 0.5) for x in (-1.5, 1.5)]
    hinges = [world.create_revolute_joint(chassis, wheel, anchor=wheel.position) for wheel in wheels]
    return chassis, hinges, world.create_gear_joint(*hinges, ratio=ratio)


def test_gears_on_a_free_chassis_keep_ratio_and_momentum() -> None:
    # A motor between chassis and one wheel: I0 w0 + I (w1 + w2) + m d^2 w0 = 0 with w1 - w0 + ratio (w2 - w0) = 0.
    ratio, d = 2.0, 1.5
    with make_world() as world:
        chassis, (a, b), gear = make_gearbox(world, ratio)
        a.enable_motor, a.motor_speed, a.max_motor_torque = True, 6.0, 50.0
        run(world, 2)
        wheel = a.body_b
        inertia = chassis.inertia + 2 * wheel.inertia + 2 * wheel.mass * d * d
        spin = -wheel.inertia * 6.0 * (1 - 1 / ratio) / inertia
        assert chassis.angular_velocity == pytest.approx(spin, rel=1e-3)
        assert a.speed == pytest.approx(6, rel=1e-3)
        assert b.speed == pytest.approx(-6 / ratio, rel=1e-3)
        assert gear.angular_separation < 1e-3
        assert gear.speed == pytest.approx(a.speed, rel=1e-5)


def test_a_rack_on_a_free_sledge_pushes_it_back() -> None:
    with make_world() as world:
        sledge, rack, pinion = box(world, (0, 0), 3, 0.5), box(world, (0, 1), 1, 0.1), ball(world, (0, 2), 0.5)
        turn = world.create_revolute_joint(
            sledge, pinion, anchor=(0, 2), enable_motor=True, motor_speed=3, max_motor_torque=1e3
        )
        slide = world.create_prismatic_joint(sledge, rack, anchor=(0, 1), axis=(1, 0))
        world.create_gear_joint(turn, slide, ratio=2)
        run(world, 1)
        bodies = (sledge, rack, pinion)
        assert slide.translation == pytest.approx(-turn.angle / 2, rel=2e-3)
        assert slide.translation < -1.4
        assert sum(body.mass * body.linear_velocity.x for body in bodies) == pytest.approx(0, abs=1e-3)
        center = sum(body.mass * body.position.x for body in bodies) / sum(body.mass for body in bodies)
        assert center == pytest.approx(0, abs=1e-3)


def test_the_base_of_a_gear_may_change_its_type_and_be_disabled() -> None:
    with make_world() as world:
        chassis, (a, b), gear = make_gearbox(world, 1.5)
        a.enable_motor, a.motor_speed, a.max_motor_torque = True, 3.0, 100.0
        for change in (
            {"type": b2.BodyType.STATIC}, {"type": b2.BodyType.DYNAMIC}, {"enabled": False}, {"enabled": True},
            {"type": b2.BodyType.KINEMATIC}, {"type": b2.BodyType.DYNAMIC},
        ):  # fmt: skip
            for name, value in change.items():
                setattr(chassis, name, value)
            world.validate()
            before = world.clone()
            run(world, 0.5)
            run(before, 0.5)
            assert before.state_hash() == world.state_hash()
            world.validate()
            if chassis.enabled:
                assert gear.angular_separation < 2e-3
        assert b.speed == pytest.approx(-2, rel=1e-2)
        chassis.destroy()
        assert not gear.alive


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_a_pulley_keeps_the_length_of_its_rope(ratio: float) -> None:
    # Atwood: a = g (m2 r - m1) / (m1 r^2 + m2) for body 2... the rope keeps its length within 0.5 %, the acceleration 1
    # %.
    with make_world(gravity=(0, -10)) as world:
        a, b = ball(world, (-2, 0), 0.5, 1.0), ball(world, (2, 0), 0.5, 3.0)
        pulley = world.create_pulley_joint(
            a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0), ground_anchor_a=(-2, 6), ground_anchor_b=(2, 6),
            ratio=ratio
        )  # fmt: skip
        total = pulley.length_a + ratio * pulley.length_b
        run(
            world,
            0.5,
            each=lambda: (
                None
                if abs(pulley.length_a + ratio * pulley.length_b - total) < 0.005 * total
                else pytest.fail("length")
            ),
        )
        # va = -ratio * vb: T along a, ratio * T along b.
        m1, m2 = a.mass, b.mass
        accel = 10 * (m2 - ratio * m1) / (m2 + ratio**2 * m1)  # of b, downwards
        assert b.linear_velocity.y == pytest.approx(-accel * 0.5, rel=0.01)
        assert pulley.constraint_force.y == pytest.approx(m2 * (10 - accel), rel=0.02)


def arc(count: int, chord: float) -> list[tuple[float, float]]:
    """The ends of `count` pieces of about 1 m that hang in a circular arc over a chord."""
    low, high = 1e-3, math.pi / 2
    for _ in range(60):
        half = (low + high) / 2
        low, high = (half, high) if count * math.sin(half) / half > chord else (low, half)
    radius = count / 2 / half
    angles = [-half + 2 * half * i / count for i in range(count + 1)]
    return [(radius * math.sin(q), radius * (math.cos(half) - math.cos(q))) for q in angles]


def test_bridge_of_thirty_planks_hardly_drifts() -> None:
    # Planks of 1 m, 5 kg, under three balls of 8 kg: no two ends part by 1 % of a plank, at any time in ten seconds.
    with make_world(gravity=(0, -10)) as world:
        ends = arc(30, 28.5)
        last, joints = world.create_static_body(ends[0]), []
        for (x0, y0), (x1, y1) in itertools.pairwise(ends):
            plank = box(world, ((x0 + x1) / 2, (y0 + y1) / 2), 0.5, 0.125, 20.0, angle=math.atan2(y1 - y0, x1 - x0))
            joints.append(world.create_revolute_joint(last, plank, anchor=(x0, y0)))
            last = plank
        joints.append(world.create_revolute_joint(last, world.create_static_body(ends[-1]), anchor=ends[-1]))
        for i in range(3):
            ball(world, (-3 + 3 * i, ends[15][1] + 2), 0.5, 10.0)
        worst = []
        run(world, 10, each=lambda: worst.append(max(joint.linear_separation for joint in joints)))
        assert max(worst) < 0.01


def test_ragdoll_at_rest_falls_asleep() -> None:
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        bodies = create_human(world, (0, 0.5))
        for _ in range(600):
            world.step()
            world.validate()
            if not bodies[0].awake:
                break
        assert not any(body.awake for body in bodies)


def test_a_filter_joint_only_prevents_collision() -> None:
    with make_world() as world:
        a, b = ball(world, (0, 0)), ball(world, (0.3, 0))
        c = ball(world, (0.3, 0.3))
        joint = world.create_filter_joint(a, b)
        run(world, 0.1)
        assert {frozenset((q.shape_a.body, q.shape_b.body)) for q in world.contacts} == {
            frozenset((a, c)),
            frozenset((b, c)),
        }
        assert joint.constraint_force == (0, 0)
        c.destroy()
        run(world, 0.1)
        world.split_islands()
        assert len(world.islands) == 2, "it links no islands"
        joint.destroy()
        run(world, 0.1)
        assert a in b.touching_bodies


def all_joints(world: b2.World) -> list[b2.Joint]:
    """A machine with every type of joint, both ways round where one side is fixed, beside a pile."""
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(60, 1))
    joints: list[b2.Joint] = []
    for k in range(33):
        x = -41 + 2.5 * k
        post = world.create_static_body((x, 6))
        arm = box(world, (x + 0.6, 6), 0.6, 0.1)
        bob = ball(world, (x + 1.2, 5), 0.3, 1.0 + k % 3)
        extra = box(world, (x + 0.4, 3), 0.3, 0.3)
        fixed = (post, arm) if k % 2 else (arm, post)
        at: dict[str, Any] = {"anchor": (x, 6)}
        ends: dict[str, Any] = {"local_anchor_a": (0.2, 0), "local_anchor_b": (0, 0.1)}
        kind = k % 11
        if kind == 0:
            joints += [
                world.create_revolute_joint(
                    *fixed, **at, enable_motor=True, motor_speed=1, max_motor_torque=3, enable_limit=True,
                    lower_angle=-1, upper_angle=1,
                ),
                world.create_distance_joint(
                    arm, bob, **ends, enable_spring=True, hertz=3, damping_ratio=0.2, enable_limit=True, min_length=0.5,
                    max_length=1.2,
                ),
            ]  # fmt: skip
        elif kind == 1:
            joints += [
                world.create_prismatic_joint(
                    *fixed, **at, axis=(0.6, 0.8), enable_spring=True, hertz=2, damping_ratio=0.3, enable_limit=True,
                    lower_translation=-0.3, upper_translation=0.3,
                ),
                world.create_distance_joint(bob, arm, **ends),
            ]  # fmt: skip
        elif kind == 2:
            motor = {"axis": (0, 1), "enable_motor": True}
            joints += [
                world.create_wheel_joint(*fixed, **at, **motor, hertz=2, motor_speed=3, max_motor_torque=5),
                world.create_wheel_joint(
                    arm, bob, anchor=bob.position, **motor, hertz=3, motor_speed=-3, max_motor_torque=1
                ),
            ]
        elif kind == 3:
            joints += [
                world.create_weld_joint(*fixed, **at, angular_hertz=2, angular_damping_ratio=0.3),
                world.create_weld_joint(arm, bob, anchor=bob.position, linear_hertz=3, linear_damping_ratio=0.3),
            ]
        elif kind == 4:
            joints += [
                world.create_motor_joint(
                    *fixed, **at, linear_hertz=2, max_spring_force=40, angular_hertz=1, max_spring_torque=5
                ),
                world.create_motor_joint(
                    arm, bob, **ends, linear_velocity=(0.5, 0), max_velocity_force=20, angular_velocity=1,
                    max_velocity_torque=1,
                ),
            ]  # fmt: skip
        elif kind == 5:
            a = world.create_revolute_joint(*fixed, **at)
            b = world.create_prismatic_joint(
                post, bob, anchor=bob.position, axis=(0, 1), enable_motor=True, max_motor_force=2
            )
            joints += [a, b, world.create_gear_joint(a, b, ratio=0.7)]
        elif kind == 6:
            wheels: dict[str, Any] = {"ground_anchor_a": (x, 9), "ground_anchor_b": (x + 1, 9)}
            joints.append(world.create_pulley_joint(arm, bob, **ends, **wheels, ratio=1.5))
            joints.append(world.create_filter_joint(arm, extra))
        elif kind == 7:
            joints.append(world.create_weld_joint(*fixed, **at))
            joints.append(world.create_rope_joint(arm, bob, max_length=1.5))
        elif kind == 8:
            joints.append(world.create_groove_joint(*fixed, groove_start=(0, 0), groove_end=(0.5, -0.5)))
            joints.append(world.create_mover_joint(post, bob, linear_velocity=(1, 1), max_velocity_force=(3, 40)))
        elif kind == 9:
            joints.append(world.create_revolute_joint(*fixed, **at))
            joints.append(world.create_ratchet_joint(*fixed, ratchet=0.2))
            joints.append(world.create_rotary_spring_joint(arm, bob, target_angle=1, hertz=2, damping_ratio=0.3))
        else:
            joints.append(world.create_pogo_joint(*fixed, **at, normal=(0.2, 1), rest_length=0.5, hertz=4))
            joints.append(world.create_pogo_joint(arm, bob, **ends, rest_length=1, hertz=3, max_tension_force=2))
            joints.append(world.create_ratchet_joint(arm, bob, ratchet=-0.3))
        limits: dict[str, Any] = {"enable_limit": True, "lower_translation": -0.5, "upper_translation": 0.5}
        joints.append(world.create_prismatic_joint(bob, extra, anchor=extra.position, axis=(1, 1), **limits))
    hub = ball(world, (0, 12), 0.5)  # more joints than there are colours: some overflow
    for k in range(40):
        leaf = ball(world, (3 * math.cos(k), 12 + 3 * math.sin(k)), 0.1)
        make = getattr(world, f"create_{('distance', 'weld', 'prismatic', 'motor')[k % 4]}_joint")
        options: dict[str, Any] = {"max_velocity_force": 5.0} if k % 4 == 3 else {}
        two = (hub, leaf) if k % 3 else (leaf, hub)
        joints.append(make(*two, local_anchor_a=(0, 0), local_anchor_b=(0, 0.05), **options))
    return joints


def final_state(steps: int, simd: str, workers: int, validate: bool = False) -> tuple[int, list[Any]]:
    with b2.World(simd=simd, workers=workers) as world:
        joints = all_joints(world)
        for k in range(steps):
            world.step()
            if validate:
                world.validate()
            if k == 60:  # changes between steps
                for joint in joints:
                    for name, value in (
                        ("hertz", 4.0),
                        ("enable_spring", True),
                        ("enable_motor", True),
                        ("linear_hertz", 4.0),
                        ("ratio", 1.2),
                        ("local_anchor_b", (0.05, 0)),
                    ):
                        if hasattr(joint, name):
                            setattr(joint, name, value)
        assert world.counters.overflow_joints > 0
        return world.state_hash(), [(*j.constraint_force, j.constraint_torque) for j in joints]


@pytest.mark.parametrize("steps", [1, 4])
def test_all_joints_go_on_after_a_restore_of_a_batch_as_in_a_new_one(steps: int) -> None:
    with b2.World() as world:
        all_joints(world)
        with b2.WorldBatch(world, 2) as used, b2.WorldBatch(world, 2) as new, world.clone() as alone:
            start = used.save()
            for _ in range(steps):
                used.step()
            used.restore(start)
            for _ in range(steps):
                for each in (used, new):
                    each.step()
                alone.step(used.dt, used.substeps)
                assert {*used.state_hash().tolist(), *new.state_hash().tolist()} == {alone.state_hash()}


def test_all_joints_give_one_hash_for_all_widths_and_workers() -> None:
    first = final_state(180, "scalar", 1, validate=True)
    assert all(math.isfinite(x) for row in first[1] for x in row)
    for simd in b2.cpu_features():
        for workers in (1, 3):
            assert final_state(180, simd, workers) == first, (simd, workers)


@pytest.mark.parametrize("unit", [1.0, 4.0])
def test_an_imperceptibly_slow_jointed_body_is_stopped(unit: float) -> None:
    """A body on a slack rope is stopped below 1e-12 length units or radians per second; a free body keeps its exact
    speed."""
    with b2.World(gravity=(0, 0), length_unit=unit, sleeping=False) as world:
        tied, other, free = (ball(world, (5 * unit * k, 0), 0.4 * unit) for k in range(3))
        world.create_rope_joint(tied, other, max_length=20 * unit)
        for x, turn, stands in ((0.9, 0.9, True), (1.1, 0, False), (0, 1.1, False)):
            for body in (tied, free):
                body.linear_velocity, body.angular_velocity = (x * 1e-12 * unit, 0), turn * 1e-12
            start = free.linear_velocity, free.angular_velocity
            world.step(DT)
            assert (free.linear_velocity, free.angular_velocity) == start
            assert (tied.linear_velocity, tied.angular_velocity) == (((0, 0), 0) if stands else start)
