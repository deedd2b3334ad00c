"""Which assemblies are solved directly, also after changes, and that the solution fulfils the constraints."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest

import box2dpy as b2

from ..golden.matrix import has
from ..seeds import draws
from ..stepping import advance

DT = 1 / 60


def make(world: b2.World, x: float, y: float, mass: float, mask: int = 1) -> b2.Body:
    body = world.create_dynamic_body((x, y))
    body.create_shape(b2.Box(0.1, 0.05), filter=b2.Filter(mask=mask))
    body.mass = mass
    return body


def chain(
    world: b2.World, masses: list[float], x: float = 0.0, y: float = 0.0, hook: bool = True, mask: int = 1
) -> list[b2.Joint]:
    """Bodies hanging in a row on revolute joints, whose motors are friction, so it is no free pendulum."""
    joints: list[b2.Joint] = []
    last = world.create_static_body((x, y)) if hook else None
    for k, mass in enumerate(masses):
        body = make(world, x + 0.1 + 0.2 * k, y, mass, mask)
        if last is not None:
            motor = {"enable_motor": True, "max_motor_torque": 0.02}
            joints.append(world.create_revolute_joint(last, body, anchor=(x + 0.2 * k, y), **motor))
        last = body
    return joints


def direct(world: b2.World) -> int:
    """Joints solved directly, after a step."""
    world.step(DT)
    world.validate()
    return world.counters.direct_joints


STEEP = [1.0, 1.0, 100.0]


def test_only_assemblies_under_load_are_solved_directly() -> None:
    with b2.World(sleeping=False) as world:
        assert direct(world) == 0
        pair = chain(world, [1.0] * 2)  # the uppermost joint carries two links, its own and one more
        chain(world, [1.0] * 20, hook=False, y=5)  # each half carries the other: 10 * 10 / 20 links
        assert direct(world) == 0
        long = chain(world, [1.0] * 3, y=20)
        assert direct(world) == 3
        free = chain(world, [1.0] * 21, hook=False, y=25)
        assert direct(world) == 3 + 20
        long[-1].destroy()
        free[-1].destroy()
        assert direct(world) == 0
        for joint in pair:
            assert isinstance(joint, b2.RevoluteJoint)
            joint.enable_motor = False
        assert direct(world) == 2  # a free pendulum
        pair[0].destroy()
        steep = chain(world, STEEP, y=10)
        assert direct(world) == 3
        more = chain(world, [1.0] * 2, y=15)
        assert direct(world) == 3
        world.create_revolute_joint(more[-1].body_b, steep[0].body_b, anchor=(0, 12))  # the whole assembly
        assert direct(world) == 6
        assert world.counters.overflow_joints == 0
        assert world.counters.colors > 0


def test_what_two_fixed_points_hold_is_solved_directly() -> None:
    with b2.World(sleeping=False) as world:
        joints = chain(world, [1.0])
        assert direct(world) == 0
        world.create_revolute_joint(joints[0].body_b, world.create_static_body(), anchor=(0.2, 0))
        assert direct(world) == 2
        hung = make(world, 0, 5, 1.0)
        for x in (-0.1, 0.1):  # springs alone are as soft as the user wants them
            world.create_distance_joint(
                world.create_static_body((x, 6)), hung, local_anchor_a=(0, 0), local_anchor_b=(x, 0), hertz=2
            )
        assert direct(world) == 2


def test_changes_of_bodies_and_joints_update_the_direct_assemblies() -> None:
    with b2.World(sleeping=False) as world:
        joints = chain(world, STEEP)
        middle, ball = joints[1].body_b, joints[-1].body_b
        assert direct(world) == 3
        ball.mass = middle.mass = 0.1
        assert direct(world) == 0
        ball.mass = 40.0
        assert direct(world) == 3
        ball.enabled = False
        assert direct(world) == 0
        ball.enabled = True
        assert direct(world) == 3
        middle.type = b2.BodyType.KINEMATIC
        assert direct(world) == 2  # the first link is between two fixed points
        middle.type = b2.BodyType.DYNAMIC
        middle.mass = 1.0
        assert direct(world) == 3
        weld = world.create_weld_joint(ball, make(world, 1, 0, 100.0), anchor=(0.7, 0))
        assert direct(world) == 4
        weld.linear_hertz = 5.0
        assert direct(world) == 4
        weld.joint_solver = "iterative"
        assert direct(world) == 3
        weld.linear_hertz, weld.joint_solver = 0.0, "auto"
        assert direct(world) == 4
        joints[0].destroy()
        weld.body_b.mass = ball.mass = 1.0
        weld.angular_hertz = 4.0
        assert direct(world) == 0  # nothing holds the assembly, and all bodies are alike
        weld.body_b.mass = 100.0
        make(world, 2, 0, 100.0)
        world.create_revolute_joint(joints[1].body_a, make(world, 2, 0, 100.0), anchor=(2, 0))
        assert direct(world) == 4  # light ones between heavy ones
        joints[2].body_a.destroy()
        assert direct(world) == 0


def cantilever(world: b2.World, planks: int, y: float = 0.0) -> list[b2.Joint]:
    joints: list[b2.Joint] = []
    last = world.create_static_body((0, y))
    for k in range(planks):
        plank = world.create_dynamic_body((0.5 + k, y))
        plank.create_shape(b2.Box(0.5, 0.1), filter=b2.Filter(mask=0))
        joints.append(world.create_weld_joint(last, plank, anchor=(k, y)))
        last = plank
    return joints


def test_welds_count_by_the_inertia_that_they_carry() -> None:
    with b2.World(sleeping=False) as world:
        joints = cantilever(world, 1)  # four times the inertia about its centre
        assert direct(world) == 1
        joints[0].angular_hertz = 4.0  # the angle gives way anyway
        assert direct(world) == 0
        joints[0].angular_hertz = 0.0
        assert direct(world) == 1
        middle = world.create_dynamic_body((0, 5))
        middle.create_shape(b2.Circle(0.1))
        world.create_weld_joint(world.create_static_body((0, 5)), middle, anchor=(0, 5))
        assert direct(world) == 2  # held by something fixed: stones may lie on it
        boxes = [world.create_dynamic_body((k, 10)) for k in range(4)]
        for box in boxes:
            box.create_shape(b2.Box(0.5, 0.5))
        for k in range(3):
            world.create_weld_joint(boxes[k], boxes[k + 1], anchor=(k + 0.5, 10))
            assert direct(world) == 2 + (0, 2, 3)[k]  # free ones: the lighter side counts


@pytest.mark.parametrize("fixed", [False, True])
def test_closed_limits_hold_the_angle_as_welds_do(fixed: bool) -> None:
    with b2.World(sleeping=False) as world:
        planks = [make(world, 0.1 + 0.2 * k, 0, 1.0) for k in range(2 if fixed else 4)]
        bodies = [world.create_static_body(), *planks] if fixed else planks
        hinges = [
            world.create_revolute_joint(a, b, anchor=(b.position.x - 0.1, 0), lower_angle=0, upper_angle=0)
            for a, b in itertools.pairwise(bodies)
        ]
        assert direct(world) == len(hinges)
        for hinge in hinges:
            hinge.upper_angle = 1.0
        assert direct(world) == (2 if fixed else 0)  # what something fixed holds may be pushed against a limit
        for hinge in hinges:
            hinge.upper_angle = 0.05
        assert direct(world) == len(hinges)
        for hinge in hinges:
            hinge.enable_limit = False
        assert direct(world) == (2 if fixed else 0)  # a pendulum


def test_the_world_and_a_joint_choose_the_solver() -> None:
    with b2.World(sleeping=False) as world:
        short, long = chain(world, [1.0] * 6), chain(world, [1.0] * 40, y=10)
        assert (world.joint_solver, direct(world)) == ("auto", 46)
        long[2].joint_solver = "iterative"
        assert direct(world) == 6 + 37  # nothing holds the lower part, which is long
        long[2].joint_solver = "auto"
        world.joint_solver = "direct"
        assert direct(world) == 46
        short[2].joint_solver = "iterative"  # parts the chain
        assert direct(world) == 45
        world.joint_solver = "iterative"
        assert direct(world) == 0
        short[5].joint_solver = "direct"
        assert direct(world) == 3
        world.joint_solver = "auto"
        long[38].joint_solver = "iterative"
        assert direct(world) == 3 + 38
        long[38].joint_solver = "auto"
        assert direct(world) == 43
        assert short[5].joint_solver == "direct"
        with pytest.raises(ValueError, match="joint_solver"):
            world.joint_solver = "gauss"  # type: ignore[assignment]
    with b2.World(sleeping=False, joint_solver="direct") as world:
        made = world.create_revolute_joint(
            make(world, 0, 0, 1.0), make(world, 0.2, 0, 1.0), anchor=(0.1, 0), joint_solver="iterative"
        )
        assert (world.joint_solver, made.joint_solver, direct(world)) == ("direct", "iterative", 0)


def test_loops_one_above_the_other_are_solved_directly() -> None:
    # A ladder of 40 loops: each is closed where it is, so it couples few nodes.
    with b2.World(sleeping=False) as world:
        last: list[b2.Body] = []
        hook = world.create_static_body()
        for k in range(40):
            stiles = [make(world, x, -0.1 - 0.2 * k, 1.0, mask=0) for x in (0.0, 0.4)]
            rung = make(world, 0.2, -0.2 - 0.2 * k, 1.0, mask=0)
            for side, body in enumerate(stiles):
                x = 0.4 * side
                world.create_revolute_joint(last[side] if last else hook, body, anchor=(x, -0.2 * k))
                world.create_weld_joint(body, rung, anchor=(x, -0.2 - 0.2 * k))
            last = stiles
        assert direct(world) == 160
        advance(world, 120, DT)
        assert max(joint.linear_separation for joint in world.joints) < 1e-4


def test_large_assemblies_and_nets_are_solved_iteratively() -> None:
    with b2.World(sleeping=False, gravity=(0, 0)) as world:
        chain(world, [1.0] * 2047 + [100.0])
        assert direct(world) == 2048
        chain(world, [1.0] * 2048 + [100.0], y=10)
        assert direct(world) == 2048
    for n, wanted in ((8, 112), (14, 0)):  # of n x n bodies
        with b2.World(sleeping=False, gravity=(0, 0)) as world:
            rows = [[make(world, 0.3 * i, 0.3 * k, 50.0 if i == k == 0 else 1.0) for i in range(n)] for k in range(n)]
            for i, k in itertools.product(range(n), range(n - 1)):
                world.create_revolute_joint(rows[i][k], rows[i][k + 1], anchor=(0.3 * k + 0.15, 0.3 * i))
                world.create_revolute_joint(rows[k][i], rows[k + 1][i], anchor=(0.3 * i, 0.3 * k + 0.15))
            assert direct(world) == wanted


def test_a_direct_assembly_keeps_its_impulses_through_sleep() -> None:
    # A hanging chain falls asleep; woken, it carries its load from the first step on.
    with b2.World() as world:
        hook, joints = world.create_static_body(), []
        last = hook
        for k, mass in enumerate(STEEP):
            body = make(world, 0, -0.1 - 0.2 * k, mass)
            joints.append(world.create_revolute_joint(last, body, anchor=(0, -0.2 * k)))
            last = body
        advance(world, 120, DT)
        assert world.counters.awake_bodies == 0
        assert world.counters.direct_joints == 0  # none awake
        force = joints[0].constraint_force.y
        assert force == pytest.approx(1020, rel=1e-3)
        last.awake = True
        assert direct(world) == 3
        assert joints[0].constraint_force.y == pytest.approx(force, rel=1e-3)
        assert max(joint.linear_separation for joint in joints) < 1e-5


@pytest.mark.parametrize("closed", [False, True])
def test_velocities_after_the_direct_solution_fulfil_the_constraints(closed: bool) -> None:
    # The oracle is the constraint itself: after a step the relative velocity midway between two anchors is below 1e-4
    # of the speeds.
    with b2.World(sleeping=False) as world:
        joints = chain(world, [0.01, 1.0, 0.001, 10.0, 0.1, 0.1, 50.0, 0.01, 1.0], hook=not closed, mask=0)
        if closed:
            ends = joints[0].body_a, joints[-1].body_b
            joints.append(world.create_distance_joint(*ends, local_anchor_a=(0, 0), local_anchor_b=(0, 0)))
        rng = draws(5)
        for number in range(100):
            for joint in joints:
                joint.body_b.apply_impulse(
                    (rng.uniform(-1, 1) * joint.body_b.mass, rng.uniform(-1, 1) * joint.body_b.mass)
                )
            assert direct(world) == len(joints)
            if number == 0:
                continue  # a sudden load is carried from the second step on
            for joint in joints:
                speed = math.hypot(*joint.body_b.linear_velocity) + 1.0
                assert (
                    joint.speed == pytest.approx(0, abs=1e-3 * speed) if isinstance(joint, b2.DistanceJoint) else True
                )
                if isinstance(joint, b2.RevoluteJoint):
                    apart = joint.body_b.world_point(joint.local_anchor_b) - joint.body_a.world_point(
                        joint.local_anchor_a
                    )
                    turn = (joint.body_a.angular_velocity + joint.body_b.angular_velocity) / 2
                    both = joint.body_a.type == joint.body_b.type == b2.BodyType.DYNAMIC
                    middle = joint.relative_velocity - (both * turn * -apart.y, both * turn * apart.x)
                    assert math.hypot(*middle) < 3e-4 * speed


def test_direct_solution_stays_finite_for_extreme_masses_and_motion_locks() -> None:
    with b2.World(sleeping=False) as world:
        joints = chain(world, [1e-9, 1e9, 1e-20, 1e20, 1e-30, 1.0])
        locked = chain(world, [1.0, 0.01, 50.0, 1.0], y=5)
        locked[1].body_b.lock_rotation = True
        locked[2].body_b.lock_x = locked[2].body_b.lock_y = True
        point = chain(world, [1.0, 0.01, 50.0], y=10)
        for joint in point:
            joint.body_b.inertia = 0.0
        driver = world.create_kinematic_body((0, 15), linear_velocity=(1, 0), angular_velocity=2.0)
        driven = chain(world, [0.01, 1.0], x=0.2, y=15, hook=False)
        world.create_weld_joint(driver, driven[0].body_a, anchor=(0.1, 15))
        world.create_weld_joint(driver, driven[0].body_a, anchor=(0.1, 15))  # twice the same
        for _ in range(200):
            world.step(DT)
            world.validate()
        assert world.counters.direct_joints >= 3 + 4 + 6
        for joint in (*locked, *point, *driven, *joints):
            assert math.isfinite(sum(joint.body_b.position))
        assert max(joint.linear_separation for joint in (*point, *driven)) < 1e-3


def mixed(world: b2.World, number: int) -> None:
    """Assemblies of every kind of joint with one joint of a high mass ratio each."""
    kinds: tuple[Callable[..., b2.Joint], ...] = (
        world.create_revolute_joint, world.create_prismatic_joint, world.create_weld_joint,
        world.create_distance_joint, world.create_wheel_joint,
    )  # fmt: skip
    world.create_static_body().create_shape(b2.Box(100, 1, center=(0, -4)))
    for n in range(number):
        x, last = 3.0 * n, world.create_static_body((3.0 * n, 0))
        for k in range(8):
            body = make(world, x + 0.25 * (k + 1), 0.3 * (k % 2), 30.0 if k == 7 else (0.02 if k % 3 else 0.5))
            kind = kinds[(n + k // 2) % 5]
            anchor = (x + 0.25 * k + 0.1, 0.1)
            if kind == world.create_distance_joint:
                world.create_distance_joint(
                    last, body, local_anchor_a=(0, 0), local_anchor_b=(0, 0), enable_spring=k % 2 == 1, hertz=4.0
                )
            elif kind == world.create_prismatic_joint:
                kind(last, body, anchor=anchor, axis=(1, 1), enable_limit=True, lower_translation=-0.1,
                    upper_translation=0.1, enable_motor=k == 3,
                     motor_speed=1.0, max_motor_force=5.0)  # fmt: skip
            elif kind == world.create_wheel_joint:
                kind(last, body, anchor=anchor, axis=(0, 1), hertz=3.0)
            elif kind == world.create_weld_joint:
                kind(last, body, anchor=anchor, angular_hertz=2.0 * (k % 2))
            else:
                kind(
                    last, body, anchor=anchor, enable_limit=k % 3 == 0, lower_angle=-0.5, upper_angle=0.5,
                    enable_spring=k % 2 == 0, hertz=1.0,
                )  # fmt: skip
            last = body


def hash_of(workers: int, simd: str, number: int) -> int:
    with b2.World(sleeping=False, workers=workers, simd=simd) as world:
        mixed(world, number)
        advance(world, 60, DT)
        assert world.counters.direct_joints == 8 * number
        return world.state_hash()


@pytest.mark.parametrize("number", [5, 24])  # few: on one worker; many: shared out
def test_direct_assemblies_give_one_hash_for_every_option(number: int) -> None:
    expected = hash_of(1, "scalar", number)
    for simd in ("scalar", "sse2", "avx2", "avx512", "neon", "wasm"):
        if has(simd):
            assert {hash_of(workers, simd, number) for workers in (1, 2, 3, 4)} == {expected}


def hash_of_arms(simd: str, spin: float, heavier: float) -> int:
    """Arms with tips of 7 to 22 kg on bases that move and turn."""
    with b2.World(gravity=(0, -10), sleeping=False, simd=simd) as world:
        for k in range(16):
            last = world.create_kinematic_body((10 * k, 0))
            last.linear_velocity, last.angular_velocity = (0.3, 0.1), spin * (k % 3)
            for i in range(3):
                arm = world.create_dynamic_body((10 * k + 0.5 + i, 0), gravity_scale=1 + heavier * i)
                arm.create_shape(
                    b2.Capsule((-0.4, 0), (0.4, 0), 0.1), density=(1, 1, 7 + k)[i], filter=b2.Filter(mask=0)
                )
                motor = {"enable_motor": True, "motor_speed": 1.0, "max_motor_torque": 0.01}
                world.create_revolute_joint(last, arm, anchor=(10 * k + i, 0), joint_solver="direct", **motor)
                last = arm
        advance(world, 120, DT)
        return world.state_hash()


@pytest.mark.parametrize("spin", [0.0, 0.7])
@pytest.mark.parametrize("heavier", [0.0, 0.1])
def test_small_trees_keep_their_energy_with_the_same_bits_in_lanes(spin: float, heavier: float) -> None:
    names = [simd for simd in ("scalar", "sse2", "avx2", "avx512", "neon", "wasm") if has(simd)]
    assert len({hash_of_arms(simd, spin, heavier) for simd in names}) == 1


def test_what_is_kept_between_two_motions_changes_no_bit() -> None:
    """A hash from the time when every pass found directions and factors anew. What the passes of a substep have in
    common ends where a body with a locked axis, or a moving base, gets another speed, and where tension changes."""
    found = []
    for substeps in (1, 4, 8):
        with b2.World(sleeping=False, joint_solver="direct") as world:
            mixed(world, 5)
            base = world.create_kinematic_body((-4, 0), linear_velocity=(0.5, -0.2), angular_velocity=2)
            arm, foot = make(world, -3.5, 0, 5), make(world, -3, 0, 0.05)
            guide = world.create_dynamic_body((-6, -2.9), lock_y=True)
            guide.create_shape(b2.Circle(0.2))
            rider = make(world, -6.5, -2.9, 40)
            swing = {"enable_limit": True, "lower_angle": -0.2, "upper_angle": 0.3, "enable_motor": True}
            world.create_revolute_joint(base, arm, anchor=(-4, 0), motor_speed=3, max_motor_torque=20, **swing)
            world.create_revolute_joint(arm, foot, anchor=(-3.2, 0), motor_speed=-9, max_motor_torque=1, **swing)
            world.create_rope_joint(foot, guide, max_length=3)
            world.create_prismatic_joint(guide, rider, anchor=(-6.2, -2.9), axis=(1, 0.1), enable_limit=True)
            for number in range(240):
                if number % 40 == 20:
                    rider.apply_impulse((30, 60))
                    foot.mass *= 3
                world.step(DT, substeps)
            assert world.counters.direct_joints == 44
            found.append(world.state_hash())
    assert found == [0xCCF0D2787F778918, 0x55CA658E23ACF275, 0xBD7E012B44CC5C0A]


def test_random_changes_of_direct_assemblies_keep_the_world_valid() -> None:
    rng = draws(11)
    with b2.World() as world:
        mixed(world, 12)
        seen = set()
        for _ in range(400):
            bodies = [body for body in world.bodies if body.type != b2.BodyType.STATIC]
            joints = list(world.joints)
            body, other = rng.sample(bodies, 2)
            what = rng.randrange(9)
            if what == 0 and body.type == b2.BodyType.DYNAMIC:
                body.mass = 10 ** rng.uniform(-3, 3)
            elif what == 1:
                rng.choice(joints).destroy()
            elif what == 2:
                world.create_revolute_joint(body, other, anchor=body.position)
            elif what == 3 and len(bodies) > 40:
                body.destroy()
            elif what == 4:
                body.enabled = not body.enabled
            elif what == 5:
                body.type = rng.choice([b2.BodyType.DYNAMIC, b2.BodyType.DYNAMIC, b2.BodyType.KINEMATIC])
            elif what == 6:
                body.awake = not body.awake
            elif what == 7:
                body.linear_velocity = rng.uniform(-3, 3), rng.uniform(-3, 3)
            world.step(DT)
            world.validate()
            seen.add(world.counters.direct_joints)
        assert len(seen) > 20
