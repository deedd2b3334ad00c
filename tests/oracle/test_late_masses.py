"""The mass of a body with many shapes is computed when it is read, and the result does not depend on when that is."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import draws

READS: dict[str, Callable[[b2.World, b2.Body], object]] = {
    "nothing": lambda world, body: None,
    "mass": lambda world, body: body.mass,
    "center": lambda world, body: body.world_center,
    "centers": lambda world, body: world.arrays.world_center,
    "velocity": lambda world, body: body.velocity_at((3, 4)),
    "hash": lambda world, body: world.state_hash(),
    "snapshot": lambda world, body: world.snapshot(),
    "save": lambda world, body: world.save(),
    "validate": lambda world, body: world.validate(),
    "query": lambda world, body: world.overlap_aabb(b2.AABB((0, 0), (1, 1))),
    "clone": lambda world, body: copy.copy(world).close(),
}


def play(seed: int, read: Callable[[b2.World, b2.Body], object], *, spin: float = 0.0) -> tuple[list[int], b2.World]:
    """A body of many shapes whose shapes are created, changed and destroyed at random, in a world with neighbours."""
    choose = draws(seed)
    world = b2.World()
    world.create_static_body((0, -3)).create_shape(b2.Box(60, 1))
    crowd = [world.create_dynamic_body((0.7 * k - 20, 4)) for k in range(60)]
    for each in crowd:
        each.create_shape(b2.Box(0.3, 0.2), density=choose.uniform(0.1, 50))
    body = world.create_dynamic_body((0, 1), angular_velocity=spin)
    shapes: list[b2.Shape] = []
    hashes = []
    for _ in range(4):
        for _ in range(120):
            what = choose.choice(["create"] * 4 + ["destroy", "geometry", "density", "keep"])
            geometry = b2.Box(0.3, 0.3, center=(choose.uniform(-20, 20), choose.uniform(0, 2)))
            if what == "create" or len(shapes) < 70:
                update = choose.random() < 0.95
                shapes.append(body.create_shape(geometry, density=choose.uniform(0, 3), update_mass=update))
            elif what == "destroy":
                shapes.pop(choose.randrange(len(shapes))).destroy(update_mass=choose.random() < 0.9)
            elif what == "geometry":
                shapes[choose.randrange(len(shapes))].geometry = geometry
            elif what == "density":
                shapes[choose.randrange(len(shapes))].density = choose.uniform(0, 3)
            read(world, body)
        for _ in range(6):
            world.step()
            hashes.append(world.state_hash())
    world.validate()
    return hashes, world


@pytest.mark.parametrize("spin", [0.0, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_reading_between_changes_of_shapes_changes_no_bit(seed: int, spin: float) -> None:
    expected, _ = play(seed, READS["nothing"], spin=spin)
    for name, read in READS.items():
        assert play(seed, read, spin=spin)[0] == expected, name


@pytest.mark.parametrize("seed", range(3))
def test_the_velocity_of_a_spinning_body_follows_its_centre_through_any_masses(seed: int) -> None:
    """Also when heavy shapes come and go, beside which the others are lost in a sum of doubles."""

    def play_spinning(read: bool) -> tuple[list[int], b2.World, b2.Body, list[tuple[float, float, float]]]:
        choose = draws(seed)
        world = b2.World(gravity=(0, 0))
        body = world.create_dynamic_body((3, 4), 0.7, linear_velocity=(5, -6), angular_velocity=-1.5)
        shapes, hashes = [], []
        for k in range(300):
            center = (choose.uniform(-9, 9), choose.uniform(-9, 9))
            density = 10.0 ** choose.uniform(-20, 20) if k % 3 else 1.0
            shapes.append((body.create_shape(b2.Circle(0.5, center=center), density=density), density, center))
            if k > 80 and choose.random() < 0.4:
                shapes.pop(choose.randrange(len(shapes)))[0].destroy()
            if k == 200:
                for shape, density, _ in shapes:
                    if density > 10:
                        shape.density = 0.5
                shapes = [(shape, min(density, 0.5) if density > 10 else density, at) for shape, density, at in shapes]
            if read:
                hashes.append(world.state_hash())
                assert body.mass > 0
        return [*hashes, world.state_hash()], world, body, [(density, *at) for _, density, at in shapes]

    (_, world, body, rows), (hashes, *_) = play_spinning(False), play_spinning(True)
    assert hashes[-1] == world.state_hash()
    density, x, y = np.array(rows).T
    assert len(rows) > 64
    assert body.local_center == pytest.approx(((density @ x) / density.sum(), (density @ y) / density.sum()), abs=1e-5)
    assert body.velocity_at(body.position) == pytest.approx((5, -6), abs=1e-3)  # the velocity of the body is the same


def test_every_reader_finds_the_mass_of_all_shapes() -> None:
    def body_of(count: int) -> tuple[b2.World, b2.Body]:
        world = b2.World()
        body = world.create_dynamic_body((1, 2))
        for k in range(count):
            body.create_shape(b2.Circle(0.5, center=(k, 0)))
        return world, body

    for count in (1, 64, 65, 66, 200):
        mass, center = count * np.pi / 4, ((count - 1) / 2, 0.0)
        at = (1 + center[0], 2.0)
        assert body_of(count)[1].mass == pytest.approx(mass, rel=1e-6)
        assert body_of(count)[1].inertia > 0.0
        assert body_of(count)[1].local_center == pytest.approx(center)
        assert body_of(count)[1].world_center == pytest.approx(at)
        world, _ = body_of(count)
        assert world.arrays.world_center[0] == pytest.approx(at)
        assert world.arrays.mass[0] == pytest.approx(mass, rel=1e-6)
        world, body = body_of(count)
        body.apply_force((0, 1), (0, 0))
        assert body.torque == pytest.approx(-at[0])
        world, body = body_of(count)
        body.apply_impulse((mass, 0))
        assert body.linear_velocity.x == pytest.approx(1.0, rel=1e-6)
        world, _ = body_of(count)
        assert b2.World.from_snapshot(world.snapshot()).body(0).mass == pytest.approx(mass, rel=1e-6)
        assert copy.copy(body_of(count)[0]).body(0).mass == pytest.approx(mass, rel=1e-6)


def test_a_copy_between_changes_and_a_step_goes_on_with_the_same_bits() -> None:
    makers: list[Callable[[b2.World], b2.World]] = [
        copy.copy,
        lambda world: b2.World.from_snapshot(world.snapshot()),
        lambda world: b2.WorldBatch(world, 2).extract(1),
    ]
    for make in makers:
        _, world = play(7, READS["nothing"])
        body = max(world.bodies, key=lambda each: len(each.shapes))
        for shape in body.shapes[::3]:
            shape.destroy()
        other = make(world)
        hashes: list[list[int]] = [[], []]
        for each, found in zip((world, other), hashes, strict=True):
            each.validate()
            for shape in each.body(body.index).shapes[::2]:
                shape.density = 5.0
            for _ in range(20):
                each.step()
                found.append(each.state_hash())
            each.validate()
        assert hashes[0] == hashes[1]


def test_a_recording_of_changes_of_many_shapes_is_verified(tmp_path: object) -> None:
    path = f"{tmp_path}/many.b2r"
    with b2.World() as world:
        body = world.create_dynamic_body()
        with world.record(path):
            for step in range(10):
                for k in range(30):
                    body.create_shape(b2.Circle(0.2, center=(step, 0.3 * k)))
                    if step % 2:
                        assert body.mass > 0.0
                world.step()
    with b2.Recording(path) as recording:
        recording.verify()
