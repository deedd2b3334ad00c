"""`BodyArray`: a write equals the writes to single bodies in row order, and a bad row changes nothing and is named."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import draws

WRITES: dict[str, Callable[[random.Random, int], Any]] = {
    "position": lambda draw, n: [(draw.uniform(-9, 9), draw.uniform(0.5, 12)) for _ in range(n)],
    "rotation": lambda draw, n: [(draw.uniform(-1, 1), draw.uniform(1, 2)) for _ in range(n)],
    "angle": lambda draw, n: [draw.uniform(-9, 9) for _ in range(n)],
    "linear_velocity": lambda draw, n: [(draw.choice([0, 3]), draw.choice([0, -2])) for _ in range(n)],
    "angular_velocity": lambda draw, n: [draw.choice([0, 1.5]) for _ in range(n)],
    "linear_damping": lambda draw, n: [draw.choice([0, 0.1]) for _ in range(n)],
    "angular_damping": lambda draw, n: [draw.choice([0, 0.2]) for _ in range(n)],
    "gravity_scale": lambda draw, n: [draw.choice([1, 0.5]) for _ in range(n)],
    "awake": lambda draw, n: [draw.random() < 0.5 for _ in range(n)],
    "enabled": lambda draw, n: [draw.random() < 0.8 for _ in range(n)],
    "mass": lambda draw, n: [draw.choice([1.0, 2.0]) for _ in range(n)],
    "inertia": lambda draw, n: [draw.choice([0.1, 0.2]) for _ in range(n)],
}
PUSHES = ("apply_force", "apply_torque", "apply_impulse", "apply_angular_impulse")


def heap(**options: Any) -> tuple[b2.World, b2.BodyArray]:
    world = b2.World(**options)
    world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
    return world, world.create_bodies([(1.2 * (k % 6), 0.5 + k // 6) for k in range(24)], geometry=b2.Box(0.5, 0.5))


@pytest.mark.parametrize("seed", range(6))
def test_writes_equal_those_to_single_bodies_in_row_order(seed: int) -> None:
    """Two worlds, one written in bulk and one body by body, keep the same state hash; rows repeat bodies."""
    draw = draws(seed)
    (one, bodies), (other, singles) = heap(), heap()
    for _ in range(40):
        chosen = np.array([draw.randrange(24) for _ in range(draw.choice([1, 5, 30]))])
        many, each = bodies[chosen], list(singles[chosen])
        if draw.random() < 0.6:
            name = draw.choice(sorted(WRITES))
            values = WRITES[name](draw, len(chosen))
            setattr(many, name, values)
            for body, value in zip(each, values, strict=True):
                setattr(body, name, value)
        else:
            name, wake = draw.choice(PUSHES), draw.random() < 0.5
            flat = name in ("apply_torque", "apply_angular_impulse")
            pushes = [draw.uniform(-2, 2) if flat else (draw.uniform(-2, 2), draw.uniform(-2, 2)) for _ in each]
            points = [(draw.uniform(-3, 3), 1.0) for _ in each] if not flat and draw.random() < 0.5 else None
            given = () if points is None else (points,)
            getattr(many, name)(pushes, *given, wake=wake)
            for k, body in enumerate(each):
                getattr(body, name)(pushes[k], *(() if points is None else (points[k],)), wake=wake)
        one.validate()
        assert one.state_hash() == other.state_hash(), name
        for _ in range(draw.choice([0, 1, 40])):
            one.step()
            other.step()
        assert one.state_hash() == other.state_hash(), name


def test_reads_equal_those_of_single_bodies() -> None:
    world, bodies = heap()
    bodies.apply_force((1, 2))
    bodies.apply_torque(np.arange(24))
    for _ in range(3):
        world.step()
        bodies.apply_force((1, 2))
    for name in (*WRITES, "world_center", "force", "torque"):
        values = getattr(bodies, name)
        assert len(values) == 24
        if name == "angle":  # the arc tangents of numpy and of the C library may differ in the last bit
            assert values.tolist() == pytest.approx([body.angle for body in bodies], rel=4e-16, abs=0)
            continue
        assert [tuple(row) if np.ndim(row) else row for row in values.tolist()] == [
            getattr(body, name) for body in bodies
        ], name
    assert (bodies.position.dtype, bodies.linear_velocity.dtype, bodies.awake.dtype) == ("f8", "f4", "?")


def damaged(name: str, where: int, bad: Any) -> Any:
    values = np.array(WRITES[name](draws(1), 24), dtype=np.float64)
    values[where] = bad
    return values


BAD = [
    ("position", (0, np.nan), "finite"),
    ("position", (2e12, 0), "out of range: -1e[+]12 to 1e[+]12"),
    ("rotation", (0, 0), "out of range"),
    ("angle", np.inf, "finite"),
    ("linear_velocity", (0, 2e9), "out of range: -1e[+]09 to 1e[+]09"),
    ("angular_velocity", -2e9, "out of range"),
    ("linear_damping", -1, "out of range: 0 to 1e[+]30"),
    ("angular_damping", np.nan, "finite"),
    ("gravity_scale", 1e10, "out of range"),
    ("mass", 0, "out of range"),
    ("inertia", -1, "out of range"),
]


@pytest.mark.parametrize(("name", "bad", "message"), BAD)
@pytest.mark.parametrize("row", [0, 17, 23])
def test_a_bad_value_changes_nothing_and_names_argument_row_and_range(
    name: str, bad: Any, message: str, row: int
) -> None:
    world, bodies = heap()
    world.step()
    before = world.state_hash()
    with pytest.raises(ValueError, match=rf"(?s)^{name}=.* {message}.*; row {row} is ") as caught:
        setattr(bodies, name, damaged(name, row, bad))
    first = np.ravel(bad)[0]
    assert str(float(first)) in str(caught.value).rpartition(" is ")[2]
    assert world.state_hash() == before
    assert (bodies.linear_damping == 0).all()
    assert (bodies.mass == bodies.mass[0]).all()


@pytest.mark.parametrize("name", PUSHES)
def test_a_bad_push_changes_nothing_and_names_the_row(name: str) -> None:
    world, bodies = heap()
    world.step()
    before = world.state_hash()
    flat = name in ("apply_torque", "apply_angular_impulse")
    for bad, message in ((np.nan, "finite"), (2e30, "out of range: -1e[+]30 to 1e[+]30")):
        pushes = np.ones(24 if flat else (24, 2))
        pushes[20] = bad
        with pytest.raises(ValueError, match=rf"(?s)^(force|torque|impulse)=.* {message}; row 20 is "):
            getattr(bodies, name)(pushes)
    if not flat:
        points = np.zeros((24, 2))
        points[7] = 0, np.inf
        with pytest.raises(ValueError, match=r"(?s)^point=.* finite; row 7 is \[0.0, inf\]"):
            getattr(bodies, name)((1, 0), points)
    assert world.state_hash() == before
    assert not bodies.force.any()
    assert not bodies.torque.any()


def test_a_body_that_may_not_have_the_value_is_named_by_its_row() -> None:
    world, bodies = heap()
    bodies[5].type = "static"
    before = world.state_hash()
    for name in ("linear_velocity", "angular_velocity", "mass", "inertia"):
        with pytest.raises(ValueError, match=rf"^{name}=1 is not allowed here.*; row 5 is "):
            setattr(bodies, name, 1)
    for name in PUSHES:
        with pytest.raises(ValueError, match=r"not allowed here.*; row 5 is "):
            getattr(bodies, name)(1)
    assert world.state_hash() == before
    bodies.linear_velocity = 0  # a static body may be told to rest


def test_a_dead_body_is_named_before_anything_is_written() -> None:
    world, bodies = heap()
    bodies[3].destroy()
    world.create_dynamic_body()  # takes the index, not the place in the array
    before = world.state_hash()
    for name in WRITES:
        with pytest.raises(b2.DestroyedError, match="body 4, in row 3 of <BodyArray of 24 bodies>, has been destroyed"):
            setattr(bodies, name, 1)
        with pytest.raises(b2.DestroyedError, match="in row 3"):
            getattr(bodies, name)
    for name in PUSHES:
        with pytest.raises(b2.DestroyedError, match="in row 3"):
            getattr(bodies, name)(1)
    assert world.state_hash() == before


def test_of_several_rows_with_one_body_the_last_is_kept_and_forces_add_up() -> None:
    _, bodies = heap(gravity=(0, 0))
    twice = bodies[np.array([2, 2, 2])]
    twice.linear_velocity = [(1, 0), (2, 0), (3, 0)]
    twice.apply_force([(1, 0), (2, 0), (4, 0)])
    twice.apply_torque([1, 2, 4])
    assert (bodies[2].linear_velocity, bodies[2].force, bodies[2].torque) == ((3, 0), (7, 0), 7)
    twice.apply_force((9e29, 0))  # each is in range; the sum is kept in it
    assert bodies[2].force.x == pytest.approx(1e30)


@pytest.mark.parametrize("value", [2, "yes", None, [True] * 23 + [3], np.nan, 0.5])
def test_flags_are_true_or_false(value: Any) -> None:
    world, bodies = heap()
    before = world.state_hash()
    for name in ("awake", "enabled"):
        with pytest.raises(TypeError, match=f"{name}="):
            setattr(bodies, name, value)
    assert world.state_hash() == before


def test_wrong_shapes_and_types_are_refused() -> None:
    _, bodies = heap()
    for value in (np.zeros((23, 2)), np.zeros((24, 3)), np.zeros((1, 24, 2))):
        with pytest.raises(ValueError, match=r"(?s)position=.* must have shape \(24, 2\) or be one value"):
            bodies.position = value
    with pytest.raises(TypeError, match="linear_velocity="):
        bodies.linear_velocity = "ab"
    for name in ("world_center", "indices", "world"):
        with pytest.raises(AttributeError):
            setattr(bodies, name, 0)


def test_an_empty_array_and_a_closed_world() -> None:
    world, bodies = heap()
    none = bodies[:0]
    none.position = np.zeros((0, 2))
    none.apply_force((1, 0))
    assert none.position.shape == (0, 2)
    assert none.mass.shape == (0,)
    world.close()
    for some in (none, bodies):
        with pytest.raises(b2.DestroyedError, match="closed"):
            some.position
        with pytest.raises(b2.DestroyedError, match="closed"):
            some.awake = True
