"""Assemblies of joints that float free keep their angular momentum, and what is jointed and overlaps comes to rest."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import arrays, draws
from ..stepping import advance

SOLVERS = ("iterative", "direct", "auto")


def angular_momentum(world: b2.World) -> float:
    """About the centre of mass of all bodies."""
    rows = world.arrays
    mass, inertia, center, velocity, spin = (
        column.astype(float)
        for column in (rows.mass, rows.inertia, rows.world_center, rows.linear_velocity, rows.angular_velocity)
    )
    arm, motion = (values - mass @ values / mass.sum() for values in (center, velocity))
    return float(inertia @ spin + mass @ (arm[:, 0] * motion[:, 1] - arm[:, 1] * motion[:, 0]))


def spin(world: b2.World, rate: float) -> None:
    for body in world.bodies:
        center = body.world_center
        body.linear_velocity, body.angular_velocity = (-rate * center.y, rate * center.x), rate


def kinetic_energy(world: b2.World) -> float:
    """Of the motion beside that of the centre of mass."""
    mass = world.arrays.mass.astype(float)
    momentum = mass @ world.arrays.linear_velocity
    return world.kinetic_energy - float(momentum @ momentum) / (2 * mass.sum())


def puppet(touching: bool = False, **options: Any) -> b2.World:
    """A trunk with arms and legs of two links each, with limits; `touching`: which overlap and touch at the joints."""
    options = {"gravity": (0, 0), **options}
    world = b2.World(sleeping=False, **options)
    trunk = world.create_dynamic_body()
    trunk.create_shape(b2.Box(0.3, 0.5))

    def link(parent: b2.Body, position: tuple[float, float], angle: float, anchor: tuple[float, float]) -> b2.Body:
        body = world.create_dynamic_body(position, angle=angle)
        body.create_shape(b2.Capsule((-0.3, 0), (0.3, 0), 0.08))
        limits = {"lower_angle": -0.8, "upper_angle": 0.8}
        world.create_revolute_joint(parent, body, anchor=anchor, collide_connected=touching, **limits)
        return body

    for side in (-1, 1):
        arm = link(trunk, (side * 0.6, 0.4), 0, (side * 0.3, 0.4))
        link(arm, (side * 1.2, 0.4), 0, (side * 0.9, 0.4))
        leg = link(trunk, (side * 0.2, -0.8), math.pi / 2, (side * 0.2, -0.5))
        link(leg, (side * 0.2, -1.4), math.pi / 2, (side * 0.2, -1.1))
    return world


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [1, 4, 8])
def test_a_free_puppet_keeps_its_angular_momentum(solver: Any, substeps: int) -> None:
    worst = 0.0
    for rate in (0.5, 3.0, 8.0):
        world = puppet(joint_solver=solver)
        spin(world, rate)
        kicked = list(world.bodies)[2]
        kicked.angular_velocity += 3
        before = angular_momentum(world)
        advance(world, 1200, 1 / 60, substeps)
        worst = max(worst, abs(angular_momentum(world) / before - 1))
    assert worst < 1e-4


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["revolute", "weld", "soft weld", "prismatic", "wheel", "distance", "motor"])
def test_joints_that_are_torn_apart_give_no_angular_momentum(solver: Any, kind: str) -> None:
    chance = draws(11)
    for substeps in (1, 2, 4, 8):
        world = b2.World(gravity=(0, 0), sleeping=False, joint_solver=solver)
        a, b = world.create_dynamic_body(), world.create_dynamic_body((0.7, 0.3), angle=1)
        a.create_shape(b2.Box(1, 0.1))
        b.create_shape(b2.Box(1, 0.1), density=10 ** chance.uniform(-1, 1))
        match kind:
            case "revolute":
                world.create_revolute_joint(a, b, anchor=(0.5, 0))
            case "weld":
                world.create_weld_joint(a, b, anchor=(0.5, 0))
            case "soft weld":
                world.create_weld_joint(a, b, anchor=(0.5, 0), linear_hertz=3, angular_hertz=2)
            case "prismatic":
                world.create_prismatic_joint(a, b, anchor=(0.5, 0), axis=(1, 1), lower_translation=0)
            case "wheel":
                world.create_wheel_joint(a, b, anchor=(0.5, 0), axis=(0, 1), hertz=3, damping_ratio=0.5)
            case "distance":
                world.create_distance_joint(a, b, local_anchor_a=(-0.5, 0), local_anchor_b=(0.5, 0))
            case _:
                world.create_motor_joint(a, b, anchor=(0.5, 0), linear_hertz=3, max_spring_force=50)
        b.position += b2.Vec2(chance.uniform(-0.5, 0.5), chance.uniform(-0.5, 0.5))
        a.angular_velocity, b.linear_velocity = chance.uniform(-4, 4), (chance.uniform(-3, 3), 2)
        before = angular_momentum(world)
        scale = a.inertia * 4 + b.inertia + abs(before)
        worst = 0.0
        for _ in range(300):
            world.step(1 / 60, substeps)
            # A velocity that is rounded changes it by as much as the body is far from the origin
            moments = sum(each.mass * each.position.length * each.linear_velocity.length for each in (a, b))
            worst = max(worst, abs(angular_momentum(world) - before) / max(scale, moments))
        # Rounding of about five sums in each of 2,400 substeps: a random walk of 7e-6
        assert worst < (4e-5 if solver == "direct" else 1e-3), (kind, substeps)


@pytest.mark.parametrize("solver", ["iterative", "auto"])
def test_windmills_of_overlapping_blades_come_to_rest(solver: Any) -> None:
    """They turned at up to 58 rad/s for ever: contacts inside an assembly made angular momentum."""
    noise, rates = arrays(4), []
    for geometry in (b2.Box(1, 0.1), b2.Box(0.5, 0.5), b2.Capsule((-1, 0), (1, 0), 0.2)):
        for blades in (2, 4, 8):
            for offset in (0.2, 0.5, 0.8, 1.0):
                world = b2.World(gravity=(0, 0), sleeping=False, joint_solver=solver)
                bodies = []
                for k in range(blades):
                    angle = 2 * math.pi * k / blades + noise.normal(0, 0.1)
                    place = (offset * math.cos(angle), offset * math.sin(angle))
                    body = world.create_dynamic_body(place, angle=angle + noise.normal(0, 0.05))
                    body.create_shape(geometry)
                    bodies.append(body)
                for body in bodies[1:]:
                    world.create_revolute_joint(bodies[0], body, anchor=(0, 0), collide_connected=True)
                advance(world, 900)
                rates.append(max(abs(body.angular_velocity) for body in bodies))
    assert max(rates) < 1e-3


def chain_of(geometry: b2.Geometry, **options: Any) -> b2.World:
    """Eight links whose ends overlap and touch."""
    world = b2.World(sleeping=False, **options)
    links = [world.create_dynamic_body((k, 0)) for k in range(8)]
    for link in links:
        link.create_shape(geometry)
    for k in range(7):
        world.create_revolute_joint(links[k], links[k + 1], anchor=(k + 0.5, 0), collide_connected=True)
    return world


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["puppet", "touching puppet", "boxes", "capsules", "discs"])
def test_assemblies_that_touch_themselves_keep_their_angular_momentum(solver: Any, kind: str) -> None:
    """They lost all of it in some seconds: contacts inside took it up, at up to 48 % a second, and spun windmills."""
    chance, worst, gain = draws(3), 0.0, 0.0
    for substeps, rate, gravity in zip((1, 2, 4, 8), (3, 8, 8, 3), ((0, 0), (0, -10), (0, 0), (6, 8)), strict=True):
        options = {"joint_solver": solver, "gravity": gravity}
        match kind:
            case "boxes":
                world = chain_of(b2.Box(0.5, 0.2), **options)
            case "capsules":
                world = chain_of(b2.Capsule((-0.5, 0), (0.5, 0), 0.15), **options)
            case "discs":
                world = chain_of(b2.Circle(0.55), **options)
            case _:
                world = puppet(touching=kind != "puppet", **options)
        spin(world, rate)
        for body in world.bodies:
            body.angular_velocity += chance.uniform(-1, 1)
        before, energy = angular_momentum(world), kinetic_energy(world)
        for _ in range(1200):
            world.step(1 / 60, substeps)
            worst = max(worst, abs(angular_momentum(world) / before - 1))
            gain = max(gain, kinetic_energy(world) / energy)
    assert worst < 1e-3
    # What overlaps is pushed apart and curls up; it has a smaller inertia then and turns faster, as a skater does
    assert gain < {"puppet": 1.02, "touching puppet": 1.5, "capsules": 8 if solver == "direct" else 1.2}.get(kind, 1.02)


@pytest.mark.parametrize("substeps", [1, 2, 4, 8])
def test_a_hub_of_many_spokes_turns_on(substeps: int) -> None:
    """Iterative rows throw a hub about from 9 spokes of its mass on, and one of a quarter of it from 5 on."""
    for spokes in (4, 6, 8, 9, 10, 12, 16, 24):
        for hub, size, dt in ((0.25, 1.0, 1 / 60), (1.0, 1.0, 1 / 60), (1.0, 0.1, 1 / 30), (4.0, 5.0, 1 / 120)):
            world = b2.World(gravity=(0, 0), sleeping=False)
            middle = world.create_dynamic_body()
            middle.create_shape(b2.Box(0.5 * size, 0.1 * size), filter=b2.Filter(mask=0))
            middle.mass *= hub
            for k in range(spokes):
                angle = 2 * math.pi * k / spokes
                x, y = math.cos(angle) * size, math.sin(angle) * size
                spoke = world.create_dynamic_body((x, y), angle=angle)
                spoke.create_shape(b2.Box(0.5 * size, 0.1 * size), filter=b2.Filter(mask=0))
                world.create_revolute_joint(middle, spoke, anchor=(x / 2, y / 2), lower_angle=-0.6, upper_angle=0.6)
            spin(world, 2)
            spoke.angular_velocity += 1.4
            before = angular_momentum(world)
            advance(world, round(4 / dt), dt, substeps)
            case = (spokes, hub, size, dt)
            assert abs(angular_momentum(world) / before - 1) < 1e-4, case
            assert max(abs(body.angular_velocity) for body in world.bodies) < 5, case


def test_windmills_of_blades_in_one_place_come_to_rest() -> None:
    """Of those with eight blades 35 of 40 turned on at up to 3 rad/s: what pushes them apart also drove them."""
    chance, turning = draws(5), 0
    for half, blades, substeps in itertools.product((0.5, 1), (4, 8), (2, 4, 8)):
        for _ in range(4):
            with b2.World(gravity=(0, 0), sleeping=False) as world:
                bodies: list[b2.Body] = []
                for _ in range(blades):
                    place = [half * chance.uniform(-0.05, 0.05) for _ in range(2)]
                    bodies.append(world.create_dynamic_body(place))
                    bodies[-1].create_shape(b2.Box(half, 0.2 * half), friction=chance.uniform(0, 1))
                for body in bodies[1:]:
                    world.create_revolute_joint(bodies[0], body, anchor=(0, 0), collide_connected=True)
                advance(world, 1200, 1 / 60, substeps)
                turning += max(abs(body.angular_velocity) for body in bodies) > 1e-3
    assert turning == 0  # of 48


def energy(world: b2.World) -> float:
    return world.kinetic_energy + world.potential_energy


@pytest.mark.parametrize("substeps", [1, 4, 8])
@pytest.mark.parametrize("pins", [0, 1, 2])
@pytest.mark.parametrize("gravity", [(0, 0), (0, -10), (6, 8)])
def test_limbs_that_overlap_give_no_energy(substeps: int, pins: int, gravity: tuple[float, float]) -> None:
    """Contacts push apart what hinges hold: free chains gained up to 8 times their energy, pinned ones 11 times."""
    worst = 0.0
    for seed in range(24):
        chance = draws(seed)
        geometry = (b2.Capsule((-0.3, 0), (0.3, 0), 0.1), b2.Box(0.33, 0.1), b2.Circle(0.35))[seed % 3]
        with b2.World(gravity=gravity, sleeping=False) as world:
            links = [world.create_dynamic_body((0.6 * k, 0)) for k in range(chance.randrange(3, 9))]
            for link in links:
                link.create_shape(geometry, friction=chance.uniform(0, 1), restitution=chance.choice((0, 0, 1)))
                link.linear_velocity = (chance.uniform(-2, 2), chance.uniform(-2, 2))
                link.angular_velocity = chance.uniform(-8, 8)
            for k, (a, b) in enumerate(itertools.pairwise(links)):
                world.create_revolute_joint(a, b, anchor=(0.6 * k + 0.3, 0), collide_connected=True)
            for k in (0, -1)[:pins]:
                place = links[k].position.x - 0.3 - 0.6 * k
                world.create_revolute_joint(world.create_static_body(), links[k], anchor=(place, 0))
            world.step(1 / 60, substeps)  # the joints make of the velocities what they allow
            before = energy(world) if pins else kinetic_energy(world)
            reach = sum(link.mass for link in links) * 0.6 * len(links) * math.hypot(*gravity)
            for _ in range(400):
                world.step(1 / 60, substeps)
                now = energy(world) if pins else kinetic_energy(world)
                worst = max(worst, (now - before) / max(abs(before), reach if pins else 0))
    assert worst < 0.04  # of what hinges without contacts give


def test_what_swings_on_a_frame_whose_parts_touch_swings_on() -> None:
    """The energy of a swing is slightly too high or too low after a step; if only the first is taken, it dies away."""
    with b2.World(sleeping=False) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
        beam, bob = world.create_dynamic_body((0, 4.2)), world.create_dynamic_body((1.5 * math.sin(0.8), 3.155))
        beam.create_shape(b2.Box(3, 0.2))
        for x in (-2, 2):
            leg = world.create_dynamic_body((x, 2))
            leg.create_shape(b2.Box(0.2, 2))
            world.create_weld_joint(leg, beam, anchor=(x, 4), collide_connected=True)
        bob.create_shape(b2.Circle(0.2), density=5, filter=b2.Filter(mask=0))
        hinge = world.create_revolute_joint(beam, bob, anchor=(0, 4.2))
        angles = []
        for _ in range(1800):
            world.step(1 / 60)
            angles.append(abs(hinge.angle + 0.8))  # from the vertical
        assert sum(contact.touching for contact in world.contacts) == 4
        assert max(angles[-300:]) > 0.78  # 0.748 without GAIN_RATE


@pytest.mark.parametrize("power", ["spring", "motor", "belt"])
@pytest.mark.parametrize("pinned", [False, True])
def test_what_is_driven_may_gain_energy(power: str, pinned: bool) -> None:
    motor: dict[str, Any] = {"enable_motor": True, "motor_speed": 3, "max_motor_torque": 50}
    spring: dict[str, Any] = {"enable_spring": True, "hertz": 2, "damping_ratio": 0.1, "target_angle": 1}
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        links = [world.create_dynamic_body((0.6 * k, 0.2 * (k == 2))) for k in range(3)]
        for link in links:
            link.create_shape(b2.Circle(0.32), friction=1, tangent_speed=2 if power == "belt" else 0)
        for k, (a, b) in enumerate(itertools.pairwise(links)):
            drive = {"motor": motor, "spring": spring, "belt": {}}[power] if k == 0 else {}
            world.create_revolute_joint(a, b, anchor=(0.6 * k + 0.3, 0), collide_connected=True, **drive)
        if pinned:
            world.create_revolute_joint(world.create_static_body(), links[0], anchor=(0, 0))
        world.step(1 / 60)
        most = first = energy(world)  # the rows of joints are made in this step
        for _ in range(60):
            world.step(1 / 60)
            most = max(most, energy(world))
    assert first > 1e-4
    assert most > 0.01


def test_what_the_user_pushes_within_a_step_is_not_taken_back() -> None:
    with puppet(touching=True) as world:
        trunk = world.body(0)
        advance(world, 30, 1 / 60)
        before = angular_momentum(world)
        with world.staged_step(1 / 60, substeps=4) as step:
            for _ in step.substeps():
                step.angular_velocity[0] += 0.5
        assert angular_momentum(world) - before == pytest.approx(2 * trunk.inertia, rel=0.3)


@pytest.mark.parametrize("pinned", [False, True])
def test_assemblies_that_touch_themselves_have_one_hash_in_worlds_and_batches(pinned: bool) -> None:
    with chain_of(b2.Capsule((-0.5, 0), (0.5, 0), 0.15)) as world:
        spin(world, 3)
        if pinned:
            world.create_revolute_joint(world.create_static_body(), world.body(0), anchor=(0, 0))
        world.step(1 / 60)
        with b2.WorldBatch(world, 3, dt=1 / 60) as batch, b2.World.from_snapshot(world.snapshot(), workers=2) as other:
            for _ in range(120):
                world.step(1 / 60)
                other.step(1 / 60)
                batch.step()
            assert {world.state_hash(), other.state_hash()} == {int(each) for each in batch.state_hash()}


def plastic_blow(chance: random.Random, floor: bool) -> float:
    """The share of the speed at which two bodies without restitution met that is left between them."""
    ratio, v, h = 10 ** chance.uniform(-1, 1), chance.uniform(3, 30), chance.choice((1 / 30, 1 / 60, 1 / 120))
    a, b = (chance.uniform(0.2, 0.6) for _ in range(2))
    b = a if floor else b  # a smaller disc would get under a larger one
    v = min(v, 1.6 * min(a, b) / h)  # farther than 2 widths a step bodies are swept
    substeps = chance.choice((1, 2, 4, 8))
    with b2.World(gravity=(0, -10 * floor), sleeping=False) as world:
        if floor:
            world.create_static_body().create_shape(b2.Box(200, 1, center=(0, -1)), friction=0)
        pair = []
        for x, size, mass, speed in ((0, a, 1, 0), (-2 - v * h * chance.random(), b, ratio, v)):
            body = world.create_dynamic_body((x, size), linear_velocity=(speed, 0))
            if not floor:
                body.position = (x, 0)
            body.create_shape(chance.choice((b2.Box(size, size), b2.Circle(size))), friction=0)
            body.mass = mass
            pair.append(body)
        for _ in range(math.ceil(4 / v / h) + 6):
            world.step(h, substeps)
        return abs(pair[1].linear_velocity.x - pair[0].linear_velocity.x) / v


@pytest.mark.parametrize("floor", [False, True])
def test_a_plastic_blow_leaves_no_speed_between_the_bodies(floor: bool) -> None:
    """Between 1.5 and 5 times the mass, up to all of the speed was left: fast bodies passed through each other."""
    chance = draws(21)
    assert max(plastic_blow(chance, floor) for _ in range(600)) < 0.1  # of 3,000 others 0.05


@pytest.mark.parametrize("case", range(4))
def test_a_motor_joint_between_free_bodies_keeps_their_angular_momentum(case: int) -> None:
    """It pushed two boxes at their anchors, however far apart: a pair that turned as one lost 86 % of it."""
    draw = draws(381 + case)
    for _ in range(6):
        apart, rate, force = draw.uniform(0.3, 3), draw.uniform(-6, 6), 10 ** draw.uniform(0, 4)
        with b2.World(gravity=(0, 0), sleeping=False) as world:
            pair = []
            for k in range(2):
                pair.append(world.create_dynamic_body((apart * (k - 0.5), draw.uniform(-0.5, 0.5))))
                shape = b2.Box(draw.uniform(0.1, 0.5), draw.uniform(0.1, 0.5))
                pair[k].create_shape(shape, density=10 ** draw.uniform(-1, 1), filter=b2.Filter(mask=0))
            torque = draw.choice((0.0, 0.0, 10.0))
            places = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0)}
            joint = world.create_motor_joint(*pair, max_velocity_force=force, max_velocity_torque=torque, **places)
            spin(world, rate)
            before, energy = angular_momentum(world), kinetic_energy(world)
            advance(world, 600, draw.choice((1 / 60, 1 / 240)))
            assert abs(angular_momentum(world) - before) <= 1e-3 * abs(before)
            assert kinetic_energy(world) <= 1.001 * energy
            if force > 100:
                assert math.hypot(*joint.relative_velocity) < 0.05
