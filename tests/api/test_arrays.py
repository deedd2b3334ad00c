"""`world.arrays`, `BodyArray`: views show the state of the engine, are read-only, and keep their memory when they are
out of date."""

from __future__ import annotations

import gc
import math
import warnings

import numpy as np
import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES

VIEWS = {
    "position": (np.float64, 2),
    "rotation": (np.float32, 2),
    "linear_velocity": (np.float32, 2),
    "angular_velocity": (np.float32, 1),
}
COPIES = {"awake": np.bool_, "type": np.int8, "mass": np.float64, "alive": np.bool_, "angle": np.float64}


def falling(count: int) -> b2.World:
    world = b2.World()
    for k in range(count):
        world.create_dynamic_body((3 * k, k), 0.1 * k, linear_velocity=(k, 0)).create_shape(b2.Box(0.5, 0.5))
    return world


def test_an_empty_world_has_empty_arrays() -> None:
    arrays = b2.World().arrays
    for name in (*VIEWS, *COPIES):
        assert len(getattr(arrays, name)) == 0
    assert len(arrays.contacts) == 0


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_has_the_documented_dtype_and_shape_and_the_values_of_the_bodies(name: str) -> None:
    world = falling(5)
    world.step()
    kind, width = VIEWS[name]
    array = getattr(world.arrays, name)
    assert array.dtype == kind
    assert array.shape == ((5, 2) if width == 2 else (5,))
    for body in world.bodies:
        assert tuple(np.atleast_1d(array[body.index])) == tuple(np.atleast_1d(getattr(body, name)))


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_the_documented_dtype_and_the_values_of_the_bodies(name: str) -> None:
    world = falling(5)
    array = getattr(world.arrays, name)
    assert array.dtype == COPIES[name]
    for body in world.bodies:
        # Angles: numpy's arc tangent and the one of the C library may differ in the last bit (musl, numpy 1.26)
        near = 4e-16 if name == "angle" else 0.0
        assert array[body.index] == pytest.approx(getattr(body, name), rel=near, abs=0)


def test_a_view_shows_new_values_after_a_step_without_a_copy() -> None:
    world = falling(3)
    position = world.arrays.position
    before = position.copy()
    world.step()
    assert (position[:, 1] < before[:, 1]).all()
    assert np.shares_memory(position, world.arrays.position)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_read_only(name: str) -> None:
    array = getattr(falling(2).arrays, name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True


def test_a_view_keeps_its_memory_after_the_world_is_closed_or_dropped() -> None:
    world = falling(50)
    position, velocity = world.arrays.position, world.arrays.linear_velocity
    expected = position.copy(), velocity.copy()
    world.close()
    del world
    gc.collect()
    others = [falling(50) for _ in range(20)]
    assert (position == expected[0]).all()
    assert (velocity == expected[1]).all()
    del others


def test_a_growing_table_warns_once_and_leaves_old_views_unchanged() -> None:
    world = falling(1)
    part = world.arrays.position[:, 0]
    expected = part.copy()
    with pytest.warns(b2.StaleViewWarning) as caught:
        world.create_bodies(np.zeros((500, 2)) + np.arange(500)[:, None] * 3, geometry=b2.Circle(0.5))
        world.create_bodies(np.zeros((5000, 2)) + np.arange(5000)[:, None] * 3, geometry=b2.Circle(0.5))
    # Others may come from what earlier tests left to the garbage collector
    assert [each.category for each in caught].count(b2.StaleViewWarning) == 1
    world.step()
    assert (part == expected).all()
    assert len(world.arrays.position) == 5501


def test_a_growing_table_does_not_warn_when_no_view_is_held() -> None:
    world = falling(1)
    world.arrays.position
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(2000):
            world.create_static_body((k, 0))


def test_reserved_tables_do_not_move_when_bodies_are_created() -> None:
    world = b2.World()
    world.reserve(bodies=1000)
    first = world.create_static_body((1, 1))
    view = world.arrays.position
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(999):
            world.create_static_body((k, 0))
    assert np.shares_memory(view, world.arrays.position)
    assert first.position == (1, 1)


def test_body_properties_are_right_after_the_tables_have_grown() -> None:
    world = b2.World()
    bodies = []
    for k in range(3000):
        bodies.append(world.create_dynamic_body((k, -k)))
        assert bodies[k // 2].position == (k // 2, -(k // 2))
    assert all(body.position == (k, -k) for k, body in enumerate(bodies))


def test_rows_of_destroyed_bodies_are_marked_invalid() -> None:
    world = falling(4)
    world.body(1).destroy()
    assert world.arrays.alive.tolist() == [True, False, True, True]
    assert world.arrays.mass[1] == 0


def test_contacts_array_agrees_with_the_contacts() -> None:
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(10, 1))
    for k in range(4):
        world.create_dynamic_body((2 * k - 4, 0.5)).create_shape(b2.Box(0.5, 0.5))
    world.step()
    rows = world.arrays.contacts
    touching = [contact for contact in world.contacts if contact.touching]
    assert rows["contact"].tolist() == [contact.index for contact in touching]
    for row, contact in zip(rows, touching, strict=True):
        assert row["shape_a"] == contact.shape_a.index
        assert row["body_b"] == contact.body_b.index
        assert (row["normal_x"], row["normal_y"]) == contact.normal
        assert row["point_count"] == len(contact.points) == 2
        assert tuple(row["normal_impulse"]) == tuple(point.normal_impulse for point in contact.points)
        assert abs(contact.normal.length - 1) < 1e-5
        assert {contact.body_a, contact.body_b} <= set(world.bodies)


@pytest.mark.parametrize("name", ["mixed_pile", "washer", "spinner"])
def test_contacts_array_has_the_bits_of_single_contacts_for_every_width(name: str) -> None:
    """The array finds manifolds several at a time, a contact finds its own; bodies have moved since."""
    scene, arrays = SCENES[name], []
    for simd in b2.cpu_features():
        with scene.world(simd=simd) as world:
            fixture = scene.build(world, 0.12)
            for number in range(60):
                scene.advance(world, fixture, number)
                world.step(1 / 60, 4)
            for body in [body for body in world.bodies if body.type == b2.BodyType.DYNAMIC][::3]:
                body.position = (body.position[0] + 0.003, body.position[1] - 0.001)
            rows = world.contacts.as_array()
            arrays.append([rows[field].tobytes() for field in rows.dtype.names or ()])
            touching = {contact.index: contact for contact in world.contacts if contact.touching}
            assert len(touching) > 64  # more than one batch
            for row in rows[rows["point_count"] > 0]:
                contact = touching[int(row["contact"])]
                points = [(*point.point, point.separation, point.normal_impulse) for point in contact.points]
                names = "px", "py", "separation", "normal_impulse"
                assert points == [tuple(float(row[field][k]) for field in names) for k in range(row["point_count"])]
                assert (*contact.normal, *contact.force) == tuple(
                    float(row[field]) for field in ("normal_x", "normal_y", "force_x", "force_y")
                )
            assert rows["contact"][rows["point_count"] > 0].tolist() == list(touching)
    assert all(other == arrays[0] for other in arrays)


def test_create_bodies_gives_the_same_bodies_as_single_creation() -> None:
    positions = [(3 * k, 0.1 * k) for k in range(20)]
    angles = [0.1 * k for k in range(20)]
    speeds = [(0.5 * k, -1) for k in range(20)]
    many, single = b2.World(), b2.World()
    array = many.create_bodies(
        positions, geometry=b2.Box(0.5, 0.5), angles=angles, linear_velocities=speeds, friction=0.3
    )
    for position, angle, speed in zip(positions, angles, speeds, strict=True):
        body = single.create_dynamic_body(position, angle, linear_velocity=speed)
        body.create_shape(b2.Box(0.5, 0.5), friction=0.3)
    for _ in range(5):
        assert many.state_hash() == single.state_hash()
        many.step()
        single.step()
    assert len(array) == 20
    assert array[3].shapes[0].friction == pytest.approx(0.3)
    many.validate()


def test_create_bodies_takes_names_and_data() -> None:
    with b2.World() as world:
        places, ball = [(0, 0), (2, 0)], b2.Circle(0.5)
        assert [each.name for each in world.create_bodies(places, geometry=ball, name="ball")] == ["ball", "ball"]
        two = world.create_bodies(places, geometry=ball, name=["a", ""], data=[1, None])
        assert [(each.name, each.data) for each in two] == [("a", 1), ("", None)]
        for wrong, error in (({"name": ["a"]}, ValueError), ({"name": [1, 2]}, TypeError), ({"data": 3}, TypeError)):
            with pytest.raises(error, match=next(iter(wrong))):
                world.create_bodies(places, geometry=ball, **wrong)  # type: ignore[arg-type]
        assert len(world.bodies) == 4


def test_create_bodies_with_no_positions_returns_an_empty_array() -> None:
    world = b2.World()
    for nothing in ([], np.zeros((0, 2))):
        array = world.create_bodies(nothing, geometry=b2.Circle(1))
        assert len(array) == 0
        assert list(array) == []
    assert len(world.bodies) == 0


def test_body_array_reads_and_writes_rows() -> None:
    world = b2.World(gravity=(0, 0))
    world.create_static_body()
    array = world.create_bodies([(3 * k, 0) for k in range(5)], geometry=b2.Circle(0.5))
    array.position = [(3 * k, k) for k in range(5)]
    assert array.position.tolist() == [[3 * k, k] for k in range(5)]
    array.linear_velocity = (1, 2)
    assert (array.linear_velocity == (1, 2)).all()
    array.angular_velocity = np.arange(5)
    assert array.angular_velocity.tolist() == [0, 1, 2, 3, 4]
    array.angle = 0.5
    assert array.angle == pytest.approx(0.5)
    assert array.rotation == pytest.approx(np.tile((math.cos(0.5), math.sin(0.5)), (5, 1)))
    assert array.mass == pytest.approx(math.pi / 4, rel=1e-3)
    assert array.awake.all()
    array.linear_velocity = 0, 0
    array.apply_impulse(np.outer(np.arange(5), (1, 0)) * array.mass[:, None])
    assert array.linear_velocity[:, 0] == pytest.approx(np.arange(5))
    array.apply_force((0, 1))
    array.apply_torque(1.0)
    array.apply_angular_impulse(np.ones(5))
    assert [body.force for body in array] == [(0, 1)] * 5
    assert array.indices.tolist() == [1, 2, 3, 4, 5]
    assert array[1:3][0] == array[1]
    assert array[np.array([0, 4])].indices.tolist() == [1, 5]
    assert array[-1].index == 5
    assert array[::2] == array[np.array([0, 2, 4])]
    assert array.world is world
    with pytest.raises(IndexError):
        array[5]


def test_a_body_array_with_a_destroyed_body_raises_destroyed_error() -> None:
    world = b2.World()
    array = world.create_bodies([(0, 0), (5, 0)], geometry=b2.Circle(0.5))
    array[1].destroy()
    world.create_static_body()  # reuses the index
    for name in ("position", "linear_velocity", "mass", "awake", "angle"):
        with pytest.raises(b2.DestroyedError, match="body 1"):
            getattr(array, name)
    with pytest.raises(b2.DestroyedError):
        array.position = 0, 0
    array.destroy()
    array.destroy()
    assert len(world.bodies) == 1
    world.close()
    with pytest.raises(b2.DestroyedError):
        array.position
