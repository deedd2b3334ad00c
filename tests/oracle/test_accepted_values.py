"""Whatever the API accepts is a valid state: its snapshot is accepted, and so are those of the steps that follow.

Every number that can be assigned or given at creation is drawn from a grid over all orders of magnitude. The names are
found by introspection, so a new property is tested too. A value may be refused with ValueError, which changes nothing.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import box2dpy as b2

from ..sweeps import part

CENTERS = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0)}
JOINTS: dict[str, dict[str, Any]] = {
    "revolute": {"anchor": (0, 1)}, "weld": {"anchor": (0, 1)}, "motor": {"anchor": (0, 1)},
    "mover": {"anchor": (0, 1)},
    "distance": CENTERS, "pogo": CENTERS, "ratchet": {"ratchet": 0.5}, "rotary_spring": {},
    "prismatic": {"anchor": (0, 1), "axis": (1, 0)}, "wheel": {"anchor": (0, 1), "axis": (1, 0)},
    "groove": {"groove_start": (0, 0), "groove_end": (1, 0)},
    "pulley": {**CENTERS, "ground_anchor_a": (0, 5), "ground_anchor_b": (2, 5)},
}  # fmt: skip
GRID = [0.0, 5e-324, *(10.0**k for k in range(-45, 39, 3)), 1.7e38, 3.5e38, 1e300]
VALUES = [sign * value for value in GRID for sign in (1, -1)]
UNITS = (1e-6, 1.0, 1e6)


def accepted(world: b2.World, dt: float = 1 / 60) -> None:
    """The state is valid, and so is the next one; their snapshots are accepted and go on with the same bits."""
    for _ in range(2):
        world.validate()
        with b2.World.from_snapshot(world.snapshot(compress=False)) as copied:
            copied.validate()
            assert copied.state_hash() == world.state_hash()
            world.step(dt)
            copied.step(dt)
            assert copied.state_hash() == world.state_hash()
    world.validate()


def pair_of_bodies(world: b2.World, unit: float) -> tuple[b2.Body, b2.Body]:
    """As large as shapes may be: their limits do not scale."""
    unit = min(max(unit, 0.01), 1e4)
    world.create_static_body((0, -unit)).create_shape(b2.Box(20 * unit, unit))
    first, second = (world.create_dynamic_body((x * unit, 0.6 * unit)) for x in (0.0, 1.5))
    for body in (first, second):
        body.create_shape(b2.Box(0.5 * unit, 0.5 * unit))
    return first, second


def create_joint(world: b2.World, kind: str, first: b2.Body, second: b2.Body, **options: Any) -> b2.Joint:
    create: Callable[..., b2.Joint] = getattr(world, f"create_{kind}_joint")
    return create(first, second, **{**JOINTS[kind], **options})


def assignable(thing: Any) -> Iterator[str]:
    """The names of its properties that are numbers or pairs of them."""
    for name in dir(type(thing)):
        if name[0] == "_" or name in ("workers", "gears"):
            continue
        try:
            now = getattr(thing, name)
        except AttributeError:
            continue
        if isinstance(now, (float, b2.Vec2)) or (isinstance(now, int) and not isinstance(now, bool)):
            yield name


def assign_all(make: Callable[[float], tuple[b2.World, Any]], unit: float) -> int:
    """Assigns every value of the grid to every property; returns how many were accepted."""
    world, thing = make(unit)
    names = list(assignable(thing))
    world.close()
    count = 0
    for name in names:
        for value in VALUES:
            world, thing = make(unit)
            now = getattr(thing, name)
            pairs = [(value, 0.3), (0.3, value)] if isinstance(now, b2.Vec2) else [value]
            for given in pairs:
                try:
                    setattr(thing, name, given)
                except (ValueError, TypeError, AttributeError, b2.Box2DError):
                    world.validate()
                    continue
                count += 1
                accepted(world)
            world.close()
    return count


def of_world(unit: float) -> tuple[b2.World, b2.World]:
    world = b2.World(length_unit=unit)
    pair_of_bodies(world, unit)
    world.step()
    return world, world


def of_body(unit: float) -> tuple[b2.World, b2.Body]:
    world = b2.World(length_unit=unit)
    first, second = pair_of_bodies(world, unit)
    world.create_revolute_joint(first, second, anchor=(0.7 * unit, unit))
    world.step()
    return world, first


def of_shape(unit: float) -> tuple[b2.World, b2.Shape]:
    world, body = of_body(unit)
    return world, body.shapes[0]


def of_joint(kind: str) -> Callable[[float], tuple[b2.World, b2.Joint]]:
    def make(unit: float) -> tuple[b2.World, b2.Joint]:
        world = b2.World(length_unit=unit)
        first, second = pair_of_bodies(world, unit)
        joint = create_joint(world, kind, first, second)
        for name in ("enable_motor", "enable_limit", "enable_spring"):
            if hasattr(joint, name):
                setattr(joint, name, True)
        world.step()
        return world, joint

    return make


MAKERS = [of_world, of_body, of_shape, *map(of_joint, JOINTS)]


@pytest.mark.parametrize(("make", "unit"), part(list(itertools.product(MAKERS, UNITS)), 0.5))
def test_every_value_that_can_be_assigned(make: Callable[[float], tuple[b2.World, Any]], unit: float) -> None:
    assert assign_all(make, unit) > 50


@pytest.mark.parametrize(("kind", "unit"), part(list(itertools.product(JOINTS, UNITS)), 0.5))
def test_every_value_that_a_joint_is_created_with(kind: str, unit: float) -> None:
    """Of each parameter with a number or None as its default, and anchors of both bodies in one point."""
    with b2.World() as world:
        parameters = inspect.signature(getattr(world, f"create_{kind}_joint")).parameters
    numbers = [name for name, each in parameters.items() if isinstance(each.default, float) or name == "length"]
    numbers += [name for name in ("joint_hertz", "joint_damping_ratio", "ratchet") if name in parameters]
    created = 0
    for name, value in itertools.product(numbers, VALUES):
        with b2.World(length_unit=unit) as world:
            first, second = pair_of_bodies(world, unit)
            second.position = first.position
            try:
                create_joint(world, kind, first, second, **{name: value})
            except (ValueError, TypeError):
                world.validate()
            else:
                created += 1
                accepted(world)
    assert created > 50


GEOMETRIES: tuple[Callable[[float], b2.Geometry], ...] = (
    b2.Circle, lambda x: b2.Box(x, x), lambda x: b2.Box(x, 1.0), lambda x: b2.Box(1.0, 1.0, radius=x),
    lambda x: b2.Capsule((-x, 0), (x, 0), x), lambda x: b2.Capsule((-x, 0), (x, 0), 1.0),
    lambda x: b2.Circle(1.0, (x, 0)),
    lambda x: b2.Segment((0, 0), (x, x)), lambda x: b2.Polygon([(0, 0), (x, 0), (x, 2 * x), (0, x), (-x, x)]),
    lambda x: b2.Box(1.0, 1.0, (x, 0)),
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("number", range(len(GEOMETRIES)))
def test_every_size_with_every_density(number: int, unit: float) -> None:
    for size, density in itertools.product(VALUES[::2], (0.0, 1e-45, 1e-38, 1e-30, 1e-10, 1.0, 1e10, 1e30)):
        try:
            geometry = GEOMETRIES[number](size)
        except ValueError:
            continue
        with b2.World(length_unit=unit) as world:
            body = world.create_dynamic_body()
            try:
                body.create_shape(geometry, density=density)
                body.create_shape(geometry, density=density)
            except ValueError:
                world.validate()
                continue
            accepted(world)
            body.mass = 1e-30
            accepted(world)
            body.mass = 1e30
            accepted(world)
