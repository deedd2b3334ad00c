"""Planks that topple do not dive into the ground, and bodies that roll or rock neither gain nor lose energy."""

import itertools
import math
from typing import Any

import pytest

import box2dpy as b2


def topple(length: float, width: float, angle: float, dt: float, **how: Any) -> float:
    """How deep a plank that stands tilted on one corner gets into the ground, in metres."""
    direction = how.get("direction", 0.0)
    down = b2.Vec2(math.sin(direction), -math.cos(direction))
    with b2.World(gravity=10 * down) as world:
        ground = world.create_static_body(angle=direction)
        if how.get("chain"):
            ground.create_chain([(60, 0), (30, 0), (-30, 0), (-60, 0)], friction=0.9)
        else:
            ground.create_shape(b2.Box(60, 5, center=(0, -5)), friction=0.9)
        shape: b2.Geometry = b2.Box(width / 2, length / 2)
        height = length / 2 * math.cos(angle) + width / 2 * math.sin(angle)
        if how.get("capsule"):
            inner = (length - width) / 2
            shape = b2.Capsule((0, -inner), (0, inner), width / 2)
            height = inner * math.cos(angle) + width / 2
        plank = world.create_dynamic_body(-height * down, direction - angle)
        plank.create_shape(shape, friction=0.9)
        ends = [(x, y) for x in (-width / 2, width / 2) for y in (-length / 2, length / 2)]
        radius = 0.0
        if isinstance(shape, b2.Capsule):
            ends, radius = [shape.p1, shape.p2], shape.radius
        deepest = 0.0
        for _ in range(round(4 / dt)):
            world.step(dt)
            deepest = max(deepest, *(plank.world_point(end).dot(down) + radius for end in ends))
        return deepest


SIZES = ((1, 0.05), (1, 0.3), (2, 0.4), (4, 0.1), (6, 0.2), (8, 0.6), (16, 1))


@pytest.mark.parametrize("steps", [30, 60, 120, 240])
def test_a_plank_that_topples_sinks_less_than_a_centimetre(steps: int) -> None:
    angles = (0.02, 0.2, 0.4, 0.8, 1.05) if steps < 240 else (0.4,)
    found = {(*size, angle): topple(*size, angle, 1 / steps) for size, angle in itertools.product(SIZES, angles)}
    assert max(found.values()) < 0.01, found


@pytest.mark.parametrize("how", [{"chain": True}, {"capsule": True}, {"direction": 1.57}, {"direction": 2.5}])
def test_on_other_ground_and_under_gravity_of_any_direction(how: dict[str, Any]) -> None:
    found = {size: topple(*size, 0.4, 1 / 60, **how) for size in SIZES}
    assert max(found.values()) < 0.01, found


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 30, 4), (1 / 60, 4), (1 / 60, 8), (1 / 60, 16), (1 / 240, 4)])
@pytest.mark.parametrize(("amplitude", "offset"), [(0.08, 0.3), (0.3, 0.3), (0.08, 0.6)])
def test_a_disc_with_a_weight_beside_its_centre_rocks_on(
    dt: float, substeps: int, amplitude: float, offset: float
) -> None:
    """Levers that were fixed at the start of the step let it gain 26 % in a minute."""
    with b2.World(sleeping=False) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(1000, 1), friction=2.0)
        disc = world.create_dynamic_body((0, 1), amplitude)
        disc.create_shape(b2.Circle(1.0), friction=2.0)
        disc.create_shape(b2.Circle(0.2, (0, -offset)), density=20, filter=b2.Filter(category=2, mask=0))
        steps = round(60 / dt)
        last = 0.0
        for k in range(steps):
            world.step(dt, substeps)
            if k > steps * 5 // 6:
                last = max(last, abs(disc.angle))
        assert 0.97 < last / amplitude < 1.02
