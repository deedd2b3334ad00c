"""Clusters: islands that are solved separately give the same result as if all were solved together."""

import numpy as np
import pytest

import box2dpy as b2

BASE, SPACING = 10, 12.0
COUNT = BASE * (BASE + 1) // 2


def add_pyramid(world: b2.World, number: int) -> list[b2.Body]:
    ground = world.create_static_body((SPACING * number, 0))
    ground.create_shape(b2.Segment((-5.9, 0), (5.9, 0)))
    bodies = []
    for row in range(BASE):
        for column in range(BASE - row):
            body = world.create_dynamic_body(
                (SPACING * number + column + 0.5 * row - 0.5 * BASE + 0.5, row + 0.5 + 0.01 * (number % 7))
            )
            body.create_shape(b2.Box(0.5, 0.5))
            bodies.append(body)
    return bodies


def poses(bodies: list[b2.Body]) -> np.ndarray:
    return np.array([(*body.position, body.angle, *body.linear_velocity) for body in bodies])


@pytest.mark.parametrize("workers", [1, 3])
def test_a_pyramid_among_many_moves_like_a_single_one(workers: int) -> None:
    world = b2.World(workers=workers)
    field = [
        add_pyramid(world, number) for number in range(90)
    ]  # 5040 bodies: five clusters, and four pyramids on their borders
    alone = {number: b2.World() for number in (0, 18, 19, 37, 55, 89)}
    single = {number: add_pyramid(other, number) for number, other in alone.items()}
    for _ in range(25):
        world.step()
        for number, other in alone.items():
            other.step()
            np.testing.assert_array_equal(poses(single[number]), poses(field[number]))
        world.validate()


def build_mixed(workers: int) -> tuple[b2.World, list[list[b2.Body]], b2.Body]:
    world = b2.World(workers=workers)
    field = [add_pyramid(world, number) for number in range(60)]
    sweeper = world.create_kinematic_body((-20, 1.5))
    sweeper.create_shape(b2.Box(1, 1))
    sweeper.linear_velocity = (40, 0)
    return world, field, sweeper


def test_kinematic_bodies_and_joints_may_connect_clusters() -> None:
    """A body or joint that several clusters share is solved once per substep, for any distribution of the clusters."""
    worlds = [build_mixed(workers) for workers in (1, 2, 4)]
    hashes = []
    for step in range(60):
        for world, field, sweeper in worlds:
            if step == 10:
                world.create_distance_joint(field[2][-1], field[50][-1], local_anchor_a=(0, 0), local_anchor_b=(0, 0))
            if step == 20:  # a long bar that rests on two islands far apart in the table of bodies
                beam = world.create_dynamic_body((SPACING * 55, 11.2))
                beam.create_shape(b2.Box(14, 0.2))
            if step == 30:
                sweeper.type = "dynamic"
            if step == 40:
                for body in field[20]:
                    body.destroy()
            world.step()
            world.validate()
        hashes.append({world.state_hash() for world, _, _ in worlds})
    assert all(len(same) == 1 for same in hashes)


@pytest.mark.parametrize("statics", [0, 1500])
@pytest.mark.parametrize("heavy", [0, 1, 3])
def test_clusters_without_work_and_direct_assemblies_give_one_hash_for_all_workers(statics: int, heavy: int) -> None:
    """Unconnected clusters are separate solver tasks; the first may be empty, and some may contain directly solved
    joints."""
    worlds = []
    for workers in (1, 3):
        world = b2.World(workers=workers, sleeping=False)
        for number in range(statics):
            world.create_static_body((number, -100))
        field = [add_pyramid(world, number) for number in range(70)]
        for number in range(heavy):
            hook = world.create_static_body((20 * number, 60))
            small = world.create_dynamic_body((20 * number, 59))
            small.create_shape(b2.Circle(0.1))
            load = world.create_dynamic_body((20 * number, 57))
            load.create_shape(b2.Box(1, 1), density=1000)
            world.create_revolute_joint(hook, small, anchor=(20 * number, 60))
            world.create_revolute_joint(small, load, anchor=(20 * number, 58))
        worlds.append((world, field))
    for _ in range(60):
        for world, _ in worlds:
            world.step()
    assert worlds[0][0].counters.direct_joints == 2 * heavy
    for _, field in worlds:
        assert all(pyramid[-1].position.y > BASE - 0.7 for pyramid in field)  # they stand
    assert worlds[0][0].state_hash() == worlds[1][0].state_hash()
