"""Mover, pogo, ratchet, groove and rotary spring compared with closed forms, each with its formula and tolerance."""

from __future__ import annotations

import math
from typing import Any

import pytest

import box2dpy as b2

from ..stepping import advance
from .test_joints import DT, ball, box, make_world, run, swings


def pair_of(a: b2.Body, b: b2.Body, flip: bool) -> tuple[b2.Body, b2.Body]:
    return (b, a) if flip else (a, b)


# -- mover


@pytest.mark.parametrize("flip", [False, True])
def test_a_mover_joint_reaches_its_speed_with_limited_force_and_does_not_turn(flip: bool) -> None:
    # Speed F t / m until it is v, then v with no force; each axis by itself; 0.5 %.
    with make_world() as world:
        ground, hero = world.create_static_body((3, 3)), box(world, (0, 0), 0.5, 0.5)
        sign = -1 if flip else 1
        joint = world.create_mover_joint(
            *pair_of(ground, hero, flip), linear_velocity=(4 * sign, -1 * sign), max_velocity_force=(8, 1)
        )
        run(world, 0.25)
        assert hero.linear_velocity == pytest.approx((2.0, -0.25), rel=0.005)
        assert joint.motor_force == pytest.approx((8 * sign, -1 * sign), rel=0.005)
        assert joint.constraint_force == joint.motor_force
        run(world, 1.0)
        assert hero.linear_velocity == pytest.approx((4.0, -1.0), rel=0.005)
        assert joint.motor_force == pytest.approx((0, 0), abs=1e-3)
        assert joint.relative_velocity == pytest.approx((4 * sign, -1 * sign), rel=0.005)
        assert hero.angular_velocity == 0
        assert joint.constraint_torque == 0


def test_a_mover_joint_without_force_along_y_falls_freely() -> None:
    with make_world(gravity=(0, -10)) as world:
        ground, hero = world.create_static_body(), box(world, (0, 0), 0.5, 0.5, lock_rotation=True)
        world.create_mover_joint(ground, hero, linear_velocity=(2, 7), max_velocity_force=(50, 0))
        run(world, 1.0)
        assert hero.linear_velocity == pytest.approx((2, -10), rel=1e-3)


def test_a_mover_joint_keeps_its_speed_relative_to_a_moving_body() -> None:
    # Relative to a kinematic body that moves with u the speed is u + v.
    with make_world() as world:
        belt, hero = world.create_kinematic_body(linear_velocity=(3, 0)), box(world, (0, 0), 0.5, 0.5)
        world.create_mover_joint(belt, hero, linear_velocity=(1, 0), max_velocity_force=(20, 0))
        run(world, 1.0)
        assert hero.linear_velocity == pytest.approx((4, 0), abs=1e-3)


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(
    ("speed", "spin", "dt"), [(5, 1, 1 / 60), (20, 3, 1 / 60), (5, -2, 1 / 30), (2, 1, 1 / 240), (9, 10, 1 / 30)]
)
def test_a_tyre_that_grips_sideways_runs_in_a_circle(flip: bool, speed: float, spin: float, dt: float) -> None:
    # Along its own x axis a tyre rolls freely, so it keeps its speed and turns in a circle of radius v / w.
    for place, angle, turned, density in ((0.0, 0.3, 0.0, 1.0), (300.0, -2.0, 1.0, 50.0)):
        with make_world(gravity=(0, 0)) as world:
            ground = world.create_static_body((place, 3), angle)
            tyre = world.create_dynamic_body((place, 0), angle)
            tyre.create_shape(b2.Box(0.4, 0.1), density=density)
            ahead = angle + turned
            joint = world.create_mover_joint(
                *pair_of(ground, tyre, flip), axes="a" if flip else "b", max_velocity_force=(0, 1e6)
            )
            setattr(joint, "local_angle_a" if flip else "local_angle_b", turned)
            assert joint.axes == ("a" if flip else "b")
            tyre.linear_velocity = speed * math.cos(ahead), speed * math.sin(ahead)
            tyre.angular_velocity = spin
            steps = round(2 * math.pi / abs(spin) / dt)
            for _ in range(steps):
                world.step(dt)
                side = b2.Vec2(-math.sin(tyre.angle + turned), math.cos(tyre.angle + turned))
                assert abs(side.x * tyre.linear_velocity.x + side.y * tyre.linear_velocity.y) < 1e-4 * speed
            assert tyre.linear_velocity.length == pytest.approx(speed, rel=3e-5)
            assert tyre.angular_velocity == pytest.approx(spin, rel=1e-4)
            gap = (tyre.position - (place, 0)).length
            assert gap <= abs(speed) * 0.6 * dt + 1e-3  # a turn ends between two steps
            # It pulls with m v w towards the centre, along its y axis.
            pull = tyre.mass * tyre.linear_velocity.length * spin * (-1 if flip else 1)
            assert joint.motor_force == pytest.approx((0, pull), rel=0.02, abs=1e-3)


@pytest.mark.parametrize("lever", [0.3, -0.5, 1.0])
def test_a_sleigh_on_one_skate_keeps_its_energy_and_swings_into_line(lever: float) -> None:
    # Chaplygin's sleigh, a skate behind the centre of mass: u' = a w^2, w' = -m a u w / (I + m a^2). It has energy and
    # no other constant, so it shows what a skate takes or gives.
    for dt, substeps, start in ((1 / 60, 4, 1.0), (1 / 30, 2, 4.0), (1 / 240, 4, 0.0), (1 / 60, 8, -2.0)):
        with make_world(gravity=(0, 0)) as world:
            ground, sleigh = world.create_static_body(), world.create_dynamic_body((5, 2), 0.7)
            sleigh.create_shape(b2.Box(0.8, 0.4))
            world.create_mover_joint(
                ground, sleigh, axes="b", max_velocity_force=(0, 1e6),
                frame_a=b2.Frame((0, 0), 0), frame_b=b2.Frame((-lever, 0), 0),
            )  # fmt: skip
            u, w, c, s = start, 3.0, math.cos(0.7), math.sin(0.7)
            sleigh.linear_velocity = u * c - lever * w * s, u * s + lever * w * c
            sleigh.angular_velocity = w
            energy, mass = sleigh.kinetic_energy, sleigh.mass
            inertia = sleigh.inertia + mass * lever**2
            advance(world, round(2 / dt), dt, substeps)
            for _ in range(20000):  # the midpoint rule
                h = 1e-4
                u2, w2 = u + 0.5 * h * lever * w * w, w - 0.5 * h * mass * lever * u * w / inertia
                u, w = u + h * lever * w2 * w2, w - h * mass * lever * u2 * w2 / inertia
            assert sleigh.kinetic_energy == pytest.approx(energy, rel=1e-4), (dt, substeps, start)
            c, s = math.cos(sleigh.angle), math.sin(sleigh.angle)
            ahead = c * sleigh.linear_velocity.x + s * sleigh.linear_velocity.y
            assert ahead == pytest.approx(u, abs=4 * dt / substeps, rel=1e-4), (dt, substeps, start)
            assert sleigh.angular_velocity == pytest.approx(w, abs=12 * dt / substeps), (dt, substeps, start)


def test_axes_of_a_mover_joint_are_read_set_copied_and_equal_for_all_kernels() -> None:
    hashes = set()
    for simd in b2.cpu_features():
        with b2.World(gravity=(0, 0), simd=simd) as world:
            ground = world.create_static_body()
            joints = []
            for k in range(21):
                body = world.create_dynamic_body((3 * k, 0), 0.3 * k, linear_velocity=(3, 1), angular_velocity=k - 9)
                body.create_shape(b2.Box(0.5, 0.2))
                axes: Any = ("world", "a", "b")[k % 3]
                joints.append(
                    world.create_mover_joint(*pair_of(ground, body, k % 2 == 0), axes=axes, max_velocity_force=(0.5, 4))
                )
            advance(world, 20)
            other = b2.World.from_snapshot(world.snapshot())
            assert [joint.axes for joint in other.joints] == [joint.axes for joint in joints]
            for each in (world, other):
                advance(each, 20)
            assert other.state_hash() == world.state_hash()
            hashes.add(world.state_hash())
            joints[0].axes = "b"
            assert joints[0].axes == "b"
            with pytest.raises(ValueError, match="axes"):
                joints[0].axes = "c"  # type: ignore[assignment]
    assert len(hashes) == 1


def test_a_mover_joint_between_free_bodies_keeps_momentum() -> None:
    with make_world() as world:
        raft, hero = box(world, (0, -1), 2, 0.25, 2.0), box(world, (0, 0), 0.5, 0.5)
        world.create_mover_joint(raft, hero, linear_velocity=(3, 0), max_velocity_force=(10, 10))
        run(world, 2.0)
        assert hero.linear_velocity.x - raft.linear_velocity.x == pytest.approx(3, rel=1e-3)
        assert hero.mass * hero.linear_velocity.x + raft.mass * raft.linear_velocity.x == pytest.approx(0, abs=1e-3)


# -- pogo


@pytest.mark.parametrize("flip", [False, True])
def test_a_pogo_holds_its_height_under_load(flip: bool) -> None:
    # It is compressed by g / (2 pi f)^2 and pushes with the weight, within 1 %, whichever of the bodies is body A.
    for hertz, load in ((3.0, 1.0), (6.0, 5.0)):
        with make_world(gravity=(0, -10)) as world:
            ground, hero = world.create_static_body(), box(world, (0, 1), 0.5, 0.5, load, lock_rotation=True)
            joint = world.create_pogo_joint(
                *pair_of(ground, hero, flip), local_anchor_a=(0, 0), local_anchor_b=(0, 0),
                normal=(0, -1 if flip else 1),
                rest_length=1, hertz=hertz, damping_ratio=0.7,
            )  # fmt: skip
            run(world, 4)
            sag = 10 / (2 * math.pi * hertz) ** 2
            assert 1 - hero.position.y == pytest.approx(sag, rel=0.01)
            assert joint.current_length == pytest.approx(hero.position.y, abs=1e-5)
            assert joint.spring_force == pytest.approx(10 * hero.mass, rel=0.01)
            assert math.hypot(*joint.constraint_force) == pytest.approx(10 * hero.mass, rel=0.01)
            assert joint.speed == pytest.approx(0, abs=1e-3)


def test_a_pogo_swings_at_its_frequency_with_its_damping() -> None:
    z = 0.1
    with make_world() as world:
        ground, hero = world.create_static_body(), box(world, (0, 1.2), 0.5, 0.5)
        world.create_pogo_joint(
            ground, hero, local_anchor_a=(0, 0), local_anchor_b=(0, 0), rest_length=1, hertz=2, damping_ratio=z
        )
        period, decay = swings(world, lambda: hero.position.y - 1, 3, 1 / 960)
        assert period == pytest.approx(0.5 / math.sqrt(1 - z * z), rel=0.01)
        assert decay == pytest.approx(math.exp(-2 * math.pi * z / math.sqrt(1 - z * z)), rel=0.05)


@pytest.mark.parametrize(("start", "limit"), [(0.5, "max_compression_force"), (1.5, "max_tension_force")])
def test_a_pogo_does_not_exceed_its_maximum_forces(start: float, limit: str) -> None:
    # Far from its rest length the acceleration is limit / mass: v = F t / m; 1 %.
    with make_world() as world:
        ground, hero = world.create_static_body(), box(world, (0, start), 0.5, 0.5)
        options: dict[str, Any] = {limit: 2.0}
        joint = world.create_pogo_joint(
            ground, hero, local_anchor_a=(0, 0), local_anchor_b=(0, 0), rest_length=1, hertz=10, **options
        )
        run(world, 0.2)
        assert abs(hero.linear_velocity.y) == pytest.approx(0.4, rel=0.01)
        assert abs(joint.spring_force) == pytest.approx(2.0, rel=0.001)


def test_a_pogo_does_not_affect_motion_across_its_normal() -> None:
    with make_world() as world:
        ground, hero = (
            world.create_static_body(),
            box(world, (0, 1), 0.5, 0.5, linear_velocity=(2, 0), angular_velocity=0.0),
        )
        world.create_pogo_joint(ground, hero, local_anchor_a=(0, 0), local_anchor_b=(0, 0), rest_length=1, hertz=5)
        run(world, 1)
        assert hero.position == pytest.approx((2, 1), abs=1e-4)
        assert hero.linear_velocity == pytest.approx((2, 0), abs=1e-4)


@pytest.mark.parametrize("anew", [False, True])
def test_a_pogo_created_anew_in_every_step_carries_like_a_permanent_one(anew: bool) -> None:
    # A drop of 0.5 m onto a leg of 3 Hz, critically damped: comes to rest where the spring carries the weight, 1 %.
    with make_world(gravity=(0, -10)) as world:
        ground, hero = world.create_static_body(), box(world, (0, 1.5), 0.5, 0.5, lock_rotation=True)
        place: dict[str, Any] = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0), "hertz": 3.0, "damping_ratio": 1.0}
        leg = world.create_pogo_joint(ground, hero, **place)
        for _ in range(240):
            world.step(DT)
            if anew:
                leg.destroy()
                leg = world.create_pogo_joint(ground, hero, **place)
        assert 1 - hero.position.y == pytest.approx(10 / (6 * math.pi) ** 2, rel=0.01)


def test_a_character_of_mover_and_pogo_walks_up_a_slope() -> None:
    # The leg keeps the ride height over the ground below, the mover its speed, and the hero never touches the ground.
    with make_world(gravity=(0, -10)) as world:
        ground = world.create_static_body()
        slope = math.radians(20)
        ground.create_shape(b2.Segment((-20, 0), (0, 0)))
        ground.create_shape(b2.Segment((0, 0), (40 * math.cos(slope), 40 * math.sin(slope))))
        hero = world.create_dynamic_body((-3, 1), lock_rotation=True)
        hero.create_shape(b2.Capsule((0, -0.1), (0, 0.4), 0.3), friction=0.0, filter=b2.Filter(2))
        world.create_mover_joint(
            ground, hero, linear_velocity=(3, 0), max_velocity_force=(60, 0), collide_connected=True
        )
        leg: b2.PogoJoint | None = None
        for step in range(360):
            hit = world.ray_cast(hero.position, (0, -2), filter=b2.Filter(mask=1))
            assert hit is not None
            if leg is not None:
                leg.destroy()
            frame = b2.Frame(ground.local_point(hit.point), math.pi / 2)
            leg = world.create_pogo_joint(
                ground, hero, frame_a=frame, frame_b=b2.Frame(), rest_length=0.9, hertz=5, damping_ratio=0.8,
                collide_connected=True,
            )  # fmt: skip
            world.step(DT)
            if step > 60:
                assert hero.linear_velocity.x == pytest.approx(3, abs=0.3)
                assert 0.65 < hero.position.y - hit.point.y < 1.1
                assert world.counters.touching == 0
        assert hero.position.x > 13
        assert hero.position.y == pytest.approx(hero.position.x * math.tan(slope) + 0.9, abs=0.15)


# -- ratchet


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("tooth", [0.25, -0.4])
def test_a_ratchet_turns_forwards_freely_and_holds_backwards_at_a_tooth(tooth: float, flip: bool) -> None:
    # After a turn forwards by w t the angle does not come back behind the last tooth by more than 2 mrad, under a
    # torque.
    with make_world() as world:
        base, wheel = world.create_static_body(), ball(world, (0, 0), 0.5)
        world.create_revolute_joint(base, wheel, anchor=(0, 0))
        joint = world.create_ratchet_joint(*pair_of(base, wheel, flip), ratchet=tooth, phase=0.1)
        way = math.copysign(1, tooth) * (-1 if flip else 1)
        wheel.angular_velocity = 3 * way
        run(world, 0.5)
        assert wheel.angle == pytest.approx(1.5 * way, rel=1e-3)  # there is no resistance forwards
        assert joint.constraint_torque == pytest.approx(0, abs=1e-6)
        assert joint.speed == pytest.approx(3 * math.copysign(1, tooth), rel=1e-4)
        passed = 0.1 + tooth * math.floor((joint.angle - 0.1) / tooth)
        assert joint.held_angle == pytest.approx(passed, abs=1e-6)
        wheel.angular_velocity = 0.0
        worst = []

        def push() -> None:
            wheel.apply_torque(-2 * way)
            worst.append((joint.angle - passed) * math.copysign(1, tooth))

        run(world, 3, each=push)
        assert min(worst) > -0.002
        assert joint.angle == pytest.approx(passed, abs=0.002)
        assert joint.held_angle == pytest.approx(passed, abs=1e-6)
        assert abs(joint.constraint_torque) == pytest.approx(2, rel=0.01)
        assert joint.angular_separation == pytest.approx(abs(joint.angle - passed), abs=1e-6)


def test_a_ratchet_counts_several_turns_of_both_bodies() -> None:
    with make_world() as world:
        a, b = ball(world, (0, 0), 0.5), ball(world, (3, 0), 0.25)
        joint = world.create_ratchet_joint(a, b, ratchet=1.0)
        a.angular_velocity, b.angular_velocity = -2.0, 3.0
        run(world, 4)
        assert joint.angle == pytest.approx(20, rel=0.01)
        assert joint.held_angle == math.floor(joint.angle)
        a.angular_velocity, b.angular_velocity = 2.0, -3.0
        momentum = a.inertia * 2 - b.inertia * 3
        run(world, 4)
        assert joint.angle == pytest.approx(joint.held_angle, abs=0.002)
        assert joint.speed == pytest.approx(0, abs=0.01)
        assert a.inertia * a.angular_velocity + b.inertia * b.angular_velocity == pytest.approx(momentum, rel=1e-3)


def test_a_changed_ratchet_finds_its_tooth_again() -> None:
    with make_world() as world:
        base, wheel = world.create_static_body(), world.create_dynamic_body(angle=1.3)
        wheel.create_shape(b2.Circle(0.5))
        joint = world.create_ratchet_joint(base, wheel, ratchet=0.5)
        assert joint.held_angle == pytest.approx(1.0)
        joint.ratchet = 0.2
        assert joint.held_angle == pytest.approx(1.2)
        joint.phase = 0.05
        assert joint.held_angle == pytest.approx(1.25)
        joint.ratchet = -0.5
        assert joint.held_angle == pytest.approx(1.55)


# -- groove


@pytest.mark.parametrize("flip", [False, True])
def test_a_pin_stays_in_its_groove_and_stops_at_its_ends(flip: bool) -> None:
    # Down a frictionless slope of angle s: x = g sin(s) t^2 / 2 along it; the end stops it; off the line by under 1 mm.
    with make_world(gravity=(0, -10)) as world:
        start, end = (0.0, 0.0), (4.0, -3.0)
        if flip:  # the groove is in the body that moves, the pin stands still
            pin, rail = world.create_static_body((4, -3)), box(world, (0, 0), 4, 0.1)
            joint = world.create_groove_joint(rail, pin, groove_start=(0, 0), groove_end=(4, -3), local_anchor_b=(0, 0))
            rail.lock_rotation = True
            assert joint.translation == pytest.approx(5)
        else:
            rail, pin = world.create_static_body(), ball(world, start)
            joint = world.create_groove_joint(rail, pin, groove_start=start, groove_end=end)
            assert joint.translation == pytest.approx(0)
        assert joint.groove_start == pytest.approx(start)
        assert joint.groove_end == pytest.approx(end, abs=1e-6)
        assert joint.groove_length == pytest.approx(5)
        worst = []
        run(world, 0.5, each=lambda: worst.append(joint.linear_separation))
        went = 0.5 * 6 * 0.5**2
        assert joint.translation == pytest.approx(5 - went if flip else went, rel=0.02)
        assert abs(joint.speed) == pytest.approx(3, rel=0.01)
        run(world, 3, each=lambda: worst.append(joint.linear_separation))
        assert joint.translation == pytest.approx(0 if flip else 5, abs=0.005)
        assert max(worst) < 0.01
        mass = (rail if flip else pin).mass
        assert math.hypot(*joint.constraint_force) == pytest.approx(10 * mass, rel=0.02)


def test_a_pin_turns_freely_in_its_groove() -> None:
    with make_world() as world:
        rail, wheel = (
            world.create_static_body(),
            ball(world, (1, 0), 0.5, angular_velocity=3.0, linear_velocity=(0.5, 0)),
        )
        joint = world.create_groove_joint(rail, wheel, groove_start=(0, 0), groove_end=(5, 0))
        run(world, 2)
        assert joint.angle == pytest.approx(6, rel=1e-3)
        assert joint.translation == pytest.approx(2, rel=1e-3)
        assert wheel.angular_velocity == pytest.approx(3, rel=1e-4)


def test_the_ends_of_a_groove_can_be_changed_separately() -> None:
    with make_world() as world:
        rail, bead = world.create_static_body(), ball(world, (1, 1))
        joint = world.create_groove_joint(rail, bead, groove_start=(0, 1), groove_end=(2, 1))
        joint.groove_end = (1, 3)
        assert joint.groove_start == (0, 1)
        assert joint.groove_end == pytest.approx((1, 3), abs=1e-6)
        joint.groove_start = (1, 0)
        assert joint.groove_end == pytest.approx((1, 3), abs=1e-6)
        assert joint.groove_length == pytest.approx(3)
        run(world, 1)
        assert bead.position.x == pytest.approx(1, abs=1e-3)
        for bad in ((1, 0), (math.nan, 0), (0, math.inf)):
            with pytest.raises(ValueError, match="groove"):
                joint.groove_end = bad
        with pytest.raises(TypeError, match="groove_start"):
            joint.groove_start = 3  # type: ignore[assignment]
        for name in ("groove_start", "groove_end", "local_anchor_b"):
            with pytest.raises(ValueError, match=name):
                world.create_groove_joint(
                    rail, bead, **{"groove_start": (0, 0), "groove_end": (1, 0), name: (math.nan, 0)}
                )


# -- rotary spring


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("flip", [False, True])
def test_a_rotary_spring_swings_at_its_frequency_with_its_damping(flip: bool, free: bool) -> None:
    # Undamped period 1 / f within 1 %; damped, peaks shrink by exp(-2 pi z / sqrt(1 - z^2)) a period within 5 %.
    for z in (0.0, 0.1):
        with make_world() as world:
            a = ball(world, (3, 0), 0.5, 2.0) if free else world.create_static_body()
            b = ball(world, (0, 0), 0.4)
            joint = world.create_rotary_spring_joint(*pair_of(a, b, flip), target_angle=0.3, hertz=2, damping_ratio=z)
            b.angle += 0.2
            period, decay = swings(world, lambda: joint.angle - 0.3, 3, 1 / 960)
            assert period == pytest.approx(0.5 / math.sqrt(1 - z * z), rel=0.01)
            if z:
                assert decay == pytest.approx(math.exp(-2 * math.pi * z / math.sqrt(1 - z * z)), rel=0.05)


def test_a_rotary_spring_turns_under_a_torque_by_its_stiffness() -> None:
    # A constant torque T turns it by T / (I (2 pi f)^2); 1 %.
    with make_world() as world:
        wall, disc = world.create_static_body(), ball(world, (0, 0), 0.5)
        joint = world.create_rotary_spring_joint(wall, disc, hertz=3, damping_ratio=1)
        run(world, 3, each=lambda: disc.apply_torque(0.4))
        assert joint.angle == pytest.approx(0.4 / (disc.inertia * (6 * math.pi) ** 2), rel=0.01)
        assert joint.spring_torque == pytest.approx(-0.4, rel=0.01)
        assert joint.constraint_torque == pytest.approx(joint.spring_torque)
        assert disc.position == (0, 0)


def test_a_rotary_spring_does_not_exceed_its_maximum_torque() -> None:
    with make_world() as world:
        wall, disc = world.create_static_body(), ball(world, (0, 0), 0.5)
        joint = world.create_rotary_spring_joint(wall, disc, target_angle=3, hertz=10, max_spring_torque=0.1)
        run(world, 0.2)
        assert disc.angular_velocity == pytest.approx(0.1 * 0.2 / disc.inertia, rel=0.01)
        assert joint.spring_torque == pytest.approx(0.1, rel=1e-4)
