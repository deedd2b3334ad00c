"""Boxes that land obliquely, without restitution: they slide on and do not hop."""

import itertools
import math

import pytest

import box2dpy as b2

G = 9.81


def land(
    height: float,
    speed: float,
    friction: float,
    *,
    half: tuple[float, float] = (0.5, 0.5),
    floor: str = "static",
    dt: float = 1 / 60,
    substeps: int = 4,
    direction: float = 0.0,
) -> tuple[float, float]:
    """The height that it rises to again, in parts of the drop, and by how much the loss of speed in the step of the
    impact is off (m/s). `direction`: of gravity, against straight down (rad)."""
    down = b2.Vec2(math.sin(direction), -math.cos(direction))
    along = b2.Vec2(-down.y, down.x)
    with b2.World(gravity=G * down, sleeping=False) as world:
        if floor == "static":
            ground = world.create_static_body(down * 1.0, direction)
            ground.create_shape(b2.Box(100, 1), friction=friction)
        else:
            world.create_static_body(down * 3.0, direction).create_shape(b2.Box(100, 1), friction=1)
            plank = world.create_dynamic_body(down * 1.0, direction)
            plank.create_shape(b2.Box(20, 1), friction=friction)
            plank.mass = 400 * 4 * half[0] * half[1]
        box = world.create_dynamic_body(-down * (half[1] + height), direction, linear_velocity=speed * along)
        box.create_shape(b2.Box(*half), friction=friction)
        impact, lost, highest = 0.0, 0.0, 0.0
        for _ in range(round(2 * math.sqrt(2 * height / G) / dt)):
            fall = box.linear_velocity.dot(down)
            world.step(dt, substeps)
            if impact == 0 and box.linear_velocity.dot(down) < 0.5 * fall and fall > 0.5 * math.sqrt(2 * G * height):
                impact, lost = fall, speed - box.linear_velocity.dot(along)
            if impact > 0:
                highest = max(highest, -box.position.dot(down) - half[1])
        assert impact > 0
        least, most = (min(speed, friction * fall) for fall in (impact, impact + G * dt))
        return highest / height, max(least - lost, lost - most)


@pytest.mark.parametrize("floor", ["static", "plank"])
@pytest.mark.parametrize("friction", [0.1, 0.3, 0.6])
def test_a_box_that_lands_obliquely_slides_on_and_does_not_hop(floor: str, friction: float) -> None:
    """Its impulses and its friction, taken back in turns, threw it up by half of the drop."""
    found = {
        (height, speed, half): land(height, speed, friction, floor=floor, half=half)
        for height, speed, half in itertools.product(
            (0.1, 0.3, 1, 2), (0.5, 2, 4, 8), ((0.5, 0.5), (1, 0.3), (0.1, 0.1))
        )
    }
    assert max(rise for rise, _ in found.values()) < 0.04, found
    assert max(error for _, error in found.values()) < 0.15, found


@pytest.mark.parametrize(("steps", "substeps"), [(30, 4), (60, 1), (60, 2), (60, 8), (120, 4), (240, 4)])
def test_steps_of_other_lengths_let_it_hop_no_more(steps: int, substeps: int) -> None:
    found = {
        (height, speed): land(height, speed, 0.6, dt=1 / steps, substeps=substeps)
        for height, speed in itertools.product((0.1, 0.3, 1, 2), (0.5, 2, 4, 8))
    }
    assert max(rise for rise, _ in found.values()) < (0.05 if substeps > 1 else 0.1), found


@pytest.mark.parametrize("direction", [0.5, 1.57, 3.0])
def test_gravity_of_any_direction(direction: float) -> None:
    found = {
        (height, speed): land(height, speed, 0.6, direction=direction)
        for height, speed in itertools.product((0.3, 1), (-4, 2, 4))
    }
    assert max(rise for rise, _ in found.values()) < 0.02, found
