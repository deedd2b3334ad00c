"""The API of `WorldBatch`: shapes of arrays, what is refused and that it changes nothing, watches, rays, columns."""

from __future__ import annotations

import copy
import gc
import itertools
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._batch import batch as batch_module

from ..seeds import arrays
from ..stepping import advance

N = 4


def template() -> b2.World:
    """Ground, hull and leg with a motor; a sensor above the ground; a disabled body."""
    world = b2.World()
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(50, 1), friction=0.4)
    hull = world.create_dynamic_body((0, 3))
    hull.create_shape(b2.Box(0.5, 0.5), sensor_events=True)
    leg = world.create_dynamic_body((0, 2.2))
    leg.create_shape(b2.Box(0.1, 0.3))
    world.create_revolute_joint(hull, leg, anchor=(0, 2.5), enable_motor=True, max_motor_torque=10)
    zone = world.create_static_body((0, 1))
    zone.create_shape(b2.Box(1, 0.2), sensor=True)
    world.create_weld_joint(ground, zone, anchor=(0, 0))
    return world


def large() -> b2.World:
    made = b2.World()
    for k in range(20):
        made.create_dynamic_body((2 * k, 0)).create_shape(b2.Circle(0.5))
    return made


@pytest.fixture
def world() -> Iterator[b2.World]:
    with template() as made:
        yield made


@pytest.fixture
def batch(world: b2.World) -> Iterator[b2.WorldBatch]:
    with b2.WorldBatch(world, N) as made:
        yield made


def test_arrays_are_views_that_follow_the_simulation(batch: b2.WorldBatch) -> None:
    shapes = {name: getattr(batch, name).shape for name in ("position", "rotation", "linear_velocity", "force")}
    assert set(shapes.values()) == {(N, 4, 2)}
    assert batch.angular_velocity.shape == batch.angle.shape == batch.torque.shape == (N, 4)
    position = batch.position
    before = position.copy()
    advance(batch, 10)
    assert (position[:, 1, 1] < before[:, 1, 1]).all()
    assert np.shares_memory(position, batch.position)
    with pytest.raises(ValueError, match="read-only"):
        position[0, 0, 0] = 1
    assert (batch.mass.shape, batch.friction.shape, batch.joints.angle.shape) == ((N, 4), (N, 4), (N, 2))
    assert len(batch) == N
    assert len(batch.joints) == 2


def test_arrays_outlive_the_batch(world: b2.World) -> None:
    batch = b2.WorldBatch(world, N)
    position, expected = batch.position, batch.position.copy()
    batch.close()
    batch.close()
    assert batch.closed
    del batch
    gc.collect()
    assert (position == expected).all()


def test_a_closed_batch_refuses_every_call(world: b2.World) -> None:
    batch = b2.WorldBatch(world, N)
    state = batch.save()[0]
    view = batch.world(1)
    batch.close()
    calls: list[Callable[[], Any]] = [
        batch.step, batch.save, batch.state_hash, lambda: batch.restore(state), lambda: batch.extract(0),
        lambda: batch.world(0), lambda: batch.gravity, lambda: batch.invalid, lambda: batch.mass.read(),
        lambda: batch.joints.motor_speed.write(0), lambda: batch.apply_impulse(1, (0, 1)), lambda: batch.profile,
        lambda: batch.set(1, position=(0, 0)), lambda: batch.ray_casts([(0, 0)], [(1, 0)]), lambda: batch.random(1),
        lambda: batch.set_geometry(1, b2.Circle(1)), view.state_hash, batch.__enter__, lambda: batch.nbytes,
        lambda: batch.watch_touching([(world.body(0), world.body(1))]),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(b2.DestroyedError, match="batch has been closed"):
            call()
    assert "closed" in repr(batch)


def test_forces_are_consumed_by_the_step(batch: b2.WorldBatch) -> None:
    batch.force[1, 1] = (50, 0)
    batch.torque[2, 1] = 3
    batch.step()
    assert not batch.force.any()
    assert not batch.torque.any()
    assert batch.linear_velocity[1, 1, 0] > batch.linear_velocity[0, 1, 0]
    assert batch.angular_velocity[2, 1] > batch.angular_velocity[0, 1]
    batch.force = (0, 0)
    batch.torque = np.zeros((N, 4))


BAD: dict[str, tuple[Callable[[b2.WorldBatch], Any], type[Exception], str]] = {
    "force of a static body": (lambda b: b.force.__setitem__((2, 0), 1), ValueError, r"world 2, body 0"),
    "force not finite": (lambda b: b.force.__setitem__((1, 1, 0), np.nan), ValueError, r"world 1, body 1"),
    "torque too large": (lambda b: b.torque.__setitem__((3, 1), 1e31), ValueError, r"torque=.*world 3, body 1"),
    "impulse of a wrong shape": (lambda b: b.apply_impulse(1, np.zeros((3, 2))), ValueError, r"\(4, 2\)"),
    "impulse not finite": (lambda b: b.apply_impulse(1, [(0, 0), (np.inf, 0), (0, 0), (0, 0)]), ValueError, "world 1"),
    "impulse of a static body": (lambda b: b.apply_impulse(0, (1, 0)), ValueError, "world 0, body 0"),
    "points not finite": (lambda b: b.apply_impulse(1, (1, 0), (0, np.nan)), ValueError, "point"),
    "unknown body": (lambda b: b.apply_impulse(4, (0, 0)), ValueError, "0 to 3"),
    "body of another world": (lambda b: b.apply_impulse(b2.World().create_dynamic_body(), (0, 0)), ValueError, "none"),
    "no body": (lambda b: b.apply_impulse("hull", (0, 0)), TypeError, "Body or an index"),  # type: ignore[arg-type]
    "two bodies": (lambda b: b.apply_impulse([1, 2], (0, 0)), TypeError, "Body or an index"),  # type: ignore[arg-type]
    "mask of a wrong length": (lambda b: b.apply_impulse(1, (0, 0), mask=[True]), ValueError, r"\(4,\)"),
    "mask of numbers": (lambda b: b.apply_impulse(1, (0, 0), mask=[1, 0, 0, 1]), TypeError, "bool"),
    "gravity not finite": (lambda b: setattr(b, "gravity", [(0, 1)] * 3 + [(np.nan, 0)]), ValueError, "world 3"),
    "gravity of a wrong shape": (lambda b: setattr(b, "gravity", np.zeros((3, 2))), ValueError, "shape"),
    "friction negative": (lambda b: b.friction.__setitem__((1, 2), -1), ValueError, "world 1, shape 2"),
    "friction of a wrong shape": (lambda b: b.friction.write(np.zeros((4, 3))), ValueError, "shape"),
    "friction text": (lambda b: b.friction.write("smooth"), TypeError, "numbers"),
    "mass of a static body": (lambda b: b.mass.__setitem__((0, 0), 1), ValueError, "world 0, body 0"),
    "motor of a weld": (lambda b: b.joints.motor_speed.write(1), ValueError, "world 0, joint 1"),
    "motor not finite": (lambda b: b.joints.motor_speed.__setitem__((2, 0), np.inf), ValueError, "world 2, joint 0"),
    "huge index": (lambda b: b.mass[2**63], IndexError, "out of bounds"),
    "huge index written": (lambda b: b.mass.__setitem__(2**63, 1), IndexError, "out of bounds"),
    "read-only column": (lambda b: b.joints.speed.__setitem__((0, 0), 1), ValueError, "world 0, joint 0"),
    "lower above upper": (lambda b: b.joints.lower_angle.__setitem__((1, 0), 9), ValueError, "world 1, joint 0"),
    "position not finite": (lambda b: b.set(1, position=(0, np.nan)), ValueError, "world 0, body 1"),
    "velocity after position": (lambda b: b.set(1, position=(9, 9), linear_velocity=(1e30, 0)), ValueError, "body 1"),
    "concave geometry": (
        lambda b: b.set_geometry(1, [(0, 0), (1, 1), (2, 2)]),
        ValueError,
        r"vertices.*world 0, shape 1",
    ),
    "geometry of one point": (lambda b: b.set_geometry(1, [(0, 0)]), ValueError, "2 to 8 vertices"),
    "geometry of one world": (
        lambda b: b.set_geometry(
            [1], [[[(0, 0), (1, 0), (0, 1)]], [[(0, 0)] * 3]], np.array([False, True, False, True])
        ),
        ValueError,
        "world 3, shape 1",
    ),
    "geometry of a wrong shape": (lambda b: b.set_geometry(1, np.zeros((3, 4, 2))), ValueError, r"\(4, v, 2\)"),
    "restore no state": (lambda b: b.restore("state"), TypeError, "State"),  # type: ignore[arg-type]
    "restore no snapshot": (lambda b: b.restore(b"state"), ValueError, "no snapshot"),
    "restore too few": (lambda b: b.restore(b.save()[:2]), ValueError, "4 states"),
    "restore another world": (lambda b: b.restore(b2.World().save()), ValueError, "other bodies"),
    "restore a larger world": (lambda b: b.restore(large().save(), replace=True), ValueError, "20 shapes.*room for"),
    "random of a state without": (lambda b: b.restore(b.extract(0).save(), random=True), ValueError, "no random"),
    "rays of a wrong shape": (lambda b: b.ray_casts(np.zeros((3, 1, 2)), np.zeros((3, 1, 2))), ValueError, "shape"),
    "rays that differ": (lambda b: b.ray_casts(np.zeros((1, 2)), np.zeros((2, 2))), ValueError, "one shape"),
    "rays not finite": (lambda b: b.ray_casts([(0, np.nan)], [(0, 1)]), ValueError, "finite"),
    "watch of no object": (lambda b: b.watch_touching([("a", 1)]), TypeError, "index"),  # type: ignore[list-item]
    "watch of no index": (lambda b: b.watch_touching([(0, 9)]), ValueError, "out of range"),
    "world beyond": (lambda b: b.world(4), ValueError, "0 to 3"),
    "seeds of a wrong shape": (lambda b: b.seed([1, 2]), ValueError, "shape"),
    "negative count": (lambda b: b.random(-1), ValueError, "k=-1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_raises_and_changes_nothing(batch: b2.WorldBatch, case: str) -> None:
    call, error, match = BAD[case]
    advance(batch, 3)
    hashes, gravity = batch.state_hash(), batch.gravity
    columns = {name: getattr(batch, name).read() for name in ("mass", "friction", "linear_damping")}
    motor = batch.joints.motor_speed.read()

    def act() -> None:
        call(batch)
        batch.step()

    with pytest.raises(error, match=match):
        act()
    assert (batch.state_hash() == hashes).all()
    assert (batch.gravity == gravity).all()
    assert all(np.array_equal(getattr(batch, name).read(), column) for name, column in columns.items())
    assert np.array_equal(batch.joints.motor_speed.read(), motor, equal_nan=True)


OPTIONS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no worlds": ({"n": 0}, ValueError, "n=0"),
    "dt of 0": ({"dt": 0}, ValueError, "dt=0"),
    "substeps": ({"substeps": 65}, ValueError, "substeps=65"),
    "workers": ({"workers": 0}, ValueError, "workers=0"),
    "simd": ({"simd": "mmx"}, ValueError, "simd"),
    "seed": ({"seed": -1}, ValueError, "seed=-1"),
    "profiling": ({"profiling": "all"}, ValueError, "profiling"),
    "template": ({"template": "world"}, TypeError, "World"),
    "no templates": ({"template": []}, ValueError, "at least one"),
    "n": ({"n": 2.0}, TypeError, "n=2.0"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_options_are_refused(world: b2.World, case: str) -> None:
    options, error, match = OPTIONS[case]
    with pytest.raises(error, match=match):
        b2.WorldBatch(**{"template": world, "n": 2, **options})


def test_numbers_of_a_batch_of_one_world_are_those_of_its_arrays() -> None:
    with b2.World() as world:
        bodies = [world.create_dynamic_body((k, 3)) for k in range(3)]
        for each in bodies:
            each.create_shape(b2.Box(0.3, 0.3))
        for k in range(2):
            world.create_revolute_joint(*bodies[k : k + 2], anchor=(k + 0.5, 3), enable_motor=True, max_motor_torque=9)
        one, other = (b2.WorldBatch(world, 1, seed=3) for _ in range(2))
    numbers, body, joints = b2.BatchNumbers(one), 1, 2
    velocity, cast = numbers.velocity(body), numbers.rays(np.array([(0.0, -9.0), (3.0, -9.0)]))
    for _ in range(5):
        numbers.push(body, 0.25, 0.5, 0.0, 1.0)
        other.apply_impulse(body, (0.25, 0.5), (0.0, 1.0))
        numbers.set_joints("motor_speed", [2.0] * joints)
        other.joints.motor_speed[:] = 2.0
        one.step()
        other.step()
        assert one.state_hash() == other.state_hash()
        assert velocity.tolist() == [*other.linear_velocity[0, body].tolist(), other.angular_velocity[0, body]]
        assert (cast(0.5, 9.0) == other.ray_casts([(0.5, 9.0)] * 2, [(0, -9), (3, -9)]).fraction).all()
        assert numbers.random2() == tuple(other.random(2)[0])
        assert not numbers.invalid()


def test_wrong_numbers_of_a_batch_are_named() -> None:
    with template() as world:
        batch = b2.WorldBatch(world, 1)
        with b2.WorldBatch(world, 2) as two, pytest.raises(ValueError, match="must have one world"):
            b2.BatchNumbers(two)
    numbers, bodies = b2.BatchNumbers(batch), batch.position.shape[1]
    for call, name in (
        (lambda: numbers.push(bodies, 0.0, 0.0, 0.0, 0.0), "body"),
        (lambda: numbers.velocity(-1), "body"),
        (lambda: numbers.set_joints("colour", [0.0] * len(batch.joints)), "colour"),
        (lambda: numbers.set_joints("motor_speed", [0.0] * 99), "motor_speed"),
        (lambda: numbers.rays(np.zeros((2, 3))), "translations"),
    ):
        with pytest.raises((ValueError, IndexError), match=name):
            call()
    batch.close()
    with pytest.raises(b2.DestroyedError):
        b2.BatchNumbers(batch)
    with pytest.raises(b2.DestroyedError):
        numbers.velocity(0)


def test_templates_that_a_batch_cannot_hold_are_named() -> None:
    with template() as world:
        world.on_contact_begin = print
        with pytest.raises(ValueError, match="callbacks"):
            b2.WorldBatch(world, 2)
    with b2.World(schedule="batches") as world, pytest.raises(ValueError, match="schedule"):
        b2.WorldBatch(world, 2)
    with b2.World() as world, b2.World(sleep_time=2) as other, pytest.raises(ValueError, match="sleep_time differs"):
        b2.WorldBatch([world, other], 2)
    with template() as world:
        world.step(1 / 100)
        with pytest.raises(ValueError, match="substep"):
            b2.WorldBatch(world, 2)
        b2.WorldBatch(world, 2, dt=1 / 100).close()
    world.close()
    with pytest.raises(b2.DestroyedError):
        b2.WorldBatch(world, 2)


def test_a_batch_tells_which_arrays_show_its_memory(batch: b2.WorldBatch) -> None:
    touching = batch.watch_touching([(0, 1)])
    for array in (batch.position, batch.position[1:, 0], batch.angular_velocity, batch.force, batch.torque, touching):
        assert batch.shows(array)
    for array in (batch.position.copy(), batch.gravity, np.zeros((3, 2))):
        assert not batch.shows(array)
    with pytest.raises(TypeError, match=r"array=\[1\.0\] must be a numpy array"):
        batch.shows([1.0])  # type: ignore[arg-type]


def test_watches_follow_contacts_and_sensors(world: b2.World, batch: b2.WorldBatch) -> None:
    ground, hull, leg, zone = world.bodies
    touching = batch.watch_touching([(leg, ground), (next(iter(leg.shapes)), next(iter(ground.shapes))), (hull, leg)])
    by_index = batch.watch_touching([(leg.index, ground.index), (hull.index, leg.index), (leg, ground.index)])
    sensed = batch.watch_sensor([(zone, hull), (next(iter(zone.shapes)), next(iter(hull.shapes))), (zone, leg)])
    assert touching.shape == sensed.shape == (N, 3)
    seen_touching, seen_sensed = touching.copy(), sensed.copy()
    batch.gravity = [(0, -10)] * 3 + [(0, 10)]
    for _ in range(100):
        batch.step()
        seen_touching |= touching
        assert by_index.tolist() == touching[:, [0, 2, 0]].tolist()
        seen_sensed |= sensed
        lone = batch.extract(1)
        expected = any(
            {contact.shape_a.body.index, contact.shape_b.body.index} == {leg.index, ground.index}
            for contact in lone.contacts
            if contact.touching
        )
        assert touching[1, 0] == expected
        lone.close()
    assert seen_touching.tolist() == [[True, True, False]] * 3 + [[False] * 3]
    assert seen_sensed.tolist() == [[True, True, False]] * 3 + [[False] * 3]
    with pytest.raises(ValueError, match="read-only"):
        touching[0, 0] = False
    batch.restore(world.save())
    assert not touching.any()
    del touching
    batch.step()


def test_rays_meet_the_shapes_of_their_own_world(world: b2.World, batch: b2.WorldBatch) -> None:
    batch.set(1, position=[(3.0 * k, 3) for k in range(N)])
    origins = np.array([(3.0 * k, 10) for k in range(N)])
    hits = batch.ray_casts(np.broadcast_to(origins, (N, N, 2)), np.full((N, N, 2), (0, -20)))
    assert hits.shape.tolist() == [[1 if k == j else 0 if j else 2 for j in range(N)] for k in range(N)]
    for k in range(N):
        with batch.extract(k) as lone:
            expected = lone.ray_casts(origins, np.full((N, 2), (0, -20)))
            assert hits.fraction[k].tolist() == expected["fraction"].tolist()
            assert hits.normal[k].tolist() == expected["normal"].tolist()
    alone = batch.ray_casts(origins[:, None], np.full((N, 2), (0, -20)))  # all rays of a world start at one place
    assert (np.diag(hits.fraction) == alone.fraction.T).all()
    missed = batch.ray_casts([(0, 10)], [(0, 1)])
    assert missed.shape.tolist() == [[-1]] * N
    assert np.isinf(missed.fraction).all()


def test_values_may_have_a_row_for_each_world_of_the_mask(batch: b2.WorldBatch) -> None:
    mask = np.arange(N) > 1
    batch.set([1, 2], mask, linear_velocity=np.full((N - 2, 2, 2), 3.0), angular_velocity=np.full((N - 2, 2), 2.0))
    assert (batch.linear_velocity[:, 1:3, 0] == np.where(mask, 3.0, 0.0)[:, None]).all()
    assert (batch.angular_velocity[:, 1:3] == np.where(mask, 2.0, 0.0)[:, None]).all()
    before = batch.linear_velocity[:, 1, 0].copy()
    batch.apply_impulse(1, np.full((N - 2, 2), 5.0), np.array(batch.position[mask, 1]), mask)
    assert ((batch.linear_velocity[:, 1, 0] > before) == mask).all()
    with pytest.raises(ValueError, match="must have shape"):
        batch.apply_impulse(1, np.zeros((N - 1, 2)), mask=mask)


def test_a_motor_written_in_mid_run_acts_as_that_of_a_lone_world() -> None:
    with b2.World() as world:
        ground = world.create_static_body()
        wheel = world.create_dynamic_body((0, 2))
        wheel.create_shape(b2.Circle(0.5))
        joint = world.create_revolute_joint(ground, wheel, anchor=(0, 2), max_motor_torque=1.0)
        batch = b2.WorldBatch(world, 2)
        for speed, torque in ((2.0, 1.0), (-3.0, 1.0), (-3.0, 0.2), (5.0, 0.2)):
            joint.motor_speed, joint.max_motor_torque = speed, torque
            batch.joints.motor_speed[:] = [[speed], [speed]]
            batch.joints.max_motor_torque[:] = torque
            for _ in range(5):
                world.step(batch.dt, batch.substeps)
                batch.step()
            assert (batch.state_hash() == world.state_hash()).all()
        with pytest.raises(ValueError, match="world 1, joint 0"):
            batch.joints.max_motor_torque[:] = [[0.3], [-1.0]]
        assert batch.joints.max_motor_torque.read().tolist() == [[np.float32(0.2)]] * 2
        batch.close()


def test_a_new_geometry_is_that_of_lone_worlds(world: b2.World, batch: b2.WorldBatch) -> None:
    angles = np.linspace(0, 2 * np.pi, 7)[:-1]
    hexagon = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    sizes = np.array([0.4, 0.5, 0.6, 0.7])
    shape = next(iter(world.body(1).shapes))
    batch.set_geometry(shape, sizes[:, None, None] * hexagon, np.arange(N) != 2)
    lone = [world.clone() for _ in range(N)]
    for k in (0, 1, 3):
        next(iter(lone[k].body(1).shapes)).set_geometry(b2.Polygon(sizes[k] * hexagon))
    state = world.save()
    for _ in range(2):
        for _ in range(60):
            batch.step()
            for each in lone:
                each.step()
            assert batch.state_hash().tolist() == [each.state_hash() for each in lone]
        batch.restore(state)
        for each in lone:
            each.restore(state)


def test_geometries_of_many_shapes_are_those_of_lone_worlds() -> None:
    """Segments and polygons, all worlds or those of a mask, rows for all worlds or for those of the mask."""
    rng = arrays(0)
    with b2.World() as world:
        ground = world.create_static_body()
        line = [ground.create_shape(b2.Segment((k, 0), (k + 1, 0))) for k in range(-3, 3)]
        boxes = [ground.create_shape(b2.Box(0.1, 0.1, center=(9, k))) for k in range(2)]
        world.create_dynamic_body((0, 1)).create_shape(b2.Circle(0.5))
        lone = [world.clone() for _ in range(N)]
        batch = b2.WorldBatch(world, N)
    ends = np.cumsum(np.ones((N, 7)), axis=1)[..., None] * (1, 0) - (4, 0) + rng.uniform(-0.2, 0.2, (N, 7, 2))
    segments = np.stack([ends[:, :-1], ends[:, 1:]], axis=2)
    mask = np.array([True, False, True, True])
    triangles = np.array([[(0, 0), (1, 0), (0, 1)], [(2, 0), (3, 0), (3, 1)]])
    batch.set_geometry(line, segments[mask], mask)
    batch.set_geometry(np.array([each.index for each in boxes]), triangles)
    batch.set_geometry(line[:1], [[(-9, 0), (-3, 0)]], ~mask)
    for k, each in enumerate(lone):
        shapes = list(each.body(0).shapes)
        for place, (a, b) in enumerate(segments[k]):
            if mask[k]:
                shapes[place].set_geometry(b2.Segment(a, b))
        for place, corners in enumerate(triangles):
            shapes[6 + place].set_geometry(b2.Polygon(corners))
        if not mask[k]:
            shapes[0].set_geometry(b2.Segment((-9, 0), (-3, 0)))
    for _ in range(40):
        batch.step()
        for each in lone:
            each.step()
    assert batch.state_hash().tolist() == [each.state_hash() for each in lone]
    batch.close()


@pytest.mark.parametrize("shapes", [20, 300])
def test_rays_in_worlds_of_few_and_many_shapes(shapes: int) -> None:
    """More than 256 shapes of a world are searched in parts."""
    rng = arrays(shapes)
    with b2.World() as world:
        ground = world.create_static_body()
        for k in range(shapes):
            kind = [b2.Circle(0.3), b2.Box(0.4, 0.2), b2.Segment((0, 0), (0.5, 0.5))][k % 3]
            world.create_static_body(rng.uniform(-9, 9, 2), k).create_shape(kind, filter=b2.Filter(1 << k % 2))
        ground.create_shape(b2.Segment((-1e6, -9), (1e6, -9)))
        origins, ways = rng.uniform(-12, 12, (40, 2)), rng.normal(size=(40, 2)) * 8
        ways[:3] = (0, -20), (20, 0), (0, 0)
        batch = b2.WorldBatch(world, 3, workers=2)
        for only in (None, b2.Filter(mask=1)):
            found, expected = batch.ray_casts(origins, ways, only), world.ray_casts(origins, ways, filter=only)
            hit = expected["shape"] >= 0
            assert 0 < hit.sum() < 40
            assert (found.shape == expected["shape"]).all()
            assert (found.fraction[:, hit] == expected["fraction"][hit]).all()
            assert (found.normal == expected["normal"]).all()
        batch.close()


def test_columns_are_those_of_lone_worlds(world: b2.World, batch: b2.WorldBatch) -> None:
    batch.friction[:, 0] = [0.1, 0.2, 0.3, 0.4]
    batch.linear_damping = 0.25
    batch.mass[:, 1] *= 2
    batch.joints.enable_motor[1, 0] = False
    batch.joints.upper_angle[:, 0] = 0.5
    for k in range(N):
        with batch.extract(k) as lone:
            assert next(iter(lone.body(0).shapes)).friction == np.float32(0.1 * (k + 1))
            assert lone.body(1).linear_damping == 0.25
            assert lone.body(1).mass == 2 * world.body(1).mass
            joint: Any = next(iter(lone.joints))
            assert joint.enable_motor == (k != 1)
            assert joint.upper_angle == 0.5
    assert np.isnan(batch.joints.motor_speed[:, 1]).all()
    assert np.asarray(batch.mass).shape == (N, 4)


def test_a_force_that_is_a_vector_is_in_no_column() -> None:
    """That of a motor joint has two components, for which a row has no room."""
    with b2.World() as world:
        bodies = [world.create_dynamic_body((x, 0)) for x in (0, 1, 2)]
        for body in bodies:
            body.create_shape(b2.Circle(0.3))
        world.create_motor_joint(bodies[0], bodies[1], anchor=(0, 0), max_velocity_force=5)
        world.create_prismatic_joint(
            bodies[1], bodies[2], anchor=(1, 0), axis=(1, 0), enable_motor=True, max_motor_force=5
        )
        with b2.WorldBatch(world, 3) as batch:
            batch.step()
            forces = batch.joints.motor_force.read()
    assert np.isnan(forces[:, 0]).all()
    assert np.isfinite(forces[:, 1]).all()


def test_random_numbers_depend_on_nothing_else(world: b2.World) -> None:
    with b2.WorldBatch(world, 5, seed=3) as first, b2.WorldBatch(world, 2, seed=4) as second:
        numbers = first.random(6)
        assert (numbers[1:3] == np.concatenate([second.random(2), second.random(4)], axis=1)).all()
        assert 0 <= numbers.min() < numbers.max() < 1
        assert len(set(numbers.ravel().tolist())) == 30
        saved = first.save()
        expected = first.random(3)
        mask = np.arange(5) < 2
        first.restore(saved[:2], mask, random=True)
        assert (first.random(3, mask) == expected[:2]).all()
        first.restore(saved[0])
        assert not np.isin(first.random(3), expected).any()
        first.seed(3)
        assert (first.random(6) == numbers).all()
        first.seed(np.arange(5, dtype=np.uint64) + 3)
        assert (first.random(6) == numbers).all()
        assert abs(first.random(20000).mean() - 0.5) < 0.01


def test_one_world_of_a_batch(world: b2.World, batch: b2.WorldBatch) -> None:
    view = batch.world(2)
    state = view.save()
    assert (view.index, view.invalid, view.gravity) == (2, False, (0.0, -10.0))
    assert view.position.shape == view.linear_velocity.shape == view.rotation.shape == (4, 2)
    assert view.angular_velocity.shape == (4,)
    batch.step()
    assert view.state_hash() == batch.state_hash()[2]
    view.restore(state)
    assert view.state_hash() != batch.state_hash()[1]
    with view.extract() as lone:
        assert lone.state_hash() == view.state_hash()
        assert lone.body(1).position == world.body(1).position
    world.restore(state)  # handles of the template live on
    assert world.body(1).alive
    assert "world 2" in repr(view)
    with pytest.raises(AttributeError):
        batch.world(2).index = N


@pytest.mark.parametrize("way", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_and_pickles_of_a_batch_go_on_with_the_same_bits(
    batch: b2.WorldBatch, way: Callable[[Any], Any]
) -> None:
    batch.gravity = np.arange(2.0 * N).reshape(N, 2) - 10
    batch.seed(5)
    advance(batch, 20)
    batch.force[:, 1] = 3, 40
    batch.random(3, [True] + [False] * (N - 1))
    with way(batch) as other:
        for _ in range(10):
            assert other.state_hash().tolist() == batch.state_hash().tolist()
            assert other.random(2).tolist() == batch.random(2).tolist()
            batch.step()
            other.step()
        batch.set(1, linear_velocity=(1e9, 0), mask=[True] + [False] * (N - 1))
    batch.close()
    with pytest.raises(b2.DestroyedError, match="the batch has been closed"):
        way(batch)


def test_a_copy_remembers_which_worlds_are_invalid(world: b2.World) -> None:
    with b2.WorldBatch(world, 2) as batch:
        batch._was_invalid[1] = True
        with copy.copy(batch) as other:
            assert other.invalid.tolist() == [False, True]
            other.restore(other.save()[0], [False, True])
            assert other.invalid.tolist() == [False, False]


def test_states_travel_as_bytes(world: b2.World, batch: b2.WorldBatch) -> None:
    world.body(1).data = {"hull": 1}
    for _ in range(15):
        world.step()
        batch.step()
    state, saved = pickle.loads(pickle.dumps((world.save(), batch.save())))
    batch.restore(saved[1], random=True)
    for given in (state, world.save(), copy.deepcopy(state), world.snapshot(), bytearray(world.snapshot())):
        batch.restore(given, [True] + [False] * (N - 1))
        batch.restore([given] * N)
        assert set(batch.state_hash().tolist()) == {world.state_hash()}
    with b2.World() as other:
        other.restore(state)
        assert other.body(1).data == {"hull": 1}
        assert other.state_hash() == world.state_hash()
    with pytest.raises(b2.SnapshotError):
        batch.restore(b"nothing")


def test_arrays_may_lie_in_memory_in_any_order() -> None:
    """Columns first, backwards, with gaps, of any kind of number."""
    with b2.World() as world:
        bodies = [world.create_dynamic_body((k, 0)) for k in range(4)]
        for first, second in itertools.pairwise(bodies):
            first.create_shape(b2.Circle(0.2))
            world.create_revolute_joint(first, second, anchor=first.position)
        batch = b2.WorldBatch(world, N)

    def ways(rows: np.ndarray) -> list[np.ndarray]:
        wide = np.zeros((*rows.shape[:-1], 2 * rows.shape[-1]), rows.dtype)
        wide[..., ::2] = rows
        return [np.asfortranarray(rows), rows[::-1][::-1], np.flip(np.flip(rows).copy()), wide[..., ::2]]

    rng = arrays(3)
    flags = rng.random((N, len(batch.joints))) < 0.5
    numbers = rng.random((N, 4))
    for given in ways(flags) + ways(flags.astype(np.int64)):
        batch.joints.enable_motor[:] = ~flags
        batch.joints.enable_motor = given
        assert batch.joints.enable_motor[:].tolist() == flags.astype(float).tolist()
    for given in ways(numbers):
        batch.linear_damping = given
        assert batch.linear_damping[:].tolist() == numbers.astype(np.float32).tolist()
    for given in ways(flags[:, :2]):
        batch.set([1, 2], enabled=given)
    for given in ways(np.arange(N) % 2 == 0):
        batch.set(1, given, angular_velocity=np.zeros(N))
    for given in ways(rng.random((N, 4, 2))):
        batch.force = given
        batch.step()


def test_columns_of_flags_take_flags_and_nothing_else() -> None:
    templates = []
    for extra in (0, 1):  # the batch has rows that some of its worlds have not
        templates.append(b2.World())
        a, b = (templates[-1].create_dynamic_body((x, 0)) for x in (0, 1))
        a.create_shape(b2.Circle(0.2))
        templates[-1].create_revolute_joint(a, b, anchor=(0, 0))
        for _ in range(extra):
            templates[-1].create_static_body()
    batch = b2.WorldBatch(templates, 4)
    chosen = np.arange(len(batch)) % 2 == 0
    for columns, name in ((batch, "awake"), (batch, "bullet"), (batch, "lock_x"), (batch.joints, "enable_limit")):
        column = getattr(columns, name)
        for given, expected in ((chosen, chosen), (True, 1), (False, 0), (1, 1), (chosen.astype(int), chosen)):
            column[:, 0] = given
            assert np.array_equal(column[:, 0], np.broadcast_to(expected, len(batch))), (name, given)
        column[:] = column[:]
        for wrong in (0.5, -1, 2, "yes", [[True], [True, False]]):
            with pytest.raises((TypeError, ValueError), match=f"{name}="):
                column[:, 0] = wrong
        assert np.array_equal(column[:, 0], chosen)


def test_two_threads_cannot_step_a_batch_at_once(world: b2.World) -> None:
    with b2.WorldBatch(world, 3000) as batch:
        seen, stop = threading.Event(), threading.Event()

        def run() -> None:
            while not stop.is_set():
                try:
                    batch.step()
                except b2.WorldLockedError:
                    seen.set()

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        seen.wait()
        stop.set()
        for thread in threads:
            thread.join()
        assert len(set(batch.state_hash().tolist())) == 1


def test_no_states_restore_no_worlds() -> None:
    with template() as world, b2.WorldBatch(world, N) as batch:
        batch.restore([], np.zeros(N, bool), random=True)


def with_a_gap() -> tuple[b2.World, b2.State]:
    """A world in which a body in the middle is missing, and a state in which it is there."""
    world = b2.World()
    for k in range(4):
        world.create_dynamic_body((k, 9), name=f"body {k}").create_shape(b2.Circle(0.2))
    world.body(1).destroy()
    with world.clone() as other:
        other.create_dynamic_body((1, 9), name="body 1").create_shape(b2.Circle(0.2))
        return world, other.save()


def assert_states_are_accepted(batch: b2.WorldBatch) -> None:
    for state in batch.save():
        with b2.World() as world:
            world.restore(state)
            world.validate()
            assert [body.name for body in world.bodies] == [f"body {body.index}" for body in world.bodies]
            with b2.World.from_snapshot(world.snapshot()) as copied:
                copied.validate()


def test_states_that_a_thread_saves_while_another_replaces_worlds_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    original, (world, state) = b2.WorldBatch._take_names, with_a_gap()
    begun = threading.Event()

    def slowly(*arguments: Any) -> None:
        begun.set()
        for _ in range(1000):
            time.sleep(0)
        original(*arguments)

    monkeypatch.setattr(b2.WorldBatch, "_take_names", slowly)
    with b2.WorldBatch(world, 2, room={"bodies": 20, "shapes": 20}) as batch:
        thread = threading.Thread(target=lambda: batch.restore(state, replace=True))
        thread.start()
        begun.wait()
        assert_states_are_accepted(batch)
        thread.join()


def test_an_interrupt_in_restore_leaves_names_that_belong_to_the_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __getattr__(self, name: str) -> Any:
            return getattr(original, name)

        def b2d_cells_restore(self, *arguments: Any) -> int:
            original.b2d_cells_restore(*arguments)
            raise KeyboardInterrupt

    original, (world, state) = batch_module.lib, with_a_gap()
    with b2.WorldBatch(world, 2, room={"bodies": 20, "shapes": 20}) as batch:
        monkeypatch.setattr(batch_module, "lib", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            batch.restore(state, replace=True)
        monkeypatch.undo()
        assert_states_are_accepted(batch)
