"""`length_unit`: the same scene in other units moves the same way, for pixel games as for metres."""

from __future__ import annotations

import pytest

import box2dpy as b2

DT = 1 / 60


def history(unit: float) -> list[tuple[float, float, float, bool]]:
    world = b2.World(gravity=(0, -10 * unit), length_unit=unit, contact_recycle=0.05 * unit)
    world.create_static_body((0, -unit)).create_shape(b2.Box(40 * unit, unit))
    world.create_static_body((4 * unit, 0.5 * unit)).create_shape(b2.Box(0.02 * unit, 2 * unit))
    bodies = []
    for k in range(12):
        body = world.create_dynamic_body((0.1 * (k % 3) * unit, (0.6 + 1.05 * k) * unit), sleep_threshold=0.05 * unit)
        body.create_shape(b2.Box(0.5 * unit, 0.5 * unit) if k % 2 else b2.Circle(0.5 * unit), density=1 / unit**2)
        bodies.append(body)
    bullet = world.create_dynamic_body((-20 * unit, 1 * unit), linear_velocity=(300 * unit, 0), sleep_threshold=0.05 * unit)
    bullet.create_shape(b2.Box(0.2 * unit, 0.2 * unit), density=1 / unit**2, restitution=0.3)
    for _ in range(200):
        world.step(DT)
    return [(body.position.x / unit, body.position.y / unit, body.angle, body.awake) for body in [*bodies, bullet]]


@pytest.mark.parametrize("unit", [64.0, 0.25])
def test_another_unit_gives_the_same_motion(unit: float) -> None:
    for ours, theirs in zip(history(unit), history(1.0), strict=True):
        assert ours[:3] == pytest.approx(theirs[:3], abs=0.05)
        assert ours[3] == theirs[3]


def test_pixels_rest_at_the_right_height() -> None:
    """Boxes of 32 pixels at 32 pixels a metre: they sink by no more than half a pixel, and sleep."""
    world = b2.World(gravity=(0, -320), length_unit=32)
    world.create_static_body((0, -32)).create_shape(b2.Box(640, 32))
    boxes = [world.create_dynamic_body((0, 16 + 32 * k), sleep_threshold=1.6) for k in range(5)]
    for box in boxes:
        box.create_shape(b2.Box(16, 16), density=0.001)
    for _ in range(180):
        world.step(DT)
    for k, box in enumerate(boxes):
        assert box.position.y == pytest.approx(16 + 32 * k, abs=0.5)
        assert not box.awake
