"""Writing many bodies at once through `world.arrays`: equal to the assignments to single bodies, checked before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import arrays

VALUES: dict[str, Any] = {
    "position": lambda draw, n: draw.uniform(-9, 9, (n, 2)),
    "angle": lambda draw, n: draw.uniform(-3, 3, n),
    "rotation": lambda draw, n: draw.normal(size=(n, 2)),
    "linear_velocity": lambda draw, n: draw.normal(size=(n, 2)),
    "angular_velocity": lambda draw, n: draw.normal(size=n),
    "linear_damping": lambda draw, n: draw.uniform(0, 1, n),
    "angular_damping": lambda draw, n: draw.uniform(0, 1, n),
    "gravity_scale": lambda draw, n: draw.uniform(0, 2, n),
    "force": lambda draw, n: draw.normal(size=(n, 2)),
    "torque": lambda draw, n: draw.normal(size=n),
    "awake": lambda draw, n: draw.integers(0, 2, n).astype(bool),
    "enabled": lambda draw, n: draw.integers(0, 2, n).astype(bool),
}


def build() -> b2.World:
    world = b2.World(sleep_time=0.1)
    world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
    for k in range(12):
        world.create_dynamic_body((2.0 * k - 11, 0.5)).create_shape(b2.Box(0.5, 0.5))
    world.body(5).destroy()
    for _ in range(30):
        world.step()
    return world


def stay_equal(one: b2.World, many: b2.World, steps: int) -> None:
    assert one.state_hash() == many.state_hash()
    for _ in range(steps):
        one.step()
        many.step()
        assert one.state_hash() == many.state_hash()


@pytest.fixture
def worlds() -> Iterator[tuple[b2.World, b2.World]]:
    with build() as one, build() as many:
        yield one, many


@pytest.mark.parametrize("name", VALUES)
def test_set_does_what_assignments_to_single_bodies_do(worlds: tuple[b2.World, b2.World], name: str) -> None:
    one, many = worlds
    ids = [3, 1, 9, 12]
    values = VALUES[name](arrays(1), len(ids))
    for index, value in zip(ids, values.tolist(), strict=True):
        if name in ("force", "torque"):  # the sums are zero
            getattr(one.body(index), f"apply_{name}")(value)
        else:
            setattr(one.body(index), name, value)
    many.arrays.set(ids, **{name: values})
    stay_equal(one, many, 10)
    many.validate()


@pytest.mark.parametrize("name", VALUES)
def test_assigning_changes_the_rows_that_differ_and_no_other(worlds: tuple[b2.World, b2.World], name: str) -> None:
    one, many = worlds
    before: Any = np.array(getattr(many.arrays, name))
    setattr(many.arrays, name, before)
    assert many.state_hash() == one.state_hash(), "equal values change nothing"
    assert many.counters.awake_bodies == 0
    ids = [2, 7]
    values = np.array(before)
    values[ids] = VALUES[name](arrays(2), 2)
    values[5] = 0  # there is no such body
    setattr(many.arrays, name, values)
    one.arrays.set(ids, **{name: values[ids]})
    stay_equal(one, many, 10)


def test_one_value_may_stand_for_all(worlds: tuple[b2.World, b2.World]) -> None:
    world = worlds[0]
    world.arrays.gravity_scale = 0.5
    assert set(world.arrays.gravity_scale[world.arrays.alive].tolist()) == {0.5}
    world.arrays.set([1, 2], linear_velocity=(3, 4), enabled=True)
    assert world.arrays.linear_velocity[[1, 2]].tolist() == [[3, 4], [3, 4]]
    world.arrays.set([], position=(1, 1))
    world.arrays.set([1, 2])


def test_a_bad_row_changes_nothing(worlds: tuple[b2.World, b2.World]) -> None:
    world = worlds[0]
    before = world.state_hash()
    rows = np.array(world.arrays.position)
    rows[1] += 1
    rows[9, 1] = np.nan
    with pytest.raises(ValueError, match="(?s)position.*finite.*row 9"):
        world.arrays.position = rows
    with pytest.raises(ValueError, match="(?s)linear_damping[^;]* is out of range: 0 to 1e[+]30; row 1 is "):
        world.arrays.set([3, 4], position=(0, 0), linear_damping=[0, -1])
    with pytest.raises(ValueError, match="(?s)linear_velocity.*not allowed.*row 0"):
        world.arrays.set([0, 4], linear_velocity=(1, 1))
    with pytest.raises(ValueError, match="shape"):
        world.arrays.set([3, 4], position=[(0, 0)] * 3)
    with pytest.raises(ValueError, match="shape"):
        world.arrays.position = rows[:4]
    for ids in ([5], [99], [-1], [2**40], [1, 5]):
        with pytest.raises(b2.DestroyedError):
            world.arrays.set(ids, position=(0, 0))
    for wrong in ([1.5], "text", [[1]], None):
        with pytest.raises(TypeError):
            world.arrays.set(wrong, position=(0, 0))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        world.arrays.set([1], awake="yes")
    assert world.state_hash() == before
    world.validate()
    world.close()
    with pytest.raises(b2.DestroyedError):
        world.arrays.set([1], position=(0, 0))


def test_force_and_torque_of_an_array_of_bodies_may_be_assigned() -> None:
    with b2.World(gravity=(0, 0)) as world:
        bodies = world.create_bodies([(0, 0), (3, 0)], geometry=b2.Box(0.5, 0.5))
        bodies.apply_force((1, 0))
        bodies.force = [(0, 2), (0, 0)]
        bodies.torque = 3.0
        assert bodies.force.tolist() == [[0, 2], [0, 0]]
        assert bodies.torque.tolist() == [3, 3]
        world.step()
        assert bodies.linear_velocity[0, 1] > 0
        assert bodies.linear_velocity[1].tolist() == [0, 0]


@pytest.mark.parametrize("broadphase", ["grid", "tree", "brute", "sap"])
@pytest.mark.parametrize("name", ["awake", "enabled", "position"])
def test_many_lone_bodies_change_as_single_ones_do(name: str, broadphase: Any) -> None:
    """More bodies than are renewed together, some of them named twice, beside bodies that touch others."""
    draw = arrays(3)
    with b2.World(broadphase=broadphase) as one, b2.World(broadphase=broadphase) as many:
        for world in (one, many):
            world.create_static_body((0, -1)).create_shape(b2.Box(300, 1))
            world.create_bodies([(2.0 * k - 150, 8) for k in range(150)], geometry=b2.Box(0.5, 0.5))
            world.create_bodies([(2.0 * k - 20, 0.5) for k in range(20)], geometry=b2.Box(0.5, 0.5))
            for k in (7, 80):
                world.body(k).create_shape(b2.Circle(0.2))
            world.body(90).create_shape(b2.Circle(1), sensor=True)
            world.create_revolute_joint(world.body(20), world.body(21), anchor=(-111, 8))
            world.step()
        for _ in range(4):
            ids = draw.integers(1, 171, 400)
            values: Any = draw.integers(0, 2, 400).astype(bool)
            if name == "position":
                values = np.stack([draw.uniform(-150, 150, 400), draw.uniform(3, 20, 400)], axis=1)
            for index, value in zip(ids.tolist(), values.tolist(), strict=True):
                setattr(one.body(index), name, value)
            many.arrays.set(ids, **{name: values})
            many.validate()
            stay_equal(one, many, 3)
        many.validate()
