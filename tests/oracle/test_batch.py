"""Every world of a `WorldBatch` gives the bits of a world of its own: for all numbers of workers and worlds and all
instruction sets, sleeping, after random masked restores, and whatever happens to the other worlds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._bridge.library import lib
from box2dpy._world.options import Simd
from box2dpy.scenes import SCENES

from ..seeds import arrays
from ..stepping import advance

DT = 1 / 60
FEATURES = b2.cpu_features()


def lander() -> b2.World:
    """A hull with two legs, hinged with limits and motors, above a chain."""
    world = b2.World()
    floor = world.create_static_body()
    floor.create_chain([(20, 0), (12, 0.3), (8, 0), (3, 0.5), (-6, 0), (-6, -1)])
    hull = world.create_dynamic_body((5, 3))
    hull.create_shape(b2.Polygon([(-0.47, 0.57), (-0.57, 0), (-0.57, -0.33), (0.57, -0.33), (0.57, 0), (0.47, 0.57)]))
    for side in (-1, 1):
        leg = world.create_dynamic_body((5 - 0.67 * side, 2.4), 0.05 * side)
        leg.create_shape(b2.Box(0.07, 0.27))
        world.create_revolute_joint(
            hull, leg, anchor=(5, 3), enable_limit=True, lower_angle=-0.4, upper_angle=0.4, enable_motor=True,
            max_motor_torque=40, motor_speed=0.3 * side,
        )  # fmt: skip
    return world


def stack() -> b2.World:
    """Boxes that fall on each other, come apart, and fall asleep."""
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
    for k in range(6):
        world.create_dynamic_body((0.23 * k, 0.6 + 1.3 * k)).create_shape(b2.Box(0.5, 0.5))
    return world


def fast() -> b2.World:
    """Bullets, fast kinematic bodies, sensors, restitution, rolling, conveyors, one-way and overlapping islands."""
    world = b2.World((0, -10), continuous=True)
    ground = world.create_static_body()
    ground.create_shape(b2.Segment((-20, 0), (20, 0)), tangent_speed=1.0, rolling_resistance=0.02)
    ground.create_shape(b2.Segment((-4, 2), (4, 2)), one_way=(0, 1))
    sensor = world.create_static_body((0, 1))
    sensor.create_shape(b2.Box(3, 0.4), sensor=True)
    bat = world.create_kinematic_body((-6, 1))
    bat.create_shape(b2.Box(0.1, 1), sensor_events=True)
    bat.linear_velocity = (14, 0)
    for k in range(5):
        ball = world.create_dynamic_body((k - 2.0, 3 + 0.7 * k), bullet=k % 2 == 0)
        ball.create_shape(b2.Circle(0.2), restitution=0.5 + 0.2 * k, sensor_events=True, density=1 + 30 * (k == 4))
        ball.linear_velocity = (3 - 25 * (k % 3), -30)
    rod = world.create_dynamic_body((3, 4))
    rod.create_shape(b2.Capsule((-0.5, 0), (0.5, 0), 0.1))
    world.create_distance_joint(
        rod, ground, local_anchor_a=(0, 0), local_anchor_b=(3, 6), length=2, enable_spring=True, hertz=3,
    )  # fmt: skip
    return world


TEMPLATES: dict[str, Callable[[], b2.World]] = {"lander": lander, "stack": stack, "fast": fast}


def follow(batch: b2.WorldBatch, lone: b2.World, steps: int) -> None:
    for number in range(steps):
        batch.step()
        lone.step(batch.dt, batch.substeps)
        hashes = batch.state_hash()
        wrong = np.flatnonzero(hashes != np.uint64(lone.state_hash()))
        assert wrong.size == 0, f"step {number}: worlds {wrong[:8].tolist()} differ"


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("simd", b2.cpu_features())
@pytest.mark.parametrize(("n", "workers", "steps"), [(1, 1, 200), (3, 2, 200), (64, 2, 60), (1000, 2, 10)])
def test_every_world_of_a_batch_gives_the_bits_of_a_lone_world(
    template: str, simd: Simd, n: int, workers: int, steps: int
) -> None:
    with TEMPLATES[template]() as world, b2.WorldBatch(world, n, workers=workers, simd=simd) as batch:
        follow(batch, world, steps)


@pytest.mark.parametrize("template", TEMPLATES)
def test_worlds_that_fall_asleep_give_the_bits_of_a_lone_world(template: str) -> None:
    with TEMPLATES[template]() as world:
        advance(world, 20, DT)
        with b2.WorldBatch(world, 5, workers=2) as batch:
            follow(batch, world, 500)
        assert template == "fast" or world.counters.awake_bodies == 0


@pytest.mark.parametrize("name", [name for name, scene in SCENES.items() if scene.bodies < 200_000])
def test_small_scenes_give_the_bits_of_a_lone_world(name: str) -> None:
    scene = SCENES[name]
    with scene.world() as world:
        scene.build(world, 0.02)
        advance(world, 10, DT)
        with b2.WorldBatch(world, 2) as batch:
            follow(batch, world, 40 if world.counters.bodies < 1000 else 4)


def test_worlds_go_their_own_ways_as_lone_worlds_do() -> None:
    """Other gravity, forces, impulses and motors in every world."""
    with lander() as template, b2.WorldBatch(template, 6, workers=2) as batch:
        lone = [template.clone() for _ in range(6)]
        batch.gravity = np.stack([np.zeros(6), -np.linspace(1, 12, 6)], axis=1)
        hull = template.body(1)
        for number in range(150):
            push = arrays(number).normal(size=(6, 4))
            batch.force[:, 1] = 5 * push[:, :2]
            batch.torque[:, 1] = push[:, 2]
            batch.apply_impulse(hull, 0.1 * push[:, 2:], mask=push[:, 0] > 0)
            batch.joints.motor_speed[:] = push[:, 2:]
            batch.step()
            for k, world in enumerate(lone):
                world.gravity = batch.gravity[k].tolist()
                body = world.body(1)
                body.apply_force(5 * push[k, :2])
                body.apply_torque(push[k, 2])
                if push[k, 0] > 0:
                    body.apply_impulse(0.1 * push[k, 2:])
                for joint, speed in zip(world.joints, push[k, 2:].tolist(), strict=True):
                    joint.motor_speed = speed
                world.step(DT)
                assert world.state_hash() == batch.state_hash()[k], (number, k)


@pytest.mark.parametrize("template", TEMPLATES)
def test_random_masked_restores_bring_back_the_bits(template: str) -> None:
    rng = arrays(7)
    with TEMPLATES[template]() as world, b2.WorldBatch(world, 7, workers=2) as batch:
        lone = [world.clone() for _ in range(7)]
        kept = [(each.save(), k) for k, each in enumerate(lone)]
        for number in range(160):
            batch.step()
            for each in lone:
                each.step(DT)
            if number % 4 == 0:
                mask = rng.random(7) < 0.3
                state, _ = kept[rng.integers(len(kept))]
                batch.restore(state, mask)
                for k in np.flatnonzero(mask).tolist():
                    lone[k].restore(state)
            if number % 7 == 0:
                k = int(rng.integers(7))
                kept.append((batch.save(np.arange(7) == k)[0], k))
            assert batch.state_hash().tolist() == [each.state_hash() for each in lone], number
        for k in range(7):
            with batch.extract(k) as out:
                out.validate()
                assert out.state_hash() == lone[k].state_hash()


def test_a_world_that_is_taken_out_goes_on_with_the_same_bits() -> None:
    with stack() as template, b2.WorldBatch(template, 3) as batch:
        advance(batch, 90)
        with batch.extract(1) as world:
            world.validate()
            follow(batch, world, 200)
            world.validate()


def test_templates_of_different_shapes_share_a_batch() -> None:
    with lander() as first, stack() as second, b2.WorldBatch([first, second], 5, workers=2) as batch:
        for _ in range(250):
            batch.step()
            first.step(DT)
            second.step(DT)
            expected = [(first, second)[k % 2].state_hash() for k in range(5)]
            assert batch.state_hash().tolist() == expected


def test_a_world_that_becomes_invalid_touches_no_other() -> None:
    with stack() as template, b2.WorldBatch(template, 9, workers=2) as batch:
        state = template.save()
        bad = np.arange(9) == 4
        for number in range(120):
            if number == 30:
                batch.mass[4, 3] = 1e-10
                batch.force[4, 3] = (1e30, 0)  # the acceleration is no float32
            batch.step()
            template.step(DT)
            assert np.flatnonzero(batch.state_hash() != np.uint64(template.state_hash())).tolist() in ([], [4])
        assert batch.invalid.tolist() == bad.tolist()
        batch.restore(state, bad)
        assert not batch.invalid.any()
        with template.clone() as lone:
            lone.restore(state)
            for _ in range(60):
                batch.step()
                lone.step(DT)
                assert batch.state_hash()[4] == lone.state_hash()


def test_a_world_with_very_many_contacts_touches_no_other() -> None:
    """All its boxes are moved to one place, where each overlaps all others: contacts need far more ids than before."""
    with b2.World((0, 0)) as template:
        for k in range(20):
            template.create_dynamic_body((3.0 * k, 0)).create_shape(b2.Box(0.5, 0.5))
        with b2.WorldBatch(template, 5) as batch:
            place = np.array([[0, 0]] * 5)
            crowded = np.arange(5) == 2
            with template.clone() as lone:
                for k in range(20):
                    batch.set(k, crowded, position=place + 0.01 * k)
                    lone.body(k).position = (0.01 * k, 0.01 * k)
                most = 0
                for _ in range(40):
                    batch.step()
                    lone.step(DT)
                    template.step(DT)
                    most = max(most, lone.counters.contacts)
                    hashes = batch.state_hash()
                    assert hashes[2] == lone.state_hash()
                    assert set(np.delete(hashes, 2).tolist()) == {template.state_hash()}
                assert most > 100


def test_a_restore_without_memory_touches_no_other_world() -> None:
    """Each allocation fails in turn. The world is as it was, or disabled and invalid, and can be restored again."""
    with stack() as template:
        first = template.save()
        advance(template, 100, DT)
        late, expected = template.save(), template.state_hash()
        template.restore(first)
        failures, disabled = 0, 0
        for after in range(200):
            with b2.WorldBatch(template, 3) as batch:
                only = np.arange(3) == 1
                before = batch.state_hash()
                lib.b2d_world_fail_allocation(batch._cells.pointer, after)
                try:
                    batch.restore(late, only)
                except MemoryError:
                    failures += 1
                    disabled += int(batch.invalid[1])
                    assert batch.invalid[1] or batch.state_hash()[1] == before[1]
                    done = False
                else:
                    done = True
                lib.b2d_world_fail_allocation(batch._cells.pointer, -1)
                assert not batch.invalid[[0, 2]].any()
                assert (batch.state_hash()[[0, 2]] == before[[0, 2]]).all()
                advance(batch, 3)
                with batch.extract(1) as world:
                    world.validate()
                batch.restore(late, only)
                assert batch.state_hash()[1] == expected
                with batch.extract(1) as world:
                    world.validate()
            if done:
                break
        assert done
        assert failures > 10
        assert disabled > 3


def test_a_step_without_memory_can_be_repeated() -> None:
    with stack() as template:
        for after in range(40):
            with b2.WorldBatch(template, 4, workers=2) as batch:
                advance(batch, 25)
                lib.b2d_world_fail_allocation(batch._cells.pointer, after)
                failed = False
                for _ in range(60):
                    try:
                        batch.step()
                    except MemoryError:
                        failed = True
                lib.b2d_world_fail_allocation(batch._cells.pointer, -1)
                advance(batch, 5)
                assert not batch.invalid.any()
                for k in range(4):
                    with batch.extract(k) as world:
                        world.validate()
            if not failed:
                break
        assert after > 2


def test_motors_that_are_written_into_their_lanes_give_the_bits_of_lanes_that_are_laid_out_anew() -> None:
    worlds = [b2.World(sleeping=False) for _ in range(2)]
    for world in worlds:
        ground = world.create_static_body()
        ground.create_shape(b2.Box(30, 0.5))
        for k in range(20):
            car, wheel, slide = (world.create_dynamic_body((2.0 * k - 20, 2.0 + j)) for j in range(3))
            for body in (car, wheel, slide):
                body.create_shape(b2.Circle(0.3))
            pair = (car, wheel) if k % 2 else (wheel, car)
            motor = {"enable_motor": True, "max_motor_torque": 20.0}
            world.create_wheel_joint(*pair, anchor=wheel.position, axis=(0, 1), **motor)
            world.create_prismatic_joint(
                car, slide, anchor=car.position, axis=(1, 0), enable_motor=True, max_motor_force=30
            )
            world.create_revolute_joint(*((ground, slide) if k % 3 else (slide, ground)), anchor=(k, 3), **motor)
    for number in range(80):
        for world in worlds:
            for k, joint in enumerate(world.joints):
                joint.motor_speed = 0.1 * ((number * 7 + k) % 13 - 6)
                if k % 3 != 1:
                    joint.max_motor_torque = float(5 + (number + k) % 5)
                if world is worlds[1]:
                    joint.hertz = joint.hertz  # of no spring, but its block is laid out anew
            world.step(DT if number < 40 else 1 / 50)
        assert worlds[0].state_hash() == worlds[1].state_hash(), number
    for world in worlds:
        world.close()


def test_a_fast_kinematic_body_carries_what_it_meets_as_in_a_lone_world() -> None:
    with b2.World((0, 0)) as world:
        bat = world.create_kinematic_body((0, 0))
        bat.create_shape(b2.Box(0.05, 1))
        bat.linear_velocity = (30, 0)
        for k in range(4):
            world.create_dynamic_body((0.4 + 0.37 * k, 0.4 * k - 0.6)).create_shape(b2.Circle(0.1))
        with b2.WorldBatch(world, 3, workers=2) as batch:
            follow(batch, world, 30)
        assert world.body(1).position.x > 2


def test_a_body_that_begins_inside_a_one_way_shape_passes_as_in_a_lone_world() -> None:
    """It has not fallen in, for there was no step before; a state that is restored later has none either."""
    with b2.World(continuous=False) as world:
        world.create_static_body().create_shape(b2.Segment((-4, 0), (4, 0)), one_way=(0, 1))
        ball = world.create_dynamic_body((0, 0.03), linear_velocity=(0, -30))
        ball.create_shape(b2.Circle(0.2))
        state = world.save()
        with b2.WorldBatch(world, 2) as batch:
            follow(batch, world, 3)
            batch.restore(state)
            world.restore(state)
            follow(batch, world, 3)
        assert ball.position.y < -1


@pytest.mark.parametrize("seed", range(12))
def test_random_changes_of_random_worlds_give_the_bits_of_lone_worlds(seed: int) -> None:
    rng = arrays(seed)
    template = list(TEMPLATES.values())[seed % 3]()
    n = int(rng.integers(1, 6))
    lone = [template.clone() for _ in range(n)]
    states = [template.save()]
    with b2.WorldBatch(template, n, workers=int(rng.integers(1, 3))) as batch:
        for number in range(100):
            k = int(rng.integers(n))
            only, world = np.arange(n) == k, lone[k]
            body = world.body(int(rng.integers(1, batch.position.shape[1])))
            shapes = list(body.shapes)
            kind = int(rng.integers(9))
            if kind == 0:
                state = states[int(rng.integers(len(states)))]
                batch.restore(state, only)
                world.restore(state)
            elif kind == 1:
                states.append(batch.save(only)[0])
            elif kind == 2:
                body.enabled = not body.enabled
                batch.set(body.index, only, enabled=body.enabled)
            elif kind == 3:
                place = rng.normal(size=2) * 2 + (0, 3)
                batch.set(body.index, only, position=place, angle=1)
                body.position, body.angle = b2.Vec2(*place), 1.0
            elif kind == 4 and body.mass > 0:
                impulse = rng.normal(size=2)
                batch.apply_impulse(body.index, impulse, body.position, only)
                body.apply_impulse(impulse, body.position)
            elif kind == 5:
                gravity = batch.gravity
                gravity[k] = 5 * rng.normal(size=2)
                batch.gravity = gravity
                world.gravity = batch.gravity[k].tolist()
            elif kind == 6 and shapes and shapes[0].chain is None:
                angles = 2 * np.pi * np.arange(int(rng.integers(3, 8))) / 8
                polygon = b2.Polygon(0.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1))
                batch.set_geometry(shapes[0].index, polygon, only)
                shapes[0].set_geometry(polygon)
            elif kind == 7 and shapes:
                batch.friction[k, shapes[0].index] = shapes[0].friction = 0.25 * (number % 4)
            elif kind == 8 and body.mass > 0:
                batch.set(body.index, only, awake=False)
                body.awake = False
            for _ in range(int(rng.integers(1, 6))):
                batch.step()
                for each in lone:
                    each.step(DT)
            assert batch.state_hash().tolist() == [each.state_hash() for each in lone], (number, kind, k)
        for k in range(n):
            with batch.extract(k) as out:
                out.validate()


def test_tasks_clear_only_their_own_impulses() -> None:
    """Without warm starting. 81 contacts of the great ball find no colours, so they share blocks with other worlds."""
    with b2.World(warm_starting=False, sleeping=False) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(30, 1))
        world.create_dynamic_body((0, 5)).create_shape(b2.Circle(3))
        angles = np.linspace(0, 2 * np.pi, 80, endpoint=False)
        around = np.column_stack([3.1 * np.cos(angles), 5 + 3.1 * np.sin(angles)])
        world.create_bodies(around, geometry=b2.Circle(0.11))
        world.create_dynamic_body((0, 9)).create_shape(b2.Box(4, 0.3), density=5)
        with b2.WorldBatch(world, 32, workers=4, dt=DT) as batch:
            for _ in range(20):
                batch.step()
                world.step(DT)
            assert world.counters.overflow_contacts > 10
            assert set(batch.state_hash().tolist()) == {world.state_hash()}


def test_a_body_with_a_directly_solved_joint_is_disabled_and_taken_out() -> None:
    """Of the joint that is not solved any more, the mark of the direct solver goes with the next step."""
    with b2.World(joint_solver="direct") as world:
        ground, ball = world.create_static_body((0, -1)), world.create_dynamic_body((0, 5))
        ball.create_shape(b2.Circle(0.3))
        world.create_revolute_joint(ground, ball, anchor=(0, 2))
        batch = b2.WorldBatch(world, 1)
    batch.step()
    for enabled in (False, True, False):
        batch.set(ball, enabled=enabled)
        with batch.extract(0) as out:
            for _ in range(3):
                out.validate()
                b2.World.from_snapshot(out.snapshot()).close()
                out.step()
                batch.step()
                assert out.state_hash() == int(batch.state_hash()[0])


def test_a_pendulum_with_a_motor_is_the_same_alone_and_beside_others() -> None:
    """Changes of other worlds let the plan of the direct solver be made again for all."""
    with b2.World(sleeping=False) as world:
        ground = world.create_static_body()
        links = [ground]
        for k in range(3):
            links.append(world.create_dynamic_body((k + 1.0, 0)))
            links[-1].create_shape(b2.Circle(0.2))
            joint = world.create_revolute_joint(links[-2], links[-1], anchor=(k + 0.5, 0))
        with b2.WorldBatch(world, 2) as batch:
            for number in range(40):
                if number == 10:
                    batch.joints.enable_motor[0, joint.index] = True
                    joint.enable_motor = True
                if number == 20:
                    batch.set(links[2], [False, True], enabled=False)
                world.step()
                batch.step()
                assert int(batch.state_hash()[0]) == world.state_hash(), number


ARMS = ("free", "motor", "limits", "motor and limits", "spring", "weld", "turning base", "ground", "branches")


def arm(kind: str, links: int, solver: str) -> b2.World:
    """Links on a base: trees of joints that hold a point and perhaps an angle, as the direct solver takes in lanes."""
    world = b2.World(sleeping=False, joint_solver=solver)  # type: ignore[arg-type]
    base = world.create_kinematic_body(angular_velocity=3) if kind == "turning base" else world.create_static_body()
    if kind == "ground":
        world.create_static_body((0, -2.2)).create_shape(b2.Box(9, 0.3))
    bodies = [base]
    for k in range(links):
        link = world.create_dynamic_body((0.5 + k, 0))
        link.create_shape(b2.Box(0.5, 0.05), density=1 + k % 3)
        parent = bodies[-2 if kind == "branches" and k > 1 else -1]
        if kind == "weld":
            world.create_weld_joint(parent, link, anchor=(k, 0))
        else:
            joint = world.create_revolute_joint(parent, link, anchor=(k, 0))
            joint.enable_motor = kind.startswith("motor")
            joint.motor_speed, joint.max_motor_torque = 2.0 * (-1) ** k, 30
            joint.enable_limit = kind.endswith("limits")
            joint.lower_angle, joint.upper_angle = -0.5, 0.4
            joint.enable_spring, joint.hertz = kind == "spring", 3
        bodies.append(link)
    return world


def step_beside(batch: b2.WorldBatch, alone: list[b2.World], dt: float) -> bool:
    """Whether a step gives the worlds of a batch the bits of lone ones."""
    batch.step()
    for one in alone:
        one.step(dt)
    return batch.state_hash().tolist() == [one.state_hash() for one in alone]


@pytest.mark.parametrize("simd", [name for name in ("scalar", "sse2", "avx2", "avx512", "neon") if name in FEATURES])
@pytest.mark.parametrize("kind", ARMS)
def test_directly_solved_arms_have_the_bits_of_an_arm_alone(kind: str, simd: Simd) -> None:
    """The worlds have different speeds, and some are so fast that the lanes leave them to the scalar code."""
    rng = arrays(len(kind))
    cases = ((1, "direct", 9, 1), (2, "auto", 11, 2), (3, "direct", 3, 1), (7, "auto", 10, 2))
    for links, solver, count, workers in cases:
        with arm(kind, links, solver) as world, b2.WorldBatch(world, count, dt=DT, simd=simd, workers=workers) as batch:
            for body in range(1, links + 1):
                speed = rng.normal(size=count) * np.where(np.arange(count) % 4 == 3, 60, 4)
                batch.set(body + (kind == "ground"), angular_velocity=speed)
            alone = [batch.extract(k) for k in range(count)]
            for _ in range(40):
                assert step_beside(batch, alone, DT), (links, solver)
            assert solver == "auto" or alone[0].counters.direct_joints == links
            for one in alone:
                one.close()


@pytest.mark.parametrize("simd", [name for name in ("sse2", "avx2", "avx512", "neon") if name in FEATURES])
@pytest.mark.parametrize("links", [1, 2, 3])
def test_arms_under_tension_have_the_bits_of_an_arm_alone_while_others_are_torn(links: int, simd: Simd) -> None:
    """A strong pull adds inertia to the links (`stiffen_again`). A lane that is settled keeps its own while a torn arm
    beside it takes further rounds."""
    rng, count = arrays(links), 8
    for dt, density in ((1 / 240, 100.0), (1 / 60, 1.0), (1 / 30, 0.01)):
        with arm("free", links, "direct") as world:
            for shape in world.shapes:
                shape.density = density
            batch = b2.WorldBatch(world, count, dt=dt, simd=simd)
        batch.gravity = np.stack([10 ** rng.uniform(3, 5.5, size=count), np.zeros(count)], axis=1)
        for body in range(1, links + 1):
            batch.set(body, angular_velocity=3 * rng.normal(size=count))
        alone = [batch.extract(k) for k in range(count)]
        for _ in range(40):
            torn, body, place = int(rng.integers(count)), int(rng.integers(1, links + 1)), 3 * rng.normal(size=2)
            batch.set(body, np.arange(count) == torn, position=place)
            alone[torn].body(body).position = place
            assert step_beside(batch, alone, dt), (dt, density)
        batch.close()
        for one in alone:
            one.close()


@pytest.mark.parametrize("simd", [name for name in ("sse2", "avx2", "avx512", "neon") if name in FEATURES])
@pytest.mark.parametrize("kind", ARMS)
def test_arms_whose_links_are_struck_have_the_bits_of_an_arm_alone(kind: str, simd: Simd) -> None:
    """A link gets a rotation that its joints take back: the rows count with no more of it than the motion makes, and
    those that misjudged it are filled again."""
    rng, count = arrays(len(kind)), 8
    for links, solver, dt in ((1, "auto", 1 / 60), (2, "direct", 1 / 30), (4, "direct", 1 / 120)):
        with arm(kind, links, solver) as world:
            list(world.bodies)[-1].allow_fast_rotation = True
            batch = b2.WorldBatch(world, count, dt=dt, simd=simd)
        alone = [batch.extract(k) for k in range(count)]
        for _ in range(40):
            struck, body = int(rng.integers(count)), int(rng.integers(1, links + 1)) + (kind == "ground")
            spin = float(10 ** rng.uniform(0, 4) * rng.choice((-1, 1)))
            batch.set(body, np.arange(count) == struck, angular_velocity=spin)
            alone[struck].body(body).angular_velocity = spin
            assert step_beside(batch, alone, dt), (links, solver)
        batch.close()
        for one in alone:
            one.close()
