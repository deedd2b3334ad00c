"""Assemblies with high mass ratios at default settings: light bodies carry heavy ones. Every step is validated.

Where two jointed bodies differ 30 times in mass, their assembly is solved directly (csrc/solver/direct.h). Sequential
impulses stretch the chain of 100 : 1 by 29 %, tear sliders of 1 kg at a body of 1 g, and send a ring of 1000 : 1
flying.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import box2dpy as b2

DT = 1 / 60
G = 10.0


def make_world(**options: Any) -> b2.World:
    return b2.World(**{"gravity": (0, -G), "sleeping": False, **options})


def make(world: b2.World, geometry: b2.Geometry, position: Any, mass: float, **options: Any) -> b2.Body:
    body = world.create_dynamic_body(position, **options)
    body.create_shape(geometry)
    body.mass = mass
    return body


def run(world: b2.World, seconds: float, each: Callable[[], None] | None = None) -> None:
    for _ in range(round(seconds / DT)):
        world.step(DT)
        world.validate()
        if each is not None:
            each()


def energy(bodies: Iterable[b2.Body]) -> float:
    return sum(
        b.mass * (0.5 * (b.linear_velocity.x**2 + b.linear_velocity.y**2) + G * b.position.y)
        + 0.5 * b.inertia * b.angular_velocity**2
        for b in bodies
    )


def bodies_of(world: b2.World) -> list[b2.Body]:
    return [b for b in world.bodies if b.type == b2.BodyType.DYNAMIC]


def sliders(world: b2.World, mass: float) -> list[b2.PrismaticJoint]:
    """Five boxes hang on the limits of vertical sliders, the middle one of 1 g."""
    last, joints = world.create_static_body(), []
    for i in range(5):
        body = make(world, b2.Box(0.1, 0.1), (0, -0.25 * (1 + i)), 1e-3 if i == 2 else mass)
        joints.append(
            world.create_prismatic_joint(
                last, body, anchor=(0, -0.25 * (0.5 + i)), axis=(0, 1), enable_limit=True, lower_translation=0,
                upper_translation=0.05,
            )
        )  # fmt: skip
        last = body
    return joints


@pytest.mark.parametrize("mass", [0.04, 0.1, 1.0, 10.0])
def test_a_slider_of_one_gram_carries_heavy_sliders_while_they_are_shaken(mass: float) -> None:
    # Aim 1 cm; less than a tenth of that. At rest the first joint carries the weight of all.
    with make_world() as world:
        joints = sliders(world, mass)
        low, worst, time = joints[-1].body_b, [], itertools.count()
        assert world.counters.direct_joints == 0

        def shake() -> None:
            low.apply_force((20 * mass * math.sin(next(time) / 3), 0))
            worst.append(max(joint.linear_separation for joint in joints))

        run(world, 5, shake)
        assert world.counters.direct_joints == 5
        assert max(worst) < 1e-3
        assert max(joint.angular_separation for joint in joints) < 1e-3
        run(world, 5)
        assert joints[0].constraint_force.y == pytest.approx(G * (4 * mass + 1e-3), rel=1e-3)


def test_limits_of_direct_joints_act_only_at_the_limits() -> None:
    # Between its limits a heavy slider below a light one falls freely, -g t (t + h) / 2 within 0.1 %; thrown up, it
    # stops at the upper limit.
    with make_world() as world:
        top = world.create_static_body()
        light, heavy = make(world, b2.Box(0.1, 0.1), (0, 0), 1e-3), make(world, b2.Box(0.1, 0.1), (0, -1), 1.0)
        first = world.create_prismatic_joint(
            top, light, anchor=(0, 0), axis=(0, 1), enable_limit=True, lower_translation=-0.5, upper_translation=0.5
        )
        world.create_revolute_joint(light, heavy, anchor=(0, -0.5))
        times: list[float] = []
        run(world, 1, lambda: times.append(first.translation))
        assert world.counters.direct_joints == 2
        for k in (10, 15):
            assert times[k - 1] == pytest.approx(-0.5 * G * k * DT * (k + 0.25) * DT, rel=1e-3)
        assert min(times) > -0.501
        assert times[-1] == pytest.approx(-0.5, abs=1e-3)
        heavy.linear_velocity = light.linear_velocity = 0, 6
        times.clear()
        run(world, 0.4, lambda: times.append(first.translation))
        assert max(times) == pytest.approx(0.5, abs=2e-3)


def chain(
    world: b2.World, ratio: float, links: int, down: bool = False, **damping: Any
) -> tuple[list[b2.Joint], b2.Body]:
    """Links of 0.2 m and 2 g, and a ball of `ratio` times that."""
    last, joints, mass = world.create_static_body(), [], 2e-3
    at: Callable[[float], tuple[float, float]] = (lambda x: (0, -x)) if down else (lambda x: (x, 0))
    geometry = b2.Box(0.025, 0.1) if down else b2.Box(0.1, 0.025)
    for i in range(links):
        link = make(world, geometry, at(0.1 + 0.2 * i), mass, **damping)
        joints.append(world.create_revolute_joint(last, link, anchor=at(0.2 * i)))
        last = link
    bob = make(world, b2.Circle(0.05), at(0.2 * links + 0.05), ratio * mass, **damping)
    joints.append(world.create_revolute_joint(last, bob, anchor=at(0.2 * links)))
    return joints, bob


@pytest.mark.parametrize("ratio", [100, 1000, 10000])
def test_a_chain_of_twenty_light_links_does_not_stretch(ratio: float) -> None:
    # Swung down from the side: less than 1 %, the worst joint less than 5 mm; the energy does not grow (0.1 % of the
    # potential energy).
    with make_world() as world:
        joints, bob = chain(world, ratio, 20)
        reach, worst, energies = [], [], [energy(bodies_of(world))]

        def look() -> None:
            reach.append(math.hypot(*bob.position))
            worst.append(max(joint.linear_separation for joint in joints))
            energies.append(energy(bodies_of(world)))

        run(world, 10, look)
        assert max(reach) < 4.05 * 1.01
        assert max(worst) < 5e-3
        assert max(energies) < energies[0] + 1e-3 * 4 * G * bob.mass


@pytest.mark.parametrize("ratio", [100, 1000])
def test_a_hanging_chain_carries_its_weight(ratio: float) -> None:
    with make_world() as world:
        joints, bob = chain(world, ratio, 20, down=True)
        run(world, 5)
        for k, joint in enumerate(joints):
            assert joint.constraint_force.y == pytest.approx(G * (bob.mass + (20 - k) * 2e-3), rel=1e-3)
        assert bob.position.y == pytest.approx(-4.05, abs=1e-4)


@pytest.mark.parametrize("ratio", [100, 1000])
def test_a_heavy_pendulum_on_light_links_has_the_period_of_a_simple_pendulum(ratio: float) -> None:
    # T = 2 pi sqrt(l / g) for the ball on its thread, within 1 %; the swing does not grow.
    with make_world() as world:
        joints, bob = chain(world, ratio, 10, down=True)
        start = energy(bodies_of(world))
        for joint in joints:  # a rigid turn about the hook
            body = joint.body_b
            body.linear_velocity = -0.1 * body.position.y, 0
            body.angular_velocity = 0.1
        kick = energy(bodies_of(world)) - start
        x: list[float] = []
        energies: list[float] = []
        run(world, 20, lambda: (x.append(bob.position.x), energies.append(energy(bodies_of(world)) - start)))
        zeros = [k + a / (a - b) for k, (a, b) in enumerate(itertools.pairwise(x)) if a > 0 >= b]
        period = (zeros[-1] - zeros[0]) / (len(zeros) - 1) * DT
        assert period == pytest.approx(math.tau * math.sqrt(2.05 / G), rel=0.01)
        assert max(energies) < 1.01 * kick
        assert max(x[-200:]) > 0.5 * max(x[:200])


@pytest.mark.parametrize("ratio", [100, 1000])
def test_a_chain_of_rods_does_not_stretch(ratio: float) -> None:
    # Beads of 8 g on 20 distance joints: less than 1 %.
    with make_world() as world:
        last, joints = world.create_static_body(), []
        for i in range(21):
            bead = make(world, b2.Circle(0.05), (0.2 * (i + 1), 0), 8e-3 * (ratio if i == 20 else 1))
            joints.append(world.create_distance_joint(last, bead, local_anchor_a=(0, 0), local_anchor_b=(0, 0)))
            last = bead
        worst: list[float] = []
        run(world, 8, lambda: worst.append(max(joint.linear_separation for joint in joints)))
        assert world.counters.direct_joints == 21
        assert max(worst) < 0.01 * 0.2
        assert math.hypot(*last.position) < 4.2 * 1.001


@pytest.mark.parametrize("ratio", [100, 1000])
def test_a_bridge_of_light_planks_carries_a_heavy_weight(ratio: float) -> None:
    # Pinned at both ends: a loop through the ground. No two ends part by 1 cm, and the ends carry the weight within 1
    # %.
    with make_world() as world:
        last, joints = world.create_static_body(), []
        for i in range(20):
            plank = make(world, b2.Box(0.5, 0.1), (i + 0.5, 0), 0.1)
            joints.append(world.create_revolute_joint(last, plank, anchor=(i, 0)))
            last = plank
        joints.append(world.create_revolute_joint(last, world.create_static_body(), anchor=(20, 0)))
        load = make(world, b2.Circle(0.3), (10, -0.5), 0.1 * ratio, angular_damping=1.0, linear_damping=0.5)
        joints.append(world.create_revolute_joint(joints[10].body_b, load, anchor=(10, 0)))
        worst: list[float] = []
        run(world, 15, lambda: worst.append(max(joint.linear_separation for joint in joints)))
        assert world.counters.direct_joints == 22
        assert max(worst) < 0.01
        assert joints[0].constraint_force.y - joints[20].constraint_force.y == pytest.approx(
            G * (load.mass + 2.0), rel=0.01
        )


def cantilever(world: b2.World, end: float, hertz: float) -> tuple[list[b2.Joint], float]:
    """Eight planks of 0.5 m welded to a wall, the last one `end` times as heavy; how far the tip sags by beam
    theory."""
    last, pieces, joints = world.create_static_body(), [], []
    for i in range(8):
        piece = make(world, b2.Box(0.25, 0.1), (0.25 + 0.5 * i, 0), 0.1 * (end if i == 7 else 1))
        joints.append(
            world.create_weld_joint(last, piece, anchor=(0.5 * i, 0), angular_hertz=hertz, angular_damping_ratio=2.0)
        )
        pieces.append(piece)
        last = piece
    sag = 0.0
    for i, piece in enumerate(pieces):
        moment = sum(p.mass * -world.gravity.y * (0.25 + 0.5 * k - 0.5 * i) for k, p in enumerate(pieces) if k >= i)
        inertia = piece.inertia if i == 0 else 1 / (1 / piece.inertia + 1 / pieces[i - 1].inertia)
        sag += moment / ((math.tau * hertz) ** 2 * inertia) * (4 - 0.5 * i) if hertz > 0 else 0.0
    return joints, sag


@pytest.mark.parametrize("hertz", [40.0, 60.0])
def test_a_springy_cantilever_with_a_heavy_end_sags_as_beam_theory_says(hertz: float) -> None:
    # Aim: within 2x. Small angles: the mean of its slow sway within 5 %, and it does not sway beyond twice the sag.
    with make_world(gravity=(0, -0.1)) as world:
        joints, sag = cantilever(world, 40, hertz)
        tips: list[float] = []
        run(world, 40, lambda: tips.append(-joints[-1].body_b.world_point((0.25, 0)).y))
        assert world.counters.direct_joints == 8
        assert 0.01 < sag < 0.4
        assert sum(tips) / len(tips) == pytest.approx(sag, rel=0.05)
        assert -0.02 * sag < min(tips)
        assert max(tips) < 2.02 * sag


@pytest.mark.parametrize("end", [40, 1000])
def test_a_rigid_cantilever_with_a_heavy_end_stays_straight(end: float) -> None:
    # Sequential welds bend by metres here: they are springs of a plank's inertia. A hundredth of a millimetre, and the
    # moment at the wall.
    with make_world() as world:
        joints, _ = cantilever(world, end, 0)
        run(world, 5)
        assert abs(joints[-1].body_b.world_point((0.25, 0)).y) < 1e-4
        moment = sum(j.body_b.mass * G * j.body_b.position.x for j in joints)
        assert abs(joints[0].constraint_torque) == pytest.approx(moment, rel=1e-3)


@pytest.mark.parametrize("ratio", [100, 1000])
def test_a_ring_of_light_links_with_a_heavy_one_holds_together(ratio: float) -> None:
    # Sequential impulses: 74 mm at 100 : 1, torn at 1000 : 1. Less than 20 mm, in the moment it snaps taut.
    with make_world() as world:
        n, radius = 20, 0.2 * 20 / math.tau
        ends = [(radius * math.cos(math.tau * k / n), radius * math.sin(math.tau * k / n)) for k in range(n + 1)]
        links = [
            make(
                world,
                b2.Box(0.1, 0.02),
                ((x0 + x1) / 2, (y0 + y1) / 2),
                8e-3 * (ratio if k == 15 else 1),
                angle=math.atan2(y1 - y0, x1 - x0),
            )
            for k, ((x0, y0), (x1, y1)) in enumerate(itertools.pairwise(ends))
        ]
        joints = [world.create_revolute_joint(links[k - 1], links[k], anchor=ends[k]) for k in range(n)]
        joints.append(world.create_revolute_joint(world.create_static_body(), links[5], anchor=links[5].position))
        start = energy(links)
        worst: list[float] = []
        run(world, 8, lambda: worst.append(max(joint.linear_separation for joint in joints)))
        assert world.counters.direct_joints == 21
        assert max(worst) < 0.02
        assert energy(links) < start


def test_a_motor_lifts_a_load_through_a_light_carriage() -> None:
    # 10 kg under 10 g: at 0.5 m/s within 1 mm a second, with the force of the weight, which is also what it needs at
    # the limit.
    with make_world() as world:
        carriage, load = make(world, b2.Box(0.1, 0.1), (0, 0), 0.01), make(world, b2.Box(0.2, 0.2), (0, -1), 10.0)
        lift = world.create_prismatic_joint(
            world.create_static_body(), carriage, anchor=(0, 0), axis=(0, 1), enable_motor=True, motor_speed=0.5,
            max_motor_force=500,
            enable_limit=True, lower_translation=-1, upper_translation=1,
        )  # fmt: skip
        world.create_revolute_joint(carriage, load, anchor=(0, -0.5))
        run(world, 1)
        first = lift.translation
        run(world, 0.5)
        assert lift.translation - first == pytest.approx(0.25, abs=1e-3)
        assert lift.motor_force == pytest.approx(G * 10.01, rel=1e-3)
        run(world, 2)
        assert lift.translation == pytest.approx(1, abs=1e-3)
        assert lift.motor_force == pytest.approx(G * 10.01, rel=2e-3)
        lift.max_motor_force = 50.0  # too weak
        run(world, 0.5)
        assert lift.translation < 0.99
        assert lift.motor_force == pytest.approx(50, rel=1e-3)


def test_a_spring_below_a_light_body_stretches_by_hooke() -> None:
    # A wheel joint's spring of f hertz is k = (2 pi f)^2 m with m the reduced mass of its bodies: m g / k, within 1 %.
    with make_world() as world:
        hook, load = make(world, b2.Box(0.1, 0.1), (0, 0), 0.05), make(world, b2.Box(0.1, 0.1), (0, -1), 5.0)
        world.create_revolute_joint(world.create_static_body(), hook, anchor=(0, 0))
        spring = world.create_wheel_joint(
            hook, load, anchor=(0, -1), axis=(0, 1), enable_spring=True, hertz=10.0, damping_ratio=3.0
        )
        run(world, 8)
        reduced = 1 / (1 / hook.mass + 1 / load.mass)
        inverse = 1 / reduced
        assert world.counters.direct_joints == 2
        assert -spring.translation == pytest.approx(load.mass * G * inverse / (math.tau * 10) ** 2, rel=0.01)


def test_a_joint_with_its_own_softness_keeps_it_in_the_direct_solution() -> None:
    # joint_hertz of a joint: a spring of the reduced mass, k = (2 pi f)^2 m, as everywhere; 5 %.
    with make_world() as world:
        hook, load = make(world, b2.Box(0.1, 0.1), (0, 0), 0.05), make(world, b2.Box(0.1, 0.1), (0, -1), 5.0)
        world.create_weld_joint(world.create_static_body(), hook, anchor=(0, 0))
        joint = world.create_revolute_joint(hook, load, anchor=(0, -1), joint_hertz=20.0, joint_damping_ratio=3.0)
        run(world, 8)
        inverse = 1 / hook.mass + 1 / load.mass
        assert joint.linear_separation == pytest.approx(load.mass * G * inverse / (math.tau * 20) ** 2, rel=0.05)


@pytest.mark.parametrize("ratio", [100, 1000])
def test_a_free_chain_keeps_its_momentum(ratio: float) -> None:
    # Two heavy ends on eight light links, spinning in space: linear momentum stays 0, angular momentum within 1 %,
    # energy within 5 %.
    with make_world(gravity=(0, 0)) as world:
        bodies = [
            make(world, b2.Box(0.1, 0.025), (0.2 * k, 0), 8e-3 * (ratio if k in (0, 9) else 1)) for k in range(10)
        ]
        for k, (a, b) in enumerate(itertools.pairwise(bodies)):
            world.create_revolute_joint(a, b, anchor=(0.2 * k + 0.1, 0))
        for k, body in enumerate(bodies):
            body.linear_velocity = 0, 1 - 2 * k / 9
            body.angular_velocity = -2 / 1.8

        def angular() -> float:
            return sum(
                b.mass * (b.position.x * b.linear_velocity.y - b.position.y * b.linear_velocity.x)
                + b.inertia * b.angular_velocity
                for b in bodies
            )

        def kinetic() -> float:
            return sum(
                0.5 * b.mass * (b.linear_velocity.x**2 + b.linear_velocity.y**2)
                + 0.5 * b.inertia * b.angular_velocity**2
                for b in bodies
            )

        spin, power = angular(), kinetic()
        run(world, 10)
        assert world.counters.direct_joints == 9
        assert (
            math.hypot(
                sum(b.mass * b.linear_velocity.x for b in bodies), sum(b.mass * b.linear_velocity.y for b in bodies)
            )
            < 1e-6 * ratio
        )
        assert angular() == pytest.approx(spin, rel=0.01)
        assert 0.95 * power < kinetic() < 1.001 * power


def test_a_heavy_chain_lands_and_falls_asleep() -> None:
    with make_world(sleeping=True) as world:
        world.create_static_body().create_shape(b2.Box(50, 0.5, center=(0, -0.5)))
        bodies = [make(world, b2.Box(0.1, 0.03), (0.2 * k, 2), 0.012 * (500 if k in (0, 11) else 1)) for k in range(12)]
        joints = [
            world.create_revolute_joint(a, b, anchor=(0.2 * k + 0.1, 2))
            for k, (a, b) in enumerate(itertools.pairwise(bodies))
        ]
        run(world, 6)
        assert world.counters.awake_bodies == 0
        assert max(joint.linear_separation for joint in joints) < 0.01
        assert all(-0.01 < b.position.y < 0.1 for b in bodies)
        bodies[5].apply_impulse((0, 0.5))  # wakes all
        run(world, 0.2)
        assert world.counters.direct_joints == 11
